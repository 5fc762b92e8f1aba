//! The loop around NEWTON: can the target be reached?
//!
//! A graph of abstract states is grown breadth first: a point with its callers, and the predicates
//! known there. A state whose predicates include those of an earlier one at the same point is
//! covered by it. A way to the target is explained: if it can be taken, the target is reached; if
//! not, the predicates of the explanation join the others and the graph is grown again. The
//! abstract step is the one by which explanations are checked, so no path is refuted twice. When
//! nothing is left to grow and the target is not in the graph, the graph is a proof for all
//! executions, and its predicates are invariants; `recheck` asks a fresh solver about every step.

use crate::abstraction::Bit;
use crate::explanation::{Explanation, Outcome, Which, explain, explain_at};
use crate::generalise::Templates;
use crate::learned::{At, Learned};
use crate::predicate::Predicate;
use crate::preferred::preferred;
use crate::program::{FrameId, Op, Path, Point, ProcId, Program, Space};
use crate::simulate::Context;
use crate::step::{self, Steps};
use crate::store::Store;
use crate::term::{TermId, Terms};
use crate::words::Words;
use logic::Evaluation;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Instant;

/// What the search may spend.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// When it must end.
    pub deadline: Option<Instant>,
    /// Abstract states in one graph.
    pub states: usize,
    /// Calls on top of each other.
    pub depth: usize,
    /// Explanations.
    pub refinements: usize,
}

/// How the search ended.
pub enum Answer {
    /// The path reaches the target, for these values.
    Reached(Path, Space, Evaluation),
    /// No execution reaches it.
    Unreachable(Proof),
    /// Neither is known; why.
    Open(String),
}

/// A finished graph.
pub struct Proof {
    /// Variables and names.
    pub space: Space,
    /// The predicates.
    pub predicates: Vec<Predicate>,
    /// At each point the alternatives; each is a conjunction of predicates by their indices.
    pub invariants: BTreeMap<(ProcId, Point), BTreeSet<BTreeSet<usize>>>,
    /// Abstract states.
    pub states: usize,
    /// Whether every step was confirmed by a fresh solver.
    pub rechecked: bool,
}

/// The search with all that it has found.
pub struct Search<'p> {
    program: &'p Program,
    /// All terms, those of the program first.
    pub terms: Terms,
    learned: Learned,
    steps: Steps,
    /// Answers about steps live in this one, as long as steps are asked about.
    words: Words,
    /// Paths and why they cannot be taken, in the order in which they came up.
    pub explanations: Vec<(Path, Explanation)>,
    templates: Templates,
    /// The first call that was cut off: from this state, along this edge, and what it was.
    cut: Option<(usize, usize, String)>,
    bounds: Bounds,
}

struct State {
    at: At,
    known: BTreeSet<Bit>,
    parent: Option<(usize, usize)>,
    covered: bool,
    next: Vec<Option<usize>>,
}

enum Grown {
    Target(usize),
    Trap(usize, usize),
    Complete(Vec<State>),
    Stopped(String),
}

impl<'p> Search<'p> {
    /// A search without predicates.
    pub fn new(program: &'p Program, bounds: Bounds) -> Search<'p> {
        Search {
            program,
            terms: program.terms.clone(),
            learned: Learned::new(program),
            steps: Steps::default(),
            words: Words::new(),
            explanations: Vec::new(),
            templates: Templates::new(program),
            cut: None,
            bounds,
        }
    }

    /// Searches until the target is reached, proved unreachable, or a bound is met.
    pub fn run(&mut self) -> Answer {
        let mut seen = BTreeSet::new();
        self.words = self.words();
        loop {
            let mut states = Vec::new();
            let mut cut = None;
            let space = self.learned.space.clone();
            let path = match self.grow(&mut states) {
                Grown::Stopped(why) => return Answer::Open(why),
                Grown::Complete(states) => match self.cut.clone() {
                    // Perhaps no execution gets there: then what says so is said from now on.
                    Some((state, edge, what)) => {
                        cut = Some(what);
                        self.path(&states, state, Some(edge))
                    }
                    None => return Answer::Unreachable(self.proof(states)),
                },
                Grown::Target(state) => self.path(&states, state, None),
                Grown::Trap(state, edge) => self.path(&states, state, Some(edge)),
            };
            let mut words = self.words();
            let which = if cut.is_some() { Which::First } else { Which::Nearest };
            match explain_at(&mut self.terms, &mut words, &space, &path, which) {
                Outcome::Feasible(..) | Outcome::Undecided(..) if let Some(what) = cut => {
                    return Answer::Open(format!("unbounded: {what}"));
                }
                Outcome::Feasible(_, values) => return Answer::Reached(path, space, values),
                Outcome::Undecided(..) if self.is_late() => {
                    return Answer::Open("timeout".to_owned());
                }
                Outcome::Undecided(step, why) => {
                    let origin = &path.steps[step].origin;
                    let at = format!("{}:{}", origin.file, origin.line);
                    let kind = match path.steps[step].op {
                        Op::Unsupported(_) => "unsupported: ",
                        _ => "",
                    };
                    return Answer::Open(format!("{kind}{why} ({at})"));
                }
                Outcome::Infeasible(explanation) => {
                    let key: Vec<(FrameId, Point, Op)> =
                        path.steps.iter().map(|s| (s.frame, s.at, s.op.clone())).collect();
                    let again = !seen.insert(format!("{key:?}"));
                    self.learn(&path, &explanation);
                    self.explanations.push((path, *explanation));
                    if again {
                        return Answer::Open(
                            "a path was not refuted by its own explanation".into(),
                        );
                    }
                }
            }
            if self.explanations.len() >= self.bounds.refinements {
                return Answer::Open(format!(
                    "unbounded: {} explanations",
                    self.bounds.refinements
                ));
            }
        }
    }

    fn words(&self) -> Words {
        let mut words = Words::new();
        words.limits.deadline = self.bounds.deadline;
        words
    }

    /// Takes over what an explanation found.
    fn learn(&mut self, path: &Path, explanation: &Explanation) {
        self.learned.take_names(path, explanation);
        let mut new = explanation.predicates.clone();
        new.extend(self.templates.for_explanation(
            &mut self.terms,
            &self.learned.space,
            explanation,
            self.explanations.len(),
        ));
        self.learned.add(new);
    }

    fn is_late(&self) -> bool {
        self.bounds.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    fn grow(&mut self, states: &mut Vec<State>) -> Grown {
        self.cut = None;
        let start = At::entry(self.program.entry);
        states.push(State {
            at: start.clone(),
            known: BTreeSet::new(),
            parent: None,
            covered: false,
            next: Vec::new(),
        });
        let mut there: FxHashMap<At, Vec<usize>> = FxHashMap::from_iter([(start, vec![0])]);
        let mut waiting = VecDeque::from([0]);
        while let Some(current) = waiting.pop_front() {
            if states.len() > self.bounds.states {
                return Grown::Stopped(format!("unbounded: {} abstract states", states.len()));
            }
            if self.is_late() {
                return Grown::Stopped("timeout".to_owned());
            }
            let at = states[current].at.clone();
            let node = &self.program.procedure(at.procedure).nodes[at.point.0 as usize];
            if node.target {
                return Grown::Target(current);
            }
            for edge in 0..node.edges.len() {
                if let Op::Unsupported(_) = node.edges[edge].op {
                    return Grown::Trap(current, edge);
                }
                let Some(next) = self.successor(&at, edge) else {
                    self.note_cut(&at, current, edge);
                    states[current].next.push(None);
                    continue;
                };
                let known = states[current].known.clone();
                let Some(known) = self.post(&at, edge, &known) else {
                    states[current].next.push(None);
                    continue;
                };
                let others = there.entry(next.clone()).or_default();
                let covers = |other: &&usize| {
                    let other = &states[**other];
                    !other.covered && other.known.is_subset(&known)
                };
                let covered = others.iter().any(|other| covers(&other));
                let new = states.len();
                others.push(new);
                let parent = Some((current, edge));
                states.push(State { at: next, known, parent, covered, next: Vec::new() });
                states[current].next.push(Some(new));
                if !covered {
                    waiting.push_back(new);
                }
            }
        }
        Grown::Complete(std::mem::take(states))
    }

    /// Where an edge leads; `None` if it ends the program or is cut off.
    fn successor(&self, at: &At, edge: usize) -> Option<At> {
        step::next(self.program, at, edge).filter(|next| next.calls.len() <= self.bounds.depth)
    }

    /// Remembers where a call was cut off.
    fn note_cut(&mut self, at: &At, state: usize, edge: usize) {
        if let (None, Some(next)) = (&self.cut, step::next(self.program, at, edge)) {
            let name = &self.program.procedure(next.procedure).name;
            let depth = self.bounds.depth;
            let what =
                format!("more than {depth} calls on top of each other, the last of `{name}`");
            self.cut = Some((state, edge, what));
        }
    }

    fn post(&mut self, at: &At, edge: usize, known: &BTreeSet<Bit>) -> Option<BTreeSet<Bit>> {
        let solver = (&mut self.terms, &mut self.words);
        self.steps.post((self.program, &self.learned), solver, at, edge, known)
    }

    /// The path to a state, and along one more edge.
    fn path(&self, states: &[State], state: usize, more: Option<usize>) -> Path {
        let mut edges = Vec::new();
        edges.extend(more.map(|edge| (state, edge)));
        let mut at = state;
        while let Some((parent, edge)) = states[at].parent {
            edges.push((parent, edge));
            at = parent;
        }
        let mut path = Path::new(self.program.entry);
        for &(state, edge) in edges.iter().rev() {
            let at = &states[state].at;
            let taken =
                &self.program.procedure(at.procedure).nodes[at.point.0 as usize].edges[edge];
            path.push(taken.op.clone(), taken.origin.clone(), at.point);
        }
        path
    }

    fn proof(&mut self, states: Vec<State>) -> Proof {
        let mut invariants: BTreeMap<_, BTreeSet<BTreeSet<usize>>> = BTreeMap::new();
        for state in states.iter().filter(|state| !state.covered) {
            let frame = FrameId(state.at.calls.len() as u32);
            let here = state.known.iter().filter_map(|bit| match bit {
                Bit::Predicate(index, at) if at.is_none_or(|at| at == frame) => Some(*index),
                _ => None,
            });
            let key = (state.at.procedure, state.at.point);
            invariants.entry(key).or_default().insert(here.collect());
        }
        let rechecked = self.recheck(&states);
        for (&(procedure, point), alternatives) in &mut invariants {
            if crate::tell::is_loop_head(self.program, procedure, point) {
                let whole = std::mem::take(alternatives);
                alternatives.extend(whole.into_iter().map(|one| self.shortest(one)));
                while self.merge(alternatives) {}
            }
        }
        Proof {
            space: self.learned.space.clone(),
            predicates: self.learned.predicates.clone(),
            invariants,
            states: states.iter().filter(|state| !state.covered).count(),
            rechecked,
        }
    }

    /// Makes one of two alternatives that differ in a predicate and its opposite only.
    fn merge(&mut self, alternatives: &mut BTreeSet<BTreeSet<usize>>) -> bool {
        for one in alternatives.iter() {
            for &index in one {
                let opposite = self.terms.not(self.learned.predicates[index].term);
                let known = self.learned.predicates.iter().position(|p| p.term == opposite);
                let Some(opposite) = known else { continue };
                let mut rest = one.clone();
                rest.remove(&index);
                let mut other = rest.clone();
                other.insert(opposite);
                if alternatives.contains(&other) {
                    let one = one.clone();
                    alternatives.remove(&one);
                    alternatives.remove(&other);
                    alternatives.insert(rest);
                    return true;
                }
            }
        }
        false
    }

    /// The same conjunction without what the rest of it implies.
    fn shortest(&mut self, mut known: BTreeSet<usize>) -> BTreeSet<usize> {
        let mut words = self.words();
        let mut store = Store::new(&self.learned.space, false);
        let mut closed = BTreeMap::new();
        for &index in &known {
            let term = self.learned.predicates[index].term;
            let made = store.evaluate(&mut self.terms, FrameId(0), term);
            closed.insert(index, self.terms.both(made.valid, made.value));
        }
        let mut order: Vec<usize> = known.iter().copied().collect();
        // What templates have added comes last, and goes first.
        order.reverse();
        for index in order {
            let rest: Vec<TermId> =
                known.iter().filter(|other| **other != index).map(|other| closed[other]).collect();
            if words.implies(&self.terms, &rest, closed[&index]) {
                known.remove(&index);
            }
        }
        known
    }

    /// Asks a fresh solver about each step of the graph: what is known before it must imply what is
    /// known after it, or the step must be impossible.
    fn recheck(&mut self, states: &[State]) -> bool {
        self.steps.forget();
        self.words = self.words();
        for state in states.iter().filter(|state| !state.covered) {
            for (edge, next) in state.next.iter().enumerate() {
                if self.is_late() {
                    return false;
                }
                if self.successor(&state.at, edge).is_none() {
                    continue;
                }
                let confirmed = match (next, self.post(&state.at, edge, &state.known)) {
                    (None, None) => true,
                    (Some(next), Some(known)) => states[*next].known.is_subset(&known),
                    _ => false,
                };
                if !confirmed {
                    return false;
                }
            }
        }
        true
    }

    /// The values along a path that can be taken; `pointers` are the places that hold addresses.
    pub fn values<'s>(
        &mut self,
        space: &'s Space,
        path: &Path,
        pointers: &BTreeSet<TermId>,
    ) -> Option<(Context<'s>, Evaluation, Words)> {
        let mut words = self.words();
        match explain(&mut self.terms, &mut words, space, path) {
            Outcome::Feasible(context, values) => {
                let terms = &mut self.terms;
                let values = preferred(terms, &mut words, &context, values, pointers);
                Some((*context, values, words))
            }
            _ => None,
        }
    }
}
