//! Is an explanation sufficient? The path again, under the predicate abstraction (section 4.3).
//!
//! The abstract state is the set of predicates known to hold; one that is not in it is unknown,
//! not false. A step starts from a store of which nothing but these predicates is known, executes
//! the statement there, and asks which predicates follow of the store after it. The explanation
//! is sufficient if that ends in `false`: the known predicates contradict what a step assumes.

use crate::predicate::{Annotation, Mapping, Predicate};
use crate::program::{FrameId, Op, Path, ProcId, Space};
use crate::simulate::execute;
use crate::store::Store;
use crate::term::{ADDRESS, Binary, OFFSET_BITS, Term, TermId, Terms, VarId};
use crate::words::{Reply, Words};
use std::collections::{BTreeMap, BTreeSet};

/// One predicate in one activation, or one mapping.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Bit {
    /// The predicate with this index; of an activation unless it is global.
    Predicate(usize, Option<FrameId>),
    /// The mapping with this index.
    Mapping(usize),
}

/// What an explanation claims.
#[derive(Clone, Copy)]
pub struct Claim<'a> {
    /// The predicates.
    pub predicates: &'a [Predicate],
    /// Where values are named.
    pub annotations: &'a [Annotation],
    /// What names of a callee are in its caller.
    pub mappings: &'a [Mapping],
    /// The steps whose assumptions are used, if not all. Leaving some out can only say less.
    pub used: Option<&'a BTreeSet<usize>>,
}

/// What predicates are on the store that nothing is known of.
pub type Closed = BTreeMap<Bit, TermId>;

/// The re-simulation of one path.
pub struct Abstraction<'a> {
    space: &'a Space,
    path: &'a Path,
    claim: Claim<'a>,
    store: Store<'a>,
    known: BTreeSet<Bit>,
    stack: Vec<FrameId>,
    closed: Closed,
    /// The variables of each predicate, and whether it reads memory.
    speaks: Vec<(BTreeSet<VarId>, bool)>,
}

/// What a step changes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    Nothing,
    Variable(Option<FrameId>, VarId),
    Memory,
    /// More than one thing.
    Much,
}

impl<'a> Abstraction<'a> {
    /// Nothing known, before the first step. `objects` says which objects the path makes.
    pub fn new(
        terms: &Terms,
        space: &'a Space,
        path: &'a Path,
        claim: Claim<'a>,
        objects: &Store<'_>,
    ) -> Self {
        Abstraction {
            space,
            path,
            claim,
            store: objects.forgotten(space),
            known: BTreeSet::new(),
            stack: vec![FrameId(0)],
            closed: BTreeMap::new(),
            speaks: speaks(terms, claim),
        }
    }

    /// One step from a store of which only these predicates are known: what is known after it, or
    /// `None` if it cannot be taken. The path up to there only says who has called whom.
    pub fn after(
        space: &'a Space,
        path: &'a Path,
        claim: Claim<'a>,
        (store, closed): (&mut Store<'a>, &mut Closed),
        known: &BTreeSet<Bit>,
        (terms, words): (&mut Terms, &mut Words),
    ) -> Option<BTreeSet<Bit>> {
        let index = path.steps.len() - 1;
        let stack = match path.called(index) {
            Some(callee) => (0..callee.0).map(FrameId).collect(),
            None => (0..=path.steps[index].frame.0).map(FrameId).collect(),
        };
        let mut one = Abstraction {
            space,
            path,
            claim,
            store: store.clone(),
            known: known.clone(),
            stack,
            closed: std::mem::take(closed),
            speaks: speaks(terms, claim),
        };
        one.names(terms, words, index);
        let refuted = one.step(terms, words, index);
        *store = one.store;
        *closed = one.closed;
        // What a mapping is depends on who has called whom.
        closed.retain(|bit, _| matches!(bit, Bit::Predicate(..)));
        if refuted { None } else { Some(one.known) }
    }

    fn names(&mut self, terms: &mut Terms, words: &mut Words, index: usize) {
        for annotation in self.claim.annotations {
            if annotation.before == index && self.stack.contains(&annotation.frame) {
                self.fill(terms);
                let mut after = self.store.clone();
                name(terms, &mut after, annotation);
                self.settle(terms, words, after, Vec::new(), Change::Much);
            }
        }
    }

    /// Goes along the path up to and including a step: what is known before each step, if the
    /// known predicates contradict a step; otherwise `None`.
    pub fn refuted(
        mut self,
        terms: &mut Terms,
        words: &mut Words,
        last: usize,
    ) -> Option<Vec<BTreeSet<Bit>>> {
        let mut known = Vec::new();
        for index in 0..=last {
            if index == 0 || !self.hands_over(index - 1) {
                self.names(terms, words, index);
            }
            known.push(self.known.clone());
            if self.step(terms, words, index) {
                return Some(known);
            }
        }
        None
    }

    /// Whether a step gives values to another activation, which are then named in the same breath:
    /// afterwards nothing would relate the two activations.
    fn hands_over(&self, index: usize) -> bool {
        matches!(self.path.steps[index].op, Op::Call { .. } | Op::Return { .. })
    }

    fn change(&self, terms: &Terms, index: usize) -> Change {
        let step = &self.path.steps[index];
        match step.op {
            Op::Skip | Op::Assume(_) | Op::Unsupported(_) => Change::Nothing,
            Op::Assign { place, .. } | Op::Unknown { place, .. } | Op::Allocate { place, .. } => {
                match terms.get(place) {
                    Term::Variable { variable, .. } => {
                        let owner = self.space.variable(variable).owner;
                        Change::Variable(owner.map(|_| step.frame), variable)
                    }
                    _ => Change::Memory,
                }
            }
            Op::Call { .. } | Op::Return { .. } => Change::Much,
        }
    }

    fn is_changed(&self, bit: Bit, change: Change) -> bool {
        match (bit, change) {
            (_, Change::Nothing) => false,
            (_, Change::Much) | (Bit::Mapping(_), _) => true,
            (Bit::Predicate(index, _), Change::Memory) => self.speaks[index].1,
            (Bit::Predicate(index, frame), Change::Variable(owner, variable)) => {
                (owner.is_none() || owner == frame) && self.speaks[index].0.contains(&variable)
            }
        }
    }

    /// Whether a step changes nothing that is spoken of, and says nothing.
    fn passes(&self, terms: &Terms, index: usize, change: Change, used: bool) -> bool {
        let says = match self.path.steps[index].op {
            Op::Skip | Op::Unsupported(_) | Op::Unknown { .. } => false,
            Op::Assign { place, value } => {
                let reads =
                    |term: TermId| terms.below(&[term]).iter().any(|&id| is_load(terms, id));
                used && (terms.is_partial(value) || reads(value) || reads(place))
            }
            _ => true,
        };
        !says && !self.candidates().into_iter().any(|bit| self.is_changed(bit, change))
    }

    /// Whether the step is impossible.
    fn step(&mut self, terms: &mut Terms, words: &mut Words, index: usize) -> bool {
        let step = &self.path.steps[index];
        let used = self.claim.used.is_none_or(|used| used.contains(&index));
        if matches!(step.op, Op::Assume(_)) && !used {
            return false;
        }
        let change = self.change(terms, index);
        if self.passes(terms, index, change, used) {
            return false;
        }
        self.fill(terms);
        let mut after = self.store.clone();
        after.now = index;
        let mut conditions = Vec::new();
        if let Op::Allocate { place, .. } = step.op {
            let (frame, none) = (step.frame, BTreeSet::new());
            let fresh = after.name(terms, place, Some(frame), None);
            conditions = self.is_new(terms, fresh);
            after.assign(terms, frame, place, fresh, none, crate::store::Cause::Assigned);
        } else {
            execute(&mut after, terms, self.path, index, &mut |terms, _, made| {
                if used && terms.constant(made.value) != Some(1) {
                    conditions.push(made.value);
                }
            });
        }
        match &step.op {
            Op::Call { .. } => self.stack.extend(self.path.called(index)),
            Op::Return { .. } => {
                self.stack.pop();
            }
            _ => {}
        }
        if self.hands_over(index) {
            for annotation in self.claim.annotations {
                if annotation.before == index + 1 && self.stack.contains(&annotation.frame) {
                    name(terms, &mut after, annotation);
                }
            }
        }
        self.settle(terms, words, after, conditions, change)
    }

    /// What is known of the address of a new object: it is one, and nothing that predicates speak
    /// of points into it. (A number of 64 bits that looks like it could have been another one:
    /// which number an object has is nobody's business.)
    fn is_new(&mut self, terms: &mut Terms, fresh: TermId) -> Vec<TermId> {
        let distance = terms.number(ADDRESS, u64::from(OFFSET_BITS));
        let zero = terms.number(ADDRESS, 0);
        let object = terms.binary(Binary::ShrUnsigned, fresh, distance);
        let start = terms.binary(Binary::Shl, object, distance);
        let null = terms.equal(object, zero);
        let mut conditions = vec![terms.equal(fresh, start), terms.not(null)];
        for bit in self.candidates() {
            let Bit::Predicate(index, frame) = bit else { continue };
            let frame = frame.unwrap_or(FrameId(0));
            for place in terms.below(&[self.claim.predicates[index].term]) {
                let is_place =
                    matches!(terms.get(place), Term::Variable { .. } | Term::Load { .. });
                if is_place && terms.width(place) == ADDRESS {
                    let old = self.store.evaluate(terms, frame, place).value;
                    let other = terms.binary(Binary::ShrUnsigned, old, distance);
                    let same = terms.equal(object, other);
                    conditions.push(terms.not(same));
                }
            }
        }
        conditions
    }

    /// Reads everything that predicates speak of before it is changed.
    fn fill(&mut self, terms: &mut Terms) {
        for bit in self.candidates() {
            if !self.closed.contains_key(&bit) {
                let term = meaning(&mut self.store, terms, self.claim, bit);
                self.closed.insert(bit, term);
            }
        }
    }

    fn candidates(&self) -> Vec<Bit> {
        let mut bits = Vec::new();
        for (index, predicate) in self.claim.predicates.iter().enumerate() {
            match predicate.owner {
                None => bits.push(Bit::Predicate(index, None)),
                Some(owner) => {
                    let own = |frame: &&FrameId| self.path.procedure(**frame) == owner;
                    let frames = self.stack.iter().filter(own);
                    bits.extend(frames.map(|&frame| Bit::Predicate(index, Some(frame))));
                }
            }
        }
        for (index, mapping) in self.claim.mappings.iter().enumerate() {
            if self.stack.contains(&mapping.frame) {
                bits.push(Bit::Mapping(index));
            }
        }
        bits
    }

    /// Finds what is known after a step; whether nothing can come after it.
    fn settle(
        &mut self,
        terms: &mut Terms,
        words: &mut Words,
        mut after: Store<'a>,
        conditions: Vec<TermId>,
        change: Change,
    ) -> bool {
        let mut given: Vec<TermId> = self.known.iter().map(|bit| self.closed[bit]).collect();
        let says_more = !conditions.is_empty();
        given.extend(conditions);
        let mut values = None;
        if says_more {
            match words.ask(terms, &given) {
                Reply::Contradicts(_) => return true,
                Reply::Holds(found) => values = Some(found),
                Reply::Unknown(_) => {}
            }
        }
        let mut known = BTreeSet::new();
        for bit in self.candidates() {
            let term = match self.closed.get(&bit) {
                Some(&before) if !self.is_changed(bit, change) => before,
                _ => meaning(&mut after, terms, self.claim, bit),
            };
            let same = self.closed.get(&bit) == Some(&term);
            if same && self.known.contains(&bit) {
                known.insert(bit);
                continue;
            }
            if same && !says_more {
                continue;
            }
            if let Some(values) = &mut values
                && !words.satisfied(terms, values, term)
            {
                continue;
            }
            if words.implies(terms, &given, term) {
                known.insert(bit);
            }
        }
        self.known = known;
        false
    }

    /// The procedure that a bit belongs to.
    pub fn owner(predicates: &[Predicate], bit: Bit) -> Option<ProcId> {
        match bit {
            Bit::Predicate(index, _) => predicates[index].owner,
            Bit::Mapping(_) => None,
        }
    }

    /// The variables that predicates speak of.
    pub fn space(&self) -> &Space {
        self.space
    }
}

fn is_load(terms: &Terms, id: TermId) -> bool {
    matches!(terms.get(id), Term::Load { .. })
}

fn speaks(terms: &Terms, claim: Claim<'_>) -> Vec<(BTreeSet<VarId>, bool)> {
    let all = claim.predicates.iter().map(|predicate| {
        let below = terms.below(&[predicate.term]);
        let reads = below.iter().any(|&id| is_load(terms, id));
        (terms.variables(&[predicate.term]), reads)
    });
    all.collect()
}

fn name(terms: &mut Terms, store: &mut Store<'_>, annotation: &Annotation) {
    let value = store.evaluate(terms, annotation.frame, annotation.place);
    let place = terms.variable(annotation.name, terms.width(annotation.place));
    let cause = crate::store::Cause::Assigned;
    store.assign(terms, annotation.frame, place, value.value, BTreeSet::new(), cause);
}

/// The closed condition that a predicate is on a store.
fn meaning(store: &mut Store<'_>, terms: &mut Terms, claim: Claim<'_>, bit: Bit) -> TermId {
    match bit {
        Bit::Predicate(index, frame) => {
            let frame = frame.unwrap_or(FrameId(0));
            let made = store.evaluate(terms, frame, claim.predicates[index].term);
            terms.both(made.valid, made.value)
        }
        Bit::Mapping(index) => {
            let mapping = &claim.mappings[index];
            let width = terms.width(mapping.term);
            let name = terms.variable(mapping.name, width);
            let left = store.evaluate(terms, mapping.frame, name);
            let right = store.evaluate(terms, mapping.caller, mapping.term);
            let same = terms.equal(left.value, right.value);
            terms.both(right.valid, same)
        }
    }
}
