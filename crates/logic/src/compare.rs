//! Comparisons of words, and Java's three-way comparison of longs.
//!
//! `<` is the borrow of a subtraction, one majority a bit and no difference.
//! Rippling from the low end lets constant and equal high bits fold the whole
//! chain: `x < 0` is the sign bit. The three-way result keeps a note of its
//! operands, so that testing it against zero gives back the plain comparison
//! (a `lcmp` followed by `ifle` is one `<=`) rather than a circuit about a
//! circuit.

use crate::arithmetic::common_width;
use crate::bits::{Bits, signed};
use crate::circuit::Circuit;
use crate::keys::Comparison;
use crate::lit::Lit;

impl Circuit {
    /// Whether `a` and `b` are equal.
    pub fn bits_eq(&mut self, a: &Bits, b: &Bits) -> Lit {
        common_width(a, b);
        if a == b {
            return Lit::TRUE;
        }
        if a.as_constant().is_some() && b.as_constant().is_some() {
            return Lit::FALSE;
        }
        for (word, zero) in [(a, b), (b, a)] {
            if zero.as_constant() == Some(0)
                && let Some((_, equal)) = self.comparison(word)
            {
                return equal;
            }
        }
        if let Some(equal) = self.ordered_compare_bits(Comparison::Equal, a, b) {
            return equal;
        }
        let equal: Vec<Lit> = a.iter().zip(b.iter()).map(|(x, y)| self.iff(x, y)).collect();
        self.and_all(equal)
    }

    /// Whether `a < b`, both signed.
    pub fn lt_signed(&mut self, a: &Bits, b: &Bits) -> Lit {
        common_width(a, b);
        if let (Some(x), Some(y)) = (a.as_signed(), b.as_signed()) {
            return Lit::from(x < y);
        }
        if a.as_constant() == Some(0)
            && let Some(key) = self.comparison(b)
        {
            return self.greater(key);
        }
        self.less_signed(&a.to_vec(), &b.to_vec())
    }

    /// Whether `a <= b`, both signed.
    pub fn le_signed(&mut self, a: &Bits, b: &Bits) -> Lit {
        !self.lt_signed(b, a)
    }

    /// Whether `a < b`, both unsigned.
    pub fn lt_unsigned(&mut self, a: &Bits, b: &Bits) -> Lit {
        common_width(a, b);
        match (a.as_constant(), b.as_constant()) {
            (Some(x), Some(y)) => Lit::from(x < y),
            (_, _) => self.less_unsigned(&a.to_vec(), &b.to_vec()),
        }
    }

    /// Whether `a <= b`, both unsigned.
    pub fn le_unsigned(&mut self, a: &Bits, b: &Bits) -> Lit {
        !self.lt_unsigned(b, a)
    }

    /// -1, 0 or 1 in 32 bits as `a` is less than, equal to or greater than `b`.
    ///
    /// The sign of the result is exactly `lt_signed(a, b)`, and comparing the
    /// result with a constant zero gives exactly the comparison of `a` and `b`.
    pub fn compare_signed(&mut self, a: &Bits, b: &Bits) -> Bits {
        let less = self.lt_signed(a, b);
        let equal = self.bits_eq(a, b);
        if !less.is_constant() && !equal.is_constant() {
            self.comparisons
                .entry((less, equal))
                .or_insert_with(|| (a.to_vec().into(), b.to_vec().into()));
        }
        let mut bits = vec![less; 32];
        bits[0] = !equal;
        Bits::from_lits(bits)
    }

    /// The `less` and `equal` of a word that `compare_signed` built.
    fn comparison(&self, word: &Bits) -> Option<(Lit, Lit)> {
        if self.comparisons.is_empty() || word.width() != 32 {
            return None;
        }
        let key = (word.bit(1), !word.bit(0));
        let built =
            self.comparisons.contains_key(&key) && word.iter().skip(2).all(|bit| bit == key.0);
        built.then_some(key)
    }

    /// Whether the first operand of a recorded comparison is the greater.
    fn greater(&mut self, key: (Lit, Lit)) -> Lit {
        let (a, b) = self.comparisons[&key].clone();
        self.less_signed(&b, &a)
    }

    fn less_signed(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        if let Some(less) = self.ordered_compare(Comparison::Less, a, b) {
            return less;
        }
        let top = a.len() - 1;
        let below = self.less_unsigned(&a[..top], &b[..top]);
        // The sign bit weighs negatively, so it compares the other way round.
        self.borrow(b[top], a[top], below)
    }

    fn less_unsigned(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        a.iter().zip(b).fold(Lit::FALSE, |less, (&x, &y)| self.borrow(x, y, less))
    }

    /// Whether `y` decides over `x`, or `below` does where they are equal.
    #[inline]
    fn borrow(&mut self, x: Lit, y: Lit, below: Lit) -> Lit {
        let differ = self.xor(x, y);
        self.ite(differ, y, below)
    }

    /// Whether a word is not zero.
    pub(crate) fn any(&mut self, word: &[Lit]) -> Lit {
        self.or_all(word.iter().copied())
    }
}

/// The absolute value of a constant, as an unsigned number of its width.
pub(crate) fn magnitude(width: u32, value: u64) -> u64 {
    signed(width, value).unsigned_abs()
}
