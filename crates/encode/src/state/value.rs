//! Values: bit-vectors, and references as sparse one-hot vectors over atoms.
//!
//! A value means something only under the path condition of the state that holds it: there, of a
//! reference's entries exactly one is true.

use std::rc::Rc;

use logic::{Bits, Circuit, Lit};

use crate::state::atom::Atom;
use crate::state::facts::Facts;

/// What a register, field or element holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Bits(Bits),
    Ref(Ref),
}

/// A reference: for each atom that it may be, the literal that says so. Ascending by atom; no
/// entry is constant false; a constant reference has one entry, which is true.
#[derive(Clone, Debug, PartialEq)]
pub struct Ref(Rc<[(Atom, Lit)]>);

impl Ref {
    /// The reference that is always `atom`.
    pub fn constant(atom: Atom) -> Ref {
        Ref(Rc::new([(atom, Lit::TRUE)]))
    }

    /// The null reference.
    pub fn null() -> Ref {
        Ref::constant(Atom::NULL)
    }

    /// A reference of these entries, in any order but without repeated atoms.
    pub fn from_entries(mut entries: Vec<(Atom, Lit)>) -> Ref {
        entries.retain(|e| e.1 != Lit::FALSE);
        if let Some(sure) = entries.iter().find(|e| e.1 == Lit::TRUE) {
            return Ref::constant(sure.0);
        }
        match entries[..] {
            // Only a dead path has a reference that is nothing.
            [] => return Ref::null(),
            [only] => return Ref::constant(only.0),
            _ => {}
        }
        entries.sort_unstable_by_key(|e| e.0);
        debug_assert!(entries.windows(2).all(|w| w[0].0 != w[1].0));
        Ref(entries.into())
    }

    pub fn entries(&self) -> &[(Atom, Lit)] {
        &self.0
    }

    /// The atom of a constant reference.
    pub fn as_constant(&self) -> Option<Atom> {
        match &self.0[..] {
            [(atom, Lit::TRUE)] => Some(*atom),
            _ => None,
        }
    }

    /// The literal that says that this is `atom`.
    pub fn is(&self, atom: Atom) -> Lit {
        match self.0.binary_search_by_key(&atom, |e| e.0) {
            Ok(i) => self.0[i].1,
            Err(_) => Lit::FALSE,
        }
    }

    /// The literal that says that this is null.
    pub fn is_null(&self) -> Lit {
        self.is(Atom::NULL)
    }

    /// The entries that are objects.
    pub fn objects(&self) -> impl Iterator<Item = (Atom, Lit)> + '_ {
        self.0.iter().copied().filter(|e| e.0 != Atom::NULL)
    }

    /// What is left of this reference where `facts` hold and `keep` says which atoms remain
    /// possible.
    pub fn restrict(&self, facts: &Facts, keep: impl Fn(Atom) -> bool) -> Ref {
        if self.as_constant().is_some() {
            return self.clone();
        }
        let entries: Vec<(Atom, Lit)> = self
            .0
            .iter()
            .filter(|e| keep(e.0))
            .map(|e| (e.0, facts.fold(e.1)))
            .filter(|e| e.1 != Lit::FALSE)
            .collect();
        if entries.is_empty() {
            // Contradictory facts: the path is dead, and any value will do.
            return self.clone();
        }
        Ref::from_entries(entries)
    }
}

impl Value {
    /// An int constant.
    pub fn int(value: i32) -> Value {
        Value::Bits(Bits::constant(32, value as u32 as u64))
    }

    /// A long constant.
    pub fn long(value: i64) -> Value {
        Value::Bits(Bits::constant(64, value as u64))
    }

    /// A boolean as Java's int.
    pub fn boolean(lit: Lit) -> Value {
        let mut bits = vec![Lit::FALSE; 32];
        bits[0] = lit;
        Value::Bits(Bits::from_lits(bits))
    }

    /// The bit-vector. The front end guarantees kinds, so a mismatch is our mistake.
    pub fn bits(&self) -> &Bits {
        match self {
            Value::Bits(bits) => bits,
            Value::Ref(_) => panic!("a reference where a number was expected"),
        }
    }

    /// The reference.
    pub fn reference(&self) -> &Ref {
        match self {
            Value::Ref(r) => r,
            Value::Bits(_) => panic!("a number where a reference was expected"),
        }
    }

    /// The bit-vector, if it is a number.
    pub fn number(&self) -> Option<Bits> {
        match self {
            Value::Bits(bits) => Some(bits.clone()),
            Value::Ref(_) => None,
        }
    }

    /// The atoms that it may be, if it is a reference.
    pub fn atoms(&self) -> impl Iterator<Item = Atom> + '_ {
        let entries = match self {
            Value::Bits(_) => &[],
            Value::Ref(r) => r.entries(),
        };
        entries.iter().map(|e| e.0)
    }

    /// The literal that says that it is `atom`, if that is possible.
    pub fn entry(&self, atom: Atom) -> Option<Lit> {
        match self {
            Value::Bits(_) => None,
            Value::Ref(r) => Some(r.is(atom)).filter(|l| *l != Lit::FALSE),
        }
    }
}

/// `then` where `cond` holds, else `other`.
pub fn choose(circuit: &mut Circuit, cond: Lit, then: &Value, other: &Value) -> Value {
    if cond == Lit::TRUE || then == other {
        return then.clone();
    }
    if cond == Lit::FALSE {
        return other.clone();
    }
    match (then, other) {
        (Value::Bits(a), Value::Bits(b)) => Value::Bits(circuit.bits_ite(cond, a, b)),
        (Value::Ref(a), Value::Ref(b)) => Value::Ref(choose_ref(circuit, cond, a, b)),
        (Value::Bits(_), Value::Ref(_)) | (Value::Ref(_), Value::Bits(_)) => {
            panic!("paths join with a number and a reference in one place")
        }
    }
}

fn choose_ref(circuit: &mut Circuit, cond: Lit, a: &Ref, b: &Ref) -> Ref {
    let mut entries = Vec::with_capacity(a.0.len().max(b.0.len()));
    let (mut i, mut j) = (0, 0);
    while i < a.0.len() || j < b.0.len() {
        let at = |r: &Ref, k: usize| r.0.get(k).map_or(Atom(u32::MAX), |e| e.0);
        let (x, y) = (at(a, i), at(b, j));
        let atom = x.min(y);
        let (mut then, mut other) = (Lit::FALSE, Lit::FALSE);
        if x == atom {
            then = a.0[i].1;
            i += 1;
        }
        if y == atom {
            other = b.0[j].1;
            j += 1;
        }
        entries.push((atom, circuit.ite(cond, then, other)));
    }
    Ref::from_entries(entries)
}

/// The value of exactly one of `cases`, each with the literal that selects it; the literals are
/// exclusive and one holds.
pub fn select(circuit: &mut Circuit, cases: &[(Lit, Value)]) -> Value {
    let ((_, last), rest) = cases.split_last().expect("a selection has cases");
    if rest.iter().all(|c| c.1 == *last) {
        return last.clone();
    }
    if let Some(sure) = cases.iter().find(|c| c.0 == Lit::TRUE) {
        return sure.1.clone();
    }
    match last {
        Value::Bits(first) => {
            let words: Vec<(Lit, &Bits)> = cases.iter().map(|(l, v)| (*l, v.bits())).collect();
            if let Some(word) = circuit.ordered_select(&words) {
                return Value::Bits(word);
            }
            let width = first.width();
            let lits = (0..width).map(|i| {
                let terms: Vec<Lit> = cases
                    .iter()
                    .map(|(sel, value)| circuit.and(*sel, value.bits().bit(i)))
                    .collect();
                if cases.iter().all(|c| c.1.bits().bit(i) == cases[0].1.bits().bit(i)) {
                    return cases[0].1.bits().bit(i);
                }
                circuit.or_all(terms)
            });
            Value::Bits(Bits::from_lits(lits.collect()))
        }
        Value::Ref(_) => {
            let mut terms: std::collections::BTreeMap<Atom, Vec<Lit>> = Default::default();
            for (sel, value) in cases {
                for (atom, lit) in value.reference().entries() {
                    let term = circuit.and(*sel, *lit);
                    terms.entry(*atom).or_default().push(term);
                }
            }
            let entries = terms.into_iter().map(|(atom, lits)| (atom, circuit.or_all(lits)));
            Value::Ref(Ref::from_entries(entries.collect()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// References over four atoms, each with two inputs that say which it is.
    fn reference(circuit: &mut Circuit, atoms: [u32; 3]) -> (Ref, [Lit; 2]) {
        let [x, y] = [(); 2].map(|()| circuit.input());
        let first = circuit.and(x, y);
        let second = circuit.and(x, !y);
        let entries = [first, second, !x].into_iter().zip(atoms);
        (Ref::from_entries(entries.map(|(lit, atom)| (Atom(atom), lit)).collect()), [x, y])
    }

    /// The atom that a reference is where inputs have values; exactly one entry holds.
    fn atom(circuit: &Circuit, value: &Value, inputs: u32) -> Atom {
        let nodes: Vec<u32> = circuit.inputs().map(|lit| lit.node()).collect();
        let model = circuit.evaluate(|node| {
            let place = nodes.iter().position(|other| *other == node).expect("it is an input");
            inputs >> place & 1 == 1
        });
        let holding = value.reference().entries().iter().filter(|entry| model.value(entry.1));
        let holding: Vec<Atom> = holding.map(|entry| entry.0).collect();
        assert_eq!(holding.len(), 1, "{value:?}");
        holding[0]
    }

    /// Whatever two references are, a choice between them is the one that was chosen, and one thing only.
    #[test]
    fn a_choice_is_what_was_chosen() {
        for other in [[0, 1, 2], [2, 3, 0], [1, 3, 2], [3, 4, 5]] {
            let mut circuit = Circuit::new();
            let (a, _) = reference(&mut circuit, [0, 1, 2]);
            let (b, _) = reference(&mut circuit, other);
            let cond = circuit.input();
            let (a, b) = (Value::Ref(a), Value::Ref(b));
            let chosen = choose(&mut circuit, cond, &a, &b);
            let selected = select(&mut circuit, &[(cond, a.clone()), (!cond, b.clone())]);
            for inputs in 0..32 {
                let expected = if inputs >> 4 & 1 == 1 { &a } else { &b };
                let expected = atom(&circuit, expected, inputs);
                assert_eq!(atom(&circuit, &chosen, inputs), expected);
                assert_eq!(atom(&circuit, &selected, inputs), expected);
            }
            assert_eq!(choose(&mut circuit, Lit::TRUE, &a, &b), a);
            assert_eq!(choose(&mut circuit, cond, &b, &b), b);
        }
    }

    #[test]
    fn facts_leave_out_what_cannot_be() {
        let mut circuit = Circuit::new();
        let (value, [x, y]) = reference(&mut circuit, [0, 1, 2]);
        let mut facts = Facts::default();
        facts.learn(&circuit, x);
        let gate = circuit.and(x, y);
        facts.learn(&circuit, !gate);
        assert_eq!(value.restrict(&facts, |atom| atom != Atom(2)).as_constant(), Some(Atom(1)));
        // Where facts contradict each other any value will do.
        assert_eq!(value.restrict(&facts, |_| false), value);
    }
}
