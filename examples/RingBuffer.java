/** A queue of fixed capacity in a circular array. */
public class RingBuffer {
    private final int[] items;
    private int head;
    private int count;

    public RingBuffer() {
        items = new int[4];
    }

    private void check() {
        if (items == null || head < 0 || head >= items.length || count < 0 || count > items.length) {
            throw new IllegalStateException("damaged buffer");
        }
    }

    public boolean offer(int x) {
        check();
        if (count == items.length) {
            return false;
        }
        items[(head + count) % items.length] = x;
        count++;
        return true;
    }

    public int take() {
        check();
        if (count == 0) {
            throw new IllegalStateException("empty buffer");
        }
        int x = items[head];
        head = head + 1 == items.length ? 0 : head + 1;
        count--;
        return x;
    }

    /** The element that was added last. */
    public int newest() {
        check();
        if (count == 0) {
            throw new IllegalStateException("empty buffer");
        }
        int end = head + count;
        if (end > items.length + 1) {
            end -= items.length;
        }
        return items[end - 1];
    }
}
