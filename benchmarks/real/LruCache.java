package real;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A cache that forgets what was used longest ago. Entries hang in a ring around a sentinel, the most
 * recently used one first; an index leads from keys to entries.
 */
public class LruCache<K, V> {
    private static final class Entry<K, V> {
        K key;
        V value;
        Entry<K, V> before;
        Entry<K, V> after;
    }

    private final int capacity;
    private final Map<K, Entry<K, V>> index = new HashMap<>();
    private final Map<K, Integer> hits = new HashMap<>();
    private final Entry<K, V> ring = new Entry<>();
    private long misses;

    /** @throws IllegalArgumentException unless the capacity is positive */
    public LruCache(int capacity) {
        if (capacity <= 0) {
            throw new IllegalArgumentException("capacity: " + capacity);
        }
        this.capacity = capacity;
        ring.before = ring;
        ring.after = ring;
    }

    public int size() {
        return index.size();
    }

    public boolean isEmpty() {
        return index.isEmpty();
    }

    public long misses() {
        return misses;
    }

    /** The value of a key, which counts as a use. */
    public Optional<V> get(K key) {
        checkKey(key);
        Entry<K, V> entry = index.get(key);
        if (entry == null) {
            misses++;
            return Optional.empty();
        }
        unlink(entry);
        linkFirst(entry);
        hits.merge(key, 1, Integer::sum);
        return Optional.of(entry.value);
    }

    /** The value of a key; the order stays as it is. */
    public V peek(K key, V otherwise) {
        checkKey(key);
        Entry<K, V> entry = index.get(key);
        return entry == null ? otherwise : entry.value;
    }

    /** Stores a value, and drops the oldest entry if there is no room. */
    public void put(K key, V value) {
        checkKey(key);
        if (value == null) {
            throw new IllegalArgumentException("no value");
        }
        Entry<K, V> entry = index.get(key);
        if (entry != null) {
            entry.value = value;
            unlink(entry);
            linkFirst(entry);
            return;
        }
        if (index.size() == capacity) { //bug1-
            evict(); //bug1-
        } //bug1-
        //bug1? an index left behind after a removal
        //bug1+ if (index.size() >= capacity) {
        //bug1+     unlink(ring.before);
        //bug1+ }
        entry = new Entry<>();
        entry.key = key;
        entry.value = value;
        index.put(key, entry);
        linkFirst(entry);
    }

    /** Removes a key; tells whether it was there. */
    public boolean remove(K key) {
        checkKey(key);
        Entry<K, V> entry = index.remove(key);
        if (entry == null) {
            return false;
        }
        hits.remove(key);
        unlink(entry);
        return true;
    }

    /** How often a key was found since it came in. */
    public int hitsOf(K key) {
        checkKey(key);
        //bug2? a null from a map, unboxed
        //bug2+ int count = hits.get(key); //fails2
        //bug2+ return count;
        return hits.getOrDefault(key, 0); //bug2-
    }

    /** The keys, the most recently used first. */
    public List<K> keys() {
        List<K> keys = new ArrayList<>();
        for (Entry<K, V> at = ring.after; at != ring; at = at.after) {
            keys.add(at.key);
        }
        return keys;
    }

    public void clear() {
        index.clear();
        hits.clear();
        ring.before = ring;
        ring.after = ring;
    }

    private void evict() {
        Entry<K, V> oldest = ring.before;
        unlink(oldest);
        index.remove(oldest.key);
        hits.remove(oldest.key);
    }

    private void unlink(Entry<K, V> entry) {
        entry.before.after = entry.after; //fails1
        entry.after.before = entry.before;
        entry.before = null;
        entry.after = null;
    }

    private void linkFirst(Entry<K, V> entry) {
        entry.before = ring;
        entry.after = ring.after;
        ring.after.before = entry;
        ring.after = entry;
    }

    private void checkKey(K key) {
        if (key == null) {
            throw new IllegalArgumentException("no key");
        }
    }
}
