//! What the tests of this crate share: a seeded generator and the table of word
//! operations with their meaning in Rust's own arithmetic.

#![allow(dead_code)] // Each test file uses a part.

use logic::{Bits, Circuit, Lit};

/// Xorshift64*: deterministic, and good enough to pick test cases.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// A number that is often near zero, a power of two or an extreme.
    pub fn edgy(&mut self) -> u64 {
        let base = match self.below(4) {
            0 => 0,
            1 => 1 << self.below(64),
            2 => self.next() >> self.below(64),
            _ => return self.next(),
        };
        let near = base.wrapping_add(self.next() % 5).wrapping_sub(2);
        if self.below(2) == 0 { near } else { near.wrapping_neg() }
    }
}

type Build = fn(&mut Circuit, &Bits, &Bits) -> Bits;
type Meaning = fn(u32, i64, i64) -> Option<i64>;

/// An operation: its name, its circuit, and what it must compute from operands
/// sign-extended from the width (`None` where any value will do).
pub type Operation = (&'static str, Build, Meaning);

fn bit(lit: Lit) -> Bits {
    Bits::from_lits(vec![lit])
}

fn unsigned(width: u32, value: i64) -> u64 {
    value as u64 & (u64::MAX >> (64 - width))
}

fn distance(width: u32, value: i64) -> u32 {
    value as u32 & (width - 1)
}

pub const OPERATIONS: &[Operation] = &[
    ("add", Circuit::add, |_, a, b| Some(a.wrapping_add(b))),
    ("sub", Circuit::sub, |_, a, b| Some(a.wrapping_sub(b))),
    ("neg", |c, a, _| c.neg(a), |_, a, _| Some(a.wrapping_neg())),
    ("mul", Circuit::mul, |_, a, b| Some(a.wrapping_mul(b))),
    ("mul_high_signed", Circuit::mul_high_signed, |w, a, b| {
        Some(((i128::from(a) * i128::from(b)) >> w) as i64)
    }),
    ("div", Circuit::div_signed, |_, a, b| (b != 0).then(|| a.wrapping_div(b))),
    ("rem", Circuit::rem_signed, |_, a, b| (b != 0).then(|| a.wrapping_rem(b))),
    ("and", Circuit::bits_and, |_, a, b| Some(a & b)),
    ("or", Circuit::bits_or, |_, a, b| Some(a | b)),
    ("xor", Circuit::bits_xor, |_, a, b| Some(a ^ b)),
    ("not", |c, a, _| c.bits_not(a), |_, a, _| Some(!a)),
    ("shl", Circuit::shl, |w, a, b| Some(a << distance(w, b))),
    ("shr", Circuit::shr_signed, |w, a, b| Some(a >> distance(w, b))),
    ("ushr", Circuit::shr_unsigned, |w, a, b| Some((unsigned(w, a) >> distance(w, b)) as i64)),
    ("eq", |c, a, b| bit(c.bits_eq(a, b)), |_, a, b| Some((a == b).into())),
    ("lt", |c, a, b| bit(c.lt_signed(a, b)), |_, a, b| Some((a < b).into())),
    ("le", |c, a, b| bit(c.le_signed(a, b)), |_, a, b| Some((a <= b).into())),
    (
        "ult",
        |c, a, b| bit(c.lt_unsigned(a, b)),
        |w, a, b| Some((unsigned(w, a) < unsigned(w, b)).into()),
    ),
    (
        "ule",
        |c, a, b| bit(c.le_unsigned(a, b)),
        |w, a, b| Some((unsigned(w, a) <= unsigned(w, b)).into()),
    ),
    ("compare", Circuit::compare_signed, |_, a, b| Some(a.cmp(&b) as i64)),
    (
        "compare > 0",
        |c, a, b| {
            let result = c.compare_signed(a, b);
            bit(c.lt_signed(&Bits::constant(32, 0), &result))
        },
        |_, a, b| Some((a > b).into()),
    ),
    (
        "max",
        |c, a, b| {
            let less = c.lt_signed(a, b);
            c.bits_ite(less, b, a)
        },
        |_, a, b| Some(a.max(b)),
    ),
    ("pop_count", |c, a, _| c.pop_count(a, 32), |w, a, _| Some(unsigned(w, a).count_ones().into())),
    ("narrow", |c, a, _| c.truncate(a, 5), |_, a, _| Some(a)),
    (
        "narrow product",
        |c, a, b| {
            let narrow = c.truncate(b, 3);
            let narrow = c.sign_extend(&narrow, b.width());
            c.mul(a, &narrow)
        },
        |_, a, b| Some(a.wrapping_mul(b << 61 >> 61)),
    ),
    (
        "narrow unsigned quotient",
        |c, a, b| {
            let narrow = c.truncate(b, 3);
            let narrow = c.zero_extend(&narrow, b.width());
            c.div_signed(a, &narrow)
        },
        |_, a, b| (b & 7 != 0).then(|| a.wrapping_div(b & 7)),
    ),
];

/// The low `width` bits of a result, for comparison.
pub fn expected(
    operation: &Operation,
    width: u32,
    result_width: u32,
    a: u64,
    b: u64,
) -> Option<u64> {
    let extend = |value: u64| (value << (64 - width)) as i64 >> (64 - width);
    (operation.2)(width, extend(a), extend(b)).map(|value| unsigned(result_width, value))
}

/// A word of fresh inputs.
pub fn word(circuit: &mut Circuit, width: u32) -> Bits {
    Bits::from_lits((0..width).map(|_| circuit.input()).collect())
}

/// A valuation of inputs created by consecutive calls of `word`, the first
/// input being node 1.
pub fn assign(width: u32, words: [u64; 2]) -> impl Fn(u32) -> bool {
    move |node| {
        let position = node - 1;
        words[(position / width) as usize] >> (position % width) & 1 == 1
    }
}
