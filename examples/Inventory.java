import java.util.ArrayList;
import java.util.List;

/** Questions about a stock of goods: quantities by shelf, orders, names. */
public class Inventory {
    /** The shelves that hold fewer than the limit. */
    public static List<Integer> lowShelves(int[] quantities, int limit) {
        List<Integer> low = new ArrayList<>();
        for (int shelf = 0; shelf < quantities.length; shelf++) {
            if (quantities[shelf] < limit) {
                low.add(shelf);
            }
        }
        assert low.size() <= quantities.length;
        return low;
    }

    public static int firstLowShelf(int[] quantities, int limit) {
        List<Integer> low = lowShelves(quantities, limit);
        return low.isEmpty() ? -1 : low.get(0);
    }

    /** The average quantity of the shelves that are not empty. */
    public static int averageOfFilled(int[] quantities) {
        List<Integer> filled = new ArrayList<>();
        for (int q : quantities) {
            if (q > 0) {
                filled.add(q);
            }
        }
        if (quantities.length == 0) {
            return 0;
        }
        long sum = 0;
        for (int q : filled) {
            sum += q;
        }
        return (int) (sum / filled.size());
    }

    public static int firstShortage(int[] stock, int[] orders) {
        int n = Math.min(stock.length, orders.length);
        for (int i = 0; i < n; i++) {
            if (orders[i] > stock[i]) {
                return i;
            }
        }
        return -1;
    }
}
