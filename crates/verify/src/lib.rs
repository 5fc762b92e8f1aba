//! Strategies: what to run and what to ask so that a method gets its verdict.
//!
//! [`ladder`](ladder/mod.rs) drives one method; [`schedule`] runs many in parallel. The verdict is
//! decided here and nowhere else; reports only show it. No I/O: the JVM that judges counterexamples
//! comes in as a [`Judge`].
//!
//! The rooms, each of which may use those above it only:
//!
//! - `pool`: threads with large stacks
//! - `result`: what a check comes to
//! - `options`: what the user chose, whom to tell, where bounds are kept
//! - `solving`: the solver of one method, and the oracle that asks it
//! - `bounds`: tight bounds of an input
//! - `check`: one method, its engine, and what is found about it
//! - `strategy`: what is tried when the solver does not get through
//! - `invariants`: what the code keeps by itself, found before methods are checked
//! - `ladder`: which of these is tried when
//! - `run`: many methods

mod bounds;
mod check;
pub mod invariants;
mod ladder;
mod options;
pub mod pool;
pub mod result;
mod run;
pub mod solving;
mod strategy;

pub use encode::execution;
pub use encode::goal::Property;
pub use encode::graph::Measure;
pub use encode::{Calls, Subject};
pub use logic::Cancel;
pub use spec::core::NON_NULL_BY_DEFAULT;

pub use bounds::{enumerate, store, tighten};
pub use ladder::check_method;
pub use options::progress::{self, Activity, Listener, Watch};
pub use options::{Growth, Options, Tuning, Unroll};
pub use result::inferred::InferredSpec;
pub use result::lever::Lever;
pub use result::{
    Accepted, AcceptedBy, Assumed, Cause, Judge, Longer, MethodResult, Replay, Review, Severity,
    Stats, Verdict, ViolatedClause, Violation,
};
pub use run::schedule::check_all;
pub use run::{schedule, select};
