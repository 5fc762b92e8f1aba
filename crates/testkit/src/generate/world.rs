//! The classes around the generated methods: a hierarchy with overriding and defaults, exceptions,
//! a record, an enum with a body, an inner class, generic classes with bridge methods, classes whose
//! initialisers lead to each other. What the methods compute is random.

use super::expression::Writer;
use super::random::Random;
use super::types::Kind;

/// `Main` up to its first generated method.
pub const MAIN_OPENING: &str = "class Main {
    static int si;
    static long sl;
    static Node sn;
    static int[] sa;
    static String st;
    static final int LIMIT = 7;
    int count;
    Node held;
    Node[] rows;
    byte tiny;

    static int plus(int a, int b) {
        return Help.mix(a, b);
    }

    int own(int a) {
        return count += a;
    }
";

const FIXED: &str = "
interface Operation {
    int apply(int a, int b);
}

interface Maker {
    Node make(int v, Node n);
}

class Oops extends RuntimeException {
    int code;

    Oops(int code) {
        this.code = code;
    }
}

class Worse extends Oops {
    Worse(int code) {
        super(code + 1);
    }
}

class Door implements AutoCloseable {
    final Node on;
    int seen;

    {
        seen = 3;
    }

    Door(Node on) {
        this.on = on;
    }

    @Override
    public void close() {
        on.val += seen;
    }
}

final class Twig extends Leaf {
    Twig(int val) {
        super(val, null);
    }

    @Override
    Node self() {
        return next;
    }
}

record Pair(int a, Node b) {
    int sum() {
        return a + b.val;
    }
}

interface Judge<T> {
    int rank(T one);

    default boolean prefers(T a, T b) {
        return rank(a) > rank(b);
    }
}

abstract class Chooser<T> implements Judge<T> {
    int asked;

    T best(T a, T b) {
        asked++;
        return prefers(a, b) ? a : b;
    }
}

class Box<T extends Comparable<T>> {
    T held;
    Box<T> rest;

    Box(T held, Box<T> rest) {
        this.held = held;
        this.rest = rest;
    }

    T most() {
        T most = held;
        for (Box<T> box = rest; box != null; box = box.rest) {
            if (box.held.compareTo(most) > 0) {
                most = box.held;
            }
        }
        return most;
    }

    <R extends Comparable<R>> Box<R> map(Function<T, R> each) {
        return new Box<>(each.apply(held), rest == null ? null : rest.map(each));
    }
}
";

/// The world's source.
pub fn write(random: &mut Random) -> String {
    let mut text = String::from("import java.util.*;\nimport java.util.function.*;\n");
    text.push_str(FIXED);
    text.push_str(&shape(random));
    text.push_str(&node(random));
    text.push_str(&leaf(random));
    text.push_str(&color(random));
    text.push_str(&help(random));
    text.push_str(&choosers(random));
    text.push_str(&initialisers(random));
    text
}

/// An int over these variables, without calls that could come back.
fn number(random: &mut Random, variables: &[(&str, Kind)]) -> String {
    let mut writer = Writer::leaf(random);
    for (name, kind) in variables {
        writer.declare(name.to_string(), *kind);
    }
    writer.value(Kind::Int, 2)
}

fn shape(random: &mut Random) -> String {
    let twice = number(random, &[("x", Kind::Int), ("y", Kind::Int)]);
    format!(
        "
interface Shape {{
    int area(int x);

    default int twice(int x) {{
        int y = area(x + 1);
        return {twice};
    }}

    static int unit(int x) {{
        return x - 1;
    }}
}}
"
    )
}

const NODE_SCOPE: [(&str, Kind); 4] =
    [("x", Kind::Int), ("val", Kind::Int), ("big", Kind::Long), ("letter", Kind::Char)];

fn node(random: &mut Random) -> String {
    let area = number(random, &NODE_SCOPE);
    let inner = number(random, &NODE_SCOPE);
    format!(
        "
class Node implements Shape {{
    int val;
    long big;
    Node next;
    Object any;
    int[] data;
    String text;
    Integer boxed;
    char letter;
    boolean flag;

    Node(int val, Node next) {{
        this.val = val;
        this.next = next;
    }}

    public int area(int x) {{
        return {area};
    }}

    int get() {{
        return val;
    }}

    void set(int v) {{
        val = v;
    }}

    Node self() {{
        return this;
    }}

    class Inner {{
        int step = 2;

        int look(int x) {{
            val += step;
            return {inner};
        }}
    }}
}}
"
    )
}

fn leaf(random: &mut Random) -> String {
    let area = number(random, &[NODE_SCOPE[0], NODE_SCOPE[1], ("extra", Kind::Short)]);
    let twice = number(random, &[("x", Kind::Int), ("extra", Kind::Short)]);
    format!(
        "
class Leaf extends Node {{
    short extra;

    Leaf(int val, Node next) {{
        super(val * 2, next);
        extra = (short) val;
    }}

    @Override
    public int area(int x) {{
        return {area};
    }}

    @Override
    public int twice(int x) {{
        return {twice};
    }}

    @Override
    int get() {{
        return super.get() + extra;
    }}

    @Override
    void set(int v) {{
        extra = (short) v;
        super.set(v + 1);
    }}
}}
"
    )
}

fn color(random: &mut Random) -> String {
    let mixed = number(random, &[("x", Kind::Int), ("code", Kind::Int)]);
    let other = number(random, &[("x", Kind::Int)]);
    format!(
        "
enum Color {{
    RED(3), GREEN(-1) {{
        @Override
        int mix(int x) {{
            return {other};
        }}
    }},
    BLUE(0);

    final int code;

    Color(int code) {{
        this.code = code;
    }}

    int mix(int x) {{
        return {mixed};
    }}
}}
"
    )
}

fn help(random: &mut Random) -> String {
    let scope = [("a", Kind::Int), ("b", Kind::Int)];
    let mix = number(random, &scope);
    let step = number(random, &scope);
    let part = number(random, &[("a", Kind::Int), ("c", Kind::Long), ("d", Kind::Byte)]);
    format!(
        "
class Help {{
    static int mix(int a, int b) {{
        return {mix};
    }}

    static int part(int a, long c, byte d) {{
        return {part};
    }}

    static int down(int n, int b) {{
        if (n <= 0) {{
            return b;
        }}
        int a = down(n - 1, b + 1);
        return {step};
    }}

    static boolean even(int n) {{
        return n <= 0 || odd(n - 1);
    }}

    static boolean odd(int n) {{
        return n > 0 && even(n - 1);
    }}

    static <T> T id(T value) {{
        return value;
    }}

    static int order(Comparable<Long> a, Long b) {{
        return a.compareTo(b);
    }}

    static int sum(int... all) {{
        int total = 0;
        for (int one : all) {{
            total += one;
        }}
        return total;
    }}
}}
"
    )
}

/// Subclasses of a generic class: their methods are called through bridges.
fn choosers(random: &mut Random) -> String {
    let longest = number(random, &[("x", Kind::Int)]);
    let nearest = number(random, &[("x", Kind::Int), ("asked", Kind::Int)]);
    format!(
        "
class Longest extends Chooser<String> {{
    @Override
    public int rank(String one) {{
        int x = one.length();
        return {longest};
    }}
}}

class Nearest extends Chooser<Integer> {{
    @Override
    public int rank(Integer one) {{
        int x = one;
        return {nearest};
    }}

    @Override
    Integer best(Integer a, Integer b) {{
        return a == null ? b : super.best(a, b);
    }}
}}
"
    )
}

/// Classes of which each reads, makes or extends another while it is initialised.
fn initialisers(random: &mut Random) -> String {
    let scope = [("x", Kind::Int)];
    let (first, second, third) =
        (number(random, &scope), number(random, &scope), number(random, &scope));
    format!(
        "
class Early {{
    static final int x = 3;
    static final int FIRST = {first} | 1;
    static final Early ONLY = new Early();
    static final int AFTER = Middle.SECOND + FIRST;

    final int seen;

    Early() {{
        seen = FIRST + AFTER;
    }}
}}

class Middle extends Base {{
    static final int x = Base.STEP;
    static final int SECOND;

    static {{
        int sum = 0;
        for (int i = 0; i < 3; i++) {{
            sum += i * STEP;
        }}
        SECOND = sum + ({second} & 15);
    }}
}}

class Base {{
    static final Integer STEP = 2;
    static final String NAME = \"b\" + STEP;
    static final int x = STEP + 1;
    static final int[] TABLE = {{x, {third} & 3}};
}}
"
    )
}
