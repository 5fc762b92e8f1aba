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

fn run(text: &str, options: &Options, seconds: u64) -> (Expected, String) {
    let sources = [Source { name: "test.c".to_owned(), text: text.to_owned() }];
    let lowered = match lower(&sources, options) {
        Ok(lowered) => lowered,
        Err(problem) => return (Open, problem.to_string()),
    };
    let bounds = Bounds {
        deadline: Some(Instant::now() + Duration::from_secs(seconds)),
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

#[test]
fn figure_5a() {
    let text = "int inc(int x) { x = x + 1; return x; }
        void main(int a) { int b, c; b = inc(a); c = inc(b);
          if (c != a + 2) { ERROR: ; } }";
    let (found, said) = run(text, &options(), 20);
    assert_eq!(found, Unreachable, "{said}");
    for line in ["main: b == a + 1", "main: c == a + 2", "inc: x == θ_x", "inc: x == θ_x + 1"] {
        assert!(said.contains(line), "{said}");
    }
}

#[test]
fn figure_5b_with_unknown_globals() {
    let text = "int *p, *q;
        void main(){ if(*p == 3){ *q = 2; if(*p == 2){ *p = 3; if(*q == 2){ ERROR: ; } } } }";
    let (found, said) = run(text, &Options { unknown_globals: true, ..options() }, 20);
    assert_eq!(found, Unreachable, "{said}");
    assert!(said.contains("global: p == q"), "{said}");
}

#[test]
fn figure_1_as_a_program() {
    let text = "void main(int a, int b, int c) { if (b > 0) { c = 2*b; a = b; a = a - 1;
        if (a < b) { if (a == c) { ERROR: ; } } } }";
    let (found, said) = run(text, &options(), 20);
    assert_eq!(
        (found, said.as_str()),
        (Unreachable, "main: b > 0\nmain: a < b\nmain: c == 2 * b\n--\n")
    );
}

/// One program for each feature or interaction, with what is expected of it.
#[test]
fn small_programs() {
    agree(include_str!("small.txt"), &options());
}

/// Programs in the style in which verifiers are compared.
#[test]
fn typical_programs() {
    agree(include_str!("typical.txt"), &Options { target: Target::Assert, ..options() });
}

/// Each program of a text is found to be what its head says.
fn agree(all: &str, options: &Options) {
    let mut wrong = Vec::new();
    let mut count = 0;
    for section in all.split("//- ").skip(1) {
        let (head, text) = section.split_once('\n').expect("a program follows its head");
        let (name, expected) = head.rsplit_once(' ').expect("a head ends with what is expected");
        // Behind a question mark stands what is right, and not found out yet.
        let (expected, may_be_open) = match expected.strip_suffix('?') {
            Some(expected) => (expected, true),
            None => (expected, false),
        };
        let expected = match expected {
            "unreachable" => Unreachable,
            "reached" => Reached,
            "open" => Open,
            other => panic!("{name}: `{other}` is nothing to expect"),
        };
        let start = Instant::now();
        let patience = if may_be_open || expected == Open { 2 } else { 20 };
        let (found, said) = run(text, options, patience);
        count += 1;
        if found != expected && !(may_be_open && found == Open) {
            wrong.push(format!("{name}: {found:?} after {:?}\n{text}{said}\n", start.elapsed()));
        }
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn arithmetic_without_a_value_is_a_target() {
    let undefined = Options { target: Target::Undefined, ..options() };
    let all = [
        ("int main() { int x = __VERIFIER_nondet_int(); int y = x + 1; }", Reached),
        (
            "int main() { int x = __VERIFIER_nondet_int(); if (x < 100) { int y = x + 1; } }",
            Unreachable,
        ),
        ("int main() { int x = __VERIFIER_nondet_int(); int y = 10 / x; }", Reached),
        (
            "int main() { int x = __VERIFIER_nondet_int(); if (x > 0 && 10 / x > 3) return 1; }",
            Unreachable,
        ),
        ("int main() { unsigned x = __VERIFIER_nondet_uint(); x = x + 1; }", Unreachable),
        ("int main() { int i = 0; while (i < 100) i++; }", Unreachable),
        ("int main() { int x = __VERIFIER_nondet_int(); return 1 << (x & 63); }", Reached),
    ];
    for (text, expected) in all {
        let (found, said) = run(text, &undefined, 20);
        assert_eq!(found, expected, "{text}\n{said}");
    }
    let wraps = Options { wrap: true, ..undefined };
    assert_eq!(run(all[0].0, &wraps, 20).0, Unreachable);
}
