//! What the project checks and measures about itself.

pub mod bench;
pub mod compare;
pub mod tests;
pub mod tidy;
