/** A set of numbers, kept in a red-black tree whose nodes know their parents. */
public class TreeSet {
    static class Node {
        int key;
        boolean black;
        /*@ nullable @*/ Node left;
        /*@ nullable @*/ Node right;
        /*@ nullable @*/ Node parent;
    }

    /*@ nullable @*/ Node root;
    int size;

    // It is a tree: no node is below itself, and each knows the only one that it hangs on.
    /*@ invariant (\forall Node n; \reach(root, Node, left, right).has(n);
      @            !\reach(n.left, Node, left, right).has(n)
      @            && !\reach(n.right, Node, left, right).has(n)
      @            && (n.left == null || n.left.parent == n)
      @            && (n.right == null || n.right.parent == n)); @*/
    //@ invariant root == null || root.parent == null && root.black;
    /*@ invariant (\forall Node n; \reach(root, Node, left, right).has(n);
      @            (\forall Node l; \reach(n.left, Node, left, right).has(l); l.key < n.key)
      @            && (\forall Node r; \reach(n.right, Node, left, right).has(r);
      @                   n.key < r.key)); @*/
    // No red node hangs on a red one, and all ways from the root to the end have as many black ones.
    /*@ invariant (\forall Node n; \reach(root, Node, left, right).has(n);
      @            n.black || n.parent.black); @*/
    /*@ invariant (\forall Node n;
      @            \reach(root, Node, left, right).has(n) && (n.left == null || n.right == null);
      @            (\forall Node m;
      @                \reach(root, Node, left, right).has(m)
      @                && (m.left == null || m.right == null);
      @                (\num_of Node b; \reach(n, Node, parent).has(b); b.black)
      @                == (\num_of Node b; \reach(m, Node, parent).has(b); b.black))); @*/
    //@ invariant size == \reach(root, Node, left, right).int_size();

    /** Is the key in the set? */
    /*@ public normal_behavior
      @   assignable \nothing;
      @   ensures \result <==> (\exists Node n; \reach(root, Node, left, right).has(n);
      @                            n.key == key);
      @*/
    public boolean find(int key) {
        return nodeOf(key) != null;
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
        added.parent = above;
        if (above == null) {
            root = added;
        } else if (key < above.key) {
            above.left = added;
        } else {
            above.right = added;
        }
        size++;
        settleRed(added);
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
        Node n = nodeOf(key);
        if (n == null) {
            return false;
        }
        size--;
        if (n.left != null && n.right != null) {
            Node follower = n.right;
            while (follower.left != null) {
                follower = follower.left;
            }
            exchange(n, follower);
        }
        // Now there is one node below n at most, and if there is one, it is red.
        Node below = n.left != null ? n.left : n.right;
        if (below != null) {
            hang(below, n.parent, n);
            below.black = true;
        } else {
            if (n.black) {
                settleShort(n);
            }
            hang(null, n.parent, n);
        }
        return true;
    }

    private /*@ nullable @*/ Node nodeOf(int key) {
        Node n = root;
        while (n != null && n.key != key) {
            n = key < n.key ? n.left : n.right;
        }
        return n;
    }

    /** Rearranges what is above a red node, so that none hangs on a red one. */
    private /*@ helper @*/ void settleRed(Node n) {
        while (n.parent != null && !n.parent.black) {
            Node above = n.parent;
            Node top = above.parent;
            Node uncle = above == top.left ? top.right : top.left;
            if (uncle != null && !uncle.black) {
                above.black = true;
                uncle.black = true;
                top.black = false;
                n = top;
            } else {
                if ((n == above.left) != (above == top.left)) {
                    rotateUp(n);
                    above = n;
                }
                rotateUp(above);
                above.black = true;
                top.black = false;
                break;
            }
        }
        root.black = true;
    }

    /** Rearranges what is above a black node whose ways to the end will have one black too few. */
    private /*@ helper @*/ void settleShort(Node n) {
        while (n.parent != null) {
            Node above = n.parent;
            boolean isLeft = n == above.left;
            Node other = isLeft ? above.right : above.left;
            if (!other.black) {
                other.black = true;
                above.black = false;
                rotateUp(other);
                other = isLeft ? above.right : above.left;
            }
            Node near = isLeft ? other.left : other.right;
            Node far = isLeft ? other.right : other.left;
            if (far != null && !far.black) {
                far.black = true;
            } else if (near != null && !near.black) {
                rotateUp(near);
                other.black = true;
                other = near;
            } else {
                other.black = false;
                if (!above.black) {
                    above.black = true;
                    return;
                }
                n = above;
                continue;
            }
            other.black = above.black;
            above.black = true;
            rotateUp(other);
            return;
        }
    }

    /** Puts a node into the place of its parent, which becomes its child. */
    private /*@ helper @*/ void rotateUp(Node n) {
        Node down = n.parent;
        Node between;
        if (n == down.left) {
            between = n.right;
            down.left = between;
            n.right = down;
        } else {
            between = n.left;
            down.right = between;
            n.left = down;
        }
        if (between != null) {
            between.parent = down;
        }
        hang(n, down.parent, down);
        down.parent = n;
    }

    /** Hangs a node, or nothing, on another in the place of a third. */
    private /*@ helper @*/ void hang(
            /*@ nullable @*/ Node n, /*@ nullable @*/ Node above, Node instead) {
        if (above == null) {
            root = n;
        } else if (above.left == instead) {
            above.left = n;
        } else {
            above.right = n;
        }
        if (n != null) {
            n.parent = above;
        }
    }

    /** Lets a node with two children and the one that follows it change places and colours. */
    private /*@ helper @*/ void exchange(Node n, Node follower) {
        Node below = follower.right;
        Node above = follower.parent;
        boolean black = follower.black;
        hang(follower, n.parent, n);
        follower.black = n.black;
        follower.left = n.left;
        follower.left.parent = follower;
        if (above == n) {
            follower.right = n;
            n.parent = follower;
        } else {
            follower.right = n.right;
            follower.right.parent = follower;
            above.left = n;
            n.parent = above;
        }
        n.black = black;
        n.left = null;
        n.right = below;
        if (below != null) {
            below.parent = n;
        }
    }
}
