package marked;

import java.util.List;

public class Marked<T> {
    Object a;
    @nulls.Maybe.Nullable Object b;
    T generic;
    int i;
    List<T> list;
    <U> U f(Object p, T q, U u, @nulls.Maybe.Nullable String s) { return u; }
    @nulls.Maybe.NullUnmarked Object g(Object p) { return p; }

    static class Nested { Object a; }
    @nulls.Maybe.NullUnmarked static class Off { Object a; Runnable r = () -> {}; }
}
