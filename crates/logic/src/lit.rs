//! Literals: a node of the circuit, possibly complemented.
//!
//! Complement edges make negation free and let a function and its complement
//! share one node. The rival, an explicit NOT gate, doubles the table and hides
//! equalities from hash-consing.

use std::fmt;
use std::ops::Not;

/// A node of a [`Circuit`](crate::Circuit) or its complement.
///
/// Literals order by node index, a node before its complement, so that sorting
/// literals is deterministic and brings `x` and `!x` next to each other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lit(u32);

impl Lit {
    /// The constant true: node 0, uncomplemented.
    pub const TRUE: Lit = Lit(0);
    /// The constant false: the complement of node 0.
    pub const FALSE: Lit = Lit(1);

    /// The literal of a node, complemented when `negated`.
    #[inline]
    pub fn new(node: u32, negated: bool) -> Lit {
        debug_assert!(node < 1 << 31, "a circuit holds at most 2^31 nodes");
        Lit(node << 1 | negated as u32)
    }

    /// The literal whose code is `code`, the inverse of [`Lit::code`].
    #[inline]
    pub(crate) fn from_code(code: u32) -> Lit {
        Lit(code)
    }

    /// Node index and complement bit in one number.
    #[inline]
    pub(crate) fn code(self) -> u32 {
        self.0
    }

    /// The index of the node, for [`Circuit::node`](crate::Circuit::node).
    #[inline]
    pub fn node(self) -> u32 {
        self.0 >> 1
    }

    /// Whether the literal is the complement of its node.
    #[inline]
    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// Whether the literal is `TRUE` or `FALSE`.
    #[inline]
    pub fn is_constant(self) -> bool {
        self.0 <= 1
    }

    /// The truth value of a constant literal, `None` for any other.
    #[inline]
    pub fn constant(self) -> Option<bool> {
        match self {
            Lit::TRUE => Some(true),
            Lit::FALSE => Some(false),
            Lit(_) => None,
        }
    }

    /// The literal without its complement.
    #[inline]
    pub(crate) fn positive(self) -> Lit {
        Lit(self.0 & !1)
    }

    /// The literal, complemented when `flip`.
    #[inline]
    pub(crate) fn flipped(self, flip: bool) -> Lit {
        Lit(self.0 ^ flip as u32)
    }
}

impl Not for Lit {
    type Output = Lit;

    #[inline]
    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

impl From<bool> for Lit {
    #[inline]
    fn from(value: bool) -> Lit {
        if value { Lit::TRUE } else { Lit::FALSE }
    }
}

impl fmt::Display for Lit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.constant() {
            Some(value) => write!(formatter, "{value}"),
            None if self.is_negated() => write!(formatter, "!n{}", self.node()),
            None => write!(formatter, "n{}", self.node()),
        }
    }
}

impl fmt::Debug for Lit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}
