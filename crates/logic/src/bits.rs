//! Bit-vectors: words of literals in two's complement.
//!
//! A word that is wholly constant is stored as a number, never as literals, so
//! constant folding of whole operations is one comparison away and concrete
//! executions cost no allocation. Other words share their literals.

use crate::lit::Lit;
use std::fmt;
use std::rc::Rc;

/// A word of 1 to 64 bits, least significant bit first; cheap to clone.
///
/// Equality and hashing are structural: equal words have equal literals, and a
/// word whose bits are all constant equals the constant of that value.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Bits(Repr);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    /// Bits of `value` at and above `width` are zero.
    Constant { width: u32, value: u64 },
    /// At least one literal is not constant.
    Literals(Rc<[Lit]>),
}

/// The largest value of a word of `width` bits.
#[inline]
pub(crate) fn mask(width: u32) -> u64 {
    debug_assert!((1..=64).contains(&width), "a word has 1 to 64 bits, not {width}");
    u64::MAX >> (64 - width)
}

/// The signed reading of the low `width` bits of `value`.
#[inline]
pub(crate) fn signed(width: u32, value: u64) -> i64 {
    (value << (64 - width)) as i64 >> (64 - width)
}

impl Bits {
    /// The constant `value` modulo `2^width`.
    #[inline]
    pub fn constant(width: u32, value: u64) -> Bits {
        Bits(Repr::Constant { width, value: value & mask(width) })
    }

    /// The word of the given literals, least significant first.
    pub fn from_lits(lits: Vec<Lit>) -> Bits {
        assert!((1..=64).contains(&lits.len()), "a word has 1 to 64 bits, not {}", lits.len());
        let mut value = 0;
        for (position, lit) in lits.iter().enumerate() {
            match lit.constant() {
                Some(bit) => value |= u64::from(bit) << position,
                None => return Bits(Repr::Literals(lits.into())),
            }
        }
        Bits::constant(lits.len() as u32, value)
    }

    /// The number of bits.
    #[inline]
    pub fn width(&self) -> u32 {
        match &self.0 {
            Repr::Constant { width, .. } => *width,
            Repr::Literals(lits) => lits.len() as u32,
        }
    }

    /// The value of a constant word, zero-extended.
    #[inline]
    pub fn as_constant(&self) -> Option<u64> {
        match self.0 {
            Repr::Constant { value, .. } => Some(value),
            Repr::Literals(_) => None,
        }
    }

    /// The value of a constant word, sign-extended.
    #[inline]
    pub fn as_signed(&self) -> Option<i64> {
        match self.0 {
            Repr::Constant { width, value } => Some(signed(width, value)),
            Repr::Literals(_) => None,
        }
    }

    /// The bit at a position below the width.
    #[inline]
    pub fn bit(&self, position: u32) -> Lit {
        match &self.0 {
            Repr::Constant { width, value } => {
                debug_assert!(position < *width, "bit {position} of a word of {width} bits");
                Lit::from(value >> position & 1 == 1)
            }
            Repr::Literals(lits) => lits[position as usize],
        }
    }

    /// The most significant bit.
    #[inline]
    pub fn sign(&self) -> Lit {
        self.bit(self.width() - 1)
    }

    /// The bits, least significant first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Lit> + ExactSizeIterator + '_ {
        (0..self.width() as usize).map(|position| self.bit(position as u32))
    }

    /// The bits as a vector, least significant first.
    pub fn to_vec(&self) -> Vec<Lit> {
        match &self.0 {
            Repr::Constant { .. } => self.iter().collect(),
            Repr::Literals(lits) => lits.to_vec(),
        }
    }
}

impl fmt::Debug for Bits {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Constant { width, value } => write!(formatter, "{value}:{width}"),
            Repr::Literals(lits) => formatter.debug_list().entries(lits.iter()).finish(),
        }
    }
}
