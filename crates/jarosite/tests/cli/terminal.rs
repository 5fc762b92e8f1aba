//! What somebody sees who waits: a bar that leaves nothing behind, lines in a log, and an end at any
//! moment.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::workspace::{Document, Said, VERDICTS, Workspace};

/// A method that takes longer than anybody waits, after one that takes no time.
const HARD: &str = "\
class Hard {
    static int easy(int a) { return a; }
    static int divide(int a, int b) { return a / b; }
    static void factors(long a, long b) {
        if (a > 1 && b > 1 && a < 4294967296L && b < 4294967296L) {
            assert a * b != 1000000016000000063L;
        }
    }
    static void after(int a) { }
}
";

/// What a terminal shows in the end of a command that runs in it.
fn on_terminal(workspace: &Workspace, arguments: &str) -> (String, i32) {
    let binary = env!("CARGO_BIN_EXE_jarosite");
    let mut command = Command::new("script");
    command.args(["-qec", &format!("{binary} check {arguments}"), "/dev/null"]);
    command.current_dir(workspace.path(".")).env("JAROSITE_CACHE_DIR", workspace.path(".cache"));
    let output = command.stdin(Stdio::null()).output().expect("script runs");
    let bar = String::from_utf8_lossy(&output.stdout).contains("methods, ");
    assert!(bar || arguments.contains("--quiet"), "there was a bar");
    let mut terminal = vt100::Parser::new(200, 120, 0);
    terminal.process(&output.stdout);
    let lines = terminal.screen().contents();
    (lines, output.status.code().expect("an exit code"))
}

fn without_times(text: &str) -> Vec<&str> {
    let lines = text.trim_end().lines().map(str::trim_end);
    lines.map(|line| line.split(" undecided in ").next().unwrap_or(line)).collect()
}

#[test]
fn the_bar_leaves_nothing_behind() {
    let workspace = Workspace::compiled("Verdicts.java", VERDICTS);
    let plain = workspace.check(&["classes"]).exits(1).quietly();
    let (shown, code) = on_terminal(&workspace, "classes");
    assert_eq!(code, 1);
    assert_eq!(without_times(&shown), without_times(&plain.stdout));
}

#[test]
fn no_color_and_quiet_are_obeyed() {
    let workspace = Workspace::compiled("Verdicts.java", VERDICTS);
    let (shown, code) = on_terminal(&workspace, "classes --quiet --method same");
    assert_eq!((shown.trim(), code), ("", 0));
    let said = workspace.check(&["classes", "--quiet"]).exits(1).quietly();
    assert!(said.stdout.starts_with("error[division-by-zero]"), "{}", said.stdout);
    assert!(said.stdout.contains("undecided  Verdicts.half(double)"), "{}", said.stdout);
    assert!(!said.stdout.contains("ok ") && !said.stdout.contains("4 methods"), "{}", said.stdout);
}

#[test]
fn verbose_tells_each_stage() {
    let workspace = Workspace::compiled("Verdicts.java", VERDICTS);
    let said = workspace.check(&["classes", "--verbose", "--method", "divide"]).exits(1);
    said.warns(&[
        "loading classes\n",
        "Verdicts.divide(int,int): encoding, loops to depth 4\n",
        "Verdicts.divide(int,int): solving, 1 goal, loops to depth 4\n",
        "Verdicts.divide(int,int): replaying on the JVM\n",
    ]);
}

/// Starts a check that does not end by itself, and interrupts it once it has shown this.
fn interrupted(workspace: &Workspace, arguments: &[&str], after: &str) -> (Said, Duration) {
    let mut command = workspace.command();
    command
        .args(["check", "--invariants", "declared"])
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("the binary runs");
    let mut shown = Vec::new();
    let mut out = child.stdout.take().expect("a pipe");
    while !String::from_utf8_lossy(&shown).contains(after) {
        let mut bytes = [0; 256];
        let count = out.read(&mut bytes).expect("more output");
        assert!(count > 0, "it ended: {}", String::from_utf8_lossy(&shown));
        shown.extend(&bytes[..count]);
    }
    std::thread::sleep(Duration::from_millis(300));
    let begin = Instant::now();
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.expect("kill runs").success());
    out.read_to_end(&mut shown).expect("the rest");
    let took = begin.elapsed();
    let mut output = child.wait_with_output().expect("it ends");
    output.stdout = shown;
    (Said::of(output), took)
}

#[test]
fn an_interruption_keeps_what_is_known() {
    let workspace = Workspace::compiled("Hard.java", HARD);
    let arguments = ["classes", "--jobs", "1", "--format", "human", "--format", "json=out.json"];
    let good = [&arguments[..], &["--method", "easy", "--method", "factors", "--method", "after"]];
    let (said, took) = interrupted(&workspace, &good.concat(), "ok         Hard.easy(int)");
    assert!(took < Duration::from_secs(5), "{took:?}");
    let said = said.exits(3).warns(&["interrupted: ending with what is known so far"]);
    said.shows(&[
        "ok         Hard.easy(int)",
        "undecided  Hard.factors(long,long): interrupted",
        "undecided  Hard.after(int): interrupted",
        "3 methods: 1 verified, 0 violated, 2 undecided",
    ]);
    let document = Document::parse(&workspace.read("out.json"));
    assert_eq!(document.method("factors(long,long)")["cause"], "interrupted");
    // With a violation among what is known, the code says so.
    let (said, _) = interrupted(&workspace, &arguments, "confirmed on the JVM");
    said.exits(1).shows(&["error[division-by-zero]", "undecided  Hard.factors(long,long)"]);
}

#[test]
fn an_interruption_does_not_wait_for_javac() {
    let workspace = Workspace::new();
    let mut methods = String::new();
    for method in 0..60 {
        methods.push_str(&format!(
            "static long m{method}(int a, java.util.List<String> b) {{\n\
             return b.stream().map(x -> x + a).map(x -> x + \"!\").count(); }}\n"
        ));
    }
    for class in 0..300 {
        workspace.write(&format!("src/C{class}.java"), format!("class C{class} {{\n{methods}}}\n"));
    }
    let mut command = workspace.command();
    command
        .args(["check", "--invariants", "declared", "src", "--verbose"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("the binary runs");
    let mut errors = child.stderr.take().expect("a pipe");
    let mut said = [0; 21];
    errors.read_exact(&mut said).expect("what it does");
    assert_eq!(&said, b"compiling 300 sources");
    std::thread::sleep(Duration::from_millis(500));
    let begin = Instant::now();
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.expect("kill runs").success());
    let mut rest = String::new();
    errors.read_to_string(&mut rest).expect("the rest");
    assert_eq!(child.wait().expect("it ends").code(), Some(2));
    assert!(rest.ends_with("error: interrupted before anything was checked\n"), "{rest}");
    let took = begin.elapsed();
    assert!(took < Duration::from_secs(3), "{took:?}");
}

#[test]
fn an_interruption_does_not_wait_for_a_large_formula() {
    let workspace = Workspace::new();
    let trees = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benchmarks/taco/TreeSet.java");
    std::fs::copy(trees, workspace.path("TreeSet.java")).expect("the source");
    let mut command = workspace.command();
    command.args([
        "check",
        "--invariants",
        "declared",
        "TreeSet.java",
        "--class",
        "TreeSet",
        "--method",
        "remove",
    ]);
    // Without an end by itself it would be at work for minutes before it comes to the solver.
    command.args(["--scope", "40", "--bounds", "off", "--verbose"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    let mut errors = BufReader::new(child.stderr.take().expect("a pipe"));
    let mut line = String::new();
    while !line.contains("encoding") {
        line.clear();
        assert!(errors.read_line(&mut line).expect("a line") > 0, "it ended");
    }
    std::thread::sleep(Duration::from_millis(500));
    let begin = Instant::now();
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.expect("kill runs").success());
    let said = Said::of(child.wait_with_output().expect("it ends"));
    let took = begin.elapsed();
    said.exits(3).shows(&["undecided  TreeSet.remove(int): interrupted"]);
    // Mostly it takes a tenth of a second; without a way out it was more than ten.
    assert!(took < Duration::from_secs(3), "{took:?}");
}
