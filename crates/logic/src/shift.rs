//! Shifts with Java's masked distances.
//!
//! A constant distance moves literals and costs nothing; a symbolic one is a
//! barrel shifter, one layer of multiplexers for each distance bit. Only
//! `log2(width)` bits of the distance count, as in the JVM.

use crate::bits::{Bits, signed};
use crate::circuit::Circuit;
use crate::lit::Lit;

/// Which way the bits move.
#[derive(Clone, Copy)]
enum Direction {
    Left,
    Right,
}

impl Circuit {
    /// `a << distance`, the distance modulo the width of `a`.
    pub fn shl(&mut self, a: &Bits, distance: &Bits) -> Bits {
        if let (Some(x), Some(d)) = (a.as_constant(), constant_distance(a, distance)) {
            return Bits::constant(a.width(), x << d);
        }
        self.shift(a, distance, Direction::Left, Lit::FALSE)
    }

    /// `a >> distance`, copying the sign.
    pub fn shr_signed(&mut self, a: &Bits, distance: &Bits) -> Bits {
        if let (Some(x), Some(d)) = (a.as_constant(), constant_distance(a, distance)) {
            return Bits::constant(a.width(), (signed(a.width(), x) >> d) as u64);
        }
        self.shift(a, distance, Direction::Right, a.sign())
    }

    /// `a >>> distance`, filling with zero.
    pub fn shr_unsigned(&mut self, a: &Bits, distance: &Bits) -> Bits {
        if let (Some(x), Some(d)) = (a.as_constant(), constant_distance(a, distance)) {
            return Bits::constant(a.width(), x >> d);
        }
        self.shift(a, distance, Direction::Right, Lit::FALSE)
    }

    fn shift(&mut self, a: &Bits, distance: &Bits, direction: Direction, fill: Lit) -> Bits {
        let mut bits = a.to_vec();
        for stage in 0..stages(a).min(distance.width()) {
            let moves = distance.bit(stage);
            let shifted = displaced(&bits, 1 << stage, direction, fill);
            for (bit, moved) in bits.iter_mut().zip(shifted) {
                *bit = self.ite(moves, moved, *bit);
            }
        }
        Bits::from_lits(bits)
    }
}

/// The number of distance bits that count.
fn stages(a: &Bits) -> u32 {
    assert!(a.width().is_power_of_two(), "a shifted word of {} bits", a.width());
    a.width().trailing_zeros()
}

fn constant_distance(a: &Bits, distance: &Bits) -> Option<u32> {
    let mask = (1u64 << stages(a)) - 1;
    distance.as_constant().map(|value| (value & mask) as u32)
}

fn displaced(bits: &[Lit], by: usize, direction: Direction, fill: Lit) -> Vec<Lit> {
    let source = |position: usize| match direction {
        Direction::Left => position.checked_sub(by),
        Direction::Right => Some(position + by),
    };
    (0..bits.len())
        .map(|position| source(position).and_then(|from| bits.get(from)).copied().unwrap_or(fill))
        .collect()
}
