//! Effort: counted work, in nanoseconds that it takes on an ordinary machine.
//!
//! What is tried next depends on what has been spent so far. If a clock said what that is, a method would go another way on
//! a slower machine, or beside other work, and come to other clauses, another trace, other statistics. So what is
//! done is counted: steps of the solver's search (CaDiCaL's *ticks*, about the cache lines that it looks at), gates,
//! steps of a walk. The rates below were measured once and only say what kinds of work are worth to each other;
//! that they are wrong by a factor on some machine does no harm.

use std::time::Duration;

/// What a tick of the solver takes, and what a clause that is given to it.
const TICK: u64 = 20;
const CLAUSE: u64 = 150;
/// What every question takes, however easy it is.
const QUESTION: u64 = 20_000;
/// What a conflict takes, for each gate of the formula.
const CONFLICT: u64 = 4;
/// What it takes to make a gate.
const GATE: u64 = 400;

/// Counted work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Effort(u64);

impl Effort {
    pub const ZERO: Effort = Effort(0);

    /// The work of so many milliseconds.
    pub const fn milliseconds(milliseconds: u64) -> Effort {
        Effort(milliseconds * 1_000_000)
    }

    /// The work of so many microseconds.
    pub const fn microseconds(microseconds: u64) -> Effort {
        Effort(microseconds * 1_000)
    }

    /// What would be done in a time.
    pub fn of(time: Duration) -> Effort {
        Effort(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX))
    }

    /// What it takes to make so many gates.
    pub fn of_gates(gates: usize) -> Effort {
        Effort(GATE.saturating_mul(gates as u64))
    }

    /// What a solver has done between two of its statistics, by one question.
    pub fn of_question(before: &sat::Statistics, after: &sat::Statistics) -> Effort {
        let ticks = after.ticks.saturating_sub(before.ticks).saturating_mul(TICK);
        let clauses = after.clauses.saturating_sub(before.clauses).saturating_mul(CLAUSE);
        Effort(QUESTION.saturating_add(ticks).saturating_add(clauses))
    }

    pub fn times(self, factor: f64) -> Effort {
        Effort((self.0 as f64 * factor) as u64)
    }

    /// How often the other is contained in this.
    pub fn divided_by(self, other: Effort) -> f64 {
        self.0 as f64 / other.0.max(1) as f64
    }

    pub fn seconds(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// How many conflicts there may be for this with a formula of so many gates; none if nothing is left.
    pub fn conflicts(self, gates: usize) -> Option<u64> {
        (self.0 > 0).then(|| (self.0 / (CONFLICT * gates.max(1) as u64)).max(1))
    }

    /// How many gates can be made for this.
    pub fn gates(self) -> usize {
        (self.0 / GATE) as usize
    }
}

impl std::ops::Add for Effort {
    type Output = Effort;

    fn add(self, other: Effort) -> Effort {
        Effort(self.0.saturating_add(other.0))
    }
}

impl std::ops::AddAssign for Effort {
    fn add_assign(&mut self, other: Effort) {
        *self = *self + other;
    }
}

impl std::ops::Sub for Effort {
    type Output = Effort;

    fn sub(self, other: Effort) -> Effort {
        Effort(self.0.saturating_sub(other.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_adds_up_and_never_wraps() {
        let second = Effort::milliseconds(1_000);
        assert_eq!(second, Effort::of(Duration::from_secs(1)));
        assert_eq!(second + second, second.times(2.0));
        assert_eq!(second - second - second, Effort::ZERO);
        let all = Effort::of(Duration::MAX);
        assert_eq!(all + second, all);
        assert_eq!(all.times(1e30), all);
        assert_eq!(Effort::of_gates(second.gates()), second);
        assert_eq!(Effort::microseconds(1_000_000).divided_by(second), 1.0);
    }

    #[test]
    fn a_question_counts_by_what_the_solver_did_for_it() {
        let at = |ticks, clauses| sat::Statistics { ticks, clauses, ..sat::Statistics::default() };
        let easy = Effort::of_question(&at(10, 5), &at(10, 5));
        let hard = Effort::of_question(&at(10, 5), &at(1_000, 5));
        let large = Effort::of_question(&at(10, 5), &at(10, 500));
        assert!(Effort::ZERO < easy && easy < hard && easy < large);
    }
}
