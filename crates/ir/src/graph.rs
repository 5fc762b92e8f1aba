//! The computation graph (Jackson & Vaziri, section 3.4): the unrolled, inlined, acyclic graph
//! of everything that a run of the encoder followed.
//!
//! A node is a point of the program in one unrolling; an edge is a possible step. There is one
//! entry and one exit; every node can be reached from the entry, and the exit from every node;
//! there are no cycles, because an edge only ever leads to a node that has not been executed yet.
//! Conditions are kept beside the graph by the encoder (an edge has a literal there), so that this
//! type stays free of formulas: splitting, inference and explanation work on its shape.
//!
//! A node is named by what an execution has done to come there and by nothing else, so that another
//! run, in which less is possible, finds the same nodes.

use std::fmt;

use rustc_hash::FxHashMap;

use crate::id::{BlockId, MethodId};

/// A node of the graph.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

impl NodeId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

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

/// What a node stands for. Calls are told apart by the node at which control is when they are made.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// The start of the checked method.
    Entry,
    /// Where all paths end.
    Exit,
    /// An execution of a block of a method that was called at `site`, in these turns of the loops
    /// around it, outermost first.
    Block { site: NodeId, method: MethodId, block: BlockId, turns: Vec<u32> },
    /// Control comes back from what was called at `site`, from all the ends of the callees.
    Return { site: NodeId },
    /// An exception comes back.
    Thrown { site: NodeId },
}

/// A step from one node to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Edge {
    pub from: NodeId,
    pub to: NodeId,
}

/// The graph of one run.
#[derive(Clone, Debug)]
pub struct ComputationGraph {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    by_name: FxHashMap<Node, NodeId>,
    by_ends: FxHashMap<Edge, u32>,
}

impl Default for ComputationGraph {
    fn default() -> ComputationGraph {
        let mut graph = ComputationGraph {
            nodes: Vec::new(),
            edges: Vec::new(),
            by_name: FxHashMap::default(),
            by_ends: FxHashMap::default(),
        };
        graph.add_node(Node::Entry);
        graph.add_node(Node::Exit);
        graph
    }
}

impl ComputationGraph {
    /// The single entry.
    pub const ENTRY: NodeId = NodeId(0);
    /// The single exit.
    pub const EXIT: NodeId = NodeId(1);

    /// The node of that name, which must get an edge before the graph is looked at.
    pub fn add_node(&mut self, node: Node) -> NodeId {
        let next = NodeId(self.nodes.len() as u32);
        *self.by_name.entry(node).or_insert_with_key(|node| {
            self.nodes.push(node.clone());
            next
        })
    }

    /// The node of that name, if there is one.
    pub fn node(&self, node: &Node) -> Option<NodeId> {
        self.by_name.get(node).copied()
    }

    /// The number of the edge between two nodes.
    pub fn add_edge(&mut self, from: NodeId, to: NodeId) -> usize {
        let edge = Edge { from, to };
        let next = self.edges.len() as u32;
        let number = *self.by_ends.entry(edge).or_insert_with(|| {
            self.edges.push(edge);
            next
        });
        number as usize
    }

    /// The number of the edge between two nodes, if there is one.
    pub fn edge(&self, from: NodeId, to: NodeId) -> Option<usize> {
        self.by_ends.get(&Edge { from, to }).map(|number| *number as usize)
    }

    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The nodes in an order in which every edge leads forward; what is on a cycle is missing.
    pub fn topological_order(&self) -> Vec<NodeId> {
        let mut incoming = vec![0u32; self.nodes.len()];
        let mut outgoing = vec![Vec::new(); self.nodes.len()];
        for edge in &self.edges {
            incoming[edge.to.index()] += 1;
            outgoing[edge.from.index()].push(edge.to);
        }
        let all = (0..self.nodes.len() as u32).map(NodeId);
        let mut order: Vec<NodeId> = all.filter(|n| incoming[n.index()] == 0).collect();
        let mut done = 0;
        while let Some(node) = order.get(done) {
            done += 1;
            for to in &outgoing[node.index()] {
                incoming[to.index()] -= 1;
                if incoming[to.index()] == 0 {
                    order.push(*to);
                }
            }
        }
        order
    }

    /// Says what is wrong if the promises of the module are not kept: a cycle, a second entry, an
    /// end that is not the exit, an edge to nowhere.
    pub fn validate(&self) -> Result<(), String> {
        let count = self.nodes.len();
        let (mut incoming, mut outgoing) = (vec![0u32; count], vec![0u32; count]);
        for edge in &self.edges {
            if edge.from.index() >= count || edge.to.index() >= count {
                return Err(format!("the edge {} → {} leads nowhere", edge.from, edge.to));
            }
            incoming[edge.to.index()] += 1;
            outgoing[edge.from.index()] += 1;
        }
        let mut nodes = (0..count as u32).map(NodeId);
        // Where there is no dead end the exit is reached, so nothing more need be said of it.
        let ends = [ComputationGraph::ENTRY, ComputationGraph::EXIT];
        let is_lost = |n: &NodeId| incoming[n.index()] == 0 && !ends.contains(n);
        let is_dead_end = |n: &NodeId| outgoing[n.index()] == 0 && *n != ComputationGraph::EXIT;
        if let Some(node) = nodes.clone().find(is_lost) {
            return Err(format!("{node} cannot be reached"));
        }
        if let Some(node) = nodes.find(is_dead_end) {
            return Err(format!("{node} has no way out"));
        }
        match self.topological_order().len() == count {
            true => Ok(()),
            false => Err("there is a cycle".into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_promise_is_named() {
        let called_at = |site| Node::Return { site: NodeId(site) };
        let mut graph = ComputationGraph::default();
        let a = graph.add_node(called_at(7));
        assert!(graph.validate().unwrap_err().contains("cannot be reached"));
        graph.add_edge(ComputationGraph::ENTRY, a);
        assert!(graph.validate().unwrap_err().contains("no way out"));
        graph.add_edge(a, ComputationGraph::EXIT);
        assert_eq!(graph.validate(), Ok(()));
        let b = graph.add_node(called_at(8));
        graph.add_edge(a, b);
        graph.add_edge(b, a);
        assert!(graph.validate().unwrap_err().contains("cycle"));
    }

    #[test]
    fn names_and_ends_are_unique() {
        let mut graph = ComputationGraph::default();
        let name = Node::Return { site: ComputationGraph::ENTRY };
        let a = graph.add_node(name.clone());
        assert_eq!(graph.add_node(name.clone()), a);
        assert_eq!(graph.node(&name), Some(a));
        let edge = graph.add_edge(ComputationGraph::ENTRY, a);
        assert_eq!(graph.add_edge(ComputationGraph::ENTRY, a), edge);
        assert_eq!(graph.edge(ComputationGraph::ENTRY, a), Some(edge));
        assert_eq!(graph.edge(a, ComputationGraph::ENTRY), None);
    }
}
