//! The encoder's main object: unrolling, inlining and encoding in one pass.
//!
//! The engine executes a method symbolically, block by block in weak topological order, joining
//! states where paths meet (Jackson & Vaziri's computation graph, section 3.4, built and
//! translated at once). Doing both together lets constant guards prune branches, lets the set of
//! atoms that a receiver may be decide which callees exist, and lets loops stop by themselves.
//!
//! It must not know any solver: whoever drives it may offer an [`Oracle`] that tells whether a
//! literal can be true, which only ever makes the result smaller.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::{Arc, LazyLock};

use ir::graph::NodeId;
use ir::{BlockId, ClassId, FieldId, MethodId, Program, Type};
use logic::{Circuit, Edges, Lit, Reach};
use rustc_hash::{FxHashMap, FxHashSet};
use spec::core::{Contracts, Site};

use crate::atom::{Atom, AtomInfo, Atoms, Birth, Name, Point};
use crate::bounds::{Bounds, Coarseness};
use crate::canonical::Layout;
use crate::config::{Limits, Scope};
use crate::deferred::Deferral;
use crate::goal::{Goal, Goals};
use crate::graph::{Graph, Part};
use crate::heap::Heap;
use crate::init::Classes;
use crate::inputs::{Constraint, Inputs, Source};
use crate::known::Known;
use crate::lasso::Endless;
use crate::naming::Naming;
use crate::order::Ordering;
use crate::spec::{Failure, Log};
use crate::state::State;
use crate::strings::Pending;
use crate::symmetry::Symmetry;
use crate::trace::{Trace, Variable};
use crate::value::{Ref, Value};

/// Answers whether some input can make a literal true.
pub trait Oracle {
    /// `Some(false)` only if no input that satisfies `constraints` makes `lit` true.
    fn possible(&mut self, circuit: &Circuit, constraints: &[Constraint], lit: Lit)
    -> Option<bool>;

    /// Whether it has had enough: then a run that is laid out stops.
    fn is_tired(&self) -> bool {
        false
    }
}

/// An oracle that knows nothing.
pub struct NoOracle;

impl Oracle for NoOracle {
    fn possible(&mut self, _: &Circuit, _: &[Constraint], _: Lit) -> Option<bool> {
        None
    }
}

/// An active call.
#[derive(Clone)]
pub(crate) struct Activation {
    pub method: MethodId,
    /// Line that is executing.
    pub line: u32,
    /// Path condition at entry.
    pub guard: Lit,
    /// Whether a handler of this or an outer activation may catch what is thrown now.
    pub covered: bool,
    /// Nested activations of the same method so far that were entered under a condition.
    pub recursion: u32,
    pub given: bool,
    /// Where it was called, if it has nodes in the graph.
    pub site: Option<NodeId>,
    /// The block that is executing, unless a call is part of the meaning of an instruction.
    pub block: Option<BlockId>,
    /// The head of a loop whose rest is one step of the graph, while that rest is executed.
    pub one_step: Option<BlockId>,
    /// What `\old` means in its body, where something is specified there.
    pub entry: Option<Rc<Entry>>,
    /// Its source variables, if a trace is kept.
    pub locals: Vec<Variable>,
}

/// The beginning of an activation.
pub(crate) struct Entry {
    pub method: MethodId,
    /// The receiver first.
    pub arguments: Vec<Value>,
    pub heap: Heap,
    /// Objects that the run had allocated.
    pub allocated: u32,
}

/// An exception that leaves the checked method.
pub(crate) struct Escape {
    pub state: State,
    pub exception: Ref,
}

/// Why a run stopped early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exhausted {
    Time,
    Memory,
    Instructions,
    /// The oracle has had enough.
    Oracle,
}

/// What is checked: a program, which of its classes are under verification, and what is promised
/// about them.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    pub program: &'a Program,
    pub given: &'a [ClassId],
    pub contracts: &'a Contracts,
}

impl<'a> Subject<'a> {
    /// A program about which nothing is promised.
    pub fn unspecified(program: &'a Program, given: &'a [ClassId]) -> Subject<'a> {
        static NOTHING: LazyLock<Contracts> = LazyLock::new(Contracts::default);
        Subject { program, given, contracts: &NOTHING }
    }
}

/// The symbolic executor of one method.
pub struct Engine<'a> {
    pub program: &'a Program,
    pub(crate) contracts: &'a Contracts,
    pub scope: &'a Scope,
    pub circuit: Circuit,
    pub(crate) known: Known,
    pub(crate) atoms: Atoms,
    pub(crate) inputs: Inputs,
    /// What class initialisers and forced strings left behind: below every state's heap.
    pub(crate) base: Heap,
    pub(crate) goals: Goals,
    pub(crate) graph: Graph,
    pub(crate) classes: Classes,
    /// Class whose initialiser is running, and how many objects it has allocated.
    pub(crate) initialising: Vec<(ClassId, u32)>,
    /// Classes of the user's whose initialisers have asked for what differs from one JVM to the next.
    pub(crate) capricious: FxHashSet<ClassId>,
    pub(crate) stack: Vec<Activation>,
    pub(crate) escapes: Vec<Escape>,
    /// What the run has read, called and made, if anything is said about that.
    pub(crate) log: Log,
    /// Executions that ended at a call whose precondition they violate.
    pub(crate) stops: Vec<Escape>,
    pub(crate) endless: Endless,
    pub(crate) candidates: FxHashMap<ClassId, Rc<[Atom]>>,
    pub(crate) relevant: Rc<[ClassId]>,
    /// Array classes and library classes that the code around the method asks objects about.
    pub(crate) asked_about: Rc<[ClassId]>,
    pub(crate) pending_strings: FxHashMap<Atom, Rc<Pending>>,
    /// Where strings or boxes of the input are one object, as far as this run has compared them.
    pub(crate) shared_pairs: FxHashMap<(Atom, Atom), Lit>,
    /// Strings that were worked out only for some executions, with the literal of those.
    pub(crate) partial_strings: FxHashMap<Atom, Lit>,
    pub(crate) limits: Limits,
    pub(crate) exhausted: Option<Exhausted>,
    /// Instructions of this run under a condition, and in all.
    pub(crate) instructions: u64,
    pub(crate) executed: u64,
    pub(crate) fresh: u32,
    pub(crate) clock: u32,
    pub(crate) trace: Option<Trace>,
    pub(crate) given: &'a [ClassId],
    /// The method that the current run checks.
    pub(crate) method: MethodId,
    /// Evaluations of specifications that are under way: they leave no trace.
    pub(crate) specifying: u32,
    /// Objects that the run has allocated, with the executions that have.
    pub(crate) born: FxHashMap<Atom, Lit>,
    /// Objects that calls may have made which are known by their contracts.
    pub(crate) made_by_contract: FxHashSet<Atom>,
    /// Objects whose constructors have finished, with the executions in which they have.
    pub(crate) completed: FxHashMap<Atom, Lit>,
    /// Whether it matters which objects of the input exist, and which do.
    pub(crate) uses_liveness: bool,
    pub(crate) live: FxHashMap<Atom, Lit>,
    /// Those whose existence a specification has asked about.
    pub(crate) looked_at: FxHashSet<Atom>,
    pub(crate) leaves_linked: usize,
    /// Objects of the input whose invariants this run has assumed.
    pub(crate) assumed: FxHashSet<Atom>,
    /// Unknowns that calls through contracts have left, and whether this run has any such call.
    pub(crate) havocs: u32,
    pub(crate) abstracted: bool,
    pub(crate) deferral: Deferral,
    /// While a deferred call is followed: what things are called there.
    pub(crate) naming: Option<Box<Naming>>,
    pub(crate) symmetry: Symmetry,
    pub(crate) layout: Option<Layout>,
    /// What runs are restricted to.
    pub(crate) part: Option<Part>,
    /// Whether something has asked for objects that are not laid out.
    pub(crate) outside_layout: bool,
    pub(crate) bounds: Option<Arc<Bounds>>,
    /// Whether only the layout is of interest: what is beside it may be anything then.
    pub(crate) is_surveyed: bool,
    pub(crate) reaching: Reach,
    /// Graphs that the invariants of a survey speak of.
    pub(crate) spoken_of: Vec<Edges>,
    pub(crate) coarseness: Coarseness,
    /// Constraints of what may hold more than is reached.
    pub(crate) loose_constraints: u32,
    /// Numbers of the input that are only compared.
    pub(crate) ordering: Ordering,
    /// Assumptions in bodies that control has passed.
    pub(crate) body_assumptions: Vec<Site>,
    /// What is odd about the specification.
    pub(crate) warnings: Vec<String>,
    /// Why a fixed run breaks the clauses that it breaks.
    pub(crate) failures: BTreeMap<Goal, Failure>,
    pub(crate) oracle: Box<dyn Oracle + 'a>,
}

/// Instructions between two looks at the clock.
const CLOCK_INTERVAL: u64 = 256;

impl<'a> Engine<'a> {
    /// An engine for methods of a subject.
    pub fn new(
        subject: Subject<'a>,
        scope: &'a Scope,
        source: Source,
        oracle: Box<dyn Oracle + 'a>,
    ) -> Engine<'a> {
        let Subject { program, given, contracts } = subject;
        let known = Known::new(program);
        Engine {
            program,
            contracts,
            scope,
            circuit: Circuit::new(),
            atoms: Atoms::new(known.object),
            known,
            inputs: Inputs::new(source),
            base: Heap::default(),
            goals: Goals::default(),
            graph: Graph::default(),
            classes: Classes::default(),
            initialising: Vec::new(),
            capricious: FxHashSet::default(),
            stack: Vec::new(),
            escapes: Vec::new(),
            log: Log::default(),
            stops: Vec::new(),
            endless: Endless::default(),
            candidates: FxHashMap::default(),
            relevant: Rc::new([]),
            asked_about: Rc::new([]),
            pending_strings: FxHashMap::default(),
            shared_pairs: FxHashMap::default(),
            partial_strings: FxHashMap::default(),
            limits: Limits::default(),
            exhausted: None,
            instructions: 0,
            executed: 0,
            fresh: 0,
            clock: 0,
            trace: None,
            given,
            method: MethodId(0),
            specifying: 0,
            born: FxHashMap::default(),
            made_by_contract: FxHashSet::default(),
            completed: FxHashMap::default(),
            uses_liveness: false,
            looked_at: FxHashSet::default(),
            live: FxHashMap::default(),
            leaves_linked: 0,
            assumed: FxHashSet::default(),
            havocs: 0,
            abstracted: false,
            deferral: Deferral::default(),
            naming: None,
            symmetry: Symmetry::default(),
            layout: None,
            part: None,
            outside_layout: false,
            bounds: None,
            is_surveyed: false,
            reaching: Reach::default(),
            spoken_of: Vec::new(),
            coarseness: Coarseness::default(),
            loose_constraints: 0,
            ordering: Ordering::default(),
            body_assumptions: Vec::new(),
            warnings: Vec::new(),
            failures: BTreeMap::new(),
            oracle,
        }
    }

    /// What every input satisfies.
    pub fn constraints(&self) -> &[Constraint] {
        &self.inputs.constraints
    }

    /// The leaves of the input.
    pub fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    /// What the last run followed.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The atoms of the run.
    pub fn atoms(&self) -> &Atoms {
        &self.atoms
    }

    /// Assumptions in bodies that the last run has met.
    pub fn body_assumptions(&self) -> &[Site] {
        &self.body_assumptions
    }

    /// Whether a contract stood for a call in the last run.
    pub fn is_abstract(&self) -> bool {
        self.abstracted
    }

    /// Restricts the input to what `bounds` admit: they must have been computed for inputs that are
    /// laid out alike.
    pub fn set_bounds(&mut self, bounds: Arc<Bounds>) {
        self.bounds = Some(bounds);
    }

    /// Whether the input is laid out, but the run needs more than that: it counts for nothing.
    pub fn is_outside_layout(&self) -> bool {
        self.outside_layout
    }

    /// Why the last run ended before it was complete, if it did.
    pub fn exhausted(&self) -> Option<Exhausted> {
        self.exhausted
    }

    /// Whether control belongs to the checked method and what it calls.
    pub(crate) fn is_executing(&self) -> bool {
        !self.is_initialising() && self.specifying == 0
    }

    /// Whether a class initialiser is running.
    pub(crate) fn is_initialising(&self) -> bool {
        !self.initialising.is_empty()
    }

    /// The innermost point in given code. Frames of lambda classes do not count: the JVM hides
    /// them too.
    pub(crate) fn user_point(&self) -> Option<Point> {
        let frame = self.stack.iter().rev().find(|a| a.given)?;
        Some(Point { method: frame.method, line: frame.line })
    }

    /// Whether the innermost activation is given code.
    pub(crate) fn in_given_code(&self) -> bool {
        self.stack.last().is_some_and(|a| a.given)
    }

    /// Ends the executions of `state`: they reach something that is not modelled.
    pub(crate) fn unsupported(&mut self, state: &mut State, what: impl Into<String>) {
        let goal = Goal::Unsupported { what: what.into(), at: self.user_point() };
        self.add_end(goal, state.node, state.guard);
        state.guard = Lit::FALSE;
    }

    /// Ends those executions of `state` in which `cond` holds as unsupported.
    pub(crate) fn unsupported_if(
        &mut self,
        state: &mut State,
        cond: Lit,
        what: impl FnOnce() -> String,
    ) {
        let cond = state.facts.fold(cond);
        if cond == Lit::FALSE {
            return;
        }
        let lit = self.circuit.and(state.guard, cond);
        let goal = Goal::Unsupported { what: what(), at: self.user_point() };
        self.add_end(goal, state.node, lit);
        state.assume(&mut self.circuit, !cond);
    }

    /// Ends the executions of `state` in which `cond` holds: they go beyond the bounds.
    pub(crate) fn cut_if(&mut self, state: &mut State, cond: Lit, what: impl FnOnce() -> String) {
        let cond = state.facts.fold(cond);
        if cond == Lit::FALSE {
            return;
        }
        let lit = self.circuit.and(state.guard, cond);
        let goal = Goal::Cut { what: what(), at: self.user_point() };
        self.add_end(goal, state.node, lit);
        state.assume(&mut self.circuit, !cond);
    }

    /// Whether the oracle rules out that `lit` is ever true.
    pub(crate) fn is_impossible(&mut self, lit: Lit) -> bool {
        match lit.constant() {
            Some(value) => !value,
            None => {
                if !self.settle_order([lit]) {
                    return false;
                }
                let constraints = &self.inputs.constraints;
                self.oracle.possible(&self.circuit, constraints, lit) == Some(false)
            }
        }
    }

    /// Counts an instruction; `false` once the run should stop.
    pub(crate) fn tick(&mut self, guard: Lit) -> bool {
        self.executed += 1;
        self.instructions += u64::from(!guard.is_constant());
        if self.exhausted.is_some() || self.ordering.is_abandoned() {
            return false;
        }
        if self.instructions > self.limits.instructions
            || self.executed > self.limits.constant_instructions
        {
            self.exhausted = Some(Exhausted::Instructions);
        } else if self.executed.is_multiple_of(CLOCK_INTERVAL) {
            if self.limits.is_run_over() {
                self.exhausted = Some(Exhausted::Time);
            } else if self.circuit.len() > self.limits.gates {
                self.exhausted = Some(Exhausted::Memory);
            }
        } else if self.is_executing() && self.layout.is_some() && self.oracle.is_tired() {
            // Not in the midst of a constraint: what the run has required so far goes on to hold.
            self.exhausted = Some(Exhausted::Oracle);
        }
        self.exhausted.is_none()
    }

    /// A fresh object without contents yet.
    pub(crate) fn allocate(&mut self, class: ClassId, birth: Birth) -> Atom {
        let initialising = self.initialising.last().map(|i| i.0);
        if initialising.is_some_and(|i| self.is_plain_constant(i, class)) {
            self.deferral.note_constant();
        }
        if self.is_executing()
            && let Some(atom) = self.deferral.draw(class)
        {
            let at = self.user_point();
            let info = self.atoms.info_mut(atom);
            (info.birth, info.at) = (birth, at);
            return atom;
        }
        let name = match self.initialising.last_mut() {
            Some((initialising, count)) => {
                *count += 1;
                Name::Initialiser(*initialising, *count)
            }
            None => {
                self.fresh += 1;
                Name::Fresh(self.fresh)
            }
        };
        let at = self.user_point();
        self.atoms.add(AtomInfo {
            class,
            name,
            birth,
            at,
            shared: Some(Lit::FALSE),
            opaque: false,
            constant: None,
        })
    }

    /// Allocates an object with default fields and makes it known to `state`.
    pub(crate) fn new_object(&mut self, state: &mut State, class: ClassId) -> Atom {
        let given_code = self.in_given_code();
        let atom = self.allocate(class, Birth::Allocated { given_code });
        state.heap.contents_mut(atom);
        if self.specifying == 0 && !self.is_initialising() {
            self.born.insert(atom, state.guard);
            self.first_ghosts(state, atom);
        }
        atom
    }

    /// The declared field of `class` with this name.
    pub(crate) fn field_named(&self, class: ClassId, name: &str) -> Option<FieldId> {
        let class = self.program.class(class).ok()?;
        class.fields.iter().copied().find(|f| &*self.program.field(*f).name == name)
    }

    /// Whether every instance of the atom's class is an instance of `class`.
    pub(crate) fn atom_is_a(&self, atom: Atom, class: ClassId) -> bool {
        self.program.is_subtype(self.atoms.class(atom), class)
    }

    /// Whether the atom is an object of the input whose class is not known.
    pub(crate) fn is_unknown(&self, atom: Atom) -> bool {
        let info = self.atoms.info(atom);
        info.opaque && matches!(info.name, Name::Input(..))
    }

    /// The element type of an array atom.
    pub(crate) fn element_type(&self, atom: Atom) -> Option<Type> {
        self.program.class(self.atoms.class(atom)).ok()?.element
    }
}
