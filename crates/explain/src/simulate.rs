//! Phase 1: the strongest postcondition of a path, with named values (sections 4.2 and 6.1).
//!
//! First on exact values: whether a path can be taken is decided by these and nothing else. Then,
//! if it cannot, once more with conditions that were valid anyway read on fresh names, which says
//! less (section 5); that is the caller's choice, step by step.

use crate::program::{FrameId, Op, Path, Space};
use crate::store::{Cause, EntryId, Evaluated, Store};
use crate::term::{Term, TermId, Terms};
use crate::words::{Reply, Words};
use logic::Evaluation;
use sat::Stop;
use std::collections::BTreeSet;

/// Places that get a fresh name before the step that speaks of them.
pub type Abstracted = BTreeSet<(usize, TermId)>;

/// What makes a condition one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// A statement is defined: nothing overflows, and memory is there.
    Defined,
    /// A statement assumes it.
    Assumed,
}

/// A member of Φ.
#[derive(Clone, Debug)]
pub struct Condition {
    /// The closed condition.
    pub term: TermId,
    /// Why it is there.
    pub kind: Kind,
    /// The step that it comes from.
    pub step: usize,
    /// The activation in whose terms it is.
    pub frame: FrameId,
    /// What it was made from.
    pub from: BTreeSet<EntryId>,
}

/// The triple of Ω (with Π, as entries that have ended), Φ and what they came from.
pub struct Context<'p> {
    /// Ω and Π.
    pub store: Store<'p>,
    /// Φ.
    pub conditions: Vec<Condition>,
}

/// How simulation on exact values ended.
pub enum Ending {
    /// The path can be taken, with these values.
    Feasible(Evaluation),
    /// The step at which the conditions became inconsistent.
    Infeasible(usize),
    /// The solver gave up at this step.
    Unknown(usize, Stop),
    /// The path runs into a construct without a model.
    Unsupported(usize, String),
}

impl<'p> Context<'p> {
    /// The context before the first statement.
    pub fn new(space: &'p Space) -> Context<'p> {
        Context { store: Store::new(space, true), conditions: Vec::new() }
    }

    /// Simulates a step; some places that it speaks of get fresh names first.
    pub fn step(
        &mut self,
        terms: &mut Terms,
        words: &mut Words,
        path: &Path,
        index: usize,
        abstracted: &Abstracted,
    ) {
        let step = &path.steps[index];
        self.store.now = index;
        for &(_, place) in abstracted.range((index, TermId(0))..(index + 1, TermId(0))) {
            let owner = self.store.owner_of(terms, place, step.frame);
            let fresh = self.store.name(terms, place, owner, None);
            let none = BTreeSet::new();
            self.store.assign(terms, step.frame, place, fresh, none, Cause::Abstracted);
        }
        execute(&mut self.store, terms, path, index, &mut |terms, kind, made| {
            // An assumption is kept even if it is constant: it may be read on a fresh name.
            if kind == Kind::Defined && terms.constant(made.value) == Some(1) {
                return;
            }
            self.conditions.push(Condition {
                term: made.value,
                kind,
                step: index,
                frame: step.frame,
                from: made.from,
            });
        });
        self.store.define(terms, words);
    }

    /// All conditions so far.
    pub fn terms(&self) -> Vec<TermId> {
        self.conditions.iter().map(|condition| condition.term).collect()
    }
}

/// Executes a step on a store. `condition` is told what must hold for executions to go on.
pub fn execute(
    store: &mut Store<'_>,
    terms: &mut Terms,
    path: &Path,
    index: usize,
    condition: &mut dyn FnMut(&mut Terms, Kind, Evaluated),
) {
    let step = &path.steps[index];
    let frame = step.frame;
    match &step.op {
        Op::Skip | Op::Unsupported(_) => {}
        Op::Assign { place, value } => {
            let made = store.evaluate(terms, frame, *value);
            let (value, from) = (made.value, made.from.clone());
            let defined = all_defined(terms, &made);
            condition(terms, Kind::Defined, Evaluated { value: defined, ..made });
            fill(store, terms, frame, *place, value, from, condition);
        }
        Op::Unknown { place, .. } => {
            let owner = store.owner_of(terms, *place, frame);
            let value = store.name(terms, *place, owner, None);
            fill(store, terms, frame, *place, value, BTreeSet::new(), condition);
        }
        Op::Allocate { place, size } => {
            let made = store.evaluate(terms, frame, *size);
            let defined = all_defined(terms, &made);
            let object = store.allocate(terms, made.value);
            let from = made.from.clone();
            condition(terms, Kind::Defined, Evaluated { value: defined, ..made });
            fill(store, terms, frame, *place, object, from, condition);
        }
        Op::Assume(assumed) => {
            let made = store.evaluate(terms, frame, *assumed);
            let (valid, from) = (made.valid, made.from.clone());
            condition(terms, Kind::Defined, Evaluated { value: valid, valid, from });
            condition(terms, Kind::Assumed, made);
        }
        Op::Call { actuals, .. } => {
            let callee = path.called(index).expect("a call on a path begins an activation");
            let made: Vec<Evaluated> =
                actuals.iter().map(|&actual| store.evaluate(terms, frame, actual)).collect();
            let formals = path.formals(callee).to_vec();
            for (&formal, made) in formals.iter().zip(made) {
                let defined = all_defined(terms, &made);
                let from = made.from.clone();
                let (value, valid) = (made.value, made.valid);
                let said = Evaluated { value: defined, valid, from: from.clone() };
                condition(terms, Kind::Defined, said);
                let handed = Evaluated { value, valid, from };
                store.hand_over(terms, callee, formal, handed, true);
            }
        }
        Op::Return { value } => {
            let Some(value) = value else { return };
            let made = store.evaluate(terms, frame, *value);
            let defined = all_defined(terms, &made);
            let (value, valid, from) = (made.value, made.valid, made.from.clone());
            condition(terms, Kind::Defined, Evaluated { value: defined, ..made });
            if let Some((caller, Some(place))) = path.returns_to(frame) {
                let handed = Evaluated { value, valid, from };
                let valid = store.hand_over(terms, caller, place, handed, false);
                let none = BTreeSet::new();
                condition(terms, Kind::Defined, Evaluated { value: valid, valid, from: none });
            }
        }
    }
}

fn all_defined(terms: &mut Terms, made: &Evaluated) -> TermId {
    let defined = terms.defined(made.value);
    terms.both(made.valid, defined)
}

fn fill(
    store: &mut Store<'_>,
    terms: &mut Terms,
    frame: FrameId,
    place: TermId,
    value: TermId,
    from: BTreeSet<EntryId>,
    condition: &mut dyn FnMut(&mut Terms, Kind, Evaluated),
) {
    let read = match terms.get(place) {
        Term::Load { address, .. } => store.evaluate(terms, frame, address).from,
        _ => BTreeSet::new(),
    };
    let (_, valid) = store.assign(terms, frame, place, value, from, Cause::Assigned);
    condition(terms, Kind::Defined, Evaluated { value: valid, valid, from: read });
}

/// Simulates a path on exact values up to where its conditions become inconsistent.
pub fn simulate<'p>(
    terms: &mut Terms,
    words: &mut Words,
    space: &'p Space,
    path: &Path,
) -> (Context<'p>, Ending) {
    let mut context = Context::new(space);
    let mut values = match words.ask(terms, &[]) {
        Reply::Holds(values) => values,
        Reply::Unknown(stop) => return (context, Ending::Unknown(0, stop)),
        Reply::Contradicts(_) => unreachable!("no condition contradicts nothing"),
    };
    for index in 0..path.steps.len() {
        if let Op::Unsupported(what) = &path.steps[index].op {
            return (context, Ending::Unsupported(index, what.clone()));
        }
        let before = context.conditions.len();
        context.step(terms, words, path, index, &Abstracted::new());
        if context.store.is_full() {
            return (context, Ending::Unsupported(index, "more objects than addresses".to_owned()));
        }
        let new: Vec<TermId> =
            context.conditions[before..].iter().map(|condition| condition.term).collect();
        let all_hold = new.iter().all(|&term| words.satisfied(terms, &mut values, term));
        if all_hold {
            continue;
        }
        match words.ask(terms, &context.terms()) {
            Reply::Holds(found) => values = found,
            Reply::Contradicts(_) => return (context, Ending::Infeasible(index)),
            Reply::Unknown(stop) => return (context, Ending::Unknown(index, stop)),
        }
    }
    (context, Ending::Feasible(values))
}

/// The places that may be read on fresh names: those in assumptions before a step that the
/// conditions before them imply. A value that is nothing but a name has one already.
pub fn redundant_places(
    terms: &mut Terms,
    words: &mut Words,
    path: &Path,
    context: &mut Context<'_>,
    before: usize,
) -> Abstracted {
    let mut found = Abstracted::new();
    for position in 0..context.conditions.len() {
        let condition = context.conditions[position].clone();
        if condition.kind != Kind::Assumed || condition.step >= before {
            continue;
        }
        let given: Vec<TermId> =
            context.conditions[..position].iter().map(|condition| condition.term).collect();
        if !words.implies(terms, &given, condition.term) {
            continue;
        }
        let Op::Assume(assumed) = path.steps[condition.step].op else {
            continue;
        };
        for place in terms.below(&[assumed]) {
            let is_place = matches!(terms.get(place), Term::Variable { .. } | Term::Load { .. });
            let entries = condition.from.iter().map(|id| &context.store.entries[id.0 as usize]);
            let mut named = entries.filter(|entry| entry.place == place);
            let is_name = |value| matches!(terms.get(value), Term::Theta { .. });
            if is_place && named.any(|entry| !is_name(entry.value)) {
                found.insert((condition.step, place));
            }
        }
    }
    found
}

/// Simulates a path up to and including a step with some assumptions read on fresh names.
pub fn simulate_abstracted<'p>(
    terms: &mut Terms,
    words: &mut Words,
    space: &'p Space,
    path: &Path,
    last: usize,
    abstracted: &Abstracted,
) -> Context<'p> {
    let mut context = Context::new(space);
    for index in 0..=last {
        context.step(terms, words, path, index, abstracted);
    }
    context
}

/// Phase 2: a minimal inconsistent set of conditions, or `None` if they are consistent.
///
/// The solver's core first, then one condition after the other is left out as long as the rest
/// contradicts itself. Every condition is tried, so that none can be left out at the end (the
/// paper's pass stops at its first failure). What only says that a statement is defined goes
/// first, then what comes last.
pub fn minimal_core(terms: &Terms, words: &mut Words, context: &Context<'_>) -> Option<Vec<usize>> {
    let Reply::Contradicts(core) = words.ask(terms, &context.terms()) else {
        return None;
    };
    let mut seen = BTreeSet::new();
    let all = context.conditions.iter().enumerate();
    let mut kept: Vec<usize> = all
        .filter(|(_, condition)| core.contains(&condition.term) && seen.insert(condition.term))
        .map(|(position, _)| position)
        .collect();
    let mut order = kept.clone();
    order.sort_by_key(|&position| (context.conditions[position].kind, std::cmp::Reverse(position)));
    for candidate in order {
        let rest: Vec<TermId> = kept
            .iter()
            .filter(|&&position| position != candidate)
            .map(|&position| context.conditions[position].term)
            .collect();
        if words.contradict(terms, &rest) {
            kept.retain(|&position| position != candidate);
        }
    }
    Some(kept)
}
