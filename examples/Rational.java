/** A rational number as a pair of ints with a positive denominator. */
public class Rational {
    private final int numerator;
    private final int denominator;

    public Rational(int numerator, int denominator) {
        if (denominator <= 0) {
            throw new IllegalArgumentException("denominator must be positive");
        }
        this.numerator = numerator;
        this.denominator = denominator;
    }

    public int floor() {
        if (denominator <= 0) {
            throw new IllegalStateException("damaged number");
        }
        int quotient = numerator / denominator;
        return numerator < 0 && numerator % denominator != 0 ? quotient - 1 : quotient;
    }

    public Rational half() {
        if (denominator <= 0 || denominator > Integer.MAX_VALUE / 2) {
            throw new IllegalStateException("too small");
        }
        return new Rational(numerator, 2 * denominator);
    }

    public Rational reciprocal() {
        if (denominator <= 0 || numerator == 0 || numerator == Integer.MIN_VALUE) {
            throw new IllegalStateException("no reciprocal");
        }
        return numerator > 0
            ? new Rational(denominator, numerator)
            : new Rational(-denominator, -numerator);
    }

    public boolean isLessThan(Rational other) {
        return (long) numerator * other.denominator < (long) other.numerator * denominator;
    }
}
