//! What is taken as nullable, and what documentation says: shown, told once, and changed by an option.

use crate::workspace::Workspace;

const QUEUE: &str = "class Queue {
    static class Node {
        int value;
        Node next;
    }
    Node first, last;
    String name = \"\";
    //@ requires first != null && last != null;
    void add(Node node) {
        last.next = node;
        last = node;
    }
    //@ ensures \\result >= 0;
    int letters() { return name.length(); }
    void reset() { name = next(); }
    /*@ nullable @*/ String next() { return null; }
}
";

#[test]
fn fields_are_nullable_as_the_code_shows() {
    let workspace = Workspace::with("Queue.java", QUEUE);
    let common = ["Queue.java", "--invariants", "declared"];
    let (said, document) = workspace.json(&common);
    said.exits(1).warns(&[
        "note: Queue.java:6: first, last of Queue are taken as nullable: \
         constructors or initialisers leave them null; write /*@ nullable @*/ before them",
        "note: Queue.java:4: next of Node is taken as nullable: a constructor or initialiser",
    ]);
    for method in ["Queue()", "add(Node)", "letters()"] {
        assert_eq!(document.verdict(method), "verified", "{method}");
    }
    let broken = &document.method("reset()")["violations"][0];
    assert_eq!(
        broken["message"],
        "invariant broken at the end: name is non-null by default; \
         /*@ nullable @*/ or --nullness nullable allows null"
    );
}

#[test]
fn the_manuals_default_is_an_option() {
    let workspace = Workspace::with("Queue.java", QUEUE);
    for nullness in ["jml", "nonnull"] {
        let (said, document) = workspace.json(&["Queue.java", "--nullness", nullness]);
        said.exits(1).quietly();
        let broken = &document.method("Queue()")["violations"][0];
        assert!(broken["message"].to_string().contains("non-null by default"), "{broken}");
    }
    let common = ["Queue.java", "--nullness", "nullable", "--invariants", "declared"];
    let (said, document) = workspace.json(&common);
    said.exits(1).warns(&["may be null, as `nullness` says"]);
    assert_eq!(document.verdict("reset()"), "verified");
    assert_eq!(document.method("letters()")["violations"][0]["property"], "null-dereference");
}

#[test]
fn what_is_written_is_not_taken() {
    let text = QUEUE.replace("Node first, last", "/*@ nullable @*/ Node first, last");
    let text = text.replace("Node next;", "/*@ nullable @*/ Node next;");
    let workspace = Workspace::with("Queue.java", &text);
    workspace.check(&["Queue.java", "--method", "letters"]).exits(0).quietly();
    let text = format!("/*@ non_null_by_default @*/ {}", QUEUE.replace("Node next;", ""));
    let text = text.replace("last.next = node;", "");
    workspace.write("Queue.java", text);
    let (said, document) = workspace.json(&["Queue.java"]);
    said.exits(1).quietly();
    assert_eq!(document.verdict("Queue()"), "violated");
}

#[test]
fn what_documentation_says_is_told_to_whoever_asks() {
    let text = "class Shares {
    @interface Positive {}
    /**
     * @param name whose, may be null
     * @throws IndexOutOfBoundsException if there are too few
     */
    static int of(String name, int[] sums, int i, @Positive int parts) { return sums[i] / parts; }
}
";
    let workspace = Workspace::with("Shares.java", text);
    workspace.check(&["Shares.java"]).exits(0).quietly();
    workspace.check(&["Shares.java", "--verbose"]).exits(0).warns(&[
        "note: Shares.java:5: Shares.of(String,int[],int,int): IndexOutOfBoundsException may leave it, as documented",
        "note: Shares.java:7: Shares.of(String,int[],int,int): name may be null, as documented",
        "note: Shares.java:7: Shares.of(String,int[],int,int): requires parts > 0 (@Positive)",
    ]);
}
