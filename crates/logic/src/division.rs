//! Signed division and remainder with Java's truncation.
//!
//! Magnitudes are divided by restoring division (one subtraction and one
//! multiplexer a quotient bit), then signs are put back; quotient and remainder
//! of the same operands share all of it through hash-consing. A constant power
//! of two needs no division. The rival for solvers, guessing quotient and
//! remainder as fresh inputs under `a = q*b + r`, would need constraints, which
//! a circuit alone cannot state, and costs a double-width multiplier.

use crate::arithmetic::common_width;
use crate::bits::{Bits, signed};
use crate::circuit::Circuit;
use crate::compare::magnitude;
use crate::lit::Lit;

impl Circuit {
    /// `a / b`, truncating; the minimum divided by -1 wraps; any value where
    /// `b` is zero.
    pub fn div_signed(&mut self, a: &Bits, b: &Bits) -> Bits {
        let width = common_width(a, b);
        if let Some(divisor) = b.as_constant() {
            if divisor == 0 {
                return Bits::constant(width, 0);
            }
            if let Some(dividend) = a.as_constant() {
                let quotient = signed(width, dividend).wrapping_div(signed(width, divisor));
                return Bits::constant(width, quotient as u64);
            }
            let size = magnitude(width, divisor);
            if size.is_power_of_two() {
                return self.div_power_of_two(a, size.trailing_zeros(), signed(width, divisor) < 0);
            }
        }
        let (mut quotient, _) = self.divide_magnitudes(a, b);
        let negative = self.xor(a.sign(), b.sign());
        self.negate_if(&mut quotient, negative);
        Bits::from_lits(quotient)
    }

    /// `a % b`, with the sign of `a`; any value where `b` is zero.
    pub fn rem_signed(&mut self, a: &Bits, b: &Bits) -> Bits {
        let width = common_width(a, b);
        if let Some(divisor) = b.as_constant() {
            if divisor == 0 {
                return Bits::constant(width, 0);
            }
            if let Some(dividend) = a.as_constant() {
                let remainder = signed(width, dividend).wrapping_rem(signed(width, divisor));
                return Bits::constant(width, remainder as u64);
            }
            let size = magnitude(width, divisor);
            if size.is_power_of_two() {
                return self.rem_power_of_two(a, size.trailing_zeros());
            }
        }
        let (_, mut remainder) = self.divide_magnitudes(a, b);
        self.negate_if(&mut remainder, a.sign());
        Bits::from_lits(remainder)
    }

    /// `a / 2^power` or `a / -2^power`: an arithmetic shift after a bias that
    /// makes negative numbers round towards zero.
    fn div_power_of_two(&mut self, a: &Bits, power: u32, negative: bool) -> Bits {
        let (mut quotient, power) = (a.to_vec(), power as usize);
        let bias = vec![a.sign(); power];
        self.add_into(&mut quotient, &bias, Lit::FALSE);
        let sign = quotient[quotient.len() - 1];
        quotient.drain(..power);
        quotient.resize(a.width() as usize, sign);
        self.negate_if(&mut quotient, Lit::from(negative));
        Bits::from_lits(quotient)
    }

    /// `a % 2^power`: the low bits, below ones where `a` is negative and not a
    /// multiple.
    fn rem_power_of_two(&mut self, a: &Bits, power: u32) -> Bits {
        let mut remainder: Vec<Lit> = a.iter().take(power as usize).collect();
        let inexact = self.any(&remainder);
        let high = self.and(a.sign(), inexact);
        remainder.resize(a.width() as usize, high);
        Bits::from_lits(remainder)
    }

    fn divide_magnitudes(&mut self, a: &Bits, b: &Bits) -> (Vec<Lit>, Vec<Lit>) {
        let (dividend, divisor) = (self.magnitude_of(a), self.magnitude_of(b));
        self.divide_unsigned(&dividend, &divisor)
    }

    fn magnitude_of(&mut self, a: &Bits) -> Vec<Lit> {
        let mut word = a.to_vec();
        self.negate_if(&mut word, a.sign());
        word
    }

    /// Quotient and remainder of magnitudes, which are at most `2^(width-1)`.
    ///
    /// At each step the remainder is a prefix of the dividend reduced modulo
    /// the divisor, so it needs no more bits than that prefix; a divisor with a
    /// bit above them is too large without any subtraction.
    fn divide_unsigned(&mut self, dividend: &[Lit], divisor: &[Lit]) -> (Vec<Lit>, Vec<Lit>) {
        let width = dividend.len();
        let exceeds = self.suffix_disjunctions(divisor);
        let mut quotient = vec![Lit::FALSE; width];
        let mut remainder = Vec::with_capacity(width);
        for position in (0..width).rev() {
            remainder.insert(0, dividend[position]);
            if remainder == [Lit::FALSE] {
                remainder.clear(); // Zero holds no divisor but zero, whose quotient is free.
                continue;
            }
            let used = remainder.len();
            let mut difference = remainder.clone();
            let borrow = self.subtract_from(&mut difference, &divisor[..used]);
            let too_small = self.or(borrow, exceeds[used]);
            quotient[position] = !too_small;
            for (bit, reduced) in remainder.iter_mut().zip(difference) {
                *bit = self.ite(too_small, *bit, reduced);
            }
        }
        remainder.resize(width, Lit::FALSE);
        (quotient, remainder)
    }

    /// For each position, whether any bit at or above it is set.
    fn suffix_disjunctions(&mut self, word: &[Lit]) -> Vec<Lit> {
        let mut any = vec![Lit::FALSE; word.len() + 1];
        for position in (0..word.len()).rev() {
            any[position] = self.or(word[position], any[position + 1]);
        }
        any
    }
}
