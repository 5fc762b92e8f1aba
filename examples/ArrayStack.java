/** A stack of ints in an array that doubles when it is full. */
public class ArrayStack {
    private int[] items;
    private int size;

    public ArrayStack() {
        items = new int[2];
    }

    private void check() {
        if (items == null || size < 0 || size > items.length) {
            throw new IllegalStateException("damaged stack");
        }
    }

    public void push(int x) {
        check();
        if (size == items.length) {
            int[] larger = new int[2 * size + 1];
            for (int i = 0; i < size; i++) {
                larger[i] = items[i];
            }
            items = larger;
        }
        items[size++] = x;
    }

    public int pop() {
        check();
        if (size == 0) {
            throw new IllegalStateException("empty stack");
        }
        return items[--size];
    }

    public int peek() {
        int top = pop();
        push(top);
        assert size > 0 && items[size - 1] == top;
        return top;
    }
}
