//! Recording the computation graph while it is executed.
//!
//! Every state knows the node that it has reached; control going somewhere adds an edge with the
//! path condition under which it goes. Class initialisers run before the method, specifications
//! are evaluated beside it: neither leaves a trace in its graph.

use ir::BlockId;
use ir::graph::{ComputationGraph, Node, NodeId};
use logic::Lit;

use crate::engine::Engine;
use crate::state::State;

/// The graph of a run and the path condition of each of its edges.
#[derive(Default)]
pub struct Graph {
    shape: ComputationGraph,
    guards: Vec<Lit>,
}

impl Graph {
    /// The graph itself.
    pub fn shape(&self) -> &ComputationGraph {
        &self.shape
    }

    /// For each edge, the literal that is true for the executions that take it.
    pub fn guards(&self) -> &[Lit] {
        &self.guards
    }

    /// Control goes from where `state` is to `to`.
    pub(crate) fn step(&mut self, state: &State, to: NodeId) {
        self.shape.add_edge(state.node, to);
        self.guards.push(state.guard);
    }
}

impl Engine<'_> {
    /// Control enters a block at which nothing waits yet.
    pub(crate) fn enter_block(&mut self, mut state: State, block: BlockId) -> State {
        if let (Some(activation), true) = (self.stack.last(), self.is_executing()) {
            let depth = self.stack.len() as u32 - 1;
            let method = activation.method;
            let node = self.graph.shape.add_node(Node::Block { method, block, depth });
            self.graph.step(&state, node);
            state.node = node;
        }
        state
    }

    /// Control goes to a node at which something waits already.
    pub(crate) fn meet(&mut self, state: &State, node: NodeId) {
        if self.is_executing() {
            self.graph.step(state, node);
        }
    }

    /// The node at which two ends of a call meet.
    pub(crate) fn join_node(&mut self, a: &State, b: &State) -> NodeId {
        let Some(activation) = self.stack.last() else {
            return a.node;
        };
        if a.node == b.node || !self.is_executing() {
            return a.node;
        }
        let depth = self.stack.len() as u32 - 1;
        let method = activation.method;
        let node = self.graph.shape.add_node(Node::Join { method, depth });
        self.graph.step(a, node);
        self.graph.step(b, node);
        node
    }
}
