//! The bounds of a run: which inputs exist, and how far executions are followed.

use std::collections::BTreeMap;
use std::time::Instant;

use logic::Cancel;

use crate::code::effects::Failures;

/// Which input heaps are considered. Part of every verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    /// Most input objects of each class that is not named below.
    pub objects: u32,
    /// Most input objects by Java class name; a simple name fits any package.
    pub per_class: BTreeMap<String, u32>,
    /// Longest input array.
    pub array_length: u32,
    /// Longest input string.
    pub string_length: u32,
    /// Width to which input ints and longs are restricted.
    pub int_bits: u32,
    /// Unannotated reference parameters.
    pub nullable_parameters: bool,
}

impl Default for Scope {
    fn default() -> Scope {
        Scope {
            objects: 3,
            per_class: BTreeMap::new(),
            array_length: 3,
            string_length: 5,
            int_bits: 32,
            nullable_parameters: false,
        }
    }
}

impl Scope {
    /// Most input objects of any class.
    pub fn most_objects(&self) -> u32 {
        self.per_class.values().copied().fold(self.objects, u32::max)
    }

    /// Most input objects of the class with this Java name.
    pub fn of(&self, class: &str) -> u32 {
        let found = self.per_class.get(class).or_else(|| {
            let dotted = class.rsplit('.').next().unwrap_or(class);
            self.per_class.get(dotted).or_else(|| self.per_class.get(ir::program::simple(class)))
        });
        found.copied().unwrap_or(self.objects)
    }
}

/// What a call is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Calls {
    /// The code of the callee; its contract only where there is no code.
    #[default]
    Inline,
    /// The contract of the callee, where it has one.
    Contract,
    /// What the callee may change, and as much of its code as turns out to matter. Methods without
    /// calls of at most `small` instructions are inlined. A model is examined along what its
    /// violation rests on if `relevant_first`, else call by call as they are executed.
    Infer { small: u32, relevant_first: bool },
}

impl Calls {
    /// Called methods are abstracted, and refined where that matters.
    pub const INFER: Calls = Calls::Infer { small: 12, relevant_first: true };
}

/// Where the objects of the input come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Objects {
    /// Any heap in the scope that satisfies what is stated of it.
    #[default]
    Arbitrary,
    /// What a constructor and so many calls make.
    Made { calls: u32 },
}

/// How far executions are followed before they are cut off. Its fields have nothing to do with each other: each is
/// one thing at which a run ends or differs.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Iterations of a loop whose guard is not constant.
    pub iterations: u32,
    /// Nested activations of one method whose guard is not constant.
    pub recursion: u32,
    /// Writable elements of an allocated array whose length is not constant.
    pub array_elements: u32,
    /// Nested calls of any kind.
    pub call_depth: u32,
    /// Instructions executed under a condition that is not constant.
    pub instructions: u64,
    /// Instructions executed in all, those of class initialisers and constant loops included.
    pub constant_instructions: u64,
    /// Gates of the circuit: about 60 bytes each, with the solver's share.
    pub gates: usize,
    /// Gates with which a run stops as if its time were over, so that what it has found by then can still be asked
    /// about.
    pub gates_in_time: usize,
    pub deadline: Option<Instant>,
    /// Set by another thread to stop the run.
    pub cancel: Cancel,
    pub calls: Calls,
    /// The ends of executions that are asked about.
    pub asked: Failures,
    /// Whether a loop that is about to be cut off is asked whether it goes round in a circle.
    pub circles: bool,
    /// Where the objects of the input come from.
    pub objects: Objects,
    /// Whether heaps that differ only in the names of objects are searched but once.
    pub symmetry: bool,
    /// Whether an input with invariants is laid out at once, each heap exactly once.
    pub canonical: bool,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            iterations: 16,
            recursion: 16,
            array_elements: 16,
            call_depth: 300,
            instructions: 200_000,
            constant_instructions: 20_000_000,
            gates: 20_000_000,
            gates_in_time: usize::MAX,
            deadline: None,
            cancel: Cancel::default(),
            calls: Calls::Inline,
            asked: Failures::ALL,
            circles: true,
            objects: Objects::Arbitrary,
            symmetry: true,
            canonical: true,
        }
    }
}

impl Limits {
    /// Whether the time is used up, or somebody wants an end.
    pub fn is_over(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline) || self.cancel.is_set()
    }
}
