//! What people read, as whole pieces of output.

mod common;

use common::*;
use report::{NoSources, Run, Style, human, human_result, human_summary};
use verify::Property;
use verify::execution::{Content, Datum, Execution, Outcome};
use verify::{Cause, Lever, MethodResult, Replay, Verdict};

const PLAIN: Style = Style { color: false, unicode: true, verbose: false, specs: false };

fn show(result: &MethodResult) -> String {
    human_result(result, &OneFile(STACK), &PLAIN)
}

/// The lines of one section of the only block, without their margin.
fn section(result: &MethodResult, title: &str) -> Vec<String> {
    let text = show(result);
    let after = text.lines().skip_while(|l| l.trim() != title).skip(1);
    let lines = after.take_while(|l| l.starts_with("    "));
    lines.map(|l| l.trim_start().to_string()).collect()
}

fn input(execution: Execution) -> Vec<String> {
    section(&violated(execution), "Input")
}

#[test]
fn a_violation_is_a_block() {
    assert_eq!(
        show(&violated(empty_pop())),
        "\
error[null-dereference]: null is dereferenced in p.Stack.pop()
  --> src/p/Stack.java:10
   |
 8 |     int pop() {
 9 |         Node top = head;
10 |         head = top.next; // unlink
   |         ^^^^^^^^^^^^^^^^ a reference used here is null
11 |         return top.value;
   |
  Input
    this = Stack#0
    Stack#0 { head: null }
  Execution
     9  Node top = head;  top = null
    10  head = top.next;
    throws java.lang.NullPointerException at Stack.java:10
    confirmed on the JVM

"
    );
}

#[test]
fn each_property_says_what_is_wrong() {
    let labels = [
        (Property::NullDereference, "a reference used here is null"),
        (Property::ArrayIndex, "an index used here is outside its array"),
        (Property::NegativeArraySize, "an array length given here is negative"),
        (Property::ArrayStore, "the array cannot hold an object of this class"),
        (Property::ClassCast, "the object is not an instance of this class"),
        (Property::DivisionByZero, "the divisor is zero"),
        (Property::Assert, "this condition is false"),
        (Property::UncaughtException, "Throwable comes out of a call made here"),
    ];
    for (property, label) in labels {
        let mut found = violation(empty_pop());
        found.property = property;
        found.execution.outcome = threw(property, 10, 1);
        let text = show(&result(Verdict::Violated(vec![found])));
        assert!(text.starts_with(&format!("error[{property}]: ")), "{text}");
        assert!(text.contains(&format!("^^^ {label}\n")), "{text}");
        let thrown = format!("throws {} at Stack.java:10\n", property.exception());
        assert!(text.contains(&thrown), "{text}");
    }
}

#[test]
fn verified_is_one_line() {
    assert_eq!(show(&verified()), "ok         p.Stack.pop()\n");
    let cut = vec!["unbounded: a loop can run more than 4 times (Stack.java:9)".to_string()];
    assert_eq!(
        show(&result(Verdict::Verified { cut })),
        "ok         p.Stack.pop()  within --unroll 4: a loop can run more than 4 times (Stack.java:9)\n"
    );
    let verbose = Style { verbose: true, ..PLAIN };
    assert_eq!(
        human_result(&verified(), &NoSources, &verbose),
        "ok         p.Stack.pop()  (1 p.Stack, 3 p.Stack$Node; unroll 4, 5120 variables, \
         19000 clauses, 120 ms)\n"
    );
}

#[test]
fn undecided_says_why_and_what_to_do() {
    let at = || Some(place("pop()", 9));
    let defect = "sorry, this is a defect of jarosite, not of your code; \
                  please report it together with the method";
    let cases = [
        (Cause::Timeout, "time ran out", "raise --timeout"),
        (Cause::Memory, "memory ran out", "check it on a machine with more memory"),
        (
            Cause::Unsupported { what: "java.lang.Foo.bar".into(), at: at() },
            "not modelled yet: java.lang.Foo.bar (Stack.java:9)",
            "nothing is claimed about this method, neither good nor bad",
        ),
        (
            Cause::Unsupported { what: "java.lang.Foo.bar".into(), at: None },
            "not modelled yet: java.lang.Foo.bar",
            "nothing is claimed about this method, neither good nor bad",
        ),
        (
            Cause::Unbounded { what: "a loop can run more than 32 times".into(), at: at() },
            "a loop can run more than 32 times (Stack.java:9)",
            "give --unroll N to search N rounds only, or guard the loop",
        ),
        (
            Cause::Specification { what: "`measured_by` is not supported".into(), at: at() },
            "its specification cannot be used: `measured_by` is not supported (Stack.java:9)",
            "correct or remove this part of the specification; \
             nothing is claimed about this method until then",
        ),
        (
            Cause::Vacuous("`requires x < x` (Stack.java:7)".into()),
            "nothing was checked, because no input in the scope satisfies \
             `requires x < x` (Stack.java:7)",
            "correct these clauses, or raise --scope, --array-length or --unroll if they need more",
        ),
        (
            Cause::Refuted("it returned 3".into()),
            "the JVM did not do what was predicted: it returned 3",
            defect,
        ),
        (
            Cause::Internal("index out\nof range".into()),
            "the check itself failed: index out of range",
            defect,
        ),
    ];
    for (cause, why, hint) in cases {
        let expected = format!("undecided  p.Stack.pop(): {why}\n           hint: {hint}\n");
        assert_eq!(show(&undecided(cause)), expected);
    }
}

#[test]
fn the_option_that_helps_is_named() {
    let hint = |cause: Cause, lever| {
        let text = show(&MethodResult { lever: Some(lever), ..undecided(cause) });
        text.rsplit("hint: ").next().expect("a hint").trim().to_string()
    };
    let texts = hint(Cause::Timeout, Lever::StringLength);
    assert_eq!(texts, "lower --string-length, or raise --timeout");
    assert_eq!(hint(Cause::Memory, Lever::ArrayLength), "lower --array-length");
    let what = "more than 200000 instructions".to_string();
    assert_eq!(hint(Cause::Unbounded { what, at: None }, Lever::Scope), "lower --scope");
}

#[test]
fn what_could_not_be_used_is_called_by_its_path_or_class() {
    let path = std::path::Path::new("src/p/Bad.java");
    let file = MethodResult::unusable(None, path, "does not compile: no semicolon");
    let class = MethodResult::unusable(Some("p.Bad".into()), path, "its supertype is missing");
    let hint = "correct it, give what it needs with --classpath or --sourcepath, or leave it out";
    for (result, name, why) in [
        (&file, "src/p/Bad.java", "does not compile: no semicolon"),
        (&class, "p.Bad", "its supertype is missing"),
    ] {
        let expected = format!(
            "undecided  {name}: nothing of it was checked: {why}\n           hint: {hint}\n"
        );
        assert_eq!(show(result), expected);
    }
    let results = [verified(), file, class];
    let run = Run {
        results: &results,
        time_ms: 5,
        sources: &NoSources,
        diagnostics: &[],
        array_length: 3,
        string_length: 5,
        int_bits: 32,
        sandbox: None,
    };
    let summary = human_summary(&run, &PLAIN);
    let counted = "1 method and 2 files or classes that could not be used: \
                   1 verified, 0 violated, 2 undecided in 5 ms\n";
    assert!(summary.contains(counted), "{summary}");
    assert!(summary.contains("src/p/Bad.java"), "{summary}");
}

#[test]
fn a_variable_that_is_in_nobodys_source_is_not_named() {
    let mut found = violation(empty_pop());
    found.said = Some("Cannot read field \"next\" because \"top\" is null".into());
    let text = show(&result(Verdict::Violated(vec![found.clone()])));
    assert!(text.contains("^ Cannot read field \"next\" because \"top\" is null\n"), "{text}");
    found.said = Some("Cannot read the array length because \"<local2>\" is null".into());
    let text = show(&result(Verdict::Violated(vec![found])));
    assert!(text.contains("^ a reference used here is null\n"), "{text}");
}

#[test]
fn a_share_of_the_paths_is_told_but_never_rounded_to_all_or_nothing() {
    for (share, told) in [
        (0.875, "87.5 %"),
        (0.5, "50.0 %"),
        (0.0, "0.0 %"),
        (0.00001, "less than 0.1 %"),
        (0.99999, "more than 99.9 %"),
    ] {
        let mut partly = undecided(Cause::Timeout);
        partly.stats.paths_proven = Some(share);
        let expected = format!(
            "undecided  p.Stack.pop(): time ran out ({told} of its paths are proven)\n           \
             hint: raise --timeout\n"
        );
        assert_eq!(show(&partly), expected);
    }
}

#[test]
fn an_incomplete_search_is_admitted() {
    let mut partly = violated(empty_pop());
    partly.incomplete = Some(Cause::Timeout);
    assert!(show(&partly).ends_with(
        "\n\nnote: p.Stack.pop() may violate more than is shown: time ran out\n      \
         hint: raise --timeout\n\n"
    ));
}

#[test]
fn several_violations_and_a_callee() {
    let mut second = violation(empty_pop());
    second.at.method = "unlink(Node)".into();
    second.replay = Replay::Skipped("it depends on the clock".into());
    let mut third = violation(empty_pop());
    third.replay = Replay::Refuted("it returned".into());
    let all = vec![violation(empty_pop()), second, third];
    let text = show(&result(Verdict::Violated(all)));
    assert_eq!(text.matches("error[null-dereference]").count(), 3);
    assert_eq!(text.matches("   = reached from p.Stack.pop()\n").count(), 1);
    assert!(text.contains("    not replayed: it depends on the clock\n"));
    assert!(text.contains("    the JVM did something else: it returned\n"));
}

#[test]
fn the_input_reads_like_java() {
    let mut execution = empty_pop();
    execution.statics = vec![field("p.Counter", "count", Datum::Int(3))];
    let arguments = [
        ("text", Datum::Object(1)),
        ("boxed", Datum::Object(2)),
        ("color", Datum::Object(3)),
        ("type", Datum::Object(4)),
        ("numbers", Datum::Object(5)),
        ("c", Datum::Char(u16::from(b'x'))),
        ("f", Datum::Float(0.1f32.to_bits())),
        ("far", Datum::Object(77)),
    ];
    execution.arguments = arguments.map(|(n, v)| (n.to_string(), v)).to_vec();
    let boxed = Content::Box { value: Datum::Int(5), cached: true };
    let constant = Content::Constant { class: "p.Color".into(), field: "RED".into() };
    let mirror = Content::Mirror("p.Stack".into());
    let numbers = Content::Array(vec![Datum::Int(1), Datum::Int(2)]);
    execution.pre.extend([
        object("String#0", "java.lang.String", text("a\u{0}\"".encode_utf16())),
        object("Integer#0", "java.lang.Integer", boxed),
        object("Color#0", "p.Color", constant),
        object("Class#0", "java.lang.Class", mirror),
        object("int[]#0", "int[]", numbers),
        object("Object#0", "java.lang.Object", Content::Fields(Vec::new())),
        object("L#0", "p.L", Content::Opaque),
    ]);
    execution.post = execution.pre.clone();
    assert_eq!(
        input(execution),
        [
            "this = Stack#0",
            "text = \"a\\u0000\\\"\"",
            "boxed = Integer(5)",
            "color = Color.RED",
            "type = Stack.class",
            "numbers = int[]#0",
            "c = 'x'",
            "f = 0.1",
            "far = ?",
            "Counter.count = 3",
            "Stack#0 { head: null }",
            "int[]#0 = [1, 2]",
        ]
    );
}

#[test]
fn equal_but_distinct_objects_are_told_apart() {
    let mut execution = empty_pop();
    execution.receiver = None;
    let boxed = || Content::Box { value: Datum::Int(1000), cached: false };
    execution.pre = vec![
        object("String#0", "java.lang.String", text("x".encode_utf16())),
        object("String#1", "java.lang.String", text("x".encode_utf16())),
        object("Integer#0", "java.lang.Integer", boxed()),
        object("Integer#1", "java.lang.Integer", boxed()),
    ];
    execution.post = execution.pre.clone();
    execution.arguments = (0..4).map(|i| (format!("a{i}"), Datum::Object(i))).collect();
    assert_eq!(
        input(execution),
        [
            "a0 = String#0(\"x\")",
            "a1 = String#1(\"x\")",
            "a2 = Integer#0(1000)",
            "a3 = Integer#1(1000)",
        ]
    );
}

#[test]
fn hidden_fields_and_classes_of_one_name() {
    let mut execution = empty_pop();
    execution.method = "<init>".into();
    let hidden = vec![field("p.A", "x", Datum::Int(1)), field("p.B", "x", Datum::Int(2))];
    execution.pre = vec![
        object("B#0", "p.B", Content::Fields(hidden)),
        object("B#1", "q.B", Content::Fields(Vec::new())),
    ];
    execution.post = execution.pre.clone();
    assert_eq!(
        input(execution),
        ["this = B#0 (under construction)", "B#0 (p.B) { A.x: 1, B.x: 2 }", "B#1 (q.B)"]
    );
}

#[test]
fn large_inputs_are_cut() {
    let mut execution = empty_pop();
    let elements = (0..1000).map(Datum::Int).collect();
    execution.pre = vec![object("int[]#0", "int[]", Content::Array(elements))];
    for i in 0..100 {
        let next = field("p.Node", "next", Datum::Object(i));
        let node = Content::Fields(vec![next]);
        execution.pre.push(object(&format!("Node#{i}"), "p.Node", node));
    }
    execution.post = execution.pre.clone();
    let lines = input(execution);
    assert_eq!(lines.len(), 18);
    assert!(lines[1].starts_with("int[]#0 = [0, 1, 2, "), "{}", lines[1]);
    assert!(lines[1].ends_with(", … 977 more]"), "{}", lines[1]);
    assert_eq!(lines[17], "… 85 more");
}

#[test]
fn long_executions_are_folded() {
    let mut execution = empty_pop();
    let body = |i: u32| step(9 + i % 3, 0, &[("i", Datum::Int(i as i32))]);
    execution.trace = (0..1000).map(body).collect();
    let found = violated(execution);
    let lines = section(&found, "Execution");
    assert_eq!(lines[9], "… 976 steps …");
    assert_eq!(lines[10], "10  head = top.next;   i = 985");
    assert_eq!(lines[24], "9  Node top = head;   i = 999");
    assert!(show(&found).lines().count() <= 60);
    let everything = Style { verbose: true, ..PLAIN };
    let text = human_result(&found, &OneFile(STACK), &everything);
    assert_eq!(text.matches("i = ").count(), 1000);
}

#[test]
fn calls_are_indented_and_idle_returns_left_out() {
    let mut execution = empty_pop();
    let mut other = step(4, 1, &[]);
    other.place.file = "Node.java".into();
    execution.trace = vec![
        step(9, 0, &[]),
        other,
        step(5, 2, &[]),
        step(9, 0, &[]),
        step(10, 0, &[]),
        step(4, 1, &[]),
        step(10, 0, &[("x", Datum::Int(1))]),
        step(10, 0, &[]),
    ];
    execution.outcome = Outcome::Returned(Some(Datum::Int(1)));
    assert_eq!(
        section(&violated(execution), "Execution"),
        [
            "9  Node top = head;",
            "Node.java:4    static class Node { int value; Node next; }",
            "5      Node head;",
            "10  head = top.next;",
            "4    static class Node { int value; Node next; }",
            "10  head = top.next;                               x = 1",
            "10  head = top.next;",
            "returns 1",
            "confirmed on the JVM",
        ]
    );
}

#[test]
fn without_sources_the_places_remain() {
    let text = human_result(&violated(empty_pop()), &NoSources, &PLAIN);
    assert_eq!(
        text,
        "\
error[null-dereference]: null is dereferenced in p.Stack.pop()
  --> Stack.java:10
   = a reference used here is null
  Input
    this = Stack#0
    Stack#0 { head: null }
  Execution
     9  in p.Stack.pop()  top = null
    10  in p.Stack.pop()
    throws java.lang.NullPointerException at Stack.java:10
    confirmed on the JVM

"
    );
}

#[test]
fn unknown_places() {
    let mut found = violation(empty_pop());
    found.at.line = 0;
    found.execution.trace = vec![step(0, 0, &[])];
    let text = show(&result(Verdict::Violated(vec![found])));
    assert!(text.contains("--> src/p/Stack.java\n"), "{text}");
    assert!(text.contains("    ?  in p.Stack.pop()\n"), "{text}");
    let mut found = violation(empty_pop());
    found.at.file = String::new();
    let text = show(&result(Verdict::Violated(vec![found])));
    assert!(text.contains("--> p.Stack.pop()\n"), "{text}");
}

#[test]
fn summaries() {
    let run = |results, time_ms| Run {
        results,
        time_ms,
        sources: &NoSources,
        diagnostics: &[],
        array_length: 3,
        string_length: 5,
        int_bits: 32,
        sandbox: None,
    };
    let cut = vec!["unbounded: a loop".to_string()];
    let results = [
        verified(),
        result(Verdict::Verified { cut }),
        violated(empty_pop()),
        undecided(Cause::Timeout),
    ];
    assert_eq!(
        human_summary(&run(&results, 3_250), &PLAIN),
        "\
4 methods: 2 verified, 1 violated, 1 undecided in 3.2 s
scope: input of at most 1 Stack, 3 Node, arrays up to length 3, strings up to 5
loops: followed to their end, but in 1 method for 4 rounds only
"
    );
    let only_violated = &results[2..3];
    assert_eq!(
        human_summary(&run(only_violated, 12), &PLAIN),
        "1 method: 0 verified, 1 violated, 0 undecided in 12 ms\n"
    );
    assert_eq!(human_summary(&run(&[], 12), &PLAIN), "no methods to check\n");
}

#[test]
fn the_whole_report() {
    let results = [verified(), undecided(Cause::Timeout)];
    let diagnostics = ["Broken.java does not compile:\nBroken.java:1: error".to_string()];
    let run = Run {
        results: &results,
        time_ms: 5,
        sources: &NoSources,
        diagnostics: &diagnostics,
        array_length: 3,
        string_length: 5,
        int_bits: 32,
        sandbox: None,
    };
    assert_eq!(
        human(&run, &PLAIN),
        "\
warning: Broken.java does not compile:
Broken.java:1: error
ok         p.Stack.pop()
undecided  p.Stack.pop(): time ran out
           hint: raise --timeout

2 methods: 1 verified, 0 violated, 1 undecided in 5 ms
scope: input of at most 1 Stack, 3 Node, arrays up to length 3, strings up to 5
loops: followed to their end
"
    );
}
