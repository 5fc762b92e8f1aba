//! Nothing that is given gets lost: what could not be read, compiled or loaded is a result of its own, names
//! that mean nothing are refused, and what accepts nothing is said.

use std::fs;

use serde_json::json;

use crate::workspace::{VERDICTS, Workspace};

const GOOD: &str = "class Good { static int good(int x) { return x; } }";
const BROKEN: &str = "class Broken {\n    int f() { return x; }\n}\n";

#[test]
fn what_cannot_be_used_is_undecided_in_every_report() {
    let workspace = Workspace::with("Good.java", GOOD);
    workspace.write("Broken.java", BROKEN);
    let formats = ["json=o.json", "sarif=o.sarif", "junit=o.xml", "html=o.html", "human=o.txt"];
    let formats: Vec<&str> = formats.iter().flat_map(|format| ["--format", format]).collect();
    let given = ["Good.java", "Broken.java", "gone.java"];
    let said = workspace.check(&[&given[..], &formats].concat()).exits(3);
    said.warns(&["Broken.java: does not compile", "gone.java: no such file or directory"]);
    let json: serde_json::Value = serde_json::from_str(&workspace.read("o.json")).expect("JSON");
    assert_eq!(json["summary"]["undecided"], 2);
    assert_eq!(json["summary"]["unusable"], 2);
    assert_eq!(json["summary"]["methods"], 4);
    let broken = json["results"].as_array().expect("results").iter();
    let broken = broken.filter(|r| r["path"] == "Broken.java").collect::<Vec<_>>();
    assert_eq!(broken.len(), 1);
    assert_eq!(broken[0]["verdict"], "undecided");
    assert_eq!(broken[0]["class"], "");
    assert_eq!(
        broken[0]["cause"],
        "unusable: does not compile: Broken.java:2: error: cannot find symbol"
    );
    let sarif: serde_json::Value = serde_json::from_str(&workspace.read("o.sarif")).expect("JSON");
    let invocation = &sarif["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], json!(false));
    assert!(invocation["toolExecutionNotifications"].to_string().contains("gone.java"));
    let junit = workspace.read("o.xml");
    assert!(junit.contains("tests=\"4\" failures=\"0\" errors=\"2\" skipped=\"0\""), "{junit}");
    assert!(junit.contains("<error type=\"unusable\""), "{junit}");
    let sentence = "nothing of it was checked: does not compile";
    for report in ["o.html", "o.txt"] {
        assert!(workspace.read(report).contains(sentence), "{report}");
    }
    let said = workspace.check(&["Good.java", "--format", "sarif"]).exits(0);
    assert!(said.stdout.contains("\"executionSuccessful\":true"));
}

#[test]
fn a_class_whose_superclass_is_missing_is_undecided() {
    let two =
        "class Base { int b() { return 1; } } class Derived extends Base { int d() { return 2; } }";
    let workspace = Workspace::compiled("Two.java", two);
    workspace.write("Good.java", GOOD);
    workspace.jdk("javac", &["-g", "-d", "classes", "Good.java"]);
    workspace.check(&["classes"]).exits(0);
    fs::remove_file(workspace.path("classes/Base.class")).expect("a class");
    let (said, document) = workspace.json(&["classes"]);
    said.exits(3)
        .warns(&["classes/Derived.class: Derived: its supertype Base is not on the class path"]);
    let lost = document.results().iter().find(|r| r["class"] == "Derived").expect("a result");
    assert_eq!((&lost["verdict"], &lost["method"]), (&json!("undecided"), &json!("")));
    assert_eq!(lost["path"], "classes/Derived.class");
    // Whoever does not want it checked need not have it.
    workspace.check(&["classes", "--class", "Good"]).exits(0);
    workspace.check(&["classes", "--exclude", "Derived"]).exits(0);
    workspace.check(&["classes", "--class", "Derived"]).exits(2);
}

#[test]
fn a_specification_that_cannot_be_read_is_not_skipped() {
    let workspace = Workspace::with("Good.java", GOOD);
    fs::create_dir(workspace.path("Good.jml")).expect("a directory");
    workspace.check(&["Good.java"]).exits(3).warns(&["Good.jml: cannot be read"]);
}

#[test]
fn another_version_of_a_class_is_not_skipped() {
    let workspace = Workspace::compiled("Good.java", GOOD);
    workspace.jdk("jar", &["--create", "--file", "one.jar", "-C", "classes", "Good.class"]);
    workspace.jdk("jar", &["--create", "--file", "two.jar", "-C", "classes", "Good.class"]);
    workspace.check(&["one.jar", "two.jar"]).exits(0).quietly();
    workspace.write("Good.java", GOOD.replace("return x", "return 1 / x"));
    workspace.jdk("javac", &["-g", "-d", "classes", "Good.java"]);
    workspace.jdk("jar", &["--create", "--file", "two.jar", "-C", "classes", "Good.class"]);
    let said = workspace.check(&["one.jar", "two.jar"]).exits(3);
    said.warns(&[
        "two.jar: Good: left out, because the class Good is already given by another file",
    ]);
}

/// Files, one or more of each kind that there is.
fn variety() -> (Workspace, Vec<&'static str>) {
    let workspace = Workspace::compiled("Verdicts.java", VERDICTS);
    workspace.write("Good.java", GOOD);
    workspace.write(
        "Open.java",
        "class Open { static double f(double x) { return x / Thread.activeCount(); } }",
    );
    workspace.write("Base.java", "class Base { int b() { return 1; } }");
    workspace.write("Derived.java", "class Derived extends Base { int d() { return 2; } }");
    workspace.write("lib/L.java", "package lib; class L { int l() { return 3; } }");
    workspace.jdk("javac", &["-d", "classes", "lib/L.java"]);
    workspace.jdk("jar", &["--create", "--file", "l.jar", "-C", "classes", "lib"]);
    (workspace, vec!["Open.java", "Good.java", "Base.java", "Derived.java", "l.jar"])
}

#[test]
fn removing_a_file_never_makes_an_open_run_a_good_one() {
    let (workspace, files) = variety();
    let run = |files: &[&str]| workspace.check(&[files, &["--replay", "off"]].concat()).code;
    assert_eq!(run(&files), 3);
    for gone in &files {
        let kept = fs::read(workspace.path(gone)).expect("a file");
        fs::remove_file(workspace.path(gone)).expect("a file");
        // As long as it is named, it is missed; where it is not, what is open elsewhere stays so.
        assert_eq!(run(&files), 3, "without {gone}, which is named");
        let rest: Vec<&str> = files.iter().copied().filter(|file| file != gone).collect();
        let code = run(&rest);
        assert!(code == 3 || *gone == "Open.java", "without {gone}: {code}");
        workspace.write(gone, kept);
    }
}

#[test]
fn adding_a_broken_file_never_makes_a_bad_run_a_good_one() {
    let (workspace, _) = variety();
    workspace.write("Violated.java", "class Violated { static int f(int x) { return 1 / x; } }");
    let class = fs::read(workspace.path("classes/Verdicts.class")).expect("a class");
    workspace.write("Cut.class", &class[..class.len() / 2]);
    workspace.write("Syntax.java", "class Syntax {");
    workspace.write("Broken.java", BROKEN);
    workspace.write("Orphan.java", "class Orphan extends Nobody { int o() { return 1; } }");
    workspace.write("noise.jar", "no jar");
    workspace.write("notes.txt", "no Java");
    let broken = [
        "Cut.class",
        "Syntax.java",
        "Broken.java",
        "Orphan.java",
        "noise.jar",
        "notes.txt",
        "gone.java",
        "gone.class",
        "gone.jar",
        "gone",
    ];
    for (good, before) in [("Good.java", 0), ("Open.java", 3), ("Violated.java", 1)] {
        let run = |bad: &[&str]| {
            let more = ["--replay", "off"];
            workspace.check(&[&[good], bad, &more[..]].concat()).code
        };
        assert_eq!(run(&[]), before);
        let expected = if before == 1 { 1 } else { 3 };
        for bad in &broken {
            assert_eq!(run(&[bad]), expected, "{good} with {bad}");
        }
        assert_eq!(run(&broken), expected, "{good} with all");
    }
    for bad in &broken {
        workspace.check(&[bad]).exits(2);
    }
}

const LIST: &str =
    "class List { static class Node { Node next; } Node head; Object o() { return head; } }";

#[test]
fn a_scope_for_a_class_that_does_not_exist_is_refused() {
    let workspace = Workspace::with("List.java", LIST);
    workspace.write("p/Other.java", "package p; class Other { int x() { return 1; } }");
    let refused = |scope: &str, sentence: &str| {
        workspace.check(&["List.java", "--scope", scope]).refuses(&[sentence]);
    };
    refused("Nod=3", "--scope Nod=3: there is no class `Nod` (did you mean `Node`?)");
    refused("2,Lisst=1", "there is no class `Lisst` (did you mean `List`?)");
    refused("List.Node=1", "(did you mean `List$Node`?)");
    refused("Entirely=1", "there is no class `Entirely`");
    for scope in ["Node=2", "List$Node=2", "3,List=1,Node=2", "Integer=1", "java.util.ArrayList=1"]
    {
        workspace.check(&["List.java", "--scope", scope, "--replay", "off"]).exits(0).quietly();
    }
    // The configuration is for the whole project, a run perhaps for a part of it.
    workspace.write("jarosite.toml", "[scope]\ndefault = 2\nNode = 3\n");
    workspace.check(&["p/Other.java"]).exits(0).quietly();
    workspace.write("jarosite.toml", "[scope]\ndefault = 2\nNod = 3\n");
    let sentence = "jarosite.toml:3:1: there is no class `Nod` (did you mean `Node`?)";
    workspace.check(&["List.java"]).refuses(&[sentence]);
    workspace.check(&["."]).refuses(&[sentence]);
    workspace.check(&["p/Other.java"]).refuses(&["jarosite.toml:3:1: there is no class `Nod`"]);
    // What the command line says about a class is its own matter.
    workspace.check(&["List.java", "--scope", "Nod=3"]).refuses(&["error: --scope Nod=3"]);
    workspace.bounds(&["compute", "List.java"]).exits(2).warns(&[sentence]);
}

const IGNORED: &str = "\
class Ignored {
    static int a(int x) {
        return 1 / x; // jarosite:ignore division-by-zero callers test it
    }
    static int b(int x) {
        return 1 + x; // jarosite:ignore division-by-zero was wrong once
    }
}
";

#[test]
fn what_accepts_nothing_is_said() {
    let workspace = Workspace::with("src/Ignored.java", IGNORED);
    workspace.write("src/Good.java", GOOD);
    let print = "[[suppress]]\nfingerprint = \"0123\"\nreason = \"known\"\n";
    workspace.write("src/jarosite.toml", print);
    let comment = "src/Ignored.java:6: this comment accepts nothing, because division-by-zero is not violated here";
    let suppression = "src/jarosite.toml:1:1: this suppression accepts nothing";
    let (said, document) = workspace.json(&["src"]);
    let said = said.exits(0).warns(&[comment, suppression]);
    assert!(!said.stderr.contains("Ignored.java:3"), "{}", said.stderr);
    assert_eq!(document.0["diagnostics"][0], comment);
    // Nobody knows where not everything was looked at.
    workspace.check(&["src", "--method", "a"]).exits(0).quietly();
    workspace.check(&["src", "--class", "Good"]).exits(0).quietly();
    let said = workspace.check(&["src/Ignored.java"]).exits(0).warns(&[comment]);
    assert!(!said.stderr.contains("suppression"), "{}", said.stderr);
    let open = IGNORED.replace("return 1 + x;", "return (int) Math.sqrt(x);");
    workspace.write("src/Ignored.java", open);
    workspace.check(&["src"]).exits(3).quietly();
}

#[test]
fn a_comment_with_a_mistake_is_told_wherever_it_stands() {
    let odd = IGNORED.replace("division-by-zero was wrong once", "division-by-null why");
    let workspace = Workspace::with("Ignored.java", &odd.replace(" callers test it", ""));
    let said = workspace.check(&["Ignored.java", "--method", "b"]).exits(0);
    said.warns(&[
        "Ignored.java:3: `jarosite:ignore division-by-zero` needs a reason behind it, and is not obeyed",
        "Ignored.java:6: there is no property `division-by-null` (did you mean `division-by-zero`?)",
    ]);
}
