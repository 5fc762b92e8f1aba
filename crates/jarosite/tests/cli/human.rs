//! What a person reads.

use crate::workspace::{VERDICTS, Workspace};

const STACK: &str = "\
class Stack {
    private int[] items = new int[2];
    private int size;

    void push(int item) {
        items[size] = item;
        size = size + 1;
    }

    static int twice(int item) {
        Stack stack = new Stack();
        stack.push(item);
        stack.push(item);
        stack.push(item);
        return stack.size;
    }
}
";

#[test]
fn a_violation_reads_like_a_compiler_error() {
    let workspace = Workspace::with("Stack.java", STACK);
    let said = workspace.check(&["Stack.java", "--method", "twice"]).exits(1).quietly();
    said.shows(&[
        "error[array-index]: an array index is out of bounds in Stack.push(int)\n",
        "--> Stack.java:6\n",
        " 6 |         items[size] = item;\n",
        "   |         ^^^^^^^^^^^^^^^^^^^ Index 2 out of bounds for length 2\n",
        "reached from Stack.twice(int)\n",
        "Input\n",
        "item = 0\n",
        "Execution\n",
        "Stack stack = new Stack();",
        "stack.push(item);",
        "items[size] = item;",
        "int[]#0[0] = 0",
        "size = size + 1;",
        "Stack#0.size = 1",
        "throws java.lang.ArrayIndexOutOfBoundsException at Stack.java:6\n",
        "confirmed on the JVM\n",
        "1 method: 0 verified, 1 violated, 0 undecided in ",
    ]);
}

#[test]
fn every_verdict_has_its_line_and_the_summary_its_scope() {
    let workspace = Workspace::with("Verdicts.java", VERDICTS);
    let said = workspace.check(&["Verdicts.java"]).exits(1).quietly();
    let said = said.shows(&[
        "ok         Verdicts.same(int)\n",
        "error[division-by-zero]: ",
        "a = ",
        "b = 0\n",
        "undecided  Verdicts.half(double): ",
        "Verdicts.java:7",
        "hint: ",
        "4 methods: 2 verified, 1 violated, 1 undecided in ",
        "scope: ",
        "arrays up to length 3, strings up to 5",
        "loops: ",
    ]);
    assert!(!said.stdout.contains("\n\n\n"), "{}", said.stdout);
}

#[test]
fn a_failing_call_of_the_library_is_shown_where_the_user_made_it() {
    let text = "\
class Names {
    static int key(String line) {
        int at = line.indexOf('=');
        return line.substring(0, at).length();
    }
}
";
    let workspace = Workspace::with("Names.java", text);
    let said = workspace.check(&["Names.java", "--method", "key", "--string-length", "1"]).exits(1);
    said.shows(&[
        "error[uncaught-exception]",
        "--> Names.java:4",
        "return line.substring(0, at).length();",
        "^^^",
        "StringIndexOutOfBoundsException",
        "Input\n",
        "line = \"",
        "at = -1",
        "confirmed on the JVM",
    ]);
}

#[test]
fn sizes_and_stores_are_explained_in_words() {
    let text = "\
class Arrays {
    static int[] make(int n) {
        return new int[n];
    }
    static void put(Object[] a, String s) {
        if (a.length > 0) a[0] = s;
    }
}
";
    let workspace = Workspace::with("Arrays.java", text);
    let said = workspace.check(&["Arrays.java", "--method", "make"]).exits(1);
    said.shows(&["error[negative-array-size]", "^ the size is -"]);
    let said = workspace.check(&["Arrays.java", "--method", "put"]).exits(1);
    said.shows(&["error[array-store]", "^ the array cannot hold a java.lang.String\n"]);
}

#[test]
fn warnings_go_to_standard_error_and_results_to_standard_output() {
    let workspace = Workspace::with("Verdicts.java", VERDICTS);
    let said = workspace.check(&["gone.java", "Verdicts.java", "--method", "same"]).exits(3);
    assert_eq!(said.stderr, "warning: gone.java: no such file or directory\n");
    assert!(said.stdout.starts_with("ok         Verdicts.same(int)\n"), "{}", said.stdout);
    assert!(!said.stdout.contains("warning"), "{}", said.stdout);
}

#[test]
fn a_reader_that_goes_away_is_no_crash() {
    let workspace = Workspace::with("Verdicts.java", VERDICTS);
    let mut command = workspace.command();
    command.args(["check", "--invariants", "declared", "Verdicts.java", "gone.java"]);
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    command.stdout(writer.try_clone().expect("the same pipe")).stderr(writer);
    assert_eq!(command.status().expect("the binary runs").code(), Some(1));
}
