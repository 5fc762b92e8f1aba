//! Evaluation of a whole circuit under one assignment of its inputs.
//!
//! Operands always precede their gate, so one pass over the table in index
//! order suffices; there is nothing to memoise or recurse into.

use crate::circuit::{Circuit, Node};
use crate::lit::Lit;

/// The truth value of every node of a circuit under one input assignment.
#[derive(Clone, Debug)]
pub struct Evaluation {
    values: Vec<bool>,
}

impl Evaluation {
    /// The value of a literal; the node must have existed when the circuit was
    /// evaluated.
    #[inline]
    pub fn value(&self, lit: Lit) -> bool {
        self.values[lit.node() as usize] ^ lit.is_negated()
    }

    /// The value of a node by its index.
    pub(crate) fn node(&self, index: u32) -> bool {
        self.values[index as usize]
    }

    /// The value of a word as an unsigned number.
    pub fn word(&self, bits: &crate::Bits) -> u64 {
        bits.iter()
            .enumerate()
            .fold(0, |word, (position, lit)| word | u64::from(self.value(lit)) << position)
    }
}

impl Circuit {
    /// Evaluates every node, asking `input` for each input node's value in
    /// index order.
    pub fn evaluate(&self, input: impl FnMut(u32) -> bool) -> Evaluation {
        let mut evaluation = Evaluation { values: Vec::with_capacity(self.len()) };
        self.evaluate_more(&mut evaluation, input);
        evaluation
    }

    /// Evaluates the nodes that the circuit has gained since `evaluation` was made.
    pub fn evaluate_more(&self, evaluation: &mut Evaluation, mut input: impl FnMut(u32) -> bool) {
        for index in evaluation.values.len() as u32..self.len() as u32 {
            let value = self.evaluate_node(index, evaluation, &mut input);
            evaluation.values.push(value);
        }
    }

    /// Evaluates the nodes of a cone only; all others count as false.
    pub fn evaluate_cone(&self, cone: &[u32], mut input: impl FnMut(u32) -> bool) -> Evaluation {
        let last = cone.last().copied().unwrap_or(0);
        let mut evaluation = Evaluation { values: vec![false; last as usize + 1] };
        evaluation.values[0] = true;
        for index in cone {
            let value = self.evaluate_node(*index, &evaluation, &mut input);
            evaluation.values[*index as usize] = value;
        }
        evaluation
    }

    #[inline]
    fn evaluate_node(
        &self,
        index: u32,
        known: &Evaluation,
        input: &mut impl FnMut(u32) -> bool,
    ) -> bool {
        match self.node(index) {
            Node::True => true,
            Node::Input => input(index),
            Node::And(a, b) => known.value(a) & known.value(b),
            Node::Xor(a, b) => known.value(a) ^ known.value(b),
            Node::Ite(c, t, e) => known.value(if known.value(c) { t } else { e }),
        }
    }

    /// The non-constant nodes that the roots depend on, in index order (so
    /// operands come before gates), each once.
    pub fn cone(&self, roots: &[Lit]) -> Vec<u32> {
        let mut reached = vec![false; self.len()];
        for root in roots {
            reached[root.node() as usize] = true;
        }
        for index in (1..self.len()).rev() {
            if !reached[index] {
                continue;
            }
            let operands = self.node(index as u32).operands();
            operands.for_each(|lit| reached[lit.node() as usize] = true);
        }
        (1..self.len() as u32).filter(|&index| reached[index as usize]).collect()
    }
}
