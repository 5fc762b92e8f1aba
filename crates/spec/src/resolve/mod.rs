//! From names to meaning: the trees of both languages, resolved against the program's classes,
//! become contracts over the one core.

mod alloy;
mod scope;

pub use scope::Math;
