package p;

/** What the replay tests run. The tests know the line numbers of the throwing statements. */
public class Subject {
    static class Node {
        private Node next;
        final int value;

        Node(int value) {
            if (value < 0) throw new IllegalArgumentException(); // line 10
            this.value = value;
        }
    }

    record Pair(int left, Object right) {
        int sum() {
            return left + (Integer) right; // line 17
        }
    }

    enum Color { RED, GREEN }

    static abstract class Shape {
        final int sides;

        Shape(int sides) {
            this.sides = sides;
        }

        int sides() {
            return sides;
        }
    }

    static class Square extends Shape {
        Square() {
            super(4);
        }

        @Override
        int sides() {
            return -1;
        }
    }

    class Inner {
        int outer() {
            return Subject.this.count;
        }
    }

    interface Named {
        default String name() {
            return "named";
        }
    }

    static class Thing implements Named {}

    static class Bad {
        static int x = 1 / zero(); // line 61

        static int zero() {
            return 0;
        }

        static void use() {}
    }

    static int counter = 7;
    static Node shared;
    static final int[] TABLE = {1, 2, 3};
    static final int LIMIT = Integer.parseInt("10");

    private int count;
    private static volatile boolean forever = true;

    static int add(int a, int b) {
        return a + b;
    }

    private void increment() {
        count++;
    }

    static int nextValue(Node n) {
        return n.next.value; // line 87
    }

    static Node rotate(Node n) {
        Node old = n.next;
        n.next = n;
        return old;
    }

    static Node prepend(Node n) {
        Node fresh = new Node(5);
        fresh.next = n;
        return fresh;
    }

    static boolean isLiteral(String s) {
        return s == "abc";
    }

    static boolean sameBox(Integer a, Object b) {
        return (Object) a == b;
    }

    static int ordinal(Color c) {
        switch (c) {
            case RED:
                return 10;
            default:
                return 20;
        }
    }

    static int bump() {
        return counter++;
    }

    static void share(Node n) {
        shared = n;
    }

    static int[] doubled(int[] a) {
        int[] r = new int[a.length * 2];
        for (int i = 0; i < a.length; i++) {
            r[i] = a[i];
            a[i] = -1;
        }
        return r;
    }

    static long mix(boolean z, byte b, char c, short s, long l, float f, double d) {
        return (z ? 1 : 0) + b + c + s + l + (long) f + (long) d;
    }

    static void store(Object[] a, Object x) {
        a[0] = x; // line 141
    }

    static void check(int x) {
        assert x > 0 : "not positive"; // line 145
    }

    static void loop() {
        while (forever) {
            Thread.onSpinWait();
        }
    }

    static int deep(int n) {
        return deep(n + 1) + 1;
    }

    static void exit() {
        System.exit(3);
    }

    static void halt() {
        Runtime.getRuntime().halt(4);
    }

    static int[][] hog() {
        int[][] a = new int[1000][];
        for (int i = 0; i < a.length; i++) {
            a[i] = new int[10_000_000];
        }
        return a;
    }

    static void print() {
        System.out.println("noise");
        System.err.println("noise");
        new java.io.PrintStream(new java.io.FileOutputStream(java.io.FileDescriptor.out), true)
                .print("noise");
    }

    static Runnable lambda(int x) {
        return () -> counter = x;
    }

    static Class<?> classOf(Object x) {
        return x.getClass();
    }

    static int table(int i) {
        return TABLE[i];
    }

    static int varargs(int... xs) {
        return xs.length;
    }

    static java.util.ArrayList<String> list(String s) {
        java.util.ArrayList<String> list = new java.util.ArrayList<>();
        list.add(s);
        return list;
    }

    static void sleep() throws InterruptedException {
        Thread.sleep(60_000);
    }
}
