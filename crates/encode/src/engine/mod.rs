//! The engine: everything that is known while a method is executed symbolically.
//!
//! The engine executes a method block by block in weak topological order, joining states where
//! paths meet (Jackson & Vaziri's computation graph, section 3.4, built and translated at once).
//! Doing both together lets constant guards prune branches, lets the set of atoms that a receiver
//! may be decide which callees exist, and lets loops stop by themselves.
//!
//! This folder holds what is known; the folders beside it add to [`Engine`] what is done with it
//! (`exec`, `input`, `layout`, `deferred`, `graph`, `spec`, `intrinsics`). They import this folder
//! and never each other's files.
//!
//! | file | what |
//! |---|---|
//! | `mod` | the world: what lasts over runs |
//! | `run` | what one run makes; each run begins with a new one |
//! | `activation` | bodies that are being executed |
//! | `candidates`, `classes`, `existence`, `layout`, `strings`, `symmetry` | parts of the world |
//! | `clauses`, `deferral`, `trace` | parts of a run |
//! | `oracle` | what the engine asks of whoever drives it |

pub(crate) mod activation;
pub(crate) mod candidates;
pub(crate) mod classes;
pub(crate) mod clauses;
pub mod deferral;
pub(crate) mod existence;
pub mod experience;
pub mod layout;
pub(crate) mod oracle;
pub(crate) mod run;
pub(crate) mod strings;
pub(crate) mod symmetry;
pub(crate) mod trace;

use std::sync::Arc;

use ir::{ClassId, FieldId, MethodId, Program, Type};
use logic::{Circuit, Lit};
use spec::core::{Contracts, Site};

use crate::code::Subject;
use crate::code::wellknown::WellKnown;
use crate::config::{Limits, Scope};
use crate::engine::layout::Bounds;
use crate::graph::{Graph, Part};
use crate::state::State;
use crate::state::atom::{Atom, AtomInfo, Atoms, Birth, Name, Point};
use crate::state::goal::Goal;
use crate::state::heap::Heap;
use crate::state::leaves::{Constraint, Inputs, Source};

pub(crate) use activation::{Activation, Call, Entry, Escape, Frame, Outcome, Turn};
pub(crate) use candidates::Candidates;
pub(crate) use classes::Classes;
pub(crate) use clauses::{Assumed, Failure, Measures, View};
pub(crate) use deferral::Analyses;
pub(crate) use existence::Existence;
pub(crate) use layout::LaidOut;
pub use oracle::{NoOracle, Oracle, Possibility};
pub use run::Exhausted;
pub(crate) use run::{Lasso, Run};
pub(crate) use strings::Strings;

/// The symbolic executor of one method, and the world that its runs share: every field but `run`
/// lasts from run to run. The fields are the parts of that world, each a type of its own.
pub struct Engine<'a> {
    pub program: &'a Program,
    pub(crate) contracts: &'a Contracts,
    pub scope: &'a Scope,
    pub(crate) known: WellKnown,
    pub circuit: Circuit,
    pub(crate) atoms: Atoms,
    pub(crate) inputs: Inputs,
    /// What class initialisers and forced strings left behind: below every state's heap.
    pub(crate) base: Heap,
    pub(crate) classes: Classes,
    pub(crate) candidates: Candidates<'a>,
    pub(crate) strings: Strings,
    pub(crate) existence: Existence,
    pub(crate) layout: LaidOut,
    pub(crate) analyses: Analyses,
    /// What runs are restricted to.
    pub(crate) part: Option<Part>,
    pub(crate) oracle: Box<dyn Oracle + 'a>,
    pub(crate) run: Run,
}

/// Instructions between two looks at the size of the formula, and whether time is over.
const LOOK_INTERVAL: u64 = 256;

impl<'a> Engine<'a> {
    /// An engine for methods of a subject.
    pub fn new(
        subject: Subject<'a>,
        scope: &'a Scope,
        source: Source,
        oracle: Box<dyn Oracle + 'a>,
    ) -> Engine<'a> {
        let Subject { program, given, contracts } = subject;
        let known = WellKnown::new(program);
        Engine {
            program,
            contracts,
            scope,
            atoms: Atoms::new(known.object),
            known,
            circuit: Circuit::new(),
            inputs: Inputs::new(source),
            base: Heap::default(),
            classes: Classes::default(),
            candidates: Candidates::new(given),
            strings: Strings::default(),
            existence: Existence::default(),
            layout: LaidOut::default(),
            analyses: Analyses::default(),
            part: None,
            oracle,
            run: Run::new(MethodId(0), Limits::default(), Graph::default(), None),
        }
    }

    /// The classes that the checked class leads to by name, those above them included: no run has objects of
    /// other given classes.
    pub fn classes_in_reach(&self) -> impl Iterator<Item = ClassId> {
        let relevant = self.candidates.relevant.iter();
        let above = relevant.filter_map(|class| self.program.class(*class).ok());
        above.flat_map(|class| class.supertypes().iter().copied())
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
        &self.run.graph
    }

    /// The atoms of the run.
    pub fn atoms(&self) -> &Atoms {
        &self.atoms
    }

    /// Assumptions in bodies that the last run has met.
    pub fn body_assumptions(&self) -> &[Site] {
        self.run.clauses.body_assumptions()
    }

    /// Whether a contract stood for a call in the last run.
    pub fn is_abstract(&self) -> bool {
        self.run.clauses.is_abstract()
    }

    /// Restricts the input to what `bounds` admit: they must have been computed for inputs that are
    /// laid out alike.
    pub fn set_bounds(&mut self, bounds: Arc<Bounds>) {
        self.layout.set_bounds(bounds);
    }

    /// Whether the input is laid out, but the run needs more than that: it counts for nothing.
    pub fn is_outside_layout(&self) -> bool {
        self.layout.is_left()
    }

    /// Why the last run ended before it was complete, if it did.
    pub fn exhausted(&self) -> Option<Exhausted> {
        self.run.meter.exhausted()
    }

    /// Whether control belongs to the checked method and what it calls.
    pub(crate) fn is_executing(&self) -> bool {
        !self.is_initialising() && !self.run.clauses.is_evaluating()
    }

    /// Whether a class initialiser is running.
    pub(crate) fn is_initialising(&self) -> bool {
        self.classes.is_initialising()
    }

    /// The innermost point in given code. Frames of lambda classes do not count: the JVM hides
    /// them too.
    pub(crate) fn user_point(&self) -> Option<Point> {
        let frame = self.run.stack.iter().rev().find(|a| a.given)?;
        Some(Point { method: frame.method, line: frame.line })
    }

    /// Whether the innermost activation is given code.
    pub(crate) fn in_given_code(&self) -> bool {
        self.run.stack.last().is_some_and(|a| a.given)
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

    /// Whether the oracle rules out that `lit` is ever true, by a proof or by what it supposes.
    pub(crate) fn is_impossible(&mut self, lit: Lit) -> bool {
        match lit.constant() {
            Some(value) => !value,
            None => {
                if !self.settle_order([lit]) {
                    return false;
                }
                let constraints = &self.inputs.constraints;
                self.oracle.possible(&self.circuit, constraints, lit).is_ruled_out()
            }
        }
    }

    /// Counts an instruction; `false` once the run should stop.
    pub(crate) fn tick(&mut self, guard: Lit) -> bool {
        let Run { meter, limits, .. } = &mut self.run;
        meter.count(guard);
        if meter.exhausted().is_some() || self.inputs.ordering.is_abandoned() {
            return false;
        }
        if meter.is_over(limits) {
            meter.stop(Exhausted::Instructions);
        } else if meter.executed().is_multiple_of(LOOK_INTERVAL) {
            if limits.is_over() || self.circuit.len() > limits.gates_in_time {
                meter.stop(Exhausted::Time);
            } else if self.circuit.len() > limits.gates {
                meter.stop(Exhausted::Memory);
            }
        } else if self.is_executing() && self.layout.is_some() && self.oracle.is_tired() {
            // Not in the midst of a constraint: what the run has required so far goes on to hold.
            self.run.meter.stop(Exhausted::Oracle);
        }
        self.run.meter.exhausted().is_none()
    }

    /// A fresh object without contents yet.
    pub(crate) fn allocate(&mut self, class: ClassId, birth: Birth) -> Atom {
        let initialising = self.classes.initialising();
        if initialising.is_some_and(|i| self.is_plain_constant(i, class)) {
            self.run.deferral.note_constant();
        }
        if self.is_executing()
            && let Some(atom) = self.run.deferral.draw(class)
        {
            let at = self.user_point();
            let info = self.atoms.info_mut(atom);
            (info.birth, info.at) = (birth, at);
            return atom;
        }
        let name = match self.classes.next_constant() {
            Some((initialising, number)) => Name::Initialiser(initialising, number),
            None => self.atoms.next_fresh(),
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
        if !self.run.clauses.is_evaluating() && !self.is_initialising() {
            self.run.objects.make(atom, state.guard);
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
