//! Why a path cannot happen: NEWTON (Ball & Rajamani, 2002) for any language.
//!
//! A front end says a program in small statements over terms (`program`, `term`). `simulate`
//! goes along a path on exact values; `explanation` says why a path cannot be taken, in predicates
//! that `abstraction` has checked to be enough, and `projection` which statements matter. The
//! crate knows no language and does no input or output.

pub mod abstraction;
mod exact;
pub mod explanation;
mod generalise;
pub mod inputs;
mod learned;
pub mod predicate;
mod preferred;
pub mod print;
pub mod program;
pub mod projection;
pub mod reach;
mod scope;
pub mod simulate;
mod step;
pub mod store;
pub mod tell;
pub mod term;
pub mod words;
