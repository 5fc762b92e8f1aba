//! What runs of a method teach about the calls in it: which are better followed at once, what they throw and
//! how much they make. Each is a reason to run the method again, and the next run starts with it.

use ir::{ClassId, MethodId};

use crate::code::effects::Effects;
use crate::engine::Engine;
use crate::engine::deferral::{MOST_ELEMENTS, Needs};
use crate::engine::experience::{Experience, MOST_RESERVED};

/// Elements of the arrays that are reserved for a call, all together.
const MOST_RESERVED_ELEMENTS: usize = 128;

impl Engine<'_> {
    /// Whether the method should be run again, with fewer calls deferred or more objects reserved.
    pub fn wants_rerun(&self) -> bool {
        self.analyses.learned.is_news()
    }

    /// From the next run on no call of a method is deferred, unless it may call itself.
    pub fn follow_at_once(&mut self, method: MethodId) {
        let subject = self.subject();
        if !self.analyses.effects.of(subject, method).is_recursive {
            self.analyses.learned.inline(method);
        }
    }

    /// From the next run on all rounds of a loop are followed at once.
    pub fn unroll_at_once(&mut self, method: MethodId, line: u32) {
        self.analyses.learned.unroll(method, line);
    }

    /// What runs have taught about calls so far.
    pub fn experience(&self) -> Experience {
        self.analyses.learned.clone()
    }

    /// Makes use of what another engine has learned about the same method.
    pub fn learn(&mut self, experience: Experience) {
        self.analyses.learned = experience;
    }

    /// What to reserve for a call.
    pub(crate) fn needs(&mut self, method: MethodId, effects: &Effects) -> Needs {
        let (known, slots) = self.analyses.learned.needs(method);
        let known = known.cloned();
        let subject = self.subject();
        let counted = known.unwrap_or_else(|| {
            let mut needs = self.analyses.effects.made_at_once(subject, method);
            needs.values_mut().for_each(|number| *number = (*number).min(MOST_RESERVED));
            needs
        });
        let number = |class: &ClassId| counted.get(class).copied().unwrap_or(1);
        let objects = effects.changes.makes.iter().map(|class| (*class, number(class))).collect();
        let few = (self.run.limits.array_elements as usize).min(MOST_ELEMENTS);
        let slots = slots.unwrap_or(few);
        Needs { objects, slots }
    }

    /// Whether what a call makes is not too much to be reserved.
    pub(super) fn has_room(&mut self, method: MethodId, effects: &Effects) -> bool {
        let needs = self.needs(method, effects);
        let is_array =
            |class: &ClassId| self.program.class(*class).is_ok_and(|c| c.element.is_some());
        let arrays = needs.objects.iter().filter(|n| is_array(n.0)).map(|n| n.1).sum::<usize>();
        arrays * needs.slots <= MOST_RESERVED_ELEMENTS
    }
}
