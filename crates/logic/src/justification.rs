//! Why a literal has the value that it has: which inputs that value rests on.
//!
//! A false conjunction rests on one false operand, a choice on its condition and the operand that
//! it chooses. Where there is a choice, operands that depend on none of the marked inputs are
//! preferred: the question is always which of those matter.

use crate::circuit::{Circuit, Node};
use crate::evaluation::Evaluation;
use crate::lit::Lit;

/// Which nodes depend on marked inputs, for a circuit that grows.
#[derive(Default)]
pub struct Dependence {
    depends: Vec<bool>,
    /// When a node was last visited.
    visited: Vec<u32>,
    visit: u32,
}

impl Dependence {
    /// Takes the nodes into account that are new, and those inputs among them for which `marked`
    /// holds.
    pub fn extend(&mut self, circuit: &Circuit, marked: impl Fn(u32) -> bool) {
        for index in self.depends.len() as u32..circuit.len() as u32 {
            let depends = match circuit.node(index) {
                Node::True => false,
                Node::Input => marked(index),
                Node::And(a, b) | Node::Xor(a, b) => self.on(a) || self.on(b),
                Node::Ite(c, t, e) => self.on(c) || self.on(t) || self.on(e),
            };
            self.depends.push(depends);
        }
        self.visited.resize(self.depends.len(), 0);
    }

    /// Whether a literal depends on a marked input.
    pub fn on(&self, lit: Lit) -> bool {
        self.depends[lit.node() as usize]
    }

    /// Marked inputs on which the value of `root` rests: whatever the other marked inputs are, it
    /// stays the same. Ascending.
    pub fn rests_on(&mut self, circuit: &Circuit, evaluation: &Evaluation, root: Lit) -> Vec<u32> {
        self.visit += 1;
        let mut work = vec![root];
        let mut inputs = Vec::new();
        while let Some(lit) = work.pop() {
            let index = lit.node();
            let last = std::mem::replace(&mut self.visited[index as usize], self.visit);
            if !self.on(lit) || last == self.visit {
                continue;
            }
            match circuit.node(index) {
                Node::True => {}
                Node::Input => inputs.push(index),
                Node::Xor(a, b) => work.extend([a, b]),
                Node::And(a, b) => match (evaluation.value(a), evaluation.value(b)) {
                    (true, true) => work.extend([a, b]),
                    (true, false) => work.push(b),
                    (false, true) => work.push(a),
                    (false, false) => {
                        let is_visited = self.visited[b.node() as usize] == self.visit;
                        work.push(if !self.on(b) || is_visited { b } else { a });
                    }
                },
                Node::Ite(c, t, e) => {
                    let same = evaluation.value(t) == evaluation.value(e);
                    if !(same && !self.on(t) && !self.on(e)) {
                        work.extend([c, if evaluation.value(c) { t } else { e }]);
                    }
                }
            }
        }
        inputs.sort_unstable();
        inputs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Changing every input that a value does not rest on leaves it as it is.
    #[test]
    fn other_inputs_do_not_matter() {
        let mut circuit = Circuit::new();
        let inputs: Vec<Lit> = (0..6).map(|_| circuit.input()).collect();
        let mut lits = inputs.clone();
        let mut seed = 7u32;
        let mut next = |below: usize| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) as usize % below
        };
        for _ in 0..60 {
            let mut pick = || {
                let lit = lits[next(lits.len())];
                if next(2) == 0 { lit } else { !lit }
            };
            let (a, b, c) = (pick(), pick(), pick());
            let made = match next(3) {
                0 => circuit.and(a, b),
                1 => circuit.xor(a, b),
                _ => circuit.ite(a, b, c),
            };
            lits.push(made);
        }
        let marked = |node: u32| inputs[..4].iter().any(|l| l.node() == node);
        let mut dependence = Dependence::default();
        dependence.extend(&circuit, marked);
        for assignment in 0..64u32 {
            let value = |assignment: u32| {
                let inputs = inputs.clone();
                move |node| {
                    let position = inputs.iter().position(|l| l.node() == node);
                    position.is_some_and(|p| assignment >> p & 1 == 1)
                }
            };
            let evaluation = circuit.evaluate(value(assignment));
            for root in &lits {
                let rests = dependence.rests_on(&circuit, &evaluation, *root);
                let fixed = |p: &usize| *p >= 4 || rests.contains(&inputs[*p].node());
                let mask: u32 = (0..6).filter(fixed).map(|p| 1 << p).sum();
                for other in 0..64u32 {
                    let mixed = (assignment & mask) | (other & !mask);
                    let there = circuit.evaluate(value(mixed));
                    assert_eq!(evaluation.value(*root), there.value(*root), "{root:?}");
                }
            }
        }
    }
}
