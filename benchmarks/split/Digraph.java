/** What can be reached from one vertex of a graph without cycles, each with two ways on at most. */
public class Digraph {
    static class Vertex {
        /*@ nullable @*/ Vertex one;
        /*@ nullable @*/ Vertex other;
        /** What comes next in the order. */
        /*@ nullable @*/ Vertex next;
        boolean placed;
    }

    /*@ nullable @*/ Vertex start;
    /** The first in the order. */
    /*@ nullable @*/ Vertex first;

    /*@ invariant (\forall Vertex v; \reach(start, Vertex, one, other).has(v);
      @            !\reach(v.one, Vertex, one, other).has(v)
      @            && !\reach(v.other, Vertex, one, other).has(v)); @*/

    /** Brings the vertices into an order in which every edge leads forward. */
    /*@ public normal_behavior
      @   requires first == null;
      @   requires (\forall Vertex v; \reach(start, Vertex, one, other).has(v);
      @                v.next == null && !v.placed);
      @   ensures (\forall Vertex v; \reach(start, Vertex, one, other).has(v);
      @               \reach(first, Vertex, next).has(v)
      @               && (v.one == null || \reach(v.next, Vertex, next).has(v.one))
      @               && (v.other == null || \reach(v.next, Vertex, next).has(v.other)));
      @*/
    public void topologicalSort() {
        place(start);
    }

    private /*@ helper @*/ void place(/*@ nullable @*/ Vertex v) {
        if (v == null || v.placed) {
            return;
        }
        place(v.one);
        place(v.other);
        v.placed = true;
        v.next = first;
        first = v;
    }
}
