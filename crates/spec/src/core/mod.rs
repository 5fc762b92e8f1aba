//! The one core that both specification languages mean: typed terms over the program's state, and
//! the contracts made of them.
//!
//! A term is a truth value, a number, a reference, a type, or a relation: a set of tuples of
//! objects and numbers (Jackson & Vaziri, section 3.2; Galeotti et al., section 2.1). Names are
//! resolved and types are checked here; who evaluates a term needs no table but the program's.

mod contract;
mod print;
mod term;
mod walk;

pub use contract::*;
pub use print::Shown;
pub use term::*;
