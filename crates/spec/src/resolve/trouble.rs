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
    Err(Box::new(Trouble::Unsupported(refusal(&what.to_string()))))
}

/// What is not supported, with what to do instead where that is known.
pub(crate) fn refusal(what: &str) -> String {
    let advice = match what {
        "determines" | "separates" => {
            "it compares two executions of the method, and one is looked at here; remove the clause \
             or check it with a tool for information flow"
        }
        "diverges" | "when" => "every execution is followed to its end; say it with `requires`",
        "requires_free" => "nothing is assumed without proof; write `requires`",
        "ensures_free" | "assignable_free" => {
            "nothing is assumed without proof; leave `_free` out or remove the clause"
        }
        "contract of a statement" => {
            "say what holds before and after the statement with `assert`, or move it into a method"
        }
        "reachable" => "only what is violated is looked for; `assert false` shows an execution",
        "duration" | "working_space" | "\\duration" | "\\working_space" | "\\space" => {
            "time and memory are not measured"
        }
        "model type" => "write a class of Java for it",
        _ => return format!("`{what}` is not supported"),
    };
    format!("`{what}` is not supported: {advice}")
}

/// Something that is not supported, in a sentence.
pub(crate) fn undecidable<T>(reason: impl Into<String>) -> Resolved<T> {
    Err(Box::new(Trouble::Unsupported(reason.into())))
}
