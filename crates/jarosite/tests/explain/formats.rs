//! Witnesses, SARIF and the page.

use serde_json::Value;
use std::path::Path;
use std::process::Command;

const COUNT: &str = "extern int __VERIFIER_nondet_int(void); void reach_error() {}\nint main(void) {\n    \
    unsigned i = 0;\n    while (i < 1000)\n        i++;\n    if (i != 1000)\n        reach_error();\n    return 0;\n}\n";

const BUG: &str = "extern short __VERIFIER_nondet_short(void); void reach_error() {}\nint main(void) {\n    \
    int x = __VERIFIER_nondet_short();\n    if (x == -7)\n        reach_error();\n    return 0;\n}\n";

/// Runs `explain` on a program; its output, and the file that it has written beside it.
fn written(text: &str, arguments: &[&str], file: &str) -> (String, String) {
    let directory = tempfile::tempdir().expect("there is room for a file");
    let at = |name: &str| directory.path().join(name);
    std::fs::write(at("t.c"), text).expect("there is room for a file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_jarosite"));
    command.args(["explain", "t.c"]).args(arguments);
    let output = command.current_dir(directory.path()).output().expect("the binary runs");
    let read = |path: &Path| std::fs::read_to_string(path).unwrap_or_default();
    (String::from_utf8_lossy(&output.stdout).into_owned(), read(&at(file)))
}

#[test]
fn a_proof_is_an_invariant_set() {
    let (_, witness) = written(COUNT, &["--to", "assert", "--witness", "w.yml"], "w.yml");
    for line in [
        "- entry_type: invariant_set",
        "    format_version: '2.0'",
        "      data_model: LP64",
        "      specification: 'G ! call(reach_error())'",
        "      type: loop_invariant",
        "        file_name: 't.c'",
        "        line: 4",
        "        function: 'main'",
        "      format: c_expression",
    ] {
        assert!(witness.lines().any(|known| known == line), "{line}\n{witness}");
    }
}

#[test]
fn an_execution_is_a_violation_sequence() {
    let (_, witness) = written(BUG, &["--to", "t.c:5", "--witness", "w.yml"], "w.yml");
    for line in [
        "- entry_type: violation_sequence",
        "        type: function_return",
        "          line: 3",
        "          value: '\\result == -7'",
        "          format: ext_c_expression",
        "        type: target",
        "          line: 5",
    ] {
        assert!(witness.lines().any(|known| known == line), "{line}\n{witness}");
    }
    let (before, after) = witness.split_once("type: function_return").expect("it is there");
    assert!(!before.contains("type: target") && after.contains("type: target"), "{witness}");
}

#[test]
fn an_execution_is_a_result_of_sarif() {
    let (text, _) = written(BUG, &["--to", "assert", "--format", "sarif"], "none");
    let document: Value = serde_json::from_str(&text).expect("a document");
    let results = document["runs"][0]["results"].as_array().expect("a list");
    assert_eq!(results.len(), 1, "{document:#}");
    let place = &results[0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "t.c");
    assert!(
        results[0]["codeFlows"][0]["threadFlows"][0]["locations"].as_array().unwrap().len() > 1
    );
    let (text, _) = written(COUNT, &["--to", "assert", "--format", "sarif"], "none");
    let document: Value = serde_json::from_str(&text).expect("a document");
    assert_eq!(document["runs"][0]["results"], serde_json::json!([]));
}

#[test]
fn a_page_shows_the_source_with_what_is_said_of_it() {
    let (page, _) = written(BUG, &["--to", "assert", "--format", "html"], "none");
    assert!(page.contains("Reachable: assert"), "{page}");
    assert!(page.contains("x == -7"), "the source is there");
    assert!(page.contains("x = -7"), "the value is there");
    let (page, _) = written(COUNT, &["--to", "assert", "--format", "html"], "none");
    assert!(page.contains("Unreachable: assert") && page.contains("always: "), "{page}");
    let evil = "void reach_error() {} int main(void) { /* <script> */ int x = 1; if (x < 2) reach_error(); }\n";
    let (page, _) = written(evil, &["--to", "assert", "--format", "html"], "none");
    assert!(!page.contains("<script>"), "{page}");
}
