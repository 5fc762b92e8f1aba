//! One method that is asked which candidates it breaks, if every object satisfies all of them before it.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use encode::goal::QUANTIFIER;
use encode::inputs::Origin;
use encode::{Goal, Objects, Property, Subject};
use ir::{ClassId, MethodId};
use logic::unless_interrupted;
use spec::core::Site;

use super::candidates::NO_FILE;
use crate::check::{Ended, Reach, Setting, Shallow, plain};
use crate::options::Options;

/// What one method may take.
const TIME: Duration = Duration::from_secs(2);
const REACH: Reach =
    Reach { iterations: 6, instructions: 60_000, conflicts: 20_000, circles: false };

/// What a method does to candidates, by their numbers.
pub(super) struct Outcome {
    /// Those that do not hold after some execution.
    pub broken: BTreeSet<u32>,
    /// Those that the answer rests on.
    pub assumed: BTreeSet<u32>,
    /// The classes of which there may have been objects.
    pub seen: BTreeSet<ClassId>,
    /// Whether those that range over the elements of arrays may hold or not.
    pub is_vague: bool,
    /// Whether all executions within the scope were followed to their end.
    pub is_complete: bool,
}

impl Outcome {
    fn unknown() -> Outcome {
        Outcome {
            broken: BTreeSet::new(),
            assumed: BTreeSet::new(),
            seen: BTreeSet::new(),
            is_vague: false,
            is_complete: false,
        }
    }
}

/// The number of a candidate's clause.
fn number(site: &Site) -> Option<u32> {
    (*site.file == *NO_FILE).then_some(site.span.start)
}

/// Runs the method once on every input that satisfies the candidates among the invariants of `subject`.
pub(super) fn run(subject: Subject<'_>, method: MethodId, options: &Options) -> Outcome {
    let deadline = Instant::now() + options.timeout.map_or(TIME, |most| most.min(TIME));
    let setting = plain(subject, method, options, None, Objects::Arbitrary);
    let setting = Setting { deadline: Some(deadline), ..setting };
    unless_interrupted(|| ask(setting)).unwrap_or_else(Outcome::unknown)
}

fn ask(setting: Setting<'_>) -> Outcome {
    let Shallow { mut check, run, .. } = Shallow::run(setting, &REACH);
    let mut outcome = Outcome::unknown();
    if run.report.exhausted.is_some() {
        return outcome;
    }
    // Of no execution everything is true: what is assumed may admit no input in the scope.
    let ends = check.engine.circuit.or_all(run.ends());
    if !matches!(check.solve(&[ends]), Ok(true)) {
        return outcome;
    }
    let mut open = Vec::new();
    let mut ends_early = Vec::new();
    let mut vague = Vec::new();
    for (goal, lit) in run.report.goals {
        match &goal {
            Goal::Broken { property: Property::Invariant, site, .. } if number(site).is_some() => {
                open.push((goal, lit));
            }
            Goal::Cut { what, .. } if what == QUANTIFIER => vague.push((goal, lit)),
            Goal::Unsupported { .. } | Goal::Unspecified { .. } | Goal::Cut { .. } => {
                ends_early.push((goal, lit));
            }
            // What comes after a violation is no state that a right program is in.
            Goal::Violation { .. } | Goal::Broken { .. } => {}
        }
    }
    let asked = check.reachable(open);
    outcome.broken.extend(asked.reached.iter().filter_map(|(goal, _)| of_goal(goal)));
    let is_answered = matches!(asked.ended, Ended::Done);
    let vague = check.reachable(vague);
    outcome.is_vague = !matches!(vague.ended, Ended::Done) || !vague.reached.is_empty();
    let early = check.reachable(ends_early);

    outcome.is_complete =
        is_answered && matches!(early.ended, Ended::Done) && early.reached.is_empty();
    outcome.seen = check.engine.classes_in_reach().collect();
    let origins = check.engine.constraints().iter().map(|c| &c.origin);
    outcome.assumed = origins.filter_map(of_origin).collect();
    outcome
}

fn of_goal(goal: &Goal) -> Option<u32> {
    match goal {
        Goal::Broken { site, .. } => number(site),
        Goal::Violation { .. }
        | Goal::Unsupported { .. }
        | Goal::Unspecified { .. }
        | Goal::Cut { .. } => None,
    }
}

fn of_origin(origin: &Origin) -> Option<u32> {
    match origin {
        Origin::Clause(site) => number(site),
        Origin::Leaf(_) | Origin::Bound | Origin::Case | Origin::Callee(_) => None,
    }
}
