//! The document against the contract, key by key.

mod common;

use common::*;
use report::{NoSources, Run, Sources, json};
use serde_json::{Value, json as value};
use verify::Property;
use verify::execution::{Content, Datum, Execution, Outcome};
use verify::{Cause, MethodResult, Replay, Verdict};

fn parse_with(results: &[MethodResult], sources: &dyn Sources) -> Value {
    let diagnostics = ["Broken.class is truncated".to_string()];
    let run = Run {
        results,
        time_ms: 812,
        sources,
        diagnostics: &diagnostics,
        array_length: 3,
        string_length: 5,
        int_bits: 32,
        sandbox: None,
    };
    serde_json::from_str(&json(&run)).expect("a JSON document")
}

fn parse(results: &[MethodResult]) -> Value {
    parse_with(results, &OneFile(STACK))
}

/// The one violation of a document about one execution.
fn violation_of(execution: Execution) -> Value {
    parse(&[violated(execution)])["results"][0]["violations"][0].clone()
}

#[track_caller]
fn keys(value: &Value, expected: &[&str]) {
    let object = value.as_object().expect("an object");
    let found: Vec<&str> = object.keys().map(String::as_str).collect();
    assert_eq!(found, expected);
}

#[test]
fn every_key_in_order() {
    let document = parse(&[violated(empty_pop())]);
    keys(&document, &["schema", "tool", "summary", "results", "diagnostics", "limits", "sandbox"]);
    keys(&document["tool"], &["name", "version"]);
    let counts =
        ["methods", "verified", "violated", "undecided", "time_ms", "accepted", "unusable"];
    keys(&document["summary"], &counts);
    let result = &document["results"][0];
    keys(
        result,
        &[
            "class",
            "method",
            "file",
            "line",
            "verdict",
            "exhaustive",
            "cause",
            "scope",
            "unroll",
            "stats",
            "violations",
            "path",
            "warnings",
            "inferred_specs",
            "cached",
            "hint",
            "assumed",
        ],
    );
    keys(
        &result["stats"],
        &[
            "time_ms",
            "encode_ms",
            "solve_ms",
            "variables",
            "clauses",
            "primary_variables",
            "refinements",
            "subproblems",
            "bounds",
            "instructions",
        ],
    );
    let violation = &result["violations"][0];
    keys(
        violation,
        &[
            "property",
            "message",
            "location",
            "clause",
            "replay",
            "replay_detail",
            "pre_state",
            "trace",
            "post_state",
            "fingerprint",
            "accepted",
            "severity",
            "route",
        ],
    );
    keys(&violation["location"], &["file", "line", "path"]);
    keys(&violation["pre_state"], &["this", "arguments", "statics", "heap"]);
    keys(&violation["trace"][0], &["file", "line", "method", "depth", "updates"]);
    keys(&violation["post_state"], &["result", "exception", "heap", "statics", "thrown_at"]);
}

#[test]
fn a_violation_says_what_happened() {
    let document = parse(&[violated(empty_pop())]);
    assert_eq!(document["schema"], "jarosite/1");
    assert_eq!(document["tool"]["name"], "jarosite");
    assert_eq!(document["diagnostics"], value!(["Broken.class is truncated"]));
    let result = &document["results"][0];
    assert_eq!(result["class"], "p.Stack");
    assert_eq!(result["method"], "pop()");
    assert_eq!(result["file"], "Stack.java");
    assert_eq!(result["path"], "src/p/Stack.java");
    assert_eq!(result["line"], 9);
    assert_eq!(result["verdict"], "violated");
    assert_eq!(result["exhaustive"], true);
    assert_eq!(result["cause"], Value::Null);
    assert_eq!(result["scope"], value!({"p.Stack": 1, "p.Stack$Node": 3}));
    assert_eq!(result["unroll"], 4);
    assert_eq!(result["stats"]["bounds"], "off");
    assert_eq!(result["stats"]["primary_variables"], 61);
    let violation = &result["violations"][0];
    let location = value!({"file": "Stack.java", "line": 10, "path": "src/p/Stack.java"});
    assert_eq!(violation["property"], "null-dereference");
    assert_eq!(violation["message"], "null is dereferenced in p.Stack.pop()");
    assert_eq!(violation["location"], location);
    assert_eq!(violation["clause"], Value::Null);
    assert_eq!(violation["replay"], "confirmed");
    assert_eq!(violation["replay_detail"], Value::Null);
    let stack = value!({"class": "p.Stack", "fields": {"head": null}});
    assert_eq!(
        violation["pre_state"],
        value!({"this": "Stack#0", "arguments": {}, "statics": {}, "heap": {"Stack#0": stack}})
    );
    assert_eq!(
        violation["trace"][0],
        value!({"file": "Stack.java", "line": 9, "method": "p.Stack.pop()", "depth": 0,
            "updates": {"top": null}})
    );
    let post = &violation["post_state"];
    assert_eq!(post["result"], Value::Null);
    assert_eq!(post["exception"], "java.lang.NullPointerException");
    assert_eq!(post["thrown_at"], location);
    keys(&post["heap"], &["Stack#0", "NullPointerException#0"]);
}

#[test]
fn verdicts_are_counted_and_explained() {
    let cut = vec!["unbounded: a loop can run more than 4 times (A.java:3)".to_string()];
    let mut partly = violated(empty_pop());
    partly.incomplete = Some(Cause::Timeout);
    let at = Some(place("pop()", 7));
    let what = "java.lang.Foo.bar".to_string();
    let document = parse(&[
        verified(),
        result(Verdict::Verified { cut }),
        partly,
        undecided(Cause::Unsupported { what, at }),
        undecided(Cause::Memory),
    ]);
    assert_eq!(
        document["summary"],
        value!({"methods": 5, "verified": 2, "violated": 1, "undecided": 2, "time_ms": 812, "accepted": 0, "unusable": 0})
    );
    let shown: Vec<_> = document["results"]
        .as_array()
        .expect("results")
        .iter()
        .map(|r| (r["verdict"].clone(), r["exhaustive"].clone(), r["cause"].clone()))
        .collect();
    let cut = "cut: unbounded: a loop can run more than 4 times (A.java:3)";
    let foo = "unsupported: java.lang.Foo.bar (Stack.java:7)";
    assert_eq!(
        shown,
        [
            (value!("verified"), value!(true), Value::Null),
            (value!("verified"), value!(false), value!(cut)),
            (value!("violated"), value!(false), value!("timeout")),
            (value!("undecided"), value!(false), value!(foo)),
            (value!("undecided"), value!(false), value!("memory")),
        ]
    );
    assert_eq!(document["results"][0]["violations"], value!([]));
}

#[test]
fn every_property_has_the_name_of_the_contract() {
    let names = [
        (Property::NullDereference, "null-dereference"),
        (Property::ArrayIndex, "array-index"),
        (Property::NegativeArraySize, "negative-array-size"),
        (Property::ArrayStore, "array-store"),
        (Property::ClassCast, "class-cast"),
        (Property::DivisionByZero, "division-by-zero"),
        (Property::Assert, "assert"),
        (Property::UncaughtException, "uncaught-exception"),
    ];
    for (property, name) in names {
        let mut found = violation(empty_pop());
        found.property = property;
        let document = parse(&[result(Verdict::Violated(vec![found]))]);
        assert_eq!(document["results"][0]["violations"][0]["property"], name);
    }
}

#[test]
fn replays() {
    for (replay, name, detail) in [
        (Replay::Confirmed, "confirmed", Value::Null),
        (Replay::Refuted("it returned".into()), "refuted", value!("it returned")),
        (Replay::Skipped("replay is off".into()), "skipped", value!("replay is off")),
    ] {
        let mut found = violation(empty_pop());
        found.replay = replay;
        let document = parse(&[result(Verdict::Violated(vec![found]))]);
        let shown = &document["results"][0]["violations"][0];
        assert_eq!(shown["replay"], name);
        assert_eq!(shown["replay_detail"], detail);
    }
}

#[test]
fn primitive_values() {
    let mut execution = empty_pop();
    execution.arguments = [
        ("z", Datum::Boolean(true)),
        ("b", Datum::Byte(-128)),
        ("c", Datum::Char(u16::from(b'x'))),
        ("nul", Datum::Char(0)),
        ("lone", Datum::Char(0xd800)),
        ("s", Datum::Short(-1)),
        ("i", Datum::Int(i32::MIN)),
        ("l", Datum::Long(i64::MAX)),
        ("f", Datum::Float(0.1f32.to_bits())),
        ("d", Datum::Double(1e300f64.to_bits())),
        ("zero", Datum::Double((-0.0f64).to_bits())),
        ("nan", Datum::Float(f32::NAN.to_bits())),
        ("inf", Datum::Double(f64::NEG_INFINITY.to_bits())),
        ("o", Datum::Object(0)),
        ("n", Datum::Null),
        ("bad", Datum::Object(99)),
    ]
    .map(|(n, v)| (n.to_string(), v))
    .to_vec();
    let shown = violation_of(execution)["pre_state"]["arguments"].clone();
    assert_eq!(
        shown,
        value!({"z": true, "b": -128, "c": "x", "nul": "\u{0}", "lone": "\\ud800", "s": -1,
            "i": i32::MIN, "l": i64::MAX, "f": 0.1, "d": 1e300, "zero": -0.0, "nan": "NaN",
            "inf": "-Infinity", "o": "Stack#0", "n": null, "bad": "?"})
    );
}

#[test]
fn every_kind_of_object() {
    let mut execution = empty_pop();
    let hidden = vec![
        field("p.A", "x", Datum::Int(1)),
        field("p.B", "x", Datum::Int(2)),
        field("p.B", "y", Datum::Object(1)),
    ];
    let twice = vec![field("p.A", "x", Datum::Int(1)), field("q.A", "x", Datum::Int(2))];
    let constant = Content::Constant { class: "p.Color".into(), field: "RED".into() };
    let boxed = Content::Box { value: Datum::Int(5), cached: true };
    let numbers = Content::Array(vec![Datum::Int(1), Datum::Int(2)]);
    let odd = "a\"\\\n\u{7}😀".encode_utf16();
    execution.pre = vec![
        object("B#0", "p.B", Content::Fields(hidden)),
        object("int[]#0", "int[]", numbers),
        object("String#0", "java.lang.String", text(odd)),
        object("String#1", "java.lang.String", text([97, 0xdc00])),
        object("Integer#0", "java.lang.Integer", boxed),
        object("Color#0", "p.Color", constant),
        object("Class#0", "java.lang.Class", Content::Mirror("p.B".into())),
        object("L#0", "p.L", Content::Opaque),
        object("A#0", "q.A", Content::Fields(twice)),
    ];
    assert_eq!(
        violation_of(execution)["pre_state"]["heap"],
        value!({
            "B#0": {"class": "p.B", "fields": {"A.x": 1, "B.x": 2, "y": "int[]#0"}},
            "int[]#0": {"class": "int[]", "length": 2, "elements": [1, 2]},
            "String#0": {"class": "java.lang.String", "value": "a\"\\\n\u{7}😀"},
            "String#1": {"class": "java.lang.String", "value": "a\\udc00", "utf16": [97, 0xdc00]},
            "Integer#0": {"class": "java.lang.Integer", "value": 5},
            "Color#0": {"class": "p.Color", "constant": "p.Color.RED"},
            "Class#0": {"class": "java.lang.Class", "mirror": "p.B"},
            "L#0": {"class": "p.L", "opaque": true},
            "A#0": {"class": "q.A", "fields": {"p.A.x": 1, "q.A.x": 2}},
        })
    );
}

#[test]
fn statics_and_results() {
    let mut execution = empty_pop();
    execution.receiver = None;
    execution.is_static = true;
    execution.statics = vec![field("p.Counter", "count", Datum::Int(3))];
    execution.post_statics = vec![field("p.Counter", "count", Datum::Int(4))];
    execution.outcome = Outcome::Returned(Some(Datum::Long(7)));
    let shown = violation_of(execution);
    assert_eq!(shown["pre_state"]["this"], Value::Null);
    assert_eq!(shown["pre_state"]["statics"], value!({"p.Counter.count": 3}));
    assert_eq!(shown["post_state"]["statics"], value!({"p.Counter.count": 4}));
    assert_eq!(shown["post_state"]["result"], 7);
    assert_eq!(shown["post_state"]["exception"], Value::Null);
    assert_eq!(shown["post_state"]["thrown_at"], Value::Null);
}

#[test]
fn unknown_sources_and_nothing_at_all() {
    let mut lost = violated(empty_pop());
    lost.file = String::new();
    lost.line = 0;
    let document = parse_with(&[lost], &NoSources);
    assert_eq!(document["results"][0]["file"], "");
    assert_eq!(document["results"][0]["line"], 0);
    assert_eq!(document["results"][0]["path"], Value::Null);
    let nothing = parse(&[]);
    assert_eq!(nothing["results"], value!([]));
    assert_eq!(nothing["summary"]["methods"], 0);
}

#[test]
fn a_share_of_the_paths_is_there_only_if_not_all_are_proven() {
    let stats = |result: MethodResult| parse(&[result])["results"][0]["stats"].clone();
    assert_eq!(stats(undecided(Cause::Timeout)).get("paths_proven"), None);
    let mut partly = undecided(Cause::Timeout);
    partly.stats.paths_proven = Some(0.875);
    assert_eq!(stats(partly)["paths_proven"], value!(0.875));
}
