/**
 * A sequence of numbers, kept in a circle of doubly linked nodes that begins with a header. Nodes
 * that are taken out wait in a cache, linked by `next`, to be used again.
 */
public class CList {
    static class Node {
        int value;
        /*@ nullable @*/ Node next;
        /*@ nullable @*/ Node prev;
    }

    static final int MAXIMUM_CACHE_SIZE = 20;

    /** Belongs to the circle, but not to the sequence. */
    final Node header;
    int size;
    /*@ nullable @*/ Node firstCacheNode;
    int cacheSize;

    // Each node is the previous of its next and the next of its previous one: what the header leads
    // to is one circle.
    /*@ invariant (\forall Node n; \reach(header, Node, next, prev).has(n);
      @            n.next != null && n.next.prev == n && n.prev != null && n.prev.next == n); @*/
    //@ invariant size == \reach(header, Node, next, prev).int_size() - 1;
    //@ invariant header.value == 0;

    // A node of the cache has no previous one, as all nodes of the circle have.
    /*@ invariant (\forall Node n; \reach(firstCacheNode, Node, next).has(n);
      @            n.prev == null && n.value == 0 && !\reach(n.next, Node, next).has(n)); @*/
    //@ invariant cacheSize == \reach(firstCacheNode, Node, next).int_size();
    //@ invariant cacheSize <= MAXIMUM_CACHE_SIZE;

    public CList() {
        header = new Node();
        header.next = header;
        header.prev = header;
    }

    /** Is the value in the sequence? */
    /*@ public normal_behavior
      @   assignable \nothing;
      @   ensures \result <==> (\exists Node n; \reach(header, Node, next, prev).has(n);
      @                            n != header && n.value == value);
      @*/
    public boolean contains(int value) {
        for (Node n = header.next; n != header; n = n.next) {
            if (n.value == value) {
                return true;
            }
        }
        return false;
    }

    /** Adds a value at the end. */
    // The nodes from before follow one another as they did, with one more before the header. That
    // is the first of the cache, or new if the cache is empty.
    /*@ public normal_behavior
      @   ensures size == \old(size) + 1;
      @   ensures header.prev.value == value;
      @   ensures (\forall Node n; \old(\reach(header, Node, next, prev).has(n));
      @               n.value == \old(n.value)
      @               && n.next == (\old(n.next) == header ? header.prev : \old(n.next)));
      @   ensures \old(firstCacheNode) == null
      @           ? \fresh(header.prev) && firstCacheNode == null
      @           : header.prev == \old(firstCacheNode)
      @             && firstCacheNode == \old(firstCacheNode.next);
      @   ensures (\forall Node n; \reach(firstCacheNode, Node, next).has(n);
      @               n.next == \old(n.next));
      @*/
    public void insert(int value) {
        addBefore(header, value);
    }

    /** Adds a value in front of the one at an index, or at the end if the index is the size. */
    // The node at the index is the one from which `size - index` nodes are left to the header.
    /*@ public normal_behavior
      @   requires 0 <= index && index <= size;
      @   ensures size == \old(size) + 1;
      @   ensures (\forall Node n; \old(\reach(header, Node, next, prev).has(n));
      @               n.value == \old(n.value)
      @               && (n.next == \old(n.next)
      @                   || n.next.value == value && n.next.next == \old(n.next)
      @                      && (\old(firstCacheNode) == null
      @                          ? \fresh(n.next) : n.next == \old(firstCacheNode))));
      @   ensures firstCacheNode
      @           == (\old(firstCacheNode) == null ? null : \old(firstCacheNode.next));
      @   ensures (\forall Node n; \reach(firstCacheNode, Node, next).has(n);
      @               n.next == \old(n.next));
      @ also public exceptional_behavior
      @   requires index < 0 || index > size;
      @   assignable \nothing;
      @   signals_only IndexOutOfBoundsException;
      @*/
    /*$ ensures 0 <= index && index <= this.size =>
      $    (all n: this.header.*(next' + prev') - this.header.*(next + prev) |
      $       #(n.^(next' :> (Node - this.header))) = minus[this.size, index])
      $*/
    public void insertAt(int index, int value) {
        if (index < 0 || index > size) {
            throw new IndexOutOfBoundsException();
        }
        addBefore(index == size ? header : nodeAt(index), value);
    }

    /** Takes out the value at an index. */
    // One node goes: the one from which `size - index` nodes are left to the header. The others
    // follow one another as they did. The cache gets the node unless it is full.
    /*@ public normal_behavior
      @   requires 0 <= index && index < size;
      @   ensures size == \old(size) - 1;
      @   ensures (\forall Node n; \reach(header, Node, next, prev).has(n);
      @               \old(\reach(header, Node, next, prev).has(n)) && n.value == \old(n.value)
      @               && n.next == (\reach(header, Node, next, prev).has(\old(n.next))
      @                             ? \old(n.next) : \old(n.next.next)));
      @   ensures (\forall Node n; \old(\reach(header, Node, next, prev).has(n))
      @               && !\reach(header, Node, next, prev).has(n); \result == \old(n.value));
      @   ensures \old(cacheSize) == MAXIMUM_CACHE_SIZE
      @           ? firstCacheNode == \old(firstCacheNode)
      @           : firstCacheNode != null && firstCacheNode.next == \old(firstCacheNode)
      @             && \old(\reach(header, Node, next, prev)).has(firstCacheNode);
      @   ensures (\forall Node n; \old(\reach(firstCacheNode, Node, next).has(n));
      @               n.next == \old(n.next));
      @ also public exceptional_behavior
      @   requires index < 0 || index >= size;
      @   assignable \nothing;
      @   signals_only IndexOutOfBoundsException;
      @*/
    /*$ ensures 0 <= index && index < this.size =>
      $    (all n: this.header.*(next + prev) - this.header.*(next' + prev') |
      $       #(n.*(next :> (Node - this.header))) = minus[this.size, index])
      $*/
    public int remove(int index) {
        if (index < 0 || index >= size) {
            throw new IndexOutOfBoundsException();
        }
        Node removed = nodeAt(index);
        int value = removed.value;
        removed.prev.next = removed.next;
        removed.next.prev = removed.prev;
        size--;
        if (cacheSize < MAXIMUM_CACHE_SIZE) {
            removed.value = 0;
            removed.prev = null;
            removed.next = firstCacheNode;
            firstCacheNode = removed;
            cacheSize++;
        }
        return value;
    }

    //@ requires \reach(header, Node, next, prev).has(next);
    private void addBefore(Node next, int value) {
        Node added = firstCacheNode;
        if (added == null) {
            added = new Node();
        } else {
            firstCacheNode = added.next;
            cacheSize--;
        }
        added.value = value;
        added.next = next;
        added.prev = next.prev;
        next.prev.next = added;
        next.prev = added;
        size++;
    }

    /** The node at an index that there is, from whichever end is nearer. */
    //@ requires 0 <= index && index < size;
    private Node nodeAt(int index) {
        Node n;
        if (index < size / 2) {
            n = header.next;
            for (int i = 0; i < index; i++) {
                n = n.next;
            }
        } else {
            n = header;
            for (int i = size; i > index; i--) {
                n = n.prev;
            }
        }
        return n;
    }
}
