//! What the questions of a round may cost.
//!
//! Nobody can say beforehand how long a question takes, and the clock must not decide what is tried next: the
//! same input would be checked in another way on another machine. So the solver's conflicts are counted.
//! A conflict costs more the larger the formula is: *work* is conflicts times gates, which is about
//! proportional to time.

/// Conflicts that are left, if they are limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Budget(Option<u64>);

impl Budget {
    pub const UNLIMITED: Budget = Budget(None);

    pub fn of(conflicts: Option<u64>) -> Budget {
        Budget(conflicts)
    }

    /// The conflicts that so much work is with a formula of so many gates, and no more than there are here.
    pub fn within(self, work: Option<u64>, gates: usize) -> Budget {
        let conflicts = work.map(|work| (work / gates.max(1) as u64).max(1));
        Budget(self.0.into_iter().chain(conflicts).min())
    }

    /// Once a question has cost so much. There is always something left for a question that is trivial:
    /// whoever gets no answer stops by itself.
    pub fn spend(&mut self, conflicts: u64) {
        if let Some(left) = &mut self.0 {
            *left = left.saturating_sub(conflicts).max(1);
        }
    }

    pub fn left(self) -> Option<u64> {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_becomes_conflicts_by_the_size_of_the_formula() {
        let gates = 1_000;
        assert_eq!(Budget::UNLIMITED.within(None, gates), Budget::UNLIMITED);
        assert_eq!(Budget::UNLIMITED.within(Some(50_000), gates).left(), Some(50));
        assert_eq!(Budget::UNLIMITED.within(Some(1), gates).left(), Some(1));
        assert_eq!(Budget::of(Some(7)).within(Some(50_000), gates).left(), Some(7));
        assert_eq!(Budget::of(Some(70)).within(Some(50_000), gates).left(), Some(50));
        assert_eq!(Budget::UNLIMITED.within(Some(3), 0).left(), Some(3));
    }

    /// Whatever is spent in whatever order: never more than there was, and never nothing.
    #[test]
    fn what_is_spent_is_gone_and_one_conflict_is_always_left() {
        for start in 1..40_u64 {
            for spent in [[0, 0, 0], [1, 2, 3], [39, 1, 1], [100, 0, 5], [start, start, start]] {
                let mut budget = Budget::of(Some(start));
                spent.iter().for_each(|conflicts| budget.spend(*conflicts));
                let all: u64 = spent.iter().sum();
                assert_eq!(budget.left(), Some(start.saturating_sub(all).max(1)));
            }
        }
        let mut unlimited = Budget::UNLIMITED;
        unlimited.spend(u64::MAX);
        assert_eq!(unlimited.left(), None);
    }
}
