//! The way out of long work on a circuit.
//!
//! Whatever an encoder does comes back to the circuit again and again, so the circuit looks whether an end is
//! wanted, and unwinds if it is. The alternative, a test of the flag in every loop of the encoder, is in a
//! hundred places and missing in the next one. No panic hook hears of it, and only [`unless_interrupted`]
//! catches it.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether an end is wanted: a flag that all its clones share. One that was made for a part of the work
/// also ends with the whole.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<Flag>);

#[derive(Debug, Default)]
struct Flag {
    is_set: AtomicBool,
    whole: Option<Cancel>,
}

impl Cancel {
    /// One for a part of this work.
    pub fn part(&self) -> Cancel {
        Cancel(Arc::new(Flag { is_set: AtomicBool::new(false), whole: Some(self.clone()) }))
    }

    pub fn set(&self) {
        self.0.is_set.store(true, Ordering::Relaxed);
    }

    #[inline]
    pub fn is_set(&self) -> bool {
        self.0.is_set.load(Ordering::Relaxed) || self.0.whole.as_ref().is_some_and(Cancel::is_set)
    }

    /// Goes on, or unwinds.
    #[inline]
    pub(crate) fn heed(&self) {
        if self.is_set() {
            resume_unwind(Box::new(Interrupted));
        }
    }
}

/// What an interruption unwinds with.
#[derive(Debug)]
pub struct Interrupted;

/// Does the work; `None` if it was interrupted. What the work was changing may then be half changed, and the
/// circuit with all that was made of it is of no use any more.
pub fn unless_interrupted<T>(work: impl FnOnce() -> T) -> Option<T> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(done) => Some(done),
        Err(panic) if panic.is::<Interrupted>() => None,
        Err(panic) => resume_unwind(panic),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Circuit, Cnf, Lit};

    /// A circuit that is interrupted from now on, and a gate of it.
    fn interrupted() -> (Circuit, Lit, Lit) {
        let mut circuit = Circuit::new();
        let whole = Cancel::default();
        circuit.interrupt_by(whole.part());
        let (a, b) = (circuit.input(), circuit.input());
        let gate = circuit.and(a, b);
        whole.set();
        (circuit, a, gate)
    }

    #[test]
    fn gates_and_clauses_end_with_an_interruption() {
        let (mut circuit, a, gate) = interrupted();
        assert_eq!(unless_interrupted(|| circuit.and(Lit::TRUE, a)), Some(a));
        assert_eq!(unless_interrupted(|| circuit.xor(a, gate)), None);
        let convert = || Cnf::new().require(&circuit, gate, &mut |_| {});
        assert_eq!(unless_interrupted(convert), None);
        let assert = || Cnf::new().assert(&circuit, gate, &mut |_| {});
        assert_eq!(unless_interrupted(assert), None);
    }

    #[test]
    fn a_part_ends_with_the_whole_and_not_the_other_way() {
        let whole = Cancel::default();
        let (one, two) = (whole.part(), whole.part());
        one.set();
        assert!(one.clone().is_set() && !two.is_set() && !whole.is_set());
        whole.set();
        assert!(two.part().is_set());
    }

    #[test]
    fn other_panics_go_on() {
        let panic = catch_unwind(|| unless_interrupted(|| resume_unwind(Box::new("other"))));
        assert_eq!(panic.map(|done: Option<()>| done).unwrap_err().downcast_ref(), Some(&"other"));
    }
}
