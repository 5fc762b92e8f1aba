//! Phase 3: from a minimal set of conditions to predicates that a person can read.
//!
//! The entries of store and history that flow into the conditions are facts: a place has a value,
//! said in named values (θ). Names are put away where a place of the program holds what they name.
//! Which place is the right one at which point is not decided here by an argument but by the
//! check: every candidate set is simulated again under the predicate abstraction
//! (`abstraction.rs`), and only a set that refutes the path is minimised and shown. If none
//! without names does, names stay, with annotations that say where they are given; that this
//! suffices is the paper's first theorem.

use crate::abstraction::{Abstraction, Bit, Claim};
use crate::program::{FrameId, Home, Op, Path, ProcId, Space, Variable};
use crate::projection::{Projection, project};
use crate::simulate::{
    Abstracted, Context, Ending, Kind, minimal_core, redundant_places, simulate,
    simulate_abstracted,
};
use crate::store::{Cause, Entry, EntryId};
use crate::term::{Term, TermId, Terms, Theta, VarId};
use crate::words::Words;
use logic::Evaluation;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// A predicate: what is said, and who may say it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Predicate {
    /// The procedure that it is local to; `None` for a global one.
    pub owner: Option<ProcId>,
    /// A condition on variables, memory and names.
    pub term: TermId,
}

/// A name for the value of a place, given immediately before a step.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Annotation {
    /// The step.
    pub before: usize,
    /// The activation.
    pub frame: FrameId,
    /// Whose value it is.
    pub place: TermId,
    /// The name, as a variable that nothing assigns to.
    pub name: VarId,
}

/// What a name of a called procedure is in the terms of its caller, for one call (section 6.2).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Mapping {
    /// The activation that uses the name.
    pub frame: FrameId,
    /// The name.
    pub name: VarId,
    /// Its caller.
    pub caller: FrameId,
    /// The value in the caller.
    pub term: TermId,
}

/// Why a path cannot be taken.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The variables of the program, and the names of values after them.
    pub space: Space,
    /// The predicates; they are sufficient, and none of them can be left out.
    pub predicates: Vec<Predicate>,
    /// Where values are named.
    pub annotations: Vec<Annotation>,
    /// What these names are in callers.
    pub mappings: Vec<Mapping>,
    /// The step that cannot be taken.
    pub last: usize,
    /// The steps whose conditions contradict each other.
    pub contradiction: Vec<usize>,
    /// The consistent projection of the path.
    pub projection: Projection,
    /// The predicates known before each step up to the last.
    pub known: Vec<BTreeSet<Bit>>,
    /// The places, in assumptions that held anyway, that are read on fresh names.
    pub abstracted: Vec<(usize, TermId)>,
    /// Entries of the store, of the history, and conditions, after simulation.
    pub sizes: [usize; 3],
}

/// What became of a path.
pub enum Outcome<'p> {
    /// It can be taken, with these values.
    Feasible(Box<Context<'p>>, Evaluation),
    /// It cannot.
    Infeasible(Box<Explanation>),
    /// The reason for not knowing, and the step.
    Undecided(usize, String),
}

/// Decides whether a path can be taken, and explains why not.
pub fn explain<'p>(
    terms: &mut Terms,
    words: &mut Words,
    space: &'p Space,
    path: &Path,
) -> Outcome<'p> {
    let (mut exact, ending) = simulate(terms, words, space, path);
    let last = match ending {
        Ending::Feasible(values) => return Outcome::Feasible(Box::new(exact), values),
        Ending::Unknown(step, _) => {
            return Outcome::Undecided(step, "the solver found no answer in time".to_owned());
        }
        Ending::Unsupported(step, what) => return Outcome::Undecided(step, what),
        Ending::Infeasible(last) => last,
    };
    let chosen = abstracted_places(terms, words, space, path, last, &mut exact);
    let mut attempts = vec![chosen];
    if !attempts[0].is_empty() {
        attempts.push(Abstracted::new());
    }
    for abstracted in attempts {
        let context = simulate_abstracted(terms, words, space, path, last, &abstracted);
        for reach in [Reach::Flow, Reach::Beside, Reach::All] {
            let how = (&abstracted, reach);
            let explained = explained(terms, words, space, path, last, &context, how);
            if let Some(explanation) = explained {
                return Outcome::Infeasible(Box::new(explanation));
            }
        }
    }
    let what = "the path cannot be taken, but no sufficient explanation was found";
    Outcome::Undecided(last, what.to_owned())
}

/// The places to read on fresh names: as many as leave the path infeasible. All of them if
/// possible; otherwise one after the other, taken back where it makes the rest too weak.
fn abstracted_places(
    terms: &mut Terms,
    words: &mut Words,
    space: &Space,
    path: &Path,
    last: usize,
    exact: &mut Context<'_>,
) -> Abstracted {
    let Some(core) = minimal_core(terms, words, exact) else {
        return Abstracted::new();
    };
    let places = places_of(exact, &closure(exact, &core, false));
    let mut all = redundant_places(terms, words, path, exact, last);
    all.retain(|&(step, place)| places.contains(&(path.steps[step].frame, place)));
    let mut refutes = |abstracted: &Abstracted| {
        let context = simulate_abstracted(terms, words, space, path, last, abstracted);
        words.contradict(terms, &context.terms())
    };
    if all.is_empty() || refutes(&all) {
        return all;
    }
    let mut chosen = Abstracted::new();
    for one in all {
        chosen.insert(one);
        if !refutes(&chosen) {
            chosen.remove(&one);
        }
    }
    chosen
}

fn places_of(context: &Context<'_>, entries: &BTreeSet<EntryId>) -> BTreeSet<(FrameId, TermId)> {
    let entries = entries.iter().map(|id| &context.store.entries[id.0 as usize]);
    entries.map(|entry| (entry.frame, entry.place)).collect()
}

/// The entries that flow into some conditions; with `beside`, those too that show that a write
/// did not touch them.
fn closure(context: &Context<'_>, core: &[usize], beside: bool) -> BTreeSet<EntryId> {
    let mut reached = BTreeSet::new();
    let from = core.iter().flat_map(|&position| context.conditions[position].from.iter().copied());
    let mut waiting: Vec<EntryId> = from.collect();
    while let Some(id) = waiting.pop() {
        if reached.insert(id) {
            waiting.extend(context.store.entries[id.0 as usize].from.iter().copied());
            if beside {
                waiting.extend(context.store.beside.get(&id).into_iter().flatten());
            }
        }
    }
    reached
}

fn explained(
    terms: &mut Terms,
    words: &mut Words,
    space: &Space,
    path: &Path,
    last: usize,
    context: &Context<'_>,
    (abstracted, reach): (&Abstracted, Reach),
) -> Option<Explanation> {
    let core = minimal_core(terms, words, context)?;
    let entries = match reach {
        Reach::Flow => closure(context, &core, false),
        Reach::Beside => closure(context, &core, true),
        // Theorem 1, as long as it is not too much to go through.
        Reach::All if context.store.entries.len() <= MANY => {
            (0..context.store.entries.len() as u32).map(EntryId).collect()
        }
        Reach::All => return None,
    };
    let mut steps: BTreeSet<usize> = BTreeSet::from([last]);
    steps.extend(core.iter().map(|&position| context.conditions[position].step));
    let made = entries.iter().map(|id| &context.store.entries[id.0 as usize]);
    let makes = |entry: &&Entry| match path.steps[entry.step].op {
        Op::Call { .. } | Op::Return { .. } => entry.cause != Cause::Exposed,
        _ => entry.cause == Cause::Assigned,
    };
    steps.extend(made.filter(makes).map(|entry| entry.step));
    for step in steps.clone() {
        let mut frame = path.steps[step].frame;
        while let Some(call) = path.frames[frame.0 as usize].called_by {
            steps.insert(call);
            frame = path.steps[call].frame;
        }
    }
    let mut search = Search::new(terms, space, path, last, context, &core, &entries, &steps);
    // Fresh names are to say less. Where an index gets one, every element has to be said.
    let is_large = |fact: &Fact| terms.below(&[fact.closed]).len() > LARGE;
    if !abstracted.is_empty() && search.facts.iter().any(is_large) {
        return None;
    }
    let claims = search.find(terms, words)?;
    let (predicates, known) = claims;
    let mut contradiction: Vec<usize> =
        core.iter().map(|&position| context.conditions[position].step).collect();
    contradiction.dedup();
    let (annotations, mappings) = search.needed(terms, &predicates);
    let projection = project(terms, words, space, path, last, &steps);
    let present = context.store.present().len();
    Some(Explanation {
        space: search.space,
        predicates,
        annotations,
        mappings,
        last,
        contradiction,
        projection,
        known,
        abstracted: abstracted.iter().copied().filter(|(step, _)| steps.contains(step)).collect(),
        sizes: [present, context.store.entries.len() - present, context.conditions.len()],
    })
}

/// A fact of the closure: a condition in the words of one activation.
struct Fact {
    frame: FrameId,
    closed: TermId,
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

struct Search<'a, 'p> {
    space: Space,
    path: &'a Path,
    last: usize,
    context: &'a Context<'p>,
    steps: &'a BTreeSet<usize>,
    facts: Vec<Fact>,
    names: BTreeMap<Theta, VarId>,
    /// What holds the value of a name in an activation; those that keep it to the end first.
    holders: BTreeMap<(FrameId, Theta), Vec<TermId>>,
}

/// How many entries are facts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// Those that flow into the conditions.
    Flow,
    /// Those too that show that a write did not touch them.
    Beside,
    /// All.
    All,
}

/// Predicates with more parts than these are no simpler than what they are weaker than.
const LARGE: usize = 24;

/// More candidates than these are left out in parts first.
const MANY: usize = 40;

/// More ways than these to say one fact are not tried.
const MOST_WAYS: usize = 12;

impl<'a, 'p> Search<'a, 'p> {
    #[allow(clippy::too_many_arguments)]
    fn new(
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
                let place = crate::print::term(terms, &self.space, named.place);
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
                let nameless =
                    parts.iter().any(|&id| matches!(terms.get(id), Term::Object { .. }));
                if nameless || terms.constant(term).is_some() || self.always_false(terms, words, term) {
                    continue;
                }
                let owner =
                    self.is_local(terms, term).then(|| self.path.procedure(fact.frame));
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
    fn find(
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
            return Some((predicates, known));
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

    fn refutes(
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
    fn needed(
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
