//! When a solve must stop without an answer.

use std::time::Instant;

use logic::Cancel;

/// What one solve may spend. The default is no limit at all.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// The time at which to give up.
    pub deadline: Option<Instant>,
    /// The number of conflicts after which to give up.
    pub conflicts: Option<u64>,
    /// Set by another thread to stop the solve.
    pub cancel: Cancel,
}

impl Limits {
    /// Why a solve that is asked or running now must stop, if it must. The
    /// conflict limit is the solver's own business.
    pub fn exceeded(&self) -> Option<Stop> {
        if self.cancel.is_set() {
            return Some(Stop::Cancelled);
        }
        let late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        late.then_some(Stop::Deadline)
    }
}

/// Why a solve ended without an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The deadline passed.
    Deadline,
    /// The conflicts were used up.
    Conflicts,
    /// Another thread asked for it.
    Cancelled,
}
