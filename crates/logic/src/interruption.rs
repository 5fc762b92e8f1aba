//! The way out of long work on a circuit.
//!
//! Whatever an encoder does comes back to the circuit again and again, so the circuit looks whether an end is
//! wanted, and unwinds if it is. The alternative, a test of the flag in every loop of the encoder, is in a
//! hundred places and missing in the next one. No panic hook hears of it, and only [`unless_interrupted`]
//! catches it.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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

/// A flag that another thread sets to end the work; without one there is no end but the natural.
#[derive(Clone, Default)]
pub(crate) struct Interruption(Option<Arc<AtomicBool>>);

impl Interruption {
    pub fn by(flag: Arc<AtomicBool>) -> Interruption {
        Interruption(Some(flag))
    }

    /// Goes on, or unwinds.
    #[inline]
    pub fn heed(&self) {
        if self.0.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            resume_unwind(Box::new(Interrupted));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Circuit, Cnf, Lit};

    /// A circuit that is interrupted from now on, and a gate of it.
    fn interrupted() -> (Circuit, Lit, Lit) {
        let mut circuit = Circuit::new();
        let flag = Arc::new(AtomicBool::new(false));
        circuit.interrupt_by(flag.clone());
        let (a, b) = (circuit.input(), circuit.input());
        let gate = circuit.and(a, b);
        flag.store(true, Ordering::Relaxed);
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
    fn other_panics_go_on() {
        let panic = catch_unwind(|| unless_interrupted(|| resume_unwind(Box::new("other"))));
        assert_eq!(panic.map(|done: Option<()>| done).unwrap_err().downcast_ref(), Some(&"other"));
    }
}
