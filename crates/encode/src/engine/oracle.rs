//! What the engine asks of whoever drives it.

use logic::{Circuit, Lit};

use crate::state::leaves::Constraint;

/// Answers whether some input can make a literal true.
pub trait Oracle {
    /// `Some(false)` only if no input that satisfies `constraints` makes `lit` true.
    fn possible(&mut self, circuit: &Circuit, constraints: &[Constraint], lit: Lit)
    -> Option<bool>;

    /// Whether it has had enough: then a run that is laid out stops.
    fn is_tired(&self) -> bool {
        false
    }
}

/// An oracle that knows nothing.
pub struct NoOracle;

impl Oracle for NoOracle {
    fn possible(&mut self, _: &Circuit, _: &[Constraint], _: Lit) -> Option<bool> {
        None
    }
}
