//! Violated specifications, as people and programs read them.

mod common;

use common::*;
use report::{NoSources, Run, Style, human_result, json};
use serde_json::{Value, json};
use verify::execution::{Content, Datum, Execution, Outcome, Step};
use verify::result::ViolatedClause;
use verify::{MethodResult, Property, Verdict, Violation};

const PLAIN: Style = Style { color: false, unicode: true, verbose: false, specs: false };

const LIST: &str = "\
package p;

class List {
    static class Node { int value; Node next; }
    Node head; int size;

    /*@ requires x >= 0;
      @ ensures size == \\old(size) + 1
      @     && (\\forall Node n; \\reach(head, Node, next).has(n); n.value >= 0);
      @*/
    void push(int x) {
        Node n = new Node();
        n.value = x - 1;
        n.next = head;
        head = n;
        //@ assert size > 0;
        while (size > 3) size--;
    }
}
";

const ENSURES: &str = "ensures size == \\old(size) + 1 \
                       && (\\forall Node n; \\reach(head, Node, next).has(n); n.value >= 0);";

fn at(line: u32) -> verify::execution::Place {
    verify::execution::Place {
        class: "p.List".into(),
        method: "push(int)".into(),
        file: "List.java".into(),
        line,
    }
}

fn steps(updates: &[(u32, &[(&str, Datum)])]) -> Vec<Step> {
    let named = |u: &[(&str, Datum)]| u.iter().map(|(n, v)| (n.to_string(), *v)).collect();
    let step = |(line, updates): &(u32, &[(&str, Datum)])| Step {
        place: at(*line),
        depth: 0,
        updates: named(updates),
        locals: Vec::new(),
        objects: Vec::new(),
        statics: Vec::new(),
    };
    updates.iter().map(step).collect()
}

fn fields(class: &str, values: &[(&str, Datum)]) -> Content {
    Content::Fields(values.iter().map(|(name, value)| field(class, name, *value)).collect())
}

fn list(head: Datum, size: i32) -> verify::execution::Object {
    let content = fields("p.List", &[("head", head), ("size", Datum::Int(size))]);
    object("List#0", "p.List", content)
}

/// `push(0)` on a list of one.
fn push() -> Execution {
    let node =
        |value: i32, next| fields("p.List$Node", &[("value", Datum::Int(value)), ("next", next)]);
    let old = object("Node#0", "p.List$Node", node(7, Datum::Null));
    let new = object("Node#1", "p.List$Node", node(-1, Datum::Object(1)));
    Execution {
        class: "p.List".into(),
        method: "push".into(),
        descriptor: "(I)V".into(),
        is_static: false,
        receiver: Some(Datum::Object(0)),
        arguments: vec![("x".into(), Datum::Int(0))],
        initialised: Vec::new(),
        uninitialised: Vec::new(),
        statics: Vec::new(),
        pre: vec![list(Datum::Object(1), 1), old.clone()],
        route: Vec::new(),
        made: Vec::new(),
        trace: steps(&[
            (12, &[("n", Datum::Object(2))]),
            (13, &[("Node#1.value", Datum::Int(-1))]),
            (14, &[("Node#1.next", Datum::Object(1))]),
            (15, &[("List#0.head", Datum::Object(2))]),
        ]),
        outcome: Outcome::Returned(None),
        post: vec![list(Datum::Object(2), 1), old, new],
        post_statics: Vec::new(),
        unrepeatable: None,
        unmodelled: None,
    }
}

fn clause() -> ViolatedClause {
    ViolatedClause {
        file: "src/p/List.java".into(),
        line: 8,
        column: 9,
        text: ENSURES.into(),
        part: Some("n.value >= 0".into()),
        sides: Vec::new(),
        witness: vec![("n".into(), Datum::Object(2))],
        note: None,
    }
}

fn broken(property: Property, line: u32, clause: ViolatedClause) -> Violation {
    Violation {
        property,
        message: "postcondition violated: a node has a negative value".into(),
        at: at(line),
        clause: Some(clause),
        execution: push(),
        replay: verify::Replay::Confirmed,
        said: None,
        review: Default::default(),
        severity: Default::default(),
        missing: None,
    }
}

fn result_of(violation: Violation) -> MethodResult {
    MethodResult {
        class: "p.List".into(),
        method: "push(int)".into(),
        file: "List.java".into(),
        line: 12,
        ..result(Verdict::Violated(vec![violation]))
    }
}

fn show(violation: Violation) -> String {
    human_result(&result_of(violation), &OneFile(LIST), &PLAIN)
}

#[test]
fn the_clause_comes_first() {
    assert_eq!(
        show(broken(Property::Ensures, 18, clause())),
        r"error[ensures]: postcondition violated: a node has a negative value
  --> src/p/List.java:8
   |
 8 |       @ ensures size == \old(size) + 1
 9 |       @     && (\forall Node n; \reach(head, Node, next).has(n); n.value >= 0);
   |                                                                  ^^^^^^^^^^^^ this part is false for n = Node#1
   |
  --> src/p/List.java:18
   |
16 |         //@ assert size > 0;
17 |         while (size > 3) size--;
18 |     }
   |     ^ the method ends here
19 | }
   |
  Input
    this = List#0
    x = 0
    List#0 { head: Node#0, size: 1 }
    Node#0 { value: 7, next: null }
  Execution
    12  Node n = new Node();  n = Node#1
    13  n.value = x - 1;      Node#1.value = -1
    14  n.next = head;        Node#1.next = Node#0
    15  head = n;             List#0.head = Node#1
    returns
  At the end
    List#0 { head: Node#1 (was Node#0), size: 1 }
    Node#1 { value: -1, next: Node#0 } (new)
    confirmed on the JVM

"
    );
}

/// The lines about the clause, without the arrow and the frame.
fn excerpt(violation: Violation) -> Vec<String> {
    let text = show(violation);
    let lines = text.lines().skip(3).take_while(|l| *l != "   |");
    lines.map(|l| l.get(3..).unwrap_or("").trim_start_matches("| ").to_string()).collect()
}

#[test]
fn a_whole_clause_is_underlined_on_each_of_its_lines() {
    let whole = ViolatedClause { part: None, witness: Vec::new(), ..clause() };
    assert_eq!(
        excerpt(broken(Property::Ensures, 18, whole)),
        [
            r"      @ ensures size == \old(size) + 1",
            r"        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
            r"      @     && (\forall Node n; \reach(head, Node, next).has(n); n.value >= 0);",
            r"            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ this is false",
        ]
    );
    let across = ViolatedClause { part: Some("1 && (\\forall Node n".into()), ..clause() };
    let lines = excerpt(broken(Property::Ensures, 18, across));
    assert_eq!(lines[1].trim_start(), "^");
    assert_eq!(lines[3].trim_start(), "^^^^^^^^^^^^^^^^^^ this part is false for n = Node#1");
}

#[test]
fn a_part_that_stands_in_two_places_is_quoted() {
    let twice = ViolatedClause { part: Some("size".into()), witness: Vec::new(), ..clause() };
    let lines = excerpt(broken(Property::Ensures, 18, twice));
    assert!(lines[3].ends_with("^ this is false: `size`"), "{lines:?}");
    let word = ViolatedClause { part: Some("n".into()), witness: Vec::new(), ..clause() };
    let lines = excerpt(broken(Property::Ensures, 18, word));
    assert!(lines[3].ends_with("^ this is false: `n`"), "{lines:?}");
}

#[test]
fn a_statement_is_shown_once() {
    let statement = ViolatedClause {
        line: 16,
        column: 13,
        text: "assert size > 0;".into(),
        part: Some("assert size > 0;".into()),
        witness: Vec::new(),
        ..clause()
    };
    let text = show(broken(Property::Assert, 16, statement));
    assert_eq!(text.matches("-->").count(), 1, "{text}");
    assert!(text.contains(
        "16 |         //@ assert size > 0;\n   |             ^^^^^^^^^^^^^^^^ this is false\n"
    ));
}

#[test]
fn each_kind_of_clause_says_what_is_wrong() {
    let of = |text: &str| ViolatedClause {
        line: 7,
        column: 9,
        text: text.into(),
        part: None,
        witness: Vec::new(),
        ..clause()
    };
    let cases = [
        (Property::Requires, "this is false", "this call does not satisfy the precondition"),
        (Property::Invariant, "this is false", "the method ends here"),
        (Property::Signals, "this is false", "the method ends here"),
        (Property::SignalsOnly, "this does not allow the exception", "the method ends here"),
        (Property::Assignable, "this does not allow the change", "the method ends here"),
        (
            Property::LoopInvariant,
            "this is false",
            "it is to hold before each iteration of this loop",
        ),
        (
            Property::Decreases,
            "this does not become smaller, or is negative",
            "it is to become smaller in each iteration of this loop",
        ),
    ];
    for (property, wrong, moment) in cases {
        let text = show(broken(property, 17, of("requires x >= 0;")));
        assert!(text.contains(&format!("^^^^^ {wrong}\n")), "{text}");
        assert!(text.contains(&format!("^^^^^ {moment}\n")), "{text}");
    }
    let undefined = ViolatedClause { note: Some("`n` is null".into()), ..of("requires x >= 0;") };
    let text = show(broken(Property::Requires, 17, undefined));
    assert!(text.contains("^ `n` is null\n"), "{text}");
}

#[test]
fn without_the_source_the_clause_is_quoted() {
    let violation = broken(Property::Ensures, 18, clause());
    let text = human_result(&result_of(violation), &NoSources, &PLAIN);
    let expected = format!(
        "  --> src/p/List.java:8\n   = {ENSURES}\n   \
         = this is false for n = Node#1: `n.value >= 0`\n  --> List.java:18\n   \
         = the method ends here\n"
    );
    assert!(text.contains(&expected), "{text}");
    // A file that has changed since, or a place beyond its end.
    for (line, column) in [(1, 1), (8, 12), (19, 1), (700, 1), (0, 0), (u32::MAX, u32::MAX)] {
        let elsewhere = ViolatedClause { line, column, ..clause() };
        let text = show(broken(Property::Ensures, 18, elsewhere));
        assert!(text.contains(&format!("   = {ENSURES}\n")), "{text}");
    }
}

#[test]
fn the_end_shows_what_is_different() {
    let end = |violation: Violation| {
        let text = show(violation);
        let lines = text.lines().skip_while(|l| l.trim() != "At the end").skip(1);
        let lines = lines.take_while(|l| !l.contains("on the JVM"));
        lines.map(|l| l.trim().to_string()).collect::<Vec<_>>()
    };
    let mut same = broken(Property::Ensures, 18, clause());
    same.execution.post = same.execution.pre.clone();
    assert_eq!(end(same), ["all objects are as they were"]);
    let mut plain = broken(Property::Ensures, 18, clause());
    (plain.execution.pre, plain.execution.post) = (Vec::new(), Vec::new());
    plain.execution.outcome = Outcome::Returned(Some(Datum::Int(3)));
    assert_eq!(end(plain), Vec::<String>::new());
    let mut more = broken(Property::Ensures, 18, clause());
    let array = |elements: &[i32]| {
        let elements = elements.iter().map(|e| Datum::Int(*e)).collect();
        object("int[]#0", "int[]", Content::Array(elements))
    };
    more.execution.pre = vec![list(Datum::Null, 0), array(&[1, 2, 3])];
    more.execution.post = vec![list(Datum::Null, 0), array(&[1, 5, 3])];
    more.execution.outcome = Outcome::Returned(Some(Datum::Object(1)));
    more.execution.statics = vec![field("p.Counter", "count", Datum::Int(3))];
    more.execution.post_statics =
        vec![field("p.Counter", "count", Datum::Int(4)), field("p.Counter", "last", Datum::Int(9))];
    assert_eq!(
        end(more),
        [
            "result = int[]#0",
            "Counter.count = 4 (was 3)",
            "Counter.last = 9",
            "int[]#0 = [1, 5 (was 2), 3]"
        ]
    );
}

#[test]
fn programs_get_the_clause_too() {
    let results = [result_of(broken(Property::Ensures, 18, clause()))];
    let run = Run {
        results: &results,
        time_ms: 1,
        sources: &OneFile(LIST),
        diagnostics: &[],
        array_length: 3,
        string_length: 5,
        int_bits: 32,
        sandbox: None,
    };
    let document: Value = serde_json::from_str(&json(&run)).expect("it is JSON");
    let clause = &document["results"][0]["violations"][0]["clause"];
    let keys: Vec<&String> = clause.as_object().expect("an object").keys().collect();
    assert_eq!(keys, ["file", "line", "path", "column", "text", "part", "witness", "note"]);
    assert_eq!(
        *clause,
        json!({
            "file": "List.java",
            "line": 8,
            "path": "src/p/List.java",
            "column": 9,
            "text": ENSURES,
            "part": "n.value >= 0",
            "witness": {"n": "Node#1"},
            "note": null,
        })
    );
}
