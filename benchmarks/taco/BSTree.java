/** A set of numbers, kept in a binary search tree. */
public class BSTree {
    static class Node {
        int key;
        /*@ nullable @*/ Node left;
        /*@ nullable @*/ Node right;
    }

    /*@ nullable @*/ Node root;
    int size;

    // It is a tree: no node is below itself, and as whatever is to the left is less and whatever is
    // to the right is greater, none is to both sides of another.
    /*@ invariant (\forall Node n; \reach(root, Node, left, right).has(n);
      @            !\reach(n.left, Node, left, right).has(n)
      @            && !\reach(n.right, Node, left, right).has(n)); @*/
    /*@ invariant (\forall Node n; \reach(root, Node, left, right).has(n);
      @            (\forall Node l; \reach(n.left, Node, left, right).has(l); l.key < n.key)
      @            && (\forall Node r; \reach(n.right, Node, left, right).has(r);
      @                   n.key < r.key)); @*/
    //@ invariant size == \reach(root, Node, left, right).int_size();

    /** Is the key in the set? */
    /*@ public normal_behavior
      @   assignable \nothing;
      @   ensures \result <==> (\exists Node n; \reach(root, Node, left, right).has(n);
      @                            n.key == key);
      @*/
    public boolean contains(int key) {
        Node n = root;
        while (n != null) {
            if (key == n.key) {
                return true;
            }
            n = key < n.key ? n.left : n.right;
        }
        return false;
    }

    /** Adds a key and says whether it is new. */
    // The nodes from before are there with their keys. A node that was not has the key, and there
    // is one if none had it.
    /*@ public normal_behavior
      @   ensures \result <==> !\old((\exists Node n; \reach(root, Node, left, right).has(n);
      @                                  n.key == key));
      @   ensures size == (\result ? \old(size) + 1 : \old(size));
      @   ensures (\forall Node n; \old(\reach(root, Node, left, right).has(n));
      @               \reach(root, Node, left, right).has(n) && n.key == \old(n.key));
      @   ensures (\forall Node n; \reach(root, Node, left, right).has(n);
      @               \old(\reach(root, Node, left, right).has(n))
      @               || \fresh(n) && n.key == key);
      @*/
    public boolean insert(int key) {
        Node above = null;
        Node n = root;
        while (n != null) {
            if (key == n.key) {
                return false;
            }
            above = n;
            n = key < n.key ? n.left : n.right;
        }
        Node added = new Node();
        added.key = key;
        if (above == null) {
            root = added;
        } else if (key < above.key) {
            above.left = added;
        } else {
            above.right = added;
        }
        size++;
        return true;
    }

    /** Takes out a key and says whether it was there. */
    // Just the node with that key goes, and the others keep theirs.
    /*@ public normal_behavior
      @   ensures \result <==> \old((\exists Node n; \reach(root, Node, left, right).has(n);
      @                                 n.key == key));
      @   ensures (\forall Node n; \old(\reach(root, Node, left, right).has(n));
      @               \reach(root, Node, left, right).has(n) <==> \old(n.key) != key);
      @   ensures (\forall Node n; \reach(root, Node, left, right).has(n);
      @               \old(\reach(root, Node, left, right).has(n)) && n.key == \old(n.key));
      @*/
    public boolean remove(int key) {
        Node above = null;
        Node n = root;
        while (n != null && n.key != key) {
            above = n;
            n = key < n.key ? n.left : n.right;
        }
        if (n == null) {
            return false;
        }
        Node instead;
        if (n.left == null) {
            instead = n.right;
        } else if (n.right == null) {
            instead = n.left;
        } else {
            instead = takeLeast(n);
            instead.left = n.left;
            instead.right = n.right;
        }
        if (above == null) {
            root = instead;
        } else if (above.left == n) {
            above.left = instead;
        } else {
            above.right = instead;
        }
        size--;
        return true;
    }

    /** Unlinks and returns the node with the least key to the right of a node. */
    private static /*@ helper @*/ Node takeLeast(Node n) {
        Node least = n.right;
        if (least.left == null) {
            n.right = least.right;
            return least;
        }
        Node above = least;
        least = least.left;
        while (least.left != null) {
            above = least;
            least = least.left;
        }
        above.left = least.right;
        return least;
    }
}
