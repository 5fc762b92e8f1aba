//! What of the input no step of a run has read, but matters at its end: references that lead to
//! objects whose invariants the run may have broken.
//!
//! A layout has all closed references from the start. Without one, and beside it, they are made up when
//! the run has ended, if it has changed anything at all and only where they lead to a class of
//! which something is specified. Open references that nothing has read stay unread: see
//! `docs/SOUNDNESS.md`.

use std::collections::BTreeSet;

use ir::{ClassId, Method, Type};
use rustc_hash::FxHashMap;

use crate::config::Calls;
use crate::engine::Engine;
use crate::exec::run::Ends;
use crate::state::State;
use crate::state::atom::{Atom, Name};
use crate::state::leaves::{LeafKey, Source};

impl Engine<'_> {
    /// Makes up the closed references that lead on from what is in play, until there are none left.
    pub(super) fn read_the_rest(&mut self, method: &Method, ends: &Ends) {
        let normal = ends.normal.iter().map(|end| &end.0);
        let mut states = normal.chain(self.run.ended.escapes.iter().map(|e| &e.state));
        // A run on constants recalls what exists.
        let skipped = matches!(self.inputs.source, Source::Fixed(_))
            || self.run.limits.calls == Calls::Contract
            || !self.any_invariants();
        if skipped || states.all(|state| self.is_unchanged(state)) {
            return;
        }
        let mut known = FxHashMap::default();
        self.read_statics(&mut known);
        loop {
            let before = self.inputs.count();
            self.after(method);
            let mut objects: Vec<Atom> = self.existence.all().map(|l| l.0).collect();
            objects.sort_unstable();
            for atom in objects {
                self.read_references(atom, &mut known);
            }
            if self.inputs.count() == before || self.run.meter.exhausted().is_some() {
                return;
            }
        }
    }

    /// Whether everything is as it was in the input, and nothing was made: then invariants hold as they did.
    pub(crate) fn is_unchanged(&self, state: &State) -> bool {
        let mut written = state.heap.objects.entries().into_iter().map(|e| Atom(e.0 as u32));
        let is_old = |atom: Atom| match self.atoms.info(atom).name {
            Name::Input(..) | Name::Initialiser(..) | Name::Constructed => true,
            Name::Null
            | Name::InputChars(_)
            | Name::Literal(_)
            | Name::LiteralChars(_)
            | Name::Mirror(_)
            | Name::Fresh(_) => false,
        };
        self.run.limits.calls == Calls::Inline
            && self.run.objects.is_empty()
            && state.heap.statics.entries().is_empty()
            && !written.any(is_old)
    }

    fn read_statics(&mut self, known: &mut Leading) {
        for (class, field) in self.static_roots() {
            if self.type_leads(self.program.field(field).ty, known) {
                self.initialise_quietly(class);
                self.initial_static(field);
            }
        }
    }

    fn read_references(&mut self, atom: Atom, known: &mut Leading) {
        let info = self.atoms.info(atom);
        let is_input = matches!(info.name, Name::Input(..)) && !info.opaque;
        if !is_input || self.is_laid_out(atom) {
            return;
        }
        if let Some(element) = self.element_type(atom) {
            if self.type_leads(element, known) {
                self.initial_array(atom);
            }
            return;
        }
        for field in self.reference_fields_of(atom) {
            let key = LeafKey::Field(self.atoms.info(atom).name.clone(), field);
            let is_read = self.inputs.leaf(&key).is_some();
            if !is_read && self.type_leads(self.program.field(field).ty, known) {
                // What is not modelled is not part of the input.
                let _ = self.initial_field(atom, field);
            }
        }
    }

    /// Whether a closed reference of this type leads to something specified.
    fn type_leads(&mut self, ty: Type, known: &mut Leading) -> bool {
        let held = self.held_classes(ty);
        held.into_iter().any(|class| self.class_leads(class, known))
    }

    fn class_leads(&mut self, class: ClassId, known: &mut Leading) -> bool {
        if let Some(leads) = known.get(&class) {
            return *leads;
        }
        let mut seen = BTreeSet::new();
        let mut work = vec![class];
        let mut leads = false;
        while let (Some(class), false) = (work.pop(), leads) {
            if seen.insert(class) {
                leads = self.is_specified(class);
                let atom = self.input_atom(class, 0, false);
                for ty in self.held_types(atom) {
                    work.extend(self.held_classes(ty));
                }
            }
        }
        known.insert(class, leads);
        leads
    }

    /// The classes of the objects that a closed reference may hold.
    fn held_classes(&mut self, ty: Type) -> BTreeSet<ClassId> {
        let Type::Ref(class) = ty else {
            return BTreeSet::new();
        };
        if !self.is_closed(ty) {
            return BTreeSet::new();
        }
        let candidates = self.candidates_for(class);
        let objects = candidates.iter().filter(|a| self.is_symmetric(**a));
        objects.map(|a| self.atoms.class(*a)).collect()
    }
}

/// For classes that have been looked at, whether they lead to something specified.
type Leading = FxHashMap<ClassId, bool>;
