package real;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.Set;

/** Hands events to whoever has subscribed to their topic, in the order of subscription. */
public class EventBus {
    /** Who is told about events. */
    public interface Listener {
        void on(String topic, Object event);
    }

    /** A listener that hears one event only. */
    private final class Once implements Listener {
        private final Listener inner;

        Once(Listener inner) {
            this.inner = inner;
        }

        @Override
        public void on(String topic, Object event) {
            unsubscribe(topic, this);
            inner.on(topic, event);
        }
    }

    /** A listener that counts. */
    public static final class Counter implements Listener {
        private int count;

        @Override
        public void on(String topic, Object event) {
            count++;
        }

        public int count() {
            return count;
        }
    }

    private final Map<String, List<Listener>> listeners = new HashMap<>();
    private final Map<String, Object> last = new HashMap<>();
    private long published;

    public void subscribe(String topic, Listener listener) {
        check(topic, listener);
        listeners.computeIfAbsent(topic, t -> new ArrayList<>()).add(listener);
    }

    /** Subscribes to the next event of a topic only. */
    public void subscribeOnce(String topic, Listener listener) {
        check(topic, listener);
        subscribe(topic, new Once(listener));
    }

    /** Takes a subscription back; tells whether there was one. */
    public boolean unsubscribe(String topic, Listener listener) {
        check(topic, listener);
        List<Listener> of = listeners.get(topic);
        if (of == null || !of.remove(listener)) {
            return false;
        }
        if (of.isEmpty()) {
            listeners.remove(topic);
        }
        return true;
    }

    /** Tells all listeners of a topic, and counts them. */
    public int publish(String topic, Object event) {
        if (topic == null || event == null) {
            throw new IllegalArgumentException("an event has a topic");
        }
        published++;
        last.put(topic, event);
        List<Listener> of = listeners.get(topic);
        if (of == null) {
            return 0;
        }
        int count = 0;
        //bug1? a removal by a listener while iterating
        //bug1+ for (Listener listener : of) { //fails1
        for (Listener listener : new ArrayList<>(of)) { //bug1-
            listener.on(topic, event);
            count++;
        }
        return count;
    }

    /** How many listeners a topic has. */
    public int listeners(String topic) {
        //bug2? a null from a map
        //bug2+ return listeners.get(topic).size(); //fails2
        List<Listener> of = listeners.get(topic); //bug2-
        return of == null ? 0 : of.size(); //bug2-
    }

    /** The last event of a topic, null if there was none. */
    public Object lastOf(String topic) {
        return last.get(topic);
    }

    /** The topics that anybody listens to, sorted. */
    public Set<String> topics() {
        return new TreeSet<>(listeners.keySet());
    }

    public long published() {
        return published;
    }

    public void clear() {
        listeners.clear();
        last.clear();
    }

    private static void check(String topic, Listener listener) {
        if (topic == null || listener == null) {
            throw new IllegalArgumentException("a subscription has a topic and a listener");
        }
    }
}
