//! Specifications in comments: JML and Alloy-style clauses found in Java sources and parsed.

pub mod alloy;
mod comment;
mod cursor;
mod diagnostic;
pub mod jml;
mod lexer;
mod span;
mod specs;

pub use diagnostic::Diagnostic;
pub use span::Span;
pub use specs::*;
