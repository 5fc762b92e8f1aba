package real;

/**
 * How a program comes to each seeded bug: constructors and public calls only. Method {@code x1} leads
 * to the first bug of class {@code X}.
 */
public final class Routes {
    private Routes() {
    }

    static void lruCache1() {
        LruCache<String, String> cache = new LruCache<>(1);
        cache.put("a", "1");
        cache.put("b", "2");
        cache.get("a");
    }

    static void lruCache2() {
        new LruCache<String, String>(1).hitsOf("a");
    }

    static void orderBook1() {
        OrderBook book = new OrderBook();
        book.cancel(book.submit("me", OrderBook.Side.BUY, 10, 1));
        book.depth(OrderBook.Side.BUY);
    }

    static void orderBook2() {
        OrderBook book = new OrderBook();
        book.submit("me", OrderBook.Side.BUY, 10, 1);
        book.submit("me", OrderBook.Side.BUY, 10, 1);
        book.cancelAll("me");
    }

    static void intervalMap1() {
        IntervalMap map = new IntervalMap(1);
        map.add(0, 1, "a");
        map.add(1, 2, "b");
    }

    static void intervalMap2() {
        IntervalMap map = new IntervalMap(1);
        map.add(0, 1, "a");
        map.firstGap(0);
    }

    static void tokenizer1() {
        new Tokenizer("1").next();
    }

    static void tokenizer2() {
        new Tokenizer("#a").isAtEnd();
    }

    static void rateLimiter1() {
        new RateLimiter(1, 1, 2).tryAcquire(0);
    }

    static void rateLimiter2() {
        new RateLimiter(1, 2, 2).tryAcquire(-1);
    }

    static void matrix1() {
        new Matrix(1, 2).times(new Matrix(1, 2));
    }

    static void matrix2() {
        new Matrix(1, 2).transposed();
    }

    static void undoStack1() {
        UndoStack stack = new UndoStack("abc", 2);
        stack.delete(2, 3);
        stack.undo();
        stack.delete(0, 3);
        stack.redo();
    }

    static void undoStack2() {
        UndoStack stack = new UndoStack("", 2);
        stack.insert(0, "a");
        stack.insert(0, "b");
        stack.insert(0, "c");
    }

    static void eventBus1() {
        EventBus bus = new EventBus();
        bus.subscribeOnce("a", new EventBus.Counter());
        bus.publish("a", "b");
    }

    static void eventBus2() {
        new EventBus().listeners("a");
    }

    static void smallBitSet1() {
        new SmallBitSet().add(64);
    }

    static void smallBitSet2() {
        SmallBitSet set = new SmallBitSet();
        set.add(1);
        set.without(new int[] {1});
    }

    static void trie1() {
        new Trie().contains("A");
    }

    static void trie2() {
        new Trie().longestPrefixOf("");
    }

    static void money1() {
        Money.parse("1", Money.Currency.EUR);
    }

    static void money2() {
        Money.of(-1, Money.Currency.EUR).split(2);
    }

    static void textWrapper1() {
        new TextWrapper(1).wrap("ab");
    }

    static void textWrapper2() {
        TextWrapper.longestWord("a b");
    }

    static void inventory1() {
        new Inventory().receive("a", 1);
    }

    static void inventory2() {
        Inventory inventory = new Inventory();
        inventory.define("a", 1);
        inventory.define("b", 1);
        inventory.purge();
    }

    static void priorityScheduler1() {
        PriorityScheduler scheduler = new PriorityScheduler(2);
        scheduler.submit(new PriorityScheduler.Job("a", 1));
        scheduler.submit(new PriorityScheduler.Job("b", 2));
        scheduler.poll();
        scheduler.submit(new PriorityScheduler.Job("c", 1));
    }

    static void priorityScheduler2() {
        PriorityScheduler scheduler = new PriorityScheduler(3);
        scheduler.submit(new PriorityScheduler.Job("a", 1));
        scheduler.submit(new PriorityScheduler.Job("b", 2));
        scheduler.submit(new PriorityScheduler.Job("c", 3));
        scheduler.poll();
    }

    static void connectionPool1() {
        ConnectionPool pool = new ConnectionPool(1);
        pool.giveBack(pool.borrow(), 0);
        pool.closeIdle(1);
        pool.size();
    }

    static void connectionPool2() {
        ConnectionPool pool = new ConnectionPool(1);
        pool.borrow();
        pool.borrowFresh(0, 0);
    }

    static void csvReader1() {
        CsvReader reader = new CsvReader();
        reader.line("a");
        reader.line("1");
        reader.get(0, "b");
    }

    static void csvReader2() {
        CsvReader reader = new CsvReader();
        reader.line("a,b");
        reader.line("1");
        reader.get(0, "b");
    }
}
