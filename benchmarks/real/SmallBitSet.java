package real;

import java.util.Arrays;

/** A set of small numbers, one bit each, that knows how many it holds. */
public class SmallBitSet {
    private static final int BITS = 64;
    private static final int LARGEST = 1 << 20;

    private long[] words;
    private int count;

    public SmallBitSet() {
        words = new long[1];
    }

    private SmallBitSet(long[] words, int count) {
        this.words = words;
        this.count = count;
    }

    /** The numbers from 0 up to a bound. */
    public static SmallBitSet below(int bound) {
        SmallBitSet result = new SmallBitSet();
        for (int i = 0; i < bound; i++) {
            result.add(i);
        }
        return result;
    }

    public int size() {
        assert count >= 0;
        return count;
    }

    public boolean isEmpty() {
        return count == 0;
    }

    /** Adds a number; tells whether it was missing. */
    public boolean add(int number) {
        check(number);
        int word = number / BITS;
        //bug1? an off-by-one in when to grow
        //bug1+ if (word > words.length) {
        if (word >= words.length) { //bug1-
            words = Arrays.copyOf(words, Math.max(word + 1, words.length * 2));
        }
        long bit = 1L << number % BITS;
        if ((words[word] & bit) != 0) { //fails1
            return false;
        }
        words[word] |= bit;
        count++;
        return true;
    }

    /** Removes a number; tells whether it was there. */
    public boolean remove(int number) {
        check(number);
        int word = number / BITS;
        long bit = 1L << number % BITS;
        if (word >= words.length || (words[word] & bit) == 0) {
            return false;
        }
        words[word] &= ~bit;
        count--;
        return true;
    }

    public boolean contains(int number) {
        check(number);
        int word = number / BITS;
        return word < words.length && (words[word] >>> number % BITS & 1) != 0;
    }

    /** A set of its own with the same numbers. */
    public SmallBitSet copy() {
        //bug2? an aliased array
        //bug2+ return new SmallBitSet(words, count);
        return new SmallBitSet(words.clone(), count); //bug2-
    }

    /** Adds all numbers of another set; tells how many were missing. */
    public int addAll(SmallBitSet other) {
        int before = count;
        if (other.words.length > words.length) {
            words = Arrays.copyOf(words, other.words.length);
        }
        for (int i = 0; i < other.words.length; i++) {
            words[i] |= other.words[i];
        }
        count = bits();
        return count - before;
    }

    /** A copy without some numbers that this set holds, which are given in any order. */
    public SmallBitSet without(int[] numbers) {
        if (numbers == null) {
            throw new IllegalArgumentException("no numbers");
        }
        SmallBitSet result = copy();
        int missing = 0;
        for (int number : numbers) {
            if (!result.remove(number)) {
                missing++;
            }
        }
        assert count == bits() : "the original stays as it is"; //fails2
        assert result.count + numbers.length - missing == count;
        return result;
    }

    /** The smallest number that is at least {@code from}, or -1. */
    public int next(int from) {
        check(from);
        int word = from / BITS;
        if (word >= words.length) {
            return -1;
        }
        long rest = words[word] & -1L << from % BITS;
        while (rest == 0) {
            word++;
            if (word == words.length) {
                return -1;
            }
            rest = words[word];
        }
        return word * BITS + Long.numberOfTrailingZeros(rest);
    }

    /** All numbers, ascending. */
    public int[] toArray() {
        int[] numbers = new int[count];
        int at = 0;
        for (int word = 0; word < words.length; word++) {
            for (long rest = words[word]; rest != 0; rest &= rest - 1) {
                numbers[at++] = word * BITS + Long.numberOfTrailingZeros(rest);
            }
        }
        return numbers;
    }

    private int bits() {
        int sum = 0;
        for (long word : words) {
            sum += Long.bitCount(word);
        }
        return sum;
    }

    private static void check(int number) {
        if (number < 0 || number > LARGEST) {
            throw new IllegalArgumentException("number: " + number);
        }
    }
}
