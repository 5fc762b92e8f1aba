//! Objects beside the layout: those that only open references lead to.
//!
//! A field, element, parameter or static field is open if its type says little of what it holds
//! (`Object`, a type variable, an interface of the library). It belongs to no walk, and is made up when
//! it is first read. Then it may hold any object of the layout that is reached, or one beside it, which
//! is reached through open references only. These have atoms of their own, numbered after those of
//! the layout, so that the order of the walk and the tight bounds hold of the layout whatever is
//! beside it. Of each class there are still no more objects in all than the scope has.
//!
//! Why nothing is missing: take any heap. What closed references lead to from the closed roots is
//! numbered by the walk; the rest is numbered in the order in which the run comes to it
//! (`symmetry.rs`). A closed reference of an object of the layout holds nothing else, as that would
//! be reached by the walk; everything else that is read comes here and may hold both.

use std::collections::BTreeSet;

use ir::{ClassId, Method, Type};
use logic::Lit;

use crate::config::Calls;
use crate::engine::Engine;
use crate::state::atom::{Atom, Name};
use crate::state::leaves::{LeafKey, LeafValue, Source};

impl Engine<'_> {
    /// Adds the objects beside the layout to those that an open reference may hold.
    pub(super) fn add_outer(&mut self, key: &LeafKey, atoms: &mut Vec<Atom>) {
        self.name_fixed(key);
        let Some(layout) = self.layout.get() else {
            return;
        };
        let laid_out = atoms.iter().filter(|a| layout.reached.contains_key(a));
        let mut classes: Vec<ClassId> = laid_out.map(|a| self.atoms.class(*a)).collect();
        classes.dedup();
        if matches!(key, LeafKey::Havoc(_)) {
            // What a call leaves behind may be new as well: that is said nowhere.
            if !classes.is_empty() {
                self.layout.leave();
            }
            return;
        }
        for class in classes {
            atoms.retain(|a| self.atoms.class(*a) != class || self.is_laid_out(*a));
            for (atom, displaced) in self.outer_objects(class) {
                let live = self.live(atom);
                let fits = self.circuit.implies(live, !displaced);
                self.inputs.require(fits, key.clone());
                atoms.push(atom);
            }
        }
    }

    /// The objects of a class that may stand beside the layout, in order. Each comes with the literal that says
    /// that there is no room for it and those before it.
    fn outer_objects(&mut self, class: ClassId) -> Vec<(Atom, Lit)> {
        let inside = self.laid_out(class);
        let scope = self.scope.of(self.program.class_name(class)) as usize;
        let mut found = Vec::new();
        for number in 0..scope {
            let displaced = inside.get(scope - 1 - number).map_or(Lit::FALSE, |i| i.1);
            if displaced == Lit::TRUE {
                break;
            }
            let atom = self.input_atom(class, (inside.len() + number) as u32, false);
            found.push((atom, displaced));
        }
        found
    }

    /// Where calls are abstracted: makes the objects known beforehand that may come up beside the layout, as what
    /// a call leaves behind is one of those that are known.
    pub(crate) fn expect_outer(&mut self, method: &Method) {
        if !matches!(self.run.limits.calls, Calls::Infer { .. }) {
            return;
        }
        let mut types: Vec<Type> = method.params.clone();
        types.push(Type::Ref(self.known.throwable));
        for class in self.candidates.relevant.iter().filter_map(|c| self.program.class(*c).ok()) {
            types.extend(class.fields.iter().map(|f| self.program.field(*f).ty));
        }
        types.retain(|ty| !self.is_closed(*ty));
        let mut classes = BTreeSet::new();
        for class in types.iter().filter_map(|ty| ty.class()) {
            let base = self.program.class_name(class).trim_end_matches("[]");
            for held in [class, self.program.class_id(base)] {
                let candidates = self.candidates_for(held);
                let laid_out = candidates.iter().filter(|a| self.is_laid_out(**a));
                classes.extend(laid_out.map(|a| self.atoms.class(*a)));
            }
        }
        for class in classes {
            self.outer_objects(class);
        }
    }

    /// The objects of a class that are laid out, in order, each with whether it is reached.
    fn laid_out(&self, class: ClassId) -> Vec<(Atom, Lit)> {
        let layout = self.layout.get().into_iter().flat_map(|l| &l.reached);
        let of_class = layout.filter(|(atom, _)| self.atoms.class(**atom) == class);
        let mut found: Vec<(Atom, Lit)> = of_class.map(|(a, l)| (*a, *l)).collect();
        found.sort_unstable_by_key(|(atom, _)| match self.atoms.info(*atom).name {
            Name::Input(_, number) => number,
            _ => u32::MAX,
        });
        found
    }

    /// In a run on constants: an object beside the layout has a number beyond the scope.
    fn name_fixed(&mut self, key: &LeafKey) {
        if let Source::Fixed(values) = &self.inputs.source
            && let Some(LeafValue::Object(Name::Input(class, number))) = values.get(key)
        {
            let (class, number) = (*class, *number);
            self.input_atom(class, number, false);
        }
    }

    /// Whether an object is part of the layout.
    pub(crate) fn is_laid_out(&self, atom: Atom) -> bool {
        self.layout.get().is_some_and(|l| l.reached.contains_key(&atom))
    }

    /// Whether there is a layout, and an object is beside it.
    pub(crate) fn is_outer(&self, atom: Atom) -> bool {
        self.layout.is_some() && !self.is_laid_out(atom)
    }
}
