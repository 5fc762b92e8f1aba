/** A binary search tree of bounded height with look-up, insertion and rotation. */
public class SearchTree {
    private static final int MAX_HEIGHT = 6;

    private SearchTree left;
    private SearchTree right;
    private int key;

    public SearchTree(int key) {
        this.key = key;
    }

    public boolean contains(int k) {
        SearchTree t = this;
        for (int h = 0; h < MAX_HEIGHT && t != null; h++) {
            if (t.key == k) {
                return true;
            }
            t = k < t.key ? t.left : t.right;
        }
        return false;
    }

    public boolean insert(int k) {
        SearchTree t = this;
        for (int h = 0; h < MAX_HEIGHT; h++) {
            if (k == t.key) {
                return false;
            }
            SearchTree child = k < t.key ? t.left : t.right;
            if (child == null) {
                if (k < t.key) {
                    t.left = new SearchTree(k);
                } else {
                    t.right = new SearchTree(k);
                }
                return true;
            }
            t = child;
        }
        throw new IllegalStateException("tree too high");
    }

    public int minimum() {
        SearchTree t = this;
        for (int h = 0; t.left != null; h++) {
            if (h == MAX_HEIGHT) {
                throw new IllegalStateException("tree too high");
            }
            t = t.left;
        }
        return t.key;
    }

    /** Rotates to the left if possible; the result takes this node's place. */
    public SearchTree rotateLeft() {
        SearchTree up = right;
        if (up == null || up == this) {
            return this;
        }
        right = up.left;
        up.left = this;
        return up;
    }
}
