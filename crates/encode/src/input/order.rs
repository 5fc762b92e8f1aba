//! Numbers of the input that are only moved and compared: symbols of an order instead of bits.
//!
//! Whether a number is only compared is not known before the run. So each leaf belongs to a class
//! (its field, its parameter, the arrays of its type), and is ordered unless its class is known to
//! need bits. After a run the engine tells which classes turned out to need them: some goal or
//! constraint depends on bits of theirs, and the whole run, with its solver, has to be thrown
//! away and repeated. The set only grows, so that ends.

use std::collections::BTreeSet;

use ir::Type;
use logic::{Bits, Evaluation, Lit, Unknown};

use crate::engine::Engine;
use crate::state::atom::Name;
pub use crate::state::leaves::LeafClass;
use crate::state::leaves::{Assignment, LeafKey, LeafValue, Source};
use crate::state::ordering::Ordering;

impl Engine<'_> {
    /// From now on numbers of the input are symbols of an order, except those of the given
    /// classes. After each run [`Engine::needs_bits`] has to be asked.
    pub fn order_numbers(&mut self, except: BTreeSet<LeafClass>) {
        self.inputs.ordering.in_use = true;
        self.inputs.ordering.arithmetic = except;
    }

    /// The classes that need bits, those known before included, if the last run has found new
    /// ones. Then nothing of this engine is of use any more.
    pub fn needs_bits(&self) -> Option<BTreeSet<LeafClass>> {
        let Ordering { arithmetic, exposed, .. } = &self.inputs.ordering;
        (!exposed.is_empty()).then(|| arithmetic.union(exposed).copied().collect())
    }

    /// The classes that have bits in this engine; `None` if all have.
    pub fn have_bits(&self) -> Option<BTreeSet<LeafClass>> {
        self.inputs.ordering.in_use.then(|| self.inputs.ordering.arithmetic.clone())
    }

    /// Whether a leaf is a symbol of an order.
    pub fn is_ordered(&self, key: &LeafKey) -> bool {
        self.inputs.ordering.keys.contains_key(key)
    }

    /// The leaf that a symbol stands for.
    pub(super) fn leaf_of(&self, unknown: Unknown) -> Option<&LeafKey> {
        self.inputs.ordering.leaves.get(&unknown).map(|(key, _)| key)
    }

    /// Whether there is any such leaf.
    pub fn has_order(&self) -> bool {
        !self.inputs.ordering.keys.is_empty()
    }

    /// A new leaf as a symbol of an order, if its class admits that.
    pub(crate) fn ordered_leaf(&mut self, key: &LeafKey, ty: Type) -> Option<Bits> {
        let width = match ty {
            Type::Int => 32,
            Type::Long => 64,
            _ => return None,
        };
        let class = match key {
            LeafKey::Parameter(number) => LeafClass::Parameter(*number),
            LeafKey::Static(field) => LeafClass::Static(*field),
            LeafKey::Field(_, field) => LeafClass::Field(*field),
            LeafKey::Element(Name::Input(..), _) => LeafClass::Element(width),
            _ => return None,
        };
        if !self.inputs.ordering.in_use
            || self.scope.int_bits < 32
            || self.inputs.ordering.arithmetic.contains(&class)
            || !matches!(self.inputs.source, Source::Symbolic)
        {
            return None;
        }
        let (bits, unknown) = self.inputs.ordered(&mut self.circuit, key.clone(), width);
        self.inputs.ordering.keys.insert(key.clone(), unknown);
        self.inputs.ordering.leaves.insert(unknown, (key.clone(), class));
        Some(bits)
    }

    /// Makes the comparisons so far those of numbers, and looks whether the constraints or one of
    /// `lits` depend on bits that there are not. `false` if so: the run is in vain.
    pub(crate) fn settle_order(&mut self, lits: impl IntoIterator<Item = Lit>) -> bool {
        if !self.has_order() {
            return true;
        }
        for (lit, unknown) in self.circuit.settle_orders() {
            let (key, _) = &self.inputs.ordering.leaves[&unknown];
            self.inputs.require(lit, key.clone());
        }
        let new = &self.inputs.constraints[self.inputs.ordering.looked_at..];
        self.inputs.ordering.looked_at = self.inputs.constraints.len();
        let roots = new.iter().map(|c| c.lit).chain(lits);
        for unknown in self.circuit.exposed(roots) {
            self.inputs.ordering.exposed.insert(self.inputs.ordering.leaves[unknown].1);
        }
        !self.inputs.ordering.is_abandoned()
    }

    /// The values of the ordered leaves in a model.
    pub(crate) fn ordered_values(&self, model: &Evaluation) -> Assignment {
        let mut found = Assignment::default();
        if self.has_order() {
            let values = self.circuit.decode_orders(model);
            for (unknown, (key, _)) in &self.inputs.ordering.leaves {
                let value = values[&unknown.width][unknown.symbol.0 as usize] as u64;
                let value = value & (u64::MAX >> (64 - unknown.width));
                found.insert(key.clone(), LeafValue::Bits(value));
            }
        }
        found
    }
}
