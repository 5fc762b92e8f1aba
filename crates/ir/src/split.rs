//! Dividing the paths of a computation graph (Shao, Khurshid & Perry, section 4).
//!
//! A part is a set of edges, and has the paths from entry to exit along them. A vertex divides the
//! paths of a part into those that go through it and those that bypass it. Each side is again the
//! set of paths along some edges (theorems 4 and 5 of the paper): where one edge out of a vertex
//! still leads to the right side and another no longer does, the latter is left out, and no other
//! edge need be. So what sets a part apart is which way some branches do not go.
//!
//! Which vertex is best depends on what makes a part hard. The paper counts branches ([`evenly`]); here the
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

    /// The edges that all paths of a part take. Every edge is on a path, so where only one leads over a gap in the
    /// topological order, all paths take it.
    pub fn common(&self, part: &Part) -> Vec<usize> {
        let mut over = vec![0i32; self.graph.nodes().len() + 1];
        let open = || self.forward.iter().copied().filter(|e| part.open[*e]);
        let span = |edge: usize| {
            let ends = self.graph.edges()[edge];
            [ends.from, ends.to].map(|node| self.place[node.index()] as usize)
        };
        for [from, to] in open().map(span) {
            over[from] += 1;
            over[to] -= 1;
        }
        // How many gaps before each place have one edge over them.
        let mut single = vec![0u32; over.len() + 1];
        let mut edges = 0;
        for (gap, change) in over.iter().enumerate() {
            edges += change;
            single[gap + 1] = single[gap] + u32::from(edges == 1);
        }
        let is_single = |edge: &usize| {
            let [from, to] = span(*edge).map(|place| single[place]);
            from < to
        };
        open().filter(is_single).collect()
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

    /// Divides a part in two at the vertex that is worth most, the first of those in topological order: `worth` has the
    /// size of the part and of both sides. At most so many vertices are tried. Nothing if the part has but one path,
    /// or if no vertex is worth it.
    pub fn split(
        &self,
        part: &Part,
        most: usize,
        size: impl Fn(&Part) -> f64,
        worth: impl Fn(f64, [f64; 2]) -> Option<f64>,
    ) -> Option<[Part; 2]> {
        let whole = size(part);
        let mut best: Option<(f64, [Part; 2])> = None;
        for vertex in self.candidates(part, most) {
            let sides = [self.through(part, vertex), self.around(part, vertex)];
            if sides.iter().any(Part::is_empty) {
                continue;
            }
            let worth = worth(whole, [size(&sides[0]), size(&sides[1])]);
            if let Some(worth) = worth
                && best.as_ref().is_none_or(|(most, _)| worth > *most)
            {
                best = Some((worth, sides));
            }
        }
        best.map(|(_, sides)| sides)
    }

    /// The vertices that some paths visit and some do not, in topological order. Of several vertices
    /// in a row that the same paths visit the first is enough.
    fn candidates(&self, part: &Part, most: usize) -> Vec<NodeId> {
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
        let step = found.len().div_ceil(most.max(1)).max(1);
        found.into_iter().step_by(step).collect()
    }

    /// Divides all paths until there are as many parts as wanted, or each has but one path or is not worth it: again and again
    /// the one that is hardest.
    pub fn divide(
        &self,
        whole: Part,
        wanted: usize,
        hardness: impl Fn(&Part) -> f64,
        split: impl Fn(&Part) -> Option<[Part; 2]>,
    ) -> Tree {
        let mut tree = Tree { parts: Vec::new() };
        tree.add(whole, &hardness);
        self.divide_further(&mut tree, wanted, hardness, split);
        tree
    }

    /// The same with the parts that there are.
    pub fn divide_further(
        &self,
        tree: &mut Tree,
        wanted: usize,
        hardness: impl Fn(&Part) -> f64,
        split: impl Fn(&Part) -> Option<[Part; 2]>,
    ) {
        let mut open: Vec<usize> = tree.leaves().collect();
        let mut count = open.len();
        while count < wanted {
            let by_hardness = |a: &usize, b: &usize| {
                tree.parts[open[*a]].hardness.total_cmp(&tree.parts[open[*b]].hardness)
            };
            let Some(hardest) = (0..open.len()).max_by(by_hardness) else {
                break;
            };
            let hardest = open.swap_remove(hardest);
            if let Some(sides) = split(&tree.parts[hardest].part) {
                let sides = sides.map(|side| tree.add(side, &hardness));
                tree.parts[hardest].sides = Some(sides);
                open.extend(sides);
                count += 1;
            }
        }
    }
}

/// Parts, each with what it has been divided into.
pub struct Tree {
    parts: Vec<Branch>,
}

struct Branch {
    part: Part,
    hardness: f64,
    sides: Option<[usize; 2]>,
}

impl Tree {
    fn add(&mut self, part: Part, hardness: impl Fn(&Part) -> f64) -> usize {
        self.parts.push(Branch { hardness: hardness(&part), part, sides: None });
        self.parts.len() - 1
    }

    fn leaves(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.parts.len()).filter(|index| self.parts[*index].sides.is_none())
    }

    /// The hardness of all paths together.
    pub fn hardness(&self) -> f64 {
        self.parts[0].hardness
    }

    /// The parts that have not been divided, each with its hardness.
    pub fn parts(&self) -> Vec<(f64, Part)> {
        self.leaves().map(|leaf| self.at(leaf)).collect()
    }

    fn at(&self, index: usize) -> (f64, Part) {
        (self.parts[index].hardness, self.parts[index].part.clone())
    }

    /// The parts that cost least together, of all that can be had by leaving some divisions out.
    pub fn cheapest(&self, cost: impl Fn(f64) -> f64) -> Vec<(f64, Part)> {
        let mut least = vec![0.0; self.parts.len()];
        let mut is_divided = vec![false; self.parts.len()];
        // Sides come after what they are sides of.
        for (index, branch) in self.parts.iter().enumerate().rev() {
            let undivided = cost(branch.hardness);
            let divided = branch.sides.map(|[a, b]| least[a] + least[b]);
            is_divided[index] = divided.is_some_and(|divided| divided < undivided);
            least[index] = divided.map_or(undivided, |divided: f64| divided.min(undivided));
        }
        let (mut work, mut found) = (vec![0], Vec::new());
        while let Some(index) = work.pop() {
            match self.parts[index].sides {
                Some(sides) if is_divided[index] => work.extend(sides),
                _ => found.push(self.at(index)),
            }
        }
        found
    }
}

/// The harder side is to be as easy as possible (figure 3 of the paper), and then the other.
pub fn evenly(_: f64, [a, b]: [f64; 2]) -> Option<f64> {
    Some(-a.max(b) - 1e-6 * a.min(b))
}

/// Both sides are to lose as much as possible: their losses are multiplied, as when cubes are chosen by looking ahead, because
/// a side that loses nothing is as hard as before. To set aside what nothing is left of gains nothing either.
pub fn by_loss(whole: f64, sides: [f64; 2]) -> Option<f64> {
    let [a, b] = sides.map(|side| if side > 0.0 { (whole - side).max(0.0) } else { 0.0 });
    (a * b > 0.0).then_some(a * b)
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
