//! One-sentence descriptions of what was found.

use encode::Limits;
use encode::atom::Point;
use encode::goal::Property;
use ir::Program;

/// What went wrong.
pub fn violation(program: &Program, property: Property, at: Point, exception: &str) -> String {
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
        Property::Requires => format!("a precondition is violated by a call in {method}"),
        Property::Ensures => format!("a postcondition of {method} is violated"),
        Property::Signals => format!("an exception leaves {method} against its specification"),
        Property::SignalsOnly => format!("{simple} must not leave {method}"),
        Property::Assignable => format!("{method} changes what it must not change"),
        Property::Invariant => format!("an invariant is broken when {method} ends"),
        Property::LoopInvariant => format!("a loop invariant fails in {method}"),
        Property::Decreases => format!("a loop variant does not decrease in {method}"),
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
        _ if what.starts_with("calls") => format!("{what} are not followed further"),
        other => format!("{other} than {} elements", limits.array_elements),
    }
}
