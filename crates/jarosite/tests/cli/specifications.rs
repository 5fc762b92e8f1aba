//! Specifications in the user's files: mistakes in them, and what they change about compiling.

use crate::workspace::Workspace;

const MARKED: &str = "\
class Marked {
    static int half(int x) {
        //@ assert x > 0;
        int y = x / 2;
        //@ loop_invariant y > 0;
        while (y > 3) y = 3;
        return 10 / y;
    }
}
";

#[test]
fn marks_change_no_line_and_no_list() {
    let workspace = Workspace::with("p/Marked.java", MARKED);
    let (said, document) = workspace.json(&["p", "--method", "half"]);
    assert!(!said.stdout.contains("jarosite.Mark"), "{}", said.stdout);
    assert_eq!(document.names(), ["Marked.half(int)"]);
    let found = document.method("half(int)")["violations"].as_array().cloned();
    for violation in found.unwrap_or_default() {
        assert_eq!(violation["location"]["path"], "p/Marked.java");
        assert_eq!(violation["replay"], "confirmed");
    }
}

#[test]
fn mistakes_are_warnings_with_a_place() {
    let text = "class A {\n    //@ ensrues \\result == x;\n    int f(int x) { return x; }\n}\n";
    let workspace = Workspace::with("A.java", text);
    let warning = "A.java:2:9: `ensrues` begins no clause of JML (did you mean `ensures`?)";
    let (said, document) = workspace.json(&["A.java"]);
    said.warns(&[&format!("warning: {warning}")]);
    assert_eq!(document.0["diagnostics"][0], warning);
}

#[test]
fn messages_of_javac_are_about_the_file_of_the_user() {
    let text = MARKED.replace("10 / y", "10 / z");
    let workspace = Workspace::with("Marked.java", &text);
    workspace.check(&["Marked.java"]).exits(2).warns(&["\nMarked.java:7: error: cannot find"]);
}

#[test]
fn calls_and_arithmetic_are_options() {
    let workspace = Workspace::with("Marked.java", MARKED);
    for option in [["--calls", "inlined"], ["--spec-math", "real"]] {
        workspace.check(&[&["Marked.java"], &option[..]].concat()).exits(2);
    }
    let chosen = ["Marked.java", "--method", "Marked()", "--spec-math", "bigint"];
    workspace.check(&[&chosen[..], &["--calls", "contract"]].concat()).exits(0);
}
