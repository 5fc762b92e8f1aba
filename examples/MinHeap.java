/** A priority queue of ints: a binary heap in an array. */
public class MinHeap {
    private int[] heap;
    private int size;

    public MinHeap() {
        heap = new int[8];
    }

    private void check() {
        if (heap == null || size < 0 || size > heap.length) {
            throw new IllegalStateException("damaged heap");
        }
    }

    public void add(int x) {
        check();
        if (size == heap.length) {
            throw new IllegalStateException("full");
        }
        int i = size++;
        while (i > 0 && heap[(i - 1) / 2] > x) {
            heap[i] = heap[(i - 1) / 2];
            i = (i - 1) / 2;
        }
        heap[i] = x;
    }

    public int poll() {
        check();
        if (size == 0) {
            throw new IllegalStateException("empty");
        }
        int least = heap[0];
        int x = heap[--size];
        int i = 0;
        while (2 * i + 1 < size) {
            int child = 2 * i + 1;
            if (child + 1 < size && heap[child + 1] < heap[child]) {
                child++;
            }
            if (heap[child] >= x) {
                break;
            }
            heap[i] = heap[child];
            i = child;
        }
        heap[i] = x;
        return least;
    }

    public int least() {
        check();
        if (size == 0) {
            throw new IllegalStateException("empty");
        }
        return heap[0];
    }
}
