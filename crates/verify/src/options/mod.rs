//! What the user chose for a check.

pub mod progress;
pub mod shelf;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use encode::goal::Property;
use encode::graph::Measure;
use encode::{Calls, Scope};

use progress::Watch;
use shelf::Shelf;

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

/// What the user chose.
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
    /// What makes a part hard: parts are to be equally hard.
    pub measure: Measure,
    /// What a method may take as a whole before it is asked whether dividing its paths would pay: conflicts times gates, which is
    /// about proportional to time.
    pub patience: u64,
    /// How much of the whole may be left of each part for that: looking ahead tells what is left once all else is folded.
    pub smaller: f64,
    /// What the solver may take before the inputs are gone through one by one, if they are few enough
    /// for that: conflicts times gates again. If not given, they never are.
    pub cases_after: Option<u64>,
    /// Shapes of an input that are few enough to be checked one by one, for each second that the solver has
    /// spent on the whole.
    pub shapes_per_second: f64,
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
    /// Whether what was found out about called methods is put to a fresh solver in the end.
    pub recheck: bool,
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
            measure: Measure::Folded,
            patience: 50_000_000,
            smaller: 0.75,
            cases_after: Some(20_000_000),
            shapes_per_second: 15.0,
            threads: 1,
            store: None,
            unchecked: BTreeSet::new(),
            routes: false,
            ends: true,
            recheck: false,
            watch: Watch::default(),
        }
    }
}
