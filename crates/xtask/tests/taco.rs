//! The containers of `benchmarks/taco`: as many valid structures as there are, all methods right,
//! whatever is switched on, and the faults found. The same as `./x bench taco --quick` shows.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use ir::MethodId;
use verify::enumerate::Count;
use verify::progress::{Activity, Listener, Watch};
use verify::{Options, Tuning, Verdict};
use xtask::bench::mutation::{TARGETS, kill};
use xtask::bench::taco::{Containers, in_scope, subjects, word};
use xtask::bench::taco_faults::{extract_min, full_cache};
use xtask::bench::taco_paper::INSTANCES;

/// Long enough for any machine.
const LONGEST: Duration = Duration::from_secs(600);

#[test]
fn there_are_as_many_structures_as_there_should_be() {
    let containers = Containers::open().expect("they compile");
    for (class, expected) in INSTANCES {
        let most = if class == "BSTree" { 6 } else { 7 };
        for (nodes, instances) in (3..=most).zip(expected) {
            let count = containers.count(class, nodes, true).expect("it is laid out");
            assert_eq!(count, Count { instances, complete: true }, "{class}, {nodes} nodes");
        }
        // Bounds exclude none of them.
        let count = containers.count(class, 4, false).expect("it is laid out");
        let expected = Count { instances: expected[1], complete: true };
        assert_eq!(count, expected, "{class}, without bounds");
    }
}

#[test]
fn bounds_are_decided_and_small() {
    let containers = Containers::open().expect("they compile");
    for (class, _) in INSTANCES {
        for (scope, most) in [(5, 0.6), (10, 0.45), (20, 0.3)] {
            let tight = containers.tighten(class, scope, Some(LONGEST)).expect("it is laid out");
            assert!(tight.complete, "{class}, {scope}");
            let share = tight.after as f64 / tight.before as f64;
            assert!(share < most, "{class}, {scope}: {} of {}", tight.after, tight.before);
        }
    }
}

/// How many inputs a check says that it has gone through.
#[derive(Default)]
struct Counter(AtomicU64);

impl Listener for Counter {
    fn hear(&self, _: MethodId, activity: Activity) {
        if let Activity::Inputs { done } = activity {
            self.0.fetch_max(done, Relaxed);
        }
    }
}

#[test]
fn all_methods_are_right_on_each_input_by_itself() {
    let containers = Containers::open().expect("they compile");
    let mut gone_through = Vec::new();
    for (class, method) in subjects() {
        let counter = Arc::new(Counter::default());
        let watch = Watch::new(Some(counter.clone()), verify::Cancel::default());
        let tuning = Tuning { cases_after: Some(0), ..Tuning::default() };
        let options = Options { tuning, watch, ..in_scope(5) };
        let result = containers.check(class, method, &options).expect("it is there");
        let verified = matches!(result.verdict, Verdict::Verified { .. });
        assert!(verified, "{class}.{method}: {}", word(&result));
        if counter.0.load(Relaxed) > 0 {
            gone_through.push(format!("{class}.{method}"));
        }
    }
    for method in ["BSTree.remove", "TreeSet.insert", "TreeSet.remove", "AVL.insert", "AVL.remove"]
    {
        assert!(gone_through.contains(&method.to_string()), "{method} is not in {gone_through:?}");
    }
}

#[test]
fn all_methods_are_right_on_each_shape_by_itself() {
    let containers = Containers::open().expect("they compile");
    let tuning =
        Tuning { cases_after: Some(0), shapes_per_second: f64::INFINITY, ..Tuning::default() };
    let at_once = Options { tuning, ..in_scope(5) };
    let mut by_shape = 0;
    for (class, method) in subjects() {
        let result = containers.check(class, method, &at_once).expect("it is there");
        let verified = matches!(result.verdict, Verdict::Verified { .. });
        assert!(verified, "{class}.{method}: {}", word(&result));
        by_shape += usize::from(result.stats.subproblems > 1);
    }
    assert!(by_shape > 10, "only {by_shape} methods were checked by shape");
}

/// As a whole they would take minutes; an argument that is a node of the heap changes none of its numbers.
#[test]
fn heaps_of_many_nodes_are_right() {
    let containers = Containers::open().expect("they compile");
    let options = Options { timeout: Some(LONGEST), threads: 2, ..in_scope(12) };
    for method in ["decKey", "extractMin"] {
        let result = containers.check("BHeap", method, &options).expect("it is there");
        assert_eq!(word(&result), "verified", "{method}");
    }
}

/// The solver alone would need minutes.
#[test]
fn balanced_trees_of_many_nodes_are_right() {
    let containers = Containers::open().expect("they compile");
    for (class, method) in subjects() {
        if matches!(class, "AVL" | "TreeSet") && matches!(method, "insert" | "remove") {
            let options = Options { timeout: Some(LONGEST), threads: 2, ..in_scope(14) };
            let result = containers.check(class, method, &options).expect("it is there");
            assert_eq!(word(&result), "verified", "{class}.{method}");
        }
    }
}

#[test]
fn all_methods_are_right() {
    let containers = Containers::open().expect("they compile");
    let full = (5, true, true);
    for (scope, symmetry, bounds) in [full, (3, true, false), (3, false, false)] {
        let options = Options { symmetry, bounds, ..in_scope(scope) };
        for (class, method) in subjects() {
            let result = containers.check(class, method, &options).expect("it is there");
            let verified = matches!(result.verdict, Verdict::Verified { .. });
            assert!(verified, "{class}.{method}, {options:?}: {}", word(&result));
        }
    }
}

#[test]
fn faults_that_take_many_nodes_are_found() {
    let cache = |nodes| full_cache(5, nodes, LONGEST).expect("it compiles");
    assert!(cache(6).is_as(false), "{}", cache(6).verdict);
    assert!(cache(7).is_as(true), "{}", cache(7).verdict);
    let heap = extract_min(13, LONGEST).expect("it compiles");
    assert!(heap.is_as(true), "{}", heap.verdict);
}

#[test]
fn mutants_of_a_list_are_killed() {
    let target = &TARGETS[0];
    let outcome = kill(target).expect("they compile");
    assert!(outcome.count > 30, "only {} compile", outcome.count);
    let left = outcome.unexplained(target);
    let left: Vec<&str> = left.iter().map(|mutant| mutant.after.as_str()).collect();
    assert!(left.is_empty(), "{left:#?}");
}
