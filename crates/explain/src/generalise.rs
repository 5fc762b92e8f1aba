//! Predicates that no single path asks for: so that a counting loop does not need one for each
//! iteration.
//!
//! When an explanation says something of a place that earlier ones have said something else of
//! (`i == 0`, then `i == 1`), the place is *counting*, and these are added for it: its comparisons
//! in the program, and their weak forms (`i <= n` beside `i < n`); bounds by the first constant
//! that was seen (`i >= 0`); equalities with other places that are counting, also with a distance of
//! one; and its parity. Two places that were constant at the same time, twice, get the line through
//! both points (`s == 2 * i`).

use crate::abstraction::Bit;
use crate::explanation::Explanation;
use crate::predicate::Predicate;
use crate::program::{Op, ProcId, Program, Space};
use crate::term::{Binary, Term, TermId, Terms, Unary, signed};
use std::collections::{BTreeMap, BTreeSet};

/// What has been seen of places.
pub struct Templates {
    /// The comparisons of the program, with the procedure they stand in.
    comparisons: Vec<(ProcId, TermId)>,
    /// The places that explanations have equated with something, and the constants among these.
    seen: BTreeMap<(Option<ProcId>, TermId), BTreeSet<TermId>>,
    counting: BTreeSet<(Option<ProcId>, TermId)>,
    /// The constants that two places have had at the same time.
    points: BTreeMap<(Place, Place), BTreeSet<(i64, i64)>>,
}

/// A place as some procedure says it.
type Place = (Option<ProcId>, TermId);

/// More points of one pair say nothing new.
const MOST_POINTS: usize = 4;

impl Templates {
    /// Nothing seen so far.
    pub fn new(program: &Program) -> Templates {
        let mut comparisons = Vec::new();
        for (number, procedure) in program.procedures.iter().enumerate() {
            for edge in procedure.nodes.iter().flat_map(|node| &node.edges) {
                if let Op::Assume(condition) = edge.op {
                    comparisons.push((ProcId(number as u32), condition));
                }
            }
        }
        comparisons.sort();
        comparisons.dedup();
        let (seen, counting, points) = (BTreeMap::new(), BTreeSet::new(), BTreeMap::new());
        Templates { comparisons, seen, counting, points }
    }

    /// The predicates to add beside those of an explanation.
    pub fn for_explanation(
        &mut self,
        terms: &mut Terms,
        space: &Space,
        explanation: &Explanation,
        _number: usize,
    ) -> Vec<Predicate> {
        let mut made = self.lines(terms, space, explanation);
        let mut new = Vec::new();
        // That a place is not something says nothing of where it is going.
        let differs = |terms: &Terms, term| match terms.get(term) {
            Term::Unary { operation: Unary::Not, of } => {
                matches!(terms.get(of), Term::Binary { operation: Binary::Equal, .. })
            }
            _ => false,
        };
        for predicate in &explanation.predicates {
            if differs(terms, predicate.term) {
                continue;
            }
            for place in places(terms, predicate.term) {
                let key = (predicate.owner, place);
                let seen = self.seen.entry(key).or_default();
                seen.insert(predicate.term);
                if seen.len() >= 2 && self.counting.insert(key) {
                    new.push(key);
                }
            }
        }
        for (owner, place) in new {
            self.for_place(terms, space, owner, place, &mut made);
        }
        made
    }

    /// Two places that have had constants at the same time, twice, are tied by the line through both
    /// points, if it is one of whole numbers: `s == 2 * i`, `x == 100 - y`.
    fn lines(
        &mut self,
        terms: &mut Terms,
        space: &Space,
        explanation: &Explanation,
    ) -> Vec<Predicate> {
        let mut made = Vec::new();
        for known in &explanation.known {
            let constants: Vec<(Place, i64)> = known
                .iter()
                .filter_map(|bit| match *bit {
                    Bit::Predicate(index, _) => constant(terms, &explanation.predicates[index]),
                    Bit::Mapping(_) => None,
                })
                .collect();
            for &(place, value) in &constants {
                for &(other, second) in &constants {
                    let fits = place < other
                        && terms.width(place.1) == terms.width(other.1)
                        && (place.0 == other.0 || place.0.is_none() || other.0.is_none());
                    let points = self.points.entry((place, other)).or_default();
                    if !fits || points.len() >= MOST_POINTS || !points.insert((value, second)) {
                        continue;
                    }
                    let points: Vec<_> = points.iter().copied().collect();
                    for pair in points.windows(2) {
                        if let Some(term) = line(terms, (place.1, other.1), (pair[0], pair[1])) {
                            let local = terms
                                .variables(&[term])
                                .into_iter()
                                .any(|v| space.variable(v).owner.is_some());
                            let owner = place.0.or(other.0).filter(|_| local);
                            made.push(Predicate { owner, term });
                        }
                    }
                }
            }
        }
        made
    }

    fn for_place(
        &self,
        terms: &mut Terms,
        space: &Space,
        owner: Option<ProcId>,
        place: TermId,
        made: &mut Vec<Predicate>,
    ) {
        let mut add = |terms: &Terms, owner: Option<ProcId>, term: TermId| {
            if terms.constant(term).is_none() {
                let local =
                    terms.variables(&[term]).into_iter().any(|v| space.variable(v).owner.is_some());
                made.push(Predicate { owner: if local { owner } else { None }, term });
            }
        };
        for &(procedure, condition) in &self.comparisons {
            if owner.is_some_and(|owner| owner != procedure)
                || !terms.below(&[condition]).contains(&place)
            {
                continue;
            }
            let local = Some(procedure);
            add(terms, local, condition);
            if let Some(weak) = weak(terms, condition) {
                add(terms, local, weak);
            }
        }
        for &said in self.seen.get(&(owner, place)).into_iter().flatten() {
            if let Term::Binary { operation: Binary::Equal, left, right } = terms.get(said)
                && left == place
                && terms.constant(right).is_some()
            {
                let unsigned = matches!(terms.get(place), Term::Variable { variable, .. }
                    if space.variable(variable).unsigned);
                let less = if unsigned { Binary::LessUnsigned } else { Binary::LessSigned };
                let below = terms.binary(less, left, right);
                let above = terms.binary(less, right, left);
                for bound in [below, above] {
                    let not = terms.not(bound);
                    add(terms, owner, not);
                }
            }
        }
        for &(other_owner, other) in &self.counting {
            let fits = other_owner == owner || other_owner.is_none();
            if fits && other != place && terms.width(other) == terms.width(place) {
                // One is set after the other, so that they are one apart in between.
                let one = terms.number(terms.width(place), 1);
                let (more, most) =
                    (terms.binary(Binary::Add, place, one), terms.binary(Binary::Add, other, one));
                for (left, right) in [(place, other), (place, most), (other, more)] {
                    let same = terms.equal(left, right);
                    add(terms, owner, same);
                }
            }
        }
        let width = terms.width(place);
        let (one, zero) = (terms.number(width, 1), terms.number(width, 0));
        let low = terms.binary(Binary::And, place, one);
        let even = terms.equal(low, zero);
        let odd = terms.not(even);
        add(terms, owner, even);
        add(terms, owner, odd);
    }
}

/// The variables and cells that a predicate speaks of, without names of values.
fn places(terms: &Terms, term: TermId) -> Vec<TermId> {
    let below = terms.below(&[term]);
    let wide = below.into_iter().filter(|&id| {
        matches!(terms.get(id), Term::Variable { .. } | Term::Load { .. }) && terms.width(id) < 64
    });
    wide.collect()
}

/// `a <= b` for `a < b`, and `a <= b` for `!(a < b)` read the other way.
fn weak(terms: &mut Terms, condition: TermId) -> Option<TermId> {
    match terms.get(condition) {
        Term::Binary {
            operation: operation @ (Binary::LessSigned | Binary::LessUnsigned),
            left,
            right,
        } => {
            let other = terms.binary(operation, right, left);
            Some(terms.not(other))
        }
        _ => None,
    }
}

/// The place and the constant of a predicate `place == constant`.
fn constant(terms: &Terms, predicate: &Predicate) -> Option<(Place, i64)> {
    match terms.get(predicate.term) {
        Term::Binary { operation: Binary::Equal, left, right } => {
            let is_place = matches!(terms.get(left), Term::Variable { .. } | Term::Load { .. });
            let width = terms.width(left);
            let value = terms.constant(right).filter(|_| is_place && width < 64)?;
            Some(((predicate.owner, left), signed(width, value)))
        }
        _ => None,
    }
}

/// The line through two points, as a condition on two places; none if it has no whole slope, or ties
/// nothing.
fn line(
    terms: &mut Terms,
    (place, other): (TermId, TermId),
    (first, second): ((i64, i64), (i64, i64)),
) -> Option<TermId> {
    let (run, rise) = (second.0 - first.0, second.1 - first.1);
    // The steeper one is said in terms of the other.
    if run != 0 && rise != 0 && rise % run == 0 {
        Some(on_line(terms, place, other, rise / run, first.1 - rise / run * first.0))
    } else if run != 0 && rise != 0 && run % rise == 0 {
        Some(on_line(terms, other, place, run / rise, first.0 - run / rise * first.1))
    } else {
        None
    }
}

/// `to == slope * from + start`
fn on_line(terms: &mut Terms, from: TermId, to: TermId, slope: i64, start: i64) -> TermId {
    let width = terms.width(from);
    let (slope, start) = (terms.number(width, slope as u64), terms.number(width, start as u64));
    let product = terms.binary(Binary::Mul, from, slope);
    let sum = terms.binary(Binary::Add, product, start);
    terms.equal(to, sum)
}
