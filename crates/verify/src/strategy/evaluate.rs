//! Evaluating a circuit on all inputs of a walk, on all cores.
//!
//! The walk (`sat::Cases`) is divided into pieces, shuffled, so that what is seen first comes from everywhere.
//! A few walkers go through them in rounds: each goes on until it has as many inputs as are evaluated at once, then what all
//! have seen is put together in their order, and whoever has nothing left gets some of what the others have. How
//! many walkers there are does not depend on the machine, and nothing on the clock, so that the
//! same inputs are seen in the same order wherever that is done.

use std::collections::BTreeMap;
use std::ops::Range;

use logic::{LANES, Lane, Lanes};
use sat::{Cases, Prefix, Step};

use super::inputs::{Inputs, longest_wait};
use crate::check::Check;
use crate::options::progress::Activity;
use crate::solving::Effort;

/// Parts of a walk that are tried to estimate how long it takes, steps to find them, steps that it costs to
/// begin one, and the share of the effort for all that may go into this.
const STRATA: usize = 1_000;
const STRATA_STEPS: u64 = 20_000;
const RESTART: u64 = 20;
const ESTIMATING: f64 = 0.05;
/// What a step of the walk takes, and the evaluation of so many gates for one input.
pub(crate) const STEP: Effort = Effort::microseconds(4);
pub(crate) const GATES_PER_STEP: f64 = 160_000.0;

/// Pieces that the walk is divided into, at least.
const PIECES: usize = 2000;
const MOST_PREFIX_STEPS: u64 = 200_000;

/// Those who walk, and pieces that one gets at a time.
const WALKERS: usize = 4;
const PIECES_AT_A_TIME: usize = 16;

/// Steps that a walker may take in a round.
const STEPS_OF_ROUND: u64 = 10_000;

/// Rounds between two words to whoever waits.
const ROUNDS_UNTOLD: u64 = 8;

/// Inputs that may need the solver, and those for which something supposed may turn out to be wrong before
/// that is enough.
const MOST_OPEN: usize = 50;
const MOST_REFUTING: usize = 20_000;

/// Inputs that are enough to show that something supposed is wrong.
const ENOUGH_TO_SHOW: u32 = 16;

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
    /// What has been spent so far, and what may be.
    pub spent: Effort,
    pub until: Effort,
    /// What may be spent if all is likely to be done then.
    pub at_most: Effort,
    /// How many pieces there were to begin with.
    pub all: usize,
    /// For how long it pays to look for more of a kind where something that was supposed is not so.
    pub patience: Effort,
}

impl Limit {
    pub fn new(until: Effort, at_most: Effort) -> Limit {
        Limit { spent: Effort::ZERO, until, at_most, all: 0, patience: Effort::ZERO }
    }

    /// Whether to go on with what is left of some pieces. If that is likely to be done in time, it may take
    /// twice as much.
    fn admits(&mut self, spent: Effort, left: usize, all: usize, longest: Effort) -> bool {
        if self.spent <= self.until {
            return true;
        }
        let to_come = spent.times(left as f64 / all.saturating_sub(left).max(1) as f64);
        // Who is beyond the middle has less to lose by going on than by giving up.
        let is_soft = self.spent < self.at_most || left < self.all / 2;
        let is_likely = is_soft && left < all && to_come < longest;
        if is_likely {
            self.until = self.spent + spent;
        }
        is_likely
    }
}

/// What is asked about inputs.
pub(crate) struct Asked {
    pub lanes: Lanes,
    /// Roots that are supposed to be false. What comes before is asked about too, what comes after is
    /// constraints.
    pub supposed: Range<usize>,
}

impl Inputs {
    /// Evaluates what is asked about on the inputs of the pieces; `None` if that is beyond the limit, or
    /// the solver would have to be asked too often.
    pub fn evaluate(
        &mut self,
        check: &Check<'_>,
        walk: &Cases,
        asked: &Asked,
        pieces: Pieces,
        limit: &mut Limit,
    ) -> Option<Found> {
        let threads = check.setting.options.threads;
        let mut walkers: Vec<Walker> = (0..WALKERS).map(|_| Walker::new(walk, asked)).collect();
        let mut going = Going { all: pieces.len(), pieces, ..Going::default() };
        let mut rounds = 0_u64;
        while going.deal(&mut walkers) {
            in_parallel(&mut walkers, threads, Walker::go_on);
            let spent = going.take_over(&mut walkers, asked);
            limit.spent += spent;
            rounds += 1;
            if rounds.is_multiple_of(ROUNDS_UNTOLD) {
                check.tell(Activity::Inputs { done: going.done });
            }
            let longest = longest_wait(check);
            let is_late = !limit.admits(going.spent, going.pieces.len(), going.all, longest);
            if is_late || check.setting.is_called_off() || going.found.open.len() > MOST_OPEN {
                self.note_walk_effort(going.estimated());
                return None;
            }
            if going.has_seen_enough(limit.patience) {
                break;
            }
        }
        check.tell(Activity::Inputs { done: going.done });
        let Going { mut found, pieces, .. } = going;
        found.left = pieces;
        found.left.extend(walkers.into_iter().flat_map(Walker::left).map(|prefix| vec![prefix]));
        Some(found)
    }
}

/// How far all walkers together have come.
#[derive(Default)]
struct Going {
    all: usize,
    pieces: Pieces,
    found: Found,
    /// Inputs that have been evaluated.
    done: u64,
    spent: Effort,
    /// What was spent when something that was supposed turned out to be wrong.
    refuted_after: Option<Effort>,
}

impl Going {
    /// Gives those something to do who have nothing; false if nobody has.
    fn deal(&mut self, walkers: &mut [Walker]) -> bool {
        let idle = walkers.iter().filter(|walker| walker.is_idle()).count();
        if idle > 0 && self.pieces.is_empty() {
            for walker in walkers.iter_mut() {
                self.pieces.extend(walker.give_back().into_iter().map(|prefix| vec![prefix]));
            }
        }
        let share = self.pieces.len().div_ceil(walkers.len()).min(PIECES_AT_A_TIME);
        for walker in walkers.iter_mut().filter(|walker| walker.is_idle()) {
            let left = self.pieces.len().saturating_sub(share);
            walker.pending.extend(self.pieces.drain(left..).rev().flatten());
            walker.pending.reverse();
        }
        walkers.iter().any(|walker| !walker.is_idle())
    }

    /// Takes over what the walkers have seen in a round; what that took.
    fn take_over(&mut self, walkers: &mut [Walker], asked: &Asked) -> Effort {
        let per_input = asked.lanes.gates() as f64 / GATES_PER_STEP;
        let mut steps = 0.0;
        for walker in walkers {
            steps += std::mem::take(&mut walker.steps) as f64 + walker.used as f64 * per_input;
            self.done += walker.used as u64;
            walker.tell(&mut self.found, &asked.supposed);
        }
        let spent = STEP.times(steps);
        self.spent += spent;
        spent
    }

    fn has_seen_enough(&mut self, patience: Effort) -> bool {
        if self.found.refuting.is_empty() {
            return false;
        }
        let first = *self.refuted_after.get_or_insert(self.spent);
        self.found.refuting.len() > MOST_REFUTING || self.spent > first.times(2.0) + patience
    }

    /// What all would take, by how far this has come.
    fn estimated(&self) -> Effort {
        let share = self.all.saturating_sub(self.pieces.len()).max(1) as f64;
        self.spent.times(self.all.max(1) as f64 / share)
    }
}

/// Does the same with all, on so many threads.
fn in_parallel(walkers: &mut [Walker], threads: usize, work: fn(&mut Walker)) {
    if threads <= 1 {
        return walkers.iter_mut().for_each(work);
    }
    let each = walkers.len().div_ceil(threads);
    std::thread::scope(|scope| {
        for some in walkers.chunks_mut(each) {
            scope.spawn(move || some.iter_mut().for_each(work));
        }
    });
}

/// A bit for each lane.
type Bits = [u64; LANES / 64];

/// One of those who walk.
struct Walker {
    walk: Cases,
    lanes: Lanes,
    /// Whether anything is supposed: then the walk may have to go to an input again.
    supposes: bool,
    /// Prefixes that it has still to go through, the next one last.
    pending: Vec<Prefix>,
    /// Whether it is in the midst of one.
    is_under_way: bool,
    /// Lanes in use, and how the walk came to each.
    used: usize,
    prefixes: Vec<Prefix>,
    /// What this round has taken.
    steps: u64,
}

impl Walker {
    fn new(walk: &Cases, asked: &Asked) -> Walker {
        Walker {
            walk: walk.clone(),
            lanes: asked.lanes.clone(),
            supposes: !asked.supposed.is_empty(),
            pending: Vec::new(),
            is_under_way: false,
            used: 0,
            prefixes: Vec::new(),
            steps: 0,
        }
    }

    fn is_idle(&self) -> bool {
        self.pending.is_empty() && !self.is_under_way
    }

    /// What it has not gone through, which others may take.
    fn give_back(&mut self) -> Vec<Prefix> {
        let under_way = std::mem::take(&mut self.is_under_way);
        let remaining = if under_way { self.walk.remaining() } else { Vec::new() };
        let pending = std::mem::take(&mut self.pending);
        remaining.into_iter().chain(pending.into_iter().rev()).collect()
    }

    fn left(mut self) -> Vec<Prefix> {
        self.give_back()
    }

    /// Walks until there are enough inputs or steps, and evaluates these inputs.
    fn go_on(&mut self) {
        let inputs = self.lanes.inputs().to_vec();
        let before = self.walk.steps;
        let mut restarts = 0;
        while self.used < LANES {
            let taken = self.walk.steps - before + RESTART * restarts;
            if taken >= STEPS_OF_ROUND {
                break;
            }
            if !self.is_under_way {
                let Some(prefix) = self.pending.pop() else { break };
                self.walk.restart(&prefix);
                self.is_under_way = true;
                restarts += 1;
            }
            match self.walk.next(STEPS_OF_ROUND - taken) {
                Step::End => self.is_under_way = false,
                Step::Between => {}
                Step::Case => {
                    let values = inputs.iter().map(|node| self.walk.value(*node));
                    self.lanes.set(self.used, values);
                    if self.supposes {
                        self.prefixes.push(self.walk.prefix());
                    }
                    self.used += 1;
                }
            }
        }
        self.steps = self.walk.steps - before + RESTART * restarts;
        if self.used > 0 {
            self.lanes.evaluate();
        }
    }

    /// Tells what the lanes in use have shown, which are free then.
    fn tell(&mut self, found: &mut Found, supposed: &Range<usize>) {
        let mut excluded = [0; LANES / 64];
        for constraint in supposed.end..self.lanes.roots() {
            let [_, no] = self.lanes.root(constraint);
            (0..LANES / 64).for_each(|word| excluded[word] |= no[word]);
        }
        // Lanes beyond those in use hold what was there before.
        for lane in self.used..LANES {
            excluded[lane / 64] |= 1 << (lane % 64);
        }
        let (mut refuting, mut open) = ([0; LANES / 64], [0; LANES / 64]);
        for position in 0..supposed.end {
            let [yes, no] = self.lanes.root(position);
            for word in 0..LANES / 64 {
                open[word] |= !yes[word] & !no[word] & !excluded[word];
                if supposed.contains(&position) {
                    refuting[word] |= yes[word] & !excluded[word];
                }
            }
        }
        let typical = self.typical(&mut found.typical, supposed, &excluded);
        for lane in 0..self.used {
            let is_refuting = has(&refuting, lane);
            if is_refuting || has(&open, lane) {
                let prefix = self.prefixes.get_mut(lane).map(std::mem::take).unwrap_or_default();
                let is_typical = has(&typical, lane);
                let input = Input { lane: self.lanes.lane(lane), prefix, is_typical };
                if is_refuting { &mut found.refuting } else { &mut found.open }.push(input);
            }
        }
        for position in 0..supposed.start {
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
        self.used = 0;
        self.prefixes.clear();
    }

    /// The lanes in which something supposed is wrong that few have shown so far.
    fn typical(
        &self,
        shown: &mut BTreeMap<usize, u32>,
        supposed: &Range<usize>,
        excluded: &Bits,
    ) -> Bits {
        let mut typical = [0; LANES / 64];
        for position in supposed.clone() {
            let [yes, _] = self.lanes.root(position);
            let words = yes.iter().zip(excluded).map(|(yes, excluded)| yes & !excluded);
            for (word, mut bits) in words.enumerate().filter(|w| w.1 != 0) {
                let shown = shown.entry(position).or_default();
                while bits != 0 && *shown < ENOUGH_TO_SHOW {
                    typical[word] |= bits & bits.wrapping_neg();
                    bits &= bits - 1;
                    *shown += 1;
                }
            }
        }
        typical
    }
}

fn has(words: &Bits, lane: usize) -> bool {
    words[lane / 64] >> (lane % 64) & 1 == 1
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
/// so many if that takes more than the share of an effort that is for guessing.
pub(crate) fn guess(walk: &mut Cases, effort: Effort) -> (Vec<Prefix>, f64) {
    let mut strata = walk.prefixes(STRATA, STRATA_STEPS);
    Random::new().shuffle(&mut strata);
    let before = walk.steps;
    let end = before + ((ESTIMATING * effort.divided_by(STEP)) as u64).max(STRATA_STEPS);
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
