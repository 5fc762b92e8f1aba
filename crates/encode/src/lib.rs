//! From programs to formulas and back: executes a method symbolically within bounds, producing
//! circuits for what can go wrong, and turns a model of them into a concrete execution.
//!
//! Knows no solver and does no I/O. The pipeline: [`Engine::run`] → goals and constraints →
//! (somebody solves) → [`decode`] → [`execution::Execution`].

mod arrays;
pub mod atom;
pub mod bounds;
mod callees;
mod calls;
mod candidates;
mod canonical;
mod caught;
pub mod choices;
pub mod config;
mod constants;
mod cursor;
pub mod decode;
pub mod deferred;
pub mod effects;
mod engine;
mod exec;
pub mod execution;
pub mod experience;
mod facts;
mod fingerprint;
mod floating;
pub mod flow;
pub mod forest;
mod forget;
mod generics;
pub mod goal;
pub mod graph;
mod heap;
mod init;
pub mod inputs;
mod intrinsics;
mod known;
mod lasso;
mod late;
pub mod lengths;
mod memory;
mod modelled;
pub mod naming;
pub mod order;
mod outer;
pub mod portable;
mod radix;
mod reached;
mod rest;
mod run;
mod settle;
mod spec;
mod state;
mod step;
mod strings;
mod symmetry;
pub mod thrown;
mod trace;
mod unread;
pub mod value;
mod world;

pub use config::{Calls, Limits, Scope};
pub use engine::{Engine, Exhausted, NoOracle, Oracle, Subject};
pub use fingerprint::Fingerprint;
pub use goal::{Goal, Property};
pub use run::Report;
pub use spec::needs_code;
