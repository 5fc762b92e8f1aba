/** Counts events in 128 buckets of equal length over all non-negative times. */
public class Timeline {
    private static final int BUCKETS = 128;

    private final int[] counts;

    public Timeline() {
        counts = new int[BUCKETS];
    }

    public static int bucketOf(int time) {
        if (time < 0) {
            throw new IllegalArgumentException("negative time");
        }
        int bucket = time >> 24;
        assert bucket < BUCKETS;
        return bucket;
    }

    /** A timeline with one event, in the middle of the given span. */
    public static Timeline ofSpan(int start, int end) {
        if (start < 0 || end < start) {
            throw new IllegalArgumentException("no such span");
        }
        Timeline t = new Timeline();
        t.counts[(start + end) / 2 >> 24]++;
        return t;
    }

    public static Timeline of(int time) {
        Timeline t = new Timeline();
        t.counts[bucketOf(time)]++;
        return t;
    }
}
