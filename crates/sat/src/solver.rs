//! What a session needs of a SAT solver: incremental clauses and assumptions.

use crate::limits::{Limits, Stop};

/// The answer of a solver. `Unknown` is an answer too, and names its cause.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// There is a model.
    Sat,
    /// There is none under the assumptions.
    Unsat,
    /// A limit was reached first.
    Unknown(Stop),
}

/// An incremental SAT solver over DIMACS literals.
pub trait Solver {
    /// Adds a clause for good; the empty clause is falsity.
    fn add_clause(&mut self, clause: &[i32]);

    /// Searches for a model of the clauses in which the assumptions hold; the
    /// assumptions are forgotten afterwards.
    fn solve(&mut self, assumptions: &[i32], limits: &Limits) -> Answer;

    /// Requires one of the literals in the next solve only.
    fn constrain(&mut self, clause: &[i32]);

    /// Whether a literal that has occurred in a clause or assumption holds in
    /// the model. Only after `Sat` and before the next clause or solve.
    fn value(&mut self, literal: i32) -> bool;

    /// Whether an assumption was needed for the refutation. Only after `Unsat`
    /// and before the next clause or solve.
    fn failed(&mut self, assumption: i32) -> bool;

    /// The number of conflicts in all solves so far.
    fn conflicts(&self) -> u64;

    /// How much its search has done so far, in steps that take about the same time.
    fn ticks(&self) -> u64;
}
