package real;

import java.util.Arrays;

/**
 * Values for ranges of integers that do not overlap: {@code [from, to)}. Ranges are kept sorted in
 * arrays that grow together.
 */
public class IntervalMap {
    private int[] from;
    private int[] to;
    private String[] values;
    private int size;

    public IntervalMap() {
        this(4);
    }

    /** @throws IllegalArgumentException unless the capacity is positive */
    public IntervalMap(int capacity) {
        if (capacity < 1) {
            throw new IllegalArgumentException("capacity: " + capacity);
        }
        from = new int[capacity];
        to = new int[capacity];
        values = new String[capacity];
    }

    public int size() {
        return size;
    }

    /**
     * Adds a range.
     *
     * @return false if it overlaps one that is there; then nothing changes
     */
    public boolean add(int start, int end, String value) {
        if (start >= end) {
            throw new IllegalArgumentException("empty range: " + start + ".." + end);
        }
        int at = firstEndingAfter(start);
        if (at < size && from[at] < end) {
            return false;
        }
        //bug1? an off-by-one in when to grow
        //bug1+ if (size > from.length) {
        if (size == from.length) { //bug1-
            grow();
        }
        System.arraycopy(from, at, from, at + 1, size - at); //fails1
        System.arraycopy(to, at, to, at + 1, size - at);
        System.arraycopy(values, at, values, at + 1, size - at);
        from[at] = start;
        to[at] = end;
        values[at] = value;
        size++;
        return true;
    }

    /** The value of the range around a point, null if there is none. */
    public String get(int point) {
        int at = firstEndingAfter(point);
        return at < size && from[at] <= point ? values[at] : null;
    }

    public boolean contains(int point) {
        int at = firstEndingAfter(point);
        return at < size && from[at] <= point;
    }

    /** Removes the range around a point; tells whether there was one. */
    public boolean removeAt(int point) {
        int at = firstEndingAfter(point);
        if (at == size || from[at] > point) {
            return false;
        }
        int moved = size - at - 1;
        System.arraycopy(from, at + 1, from, at, moved);
        System.arraycopy(to, at + 1, to, at, moved);
        System.arraycopy(values, at + 1, values, at, moved);
        size--;
        values[size] = null;
        return true;
    }

    /** How many integers the ranges cover. */
    public long covered() {
        long sum = 0;
        for (int i = 0; i < size; i++) {
            sum += (long) to[i] - from[i];
        }
        return sum;
    }

    /** The start of the first gap at or after a point. */
    public int firstGap(int point) {
        int at = firstEndingAfter(point);
        int gap = point;
        //bug2? a bound of the array instead of the number of elements
        //bug2+ while (from[at] <= gap) { //fails2
        while (at < size && from[at] <= gap) { //bug2-
            gap = to[at];
            at++;
        }
        return gap;
    }

    public void clear() {
        Arrays.fill(values, 0, size, null);
        size = 0;
    }

    /** The first range that ends after a point, {@code size} if there is none. */
    private int firstEndingAfter(int point) {
        int low = 0;
        int high = size;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (to[middle] <= point) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private void grow() {
        int capacity = from.length * 2;
        from = Arrays.copyOf(from, capacity);
        to = Arrays.copyOf(to, capacity);
        values = Arrays.copyOf(values, capacity);
    }
}
