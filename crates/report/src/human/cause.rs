//! Why a method is undecided, in plain words, and what the reader can do about it.

use verify::Cause;

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
        Cause::Internal(why) => format!("the check itself failed: {why}"),
    }
}

pub(crate) fn hint(cause: &Cause) -> &'static str {
    match cause {
        Cause::Timeout => "raise --timeout or lower --scope",
        Cause::Interrupted => "run it again, and let it finish",
        Cause::Memory => "lower --scope or --array-length",
        Cause::Unsupported { .. } => "nothing is claimed about this method, neither good nor bad",
        Cause::Unbounded { what, .. } if what.ends_with("instructions") => {
            "lower --scope, --array-length or --string-length"
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
        Cause::Refuted(_) | Cause::Internal(_) => {
            "sorry, this is a defect of jarosite, not of your code; \
             please report it together with the method"
        }
    }
}

/// `unbounded: a loop …` → `a loop …`.
pub(super) fn without_kind(cause: &str) -> &str {
    cause.strip_prefix("unbounded: ").unwrap_or(cause)
}
