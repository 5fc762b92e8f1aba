//! Why a clause has no meaning: a mistake of its author, or something that is not supported.

use crate::diagnostic::{Diagnostic, did_you_mean};
use crate::span::Span;

/// What keeps a clause from being resolved.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Trouble {
    /// Wrong, and said to the author.
    Mistake(Diagnostic),
    /// Right, but the verifier has not got it: the reason in words.
    Unsupported(String),
}

/// The outcome of resolving a part of a clause.
pub(crate) type Resolved<T> = Result<T, Box<Trouble>>;

/// A mistake without a suggestion.
pub(crate) fn mistake<T>(span: Span, message: impl Into<String>) -> Resolved<T> {
    suggesting(span, message, None)
}

/// A mistake with what may have been meant.
pub(crate) fn suggesting<T>(
    span: Span,
    message: impl Into<String>,
    suggestion: Option<String>,
) -> Resolved<T> {
    let message = message.into();
    Err(Box::new(Trouble::Mistake(Diagnostic { span, message, suggestion })))
}

/// A name that means nothing, with the most similar of those that mean something.
pub(crate) fn unknown<'n, T>(
    span: Span,
    message: impl Into<String>,
    name: &str,
    known: impl Iterator<Item = &'n str>,
) -> Resolved<T> {
    let meant = did_you_mean(name, known.filter(|known| *known != name));
    suggesting(span, message, meant.map(str::to_string))
}

/// Something that is not supported, by the name that JML or Java has for it.
pub(crate) fn unsupported<T>(what: impl std::fmt::Display) -> Resolved<T> {
    Err(Box::new(Trouble::Unsupported(format!("`{what}` is not supported"))))
}

/// Something that is not supported, in a sentence.
pub(crate) fn undecidable<T>(reason: impl Into<String>) -> Resolved<T> {
    Err(Box::new(Trouble::Unsupported(reason.into())))
}
