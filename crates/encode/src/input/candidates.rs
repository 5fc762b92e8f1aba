//! Which objects an input reference of a declared type may be.
//!
//! - For a type of given code: every instantiable given class that fits, each with as many atoms
//!   as the scope says; for an enum its constants.
//! - For a library type that is known by value (`Object`, strings, boxes, arrays and the
//!   interfaces that these implement): those, and the given classes that fit. For `Object`
//!   itself only the given classes that the checked class can name, directly or through others;
//!   the rest could only differ in what they override of `Object`.
//! - For any other library type: an opaque object, whose use is unsupported by name.
//!
//! Objects that a given class keeps in a `static final` field are candidates too, so that
//! sentinels compare as they do in reality.

use std::collections::BTreeSet;
use std::rc::Rc;

use ir::{ClassId, Type};
use logic::Lit;

use crate::engine::Engine;
use crate::exec::fields::Unknown;
use crate::state::atom::{Atom, AtomInfo, Birth, Name};
use crate::state::leaves::LeafKey;
use crate::state::value::Ref;

impl Engine<'_> {
    /// Any reference of a declared type.
    pub(crate) fn arbitrary_reference(
        &mut self,
        key: LeafKey,
        class: ClassId,
        nullable: bool,
    ) -> Result<Ref, Unknown> {
        let candidates = self.candidates_for(class);
        // A layout numbers its arguments last, and what it has beside it in the order of reading.
        let is_laid_out =
            self.layout.is_some() || self.wants_layout(self.program.method(self.run.method));
        let root = match key {
            LeafKey::Parameter(number) if !is_laid_out => Some(number),
            _ => None,
        };
        let mut atoms: Vec<Atom> = nullable
            .then_some(Atom::NULL)
            .into_iter()
            .chain(candidates.iter().copied().filter(|a| self.is_canonical_root(*a, root)))
            .collect();
        self.add_outer(&key, &mut atoms);
        let typing = self.typing(&key, class);
        if let Some(typing) = &typing {
            self.leave_ill_typed_out(typing, class, &mut atoms);
        }
        self.restrict(&key, &mut atoms);
        if atoms.is_empty() {
            return Err(format!("an input of type {}", self.program.class_name(class)));
        }
        let by_name = &self.atoms;
        let find = |name: &Name| match name {
            Name::Null => Some(Atom::NULL),
            other => by_name.named(other),
        };
        let reference = self.inputs.reference(&mut self.circuit, key.clone(), &atoms, find);
        self.require_initialised(&reference, &key);
        if let Some(typing) = &typing {
            self.demand_well_typed(typing, class, &reference, &key);
        }
        self.note_element(&key, &reference);
        Ok(reference)
    }

    /// Renaming atoms of one class changes nothing, so the n-th root need not be an atom beyond
    /// the n-th of its class (the receiver is the zeroth root).
    fn is_canonical_root(&self, atom: Atom, root: Option<u32>) -> bool {
        match (root, &self.atoms.info(atom).name) {
            (Some(root), Name::Input(_, number)) => *number <= root + 1,
            _ => true,
        }
    }

    /// All input objects that fit a type, in a fixed order.
    pub(crate) fn candidates_for(&mut self, class: ClassId) -> Rc<[Atom]> {
        if let Some(known) = self.candidates.of(class) {
            return known.clone();
        }
        let mut atoms = Vec::new();
        for fitting in self.fitting_classes(class) {
            if self.program.class(fitting).is_ok_and(|c| c.is_enum) {
                continue;
            }
            for number in 0..self.scope.of(self.program.class_name(fitting)) {
                atoms.push(self.input_atom(fitting, number, false));
            }
        }
        atoms.extend(self.constants_of(class));
        if class == self.known.object {
            // Code that asks whether an object is a `List` must not be told that none is.
            for asked in self.candidates.asked_about.clone().iter().copied() {
                if !self.program.class_name(asked).ends_with("[]") {
                    atoms.push(self.input_atom(asked, 0, true));
                }
            }
        }
        if atoms.is_empty() && !self.is_known_type(class) {
            for number in 0..self.scope.of(self.program.class_name(class)) {
                atoms.push(self.input_atom(class, number, true));
            }
        }
        for root in self.unknown_roots(class) {
            if !atoms.contains(&root) {
                atoms.push(root);
            }
        }
        let atoms: Rc<[Atom]> = atoms.into();
        self.candidates.set(class, atoms.clone());
        atoms
    }

    /// The receiver and the arguments of which only a given type is known, where they fit: whoever
    /// has a reference of a wider type may have these very objects.
    fn unknown_roots(&mut self, class: ClassId) -> Vec<Atom> {
        let method = self.program.method(self.run.method);
        let mut roots = Vec::new();
        if !method.is_static && &*method.name != "<init>" && self.receivers(method).is_empty() {
            roots.push(self.input_atom(method.class, 0, true));
        }
        for param in method.params.iter().filter_map(|ty| ty.class()) {
            let is_given = self.program.class(param).is_ok_and(|c| c.is_given());
            if param != class && is_given && self.program.is_subtype(param, class) {
                let candidates = self.candidates_for(param);
                roots.extend(candidates.iter().filter(|a| self.is_unknown(**a)));
            }
        }
        roots.retain(|root| self.atom_is_a(*root, class));
        roots
    }

    /// The n-th input object of a class.
    pub(crate) fn input_atom(&mut self, class: ClassId, number: u32, opaque: bool) -> Atom {
        let name = Name::Input(class, number);
        if let Some(atom) = self.atoms.named(&name) {
            return atom;
        }
        let by_value = self.known.is_shared_by_value(class);
        self.atoms.add(AtomInfo {
            class,
            name,
            birth: Birth::Given,
            at: None,
            shared: if by_value { None } else { Some(Lit::FALSE) },
            opaque,
            constant: None,
        })
    }

    /// A given type always has candidates of its own or none at all (an interface that nothing
    /// implements): then it is opaque as well.
    fn is_known_type(&self, class: ClassId) -> bool {
        self.program.class(class).is_ok_and(|c| c.is_enum)
    }

    /// Instantiable classes of input objects that fit a type.
    fn fitting_classes(&mut self, class: ClassId) -> Vec<ClassId> {
        let program = self.program;
        if let Some(element) = program.class_name(class).strip_suffix("[]") {
            return self.fitting_arrays(class, program.parse_type(element));
        }
        let is_given = program.class(class).is_ok_and(|c| c.is_given());
        let pool: Vec<ClassId> = if is_given || class != self.known.object {
            self.candidates.given.to_vec()
        } else {
            self.candidates.relevant.to_vec()
        };
        let mut fitting: Vec<ClassId> = pool
            .into_iter()
            .filter(|c| program.class(*c).is_ok_and(|c| c.is_instantiable() && !c.is_synthetic))
            .filter(|c| program.is_subtype(*c, class))
            .collect();
        if !is_given {
            let mut by_value = vec![self.known.string];
            by_value.extend(self.known.boxes.iter().map(|b| b.0));
            if program.class_name(class) != "java.lang.Number" {
                // All boxes behave alike as objects: one kind is enough to stand for them, and
                // code that asks for another kind names it.
                by_value.truncate(2);
                let boxes = self.candidates.relevant.iter().copied().chain([class]);
                by_value.extend(boxes.filter(|c| self.known.boxed(*c).is_some()));
            }
            if class == self.known.object {
                by_value.extend([self.known.object, program.class_id("int[]")]);
                by_value.push(program.class_id("java.lang.Object[]"));
                let arrays = self.candidates.asked_about.iter().copied();
                by_value.extend(arrays.filter(|c| program.class_name(*c).ends_with("[]")));
            }
            by_value.retain(|c| program.is_subtype(*c, class));
            fitting.extend(by_value);
        }
        fitting.sort_unstable();
        fitting.dedup();
        fitting
    }

    /// The array class itself, and arrays of given classes below its element type.
    fn fitting_arrays(&mut self, class: ClassId, element: Type) -> Vec<ClassId> {
        let mut fitting = vec![class];
        if let Type::Ref(element) = element
            && !self.program.class_name(element).ends_with("[]")
        {
            let program = self.program;
            let is_given = program.class(element).is_ok_and(|c| c.is_given());
            let pool = if is_given { self.candidates.given } else { &self.candidates.relevant };
            let pool = pool.iter().copied().filter(|c| {
                *c != element
                    && program.is_subtype(*c, element)
                    && program.class(*c).is_ok_and(|c| !c.is_synthetic)
            });
            fitting.extend(pool.map(|c| program.array_of(Type::Ref(c))));
            let by_value = [self.known.string, program.class_id("java.lang.Integer")];
            let by_value =
                by_value.into_iter().filter(|c| *c != element && program.is_subtype(*c, element));
            fitting.extend(by_value.map(|c| program.array_of(Type::Ref(c))));
        }
        fitting.dedup();
        fitting
    }

    /// Objects in `static final` fields of given classes that fit a type.
    fn constants_of(&mut self, class: ClassId) -> Vec<Atom> {
        let given = |c: &ClassId| self.program.class(*c).is_ok_and(|c| c.is_given());
        let mut pool: BTreeSet<ClassId> =
            self.candidates.relevant.iter().copied().filter(given).collect();
        if self.program.class(class).is_ok_and(|c| c.is_enum) {
            pool.insert(class);
        }
        pool.extend(self.candidates.given.iter().copied().filter(|c| {
            let is_enum = self.program.class(*c).is_ok_and(|c| c.is_enum);
            is_enum && class != self.known.object && self.program.is_subtype(*c, class)
        }));
        pool.retain(|c| self.program.class(*c).is_ok_and(|c| c.is_given()));
        for owner in &pool {
            self.initialise_quietly(*owner);
        }
        let mut found = Vec::new();
        for owner in pool {
            let Ok(owner) = self.program.class(owner) else {
                continue;
            };
            for field in &owner.fields {
                let declared = self.program.field(*field);
                let synthetic = declared.is_synthetic;
                if !declared.is_static || !declared.is_final || synthetic {
                    continue;
                }
                let Some(value) = self.base.statics.get(field.index()) else {
                    continue;
                };
                let crate::state::value::Value::Ref(value) = value else {
                    continue;
                };
                if let Some(atom) = value.as_constant()
                    && atom != Atom::NULL
                    && matches!(self.atoms.info(atom).name, Name::Initialiser(..))
                    && self.program.is_subtype(self.atoms.class(atom), class)
                    && !found.contains(&atom)
                {
                    self.atoms.info_mut(atom).constant = Some(*field);
                    found.push(atom);
                }
            }
        }
        found
    }
}
