//! How rounds and strategies end. None leaves a flag behind: what it could not do is in what it returns.

use std::collections::BTreeMap;
use std::sync::Arc;

use encode::Goal;
use encode::bounds::Bounds;
use encode::graph::Part;

use crate::result::Cause;

/// How a round, or a strategy in it, ended.
#[derive(Default)]
pub(crate) enum Ended {
    /// Everything that it was asked has an answer.
    #[default]
    Done,
    /// It has cost what it may.
    OutOfBudget,
    /// Nothing more will be found out about the method.
    Stopped(Cause),
    /// The method is to be checked again, without what was in the way.
    Again(Obstacle),
    /// Something else is likely to do it better.
    GivesWay(Way),
}

/// What a check cannot go on with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Obstacle {
    /// The input is laid out, but the method needs more than that.
    Layout,
    /// A call that was abstracted does more than the abstraction admits.
    Abstraction,
}

/// What the whole gives way to.
pub(crate) enum Way {
    /// Every shape of the input by itself.
    Shapes(Vec<Arc<Bounds>>),
    /// Sets of paths that cover all.
    Parts(Vec<Part>),
}

impl Ended {
    pub fn is_done(&self) -> bool {
        matches!(self, Ended::Done)
    }

    pub fn is_stopped(&self) -> bool {
        matches!(self, Ended::Stopped(_))
    }

    /// Why nothing more will be found out, if that is so.
    pub fn cause(&self) -> Option<&Cause> {
        match self {
            Ended::Stopped(cause) => Some(cause),
            Ended::Done | Ended::OutOfBudget | Ended::Again(_) | Ended::GivesWay(_) => None,
        }
    }

    /// The end of two things of which this was the first. What has to be done again counts for nothing, and
    /// what has stopped is over whatever may still be spent.
    pub fn or(self, next: Ended) -> Ended {
        match (self, next) {
            (Ended::Done, next) => next,
            (first @ Ended::Again(_), _) => first,
            (_, next @ Ended::Again(_)) => next,
            (first @ Ended::Stopped(_), _) => first,
            (_, next @ Ended::Stopped(_)) => next,
            (first @ (Ended::OutOfBudget | Ended::GivesWay(_)), _) => first,
        }
    }
}

/// What one round left open, and how it ended.
#[derive(Default)]
pub(crate) struct Round {
    pub depth: u32,
    pub unsupported: BTreeMap<Goal, Cause>,
    pub cut: BTreeMap<Goal, Cause>,
    /// Whether abstracted calls have a part in where executions were cut off.
    pub is_cut_by_unknown: bool,
    /// Whether all executions were cut off.
    pub is_stuck: bool,
    pub ended: Ended,
}

impl Round {
    /// One that came to nothing.
    pub fn ended(depth: u32, ended: Ended) -> Round {
        Round { depth, ended, ..Round::default() }
    }

    /// Takes over what is left open in a piece of the method.
    pub fn join(&mut self, piece: Round) {
        self.unsupported.extend(piece.unsupported);
        self.cut.extend(piece.cut);
        self.is_cut_by_unknown |= piece.is_cut_by_unknown;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(ended: &Ended) -> &'static str {
        match ended {
            Ended::Done => "done",
            Ended::OutOfBudget => "out of budget",
            Ended::Stopped(_) => "stopped",
            Ended::Again(_) => "again",
            Ended::GivesWay(_) => "gives way",
        }
    }

    #[test]
    fn of_two_ends_the_one_counts_after_which_less_can_be_done() {
        let all = || {
            [
                Ended::Done,
                Ended::OutOfBudget,
                Ended::Stopped(Cause::Timeout),
                Ended::Again(Obstacle::Layout),
                Ended::GivesWay(Way::Parts(Vec::new())),
            ]
        };
        for (i, first) in all().into_iter().enumerate() {
            for (j, next) in all().into_iter().enumerate() {
                let (one, other) = (name(&first), name(&all()[j]));
                let both = name(&all().into_iter().nth(i).expect("as many").or(next));
                match (one, other) {
                    ("done", other) => assert_eq!(both, other),
                    ("again", _) | (_, "again") => assert_eq!(both, "again"),
                    ("stopped", _) | (_, "stopped") => assert_eq!(both, "stopped"),
                    (one, _) => assert_eq!(both, one),
                }
            }
        }
    }
}
