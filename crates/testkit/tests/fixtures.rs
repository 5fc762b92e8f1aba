//! Every fixture file gets the verdict that it expects, and every counterexample is confirmed by
//! the JVM. `FIXTURE=text` restricts to files whose name contains the text.

use std::path::Path;

use testkit::fixtures::{self, Outcome};
use verify::Calls;

/// Calls that are abstracted, even the smallest.
const INFER: Calls = Calls::Infer { small: 0, relevant_first: true };

#[test]
fn all_fixtures() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let filter = std::env::var("FIXTURE").unwrap_or_default();
    let found = fixtures::find(&directory, &filter).expect("fixtures can be read");
    let jobs = std::thread::available_parallelism().map_or(1, |n| n.get());
    let outcome = fixtures::run(&found, jobs).expect("a JDK is installed");
    let (fixtures, methods) = (outcome.fixtures, outcome.methods);
    println!("{fixtures} fixtures, {methods} methods, {} replays confirmed", outcome.confirmed);
    for (time, name) in &outcome.slowest {
        println!("{time:6} ms  {name}");
    }
    assert!(filter.is_empty() && fixtures >= 150 || fixtures > 0, "fixtures are missing");
    let failures = outcome.failures.join("\n");
    assert!(outcome.failures.is_empty(), "{}:\n{failures}", outcome.failures.len());
}

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

/// What a method may take as a whole and a part as such: few conflicts of a small one, and what is
/// usual for a test of the others.
const HARDLY_ANY: u64 = 1_000;
const SOME: u64 = 20_000_000;

/// Every method in so many parts on two threads, or in parts that are divided again and again: together
/// they say what the whole says. How many methods were divided, and how many of them with abstracted
/// calls.
fn splitting_changes_no_verdict(
    calls: Calls,
    split: Option<u32>,
    patience: u64,
    is_wanted: impl Fn(&str) -> bool,
) -> (usize, usize) {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let filter = std::env::var("FIXTURE").unwrap_or_default();
    let mut found = fixtures::find(&directory, &filter).expect("fixtures can be read");
    found.retain(|fixture| is_wanted(&fixture.name));
    if found.is_empty() && !filter.is_empty() {
        return (usize::MAX, usize::MAX);
    }
    let parts = |options: &mut verify::Options| {
        options.split = split;
        options.patience = patience;
        options.smaller = 1.0;
        options.threads = 2;
        if options.calls == Calls::Inline {
            options.calls = calls;
        }
    };
    let outcome = fixtures::run_with(&found, 2, parts).expect("a JDK is installed");
    let Outcome { methods, divided, divided_abstract, .. } = outcome;
    println!("{divided} of {methods} divided, {divided_abstract} with abstracted calls");
    assert!(outcome.failures.is_empty(), "{}", outcome.failures.join("\n"));
    match filter.is_empty() {
        true => (divided, divided_abstract),
        // Of a selection nothing is expected.
        false => (usize::MAX, usize::MAX),
    }
}

fn is_small(name: &str) -> bool {
    SMALL.iter().any(|directory| name.starts_with(directory))
}

#[test]
fn two_parts_change_no_verdict() {
    let (divided, _) = splitting_changes_no_verdict(Calls::Inline, Some(2), SOME, |_| true);
    assert!(divided > 300, "{divided}");
}

#[test]
fn eight_parts_change_no_verdict() {
    let (divided, _) = splitting_changes_no_verdict(Calls::Inline, Some(8), SOME, |_| true);
    assert!(divided > 300, "{divided}");
}

#[test]
fn parts_of_parts_change_no_verdict() {
    let (divided, _) = splitting_changes_no_verdict(Calls::Inline, None, HARDLY_ANY, is_small);
    assert!(divided > 80, "{divided}");
    splitting_changes_no_verdict(Calls::Inline, None, SOME, |name| !is_small(name));
}

#[test]
fn two_parts_with_inference_change_no_verdict() {
    let (_, divided) = splitting_changes_no_verdict(INFER, Some(2), SOME, |_| true);
    assert!(divided > 50, "{divided}");
}

#[test]
fn eight_parts_with_inference_change_no_verdict() {
    let (_, divided) = splitting_changes_no_verdict(INFER, Some(8), SOME, |_| true);
    assert!(divided > 50, "{divided}");
}

#[test]
fn parts_of_parts_with_inference_change_no_verdict() {
    let (_, divided) = splitting_changes_no_verdict(INFER, None, HARDLY_ANY, is_small);
    assert!(divided > 10, "{divided}");
}

/// Whether symmetric heaps are searched once or many times changes no verdict.
#[test]
fn symmetry_changes_no_verdict() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let found = fixtures::find(&directory, "").expect("fixtures can be read");
    let off = |options: &mut verify::Options| options.symmetry = false;
    let outcome = fixtures::run_with(&found, 2, off).expect("a JDK is installed");
    assert!(outcome.failures.is_empty(), "{}", outcome.failures.join("\n"));
}

/// Whether numbers that are only compared have bits or an order changes no verdict. (The other
/// tests run with an order.)
#[test]
fn order_changes_no_verdict() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let found = fixtures::find(&directory, "").expect("fixtures can be read");
    let off = |options: &mut verify::Options| options.order = false;
    let outcome = fixtures::run_with(&found, 2, off).expect("a JDK is installed");
    assert!(outcome.failures.is_empty(), "{}", outcome.failures.join("\n"));
}

/// Going through the inputs one by one, and encoding by a sample of them, as soon as there is anything
/// to ask changes no verdict.
#[test]
fn cases_change_no_verdict() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let filter = std::env::var("FIXTURE").unwrap_or_default();
    let found = fixtures::find(&directory, &filter).expect("fixtures can be read");
    let at_once = |options: &mut verify::Options| options.cases_after = Some(0);
    let outcome = fixtures::run_with(&found, 2, at_once).expect("a JDK is installed");
    assert!(outcome.failures.is_empty(), "{}", outcome.failures.join("\n"));
}

/// Checking each shape of an input by itself, wherever there is anything to ask, changes no verdict.
/// Many shapes of what is easy take long, hence the directories.
#[test]
fn shapes_change_no_verdict() {
    const WANTED: [&str; 5] = ["alloy/", "canonical/", "cursor/", "order/", "shapes/"];
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let filter = std::env::var("FIXTURE").unwrap_or_default();
    let mut found = fixtures::find(&directory, &filter).expect("fixtures can be read");
    found.retain(|fixture| WANTED.iter().any(|wanted| fixture.name.starts_with(wanted)));
    let at_once = |options: &mut verify::Options| {
        options.cases_after = Some(0);
        options.shapes_per_second = f64::INFINITY;
        options.threads = 2;
    };
    let outcome = fixtures::run_with(&found, 2, at_once).expect("a JDK is installed");
    assert!(outcome.failures.is_empty(), "{}", outcome.failures.join("\n"));
    println!("{} of {} methods by shape", outcome.divided, outcome.methods);
    assert!(outcome.divided >= 20 || !filter.is_empty(), "hardly anything was checked by shape");
}

/// Whether the input is restricted to tight bounds changes no verdict.
#[test]
fn bounds_change_no_verdict() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let found = fixtures::find(&directory, "").expect("fixtures can be read");
    let off = |options: &mut verify::Options| options.bounds = false;
    let outcome = fixtures::run_with(&found, 2, off).expect("a JDK is installed");
    assert!(outcome.failures.is_empty(), "{}", outcome.failures.join("\n"));
}

/// Calls that are abstracted, even the smallest, and refined on demand: the same verdicts. What was
/// found out about them is enough for a fresh solver too.
#[test]
fn inference_changes_no_verdict() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let filter = std::env::var("FIXTURE").unwrap_or_default();
    let found = fixtures::find(&directory, &filter).expect("fixtures can be read");
    let infer = |options: &mut verify::Options| {
        options.recheck = true;
        if options.calls == Calls::Inline {
            options.calls = INFER;
        }
    };
    let outcome = fixtures::run_with(&found, 2, infer).expect("a JDK is installed");
    for (time, name) in &outcome.slowest {
        println!("{time:6} ms  {name}");
    }
    assert!(outcome.failures.is_empty(), "{}", outcome.failures.join("\n"));
}
