/** A set of numbers, kept in a search tree whose sides differ in height by one at most. */
public class AVL {
    static class Node {
        int key;
        /** How many nodes are on the longest way down from here, this one included. */
        int height;
        /*@ nullable @*/ Node left;
        /*@ nullable @*/ Node right;
    }

    /*@ nullable @*/ Node root;

    // It is a tree: no node is below itself, and as whatever is to the left is less and whatever is
    // to the right is greater, none is to both sides of another.
    /*@ invariant (\forall Node n; \reach(root, Node, left, right).has(n);
      @            !\reach(n.left, Node, left, right).has(n)
      @            && !\reach(n.right, Node, left, right).has(n)); @*/
    /*@ invariant (\forall Node n; \reach(root, Node, left, right).has(n);
      @            (\forall Node l; \reach(n.left, Node, left, right).has(l); l.key < n.key)
      @            && (\forall Node r; \reach(n.right, Node, left, right).has(r);
      @                   n.key < r.key)); @*/
    // Each side is lower than the node by one or two, and not both by two. That no height exceeds
    // the number of nodes follows; it is said to keep the search from greater numbers.
    /*@ invariant (\forall Node n; \reach(root, Node, left, right).has(n);
      @            1 <= n.height && n.height <= \reach(root, Node, left, right).int_size()
      @            && (n.left == null ? n.height <= 2
      @                : n.left.height == n.height - 1 || n.left.height == n.height - 2)
      @            && (n.right == null ? n.height <= 2
      @                : n.right.height == n.height - 1 || n.right.height == n.height - 2)
      @            && (n.height == 1
      @                || n.left != null && n.left.height == n.height - 1
      @                || n.right != null && n.right.height == n.height - 1)); @*/

    /** Is the key in the set? */
    /*@ public normal_behavior
      @   assignable \nothing;
      @   ensures \result <==> (\exists Node n; \reach(root, Node, left, right).has(n);
      @                            n.key == key);
      @*/
    public boolean find(int key) {
        Node n = root;
        while (n != null && n.key != key) {
            n = key < n.key ? n.left : n.right;
        }
        return n != null;
    }

    /** The greatest key of a set that is not empty. */
    /*@ public normal_behavior
      @   requires root != null;
      @   assignable \nothing;
      @   ensures (\exists Node n; \reach(root, Node, left, right).has(n); n.key == \result);
      @   ensures (\forall Node n; \reach(root, Node, left, right).has(n); n.key <= \result);
      @*/
    public int findMax() {
        Node n = root;
        while (n.right != null) {
            n = n.right;
        }
        return n.key;
    }

    /** Adds a key. */
    // The nodes from before are there with their keys. If none had the key, a new one has it.
    /*@ public normal_behavior
      @   ensures (\forall Node n; \old(\reach(root, Node, left, right).has(n));
      @               \reach(root, Node, left, right).has(n) && n.key == \old(n.key));
      @   ensures (\forall Node n; \reach(root, Node, left, right).has(n);
      @               \old(\reach(root, Node, left, right).has(n))
      @               || \fresh(n) && n.key == key);
      @   ensures (\exists Node n; \reach(root, Node, left, right).has(n); n.key == key);
      @*/
    public void insert(int key) {
        Node added = new Node();
        added.key = key;
        added.height = 1;
        root = insertBelow(root, added);
    }

    /** Takes out a key. */
    // Just the node with that key goes, and the others keep theirs.
    /*@ public normal_behavior
      @   ensures (\forall Node n; \old(\reach(root, Node, left, right).has(n));
      @               \reach(root, Node, left, right).has(n) <==> \old(n.key) != key);
      @   ensures (\forall Node n; \reach(root, Node, left, right).has(n);
      @               \old(\reach(root, Node, left, right).has(n)) && n.key == \old(n.key));
      @*/
    public void remove(int key) {
        root = removeBelow(root, key);
    }

    /** The tree that comes of this one with a node added, unless its key is there already. */
    private static /*@ helper @*/ Node insertBelow(/*@ nullable @*/ Node n, Node added) {
        if (n == null) {
            return added;
        }
        if (added.key == n.key) {
            return n;
        }
        if (added.key < n.key) {
            n.left = insertBelow(n.left, added);
        } else {
            n.right = insertBelow(n.right, added);
        }
        return balanced(n);
    }

    /** The tree that comes of this one with a key taken out. */
    private static /*@ helper @*/ /*@ nullable @*/ Node removeBelow(
            /*@ nullable @*/ Node n, int key) {
        if (n == null) {
            return null;
        }
        if (key < n.key) {
            n.left = removeBelow(n.left, key);
        } else if (key > n.key) {
            n.right = removeBelow(n.right, key);
        } else if (n.left == null) {
            return n.right;
        } else if (n.right == null) {
            return n.left;
        } else {
            Node least = n.right;
            while (least.left != null) {
                least = least.left;
            }
            least.right = withoutLeast(n.right);
            least.left = n.left;
            n = least;
        }
        return balanced(n);
    }

    /** The tree that comes of this one with its least key taken out. */
    private static /*@ helper @*/ /*@ nullable @*/ Node withoutLeast(Node n) {
        if (n.left == null) {
            return n.right;
        }
        n.left = withoutLeast(n.left);
        return balanced(n);
    }

    /** The same keys with both sides about equally high, if they differ by two at most. */
    private static /*@ helper @*/ Node balanced(Node n) {
        int left = height(n.left);
        int right = height(n.right);
        if (left > right + 1) {
            if (height(n.left.left) < height(n.left.right)) {
                n.left = rotatedLeft(n.left);
            }
            return rotatedRight(n);
        }
        if (right > left + 1) {
            if (height(n.right.right) < height(n.right.left)) {
                n.right = rotatedRight(n.right);
            }
            return rotatedLeft(n);
        }
        measure(n);
        return n;
    }

    private static /*@ helper @*/ Node rotatedLeft(Node n) {
        Node up = n.right;
        n.right = up.left;
        up.left = n;
        measure(n);
        measure(up);
        return up;
    }

    private static /*@ helper @*/ Node rotatedRight(Node n) {
        Node up = n.left;
        n.left = up.right;
        up.right = n;
        measure(n);
        measure(up);
        return up;
    }

    private static /*@ helper @*/ void measure(Node n) {
        int left = height(n.left);
        int right = height(n.right);
        n.height = (left > right ? left : right) + 1;
    }

    private static /*@ helper @*/ int height(/*@ nullable @*/ Node n) {
        return n == null ? 0 : n.height;
    }
}
