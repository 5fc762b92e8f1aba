//! Class initialisers that write static fields of other classes.
//!
//! Most initialisers write their own class only, and it does not matter when they run: all classes are
//! taken to be initialised before the method starts (`init.rs`). Not so here: what such an initialiser
//! overwrites, the method may have written before it touched the class. So whether the class is
//! initialised at the start is part of the input, one leaf; where it is not, the initialiser runs
//! when the method first touches the class, as on the JVM.

use std::collections::BTreeSet;

use ir::{ClassId, Code, FieldId, InvokeKind, MethodId, Op};
use logic::Lit;

use crate::engine::Engine;
use crate::state::State;
use crate::state::atom::Name;
use crate::state::heap::Heap;
use crate::state::leaves::LeafKey;
use crate::state::value::{self, Ref, Value};

impl<'a> Engine<'a> {
    /// Whether the initialiser of a class, or of one above it, writes static fields of other given classes.
    pub(super) fn is_late(&mut self, class: ClassId) -> bool {
        if let Some(known) = self.classes.late.get(&class) {
            return *known;
        }
        let above = self.program.class(class).ok().and_then(|c| c.superclass);
        let is_late = above.is_some_and(|c| self.is_late(c)) || self.writes_elsewhere(class);
        self.classes.late.insert(class, is_late);
        is_late
    }

    /// Goes through the given code that an initialiser may lead to, at least.
    fn writes_elsewhere(&self, class: ClassId) -> bool {
        let program = self.program;
        let Ok(loaded) = program.class(class) else {
            return false;
        };
        let initialiser = program.declared_method(loaded, "<clinit>", "()V");
        let Some(initialiser) = initialiser.filter(|_| loaded.is_given()) else {
            return false;
        };
        let mut seen: BTreeSet<MethodId> = BTreeSet::from([initialiser]);
        let mut work = vec![initialiser];
        while let Some(method) = work.pop() {
            let Code::Body(body) = program.code(method) else {
                continue;
            };
            for instr in body.blocks.iter().flat_map(|block| &block.instrs) {
                match &instr.op {
                    Op::PutStatic { field, .. } => {
                        let owner = program.resolve_field(*field).map(|f| program.field(f).class);
                        let is_other =
                            |c: ClassId| c != class && program.class(c).is_ok_and(|c| c.is_given());
                        if owner.is_ok_and(is_other) {
                            return true;
                        }
                    }
                    Op::Invoke { kind, method, .. } => {
                        let callees = self.given_callees(*kind, *method);
                        work.extend(callees.into_iter().filter(|m| seen.insert(*m)));
                    }
                    _ => {}
                }
            }
        }
        false
    }

    fn given_callees(&self, kind: InvokeKind, method: ir::MethodRefId) -> Vec<MethodId> {
        let program = self.program;
        let Ok(found) = program.resolve_method(method) else {
            return Vec::new();
        };
        let is_given =
            |m: &MethodId| program.class(program.method(*m).class).is_ok_and(|c| c.is_given());
        match kind {
            InvokeKind::Static | InvokeKind::Special => vec![found],
            InvokeKind::Virtual | InvokeKind::Interface => {
                let below = self
                    .candidates
                    .given
                    .iter()
                    .filter(|c| program.is_subtype(**c, program.method(found).class));
                below.filter_map(|c| program.select(found, *c).ok()).chain([found]).collect()
            }
        }
        .into_iter()
        .filter(is_given)
        .collect()
    }

    /// Whether a class whose initialiser is late has been initialised by now.
    fn is_initialised_in(&mut self, heap: &Heap, class: ClassId) -> Lit {
        match heap.initialised.get(class.index()) {
            Some(lit) => *lit,
            None => self.inputs.flag(&mut self.circuit, LeafKey::Initialised(class)),
        }
    }

    /// The same at the start.
    pub(super) fn is_initialised_first(&mut self, class: ClassId) -> Lit {
        self.is_initialised_in(&Heap::default(), class)
    }

    /// Runs a late initialiser in the executions in which nothing has touched the class before; `false` if the
    /// state died.
    pub(super) fn initialise_late(&mut self, state: &mut State, class: ClassId) -> bool {
        let done = self.is_initialised_in(&state.heap, class);
        let done = state.facts.fold(done);
        if done == Lit::TRUE {
            return true;
        }
        let mut rest = std::mem::replace(state, State::initial());
        let mut late = rest.clone();
        rest.assume(&mut self.circuit, done);
        late.assume(&mut self.circuit, !done);
        if late.is_dead() {
            *state = rest;
            return !state.is_dead();
        }
        late.heap.initialised.set(class.index(), Lit::TRUE);
        let after = self.run_late(late, class);
        self.join(&mut rest, after);
        *state = rest;
        !state.is_dead()
    }

    fn run_late(&mut self, mut state: State, class: ClassId) -> State {
        let program = self.program;
        let loaded = program.class(class).ok();
        if let Some(parent) = loaded.and_then(|c| c.superclass)
            && !self.initialise(&mut state, parent)
        {
            return state;
        }
        let initialiser = loaded.and_then(|c| program.declared_method(c, "<clinit>", "()V"));
        let Some(initialiser) = initialiser else {
            return state;
        };
        let node = state.node;
        let around = self.run.stack.last_mut().map(|a| (a.site.take(), a.block.take()));
        let outcome = self.call(initialiser, Vec::new(), state, true);
        if let (Some(activation), Some((site, block))) = (self.run.stack.last_mut(), around) {
            (activation.site, activation.block) = (site, block);
        }
        if let Some((mut thrown, _)) = outcome.thrown {
            let class = program.class_name(class);
            self.unsupported(&mut thrown, format!("the static initialiser of {class} fails"));
        }
        match outcome.normal {
            Some((after, _)) => State { node, ..after },
            None => State { guard: Lit::FALSE, node, ..State::initial() },
        }
    }

    /// What a static field holds at the start: nothing yet, where its class is not initialised.
    pub(super) fn unless_late(&mut self, field: FieldId, value: Value) -> Value {
        let declared = self.program.field(field);
        if self.is_initialising() || !self.is_late(declared.class) {
            return value;
        }
        let done = self.is_initialised_first(declared.class);
        let before = match &declared.constant {
            Some(constant) => self.constant(constant),
            None => self.default_of(declared.ty),
        };
        value::choose(&mut self.circuit, done, &value, &before)
    }

    /// An object of the input is an instance of a class that has been initialised.
    pub(crate) fn require_initialised(&mut self, reference: &Ref, key: &LeafKey) {
        for (atom, lit) in reference.objects() {
            let mut next = match self.atoms.info(atom).name {
                Name::Input(class, _) | Name::Initialiser(class, _) => Some(class),
                _ => None,
            };
            while let Some(class) = next {
                if self.is_late(class) {
                    let first = self.is_initialised_first(class);
                    let known = self.circuit.implies(lit, first);
                    self.inputs.require(known, key.clone());
                }
                next = self.program.class(class).ok().and_then(|c| c.superclass);
            }
        }
    }

    /// The given classes that are initialised when the method starts, and those that are not but would be
    /// soon, in the order in which that has happened: which of them a literal tells is decided by `holds`.
    pub(crate) fn initialised_first(
        &mut self,
        mut holds: impl FnMut(&mut Self, Lit) -> bool,
    ) -> (Vec<ClassId>, Vec<ClassId>) {
        let mut classes = self.classes.done();
        let program = self.program;
        classes.retain(|class| {
            program.class(*class).is_ok_and(|c| {
                let has_code = program.declared_method(c, "<clinit>", "()V").is_some();
                c.is_given() && !c.is_synthetic && (has_code || self.is_late(*class))
            })
        });
        classes.into_iter().partition(|class| {
            !self.is_late(*class) || {
                let first = self.is_initialised_first(*class);
                holds(self, first)
            }
        })
    }
}
