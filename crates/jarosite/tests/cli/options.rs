//! Options that choose methods, formats and files; bad usage.

use crate::workspace::{Document, Said, VERDICTS, Workspace};

const OVERLOADS: &str = "\
class Store {
    void insert(int x) {}
    void insert(String s) {}
    void insertAll(int[] xs) {}
    void remove(int x) {}
    static class Cell {
        void insert(int x) {}
        void clear() {}
    }
}
";

const EVERY_OPTION: [&str; 17] = [
    "--class",
    "--method",
    "--sourcepath",
    "--classpath",
    "--scope",
    "--unroll",
    "--array-length",
    "--string-length",
    "--int-bits",
    "--nullness",
    "--calls",
    "--spec-math",
    "--jobs",
    "--timeout",
    "--format",
    "--output",
    "--replay",
];

#[test]
fn exit_codes() {
    let workspace = Workspace::compiled("Verdicts.java", VERDICTS);
    let check = |method: &[&str]| workspace.check(&[&["classes"], method].concat()).code;
    assert_eq!(check(&["--method", "same"]), 0);
    assert_eq!(check(&[]), 1);
    assert_eq!(check(&["--method", "nothing"]), 2);
    assert_eq!(check(&["--method", "half", "--method", "same"]), 3);
}

#[test]
fn methods_and_classes_are_chosen_by_name_signature_and_glob() {
    let workspace = Workspace::compiled("Store.java", OVERLOADS);
    let chosen = |arguments: &[&str]| {
        let (said, document) = workspace.json(&[&["classes"], arguments].concat());
        said.exits(0).quietly();
        document.names()
    };
    assert_eq!(
        chosen(&["--method", "insert"]),
        ["Store.insert(int)", "Store.insert(String)", "Store$Cell.insert(int)"]
    );
    assert_eq!(
        chosen(&["--method", "insert(int)"]),
        ["Store.insert(int)", "Store$Cell.insert(int)"]
    );
    assert_eq!(
        chosen(&["--method", "insert(String)", "--method", "clear"]),
        ["Store.insert(String)", "Store$Cell.clear()"]
    );
    assert_eq!(
        chosen(&["--class", "Store", "--method", "insert*"]),
        ["Store.insert(int)", "Store.insert(String)", "Store.insertAll(int[])"]
    );
    assert_eq!(chosen(&["--class", "*Cell", "--method", "clear"]), ["Store$Cell.clear()"]);
    assert_eq!(chosen(&["--class", "Cell", "--class", "Store"]).len(), 8);
}

#[test]
fn a_filter_that_fits_nothing_says_so() {
    let workspace = Workspace::compiled("Store.java", OVERLOADS);
    workspace.check(&["classes", "--method", "inzert"]).refuses(&["--method"]);
    workspace.check(&["classes", "--class", "Shop"]).refuses(&["--class"]);
}

#[test]
fn several_formats_at_once() {
    let workspace = Workspace::compiled("Verdicts.java", VERDICTS);
    let formats = ["--format", "json=out.json", "--format", "human"];
    let said = workspace.check(&[&["classes"], &formats[..]].concat()).exits(1).quietly();
    let said = said.shows(&["ok", "error[division-by-zero]", "undecided", "4 methods:"]);
    let document = Document::parse(&workspace.read("out.json"));
    assert_eq!(document.verdict("divide(int,int)"), "violated");
    let swapped = ["--format", "human=out.txt", "--format", "json"];
    let other = workspace.check(&[&["classes"], &swapped[..]].concat()).exits(1);
    assert_eq!(Document::parse(&other.stdout).names(), document.names());
    let without_time = |text: &str| {
        let lines = text.lines().filter(|l| !l.contains(" in ") || !l.contains("methods:"));
        lines.map(str::to_string).collect::<Vec<_>>()
    };
    assert_eq!(without_time(&said.stdout), without_time(&workspace.read("out.txt")));
}

#[test]
fn output_takes_the_place_of_standard_output() {
    let workspace = Workspace::compiled("Verdicts.java", VERDICTS);
    let output = ["--output", "report.json", "--format", "json"];
    let said = workspace.check(&[&["classes"], &output[..]].concat()).exits(1).quietly();
    assert_eq!(said.stdout, "");
    assert_eq!(Document::parse(&workspace.read("report.json")).results().len(), 4);
    let said = workspace.check(&["classes", "--output", "report.txt"]).exits(1).quietly();
    assert_eq!(said.stdout, "");
    assert!(workspace.read("report.txt").contains("error[division-by-zero]"));
}

#[test]
fn an_output_that_cannot_be_written_is_noticed_before_the_work() {
    let workspace = Workspace::compiled("Verdicts.java", VERDICTS);
    let said = workspace.check(&["classes", "--output", "no/such/place.txt"]);
    said.refuses(&["cannot write no/such/place.txt"]);
    workspace.write("directory/file", "");
    let said = workspace.check(&["classes", "--format", "json=directory"]);
    said.refuses(&["cannot write directory"]);
}

#[test]
fn a_report_that_is_lost_on_the_way_is_no_success() {
    let workspace = Workspace::compiled("Verdicts.java", VERDICTS);
    let full = std::fs::File::options().write(true).open("/dev/full").expect("a full device");
    let mut command = workspace.command();
    command
        .args([
            "check",
            "--invariants",
            "declared",
            "classes",
            "--method",
            "same",
            "--format",
            "json",
        ])
        .stdout(full);
    let said = Said::of(command.output().expect("the binary runs"));
    said.exits(2).warns(&["error: cannot write to standard output: No space left on device"]);
}

#[test]
fn a_refused_run_leaves_an_old_report_alone() {
    let workspace = Workspace::with("report.txt", "of yesterday");
    workspace.check(&["gone.java", "--output", "report.txt"]).refuses(&["gone.java"]);
    workspace.check(&["gone.java", "--output", "new.txt"]).refuses(&["gone.java"]);
    assert!(!workspace.path("new.txt").exists());
    assert_eq!(workspace.read("report.txt"), "of yesterday");
}

#[test]
fn the_help_mentions_every_option() {
    let workspace = Workspace::new();
    let said = workspace.check(&["--help"]).exits(0).quietly();
    for option in EVERY_OPTION {
        assert!(said.stdout.contains(option), "{option}");
    }
    for default in ["[default: 3]", "[default: auto]", "[default: 5,", "[default: 32]"] {
        assert!(said.stdout.contains(default), "{default}");
    }
}

#[test]
fn the_tool_names_its_version_and_commands() {
    let run = |argument: &str| {
        let output = Workspace::new().command().arg(argument).output();
        crate::workspace::Said::of(output.expect("the binary runs"))
    };
    let version = format!("jarosite {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(run("--version").exits(0).stdout, version);
    run("--help").exits(0).shows(&["check"]);
    run("chekc").exits(2).warns(&["chekc"]);
}

#[test]
fn bad_usage_is_refused_with_a_sentence() {
    let workspace = Workspace::compiled("Verdicts.java", VERDICTS);
    for (arguments, part) in [
        (&["--bogus"][..], "--bogus"),
        (&["--unroll", "many"], "--unroll takes a number or `auto`, not `many`"),
        (&["--unroll", "-1"], "-1"),
        (&["--scope", "Node"], "--scope takes a number or Class=number"),
        (&["--scope", "Node=x"], "not `Node=x`"),
        (&["--scope", "99999999999"], "--scope"),
        (&["--scope", "Node=200000"], "--scope is at most 100000, not 200000"),
        (&["--array-length", "x"], "--array-length"),
        (&["--array-length", "100001"], "--array-length is at most 100000, not 100001"),
        (&["--string-length", "4294967295"], "--string-length is at most 100000"),
        (&["--format", "json="], "--format json= names no file"),
        (&["--int-bits", "64"], "--int-bits"),
        (&["--int-bits", "1"], "--int-bits"),
        (&["--nullness", "maybe"], "--nullness"),
        (&["--timeout", "0"], "--timeout takes a positive number of seconds, or `none`, not `0`"),
        (&["--timeout", "NaN"], "--timeout"),
        (&["--timeout", "soon"], "--timeout"),
        (&["--jobs", "0"], "--jobs"),
        (&["--format", "xml"], "`sarif` and `junit`, not `xml`"),
        (&["--format", "sarif", "--format", "human"], "only one --format"),
        (&["--format", "sarif", "--format", "human", "--output", "x"], "two reports would go to x"),
        (&["--replay", "maybe"], "--replay"),
    ] {
        workspace.check(&[&["classes"], arguments].concat()).refuses(&[part]);
    }
    workspace.check(&[]).refuses(&["<PATH>"]);
}
