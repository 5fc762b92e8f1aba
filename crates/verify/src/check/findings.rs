//! What has been found out about a method, and what that has cost.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use encode::Goal;

use crate::result::inferred::{self, InferredSpec};
use crate::result::{BoundsUse, Cause, Violation};

/// What holds of the method whatever becomes of the rest of its check.
#[derive(Default)]
pub(crate) struct Findings {
    violations: BTreeMap<Goal, Violation>,
    /// The first thing in which a run or the JVM did not do what was predicted.
    refuted: Option<Cause>,
    /// Whether some input is known to satisfy what is assumed.
    is_inhabited: bool,
    /// What pieces have found out about called methods.
    inferred: Option<Vec<InferredSpec>>,
    /// What is odd about the specification.
    warnings: Vec<String>,
}

impl Findings {
    pub fn is_violated(&self, goal: &Goal) -> bool {
        self.violations.contains_key(goal)
    }

    pub fn has_violations(&self) -> bool {
        !self.violations.is_empty()
    }

    pub fn violated_goals(&self) -> BTreeSet<Goal> {
        self.violations.keys().cloned().collect()
    }

    pub fn add_violation(&mut self, goal: Goal, violation: Violation) {
        self.violations.insert(goal, violation);
    }

    pub fn refute(&mut self, why: String) {
        self.refuted.get_or_insert(Cause::Refuted(why));
    }

    pub fn is_inhabited(&self) -> bool {
        self.is_inhabited
    }

    /// Some input satisfies what is assumed.
    pub fn note_inhabited(&mut self) {
        self.is_inhabited = true;
    }

    pub fn warn(&mut self, warnings: &[String]) {
        self.warnings = warnings.to_vec();
    }

    /// What was found out about called methods.
    pub fn note_inferred(&mut self, inferred: Vec<InferredSpec>) {
        self.inferred = Some(inferred);
    }

    /// What pieces have found out about called methods does not count.
    pub fn forget_inferred(&mut self) {
        self.inferred = None;
    }

    /// Takes over what was found in a piece of the method.
    pub fn join(&mut self, piece: Findings) {
        for (goal, violation) in piece.violations {
            self.violations.entry(goal).or_insert(violation);
        }
        self.refuted = self.refuted.take().or(piece.refuted);
        self.is_inhabited |= piece.is_inhabited;
        inferred::merge(self.inferred.get_or_insert_default(), piece.inferred.unwrap_or_default());
    }

    pub fn take_violations(&mut self) -> Vec<Violation> {
        std::mem::take(&mut self.violations).into_values().collect()
    }

    pub fn take_refuted(&mut self) -> Option<Cause> {
        self.refuted.take()
    }

    pub fn take_warnings(&mut self) -> Vec<String> {
        std::mem::take(&mut self.warnings)
    }

    pub fn take_inferred(&mut self) -> Option<Vec<InferredSpec>> {
        self.inferred.take()
    }
}

/// What the check has cost, and what it took advantage of.
pub(crate) struct Costs {
    pub bounds: BoundsUse,
    /// Pieces that the method was divided into.
    pub subproblems: u64,
    /// The share of the paths that the parts have which were decided, if not all were.
    pub paths_proven: Option<f64>,
    /// Refinements of called methods.
    pub refinements: u64,
    pub encode: Duration,
    pub instructions: u64,
}

impl Default for Costs {
    fn default() -> Costs {
        Costs {
            bounds: BoundsUse::Off,
            subproblems: 1,
            paths_proven: None,
            refinements: 0,
            encode: Duration::ZERO,
            instructions: 0,
        }
    }
}
