//! The JSON document, key by key as the contract has it.

use serde_json::{Value, json};

use crate::workspace::{Document, VERDICTS, Workspace};

const LIST: &str = "\
package p;
class SortedList {
    Node head;
    void insert(int x) {
        Node n = new Node();
        n.value = x;
        n.next = head.next;
        head = n;
    }
}
class Node {
    Node next;
    int value;
}
";

#[track_caller]
fn keys(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

/// The keys of the contract come first and in its order; others may follow.
#[track_caller]
fn starts_with_keys(value: &Value, expected: &[&str]) {
    let keys = keys(value);
    assert_eq!(keys.get(..expected.len()), Some(expected), "{keys:?}");
}

#[test]
fn the_frame_of_the_document() {
    let workspace = Workspace::with("Verdicts.java", VERDICTS);
    let (said, document) = workspace.json(&["Verdicts.java"]);
    let said = said.exits(1).quietly();
    assert_eq!(said.stdout.lines().count(), 1, "one document, one line");
    let top = &document.0;
    starts_with_keys(top, &["schema", "tool", "summary", "results"]);
    assert_eq!(top["schema"], "jarosite/1");
    assert_eq!(top["tool"], json!({"name": "jarosite", "version": env!("CARGO_PKG_VERSION")}));
    starts_with_keys(&top["summary"], &["methods", "verified", "violated", "undecided", "time_ms"]);
    let counts = ["methods", "verified", "violated", "undecided"].map(|k| &top["summary"][k]);
    assert_eq!(counts, [4, 2, 1, 1].map(Value::from).each_ref());
    assert!(top["summary"]["time_ms"].is_u64());
    let all = ["Verdicts()", "same(int)", "divide(int,int)", "half(double)"];
    assert_eq!(document.names(), all.map(|m| format!("Verdicts.{m}")), "in the source's order");
    for result in document.results() {
        method_keys(result);
    }
}

#[track_caller]
fn method_keys(result: &Value) {
    starts_with_keys(
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
        ],
    );
    starts_with_keys(
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
        ],
    );
    for (key, value) in result["stats"].as_object().expect("statistics") {
        assert!(value.is_u64() || key == "bounds", "{key}: {value}");
    }
    assert!(["hit", "computed", "off"].map(Value::from).contains(&result["stats"]["bounds"]));
    assert!(result["unroll"].is_u64() && result["scope"].is_object());
}

#[test]
fn a_verified_a_violated_and_an_undecided_method() {
    let workspace = Workspace::with("Verdicts.java", VERDICTS);
    let (_, document) = workspace.json(&["Verdicts.java"]);

    let same = document.method("same(int)");
    assert_eq!(same["file"], "Verdicts.java");
    assert_eq!(same["line"], 2);
    assert_eq!(same["verdict"], "verified");
    assert_eq!(same["exhaustive"], true);
    assert_eq!(same["cause"], Value::Null);
    assert_eq!(same["violations"], json!([]));

    let divide = document.method("divide(int,int)");
    assert_eq!(divide["verdict"], "violated");
    assert_eq!(divide["violations"].as_array().map(Vec::len), Some(1));
    assert_eq!(divide["violations"][0]["property"], "division-by-zero");

    let half = document.method("half(double)");
    assert_eq!(half["verdict"], "undecided");
    assert_eq!(half["exhaustive"], false);
    let cause = half["cause"].as_str().expect("a cause");
    assert!(cause.starts_with("unsupported: "), "{cause}");
    assert!(cause.ends_with("(Verdicts.java:7)"), "{cause}");
    assert_eq!(half["violations"], json!([]));
}

#[test]
fn a_violation_with_a_heap() {
    let workspace = Workspace::with("SortedList.java", LIST);
    let (said, document) = workspace.json(&["SortedList.java", "--method", "insert"]);
    said.exits(1);
    let insert = document.method("insert(int)");
    assert_eq!(insert["class"], "p.SortedList");
    assert_eq!(insert["scope"]["p.SortedList"], 1);
    let violation = &insert["violations"][0];
    starts_with_keys(
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
        ],
    );
    assert_eq!(violation["property"], "null-dereference");
    assert!(violation["message"].as_str().is_some_and(|m| m.contains("insert(int)")));
    starts_with_keys(&violation["location"], &["file", "line"]);
    assert_eq!(violation["location"]["file"], "SortedList.java");
    assert_eq!(violation["location"]["line"], 7);
    assert_eq!(violation["clause"], Value::Null);
    assert_eq!(violation["replay"], "confirmed");
    assert_eq!(violation["replay_detail"], Value::Null);

    let pre = &violation["pre_state"];
    starts_with_keys(pre, &["this", "arguments", "statics", "heap"]);
    assert_eq!(pre["this"], "SortedList#0");
    assert!(pre["arguments"]["x"].is_i64());
    assert_eq!(pre["statics"], json!({}));
    let list = &pre["heap"]["SortedList#0"];
    assert_eq!(*list, json!({"class": "p.SortedList", "fields": {"head": null}}));

    let trace = violation["trace"].as_array().expect("a trace");
    for step in trace {
        starts_with_keys(step, &["file", "line", "method", "depth", "updates"]);
    }
    let here: Vec<&Value> = trace.iter().filter(|s| s["depth"] == 0).collect();
    assert!(here.iter().all(|s| s["method"] == "p.SortedList.insert(int)"), "{here:?}");
    assert_eq!(here.first().map(|s| &s["line"]), Some(&json!(5)));
    assert_eq!(here.last().map(|s| &s["line"]), Some(&json!(7)));
    assert!(here.iter().any(|s| s["updates"]["n"] == "Node#0"), "{here:?}");

    let post = &violation["post_state"];
    starts_with_keys(post, &["result", "exception", "heap"]);
    assert_eq!(post["result"], Value::Null);
    assert_eq!(post["exception"], "java.lang.NullPointerException");
    assert_eq!(post["heap"]["Node#0"]["class"], "p.Node");
}

/// What must not depend on the machine's load.
fn without_times(document: Document) -> Document {
    let mut value = document.0;
    value["summary"]["time_ms"] = Value::Null;
    for result in value["results"].as_array_mut().expect("results") {
        for time in ["time_ms", "encode_ms", "solve_ms"] {
            result["stats"][time] = Value::Null;
        }
    }
    Document(value)
}

#[test]
fn the_number_of_jobs_changes_nothing_but_times() {
    let workspace = Workspace::with("SortedList.java", LIST).uncached();
    workspace.write("Verdicts.java", VERDICTS);
    let check = |jobs| {
        let (said, document) =
            workspace.json(&["SortedList.java", "Verdicts.java", "--jobs", jobs]);
        said.exits(1).quietly();
        without_times(document)
    };
    assert_eq!(check("1"), check("4"));
}

#[test]
fn a_cast_that_fails_reads_the_same_every_time() {
    let text = "class Cast { static String f(Object o) { return (String) o; } }";
    let workspace = Workspace::with("Cast.java", text).uncached();
    let check = || {
        let said = workspace.check(&["Cast.java", "--method", "f"]).exits(1);
        let lines = said.stdout.lines().filter(|line| !line.starts_with("1 method: "));
        lines.map(str::to_string).collect::<Vec<_>>()
    };
    let first = check();
    assert!(first.iter().any(|line| line.contains("cannot be cast")), "{first:#?}");
    assert!(!first.iter().any(|line| line.contains("loader")), "{first:#?}");
    assert_eq!(first, check());
}

#[test]
fn diagnostics_are_part_of_the_document() {
    let workspace = Workspace::with("Verdicts.java", VERDICTS);
    let (said, document) = workspace.json(&["gone.java", "Verdicts.java", "--method", "same"]);
    said.exits(3).warns(&["gone.java"]);
    let diagnostics = document.0["diagnostics"].as_array().expect("diagnostics");
    assert_eq!(diagnostics, &[json!("gone.java: no such file or directory")]);
}
