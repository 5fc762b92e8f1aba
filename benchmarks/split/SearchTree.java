/** A set of numbers, kept in a binary search tree. */
public class SearchTree {
    static class Node {
        int key;
        /*@ nullable @*/ Node left;
        /*@ nullable @*/ Node right;
    }

    /*@ nullable @*/ Node root;

    /*@ invariant (\forall Node n; \reach(root, Node, left, right).has(n);
      @            !\reach(n.left, Node, left, right).has(n)
      @            && !\reach(n.right, Node, left, right).has(n)); @*/
    /*@ invariant (\forall Node n; \reach(root, Node, left, right).has(n);
      @            (\forall Node l; \reach(n.left, Node, left, right).has(l); l.key < n.key)
      @            && (\forall Node r; \reach(n.right, Node, left, right).has(r);
      @                   n.key < r.key)); @*/

    /** Is the key in the set? */
    /*@ public normal_behavior
      @   assignable \nothing;
      @   ensures \result <==> (\exists Node n; \reach(root, Node, left, right).has(n);
      @                            n.key == key);
      @*/
    public boolean contains(int key) {
        Node n = root;
        while (n != null) {
            if (key < n.key) {
                n = n.left;
            } else if (key > n.key) {
                n = n.right;
            } else {
                return true;
            }
        }
        return false;
    }

    /** Adds a key, unless it is there. */
    /*@ public normal_behavior
      @   ensures (\exists Node n; \reach(root, Node, left, right).has(n); n.key == key);
      @   ensures (\forall Node n; \old(\reach(root, Node, left, right).has(n));
      @               \reach(root, Node, left, right).has(n) && n.key == \old(n.key));
      @   ensures (\forall Node n; \reach(root, Node, left, right).has(n);
      @               \old(\reach(root, Node, left, right).has(n)) || n.key == key);
      @*/
    public void add(int key) {
        Node added = new Node();
        added.key = key;
        if (root == null) {
            root = added;
            return;
        }
        Node n = root;
        while (true) {
            if (key < n.key) {
                if (n.left == null) {
                    n.left = added;
                    return;
                }
                n = n.left;
            } else if (key > n.key) {
                if (n.right == null) {
                    n.right = added;
                    return;
                }
                n = n.right;
            } else {
                return;
            }
        }
    }
}
