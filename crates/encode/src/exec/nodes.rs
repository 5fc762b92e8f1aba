//! Walking on the computation graph while code is executed, and keeping to one part of it; see
//! `graph`.

use ir::graph::{Node, NodeId};
use ir::{BlockId, MethodId};
use logic::{Folding, Lit};

use crate::config::Calls;
use crate::engine::{Activation, Engine, Frame, Outcome, Turn};
use crate::graph::{Cursor, Graph, Measure, Part, Wanted, Way};
use crate::state::State;
use crate::state::goal::Goal;
use crate::state::leaves::Origin;

impl Engine<'_> {
    /// From now on only the executions of a part are considered.
    pub fn restrict_to(&mut self, part: Part) {
        self.part = Some(part);
    }

    /// Divides the paths that the run has followed.
    pub fn divide(&self, wanted: Wanted, measure: Measure) -> Vec<Part> {
        let goals: Vec<Lit> = self.run.goals.iter().map(|(_, lit)| lit).collect();
        let constraints = self.inputs.constraints.iter().filter(|c| !c.is_remote);
        let constraints: Vec<Lit> = constraints.map(|c| c.lit).collect();
        let folding = Folding::new(&self.circuit, &goals, &constraints);
        self.run.graph.divide(wanted, measure, folding)
    }

    /// Control goes to a node. Nothing if that is not in the part that the run keeps to.
    fn go(&mut self, mut state: State, to: &Node) -> Option<State> {
        match self.run.graph.step(state.node, to) {
            Some((edge, Way::Open)) => {
                let guard = &mut self.run.graph.guards[edge];
                *guard = self.circuit.or(*guard, state.guard);
                state.node = self.run.graph.shape.edges()[edge].to;
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
        let part = self.run.graph.part.as_ref();
        let goal = part.and_then(|p| p.ends.get(&state.node).cloned()).unwrap_or_else(unknown);
        self.add_end(goal, state.node, state.guard);
    }

    /// Adds a goal that ends executions.
    pub(crate) fn add_end(&mut self, goal: Goal, node: NodeId, reached: Lit) {
        if self.leaves_traces() {
            self.run.graph.ends.entry(node).or_insert_with(|| goal.clone());
        }
        self.run.deferral.note_end(reached);
        self.run.goals.add(&mut self.circuit, goal, reached);
    }

    /// Where a call of the innermost activation is made, if it has nodes of its own.
    pub(crate) fn site(&self, state: &State) -> Option<NodeId> {
        self.is_in_graph().then_some(state.node)
    }

    /// Whether what is executed has nodes of its own.
    fn is_in_graph(&self) -> bool {
        let has_nodes = |a: &Activation| a.site.is_some() && a.one_step.is_none();
        self.leaves_traces() && self.run.stack.last().is_none_or(has_nodes)
    }

    fn leaves_traces(&self) -> bool {
        self.is_executing() && !self.run.deferral.is_expanding()
    }

    /// Where a call was made whose code is about to be followed, if that is to have nodes.
    pub(super) fn site_of_code(&mut self, method: MethodId, state: &State) -> Option<NodeId> {
        let site = self.site(state)?;
        let Graph { choices, part, .. } = &mut self.run.graph;
        match (part, self.run.limits.calls) {
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
        let chosen = self.run.graph.part.is_some() && self.is_in_graph();
        !chosen || !self.run.graph.choices.followed.contains(&(state.node, method))
    }

    /// Whether the rest of a loop is one step from a state at its head; nothing if nobody has chosen
    /// yet.
    pub(super) fn is_one_step(&self, state: &State) -> Option<bool> {
        let chosen = self.run.graph.part.is_some() && self.is_in_graph();
        chosen.then(|| self.run.graph.choices.rests.contains(&state.node))
    }

    /// Chooses that the rest of a loop is one step.
    pub(crate) fn make_one_step(&mut self, state: &State) {
        if self.is_in_graph() {
            self.run.graph.choices.rests.insert(state.node);
        }
    }

    /// Control goes to a block.
    pub(super) fn enter_block(
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
    pub(super) fn is_elsewhere(&self, frame: &Frame<'_>, state: &State, block: BlockId) -> bool {
        self.run.graph.part.is_some()
            && self
                .block_node(frame, block)
                .is_some_and(|node| self.run.graph.leaves_out(state.node, &node))
    }

    /// Control goes to the head of a loop, in a turn by name.
    pub(super) fn enter_turn(
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
    pub(super) fn same_cursor(&mut self, state: &State, found: Option<Cursor>) -> Option<Cursor> {
        if self.site(state).is_none() {
            return found;
        }
        *self.run.graph.choices.cursors.entry(state.node).or_insert(found)
    }

    fn block_node(&self, frame: &Frame<'_>, block: BlockId) -> Option<Node> {
        let activation = self.run.stack.last()?;
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
        match self.run.stack.last().and_then(|a| a.site).filter(|_| self.leaves_traces()) {
            Some(site) => self.come_back(state, site, thrown),
            None => Some(state),
        }
    }

    /// Control comes back to where a call was made.
    fn come_back(&mut self, state: State, site: NodeId, thrown: bool) -> Option<State> {
        let node = if thrown { Node::Thrown { site } } else { Node::Return { site } };
        match self.run.graph.shape.node(&node) {
            Some(there) if there == state.node => Some(state),
            _ => self.go(state, &node),
        }
    }

    /// What a call leads to that was made at `site`, however its callee was followed.
    pub(super) fn back_at(&mut self, site: Option<NodeId>, outcome: Outcome) -> Outcome {
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
