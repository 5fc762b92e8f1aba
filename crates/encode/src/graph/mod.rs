//! Recording the computation graph while it is executed, and keeping to one part of it.
//!
//! Every state knows the node that it has reached; control going somewhere adds an edge with the
//! path condition under which it goes. Class initialisers run before the method, specifications
//! are evaluated beside it, and what the meaning of an instruction or a built-in method calls is part
//! of that meaning: none of them leaves a trace in the graph. A call that is deferred is one step, and so is the
//! rest of a loop: where control goes in their code belongs to no part, and every part may go everywhere there.
//!
//! A run that is restricted to a part of another run's graph (Shao et al., section 4) walks on that
//! graph. Where control would leave the part, the input is required not to do so; since nodes are
//! named by what an execution does, what one part leaves out is in another. An execution may also
//! end at a node without taking a further edge, by an exception or by something that is not
//! modelled: such an end belongs to every part that has the way there, and is checked in each.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ir::MethodId;
use ir::graph::{ComputationGraph, Node, NodeId};
use ir::split::{self, Division};
use logic::{Folding, Lit};

use crate::state::goal::Goal;

/// The graph of a run and the path condition of each of its edges.
#[derive(Default)]
pub struct Graph {
    pub(crate) shape: Arc<ComputationGraph>,
    pub(crate) guards: Vec<Lit>,
    pub(crate) ends: Ends,
    pub(crate) choices: Choices,
    pub(crate) part: Option<Part>,
}

/// What ends executions at a node because they are not followed further.
pub(crate) type Ends = BTreeMap<NodeId, Goal>;

/// What a run has chosen where another run might have chosen otherwise. The names of nodes depend on it, so
/// runs that keep to parts of one graph must all choose the same.
#[derive(Clone, Default)]
pub(crate) struct Choices {
    /// What goes through a structure, by where its loop begins to repeat.
    pub(crate) cursors: BTreeMap<NodeId, Option<Cursor>>,
    /// Calls whose code has nodes. All others are one step.
    pub(crate) followed: BTreeSet<(NodeId, MethodId)>,
    /// Where the rest of a loop is one step.
    pub(crate) rests: BTreeSet<NodeId>,
}

/// What a run is restricted to: some paths of an earlier run.
#[derive(Clone)]
pub struct Part {
    pub(crate) shape: Arc<ComputationGraph>,
    /// For each edge.
    pub(crate) ways: Arc<[Way]>,
    /// Where the earlier run did not go on.
    pub(crate) ends: Arc<Ends>,
    pub(crate) choices: Arc<Choices>,
    /// The logarithm to base 2 of the number of paths.
    pub paths: f64,
    /// How much of the whole is left once the rest is folded, from 0 to 1: see [`Folding`].
    pub left: f64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Open,
    /// Executions that go there are in another part.
    Closed,
    /// The earlier run did not go there.
    Unknown,
}

/// By what the vertices are chosen that divide the paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Vertices with more than one way on, as in the paper.
    Branches,
    /// Gates that are left once what is left out is folded.
    Folded,
}

/// How the paths of a run are divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Into so many parts, if there are so many paths.
    So(usize),
    /// Into the parts that are smallest together if the size of each is squared, of so many at most: hardness grows faster than
    /// size.
    Smallest(usize),
}

/// Gates that may be looked at to divide one part in two, and vertices that are tried at least and at most.
const LOOKING: usize = 1_000_000;
const CANDIDATES: [usize; 2] = [16, 400];
/// Gates that may be looked at in all where parts are wanted, and where it is only asked whether they pay.
const LOOKING_AT_ALL: [usize; 2] = [400_000_000, 20_000_000];

impl Graph {
    /// The graph of a run, or what a run is to keep to.
    pub(crate) fn new(part: Option<Part>) -> Graph {
        let Some(part) = part else {
            return Graph::default();
        };
        let shape = part.shape.clone();
        let guards = vec![Lit::FALSE; shape.edges().len()];
        let choices = (*part.choices).clone();
        Graph { shape, guards, choices, part: Some(part), ..Graph::default() }
    }

    /// The graph itself.
    pub fn shape(&self) -> &ComputationGraph {
        &self.shape
    }

    /// For each edge, the literal that is true for the executions that take it.
    pub fn guards(&self) -> &[Lit] {
        &self.guards
    }

    /// Where no path leads on they end at the exit.
    pub(crate) fn close(&mut self) {
        let mut goes_on = vec![false; self.shape.nodes().len()];
        let mut followed = vec![false; self.shape.nodes().len()];
        followed[ComputationGraph::ENTRY.index()] = true;
        for (edge, guard) in self.shape.edges().iter().zip(&self.guards) {
            goes_on[edge.from.index()] |= *guard != Lit::FALSE;
            followed[edge.to.index()] |= *guard != Lit::FALSE;
        }
        goes_on[ComputationGraph::EXIT.index()] = true;
        let ends = |index: &usize| followed[*index] && !goes_on[*index];
        for index in (0..goes_on.len()).filter(ends) {
            let shape = Arc::make_mut(&mut self.shape);
            let edge = shape.add_edge(NodeId(index as u32), ComputationGraph::EXIT);
            self.guards.resize(shape.edges().len(), Lit::FALSE);
            self.guards[edge] = Lit::TRUE;
        }
    }

    /// The logarithm to base 2 of the number of paths that the run has followed.
    pub fn paths(&self) -> f64 {
        let division = Division::new(&self.shape);
        division.paths(&division.part(self.followed()))
    }

    fn followed(&self) -> Vec<bool> {
        self.guards.iter().map(|guard| *guard != Lit::FALSE).collect()
    }

    /// Divides the paths that the run has followed.
    pub(crate) fn divide(
        &self,
        wanted: Wanted,
        measure: Measure,
        folding: Folding<'_>,
    ) -> Vec<Part> {
        let division = Division::new(&self.shape);
        let followed = self.followed();
        let all = division.part(followed.clone());
        let [least, most] = CANDIDATES;
        let gates = folding.gates().max(1);
        let candidates = (LOOKING / gates).clamp(least, most);
        let [wanting, asking] = LOOKING_AT_ALL;
        let looking = if matches!(wanted, Wanted::So(_)) { wanting } else { asking };
        let (folding, looked_at) = (RefCell::new(folding), Cell::new(0));
        let folded = |part: &split::Part| {
            looked_at.set(looked_at.get() + gates);
            folding.borrow_mut().gates_left(self.given(&division, &followed, part)) as f64
        };
        let rebuilt = |part: &split::Part| {
            folding.borrow_mut().gates_rebuilt(self.given(&division, &followed, part)) as f64
        };
        let branches = |part: &split::Part| division.branches(part) as f64;
        let evenly = |part: &split::Part| division.split(part, most, branches, split::evenly);
        let by_loss = |part: &split::Part| {
            let may_look = looked_at.get() < looking;
            may_look.then(|| division.split(part, candidates, folded, split::by_loss))?
        };
        let (whole, parts) = match (wanted, measure) {
            (Wanted::So(wanted), Measure::Folded) => {
                let mut tree = division.divide(all, wanted, rebuilt, by_loss);
                // Where nothing more is gained by folding, the paper's way is as good as any.
                division.divide_further(&mut tree, wanted, rebuilt, evenly);
                (tree.hardness(), tree.parts())
            }
            (Wanted::So(wanted), Measure::Branches) => {
                let tree = division.divide(all.clone(), wanted, branches, evenly);
                let parts = tree.parts().into_iter().map(|(_, part)| (rebuilt(&part), part));
                (rebuilt(&all), parts.collect())
            }
            (Wanted::Smallest(most), _) => {
                let tree = division.divide(all, most, rebuilt, by_loss);
                (tree.hardness(), tree.cheapest(|gates| gates * gates))
            }
        };
        let ends = Arc::new(self.ends.clone());
        let choices = Arc::new(self.choices.clone());
        let way = |open: &[bool], edge: usize| match open[edge] {
            true => Way::Open,
            false if followed[edge] || self.is_closed(edge) => Way::Closed,
            false => Way::Unknown,
        };
        let restrict = |(left, part): (f64, split::Part)| Part {
            shape: self.shape.clone(),
            ways: {
                let open = self.possible(&followed, &part, &mut folding.borrow_mut());
                (0..followed.len()).map(|edge| way(&open, edge)).collect()
            },
            ends: ends.clone(),
            choices: choices.clone(),
            paths: division.paths(&part),
            left: (left / whole.max(1.0)).min(1.0),
        };
        parts.into_iter().map(restrict).collect()
    }

    /// The edges of a part that its executions can take as far as looking ahead tells. Where one cannot be taken the ways
    /// before it stay open all the same: executions may end there.
    fn possible(
        &self,
        followed: &[bool],
        part: &split::Part,
        folding: &mut Folding<'_>,
    ) -> Vec<bool> {
        let mut open = part.open.clone();
        let asked: Vec<usize> = (0..open.len()).filter(|e| open[*e] && self.is_real(*e)).collect();
        let guards: Vec<Lit> = asked.iter().map(|edge| self.guards[*edge]).collect();
        let impossible = folding.impossible(self.left_out(followed, part), &guards);
        // A part without executions is left to the solver.
        if impossible.contains(&false) {
            asked.iter().zip(impossible).for_each(|(edge, is)| open[*edge] &= !is);
        }
        open
    }

    /// Whether an edge has a condition; those to the exit stand for ends within a node.
    fn is_real(&self, edge: usize) -> bool {
        self.shape.edges()[edge].to != ComputationGraph::EXIT
    }

    /// That executions do not go where a part does not.
    fn left_out(&self, followed: &[bool], part: &split::Part) -> Vec<Lit> {
        let is_left_out = |e: &usize| followed[*e] && !part.open[*e] && self.is_real(*e);
        (0..followed.len()).filter(is_left_out).map(|edge| !self.guards[edge]).collect()
    }

    /// What holds for the executions of a part that come to an end: which edges they all take, and which they do not.
    fn given(&self, division: &Division<'_>, followed: &[bool], part: &split::Part) -> Vec<Lit> {
        let taken = division.common(part).into_iter().map(|edge| self.guards[edge]);
        taken.chain(self.left_out(followed, part)).collect()
    }

    fn is_closed(&self, edge: usize) -> bool {
        self.part.as_ref().is_some_and(|part| part.ways.get(edge) == Some(&Way::Closed))
    }

    /// Whether the part that the run keeps to is without this step.
    pub(crate) fn leaves_out(&self, from: NodeId, to: &Node) -> bool {
        let edge = || self.shape.edge(from, self.shape.node(to)?);
        self.part.is_some() && edge().is_some_and(|edge| self.is_closed(edge))
    }

    /// The edge that leads from where `state` is to a node, and what the part says of it.
    pub(crate) fn step(&mut self, from: NodeId, to: &Node) -> Option<(usize, Way)> {
        if let Some(part) = &self.part {
            let edge = self.shape.edge(from, self.shape.node(to)?)?;
            return Some((edge, part.ways[edge]));
        }
        let shape = Arc::make_mut(&mut self.shape);
        let node = shape.add_node(to.clone());
        let edge = shape.add_edge(from, node);
        self.guards.resize(shape.edges().len(), Lit::FALSE);
        Some((edge, Way::Open))
    }
}

/// The register that goes through a structure.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor {
    pub(crate) register: usize,
    /// Whether it goes to greater numbers.
    pub(crate) onward: bool,
}
