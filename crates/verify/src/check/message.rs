//! One-sentence descriptions of what was found.

use crate::result::ViolatedClause;
use encode::Goal;
use encode::Limits;
use encode::atom::Point;
use encode::execution::{Execution, Outcome};
use encode::goal::{Property, QUANTIFIER};
use ir::Program;

/// What went wrong.
pub fn violation(program: &Program, goal: &Goal, exception: &str) -> String {
    let (Goal::Violation { property, at, .. } | Goal::Broken { property, at, .. }) = goal else {
        return String::new();
    };
    let (property, at) = (*property, *at);
    let method = name(program, at);
    let simple = ir::program::simple(exception);
    match property {
        Property::NullDereference => format!("null is dereferenced in {method}"),
        Property::ArrayIndex => format!("an array index is out of bounds in {method}"),
        Property::NegativeArraySize => format!("an array of negative size is made in {method}"),
        Property::ArrayStore => {
            format!("an element of the wrong type is stored in an array in {method}")
        }
        Property::ClassCast => format!("a cast fails in {method}"),
        Property::DivisionByZero => format!("division by zero in {method}"),
        Property::Assert => format!("an assertion fails in {method}"),
        Property::UncaughtException => {
            format!("{simple} from a library call leaves {method} undeclared")
        }
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
        | Property::Writable => format!("a specification is violated in {method}"),
        Property::NonTermination => format!("a loop never ends in {method}"),
    }
}

/// Whether a text says of something that it is non-null; clauses end with a semicolon.
fn is_about_null(text: &str) -> bool {
    text.ends_with("is non-null") || text.ends_with(spec::core::NON_NULL_BY_DEFAULT)
}

/// What a violated clause means, in one sentence. Who never wrote it hears how to change it.
pub fn broken(property: Property, execution: &Execution, clause: &ViolatedClause) -> String {
    let what = meaning(property, execution, clause);
    match clause.text.ends_with(spec::core::NON_NULL_BY_DEFAULT) {
        true => format!("{what}; /*@ nullable @*/ or --nullness nullable allows null"),
        false => what,
    }
}

fn meaning(property: Property, execution: &Execution, clause: &ViolatedClause) -> String {
    let text = &clause.text;
    let what = match property {
        Property::Requires if is_about_null(text) => {
            return format!("null is passed, but {text}");
        }
        Property::Assert if is_about_null(text) => {
            return format!("null is assigned, but {text}");
        }
        Property::Requires => format!("precondition of a call violated: {text}"),
        Property::Ensures if text.contains("is non-null") => {
            return format!("null is returned, but {text}");
        }
        Property::Ensures => format!("postcondition violated: {text}"),
        Property::Signals | Property::SignalsOnly => {
            let exception = match &execution.outcome {
                Outcome::Threw { class, .. } => ir::program::simple(class),
                Outcome::Returned(_) | Outcome::Repeats { .. } => "an exception",
            };
            format!("{exception} leaves the method against its specification: {text}")
        }
        Property::Assignable if text.contains("\\strictly_nothing") => {
            format!("an object is made or something is changed: {text}")
        }
        Property::Assignable if !text.starts_with(['a', 'm']) => {
            format!("the method is pure, but changes something: {text}")
        }
        Property::Assignable => format!("something else is changed: {text}"),
        Property::Invariant if text.contains("constraint ") => {
            format!("history constraint violated: {text}")
        }
        Property::Invariant if text.contains("initially ") => {
            format!("does not hold after construction: {text}")
        }
        Property::Invariant => format!("invariant broken at the end: {text}"),
        Property::LoopInvariant => format!("loop invariant violated: {text}"),
        Property::Decreases if text.starts_with("measured_by") => {
            format!("the measure of a recursion does not become smaller: {text}")
        }
        Property::Decreases => format!("loop variant violated: {text}"),
        Property::Accessible => format!("something else is read: {text}"),
        Property::Callable => format!("something else is called: {text}"),
        Property::Readable => format!("a field is read that is not readable here: {text}"),
        Property::Writable => format!("a field is assigned that is not writable here: {text}"),
        _ => format!("assertion violated: {text}"),
    };
    match &clause.note {
        Some(note) => format!("{what} ({note})"),
        None => what,
    }
}

/// The method as its author would call it: a lambda has no name of its own.
fn name(program: &Program, at: Point) -> String {
    let method = program.method(at.method);
    match method.name.strip_prefix("lambda$").and_then(|n| n.rsplit_once('$')) {
        Some((outer, _)) => format!("a lambda in {}.{outer}", program.class_name(method.class)),
        None => program.method_name(at.method),
    }
}

/// What goes on for too long.
pub fn cut(what: &str, limits: &Limits) -> String {
    let depth = limits.iterations;
    match what {
        "loop" => format!("a loop can run more than {depth} times"),
        _ if what.starts_with("loop in") => format!("{what} can run more than {depth} times"),
        _ if what.starts_with("recursion") => format!("{what} can go deeper than {depth}"),
        QUANTIFIER => format!("a quantifier can range over more than {depth} numbers"),
        _ if what.starts_with("the constructor") => what.to_string(),
        _ if what.starts_with("calls") => format!("{what} are not followed further"),
        other => format!("{other} than {} elements", limits.array_elements),
    }
}
