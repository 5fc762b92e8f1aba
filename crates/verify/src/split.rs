//! Splitting: a method that is too hard as a whole is checked case by case, each encoded anew with
//! what sets it apart folded in (the idea of Shao et al., section 4, on the forks of a run).
//!
//! Cases are split at their next fork until there are as many as wanted. They are independent: idle
//! cores take them from one list.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex};
use std::time::Instant;

use encode::cases::Case;

use crate::check::{Check, Round, Setting};
use crate::progress::Activity;
use crate::result::Cause;

/// Encoding nests on the stack, as in the schedule.
const STACK: usize = 1 << 30;

/// Cases that wait, and what is known of those that are done.
struct Work<'a> {
    waiting: VecDeque<Case>,
    running: usize,
    /// How many more cases there may be.
    more: u32,
    /// Cases that were decided.
    done: u64,
    found: Vec<Finding>,
    stopped: Option<Cause>,
    setting: Setting<'a>,
}

/// What one case has to say.
pub(crate) struct Finding {
    pub round: Round,
    pub violations: crate::check::Violations,
    pub refuted: Option<Cause>,
}

/// Checks a method in so many cases on `threads` threads. The result tells also how many cases there
/// were, and why it stopped early if it did.
pub(crate) fn split(
    setting: Setting<'_>,
    depth: u32,
    deadline: Option<Instant>,
    cases: u32,
    threads: usize,
) -> (Vec<Finding>, u64, Option<Cause>) {
    let work = Mutex::new(Work {
        waiting: VecDeque::from([Case::default()]),
        running: 0,
        more: cases.saturating_sub(1),
        done: 0,
        found: Vec::new(),
        stopped: None,
        setting,
    });
    let changed = Condvar::new();
    std::thread::scope(|scope| {
        for number in 0..threads.max(1) {
            let (work, changed) = (&work, &changed);
            let builder = std::thread::Builder::new().name(format!("case-{number}"));
            let run = move || worker(work, changed, depth, deadline);
            builder.stack_size(STACK).spawn_scoped(scope, run).expect("a thread can be started");
        }
    });
    let work = work.into_inner().expect("no worker panics while it holds the list");
    (work.found, work.done, work.stopped)
}

fn worker(work: &Mutex<Work<'_>>, changed: &Condvar, depth: u32, deadline: Option<Instant>) {
    loop {
        let (case, setting, may_split) = {
            let mut list = work.lock().expect("not poisoned");
            loop {
                if list.stopped.is_some() {
                    return;
                }
                if let Some(case) = list.waiting.pop_front() {
                    list.running += 1;
                    let may_split = list.more > 0;
                    list.more -= u32::from(may_split);
                    break (case, list.setting.clone(), may_split);
                }
                if list.running == 0 {
                    return;
                }
                list = changed.wait(list).expect("not poisoned");
            }
        };
        let (children, finding, stopped) = try_case(&setting, &case, may_split, depth, deadline);
        let mut list = work.lock().expect("not poisoned");
        list.running -= 1;
        list.done += u64::from(finding.is_some());
        list.more += u32::from(may_split && children.is_empty());
        list.found.extend(finding);
        list.waiting.extend(children);
        list.stopped = list.stopped.take().or(stopped);
        let of = list.done + (list.waiting.len() + list.running) as u64;
        setting.options.watch.tell(setting.method, Activity::Cases { done: list.done, of });
        changed.notify_all();
    }
}

/// Conflicts that a case may cost before it is split: some are over at once.
const EASY_CONFLICTS: u64 = 100;

/// Decides a case, or splits it.
fn try_case(
    setting: &Setting<'_>,
    case: &Case,
    may_split: bool,
    depth: u32,
    deadline: Option<Instant>,
) -> (Vec<Case>, Option<Finding>, Option<Cause>) {
    let mut budget = may_split.then_some(EASY_CONFLICTS);
    loop {
        let mut check = Check::new(setting.clone(), deadline);
        check.restrict_to(case.clone());
        check.conflicts = budget.take();
        let round = check.round(depth, deadline);
        if check.gave_up {
            match check.engine.next_fork() {
                Some(fork) => return (case.split(fork).into(), None, None),
                None => continue,
            }
        }
        let stopped = check.stopped.take();
        let finding =
            Finding { round, violations: check.violations, refuted: check.refuted.take() };
        return (Vec::new(), Some(finding), stopped);
    }
}
