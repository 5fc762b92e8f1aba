package snip;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.*;

public class Snippets {
    int count;
    static int total;
    static final String GREETING = "a\0b\uD83D\uDE00\uD800";
    long[] longs;
    Object[][] grid;

    int add(int a, int b) { int c = a + b; return c; }

    int postIncrement(int i) { int old = i++; return old * i + i-- - --i; }

    int fieldIncrement() { return count++ + ++count + (this.count += 5); }

    long longField(int i) { return longs[i]++ + ++longs[i + 1]; }

    static long mix(long a, int s, double d, float f) {
        long r = (a << s) ^ (a >>> 3) ^ (a >> 1);
        r = r / 3 % 5 * -a;
        return a > r ? a : r;
    }

    int swapLike(int a, int b) { int t; a = (t = a) + b; b = t; return a - b; }

    int ternaries(boolean p, boolean q, int x) {
        return (p ? x : x + 1) + (q ? (p ? 1 : 2) : foo(p ? 3 : x++, q ? x : 4));
    }

    private int foo(int a, int b) { return a * 31 + b; }

    int loops(int n) {
        int s = 0;
        outer:
        for (int i = 0; i < n; i++) {
            for (int j = i; ; j += 2) {
                if (j > 10) continue outer;
                if (j == 7) break outer;
                s += j;
            }
        }
        do { s--; } while (s > 100);
        while (true) { if (s-- < 3) return s; }
    }

    int tryFinally(int[] a, int i) {
        int r = 0;
        try {
            r = 1;
            r = a[i];
            r = 10 / r;
        } catch (ArithmeticException | NullPointerException e) {
            r = -1;
        } catch (RuntimeException e) {
            return e.getMessage() == null ? r : 7;
        } finally {
            total++;
        }
        return r;
    }

    synchronized int sync(Object lock) {
        synchronized (lock) {
            synchronized (this) { return lock.hashCode(); }
        }
    }

    int switches(int x, String s, Color c) {
        switch (x) { case 1: case 2: x++; break; case 3: x = 9; case 100000: x--; break; default: x = -x; }
        switch (s) { case "Aa": x += 1; break; case "BB": x += 2; break; }
        int y = switch (c) { case RED -> 1; case GREEN -> { int t = x; yield t * 2; } default -> 0; };
        return x + y;
    }

    enum Color { RED, GREEN { @Override int weight() { return 7; } }, BLUE; int weight() { return ordinal(); } }

    void asserts(int x) {
        assert x > 0 : "x is " + x;
        assert x < 10;
        if (x == 5) throw new AssertionError("not an assert");
    }

    String concat(Object o, int i, char c, boolean b, long l, String s, byte y, short z, int[] arr) {
        String r = "a" + o + i + c + b + l + s + y + z + arr + "\1\2";
        r += null;
        return r + r.length();
    }

    int[][] arrays(int n, byte b, char c, short s, boolean z, float f, double d) {
        int[][] a = new int[n][n + 1];
        byte[] bs = {b, 1, -1}; char[] cs = {c}; short[] ss = {s}; boolean[] zs = {z};
        float[] fs = {f, 1f, 2f}; double[] ds = {d, 1.0}; long[] ls = {1L, 5L << 33};
        Object[] os = {bs, cs, ss, zs, fs, ds, ls, a};
        String[][][] deep = new String[2][3][];
        bs[0] += cs[0]; ss[0]++; cs[0] -= 1; zs[0] |= z; a[0][1] <<= 2;
        grid = new Object[][] {os, deep};
        return a.clone();
    }

    static <T extends Comparable<T>> T max(List<? extends T> list) {
        T best = null;
        for (T t : list) if (best == null || t.compareTo(best) > 0) best = t;
        return best;
    }

    int boxing(Integer a, Long b, Character c, Boolean z) {
        Integer s = a + c;
        s++;
        Object o = z ? s : b;
        return o instanceof Integer i && i > 3 ? i : (int) (long) b;
    }

    int lambdas(int k, List<String> names) {
        IntUnaryOperator f = x -> x + k;
        Supplier<List<String>> make = ArrayList::new;
        Function<Object, String> show = String::valueOf;
        ToIntFunction<String> len = String::length;
        Comparator<String> cmp = (Comparator<String> & Serializable) (a, b) -> a.length() - b.length();
        BiFunction<Integer, Integer, Integer> plus = Integer::sum;
        IntFunction<int[]> array = int[]::new;
        Function<Integer, Long> widen = i -> (long) i;
        Runnable r = this::bump;
        Runnable s = super::toString;
        ToLongFunction<Integer> wide = Integer::intValue;
        Function<int[], Object> cl = int[]::clone;
        r.run(); s.run();
        List<String> l = make.get();
        l.addAll(names);
        l.sort(cmp);
        return f.applyAsInt(len.applyAsInt(show.apply(l))) + plus.apply(1, 2) + array.apply(3).length
            + (int) (long) widen.apply(3) + (int) wide.applyAsLong(4);
    }

    void bump() { total += count; }

    interface Shape { int area(); default int twice() { return 2 * area(); } static Shape unit() { return () -> 1; } private int p() { return area(); } }
    record Point(int x, long y, String name, Object tag, boolean z, char c) implements Shape {
        Point { Objects.requireNonNull(name); }
        public int area() { return x; }
    }
    record Empty() {}
    record Real(double d, float f) {}

    class Inner {
        int v = count;
        class Deep { int w = v + count; }
        Inner copy() { return new Inner() { int u = v; @Override Inner copy() { return Snippets.this.new Inner(); } }; }
    }

    Object local(int captured) {
        class Local implements Supplier<Integer> { public Integer get() { return captured + count; } }
        return new Local();
    }

    static double floats(double a, float b, int i) {
        double kept = a;
        if (i > 0) return kept;
        float other = b;
        return i == 0 ? other : i * a;
    }

    Class<?>[] literals() { return new Class<?>[] {int.class, String.class, int[].class, Snippets[][].class}; }

    static int wide(int p) {
        int a0=p,a1=p,a2=p,a3=p,a4=p,a5=p,a6=p,a7=p,a8=p,a9=p; long b0=p,b1=p,b2=p,b3=p;
        a0 += 1000; a1 += 40000; b0 += a0; return a0 + a1 + a9 + (int) (b0 + b3);
    }

    static int recursive(int n) { return n <= 1 ? 1 : n * recursive(n - 1); }

    boolean shortCircuit(Snippets o, int i) { return o != null && (o.count == i || !(o.count < i) && o == this); }

    static void forever() { for (;;) { } }

    static int firstBlockLoops(int n) { do { n--; } while (n > 0); return n; }

    int nestedTry(int a) throws Exception {
        for (int i = 0; i < a; i++) {
            try { try { if (i == 2) throw new Exception("x"); if (i == 3) continue; if (i == 4) return i; }
                  finally { total += i; } }
            catch (Exception e) { if (a > 5) throw e; }
        }
        try (AutoCloseable c = () -> total++) { return total; }
    }
}
