/** A list of numbers without a cycle. */
public class IntList {
    static class Entry {
        int value;
        /*@ nullable @*/ Entry next;
    }

    /*@ nullable @*/ Entry header;

    /*@ invariant (\forall Entry e; \reach(header, Entry, next).has(e);
      @            !\reach(e.next, Entry, next).has(e)); @*/

    /** Is the number in the list? */
    /*@ public normal_behavior
      @   assignable \nothing;
      @   ensures \result <==> (\exists Entry e; \reach(header, Entry, next).has(e);
      @                            e.value == key);
      @*/
    public boolean contains(int key) {
        Entry e = header;
        while (e != null) {
            if (e.value == key) {
                return true;
            }
            e = e.next;
        }
        return false;
    }
}
