//! Tight bounds of a laid-out input: computed ([`tighten`]) by what a solver finds out about one formula
//! (`stage`), kept and found again ([`store`]), and counted ([`enumerate`]).

pub mod enumerate;
pub(crate) mod stage;
pub mod store;
pub mod tighten;
