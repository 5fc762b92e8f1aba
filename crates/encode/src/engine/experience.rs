//! What runs of a method teach about the calls in it: which are better followed at once, what they throw and
//! how much they make. Each is a reason to run the method again, and the next run starts with it.

use std::collections::{BTreeMap, BTreeSet};

use ir::{ClassId, MethodId};
use rustc_hash::FxHashMap;

use crate::engine::deferral::{MOST_ELEMENTS, Thrown};

/// Objects of one class that are reserved for a call at most; one that makes more is inlined.
pub(crate) const MOST_RESERVED: usize = 8;
/// Exceptions of a callee that are told apart at most; one that throws more is inlined.
const MOST_THROWN: usize = 8;

/// What earlier runs of a method have taught about the calls in it.
#[derive(Clone, Default)]
pub struct Experience {
    /// Methods that are better followed at once. Those that leave constants behind: they are worth
    /// more than an unknown, because code folds that depends on them. Those that throw what
    /// somebody catches, or make too many objects.
    inlined: BTreeSet<MethodId>,
    /// The exceptions of methods that somebody has caught.
    throws: FxHashMap<MethodId, BTreeSet<Thrown>>,
    /// How many objects a method has needed.
    needs: FxHashMap<MethodId, BTreeMap<ClassId, usize>>,
    /// How many elements the arrays that a method makes have needed.
    slots: FxHashMap<MethodId, usize>,
    /// Loops, by their lines, that are better unrolled at once.
    unrolled: BTreeSet<(MethodId, u32)>,
    /// Methods, and loops by their lines, that surely end but had to be followed beyond the bounds.
    too_long: BTreeSet<(MethodId, Option<u32>)>,
    /// Whether the current run has added anything.
    is_news: bool,
}

impl Experience {
    /// Run the method again, and follow every call of this one at once.
    pub fn inline(&mut self, method: MethodId) {
        self.inlined.insert(method);
        self.is_news = true;
    }

    pub fn is_inlined(&self, method: MethodId) -> bool {
        self.inlined.contains(&method)
    }

    /// A call throws such exceptions, and somebody catches them: the next run considers that.
    pub fn note_thrown(&mut self, method: MethodId, thrown: Thrown) {
        let known = self.throws.entry(method).or_default();
        self.is_news |= known.insert(thrown);
        if known.len() > MOST_THROWN {
            self.inline(method);
        }
    }

    pub fn thrown_by(&self, method: MethodId) -> Vec<Thrown> {
        self.throws.get(&method).into_iter().flatten().copied().collect()
    }

    /// A call has made more objects than were reserved for it.
    pub fn note_need(&mut self, method: MethodId, needed: BTreeMap<ClassId, usize>) {
        if needed.values().any(|n| *n > MOST_RESERVED) {
            return self.inline(method);
        }
        self.needs.insert(method, needed);
        self.is_news = true;
    }

    /// A call has made an array with more elements than were reserved for it.
    pub fn note_slots(&mut self, method: MethodId, needed: usize) {
        if needed > MOST_ELEMENTS {
            return self.inline(method);
        }
        self.slots.insert(method, needed);
        self.is_news = true;
    }

    /// Whether something that surely ends has gone beyond the bounds nevertheless.
    pub fn is_too_long(&self, method: MethodId, line: Option<u32>) -> bool {
        self.too_long.contains(&(method, line))
    }

    /// Something that surely ends had to be followed beyond the bounds.
    pub fn note_too_long(&mut self, which: (MethodId, Option<u32>)) {
        self.too_long.insert(which);
        self.is_news = true;
    }

    /// Whether a loop has turned out to be better unrolled.
    pub fn is_unrolled(&self, method: MethodId, line: u32) -> bool {
        self.unrolled.contains(&(method, line))
    }

    /// A run begins: what it adds is news.
    pub fn begin_run(&mut self) {
        self.is_news = false;
    }

    /// Whether the current run has added anything: then the method is better run again.
    pub fn is_news(&self) -> bool {
        self.is_news
    }

    /// Run the method again, and unroll this loop at once.
    pub fn unroll(&mut self, method: MethodId, line: u32) {
        self.unrolled.insert((method, line));
        self.is_news = true;
    }

    /// How many objects and array elements a method has needed, if that is known.
    pub fn needs(&self, method: MethodId) -> (Option<&BTreeMap<ClassId, usize>>, Option<usize>) {
        (self.needs.get(&method), self.slots.get(&method).copied())
    }
}
