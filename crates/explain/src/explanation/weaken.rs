//! Weaker predicates for the same contradiction (section 5): that a status is not the one that is asked
//! for, rather than which one it is. The weaker one refutes other paths too.

use super::search::Search;
use crate::abstraction::Bit;
use crate::predicate::Predicate;
use crate::program::Op;
use crate::term::{Binary, Term, TermId, Terms, Unary};
use crate::words::Words;
use std::collections::BTreeSet;

impl Search<'_, '_> {
    /// Says of places that are known to be one constant only that they are not another one, which the
    /// path asks about, as far as that is sufficient: of all places with a value together, or one by
    /// one.
    pub(super) fn weaken(
        &self,
        terms: &mut Terms,
        words: &mut Words,
        (mut predicates, mut known): (Vec<Predicate>, Vec<BTreeSet<Bit>>),
    ) -> (Vec<Predicate>, Vec<BTreeSet<Bit>>) {
        for asked in self.constants_asked_for(terms) {
            let fitting: Vec<usize> = (0..predicates.len())
                .filter(|&at| self.weaker(terms, &predicates[at], asked).is_some())
                .collect();
            let mut attempts = vec![fitting.clone()];
            if fitting.len() > 1 {
                attempts.extend(fitting.into_iter().map(|one| vec![one]));
            }
            for attempt in attempts.into_iter().filter(|attempt| !attempt.is_empty()) {
                let mut weaker = predicates.clone();
                for at in attempt {
                    if let Some(term) = self.weaker(terms, &predicates[at], asked) {
                        weaker[at].term = term;
                    }
                }
                if let Some(after) = self.refutes(terms, words, &weaker) {
                    (predicates, known) = (weaker, after);
                    break;
                }
            }
        }
        (predicates, known)
    }

    /// `place != asked` for a predicate `place == value`.
    fn weaker(&self, terms: &mut Terms, predicate: &Predicate, asked: TermId) -> Option<TermId> {
        let Term::Binary { operation: Binary::Equal, left, right } = terms.get(predicate.term)
        else {
            return None;
        };
        let (value, other) = (terms.constant(right)?, terms.constant(asked)?);
        let differs = terms.width(right) == terms.width(asked) && value != other;
        differs.then(|| {
            let same = terms.equal(left, asked);
            terms.not(same)
        })
    }

    /// The constants that assumptions of the contradiction compare with for equality.
    fn constants_asked_for(&self, terms: &Terms) -> Vec<TermId> {
        let mut found = Vec::new();
        for &step in self.steps.iter().rev() {
            let Op::Assume(mut condition) = self.path.steps[step].op else { continue };
            if let Term::Unary { operation: Unary::Not, of } = terms.get(condition) {
                condition = of;
            }
            if let Term::Binary { operation: Binary::Equal, right, .. } = terms.get(condition)
                && terms.constant(right).is_some()
                && !found.contains(&right)
            {
                found.push(right);
            }
        }
        found
    }
}
