//! Floating-point circuits against exact arithmetic in two small formats, every pair of operands, and against
//! the host's own arithmetic in the two formats of Java.
//!
//! With `JAROSITE_NIGHT` a million operands of each operation are compared instead of some thousands.

mod common;

use std::cmp::Ordering;

use common::{Random, assign, word};
use logic::{Bits, Circuit, Format};

const SIX: Format = Format { exponent: 3, fraction: 2 };
const EIGHT: Format = Format { exponent: 4, fraction: 3 };

/// A small format by exact arithmetic: every finite number is an integer of the smallest units.
struct Small(Format);

impl Small {
    fn infinity(&self) -> u64 {
        ((1 << self.0.exponent) - 1) << self.0.fraction
    }

    fn sign(&self) -> u64 {
        1 << (self.0.width() - 1)
    }

    fn nan(&self) -> u64 {
        self.infinity() | 1 << (self.0.fraction - 1)
    }

    fn is_nan(&self, bits: u64) -> bool {
        bits & !self.sign() > self.infinity()
    }

    /// One is so many doublings of the smallest unit.
    fn unit(&self) -> u32 {
        (1 << (self.0.exponent - 1)) - 2 + self.0.fraction
    }

    /// The magnitude in units.
    fn units(&self, bits: u64) -> i128 {
        let magnitude = bits & !self.sign();
        let (exponent, fraction) =
            (magnitude >> self.0.fraction, magnitude & ((1 << self.0.fraction) - 1));
        match exponent {
            0 => i128::from(fraction),
            _ => i128::from(fraction | 1 << self.0.fraction) << (exponent - 1),
        }
    }

    fn signed(&self, bits: u64) -> i128 {
        let units = self.units(bits);
        if bits & self.sign() == 0 { units } else { -units }
    }

    /// The nearest magnitude to a number, of which it is known how its double compares with integers.
    fn nearest(&self, compare: impl Fn(i128) -> Ordering) -> u64 {
        // The magnitudes are in the order of their bits; beyond the largest, the next would be infinity.
        let mut below = 0;
        for bits in 0..self.infinity() {
            if compare(2 * self.units(bits)) != Ordering::Less {
                below = bits;
            }
        }
        let middle = self.units(below) + self.units(below + 1);
        match compare(middle) {
            Ordering::Less => below,
            Ordering::Equal => below + (below & 1),
            Ordering::Greater => below + 1,
        }
    }

    /// The nearest magnitude to a fraction of units.
    fn rounded(&self, numerator: i128, denominator: i128) -> u64 {
        let (numerator, denominator) = (numerator.abs(), denominator.abs());
        self.nearest(|double| (2 * numerator).cmp(&(double * denominator)))
    }

    fn with_sign(&self, magnitude: u64, negative: bool) -> u64 {
        if negative { magnitude | self.sign() } else { magnitude }
    }

    fn add(&self, a: u64, b: u64) -> u64 {
        let infinite = |x: u64| x & !self.sign() == self.infinity();
        match (infinite(a), infinite(b)) {
            _ if self.is_nan(a) || self.is_nan(b) => self.nan(),
            (true, true) if a != b => self.nan(),
            (true, _) => a,
            (_, true) => b,
            _ => {
                let sum = self.signed(a) + self.signed(b);
                let negative = if sum == 0 { a & b & self.sign() != 0 } else { sum < 0 };
                self.with_sign(self.rounded(sum, 1), negative)
            }
        }
    }

    fn mul(&self, a: u64, b: u64) -> u64 {
        let negative = (a ^ b) & self.sign() != 0;
        let (x, y) = (a & !self.sign(), b & !self.sign());
        let infinity = self.infinity();
        match () {
            () if self.is_nan(a) || self.is_nan(b) => self.nan(),
            () if (x == infinity && y == 0) || (x == 0 && y == infinity) => self.nan(),
            () if x == infinity || y == infinity => self.with_sign(infinity, negative),
            () => {
                let product = self.units(a) * self.units(b);
                self.with_sign(self.rounded(product, 1 << self.unit()), negative)
            }
        }
    }

    fn div(&self, a: u64, b: u64) -> u64 {
        let negative = (a ^ b) & self.sign() != 0;
        let (x, y) = (a & !self.sign(), b & !self.sign());
        let infinity = self.infinity();
        match () {
            () if self.is_nan(a) || self.is_nan(b) => self.nan(),
            () if x == y && (x == 0 || x == infinity) => self.nan(),
            () if x == infinity || y == 0 => self.with_sign(infinity, negative),
            () if y == infinity => self.with_sign(0, negative),
            () => {
                let quotient = self.rounded(self.units(a) << self.unit(), self.units(b));
                self.with_sign(quotient, negative)
            }
        }
    }

    fn rem(&self, a: u64, b: u64) -> u64 {
        let (x, y) = (a & !self.sign(), b & !self.sign());
        match () {
            () if self.is_nan(a) || self.is_nan(b) || x == self.infinity() || y == 0 => self.nan(),
            () if y == self.infinity() => a,
            () => {
                let rest = self.rounded(self.units(a) % self.units(b), 1);
                self.with_sign(rest, a & self.sign() != 0)
            }
        }
    }

    fn sqrt(&self, a: u64) -> u64 {
        match () {
            () if a & !self.sign() == 0 || a == self.infinity() => a,
            () if self.is_nan(a) || a & self.sign() != 0 => self.nan(),
            () => {
                let square = self.units(a) << self.unit();
                self.nearest(|double| (4 * square).cmp(&(double * double)))
            }
        }
    }

    fn fma(&self, a: u64, b: u64, c: u64) -> u64 {
        let (x, y) = (a & !self.sign(), b & !self.sign());
        let infinity = self.infinity();
        let is_undefined = (x == infinity && y == 0) || (x == 0 && y == infinity);
        let sign = (a ^ b) & self.sign();
        if self.is_nan(a) || self.is_nan(b) || self.is_nan(c) || is_undefined {
            return self.nan();
        }
        if x == infinity || y == infinity {
            return self.add(infinity | sign, c);
        }
        if c & !self.sign() == infinity {
            return c;
        }
        let product = self.signed(a) * self.signed(b);
        let sum = product + (self.signed(c) << self.unit());
        let negative = if sum == 0 { sign & c != 0 } else { sum < 0 };
        self.with_sign(self.rounded(sum, 1 << self.unit()), negative)
    }
}

type Build = fn(&mut Circuit, Format, &Bits, &Bits) -> Bits;
type Exact = fn(&Small, u64, u64) -> u64;

const BINARY: [(&str, Build, Exact); 6] = [
    ("add", Circuit::float_add, Small::add),
    ("sub", Circuit::float_sub, |s, a, b| s.add(a, b ^ s.sign())),
    ("mul", Circuit::float_mul, Small::mul),
    ("div", Circuit::float_div, Small::div),
    ("rem", Circuit::float_rem, Small::rem),
    ("sqrt", |circuit, format, a, _| circuit.float_sqrt(format, a), |s, a, _| s.sqrt(a)),
];

#[test]
fn every_pair_of_small_numbers() {
    for format in [SIX, EIGHT] {
        let (small, width) = (Small(format), format.width());
        for (name, build, exact) in BINARY {
            let mut circuit = Circuit::new();
            let (a, b) = (word(&mut circuit, width), word(&mut circuit, width));
            let result = build(&mut circuit, format, &a, &b);
            for pair in 0..1u64 << (2 * width) {
                let (x, y) = (pair & ((1 << width) - 1), pair >> width);
                let found = circuit.evaluate(assign(width, [x, y])).word(&result);
                assert_eq!(found, exact(&small, x, y), "{name} of {x:b} and {y:b}, {width} bits");
            }
        }
    }
}

#[test]
fn every_product_and_sum_of_small_numbers() {
    let (small, width) = (Small(SIX), SIX.width());
    let mut circuit = Circuit::new();
    let [a, b, c] = [(); 3].map(|()| word(&mut circuit, width));
    let result = circuit.float_fma(SIX, &a, &b, &c);
    for all in 0..1u64 << (3 * width) {
        let [x, y, z] = [0, width, 2 * width].map(|from| all >> from & ((1 << width) - 1));
        let input = |node: u32| all >> (node - 1) & 1 == 1;
        let found = circuit.evaluate(input).word(&result);
        assert_eq!(found, small.fma(x, y, z), "{x:b} * {y:b} + {z:b}");
    }
}

#[test]
fn small_numbers_in_other_formats_and_as_integers() {
    let (six, eight) = (Small(SIX), Small(EIGHT));
    for bits in 0..1u64 << EIGHT.width() {
        let mut circuit = Circuit::new();
        let value = Bits::constant(EIGHT.width(), bits);
        let narrow = circuit.float_convert(EIGHT, SIX, &value).as_constant().expect("it folds");
        let negative = bits & eight.sign() != 0;
        let wanted = match bits & !eight.sign() {
            _ if eight.is_nan(bits) => six.nan(),
            infinite if infinite == eight.infinity() => six.with_sign(six.infinity(), negative),
            _ => {
                let more = eight.unit() - six.unit();
                six.with_sign(six.rounded(eight.units(bits), 1 << more), negative)
            }
        };
        assert_eq!(narrow, wanted, "{bits:b}");
        let integer = circuit.float_to_signed(EIGHT, &value, 6).as_signed().expect("it folds");
        let wanted = match eight.signed(bits) {
            _ if eight.is_nan(bits) => 0,
            units => (units / (1 << eight.unit())).clamp(-32, 31) as i64,
        };
        let wanted = if bits & !eight.sign() == eight.infinity() {
            if negative { -32 } else { 31 }
        } else {
            wanted
        };
        assert_eq!(integer, wanted, "{bits:b} as an integer");
    }
    for value in -300i64..300 {
        let mut circuit = Circuit::new();
        let found = circuit.float_from_signed(EIGHT, &Bits::constant(10, value as u64));
        let magnitude = eight.rounded(i128::from(value) << eight.unit(), 1);
        assert_eq!(found.as_constant(), Some(eight.with_sign(magnitude, value < 0)), "{value}");
    }
}

fn rounds(by_day: usize) -> usize {
    if std::env::var_os("JAROSITE_NIGHT").is_some() { 1_000_000 } else { by_day }
}

/// A number of the format: often near another, a power of two, or an extreme.
fn number(random: &mut Random, format: Format) -> u64 {
    let (width, fraction) = (format.width(), format.fraction);
    let mask = u64::MAX >> (64 - width);
    let top = (1u64 << format.exponent) - 1;
    let exponent = match random.below(4) {
        0 => [0, 1, 2, top, top - 1][random.below(5)],
        1 => (top / 2 + random.next() % 60).wrapping_sub(30) & top,
        _ => random.next() & top,
    };
    let digits = random.edgy() & ((1 << fraction) - 1);
    ((random.next() & 1) << (width - 1) | exponent << fraction | digits) & mask
}

fn canonical_float(value: f32) -> u64 {
    if value.is_nan() { 0x7fc0_0000 } else { u64::from(value.to_bits()) }
}

fn canonical_double(value: f64) -> u64 {
    if value.is_nan() { 0x7ff8 << 48 } else { value.to_bits() }
}

type OnFloats = fn(f32, f32) -> f32;
type OnDoubles = fn(f64, f64) -> f64;

const ON_HOST: [(&str, Build, OnFloats, OnDoubles); 5] = [
    ("add", Circuit::float_add, |a, b| a + b, |a, b| a + b),
    ("sub", Circuit::float_sub, |a, b| a - b, |a, b| a - b),
    ("mul", Circuit::float_mul, |a, b| a * b, |a, b| a * b),
    ("div", Circuit::float_div, |a, b| a / b, |a, b| a / b),
    ("sqrt", |c, f, a, _| c.float_sqrt(f, a), |a, _| a.sqrt(), |a, _| a.sqrt()),
];

#[test]
fn javas_formats_as_on_the_host() {
    let mut random = Random::new(24);
    for (name, build, floats, doubles) in ON_HOST {
        for format in [Format::FLOAT, Format::DOUBLE] {
            let width = format.width();
            let mut circuit = Circuit::new();
            let (a, b) = (word(&mut circuit, width), word(&mut circuit, width));
            let result = build(&mut circuit, format, &a, &b);
            for _ in 0..rounds(5_000) {
                let (x, y) = (number(&mut random, format), number(&mut random, format));
                let found = circuit.evaluate(assign(width, [x, y])).word(&result);
                let wanted = match width {
                    32 => {
                        canonical_float(floats(f32::from_bits(x as u32), f32::from_bits(y as u32)))
                    }
                    _ => canonical_double(doubles(f64::from_bits(x), f64::from_bits(y))),
                };
                assert_eq!(found, wanted, "{name} of {x:#x} and {y:#x}, {width} bits");
            }
        }
    }
}

#[test]
fn remainders_as_on_the_host() {
    let mut random = Random::new(25);
    let mut circuit = Circuit::new();
    let (a, b) = (word(&mut circuit, 32), word(&mut circuit, 32));
    let result = circuit.float_rem(Format::FLOAT, &a, &b);
    for _ in 0..rounds(2_000) {
        let (x, y) = (number(&mut random, Format::FLOAT), number(&mut random, Format::FLOAT));
        let found = circuit.evaluate(assign(32, [x, y])).word(&result);
        let wanted = canonical_float(f32::from_bits(x as u32) % f32::from_bits(y as u32));
        assert_eq!(found, wanted, "{x:#x} % {y:#x}");
    }
}

#[test]
fn products_and_sums_as_on_the_host() {
    let mut random = Random::new(26);
    let mut circuit = Circuit::new();
    let [a, b, c] = [(); 3].map(|()| word(&mut circuit, 64));
    let result = circuit.float_fma(Format::DOUBLE, &a, &b, &c);
    for _ in 0..rounds(2_000) {
        let [x, y, z] = [(); 3].map(|()| number(&mut random, Format::DOUBLE));
        let all = [x, y, z];
        let input = |node: u32| all[(node as usize - 1) / 64] >> ((node - 1) % 64) & 1 == 1;
        let found = circuit.evaluate(input).word(&result);
        let wanted = f64::from_bits(x).mul_add(f64::from_bits(y), f64::from_bits(z));
        assert_eq!(found, canonical_double(wanted), "{x:#x} * {y:#x} + {z:#x}");
    }
}

#[test]
fn conversions_as_on_the_host() {
    let mut random = Random::new(27);
    for _ in 0..rounds(2_000) {
        let mut circuit = Circuit::new();
        let (float, double) = (Format::FLOAT, Format::DOUBLE);
        let (x, y) = (number(&mut random, float), number(&mut random, double));
        let (a, b) = (Bits::constant(32, x), Bits::constant(64, y));
        let (f, d) = (f32::from_bits(x as u32), f64::from_bits(y));
        let wide = circuit.float_convert(float, double, &a);
        assert_eq!(wide.as_constant(), Some(canonical_double(f64::from(f))), "{f} as a double");
        let narrow = circuit.float_convert(double, float, &b);
        assert_eq!(narrow.as_constant(), Some(canonical_float(d as f32)), "{d} as a float");
        let integers = [
            (circuit.float_to_signed(float, &a, 32), i64::from(f as i32)),
            (circuit.float_to_signed(float, &a, 64), f as i64),
            (circuit.float_to_signed(double, &b, 32), i64::from(d as i32)),
            (circuit.float_to_signed(double, &b, 64), d as i64),
        ];
        for (found, wanted) in integers {
            assert_eq!(found.as_signed(), Some(wanted), "{f} or {d} as an integer");
        }
        let (int, long) = (random.edgy() as i32, random.edgy() as i64);
        let (i, l) = (Bits::constant(32, int as u64), Bits::constant(64, long as u64));
        let numbers = [
            (circuit.float_from_signed(float, &i), canonical_float(int as f32)),
            (circuit.float_from_signed(double, &i), canonical_double(f64::from(int))),
            (circuit.float_from_signed(float, &l), canonical_float(long as f32)),
            (circuit.float_from_signed(double, &l), canonical_double(long as f64)),
        ];
        for (found, wanted) in numbers {
            assert_eq!(found.as_constant(), Some(wanted), "{int} or {long} as a number");
        }
    }
}
