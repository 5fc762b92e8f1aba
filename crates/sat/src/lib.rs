//! Solving circuits: the solver trait, CaDiCaL behind it, and sessions.
//!
//! `Session` turns literals of a circuit into clauses for a `Solver` and its
//! answers back into literals. Only `cadical` knows which solver it is; nothing
//! here knows what the circuit stands for.

mod cadical;
mod cases;
mod limits;
mod session;
mod solver;

pub use cadical::Cadical;
pub use cases::{Cases, Prefix, Step};
pub use limits::{Limits, Stop};
pub use session::{Session, Statistics};
pub use solver::{Answer, Solver};
