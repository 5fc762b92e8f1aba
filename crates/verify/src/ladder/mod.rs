//! What happens to one method, from top to bottom. Each step says how it ended ([`Ended`]), and that alone
//! decides which comes next; the strategies know nothing of each other.
//!
//! 1. [`check_method`]: where that may take long, the shortest ways to a violation first (`routes`); the scope
//!    that was asked for, then longer arrays and strings where constants ask for them (`longer`), each within
//!    its time and memory (`alarm`); what callers can bring about of what was found in a private method
//!    (`callers`), and a way for a program to come to what was found elsewhere (`routes`).
//! 2. [`in_scope`]: with the settings that are likely to be best; again without what is in the way.
//! 3. [`Ladder::rounds`]: bounds of the input, then deeper and deeper, until nothing is cut off.
//! 4. [`Ladder::climb`]: the method as a whole, what it gives way to, and parts where it is too hard.
//! 5. [`Ladder::round`] (`round`): encode it, ask which goals are reached, have what is found judged.
//! 6. [`Ladder::reached_goals`] (`rungs`): what is tried while a question is too hard.
//!
//! A new strategy is a file in `strategy` that returns how it ended, and a rung in `rungs`, or in `climb` if
//! it checks the method in pieces.

mod alarm;
mod callers;
mod longer;
mod pieces;
mod preconditions;
mod round;
mod routes;
mod rungs;

use std::sync::Arc;
use std::time::Instant;

use encode::{Calls, Objects, Subject, callees};
use ir::MethodId;
use logic::unless_interrupted;

use crate::bounds::store;
use crate::check::{
    Budget, Check, Ended, Obstacle, Round, Setting, SharedJudge, Way, specification,
};
use crate::options::{Options, Unroll};
use crate::result::{Cause, MethodResult};
use crate::strategy::inputs::Inputs;
use crate::strategy::parts::{self, Parts, Wish};
use crate::strategy::pieces::Depth;
use crate::strategy::shapes::Shapes;
use alarm::Alarm;
use routes::Routes;

/// Iterations that `auto` tries, one after the other; the last is the cap.
const DEEPENING: [u32; 3] = [4, 12, 32];

/// Conflicts that the questions of a deeper round may cost together: a loop that cannot be followed to its
/// end at the first depth often has no end, and then every further question is in vain.
const DEEPER_CONFLICTS: u64 = 20_000;

/// The same where something is assumed of the input: then loops mostly have an end.
const SPECIFIED_CONFLICTS: u64 = 1_000_000;

/// Checks one method. `judge` is asked about every counterexample; without one they count as
/// skipped.
pub fn check_method<'a>(
    subject: Subject<'a>,
    method: MethodId,
    options: &'a Options,
    judge: Option<SharedJudge<'a>>,
) -> MethodResult {
    let start = Instant::now();
    let mut routes = Routes::of(subject, method, options, judge, start);
    if callees::may_take_long(subject, method) {
        routes.look(routes::SHORT, &[]);
    }
    let kept = routes.is_wanted().then(|| time_for_all(options, start));
    let found = match &kept {
        Some(options) => in_longer_scope(subject, method, options, judge, Instant::now()),
        None => in_longer_scope(subject, method, options, judge, start),
    };
    let found = match options.routes && callers::is_private(subject, method) {
        true => callers::judged(subject, method, options, found),
        false => found,
    };
    routes.sorted(found)
}

/// The options with what is left of the time, but for what is kept for ways to what is found.
fn time_for_all(options: &Options, start: Instant) -> Options {
    let left = longer::time_left(options.timeout, start).map(|left| left / 4 * 3);
    Options { timeout: left, ..options.clone() }
}

/// On the scope that was asked for, and on longer arrays and strings where constants ask for them.
fn in_longer_scope<'a>(
    subject: Subject<'a>,
    method: MethodId,
    options: &'a Options,
    judge: Option<SharedJudge<'a>>,
    start: Instant,
) -> MethodResult {
    let usual = within_alarm(subject, method, options, judge);
    if !longer::is_worth_it(&usual, options) {
        return usual;
    }
    let Some((mut long, longer)) = longer::longer(subject, method, options) else {
        return usual;
    };
    long.timeout = longer::time_left(options.timeout, start);
    if long.timeout.is_some_and(|left| left.is_zero()) {
        return longer::better(usual.clone(), usual, longer);
    }
    let found = within_alarm(subject, method, &long, judge);
    longer::better(usual, found, longer)
}

/// Checks one method in the scope that is given, and ends that when time or memory gives out.
fn within_alarm<'a>(
    subject: Subject<'a>,
    method: MethodId,
    options: &'a Options,
    judge: Option<SharedJudge<'a>>,
) -> MethodResult {
    let start = Instant::now();
    let alarm = Alarm::set(options, start);
    let own = Options { watch: alarm.watch(), ..options.clone() };
    let result = unless_interrupted(|| in_scope(subject, method, &own, judge, start));
    let nothing = || MethodResult::nothing_about(subject, method, Cause::Timeout);
    let cause = match options.watch.is_interrupted() {
        true => Cause::Interrupted,
        false => alarm.cause(),
    };
    result.unwrap_or_else(nothing).ended_by(cause)
}

/// Checks one method: its input laid out and its calls abstracted, if that is wanted and possible.
fn in_scope<'a>(
    subject: Subject<'a>,
    method: MethodId,
    options: &'a Options,
    judge: Option<SharedJudge<'a>>,
    start: Instant,
) -> MethodResult {
    let needs_code = encode::needs_code(subject, method, options.calls);
    let mut setting = Setting {
        subject,
        method,
        options,
        judge,
        deadline: options.timeout.map(|t| start + t),
        canonical: true,
        calls: if needs_code { Calls::Inline } else { options.calls },
        objects: Objects::Arbitrary,
        bounds: None,
        called_off: options.watch.cancel(),
        piece: None,
    };
    loop {
        let mut ladder = Ladder::new(setting.clone());
        let last = unless_interrupted(|| ladder.rounds());
        match last.unwrap_or_else(|| Ok(Round::ended(0, Ended::Stopped(Cause::Timeout)))) {
            Ok(last) => return ladder.check.conclude(last, start),
            Err(Obstacle::Layout) => setting.canonical = false,
            Err(Obstacle::Abstraction) => setting.calls = Calls::Inline,
        }
    }
}

/// One method, and what there is to try on it.
struct Ladder<'a> {
    check: Check<'a>,
    /// Work that the solver may take before anything else is tried, if anything ever is.
    solver_first: Option<u64>,
    inputs: Inputs,
    shapes: Shapes,
    parts: Parts,
}

impl<'a> Ladder<'a> {
    fn new(setting: Setting<'a>) -> Ladder<'a> {
        let mut ladder = Ladder {
            solver_first: setting.options.tuning.cases_after,
            check: Check::new(setting),
            inputs: Inputs::default(),
            shapes: Shapes::default(),
            parts: Parts::default(),
        };
        ladder.grant_pruning();
        ladder
    }

    /// Goes deeper until nothing is left open, or no time; what the last round left open.
    fn rounds(&mut self) -> Result<Round, Obstacle> {
        let Setting { subject, method, .. } = self.check.setting;
        let gap = specification::gap(subject, method);
        if let Some((cause, false)) = gap {
            return Ok(Round::ended(0, Ended::Stopped(cause)));
        }
        self.bound_input();
        let mut last = Round::default();
        for depth in self.depths() {
            let round = self.climb(depth);
            match round.ended {
                Ended::Again(obstacle) => return Err(obstacle),
                // What the round before left open is why this one was tried.
                Ended::OutOfBudget | Ended::GivesWay(_) if depth.falls_back => break,
                Ended::OutOfBudget | Ended::GivesWay(_) => {
                    unreachable!("nothing limits what the first round may cost")
                }
                Ended::Done | Ended::Stopped(_) => last = round,
            }
            if last.cut.is_empty() || last.ended.is_stopped() {
                break;
            }
        }
        if self.check.is_open_by_abstraction(&last) {
            return Err(Obstacle::Abstraction);
        }
        if let Some((cause, _)) = gap {
            last.ended = Ended::Stopped(cause);
        }
        Ok(last)
    }

    /// One round to a depth: as a whole, or shape by shape; and part by part if that is too hard.
    fn climb(&mut self, mut depth: Depth) -> Round {
        depth.conflicts = depth.falls_back.then(|| self.deeper_conflicts());
        let wish = self.wish(depth);
        self.parts = match wish {
            Some(Wish::AsNeeded) => Parts::IfTheyPay,
            Some(Wish::So(_)) | None => Parts::Never,
        };
        self.check.budget = match wish {
            // Only what comes before the parts is asked: whether the input is laid out, and its ends.
            Some(Wish::So(_)) => Budget::of(Some(1)),
            Some(Wish::AsNeeded) | None => Budget::of(depth.conflicts),
        };
        let round = match self.by_shape_if_better(depth) {
            (round, true) => return round,
            (round, false) => round,
        };
        let is_complete = self.check.engine.exhausted().is_none();
        let round = match (round.ended, wish) {
            (Ended::GivesWay(Way::Parts(parts)), _) if is_complete => self.in_turns(depth, parts),
            (Ended::OutOfBudget, Some(Wish::So(wanted))) if is_complete => {
                let parts = parts::divide(&self.check, wanted);
                self.in_parts(depth, parts)
            }
            (Ended::OutOfBudget, Some(Wish::AsNeeded)) if is_complete => {
                match self.parts.that_pay(&self.check) {
                    Some(parts) => self.in_turns(depth, parts),
                    None => return Round::ended(depth.iterations, Ended::OutOfBudget),
                }
            }
            (ended, _) => return Round { ended, ..round },
        };
        self.ask_parts_for_ends(round)
    }

    fn depths(&self) -> Vec<Depth> {
        let Setting { options, bounds, .. } = &self.check.setting;
        let objects = options.scope.most_objects();
        let depths = match options.unroll {
            Unroll::Fixed(depth) => vec![depth],
            // Nothing in a canonical heap is further away than it has objects.
            Unroll::Auto if bounds.is_some() => vec![objects + 2, 2 * objects + 32],
            Unroll::Auto => DEEPENING.to_vec(),
        };
        let depth = |(number, iterations)| Depth {
            iterations,
            falls_back: number > 0,
            conflicts: None,
            work: None,
        };
        depths.into_iter().enumerate().map(depth).collect()
    }

    fn deeper_conflicts(&self) -> u64 {
        match self.check.is_specified() {
            true => SPECIFIED_CONFLICTS,
            false => DEEPER_CONFLICTS,
        }
    }

    /// Whether the paths are divided once that is too hard, and how.
    fn wish(&self, depth: Depth) -> Option<Wish> {
        match self.check.setting.options.split {
            Some(parts) => (parts > 1).then_some(Wish::So(parts)),
            // A loop that goes on without anything being assumed of the input mostly has no end.
            None => (!depth.falls_back || self.check.is_specified()).then_some(Wish::AsNeeded),
        }
    }

    fn bound_input(&mut self) {
        let Setting { subject, method, options, canonical, deadline, .. } = self.check.setting;
        if !(canonical && options.bounds && options.symmetry) {
            return;
        }
        if let Some(found) = store::find(subject, method, options, deadline) {
            self.check.setting.bounds = Some(Arc::new(found.bounds));
            self.check.costs.bounds = found.entry.how;
            self.check.prepare();
            self.grant_pruning();
        }
    }
}
