//! What a call may leave behind if nothing is known but its frame condition: every place that it
//! may change holds an unknown, and a few objects are reserved for what it makes.

use std::collections::BTreeSet;
use std::rc::Rc;

use ir::{ClassId, FieldId, Type};
use logic::Lit;

use crate::code::effects::{Changes, Effects, Owners};
use crate::engine::deferral::{MOST_ELEMENTS, Needs, Output, Place, Reserve};
use crate::engine::{Call, Engine};
use crate::state::State;
use crate::state::atom::{Atom, Birth, Name};
use crate::state::heap::Array;
use crate::state::value::{self, Ref, Value};

impl Engine<'_> {
    /// Whether all that code may change can be unknown: what a place may hold must be known
    /// beforehand.
    pub(super) fn can_forget(&mut self, call: &Call, changes: &Changes, state: &State) -> bool {
        let written = changes.fields.keys().chain(&changes.statics);
        !changes.unknown
            && written.into_iter().all(|field| self.is_plain_field(*field))
            && changes.makes.iter().all(|class| self.can_reserve(*class))
            && self.can_forget_elements(call, changes, state)
    }

    fn is_plain_field(&self, field: FieldId) -> bool {
        let field = self.program.field(field);
        self.program.class(field.class).is_ok_and(|c| c.is_given()) && self.is_plain(field.ty)
    }

    /// Whether all objects that a place of this type may hold are known beforehand.
    pub(crate) fn is_plain(&self, ty: Type) -> bool {
        let Type::Ref(class) = ty else {
            return true;
        };
        let Ok(loaded) = self.program.class(class) else {
            return false;
        };
        match loaded.element {
            Some(element) => self.is_plain(element),
            None => loaded.is_given(),
        }
    }

    /// The effects of code without objects that it makes in vain: what it changes is plain where it is
    /// deferred, and no plain place can hold an object of the library, an exception or a string, say.
    pub(super) fn lasting(&self, mut effects: Rc<Effects>) -> Rc<Effects> {
        let passes = |class: &ClassId| {
            let loaded = self.program.class(*class);
            loaded.is_ok_and(|c| !c.is_given() && !c.is_synthetic && c.element.is_none())
        };
        if effects.at_worst.makes.iter().any(passes) {
            let effects = Rc::make_mut(&mut effects);
            effects.changes.makes.retain(|class| !passes(class));
            effects.at_worst.makes.retain(|class| !passes(class));
        }
        effects
    }

    /// Whether an object of a class initialiser could be left behind by a deferred call.
    pub(crate) fn is_plain_constant(&self, initialising: ClassId, class: ClassId) -> bool {
        let is_given = |c: ClassId| self.program.class(c).is_ok_and(|c| c.is_given());
        let is_array = self.program.class(class).is_ok_and(|c| c.element.is_some());
        is_given(class) || (is_array && is_given(initialising))
    }

    /// Whether an object of this class can be reserved: all of its state is given code's.
    fn can_reserve(&self, class: ClassId) -> bool {
        let program = self.program;
        let Ok(loaded) = program.class(class) else {
            return false;
        };
        if let Some(element) = loaded.element {
            // Rows would be as many objects as there are elements.
            let has_rows = element
                .class()
                .is_some_and(|c| program.class(c).is_ok_and(|row| row.element.is_some()));
            return !has_rows && self.is_plain(element);
        }
        let supertypes = loaded.supertypes();
        let owners = supertypes.iter().filter_map(|c| program.class(*c).ok());
        let is_foreign =
            |c: &&ir::Class| !c.is_given() && c.fields.iter().any(|f| !program.field(*f).is_static);
        let has_ghosts = |c: &ClassId| {
            self.contracts.classes.get(c).is_some_and(|contract| !contract.ghosts.is_empty())
        };
        loaded.is_given()
            && !loaded.is_synthetic
            && owners.into_iter().filter(is_foreign).count() == 0
            && !supertypes.iter().any(has_ghosts)
            && self.given_fields(class).iter().all(|field| self.is_plain_field(*field))
    }

    /// Reserves objects for what a call makes. They exist from now on, in any state, if it makes
    /// them.
    pub(crate) fn reserve(
        &mut self,
        needs: &Needs,
        after: &mut State,
        outputs: &mut Vec<Output>,
    ) -> Reserve {
        let mut reserve = Reserve { slots: needs.slots, ..Reserve::default() };
        for (class, number) in &needs.objects {
            let atoms: Vec<Atom> = (0..*number).map(|_| self.reserve_one(*class, after)).collect();
            reserve.objects.insert(*class, atoms);
        }
        for atom in reserve.objects.values().flatten() {
            let key = self.next_havoc();
            let made = self.inputs.flag(&mut self.circuit, key);
            let born = self.circuit.and(after.guard, made);
            self.run.objects.make(*atom, born);
            if !self.contracts.classes.is_empty() {
                self.run.objects.complete(*atom, born);
            }
            let unknown = Value::boolean(made);
            outputs.push(Output::new(Place::Made(*atom), unknown));
            for field in self.given_fields(self.atoms.class(*atom)) {
                let unknown = self.unknown(self.program.field(field).ty, after);
                after.heap.contents_mut(*atom).set_field(field, unknown.clone());
                let place = Place::Object(*atom, field);
                outputs.push(Output::concerning(made, place, unknown));
            }
            if let Some(ty) = self.element_type(*atom) {
                self.fill(*atom, ty, (made, needs.slots), after, outputs);
            }
        }
        reserve
    }

    /// Gives an array that is reserved an unknown length and unknown elements.
    fn fill(
        &mut self,
        atom: Atom,
        ty: Type,
        (made, slots): (Lit, usize),
        after: &mut State,
        outputs: &mut Vec<Output>,
    ) {
        let key = self.next_havoc();
        let length = self.inputs.number(&mut self.circuit, key, 32, 31, false);
        let unknown = Value::Bits(length.clone());
        outputs.push(Output::concerning(made, Place::Length(atom), unknown));
        let elements: Vec<Value> = (0..slots).map(|_| self.unknown(ty, after)).collect();
        for (index, unknown) in elements.iter().enumerate() {
            let place = Place::Element(atom, index as u32);
            outputs.push(Output::concerning(made, place, unknown.clone()));
        }
        let elements = Rc::new(elements);
        after.heap.contents_mut(atom).array = Some(Array { length, elements });
    }

    fn reserve_one(&mut self, class: ClassId, after: &mut State) -> Atom {
        let atom = self.allocate(class, Birth::Allocated { given_code: true });
        after.heap.contents_mut(atom);
        atom
    }

    /// Makes everything unknown that a callee may change of what exists in `before`.
    pub(super) fn forget(
        &mut self,
        call: &Call,
        changes: &Changes,
        before: &State,
        after: &mut State,
        outputs: &mut Vec<Output>,
    ) {
        for (field, owners) in &changes.fields {
            self.forget_field(call, *field, owners, before, after, outputs);
        }
        for (atom, concerns) in self.written_arrays(call, changes, before) {
            self.forget_elements(atom, concerns, after, outputs);
        }
        for field in &changes.statics {
            let unknown = self.unknown(self.program.field(*field).ty, after);
            after.heap.statics.set(field.index(), unknown.clone());
            outputs.push(Output::new(Place::Static(*field), unknown));
        }
    }

    /// Makes a field unknown where the callee may write it.
    fn forget_field(
        &mut self,
        call: &Call,
        field: FieldId,
        owners: &Owners,
        before: &State,
        after: &mut State,
        outputs: &mut Vec<Output>,
    ) {
        let ty = self.program.field(field).ty;
        if let (false, 1, Some(number)) =
            (owners.any, owners.arguments.len(), owners.arguments.first())
        {
            let owner = passed(call, *number, before);
            if owner.as_constant() == Some(Atom::NULL) {
                return;
            }
            let unknown = self.unknown(ty, after);
            self.write_field(after, &owner, field, &unknown);
            let place = Place::Argument(*number, field);
            outputs.push(Output::concerning(!owner.is_null(), place, unknown));
            return;
        }
        let atoms = match owners.any {
            true => {
                let class = self.program.field(field).class;
                self.objects_of(class, before).into_iter().map(|a| (a, Lit::TRUE)).collect()
            }
            false => self.passed_objects(call, &owners.arguments, before),
        };
        for (atom, concerns) in atoms {
            if self.atoms.info(atom).opaque {
                continue;
            }
            let unknown = self.unknown(ty, after);
            let new = match self.field_of(&before.heap, atom, field) {
                Ok(old) => value::choose(&mut self.circuit, concerns, &unknown, &old),
                Err(_) => continue,
            };
            after.heap.contents_mut(atom).set_field(field, new);
            outputs.push(Output::concerning(concerns, Place::Object(atom, field), unknown));
        }
    }

    /// The objects that some of the arguments may be, each with where one of them is.
    fn passed_objects(
        &mut self,
        call: &Call,
        arguments: &BTreeSet<u32>,
        before: &State,
    ) -> Vec<(Atom, Lit)> {
        let mut atoms: Vec<(Atom, Lit)> = Vec::new();
        for number in arguments {
            for (atom, lit) in passed(call, *number, before).objects() {
                match atoms.iter_mut().find(|a| a.0 == atom) {
                    Some(known) => known.1 = self.circuit.or(known.1, lit),
                    None => atoms.push((atom, lit)),
                }
            }
        }
        atoms
    }

    /// The arrays whose elements a callee may write, each with where it may.
    fn written_arrays(
        &mut self,
        call: &Call,
        changes: &Changes,
        before: &State,
    ) -> Vec<(Atom, Lit)> {
        let mut atoms = self.passed_objects(call, &changes.arrays.arguments, before);
        for class in &changes.arrays.classes {
            for atom in self.objects_of(*class, before) {
                atoms.retain(|known| known.0 != atom);
                atoms.push((atom, Lit::TRUE));
            }
        }
        atoms
    }

    fn can_forget_elements(&mut self, call: &Call, changes: &Changes, state: &State) -> bool {
        let mut elements = 0;
        for (atom, _) in self.written_arrays(call, changes, state) {
            let Some(ty) = self.element_type(atom) else {
                return false;
            };
            elements += self.array_of(&state.heap, atom).elements.len();
            if !self.is_plain(ty) || elements > MOST_ELEMENTS {
                return false;
            }
        }
        true
    }

    fn forget_elements(
        &mut self,
        atom: Atom,
        concerns: Lit,
        after: &mut State,
        outputs: &mut Vec<Output>,
    ) {
        let Some(ty) = self.element_type(atom) else {
            return;
        };
        let Array { length, elements } = self.array_of(&after.heap, atom);
        let mut forgotten = Vec::new();
        for (index, old) in elements.iter().enumerate() {
            let unknown = self.unknown(ty, after);
            forgotten.push(value::choose(&mut self.circuit, concerns, &unknown, old));
            let place = Place::Element(atom, index as u32);
            outputs.push(Output::concerning(concerns, place, unknown));
        }
        let elements = Rc::new(forgotten);
        after.heap.contents_mut(atom).array = Some(Array { length, elements });
    }

    /// The objects of a class that may exist in a state.
    pub(crate) fn objects_of(&mut self, class: ClassId, state: &State) -> Vec<Atom> {
        self.candidates_for(class);
        let known = (1..self.atoms.len() as u32).map(Atom);
        let exists = |atom: &Atom| {
            !matches!(self.atoms.info(*atom).name, Name::Fresh(_))
                || state.heap.contents(*atom).is_some()
        };
        known.filter(|a| self.atom_is_a(*a, class)).filter(exists).collect()
    }

    /// Any value of a type that a callee can leave behind, with the objects that exist in `state`.
    pub(crate) fn unknown(&mut self, ty: Type, state: &State) -> Value {
        let (width, free, signed) = match ty {
            Type::Ref(class) => {
                let mut atoms = vec![Atom::NULL];
                atoms.extend(self.objects_of(class, state));
                return self.unknown_among(&atoms);
            }
            Type::Boolean => (32, 1, false),
            Type::Byte => (32, 8, true),
            Type::Char => (32, 16, false),
            Type::Short => (32, 16, true),
            Type::Int | Type::Float => (32, 32, true),
            Type::Long | Type::Double => (64, 64, true),
        };
        let key = self.next_havoc();
        Value::Bits(self.inputs.number(&mut self.circuit, key, width, free, signed))
    }

    /// Any of these objects, in the order of their numbers.
    pub(super) fn unknown_among(&mut self, atoms: &[Atom]) -> Value {
        let key = self.next_havoc();
        let find = |_: &Name| None;
        Value::Ref(self.inputs.reference(&mut self.circuit, key, atoms, find))
    }
}

/// What is passed as the n-th argument.
fn passed(call: &Call, number: u32, before: &State) -> Ref {
    match &call.args[number as usize] {
        Value::Ref(r) => r.restrict(&before.facts, |_| true),
        Value::Bits(_) => Ref::null(),
    }
}
