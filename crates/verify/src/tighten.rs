//! Tight bounds: which entries of the input no canonical heap has that satisfies the invariants
//! (Galeotti et al., section 4), by one incremental solver at a time.
//!
//! What follows from the numbering alone is found first, without invariants: that is cheap. Then
//! entries that are possible are found by asking for any of those that are still open: every model
//! settles all entries that it has. What is left is asked about one by one within a budget, and an
//! entry that proves impossible is excluded at once, so that the next question is easier (the
//! paper's eager algorithm, figure 22). As soon as enough is excluded the formula is made again: with
//! fewer entries it is much smaller. Budgets grow until everything is decided.
//!
//! The formula says little of the invariants at first (see [`Exactness`]), and more once that decides
//! nothing further. Numbers that prove small get few bits before they begin to count.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use encode::atom::Name;
use encode::bounds::{Bounds, Row, Survey};
use encode::inputs::LeafKey;
use encode::{Engine, Limits, Subject};
use ir::MethodId;
use logic::{Bits, Circuit, Lit, unless_interrupted};
use sat::{Answer, Stop};

use crate::options::Options;
use crate::progress::{Activity, Watch};
use crate::solving::{Solving, start_engine};

/// More different values than this make a number unbounded.
const MOST_VALUES: usize = 40;

/// Conflicts that one question about all open entries may cost.
const EASY_CONFLICTS: u64 = 20_000;

/// Conflicts that the first question about one entry may cost; then four times as many.
const FIRST_CONFLICTS: u64 = 30;

/// Conflicts for one entry up to which a coarse formula is used.
const COARSE_CONFLICTS: u64 = 2_000;

/// Numbers below this are small.
const SMALL: u64 = 64;

/// Conflicts that the question whether a number is small may cost.
const SMALL_CONFLICTS: u64 = 300;

/// How many times as many it may cost to show that objects are not shared.
const SHARING: u64 = 100;

/// How bounds came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub enum BoundsUse {
    #[default]
    Off,
    Computed,
    /// Found in the store.
    Hit,
}

/// Bounds for the input of a method.
pub struct Tight {
    pub bounds: Bounds,
    /// Entries before anything was known of them.
    pub before: usize,
    /// Whether every entry was decided; if not, those that were not count as possible.
    pub complete: bool,
}

/// The input of a method, laid out without its invariants.
pub struct LaidOut<'a> {
    stage: Stage<'a>,
    pub survey: Survey,
}

impl<'a> LaidOut<'a> {
    /// `None` if the input is not laid out.
    pub fn new(
        subject: Subject<'a>,
        method: MethodId,
        options: &'a Options,
        deadline: Option<Instant>,
    ) -> Option<LaidOut<'a>> {
        let limits = bound_limits(options, deadline);
        let (stage, survey) = Stage::new(subject, method, options, &limits, None)?;
        Some(LaidOut { stage, survey })
    }

    pub fn engine(&self) -> &Engine<'a> {
        &self.stage.engine
    }

    /// Entries before anything is known of them.
    pub fn entries(&self) -> usize {
        self.survey.references.iter().map(|r| r.1.len()).sum()
    }
}

/// Computes the bounds from nothing; `None` if the input is not laid out.
pub fn compute(
    subject: Subject<'_>,
    method: MethodId,
    options: &Options,
    deadline: Option<Instant>,
) -> Option<Tight> {
    let laid_out = LaidOut::new(subject, method, options, deadline)?;
    tighten(subject, method, options, deadline, (laid_out, None), &mut |_| {})
}

/// Computes the bounds, from what is known of them; `None` if that is not possible. What has been
/// excluded so far is right at any time: `interim` is told of it, and it is what is left when the
/// deadline or an interruption comes.
pub fn tighten<'a>(
    subject: Subject<'a>,
    method: MethodId,
    options: &'a Options,
    deadline: Option<Instant>,
    (mut laid_out, start): (LaidOut<'a>, Option<Bounds>),
    interim: &mut dyn FnMut(&Bounds),
) -> Option<Tight> {
    let limits = bound_limits(options, deadline);
    let before = laid_out.entries();
    let is_new = start.is_none();
    let mut known = Known { bounds: start.unwrap_or_default(), ..Known::default() }.forget();
    let ended = unless_interrupted(|| {
        let stage = &mut laid_out.stage;
        while is_new && !stage.references(&laid_out.survey, &mut known) && !stage.stopped {}
        drop(laid_out);
        known = std::mem::take(&mut known).forget();
        go_through_stages(subject, method, options, &limits, &mut known, interim)
    });
    let complete = ended.unwrap_or(Some(false))?;
    Some(Tight { bounds: known.bounds, before, complete })
}

/// Adds to what is known, with a formula that says more and more; whether everything is decided.
fn go_through_stages<'a>(
    subject: Subject<'a>,
    method: MethodId,
    options: &'a Options,
    limits: &Limits,
    known: &mut Known,
    interim: &mut dyn FnMut(&Bounds),
) -> Option<bool> {
    let mut exactness = Exactness::Coarse;
    // Whether small numbers have been looked for.
    let mut small = false;
    loop {
        let bounds = Some((Arc::new(known.bounds.clone()), exactness));
        let (mut stage, survey) = Stage::new(subject, method, options, limits, bounds)?;
        if exactness == Exactness::Coarse && stage.engine.is_too_coarse() {
            exactness = Exactness::Loose;
            continue;
        }
        if exactness == Exactness::Loose && !small {
            small = true;
            if stage.small_numbers(&survey, &mut known.bounds) {
                continue;
            }
        }
        let mut complete = stage.engine.exhausted().is_none() && !limits.is_over();
        let entries = survey.references.iter().map(|r| r.1.len()).sum();
        stage.tell = Some(Tell { watch: options.watch.clone(), method, entries });
        let decided = complete && stage.references(&survey, known);
        complete &= !stage.stopped;
        let next = match exactness {
            Exactness::Coarse if stage.engine.is_coarse() => Some(Exactness::Loose),
            Exactness::Coarse | Exactness::Loose if stage.engine.is_loose() => {
                Some(Exactness::Exact)
            }
            _ => None,
        };
        let enough = decided || exactness == Exactness::Coarse && known.budget > COARSE_CONFLICTS;
        match next {
            Some(next) if complete && enough => {
                // What is possible so far need not be with everything said.
                exactness = next;
                *known = std::mem::take(known).forget();
                interim(&known.bounds);
            }
            _ if complete && !decided => interim(&known.bounds),
            _ => {
                if complete {
                    stage.numbers(&survey, &mut known.bounds);
                    complete &= !stage.stopped;
                }
                return Some(complete);
            }
        }
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

/// What has been found out.
#[derive(Default)]
struct Known {
    bounds: Bounds,
    possible: HashSet<(LeafKey, Name)>,
    /// Conflicts that the next question about one entry may cost.
    budget: u64,
    /// Sets of fields that are known to hold an object twice sometimes.
    shared: HashSet<BTreeSet<ir::FieldId>>,
}

impl Known {
    /// Keeps what holds of every heap: bounds.
    fn forget(self) -> Known {
        Known { bounds: self.bounds, budget: FIRST_CONFLICTS, ..Known::default() }
    }
}

/// One encoding with its solver.
pub(crate) struct Stage<'a> {
    pub engine: Engine<'a>,
    pub solving: Rc<RefCell<Solving>>,
    stopped: bool,
    tell: Option<Tell>,
}

/// Whom to tell how far the search for possible entries is.
struct Tell {
    watch: Watch,
    method: MethodId,
    entries: usize,
}

/// The entries that are still open, each with its literal.
type Open = BTreeMap<Lit, (LeafKey, Name)>;

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
            let (mut engine, solving) =
                start_engine(subject, options, limits.deadline, Some(needs_bits));
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
                    return Some((Stage { engine, solving, stopped: false, tell: None }, survey));
                }
            }
        }
    }

    /// Looks for the possible values of every reference. `true` once all are decided; `false` when
    /// so much was excluded that a new formula is worth while.
    fn references(&mut self, survey: &Survey, known: &mut Known) -> bool {
        let mut open = Open::new();
        let mut entries = 0;
        for (key, values) in &survey.references {
            for (name, lit) in values {
                entries += 1;
                let entry = (key.clone(), name.clone());
                if !lit.is_constant() && !known.possible.contains(&entry) {
                    open.insert(*lit, entry);
                }
            }
        }
        let mut excluded: BTreeSet<Lit> = BTreeSet::new();
        self.find_possible(&mut open, &mut excluded, known);
        while !open.is_empty() && !self.stopped {
            if excluded.len() * 10 > entries.max(100) {
                break;
            }
            self.ask_each(&mut open, &mut excluded, known);
            if excluded.len() * 10 <= entries.max(100) {
                self.find_unshared(survey, known);
            }
            known.budget *= 4;
        }
        for (key, values) in &survey.references {
            let names = values.iter().filter(|(_, lit)| !excluded.contains(lit));
            let names = names.map(|(name, _)| name.clone());
            known.bounds.set(key.clone(), Row::References(names.collect()));
        }
        if open.is_empty() && !self.stopped {
            self.find_unshared(survey, known);
        }
        open.is_empty()
    }

    /// Settles the entries that models have, model after model, as long as these come easily.
    fn find_possible(&mut self, open: &mut Open, excluded: &mut BTreeSet<Lit>, known: &mut Known) {
        while !open.is_empty() {
            self.tell(open.len());
            let asked: Vec<Lit> = open.keys().copied().collect();
            match self.any(&asked, Some(EASY_CONFLICTS)) {
                Answer::Sat => self.settle_possible(open, known),
                Answer::Unsat => {
                    excluded.extend(asked);
                    open.clear();
                }
                Answer::Unknown(_) => return,
            }
        }
    }

    fn ask_each(&mut self, open: &mut Open, excluded: &mut BTreeSet<Lit>, known: &mut Known) {
        for lit in open.keys().copied().collect::<Vec<Lit>>() {
            if !open.contains_key(&lit) {
                continue;
            }
            if self.stopped {
                return;
            }
            self.tell(open.len());
            match self.solve(lit, known.budget) {
                Answer::Sat => self.settle_possible(open, known),
                Answer::Unsat => {
                    open.remove(&lit);
                    excluded.insert(lit);
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

    fn settle_possible(&self, open: &mut Open, known: &mut Known) {
        let solving = self.solving.borrow();
        open.retain(|lit, entry| {
            let seen = solving.input(*lit);
            if seen {
                known.possible.insert(entry.clone());
            }
            !seen
        });
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
                if self.stopped || known.shared.contains(&larger) {
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
        let answer = solving.solve_any(&self.engine.circuit, constraints, open, conflicts);
        self.stopped |= is_over(answer);
        answer
    }

    fn solve(&mut self, lit: Lit, conflicts: u64) -> Answer {
        let constraints = self.engine.constraints();
        let mut solving = self.solving.borrow_mut();
        let circuit = &self.engine.circuit;
        let answer = solving.solve(circuit, constraints, &[lit], Some(conflicts));
        self.stopped |= is_over(answer);
        answer
    }

    /// Looks for numbers that are never negative and never great. `true` if there are any.
    fn small_numbers(&mut self, survey: &Survey, bounds: &mut Bounds) -> bool {
        let mut found = false;
        for (key, bits, reached) in &survey.numbers {
            let most = Bits::constant(bits.width(), SMALL);
            if bits.width() < 8 || self.stopped {
                continue;
            }
            let small = self.engine.circuit.lt_unsigned(bits, &most);
            let other = self.engine.circuit.and(*reached, !small);
            if !other.is_constant() && self.solve(other, SMALL_CONFLICTS) == Answer::Unsat {
                self.engine.exclude(other);
                bounds.set(key.clone(), Row::Numbers((0..SMALL).collect()));
                found = true;
            }
        }
        found
    }

    /// The possible values of numbers, where these are few.
    fn numbers(&mut self, survey: &Survey, bounds: &mut Bounds) {
        let mut open: BTreeMap<usize, BTreeSet<u64>> =
            (0..survey.numbers.len()).map(|n| (n, BTreeSet::new())).collect();
        open.retain(|n, _| survey.numbers[*n].1.iter().any(|l| !l.is_constant()));
        while !open.is_empty() && !self.stopped {
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

/// Whether no further question would be answered.
fn is_over(answer: Answer) -> bool {
    matches!(answer, Answer::Unknown(Stop::Deadline | Stop::Cancelled))
}

fn bound_limits(options: &Options, deadline: Option<Instant>) -> Limits {
    let cancel = Some(options.watch.flag());
    Limits { deadline, cancel, calls: options.calls, ..Limits::default() }
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
