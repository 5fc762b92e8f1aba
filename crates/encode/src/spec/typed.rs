//! What type arguments say about objects, in clauses as in code: trusted of objects of the input,
//! checked of those that the run has made. See `generics.rs`.

use ir::ClassId;
use logic::{Cell, Lit, Relation};
use spec::core::{Sort, Term};

use crate::spec::{Evaluator, Meaning};
use crate::state::State;
use crate::state::atom::Atom;
use crate::state::value::Ref;

impl Evaluator<'_, '_> {
    /// A reference of which a type argument says that it is of a class.
    pub(super) fn typed(&mut self, state: &mut State, class: ClassId, inner: &Term) -> Meaning {
        if let Sort::Relation(_) = inner.sort {
            return Meaning::Relation(self.typed_relation(state, class, inner));
        }
        let object = self.reference(state, inner);
        let declared = match inner.sort {
            Sort::Reference(declared) => Some(declared),
            _ => None,
        };
        let object = self.trusted(state, class, &object, declared);
        self.cast_reference(state, class, &object)
    }

    /// The reference in the executions in which no object of the input is of another class; the
    /// others are no executions that the clause speaks of.
    pub(super) fn trusted(
        &mut self,
        state: &mut State,
        class: ClassId,
        object: &Ref,
        declared: Option<ClassId>,
    ) -> Ref {
        let ill = self.engine.ill_typed(object, class);
        self.distrust(state, class, ill, declared);
        let engine = &*self.engine;
        object.restrict(&state.facts, |a| a == Atom::NULL || !engine.is_ill_typed(a, class))
    }

    fn distrust(&mut self, state: &mut State, class: ClassId, ill: Lit, declared: Option<ClassId>) {
        let ill = state.facts.fold(ill);
        if ill == Lit::FALSE {
            return;
        }
        let declared = declared.unwrap_or(self.engine.known.object);
        let candidates = self.engine.candidates_for(declared);
        if !candidates.iter().any(|atom| self.engine.atom_is_a(*atom, class)) {
            // Nothing would be left: the inputs have no such object.
            let name = ir::program::simple(self.engine.program.class_name(class)).to_string();
            let what = || format!("a `{name}` behind a type argument, which no code here names");
            self.engine.unsupported_if(state, ill, what);
            return;
        }
        let lit = self.engine.circuit.and(state.guard, ill);
        self.ill.push(lit);
        state.assume(&mut self.engine.circuit, !ill);
    }

    /// A relation of whose last column a type argument says that it is of a class.
    pub(super) fn typed_relation(
        &mut self,
        state: &mut State,
        class: ClassId,
        inner: &Term,
    ) -> Relation {
        self.typing = Some(class);
        let found = self.relation(state, inner);
        let mut kept = Relation::empty();
        let mut ill = Vec::new();
        for (tuple, lit) in found.tuples() {
            match tuple.last() {
                Some(Cell::Atom(atom)) if self.engine.is_ill_typed(Atom(*atom), class) => {
                    ill.push(lit);
                }
                Some(Cell::Atom(atom)) if !self.engine.atom_is_a(Atom(*atom), class) => {}
                _ => kept.add(&mut self.engine.circuit, tuple.to_vec(), lit),
            }
        }
        let ill = self.engine.circuit.or_all(ill);
        self.distrust(state, class, ill, None);
        kept
    }
}
