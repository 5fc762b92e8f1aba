//! What runs of a method teach about the calls in it: which are better followed at once, what they throw and
//! how much they make. Each is a reason to run the method again, and the next run starts with it.

use std::collections::{BTreeMap, BTreeSet};

use ir::{ClassId, MethodId};
use rustc_hash::FxHashMap;

use crate::deferred::Deferral;
use crate::effects::Effects;
use crate::engine::Engine;
use crate::forget::{MOST_ELEMENTS, Needs};
use crate::thrown::Thrown;

/// Objects of one class that are reserved for a call at most; one that makes more is inlined.
const MOST_RESERVED: usize = 8;
/// Elements of the arrays that are reserved for a call, all together.
const MOST_RESERVED_ELEMENTS: usize = 128;
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
}

impl Deferral {
    /// Run the method again, and follow every call of this one at once.
    pub fn inline(&mut self, method: MethodId) {
        self.learned.inlined.insert(method);
        self.wants_rerun = true;
    }

    pub fn is_inlined(&self, method: MethodId) -> bool {
        self.learned.inlined.contains(&method)
    }

    /// A call throws such exceptions, and somebody catches them: the next run considers that.
    pub fn note_thrown(&mut self, method: MethodId, thrown: Thrown) {
        let known = self.learned.throws.entry(method).or_default();
        self.wants_rerun |= known.insert(thrown);
        if known.len() > MOST_THROWN {
            self.inline(method);
        }
    }

    pub fn thrown_by(&self, method: MethodId) -> Vec<Thrown> {
        self.learned.throws.get(&method).into_iter().flatten().copied().collect()
    }

    /// A call has made more objects than were reserved for it.
    pub fn note_need(&mut self, method: MethodId, needed: BTreeMap<ClassId, usize>) {
        if needed.values().any(|n| *n > MOST_RESERVED) {
            return self.inline(method);
        }
        self.learned.needs.insert(method, needed);
        self.wants_rerun = true;
    }

    /// A call has made an array with more elements than were reserved for it.
    pub fn note_slots(&mut self, method: MethodId, needed: usize) {
        if needed > MOST_ELEMENTS {
            return self.inline(method);
        }
        self.learned.slots.insert(method, needed);
        self.wants_rerun = true;
    }

    /// Whether something that surely ends has gone beyond the bounds nevertheless.
    pub fn is_too_long(&self, method: MethodId, line: Option<u32>) -> bool {
        self.learned.too_long.contains(&(method, line))
    }

    /// Something that surely ends had to be followed beyond the bounds.
    pub fn note_too_long(&mut self, which: (MethodId, Option<u32>)) {
        self.learned.too_long.insert(which);
        self.wants_rerun = true;
    }

    /// Whether a loop has turned out to be better unrolled.
    pub fn is_unrolled(&self, method: MethodId, line: u32) -> bool {
        self.learned.unrolled.contains(&(method, line))
    }
}

impl Engine<'_> {
    /// Whether the method should be run again, with fewer calls deferred or more objects reserved.
    pub fn wants_rerun(&self) -> bool {
        self.deferral.wants_rerun
    }

    /// From the next run on no call of a method is deferred, unless it may call itself.
    pub fn follow_at_once(&mut self, method: MethodId) {
        let subject = self.subject();
        if !self.deferral.effects.of(subject, method).is_recursive {
            self.deferral.inline(method);
        }
    }

    /// From the next run on all rounds of a loop are followed at once.
    pub fn unroll_at_once(&mut self, method: MethodId, line: u32) {
        self.deferral.learned.unrolled.insert((method, line));
        self.deferral.wants_rerun = true;
    }

    /// What runs have taught about calls so far.
    pub fn experience(&self) -> Experience {
        self.deferral.learned.clone()
    }

    /// Makes use of what another engine has learned about the same method.
    pub fn learn(&mut self, experience: Experience) {
        self.deferral.learned = experience;
    }

    /// What to reserve for a call.
    pub(crate) fn needs(&mut self, method: MethodId, effects: &Effects) -> Needs {
        let known = self.deferral.learned.needs.get(&method).cloned();
        let subject = self.subject();
        let counted = known.unwrap_or_else(|| {
            let mut needs = self.deferral.effects.made_at_once(subject, method);
            needs.values_mut().for_each(|number| *number = (*number).min(MOST_RESERVED));
            needs
        });
        let number = |class: &ClassId| counted.get(class).copied().unwrap_or(1);
        let objects = effects.changes.makes.iter().map(|class| (*class, number(class))).collect();
        let few = (self.limits.array_elements as usize).min(MOST_ELEMENTS);
        let slots = self.deferral.learned.slots.get(&method).copied().unwrap_or(few);
        Needs { objects, slots }
    }

    /// Whether what a call makes is not too much to be reserved.
    pub(crate) fn has_room(&mut self, method: MethodId, effects: &Effects) -> bool {
        let needs = self.needs(method, effects);
        let is_array =
            |class: &ClassId| self.program.class(*class).is_ok_and(|c| c.element.is_some());
        let arrays = needs.objects.iter().filter(|n| is_array(n.0)).map(|n| n.1).sum::<usize>();
        arrays * needs.slots <= MOST_RESERVED_ELEMENTS
    }
}
