//! Limits of time, and what is said where they are reached.

use std::time::{Duration, Instant};

use crate::workspace::{Document, Workspace};

/// Hard in different ways: texts, numbers, a loop of unknown length, much code of the library.
const HARD: &str = "\
class Hard {
    void text(String s) {
        String x = s.trim().toLowerCase().replace(\"a\", \"bb\");
        if (x.equals(\"bbcbbcq\") && s.indexOf(\"zz\") > 0) throw new IllegalStateException(x);
    }
    static boolean pattern(String s) { return s.matches(\"(a+)+b|c*d.*[x-z]{2,3}\"); }
    static int numbers(String s) {
        int n = 0;
        for (String p : s.split(\",\")) n += Integer.parseInt(p.trim());
        return 100 / (n - 4711);
    }
    static int steps(long n) {
        int k = 0;
        while (n != 1 && n > 0) { n = n % 2 == 0 ? n / 2 : 3 * n + 1; k++; }
        return 1 / (k - 500);
    }
    static void factors(long a, long b) {
        assert a <= 1 || b <= 1 || a > 1L << 30 || b > 1L << 30 || a * b != 1000000016000000063L;
    }
}
";

#[test]
fn a_time_limit_is_kept_within_a_second() {
    let workspace = Workspace::compiled("Hard.java", HARD).uncached();
    let latest = || {
        let arguments = ["classes", "--timeout", "3", "--jobs", "1", "--replay", "off"];
        let (said, document) = workspace.json(&arguments);
        said.exits(3);
        let times = document.results().iter().map(|r| r["stats"]["time_ms"].as_u64());
        times.flatten().max().expect("results")
    };
    // On a machine that is busy with other things, the clock says little.
    let found: Vec<u64> = (0..3).map(|_| latest()).take_while(|ms| *ms > 4_000).collect();
    assert!(found.len() < 3, "{found:?} ms for a limit of 3 s");
}

#[test]
fn the_hint_names_the_option_that_helps() {
    let text = "\
class Hints {
    static boolean text(String s) { return s.matches(\"(a+)+b|c*d.*[x-z]{2,3}\"); }
    static void array(long[] a) {
        long p = 1;
        for (long x : a) { if (x < 2) return; p *= x; }
        assert p != 1000000016000000063L;
    }
    static void number(long a, long b) { assert a <= 1 || b <= 1 || a * b != 1000000016000000063L; }
    long value;
    Hints next;
    void objects() {
        long p = 1;
        for (Hints h = this; h != null; h = h.next) { if (h.value < 2) return; p *= h.value; }
        assert p != 1000000016000000063L;
    }
}
";
    let workspace = Workspace::compiled("Hints.java", text).uncached();
    let (_, document) = workspace.json(&["classes", "--timeout", "0.3", "--replay", "off"]);
    for (method, option) in [
        ("text(String)", "--string-length"),
        ("array(long[])", "--array-length"),
        ("number(long,long)", "--int-bits"),
        ("objects()", "--scope"),
    ] {
        let found = document.method(method);
        if found["cause"] == "timeout" {
            assert_eq!(found["hint"], format!("lower {option}, or raise --timeout"), "{method}");
        } else {
            assert_ne!(method, "text(String)", "{found}");
        }
    }
    let said = workspace.check(&["classes", "--method", "text", "--timeout", "1"]).exits(3);
    said.shows(&["time ran out", "hint: lower --string-length, or raise --timeout"]);
    // What cannot be lowered is not named.
    let arguments = ["classes", "--method", "text", "--timeout", "1", "--string-length", "0"];
    let (_, document) = workspace.json(&arguments);
    let hint = document.method("text(String)")["hint"].to_string();
    assert!(!hint.contains("--string-length"), "{hint}");
}

#[test]
fn there_is_a_limit_unless_it_is_taken_away() {
    let workspace = Workspace::compiled("Hard.java", HARD);
    let said = workspace.check(&["--help"]).exits(0);
    said.shows(&["--timeout <SECONDS|none>", "[default: 30]"]);
    workspace.check(&["classes", "--method", "Hard", "--timeout", "none"]).exits(0).quietly();
    workspace.write("jarosite.toml", "timeout = \"none\"\n");
    workspace.check(&["classes", "--method", "Hard"]).exits(0).quietly();
    workspace.write("jarosite.toml", "timeout = \"never\"\n");
    let sentence = "`timeout` takes a positive number of seconds, or \"none\"";
    workspace.check(&["classes", "--method", "Hard"]).refuses(&[sentence]);
    workspace.write("jarosite.toml", "timeout = 1\n");
    let (_, document) = workspace.json(&["classes", "--method", "pattern"]);
    assert_eq!(document.method("pattern(String)")["cause"], "timeout");
}

#[test]
fn long_methods_are_not_slow_by_themselves() {
    let sums = "y += x; ".repeat(16_000);
    let cases: String = (0..9_000).map(|i| format!("case {i}: y++; ")).collect();
    let sums = format!("class Sums {{ static int f(int x) {{ int y = 0; {sums} return y; }} }}");
    let cases = format!(
        "class Cases {{ static int g(int x) {{ int y = 0; switch (x) {{ {cases} }} return y; }} }}"
    );
    let workspace = Workspace::compiled("Sums.java", &sums).uncached();
    workspace.write("Cases.java", cases);
    workspace.jdk("javac", &["-g", "-d", "classes", "Cases.java"]);
    let start = Instant::now();
    let (said, document) = workspace.json(&["classes", "--timeout", "10", "--replay", "off"]);
    said.exits(0);
    for method in ["f(int)", "g(int)"] {
        let time = document.method(method)["stats"]["time_ms"].as_u64().expect("a time");
        assert!(time < 10_000, "{method}: {time} ms");
    }
    assert!(start.elapsed() < Duration::from_secs(25), "{:?}", start.elapsed());
}

#[test]
fn javac_quotes_long_lines_but_not_we() {
    let line = "y += x; ".repeat(20_000);
    let text = format!("class Long {{ static int f(int x) {{ int y = 0; {line} return z; }} }}");
    let workspace = Workspace::with("Long.java", &text);
    let said = workspace.check(&["Long.java"]).exits(2).warns(&["cannot find symbol"]);
    assert!(said.stderr.len() < 4_000, "{} bytes", said.stderr.len());
}

#[test]
fn an_initialiser_that_never_ends_concerns_those_who_need_it() {
    let text = "\
class Spins {
    static int value = spin();
    static int spin() { int i = 0; while (true) { i++; if (i < 0) i = 0; } }
}
class Sleeps {
    static int value = 1;
    static { try { Thread.sleep(60_000); } catch (InterruptedException e) { value = 2; } }
}
class Others {
    static int fine(int x) { return x + 1; }
    static int wrong(int x) { return 1 / x; }
    static int spins(int x) { return Spins.value / x; }
    static int sleeps(int x) { return Sleeps.value / x; }
}
";
    let workspace = Workspace::compiled("Others.java", text);
    let start = Instant::now();
    let (said, document): (_, Document) = workspace.json(&["classes", "--class", "Others"]);
    said.exits(1);
    assert_eq!(document.verdict("fine(int)"), "verified");
    assert_eq!(document.method("wrong(int)")["violations"][0]["replay"], "confirmed");
    for method in ["spins(int)", "sleeps(int)"] {
        let found = document.method(method);
        // Whatever is said, it is not that the JVM did something else.
        let is_skipped = found["violations"][0]["replay"] == "skipped";
        let cause = found["cause"].as_str().unwrap_or_default();
        assert!(is_skipped || cause.starts_with("unsupported: "), "{found}");
    }
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}
