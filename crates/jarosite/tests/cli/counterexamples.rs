//! Counterexamples as a page and as tests, as far as no browser and no JUnit is needed.

use crate::workspace::{VERDICTS, Workspace};

#[test]
fn a_page_beside_the_text() {
    let workspace = Workspace::compiled("Verdicts.java", VERDICTS);
    let formats = ["classes", "--format", "html=page.html", "--format", "human"];
    workspace.check(&formats).exits(1).quietly().shows(&["error[division-by-zero]"]);
    let page = workspace.read("page.html");
    assert!(page.starts_with("<!DOCTYPE html>"));
    assert!(page.contains("division by zero in Verdicts.divide(int,int)"));
    let printed = workspace.check(&["classes", "--format", "html"]);
    printed.exits(1).quietly().shows(&["<!DOCTYPE html>", "</html>"]);
}

#[test]
fn a_test_for_each_counterexample_and_no_other_file() {
    let source = VERDICTS.replacen("class", "package a.b; class", 1);
    let workspace = Workspace::with("a/b/Verdicts.java", &source);
    workspace.check(&["a", "--emit-tests", "out"]).exits(1);
    let files = || -> Vec<String> {
        let found = std::fs::read_dir(workspace.path("out/a/b")).expect("the package");
        found.map(|f| f.expect("a file").file_name().to_string_lossy().into_owned()).collect()
    };
    let [name] = &files()[..] else {
        panic!("one test: {:?}", files());
    };
    assert!(name.starts_with("Verdicts_divide_") && name.ends_with("Test.java"), "{name}");
    let text = workspace.read(&format!("out/a/b/{name}"));
    assert!(text.starts_with("package a.b;\n"), "{text}");
    assert!(text.contains("Verdicts.divide(0, 0);"), "{text}");
    workspace.check(&["a", "--emit-tests", "out"]).exits(1);
    assert_eq!(files(), [name.as_str()]);
}

#[test]
fn a_directory_that_is_a_file() {
    let workspace = Workspace::compiled("Verdicts.java", VERDICTS);
    workspace.write("out", "");
    workspace.check(&["classes", "--emit-tests", "out"]).refuses(&["cannot write tests to out"]);
}

#[test]
fn what_has_no_test_says_why() {
    let source = "class Loop { static void f(int n) {
        //@ assert n != 3;
    } }";
    let workspace = Workspace::with("Loop.java", source);
    let said = workspace.check(&["Loop.java", "--emit-tests", "out"]);
    said.exits(1).warns(&["no test for assert in Loop.f(int): the clause is checked inside"]);
}
