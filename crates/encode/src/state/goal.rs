//! What a run of the encoder asks the solver about: violations, unsupported constructs, and
//! executions that were cut off.

use std::collections::BTreeMap;
use std::fmt;

use logic::{Circuit, Lit};
use serde::{Deserialize, Serialize};
use spec::core::Site;

use crate::state::atom::Point;

/// What is cut off where a clause ranges over more numbers than are tried: nothing of the execution is.
pub const QUANTIFIER: &str = "quantifier";

/// What can be violated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Property {
    NullDereference,
    ArrayIndex,
    NegativeArraySize,
    ArrayStore,
    ClassCast,
    DivisionByZero,
    Assert,
    UncaughtException,
    Requires,
    Ensures,
    Signals,
    SignalsOnly,
    Assignable,
    Invariant,
    LoopInvariant,
    Decreases,
    Accessible,
    Callable,
    Readable,
    Writable,
    /// An execution comes back to a state it was in.
    NonTermination,
}

impl Property {
    /// All of them, in the order of reports.
    pub const ALL: [Property; 21] = [
        Property::NullDereference,
        Property::ArrayIndex,
        Property::NegativeArraySize,
        Property::ArrayStore,
        Property::ClassCast,
        Property::DivisionByZero,
        Property::Assert,
        Property::UncaughtException,
        Property::Requires,
        Property::Ensures,
        Property::Signals,
        Property::SignalsOnly,
        Property::Assignable,
        Property::Invariant,
        Property::LoopInvariant,
        Property::Decreases,
        Property::Accessible,
        Property::Callable,
        Property::Readable,
        Property::Writable,
        Property::NonTermination,
    ];

    /// The property of this name.
    pub fn named(name: &str) -> Option<Property> {
        Property::ALL.into_iter().find(|property| property.name() == name)
    }

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Property::NullDereference => "null-dereference",
            Property::ArrayIndex => "array-index",
            Property::NegativeArraySize => "negative-array-size",
            Property::ArrayStore => "array-store",
            Property::ClassCast => "class-cast",
            Property::DivisionByZero => "division-by-zero",
            Property::Assert => "assert",
            Property::UncaughtException => "uncaught-exception",
            Property::Requires => "requires",
            Property::Ensures => "ensures",
            Property::Signals => "signals",
            Property::SignalsOnly => "signals_only",
            Property::Assignable => "assignable",
            Property::Invariant => "invariant",
            Property::LoopInvariant => "loop_invariant",
            Property::Decreases => "decreases",
            Property::Accessible => "accessible",
            Property::Callable => "callable",
            Property::Readable => "readable",
            Property::Writable => "writable",
            Property::NonTermination => "non-termination",
        }
    }

    /// Whether it is about a clause of a specification, not about what the JVM does.
    pub fn is_about_clause(self) -> bool {
        self != Property::Assert && self.exception() == Property::Assert.exception()
    }

    /// The exception that the JVM raises for it (or would, if it knew specifications).
    pub fn exception(self) -> &'static str {
        match self {
            Property::NullDereference => "java.lang.NullPointerException",
            Property::ArrayIndex => "java.lang.ArrayIndexOutOfBoundsException",
            Property::NegativeArraySize => "java.lang.NegativeArraySizeException",
            Property::ArrayStore => "java.lang.ArrayStoreException",
            Property::ClassCast => "java.lang.ClassCastException",
            Property::DivisionByZero => "java.lang.ArithmeticException",
            Property::Assert
            | Property::Requires
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
            | Property::Writable => "java.lang.AssertionError",
            // No exception belongs to it.
            Property::UncaughtException | Property::NonTermination => "java.lang.Throwable",
        }
    }
}

impl fmt::Display for Property {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One kind of thing that may be reached. Goals that are equal are one goal, whose literal is
/// the disjunction.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Goal {
    /// A violated property at a point of given code; the exception's class for
    /// `uncaught-exception`.
    Violation { property: Property, at: Point, exception: String },
    /// A violated clause of a specification; `at` is where it shows, with line 0 for the end of
    /// the checked method.
    Broken { property: Property, site: Site, at: Point },
    /// A part of a specification that cannot be decided.
    Unspecified { what: String },
    /// A construct without a model: the execution is not followed further.
    Unsupported { what: String, at: Option<Point> },
    /// An execution that goes on beyond the bounds of this run.
    Cut { what: String, at: Option<Point> },
}

/// The goals of a run with the literals that say that they are reached.
#[derive(Default)]
pub struct Goals {
    reached: BTreeMap<Goal, Lit>,
}

impl Goals {
    /// Adds a way to reach `goal`.
    pub fn add(&mut self, circuit: &mut Circuit, goal: Goal, lit: Lit) {
        if lit == Lit::FALSE {
            return;
        }
        let entry = self.reached.entry(goal).or_insert(Lit::FALSE);
        *entry = circuit.or(*entry, lit);
    }

    /// All goals in a fixed order.
    pub fn iter(&self) -> impl Iterator<Item = (&Goal, Lit)> {
        self.reached.iter().map(|(g, l)| (g, *l))
    }
}
