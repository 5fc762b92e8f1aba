//! The JVM as an oracle: calls without a prediction.

use std::time::{Duration, Instant};

use encode::execution::Datum::{self, Int, Null};
use encode::execution::{Content, Execution, Outcome};
use jarosite::replay::{Call, Ending, Observed, Statics};

use super::build::{call, field, node, replayer, string};

fn observe(executions: &[Execution], statics: Statics) -> Vec<Observed> {
    let calls: Vec<_> = executions.iter().map(Call::from).collect();
    let mut replayer = replayer().with_limit(Duration::from_secs(2));
    replayer.observe(&calls, statics).expect("a JVM")
}

fn returned(observed: &Observed) -> Datum {
    match &observed.ending {
        Ending::Ended(Outcome::Returned(Some(value))) => *value,
        other => panic!("{other:?}"),
    }
}

#[test]
fn results_heaps_and_statics_come_back() {
    let mut prepend = call("prepend", "(Lp/Subject$Node;)Lp/Subject$Node;", &[Datum::Object(0)]);
    prepend.pre = vec![node("Node#0", Null, 1), node("Node#1", Null, 2)];
    let mut bump = call("bump", "()I", &[]);
    bump.post_statics = vec![field("p.Subject", "counter", Int(0))];
    let mut list = call("list", "(Ljava/lang/String;)Ljava/util/ArrayList;", &[Datum::Object(0)]);
    list.pre = vec![string("String#0", "x", true)];
    let seen = observe(&[prepend, bump, list], Statics::Fresh);

    assert_eq!(returned(&seen[0]), Datum::Object(2));
    let expected = node("Node#2", Datum::Object(0), 5);
    assert_eq!(seen[0].heap[2], expected);
    assert_eq!(seen[0].heap[1].content, Content::Opaque);
    assert_eq!(seen[1].statics, [field("p.Subject", "counter", Int(8))]);
    let Content::Fields(fields) = &seen[2].heap[1].content else {
        panic!("{:?}", seen[2].heap);
    };
    let size = fields.iter().find(|f| f.name == "size").map(|f| f.value);
    assert_eq!(size, Some(Int(1)));
}

#[test]
fn exceptions_come_with_their_place() {
    let mut run = call("nextValue", "(Lp/Subject$Node;)I", &[Datum::Object(0)]);
    run.pre = vec![node("Node#0", Null, 1)];
    let seen = observe(&[run], Statics::Fresh);
    let Ending::Ended(Outcome::Threw { object, class, at }) = &seen[0].ending else {
        panic!("{:?}", seen[0]);
    };
    assert_eq!((*object, class.as_str()), (1, "java.lang.NullPointerException"));
    assert_eq!((at.file.as_str(), at.line, at.method.as_str()), ("Subject.java", 87, "nextValue"));
}

#[test]
fn a_batch_goes_on_after_a_call_that_does_not_end() {
    let add = call("add", "(II)I", &[Int(1), Int(2)]);
    let runs = [add.clone(), call("loop", "()V", &[]), add.clone(), call("exit", "()V", &[]), add];
    let seen = observe(&runs, Statics::Shared);
    assert_eq!(seen.len(), 5);
    assert_eq!(seen[1].ending, Ending::TimedOut);
    assert!(matches!(&seen[3].ending, Ending::Skipped(reason) if reason.contains("System.exit")));
    for good in [0, 2, 4] {
        assert_eq!(returned(&seen[good]), Int(3));
    }
}

#[test]
fn shared_statics_are_fast_and_seen_by_the_next_call() {
    let bump = call("bump", "()I", &[]);
    let fresh = observe(&[bump.clone(), bump.clone()], Statics::Fresh);
    assert_eq!((returned(&fresh[0]), returned(&fresh[1])), (Int(7), Int(7)));
    let calls: Vec<_> =
        (0..20_000).map(|i| Call::from(&call("add", "(II)I", &[Int(i), Int(1)]))).collect();
    let mut replayer = replayer();
    let shared =
        replayer.observe(&[Call::from(&bump), Call::from(&bump)], Statics::Shared).expect("a JVM");
    assert_eq!((returned(&shared[0]), returned(&shared[1])), (Int(7), Int(8)));
    let start = Instant::now();
    let seen = replayer.observe(&calls, Statics::Shared).expect("a JVM");
    println!("{:.0} calls/s", 20_000.0 / start.elapsed().as_secs_f64());
    for (i, observed) in (0..).zip(&seen) {
        assert_eq!(returned(observed), Int(i + 1));
    }
}

#[test]
fn fresh_statics_cost_little() {
    let calls: Vec<_> =
        (0..500).map(|i| Call::from(&call("add", "(II)I", &[Int(i), Int(1)]))).collect();
    let mut replayer = replayer();
    replayer.observe(&calls[..1], Statics::Fresh).expect("a JVM");
    let start = Instant::now();
    let seen = replayer.observe(&calls, Statics::Fresh).expect("a JVM");
    println!("{:.0} fresh calls/s", 500.0 / start.elapsed().as_secs_f64());
    assert_eq!(returned(&seen[499]), Int(500));
}
