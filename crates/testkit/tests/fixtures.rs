//! Every fixture file gets the verdict that it expects, and every counterexample is confirmed by
//! the JVM; and no technique of the checker changes a verdict by being switched on or off.
//!
//! `FIXTURE=text` restricts to files whose name contains the text, `TECHNIQUE=text` to techniques.
//! By day each fixture is run with one technique, chosen by a hash of all fixtures, so that every
//! change of the suite draws another sample; with `JAROSITE_NIGHT` each is run with all of them.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use testkit::fixtures::{self, Fixture, Outcome};
use verify::{Calls, Options};

/// Calls that are abstracted, even the smallest.
const INFER: Calls = Calls::Infer { small: 0, relevant_first: true };

/// What a method may take as a whole and a part as such: few conflicts of a small one, and what is
/// usual for a test of the others.
const HARDLY_ANY: u64 = 1_000;
const SOME: u64 = 20_000_000;

/// Directories of fixtures without much code of the library: dividing that again and again takes long.
const SMALL: [&str; 10] = [
    "alloy/",
    "array/",
    "canonical/",
    "control/",
    "cursor/",
    "exceptions/",
    "infer/",
    "jml-expr/",
    "objects/",
    "order/",
];

/// Many shapes of what is easy take long, so only these are checked shape by shape.
const SHAPED: [&str; 5] = ["alloy/", "canonical/", "cursor/", "order/", "shapes/"];

/// A way of checking that must not change what is found.
struct Technique {
    name: &'static str,
    adjust: fn(&mut Options),
    suits: fn(&Fixture) -> bool,
    /// How many methods it divides at least when it is run on all fixtures.
    divides: usize,
}

const fn technique(name: &'static str, adjust: fn(&mut Options)) -> Technique {
    Technique { name, adjust, suits: |_| true, divides: 0 }
}

const TECHNIQUES: [Technique; 13] = [
    technique("heaps that differ in names only are searched many times", |o| o.symmetry = false),
    technique("numbers that are only compared have bits", |o| o.order = false),
    technique("no tight bounds", |o| o.bounds = false),
    technique("inputs one by one as soon as there is anything to ask", |o| {
        o.tuning.cases_after = Some(0)
    }),
    technique("calls are abstracted and refined", |o| {
        o.tuning.recheck = true;
        infer(o);
    }),
    Technique {
        suits: |f| SHAPED.iter().any(|directory| f.name.starts_with(directory)),
        divides: 20,
        ..technique("shape by shape", |o| {
            o.tuning.cases_after = Some(0);
            o.tuning.shapes_per_second = f64::INFINITY;
            o.threads = 2;
        })
    },
    Technique { divides: 300, ..technique("two parts", |o| divide(o, Some(2), SOME)) },
    Technique { divides: 300, ..technique("eight parts", |o| divide(o, Some(8), SOME)) },
    Technique {
        suits: is_small,
        divides: 80,
        ..technique("parts of parts", |o| divide(o, None, HARDLY_ANY))
    },
    Technique {
        suits: |f| !is_small(f),
        ..technique("parts of large parts", |o| divide(o, None, SOME))
    },
    Technique {
        divides: 50,
        ..technique("two parts with abstracted calls", |o| {
            infer(o);
            divide(o, Some(2), SOME);
        })
    },
    Technique {
        divides: 50,
        ..technique("eight parts with abstracted calls", |o| {
            infer(o);
            divide(o, Some(8), SOME);
        })
    },
    Technique {
        suits: is_small,
        divides: 10,
        ..technique("parts of parts with abstracted calls", |o| {
            infer(o);
            divide(o, None, HARDLY_ANY);
        })
    },
];

fn is_small(fixture: &Fixture) -> bool {
    SMALL.iter().any(|directory| fixture.name.starts_with(directory))
}

fn infer(options: &mut Options) {
    if options.calls == Calls::Inline {
        options.calls = INFER;
    }
}

/// On two threads, in so many parts, or in parts that are divided again and again.
fn divide(options: &mut Options, split: Option<u32>, patience: u64) {
    options.split = split;
    options.tuning.patience = patience;
    options.tuning.smaller = 1.0;
    options.threads = 2;
}

fn found(wanted: impl Fn(&Fixture) -> bool) -> Vec<Fixture> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let filter = std::env::var("FIXTURE").unwrap_or_default();
    let mut found = fixtures::find(&directory, &filter).expect("fixtures can be read");
    found.retain(wanted);
    found
}

fn is_selection() -> bool {
    std::env::var("FIXTURE").is_ok_and(|filter| !filter.is_empty())
}

fn jobs() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get())
}

fn show(outcome: &Outcome) {
    for (time, name) in &outcome.slowest {
        println!("{time:6} ms  {name}");
    }
    let failures = outcome.failures.join("\n");
    assert!(outcome.failures.is_empty(), "{}:\n{failures}", outcome.failures.len());
}

#[test]
fn all_fixtures() {
    let found = found(|_| true);
    let outcome = fixtures::run(&found, jobs()).expect("a JDK is installed");
    let (fixtures, methods) = (outcome.fixtures, outcome.methods);
    println!("{fixtures} fixtures, {methods} methods, {} replays confirmed", outcome.confirmed);
    assert!(!is_selection() && fixtures >= 150 || fixtures > 0, "fixtures are missing");
    show(&outcome);
}

#[test]
fn no_technique_changes_a_verdict() {
    match std::env::var_os("JAROSITE_NIGHT") {
        None => each_fixture_with_one_technique(),
        Some(_) => all_fixtures_with_all_techniques(),
    }
}

fn each_fixture_with_one_technique() {
    let found = found(|_| true);
    let mut suite = DefaultHasher::new();
    found.iter().for_each(|fixture| fixture.text.hash(&mut suite));
    let chosen = |fixture: &Fixture| {
        let mut draw = suite.clone();
        fixture.name.hash(&mut draw);
        let suitable: Vec<_> = techniques().filter(|t| (t.suits)(fixture)).collect();
        let at = draw.finish() as usize % suitable.len().max(1);
        suitable.get(at).copied()
    };
    let adjust = |fixture: &Fixture, options: &mut Options| {
        if let Some(technique) = chosen(fixture) {
            (technique.adjust)(options);
        }
    };
    let name = |fixture: &Fixture| chosen(fixture).map_or("", |t| t.name).to_string();
    let outcome = fixtures::run_with(&found, jobs(), adjust, name).expect("a JDK is installed");
    println!("{} of {} methods divided", outcome.divided, outcome.methods);
    assert!(is_selection() || outcome.divided > 50, "hardly anything is divided");
    show(&outcome);
}

fn all_fixtures_with_all_techniques() {
    for technique in techniques() {
        let found = found(technique.suits);
        if found.is_empty() {
            continue;
        }
        let adjust = |_: &Fixture, options: &mut Options| (technique.adjust)(options);
        let name = |_: &Fixture| technique.name.to_string();
        let outcome = fixtures::run_with(&found, jobs(), adjust, name).expect("a JDK is installed");
        let Outcome { methods, divided, divided_abstract, .. } = outcome;
        println!("{}: {divided} of {methods} divided", technique.name);
        let divided =
            if technique.name.contains("abstracted") { divided_abstract } else { divided };
        assert!(is_selection() || divided >= technique.divides, "{}: {divided}", technique.name);
        show(&outcome);
    }
}

fn techniques() -> impl Iterator<Item = &'static Technique> {
    let filter = std::env::var("TECHNIQUE").unwrap_or_default();
    TECHNIQUES.iter().filter(move |technique| technique.name.contains(&filter))
}
