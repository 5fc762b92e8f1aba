//! Going through all inputs one by one, where they are few enough.
//!
//! A search tree of fifteen nodes that is balanced has a few thousand shapes, and a key that is only
//! compared has some thirty places in each. A solver that cannot generalise over them refutes each
//! by itself, with several conflicts. To evaluate the formula on each costs less than a
//! thousandth of that: `sat::Cases` walks through what the constraints admit, and `logic::Lanes`
//! evaluates 256 inputs at once. Inputs need no values where those do not matter, and what
//! comes out as unknown is put to the solver with the rest of the input given. So this decides
//! whatever the solver would decide.
//!
//! Who is to know whether inputs are few? Neither the solver nor the walk tells how long it
//! will take. So the solver begins, and once it has spent some work the walk may spend a multiple
//! of that; if it is not through by then the solver goes on.
//!
//! While a method is encoded the oracle that prunes has the same trouble. There inputs are only
//! sampled: what no input of the sample makes true is supposed to be impossible, and the
//! suppositions are asked about together with the goals. One that fails adds its input to the sample,
//! and the method is encoded again.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::{Duration, Instant};

use encode::Calls;
use logic::{LANES, Lane, Lanes, Lit, Sample};
use sat::{Answer, Cases, Prefix, Step};

use crate::check::{Check, Reached};
use crate::progress::Activity;
use crate::result::Cause;
use crate::solving::Supposing;

/// How much longer than the solver has been asked a sample for the oracle may take, which is going to need
/// it again and again; at least and at most.
const GENEROSITY: u32 = 40;
const SAMPLING: [Duration; 2] = [Duration::from_secs(2), Duration::from_secs(12)];
/// What going through the inputs may always take, and otherwise as long as the solver has been asked.
const LEAST_TIME: Duration = Duration::from_millis(250);
/// By how much the solver's share grows from one try to the next, and what it is at least.
const GROWTH: u64 = 4;
const LEAST_WORK: u64 = 1 << 20;
/// How much more work than for questions about goals may go into those of the oracle.
const PRUNING: u64 = 10;
/// What a step of the walk takes, and the evaluation of so many gates for one input.
const STEP: Duration = Duration::from_micros(4);
const GATES_PER_STEP: f64 = 160_000.0;

/// Random descents that estimate how many inputs there are.
const DESCENTS: u64 = 1_000;
/// Steps that nobody will ever take.
const HOPELESS: f64 = 1e11;

/// Pieces that the walk is divided into, at least, for several threads.
const PIECES: usize = 2000;
const MOST_PREFIX_STEPS: u64 = 200_000;

/// Steps between two looks at the clock.
const CHUNK: u64 = 10_000;
/// Inputs between two looks at the clock.
const CLOCK: u64 = 256;

/// Inputs that may need the solver, and conflicts for each.
const MOST_OPEN: usize = 50;
const CONFLICTS: u64 = 1_000;

/// Inputs that are evaluated in any case once something supposed has turned out to be wrong.
const ENOUGH: u64 = 20_000;

/// By how much the walk may grow from when the oracle is tired to the end of the run, and what is no
/// growth to speak of.
const MOST_GROWTH: u64 = 4;
const FEWEST_STEPS: u64 = 20_000;

/// What may be spent on encoding by a sample and going through the inputs, beyond so many times what the
/// sample has taken.
const SUPPOSING: Duration = Duration::from_secs(2);
const PASSES: u32 = 20;

/// How often a method is encoded again because something that was supposed is not so.
const MOST_SAMPLES: u32 = 30;

/// What going through all inputs has shown.
#[derive(Default)]
struct Found {
    /// For each literal that was asked about, by position, what makes it true.
    reached: BTreeMap<usize, Hits>,
    /// Inputs for which some literal is unknown.
    open: Vec<Lane>,
    /// After how many inputs enough is known, if that is before the last: something that was supposed is
    /// not so, and more of that kind is likely to be found with it.
    enough: Option<u64>,
}

/// What makes a literal true: inputs, if the constraints about what does not matter admit them.
#[derive(Clone, Default)]
struct Hits {
    count: u64,
    /// Fewer and fewer of them, so that they are not all alike.
    lanes: Vec<Lane>,
}

impl Hits {
    fn add(&mut self, lane: impl FnOnce() -> Lane) {
        self.count += 1;
        if self.count.is_power_of_two() {
            self.lanes.push(lane());
        }
    }
}

/// When to give up.
#[derive(Clone, Copy)]
struct Limit {
    until: Option<Instant>,
    steps: u64,
}

/// A sample of the inputs.
pub(crate) struct Samples {
    lanes: Vec<Lane>,
    /// Steps of the walk that found the first of them.
    steps: u64,
    taken: u32,
    /// When to go back to the solver.
    until: Instant,
}

impl Check<'_> {
    /// Whether inputs are gone through at all.
    pub fn may_go_through(&self) -> bool {
        let options = self.setting.options;
        self.part.is_none()
            && !self.is_hopeless
            && self.setting.calls == Calls::Inline
            && options.split.is_none_or(|parts| parts <= 1)
    }

    /// What may be spent on the solver before something else is tried, if there is anything else.
    fn allowance(&self) -> Option<u64> {
        self.cases_after.filter(|_| self.may_go_through() || self.may_go_by_shape())
    }

    /// The goals that some input reaches; `None` if the method has to be encoded again.
    pub fn reached_goals(&mut self, open: Reached) -> Option<Reached> {
        if self.solving.borrow().supposing.is_some() {
            return self.discharge(open);
        }
        let Some(after) = self.allowance() else { return Some(self.reachable(open).0) };
        let whole = self.conflicts;
        let (mut work, mut reached) = (after, Vec::new());
        let mut open = open;
        loop {
            let conflicts = (work / self.engine.circuit.len() as u64).max(1);
            let is_last = whole.is_some_and(|whole| whole <= conflicts);
            self.conflicts = whole.into_iter().chain([conflicts]).min();
            let found;
            (found, open) = self.reachable(open);
            reached.extend(found);
            self.conflicts = whole;
            if open.is_empty() || !self.gave_up {
                return Some(reached);
            }
            self.gave_up = false;
            if self.give_way_to_shapes() {
                return Some(reached);
            }
            if let Some(found) = self.go_through(&open) {
                reached.extend(found);
                return Some(reached);
            }
            if is_last {
                self.gave_up = true;
                return Some(reached);
            }
            if self.allowance().is_none() {
                reached.extend(self.reachable(open).0);
                return Some(reached);
            }
            work = work.max(LEAST_WORK).saturating_mul(GROWTH);
        }
    }

    /// The goals among these that some input reaches, found by going through all; `None` if that
    /// takes too long.
    fn go_through(&mut self, open: &Reached) -> Option<Reached> {
        let walk = self.walk().filter(|_| self.may_go_through())?;
        let lits: Vec<Lit> = open.iter().map(|g| g.1).collect();
        let lanes = self.lanes(&lits);
        let time = self.solving.borrow().spent.max(LEAST_TIME);
        let steps = 1.0 + lanes.gates() as f64 / GATES_PER_STEP;
        if !self.is_affordable(&walk, steps, time * self.setting.options.threads as u32)
            || self.walk_time > 2 * time
        {
            return None;
        }
        let limit = Limit { until: Some(Instant::now() + time), steps: u64::MAX };
        let found = self.evaluate(&walk, lanes, lits.len()..lits.len(), limit)?;
        let reached = self.put_to_solver(found, &lits)?;
        Some(self.note(open, reached))
    }

    /// Whether a walk with so much work at each step is likely to fit into the time. If it is never
    /// going to, nobody need try again.
    fn is_affordable(&mut self, walk: &Cases, each: f64, time: Duration) -> bool {
        let steps = estimate(walk);
        self.is_hopeless |= steps >= HOPELESS;
        steps * each * STEP.as_secs_f64() <= time.as_secs_f64()
    }

    /// Remembers which inputs reach which of the goals, and gives those goals.
    fn note(&mut self, open: &Reached, reached: BTreeMap<usize, Lane>) -> Reached {
        let mut goals = Vec::new();
        for (position, input) in reached {
            let (goal, lit) = &open[position];
            self.inputs.insert(goal.clone(), input);
            goals.push((goal.clone(), *lit));
        }
        goals
    }

    /// The walk through what the constraints admit, if the input is laid out.
    fn walk(&self) -> Option<Cases> {
        let choices = self.engine.choices()?;
        let constraints: Vec<Lit> = self.engine.constraints().iter().map(|c| c.lit).collect();
        let choices = choices.iter().map(|c| (c.lit, &c.conditions[..]));
        Some(Cases::new(&self.engine.circuit, &constraints, choices))
    }

    /// The literals, and after them the constraints.
    fn lanes(&self, lits: &[Lit]) -> Lanes {
        let constraints = self.engine.constraints().iter().map(|c| c.lit);
        let roots: Vec<Lit> = lits.iter().copied().chain(constraints).collect();
        Lanes::new(&self.engine.circuit, &roots)
    }

    /// Evaluates what is asked about on all inputs, the last of which is supposed; `None` if that is beyond
    /// the limit, or the solver would have to be asked too often.
    fn evaluate(
        &mut self,
        walk: &Cases,
        lanes: Lanes,
        supposed: Range<usize>,
        limit: Limit,
    ) -> Option<Found> {
        let start = Instant::now();
        let pieces = walk.prefixes(PIECES, limit.steps.min(MOST_PREFIX_STEPS));
        let (all, pieces) = (pieces.len(), Mutex::new(pieces));
        let (done, steps) = (AtomicU64::new(0), AtomicU64::new(0));
        let is_over = AtomicBool::new(false);
        let found = Mutex::new(Found::default());
        let shared = Shared {
            pieces: &pieces,
            done: &done,
            steps: &steps,
            most: limit.steps,
            is_over: &is_over,
            found: &found,
        };
        std::thread::scope(|scope| {
            let threads = self.setting.options.threads.max(1);
            let workers: Vec<_> = (0..threads)
                .map(|_| {
                    let (walk, lanes) = (walk.clone(), lanes.clone());
                    let supposed = supposed.clone();
                    let evaluation = Evaluation { walk, lanes, supposed, used: 0 };
                    let shared = &shared;
                    scope.spawn(move || evaluation.work(shared))
                })
                .collect();
            while !workers.iter().all(|w| w.is_finished()) {
                std::thread::park_timeout(Duration::from_millis(20));
                self.tell(Activity::Inputs { done: done.load(Relaxed) });
                let late = limit.until.is_some_and(|until| Instant::now() > until);
                if late || self.is_called_off() {
                    is_over.store(true, Relaxed);
                }
            }
        });
        self.tell(Activity::Inputs { done: done.into_inner() });
        if is_over.into_inner() {
            let left = pieces.into_inner().map_or(all, |pieces| pieces.len());
            let share = (all - left).max(1) as f64 / all.max(1) as f64;
            self.walk_time = start.elapsed().div_f64(share);
            return None;
        }
        found.into_inner().ok()
    }

    /// Asks the solver about the inputs that are open, and gives for each literal that is reached
    /// an input. `None` if the solver does not know.
    fn put_to_solver(&mut self, found: Found, lits: &[Lit]) -> Option<BTreeMap<usize, Lane>> {
        let mut reached = BTreeMap::new();
        for (position, hits) in found.reached {
            let is_all = hits.lanes.len() as u64 == hits.count;
            for input in hits.lanes {
                let question = input.iter().copied().chain([lits[position]]).collect();
                if self.ask_about(question)? == Answer::Sat {
                    reached.insert(position, input);
                    break;
                }
            }
            if !is_all && !reached.contains_key(&position) {
                return None;
            }
        }
        for input in found.open {
            loop {
                let left: Vec<usize> =
                    (0..lits.len()).filter(|p| !reached.contains_key(p)).collect();
                let any = self.engine.circuit.or_all(left.iter().map(|p| lits[*p]));
                let question = input.iter().copied().chain([any]).collect();
                if self.ask_about(question)? == Answer::Unsat {
                    break;
                }
                let model = self.solving.borrow().model(&self.engine.circuit);
                let hit = left.into_iter().filter(|p| model.value(lits[*p]));
                reached.extend(hit.map(|p| (p, input.clone())));
            }
        }
        Some(reached)
    }

    /// Asks the solver about one input.
    fn ask_about(&self, question: Vec<Lit>) -> Option<Answer> {
        let (circuit, constraints) = (&self.engine.circuit, self.engine.constraints());
        let mut solving = self.solving.borrow_mut();
        let answer = solving.solve(circuit, constraints, &question, Some(CONFLICTS));
        (!matches!(answer, Answer::Unknown(_))).then_some(answer)
    }

    /// Whether the oracle has spent what it may.
    pub fn is_tired(&self) -> bool {
        self.solving.borrow().pruning == Some(0)
    }

    /// The oracle has spent what it may. If the inputs are few, it goes by a sample of them from
    /// now on. Otherwise it may spend more, and what it likes if there is no other way. Whether the run is
    /// to go on: not if the shapes of the input are few.
    pub fn suppose(&mut self) -> bool {
        if self.give_way_to_shapes() {
            return false;
        }
        let samples = match self.walk() {
            Some(walk) if self.may_go_through() => self.sample(walk),
            Some(_) | None => None,
        };
        // If it gets tired again, that is for what has been read since the sample was taken.
        let grown = |work: u64| work.max(LEAST_WORK).checked_mul(GROWTH);
        self.cases_after = self.cases_after.and_then(grown);
        match samples {
            Some(samples) => self.suppose_by(samples),
            None => {
                self.is_hopeless = true;
                self.solving.borrow_mut().pruning = self.pruning_work();
            }
        }
        true
    }

    /// What the oracle may spend before it is tired. By then it should have seen most of the input.
    pub fn pruning_work(&self) -> Option<u64> {
        self.allowance().map(|work| work.saturating_mul(PRUNING))
    }

    fn suppose_by(&mut self, samples: Samples) {
        let sample = Sample::new(&samples.lanes);
        let mut solving = self.solving.borrow_mut();
        solving.pruning = self.pruning_work();
        solving.supposing = Some(Supposing { sample, supposed: Vec::new() });
        drop(solving);
        self.samples = Some(samples);
    }

    /// Inputs from everywhere in a walk, if it does not take too long.
    fn sample(&mut self, mut walk: Cases) -> Option<Samples> {
        let [least, most] = SAMPLING;
        let time = (GENEROSITY * self.solving.borrow().spent).clamp(least, most);
        if !self.is_affordable(&walk, 1.0, time) {
            return None;
        }
        let start = Instant::now();
        let (mut lanes, mut every, mut count) = (Vec::new(), 1, 0u64);
        loop {
            let step = walk.next(CHUNK);
            match step {
                Step::End => {
                    let until = Instant::now() + SUPPOSING + PASSES * start.elapsed();
                    return Some(Samples { lanes, steps: walk.steps, taken: 1, until });
                }
                Step::Between => {}
                Step::Case => {
                    if count.is_multiple_of(every) {
                        lanes.push(self.lane(&walk));
                    }
                    count += 1;
                }
            }
            if lanes.len() == Sample::MOST / 2 {
                lanes = every_other(lanes);
                every *= 2;
            }
            let is_due = step == Step::Between || count.is_multiple_of(CLOCK);
            if is_due && (start.elapsed() > time || self.is_called_off()) {
                return None;
            }
        }
    }

    /// What the walk has assigned where it stands.
    fn lane(&self, walk: &Cases) -> Lane {
        let known = |lit: Lit| Some(if walk.value(lit.node())? { lit } else { !lit });
        self.engine.circuit.inputs().filter_map(known).collect()
    }

    /// Whether time is up, or nobody waits any more.
    fn is_called_off(&self) -> bool {
        let deadline = self.solving.borrow().deadline;
        deadline.is_some_and(|d| Instant::now() > d) || self.setting.called_off.is_set()
    }

    /// The goals that some input reaches, if what was supposed is so; otherwise the method is to be
    /// encoded again.
    fn discharge(&mut self, open: Reached) -> Option<Reached> {
        let supposing = self.solving.borrow_mut().supposing.take();
        let supposed = supposing.map(|s| s.supposed).unwrap_or_default();
        let mut samples = self.samples.take()?;
        let goals = open.iter().map(|g| g.1);
        let lits: Vec<Lit> = goals.chain(supposed.iter().copied()).collect();
        let found = self.walk().and_then(|walk| {
            let lanes = self.lanes(&lits);
            // What the run has read since then may have made them more.
            let steps = samples.steps.saturating_mul(MOST_GROWTH).max(FEWEST_STEPS);
            self.evaluate(
                &walk,
                lanes,
                open.len()..lits.len(),
                Limit { until: Some(samples.until), steps },
            )
        });
        let refuted = found.iter().flat_map(|found| found.reached.range(open.len()..));
        let mut refuted: Vec<Lane> = refuted.flat_map(|(_, hits)| hits.lanes.clone()).collect();
        while refuted.len() > Sample::MOST / 4 {
            refuted = every_other(refuted);
        }
        if !refuted.is_empty() && samples.taken < MOST_SAMPLES && Instant::now() < samples.until {
            samples.lanes.append(&mut refuted);
            samples.taken += 1;
            self.suppose_by(samples);
            return None;
        }
        // Where something was refuted not all inputs have been gone through.
        let found = found.filter(|_| refuted.is_empty());
        let reached = found.and_then(|found| self.put_to_solver(found, &lits));
        match reached {
            Some(reached) if reached.range(open.len()..).next().is_none() => {
                Some(self.note(&open, reached))
            }
            Some(_) | None => {
                // Back to the solver, which needs nothing to be supposed.
                self.is_hopeless = true;
                self.solving.borrow_mut().pruning = self.pruning_work();
                if self.is_called_off() {
                    self.stopped.get_or_insert(Cause::Timeout);
                    return Some(Vec::new());
                }
                None
            }
        }
    }
}

/// What those who evaluate share.
struct Shared<'a> {
    pieces: &'a Mutex<Vec<Prefix>>,
    /// Inputs that have been evaluated, and steps that are allowed.
    done: &'a AtomicU64,
    steps: &'a AtomicU64,
    most: u64,
    is_over: &'a AtomicBool,
    found: &'a Mutex<Found>,
}

/// One of those who evaluate.
struct Evaluation {
    walk: Cases,
    lanes: Lanes,
    /// Roots that are supposed to be false. What comes before is asked about too, what comes after is
    /// constraints.
    supposed: Range<usize>,
    /// Lanes in use.
    used: usize,
}

impl Evaluation {
    fn work(mut self, shared: &Shared<'_>) {
        let inputs = self.lanes.inputs().to_vec();
        while let Some(piece) = shared.pieces.lock().ok().and_then(|mut p| p.pop()) {
            self.walk.restart(&piece);
            loop {
                let before = self.walk.steps;
                let step = self.walk.next(CHUNK);
                let steps = self.walk.steps - before;
                if shared.steps.fetch_add(steps, Relaxed) + steps > shared.most {
                    shared.is_over.store(true, Relaxed);
                }
                match step {
                    Step::End => break,
                    Step::Between => {}
                    Step::Case => {
                        let values = inputs.iter().map(|node| self.walk.value(*node));
                        self.lanes.set(self.used, values);
                        self.used += 1;
                    }
                }
                if self.used == LANES {
                    self.look(shared);
                }
                if shared.is_over.load(Relaxed) {
                    return;
                }
            }
        }
        self.look(shared);
    }

    /// Evaluates the lanes in use.
    fn look(&mut self, shared: &Shared<'_>) {
        self.lanes.evaluate();
        let mut excluded = [0; LANES / 64];
        for constraint in self.supposed.end..self.lanes.roots() {
            let [_, no] = self.lanes.root(constraint);
            (0..LANES / 64).for_each(|word| excluded[word] |= no[word]);
        }
        for position in 0..self.supposed.end {
            let [yes, no] = self.lanes.root(position);
            for lane in 0..self.used {
                let is = |words: &[u64; LANES / 64]| words[lane / 64] >> (lane % 64) & 1 == 1;
                if is(&no) || is(&excluded) {
                    continue;
                }
                let Ok(mut found) = shared.found.lock() else { return };
                match is(&yes) {
                    true => {
                        let hits = found.reached.entry(position).or_default();
                        hits.add(|| self.lanes.lane(lane));
                    }
                    false => found.open.push(self.lanes.lane(lane)),
                }
                if found.open.len() > MOST_OPEN {
                    shared.is_over.store(true, Relaxed);
                    return;
                }
            }
        }
        let done = shared.done.fetch_add(self.used as u64, Relaxed) + self.used as u64;
        self.used = 0;
        let Ok(mut found) = shared.found.lock() else { return };
        if found.enough.is_none() && found.reached.range(self.supposed.clone()).next().is_some() {
            found.enough = Some(2 * done + ENOUGH);
        }
        if found.enough.is_some_and(|enough| done > enough)
            && let Ok(mut pieces) = shared.pieces.lock()
        {
            pieces.clear();
        }
    }
}

fn every_other(lanes: Vec<Lane>) -> Vec<Lane> {
    lanes.into_iter().step_by(2).collect()
}

/// About how many steps a walk takes.
fn estimate(walk: &Cases) -> f64 {
    let (mut walk, mut seed) = (walk.clone(), 0x9e37_79b9_7f4a_7c15_u64);
    let mut coin = || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed & 1 == 1
    };
    (0..DESCENTS).map(|_| walk.descend(&mut coin)).sum::<f64>() / DESCENTS as f64
}
