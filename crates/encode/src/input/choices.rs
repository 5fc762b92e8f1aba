//! What an input consists of, as choices that can be made one after the other.
//!
//! First the references of the layout in their canonical order, after those of an object its
//! numbers; then what else there is; last the comparisons of numbers that are only compared. What
//! belongs to an object matters only where the object is reached.

use logic::{Lit, Node};
use rustc_hash::FxHashSet;

use crate::engine::Engine;
use crate::state::atom::Atom;
use crate::state::leaves::LeafKey;
use crate::state::value::Value;

/// A literal to decide on.
#[derive(Clone, Debug)]
pub struct Choice {
    pub lit: Lit,
    /// It matters as long as all of these hold.
    pub conditions: Vec<Lit>,
}

impl Engine<'_> {
    /// The choices that make up a laid-out input; `None` if it is not laid out.
    pub fn choices(&self) -> Option<Vec<Choice>> {
        let layout = self.layout.get()?;
        let mut seen = FxHashSet::default();
        let mut choices = Vec::new();
        let mut choose = |lits: Vec<Lit>, conditions: Vec<Lit>| {
            let mut lits: Vec<Lit> = lits.into_iter().rev().collect();
            while let Some(lit) = lits.pop() {
                if !seen.insert(lit.node()) {
                    continue;
                }
                match self.circuit.node(lit.node()) {
                    Node::True => {}
                    Node::Input => choices.push(Choice { lit, conditions: conditions.clone() }),
                    // A number of few values is made of the choices among them.
                    Node::And(a, b) | Node::Xor(a, b) => lits.extend([b, a]),
                    Node::Ite(c, t, e) => lits.extend([e, t, c]),
                }
            }
        };
        let mut leaves: Vec<_> =
            self.inputs.leaves().filter(|(key, _)| !self.is_ordered(key)).collect();
        for (index, position) in layout.positions.iter().enumerate() {
            choose(position.value.entries().iter().map(|e| e.1).collect(), Vec::new());
            let next = layout.positions.get(index + 1).and_then(|p| p.owner);
            if position.owner.is_none() || next == position.owner {
                continue;
            }
            leaves.retain(|(key, value)| {
                let is_own = self.leaf_owner(key) == position.owner;
                if is_own {
                    choose(lits(value), self.conditions(key));
                }
                !is_own
            });
        }
        for (key, value) in leaves {
            choose(lits(value), self.conditions(key));
        }
        for (unknowns, lits) in self.circuit.compared() {
            let keys = unknowns.iter().flatten().filter_map(|u| self.leaf_of(*u));
            let conditions: Vec<Lit> = keys.flat_map(|key| self.conditions(key)).collect();
            choose(lits.to_vec(), conditions);
        }
        Some(choices)
    }

    /// When a leaf matters.
    fn conditions(&self, key: &LeafKey) -> Vec<Lit> {
        let live = self.leaf_owner(key).and_then(|owner| self.existence.of(owner));
        live.into_iter().collect()
    }

    /// The object that a leaf belongs to.
    fn leaf_owner(&self, key: &LeafKey) -> Option<Atom> {
        match key {
            LeafKey::Field(name, _)
            | LeafKey::Length(name)
            | LeafKey::Element(name, _)
            | LeafKey::Shared(name)
            | LeafKey::Hash(name)
            | LeafKey::Live(name) => self.atoms.named(name),
            LeafKey::Receiver
            | LeafKey::Parameter(_)
            | LeafKey::Static(_)
            | LeafKey::Initialised(_)
            | LeafKey::TextLength(_)
            | LeafKey::TextWide(_)
            | LeafKey::Clock(_)
            | LeafKey::Havoc(_)
            | LeafKey::Instance(_)
            | LeafKey::Route(_) => None,
        }
    }
}

fn lits(value: &Value) -> Vec<Lit> {
    match value {
        Value::Bits(bits) => bits.iter().collect(),
        Value::Ref(reference) => reference.entries().iter().map(|e| e.1).collect(),
    }
}
