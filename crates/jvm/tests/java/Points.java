package points;

import jarosite.Mark;
import java.util.List;

class Points {
    static int simple(int a, boolean b) {
        int x = a + 1;
        Mark.at(1);
        long y;
        if (b) {
            y = 2;
            Mark.at(2);
        }
        Mark.at(3);
        y = 70000;
        Mark.at(70000);
        return x + (int) y;
    }

    int counted(int[] a) {
        int sum = 0;
        int unset;
        Mark.loop(1);
        for (int i = sum > a.length ? 1 : 0; i < a.length; i++) {
            Mark.body(1);
            unset = a[i];
            sum += unset;
        }
        return sum;
    }

    static int sharedHeads(boolean b, int n) {
        Mark.loop(1);
        do {
            Mark.body(1);
            while (b) {
                n++;
                if (n > 7) b = false;
            }
        } while (n < 3);
        return n;
    }

    static int nested(int n) {
        int sum = 0;
        Mark.loop(1);
        outer:
        while (true) {
            Mark.body(1);
            int k = 3;
            Mark.loop(2);
            for (int j = 0; ; j++) {
                Mark.body(2);
                sum += j;
                if (sum > n) break outer;
                if (j > k) continue outer;
            }
        }
        return sum;
    }

    static int never(int n) {
        int x = n;
        Mark.loop(1);
        do {
            Mark.body(1);
            x++;
        } while (false);
        Mark.loop(2);
        while (x > 0) {
            Mark.body(2);
            x--;
        }
        return x;
    }

    static int copied(int n) {
        int x = n;
        try {
            x = 10 / n;
        } finally {
            Mark.loop(1);
            while (x > 0) {
                Mark.body(1);
                x--;
            }
            Mark.at(2);
        }
        return x;
    }

    static int each(List<String> list) {
        int count = 0;
        try {
            Mark.at(1);
            Mark.loop(2);
            for (String s : list) {
                Mark.body(2);
                Runnable r = () -> { int z = s.length(); Mark.at(3); };
                r.run();
                count++;
            }
        } catch (RuntimeException e) {
            Mark.at(4);
        }
        return switch (count) {
            case 1 -> { int t = count; Mark.at(5); yield t; }
            default -> count + switch (count) { case 2: Mark.at(6); yield 3; default: yield 4; };
        };
    }

    static int other(int n) {
        Mark.at(n);
        return n;
    }
}
