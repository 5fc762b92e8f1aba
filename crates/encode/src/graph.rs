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

use ir::graph::{ComputationGraph, Node, NodeId};
use ir::split::{self, Division};
use ir::{BlockId, MethodId};
use logic::{Folding, Lit};

use crate::config::Calls;
use crate::cursor::Cursor;
use crate::engine::{Activation, Engine};
use crate::exec::{Frame, Outcome, Turn};
use crate::goal::Goal;
use crate::inputs::Origin;
use crate::state::State;

/// The graph of a run and the path condition of each of its edges.
#[derive(Default)]
pub struct Graph {
    shape: Arc<ComputationGraph>,
    guards: Vec<Lit>,
    ends: Ends,
    choices: Choices,
    part: Option<Part>,
}

/// What ends executions at a node because they are not followed further.
type Ends = BTreeMap<NodeId, Goal>;

/// What a run has chosen where another run might have chosen otherwise. The names of nodes depend on it, so
/// runs that keep to parts of one graph must all choose the same.
#[derive(Clone, Default)]
struct Choices {
    /// What goes through a structure, by where its loop begins to repeat.
    cursors: BTreeMap<NodeId, Option<Cursor>>,
    /// Calls whose code has nodes. All others are one step.
    followed: BTreeSet<(NodeId, MethodId)>,
    /// Where the rest of a loop is one step.
    rests: BTreeSet<NodeId>,
}

/// What a run is restricted to: some paths of an earlier run.
#[derive(Clone)]
pub struct Part {
    shape: Arc<ComputationGraph>,
    /// For each edge.
    ways: Arc<[Way]>,
    /// Where the earlier run did not go on.
    ends: Arc<Ends>,
    choices: Arc<Choices>,
    /// The logarithm to base 2 of the number of paths.
    pub paths: f64,
    /// How much of the whole is left once the rest is folded, from 0 to 1: see [`Folding`].
    pub left: f64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
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
    fn divide(&self, wanted: Wanted, measure: Measure, folding: Folding<'_>) -> Vec<Part> {
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
    fn leaves_out(&self, from: NodeId, to: &Node) -> bool {
        let edge = || self.shape.edge(from, self.shape.node(to)?);
        self.part.is_some() && edge().is_some_and(|edge| self.is_closed(edge))
    }

    /// The edge that leads from where `state` is to a node, and what the part says of it.
    fn step(&mut self, from: NodeId, to: &Node) -> Option<(usize, Way)> {
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

impl Engine<'_> {
    /// From now on only the executions of a part are considered.
    pub fn restrict_to(&mut self, part: Part) {
        self.part = Some(part);
    }

    /// Divides the paths that the run has followed.
    pub fn divide(&self, wanted: Wanted, measure: Measure) -> Vec<Part> {
        let goals: Vec<Lit> = self.goals.iter().map(|(_, lit)| lit).collect();
        let constraints = self.inputs.constraints.iter().filter(|c| !c.is_remote);
        let constraints: Vec<Lit> = constraints.map(|c| c.lit).collect();
        let folding = Folding::new(&self.circuit, &goals, &constraints);
        self.graph.divide(wanted, measure, folding)
    }

    /// Control goes to a node. Nothing if that is not in the part that the run keeps to.
    fn go(&mut self, mut state: State, to: &Node) -> Option<State> {
        match self.graph.step(state.node, to) {
            Some((edge, Way::Open)) => {
                let guard = &mut self.graph.guards[edge];
                *guard = self.circuit.or(*guard, state.guard);
                state.node = self.graph.shape.edges()[edge].to;
                Some(state)
            }
            Some((_, Way::Closed)) => {
                self.inputs.require(!state.guard, Origin::Case);
                None
            }
            Some((_, Way::Unknown)) | None => {
                self.stray(state);
                None
            }
        }
    }

    /// Control goes where the run that was divided did not go, because it was cut off there or met
    /// something that is not modelled, which this run knows how to pass. What is there belongs to
    /// no part, so it counts as what it was then.
    fn stray(&mut self, state: State) {
        let what = "control flow that was not followed";
        let unknown = || Goal::Unsupported { what: what.into(), at: self.user_point() };
        let part = self.graph.part.as_ref();
        let goal = part.and_then(|p| p.ends.get(&state.node).cloned()).unwrap_or_else(unknown);
        self.add_end(goal, state.node, state.guard);
    }

    /// Adds a goal that ends executions.
    pub(crate) fn add_end(&mut self, goal: Goal, node: NodeId, reached: Lit) {
        if self.leaves_traces() {
            self.graph.ends.entry(node).or_insert_with(|| goal.clone());
        }
        self.deferral.note_end(reached);
        self.goals.add(&mut self.circuit, goal, reached);
    }

    /// Where a call of the innermost activation is made, if it has nodes of its own.
    pub(crate) fn site(&self, state: &State) -> Option<NodeId> {
        self.is_in_graph().then_some(state.node)
    }

    /// Whether what is executed has nodes of its own.
    fn is_in_graph(&self) -> bool {
        let has_nodes = |a: &Activation| a.site.is_some() && a.one_step.is_none();
        self.leaves_traces() && self.stack.last().is_none_or(has_nodes)
    }

    fn leaves_traces(&self) -> bool {
        self.is_executing() && !self.deferral.is_expanding()
    }

    /// Where a call was made whose code is about to be followed, if that is to have nodes.
    pub(crate) fn site_of_code(&mut self, method: MethodId, state: &State) -> Option<NodeId> {
        let site = self.site(state)?;
        let Graph { choices, part, .. } = &mut self.graph;
        match (part, self.limits.calls) {
            (Some(_), Calls::Infer { .. }) => {
                choices.followed.contains(&(site, method)).then_some(site)
            }
            _ => {
                choices.followed.insert((site, method));
                Some(site)
            }
        }
    }

    /// Whether the run that was divided has followed the code of a call, or nobody has chosen yet.
    pub(crate) fn may_be_one_step(&self, method: MethodId, state: &State) -> bool {
        let chosen = self.graph.part.is_some() && self.is_in_graph();
        !chosen || !self.graph.choices.followed.contains(&(state.node, method))
    }

    /// Whether the rest of a loop is one step from a state at its head; nothing if nobody has chosen
    /// yet.
    pub(crate) fn is_one_step(&self, state: &State) -> Option<bool> {
        let chosen = self.graph.part.is_some() && self.is_in_graph();
        chosen.then(|| self.graph.choices.rests.contains(&state.node))
    }

    /// Chooses that the rest of a loop is one step.
    pub(crate) fn make_one_step(&mut self, state: &State) {
        if self.is_in_graph() {
            self.graph.choices.rests.insert(state.node);
        }
    }

    /// Control goes to a block.
    pub(crate) fn enter_block(
        &mut self,
        frame: &Frame<'_>,
        state: State,
        block: BlockId,
    ) -> Option<State> {
        match self.block_node(frame, block) {
            Some(node) => self.go(state, &node),
            None => Some(state),
        }
    }

    /// Whether executions that go to a block are in another part.
    pub(crate) fn is_elsewhere(&self, frame: &Frame<'_>, state: &State, block: BlockId) -> bool {
        self.graph.part.is_some()
            && self
                .block_node(frame, block)
                .is_some_and(|node| self.graph.leaves_out(state.node, &node))
    }

    /// Control goes to the head of a loop, in a turn by name.
    pub(crate) fn enter_turn(
        &mut self,
        frame: &mut Frame<'_>,
        head: BlockId,
        number: u32,
        state: State,
    ) -> Option<State> {
        frame.loops.push(Turn::new(head, number - 1));
        let entered = self.enter_block(frame, state, head);
        frame.loops.pop();
        entered
    }

    /// The cursor of a loop that begins to repeat. Turns are called after what it holds, so a run that
    /// keeps to a part must have the cursor of the run that was divided.
    pub(crate) fn same_cursor(&mut self, state: &State, found: Option<Cursor>) -> Option<Cursor> {
        if self.site(state).is_none() {
            return found;
        }
        *self.graph.choices.cursors.entry(state.node).or_insert(found)
    }

    fn block_node(&self, frame: &Frame<'_>, block: BlockId) -> Option<Node> {
        let activation = self.stack.last()?;
        let (site, method) = (activation.site?, activation.method);
        let is_inside = |head: BlockId| frame.body.order().stays_in(head, block);
        let is_one_step = activation.one_step.is_some_and(is_inside);
        (!is_one_step && self.leaves_traces()).then(|| Node::Block {
            site,
            method,
            block,
            turns: frame.turns(block),
        })
    }

    /// Control comes back to where the innermost activation was called.
    pub(crate) fn leave(&mut self, state: State, thrown: bool) -> Option<State> {
        match self.stack.last().and_then(|a| a.site).filter(|_| self.leaves_traces()) {
            Some(site) => self.come_back(state, site, thrown),
            None => Some(state),
        }
    }

    /// Control comes back to where a call was made.
    fn come_back(&mut self, state: State, site: NodeId, thrown: bool) -> Option<State> {
        let node = if thrown { Node::Thrown { site } } else { Node::Return { site } };
        match self.graph.shape.node(&node) {
            Some(there) if there == state.node => Some(state),
            _ => self.go(state, &node),
        }
    }

    /// What a call leads to that was made at `site`, however its callee was followed.
    pub(crate) fn back_at(&mut self, site: Option<NodeId>, outcome: Outcome) -> Outcome {
        let Some(site) = site else {
            return outcome;
        };
        Outcome {
            normal: outcome.normal.and_then(|(state, value)| {
                self.come_back(state, site, false).map(|state| (state, value))
            }),
            thrown: outcome.thrown.and_then(|(state, exception)| {
                self.come_back(state, site, true).map(|state| (state, exception))
            }),
        }
    }
}

impl Frame<'_> {
    /// In which turns of the loops around it a block is executed next.
    fn turns(&self, block: BlockId) -> Vec<u32> {
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
