//! The heap of an input is well typed: what a type variable says of a reference holds.
//!
//! [`TypeVariables`] says which free variable a field, a parameter or the elements of an array are
//! of. A free variable whose bound says something stands for one type in each input: for one of
//! those classes within its bound that some candidate has, where a class that takes in all that
//! another one does stands for both. Which one is a leaf of the input. So a tree of `T extends
//! Comparable<T>` holds integers or strings, not both, and no nodes. A variable without a bound may
//! stand for `Object`, which admits everything: nothing is demanded of it.
//!
//! Only references whose erased type is a library's are restricted. Others have given classes
//! only, and belong to layouts, which know nothing of this.

use std::rc::Rc;

use ir::ClassId;
use logic::{Bits, Lit};
use spec::resolve::{Meaning, TypeVariables};

use crate::engine::{Engine, Typing};
use crate::state::atom::Atom;
use crate::state::leaves::LeafKey;
use crate::state::value::Ref;

impl Engine<'_> {
    /// Finds out what type variables stand for in the input of the method.
    pub(crate) fn read_type_variables(&mut self) {
        let (program, given, method) = (self.program, self.candidates.given, self.run.method);
        let instances = &mut self.candidates.instances;
        if instances.method != Some(method) {
            let method = program.method(method);
            instances.variables = Rc::new(TypeVariables::around(program, given, method));
            instances.method = Some(method.id);
        }
    }

    /// What type variables say of a reference, or of the elements of the array that it holds.
    pub(super) fn typing(&mut self, key: &LeafKey, class: ClassId) -> Option<Typing> {
        let base = self.program.class_name(class).trim_end_matches("[]");
        let base = self.program.class_id(base);
        if self.program.class(base).is_ok_and(|c| c.is_given()) {
            return None;
        }
        let variables = self.candidates.instances.variables.clone();
        let meaning = match key {
            LeafKey::Field(_, field) => variables.of_field(self.program, *field),
            LeafKey::Parameter(number) => variables.of_parameter(*number),
            LeafKey::Receiver
            | LeafKey::Static(_)
            | LeafKey::Length(_)
            | LeafKey::Element(..)
            | LeafKey::Shared(_)
            | LeafKey::TextLength(_)
            | LeafKey::TextWide(_)
            | LeafKey::Hash(_)
            | LeafKey::Clock(_)
            | LeafKey::Initialised(_)
            | LeafKey::Live(_)
            | LeafKey::Havoc(_)
            | LeafKey::Instance(_)
            | LeafKey::Route(_) => None,
        };
        let (variable, classes) = match meaning? {
            Meaning::Class(class) => (None, Rc::new([class]) as Rc<[ClassId]>),
            Meaning::Free(number) => (Some(number), self.instances(&variables, number)),
        };
        let typing = Typing { variable, classes };
        let candidates = self.candidates_for(base);
        candidates.iter().any(|a| self.admits(&typing, *a).is_some()).then_some(typing)
    }

    /// The types that a free variable may stand for; none if that says nothing.
    fn instances(&mut self, variables: &TypeVariables, number: usize) -> Rc<[ClassId]> {
        let program = self.program;
        let Some(bound) = variables.bound(program, number) else {
            return Rc::new([]);
        };
        let mut classes = Vec::new();
        for atom in self.candidates_for(bound).iter().filter(|a| !self.is_unknown(**a)) {
            let above = program.class(self.atoms.class(*atom)).map_or(&[][..], |c| c.supertypes());
            classes.extend(above.iter().copied().filter(|c| variables.fits(program, number, *c)));
        }
        classes.sort_unstable();
        classes.dedup();
        let all = classes.clone();
        classes.retain(|c| !all.iter().any(|wider| wider != c && program.is_subtype(*c, *wider)));
        // The plainest values first: those are shown where any will do.
        classes.sort_by_key(|c| self.known.boxed(*c).is_none());
        classes.into()
    }

    /// Which of the types an object, or the elements of an array, may be of.
    fn admits(&self, typing: &Typing, atom: Atom) -> Option<Vec<usize>> {
        let mut class = self.atoms.class(atom);
        while let Some(element) = self.program.class(class).ok().and_then(|c| c.element) {
            class = element.class()?;
        }
        let wide = typing.classes.iter().enumerate();
        let wide = wide.filter(|(_, wide)| self.program.is_subtype(class, **wide));
        let wide: Vec<usize> = wide.map(|(i, _)| i).collect();
        (!wide.is_empty()).then_some(wide)
    }

    /// Leaves out what a type variable excludes in every input. An array of the erased type may be
    /// one that generic code has made.
    pub(super) fn leave_ill_typed_out(
        &self,
        typing: &Typing,
        class: ClassId,
        atoms: &mut Vec<Atom>,
    ) {
        let is_array = self.program.class_name(class).ends_with("[]");
        atoms.retain(|atom| {
            let is_erased = is_array && self.atoms.class(*atom) == class;
            *atom == Atom::NULL || is_erased || self.admits(typing, *atom).is_some()
        });
    }

    /// Demands that the object is of the one type that its variable stands for.
    pub(super) fn demand_well_typed(
        &mut self,
        typing: &Typing,
        class: ClassId,
        reference: &Ref,
        key: &LeafKey,
    ) {
        let is_array = self.program.class_name(class).ends_with("[]");
        for (atom, lit) in reference.objects() {
            if is_array && self.atoms.class(atom) == class {
                self.demand_of_elements(typing, atom, lit);
            } else {
                self.demand_type(typing, atom, lit, key);
            }
        }
    }

    fn demand_of_elements(&mut self, typing: &Typing, array: Atom, lit: Lit) {
        let known = self.candidates.instances.elements.get(&array).cloned().unwrap_or_default();
        let arrays = self.candidates.instances.arrays.entry(array).or_default();
        arrays.push((typing.clone(), lit));
        for (key, element) in known {
            self.demand_of_element(typing, &element, lit, &key);
        }
    }

    /// An element of an array of the input has been made up.
    pub(super) fn note_element(&mut self, key: &LeafKey, element: &Ref) {
        let LeafKey::Element(array, _) = key else {
            return;
        };
        let Some(array) = self.atoms.named(array) else {
            return;
        };
        let instances = &mut self.candidates.instances;
        instances.elements.entry(array).or_default().push((key.clone(), element.clone()));
        for (typing, lit) in instances.arrays.get(&array).cloned().unwrap_or_default() {
            self.demand_of_element(&typing, element, lit, key);
        }
    }

    fn demand_of_element(&mut self, typing: &Typing, element: &Ref, lit: Lit, key: &LeafKey) {
        for (atom, held) in element.objects() {
            let both = self.circuit.and(lit, held);
            self.demand_type(typing, atom, both, key);
        }
    }

    fn demand_type(&mut self, typing: &Typing, atom: Atom, lit: Lit, key: &LeafKey) {
        let fitting = self.admits(typing, atom).unwrap_or_default();
        if fitting.len() == typing.classes.len() {
            return;
        }
        let chosen: Vec<Lit> = match typing.variable {
            Some(number) => {
                let choice = self.choice(number, typing.classes.len());
                let is = |i: &usize| Bits::constant(32, *i as u64);
                fitting.iter().map(|i| self.circuit.bits_eq(&choice, &is(i))).collect()
            }
            None => Vec::new(),
        };
        let fits = self.circuit.or_all(chosen);
        let demanded = self.circuit.implies(lit, fits);
        self.inputs.require(demanded, key.clone());
    }

    /// Which of so many types a free variable stands for.
    fn choice(&mut self, number: usize, types: usize) -> Bits {
        let key = LeafKey::Instance(number as u32);
        let width = usize::BITS - (types - 1).leading_zeros();
        let choice = self.inputs.number(&mut self.circuit, key.clone(), 32, width, false);
        let most = Bits::constant(32, types as u64 - 1);
        let exists = self.circuit.le_unsigned(&choice, &most);
        self.inputs.require(exists, key);
        choice
    }
}
