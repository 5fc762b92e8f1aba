//! Consistent path projections (section 5): the statements that matter, as a path of its own.
//!
//! A projection `q` leaves statements out. What it reads before it has set it gets a name there,
//! and the same name is given to the same place of the whole path `p`. It is consistent if what
//! holds after `p` (without the last assumption) then implies what holds after `q`: `q` may know
//! less than `p`, nothing else. Together with the last assumption it must still be infeasible.
//! Both are checked. A statement that would make `q` know something stale (it sets what `q` has
//! set before) is added until they hold.

use crate::program::{FrameId, Op, Path, Space};
use crate::scope::Scope;
use crate::simulate::{Kind, execute};
use crate::store::{Cause, Store};
use crate::term::{Term, TermId, Terms, VarId};
use crate::words::Words;
use std::collections::BTreeSet;

/// A projection of a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Projection {
    /// The steps that are kept; the last is the one that cannot be taken.
    pub steps: BTreeSet<usize>,
    /// Those of them that only keep it consistent.
    pub added: BTreeSet<usize>,
    /// Whether it is the whole path because nothing smaller passed the checks.
    pub whole: bool,
}

struct After<'s> {
    store: Store<'s>,
    conditions: Vec<(usize, Kind, TermId)>,
    /// What was read before it was set: the annotations.
    exposed: Vec<(usize, FrameId, TermId)>,
}

type Place = (Option<FrameId>, Option<VarId>);

/// The consistent projection that has at least these steps.
pub(crate) fn project(
    terms: &mut Terms,
    words: &mut Words,
    space: &Space,
    path: &Path,
    scope: &Scope,
    wanted: &BTreeSet<usize>,
) -> Projection {
    let last = scope.last;
    let mut steps = wanted.clone();
    steps.insert(last);
    let mut added = BTreeSet::new();
    loop {
        let projected = run(terms, space, path, last, &|index| steps.contains(&index), &[]);
        let mut whole = run(terms, space, path, last, &|_| true, &projected.exposed);
        whole.conditions.retain(|&(step, kind, _)| scope.counts(step, kind));
        let stale = stale(terms, words, space, projected, whole);
        if stale.is_empty() && is_infeasible(terms, words, space, path, last, &steps) {
            return Projection { steps, added, whole: false };
        }
        let before = steps.len();
        for index in (0..last).rev() {
            let sets = sets(terms, space, path, index);
            if !steps.contains(&index) && sets.is_some_and(|place| stale.contains(&place)) {
                steps.insert(index);
                added.insert(index);
                break;
            }
        }
        if steps.len() == before {
            let steps = (0..=last).collect();
            return Projection { steps, added: BTreeSet::new(), whole: true };
        }
    }
}

/// Simulates the steps before the last that are kept, with some places named on the way.
fn run<'s>(
    terms: &mut Terms,
    space: &'s Space,
    path: &Path,
    last: usize,
    keeps: &dyn Fn(usize) -> bool,
    annotations: &[(usize, FrameId, TermId)],
) -> After<'s> {
    let mut store = Store::new(space, false);
    let mut conditions = Vec::new();
    for index in 0..last {
        store.now = index;
        for &(_, frame, place) in annotations.iter().filter(|(before, ..)| *before == index) {
            let owner = store.owner_of(terms, place, frame);
            let name = store.name(terms, place, owner, None);
            let none = BTreeSet::new();
            store.assign(terms, frame, place, name, none, Cause::Abstracted);
        }
        if keeps(index) {
            execute(&mut store, terms, path, index, &mut |_, kind, made| {
                conditions.push((index, kind, made.value));
            });
        }
    }
    let exposures = store.entries.iter().filter(|entry| entry.cause == Cause::Exposed);
    let exposed = exposures.map(|entry| (entry.step, entry.frame, entry.place)).collect();
    After { store, conditions, exposed }
}

/// The places about which the projection says something that the path does not imply; no
/// variable stands for all of memory.
fn stale(
    terms: &mut Terms,
    words: &mut Words,
    space: &Space,
    mut projected: After<'_>,
    mut whole: After<'_>,
) -> BTreeSet<Place> {
    let mut stale = BTreeSet::new();
    let given: Vec<TermId> = whole.conditions.iter().map(|known| known.2).collect();
    let values: Vec<_> = projected.store.values().collect();
    for ((frame, variable), value) in values {
        let width = space.variable(variable).width;
        let place = terms.variable(variable, width);
        let there = whole.store.evaluate(terms, frame.unwrap_or(FrameId(0)), place).value;
        let same = terms.equal(there, value);
        if !words.implies(terms, &given, same) {
            stale.insert((frame, Some(variable)));
        }
    }
    for (address, width) in projected.store.cells() {
        let here = projected.store.cell(terms, address, width);
        let there = whole.store.cell(terms, address, width);
        let same = terms.equal(there, here);
        if !words.implies(terms, &given, same) {
            stale.insert((None, None));
        }
    }
    for (_, _, condition) in projected.conditions {
        if words.implies(terms, &given, condition) {
            continue;
        }
        // What it speaks of was set in between: all of it is looked at again.
        for (key, _) in projected.store.values() {
            stale.insert((key.0, Some(key.1)));
        }
        stale.insert((None, None));
    }
    stale
}

fn is_infeasible(
    terms: &mut Terms,
    words: &mut Words,
    space: &Space,
    path: &Path,
    last: usize,
    steps: &BTreeSet<usize>,
) -> bool {
    let mut store = Store::new(space, false);
    let mut conditions = Vec::new();
    for &index in steps.range(..=last) {
        store.now = index;
        execute(&mut store, terms, path, index, &mut |_, _, made| conditions.push(made.value));
    }
    words.contradict(terms, &conditions)
}

/// The place that a step sets.
fn sets(terms: &Terms, space: &Space, path: &Path, index: usize) -> Option<Place> {
    let step = &path.steps[index];
    let (frame, place) = match &step.op {
        Op::Assign { place, .. } | Op::Unknown { place, .. } | Op::Allocate { place, .. } => {
            (step.frame, *place)
        }
        Op::Return { .. } => {
            let (caller, place) = path.returns_to(step.frame)?;
            (caller, place?)
        }
        Op::Call { .. } | Op::Skip | Op::Assume(_) | Op::Unsupported(_) => return None,
    };
    match terms.get(place) {
        Term::Variable { variable, .. } => {
            let owner = space.variable(variable).owner.map(|_| frame);
            Some((owner, Some(variable)))
        }
        _ => Some((None, None)),
    }
}
