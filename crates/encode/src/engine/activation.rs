//! Bodies that are being executed: activations, frames, and what they end in.

use std::rc::Rc;

use ir::graph::NodeId;
use ir::{BlockId, Body, MethodId};
use logic::Lit;

use crate::engine::clauses::Measures;
use crate::engine::trace::Variable;
use crate::state::heap::Heap;
use crate::state::value::{Ref, Value};
use crate::state::{Registers, State};

/// An active call.
#[derive(Clone)]
pub(crate) struct Activation {
    pub method: MethodId,
    /// Line that is executing.
    pub line: u32,
    /// Path condition at entry.
    pub guard: Lit,
    /// Whether a handler of this or an outer activation may catch what is thrown now.
    pub covered: bool,
    /// Nested activations of the same method so far that were entered under a condition.
    pub recursion: u32,
    pub given: bool,
    /// Where it was called, if it has nodes in the graph.
    pub site: Option<NodeId>,
    /// The block that is executing, unless a call is part of the meaning of an instruction.
    pub block: Option<BlockId>,
    /// The head of a loop whose rest is one step of the graph, while that rest is executed.
    pub one_step: Option<BlockId>,
    /// What `\old` means in its body, where something is specified there.
    pub entry: Option<Rc<Entry>>,
    /// Its source variables, if a trace is kept.
    pub locals: Vec<Variable>,
}

/// The beginning of an activation.
pub(crate) struct Entry {
    pub method: MethodId,
    /// The receiver first.
    pub arguments: Vec<Value>,
    pub heap: Heap,
    /// Objects that the run had allocated.
    pub allocated: u32,
}

/// An exception that leaves the checked method.
pub(crate) struct Escape {
    pub state: State,
    pub exception: Ref,
}

/// A call that may be followed.
#[derive(Clone)]
pub(crate) struct Call {
    pub method: MethodId,
    /// The receiver first.
    pub args: Vec<Value>,
    /// Whether a handler may catch what it throws.
    pub covered: bool,
    pub recursion: u32,
}

/// What a call leads to.
#[derive(Default)]
pub(crate) struct Outcome {
    pub normal: Option<(State, Option<Value>)>,
    pub thrown: Option<(State, Ref)>,
}

/// The execution of one body.
pub(crate) struct Frame<'b> {
    pub body: &'b Body,
    /// States that wait at the start of a block.
    pub waiting: Vec<Option<(State, Registers)>>,
    pub outcome: Outcome,
    /// The loops that are running, outermost first.
    pub loops: Vec<Turn>,
    /// Of loops with specifications.
    pub measures: Measures,
}

/// The current iteration of a loop.
#[derive(Clone)]
pub(crate) struct Turn {
    pub head: BlockId,
    pub number: u32,
    /// Whether a constant guard kept control inside.
    pub(crate) by_constant: bool,
}

impl Turn {
    pub fn new(head: BlockId, number: u32) -> Turn {
        Turn { head, number, by_constant: false }
    }
}

impl Frame<'_> {
    /// In which turns of the loops around it a block is executed next.
    pub fn turns(&self, block: BlockId) -> Vec<u32> {
        let mut running = self.loops.iter();
        let around = self.body.order().loops_around(block).iter();
        around
            .map(|head| match running.next() {
                Some(turn) if turn.head == *head => turn.number + u32::from(*head == block),
                _ => {
                    running = [].iter();
                    0
                }
            })
            .collect()
    }
}
