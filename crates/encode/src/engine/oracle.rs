//! What the engine asks of whoever drives it.

use logic::{Circuit, Lit};

use crate::state::leaves::Constraint;

/// Whether some input can make a literal true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Possibility {
    /// No input can: a proof.
    Impossible,
    /// None is known that can, and whoever drives the engine goes by that. It has to be made sure of before
    /// anything is concluded from the run.
    Supposed,
    /// An input can.
    Possible,
    /// Nobody knows, or nobody wants to spend what it takes to find out.
    Unknown,
}

impl Possibility {
    /// Whether a run goes on as if the literal were false.
    pub fn is_ruled_out(self) -> bool {
        match self {
            Possibility::Impossible | Possibility::Supposed => true,
            Possibility::Possible | Possibility::Unknown => false,
        }
    }
}

/// Answers whether some input can make a literal true.
pub trait Oracle {
    /// About the inputs that satisfy `constraints`.
    fn possible(&mut self, circuit: &Circuit, constraints: &[Constraint], lit: Lit) -> Possibility;

    /// Whether it has had enough: then a run that is laid out stops.
    fn is_tired(&self) -> bool {
        false
    }
}

/// An oracle that knows nothing.
pub struct NoOracle;

impl Oracle for NoOracle {
    fn possible(&mut self, _: &Circuit, _: &[Constraint], _: Lit) -> Possibility {
        Possibility::Unknown
    }
}
