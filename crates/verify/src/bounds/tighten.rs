//! Tight bounds: which entries of the input no canonical heap has that satisfies the invariants
//! (Galeotti et al., section 4), by one incremental solver at a time.
//!
//! What follows from the numbering alone is found first, without invariants: that is cheap. Then
//! entries that are possible are found by asking for any of those that are still open: every model
//! settles all entries that it has. What is left is asked about one by one within a budget, and an
//! entry that proves impossible is excluded at once, so that the next question is easier (the
//! paper's eager algorithm, figure 22). As soon as enough is excluded the formula is made again: with
//! fewer entries it is much smaller. Budgets grow until everything is decided.
//!
//! The formula says little of the invariants at first (see [`Exactness`]), and more once that decides
//! nothing further. Numbers that prove small get few bits before they begin to count.

use std::sync::Arc;
use std::time::Instant;

use encode::bounds::{Bounds, Survey};
use encode::{Engine, Limits, Subject};
use ir::MethodId;
use logic::unless_interrupted;

use super::stage::{Exactness, Known, Stage, Tell};
use crate::options::Options;
pub use crate::result::BoundsUse;

/// Conflicts for one entry up to which a coarse formula is used.
const COARSE_CONFLICTS: u64 = 2_000;

/// Bounds for the input of a method.
pub struct Tight {
    pub bounds: Bounds,
    /// Entries before anything was known of them.
    pub before: usize,
    /// Whether every entry was decided; if not, those that were not count as possible.
    pub complete: bool,
}

/// The input of a method, laid out without its invariants.
pub struct LaidOut<'a> {
    stage: Stage<'a>,
    pub survey: Survey,
}

impl<'a> LaidOut<'a> {
    /// `None` if the input is not laid out.
    pub fn new(
        subject: Subject<'a>,
        method: MethodId,
        options: &'a Options,
        deadline: Option<Instant>,
    ) -> Option<LaidOut<'a>> {
        let limits = bound_limits(options, deadline);
        let (stage, survey) = Stage::new(subject, method, options, &limits, None)?;
        Some(LaidOut { stage, survey })
    }

    pub fn engine(&self) -> &Engine<'a> {
        &self.stage.engine
    }

    /// Entries before anything is known of them.
    pub fn entries(&self) -> usize {
        self.survey.references.iter().map(|r| r.1.len()).sum()
    }
}

/// Computes the bounds from nothing; `None` if the input is not laid out.
pub fn compute(
    subject: Subject<'_>,
    method: MethodId,
    options: &Options,
    deadline: Option<Instant>,
) -> Option<Tight> {
    let laid_out = LaidOut::new(subject, method, options, deadline)?;
    tighten(subject, method, options, deadline, (laid_out, None), &mut |_| {})
}

/// Computes the bounds, from what is known of them; `None` if that is not possible. What has been
/// excluded so far is right at any time: `interim` is told of it, and it is what is left when the
/// deadline or an interruption comes.
pub fn tighten<'a>(
    subject: Subject<'a>,
    method: MethodId,
    options: &'a Options,
    deadline: Option<Instant>,
    (mut laid_out, start): (LaidOut<'a>, Option<Bounds>),
    interim: &mut dyn FnMut(&Bounds),
) -> Option<Tight> {
    let limits = bound_limits(options, deadline);
    let before = laid_out.entries();
    let is_new = start.is_none();
    let mut known = Known::new(start.unwrap_or_default());
    let ended = unless_interrupted(|| {
        let stage = &mut laid_out.stage;
        if is_new {
            stage.references(&laid_out.survey, &mut known);
        }
        drop(laid_out);
        known = Known::new(std::mem::take(&mut known.bounds));
        go_through_stages(subject, method, options, &limits, &mut known, interim)
    });
    let complete = ended.unwrap_or(Some(false))?;
    Some(Tight { bounds: known.bounds, before, complete })
}

/// Adds to what is known, with a formula that says more and more; whether everything is decided.
fn go_through_stages<'a>(
    subject: Subject<'a>,
    method: MethodId,
    options: &'a Options,
    limits: &Limits,
    known: &mut Known,
    interim: &mut dyn FnMut(&Bounds),
) -> Option<bool> {
    let mut exactness = Exactness::Coarse;
    // Whether small numbers have been looked for.
    let mut small = false;
    loop {
        let bounds = Some((Arc::new(known.bounds.clone()), exactness));
        let (mut stage, survey) = Stage::new(subject, method, options, limits, bounds)?;
        if exactness == Exactness::Coarse && stage.engine.is_too_coarse() {
            exactness = Exactness::Loose;
            continue;
        }
        if exactness == Exactness::Loose && !small {
            // With some numbers small the others are easier to see through.
            small = !stage.small_numbers(&survey, &mut known.bounds);
            if !small {
                continue;
            }
        }
        let mut complete = stage.engine.exhausted().is_none() && !limits.is_over();
        let entries = survey.references.iter().map(|r| r.1.len()).sum();
        stage.tell = Some(Tell { watch: options.watch.clone(), method, entries });
        let decided = complete && stage.references(&survey, known);
        complete &= !stage.is_stopped();
        let next = match exactness {
            Exactness::Coarse if stage.engine.is_coarse() => Some(Exactness::Loose),
            Exactness::Coarse | Exactness::Loose if stage.engine.is_loose() => {
                Some(Exactness::Exact)
            }
            _ => None,
        };
        let enough = decided || exactness == Exactness::Coarse && known.budget > COARSE_CONFLICTS;
        match next {
            Some(next) if complete && enough => {
                // What is possible so far need not be with everything said.
                exactness = next;
                *known = Known::new(std::mem::take(&mut known.bounds));
                interim(&known.bounds);
            }
            _ if complete && !decided => interim(&known.bounds),
            _ => {
                if complete {
                    stage.numbers(&survey, &mut known.bounds);
                    complete &= !stage.is_stopped();
                }
                return Some(complete);
            }
        }
    }
}

fn bound_limits(options: &Options, deadline: Option<Instant>) -> Limits {
    let cancel = options.watch.cancel();
    Limits { deadline, cancel, calls: options.calls, ..Limits::default() }
}
