//! Every fixture file gets the verdict that it expects, and every counterexample is confirmed by
//! the JVM; and no technique of the checker changes a verdict by being switched on or off.
//!
//! One pass checks each fixture as users do, and in one more way: a technique and a combination of what the file
//! lets vary (`//- vary`), drawn by a hash of all fixtures, so that every change of the suite draws another sample and
//! all are seen over time. With `JAROSITE_NIGHT` each is checked in all ways. What suits a
//! whole directory stands in its `about.txt`: `small` (dividing its formulas again and again takes no time) and
//! `shapes` (its inputs are worth checking shape by shape).
//!
//! `FIXTURE=text` restricts to files whose name contains the text, `TECHNIQUE=text` to techniques.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use testkit::fixtures::{self, Fixture, Outcome, Way};
use verify::{Calls, Options};

/// Calls that are abstracted, even the smallest.
const INFER: Calls = Calls::Infer { small: 0, relevant_first: true };

/// What a method may take as a whole and a part as such: few conflicts of a small one, and what is
/// usual for a test of the others.
const HARDLY_ANY: u64 = 1_000;
const SOME: u64 = 20_000_000;

/// What is switched on or off, or forced.
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
        suits: |f| is_about(f, "shapes"),
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
    is_about(fixture, "small")
}

fn is_about(fixture: &Fixture, what: &str) -> bool {
    fixture.about.iter().any(|line| line == what)
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

fn found() -> Vec<Fixture> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let filter = std::env::var("FIXTURE").unwrap_or_default();
    fixtures::find(&directory, &filter).expect("fixtures can be read")
}

fn is_selection() -> bool {
    let is_given = |name: &str| std::env::var(name).is_ok_and(|filter| !filter.is_empty());
    is_given("FIXTURE") || is_given("TECHNIQUE")
}

fn jobs() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get())
}

#[test]
fn all_fixtures() {
    let found = found();
    let is_night = std::env::var_os("JAROSITE_NIGHT").is_some();
    let mut suite = DefaultHasher::new();
    found.iter().for_each(|fixture| fixture.text.hash(&mut suite));
    let ways = |fixture: &Fixture| {
        let all = ways(fixture);
        match is_night {
            true => all,
            false => vec![Way::USUAL, drawn(&suite, fixture, &all)],
        }
    };
    let outcome = fixtures::run(&found, jobs(), ways).expect("a JDK is installed");
    let (fixtures, methods) = (outcome.fixtures, outcome.methods);
    println!("{fixtures} fixtures, {methods} methods, {} replays confirmed", outcome.confirmed);
    assert!(
        !is_selection() && fixtures >= 150 || is_selection() && fixtures > 0,
        "fixtures are missing"
    );
    for (time, name) in &outcome.slowest {
        println!("{time:6} ms  {name}");
    }
    let failures = outcome.failures.join("\n");
    assert!(outcome.failures.is_empty(), "{}:\n{failures}", outcome.failures.len());
    if !is_selection() {
        techniques_divide(&outcome, is_night);
    }
}

/// Every way that suits a fixture: each technique with each combination of what varies, the usual one first.
fn ways(fixture: &Fixture) -> Vec<Way> {
    let suitable = techniques().filter(|technique| (technique.suits)(fixture));
    let of = |technique: &'static Technique| {
        let way = |variant| Way {
            name: technique.name,
            adjust: technique.adjust,
            variant: Some(variant),
        };
        (0..fixture.variants()).map(way)
    };
    std::iter::once(Way::USUAL).chain(suitable.flat_map(of)).collect()
}

/// One of the ways that are not the usual one.
fn drawn(suite: &DefaultHasher, fixture: &Fixture, all: &[Way]) -> Way {
    let mut draw = suite.clone();
    fixture.name.hash(&mut draw);
    let others = &all[1..];
    others.get(draw.finish() as usize % others.len().max(1)).copied().unwrap_or(Way::USUAL)
}

/// A technique that divides nothing would be right about everything.
fn techniques_divide(outcome: &Outcome, is_night: bool) {
    let divided = |technique: &Technique| {
        let divided = outcome.divided.get(technique.name).copied().unwrap_or_default();
        if technique.name.contains("abstracted") { divided.abstracted } else { divided.all }
    };
    let all: usize = techniques().map(divided).sum();
    println!("{all} methods divided");
    assert!(all > 50, "hardly anything is divided: {all}");
    for technique in techniques().filter(|_| is_night) {
        let divided = divided(technique);
        assert!(divided >= technique.divides, "{}: {divided}", technique.name);
    }
}

/// What is drawn depends on the suite, and over many suites everything is.
#[test]
fn every_way_is_drawn_sooner_or_later() {
    let all: Vec<Way> = (0..20).map(|n| Way { variant: Some(n), ..Way::USUAL }).collect();
    let some = found();
    let fixture = some.first().expect("there are fixtures");
    let draw = |number: u32| {
        let mut suite = DefaultHasher::new();
        number.hash(&mut suite);
        drawn(&suite, fixture, &all).variant
    };
    let seen: BTreeSet<_> = (0..400).map(draw).collect();
    assert_eq!(seen.len(), 19, "{seen:?}");
    assert_eq!(draw(3), draw(3));
}

fn techniques() -> impl Iterator<Item = &'static Technique> {
    let filter = std::env::var("TECHNIQUE").unwrap_or_default();
    TECHNIQUES.iter().filter(move |technique| technique.name.contains(&filter))
}
