//! Why a method is undecided, in plain words, and what the reader can do about it.

use verify::{Cause, Lever};

use super::place;

/// The rest of a sentence that starts with the method.
pub(crate) fn sentence(cause: &Cause) -> String {
    match cause {
        Cause::Timeout => "time ran out".into(),
        Cause::Interrupted => "interrupted".into(),
        Cause::Memory => "memory ran out".into(),
        Cause::Unsupported { what, at } => match at {
            Some(at) => format!("not modelled yet: {what} ({})", place(at, None)),
            None => format!("not modelled yet: {what}"),
        },
        Cause::Unbounded { what, at } => match at {
            Some(at) => format!("{what} ({})", place(at, None)),
            None => what.clone(),
        },
        Cause::Specification { what, at } => match at {
            Some(at) => format!("its specification cannot be used: {what} ({})", place(at, None)),
            None => format!("its specification cannot be used: {what}"),
        },
        Cause::Vacuous(what) => {
            format!("nothing was checked, because no input in the scope satisfies {what}")
        }
        Cause::Narrow(what) => format!("nothing was checked: {what}"),
        Cause::Refuted(why) => format!("the JVM did not do what was predicted: {why}"),
        Cause::Possible { what, .. } => format!("possible: {what}"),
        Cause::Internal(why) => format!("the check itself failed: {why}"),
        Cause::Unusable { why, .. } => format!("nothing of it was checked: {why}"),
    }
}

/// What the reader can do about a cause; `lever` is the option that bounds most of the input.
pub(crate) fn hint(cause: &Cause, lever: Option<Lever>) -> String {
    let lower =
        |otherwise: &str| lever.map_or(otherwise.into(), |option| format!("lower {option}"));
    let hint = match cause {
        Cause::Timeout => match lever {
            Some(option) => return format!("lower {option}, or raise --timeout"),
            None => "raise --timeout",
        },
        Cause::Interrupted => "run it again, and let it finish",
        Cause::Memory => return lower("check it on a machine with more memory"),
        Cause::Unsupported { .. } => "nothing is claimed about this method, neither good nor bad",
        Cause::Unbounded { what, .. } if what.ends_with("instructions") => {
            return lower("lower --scope, --array-length or --string-length");
        }
        Cause::Unbounded { .. } => "give --unroll N to search N rounds only, or guard the loop",
        Cause::Specification { .. } => {
            "correct or remove this part of the specification; \
             nothing is claimed about this method until then"
        }
        Cause::Narrow(_) => "give the bound that is named, or correct the clause",
        Cause::Vacuous(_) => {
            "correct these clauses, or raise --scope, --array-length or --unroll if they need more"
        }
        Cause::Unusable { .. } => {
            "correct it, give what it needs with --classpath or --sourcepath, or leave it out"
        }
        Cause::Possible { is_searched: false, .. } => {
            "raise --timeout: there was no time to look for a way there"
        }
        Cause::Possible { what, .. } if what.contains(" unless ") => {
            "state what it needs (`//@ requires …`), guard it, or accept it"
        }
        Cause::Possible { .. } => {
            "state what holds of the objects (`//@ invariant …`), or show all of it with -v"
        }
        Cause::Refuted(_) | Cause::Internal(_) => {
            "sorry, this is a defect of jarosite, not of your code; \
             please report it together with the method"
        }
    };
    hint.into()
}

/// `unbounded: a loop …` → `a loop …`.
pub(super) fn without_kind(cause: &str) -> &str {
    cause.strip_prefix("unbounded: ").unwrap_or(cause)
}
