//! What the user chose for a check.

pub mod progress;
pub mod shelf;
mod tuning;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use encode::goal::Property;
use encode::{Calls, Scope};

use progress::Watch;
use shelf::Shelf;

pub use tuning::Tuning;

/// How far loops and recursion are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unroll {
    /// Exactly so many iterations.
    Fixed(u32),
    /// Deeper until nothing goes further, or the cap.
    Auto,
}

/// What may be longer than the scope says where constants of the code or of clauses ask for it: what nobody
/// has chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Growth {
    pub arrays: bool,
    pub strings: bool,
}

/// What the user chose: its fields are the options of the command line, and what the machine offers.
#[derive(Clone, Debug)]
pub struct Options {
    pub scope: Scope,
    pub growth: Growth,
    pub unroll: Unroll,
    pub timeout: Option<Duration>,
    /// Tells whether the machine has hardly any memory left; if nobody can, formulas are limited in size.
    pub memory: Option<fn() -> bool>,
    pub calls: Calls,
    /// Whether symmetric heaps are searched but once.
    pub symmetry: bool,
    /// Whether tight bounds are computed for inputs with invariants.
    pub bounds: bool,
    /// Whether numbers that are only compared are symbols of an order.
    pub order: bool,
    /// Parts that a method's paths are divided into; if not given, as many as it takes.
    pub split: Option<u32>,
    /// When a check turns to something else.
    pub tuning: Tuning,
    /// Threads for the parts of one method.
    pub threads: usize,
    /// Where tight bounds are kept, if anywhere.
    pub store: Option<Arc<Shelf>>,
    /// Properties that nobody wants to hear of.
    pub unchecked: BTreeSet<Property>,
    /// Whether a violation has to have a way there that a program can go, unless the author states which
    /// objects there are.
    pub routes: bool,
    /// Whether it is asked if executions go on beyond the bounds.
    pub ends: bool,
    /// Who is told what is being done, and may want an end.
    pub watch: Watch,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            scope: Scope::default(),
            growth: Growth::default(),
            unroll: Unroll::Auto,
            timeout: None,
            memory: None,
            calls: Calls::Inline,
            symmetry: true,
            bounds: true,
            order: true,
            split: None,
            tuning: Tuning::default(),
            threads: 1,
            store: None,
            unchecked: BTreeSet::new(),
            routes: false,
            ends: true,
            watch: Watch::default(),
        }
    }
}
