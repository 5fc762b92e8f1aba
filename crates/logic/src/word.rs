//! Adders over slices of literals: what all arithmetic is made of.
//!
//! Words here may be longer than 64 bits (a full product is) and need no
//! constant form: constants fold gate by gate. Addition ripples. The carry is
//! `ite(a ^ b, carry, a)`, which shares `a ^ b` with the sum and which the
//! clause converter recognises as a majority. Prefix adders trade more gates
//! for less depth, which matters to hardware and not to unit propagation.

use crate::circuit::Circuit;
use crate::lit::Lit;

impl Circuit {
    /// Sum and carry of three bits. Where `a` and `b` agree either is the carry;
    /// taking the smaller makes `a + b` and `b + a` the same gates.
    #[inline]
    pub(crate) fn full_adder(&mut self, a: Lit, b: Lit, carry: Lit) -> (Lit, Lit) {
        let half = self.xor(a, b);
        (self.xor(half, carry), self.ite(half, carry, a.min(b)))
    }

    /// Adds `b` and `carry` into `a` modulo its width; `b` may be shorter and
    /// stands for an unsigned number. Returns the carry out.
    pub(crate) fn add_into(&mut self, a: &mut [Lit], b: &[Lit], mut carry: Lit) -> Lit {
        for (position, bit) in a.iter_mut().enumerate() {
            if position >= b.len() && carry == Lit::FALSE {
                break;
            }
            let other = b.get(position).copied().unwrap_or(Lit::FALSE);
            (*bit, carry) = self.full_adder(*bit, other, carry);
        }
        carry
    }

    /// Subtracts `b` of the same width from `a`; returns whether `b` was larger.
    pub(crate) fn subtract_from(&mut self, a: &mut [Lit], b: &[Lit]) -> Lit {
        debug_assert_eq!(a.len(), b.len(), "subtraction of words of one width");
        let complement: Vec<Lit> = b.iter().map(|&bit| !bit).collect();
        !self.add_into(a, &complement, Lit::TRUE)
    }

    /// Negates `a` in place where `condition` holds.
    pub(crate) fn negate_if(&mut self, a: &mut [Lit], condition: Lit) {
        let mut carry = condition;
        for bit in a {
            let flipped = self.xor(*bit, condition);
            *bit = self.xor(flipped, carry);
            carry = self.and(flipped, carry);
        }
    }

    /// The unsigned product of `a` and `b` modulo `2^width`.
    pub(crate) fn product(&mut self, a: &[Lit], b: &[Lit], width: usize) -> Vec<Lit> {
        let mut sum = vec![Lit::FALSE; width];
        for (shift, &factor) in b.iter().enumerate().take(width) {
            if factor != Lit::FALSE {
                let row = self.gated(a, factor, width - shift);
                self.add_into(&mut sum[shift..], &row, Lit::FALSE);
            }
        }
        sum
    }

    /// The low `width` bits of `a` where `gate` holds, zero elsewhere.
    pub(crate) fn gated(&mut self, a: &[Lit], gate: Lit, width: usize) -> Vec<Lit> {
        a.iter().take(width).map(|&bit| self.and(bit, gate)).collect()
    }

    /// How many of the literals hold, as an unsigned number just wide enough.
    pub(crate) fn count(&mut self, lits: &[Lit]) -> Vec<Lit> {
        match *lits {
            [] => Vec::new(),
            [only] => vec![only],
            [first, ref rest @ ..] => {
                // One literal rides along as the carry in of the final addition.
                let (low, high) = rest.split_at(rest.len() / 2);
                let (low, mut sum) = (self.count(low), self.count(high));
                let carry = self.add_into(&mut sum, &low, first);
                sum.push(carry);
                sum
            }
        }
    }
}
