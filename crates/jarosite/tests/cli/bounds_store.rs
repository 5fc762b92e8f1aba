//! Tight bounds outlive a run, and nothing that happens to their store changes a verdict.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::workspace::{Document, Said, Workspace};

const CHAIN: &str = "\
class Chain {
    static class Link {
        int number;
        /*@ nullable @*/ Link next;
    }

    /*@ nullable @*/ Link first;
    int length;

    /*@ invariant (\\forall Link l; \\reach(first, Link, next).has(l);
      @            !\\reach(l.next, Link, next).has(l)); @*/
    //@ invariant length == \\reach(first, Link, next).int_size();

    //@ ensures \\result == (length == 0);
    boolean isEmpty() {
        return first == null;
    }

    //@ ensures \\result == length;
    int count() {
        int n = 0;
        for (Link l = first; l != null; l = l.next) n++;
        return n;
    }
}
";

/// Calls a method in its invariant.
const HELPED: &str = "\
class Helped {
    int low;
    int high;
    /*@ nullable @*/ Helped next;

    //@ invariant ordered();
    //@ invariant next == null || next.next == null;

    //@ pure helper
    boolean ordered() {
        return low <= high;
    }

    //@ ensures \\result >= 0;
    long span() {
        return (long) high - low;
    }
}
";

/// How the bounds of each method came about, constructors left out.
fn uses(document: &Document) -> Vec<(String, String)> {
    let text = |value: &serde_json::Value| value.as_str().expect("a string").to_string();
    let with_this = document.results().iter().filter(|r| {
        let (class, method) = (text(&r["class"]), text(&r["method"]));
        let simple = class.rsplit(['.', '$']).next().expect("a name").to_string();
        !method.starts_with(&format!("{simple}("))
    });
    with_this.map(|r| (text(&r["method"]), text(&r["stats"]["bounds"]))).collect()
}

/// Checks everything, which is verified; how the bounds came about.
fn check(workspace: &Workspace, file: &str) -> Vec<String> {
    check_at(workspace, file, "4")
}

fn check_at(workspace: &Workspace, file: &str, scope: &str) -> Vec<String> {
    let options = ["--scope", scope, "--jobs", "1", "--replay", "off"];
    let (said, document) = workspace.json(&[&[file], &options[..]].concat());
    said.exits(0).quietly();
    uses(&document).into_iter().map(|u| u.1).collect()
}

fn taco(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benchmarks/taco").join(name)
}

/// A workspace with one of the benchmark's classes.
fn with_taco(name: &str) -> Workspace {
    Workspace::with(name, &fs::read_to_string(taco(name)).expect("the benchmark")).uncached()
}

#[test]
fn methods_share_bounds_and_runs_do() {
    let workspace = Workspace::with("Chain.java", CHAIN).uncached();
    assert_eq!(check(&workspace, "Chain.java"), ["computed", "hit"]);
    assert_eq!(check(&workspace, "Chain.java"), ["hit", "hit"]);
    assert_eq!(check_at(&workspace, "Chain.java", "3"), ["computed", "hit"]);
    assert_eq!(check_at(&workspace, "Chain.java", "Link=4,4"), ["computed", "hit"]);
    let (_, document) = workspace.json(&["Chain.java", "--scope", "4", "--bounds", "off"]);
    assert!(uses(&document).iter().all(|u| u.1 == "off"));
    // Another directory, the same class: the store does not care where files are.
    workspace.write("elsewhere/Chain.java", CHAIN);
    assert_eq!(check(&workspace, "elsewhere/Chain.java"), ["hit", "hit"]);
}

#[test]
fn what_bounds_depend_on_is_computed_again_and_nothing_else() {
    let workspace = Workspace::with("Chain.java", CHAIN).uncached();
    assert_eq!(check(&workspace, "Chain.java"), ["computed", "hit"]);
    // Another body, other lines, other names of bound variables and comments, all at once.
    let harmless = [
        ("return first == null;", "Link l = first;\n        return l == null;"),
        ("int n = 0;", "int n = 0; // links so far"),
        ("//@ ensures \\result == (length == 0);", ""),
        ("class Chain {", "class Chain {\n\n    // A chain.\n"),
    ];
    let mut same = CHAIN.to_string();
    for (from, to) in harmless {
        assert!(same.contains(from), "{from}");
        same = same.replacen(from, to, 1);
    }
    workspace.write("Chain.java", same);
    assert_eq!(check(&workspace, "Chain.java"), ["hit", "hit"]);
    let edits = [
        ("length == \\reach", "length <= 9 && length == \\reach"),
        ("length == \\reach(first", "length - 0 == \\reach(first"),
        ("int length;", "long length;"),
        ("int length;", "int length;\n    /*@ nullable @*/ Link last;"),
        ("int number;", "int number;\n        /*@ nullable @*/ Chain owner;"),
        ("/*@ nullable @*/ Link next;", "/*@ non_null @*/ Link next;"),
    ];
    for (from, to) in edits {
        assert!(CHAIN.contains(from), "{from}");
        workspace.write("Chain.java", CHAIN.replacen(from, to, 1));
        let options = ["--scope", "4", "--method", "isEmpty", "--replay", "off"];
        let (_, document) = workspace.json(&[&["Chain.java"], &options[..]].concat());
        assert_eq!(uses(&document)[0].1, "computed", "{from} -> {to}");
    }
    workspace.write("Chain.java", CHAIN);
    for option in [["--int-bits", "8"], ["--nullness", "nullable"], ["--array-length", "2"]] {
        let arguments = ["Chain.java", "--scope", "4", "--method", "isEmpty", "--replay", "off"];
        let (_, document) = workspace.json(&[&arguments[..], &option].concat());
        assert_eq!(uses(&document)[0].1, "computed", "{option:?}");
    }
    assert_eq!(check(&workspace, "Chain.java"), ["hit", "hit"]);
    // Arithmetic in specifications is part of what they say.
    workspace.write("Chain.java", CHAIN.replace("length == \\reach", "length - 0 == \\reach"));
    let arguments = ["Chain.java", "--scope", "4", "--method", "isEmpty", "--replay", "off"];
    for (math, expected) in [("java", "hit"), ("bigint", "computed"), ("safe", "computed")] {
        let (_, document) = workspace.json(&[&arguments[..], &["--spec-math", math]].concat());
        assert_eq!(uses(&document)[0].1, expected, "{math}");
    }
}

#[test]
fn an_edited_method_that_an_invariant_calls_counts() {
    let workspace = Workspace::with("Helped.java", HELPED).uncached();
    let span = || {
        let (_, document) =
            workspace.json(&["Helped.java", "--scope", "2", "--method", "span", "--jobs", "1"]);
        let result = document.method("span()").clone();
        (result["verdict"].to_string(), result["stats"]["bounds"].to_string())
    };
    let said = |verdict: &str, bounds: &str| (format!("\"{verdict}\""), format!("\"{bounds}\""));
    assert_eq!(span(), said("verified", "computed"));
    assert_eq!(span(), said("verified", "hit"));
    workspace.write("Helped.java", HELPED.replace("low <= high", "low < high || low > high"));
    assert_eq!(span(), said("violated", "computed"));
    workspace.write("Helped.java", HELPED);
    assert_eq!(span(), said("verified", "hit"));
}

#[test]
fn a_computation_that_is_interrupted_goes_on_the_next_time() {
    let workspace = with_taco("AVL.java");
    let arguments = ["compute", "AVL.java", "--method", "find", "--scope", "20"];
    let (mut runs, mut timeout) = (0, 0.4);
    loop {
        let limit = timeout.to_string();
        let said = workspace.bounds(&[&arguments[..], &["--timeout", &limit]].concat());
        runs += 1;
        timeout *= 1.4;
        match said.code {
            0 => break,
            3 => assert!(said.stdout.contains("not complete after"), "{said:?}"),
            _ => panic!("{said:?}"),
        }
        workspace.bounds(&["list"]).exits(0).shows(&["AVL", "partial"]);
        assert!(runs < 14, "it makes no progress");
    }
    let entries = |text: &str| {
        let line = text.lines().find(|l| l.contains("->")).expect("entries").to_string();
        let (_, after) = line.split_once("-> ").expect("entries");
        after.split(' ').next().expect("a number").to_string()
    };
    let patient = with_taco("AVL.java");
    let once = patient.bounds(&arguments).exits(0);
    let list = workspace.bounds(&["list"]).exits(0).shows(&["AVL", "complete"]);
    assert_eq!(entries(&list.stdout), entries(&once.stdout), "after {runs} runs");
}

/// Ends a process that this test started, at once.
fn kill(mut child: Child) {
    child.kill().expect("it runs");
    child.wait().expect("it has ended");
}

#[test]
fn whatever_was_stored_survives_the_end_of_the_process() {
    let workspace = with_taco("AVL.java");
    workspace.write("Chain.java", CHAIN);
    assert_eq!(check(&workspace, "Chain.java"), ["computed", "hit"]);
    let list = || workspace.bounds(&["list"]).exits(0).quietly().shows(&["Chain", "complete"]);
    for extra in [0, 300] {
        let mut command = workspace.command();
        command.args(["bounds", "compute", "AVL.java", "--method", "find", "--scope", "30"]);
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let child = child.expect("the binary runs");
        let start = Instant::now();
        while !list().stdout.contains("partial") {
            assert!(start.elapsed() < Duration::from_secs(100), "nothing is kept on the way");
            std::thread::sleep(Duration::from_millis(50));
        }
        std::thread::sleep(Duration::from_millis(extra));
        kill(child);
        assert!(list().stdout.contains("partial"));
        assert_eq!(check(&workspace, "Chain.java"), ["hit", "hit"]);
    }
    workspace.bounds(&["compute", "AVL.java", "--scope", "5"]).exits(0).quietly();
}

#[test]
fn several_processes_use_the_store_at_once() {
    let workspace = with_taco("LList.java");
    let run = |scope: &str| {
        let mut command = workspace.command();
        let arguments = ["check", "LList.java", "--scope", scope, "--replay", "off", "--no-cache"];
        command.args(arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary runs")
    };
    let children = ["3", "4", "4", "5", "5", "3"].map(run);
    for child in children {
        let output = child.wait_with_output().expect("it ends");
        Said::of(output).exits(0).quietly();
    }
    let list = workspace.bounds(&["list"]).exits(0);
    assert_eq!(list.stdout.matches(" complete ").count(), 3, "{}", list.stdout);
    assert!(check_at(&workspace, "LList.java", "5").iter().all(|u| u == "hit"));
}

#[test]
fn a_file_that_is_no_store_is_moved_aside() {
    let workspace = Workspace::with("Chain.java", CHAIN).uncached();
    let store = ".cache/bounds.db";
    let arguments = ["Chain.java", "--scope", "4", "--jobs", "1"];
    let garbage =
        "no database, but a text that is longer than the header of one would be: 0123456789";
    workspace.write(store, garbage);
    let said = workspace.check(&arguments).exits(0).warns(&["not a database", "bounds.db.broken"]);
    assert_eq!(said.stderr.lines().count(), 1, "{}", said.stderr);
    assert_eq!(workspace.read(".cache/bounds.db.broken"), garbage);
    assert_eq!(check(&workspace, "Chain.java"), ["hit", "hit"]);
    // Half of a store.
    let bytes = fs::read(workspace.path(store)).expect("a store");
    workspace.write(store, &bytes[..bytes.len() / 2 + 17]);
    for end in ["-wal", "-shm"] {
        let _ = fs::remove_file(workspace.path(&format!("{store}{end}")));
    }
    workspace.check(&arguments).exits(0);
    assert_eq!(check(&workspace, "Chain.java"), ["hit", "hit"]);
    workspace.write(store, "");
    assert_eq!(check(&workspace, "Chain.java"), ["computed", "hit"]);
}

#[test]
fn without_a_place_for_the_store_a_run_goes_on() {
    let workspace = Workspace::with("Chain.java", CHAIN).uncached();
    workspace.write("file", "in the way");
    let run = |cache: PathBuf| {
        let arguments = ["Chain.java", "--scope", "4", "--jobs", "1", "--format", "json"];
        workspace.check_with(&arguments, |command| {
            command.env("JAROSITE_CACHE_DIR", cache);
        })
    };
    let said = run(workspace.path("file/cache")).exits(0).warns(&["bounds are kept for this run"]);
    assert_eq!(said.stderr.lines().count(), 1, "{}", said.stderr);
    let document = Document::parse(&said.stdout);
    assert_eq!(uses(&document)[1].1, "hit", "in memory");
    // A directory where the file should be.
    fs::create_dir_all(workspace.path("other/bounds.db")).expect("a directory");
    run(workspace.path("other")).exits(0).warns(&["bounds are kept for this run"]);
    let mut command = workspace.command();
    command.env("JAROSITE_CACHE_DIR", workspace.path("file/cache")).args(["bounds", "list"]);
    crate::workspace::Said::of(command.output().expect("the binary runs"))
        .refuses(&["the store of bounds cannot be opened"]);
}

#[cfg(unix)]
#[test]
fn a_directory_that_cannot_be_written() {
    use std::os::unix::fs::PermissionsExt;
    let workspace = Workspace::with("Chain.java", CHAIN).uncached();
    let cache = workspace.path(".cache");
    fs::create_dir(&cache).expect("a directory");
    fs::set_permissions(&cache, fs::Permissions::from_mode(0o555)).expect("ours");
    let writable = fs::write(cache.join("probe"), "").is_ok();
    let said = workspace.check(&["Chain.java", "--scope", "3"]).exits(0);
    // Some users may write anywhere.
    assert_eq!(said.stderr.lines().count(), usize::from(!writable), "{}", said.stderr);
    fs::set_permissions(&cache, fs::Permissions::from_mode(0o755)).expect("ours");
}

#[test]
fn bounds_travel_in_a_file() {
    let workspace = Workspace::with("Chain.java", CHAIN).uncached();
    workspace.bounds(&["list"]).exits(0).shows(&["the store is empty"]);
    workspace
        .bounds(&["compute", "Chain.java", "--scope", "4"])
        .exits(0)
        .quietly()
        .shows(&["Chain from this, scope 4: ", " entries, computed in "]);
    workspace.bounds(&["compute", "Chain.java", "--scope", "4"]).exits(0).shows(&["known"]);
    workspace.bounds(&["export", "kept.jsonl"]).exits(0).shows(&["1 bound written"]);
    workspace.bounds(&["clear"]).exits(0).shows(&["1 bound removed"]);
    workspace.bounds(&["list"]).exits(0).shows(&["the store is empty"]);
    workspace.bounds(&["import", "kept.jsonl"]).exits(0).quietly().shows(&["1 bound read"]);
    assert_eq!(check(&workspace, "Chain.java"), ["hit", "hit"]);
}

#[test]
fn nonsense_is_not_imported() {
    let workspace = Workspace::with("Chain.java", CHAIN).uncached();
    workspace.bounds(&["compute", "Chain.java", "--scope", "4"]).exits(0);
    workspace.bounds(&["export", "kept.jsonl"]).exits(0);
    workspace.bounds(&["clear"]).exits(0);
    let good = workspace.read("kept.jsonl");
    assert!(good.contains("\"null\",") && good.ends_with('\n'));
    let worse = good.replacen("\"null\",", "", 1);
    workspace.write("mixed.jsonl", format!("{worse}\n{good}{{\"schema\":1}}\nnonsense\n"));
    let said = workspace.bounds(&["import", "mixed.jsonl"]).exits(0).shows(&["1 bound read"]);
    let said = said.warns(&["mixed.jsonl:1: ", "mixed.jsonl:4: ", "mixed.jsonl:5: "]);
    assert_eq!(said.stderr.lines().count(), 3, "{}", said.stderr);
    assert_eq!(check(&workspace, "Chain.java"), ["hit", "hit"]);
    workspace.write("bad.jsonl", [0xff, 0xfe, b'\n', 0]);
    workspace.bounds(&["import", "bad.jsonl"]).exits(2).warns(&["bad.jsonl holds no bounds"]);
    workspace.bounds(&["import", "missing.jsonl"]).refuses(&["cannot read missing.jsonl"]);
    workspace.bounds(&["import", "/dev/zero"]).refuses(&["/dev/zero: it is not a regular file"]);
    workspace.bounds(&["export", "no/such/place"]).refuses(&["cannot write"]);
}

#[test]
fn a_field_is_drawn_as_a_matrix() {
    let workspace = Workspace::with("Chain.java", CHAIN).uncached();
    let said = workspace.bounds(&["show", "Chain.java", "--class", "Chain", "--scope", "2"]);
    said.exits(0).quietly().shows(&[
        "Chain from this, scope 2: ",
        "Link.next  null L0 L1\n       L0     x  .  x\n       L1     1  .  .\n",
        "C0.length: 0..2",
    ]);
}

#[test]
fn bad_usage() {
    let workspace = Workspace::with("Chain.java", CHAIN).uncached();
    for arguments in [
        &["draw"][..],
        &["compute"],
        &["export"],
        &["compute", "Chain.java", "--scope", "many"],
        &["compute", "Chain.java", "--timeout", "0"],
        &["compute", "Missing.java"],
        &["show", "Chain.java", "--class", "Missing"],
    ] {
        let said = workspace.bounds(arguments).exits(2);
        assert!(said.stderr.contains("error: "), "{said:?}");
    }
    workspace.write("Plain.java", "class Plain { int f(int x) { return x; } }");
    workspace.bounds(&["compute", "Plain.java", "Missing.java"]).exits(3).warns(&["Missing.java"]);
    workspace.bounds(&["compute", "Plain.java"]).exits(0).shows(&["no class here has invariants"]);
}
