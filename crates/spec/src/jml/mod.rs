//! The Java Modeling Language: its tree, and the parser from tokens to it.

pub mod ast;
pub(crate) mod clause;
mod expr;
pub(crate) mod items;
mod literal;
mod primary;
mod store;
mod types;
pub(crate) mod words;

pub(crate) use expr::expression;
