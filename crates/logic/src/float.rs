//! Floating-point numbers of IEEE 754 in any format, bit by bit.
//!
//! A number is taken apart into sign, exponent and significand; an operation computes an exact significand,
//! or one with enough digits and a sticky bit for the rest, and [`Circuit::round`] puts it together again: one
//! place for rounding to nearest even, subnormal numbers and overflow (J.-M. Muller et al., "Handbook of
//! Floating-Point Arithmetic", chapters 8 and 9). Every NaN that comes out is the canonical one.

use crate::bits::Bits;
use crate::circuit::Circuit;
use crate::lit::Lit;

/// How many bits the exponent and the fraction have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Format {
    pub exponent: u32,
    pub fraction: u32,
}

impl Format {
    pub const FLOAT: Format = Format { exponent: 8, fraction: 23 };
    pub const DOUBLE: Format = Format { exponent: 11, fraction: 52 };

    pub fn width(self) -> u32 {
        1 + self.exponent + self.fraction
    }

    /// The NaN that operations give.
    pub fn nan(self) -> Bits {
        let digits = self.exponent + 1;
        Bits::constant(self.width(), ((1 << digits) - 1) << (self.fraction - 1))
    }

    fn bias(self) -> i64 {
        (1 << (self.exponent - 1)) - 1
    }

    fn significand(self) -> usize {
        self.fraction as usize + 1
    }

    /// The width of exponents while they are computed with: no sum of a few leaves it.
    fn working(self) -> usize {
        self.exponent as usize + 10
    }
}

/// A number taken apart.
struct Parts {
    sign: Lit,
    /// As it is stored, but 1 for subnormal numbers: signed, of the working width.
    exponent: Vec<Lit>,
    /// With the leading bit that is not stored.
    significand: Vec<Lit>,
    is_nan: Lit,
    is_infinite: Lit,
    is_zero: Lit,
}

impl Circuit {
    pub fn float_is_nan(&mut self, format: Format, a: &Bits) -> Lit {
        self.parts(format, a).is_nan
    }

    pub fn float_add(&mut self, format: Format, a: &Bits, b: &Bits) -> Bits {
        // The sum depends on the two words only, so that `a + b` and `b + a` are the same gates.
        let (a, b) = if a.to_vec() <= b.to_vec() { (a, b) } else { (b, a) };
        let (x, y) = (self.parts(format, a), self.parts(format, b));
        let differ = self.xor(x.sign, y.sign);
        let opposed = self.both_infinite(&x, &y, differ);
        let is_nan = self.or_all([x.is_nan, y.is_nan, opposed]);
        let is_infinite = self.or(x.is_infinite, y.is_infinite);
        let rounded = self.sum(format, &x, &y);
        // An infinity is the larger one, so the sign is right.
        self.packed(format, rounded, is_nan, is_infinite)
    }

    pub fn float_sub(&mut self, format: Format, a: &Bits, b: &Bits) -> Bits {
        let negated = self.float_neg(b);
        self.float_add(format, a, &negated)
    }

    pub fn float_neg(&mut self, a: &Bits) -> Bits {
        let mut lits = a.to_vec();
        if let Some(sign) = lits.last_mut() {
            *sign = !*sign;
        }
        Bits::from_lits(lits)
    }

    pub fn float_mul(&mut self, format: Format, a: &Bits, b: &Bits) -> Bits {
        let (a, b) = if a.to_vec() <= b.to_vec() { (a, b) } else { (b, a) };
        let (x, y) = (self.parts(format, a), self.parts(format, b));
        let is_undefined = [
            self.and(x.is_infinite, y.is_zero),
            self.and(x.is_zero, y.is_infinite),
            x.is_nan,
            y.is_nan,
        ];
        let is_nan = self.or_all(is_undefined);
        let is_infinite = self.or(x.is_infinite, y.is_infinite);
        let (sign, exponent, significand) = self.exact_product(format, &x, &y);
        let rounded = self.round(format, sign, exponent, significand, Lit::FALSE);
        self.packed(format, rounded, is_nan, is_infinite)
    }

    pub fn float_div(&mut self, format: Format, a: &Bits, b: &Bits) -> Bits {
        let (x, y) = (self.parts(format, a), self.parts(format, b));
        let is_undefined = [
            self.and(x.is_infinite, y.is_infinite),
            self.and(x.is_zero, y.is_zero),
            x.is_nan,
            y.is_nan,
        ];
        let is_nan = self.or_all(is_undefined);
        let is_infinite = self.or(x.is_infinite, y.is_zero);
        let sign = self.xor(x.sign, y.sign);
        let (dividend, above) = self.normalised(format, &x);
        let (divisor, below) = self.normalised(format, &y);
        let difference = self.minus(&above, &below);
        let exponent = self.plus(&difference, format.bias());
        let (quotient, rest) = self.quotient(&dividend, &divisor, format.significand() + 2);
        let (mut packed, _) = self.round(format, sign, exponent, quotient, rest);
        // Nothing is left of a number that is divided by an infinity.
        let is_nothing = self.or(y.is_infinite, x.is_zero);
        packed = packed.iter().map(|&bit| self.and(bit, !is_nothing)).collect();
        self.packed(format, (packed, sign), is_nan, is_infinite)
    }

    /// The remainder of a division that is rounded towards zero, as `%` of Java.
    pub fn float_rem(&mut self, format: Format, a: &Bits, b: &Bits) -> Bits {
        let (x, y) = (self.parts(format, a), self.parts(format, b));
        let is_nan = self.or_all([x.is_nan, y.is_nan, x.is_infinite, y.is_zero]);
        let (mut rest, above) = self.normalised(format, &x);
        let (mut divisor, below) = self.normalised(format, &y);
        let distance = self.minus(&above, &below);
        rest.push(Lit::FALSE);
        divisor.push(Lit::FALSE);
        let farthest = (1i64 << format.exponent) + i64::from(format.fraction);
        for step in (0..=farthest).rev() {
            // Steps beyond the distance are not taken; the first takes the dividend as it is.
            let beyond = self.plus(&distance, -step);
            let is_taken = !beyond[beyond.len() - 1];
            if is_taken == Lit::FALSE {
                continue;
            }
            let is_first = !self.or_all(beyond);
            let doubles = self.and(is_taken, !is_first);
            rest = self.shifted_left_if(doubles, &rest, 1);
            let mut less = rest.clone();
            let is_below = self.subtract_from(&mut less, &divisor);
            let takes = self.and(is_taken, !is_below);
            rest = self.chosen(takes, &less, &rest);
        }
        rest.pop();
        let (packed, sign) = self.round(format, x.sign, below, rest, Lit::FALSE);
        // A smaller dividend is its own remainder, also by an infinity.
        let is_smaller = distance[distance.len() - 1];
        let keeps = self.or_all([is_smaller, y.is_infinite, x.is_zero]);
        let own = a.to_vec();
        let packed = self.chosen(keeps, &own[..own.len() - 1], &packed);
        self.packed(format, (packed, sign), is_nan, Lit::FALSE)
    }

    pub fn float_sqrt(&mut self, format: Format, a: &Bits) -> Bits {
        let x = self.parts(format, a);
        let negative = self.and(x.sign, !x.is_zero);
        let is_nan = self.or(x.is_nan, negative);
        let (significand, exponent) = self.normalised(format, &x);
        // An odd exponent, which is even when stored, goes into the radicand.
        let is_odd = !exponent[0];
        let mut radicand = vec![Lit::FALSE; format.significand() + 3];
        radicand.extend(&significand);
        radicand.push(Lit::FALSE);
        let radicand = self.shifted_left_if(is_odd, &radicand, 1);
        let (root, rest) = self.root(&radicand);
        let twice = self.plus(&exponent, format.bias());
        let mut half = twice[1..].to_vec();
        half.push(twice[twice.len() - 1]);
        let (packed, _) = self.round(format, x.sign, half, root, rest);
        let packed = packed.iter().map(|&bit| self.and(bit, !x.is_zero)).collect();
        self.packed(format, (packed, x.sign), is_nan, x.is_infinite)
    }

    /// `a * b + c`, rounded once.
    pub fn float_fma(&mut self, format: Format, a: &Bits, b: &Bits, c: &Bits) -> Bits {
        let (x, y, z) = (self.parts(format, a), self.parts(format, b), self.parts(format, c));
        let (sign, exponent, significand) = self.exact_product(format, &x, &y);
        let infinite_product = self.or(x.is_infinite, y.is_infinite);
        let zero_product = self.or(x.is_zero, y.is_zero);
        let differ = self.xor(sign, z.sign);
        let opposed = self.and_all([infinite_product, z.is_infinite, differ]);
        let is_undefined = [
            self.and(x.is_infinite, y.is_zero),
            self.and(x.is_zero, y.is_infinite),
            opposed,
            x.is_nan,
            y.is_nan,
            z.is_nan,
        ];
        let is_nan = self.or_all(is_undefined);
        let is_infinite = self.or(infinite_product, z.is_infinite);
        let infinite_sign = self.ite(infinite_product, sign, z.sign);
        let (significand, zeros) = self.without_leading_zeros(&significand);
        let exponent = self.minus(&exponent, &extended(&zeros, format.working()));
        let product = Parts {
            sign,
            exponent: self.lowest_if(zero_product, exponent),
            significand,
            is_nan: Lit::FALSE,
            is_infinite: Lit::FALSE,
            is_zero: zero_product,
        };
        let (mut addend, exponent) = self.normalised(format, &z);
        let exponent = self.lowest_if(z.is_zero, exponent);
        let mut low = vec![Lit::FALSE; product.significand.len() - addend.len()];
        low.append(&mut addend);
        let addend = Parts { exponent, significand: low, ..z };
        let (packed, sign) = self.sum(format, &product, &addend);
        let sign = self.ite(is_infinite, infinite_sign, sign);
        self.packed(format, (packed, sign), is_nan, is_infinite)
    }

    /// A signed integer as a floating-point number.
    pub fn float_from_signed(&mut self, format: Format, a: &Bits) -> Bits {
        let (sign, mut magnitude) = (a.sign(), a.to_vec());
        self.negate_if(&mut magnitude, sign);
        let exponent = constant(format.working(), format.bias() + magnitude.len() as i64 - 1);
        let rounded = self.round(format, sign, exponent, magnitude, Lit::FALSE);
        self.packed(format, rounded, Lit::FALSE, Lit::FALSE)
    }

    /// The integer towards zero, the nearest if it does not fit, zero for what is not a number.
    pub fn float_to_signed(&mut self, format: Format, a: &Bits, width: u32) -> Bits {
        let x = self.parts(format, a);
        let (fraction, width) = (format.fraction as usize, width as usize);
        let power = self.plus(&x.exponent, -format.bias());
        let is_below_one = power[power.len() - 1];
        let over = self.plus(&power, 1 - width as i64);
        let is_large = !over[over.len() - 1];
        let mut fixed = x.significand.clone();
        fixed.resize(fraction + width, Lit::FALSE);
        for (stage, &bit) in power[..power.len() - 1].iter().enumerate() {
            if 1usize << stage < width {
                fixed = self.shifted_left_if(bit, &fixed, 1 << stage);
            }
        }
        let is_number = !self.or(is_below_one, x.is_nan);
        let mut integer: Vec<Lit> =
            fixed[fraction..].iter().map(|&bit| self.and(bit, is_number)).collect();
        self.negate_if(&mut integer, x.sign);
        // 0111… or 1000…
        let mut extreme = vec![!x.sign; width];
        extreme[width - 1] = x.sign;
        let is_large = self.and(is_large, !x.is_nan);
        Bits::from_lits(self.chosen(is_large, &extreme, &integer))
    }

    /// The same number in another format, as near as it can be.
    pub fn float_convert(&mut self, from: Format, to: Format, a: &Bits) -> Bits {
        let x = self.parts(from, a);
        let exponent = extended_signed(&x.exponent, from.working().max(to.working()));
        let exponent = self.plus(&exponent, to.bias() - from.bias());
        let rounded = self.round(to, x.sign, exponent, x.significand, Lit::FALSE);
        self.packed(to, rounded, x.is_nan, x.is_infinite)
    }

    fn parts(&mut self, format: Format, a: &Bits) -> Parts {
        debug_assert_eq!(a.width(), format.width(), "a number of this format");
        let lits = a.to_vec();
        let (fraction, rest) = lits.split_at(format.fraction as usize);
        let (stored, sign) = rest.split_at(format.exponent as usize);
        let is_special = self.and_all(stored.iter().copied());
        let is_low = !self.or_all(stored.iter().copied());
        let has_fraction = self.or_all(fraction.iter().copied());
        let mut exponent = extended(stored, format.working());
        exponent[0] = self.or(exponent[0], is_low);
        let mut significand = fraction.to_vec();
        significand.push(!is_low);
        Parts {
            sign: sign[0],
            exponent,
            significand,
            is_nan: self.and(is_special, has_fraction),
            is_infinite: self.and(is_special, !has_fraction),
            is_zero: self.and(is_low, !has_fraction),
        }
    }

    fn both_infinite(&mut self, x: &Parts, y: &Parts, condition: Lit) -> Lit {
        self.and_all([x.is_infinite, y.is_infinite, condition])
    }

    /// What a number is besides its special cases.
    fn packed(
        &mut self,
        format: Format,
        (magnitude, sign): (Vec<Lit>, Lit),
        is_nan: Lit,
        is_infinite: Lit,
    ) -> Bits {
        let fraction = format.fraction as usize;
        let mut lits = Vec::with_capacity(magnitude.len() + 1);
        for (position, bit) in magnitude.into_iter().enumerate() {
            let is_exponent = position >= fraction;
            let infinite = self.ite(is_infinite, constant_bit(is_exponent), bit);
            lits.push(self.ite(
                is_nan,
                constant_bit(is_exponent || position + 1 == fraction),
                infinite,
            ));
        }
        lits.push(self.and(sign, !is_nan));
        Bits::from_lits(lits)
    }

    /// Rounds a significand whose first bit, were it set, would have this exponent, to nearest even: the bits
    /// of the magnitude, and the sign. `sticky` says whether anything is left below the last bit.
    fn round(
        &mut self,
        format: Format,
        sign: Lit,
        exponent: Vec<Lit>,
        significand: Vec<Lit>,
        sticky: Lit,
    ) -> (Vec<Lit>, Lit) {
        let kept = format.significand();
        let (mut digits, zeros) = self.without_leading_zeros(&significand);
        let has_digits = digits[digits.len() - 1];
        let exponent = self.minus(&exponent, &extended(&zeros, exponent.len()));
        if digits.len() < kept + 2 {
            let mut longer = vec![Lit::FALSE; kept + 2 - digits.len()];
            longer.append(&mut digits);
            digits = longer;
        }
        // Below the smallest normal number, digits are lost from the end.
        let below = self.plus(&exponent, -1);
        let is_low = below[below.len() - 1];
        let mut lost = below.clone();
        self.negate_if(&mut lost, Lit::TRUE);
        let lost: Vec<Lit> = lost.iter().map(|&bit| self.and(bit, is_low)).collect();
        let (digits, rest) = self.shifted_right(&digits, &lost);
        let (tail, head) = digits.split_at(digits.len() - kept);
        let (half, tail) = (tail[tail.len() - 1], &tail[..tail.len() - 1]);
        let below_half = self.or_all(tail.iter().copied().chain([rest, sticky]));
        let tie_or_more = self.or(below_half, head[0]);
        let goes_up = self.and(half, tie_or_more);
        // Exponent and fraction are one number: a carry out of the fraction is just right.
        let mut packed = head[..kept - 1].to_vec();
        let stored = &exponent[..format.exponent as usize];
        packed.extend(stored.iter().map(|&bit| self.and(bit, !is_low)).collect::<Vec<_>>());
        self.add_into(&mut packed, &[goes_up], Lit::FALSE);
        let most = (1 << format.exponent) - 1;
        let over = self.plus(&exponent, -most);
        let is_infinite = !over[over.len() - 1];
        let magnitude = packed.into_iter().enumerate().map(|(position, bit)| {
            let infinite = constant_bit(position >= kept - 1);
            let bit = self.ite(is_infinite, infinite, bit);
            self.and(bit, has_digits)
        });
        (magnitude.collect(), sign)
    }

    /// The sum of two finite numbers with significands of one width, normal ones first in their exponents.
    fn sum(&mut self, format: Format, x: &Parts, y: &Parts) -> (Vec<Lit>, Lit) {
        let is_less = self.is_smaller(x, y);
        let exponent = self.chosen(is_less, &y.exponent, &x.exponent);
        let lower = self.chosen(is_less, &x.exponent, &y.exponent);
        let (low, high) = (&x.significand, &y.significand);
        let (large, small) = (self.chosen(is_less, high, low), self.chosen(is_less, low, high));
        let large_sign = self.ite(is_less, y.sign, x.sign);
        let distance = self.minus(&exponent, &lower);
        // Two digits more and a sticky one are enough, whatever cancels out.
        let with_room = |digits: &[Lit]| {
            let mut room = vec![Lit::FALSE; 3];
            room.extend(digits);
            room
        };
        let (mut small, rest) = self.shifted_right(&with_room(&small), &distance);
        small[0] = self.or(small[0], rest);
        small.push(Lit::FALSE);
        let mut sum = with_room(&large);
        sum.push(Lit::FALSE);
        let subtracts = self.xor(x.sign, y.sign);
        let term: Vec<Lit> = small.iter().map(|&bit| self.xor(bit, subtracts)).collect();
        self.add_into(&mut sum, &term, subtracts);
        let is_something = self.or_all(sum.iter().copied());
        let both_negative = self.and(x.sign, y.sign);
        let sign = self.ite(is_something, large_sign, both_negative);
        let exponent = self.plus(&exponent, 1);
        self.round(format, sign, exponent, sum, Lit::FALSE)
    }

    /// Whether the magnitude of a number is less than that of another.
    fn is_smaller(&mut self, x: &Parts, y: &Parts) -> Lit {
        let flip_sign = |exponent: &[Lit]| {
            let mut exponent = exponent.to_vec();
            let sign = exponent.len() - 1;
            exponent[sign] = !exponent[sign];
            exponent
        };
        let mut own = x.significand.clone();
        own.extend(flip_sign(&x.exponent));
        let mut other = y.significand.clone();
        other.extend(flip_sign(&y.exponent));
        self.subtract_from(&mut own, &other)
    }

    /// Sign, exponent and all digits of a product.
    fn exact_product(&mut self, format: Format, x: &Parts, y: &Parts) -> (Lit, Vec<Lit>, Vec<Lit>) {
        let sign = self.xor(x.sign, y.sign);
        let mut exponent = x.exponent.clone();
        self.add_into(&mut exponent, &y.exponent, Lit::FALSE);
        let exponent = self.plus(&exponent, 1 - format.bias());
        let width = 2 * format.significand();
        let significand = self.product(&x.significand, &y.significand, width);
        (sign, exponent, significand)
    }

    /// The significand with its first bit set, unless it is zero, and the exponent of that bit.
    fn normalised(&mut self, format: Format, x: &Parts) -> (Vec<Lit>, Vec<Lit>) {
        let (significand, zeros) = self.without_leading_zeros(&x.significand);
        (significand, self.minus(&x.exponent, &extended(&zeros, format.working())))
    }

    /// The least exponent where the condition holds: that of a zero, which is less than everything.
    fn lowest_if(&mut self, condition: Lit, exponent: Vec<Lit>) -> Vec<Lit> {
        let least = constant(exponent.len(), -(1 << (exponent.len() - 3)));
        self.chosen(condition, &least, &exponent)
    }

    /// So many digits of a quotient below two, and whether anything is left. The first bit of the divisor is
    /// set; so is that of the dividend, unless it is zero.
    fn quotient(&mut self, dividend: &[Lit], divisor: &[Lit], digits: usize) -> (Vec<Lit>, Lit) {
        let (mut rest, mut divisor) = (dividend.to_vec(), divisor.to_vec());
        rest.push(Lit::FALSE);
        divisor.push(Lit::FALSE);
        let mut quotient = Vec::with_capacity(digits);
        for digit in 0..digits {
            if digit > 0 {
                rest = shifted_left(&rest, 1);
            }
            let mut less = rest.clone();
            let is_below = self.subtract_from(&mut less, &divisor);
            rest = self.chosen(is_below, &rest, &less);
            quotient.push(!is_below);
        }
        quotient.reverse();
        (quotient, self.or_all(rest))
    }

    /// The integer square root of a number with an even number of digits, and whether anything is left.
    fn root(&mut self, radicand: &[Lit]) -> (Vec<Lit>, Lit) {
        let digits = radicand.len() / 2;
        let mut root: Vec<Lit> = Vec::new();
        let mut rest: Vec<Lit> = Vec::new();
        for digit in (0..digits).rev() {
            // Two more digits of the radicand; then 4 root + 1 is taken away where that goes.
            let mut next = radicand[2 * digit..2 * digit + 2].to_vec();
            next.append(&mut rest);
            next.truncate(digits + 3);
            let mut taken = vec![Lit::TRUE, Lit::FALSE];
            taken.extend(&root);
            let width = next.len().max(taken.len());
            next.resize(width, Lit::FALSE);
            taken.resize(width, Lit::FALSE);
            let mut less = next.clone();
            let is_below = self.subtract_from(&mut less, &taken);
            rest = self.chosen(is_below, &next, &less);
            root.insert(0, !is_below);
        }
        (root, self.or_all(rest))
    }

    /// Shifts left until the first bit is set; by how much.
    fn without_leading_zeros(&mut self, word: &[Lit]) -> (Vec<Lit>, Vec<Lit>) {
        let stages = word.len().next_power_of_two().trailing_zeros();
        let (mut word, mut count) = (word.to_vec(), Vec::new());
        for stage in (0..stages).rev() {
            let by = 1usize << stage;
            if by >= word.len() {
                count.push(Lit::FALSE);
                continue;
            }
            let head: Vec<Lit> = word[word.len() - by..].to_vec();
            let is_empty = !self.or_all(head);
            word = self.shifted_left_if(is_empty, &word, by);
            count.push(is_empty);
        }
        count.reverse();
        (word, count)
    }

    /// Shifted right by a distance that is not negative; whether a bit that was set has gone.
    fn shifted_right(&mut self, word: &[Lit], distance: &[Lit]) -> (Vec<Lit>, Lit) {
        let (mut word, mut lost) = (word.to_vec(), Vec::new());
        for (stage, &moves) in distance.iter().enumerate() {
            let by = if stage < 32 { 1usize << stage } else { usize::MAX };
            let gone = &word[..by.min(word.len())];
            let gone = self.or_all(gone.iter().copied());
            lost.push(self.and(moves, gone));
            let shifted: Vec<Lit> = (0..word.len())
                .map(|at| at.checked_add(by).and_then(|from| word.get(from)).copied())
                .map(|bit| bit.unwrap_or(Lit::FALSE))
                .collect();
            word = self.chosen(moves, &shifted, &word);
        }
        let lost = self.or_all(lost);
        (word, lost)
    }

    fn shifted_left_if(&mut self, condition: Lit, word: &[Lit], by: usize) -> Vec<Lit> {
        self.chosen(condition, &shifted_left(word, by), word)
    }

    fn chosen(&mut self, condition: Lit, then: &[Lit], other: &[Lit]) -> Vec<Lit> {
        then.iter().zip(other).map(|(&t, &e)| self.ite(condition, t, e)).collect()
    }

    fn minus(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        let mut difference = a.to_vec();
        self.subtract_from(&mut difference, b);
        difference
    }

    fn plus(&mut self, a: &[Lit], value: i64) -> Vec<Lit> {
        let mut sum = a.to_vec();
        self.add_into(&mut sum, &constant(a.len(), value), Lit::FALSE);
        sum
    }
}

fn constant_bit(bit: bool) -> Lit {
    if bit { Lit::TRUE } else { Lit::FALSE }
}

/// A number in two's complement.
fn constant(width: usize, value: i64) -> Vec<Lit> {
    (0..width).map(|bit| constant_bit(value >> bit.min(63) & 1 == 1)).collect()
}

fn extended(word: &[Lit], width: usize) -> Vec<Lit> {
    let mut word = word.to_vec();
    word.resize(width, Lit::FALSE);
    word
}

fn extended_signed(word: &[Lit], width: usize) -> Vec<Lit> {
    let sign = word[word.len() - 1];
    let mut word = word.to_vec();
    word.resize(width, sign);
    word
}

fn shifted_left(word: &[Lit], by: usize) -> Vec<Lit> {
    let zeros = vec![Lit::FALSE; by.min(word.len())];
    zeros.into_iter().chain(word.iter().copied()).take(word.len()).collect()
}
