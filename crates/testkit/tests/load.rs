//! A busy machine changes nothing: what is found out about `examples/` and what that takes does not depend on
//! how fast it is done.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use jarosite::inputs::Inputs;
use jarosite::jdk::Jdk;
use jarosite::project::Project;
use verify::{MethodResult, Options, Stats, check_all, select};

/// The same whatever the clock says: verdicts with their executions, and everything that is counted.
fn without_clock(result: MethodResult) -> MethodResult {
    let stats = Stats { time_ms: 0, encode_ms: 0, solve_ms: 0, ..result.stats };
    MethodResult { stats, ..result }
}

fn check(project: &Project) -> Vec<MethodResult> {
    let methods = select::methods(&project.program, &project.given, &select::Filter::default());
    let options = Options { timeout: None, ..Options::default() };
    let mut results = Vec::new();
    check_all(project.subject(), &methods, &options, 1, None, |result| {
        results.push(without_clock(result));
    });
    results
}

/// Does something while every core has more to do than it can.
fn under_load<T>(work: impl FnOnce() -> T) -> T {
    let is_over = AtomicBool::new(false);
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let done = work();
        is_over.store(true, Ordering::Relaxed);
        done
    })
}

#[test]
fn verdicts_traces_and_statistics_are_the_same_under_load() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let jdk = Jdk::find().expect("a JDK is installed");
    let inputs = Inputs::collect(&[directory], &[], &[]);
    let project = Project::open(&jdk, &inputs).expect("the examples compile");
    let (alone, loaded) = (check(&project), under_load(|| check(&project)));
    assert!(alone.len() > 60, "only {} methods", alone.len());
    assert_eq!(alone.len(), loaded.len());
    for (one, other) in alone.iter().zip(&loaded) {
        assert_eq!(one, other, "{}.{}", one.class, one.method);
    }
}
