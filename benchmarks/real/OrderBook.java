package real;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** Limit orders of one security: the best price first, at one price the oldest first. */
public class OrderBook {
    public enum Side {
        BUY, SELL
    }

    /** A limit order with what is still open of it. */
    public static final class Order {
        private final long id;
        private final String owner;
        private final Side side;
        private final int price;
        private int open;

        private Order(long id, String owner, Side side, int price, int quantity) {
            this.id = id;
            this.owner = owner;
            this.side = side;
            this.price = price;
            this.open = quantity;
        }

        public long id() {
            return id;
        }

        public int price() {
            return price;
        }

        public int open() {
            return open;
        }
    }

    private final NavigableMap<Integer, Deque<Order>> buys = new TreeMap<>(Collections.reverseOrder());
    private final NavigableMap<Integer, Deque<Order>> sells = new TreeMap<>();
    private final Map<Long, Order> orders = new HashMap<>();
    private long nextId = 1;
    private long traded;

    /**
     * Takes an order, matches it with the other side, and keeps the rest.
     *
     * @return the number of the order
     */
    public long submit(String owner, Side side, int price, int quantity) {
        if (owner == null || side == null) {
            throw new IllegalArgumentException("an order has an owner and a side");
        }
        if (price <= 0 || quantity <= 0) {
            throw new IllegalArgumentException("price and quantity are positive");
        }
        Order order = new Order(nextId++, owner, side, price, quantity);
        match(order);
        if (order.open > 0) {
            levels(side).computeIfAbsent(price, p -> new ArrayDeque<>()).addLast(order);
            orders.put(order.id, order);
        }
        return order.id;
    }

    /** Withdraws an order; tells whether it was still open. */
    public boolean cancel(long id) {
        Order order = orders.remove(id);
        if (order == null) {
            return false;
        }
        Deque<Order> level = levels(order.side).get(order.price);
        level.remove(order);
        //bug1? an empty level left behind after a removal
        if (level.isEmpty()) { //bug1-
            levels(order.side).remove(order.price); //bug1-
        } //bug1-
        return true;
    }

    /** Withdraws all orders of an owner and counts them. */
    public int cancelAll(String owner) {
        int count = 0;
        List<Order> own = new ArrayList<>(); //bug2-
        for (Order order : orders.values()) { //bug2-
            if (order.owner.equals(owner)) { //bug2-
                own.add(order); //bug2-
            } //bug2-
        } //bug2-
        for (Order order : own) { //bug2-
            cancel(order.id); //bug2-
            count++; //bug2-
        } //bug2-
        //bug2? a removal while iterating
        //bug2+ for (Order order : orders.values()) { //fails2
        //bug2+     if (order.owner.equals(owner)) {
        //bug2+         cancel(order.id);
        //bug2+         count++;
        //bug2+     }
        //bug2+ }
        return count;
    }

    /** The best price of a side, 0 if there is none. */
    public int bestPrice(Side side) {
        NavigableMap<Integer, Deque<Order>> levels = levels(side);
        return levels.isEmpty() ? 0 : levels.firstKey();
    }

    /** What can be had at the best price. */
    public int depth(Side side) {
        NavigableMap<Integer, Deque<Order>> levels = levels(side);
        if (levels.isEmpty()) {
            return 0;
        }
        int sum = levels.firstEntry().getValue().peekFirst().open; //fails1
        Iterator<Order> rest = levels.firstEntry().getValue().iterator();
        rest.next();
        while (rest.hasNext()) {
            sum += rest.next().open;
        }
        return sum;
    }

    public long traded() {
        return traded;
    }

    public int size() {
        return orders.size();
    }

    private void match(Order order) {
        NavigableMap<Integer, Deque<Order>> others =
                order.side == Side.BUY ? sells : buys;
        while (order.open > 0 && !others.isEmpty() && crosses(order, others.firstKey())) {
            Deque<Order> level = others.firstEntry().getValue();
            Order best = level.peekFirst();
            int quantity = Math.min(order.open, best.open); //fails1
            order.open -= quantity;
            best.open -= quantity;
            traded += quantity;
            if (best.open == 0) {
                level.removeFirst();
                orders.remove(best.id);
                if (level.isEmpty()) {
                    others.remove(best.price);
                }
            }
        }
    }

    private static boolean crosses(Order order, int price) {
        return order.side == Side.BUY ? price <= order.price : price >= order.price;
    }

    private NavigableMap<Integer, Deque<Order>> levels(Side side) {
        return side == Side.BUY ? buys : sells;
    }
}
