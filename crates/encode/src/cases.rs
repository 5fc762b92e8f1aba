//! Cases: a run in which some branches go one way only.
//!
//! A fork is a branch of given code whose condition is not constant, by its number in the order of
//! execution. A case says of some forks whether all executions come there and take the branch, or
//! none does: two cases that differ in their last fork alone have all executions of the case
//! without it between them, and none in common. In the first of them everything else is out of the
//! way and the path is known, so that what follows folds; in the second the branch is gone.

use logic::Lit;

use crate::engine::Engine;
use crate::inputs::Origin;
use crate::state::State;

/// Which way forks go, in the order of their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Case {
    pub forks: Vec<(u32, bool)>,
}

impl Case {
    /// The two cases that a further fork makes of this one.
    pub fn split(&self, fork: u32) -> [Case; 2] {
        [true, false].map(|taken| {
            let mut forks = self.forks.clone();
            forks.push((fork, taken));
            Case { forks }
        })
    }
}

/// The forks of a run so far.
#[derive(Default)]
pub(crate) struct Forks {
    case: Case,
    met: u32,
    /// The first fork beyond those of the case.
    next: Option<u32>,
}

impl Engine<'_> {
    /// From now on only the executions of a case are considered.
    pub fn restrict_to(&mut self, case: Case) {
        self.forks.case = case;
    }

    /// The first fork of the last run that its case says nothing of.
    pub fn next_fork(&self) -> Option<u32> {
        self.forks.next
    }

    pub(crate) fn forget_forks(&mut self) {
        self.forks.met = 0;
        self.forks.next = None;
    }

    /// Control comes to a branch that may go both ways. Where the case says which, the other way is
    /// dead.
    pub(crate) fn fork(&mut self, state: &State, cond: Lit) -> (State, State) {
        let (mut positive, mut negative) = (state.clone(), state.clone());
        match self.fork_decided() {
            None => {
                positive.assume(&mut self.circuit, cond);
                negative.assume(&mut self.circuit, !cond);
            }
            Some(true) => {
                positive.assume(&mut self.circuit, cond);
                self.inputs.require(positive.guard, Origin::Case);
                positive.guard = Lit::TRUE;
                negative.guard = Lit::FALSE;
            }
            Some(false) => {
                let taken = self.circuit.and(state.guard, cond);
                self.inputs.require(!taken, Origin::Case);
                positive.guard = Lit::FALSE;
                negative.facts.learn(&self.circuit, !cond);
            }
        }
        (positive, negative)
    }

    fn fork_decided(&mut self) -> Option<bool> {
        if !self.is_executing() || !self.in_given_code() {
            return None;
        }
        let number = self.forks.met;
        self.forks.met += 1;
        let case = &self.forks.case.forks;
        if let Some((_, taken)) = case.iter().find(|f| f.0 == number) {
            return Some(*taken);
        }
        if self.forks.next.is_none() && case.last().is_none_or(|last| number > last.0) {
            self.forks.next = Some(number);
        }
        None
    }
}
