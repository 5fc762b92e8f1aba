/** Prices by kind of ticket and of customer, as whole numbers of a currency's smallest coin. */
public class Tariff {
    /** What a ticket of a kind costs for so many rides. */
    static int price(int rides, int kind) {
        switch (kind) {
            case 0:
                return rides * 280;
            case 1:
                return rides * 195;
            case 2:
                return rides * 1150;
            default:
                return rides * 430;
        }
    }

    static int each(int kind) {
        if (kind == 0) {
            return 280;
        }
        if (kind == 1) {
            return 195;
        }
        return kind == 2 ? 1150 : 430;
    }

    /** What is charged for one, in tenths of a coin. */
    static int tenths(int customer) {
        switch (customer) {
            case 0:
                return 10;
            case 1:
                return 7;
            case 2:
                return 5;
            default:
                return 3;
        }
    }

    /** The bill is the same line by line and all at once, even where numbers overflow. */
    static void bill(int rides, int kind, int customer) {
        int byLine = price(rides, kind) * tenths(customer);
        int atOnce = each(kind) * rides * tenths(customer);
        assert byLine == atOnce;
    }

    /** The same for two customers one after the other. */
    static void bills(int rides, int kind, int first, int second) {
        int byLine = price(price(rides, kind) * tenths(first), kind) * tenths(second);
        int atOnce = each(kind) * (each(kind) * rides * tenths(first)) * tenths(second);
        assert byLine == atOnce;
    }
}
