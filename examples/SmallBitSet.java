/** A set of the numbers 0 to 63, one bit each. */
public class SmallBitSet {
    private long bits;

    public boolean contains(int i) {
        return i >= 0 && i < 64 && (bits & 1L << i) != 0;
    }

    public void add(int i) {
        if (i < 0 || i >= 64) {
            throw new IllegalArgumentException("out of range");
        }
        bits |= 1L << i;
        assert contains(i);
    }

    public void remove(int i) {
        if (i < 0 || i >= 64) {
            throw new IllegalArgumentException("out of range");
        }
        bits &= ~(1 << i);
        assert !contains(i);
    }

    public int smallest() {
        if (bits == 0) {
            throw new IllegalStateException("empty set");
        }
        int i = Long.numberOfTrailingZeros(bits);
        assert contains(i);
        return i;
    }

    public boolean isSubsetOf(SmallBitSet other) {
        return (bits & ~other.bits) == 0;
    }
}
