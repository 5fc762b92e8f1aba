/** A hash table with linear probing for positive keys; 0 marks a free slot. */
public class HashIndex {
    private static final int SLOTS = 5;

    private final int[] keys;

    public HashIndex() {
        keys = new int[SLOTS];
    }

    static int slotOf(int key) {
        int hash = key * 31 + 17;
        return Math.abs(hash) % SLOTS;
    }

    /** The slot of the key, or the free slot where it belongs, or -1 in a full table. */
    public static int find(int[] table, int key) {
        if (table.length == 0 || key <= 0) {
            throw new IllegalArgumentException("no table or no key");
        }
        int start = key % table.length;
        for (int i = 0; i < table.length; i++) {
            int slot = (start + i) % table.length;
            if (table[slot] == key || table[slot] == 0) {
                return slot;
            }
        }
        return -1;
    }

    public static boolean put(int[] table, int key) {
        int slot = find(table, key);
        if (slot >= 0) {
            table[slot] = key;
        }
        return slot >= 0;
    }

    /** A new table that holds just this key. */
    public static HashIndex of(int key) {
        HashIndex index = new HashIndex();
        index.keys[slotOf(key)] = key;
        return index;
    }
}
