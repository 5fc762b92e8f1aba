//! Evaluating a circuit on all inputs of a walk, on all cores.
//!
//! The walk (`sat::Cases`) is divided into pieces, shuffled, so that what is seen first comes from everywhere.
//! Pieces differ in size by orders of magnitude: whoever has nothing to do makes the others give back what is
//! left of theirs.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
use std::time::{Duration, Instant};

use logic::{LANES, Lane, Lanes};
use sat::{Cases, Prefix, Step};

use super::inputs::{Inputs, time_left};
use crate::check::Check;
use crate::options::progress::Activity;

/// Parts of a walk that are tried to estimate how long it takes, steps to find them, steps that it costs to
/// begin one, and the share of the time for all that may go into this.
const STRATA: usize = 1_000;
const STRATA_STEPS: u64 = 20_000;
const RESTART: u64 = 20;
const ESTIMATING: f64 = 0.05;
/// What a step of the walk takes, and the evaluation of so many gates for one input.
pub(crate) const STEP: Duration = Duration::from_micros(4);
pub(crate) const GATES_PER_STEP: f64 = 160_000.0;

/// Pieces that the walk is divided into, at least, for several threads.
const PIECES: usize = 2000;
const MOST_PREFIX_STEPS: u64 = 200_000;

/// How long somebody waits who has nothing to do.
const WAITING: Duration = Duration::from_millis(2);

/// Steps between two looks at the clock.
const CHUNK: u64 = 10_000;

/// Inputs that may need the solver, and those for which something supposed may turn out to be wrong before
/// that is enough.
const MOST_OPEN: usize = 50;
const MOST_REFUTING: usize = 20_000;

/// Inputs that are enough to show that something supposed is wrong.
const TYPICAL: u32 = 16;

/// What going through inputs has shown.
#[derive(Default)]
pub(crate) struct Found {
    /// For each goal, by position, what reaches it.
    pub reached: BTreeMap<usize, Hits>,
    /// Inputs for which something that was supposed is not so; they have to be looked at again.
    pub refuting: Vec<Input>,
    /// For each thing supposed, how many of those show that it is wrong, and are to show it next time.
    typical: BTreeMap<usize, u32>,
    /// Inputs for which some literal is unknown.
    pub open: Vec<Input>,
    /// What has not been gone through.
    pub left: Pieces,
}

/// An input, and how the walk comes to it.
#[derive(Clone)]
pub(crate) struct Input {
    pub lane: Lane,
    pub prefix: Prefix,
    /// Whether few others show that the same things are wrong that were supposed.
    pub is_typical: bool,
}

/// Parts of a walk, each of them what begins with one of some decisions.
pub(crate) type Pieces = Vec<Vec<Prefix>>;

/// What makes a literal true: inputs, if the constraints about what does not matter admit them.
#[derive(Clone, Default)]
pub(crate) struct Hits {
    pub count: u64,
    /// Fewer and fewer of them, so that they are not all alike.
    pub lanes: Vec<Lane>,
}

impl Hits {
    pub fn append(&mut self, other: Hits) {
        self.count += other.count;
        self.lanes.extend(other.lanes);
    }

    fn add(&mut self, lane: impl FnOnce() -> Lane) {
        self.count += 1;
        if self.count.is_power_of_two() {
            self.lanes.push(lane());
        }
    }
}

/// When to give up.
#[derive(Clone, Copy)]
pub(crate) struct Limit {
    pub until: Instant,
    /// Until when it may be later if all is likely to be done in time.
    pub at_most: Instant,
    /// How many pieces there were to begin with.
    pub all: usize,
    /// For how long it pays to look for more of a kind where something that was supposed is not so.
    pub patience: Duration,
}

impl Inputs {
    /// Evaluates what is asked about on the inputs of the pieces, the last of which is supposed; `None` if
    /// that is beyond the limit, or the solver would have to be asked too often.
    pub fn evaluate(
        &mut self,
        check: &Check<'_>,
        walk: Cases,
        lanes: Lanes,
        pieces: Pieces,
        supposed: Range<usize>,
        limit: &mut Limit,
    ) -> Option<Found> {
        let start = Instant::now();
        let (all, pieces) = (pieces.len(), Mutex::new(pieces));
        let done = AtomicU64::new(0);
        let (is_over, is_enough) = (AtomicBool::new(false), AtomicBool::new(false));
        let found = Mutex::new(Found::default());
        let shared = Shared {
            pieces: &pieces,
            done: &done,
            is_over: &is_over,
            is_enough: &is_enough,
            working: &AtomicUsize::new(0),
            idle: &AtomicUsize::new(0),
            found: &found,
        };
        std::thread::scope(|scope| {
            let threads = check.setting.options.threads.max(1);
            let workers: Vec<_> = (0..threads)
                .map(|_| {
                    let (walk, lanes) = (walk.clone(), lanes.clone());
                    let supposed = supposed.clone();
                    let evaluation =
                        Evaluation { walk, lanes, supposed, used: 0, prefixes: Vec::new() };
                    let shared = &shared;
                    scope.spawn(move || evaluation.work(shared))
                })
                .collect();
            let mut refuted_after = None;
            while !workers.iter().all(|w| w.is_finished()) {
                std::thread::park_timeout(Duration::from_millis(20));
                check.tell(Activity::Inputs { done: done.load(Relaxed) });
                if found.lock().is_ok_and(|found| !found.refuting.is_empty()) {
                    let elapsed = start.elapsed();
                    let first = *refuted_after.get_or_insert(elapsed);
                    is_enough.fetch_or(elapsed > 2 * first + limit.patience, Relaxed);
                }
                let left = || pieces.lock().map_or(all, |pieces| pieces.len());
                let late =
                    Instant::now() > limit.until && !has_time(check, limit, start, left(), all);
                if late || check.setting.is_called_off() {
                    is_over.store(true, Relaxed);
                }
            }
        });
        check.tell(Activity::Inputs { done: done.into_inner() });
        if is_over.into_inner() {
            let left = pieces.into_inner().map_or(all, |pieces| pieces.len());
            let share = all.saturating_sub(left).max(1) as f64 / all.max(1) as f64;
            self.note_walk_time(start.elapsed().div_f64(share));
            return None;
        }
        let (found, left) = (found.into_inner().ok()?, pieces.into_inner().ok()?);
        // Nobody stops before the end but where something was refuted. If that were otherwise, nothing counts.
        let is_whole = left.is_empty() || !found.refuting.is_empty();
        is_whole.then_some(Found { left, ..found })
    }
}

/// Whether what is left of some pieces is likely to be done in time; then it may take twice as long.
fn has_time(check: &Check<'_>, limit: &mut Limit, start: Instant, left: usize, all: usize) -> bool {
    let elapsed = start.elapsed();
    let to_come = elapsed.mul_f64(left as f64 / all.saturating_sub(left).max(1) as f64);
    // Who is beyond the middle has less to lose by going on than by giving up.
    let is_soft = Instant::now() < limit.at_most || left < limit.all / 2;
    let is_likely = is_soft && left < all && to_come < time_left(check);
    if is_likely {
        limit.until = Instant::now() + elapsed;
    }
    is_likely
}

/// What those who evaluate share.
struct Shared<'a> {
    pieces: &'a Mutex<Vec<Vec<Prefix>>>,
    /// Inputs that have been evaluated.
    done: &'a AtomicU64,
    /// Whether it takes too long, and whether no other piece is to be begun.
    is_over: &'a AtomicBool,
    is_enough: &'a AtomicBool,
    /// How many are at work, and how many wait for something to do.
    working: &'a AtomicUsize,
    idle: &'a AtomicUsize,
    found: &'a Mutex<Found>,
}

impl Shared<'_> {
    /// The next piece. Who finds none waits as long as somebody may give something back.
    fn next(&self) -> Option<Vec<Prefix>> {
        let mut is_idle = false;
        loop {
            {
                let mut pieces = self.pieces.lock().ok()?;
                let is_over = self.is_enough.load(Relaxed) || self.is_over.load(Relaxed);
                let piece = (!is_over).then(|| pieces.pop()).flatten();
                if piece.is_some() {
                    self.working.fetch_add(1, Relaxed);
                }
                let is_end = piece.is_some() || is_over || self.working.load(Relaxed) == 0;
                if is_idle && is_end {
                    self.idle.fetch_sub(1, Relaxed);
                }
                if is_end {
                    return piece;
                }
            }
            if !is_idle {
                is_idle = true;
                self.idle.fetch_add(1, Relaxed);
            }
            std::thread::sleep(WAITING);
        }
    }

    /// Whether somebody who is at work is to give back what is left of it.
    fn is_to_stop(&self) -> bool {
        let is_set = |flag: &AtomicBool| flag.load(Relaxed);
        is_set(self.is_over) || is_set(self.is_enough) || self.idle.load(Relaxed) > 0
    }

    fn give_back(&self, left: impl Iterator<Item = Prefix>) {
        if let Ok(mut pieces) = self.pieces.lock() {
            pieces.extend(left.map(|prefix| vec![prefix]));
        }
    }
}

/// A bit for each lane.
type Bits = [u64; LANES / 64];

/// One of those who evaluate.
struct Evaluation {
    walk: Cases,
    lanes: Lanes,
    /// Roots that are supposed to be false. What comes before is asked about too, what comes after is
    /// constraints.
    supposed: Range<usize>,
    /// Lanes in use, and how the walk came to each, if anybody may want to go there again.
    used: usize,
    prefixes: Vec<Prefix>,
}

impl Evaluation {
    fn work(mut self, shared: &Shared<'_>) {
        let inputs = self.lanes.inputs().to_vec();
        while let Some(piece) = shared.next() {
            let mut prefixes = piece.into_iter();
            while let Some(prefix) = prefixes.next() {
                self.walk.restart(&prefix);
                if !self.walk_on(&inputs, shared) {
                    let left = self.walk.remaining().into_iter().chain(prefixes);
                    shared.give_back(left);
                    break;
                }
            }
            shared.working.fetch_sub(1, Relaxed);
            if shared.is_over.load(Relaxed) {
                return;
            }
        }
        self.look(shared);
    }

    /// Looks at all cases from where the walk stands; false if it stops before their end.
    fn walk_on(&mut self, inputs: &[u32], shared: &Shared<'_>) -> bool {
        loop {
            match self.walk.next(CHUNK) {
                Step::End => return true,
                Step::Between => {}
                Step::Case => {
                    let values = inputs.iter().map(|node| self.walk.value(*node));
                    self.lanes.set(self.used, values);
                    if !self.supposed.is_empty() {
                        self.prefixes.push(self.walk.prefix());
                    }
                    self.used += 1;
                }
            }
            if self.used == LANES {
                self.look(shared);
            }
            if shared.is_to_stop() {
                return false;
            }
        }
    }

    /// Evaluates the lanes in use.
    fn look(&mut self, shared: &Shared<'_>) {
        self.lanes.evaluate();
        let mut excluded = [0; LANES / 64];
        for constraint in self.supposed.end..self.lanes.roots() {
            let [_, no] = self.lanes.root(constraint);
            (0..LANES / 64).for_each(|word| excluded[word] |= no[word]);
        }
        let (mut refuting, mut open) = ([0; LANES / 64], [0; LANES / 64]);
        for position in 0..self.supposed.end {
            let [yes, no] = self.lanes.root(position);
            for word in 0..LANES / 64 {
                open[word] |= !yes[word] & !no[word] & !excluded[word];
                if self.supposed.contains(&position) {
                    refuting[word] |= yes[word] & !excluded[word];
                }
            }
        }
        let has = |words: &[u64; LANES / 64], lane: usize| words[lane / 64] >> (lane % 64) & 1 == 1;
        let Ok(mut found) = shared.found.lock() else { return };
        let typical = self.typical(&mut found.typical, &excluded);
        for lane in 0..self.used {
            let is_refuting = has(&refuting, lane);
            if is_refuting || has(&open, lane) {
                let prefix = self.prefixes.get_mut(lane).map(std::mem::take).unwrap_or_default();
                let is_typical = has(&typical, lane);
                let input = Input { lane: self.lanes.lane(lane), prefix, is_typical };
                if is_refuting { &mut found.refuting } else { &mut found.open }.push(input);
            }
        }
        for position in 0..self.supposed.start {
            let [yes, _] = self.lanes.root(position);
            let is_sure = |lane: &usize| {
                let is_doubtful = has(&refuting, *lane) || has(&open, *lane);
                has(&yes, *lane) && !has(&excluded, *lane) && !is_doubtful
            };
            for lane in (0..self.used).filter(is_sure) {
                let hits = found.reached.entry(position).or_default();
                hits.add(|| self.lanes.lane(lane));
            }
        }
        if found.open.len() > MOST_OPEN {
            shared.is_over.store(true, Relaxed);
            return;
        }
        shared.done.fetch_add(self.used as u64, Relaxed);
        self.used = 0;
        self.prefixes.clear();
        if found.refuting.len() > MOST_REFUTING {
            shared.is_enough.store(true, Relaxed);
        }
    }

    /// The lanes in which something supposed is wrong that few have shown so far.
    fn typical(&self, shown: &mut BTreeMap<usize, u32>, excluded: &Bits) -> Bits {
        let mut typical = [0; LANES / 64];
        for position in self.supposed.clone() {
            let [yes, _] = self.lanes.root(position);
            let words = yes.iter().zip(excluded).map(|(yes, excluded)| yes & !excluded);
            for (word, mut bits) in words.enumerate().filter(|w| w.1 != 0) {
                let shown = shown.entry(position).or_default();
                while bits != 0 && *shown < TYPICAL {
                    typical[word] |= bits & bits.wrapping_neg();
                    bits &= bits - 1;
                    *shown += 1;
                }
            }
        }
        typical
    }
}

/// All of a walk, in parts. What is seen before enough is known should be from everywhere.
pub(crate) fn pieces(walk: &mut Cases) -> Pieces {
    let prefixes = walk.prefixes(PIECES, MOST_PREFIX_STEPS);
    let together = prefixes.len().div_ceil(PIECES).max(1);
    let mut pieces: Pieces = prefixes.chunks(together).map(<[Prefix]>::to_vec).collect();
    Random::new().shuffle(&mut pieces);
    pieces
}

/// Parts of a walk, shuffled, and about how many steps it takes, by walking through some of them; at least
/// so many if that takes more than the share of a time that is for guessing.
pub(crate) fn guess(walk: &mut Cases, time: Duration) -> (Vec<Prefix>, f64) {
    let mut strata = walk.prefixes(STRATA, STRATA_STEPS);
    Random::new().shuffle(&mut strata);
    let before = walk.steps;
    let end = before + ((ESTIMATING * time.div_duration_f64(STEP)) as u64).max(STRATA_STEPS);
    let mut seen = 0;
    for stratum in &strata {
        walk.restart(stratum);
        seen += 1;
        while walk.steps < end && walk.next(end - walk.steps) == Step::Case {}
        if walk.steps + RESTART * seen >= end {
            break;
        }
    }
    let steps = (walk.steps - before) as f64 / seen.max(1) as f64 * strata.len() as f64;
    walk.restart(&[]);
    (strata, steps)
}

/// The same numbers at every run (Marsaglia, "Xorshift RNGs", 2003).
pub(crate) struct Random(u64);

impl Random {
    pub fn new() -> Random {
        Random(0x9e37_79b9_7f4a_7c15)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn coin(&mut self) -> bool {
        self.next() & 1 == 1
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, (self.next() % (last as u64 + 1)) as usize);
        }
    }
}
