/** A price tag: an optional price in cents, kept as a boxed number. */
public class PriceTag {
    private Integer cents;

    public PriceTag(int cents) {
        this.cents = cents;
    }

    public int centsOr(int fallback) {
        return cents == null ? fallback : cents;
    }

    public boolean isFree() {
        return cents != null && cents == 0;
    }

    public boolean hasSamePriceAs(PriceTag other) {
        if (cents == null || other.cents == null) {
            return cents == other.cents;
        }
        boolean same = cents == other.cents;
        assert same == (cents - other.cents == 0);
        return same;
    }
}
