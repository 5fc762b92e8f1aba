//! The steps of a fixed run; see `exec/trace.rs`.

use ir::{FieldId, Type};

use crate::state::atom::{Atom, Point};
use crate::state::heap::Heap;
use crate::state::value::Value;

/// What a step changed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Target {
    Variable(String, Type),
    Field(Atom, FieldId),
    Static(FieldId),
    Element(Atom, u64),
}

/// A source variable and what it holds.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub name: String,
    pub ty: Type,
    pub value: Value,
}

/// One line that was executed in given code.
#[derive(Clone)]
pub(crate) struct RawStep {
    pub point: Point,
    pub depth: u32,
    pub updates: Vec<(Target, Value)>,
    /// The variables of its method once it is done.
    pub locals: Vec<Variable>,
    /// The heap once it is done, if that is remembered; the last step has that of the end.
    pub heap: Option<Heap>,
}

/// The steps so far.
#[derive(Default)]
pub(crate) struct Trace {
    pub steps: Vec<RawStep>,
    /// Parameters of a call that has just begun: they belong to its first line.
    pub(crate) entering: Vec<(Target, Value)>,
}
