/** A sequence of numbers, kept in a singly linked list. */
public class LList {
    static class Node {
        int value;
        /*@ nullable @*/ Node next;
    }

    /*@ nullable @*/ Node head;
    int size;

    /*@ invariant (\forall Node n; \reach(head, Node, next).has(n);
      @            !\reach(n.next, Node, next).has(n)); @*/
    //@ invariant size == \reach(head, Node, next).int_size();

    /** Is the value in the sequence? */
    /*@ public normal_behavior
      @   assignable \nothing;
      @   ensures \result <==> (\exists Node n; \reach(head, Node, next).has(n); n.value == value);
      @*/
    public boolean contains(int value) {
        for (Node n = head; n != null; n = n.next) {
            if (n.value == value) {
                return true;
            }
        }
        return false;
    }

    /** Adds a value at the end. */
    // The nodes from before are there in their order, with their values, and the new one is last.
    /*@ public normal_behavior
      @   ensures size == \old(size) + 1;
      @   ensures (\forall Node n; \old(\reach(head, Node, next).has(n));
      @               \reach(head, Node, next).has(n) && n.value == \old(n.value));
      @   ensures (\forall Node n; \reach(head, Node, next).has(n);
      @               \old(\reach(head, Node, next).has(n))
      @               || \fresh(n) && n.value == value && n.next == null);
      @   ensures (\forall Node n; \old(\reach(head, Node, next).has(n));
      @               (\forall Node m; \old(\reach(head, Node, next).has(m));
      @                   \reach(n, Node, next).has(m) == \old(\reach(n, Node, next).has(m))));
      @*/
    public void insert(int value) {
        Node added = new Node();
        added.value = value;
        if (head == null) {
            head = added;
        } else {
            Node last = head;
            while (last.next != null) {
                last = last.next;
            }
            last.next = added;
        }
        size++;
    }

    /** Adds a value in front of the one at an index, or at the end if the index is the size. */
    // As many nodes as the index says come before the new one.
    /*@ public normal_behavior
      @   requires 0 <= index && index <= size;
      @   ensures size == \old(size) + 1;
      @   ensures (\forall Node n; \old(\reach(head, Node, next).has(n));
      @               \reach(head, Node, next).has(n) && n.value == \old(n.value));
      @   ensures (\forall Node n; \reach(head, Node, next).has(n);
      @               \old(\reach(head, Node, next).has(n))
      @               || \fresh(n) && n.value == value
      @                  && \reach(n, Node, next).int_size() == size - index);
      @   ensures (\forall Node n; \old(\reach(head, Node, next).has(n));
      @               (\forall Node m; \old(\reach(head, Node, next).has(m));
      @                   \reach(n, Node, next).has(m) == \old(\reach(n, Node, next).has(m))));
      @ also public exceptional_behavior
      @   requires index < 0 || index > size;
      @   assignable \nothing;
      @   signals_only IndexOutOfBoundsException;
      @*/
    public void insertAt(int index, int value) {
        if (index < 0 || index > size) {
            throw new IndexOutOfBoundsException();
        }
        Node added = new Node();
        added.value = value;
        if (index == 0) {
            added.next = head;
            head = added;
        } else {
            Node before = head;
            for (int i = 1; i < index; i++) {
                before = before.next;
            }
            added.next = before.next;
            before.next = added;
        }
        size++;
    }

    /** Takes out the value at an index. */
    // The nodes that stay keep their order and their values; the one that goes is the one with as
    // many nodes before it as the index says.
    /*@ public normal_behavior
      @   requires 0 <= index && index < size;
      @   ensures size == \old(size) - 1;
      @   ensures (\forall Node n; \reach(head, Node, next).has(n);
      @               \old(\reach(head, Node, next).has(n)) && n.value == \old(n.value));
      @   ensures (\forall Node n;
      @               \old(\reach(head, Node, next).has(n)) && !\reach(head, Node, next).has(n);
      @               \result == \old(n.value)
      @               && \old(\reach(n, Node, next).int_size()) == \old(size) - index);
      @   ensures (\forall Node n; \reach(head, Node, next).has(n);
      @               (\forall Node m; \reach(head, Node, next).has(m);
      @                   \reach(n, Node, next).has(m) == \old(\reach(n, Node, next).has(m))));
      @ also public exceptional_behavior
      @   requires index < 0 || index >= size;
      @   assignable \nothing;
      @   signals_only IndexOutOfBoundsException;
      @*/
    public int remove(int index) {
        if (index < 0 || index >= size) {
            throw new IndexOutOfBoundsException();
        }
        Node removed = head;
        if (index == 0) {
            head = removed.next;
        } else {
            Node before = head;
            for (int i = 1; i < index; i++) {
                before = before.next;
            }
            removed = before.next;
            before.next = removed.next;
        }
        size--;
        return removed.value;
    }
}
