//! Making a counterexample small: few input objects first, then numbers near zero and friendly
//! characters.
//!
//! Greedy, on the same incremental solver, each question within a small budget: the smallest
//! that is found cheaply, not the smallest there is.

use std::collections::BTreeSet;

use encode::Engine;
use encode::atom::{Atom, Name};
use encode::decode::{self, Assignment};
use encode::inputs::LeafKey;
use ir::{MethodId, Type};
use logic::{Bits, Lit};
use sat::Answer;

use crate::check::is_number;
use crate::solving::Solving;

const CONFLICTS: u64 = 500;
const MOST_LEAVES: usize = 60;

struct Minimiser<'e, 'a> {
    engine: &'e Engine<'a>,
    solving: &'e mut Solving,
    /// Literals that stay.
    kept: Vec<Lit>,
    best: Option<Assignment>,
}

/// A smaller input that still reaches `goal`, preferring to change the leaves in `touched`.
pub fn minimise(
    engine: &Engine<'_>,
    solving: &mut Solving,
    method: MethodId,
    goal: Lit,
    touched: &[LeafKey],
) -> Option<Assignment> {
    let mut minimiser = Minimiser { engine, solving, kept: vec![goal], best: None };
    minimiser.fewer_objects(touched);
    let mut numbers: Vec<&LeafKey> = touched.iter().filter(|k| is_number(k)).collect();
    // Lengths first: a shorter array makes its elements irrelevant.
    let is_length = |k: &&LeafKey| !matches!(k, LeafKey::Length(_) | LeafKey::TextLength(_));
    numbers.sort_by_key(is_length);
    for key in numbers.into_iter().take(MOST_LEAVES) {
        let bits = engine.inputs().leaf(key).and_then(|v| v.number());
        // Ordered numbers are small already.
        let bits = bits.filter(|_| !engine.is_ordered(key));
        if let Some(bits) = bits {
            let text = matches!(key, LeafKey::Element(Name::InputChars(_), _));
            let ty = engine.leaf_type(engine.program.method(method), key);
            minimiser.smaller_number(bits, text || ty == Some(Type::Char));
        }
    }
    minimiser.best
}

impl Minimiser<'_, '_> {
    /// Tries to add assumptions; keeps them and the model if that works.
    fn try_with(&mut self, more: &[Lit]) -> bool {
        let before = self.kept.len();
        self.kept.extend_from_slice(more);
        let (engine, kept) = (self.engine, &self.kept);
        let constraints = engine.constraints();
        let answer = self.solving.solve(&engine.circuit, constraints, kept, Some(CONFLICTS));
        if answer == Answer::Sat {
            let model = self.solving.model(&engine.circuit);
            self.best = Some(decode::assignment(engine, &model));
            return true;
        }
        self.kept.truncate(before);
        false
    }

    /// Forbids input objects one by one, those of high number first.
    fn fewer_objects(&mut self, touched: &[LeafKey]) {
        let mut used = BTreeSet::new();
        let mut all = BTreeSet::new();
        for (key, value) in self.engine.inputs().leaves() {
            let atoms = value.atoms().filter(|a| self.is_input(*a));
            let atoms: Vec<Atom> = atoms.collect();
            if touched.contains(key) {
                used.extend(atoms.iter().copied());
            }
            all.extend(atoms);
        }
        let idle: Vec<Lit> = all.difference(&used).flat_map(|a| self.not_referenced(*a)).collect();
        self.try_with(&idle);
        for atom in used.into_iter().rev() {
            let without = self.not_referenced(atom);
            if !without.contains(&Lit::FALSE) {
                self.try_with(&without);
            }
        }
    }

    fn is_input(&self, atom: Atom) -> bool {
        matches!(self.engine.atoms().info(atom).name, Name::Input(..))
    }

    /// Literals that say that no leaf refers to `atom`.
    fn not_referenced(&self, atom: Atom) -> Vec<Lit> {
        let leaves = self.engine.inputs().leaves();
        let lits = leaves.filter_map(|(_, value)| value.entry(atom));
        lits.map(|lit| !lit).collect()
    }

    fn smaller_number(&mut self, bits: Bits, text: bool) {
        let preferred: &[i64] = match text {
            true => &[97, 98, 48, 32],
            false => &[0, 1, 2, -1],
        };
        for value in preferred {
            if let Some(same) = equals(&bits, *value)
                && self.try_with(&same)
            {
                return;
            }
        }
        for width in [2, 3, 4, 6, 8, 12, 16, 20, 24, 28, 32, 48] {
            if width >= bits.width() {
                return;
            }
            if self.is_narrow(&bits, width) {
                return;
            }
        }
    }

    /// Restricts a number to `width` bits and a sign, if that works.
    fn is_narrow(&mut self, bits: &Bits, width: u32) -> bool {
        for negative in [false, true] {
            let high = (width..bits.width()).map(|i| bits.bit(i));
            let high: Vec<Lit> = high.map(|l| if negative { l } else { !l }).collect();
            if !high.contains(&Lit::FALSE) && self.try_with(&high) {
                return true;
            }
        }
        false
    }
}

/// Literals that say that `bits` is `value`; `None` if it cannot be.
fn equals(bits: &Bits, value: i64) -> Option<Vec<Lit>> {
    let lits: Vec<Lit> = (0..bits.width())
        .map(|i| if value >> i.min(63) & 1 == 1 { bits.bit(i) } else { !bits.bit(i) })
        .filter(|l| *l != Lit::TRUE)
        .collect();
    (!lits.contains(&Lit::FALSE)).then_some(lits)
}
