//! What a user sees who states nothing: objects are as the code makes them.

use crate::workspace::Workspace;

/// Right but for `peek`, which forgets that the ring may be empty.
const RING: &str = "\
public class Ring {
    private final Object[] cells;
    private int head, size;
    public Ring(int capacity) {
        if (capacity <= 0) throw new IllegalArgumentException();
        cells = new Object[capacity];
    }
    public boolean offer(Object item) {
        if (size == cells.length) return false;
        cells[slot(size)] = item;
        size++;
        return true;
    }
    public Object poll() {
        if (size == 0) return null;
        Object item = cells[head];
        cells[head] = null;
        head = slot(1);
        size--;
        return item;
    }
    public String peek() {
        return cells[head].toString();
    }
    private int slot(int offset) {
        return (head + offset) % cells.length;
    }
}
";

#[test]
fn what_the_code_keeps_is_assumed_and_what_is_reached_is_an_error() {
    let workspace = Workspace::with("Ring.java", RING).for_users();
    let (said, document) = workspace.json(&["Ring.java"]);
    said.exits(1);
    for right in ["Ring(int)", "offer(Object)", "poll()", "slot(int)"] {
        assert_eq!(document.verdict(right), "verified", "{right}");
    }
    let assumed = document.method("poll()")["assumed"].to_string();
    for clause in ["cells != null", "size >= 0", "head < cells.length", "inferred"] {
        assert!(assumed.contains(clause), "{clause} in {assumed}");
    }
    let found = &document.method("peek()")["violations"];
    assert_eq!(found.as_array().map(Vec::len), Some(1), "{found}");
    let (property, severity) = (&found[0]["property"], &found[0]["severity"]);
    assert_eq!((property.as_str(), severity.as_str()), (Some("null-dereference"), Some("error")));
    assert_eq!(found[0]["replay"], "confirmed");
    assert_eq!(
        found[0]["route"]["calls"].as_array().map(Vec::len),
        Some(1),
        "a constructor will do"
    );
    let text = workspace.check(&["Ring.java"]).exits(1);
    text.shows(&["  Route\n    Ring ring = new Ring(1);\n    ring.peek();\n"]);
}

/// Every array has the one length that the constructor gives it, which is longer than arrays of an input are by
/// default.
const FIXED: &str = "\
public class Window {
    private final int[] cells = new int[4];
    private int at;
    public void put(int x) {
        cells[at] = x;
        at = at == 4 ? 0 : at + 1;
    }
}
";

#[test]
fn what_no_input_in_the_scope_satisfies_proves_nothing() {
    let workspace = Workspace::with("Window.java", FIXED).for_users();
    let said = workspace.check(&["Window.java"]).exits(1);
    let four = "window.put(0);\n    ".repeat(4);
    said.shows(&["error[array-index]", &format!("new Window();\n    {four}window.put(0);\n")]);
    workspace.check(&["Window.java", "--array-length", "1"]).exits(3);
}

#[test]
fn stated_invariants_alone_give_other_verdicts() {
    let workspace = Workspace::with("Ring.java", RING).for_users();
    let (said, document) = workspace.json(&["Ring.java", "--invariants", "declared"]);
    said.exits(1);
    assert_eq!(document.verdict("poll()"), "violated");
    assert_eq!(document.method("poll()")["assumed"].to_string(), "[]");
}

#[test]
fn a_precondition_that_nobody_wrote_is_no_error() {
    let text = "public class Sums { public static int mean(int[] all) { int sum = 0;
        for (int x : all) sum += x;
        return sum / all.length; } }";
    let workspace = Workspace::with("Sums.java", text).for_users();
    let said = workspace.check(&["Sums.java"]).exits(3);
    said.shows(&["unless all.length > 0", "say so: `//@ requires all.length > 0;`"]);
    workspace.check(&["Sums.java", "--fail-on", "warning"]).exits(3);
    workspace.check(&["Sums.java", "--fail-on", "precondition"]).exits(1);
}

#[test]
fn a_guard_that_is_wrong_is_an_error() {
    let text = "public class Row { private final int[] cells = new int[3];
        public int get(int at) {
            if (at < 0 || at > cells.length) throw new IndexOutOfBoundsException();
            return cells[at]; } }";
    let workspace = Workspace::with("Row.java", text).for_users();
    workspace.check(&["Row.java"]).exits(1).shows(&[
        "error[array-index]",
        "new Row();",
        "row.get(3);",
    ]);
}

#[test]
fn a_private_method_is_judged_by_what_its_callers_pass() {
    let text = "public class Grid { private final int[] cells = new int[3];
        public int first() { return at(0); }
        public int last() { return at(2); }
        private int at(int index) { return cells[index]; } }";
    let workspace = Workspace::with("Grid.java", text).for_users();
    let (said, document) = workspace.json(&["Grid.java"]);
    said.exits(0);
    assert!(document.method("at(int)")["assumed"].to_string().contains("call it"));
    let wrong = text.replace("at(2)", "at(3)");
    workspace.write("Grid.java", wrong);
    let (said, document) = workspace.json(&["Grid.java"]);
    said.exits(1);
    assert_eq!(document.verdict("last()"), "violated");
    assert_eq!(document.verdict("first()"), "verified");
    assert_eq!(document.verdict("at(int)"), "undecided");
}

/// What the nodes of a list keep is nobody's clause, and yet needed for each method.
const LIST: &str = "\
public class Deque2 {
    private static class Node { int value; Node next, previous; }
    private Node first, last;
    private int size;
    public void add(int value) {
        Node node = new Node();
        node.value = value;
        node.previous = last;
        if (last == null) first = node; else last.next = node;
        last = node;
        size++;
    }
    public int removeLast() {
        if (size == 0) throw new IllegalStateException();
        int value = last.value;
        last = last.previous;
        if (last == null) first = null; else last.next = null;
        size--;
        return value;
    }
}
";

#[test]
fn a_doubly_linked_list_needs_no_word() {
    let workspace = Workspace::with("Deque2.java", LIST).for_users();
    workspace.check(&["Deque2.java"]).exits(0);
    let output = workspace.command().args(["infer", "Deque2.java"]).output().expect("it runs");
    let text = String::from_utf8(output.stdout).expect("text");
    for clause in
        ["size == \\reach(first, Node, next).int_size()", "(first == null) <==> (last == null)"]
    {
        assert!(text.contains(&format!("//@ invariant {clause};\n")), "{clause} in {text}");
    }
    // One writer more, and nothing of it is left.
    let cut = "    public void cut() { last = null; }\n}\n";
    workspace.write("Deque2.java", LIST.replace("    }\n}\n", &format!("    }}\n{cut}")));
    let output = workspace.command().args(["infer", "Deque2.java"]).output().expect("it runs");
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(!text.contains("\\reach(first, Node, next).int_size()"), "{text}");
    let said = workspace.check(&["Deque2.java"]).exits(1);
    said.shows(&["error[null-dereference]", "  Route\n    Deque2 deque2 = new Deque2();\n"]);
}

#[test]
fn a_lambda_that_is_handed_out_may_call_with_anything() {
    let text = "public class Hand { private final int[] cells = new int[3];
        public int first() { return at(0); }
        public java.util.function.IntUnaryOperator reader() { return this::at; }
        private int at(int index) { return cells[index]; } }";
    let workspace = Workspace::with("Hand.java", text).for_users();
    let (said, document) = workspace.json(&["Hand.java"]);
    said.exits(3);
    assert_eq!(document.verdict("at(int)"), "undecided");
}
