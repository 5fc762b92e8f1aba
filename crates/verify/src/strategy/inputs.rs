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
use std::time::{Duration, Instant};

use encode::{Calls, Goal};
use logic::{Lane, Lanes, Lit, Sample};
use sat::{Answer, Cases, Prefix};

use crate::check::{Check, Reached};
use crate::result::Cause;
use crate::solving::Supposing;
use crate::strategy::evaluate::{
    Found, GATES_PER_STEP, Hits, Input, Limit, Pieces, Random, STEP, guess, pieces,
};

/// How much longer than the solver has been asked going through the inputs may take in place of the oracle,
/// which is going to be asked again and again; what it may take in any case, and up to when it may take
/// much longer.
const GENEROSITY: [u32; 2] = [40, 8];
const SUPPOSING: [Duration; 2] = [Duration::from_secs(2), Duration::from_secs(12)];
/// What going through the inputs may always take, and otherwise as long as the solver has been asked.
const LEAST_TIME: Duration = Duration::from_millis(250);
/// By how much the solver's share grows from one try to the next, and what it is at least.
const GROWTH: u64 = 4;
const LEAST_WORK: u64 = 1 << 20;
/// How much more work than for questions about goals may go into those of the oracle.
const PRUNING: u64 = 10;
/// Inputs of a sample, steps that may be taken to find one, what all may take, and what they always may.
const SAMPLE: usize = Sample::MOST / 2;
const WANDERING: u64 = 2_000;
const SAMPLING: Duration = Duration::from_millis(500);
const LEAST_SAMPLING: Duration = Duration::from_millis(10);
/// What nobody will ever wait for.
const HOPELESS: Duration = Duration::from_secs(3600);

/// Conflicts for each input that the solver is asked about.
const CONFLICTS: u64 = 1_000;

/// Inputs to be looked at again by one thread.
const AGAIN: usize = 64;

/// How much longer than was estimated going through the inputs may take before somebody asks whether it is
/// getting anywhere.
const PASSES: u32 = 20;
/// How much longer than the solver has been asked it may take if it is.
const EXTENSION: u32 = 1_000;

/// How often a method is encoded again because something that was supposed is not so, and the share of the
/// time so far that may pass before each.
const MOST_SAMPLES: u32 = 100;
const PATIENCE: u32 = 4;

/// A sample of the inputs.
pub(crate) struct Samples {
    lanes: Vec<Lane>,
    taken: u32,
    /// What has not been gone through yet, once that has begun, and what has been found where it has.
    left: Option<Pieces>,
    reached: BTreeMap<Goal, Hits>,
    /// When to go back to the solver.
    limit: Limit,
    /// When the first were taken, and when encoding by them has begun.
    taken_at: Instant,
    begun: Instant,
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
        let allowance = self.allowance().into_iter().chain(self.patience_before_parts()).min();
        let Some(after) = allowance else { return Some(self.reachable(open).0) };
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
            let is_hard = work >= self.setting.options.patience;
            if self.give_way_to_shapes() || is_hard && self.give_way_to_parts() {
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
        let mut walk = self.walk().filter(|_| self.may_go_through())?;
        let lits: Vec<Lit> = open.iter().map(|g| g.1).collect();
        let lanes = self.lanes(&lits);
        let time = self.solving.borrow().spent.max(LEAST_TIME);
        let steps = 1.0 + lanes.gates() as f64 / GATES_PER_STEP;
        let (_, walk_steps) = guess(&mut walk, time);
        if self.duration(walk_steps * steps) > time || self.walk_time > 2 * time {
            return None;
        }
        let until = Instant::now() + time;
        let mut limit = Limit { until, at_most: until, all: 0, patience: Duration::ZERO };
        let pieces = pieces(&mut walk);
        let found = self.evaluate(walk, lanes, pieces, lits.len()..lits.len(), &mut limit)?;
        let reached = self.put_to_solver(found, &lits)?;
        Some(self.note(open, reached))
    }

    /// How long so many steps are going to take on all threads. If nobody waits that long, nobody need try.
    fn duration(&mut self, steps: f64) -> Duration {
        let threads = self.setting.options.threads.max(1) as f64;
        let seconds = (steps * STEP.as_secs_f64() / threads).min(1e9);
        let time = Duration::from_secs_f64(seconds);
        self.is_hopeless |= time > self.time_left();
        time
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

    /// What anybody is going to wait.
    pub fn time_left(&self) -> Duration {
        let deadline = self.solving.borrow().deadline;
        deadline.map_or(HOPELESS, |d| d.saturating_duration_since(Instant::now()).min(HOPELESS))
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
        for Input { lane: input, .. } in found.open {
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
            None => self.solving.borrow_mut().pruning = self.pruning_work(),
        }
        true
    }

    /// What the oracle may spend before it is tired. By then it should have seen most of the input.
    pub fn pruning_work(&self) -> Option<u64> {
        self.allowance().map(|work| work.saturating_mul(PRUNING))
    }

    fn suppose_by(&mut self, samples: Samples) {
        let samples = Samples { begun: Instant::now(), ..samples };
        let sample = Sample::new(&samples.lanes);
        let mut solving = self.solving.borrow_mut();
        solving.pruning = self.pruning_work();
        solving.supposing = Some(Supposing { sample, supposed: Vec::new() });
        drop(solving);
        self.samples = Some(samples);
    }

    /// Inputs from everywhere in a walk, if that does not take too long.
    fn sample(&mut self, mut walk: Cases) -> Option<Samples> {
        let spent = self.solving.borrow().spent;
        let [least, much] = SUPPOSING;
        let most = (GENEROSITY[0] * spent).clamp(least, much).max(GENEROSITY[1] * spent);
        let (strata, steps) = guess(&mut walk, most);
        let time = self.duration(steps);
        if time > most {
            return None;
        }
        let mut random = Random::new();
        let mut lanes: Vec<Lane> = Vec::new();
        let end = Instant::now() + SAMPLING.min(LEAST_SAMPLING + time);
        for stratum in strata.iter().cycle().take(SAMPLE.min(1 + steps as usize)) {
            if walk.wander(stratum, WANDERING, || random.coin()) {
                lanes.push(self.lane(&walk));
            }
            if Instant::now() > end {
                break;
            }
        }
        let now = Instant::now();
        let (until, at_most) = (now + least + PASSES * time, now + EXTENSION * spent);
        let limit = Limit { until, at_most, all: 0, patience: Duration::ZERO };
        let (left, reached) = (None, BTreeMap::new());
        Some(Samples { lanes, taken: 1, left, reached, limit, taken_at: now, begun: now })
    }

    /// What the walk has assigned where it stands.
    fn lane(&self, walk: &Cases) -> Lane {
        let known = |lit: Lit| Some(if walk.value(lit.node())? { lit } else { !lit });
        self.engine.circuit.inputs().filter_map(known).collect()
    }

    /// Whether time is up, or nobody waits any more.
    pub fn is_called_off(&self) -> bool {
        let deadline = self.solving.borrow().deadline;
        deadline.is_some_and(|d| Instant::now() > d) || self.setting.called_off.is_set()
    }

    /// The goals that some input reaches, if what was supposed is so; otherwise the method is to be
    /// encoded again.
    fn discharge(&mut self, open: Reached) -> Option<Reached> {
        let supposing = self.solving.borrow_mut().supposing.take();
        let supposed = supposing.map(|s| s.supposed).unwrap_or_default();
        let mut samples = self.samples.take()?;
        // As long as it takes to encode the method again, and some of all that it has taken.
        samples.limit.patience = samples.begun.elapsed() + samples.taken_at.elapsed() / PATIENCE;
        let goals = open.iter().map(|g| g.1);
        let lits: Vec<Lit> = goals.chain(supposed.iter().copied()).collect();
        let found = self.walk().and_then(|mut walk| {
            let lanes = self.lanes(&lits);
            let left = samples.left.take().unwrap_or_else(|| pieces(&mut walk));
            samples.limit.all = samples.limit.all.max(left.len());
            self.evaluate(walk, lanes, left, open.len()..lits.len(), &mut samples.limit)
        });
        let is_early = samples.taken < MOST_SAMPLES && !self.is_called_off();
        let mut found = found.filter(|found| found.refuting.is_empty() || is_early);
        if let Some(found) = &mut found {
            // Where nothing that was supposed is wrong, the formula is right.
            for (position, hits) in std::mem::take(&mut found.reached) {
                samples.reached.entry(open[position].0.clone()).or_default().append(hits);
            }
            if !found.refuting.is_empty() {
                let typical = found.refuting.iter().filter(|input| input.is_typical);
                samples.lanes.extend(typical.map(|input| input.lane.clone()));
                samples.taken += 1;
                let mut left = std::mem::take(&mut found.left);
                let again = found.refuting.drain(..).chain(found.open.drain(..));
                let mut again: Vec<Prefix> = again.map(|input| input.prefix).collect();
                // Next to each other in the walk, and looked at first.
                again.sort_unstable();
                left.extend(again.chunks(AGAIN).map(<[Prefix]>::to_vec));
                samples.left = Some(left);
                self.suppose_by(samples);
                return None;
            }
            for (position, (goal, _)) in open.iter().enumerate() {
                found.reached.extend(samples.reached.remove(goal).map(|hits| (position, hits)));
            }
        }
        // A goal that was reached is there whatever was supposed.
        let found = found.filter(|_| samples.reached.is_empty());
        let reached = found.and_then(|found| self.put_to_solver(found, &lits));
        match reached {
            Some(reached) if reached.range(open.len()..).next().is_none() => {
                Some(self.note(&open, reached))
            }
            // Something that was supposed is not so for an input that evaluation leaves open.
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
