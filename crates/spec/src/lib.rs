//! Specifications in comments: JML and Alloy-style clauses found in Java sources and parsed.
//!
//! Syntax only. [`read`] turns the text of a file into [`FileSpecs`], a tree of everything that is
//! specified in it, with places; it never fails, and what it does not understand it says in
//! diagnostics and marks as gaps at what is annotated. No class table is known here: names are
//! texts.

pub mod alloy;
pub mod annotation;
mod attach;
mod comment;
pub mod core;
mod cursor;
mod diagnostic;
pub mod docs;
mod java;
pub mod jml;
mod lexer;
pub mod marks;
pub mod resolve;
mod span;
mod specs;

pub use diagnostic::Diagnostic;
pub use jml::ast::{GapAt, Import};
pub use span::Span;
pub use specs::*;

use comment::{Comment, Dialect};
use cursor::Cursor;
use diagnostic::Parse;
use span::Positions;

/// Reads the specifications of a Java source.
pub fn read(source: &str) -> FileSpecs {
    let (comments, text) = specifications(source);
    read_text(source, &comments, &text)
}

/// Reads a `.jml` file: the same syntax, but methods and constructors need no bodies.
pub fn read_jml(source: &str) -> FileSpecs {
    let (comments, text) = specifications(source);
    read_text(source, &comments, &java::bodies::with_constructor_bodies(&text))
}

/// The comments and the annotations that are modifiers of JML, in the order of the file, and the source
/// with blanks in their place.
fn specifications(source: &str) -> (Vec<Comment>, String) {
    let (mut comments, text) = comment::comments(source);
    let annotations = annotation::annotations(&text);
    if annotations.is_empty() {
        return (comments, text);
    }
    let ranges: Vec<_> = annotations.iter().map(|a| a.range.clone()).collect();
    comments.extend(annotations);
    comments.sort_by_key(|comment| comment.range.start);
    (comments, comment::blanked(&text, &ranges))
}

fn read_text(source: &str, comments: &[Comment], text: &str) -> FileSpecs {
    let positions = Positions::new(source);
    let outline = java::outline::outline(text, comments, &positions);
    attach::attach(source, comments, outline, &positions)
}

/// Parses one JML expression that stands alone, with places relative to its own text.
pub fn parse_expression(text: &str) -> Result<jml::ast::Expr, Diagnostic> {
    parse_alone(text, Dialect::Jml, jml::expr::expression)
}

/// Parses one Alloy-style formula that stands alone, with places relative to its own text.
pub fn parse_formula(text: &str) -> Result<alloy::ast::Formula, Diagnostic> {
    parse_alone(text, Dialect::Alloy, |c| alloy::formula::disjunction(c).map(|t| t.formula()))
}

fn parse_alone<T>(
    text: &str,
    dialect: Dialect,
    parse: impl FnOnce(&mut Cursor<'_>) -> Parse<T>,
) -> Result<T, Diagnostic> {
    let mut tokens = Vec::new();
    lexer::lex(text, 0..text.len(), dialect, &Positions::new(text), &mut tokens);
    let mut cursor = Cursor::new(tokens);
    let parsed = parse(&mut cursor).and_then(|parsed| {
        if cursor.is_done() { Ok(parsed) } else { Err(cursor.unexpected("the end")) }
    });
    parsed.map_err(|failure| *failure.0)
}
