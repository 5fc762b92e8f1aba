package real;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Set;

/** Lends out connections and takes them back; opens new ones up to a limit. */
public class ConnectionPool {
    /** A connection that the pool has opened. */
    public static final class Connection {
        private final int number;
        private boolean open = true;
        private int uses;
        private long idleSince;

        private Connection(int number) {
            this.number = number;
        }

        public int number() {
            return number;
        }

        public boolean isOpen() {
            return open;
        }

        /** Sends something. */
        public void send(String text) {
            if (!open) {
                throw new IllegalStateException("closed: " + number);
            }
            uses++;
        }

        public void close() {
            open = false;
        }
    }

    private final int limit;
    private final Deque<Connection> idle = new ArrayDeque<>();
    private final Set<Connection> lent = new HashSet<>();
    private int opened;
    private int total;

    public ConnectionPool(int limit) {
        if (limit < 1) {
            throw new IllegalArgumentException("limit: " + limit);
        }
        this.limit = limit;
    }

    /** How many connections there are, lent or idle. */
    public int size() {
        assert total == idle.size() + lent.size() : "every connection is lent or idle"; //fails1
        return total;
    }

    public int idle() {
        return idle.size();
    }

    public int lent() {
        return lent.size();
    }

    /** Lends a connection; null if all are lent. */
    public Connection borrow() {
        while (!idle.isEmpty()) {
            Connection connection = idle.removeFirst();
            if (connection.open) {
                lent.add(connection);
                return connection;
            }
            total--;
        }
        if (total >= limit) {
            return null;
        }
        Connection connection = new Connection(++opened);
        total++;
        lent.add(connection);
        return connection;
    }

    /** Lends a connection, and closes one that is idle too long instead of keeping it. */
    public Connection borrowFresh(long now, long longest) {
        if (longest < 0) {
            throw new IllegalArgumentException("longest: " + longest);
        }
        //bug2? a null from an empty queue, after a check of something else
        //bug2+ if (total == limit) {
        if (!idle.isEmpty()) { //bug2-
            Connection oldest = idle.peekLast();
            if (now - oldest.idleSince > longest) { //fails2
                idle.removeLast();
                oldest.close();
                total--;
            }
        }
        return borrow();
    }

    /** Takes a connection back. */
    public void giveBack(Connection connection, long now) {
        if (!lent.remove(connection)) {
            throw new IllegalArgumentException("not lent");
        }
        if (connection.open) {
            connection.idleSince = now;
            idle.addFirst(connection);
        } else {
            total--;
        }
    }

    /** Closes connections that are idle since before a time, and counts them. */
    public int closeIdle(long before) {
        int count = 0;
        Iterator<Connection> all = idle.iterator();
        while (all.hasNext()) {
            Connection connection = all.next();
            if (connection.idleSince < before) {
                connection.close();
                all.remove();
                //bug1? a lost update of a counter
                total--; //bug1-
                count++;
            }
        }
        return count;
    }

    /** Closes everything that is idle. */
    public void shutdown() {
        while (!idle.isEmpty()) {
            idle.removeFirst().close();
            total--;
        }
    }

    /** How often lent connections have been used. */
    public int uses() {
        int sum = 0;
        for (Connection connection : lent) {
            sum += connection.uses;
        }
        return sum;
    }
}
