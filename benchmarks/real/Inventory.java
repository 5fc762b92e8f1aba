package real;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What is in stock, and what of it is promised to somebody. */
public class Inventory {
    /** An article. */
    public static final class Item {
        private final String name;
        private final int price;
        private int stock;
        private int reserved;

        private Item(String name, int price) {
            this.name = name;
            this.price = price;
        }

        public String name() {
            return name;
        }

        public int available() {
            return stock - reserved;
        }
    }

    private static final int MOST = 1_000_000;

    private final Map<String, Item> items = new LinkedHashMap<>();
    private final Map<Integer, Map<String, Integer>> reservations = new LinkedHashMap<>();
    private int nextReservation = 1;

    /** Adds an article; tells whether it was unknown. */
    public boolean define(String name, int price) {
        if (name == null || name.isEmpty() || price < 0) {
            throw new IllegalArgumentException("an article has a name and a price");
        }
        return items.putIfAbsent(name, new Item(name, price)) == null;
    }

    /** Puts something into stock. */
    public void receive(String name, int quantity) {
        Item item = items.get(name);
        //bug1? a null from a map
        if (item == null) { //bug1-
            throw new IllegalArgumentException("unknown: " + name); //bug1-
        } //bug1-
        if (quantity < 1 || quantity > MOST - item.stock) { //fails1
            throw new IllegalArgumentException("quantity: " + quantity);
        }
        item.stock += quantity;
    }

    /** What is in stock and not reserved; 0 of what is unknown. */
    public int available(String name) {
        Item item = items.get(name);
        return item == null ? 0 : item.available();
    }

    /**
     * Reserves some of one article.
     *
     * @return the number of the reservation, or 0 if there is too little
     */
    public int reserve(String name, int quantity) {
        if (quantity < 1) {
            throw new IllegalArgumentException("quantity: " + quantity);
        }
        if (available(name) < quantity) {
            return 0;
        }
        items.get(name).reserved += quantity;
        int number = nextReservation++;
        Map<String, Integer> lines = new LinkedHashMap<>();
        lines.put(name, quantity);
        reservations.put(number, lines);
        return number;
    }

    /** Adds another article to a reservation; tells whether there was enough. */
    public boolean extend(int number, String name, int quantity) {
        Map<String, Integer> lines = reservations.get(number);
        if (lines == null) {
            throw new IllegalArgumentException("no reservation: " + number);
        }
        if (quantity < 1 || available(name) < quantity) {
            return false;
        }
        items.get(name).reserved += quantity;
        lines.merge(name, quantity, Integer::sum);
        return true;
    }

    /** Gives up a reservation. */
    public boolean release(int number) {
        Map<String, Integer> lines = reservations.remove(number);
        if (lines == null) {
            return false;
        }
        for (Map.Entry<String, Integer> line : lines.entrySet()) {
            items.get(line.getKey()).reserved -= line.getValue();
        }
        return true;
    }

    /** Delivers what is reserved, and returns its price. */
    public long ship(int number) {
        Map<String, Integer> lines = reservations.remove(number);
        if (lines == null) {
            throw new IllegalArgumentException("no reservation: " + number);
        }
        long price = 0;
        for (Map.Entry<String, Integer> line : lines.entrySet()) {
            Item item = items.get(line.getKey());
            item.reserved -= line.getValue();
            item.stock -= line.getValue();
            price += (long) item.price * line.getValue();
        }
        return price;
    }

    /** Drops articles of which nothing is left, and counts them. */
    public int purge() {
        int count = 0;
        Iterator<Item> all = items.values().iterator(); //bug2-
        while (all.hasNext()) { //bug2-
            if (all.next().stock == 0) { //bug2-
                all.remove(); //bug2-
                count++; //bug2-
            } //bug2-
        } //bug2-
        //bug2? a removal while iterating
        //bug2+ for (Item item : items.values()) { //fails2
        //bug2+     if (item.stock == 0) {
        //bug2+         items.remove(item.name);
        //bug2+         count++;
        //bug2+     }
        //bug2+ }
        return count;
    }

    /** The value of the stock. */
    public long value() {
        long sum = 0;
        for (Item item : items.values()) {
            sum += (long) item.price * item.stock;
        }
        return sum;
    }

    /** The articles of which less is available than wanted, the scarcest first. */
    public List<String> scarce(int wanted) {
        List<Item> found = new ArrayList<>();
        for (Item item : items.values()) {
            if (item.available() < wanted) {
                found.add(item);
            }
        }
        found.sort(Comparator.comparingInt(Item::available));
        List<String> names = new ArrayList<>();
        for (Item item : found) {
            names.add(item.name);
        }
        return names;
    }
}
