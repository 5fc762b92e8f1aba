//! Sixty-four assignments evaluated at once, kept up to date as the circuit grows.
//!
//! A solver's models are worth keeping: a literal that one of them makes true needs no question
//! any more. Each node has a word with one bit for each remembered assignment. Inputs that came
//! after an assignment was remembered are false in it.

use crate::circuit::{Circuit, Node};
use crate::evaluation::Evaluation;
use crate::lit::Lit;

/// Up to 64 remembered assignments of one growing circuit.
#[derive(Clone, Debug, Default)]
pub struct Simulation {
    words: Vec<u64>,
    remembered: u64,
    next: u32,
}

impl Simulation {
    /// Nothing remembered.
    pub fn new() -> Simulation {
        Simulation::default()
    }

    /// Remembers an assignment, replacing the oldest of 64.
    pub fn remember(&mut self, circuit: &Circuit, assignment: &Evaluation) {
        self.extend(circuit);
        let bit = 1u64 << self.next;
        for (index, word) in self.words.iter_mut().enumerate() {
            match assignment.node(index as u32) {
                true => *word |= bit,
                false => *word &= !bit,
            }
        }
        self.remembered |= bit;
        self.next = (self.next + 1) % 64;
    }

    /// Whether some remembered assignment makes `lit` true.
    pub fn can_be_true(&mut self, circuit: &Circuit, lit: Lit) -> bool {
        self.extend(circuit);
        self.word(lit) & self.remembered != 0
    }

    fn word(&self, lit: Lit) -> u64 {
        let word = self.words[lit.node() as usize];
        if lit.is_negated() { !word } else { word }
    }

    fn extend(&mut self, circuit: &Circuit) {
        for index in self.words.len()..circuit.len() {
            let word = match circuit.node(index as u32) {
                Node::True => u64::MAX,
                Node::Input => 0,
                Node::And(a, b) => self.word(a) & self.word(b),
                Node::Xor(a, b) => self.word(a) ^ self.word(b),
                Node::Ite(c, t, e) => {
                    let c = self.word(c);
                    c & self.word(t) | !c & self.word(e)
                }
            };
            self.words.push(word);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remembers_models_of_a_growing_circuit() {
        let mut circuit = Circuit::new();
        let (a, b) = (circuit.input(), circuit.input());
        let both = circuit.and(a, b);
        let mut simulation = Simulation::new();
        assert!(!simulation.can_be_true(&circuit, both));
        for (x, y) in [(true, false), (true, true)] {
            let model = circuit.evaluate(|node| if node == a.node() { x } else { y });
            simulation.remember(&circuit, &model);
        }
        assert!(simulation.can_be_true(&circuit, both));
        assert!(simulation.can_be_true(&circuit, !both));
        let different = circuit.xor(a, b);
        assert!(simulation.can_be_true(&circuit, different));
        let neither = circuit.and(!a, !b);
        assert!(!simulation.can_be_true(&circuit, neither));
    }
}
