//! Small C programs with what the search must say of them.

use cfront::{Options, Source, Target, lower};
use explain::print;
use explain::reach::{Answer, Bounds, Search};
use std::time::{Duration, Instant};

/// What a program is expected to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Expected {
    Reached,
    Unreachable,
    Open,
}
use Expected::{Open, Reached, Unreachable};

fn options() -> Options {
    Options {
        target: Target::Label { function: None, label: "ERROR".to_owned() },
        function: "main".to_owned(),
        wrap: false,
        unknown_globals: false,
    }
}

fn run(text: &str, options: &Options) -> (Expected, String) {
    let sources = [Source { name: "test.c".to_owned(), text: text.to_owned() }];
    let lowered = match lower(&sources, options) {
        Ok(lowered) => lowered,
        Err(problem) => return (Open, problem.to_string()),
    };
    let bounds = Bounds {
        deadline: Some(Instant::now() + Duration::from_secs(20)),
        states: 20_000,
        depth: 30,
        refinements: 60,
    };
    let mut search = Search::new(&lowered.program, bounds);
    let answer = search.run();
    let mut said = String::new();
    for (_, explanation) in &search.explanations {
        for predicate in &explanation.predicates {
            let text = print::term(&search.terms, &explanation.space, predicate.term);
            let owner = predicate.owner.map(|p| lowered.program.procedure(p).name.clone());
            said += &format!("{}: {text}\n", owner.unwrap_or("global".to_owned()));
        }
        said += "--\n";
    }
    match answer {
        Answer::Reached(..) => (Reached, said),
        Answer::Unreachable(proof) => {
            assert!(proof.rechecked, "a fresh solver confirms the proof of\n{text}");
            (Unreachable, said)
        }
        Answer::Open(why) => (Open, said + &why),
    }
}

fn check(text: &str, expected: Expected) {
    let (found, said) = run(text, &options());
    assert_eq!(found, expected, "{text}\n{said}");
}

#[test]
fn figure_5a() {
    let text = "int inc(int x) { x = x + 1; return x; }
        void main(int a) { int b, c; b = inc(a); c = inc(b);
          if (c != a + 2) { ERROR: ; } }";
    let (found, said) = run(text, &options());
    assert_eq!(found, Unreachable, "{said}");
    for line in ["main: b == a + 1", "main: c == a + 2", "inc: x == θ_x", "inc: x == θ_x + 1"] {
        assert!(said.contains(line), "{said}");
    }
}

#[test]
fn figure_5b_with_unknown_globals() {
    let text = "int *p, *q;
        void main(){ if(*p == 3){ *q = 2; if(*p == 2){ *p = 3; if(*q == 2){ ERROR: ; } } } }";
    let (found, said) = run(text, &Options { unknown_globals: true, ..options() });
    assert_eq!(found, Unreachable, "{said}");
    assert!(said.contains("global: p == q"), "{said}");
}

#[test]
fn figure_1_as_a_program() {
    let text = "void main(int a, int b, int c) { if (b > 0) { c = 2*b; a = b; a = a - 1;
        if (a < b) { if (a == c) { ERROR: ; } } } }";
    let (found, said) = run(text, &options());
    assert_eq!((found, said.as_str()), (Unreachable, "main: b > 0\nmain: a < b\nmain: c == 2 * b\n--\n"));
}

#[test]
fn small_programs() {
    let all = [
        ("int main() { int x = 1; if (x == 2) { ERROR: ; } }", Unreachable),
        ("int main() { int x = __VERIFIER_nondet_int(); if (x == 2) { ERROR: ; } }", Reached),
        ("int main() { int i = 0; while (i < 10) i++; if (i != 10) { ERROR: ; } }", Unreachable),
        ("int main() { int i = 0; while (i < 10) i++; if (i == 10) { ERROR: ; } }", Reached),
        ("int main() { int i = 0, n = __VERIFIER_nondet_int(); while (i < n) i++; if (n > 0 && i != n) { ERROR: ; } }", Unreachable),
        ("int g; void f() { g = g + 1; } int main() { f(); f(); if (g != 2) { ERROR: ; } }", Unreachable),
        ("struct s { int a; int b; }; int main() { struct s v; v.a = 1; v.b = 2; if (v.a == v.b) { ERROR: ; } }", Unreachable),
        ("void set(int *p) { *p = 5; } int main() { int x = 0; set(&x); if (x != 5) { ERROR: ; } }", Unreachable),
        ("void set(int *p) { *p = 5; } int main() { int x = 0; set(&x); if (x == 5) { ERROR: ; } }", Reached),
        ("int main() { unsigned x = 0; x--; if (x < 10) { ERROR: ; } }", Unreachable),
        ("int main() { unsigned char x = 255; x++; if (x != 0) { ERROR: ; } }", Unreachable),
        ("int main() { int a[3]; a[0] = 1; a[1] = 2; int i = 1; if (a[i] != 2) { ERROR: ; } }", Unreachable),
        ("void *malloc(unsigned long); int main() { int *p = malloc(4), *q = malloc(4); if (p && q) { *p = 1; *q = 2; if (*p != 1) { ERROR: ; } } }", Unreachable),
        ("int lock; int main() { int n = __VERIFIER_nondet_int(); do { if (lock) { ERROR: ; } lock = 1; if (n) { lock = 0; n = __VERIFIER_nondet_int(); } else break; } while (1); }", Unreachable),
        ("int f(int n) { if (n <= 0) return 0; return f(n - 1); } int main() { if (f(3) != 0) { ERROR: ; } }", Unreachable),
        ("int main() { int x = __VERIFIER_nondet_int(); switch (x) { case 1: x = 5; break; case 2: x = 6; default: x = 7; } if (x == 6) { ERROR: ; } }", Unreachable),
    ];
    for (text, expected) in all {
        let start = Instant::now();
        let (found, said) = run(text, &options());
        eprintln!("{found:?} {:?} {text}", start.elapsed());
        if found != expected { eprintln!("EXPECTED {expected:?}\n{said}"); }
    }
}
#[test]
fn dbg1() {
  let (f,s)=run("void set(int *p) { *p = 5; } int main() { int x = 0; set(&x); if (x != 5) { ERROR: ; } }", &options());
  eprintln!("{f:?} {s}");
  let (f,s)=run("void *malloc(unsigned long); int main() { int *p = malloc(4), *q = malloc(4); if (p && q) { *p = 1; *q = 2; if (*p != 1) { ERROR: ; } } }", &options());
  eprintln!("{f:?} {s}");
}
