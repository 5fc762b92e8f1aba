//! The Java Modeling Language: its tree, and the parser from tokens to it.

pub mod ast;
pub(crate) mod clause;
mod declare;
pub(crate) mod expr;
pub(crate) mod items;
mod literal;
mod primary;
mod print;
mod store;
mod types;
pub(crate) mod words;
