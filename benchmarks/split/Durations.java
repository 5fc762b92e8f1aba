/** Lengths of time in seconds, minutes, hours and days. */
public class Durations {
    static final int SECONDS = 0;
    static final int MINUTES = 1;
    static final int HOURS = 2;
    static final int DAYS = 3;

    /** How many seconds one of a unit has. */
    static int seconds(int unit) {
        switch (unit) {
            case SECONDS:
                return 1;
            case MINUTES:
                return 60;
            case HOURS:
                return 3600;
            default:
                return 86400;
        }
    }

    /** A length of time in another unit, as far as it is whole. */
    static int convert(int amount, int from, int to) {
        return amount * seconds(from) / seconds(to);
    }

    /** In a smaller unit nothing gets lost. */
    /*@ requires 0 <= amount && amount <= 1000;
      @ requires SECONDS <= to && to <= from && from <= DAYS;
      @ ensures \result == amount; @*/
    static int thereAndBack(int amount, int from, int to) {
        return convert(convert(amount, from, to), to, from);
    }

    /** To add before is to add after. */
    /*@ requires 0 <= a && a <= 100 && 0 <= b && b <= 100;
      @ requires SECONDS <= to && to <= from && from <= DAYS; @*/
    static void sums(int a, int b, int from, int to) {
        assert convert(a + b, from, to) == convert(a, from, to) + convert(b, from, to);
    }
}
