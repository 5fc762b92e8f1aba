//! What explanations consist of: predicates, names for values, and what these are in callers.

use crate::program::{FrameId, ProcId};
use crate::term::{TermId, VarId};

/// A predicate: what is said, and who may say it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Predicate {
    /// The procedure that it is local to; `None` for a global one.
    pub owner: Option<ProcId>,
    /// A condition on variables, memory and names.
    pub term: TermId,
}

/// A name for the value of a place, given immediately before a step.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Annotation {
    /// The step.
    pub before: usize,
    /// The activation.
    pub frame: FrameId,
    /// Whose value it is.
    pub place: TermId,
    /// The name, as a variable that nothing assigns to.
    pub name: VarId,
}

/// What a name of a called procedure is in the terms of its caller, for one call (section 6.2).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Mapping {
    /// The activation that uses the name.
    pub frame: FrameId,
    /// The name.
    pub name: VarId,
    /// Its caller.
    pub caller: FrameId,
    /// The value in the caller.
    pub term: TermId,
}
