//! Options that say how far the search goes.

use std::time::{Duration, Instant};

use crate::workspace::{Document, Workspace};

const BOUNDED: &str = "\
class Bounded {
    static int sum(int n) {
        int s = 0;
        for (int i = 0; i < n; i++) s += i;
        return s;
    }
    static int total(int[] a) {
        int s = 0;
        for (int x : a) s += x;
        return s;
    }
    static int down(int n) {
        return n == 0 ? 0 : down(n - 1);
    }
    static void few(int[] a) {
        assert a.length < 5;
    }
    static void brief(String s) {
        assert s.length() < 7;
    }
    static void small(int x) {
        assert x != 200;
    }
    static int size(String s) {
        return s.length();
    }
}
class List {
    Node head;
    int size() {
        int n = 0;
        for (Node x = head; x != null && n < 9; x = x.next) n++;
        assert n < 5 || n == 9;
        return n;
    }
}
class Node {
    Node next;
}
";

const HARD: &str = "\
class Hard {
    static void ring(long a, long b, long c) {
        assert (a + b) * (a + b) * c == c * a * a + 2 * a * c * b + b * b * c;
    }
}
";

/// The verdict of one method under these options.
fn verdict(workspace: &Workspace, method: &str, options: &[&str]) -> String {
    let (_, document) = workspace.json(&[&["classes", "--method", method], options].concat());
    assert_eq!(document.results().len(), 1, "{:?}", document.names());
    document.results()[0]["verdict"].as_str().expect("a verdict").to_string()
}

#[test]
fn scope() {
    let workspace = Workspace::compiled("Bounded.java", BOUNDED);
    let check = |scope: &str| {
        let (_, document) = workspace.json(&["classes", "--method", "size()", "--scope", scope]);
        let result = document.method("size()");
        let verdict = result["verdict"].as_str().expect("a verdict").to_string();
        (verdict, result["scope"]["Node"].as_u64().unwrap_or(0))
    };
    assert_eq!(check("2"), ("verified".into(), 2));
    assert_eq!(check("Node=5,List=1"), ("violated".into(), 5));
    assert_eq!(check("6,Node=1"), ("verified".into(), 1));
    assert_eq!(check("Node=1,6"), ("verified".into(), 1));
    assert_eq!(check("5"), ("violated".into(), 5));
}

#[test]
fn a_fixed_depth_of_loops_is_not_exhaustive_and_says_so() {
    let workspace = Workspace::compiled("Bounded.java", BOUNDED);
    let options = ["classes", "--method", "sum", "--method", "total", "--method", "down"];
    let (said, document) = workspace.json(&[&options[..], &["--unroll", "2"]].concat());
    said.exits(0).quietly();
    for (method, line) in [("sum(int)", 4), ("total(int[])", 9), ("down(int)", 13)] {
        let result = document.method(method);
        assert_eq!(result["verdict"], "verified", "{method}");
        assert_eq!(result["exhaustive"], false, "{method}");
        assert_eq!(result["unroll"], 2, "{method}");
        let cause = result["cause"].as_str().expect("a cause");
        assert!(cause.contains(&format!("Bounded.java:{line}")), "{method}: {cause}");
        assert!(cause.contains("loop") || method == "down(int)", "{method}: {cause}");
    }
    let human = workspace.check(&["classes", "--method", "sum", "--unroll", "2"]).exits(0);
    human.shows(&["ok", "Bounded.sum(int)", "--unroll 2", "Bounded.java:4", "2 rounds only"]);
}

#[test]
fn automatic_depth_is_exhaustive_or_undecided() {
    let workspace = Workspace::compiled("Bounded.java", BOUNDED);
    let options = ["classes", "--method", "sum", "--method", "total", "--unroll", "auto"];
    let (said, document) = workspace.json(&options);
    said.exits(3).quietly();
    let total = document.method("total(int[])");
    assert_eq!((&total["verdict"], &total["exhaustive"]), (&"verified".into(), &true.into()));
    let sum = document.method("sum(int)");
    assert_eq!(sum["verdict"], "undecided");
    let cause = sum["cause"].as_str().expect("a cause");
    assert!(cause.starts_with("unbounded: "), "{cause}");
    assert!(cause.contains("Bounded.java:4"), "{cause}");
}

#[test]
fn lengths_of_arrays_and_strings() {
    let workspace = Workspace::compiled("Bounded.java", BOUNDED);
    let verdict = |method, options: &[&str]| verdict(&workspace, method, options);
    assert_eq!(verdict("few", &["--array-length", "3"]), "verified");
    assert_eq!(verdict("few", &["--array-length", "5"]), "violated");
    assert_eq!(verdict("brief", &["--string-length", "5"]), "verified");
    assert_eq!(verdict("brief", &["--string-length", "7"]), "violated");
    // A constant asks for more where nobody has chosen.
    assert_eq!(verdict("few", &[]), "violated");
    assert_eq!(verdict("brief", &[]), "violated");
    let (_, document) = workspace.json(&["classes", "--method", "few"]);
    assert_eq!(document.method("few(int[])")["longer"]["searched"], true);
}

#[test]
fn narrow_numbers_are_named_in_the_scope() {
    let workspace = Workspace::compiled("Bounded.java", BOUNDED);
    assert_eq!(verdict(&workspace, "small", &["--int-bits", "9"]), "violated");
    let options = ["classes", "--method", "small", "--int-bits", "8"];
    workspace.check(&options).exits(0).shows(&["scope: ", "numbers of 8 bits"]);
    let (_, document) = workspace.json(&options);
    assert_eq!(document.verdict("small(int)"), "verified");
    assert_eq!(document.0["limits"]["int_bits"], 8);
}

#[test]
fn nullness_of_parameters() {
    let workspace = Workspace::compiled("Bounded.java", BOUNDED);
    let verdict = |options: &[&str]| verdict(&workspace, "size(String)", options);
    assert_eq!(verdict(&[]), "verified");
    assert_eq!(verdict(&["--nullness", "nonnull"]), "verified");
    assert_eq!(verdict(&["--nullness", "nullable"]), "violated");
}

/// Fixtures are all in packages.
#[test]
fn annotations_without_a_package_count_too() {
    let source = "@interface Nullable {}
class Pet { int age; static int age(@Nullable Pet pet) { return pet.age; } }";
    let workspace = Workspace::compiled("Pet.java", source);
    assert_eq!(verdict(&workspace, "age", &[]), "violated");
}

#[test]
fn without_replay_a_violation_says_why_it_was_not_run() {
    let workspace = Workspace::compiled("Bounded.java", BOUNDED);
    let options = ["classes", "--method", "small", "--replay", "off"];
    let (said, document) = workspace.json(&options);
    said.exits(1).quietly();
    let violation = &document.method("small(int)")["violations"][0];
    assert_eq!(violation["replay"], "skipped");
    assert!(violation["replay_detail"].as_str().is_some_and(|why| !why.is_empty()));
    workspace.check(&options).exits(1).shows(&["not replayed: replay is off"]);
}

#[test]
fn a_timeout_is_obeyed() {
    let workspace = Workspace::compiled("Hard.java", HARD);
    let start = Instant::now();
    let (said, document) = workspace.json(&["classes", "--method", "ring", "--timeout", "1"]);
    let elapsed = start.elapsed();
    said.exits(3).quietly();
    assert!(elapsed < Duration::from_secs(3), "{elapsed:?}");
    let ring = document.method("ring(long,long,long)");
    assert_eq!((&ring["verdict"], &ring["cause"]), (&"undecided".into(), &"timeout".into()));
    assert_eq!(ring["exhaustive"], false);
}

#[test]
fn what_is_proven_when_time_runs_out_is_told() {
    let source = "\
class Halves {
    static void half(long a, long b, boolean hard) {
        if (hard) {
            if (a > 1 && b > 1 && a < 4294967296L && b < 4294967296L) {
                assert a * b != 1000000016000000063L;
            }
        } else {
            assert a + b == b + a;
        }
    }
}
";
    let workspace = Workspace::compiled("Halves.java", source);
    let options = ["classes", "--method", "half", "--split", "2", "--timeout", "2"];
    let formats = ["--format", "human", "--format", "json=out.json"];
    let said = workspace.check(&[&options[..], &formats].concat()).exits(3);
    let document = Document::parse(&workspace.read("out.json"));
    let stats = &document.method("half(long,long,boolean)")["stats"];
    let share = stats["paths_proven"].as_f64().expect("a number");
    assert!(share > 0.0 && share < 1.0, "{share}");
    let told = format!("time ran out ({:.1} % of its paths are proven)", 100.0 * share);
    said.shows(&[
        "undecided  Halves.half(long,long,boolean): ",
        &told,
        "hint: lower --int-bits, or raise --timeout",
    ]);
    // As a whole there is no such share.
    let (_, whole) =
        workspace.json(&["classes", "--method", "half", "--split", "1", "--timeout", "1"]);
    assert_eq!(whole.method("half(long,long,boolean)")["stats"].get("paths_proven"), None);
}
