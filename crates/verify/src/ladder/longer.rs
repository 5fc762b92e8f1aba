//! Longer arrays and strings for the methods whose constants ask for them.
//!
//! The usual lengths come first. Then the method is checked again with what its clauses, its code and the
//! constructors of its objects ask for (`encode::lengths`), in the time that is left: what is found out there
//! counts if it is a verdict.

use std::time::{Duration, Instant};

use encode::Subject;
use encode::lengths::{Sort, asked};
use ir::MethodId;

use crate::options::Options;
use crate::result::{Cause, Longer, MethodResult, Verdict};

/// The options with longer arrays or strings, and what asks for them; `None` if nothing does.
pub(crate) fn longer(
    subject: Subject<'_>,
    method: MethodId,
    options: &Options,
) -> Option<(Options, Longer)> {
    let growth = options.growth;
    if !growth.arrays && !growth.strings {
        return None;
    }
    let mut longer = options.clone();
    let mut by = Vec::new();
    for (sort, asked) in asked(subject, method) {
        let (may, length) = match sort {
            Sort::Array => (growth.arrays, &mut longer.scope.array_length),
            Sort::Text => (growth.strings, &mut longer.scope.string_length),
        };
        if may && asked.length > *length {
            *length = asked.length;
            by.push(asked.by);
        }
    }
    by.dedup();
    if by.is_empty() {
        return None;
    }
    let (arrays, strings) = (longer.scope.array_length, longer.scope.string_length);
    Some((longer, Longer { arrays, strings, by: by.join(" and "), is_searched: true }))
}

/// Whether longer inputs may change what was found out.
pub(crate) fn is_worth_it(usual: &MethodResult, options: &Options) -> bool {
    match &usual.verdict {
        _ if options.watch.is_interrupted() => false,
        Verdict::Verified { .. } | Verdict::Violated(_) => true,
        Verdict::Undecided(cause) => {
            matches!(cause, Cause::Vacuous(_) | Cause::Narrow(_) | Cause::Unbounded { .. })
        }
    }
}

/// What is left of the time that a method may take.
pub(crate) fn time_left(timeout: Option<Duration>, start: Instant) -> Option<Duration> {
    timeout.map(|timeout| timeout.saturating_sub(start.elapsed()))
}

/// The result that says more: that with longer inputs, if it is one.
pub(crate) fn better(usual: MethodResult, long: MethodResult, longer: Longer) -> MethodResult {
    let is_verdict = match &long.verdict {
        // A violation that was found stays one, whatever is said of longer inputs.
        Verdict::Verified { .. } => !matches!(usual.verdict, Verdict::Violated(_)),
        Verdict::Violated(found) => found.len() > usual.violations().len(),
        // Nothing was found out with the usual lengths either.
        Verdict::Undecided(cause) => {
            let is_over = matches!(cause, Cause::Timeout | Cause::Memory | Cause::Interrupted);
            !is_over && matches!(usual.verdict, Verdict::Undecided(_))
        }
    };
    // Nothing is claimed of inputs beside those that violate something.
    let is_violated = matches!(usual.verdict, Verdict::Violated(_)) && !is_verdict;
    let time = usual.stats.time_ms + long.stats.time_ms;
    let (mut chosen, is_searched) = match is_verdict {
        true => (long, true),
        false => (usual, false),
    };
    chosen.stats.time_ms = time;
    chosen.longer = (!is_violated).then_some(Longer { is_searched, ..longer });
    chosen
}
