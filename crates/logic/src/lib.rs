//! Boolean circuits, bit-vectors over them, and their conversion to clauses.
//!
//! The pipeline inside this crate is `Circuit` (hash-consed gates) ← `Bits`
//! (words of literals) and `Circuit` → `Cnf` (clauses). The crate knows neither
//! programs nor solvers: a caller decides what a literal means, and a clause
//! sink decides where clauses go.

mod arithmetic;
mod bits;
mod circuit;
pub mod cnf;
mod compare;
mod division;
mod evaluation;
mod float;
mod folding;
mod interruption;
mod justification;
mod keys;
mod lanes;
mod lit;
mod order;
mod reach;
mod relation;
mod shift;
mod simulation;
mod table;
mod wide;
mod word;

pub use bits::Bits;
pub use circuit::{Circuit, Node};
pub use cnf::Cnf;
pub use evaluation::Evaluation;
pub use float::Format;
pub use folding::Folding;
pub use interruption::{Cancel, Interrupted, unless_interrupted};
pub use justification::Dependence;
pub use keys::Unknown;
pub use lanes::{LANES, Lane, Lanes, Sample};
pub use lit::Lit;
pub use order::{Order, Symbol};
pub use reach::{Edges, Reach};
pub use relation::{Cell, Relation};
pub use simulation::Simulation;
pub use wide::Wide;
