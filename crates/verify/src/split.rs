//! Splitting: a method that is too hard as a whole is checked part by part, each encoded anew with
//! what sets it apart folded in (Shao et al., section 4).
//!
//! The parts are sets of paths of the computation graph, found by `ir::split`. They are independent:
//! idle cores take them from one list. With a fixed number of parts that is all. Otherwise a part
//! that turns out to be hard is divided again, on the graph of its own run, in which more is known
//! to be impossible.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Condvar, Mutex};
use std::time::Instant;

use encode::Goal;
use encode::graph::{Graph, Measure, Part};

use crate::check::{Check, Round, Setting};
use crate::progress::Activity;
use crate::result::Cause;

/// Encoding nests on the stack, as in the schedule.
const STACK: usize = 1 << 30;

/// How many parts there are to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parts {
    So(u32),
    /// As many as it takes.
    AsNeeded,
}

/// Parts that a hard problem is divided into at first, and each time that one turns out to be hard.
const AT_FIRST: usize = 4;
const AGAIN: usize = 2;

/// Conflicts that a part may cost before it is divided again, and by how much that grows from a part
/// to its parts: the deeper, the less is left to gain.
const PART_CONFLICTS: u64 = 3_000;
const GROWTH: f64 = 1.3;

/// A part that waits.
struct Piece {
    part: Part,
    /// The conflicts that it may cost, if it may be divided again.
    conflicts: Option<u64>,
}

/// Pieces that wait, and what is known of those that are done.
struct Work<'a> {
    waiting: VecDeque<Piece>,
    running: usize,
    outcome: Outcome,
    /// The logarithm to base 2 of the number of all paths.
    paths: f64,
    setting: Setting<'a>,
}

/// What all parts together have to say.
#[derive(Default)]
pub(crate) struct Outcome {
    pub found: Vec<Finding>,
    /// Goals that are known to be reached: nobody need look for them again.
    settled: BTreeSet<Goal>,
    /// Parts that were decided.
    pub parts: u64,
    /// The share of the paths that they have.
    pub share: f64,
    /// Why it stopped early, if it did.
    pub stopped: Option<Cause>,
}

/// What one part has to say.
pub(crate) struct Finding {
    pub round: Round,
    pub violations: crate::check::Violations,
    pub refuted: Option<Cause>,
}

/// Checks the paths of a run part by part on the threads of the setting.
pub(crate) fn split(
    setting: Setting<'_>,
    graph: &Graph,
    parts: Parts,
    depth: u32,
    deadline: Option<Instant>,
) -> Outcome {
    let (wanted, conflicts) = match parts {
        Parts::So(wanted) => (wanted as usize, None),
        Parts::AsNeeded => (AT_FIRST, Some(PART_CONFLICTS)),
    };
    let waiting: VecDeque<Piece> =
        graph.divide(wanted, measure()).into_iter().map(|part| Piece { part, conflicts }).collect();
    let paths = graph.divide(1, measure()).first().map_or(0.0, |whole| whole.paths);
    let threads = setting.options.threads.max(1);
    let work =
        Mutex::new(Work { waiting, running: 0, outcome: Outcome::default(), paths, setting });
    let changed = Condvar::new();
    std::thread::scope(|scope| {
        for number in 0..threads {
            let (work, changed) = (&work, &changed);
            let builder = std::thread::Builder::new().name(format!("part-{number}"));
            let run = move || worker(work, changed, depth, deadline);
            builder.stack_size(STACK).spawn_scoped(scope, run).expect("a thread can be started");
        }
    });
    work.into_inner().expect("no worker panics while it holds the list").outcome
}

fn measure() -> Measure {
    match std::env::var("MEASURE").as_deref() {
        Ok("branches") => Measure::Branches,
        Ok("paths") => Measure::Paths,
        _ => Measure::Gates,
    }
}

fn worker(work: &Mutex<Work<'_>>, changed: &Condvar, depth: u32, deadline: Option<Instant>) {
    loop {
        let (piece, setting, settled) = {
            let mut list = work.lock().expect("not poisoned");
            loop {
                if list.outcome.stopped.is_some() {
                    return;
                }
                if let Some(piece) = list.waiting.pop_front() {
                    list.running += 1;
                    break (piece, list.setting.clone(), list.outcome.settled.clone());
                }
                if list.running == 0 {
                    return;
                }
                list = changed.wait(list).expect("not poisoned");
            }
        };
        let done = try_piece(&setting, &piece, settled, depth, deadline);
        let mut list = work.lock().expect("not poisoned");
        list.running -= 1;
        match done {
            Done::Divided(pieces) => list.waiting.extend(pieces),
            Done::Decided(finding, stopped) => {
                list.outcome.settled.extend(finding.round.reached.iter().cloned());
                if stopped.is_none() {
                    list.outcome.parts += 1;
                    list.outcome.share += (piece.part.paths - list.paths).exp2();
                }
                list.outcome.found.push(finding);
                list.outcome.stopped = list.outcome.stopped.take().or(stopped);
            }
        }
        let done = list.outcome.parts;
        let of = done + (list.waiting.len() + list.running) as u64;
        setting.options.watch.tell(setting.method, Activity::Cases { done, of });
        changed.notify_all();
    }
}

/// What has become of a piece.
enum Done {
    Divided(Vec<Piece>),
    Decided(Finding, Option<Cause>),
}

fn try_piece(
    setting: &Setting<'_>,
    piece: &Piece,
    settled: BTreeSet<Goal>,
    depth: u32,
    deadline: Option<Instant>,
) -> Done {
    let start = Instant::now();
    let mut check = Check::new(setting.clone(), deadline);
    check.restrict_to(piece.part.clone());
    check.settled = settled;
    check.conflicts = piece.conflicts;
    let mut round = check.round(depth, deadline);
    if check.gave_up {
        let parts = check.engine.graph().divide(AGAIN, measure());
        if std::env::var("TRACE").is_ok() {
            let st = check.solving.borrow().statistics();
            eprintln!(
                "  hard: {:.1} paths, {} conflicts {} clauses {:?}",
                piece.part.paths,
                st.conflicts,
                st.clauses,
                start.elapsed()
            );
        }
        if parts.len() > 1 {
            let conflicts = piece.conflicts.map(|c| (c as f64 * GROWTH) as u64);
            let pieces = parts.into_iter().map(|part| Piece { part, conflicts });
            return Done::Divided(pieces.collect());
        }
        check.gave_up = false;
        check.conflicts = None;
        round = check.round(depth, deadline);
    }
    if std::env::var("TRACE").is_ok() {
        let st = check.solving.borrow().statistics();
        eprintln!(
            "  part: {:.1} paths, {} conflicts {} clauses {:?}",
            piece.part.paths,
            st.conflicts,
            st.clauses,
            start.elapsed()
        );
    }
    let stopped = check.stopped.take();
    let finding = Finding { round, violations: check.violations, refuted: check.refuted.take() };
    Done::Decided(finding, stopped)
}
