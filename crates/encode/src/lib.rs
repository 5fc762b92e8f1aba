//! From programs to formulas and back: executes a method symbolically within bounds, producing
//! circuits for what can go wrong, and turns a model of them into a concrete execution.
//!
//! Knows no solver and does no I/O. The pipeline: [`Engine::run`] → goals and constraints →
//! (somebody solves) → [`decode`] → [`execution::Execution`].

mod code;
pub mod config;
pub mod decode;
pub mod deferred;
mod engine;
mod exec;
pub mod graph;
mod input;
mod intrinsics;
mod layout;
mod spec;
mod state;

pub use code::{Subject, callees, effects, flow, lengths};
pub use config::{Calls, Limits, Objects, Scope};
pub use decode::execution;
pub use engine::experience;
pub use engine::layout as bounds;
pub use engine::{Engine, Exhausted, NoOracle, Oracle, Possibility};
pub use exec::run::Report;
pub use input::{choices, order};
pub use layout::fingerprint::Fingerprint;
pub use layout::{forest, portable};
pub use spec::needs_code;
pub use state::goal::{Goal, Property};
pub use state::{atom, goal, leaves as inputs, value};
