//! Damaged classes, jars, sources and configurations, by the hundred: an exit code of the contract and a document
//! for each, no panic, and what is violated beside them stays violated. With `JAROSITE_NIGHT` there are 10^5 class files.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use clap::{CommandFactory, FromArgMatches};
use jarosite::check::{check_subject, exit_code};
use jarosite::cli::{CheckArgs, Cli, Command, FailOn, given};
use jarosite::config;
use verify::{Cause, Verdict};

use crate::workspace::{Document, Workspace};

/// A bit of everything that a class file may hold.
const SAMPLE: &str = "\
class Sample {
    static final int[] TABLE = {1, 2, 3};
    interface Shape { default int area() { return 1; } }
    enum Color implements Shape { RED, GREEN { @Override public int area() { return 2; } } }
    record Pair(int a, String b) {}
    int field = 3;
    /*@ nullable */ Sample next;
    int loop(int n) { int s = 0; for (int i = 0; i < n && i < 3; i++) s += TABLE[i]; return s; }
    static int choose(int x) { switch (x) { case 1: return 2; case 7: return 3; default: return 0; } }
    static String name(Object o) { return o instanceof Color c ? c.name() : \"other\" + o; }
    int caught(int[] a, int i) { try { return a[i]; } catch (ArrayIndexOutOfBoundsException e) { return -1; } }
    static int applied(int x) { java.util.function.IntUnaryOperator f = y -> y + x; return f.applyAsInt(1); }
    boolean same(Pair p) { synchronized (this) { return next != null && p.a() == field; } }
    long wide(long a, double b) { return b > 0 ? a << 3 : ~a; }
}
";

const VIOLATED: &str = "class Violated { static int f(int x) { return 1 / x; } }";

/// Marsaglia's xorshift: the same mutants in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound.max(1) as u64) as usize
    }

    /// The same with a few bytes changed, left out or repeated.
    fn mutate(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut mutant = bytes.to_vec();
        for _ in 0..=self.below(3) {
            let at = self.below(mutant.len());
            match self.below(12) {
                0 => mutant.truncate(at),
                1 => mutant.insert(at.min(mutant.len()), [0, b'{', b'"', 0xff][self.below(4)]),
                2 if at < mutant.len() => drop(mutant.remove(at)),
                3 => {
                    let end = (at + self.below(40)).min(mutant.len());
                    let part = mutant[at.min(end)..end].to_vec();
                    let to = self.below(mutant.len());
                    mutant.splice(to..to, part);
                }
                _ if at < mutant.len() => {
                    mutant[at] = match self.below(3) {
                        0 => mutant[at] ^ (1 << self.below(8)),
                        1 => self.below(256) as u8,
                        _ => [0x00, 0x7f, 0x80, 0xff][self.below(4)],
                    }
                }
                _ => {}
            }
        }
        mutant
    }
}

/// So many by day, and at night.
fn rounds(day: usize, night: usize) -> usize {
    if std::env::var_os("JAROSITE_NIGHT").is_some() { night } else { day }
}

fn arguments(paths: &[&Path]) -> (CheckArgs, jarosite::cli::Given) {
    let options = [
        "--replay",
        "off",
        "--no-cache",
        "--bounds",
        "off",
        "--timeout",
        "5",
        "--scope",
        "1",
        "--array-length",
        "1",
        "--string-length",
        "1",
        "--jobs",
        "1",
        "--quiet",
    ];
    let words = ["jarosite", "check", "--invariants", "declared"].map(String::from).into_iter();
    let paths = paths.iter().map(|path| path.display().to_string());
    let words = words.chain(paths).chain(options.map(String::from));
    let matches = Cli::command().try_get_matches_from(words).expect("good arguments");
    let Command::Check(args) = Cli::from_arg_matches(&matches).expect("a command").command else {
        panic!("it is a check");
    };
    (*args, given(&matches))
}

/// Checks what is there without a process; the exit code.
fn checked(paths: &[&Path]) -> u8 {
    let (args, _) = arguments(paths);
    let start = Instant::now();
    let checked = match check_subject(&args, &mut |_| {}) {
        Ok(checked) => checked,
        Err(sentence) => {
            assert!(!sentence.is_empty() && !sentence.contains("panicked"), "{sentence}");
            return 2;
        }
    };
    for result in &checked.results {
        let is_ours = matches!(result.verdict, Verdict::Undecided(Cause::Internal(_)));
        assert!(!is_ours, "{}: {:?}", result.name(), result.cause());
    }
    // A document whatever names and texts there are.
    let document = Document::parse(&report::json(&checked.run()));
    assert_eq!(document.results().len(), checked.results.len());
    // As many methods as may run to the limit.
    let limit = Duration::from_secs(7) * (checked.results.len() as u32 + 2);
    assert!(start.elapsed() < limit, "it took {:?}", start.elapsed());
    exit_code(&checked.results, FailOn::Error)
}

/// The classes of the sample and one with a violation.
fn compiled() -> Workspace {
    let workspace = Workspace::with("Sample.java", SAMPLE);
    workspace.write("Violated.java", VIOLATED);
    workspace.jdk("javac", &["-g", "-d", "classes", "Sample.java", "Violated.java"]);
    workspace
}

#[test]
fn mutated_classes_take_nothing_along() {
    let workspace = compiled();
    let entries = fs::read_dir(workspace.path("classes")).expect("a directory");
    let mut originals: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    originals.retain(|path| !path.ends_with("Violated.class"));
    originals.sort();
    let mut random = Random(0x5eed_0001);
    for round in 0..rounds(120, 100_000) {
        let original = &originals[round % originals.len()];
        let bytes = fs::read(original).expect("a class");
        workspace.write("mutant/Mutant.class", random.mutate(&bytes));
        let (mutant, violated) =
            (workspace.path("mutant/Mutant.class"), workspace.path("classes/Violated.class"));
        let code = checked(&[&mutant, &violated]);
        assert_eq!(code, 1, "mutant {round} of {}", original.display());
    }
}

#[test]
fn mutated_jars_take_nothing_along() {
    let workspace = compiled();
    workspace.jdk("jar", &["--create", "--file", "all.jar", "-C", "classes", "."]);
    let whole = fs::read(workspace.path("all.jar")).expect("a jar");
    let mut random = Random(0x5eed_0002);
    for round in 0..rounds(60, 5_000) {
        workspace.write("mutant.jar", random.mutate(&whole));
        let (mutant, violated) =
            (workspace.path("mutant.jar"), workspace.path("classes/Violated.class"));
        assert_eq!(checked(&[&mutant, &violated]), 1, "mutant {round}");
    }
}

/// Each in a package of its own, so that one call of javac is enough for many.
#[test]
fn mutated_sources_take_nothing_along() {
    let mut random = Random(0x5eed_0003);
    for _ in 0..rounds(2, 100) {
        let workspace = Workspace::with("Violated.java", VIOLATED);
        for number in 0..20 {
            let mutant = random.mutate(SAMPLE.as_bytes());
            let mut text = format!("package m{number}; ").into_bytes();
            text.extend(mutant);
            workspace.write(&format!("m{number}/Sample.java"), text);
        }
        workspace.write("m0/Sample.jml", random.mutate(SAMPLE.as_bytes()));
        assert_eq!(checked(&[&workspace.path(".")]), 1);
    }
}

const SETTINGS: &str = "\
scope = { default = 3, Node = 5 }
array-length = 4
timeout = 2.5
nullness = \"nullable\"
exclude = [\"gen.*\"]
classpath = [\"lib\"]
baseline = \"known.json\"
[properties]
array-store = false
[[suppress]]
fingerprint = \"0123\"
reason = \"known\"
";

#[test]
fn mutated_configurations_are_read_or_refused() {
    let workspace = Workspace::with("src/Violated.java", VIOLATED);
    let (args, given) = arguments(&[&workspace.path("src/Violated.java")]);
    let mut random = Random(0x5eed_0004);
    let mut refused = 0;
    for round in 0..rounds(3_000, 100_000) {
        workspace.write("src/jarosite.toml", random.mutate(SETTINGS.as_bytes()));
        let mut args = args.clone();
        if let Err(sentence) = config::complete(&mut args, &given) {
            assert!(sentence.contains("jarosite.toml"), "{round}: {sentence}");
            refused += 1;
        }
    }
    assert!(refused > 100, "{refused}");
    // And through the whole tool.
    for _ in 0..rounds(6, 300) {
        workspace.write("src/jarosite.toml", random.mutate(SETTINGS.as_bytes()));
        let (said, document) = workspace.json(&["src", "--replay", "off"]);
        assert_eq!(said.code == 2, document.0["error"].is_string(), "{said:?}");
    }
}
