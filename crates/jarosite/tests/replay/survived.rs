//! Programs that hang, exit or break the JVM: the next replay goes on.

use std::time::{Duration, Instant};

use encode::execution::Datum::Int;
use encode::execution::Execution;
use jarosite::judge::JvmJudge;
use jarosite::replay::Replay;
use verify::Judge;

use super::build::{Also, call, replayer};

/// The verdict on this execution, after which the same replayer must still work.
fn verdict_and_recovery(execution: &Execution) -> Replay {
    let mut replayer = replayer().with_limit(Duration::from_secs(2));
    let verdict = replayer.replay(execution);
    let next = call("add", "(II)I", &[Int(1), Int(2)]).gives(Int(3));
    assert_eq!(replayer.replay(&next), Replay::Confirmed);
    verdict
}

#[test]
fn an_endless_loop_is_refuted() {
    let Replay::Refuted(reason) = verdict_and_recovery(&call("loop", "()V", &[])) else {
        panic!("not refuted");
    };
    assert!(reason.starts_with("did not end within 2 s, last seen at Subject.java:1"), "{reason}");
}

#[test]
fn who_sleeps_or_has_no_time_left_is_skipped() {
    let Replay::Skipped(reason) = verdict_and_recovery(&call("sleep", "()V", &[])) else {
        panic!("not skipped");
    };
    assert!(reason.starts_with("it was still waiting after 2 s, last seen at Subject"), "{reason}");
    let time = Some(Duration::from_millis(700));
    let (replay, _) = JvmJudge::new(replayer()).replay(&call("loop", "()V", &[]), time);
    let Replay::Skipped(reason) = replay else {
        panic!("not skipped");
    };
    assert!(reason.starts_with("there was no time to run it to its end"), "{reason}");
}

#[test]
fn nobody_waits_for_an_execution_that_takes_long() {
    let long = Duration::from_secs(20);
    let judge = JvmJudge::new(replayer().with_limit(long));
    let next = call("add", "(II)I", &[Int(1), Int(2)]).gives(Int(3));
    assert_eq!(judge.replay(&next, None).0, Replay::Confirmed);
    std::thread::scope(|scope| {
        let slow = scope.spawn(|| judge.replay(&call("loop", "()V", &[]), None).0);
        std::thread::sleep(Duration::from_millis(500));
        let start = Instant::now();
        assert_eq!(judge.replay(&next, None).0, Replay::Confirmed);
        assert!(start.elapsed() < long / 2, "{:?}", start.elapsed());
        assert!(matches!(slow.join(), Ok(Replay::Refuted(_))));
    });
}

#[test]
fn exit_is_noticed() {
    let Replay::Skipped(reason) = verdict_and_recovery(&call("exit", "()V", &[])) else {
        panic!("not skipped");
    };
    assert_eq!(reason, "the program ended the JVM (System.exit)");
}

#[test]
fn a_dead_jvm_is_replaced() {
    let Replay::Skipped(reason) = verdict_and_recovery(&call("halt", "()V", &[])) else {
        panic!("not skipped");
    };
    assert_eq!(reason, "the JVM ended unexpectedly");
}

#[test]
fn stack_and_memory_are_limits() {
    let deep = call("deep", "(I)I", &[Int(0)]).gives(Int(0));
    let Replay::Refuted(reason) = verdict_and_recovery(&deep) else {
        panic!("not refuted");
    };
    assert!(reason.contains("threw java.lang.StackOverflowError"), "{reason}");
    let Replay::Skipped(reason) = verdict_and_recovery(&call("hog", "()[[I", &[])) else {
        panic!("not skipped");
    };
    assert!(reason.starts_with("the JVM ran out of memory"), "{reason}");
}

#[test]
fn output_does_not_disturb() {
    assert_eq!(verdict_and_recovery(&call("print", "()V", &[])), Replay::Confirmed);
}
