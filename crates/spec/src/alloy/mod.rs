//! Alloy-style specifications: their tree, and the parser from tokens to it.

pub mod ast;
pub(crate) mod formula;
mod print;
pub(crate) mod relation;
