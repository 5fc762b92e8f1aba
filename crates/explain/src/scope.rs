//! The part of a path that is explained: how far it goes, and which of its conditions count.

use std::collections::BTreeSet;

use crate::program::{Path, Space};
use crate::simulate::{Abstracted, Context, Kind, simulate_abstracted};
use crate::term::Terms;
use crate::words::Words;

/// The part of a path that is explained.
pub(crate) struct Scope {
    /// Up to and including this step.
    pub last: usize,
    /// The conditions that count, if not all.
    counted: Option<BTreeSet<(usize, Kind)>>,
}

impl Scope {
    /// All conditions up to a step.
    pub fn up_to(last: usize) -> Scope {
        Scope { last, counted: None }
    }

    /// These conditions up to a step.
    pub fn only(last: usize, counted: BTreeSet<(usize, Kind)>) -> Scope {
        Scope { last, counted: Some(counted) }
    }

    /// Whether a condition of a step counts.
    pub fn counts(&self, step: usize, kind: Kind) -> bool {
        self.counted.as_ref().is_none_or(|counted| counted.contains(&(step, kind)))
    }

    /// The path up to the last step, with the conditions that count.
    pub fn simulate<'p>(
        &self,
        terms: &mut Terms,
        words: &mut Words,
        space: &'p Space,
        path: &Path,
        abstracted: &Abstracted,
    ) -> Context<'p> {
        let mut context = simulate_abstracted(terms, words, space, path, self.last, abstracted);
        context.conditions.retain(|condition| self.counts(condition.step, condition.kind));
        context
    }
}
