//! Addition, multiplication, bitwise operations and width changes on words.
//!
//! All operations wrap as Java's do and fold constants as whole words first,
//! then gate by gate. Multiplication is shift-and-add over the operand with the
//! fewest significant bits, in non-adjacent form where that operand is constant
//! (Reitwiesner 1960), so `31 * h` is one subtraction. Column compression
//! (Dadda) has fewer levels but the same number of adders.

use crate::bits::{Bits, mask, signed};
use crate::circuit::Circuit;
use crate::lit::Lit;

/// Checks that two operands have one width, which it returns.
#[inline]
#[track_caller]
pub(crate) fn common_width(a: &Bits, b: &Bits) -> u32 {
    assert_eq!(a.width(), b.width(), "operands of one operation have one width");
    a.width()
}

impl Circuit {
    /// `a + b`, wrapping.
    pub fn add(&mut self, a: &Bits, b: &Bits) -> Bits {
        let width = common_width(a, b);
        match (a.as_constant(), b.as_constant()) {
            (Some(x), Some(y)) => Bits::constant(width, x.wrapping_add(y)),
            (Some(0), None) => b.clone(),
            (None, Some(0)) => a.clone(),
            (_, _) => {
                let mut sum = a.to_vec();
                self.add_into(&mut sum, &b.to_vec(), Lit::FALSE);
                Bits::from_lits(sum)
            }
        }
    }

    /// `a - b`, wrapping.
    pub fn sub(&mut self, a: &Bits, b: &Bits) -> Bits {
        let width = common_width(a, b);
        match (a.as_constant(), b.as_constant()) {
            (Some(x), Some(y)) => Bits::constant(width, x.wrapping_sub(y)),
            (None, Some(0)) => a.clone(),
            (Some(0), None) => self.neg(b),
            (_, _) => {
                let mut difference = a.to_vec();
                self.subtract_from(&mut difference, &b.to_vec());
                Bits::from_lits(difference)
            }
        }
    }

    /// `-a`, wrapping.
    pub fn neg(&mut self, a: &Bits) -> Bits {
        if let Some(value) = a.as_constant() {
            return Bits::constant(a.width(), value.wrapping_neg());
        }
        let mut negated = a.to_vec();
        self.negate_if(&mut negated, Lit::TRUE);
        Bits::from_lits(negated)
    }

    /// `a * b`, wrapping.
    pub fn mul(&mut self, a: &Bits, b: &Bits) -> Bits {
        let width = common_width(a, b);
        match (a.as_constant(), b.as_constant()) {
            (Some(x), Some(y)) => Bits::constant(width, x.wrapping_mul(y)),
            (Some(x), None) => self.mul_constant(b, x),
            (None, Some(y)) => self.mul_constant(a, y),
            (None, None) => {
                let (a, b) = factors(a, b);
                self.mul_words(&a, &b)
            }
        }
    }

    /// The product over the bits of `b`, whose repeated sign bits count once:
    /// they stand for one digit of negative weight.
    fn mul_words(&mut self, a: &[Lit], b: &[Lit]) -> Bits {
        let (width, digits) = (a.len(), significant(b));
        let (low, sign) = (&b[..digits - 1], b[digits - 1]);
        let mut product = self.product(a, low, width);
        let row = self.gated(a, sign, width - low.len());
        if digits == width {
            // The top bit of a full word: minus and plus 2^(width-1) coincide.
            self.add_into(&mut product[low.len()..], &row, Lit::FALSE);
        } else {
            self.subtract_from(&mut product[low.len()..], &row);
        }
        Bits::from_lits(product)
    }

    /// The product with a constant, one addition or subtraction for each
    /// non-zero digit of the constant's non-adjacent form. Positive digits go
    /// first: the first addition, to zero, is free, and a subtraction is not.
    fn mul_constant(&mut self, a: &Bits, constant: u64) -> Bits {
        let (bits, mut product) = (a.to_vec(), vec![Lit::FALSE; a.width() as usize]);
        let digits = non_adjacent_form(signed(a.width(), constant), bits.len());
        for (shift, _) in digits.iter().enumerate().filter(|&(_, &digit)| digit == 1) {
            let row = &bits[..bits.len() - shift];
            self.add_into(&mut product[shift..], row, Lit::FALSE);
        }
        for (shift, _) in digits.iter().enumerate().filter(|&(_, &digit)| digit == -1) {
            let row = &bits[..bits.len() - shift];
            self.subtract_from(&mut product[shift..], row);
        }
        Bits::from_lits(product)
    }

    /// The upper half of the signed product of double width.
    pub fn mul_high_signed(&mut self, a: &Bits, b: &Bits) -> Bits {
        let width = common_width(a, b);
        if let (Some(x), Some(y)) = (a.as_signed(), b.as_signed()) {
            let product = i128::from(x) * i128::from(y);
            return Bits::constant(width, (product >> width) as u64);
        }
        let size = width as usize;
        let (x, y) = factors(a, b);
        let mut high = self.product(&x, &y, 2 * size).split_off(size);
        // A negative operand was read 2^width too large.
        for (sign, other) in [(x[size - 1], &y), (y[size - 1], &x)] {
            let excess = self.gated(other, sign, size);
            self.subtract_from(&mut high, &excess);
        }
        Bits::from_lits(high)
    }

    /// Bitwise and.
    pub fn bits_and(&mut self, a: &Bits, b: &Bits) -> Bits {
        self.bitwise(a, b, |x, y| x & y, Circuit::and)
    }

    /// Bitwise or.
    pub fn bits_or(&mut self, a: &Bits, b: &Bits) -> Bits {
        self.bitwise(a, b, |x, y| x | y, Circuit::or)
    }

    /// Bitwise exclusive or.
    pub fn bits_xor(&mut self, a: &Bits, b: &Bits) -> Bits {
        self.bitwise(a, b, |x, y| x ^ y, Circuit::xor)
    }

    fn bitwise(
        &mut self,
        a: &Bits,
        b: &Bits,
        fold: impl Fn(u64, u64) -> u64,
        gate: impl Fn(&mut Circuit, Lit, Lit) -> Lit,
    ) -> Bits {
        let width = common_width(a, b);
        if let (Some(x), Some(y)) = (a.as_constant(), b.as_constant()) {
            return Bits::constant(width, fold(x, y));
        }
        Bits::from_lits(a.iter().zip(b.iter()).map(|(x, y)| gate(self, x, y)).collect())
    }

    /// Bitwise complement.
    pub fn bits_not(&mut self, a: &Bits) -> Bits {
        match a.as_constant() {
            Some(value) => Bits::constant(a.width(), !value),
            None => Bits::from_lits(a.iter().map(|bit| !bit).collect()),
        }
    }

    /// `t` where `c` holds and `e` elsewhere.
    pub fn bits_ite(&mut self, c: Lit, t: &Bits, e: &Bits) -> Bits {
        common_width(t, e);
        match c.constant() {
            Some(true) => t.clone(),
            Some(false) => e.clone(),
            None if t == e => t.clone(),
            None => match self.ordered_ite_bits(c, t, e) {
                Some(word) => word,
                None => Bits::from_lits(
                    t.iter().zip(e.iter()).map(|(x, y)| self.ite(c, x, y)).collect(),
                ),
            },
        }
    }

    /// `a` at a width no smaller than its own, the new bits copies of the sign.
    pub fn sign_extend(&self, a: &Bits, width: u32) -> Bits {
        match a.as_signed() {
            Some(value) => Bits::constant(width, value as u64),
            None => extend(a, width, a.sign()),
        }
    }

    /// `a` at a width no smaller than its own, the new bits zero.
    pub fn zero_extend(&self, a: &Bits, width: u32) -> Bits {
        match a.as_constant() {
            Some(value) => Bits::constant(width, value),
            None => extend(a, width, Lit::FALSE),
        }
    }

    /// The low `width` bits of `a`.
    pub fn truncate(&self, a: &Bits, width: u32) -> Bits {
        assert!(width <= a.width(), "truncation of {} bits to {width}", a.width());
        match a.as_constant() {
            Some(value) => Bits::constant(width, value),
            None if width == a.width() => a.clone(),
            None => Bits::from_lits(a.iter().take(width as usize).collect()),
        }
    }

    /// The number of one bits of `a`, modulo `2^out_width`.
    pub fn pop_count(&mut self, a: &Bits, out_width: u32) -> Bits {
        if let Some(value) = a.as_constant() {
            return Bits::constant(out_width, u64::from((value & mask(a.width())).count_ones()));
        }
        let mut count = self.count(&a.to_vec());
        count.resize(out_width as usize, Lit::FALSE);
        Bits::from_lits(count)
    }
}

fn extend(a: &Bits, width: u32, bit: Lit) -> Bits {
    assert!(width >= a.width(), "extension of {} bits to {width}", a.width());
    if width == a.width() {
        return a.clone();
    }
    let mut bits = a.to_vec();
    bits.resize(width as usize, bit);
    Bits::from_lits(bits)
}

/// The operands as words, the one with fewer significant bits second. The
/// order depends on the two words only, so `a * b` and `b * a` are the same
/// gates: a solver could not prove them equal.
fn factors(a: &Bits, b: &Bits) -> (Vec<Lit>, Vec<Lit>) {
    let (a, b) = (a.to_vec(), b.to_vec());
    if (significant(&a), &a) < (significant(&b), &b) { (b, a) } else { (a, b) }
}

/// The number of low bits that, sign-extended, give the whole word.
fn significant(word: &[Lit]) -> usize {
    let sign = word[word.len() - 1];
    word.len() - word.iter().rev().take_while(|&&bit| bit == sign).count() + 1
}

/// The low digits -1, 0 and 1 of `value`, least significant first, no two
/// neighbours non-zero.
fn non_adjacent_form(value: i64, length: usize) -> Vec<i8> {
    let mut rest = i128::from(value);
    let mut next_digit = || {
        let digit = match rest & 3 {
            1 => 1,
            3 => -1,
            _ => 0,
        };
        rest = (rest - i128::from(digit)) >> 1;
        digit
    };
    (0..length).map(|_| next_digit()).collect()
}
