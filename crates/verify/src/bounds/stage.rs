//! One encoding of an input with its invariants, and what a solver finds out about its entries.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use encode::atom::Name;
use encode::bounds::{Bounds, Row, Survey};
use encode::forest::Forest;
use encode::inputs::LeafKey;
use encode::{Engine, Limits, Subject};
use ir::MethodId;
use logic::{Bits, Cancel, Circuit, Lit};
use sat::Answer;

use crate::options::Options;
use crate::options::progress::{Activity, Watch};
use crate::solving::{Solving, start_engine};

/// More different values than this make a number unbounded.
const MOST_VALUES: usize = 40;

/// Conflicts that one question about all open entries may cost.
const EASY_CONFLICTS: u64 = 20_000;

/// Conflicts that the first question about one entry may cost; then four times as many.
const FIRST_CONFLICTS: u64 = 30;

/// Numbers below this are small.
const SMALL: u64 = 64;

/// Conflicts that the question whether a number is small may cost.
const SMALL_CONFLICTS: u64 = 300;

/// How many times as many it may cost to show that objects are not shared.
const SHARING: u64 = 100;

/// What has been found out.
#[derive(Clone, Default)]
pub(crate) struct Known {
    pub bounds: Bounds,
    possible: HashSet<Entry>,
    /// Conflicts that the next question about one entry may cost.
    pub budget: u64,
    /// Sets of fields that are known to hold an object twice sometimes.
    shared: HashSet<BTreeSet<ir::FieldId>>,
    /// Sets of fields that do not always form a forest.
    joined: HashSet<BTreeSet<ir::FieldId>>,
}

impl Known {
    pub fn new(bounds: Bounds) -> Known {
        Known { bounds, budget: FIRST_CONFLICTS, ..Known::default() }
    }
}

/// How much of the invariants a formula says. What is left out may have any outcome.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exactness {
    /// `\reach` may hold more than is reached, and computed numbers may compare in any way.
    Coarse,
    /// `\reach` may hold more than is reached.
    Loose,
    Exact,
}

/// That a reference has a value.
type Entry = (LeafKey, Name);

/// The entries of an encoding.
struct Entries {
    all: usize,
    open: BTreeMap<Lit, Entry>,
    excluded: BTreeSet<Lit>,
}

impl Entries {
    fn new(survey: &Survey, known: &Known) -> Entries {
        let (mut all, mut open) = (0, BTreeMap::new());
        for (key, values) in &survey.references {
            for (name, lit) in values {
                all += 1;
                let entry = (key.clone(), name.clone());
                if !lit.is_constant() && !known.possible.contains(&entry) {
                    open.insert(*lit, entry);
                }
            }
        }
        Entries { all, open, excluded: BTreeSet::new() }
    }

    /// Whether so much is excluded that a new formula is worth while.
    fn are_fewer(&self) -> bool {
        self.excluded.len() * 10 > self.all.max(100)
    }
}

/// One encoding with its solver.
pub(crate) struct Stage<'a> {
    pub engine: Engine<'a>,
    pub solving: Rc<RefCell<Solving>>,
    limits: Limits,
    pub tell: Option<Tell>,
}

/// Whom to tell how far the search for possible entries is.
pub(crate) struct Tell {
    pub watch: Watch,
    pub method: MethodId,
    pub entries: usize,
}

impl<'a> Stage<'a> {
    /// The input within bounds, with its invariants; without them if there are no bounds.
    pub fn new(
        subject: Subject<'a>,
        method: MethodId,
        options: &'a Options,
        limits: &Limits,
        bounds: Option<(Arc<Bounds>, Exactness)>,
    ) -> Option<(Stage<'a>, Survey)> {
        let mut needs_bits = BTreeSet::new();
        loop {
            let until = (limits.deadline, limits.cancel.clone());
            let (mut engine, solving) = start_engine(subject, options, until, Some(needs_bits));
            if let Some((bounds, exactness)) = &bounds {
                engine.set_bounds(bounds.clone());
                if *exactness != Exactness::Exact {
                    engine.loosen();
                }
                if *exactness == Exactness::Coarse {
                    engine.coarsen();
                }
            }
            let survey = engine.survey(method, limits, bounds.is_some())?;
            match engine.needs_bits() {
                Some(more) => needs_bits = more,
                None => {
                    let limits = limits.clone();
                    return Some((Stage { engine, solving, limits, tell: None }, survey));
                }
            }
        }
    }

    /// Whether no further question would be answered.
    pub fn is_stopped(&self) -> bool {
        self.limits.is_over()
    }

    /// Looks for the possible values of every reference. `true` once all are decided; `false` when
    /// so much was excluded that a new formula is worth while.
    pub fn references(&mut self, survey: &Survey, known: &mut Known) -> bool {
        self.find_forests(survey, known);
        let mut entries = Entries::new(survey, known);
        self.find_possible(&mut entries, known);
        while !entries.open.is_empty() && !entries.are_fewer() && !self.is_stopped() {
            self.ask_each(&mut entries, known);
            if !entries.are_fewer() {
                self.find_unshared(survey, known);
            }
            known.budget *= 4;
        }
        for (key, values) in &survey.references {
            let names = values.iter().filter(|(_, lit)| !entries.excluded.contains(lit));
            let names = names.map(|(name, _)| name.clone());
            known.bounds.set(key.clone(), Row::References(names.collect()));
        }
        let decided = entries.open.is_empty();
        if decided && !self.is_stopped() {
            self.find_unshared(survey, known);
        }
        decided
    }

    /// Settles the entries that models have, model after model, as long as these come easily.
    fn find_possible(&mut self, entries: &mut Entries, known: &mut Known) {
        while !entries.open.is_empty() {
            self.tell(entries.open.len());
            let asked: Vec<Lit> = entries.open.keys().copied().collect();
            match self.any(&asked, Some(EASY_CONFLICTS)) {
                Answer::Sat => self.settle_possible(entries, known),
                Answer::Unsat => {
                    entries.excluded.extend(asked);
                    entries.open.clear();
                }
                Answer::Unknown(_) => return,
            }
        }
    }

    fn ask_each(&mut self, entries: &mut Entries, known: &mut Known) {
        for lit in entries.open.keys().copied().collect::<Vec<Lit>>() {
            if !entries.open.contains_key(&lit) {
                continue;
            }
            if self.is_stopped() {
                return;
            }
            self.tell(entries.open.len());
            match self.solve(lit, known.budget) {
                Answer::Sat => self.settle_possible(entries, known),
                Answer::Unsat => {
                    entries.open.remove(&lit);
                    entries.excluded.insert(lit);
                    self.engine.exclude(lit);
                }
                Answer::Unknown(_) => {}
            }
        }
    }

    fn tell(&self, open: usize) {
        if let Some(tell) = &self.tell {
            let (entries, decided) = (tell.entries, tell.entries.saturating_sub(open));
            tell.watch.tell(tell.method, Activity::Bounds { decided, entries });
        }
    }

    fn settle_possible(&self, entries: &mut Entries, known: &mut Known) {
        let solving = self.solving.borrow();
        entries.open.retain(|lit, entry| {
            let seen = solving.input(*lit);
            if seen {
                known.possible.insert(entry.clone());
            }
            !seen
        });
    }

    /// Which fields never hold one object twice because they are the branches of trees.
    fn find_forests(&mut self, survey: &Survey, known: &mut Known) {
        let is_open = |fields: &BTreeSet<_>| {
            let is_known = known.bounds.unshared.iter().any(|set| fields.is_subset(set));
            !is_known && !known.joined.contains(fields)
        };
        for Forest { fields, broken } in self.engine.forests(is_open) {
            if self.is_stopped() {
                return;
            }
            match self.any(&broken, Some(known.budget * SHARING)) {
                Answer::Sat => {
                    known.joined.insert(fields);
                }
                Answer::Unsat => {
                    for lit in self.engine.held_twice(survey, &fields) {
                        self.engine.exclude(lit);
                    }
                    known.bounds.unshared.retain(|set| !set.is_subset(&fields));
                    known.bounds.unshared.push(fields);
                }
                Answer::Unknown(_) => {}
            }
        }
    }

    /// Which fields never hold one object twice. It follows from many invariants without being
    /// said, and helps to decide the rest. Each field joins the first set with which that is so.
    fn find_unshared(&mut self, survey: &Survey, known: &mut Known) {
        for field in survey.fields() {
            let sets = known.bounds.unshared.clone();
            if sets.iter().any(|set| set.contains(&field)) {
                continue;
            }
            let alone = BTreeSet::new();
            for set in sets.iter().chain([&alone]) {
                let mut larger = set.clone();
                larger.insert(field);
                if self.is_stopped() || known.shared.contains(&larger) {
                    continue;
                }
                let twice = self.engine.held_twice(survey, &larger);
                match self.any(&twice, Some(known.budget * SHARING)) {
                    Answer::Sat => {
                        known.shared.insert(larger);
                    }
                    Answer::Unsat => {
                        known.bounds.unshared.retain(|s| s != set);
                        known.bounds.unshared.push(larger);
                        for lit in twice {
                            self.engine.exclude(lit);
                        }
                        break;
                    }
                    Answer::Unknown(_) => {}
                }
            }
        }
    }

    fn any(&mut self, open: &[Lit], conflicts: Option<u64>) -> Answer {
        let constraints = self.engine.constraints();
        let mut solving = self.solving.borrow_mut();
        solving.solve_any(&self.engine.circuit, constraints, open, conflicts)
    }

    fn solve(&mut self, lit: Lit, conflicts: u64) -> Answer {
        let constraints = self.engine.constraints();
        let mut solving = self.solving.borrow_mut();
        let circuit = &self.engine.circuit;
        solving.solve(circuit, constraints, &[lit], Some(conflicts))
    }

    /// Looks for numbers that are never negative and never great. `true` if there are any. Numbers of one
    /// field are asked about in the order of the objects: each makes the next one easier, and behind one
    /// that is hard there are harder ones.
    pub fn small_numbers(&mut self, survey: &Survey, bounds: &mut Bounds) -> bool {
        let mut found = false;
        let mut hard = None;
        for (key, bits, reached) in &survey.numbers {
            let is_hard = key.field().is_some() && key.field() == hard;
            if bits.width() < 8 || is_hard || self.is_stopped() {
                continue;
            }
            let most = Bits::constant(bits.width(), SMALL);
            let small = self.engine.circuit.lt_unsigned(bits, &most);
            let other = self.engine.circuit.and(*reached, !small);
            if other.is_constant() {
                continue;
            }
            match self.solve(other, SMALL_CONFLICTS) {
                Answer::Sat => {}
                Answer::Unsat => {
                    self.engine.exclude(other);
                    bounds.set(key.clone(), Row::Numbers((0..SMALL).collect()));
                    found = true;
                }
                Answer::Unknown(_) => hard = key.field(),
            }
        }
        found
    }

    /// The possible values of numbers, where these are few.
    pub fn numbers(&mut self, survey: &Survey, bounds: &mut Bounds) {
        let mut open: BTreeMap<usize, BTreeSet<u64>> =
            (0..survey.numbers.len()).map(|n| (n, BTreeSet::new())).collect();
        open.retain(|n, _| survey.numbers[*n].1.iter().any(|l| !l.is_constant()));
        while !open.is_empty() && !self.is_stopped() {
            let mut asked = Vec::new();
            for (number, values) in &open {
                let (_, bits, reached) = &survey.numbers[*number];
                let other = differs(&mut self.engine.circuit, bits, values);
                asked.push(self.engine.circuit.and(other, *reached));
            }
            match self.any(&asked, None) {
                Answer::Sat => {
                    let solving = self.solving.borrow();
                    let model = solving.model(&self.engine.circuit);
                    for (number, values) in &mut open {
                        let (_, bits, reached) = &survey.numbers[*number];
                        if model.value(*reached) {
                            values.insert(model.word(bits));
                        }
                    }
                    open.retain(|_, values| values.len() <= MOST_VALUES);
                }
                Answer::Unsat => {
                    for (number, values) in open {
                        let key = survey.numbers[number].0.clone();
                        bounds.set(key, Row::Numbers(values.into_iter().collect()));
                    }
                    return;
                }
                Answer::Unknown(_) => return,
            }
        }
    }
}

/// Adds what numbers bounds leave that give every reference.
pub(crate) fn with_numbers(
    subject: Subject<'_>,
    method: MethodId,
    options: &Options,
    (deadline, cancel): (Option<Instant>, Cancel),
    shape: Arc<Bounds>,
) -> Arc<Bounds> {
    let limits = Limits { deadline, cancel, calls: options.calls, ..Limits::default() };
    let given = Some((shape.clone(), Exactness::Exact));
    let Some((mut stage, survey)) = Stage::new(subject, method, options, &limits, given) else {
        return shape;
    };
    let mut bounds = (*shape).clone();
    stage.numbers(&survey, &mut bounds);
    Arc::new(bounds)
}

/// Whether a number is none of these values.
fn differs(circuit: &mut Circuit, bits: &Bits, values: &BTreeSet<u64>) -> Lit {
    let mut all = Vec::new();
    for value in values {
        let value = Bits::constant(bits.width(), *value);
        let equal = circuit.bits_eq(bits, &value);
        all.push(!equal);
    }
    circuit.and_all(all)
}
