//! Dividing the paths of a computation graph (Shao, Khurshid & Perry, section 4).
//!
//! A part is a set of edges, and has the paths from entry to exit along them. A vertex divides the
//! paths of a part into those that go through it and those that bypass it. Each side is again the
//! set of paths along some edges (theorems 4 and 5 of the paper): where one edge out of a vertex
//! still leads to the right side and another no longer does, the latter is left out, and no other
//! edge need be. So what sets a part apart is which way some branches do not go.
//!
//! Which vertex is best depends on what makes a part hard. The paper counts branches; here the
//! measure is a parameter.

use crate::graph::{ComputationGraph, NodeId};

/// The paths along some edges of a graph: whether each edge is one of them. Every edge that is, is
/// on a path from entry to exit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    pub open: Vec<bool>,
}

impl Part {
    pub fn is_empty(&self) -> bool {
        !self.open.contains(&true)
    }
}

/// A graph, ready to be divided.
pub struct Division<'g> {
    graph: &'g ComputationGraph,
    /// The edges in an order in which those into a vertex come before those out of it.
    forward: Vec<usize>,
    /// Where each vertex stands in the topological order.
    place: Vec<u32>,
}

/// What counts as notably easier. (Of AVL.insert with 10 nodes in 16 parts, 0.95 needs a tenth fewer
/// conflicts than choosing the best vertex wherever it is.)
const EASIER: f64 = 0.95;

/// Vertices that are tried for one division.
const CANDIDATES: usize = 400;

impl<'g> Division<'g> {
    pub fn new(graph: &'g ComputationGraph) -> Division<'g> {
        let mut place = vec![0; graph.nodes().len()];
        for (index, node) in graph.topological_order().into_iter().enumerate() {
            place[node.index()] = index as u32;
        }
        let mut forward: Vec<usize> = (0..graph.edges().len()).collect();
        forward.sort_by_key(|e| place[graph.edges()[*e].from.index()]);
        Division { graph, forward, place }
    }

    /// The paths along these edges.
    pub fn part(&self, mut open: Vec<bool>) -> Part {
        let mut reached = vec![false; self.graph.nodes().len()];
        reached[ComputationGraph::ENTRY.index()] = true;
        for edge in &self.forward {
            let ends = self.graph.edges()[*edge];
            open[*edge] &= reached[ends.from.index()];
            reached[ends.to.index()] |= open[*edge];
        }
        let mut leads_on = vec![false; self.graph.nodes().len()];
        leads_on[ComputationGraph::EXIT.index()] = true;
        for edge in self.forward.iter().rev() {
            let ends = self.graph.edges()[*edge];
            open[*edge] &= leads_on[ends.to.index()];
            leads_on[ends.from.index()] |= open[*edge];
        }
        Part { open }
    }

    /// All paths of the graph.
    pub fn whole(&self) -> Part {
        self.part(vec![true; self.graph.edges().len()])
    }

    /// The paths that go along at least one of the edges for which `wanted` holds, provided that no
    /// path goes along two: the paper's `Sub-CG`. Empty if there is none.
    fn along(&self, part: &Part, wanted: impl Fn(usize) -> bool) -> Part {
        let mut leads_there = vec![false; self.graph.nodes().len()];
        let good = |edge: usize, leads_there: &[bool]| {
            wanted(edge) || leads_there[self.graph.edges()[edge].to.index()]
        };
        for edge in self.forward.iter().rev().filter(|e| part.open[**e]) {
            let from = self.graph.edges()[*edge].from;
            leads_there[from.index()] |= good(*edge, &leads_there);
        }
        if !leads_there[ComputationGraph::ENTRY.index()] {
            return Part { open: vec![false; part.open.len()] };
        }
        let keeps = |edge: usize| {
            let from = self.graph.edges()[edge].from;
            part.open[edge] && (!leads_there[from.index()] || good(edge, &leads_there))
        };
        self.part((0..part.open.len()).map(keeps).collect())
    }

    /// The paths of a part that visit a vertex.
    pub fn through(&self, part: &Part, vertex: NodeId) -> Part {
        self.along(part, |edge| self.graph.edges()[edge].to == vertex)
    }

    /// The paths of a part that do not visit a vertex: those with an edge that leads past it in the
    /// topological order.
    pub fn around(&self, part: &Part, vertex: NodeId) -> Part {
        let at = self.place[vertex.index()];
        self.along(part, |edge| {
            let ends = self.graph.edges()[edge];
            self.place[ends.from.index()] < at && self.place[ends.to.index()] > at
        })
    }

    /// The logarithm to base 2 of the number of paths; minus infinity if there is none.
    pub fn paths(&self, part: &Part) -> f64 {
        self.paths_from(part)[ComputationGraph::ENTRY.index()]
    }

    fn paths_from(&self, part: &Part) -> Vec<f64> {
        let mut paths = vec![f64::NEG_INFINITY; self.graph.nodes().len()];
        paths[ComputationGraph::EXIT.index()] = 0.0;
        for edge in self.forward.iter().rev().filter(|e| part.open[**e]) {
            let ends = self.graph.edges()[*edge];
            paths[ends.from.index()] = plus(paths[ends.from.index()], paths[ends.to.index()]);
        }
        paths
    }

    fn paths_to(&self, part: &Part) -> Vec<f64> {
        let mut paths = vec![f64::NEG_INFINITY; self.graph.nodes().len()];
        paths[ComputationGraph::ENTRY.index()] = 0.0;
        for edge in self.forward.iter().filter(|e| part.open[**e]) {
            let ends = self.graph.edges()[*edge];
            paths[ends.to.index()] = plus(paths[ends.to.index()], paths[ends.from.index()]);
        }
        paths
    }

    /// How many vertices have more than one way on: what the paper minimises.
    pub fn branches(&self, part: &Part) -> usize {
        let mut ways = vec![0u32; self.graph.nodes().len()];
        for edge in self.forward.iter().filter(|e| part.open[**e]) {
            ways[self.graph.edges()[*edge].from.index()] += 1;
        }
        ways.iter().filter(|ways| **ways > 1).count()
    }

    /// The sum of what the vertices of a part weigh.
    pub fn weight(&self, part: &Part, weights: &[u64]) -> u64 {
        let mut visited = vec![false; self.graph.nodes().len()];
        for edge in self.forward.iter().filter(|e| part.open[**e]) {
            visited[self.graph.edges()[*edge].from.index()] = true;
        }
        visited.iter().zip(weights).filter(|(visited, _)| **visited).map(|(_, w)| w).sum()
    }

    /// Divides a part in two. What is decided early makes all that follows simpler, so this is done
    /// at the first vertex for which both sides are notably easier by `measure`; if there is none, at
    /// that for which the harder side is easiest (figure 3 of the paper). Nothing if the part has
    /// but one path.
    pub fn split(&self, part: &Part, measure: impl Fn(&Part) -> f64) -> Option<[Part; 2]> {
        let enough = EASIER * measure(part);
        let mut best: Option<((f64, f64), [Part; 2])> = None;
        for vertex in self.candidates(part) {
            let sides = [self.through(part, vertex), self.around(part, vertex)];
            if sides.iter().any(Part::is_empty) {
                continue;
            }
            let [a, b] = [measure(&sides[0]), measure(&sides[1])];
            if a.max(b) <= enough {
                return Some(sides);
            }
            let hardness = (a.max(b), a.min(b));
            if best.as_ref().is_none_or(|(least, _)| hardness < *least) {
                best = Some((hardness, sides));
            }
        }
        best.map(|(_, sides)| sides)
    }

    /// The vertices that some paths visit and some do not, in topological order. Of several vertices
    /// in a row that the same paths visit the first is enough.
    fn candidates(&self, part: &Part) -> Vec<NodeId> {
        let (from, to) = (self.paths_from(part), self.paths_to(part));
        let all = from[ComputationGraph::ENTRY.index()];
        let (mut ways_out, mut ways_in) = (vec![0u32; from.len()], vec![0u32; from.len()]);
        let open =
            || self.forward.iter().filter(|e| part.open[**e]).map(|e| self.graph.edges()[*e]);
        for edge in open() {
            ways_out[edge.from.index()] += 1;
            ways_in[edge.to.index()] += 1;
        }
        let mut found = Vec::new();
        for edge in open() {
            let index = edge.to.index();
            let begins_something = ways_in[index] > 1 || ways_out[edge.from.index()] > 1;
            let share = (to[index] + from[index] - all).exp2();
            if begins_something && share < 1.0 - 1e-9 {
                found.push(edge.to);
            }
        }
        found.sort_by_key(|node| self.place[node.index()]);
        found.dedup();
        let step = found.len().div_ceil(CANDIDATES).max(1);
        found.into_iter().step_by(step).collect()
    }

    /// Divides a part into as many as wanted, if it has as many paths: again and again the one that
    /// is hardest.
    pub fn divide(&self, part: Part, wanted: usize, measure: impl Fn(&Part) -> f64) -> Vec<Part> {
        let mut parts = vec![(measure(&part), part)];
        let mut single = Vec::new();
        while parts.len() + single.len() < wanted {
            let hardest = (0..parts.len()).max_by(|a, b| parts[*a].0.total_cmp(&parts[*b].0));
            let Some(hardest) = hardest else {
                break;
            };
            let (_, part) = parts.swap_remove(hardest);
            match self.split(&part, &measure) {
                Some(sides) => parts.extend(sides.map(|side| (measure(&side), side))),
                None => single.push(part),
            }
        }
        single.extend(parts.into_iter().map(|(_, part)| part));
        single
    }
}

/// The logarithm of the sum of two numbers that are given by their logarithms.
fn plus(a: f64, b: f64) -> f64 {
    let (greater, less) = if a > b { (a, b) } else { (b, a) };
    match less == f64::NEG_INFINITY {
        true => greater,
        false => greater + (less - greater).exp2().ln_1p() * std::f64::consts::LOG2_E,
    }
}

#[cfg(test)]
#[path = "split_tests.rs"]
mod tests;
