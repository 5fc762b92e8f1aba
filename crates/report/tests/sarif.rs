//! SARIF, JUnit and annotations: well formed, complete, and within what services accept.

mod common;

use common::{OneFile, STACK, empty_pop, step, undecided, verified, violated};
use report::{Run, Sources, fingerprints};
use serde_json::Value;
use verify::execution::Datum;
use verify::{Accepted, AcceptedBy, Cause, MethodResult, Property, Verdict};

fn run<'a>(results: &'a [MethodResult], sources: &'a dyn Sources) -> Run<'a> {
    Run {
        results,
        time_ms: 1234,
        sources,
        diagnostics: &[],
        array_length: 3,
        string_length: 5,
        int_bits: 32,
        sandbox: None,
    }
}

fn sources() -> OneFile {
    OneFile(STACK)
}

fn accepted(by: AcceptedBy) -> MethodResult {
    let mut result = violated(empty_pop());
    if let Verdict::Violated(violations) = &mut result.verdict {
        let reason = "never called on an <empty> stack".into();
        violations[0].review.accepted = Some(Accepted { by, reason });
        violations[0].review.fingerprint = "0123456789abcdef".into();
    }
    result
}

fn all() -> Vec<MethodResult> {
    vec![
        verified(),
        violated(empty_pop()),
        accepted(AcceptedBy::Comment),
        accepted(AcceptedBy::Baseline),
        undecided(Cause::Timeout),
    ]
}

#[track_caller]
fn valid(results: &[MethodResult]) -> Value {
    let text = report::sarif(&run(results, &sources()));
    let document: Value = serde_json::from_str(&text).expect("JSON");
    let schema = include_str!("data/sarif-schema-2.1.0.json");
    // A pattern of the schema has a bracket too many; its errata write it so.
    let (odd, meant) = ("^[a-zA-Z]{2}|^[a-zA-Z]{2}-[a-zA-Z]{2}]?$", "^[a-zA-Z]{2}(-[a-zA-Z]{2})?$");
    assert!(schema.contains(odd), "the schema is the one that this is about");
    let schema = schema.replace(odd, meant);
    let schema: Value = serde_json::from_str(&schema).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let errors: Vec<String> =
        validator.iter_errors(&document).map(|e| format!("{}: {e}", e.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    document
}

#[test]
fn sarif_fits_its_schema() {
    let document = valid(&all());
    let run = &document["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
    assert_eq!(rules.len(), Property::ALL.len());
    assert!(rules.iter().all(|r| r["help"]["text"].as_str().is_some_and(|t| t.len() > 40)));
    let results = run["results"].as_array().expect("results");
    assert_eq!(results.len(), 3);
    let index = results[0]["ruleIndex"].as_u64().expect("an index") as usize;
    assert_eq!(rules[index]["id"], results[0]["ruleId"]);
    let place = &results[0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "src/p/Stack.java");
    assert_eq!(place["region"]["startLine"], 10);
    assert_eq!(results[1]["suppressions"][0]["kind"], "inSource");
    assert_eq!(results[2]["suppressions"][0]["kind"], "external");
    assert_eq!(results[2]["baselineState"], "unchanged");
    let note = &run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"];
    assert_eq!(note, "p.Stack.pop() is undecided: timeout");
    assert_eq!(run["invocations"][0]["executionSuccessful"], true);
    let path = std::path::Path::new("src/p/Bad file.java");
    let unusable = MethodResult::unusable(None, path, "does not compile");
    let document = valid(&[verified(), unusable]);
    let invocation = &document["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    let note = &invocation["toolExecutionNotifications"][0];
    assert_eq!(note["level"], "error");
    let place = &note["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert_eq!(place, "src/p/Bad%20file.java");
    valid(&[]);
}

#[test]
fn a_code_flow_has_the_values_at_each_step() {
    let document = valid(&[violated(empty_pop())]);
    let flow = &document["runs"][0]["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"];
    assert_eq!(flow.as_array().map(Vec::len), Some(3));
    assert_eq!(flow[0]["state"]["this"]["text"], "Stack#0");
    assert_eq!(flow[0]["state"]["top"]["text"], "null");
    assert_eq!(flow[0]["location"]["physicalLocation"]["region"]["startLine"], 9);
    assert_eq!(flow[2]["location"]["message"]["text"], "null is dereferenced in p.Stack.pop()");
}

#[test]
fn what_services_refuse_is_left_out() {
    let mut execution = empty_pop();
    execution.trace = (0..5000).map(|n| step(9, 0, &[("n", Datum::Int(n))])).collect();
    let mut results = vec![accepted(AcceptedBy::Comment), violated(execution)];
    results.extend(std::iter::repeat_n(violated(empty_pop()), 5100));
    let document = valid(&results[..2]);
    let found = &document["runs"][0]["results"];
    assert!(found[0]["suppressions"].is_null(), "what is new comes first");
    let flow = &found[0]["codeFlows"][0]["threadFlows"][0]["locations"];
    assert_eq!(flow.as_array().map(Vec::len), Some(1000));
    let first = flow[0]["location"]["message"]["text"].as_str().expect("a message");
    assert!(first.starts_with("4001 steps before this one are left out; "), "{first}");
    let text = report::sarif(&run(&results, &sources()));
    let document: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(document["runs"][0]["results"].as_array().map(Vec::len), Some(5000));
}

#[test]
fn a_fingerprint_survives_other_lines_and_other_inputs() {
    let first = violated(empty_pop());
    let print = fingerprints(&first, &sources());
    assert_eq!(print[0].len(), 16);
    let mut moved = first.clone();
    let Verdict::Violated(violations) = &mut moved.verdict else {
        panic!("it is violated");
    };
    violations[0].at.line += 2;
    violations[0].execution.trace.clear();
    let text = STACK.replace("package p;\n", "package p;\n\n\n").leak();
    assert_eq!(fingerprints(&moved, &OneFile(text)), print);
    let mut other = first.clone();
    other.method = "pop(int)".into();
    assert_ne!(fingerprints(&other, &sources()), print);
    // The same twice in one method is two.
    if let Verdict::Violated(violations) = &mut other.verdict {
        violations.push(violations[0].clone());
    }
    let two = fingerprints(&other, &sources());
    assert_ne!(two[0], two[1]);
}

#[test]
fn junit_is_xml_with_the_right_numbers() {
    let text = report::junit(&run(&all(), &sources()));
    let document = roxmltree::Document::parse(&text).expect("XML");
    let root = document.root_element();
    let number = |name: &str| root.attribute(name).expect("a number").to_string();
    assert_eq!([number("tests"), number("failures"), number("skipped")], ["5", "1", "1"]);
    let cases: Vec<_> = root.descendants().filter(|n| n.has_tag_name("testcase")).collect();
    assert_eq!(cases.len(), 5);
    let failure = root.descendants().find(|n| n.has_tag_name("failure")).expect("a failure");
    assert_eq!(failure.attribute("type"), Some("null-dereference"));
    assert!(failure.text().is_some_and(|t| t.contains("error[null-dereference]")));
    let skipped = root.descendants().find(|n| n.has_tag_name("skipped")).expect("one skipped");
    assert_eq!(skipped.attribute("message"), Some("undecided: timeout"));
}

#[test]
fn annotations_are_about_what_is_new_or_undecided() {
    let text = report::annotations(&run(&all(), &sources()));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines,
        [
            "::error file=src/p/Stack.java,line=10,title=jarosite%3A null-dereference\
             ::null is dereferenced in p.Stack.pop()",
            "::warning file=src/p/Stack.java,line=9,title=jarosite%3A undecided\
             ::p.Stack.pop() is undecided: timeout",
        ]
    );
}

#[test]
fn accepted_violations_take_a_line_and_several_classes_a_table() {
    let style = report::Style::default();
    let text = report::human_result(&accepted(AcceptedBy::Comment), &sources(), &style);
    let reason = "(comment: never called on an <empty> stack)";
    let line = format!("accepted   p.Stack.pop(): null-dereference at Stack.java:10  {reason}\n");
    assert_eq!(text, line);
    let mut other = verified();
    other.class = "p.List$Node".into();
    let results = [accepted(AcceptedBy::Comment), undecided(Cause::Timeout), other];
    let summary = report::human_summary(&run(&results, &sources()), &style);
    let expected = "\
class    verified  violated  undecided    time
p.List          1         0          0  120 ms
p.Stack         0         1          1  240 ms

3 methods: 1 verified, 1 violated, 1 undecided (1 of the violated accepted) in 1.2 s
";
    assert!(summary.starts_with(expected), "{summary}");
}
