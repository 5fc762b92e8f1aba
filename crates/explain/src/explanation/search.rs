//! From facts to predicates: which words say a fact, and which facts are needed.

use super::{Annotation, MANY, Mapping, Predicate};
use crate::abstraction::{Abstraction, Bit, Claim};
use crate::print;
use crate::program::{FrameId, Home, Op, Path, ProcId, Space, Variable};
use crate::simulate::{Context, Kind};
use crate::store::{Cause, Entry, EntryId};
use crate::term::{Term, TermId, Terms, Theta, VarId};
use crate::words::Words;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// A fact of the closure: a condition in the words of one activation.
pub(super) struct Fact {
    frame: FrameId,
    pub(super) closed: TermId,
    /// As the program says it, where it does.
    said: Option<TermId>,
}

/// Objects that are made on the way have no name that a program could say. What matters of them is
/// that they are there, and are not each other.
fn objects_differ(
    terms: &mut Terms,
    context: &Context<'_>,
    entries: &BTreeSet<EntryId>,
) -> Vec<Fact> {
    let mut facts = Vec::new();
    let holders: Vec<&Entry> =
        entries.iter().map(|id| &context.store.entries[id.0 as usize]).collect();
    for (position, entry) in holders.iter().enumerate() {
        if context.store.made_object(terms, entry.value).is_none() {
            continue;
        }
        let width = terms.width(entry.place);
        let null = terms.number(width, 0);
        let is_null = terms.equal(entry.place, null);
        facts.push(Fact { frame: entry.frame, closed: terms.not(is_null), said: None });
        for other in &holders[..position] {
            let object = matches!(terms.get(other.value), Term::Object { .. });
            if object && other.frame == entry.frame && other.value != entry.value {
                let same = terms.equal(other.place, entry.place);
                facts.push(Fact { frame: entry.frame, closed: terms.not(same), said: None });
            }
        }
    }
    facts
}

/// Places that hold the same value, where that has no name of its own: each may outlive what the
/// value was made from.
fn places_alike(
    terms: &mut Terms,
    context: &Context<'_>,
    entries: &BTreeSet<EntryId>,
) -> Vec<Fact> {
    let mut facts = Vec::new();
    let holders: Vec<&Entry> =
        entries.iter().map(|id| &context.store.entries[id.0 as usize]).collect();
    for (position, entry) in holders.iter().enumerate() {
        let is_made = !matches!(terms.get(entry.value), Term::Theta { .. } | Term::Number { .. });
        for other in holders[..position].iter().filter(|_| is_made) {
            let alike = other.value == entry.value && other.place != entry.place;
            if alike && other.frame == entry.frame {
                let closed = terms.equal(other.place, entry.place);
                facts.push(Fact { frame: entry.frame, closed, said: None });
            }
        }
    }
    facts
}

pub(super) struct Search<'a, 'p> {
    pub(super) space: Space,
    pub(super) path: &'a Path,
    last: usize,
    context: &'a Context<'p>,
    pub(super) steps: &'a BTreeSet<usize>,
    pub(super) facts: Vec<Fact>,
    names: BTreeMap<Theta, VarId>,
    /// What holds the value of a name in an activation; those that keep it to the end first.
    holders: BTreeMap<(FrameId, Theta), Vec<TermId>>,
}

/// More ways than these to say one fact are not tried.
const MOST_WAYS: usize = 12;

impl<'a, 'p> Search<'a, 'p> {
    #[allow(clippy::too_many_arguments)]
    pub(super) fn new(
        terms: &mut Terms,
        space: &Space,
        path: &'a Path,
        last: usize,
        context: &'a Context<'p>,
        core: &[usize],
        entries: &BTreeSet<EntryId>,
        steps: &'a BTreeSet<usize>,
    ) -> Self {
        let mut facts = objects_differ(terms, context, entries);
        facts.extend(places_alike(terms, context, entries));
        for &id in entries {
            let entry = &context.store.entries[id.0 as usize];
            let said = match path.steps[entry.step].op {
                Op::Assign { place, value } if entry.cause == Cause::Assigned => {
                    Some(terms.equal(place, value))
                }
                _ => None,
            };
            let closed = terms.equal(entry.place, entry.value);
            facts.push(Fact { frame: entry.frame, closed, said });
            // Whoever owns the object still knows it when this activation is gone.
            let width = terms.width(entry.place);
            if let Some(address) = entry.address
                && let Some((owner, place)) = context.store.cell_by_name(terms, address, width)
                && let frame = owner.unwrap_or(entry.frame)
                && place != entry.place
                && let Some(value) = context.store.in_terms_of(terms, frame, entry.value)
            {
                let closed = terms.equal(place, value);
                facts.push(Fact { frame, closed, said: None });
            }
        }
        let mut constants = BTreeMap::new();
        for &position in core {
            let condition = &context.conditions[position];
            if condition.step == last {
                continue;
            }
            let said = match path.steps[condition.step].op {
                Op::Assume(assumed) if condition.kind == Kind::Assumed => Some(assumed),
                _ => None,
            };
            facts.push(Fact { frame: condition.frame, closed: condition.term, said });
            // What it says of the values that a call gave stays true in the caller.
            let mut frame = condition.frame;
            while let Some(caller) = path.frames[frame.0 as usize].caller {
                frame = caller;
                if let Some(closed) = context.store.in_terms_of(terms, caller, condition.term) {
                    facts.push(Fact { frame, closed, said: None });
                }
            }
            if condition.kind == Kind::Assumed
                && let Term::Binary { left, right, .. } = terms.get(condition.term)
                && let (Term::Theta { theta, .. }, Some(_)) =
                    (terms.get(left), terms.constant(right))
                && terms.equal(left, right) == condition.term
            {
                constants.insert(theta, right);
            }
        }
        let mut search = Search {
            space: space.clone(),
            path,
            last,
            context,
            steps,
            facts,
            names: BTreeMap::new(),
            holders: BTreeMap::new(),
        };
        search.find_holders(terms, &constants);
        search.make_names(terms);
        search
    }

    fn find_holders(&mut self, terms: &mut Terms, constants: &BTreeMap<Theta, TermId>) {
        let entries = &self.context.store.entries;
        for lasting in [true, false] {
            for entry in entries {
                let Term::Theta { theta, .. } = terms.get(entry.value) else {
                    continue;
                };
                let ended = entry.until.is_some_and(|until| until <= self.last);
                if ended == lasting {
                    continue;
                }
                let holders = self.holders.entry((entry.frame, theta)).or_default();
                if !holders.contains(&entry.place) {
                    holders.push(entry.place);
                }
            }
        }
        for ((_, theta), holders) in &mut self.holders {
            holders.extend(constants.get(theta));
        }
    }

    /// A variable for each name: the same one for the same place in every activation.
    fn make_names(&mut self, terms: &Terms) {
        let mut schemas: BTreeMap<(Option<ProcId>, TermId, usize), VarId> = BTreeMap::new();
        let mut counts: BTreeMap<(Option<FrameId>, TermId), usize> = BTreeMap::new();
        let mut thetas: Vec<_> = self.context.store.thetas.iter().collect();
        thetas.sort_by_key(|(theta, named)| (named.step, **theta));
        for (&theta, named) in thetas {
            let count = counts.entry((named.owner, named.place)).or_default();
            let owner = named.owner.map(|frame| self.path.procedure(frame));
            let key = (owner, named.place, *count);
            let name = *schemas.entry(key).or_insert_with(|| {
                let place = print::term(terms, &self.space, named.place);
                let primes = "′".repeat(*count);
                let name = Variable {
                    name: format!("θ_{place}{primes}"),
                    owner,
                    width: terms.width(named.place),
                    unsigned: false,
                    home: Home::Register,
                    made_up: true,
                };
                // An earlier explanation may have made it.
                match self.space.variables.iter().position(|known| *known == name) {
                    Some(known) => VarId(known as u32),
                    None => self.space.add(name),
                }
            });
            *count += 1;
            self.names.insert(theta, name);
        }
    }

    /// The ways to say a closed term in an activation: each name by one of its holders, or, if
    /// `named`, left as it is.
    /// Places that the statement itself speaks of come first.
    fn ways(
        &self,
        terms: &mut Terms,
        frame: FrameId,
        (closed, said): (TermId, Option<TermId>),
        named: bool,
    ) -> Vec<TermId> {
        let spoken = said.map(|said| terms.below(&[said])).unwrap_or_default();
        let mut ways = vec![closed];
        for id in terms.below(&[closed]) {
            let Term::Theta { theta, width } = terms.get(id) else {
                continue;
            };
            let mut options: Vec<TermId> =
                self.holders.get(&(frame, theta)).cloned().unwrap_or_default();
            if self.context.store.thetas[&theta].owner.is_none() {
                let others = self.holders.iter().filter(|((_, held), _)| *held == theta);
                for place in others.flat_map(|(_, places)| places) {
                    if !options.contains(place) && !self.is_local(terms, *place) {
                        options.push(*place);
                    }
                }
            }
            options.sort_by_key(|option| !spoken.contains(option));
            if named || options.is_empty() {
                options.push(terms.variable(self.names[&theta], width));
            }
            let mut next = Vec::new();
            for way in &ways {
                for &option in &options {
                    if next.len() < MOST_WAYS {
                        let with = FxHashMap::from_iter([(id, option)]);
                        next.push(terms.replaced(*way, &with));
                    }
                }
            }
            ways = next;
        }
        if named {
            // The paper's own way is always among them.
            ways.push(self.by_names(terms, closed));
        }
        ways
    }

    fn by_names(&self, terms: &mut Terms, closed: TermId) -> TermId {
        let mut with = FxHashMap::default();
        for id in terms.below(&[closed]) {
            if let Term::Theta { theta, width } = terms.get(id) {
                with.insert(id, terms.variable(self.names[&theta], width));
            }
        }
        terms.replaced(closed, &with)
    }

    fn is_local(&self, terms: &Terms, term: TermId) -> bool {
        terms.below(&[term]).into_iter().any(|id| match terms.get(id) {
            Term::Variable { variable, .. } | Term::Address { variable } => {
                self.space.variable(variable).owner.is_some()
            }
            _ => false,
        })
    }

    /// All candidates: those with fewest names first, then the shortest, then the best
    /// way to say each fact.
    fn candidates(&self, terms: &mut Terms, words: &mut Words, named: bool) -> Vec<Predicate> {
        let names: BTreeSet<VarId> = self.names.values().copied().collect();
        let mut ranked: Vec<(usize, usize, usize, usize, Predicate)> = Vec::new();
        for (position, fact) in self.facts.iter().enumerate() {
            let mut ways = self.ways(terms, fact.frame, (fact.closed, fact.said), named);
            ways.splice(0..0, fact.said);
            for (way, term) in ways.into_iter().enumerate() {
                let term = self.objects_by_name(terms, fact.frame, term);
                let parts = terms.below(&[term]);
                let nameless = parts.iter().any(|&id| matches!(terms.get(id), Term::Object { .. }));
                if nameless
                    || terms.constant(term).is_some()
                    || self.always_false(terms, words, term)
                {
                    continue;
                }
                let owner = self.is_local(terms, term).then(|| self.path.procedure(fact.frame));
                let predicate = Predicate { owner, term };
                let named = terms.variables(&[term]).intersection(&names).count();
                if !ranked.iter().any(|(.., known)| *known == predicate) {
                    let size = terms.below(&[term]).len();
                    ranked.push((named, size, way, position, predicate));
                }
            }
        }
        ranked.sort_by_key(|&(named, size, way, position, _)| (named, size, way, position));
        ranked.into_iter().map(|(.., predicate)| predicate).collect()
    }

    /// Says `&x` where a closed term has the number of an object.
    fn objects_by_name(&self, terms: &mut Terms, frame: FrameId, term: TermId) -> TermId {
        let mut with = FxHashMap::default();
        for id in terms.below(&[term]) {
            if let Term::Object { number } = terms.get(id)
                && let Some(variable) = self.context.store.variable_of(number, frame)
            {
                with.insert(id, terms.address(variable));
            }
        }
        terms.replaced(term, &with)
    }

    /// A way to say a fact that no state satisfies, such as `x = x + 1`.
    fn always_false(&self, terms: &mut Terms, words: &mut Words, term: TermId) -> bool {
        let mut store = self.context.store.forgotten(&self.space);
        let made = store.evaluate(terms, FrameId(0), term);
        words.contradict(terms, &[made.value])
    }

    /// A sufficient set of predicates from which none can be left out, and what is known where.
    pub(super) fn find(
        &mut self,
        terms: &mut Terms,
        words: &mut Words,
    ) -> Option<(Vec<Predicate>, Vec<BTreeSet<Bit>>)> {
        for named in [false, true] {
            let mut predicates = self.candidates(terms, words, named);
            if self.refutes(terms, words, &predicates).is_none() {
                continue;
            }
            self.minimise(terms, words, &mut predicates);
            let known = self.refutes(terms, words, &predicates)?;
            return Some(self.weaken(terms, words, (predicates, known)));
        }
        None
    }

    /// Leaves out what is not needed, one by one from the end; if there is a lot, in parts first.
    fn minimise(&self, terms: &mut Terms, words: &mut Words, predicates: &mut Vec<Predicate>) {
        let sizes = if predicates.len() > MANY { vec![predicates.len() / 6, 1] } else { vec![1] };
        for size in sizes {
            let mut end = predicates.len();
            while end > 0 {
                let start = end.saturating_sub(size);
                let mut fewer = predicates.clone();
                fewer.drain(start..end);
                if self.refutes(terms, words, &fewer).is_some() {
                    *predicates = fewer;
                }
                end = start;
            }
        }
    }

    pub(super) fn refutes(
        &self,
        terms: &mut Terms,
        words: &mut Words,
        predicates: &[Predicate],
    ) -> Option<Vec<BTreeSet<Bit>>> {
        let (annotations, mappings) = self.needed(terms, predicates);
        let claim = Claim {
            predicates,
            annotations: &annotations,
            mappings: &mappings,
            used: Some(self.steps),
        };
        let check = Abstraction::new(terms, &self.space, self.path, claim, &self.context.store);
        check.refuted(terms, words, self.last)
    }

    /// What the call of an activation gives for one of its parameters, as the caller says it.
    fn actual(&self, frame: FrameId, formal: TermId) -> Option<TermId> {
        let call = self.path.frames[frame.0 as usize].called_by?;
        match &self.path.steps[call].op {
            Op::Call { formals, actuals, .. } => {
                let position = formals.iter().position(|known| *known == formal)?;
                actuals.get(position).copied()
            }
            _ => None,
        }
    }

    /// The annotations and mappings of the names that some predicates use.
    pub(super) fn needed(
        &self,
        terms: &mut Terms,
        predicates: &[Predicate],
    ) -> (Vec<Annotation>, Vec<Mapping>) {
        let roots: Vec<TermId> = predicates.iter().map(|predicate| predicate.term).collect();
        let names: BTreeSet<VarId> = self.names.values().copied().collect();
        let mut used: BTreeSet<VarId> = terms.variables(&roots);
        used.retain(|variable| names.contains(variable));
        let (mut annotations, mut mappings) = (Vec::new(), Vec::new());
        // A mapping may speak of names of the caller, which then need theirs.
        loop {
            let before = used.len();
            annotations.clear();
            mappings.clear();
            for (&theta, named) in &self.context.store.thetas {
                let name = self.names[&theta];
                if !used.contains(&name) {
                    continue;
                }
                let frame = named.owner.unwrap_or(FrameId(0));
                annotations.push(Annotation {
                    before: named.step,
                    frame,
                    place: named.place,
                    name,
                });
                let caller = self.path.frames[frame.0 as usize].caller;
                if let (Some(caller), Some(term)) = (caller, self.actual(frame, named.place)) {
                    let spoken = terms.variables(&[term]);
                    used.extend(spoken.into_iter().filter(|variable| names.contains(variable)));
                    mappings.push(Mapping { frame, name, caller, term });
                } else if let (Some(definition), Some(caller)) = (named.definition, caller)
                    && let Some(term) = self.context.store.in_terms_of(terms, caller, definition)
                {
                    let term = self.ways(terms, caller, (term, None), true)[0];
                    let term = self.objects_by_name(terms, caller, term);
                    let spoken = terms.variables(&[term]);
                    used.extend(spoken.into_iter().filter(|variable| names.contains(variable)));
                    mappings.push(Mapping { frame, name, caller, term });
                }
            }
            if used.len() == before {
                break;
            }
        }
        annotations.sort();
        (annotations, mappings)
    }
}
