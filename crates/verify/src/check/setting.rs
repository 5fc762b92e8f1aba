//! What is checked, and how. It stays as it is as long as one engine is at work.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use encode::bounds::Bounds;
use encode::effects::Failures;
use encode::graph::Part;
use encode::{Calls, Goal, Objects, Property, Subject};
use ir::MethodId;
use logic::Cancel;

use crate::options::Options;
use crate::result::Judge;

/// The judge of a run, used by all its workers.
pub type SharedJudge<'a> = &'a dyn Judge;

#[derive(Clone)]
pub(crate) struct Setting<'a> {
    pub subject: Subject<'a>,
    pub method: MethodId,
    pub options: &'a Options,
    pub judge: Option<SharedJudge<'a>>,
    /// When nobody waits any more.
    pub deadline: Option<Instant>,
    /// Whether inputs with invariants are laid out.
    pub canonical: bool,
    /// As chosen, unless that has turned out to be impossible.
    pub calls: Calls,
    /// Where the objects of the input come from.
    pub objects: Objects,
    pub bounds: Option<Arc<Bounds>>,
    /// Set by another thread once nobody waits for the result.
    pub called_off: Cancel,
    /// Set if this is one piece of a method that others check the rest of.
    pub piece: Option<OnePiece>,
}

/// One piece of a method.
#[derive(Clone)]
pub(crate) struct OnePiece {
    /// The paths that are followed; all if not given.
    pub paths: Option<Part>,
    pub post: Arc<Post>,
}

impl Setting<'_> {
    pub fn is_wanted(&self, goal: &Goal) -> bool {
        match goal {
            Goal::Violation { property, .. } | Goal::Broken { property, .. } => {
                !self.options.unchecked.contains(property)
            }
            Goal::Cut { .. } => self.options.ends,
            Goal::Unsupported { .. } | Goal::Unspecified { .. } => true,
        }
    }

    /// The ends of executions that are asked about.
    pub fn asked(&self) -> Failures {
        let Options { unchecked, ends, .. } = self.options;
        let about_exceptions = |p: &Property| *p != Property::Ensures && !unchecked.contains(p);
        let throws = Property::ALL.iter().any(about_exceptions);
        Failures { throws, goes_on: *ends, traps: true }
    }

    /// Whether calls are abstracted, and refined where that matters.
    pub fn is_inferring(&self) -> bool {
        matches!(self.calls, Calls::Infer { .. })
    }

    /// The paths that are followed, if these are not all.
    pub fn paths(&self) -> Option<&Part> {
        self.piece.as_ref().and_then(|piece| piece.paths.as_ref())
    }

    /// Whether somebody who checks another piece is known to reach a goal.
    pub fn is_settled_elsewhere(&self, goal: &Goal) -> bool {
        self.piece.as_ref().is_some_and(|piece| piece.post.is_settled(goal))
    }

    /// Tells those who check other pieces that a goal is reached.
    pub fn settle_elsewhere(&self, goal: &Goal) {
        if let Some(piece) = &self.piece {
            piece.post.settle(goal);
        }
    }

    /// Tells others what is looked for here, and whether that is all.
    pub fn looks_for(&self, goals: &[(Goal, logic::Lit)], are_all: bool) {
        if let Some(piece) = &self.piece {
            let goals = || goals.iter().map(|(goal, _)| goal.clone()).collect();
            piece.post.looks_for(are_all.then(goals));
        }
    }

    /// Whether time is up, or nobody waits any more.
    pub fn is_called_off(&self) -> bool {
        self.deadline.is_some_and(|d| Instant::now() > d) || self.called_off.is_set()
    }
}

/// How a piece that is at work and the others hear of each other.
#[derive(Default)]
pub(crate) struct Post {
    /// Goals that some piece is known to reach.
    settled: Arc<Mutex<BTreeSet<Goal>>>,
    /// What this piece looks for, once it knows.
    open: Mutex<Option<Vec<Goal>>>,
    pub called_off: Cancel,
}

impl Post {
    pub fn new(settled: Arc<Mutex<BTreeSet<Goal>>>, called_off: Cancel) -> Post {
        Post { settled, called_off, ..Post::default() }
    }

    fn is_settled(&self, goal: &Goal) -> bool {
        self.settled.lock().is_ok_and(|settled| settled.contains(goal))
    }

    fn settle(&self, goal: &Goal) {
        if let Ok(mut settled) = self.settled.lock() {
            settled.insert(goal.clone());
        }
    }

    /// The piece looks for these goals from now on; `None` if there may be more.
    fn looks_for(&self, goals: Option<Vec<Goal>>) {
        if let Ok(mut open) = self.open.lock() {
            *open = goals;
        }
    }

    /// Whether others have found all that the piece looks for.
    pub fn has_nothing_left(&self) -> bool {
        let open = self.open.lock().ok().and_then(|open| open.clone());
        open.is_some_and(|open| !open.is_empty() && open.iter().all(|goal| self.is_settled(goal)))
    }
}
