//! What one run makes. A run begins with a new one of these: nothing is left of the run before.

use ir::MethodId;
use logic::Lit;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::config::Limits;
use crate::engine::activation::{Activation, Escape};
use crate::engine::clauses::Clauses;
use crate::engine::deferral::Deferral;
use crate::engine::trace::Trace;
use crate::graph::Graph;
use crate::state::State;
use crate::state::atom::{Atom, Point};
use crate::state::goal::Goals;
use crate::state::value::Value;

/// Why a run stopped early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exhausted {
    Time,
    Memory,
    Instructions,
    /// The oracle has had enough.
    Oracle,
}

/// One method on its arbitrary input.
pub(crate) struct Run {
    pub method: MethodId,
    pub limits: Limits,
    pub meter: Meter,
    pub goals: Goals,
    pub graph: Graph,
    pub stack: Vec<Activation>,
    pub ended: Ended,
    pub outside: Outside,
    pub objects: Objects,
    pub clauses: Clauses,
    pub deferral: Deferral,
    /// Where strings or boxes of the input are one object, as far as they have been compared.
    pub same: FxHashMap<(Atom, Atom), Lit>,
    /// The calls that make the objects of the input, where such are asked for.
    pub route: Vec<Called>,
    /// The steps, if somebody wants to see them.
    pub trace: Option<Trace>,
}

/// A call that some executions make before the method begins.
#[derive(Clone)]
pub(crate) struct Called {
    pub method: MethodId,
    /// The executions that make it.
    pub when: Lit,
    /// The object, for a constructor the new one; none for a static method.
    pub this: Option<Value>,
    pub arguments: Vec<Value>,
    /// The object that it returns, if it returns any.
    pub result: Option<Value>,
}

impl Run {
    pub fn new(method: MethodId, limits: Limits, graph: Graph, trace: Option<Trace>) -> Run {
        Run {
            method,
            limits,
            meter: Meter::default(),
            goals: Goals::default(),
            graph,
            stack: Vec::new(),
            ended: Ended::default(),
            outside: Outside::default(),
            objects: Objects::default(),
            clauses: Clauses::default(),
            deferral: Deferral::default(),
            same: FxHashMap::default(),
            route: Vec::new(),
            trace,
        }
    }
}

/// How much has been executed, and whether that was too much.
#[derive(Default)]
pub(crate) struct Meter {
    exhausted: Option<Exhausted>,
    /// Instructions under a condition that is not constant.
    conditional: u64,
    executed: u64,
}

impl Meter {
    /// An instruction is executed under a condition.
    pub fn count(&mut self, guard: Lit) {
        self.executed += 1;
        self.conditional += u64::from(!guard.is_constant());
    }

    /// Whether more has been executed than the limits admit.
    pub fn is_over(&self, limits: &Limits) -> bool {
        self.conditional > limits.instructions || self.executed > limits.constant_instructions
    }

    /// Instructions in all.
    pub fn executed(&self) -> u64 {
        self.executed
    }

    /// The run stops early.
    pub fn stop(&mut self, why: Exhausted) {
        self.exhausted = Some(why);
    }

    /// Why the run stopped early, if it did.
    pub fn exhausted(&self) -> Option<Exhausted> {
        self.exhausted
    }
}

/// Executions that have come to an end which is not the return of the method.
#[derive(Default)]
pub(crate) struct Ended {
    /// By an exception that leaves the method.
    pub escapes: Vec<Escape>,
    /// At a call whose precondition they violate.
    pub stops: Vec<Escape>,
    /// Never: they go round in a circle.
    pub lassos: Vec<Lasso>,
}

/// An execution that comes back to a state it was in.
pub(crate) struct Lasso {
    /// Where it has come back.
    pub state: State,
    pub at: Point,
    /// Steps of the trace before it was there first.
    pub stem: usize,
}

/// How often something has had a say that is no part of the state.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Outside {
    /// Questions for the time.
    pub clock: u32,
    /// Reads of what other threads or the world may change.
    pub influences: u32,
}

/// The objects that the run has made.
#[derive(Default)]
pub(crate) struct Objects {
    /// With the executions that have allocated them.
    made: FxHashMap<Atom, Lit>,
    /// Those that calls may have made which are known by their contracts.
    by_contract: FxHashSet<Atom>,
    /// Those whose constructors have finished, with the executions in which they have.
    complete: FxHashMap<Atom, Lit>,
}

impl Objects {
    /// An object is allocated in some executions.
    pub fn make(&mut self, atom: Atom, when: Lit) {
        self.made.insert(atom, when);
    }

    /// A call that is known by its contract may have made an object.
    pub fn make_by_contract(&mut self, atom: Atom, when: Lit) {
        self.make(atom, when);
        self.by_contract.insert(atom);
    }

    /// The constructor of an object has finished in some executions.
    pub fn complete(&mut self, atom: Atom, when: Lit) {
        self.complete.insert(atom, when);
    }

    /// The executions that have allocated an object, if it is the run's.
    pub fn made(&self, atom: Atom) -> Option<Lit> {
        self.made.get(&atom).copied()
    }

    pub fn is_by_contract(&self, atom: Atom) -> bool {
        self.by_contract.contains(&atom)
    }

    /// Every object that some execution has allocated.
    pub fn all(&self) -> impl Iterator<Item = Atom> {
        self.made.keys().copied()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.made.is_empty()
    }

    /// Objects whose constructors have finished, with the executions in which they have.
    pub fn completed(&self) -> impl Iterator<Item = (Atom, Lit)> {
        self.complete.iter().map(|(atom, when)| (*atom, *when))
    }
}
