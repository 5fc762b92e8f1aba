//! What the project checks and measures about itself.

pub mod bench;
pub mod compare;
pub mod suite;
pub mod tidy;
