//! What a run knows about the clauses it has met; see `spec/`.

use std::collections::BTreeMap;
use std::rc::Rc;

use ir::{FieldId, MethodId, Type};
use logic::{Bits, Lit};
use rustc_hash::{FxHashMap, FxHashSet};
use spec::core::Site;

use crate::state::atom::{Atom, Point};
use crate::state::goal::Goal;
use crate::state::heap::Heap;
use crate::state::value::{Ref, Value};

/// What a run has accessed, with the executions that have.
#[derive(Default)]
pub(crate) struct Log {
    pub(crate) is_kept: bool,
    /// Whether the next call is part of the meaning of an instruction.
    pub is_implicit: bool,
    pub(crate) reads: BTreeMap<(Slot, Option<Point>), Lit>,
    pub(crate) calls: BTreeMap<(MethodId, Option<Point>), Lit>,
    pub(crate) made: BTreeMap<Option<Point>, Lit>,
    /// What could not be written down.
    pub(crate) unknown: BTreeMap<String, Lit>,
}

/// Why a clause fails.
#[derive(Clone, Debug, Default)]
pub(crate) struct Failure {
    /// The smallest part that fails, where that is less than the whole.
    pub part: Option<String>,
    /// Values of quantified variables, as values of the fixed run.
    pub(crate) witness: Vec<(String, Value)>,
    pub note: Option<String>,
    /// The place in memory that a frame does not allow, and what is done with it.
    pub(crate) place: Option<(Slot, &'static str)>,
    /// What is compared in the part that fails, as written and as values of the fixed run.
    pub(crate) sides: Vec<(String, Value, Type)>,
}

/// What the names in a clause mean at one point.
#[derive(Clone, Default)]
pub(crate) struct View {
    pub this: Option<Value>,
    pub parameters: Vec<Value>,
    pub result: Option<Value>,
    pub exception: Option<Ref>,
    /// At a mark: the source variables there.
    pub locals: Vec<Value>,
    pub ghosts: FxHashMap<u32, Value>,
    /// The heap before the call.
    pub before: Heap,
    /// Objects that the run had allocated before the call.
    pub allocated_before: u32,
    /// Whether the method is seen from where it is called: its accesses are not known.
    pub is_outside: bool,
}

/// What holds when the method starts.
#[derive(Default)]
pub(crate) struct Assumed {
    /// For each case of the contract: whether its preconditions hold.
    pub cases: Vec<Lit>,
}

/// A place in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Slot {
    Field(Atom, FieldId),
    Element(Atom, u32),
    Static(FieldId),
}

/// What the marks of one activation remember of its loops: by mark and clause, the variants when
/// their heads were last passed.
#[derive(Clone, Default)]
pub(crate) struct Measures {
    pub variants: FxHashMap<(u32, usize), Bits>,
    /// Loops whose iterations are being counted.
    pub counted: FxHashSet<u32>,
    /// What was there when a loop with a frame was entered.
    pub entered: FxHashMap<(u32, usize), Rc<Entered>>,
}

/// What a loop with a frame found when it was entered.
pub(crate) struct Entered {
    pub(crate) heap: Heap,
    /// The locations that it may assign: those that its frame named then.
    pub(crate) allowed: Frame,
    pub(crate) unknown: Lit,
}

/// Locations that may be assigned, evaluated.
pub(crate) enum Allowed {
    Field(Ref, FieldId),
    Fields(Ref),
    Elements(Ref, Option<(Bits, Bits)>),
    Static(FieldId),
    Statics(ir::ClassId),
    Members(BTreeMap<Slot, Lit>),
}

/// The locations of a frame, each with the literal that says whether it exists.
pub(crate) type Frame = Vec<(Lit, Allowed)>;

/// What a run knows about clauses.
#[derive(Default)]
pub(crate) struct Clauses {
    /// What the run has read, called and made, if anything is said about that.
    pub log: Log,
    /// Objects of the input whose invariants have been assumed.
    assumed: FxHashSet<Atom>,
    /// Evaluations that are under way: they leave no trace.
    evaluating: u32,
    is_abstract: bool,
    /// Assumptions in bodies that control has passed.
    body_assumptions: Vec<Site>,
    /// What is odd about the specification.
    warnings: Vec<String>,
    /// Why a fixed run breaks the clauses that it breaks.
    failures: BTreeMap<Goal, Failure>,
}

impl Clauses {
    /// The evaluation of a clause begins.
    pub fn enter(&mut self) {
        self.evaluating += 1;
    }

    /// It has ended.
    pub fn leave(&mut self) {
        self.evaluating -= 1;
    }

    pub fn is_evaluating(&self) -> bool {
        self.evaluating > 0
    }

    /// The invariants of an object are assumed; `false` if they have been before.
    pub fn assume(&mut self, atom: Atom) -> bool {
        self.assumed.insert(atom)
    }

    pub fn is_assumed(&self, atom: Atom) -> bool {
        self.assumed.contains(&atom)
    }

    /// Whether no object's invariants have been assumed.
    pub fn nothing_is_assumed(&self) -> bool {
        self.assumed.is_empty()
    }

    /// A contract stands for a call.
    pub fn note_abstract(&mut self) {
        self.is_abstract = true;
    }

    /// Whether a contract stood for a call.
    pub fn is_abstract(&self) -> bool {
        self.is_abstract
    }

    /// Control passes an assumption.
    pub fn note_assumption(&mut self, site: Site) {
        self.body_assumptions.push(site);
    }

    pub fn body_assumptions(&self) -> &[Site] {
        &self.body_assumptions
    }

    pub fn warn(&mut self, warning: String) {
        self.warnings.push(warning);
    }

    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Why a clause fails; what was said first stays.
    pub fn note_failure(&mut self, goal: Goal, failure: Failure) {
        self.failures.entry(goal).or_insert(failure);
    }

    pub fn knows_failure(&self, goal: &Goal) -> bool {
        self.failures.contains_key(goal)
    }

    pub fn take_failures(&mut self) -> BTreeMap<Goal, Failure> {
        std::mem::take(&mut self.failures)
    }
}
