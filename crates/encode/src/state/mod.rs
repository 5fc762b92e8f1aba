//! What a symbolic state is made of. Nothing here knows how code is executed.
//!
//! | file | what |
//! |---|---|
//! | `atom` | objects: each has a name, a class and a birth |
//! | `leaves` | the unknowns of the input |
//! | `ordering` | which of them are symbols of an order |
//! | `value` | numbers as bits, references as choices among objects |
//! | `heap`, `radix` | contents of objects; persistent, so that paths share them |
//! | `facts` | what a path condition says outright |
//! | `goal` | what an execution may reach |

pub mod atom;
pub(crate) mod facts;
pub mod goal;
pub(crate) mod heap;
pub mod leaves;
pub(crate) mod ordering;
pub(crate) mod radix;
pub mod value;

use std::collections::BTreeMap;

use ir::graph::{ComputationGraph, NodeId};
use logic::{Circuit, Lit};

use facts::Facts;
use heap::Heap;
use value::Value;

/// What holds at one point of the unrolled program, for all executions that reach it.
#[derive(Clone)]
pub struct State {
    /// True for exactly the executions that reach the point.
    pub guard: Lit,
    pub facts: Facts,
    pub heap: Heap,
    /// The node of the computation graph that control has reached.
    pub node: NodeId,
    /// Ghost variables of bodies, by depth of the activation and number.
    pub ghosts: BTreeMap<(u32, u32), Value>,
}

impl State {
    /// The state before anything has run.
    pub fn initial() -> State {
        State {
            guard: Lit::TRUE,
            facts: Facts::default(),
            heap: Heap::default(),
            node: ComputationGraph::ENTRY,
            ghosts: BTreeMap::new(),
        }
    }

    /// Whether no execution reaches this.
    pub fn is_dead(&self) -> bool {
        self.guard == Lit::FALSE
    }

    /// Keeps only the executions in which `lit` holds.
    pub fn assume(&mut self, circuit: &mut Circuit, lit: Lit) {
        let lit = self.facts.fold(lit);
        self.guard = circuit.and(self.guard, lit);
        if !self.is_dead() {
            self.facts.learn(circuit, lit);
        }
    }
}

/// Register values; registers that are not live are `None`.
pub type Registers = Vec<Option<Value>>;
