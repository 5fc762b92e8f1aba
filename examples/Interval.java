/** A closed interval of ints. */
public class Interval {
    private final int low;
    private final int high;

    public Interval(int low, int high) {
        if (low > high) {
            throw new IllegalArgumentException("empty interval");
        }
        this.low = low;
        this.high = high;
    }

    public boolean contains(int x) {
        return low <= x && x <= high;
    }

    public boolean overlaps(Interval other) {
        return low <= other.high && other.low <= high;
    }

    public Interval hull(Interval other) {
        Interval h = new Interval(Math.min(low, other.low), Math.max(high, other.high));
        assert h.low <= low && other.high <= h.high;
        return h;
    }

    public int distanceTo(Interval other) {
        if (low > high || other.low > other.high) {
            throw new IllegalStateException("damaged interval");
        }
        if (overlaps(other)) {
            return 0;
        }
        int distance = high < other.low ? other.low - high : low - other.high;
        assert distance > 0;
        return distance;
    }
}
