//! What is known to hold on a path: the literals that its branches decided.
//!
//! A fact lets a repeated test fold to a constant without asking the solver (the second null
//! check of the same variable, the guard of a loop that was tested at its head). Facts form a
//! list, newest first, so that the common past of two paths is the common tail of their lists,
//! together with a persistent set for look-up.

use std::rc::Rc;

use logic::{Circuit, Lit, Node};

use crate::state::radix::Radix;

struct Link {
    lit: Lit,
    depth: u32,
    before: Facts,
}

/// The facts of one path. A clone is O(1).
#[derive(Clone, Default)]
pub struct Facts {
    newest: Option<Rc<Link>>,
    /// Truth of each node that is decided.
    known: Radix<bool>,
}

impl Facts {
    /// The value of `lit` if these facts decide it.
    pub fn value(&self, lit: Lit) -> Option<bool> {
        if let Some(value) = lit.constant() {
            return Some(value);
        }
        let node = *self.known.get(lit.node() as usize)?;
        Some(node != lit.is_negated())
    }

    /// `lit`, or the constant that it is here.
    pub fn fold(&self, lit: Lit) -> Lit {
        self.value(lit).map_or(lit, Lit::from)
    }

    /// Learns that `lit` holds, and the conjuncts of `lit` with it.
    pub fn learn(&mut self, circuit: &Circuit, lit: Lit) {
        if self.value(lit).is_some() {
            return;
        }
        let before = self.clone();
        self.add(circuit, lit, 0);
        let depth = before.depth() + 1;
        self.newest = Some(Rc::new(Link { lit, depth, before }));
    }

    fn add(&mut self, circuit: &Circuit, lit: Lit, nesting: u32) {
        if self.value(lit).is_some() {
            return;
        }
        self.known.set(lit.node() as usize, !lit.is_negated());
        if nesting > 40 {
            return;
        }
        if let (Node::And(a, b), false) = (circuit.node(lit.node()), lit.is_negated()) {
            self.add(circuit, a, nesting + 1);
            self.add(circuit, b, nesting + 1);
        }
    }

    fn depth(&self) -> u32 {
        self.newest.as_ref().map_or(0, |l| l.depth)
    }

    /// The facts that both paths had before they parted, and the first that each learned after.
    pub fn common(&self, other: &Facts) -> (Facts, Option<Lit>, Option<Lit>) {
        let (mut a, mut b) = (self.clone(), other.clone());
        let (mut first_a, mut first_b) = (None, None);
        loop {
            match (&a.newest, &b.newest) {
                (None, None) => break,
                (Some(x), Some(y)) if Rc::ptr_eq(x, y) => break,
                _ => {}
            }
            if a.depth() >= b.depth() {
                step(&mut a, &mut first_a);
            } else {
                step(&mut b, &mut first_b);
            }
        }
        (a, first_a, first_b)
    }
}

fn step(facts: &mut Facts, first: &mut Option<Lit>) {
    let Some(link) = facts.newest.clone() else {
        return;
    };
    *first = Some(link.lit);
    *facts = link.before.clone();
}

impl Drop for Link {
    /// Long lists are unlinked in a loop: the derived drop would recurse once for each fact.
    fn drop(&mut self) {
        let mut next = self.before.newest.take();
        while let Some(link) = next {
            next = match Rc::try_unwrap(link) {
                Ok(mut link) => link.before.newest.take(),
                Err(_) => None,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conjunction_teaches_its_parts() {
        let mut circuit = Circuit::new();
        let [a, b, c] = [(); 3].map(|()| circuit.input());
        let inner = circuit.and(a, !b);
        let all = circuit.and(inner, c);
        let mut facts = Facts::default();
        facts.learn(&circuit, all);
        assert_eq!([a, b, c].map(|lit| facts.value(lit)), [Some(true), Some(false), Some(true)]);
        assert_eq!(facts.fold(!inner), Lit::FALSE);
        let mut others = Facts::default();
        others.learn(&circuit, !all);
        assert_eq!(others.value(a), None);
    }

    /// Paths that part and part again, in all ways: what they have in common is what they had before they parted,
    /// and each begins with its own first step.
    #[test]
    fn paths_have_in_common_what_they_had_before_they_parted() {
        let mut circuit = Circuit::new();
        let lits: Vec<Lit> = (0..12).map(|_| circuit.input()).collect();
        for common in 0..5 {
            for (left, right) in [(0, 0), (0, 3), (1, 1), (2, 3), (3, 1)] {
                let mut past = Facts::default();
                lits[..common].iter().for_each(|lit| past.learn(&circuit, *lit));
                let (mut a, mut b) = (past.clone(), past.clone());
                let (own, others) = (&lits[5..5 + left], &lits[8..8 + right]);
                own.iter().for_each(|lit| a.learn(&circuit, *lit));
                others.iter().for_each(|lit| b.learn(&circuit, *lit));
                let (joined, first_a, first_b) = a.common(&b);
                assert_eq!((first_a, first_b), (own.first().copied(), others.first().copied()));
                for (number, lit) in lits.iter().enumerate() {
                    assert_eq!(joined.value(*lit), (number < common).then_some(true));
                }
            }
        }
    }
}
