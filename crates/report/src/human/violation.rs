//! One violation as a block: what is wrong, where, with which input, by which steps.

use verify::Property;
use verify::execution::Outcome;
use verify::{MethodResult, Replay, Severity, Violation};

use super::page::{Ink, Page};
use super::{clause, end, excerpt, execution, input, name};
use crate::values::Values;
use crate::{Sources, java, route};

pub(super) fn block(
    page: &mut Page<'_>,
    result: &MethodResult,
    violation: &Violation,
    sources: &dyn Sources,
) {
    match violation.severity {
        Severity::Error => page.put(Ink::Error, &format!("error[{}]", violation.property)),
        Severity::Warning => page.put(Ink::Doubt, &format!("warning[{}]", violation.property)),
        Severity::Precondition => {
            page.put(Ink::Doubt, &format!("precondition[{}]", violation.property));
        }
    }
    page.line(Ink::Title, &format!(": {}", violation.message));
    let values = Values::of(&violation.execution, page.style.unicode);
    let at = &violation.at;
    let is_shown = violation.clause.as_ref().is_some_and(|broken| {
        let lines = clause::draw(page, violation, broken, &values, sources);
        clause::is_at(broken, &lines, at)
    });
    let gutter = match is_shown {
        true => at.line.to_string().len().max(2),
        false => excerpt::draw(page, at, &label(violation), sources),
    };
    if (&at.class, &at.method) != (&result.class, &result.method) {
        page.put(Ink::Frame, &format!("{:gutter$} = ", ""));
        page.line(Ink::Plain, &format!("reached from {}", name(result)));
    }
    if let Some(lines) = route::lines(&violation.execution, page.style.unicode) {
        page.line(Ink::Title, "  Route");
        lines.calls.iter().for_each(|line| page.line(Ink::Plain, &format!("    {line}")));
        page.line(Ink::Plain, &format!("    {}", lines.last));
    }
    input::draw(page, &violation.execution, &values);
    execution::draw(page, &violation.execution, &result.file, &values, sources);
    if violation.clause.is_some() {
        end::draw(page, &violation.execution, &values);
    }
    replay(page, &violation.replay);
    page.end();
}

/// What is wrong with the underlined code.
pub(crate) fn label(violation: &Violation) -> String {
    if violation.clause.is_some() {
        return clause::moment(violation).into();
    }
    // The JVM's own words name the expression; only an assertion's message says something else.
    // A variable without a name, as of the array of a `for` loop, is in nobody's source.
    let said = violation.said.as_ref().filter(|said| !said.contains("\"<local"));
    if let (Some(said), true) = (said, violation.property != Property::Assert) {
        return match violation.property {
            Property::UncaughtException => match &violation.execution.outcome {
                Outcome::Threw { class, .. } => {
                    format!("{}: {}", java::simple(class), without_loaders(said))
                }
                Outcome::Returned(_) | Outcome::Repeats { .. } => said.clone(),
            },
            Property::DivisionByZero => "the divisor is zero".into(),
            // The message is the bare number, the bare class.
            Property::NegativeArraySize => format!("the size is {said}"),
            Property::ArrayStore => format!("the array cannot hold a {}", java::written(said)),
            _ => without_loaders(said).into(),
        };
    }
    let text = match violation.property {
        Property::NullDereference => "a reference used here is null",
        Property::ArrayIndex => "an index used here is outside its array",
        Property::NegativeArraySize => "an array length given here is negative",
        Property::ArrayStore => "the array cannot hold an object of this class",
        Property::ClassCast => "the object is not an instance of this class",
        Property::DivisionByZero => "the divisor is zero",
        Property::Assert => "this condition is false",
        Property::NonTermination => "this loop comes back to a state it was in",
        Property::Requires
        | Property::Ensures
        | Property::Signals
        | Property::SignalsOnly
        | Property::Assignable
        | Property::Invariant
        | Property::LoopInvariant
        | Property::Decreases
        | Property::Accessible
        | Property::Callable
        | Property::Readable
        | Property::Writable => clause::moment(violation),
        Property::UncaughtException => {
            return match &violation.execution.outcome {
                Outcome::Threw { class, .. } => {
                    format!("{} comes out of a call made here", java::simple(class))
                }
                Outcome::Returned(_) | Outcome::Repeats { .. } => {
                    "an exception comes out of a call made here".into()
                }
            };
        }
    };
    text.into()
}

/// `class A cannot be cast to class B`, without the modules and loaders that the JVM adds: those
/// are of the replay, and different every time.
fn without_loaders(said: &str) -> &str {
    match said.split_once(" (") {
        Some((short, rest)) if rest.contains(" of loader ") => short,
        _ => said,
    }
}

fn replay(page: &mut Page<'_>, replay: &Replay) {
    match replay {
        Replay::Confirmed => page.line(Ink::Good, "    confirmed on the JVM"),
        Replay::Skipped(why) => page.line(Ink::Doubt, &format!("    not replayed: {why}")),
        Replay::Refuted(why) => {
            page.line(Ink::Doubt, &format!("    the JVM did something else: {why}"));
        }
    }
}
