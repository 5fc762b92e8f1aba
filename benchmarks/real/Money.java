package real;

/** An amount of money in a currency, exact to the smallest unit. */
public final class Money implements Comparable<Money> {
    public enum Currency {
        EUR(2), JPY(0), TND(3);

        private final int digits;

        Currency(int digits) {
            this.digits = digits;
        }

        int unit() {
            int unit = 1;
            for (int i = 0; i < digits; i++) {
                unit *= 10;
            }
            return unit;
        }
    }

    private final long amount;
    private final Currency currency;

    private Money(long amount, Currency currency) {
        this.amount = amount;
        this.currency = currency;
    }

    /** So many of the smallest units. */
    public static Money of(long amount, Currency currency) {
        if (currency == null) {
            throw new IllegalArgumentException("no currency");
        }
        return new Money(amount, currency);
    }

    /**
     * Reads an amount such as {@code 12.30}.
     *
     * @throws NumberFormatException if the text is none
     */
    public static Money parse(String text, Currency currency) throws NumberFormatException {
        if (text == null || currency == null) {
            throw new IllegalArgumentException("an amount has a text and a currency");
        }
        int point = text.indexOf('.');
        //bug1? the -1 of a search used as a position
        String whole = point < 0 ? text : text.substring(0, point); //bug1-
        String part = point < 0 ? "" : text.substring(point + 1); //bug1-
        //bug1+ String whole = text.substring(0, point); //fails1
        //bug1+ String part = text.substring(point + 1);
        if (whole.isEmpty() || part.length() > currency.digits) {
            throw new NumberFormatException(text);
        }
        StringBuilder digits = new StringBuilder(whole).append(part);
        for (int i = part.length(); i < currency.digits; i++) {
            digits.append('0');
        }
        return new Money(Long.parseLong(digits.toString()), currency);
    }

    public long amount() {
        return amount;
    }

    public Currency currency() {
        return currency;
    }

    public boolean isNegative() {
        return amount < 0;
    }

    /** @throws ArithmeticException if the sum is too large */
    public Money plus(Money other) throws ArithmeticException {
        checkCurrency(other);
        return new Money(Math.addExact(amount, other.amount), currency);
    }

    /** @throws ArithmeticException if the difference is too large */
    public Money minus(Money other) throws ArithmeticException {
        checkCurrency(other);
        return new Money(Math.subtractExact(amount, other.amount), currency);
    }

    /** @throws ArithmeticException if the product is too large */
    public Money times(int factor) throws ArithmeticException {
        return new Money(Math.multiplyExact(amount, factor), currency);
    }

    /** Parts of equal size, as far as that is possible; the first ones get what is left. */
    public Money[] split(int parts) {
        if (parts < 1) {
            throw new IllegalArgumentException("parts: " + parts);
        }
        long[] shares = new long[parts];
        long share = amount / parts;
        long left = amount % parts;
        for (int i = 0; i < parts; i++) {
            shares[i] = share;
        }
        //bug2? a negative remainder
        //bug2+ for (int i = 0; i < left; i++) {
        //bug2+     shares[i]++;
        //bug2+ }
        for (int i = 0; i < Math.abs(left); i++) { //bug2-
            shares[i] += left > 0 ? 1 : -1; //bug2-
        } //bug2-
        return amounts(shares);
    }

    /** How many percent of another amount this is, rounded down to zero. */
    public long percentOf(Money whole) {
        checkCurrency(whole);
        if (whole.amount <= 0) {
            throw new IllegalArgumentException("not a whole: " + whole.amount);
        }
        return amount / whole.amount * 100 + amount % whole.amount * 100 / whole.amount;
    }

    @Override
    public int compareTo(Money other) {
        checkCurrency(other);
        return Long.compare(amount, other.amount);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Money money
                && money.amount == amount
                && money.currency == currency;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(amount) * 31 + currency.ordinal();
    }

    /** The amount with a point before the digits of the part. */
    @Override
    public String toString() {
        long unit = currency.unit();
        StringBuilder text = new StringBuilder();
        text.append(amount / unit);
        if (amount < 0 && amount / unit == 0) {
            text.insert(0, '-');
        }
        if (currency.digits > 0) {
            String part = Long.toString(Math.abs(amount % unit));
            text.append('.');
            for (int i = part.length(); i < currency.digits; i++) {
                text.append('0');
            }
            text.append(part);
        }
        return text.append(' ').append(currency).toString();
    }

    private Money[] amounts(long[] shares) {
        Money[] result = new Money[shares.length];
        long sum = 0;
        for (int i = 0; i < shares.length; i++) {
            result[i] = new Money(shares[i], currency);
            sum += shares[i];
        }
        assert sum == amount : "nothing is lost"; //fails2
        return result;
    }

    private void checkCurrency(Money other) {
        if (other == null || other.currency != currency) {
            throw new IllegalArgumentException("currencies differ");
        }
    }
}
