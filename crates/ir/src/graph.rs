//! The computation graph (Jackson & Vaziri, section 3.4): the unrolled, inlined, acyclic graph
//! of everything that a run of the encoder followed.
//!
//! A node is a point of the program in one unrolling; an edge is a possible step. There is one
//! entry; every node can be reached from it; there are no cycles, because an edge only ever
//! leads to a node that has not been executed yet. Conditions are kept beside the graph by the
//! encoder (an edge has a literal there), so that this type stays free of formulas: splitting,
//! inference and explanation work on its shape.

use std::fmt;

use crate::id::{BlockId, MethodId};

/// A node of the graph.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "n{}", self.0)
    }
}

impl fmt::Debug for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// What a node stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    /// The start of the checked method.
    Entry,
    /// An execution of a block, this many calls below the checked method.
    Block { method: MethodId, block: BlockId, depth: u32 },
    /// Control comes back from a call, from all the ends of the callee.
    Join { method: MethodId, depth: u32 },
}

/// A step from one node to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    pub from: NodeId,
    pub to: NodeId,
}

/// The graph of one run.
#[derive(Clone, Debug)]
pub struct ComputationGraph {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
}

impl Default for ComputationGraph {
    fn default() -> ComputationGraph {
        ComputationGraph { nodes: vec![Node::Entry], edges: Vec::new() }
    }
}

impl ComputationGraph {
    /// The single entry.
    pub const ENTRY: NodeId = NodeId(0);

    /// Adds a node; it must get an edge before the graph is looked at.
    pub fn add_node(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        NodeId(self.nodes.len() as u32 - 1)
    }

    /// Adds an edge and returns its number.
    pub fn add_edge(&mut self, from: NodeId, to: NodeId) -> usize {
        self.edges.push(Edge { from, to });
        self.edges.len() - 1
    }

    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Says what is wrong if the promises of the module are not kept: a cycle, a second entry, an
    /// edge to nowhere.
    pub fn validate(&self) -> Result<(), String> {
        let count = self.nodes.len();
        let mut incoming = vec![0u32; count];
        let mut outgoing = vec![Vec::new(); count];
        for edge in &self.edges {
            if edge.from.0 as usize >= count || edge.to.0 as usize >= count {
                return Err(format!("the edge {} → {} leads nowhere", edge.from, edge.to));
            }
            incoming[edge.to.0 as usize] += 1;
            outgoing[edge.from.0 as usize].push(edge.to);
        }
        let roots = incoming.iter().enumerate().filter(|(_, n)| **n == 0);
        if let Some((other, _)) = roots.clone().find(|(i, _)| *i != 0) {
            return Err(format!("n{other} cannot be reached"));
        }
        let mut ready: Vec<NodeId> = roots.map(|(i, _)| NodeId(i as u32)).collect();
        let mut visited = 0;
        while let Some(node) = ready.pop() {
            visited += 1;
            for to in &outgoing[node.0 as usize] {
                incoming[to.0 as usize] -= 1;
                if incoming[to.0 as usize] == 0 {
                    ready.push(*to);
                }
            }
        }
        if visited == count { Ok(()) } else { Err("there is a cycle".into()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_promise_is_named() {
        let join = || Node::Join { method: MethodId(0), depth: 0 };
        let mut graph = ComputationGraph::default();
        let a = graph.add_node(join());
        assert!(graph.validate().unwrap_err().contains("cannot be reached"));
        graph.add_edge(ComputationGraph::ENTRY, a);
        assert_eq!(graph.validate(), Ok(()));
        let b = graph.add_node(join());
        graph.add_edge(a, b);
        graph.add_edge(b, a);
        assert!(graph.validate().unwrap_err().contains("cycle"));
    }
}
