//! One encoding of an input with its invariants, and what solvers find out about its entries.
//!
//! Several threads may work on the same entries, each with an encoding and a solver of its own: what one
//! finds out the others hear of before their next question, and each asks about a share of what is left.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use encode::atom::Name;
use encode::bounds::{Bounds, Row, Survey};
use encode::inputs::LeafKey;
use encode::{Engine, Limits, Subject};
use ir::MethodId;
use logic::{Bits, Cancel, Circuit, Lit};
use sat::Answer;

use crate::options::Options;
use crate::progress::{Activity, Watch};
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
    lits: HashMap<Entry, Lit>,
    open: BTreeMap<Lit, Entry>,
    excluded: BTreeSet<Lit>,
}

impl Entries {
    fn new(survey: &Survey, known: &Known) -> Entries {
        let (mut lits, mut open) = (HashMap::new(), BTreeMap::new());
        for (key, values) in &survey.references {
            for (name, lit) in values {
                let entry = (key.clone(), name.clone());
                if !lit.is_constant() && !known.possible.contains(&entry) {
                    open.insert(*lit, entry.clone());
                }
                lits.insert(entry, *lit);
            }
        }
        Entries { all: lits.len(), lits, open, excluded: BTreeSet::new() }
    }

    /// Whether so much is excluded that a new formula is worth while.
    fn are_fewer(&self) -> bool {
        self.excluded.len() * 10 > self.all.max(100)
    }

    /// The open entries, those first that are for this worker to ask about, and how many these are.
    fn share(&self, (number, workers): (usize, usize)) -> (Vec<Lit>, usize) {
        let mut lits: Vec<Lit> = self.open.keys().copied().collect();
        let at = |worker: usize| lits.len() * worker / workers;
        let (from, to) = (at(number), at(number + 1));
        let count = if from == to { lits.len() } else { to - from };
        lits.rotate_left(from);
        (lits, count)
    }
}

/// Where those who work on the same entries tell each other what they found out.
pub(crate) struct Board {
    /// Entries with whether they are possible.
    news: Mutex<Vec<(Entry, bool)>>,
    workers: AtomicUsize,
    /// Set when no answer to a question that is being asked is needed any more.
    pub over: Cancel,
}

impl Board {
    /// A board for work that ends at the latest with this.
    pub fn new(whole: &Cancel) -> Board {
        Board { news: Mutex::default(), workers: AtomicUsize::new(1), over: whole.part() }
    }

    fn news(&self) -> MutexGuard<'_, Vec<(Entry, bool)>> {
        self.news.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One of those who work on the same entries.
pub(crate) struct Worker<'b> {
    board: &'b Board,
    number: usize,
    /// How much of the news this one knows.
    heard: usize,
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

impl<'b> Worker<'b> {
    /// The one that decides when the round ends and what comes next.
    pub fn first(board: &'b Board) -> Worker<'b> {
        Worker { board, number: 0, heard: 0 }
    }

    pub fn another(board: &'b Board) -> Worker<'b> {
        Worker { board, number: board.workers.fetch_add(1, Ordering::Relaxed), heard: 0 }
    }

    /// Which of how many this one is.
    fn place(&self) -> (usize, usize) {
        (self.number, self.board.workers.load(Ordering::Relaxed))
    }

    fn post(&self, news: impl IntoIterator<Item = (Entry, bool)>) {
        self.board.news().extend(news);
    }

    /// What is new since the last time, from this one and the others.
    fn hear(&mut self) -> Vec<(Entry, bool)> {
        let news = self.board.news();
        let fresh = news[self.heard..].to_vec();
        self.heard = news.len();
        fresh
    }
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

    /// Looks for the possible values of every reference, together with all at the same board. `true`
    /// once all are decided; `false` when so much was excluded that a new formula is worth while.
    pub fn references(&mut self, survey: &Survey, known: &mut Known, mut worker: Worker) -> bool {
        let over = &worker.board.over;
        let own = std::mem::replace(&mut self.solving.borrow_mut().cancel, over.clone());
        let mut entries = Entries::new(survey, known);
        self.find_possible(&mut entries, known, &mut worker);
        while !entries.open.is_empty() && !entries.are_fewer() && !self.is_stopped() {
            self.ask_each(&mut entries, known, &mut worker);
            if worker.number == 0 && !entries.are_fewer() {
                self.find_unshared(survey, known);
            }
            known.budget *= 4;
        }
        worker.board.over.set();
        self.solving.borrow_mut().cancel = own;
        for (key, values) in &survey.references {
            let names = values.iter().filter(|(_, lit)| !entries.excluded.contains(lit));
            let names = names.map(|(name, _)| name.clone());
            known.bounds.set(key.clone(), Row::References(names.collect()));
        }
        let decided = entries.open.is_empty();
        if decided && worker.number == 0 && !self.is_stopped() {
            self.find_unshared(survey, known);
        }
        decided
    }

    /// Settles the entries that models have, model after model, as long as these come easily.
    fn find_possible(&mut self, entries: &mut Entries, known: &mut Known, worker: &mut Worker) {
        loop {
            self.hear(entries, known, worker);
            if entries.open.is_empty() {
                return;
            }
            self.tell(entries.open.len());
            let (mut asked, count) = entries.share(worker.place());
            asked.truncate(count);
            match self.any(&asked, Some(EASY_CONFLICTS)) {
                Answer::Sat => self.settle_possible(entries, worker),
                Answer::Unsat => {
                    worker.post(asked.iter().map(|lit| (entries.open[lit].clone(), false)))
                }
                Answer::Unknown(_) => return self.hear(entries, known, worker),
            }
        }
    }

    fn ask_each(&mut self, entries: &mut Entries, known: &mut Known, worker: &mut Worker) {
        for lit in entries.share(worker.place()).0 {
            if !entries.open.contains_key(&lit) {
                continue;
            }
            if self.is_stopped() {
                return;
            }
            self.tell(entries.open.len());
            match self.solve(lit, known.budget) {
                Answer::Sat => self.settle_possible(entries, worker),
                Answer::Unsat => worker.post([(entries.open[&lit].clone(), false)]),
                Answer::Unknown(_) => {}
            }
            self.hear(entries, known, worker);
        }
    }

    /// Takes in what has been found out by this worker and the others.
    fn hear(&mut self, entries: &mut Entries, known: &mut Known, worker: &mut Worker) {
        for (entry, is_possible) in worker.hear() {
            let Some(lit) = entries.lits.get(&entry).copied() else {
                continue;
            };
            if entries.open.remove(&lit).is_none() {
                continue;
            }
            if is_possible {
                known.possible.insert(entry);
            } else {
                entries.excluded.insert(lit);
                self.engine.exclude(lit);
            }
        }
    }

    fn tell(&self, open: usize) {
        if let Some(tell) = &self.tell {
            let (entries, decided) = (tell.entries, tell.entries.saturating_sub(open));
            tell.watch.tell(tell.method, Activity::Bounds { decided, entries });
        }
    }

    fn settle_possible(&self, entries: &Entries, worker: &Worker) {
        let solving = self.solving.borrow();
        let seen = entries.open.iter().filter(|(lit, _)| solving.input(**lit));
        worker.post(seen.map(|(_, entry)| (entry.clone(), true)));
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
