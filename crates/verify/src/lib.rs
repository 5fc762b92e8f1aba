//! Strategies: what to run and what to ask so that a method gets its verdict.
//!
//! [`check`] drives one method (encode, solve, decode, judge, deepen); [`schedule`] runs many in
//! parallel. The verdict is decided here and nowhere else; reports only show it. No I/O: the JVM
//! that judges counterexamples comes in as a [`Judge`].

mod abstracted;
mod alarm;
mod cases;
pub mod check;
pub mod enumerate;
mod evaluate;
mod findings;
mod infer;
mod inferred;
mod lever;
mod longer;
mod message;
mod minimise;
mod options;
pub mod progress;
pub mod result;
pub mod schedule;
pub mod select;
mod shapes;
pub mod solving;
mod specification;
mod split;
mod stage;
pub mod store;
pub mod tighten;
mod vacuity;

pub use encode::execution;
pub use encode::goal::Property;
pub use encode::graph::Measure;
pub use encode::{Calls, Subject};
pub use logic::Cancel;
pub use spec::core::NON_NULL_BY_DEFAULT;

pub use check::check_method;
pub use inferred::InferredSpec;
pub use lever::Lever;
pub use options::{Growth, Options, Unroll};
pub use progress::{Activity, Listener, Watch};
pub use result::{
    Accepted, AcceptedBy, Cause, Judge, Longer, MethodResult, Replay, Review, Stats, Verdict,
    ViolatedClause, Violation,
};
pub use schedule::check_all;
