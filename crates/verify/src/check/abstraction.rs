//! What is known of calls that are abstracted, in the current run.

use std::collections::BTreeMap;

use ir::MethodId;
use logic::{Circuit, Dependence, Lit};

/// Refinements of one method in one run after which it is better followed at once.
const OFTEN: u32 = 12;

/// A method, or a loop of it by its line.
pub(crate) type Abstracted = (MethodId, Option<u32>);

#[derive(Default)]
pub(crate) struct Abstraction {
    /// How often each method or loop has been refined.
    refined: BTreeMap<Abstracted, u32>,
    /// What depends on unknowns.
    pub unknown: Dependence,
}

impl Abstraction {
    /// Counts a refinement. If that was one too many for what is refined: all that was refined often.
    pub fn refine(&mut self, what: Abstracted) -> Vec<Abstracted> {
        let so_far = self.refined.entry(what).or_default();
        *so_far += 1;
        if *so_far <= OFTEN {
            return Vec::new();
        }
        let refined = std::mem::take(&mut self.refined).into_iter();
        refined.filter(|(_, times)| 2 * times > OFTEN).map(|(what, _)| what).collect()
    }

    /// Nothing has been refined by a new engine.
    pub fn forget_refinements(&mut self) {
        self.refined.clear();
    }

    /// Whether unknowns have a part in the value of a literal.
    pub fn is_behind(&self, lit: Lit) -> bool {
        self.unknown.on(lit)
    }

    /// A new run begins.
    pub fn begin(&mut self) {
        self.unknown = Dependence::default();
    }

    /// Takes note of gates that are new.
    pub fn extend(&mut self, circuit: &Circuit, is_unknown: impl Fn(u32) -> bool) {
        self.unknown.extend(circuit, is_unknown);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_refined_too_often_takes_along_what_is_refined_nearly_as_often() {
        let mut abstraction = Abstraction::default();
        let of = |index: u32, line: Option<u32>| (MethodId(index), line);
        for _ in 0..OFTEN {
            assert!(abstraction.refine(of(0, None)).is_empty());
        }
        for _ in 0..=OFTEN / 2 {
            assert!(abstraction.refine(of(1, Some(7))).is_empty());
        }
        assert!(abstraction.refine(of(2, None)).is_empty());
        assert_eq!(abstraction.refine(of(0, None)), [of(0, None), of(1, Some(7))]);
        // Then counting begins anew.
        assert!(abstraction.refine(of(0, None)).is_empty());
    }
}
