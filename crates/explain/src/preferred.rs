//! Among the executions along a path, one that people can follow and a machine can run.
//!
//! Addresses that nobody knows begin an object each where that is possible, and no cell that holds an
//! address is read as something else: what an address is in bytes is the machine's business.

use crate::simulate::Context;
use crate::store::Cause;
use crate::term::{ADDRESS, Binary, OFFSET_BITS, Term, TermId, Terms};
use crate::words::{Reply, Words};
use logic::Evaluation;
use std::collections::BTreeSet;

/// More wishes than these are not tried one by one.
const MANY: usize = 60;

/// Values of a path that can be taken which fulfil as many wishes as possible; `pointers` are the
/// places that hold addresses.
pub fn preferred(
    terms: &mut Terms,
    words: &mut Words,
    context: &Context<'_>,
    values: Evaluation,
    pointers: &BTreeSet<TermId>,
) -> Evaluation {
    let wishes = wishes(terms, context, pointers);
    let mut given = context.terms();
    let count = given.len();
    given.extend(&wishes);
    if let Reply::Holds(found) = words.ask(terms, &given) {
        return found;
    }
    given.truncate(count);
    let mut best = values;
    for wish in wishes.into_iter().take(MANY) {
        given.push(wish);
        match words.ask(terms, &given) {
            Reply::Holds(found) => best = found,
            Reply::Contradicts(_) | Reply::Unknown(_) => {
                given.pop();
            }
        }
    }
    best
}

fn wishes(terms: &mut Terms, context: &Context<'_>, pointers: &BTreeSet<TermId>) -> Vec<TermId> {
    let cells: Vec<_> = context.store.initial_cells().collect();
    let mut wishes = Vec::new();
    for (number, &(address, width, _, place)) in cells.iter().enumerate() {
        if width != ADDRESS || !pointers.contains(&place) {
            continue;
        }
        for (other, &(there, other_width, _, other_place)) in cells.iter().enumerate() {
            let both = width == other_width && pointers.contains(&other_place);
            if number != other && !both {
                wishes.push(apart(terms, (address, width), (there, other_width)));
            }
        }
    }
    let mut seen = BTreeSet::new();
    for entry in &context.store.entries {
        let is_known = !matches!(entry.cause, Cause::Exposed | Cause::Assigned)
            || !matches!(terms.get(entry.value), Term::Theta { .. });
        if !is_known && pointers.contains(&entry.place) && seen.insert(entry.value) {
            let ones = terms.number(ADDRESS, (1 << OFFSET_BITS) - 1);
            let low = terms.binary(Binary::And, entry.value, ones);
            let zero = terms.number(ADDRESS, 0);
            wishes.push(terms.equal(low, zero));
        }
    }
    wishes
}

/// That two cells do not overlap, as far as addresses do not wrap.
fn apart(terms: &mut Terms, a: (TermId, u32), b: (TermId, u32)) -> TermId {
    let mut before = |first: (TermId, u32), second: TermId| {
        let length = terms.number(ADDRESS, u64::from(first.1 / 8));
        let end = terms.binary(Binary::Add, first.0, length);
        let beyond = terms.binary(Binary::LessUnsigned, second, end);
        terms.not(beyond)
    };
    let (left, right) = (before(a, b.0), before(b, a.0));
    terms.either(left, right)
}
