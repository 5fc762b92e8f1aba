/** A priority queue of numbers, kept in a binomial heap. */
public class BHeap {
    static class Node {
        int key;
        /** How many children the node has. */
        int degree;
        /*@ nullable @*/ Node parent;
        /** The child of the greatest degree; the others follow it as siblings. */
        /*@ nullable @*/ Node child;
        /** The next child of the same parent, or the next tree. */
        /*@ nullable @*/ Node sibling;
    }

    /** The root of the smallest tree; the others follow it as siblings. */
    /*@ nullable @*/ Node head;
    int size;

    // No node is behind or below itself. That no degree reaches the number of nodes follows from
    // what is below; it is said to keep the search from greater numbers.
    /*@ invariant (\forall Node n; \reach(head, Node, child, sibling).has(n);
      @            !\reach(n.child, Node, child, sibling).has(n)
      @            && !\reach(n.sibling, Node, child, sibling).has(n)
      @            && 0 <= n.degree
      @            && n.degree < \reach(head, Node, child, sibling).int_size()); @*/
    // A node of degree k has children of the degrees k - 1 to 0, in this order.
    /*@ invariant (\forall Node n; \reach(head, Node, child, sibling).has(n);
      @            n.child == null
      @            ? n.degree == 0
      @            : n.child.parent == n && n.child.degree == n.degree - 1); @*/
    /*@ invariant (\forall Node n; \reach(head, Node, child, sibling).has(n) && n.parent != null;
      @            n.parent.key <= n.key
      @            && (n.sibling == null
      @                ? n.degree == 0
      @                : n.sibling.parent == n.parent && n.sibling.degree == n.degree - 1)); @*/
    // The degrees of the roots rise.
    //@ invariant head == null || head.parent == null;
    /*@ invariant (\forall Node n; \reach(head, Node, child, sibling).has(n)
      @            && n.parent == null && n.sibling != null;
      @            n.sibling.parent == null && n.degree < n.sibling.degree); @*/
    //@ invariant size == \reach(head, Node, child, sibling).int_size();

    /** The least key of a heap that is not empty. */
    /*@ public normal_behavior
      @   requires head != null;
      @   assignable \nothing;
      @   ensures (\exists Node n; \reach(head, Node, child, sibling).has(n); n.key == \result);
      @   ensures (\forall Node n; \reach(head, Node, child, sibling).has(n); \result <= n.key);
      @*/
    public int findMin() {
        int least = head.key;
        for (Node n = head.sibling; n != null; n = n.sibling) {
            if (n.key < least) {
                least = n.key;
            }
        }
        return least;
    }

    /** Lowers a key. */
    // The new key is at a node t above the given one, or there. Up to t, each node has got the key
    // of its parent, and all other keys are as they were.
    /*@ public normal_behavior
      @   requires \reach(head, Node, child, sibling).has(node) && key <= node.key;
      @   ensures (\forall Node n; \reach(head, Node, child, sibling).has(n);
      @               \old(\reach(head, Node, child, sibling).has(n)));
      @   ensures size == \old(size);
      @   ensures (\exists Node t; \old(\reach(node, Node, parent).has(t));
      @               t.key == key
      @               && (\forall Node n; \old(\reach(head, Node, child, sibling).has(n));
      @                      n == t
      @                      || n.key == (\old(\reach(node, Node, parent).has(n))
      @                                   && !\old(\reach(t, Node, parent).has(n))
      @                                   ? \old(n.parent.key) : \old(n.key))));
      @*/
    public void decKey(Node node, int key) {
        Node n = node;
        while (n.parent != null && key < n.parent.key) {
            n.key = n.parent.key;
            n = n.parent;
        }
        n.key = key;
    }

    /** Adds a key and returns the node that has it. */
    // The nodes from before are there with their keys, and a new one.
    /*@ public normal_behavior
      @   ensures size == \old(size) + 1;
      @   ensures \fresh(\result) && \result.key == key
      @           && \reach(head, Node, child, sibling).has(\result);
      @   ensures (\forall Node n; \old(\reach(head, Node, child, sibling).has(n));
      @               \reach(head, Node, child, sibling).has(n) && n.key == \old(n.key));
      @*/
    public Node insert(int key) {
        Node added = new Node();
        added.key = key;
        size++;
        weave(added);
        combine();
        return added;
    }

    /** Takes the least key out of a heap that is not empty. */
    // One node goes, with the least key, and the others keep theirs.
    /*@ public normal_behavior
      @   requires head != null;
      @   ensures size == \old(size) - 1;
      @   ensures (\forall Node n; \old(\reach(head, Node, child, sibling).has(n));
      @               \result <= \old(n.key));
      @   ensures (\forall Node n; \reach(head, Node, child, sibling).has(n);
      @               \old(\reach(head, Node, child, sibling).has(n)) && n.key == \old(n.key));
      @   ensures (\forall Node n; \old(\reach(head, Node, child, sibling).has(n))
      @               && !\reach(head, Node, child, sibling).has(n);
      @               \result == \old(n.key));
      @*/
    public int extractMin() {
        Node least = head;
        Node beforeLeast = null;
        for (Node n = head; n.sibling != null; n = n.sibling) {
            if (n.sibling.key < least.key) {
                least = n.sibling;
                beforeLeast = n;
            }
        }
        if (beforeLeast == null) {
            head = least.sibling;
        } else {
            beforeLeast.sibling = least.sibling;
        }
        // Its children become trees, in the opposite order.
        Node trees = null;
        Node child = least.child;
        while (child != null) {
            Node next = child.sibling;
            child.parent = null;
            child.sibling = trees;
            trees = child;
            child = next;
        }
        size--;
        if (trees != null) {
            weave(trees);
            combine();
        }
        return least.key;
    }

    /** Merges trees into those of the heap. Degrees rise in both lists, and do not fall after it. */
    private /*@ helper @*/ void weave(Node trees) {
        if (head == null) {
            head = trees;
            return;
        }
        Node rest = trees;
        if (rest.degree < head.degree) {
            rest = head;
            head = trees;
        }
        Node last = head;
        while (rest != null) {
            Node next = last.sibling;
            if (next == null || rest.degree < next.degree) {
                // The list goes on with what was the other one.
                last.sibling = rest;
                rest = next;
            }
            last = last.sibling;
        }
    }

    /** Combines trees of one degree, of which there are at most two before a carry. */
    private /*@ helper @*/ void combine() {
        Node before = null;
        Node at = head;
        while (at.sibling != null) {
            Node next = at.sibling;
            if (at.degree != next.degree
                    || next.sibling != null && next.sibling.degree == at.degree) {
                // Of three trees the last two are combined.
                before = at;
                at = next;
            } else if (at.key <= next.key) {
                at.sibling = next.sibling;
                link(next, at);
            } else {
                if (before == null) {
                    head = next;
                } else {
                    before.sibling = next;
                }
                link(at, next);
                at = next;
            }
        }
    }

    /** Hangs a tree on one of the same degree. */
    private static /*@ helper @*/ void link(Node lower, Node upper) {
        lower.parent = upper;
        lower.sibling = upper.child;
        upper.child = lower;
        upper.degree++;
    }
}
