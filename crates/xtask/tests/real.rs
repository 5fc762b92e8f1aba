//! The corpus is what it says: every seeded bug fails where it is marked, through constructors and
//! public calls on a plain JVM, and the right version does not.

use std::path::{Path, PathBuf};
use std::process::Command;

use jarosite::jdk::Jdk;
use xtask::bench::real::corpus::{BUGS, Subject, folder, subjects, version_name};

/// How a route ended in a version: its outcome, and the lines of the corpus on the stack.
struct Ending {
    version: String,
    route: String,
    outcome: String,
    lines: Vec<u64>,
}

#[test]
fn every_seeded_bug_fails_where_it_is_marked() {
    let root = tempfile::tempdir().expect("a folder");
    let subjects = subjects().expect("the corpus");
    assert_eq!(subjects.len(), 16);
    let endings = endings(root.path(), &subjects);
    for subject in &subjects {
        for bug in BUGS {
            check(subject, bug, &endings);
        }
    }
}

fn check(subject: &Subject, bug: u32, endings: &[Ending]) {
    let seeded = subject.seeded(bug);
    assert!(!seeded.kind.is_empty(), "{} {bug} does not say what it is", subject.name);
    let mut letters = subject.name.chars();
    let first = letters.next().expect("a name").to_ascii_lowercase();
    let route = format!("{first}{}{bug}", letters.as_str());
    let ending = |version: &str| {
        let mut fitting = endings.iter().filter(|e| e.version == version && e.route == route);
        fitting.next().unwrap_or_else(|| panic!("no route {route}"))
    };
    let wrong = ending(&version_name(Some(bug)));
    assert!(wrong.outcome != "returns" && !is_refusal(wrong), "{route} does not fail");
    let shows = wrong.lines.first().is_some_and(|line| seeded.fails.contains(line));
    assert!(shows, "{route}: {} at {:?}, not at a marked line", wrong.outcome, wrong.lines);
    let right = ending("right");
    let is_well = right.outcome == "returns" || is_refusal(right);
    assert!(is_well, "{route} fails in the right version: {}", right.outcome);
}

/// Whether a class refuses its arguments.
fn is_refusal(ending: &Ending) -> bool {
    ending.outcome == "java.lang.IllegalArgumentException"
}

/// Runs all routes in all versions: one JVM, which compiles them too.
fn endings(root: &Path, subjects: &[Subject]) -> Vec<Ending> {
    let routes = folder().join("routes");
    let mut versions: Vec<PathBuf> = Vec::new();
    for bug in [None].into_iter().chain(BUGS.map(Some)) {
        let version = root.join(version_name(bug));
        for subject in subjects {
            subject.write(bug, &version).expect("a version is written");
        }
        std::fs::copy(routes.join("Routes.java"), version.join("real/Routes.java"))
            .expect("routes");
        versions.push(version);
    }
    let jdk = Jdk::find().expect("a JDK");
    let mut command = Command::new(jdk.java);
    let output = command.arg(routes.join("Confirm.java")).args(versions).output().expect("a JVM");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complaint}");
    String::from_utf8_lossy(&output.stdout).lines().map(ending).collect()
}

fn ending(line: &str) -> Ending {
    let words: Vec<&str> = line.split(' ').collect();
    let [version, route, outcome, lines @ ..] = &words[..] else {
        panic!("not an ending: {line}");
    };
    let text = |word: &&str| word.to_string();
    let lines = lines.iter().map(|line| line.parse().expect("a line")).collect();
    Ending { version: text(version), route: text(route), outcome: text(outcome), lines }
}
