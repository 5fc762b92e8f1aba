//! Symmetry breaking: of all heaps that differ only in the names of their objects, few are
//! searched (the idea of Galeotti et al., section 3.2, for heaps that are made up on demand).
//!
//! Positions are the references of the input, in the order in which they were made up. Objects of
//! a class are numbered as they are discovered, always at the earliest position whose owner has
//! been discovered. For a heap numbered so the following holds, and nothing else is demanded: where
//! a position is reached from a root through earlier and earlier positions, each in turn, and
//! holds object m of a class, then some earlier position holds object m - 1.
//!
//! Why: let object m - 1 be discovered at q, after the position r that holds m. When q was looked
//! at it was the earliest position that could be; but every position on the way to r comes before
//! r, hence before q, and had been looked at already, so r came before q.
//!
//! Positions are only ever appended, so what was demanded before stays right.

use logic::Lit;

use crate::config::Calls;
use crate::engine::Engine;
use crate::state::atom::{Atom, Name};
use crate::state::leaves::{LeafKey, Source};
use crate::state::value::Value;

impl Engine<'_> {
    /// Demands the order of first occurrences for the positions that are new.
    pub(crate) fn break_symmetry(&mut self) {
        if !self.run.limits.symmetry || matches!(self.inputs.source, Source::Fixed(_)) {
            return;
        }
        let leaves = self.inputs.leaves_after(self.layout.symmetry.positions);
        let new: Vec<(LeafKey, Value)> = leaves
            .filter(|(_, value)| matches!(value, Value::Ref(_)))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        self.layout.symmetry.positions = self.inputs.count();
        for (key, value) in new {
            let available = match &key {
                LeafKey::Field(name @ Name::Input(..), _)
                | LeafKey::Element(name @ Name::Input(..), _) => {
                    let owner = self.atoms.named(name);
                    let reached = owner.and_then(|o| self.layout.symmetry.reached.get(&o).copied());
                    reached.unwrap_or(Lit::FALSE)
                }
                // What a deferred call leaves behind is not part of the input.
                LeafKey::Havoc(_) if self.run.limits.calls != Calls::Contract => continue,
                _ => Lit::TRUE,
            };
            self.order_position(key, &value, available);
        }
    }

    fn order_position(&mut self, key: LeafKey, value: &Value, available: Lit) {
        let objects: Vec<(Atom, Lit)> = value.reference().objects().collect();
        for (atom, lit) in &objects {
            let Name::Input(class, number) = self.atoms.info(*atom).name else {
                continue;
            };
            if self.is_laid_out(*atom) {
                continue;
            }
            let Some(number) = number.checked_sub(1) else {
                continue;
            };
            let before = self.atoms.named(&Name::Input(class, number));
            if before.is_some_and(|b| self.is_laid_out(b)) {
                // The first beside the layout.
                continue;
            }
            let before = before.and_then(|b| self.layout.symmetry.held.get(&b).copied());
            let here = self.circuit.and(available, *lit);
            let ordered = self.circuit.implies(here, before.unwrap_or(Lit::FALSE));
            self.inputs.require(ordered, key.clone());
        }
        for (atom, lit) in objects {
            let here = self.circuit.and(available, lit);
            let reached = self.layout.symmetry.reached.entry(atom).or_insert(Lit::FALSE);
            *reached = self.circuit.or(*reached, here);
            let held = self.layout.symmetry.held.entry(atom).or_insert(Lit::FALSE);
            *held = self.circuit.or(*held, lit);
        }
    }
}
