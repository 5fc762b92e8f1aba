package real;

import java.util.Arrays;

/**
 * Admits at most so many requests within a sliding window. The window is a ring of slots, each of
 * which counts the requests of one span of time. The clock may start anywhere, also below zero.
 */
public class RateLimiter {
    private final int limit;
    private final long span;
    private final int[] counts;
    private long current;
    private int total;
    private long refused;
    private boolean started;

    /**
     * @param limit most requests within the window
     * @param window length of the window in milliseconds, at least one for each slot
     * @param slots how finely the window slides
     */
    public RateLimiter(int limit, long window, int slots) {
        if (limit < 0) {
            throw new IllegalArgumentException("limit: " + limit);
        }
        //bug1? a rounded quotient that becomes zero
        //bug1+ if (slots < 1 || window < 1) {
        if (slots < 1 || window < slots) { //bug1-
            throw new IllegalArgumentException("window: " + window + ", slots: " + slots);
        }
        this.limit = limit;
        this.span = window / slots;
        this.counts = new int[slots];
    }

    /** Whether a request at this time is admitted; if so, it counts. */
    public boolean tryAcquire(long now) {
        return tryAcquire(now, 1);
    }

    /** The same for several requests at once: all of them or none. */
    public boolean tryAcquire(long now, int permits) {
        if (permits < 1) {
            throw new IllegalArgumentException("permits: " + permits);
        }
        advance(now);
        if (permits > limit - total) {
            refused++;
            return false;
        }
        counts[slot(current)] += permits; //fails2
        total += permits;
        return true;
    }

    /** How many requests would be admitted at this time. */
    public int available(long now) {
        advance(now);
        return limit - total;
    }

    /** Milliseconds after which something is admitted again; 0 if that is so now. */
    public long delay(long now) {
        advance(now);
        if (total < limit || limit == 0) {
            return 0;
        }
        for (int i = 1; i <= counts.length; i++) {
            long oldest = current + i;
            if (counts[slot(oldest)] > 0) { //fails2
                return i * span;
            }
        }
        return 0;
    }

    public long refused() {
        return refused;
    }

    public void reset() {
        Arrays.fill(counts, 0);
        total = 0;
        started = false;
    }

    /** Forgets the slots that have left the window. */
    private void advance(long now) {
        long next = Math.floorDiv(now, span); //fails1
        if (!started) {
            current = next;
            started = true;
            return;
        }
        if (next <= current) {
            return;
        }
        if (next - current >= counts.length || next - current < 0) {
            Arrays.fill(counts, 0);
            total = 0;
        } else {
            for (long passed = next - current; passed > 0; passed--) {
                int slot = slot(current + passed);
                total -= counts[slot]; //fails2
                counts[slot] = 0;
            }
        }
        current = next;
    }

    private int slot(long at) {
        //bug2? a negative remainder as an index
        //bug2+ return (int) (at % counts.length);
        return (int) Math.floorMod(at, (long) counts.length); //bug2-
    }
}
