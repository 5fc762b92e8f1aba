//! Integers without bounds: words that grow with what is computed, so that nothing ever wraps.

use crate::bits::Bits;
use crate::circuit::Circuit;
use crate::keys::Comparison;
use crate::lit::Lit;

/// A signed integer in two's complement, least significant bit first, as long as it needs to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wide(Vec<Lit>);

impl Wide {
    /// A word read as a signed number.
    pub fn signed(bits: &Bits) -> Wide {
        Wide(trimmed(bits.to_vec()))
    }

    /// A constant.
    pub fn constant(value: i64) -> Wide {
        Wide::signed(&Bits::constant(64, value as u64))
    }

    /// The number of bits, the sign included.
    pub fn width(&self) -> usize {
        self.0.len()
    }

    /// The bits, least significant first.
    pub fn lits(&self) -> &[Lit] {
        &self.0
    }

    /// The low bits as a word: what a cast to a bounded type keeps.
    pub fn low(&self, width: u32) -> Bits {
        Bits::from_lits(self.extended(width as usize).into_iter().take(width as usize).collect())
    }

    fn sign(&self) -> Lit {
        self.0[self.0.len() - 1]
    }

    fn extended(&self, width: usize) -> Vec<Lit> {
        let mut lits = self.0.clone();
        if lits.len() < width {
            lits.resize(width, self.sign());
        }
        lits
    }
}

/// Without the high bits that only repeat the sign.
fn trimmed(mut lits: Vec<Lit>) -> Vec<Lit> {
    while lits.len() > 1 && lits[lits.len() - 1] == lits[lits.len() - 2] {
        lits.pop();
    }
    lits
}

impl Circuit {
    /// `a + b`
    pub fn wide_add(&mut self, a: &Wide, b: &Wide) -> Wide {
        let width = a.width().max(b.width()) + 1;
        let mut sum = a.extended(width);
        self.add_into(&mut sum, &b.extended(width), Lit::FALSE);
        Wide(trimmed(sum))
    }

    /// `a - b`
    pub fn wide_sub(&mut self, a: &Wide, b: &Wide) -> Wide {
        let width = a.width().max(b.width()) + 1;
        let mut difference = a.extended(width);
        self.subtract_from(&mut difference, &b.extended(width));
        Wide(trimmed(difference))
    }

    /// `-a`
    pub fn wide_neg(&mut self, a: &Wide) -> Wide {
        self.wide_sub(&Wide::constant(0), a)
    }

    /// `a * b`
    pub fn wide_mul(&mut self, a: &Wide, b: &Wide) -> Wide {
        let width = a.width() + b.width();
        // In one of Java's widths the gates are those of the code's own product, which no solver
        // could prove equal to other ones.
        if let Some(width) = [32, 64].into_iter().find(|w| width <= *w as usize) {
            let product = self.mul(&a.low(width), &b.low(width));
            return Wide::signed(&product);
        }
        let product = self.product(&a.extended(width), &b.extended(width), width);
        Wide(trimmed(product))
    }

    /// `a / b` and `a % b`, truncating as Java does; any values where `b` is zero.
    pub fn wide_div_rem(&mut self, a: &Wide, b: &Wide) -> (Wide, Wide) {
        let width = a.width().max(b.width()) + 1;
        if let Some(width) = [32, 64].into_iter().find(|w| width <= *w as usize + 1) {
            // The same for quotients; only that of the least number and -1 does not fit.
            let (x, y) = (a.low(width), b.low(width));
            let (quotient, rest) = (self.div_signed(&x, &y), self.rem_signed(&x, &y));
            let least = Bits::constant(width, 1 << (width - 1));
            let (is_least, is_minus_one) =
                (self.bits_eq(&x, &least), self.bits_eq(&y, &Bits::constant(width, u64::MAX)));
            let overflows = self.and(is_least, is_minus_one);
            let negated = self.wide_neg(a);
            let quotient = self.wide_ite(overflows, &negated, &Wide::signed(&quotient));
            return (quotient, Wide::signed(&rest));
        }
        let (mut x, mut y) = (a.extended(width), b.extended(width));
        let (sign_a, sign_b) = (a.sign(), b.sign());
        self.negate_if(&mut x, sign_a);
        self.negate_if(&mut y, sign_b);
        let mut quotient = vec![Lit::FALSE; width];
        let mut rest = vec![Lit::FALSE; width];
        for position in (0..width).rev() {
            rest.pop();
            rest.insert(0, x[position]);
            let mut reduced = rest.clone();
            let too_large = self.subtract_from(&mut reduced, &y);
            quotient[position] = !too_large;
            rest = rest.iter().zip(&reduced).map(|(r, d)| self.ite(too_large, *r, *d)).collect();
        }
        let negative = self.xor(sign_a, sign_b);
        self.negate_if(&mut quotient, negative);
        self.negate_if(&mut rest, sign_a);
        (Wide(trimmed(quotient)), Wide(trimmed(rest)))
    }

    /// `a < b`
    pub fn wide_lt(&mut self, a: &Wide, b: &Wide) -> Lit {
        match self.ordered_compare(Comparison::Less, &a.0, &b.0) {
            Some(less) => less,
            None => self.wide_sub(a, b).sign(),
        }
    }

    /// `a == b`
    pub fn wide_eq(&mut self, a: &Wide, b: &Wide) -> Lit {
        if let Some(equal) = self.ordered_compare(Comparison::Equal, &a.0, &b.0) {
            return equal;
        }
        let width = a.width().max(b.width());
        let pairs = a.extended(width).into_iter().zip(b.extended(width));
        let same: Vec<Lit> = pairs.map(|(x, y)| self.iff(x, y)).collect();
        self.and_all(same)
    }

    /// `a` where `cond` holds, else `b`.
    pub fn wide_ite(&mut self, cond: Lit, a: &Wide, b: &Wide) -> Wide {
        if let Some(word) = self.ordered_ite(cond, &a.0, &b.0) {
            return Wide::signed(&word);
        }
        let width = a.width().max(b.width());
        let pairs = a.extended(width).into_iter().zip(b.extended(width));
        let lits: Vec<Lit> = pairs.map(|(x, y)| self.ite(cond, x, y)).collect();
        Wide(trimmed(lits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(circuit: &Circuit, wide: &Wide) -> i128 {
        let all = circuit.evaluate(|_| false);
        let bits = wide.lits().iter().enumerate();
        let sum: i128 = bits.map(|(i, l)| i128::from(all.value(*l)) << i).sum();
        sum - (i128::from(all.value(wide.sign())) << wide.width())
    }

    #[test]
    fn agrees_with_128_bits() {
        let interesting =
            [0, 1, -1, 2, 3, -7, 100, i64::from(i32::MAX), i64::from(i32::MIN), i64::MAX, i64::MIN];
        let mut circuit = Circuit::new();
        for x in interesting {
            for y in interesting {
                let (a, b) = (Wide::constant(x), Wide::constant(y));
                let (p, q) = (i128::from(x), i128::from(y));
                let sum = circuit.wide_add(&a, &b);
                let difference = circuit.wide_sub(&a, &b);
                let product = circuit.wide_mul(&a, &b);
                assert_eq!(value(&circuit, &sum), p + q);
                assert_eq!(value(&circuit, &difference), p - q);
                assert_eq!(value(&circuit, &product), p * q);
                assert_eq!(circuit.wide_lt(&a, &b), Lit::from(p < q));
                assert_eq!(circuit.wide_eq(&a, &b), Lit::from(p == q));
                if y != 0 {
                    let (quotient, rest) = circuit.wide_div_rem(&a, &b);
                    assert_eq!(value(&circuit, &quotient), p / q, "{x} / {y}");
                    assert_eq!(value(&circuit, &rest), p % q, "{x} % {y}");
                }
            }
        }
    }
}
