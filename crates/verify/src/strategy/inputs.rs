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
use std::time::Duration;

use encode::{Calls, Goal};
use logic::{Lane, Lanes, Lit, Sample};
use sat::{Answer, Cases, Prefix};

use crate::check::{Check, Ended, Reached};
use crate::result::Cause;
use crate::solving::{Effort, Supposing};
use crate::strategy::evaluate::{
    Asked, Found, GATES_PER_STEP, Hits, Input, Limit, Pieces, Random, STEP, guess, pieces,
};

/// How much longer than the solver has been asked going through the inputs may take in place of the oracle,
/// which is going to be asked again and again; what it may take in any case, and up to when it may take
/// much longer.
const GENEROSITY: [f64; 2] = [40.0, 8.0];
const SUPPOSING: [Effort; 2] = [Effort::milliseconds(2_000), Effort::milliseconds(12_000)];
/// What going through the inputs may always take, and otherwise as much as the solver has taken.
const LEAST_EFFORT: Effort = Effort::milliseconds(250);
/// Inputs of a sample, steps that may be taken to find one, what all may take, and what they always may.
const SAMPLE: usize = Sample::MOST / 2;
const WANDERING: u64 = 2_000;
const SAMPLING: Effort = Effort::milliseconds(500);
const LEAST_SAMPLING: Effort = Effort::milliseconds(10);
/// What nobody will ever wait for.
const HOPELESS: Duration = Duration::from_secs(3600);

/// Conflicts for each input that the solver is asked about.
const CONFLICTS: u64 = 1_000;

/// Inputs to be looked at again by one thread.
const AGAIN: usize = 64;

/// How much longer than was estimated going through the inputs may take before somebody asks whether it is
/// getting anywhere.
const PASSES: f64 = 20.0;
/// How much longer than the solver has been asked it may take if it is.
const EXTENSION: f64 = 1_000.0;

/// How often a method is encoded again because something that was supposed is not so, and the share of all that
/// was spent so far that may be spent before each.
const MOST_SAMPLES: u32 = 100;
const PATIENCE: f64 = 0.25;

/// A sample of the inputs.
struct Samples {
    lanes: Vec<Lane>,
    taken: u32,
    /// What has not been gone through yet, once that has begun, and what has been found where it has.
    left: Option<Pieces>,
    reached: BTreeMap<Goal, Hits>,
    /// When to go back to the solver.
    limit: Limit,
    /// Gates that there were when encoding by them has begun.
    gates: usize,
}

/// What is known of the inputs of a method.
#[derive(Default)]
pub(crate) struct Inputs {
    /// Whether going through them one by one would never end.
    is_hopeless: bool,
    samples: Option<Samples>,
    /// What going through them would take, by how far the last try came.
    walk_effort: Effort,
}

/// Goals that some input reaches, each with such an input.
pub(crate) type Witnessed = Vec<(Goal, Lit, Lane)>;

/// What has become of what was supposed.
pub(crate) enum Discharged {
    /// It is so, and these goals are reached; or time is up.
    Asked(Witnessed, Ended),
    /// It is not so, or nobody can say: the method is to be encoded again.
    Refuted,
}

impl Inputs {
    /// Whether inputs are gone through at all.
    pub fn may_go_through(&self, check: &Check<'_>) -> bool {
        let options = check.setting.options;
        check.setting.paths().is_none()
            && !self.is_hopeless
            && check.setting.calls == Calls::Inline
            && options.split.is_none_or(|parts| parts <= 1)
    }

    /// Going through all would take so much.
    pub fn note_walk_effort(&mut self, effort: Effort) {
        self.walk_effort = effort;
    }

    /// The goals among these that some input reaches, found by going through all; `None` if that
    /// takes too long.
    pub fn go_through(&mut self, check: &mut Check<'_>, open: &Reached) -> Option<Witnessed> {
        let mut walk = walk(check).filter(|_| self.may_go_through(check))?;
        let lits: Vec<Lit> = open.iter().map(|g| g.1).collect();
        let lanes = lanes(check, &lits);
        let most = check.solving.borrow().effort.max(LEAST_EFFORT);
        let steps = 1.0 + lanes.gates() as f64 / GATES_PER_STEP;
        let (_, walk_steps) = guess(&mut walk, most);
        if self.effort(check, walk_steps * steps) > most || self.walk_effort > most.times(2.0) {
            return None;
        }
        let mut limit = Limit::new(most, most);
        let pieces = pieces(&mut walk);
        let asked = Asked { lanes, supposed: lits.len()..lits.len() };
        let found = self.evaluate(check, &walk, &asked, pieces, &mut limit)?;
        let reached = put_to_solver(check, found, &lits)?;
        Some(witnessed(open, reached))
    }

    /// What so many steps are going to take. If nobody waits that long, nobody need try.
    fn effort(&mut self, check: &Check<'_>, steps: f64) -> Effort {
        let effort = STEP.times(steps);
        self.is_hopeless |= effort > longest_wait(check);
        effort
    }

    /// The oracle has spent what it may. If the inputs are few, it goes by a sample of them from now on.
    pub fn suppose(&mut self, check: &mut Check<'_>) {
        let samples = match walk(check) {
            Some(walk) if self.may_go_through(check) => self.sample(check, walk),
            Some(_) | None => None,
        };
        if let Some(samples) = samples {
            self.suppose_by(check, samples);
        }
    }

    fn suppose_by(&mut self, check: &mut Check<'_>, samples: Samples) {
        let samples = Samples { gates: check.engine.circuit.len(), ..samples };
        let sample = Sample::new(&samples.lanes);
        let mut solving = check.solving.borrow_mut();
        solving.supposing = Some(Supposing { sample, supposed: Vec::new() });
        drop(solving);
        self.samples = Some(samples);
    }

    /// Inputs from everywhere in a walk, if that does not take too much.
    fn sample(&mut self, check: &Check<'_>, mut walk: Cases) -> Option<Samples> {
        let spent = check.solving.borrow().effort;
        let [least, much] = SUPPOSING;
        let most = spent.times(GENEROSITY[0]).clamp(least, much).max(spent.times(GENEROSITY[1]));
        let (strata, steps) = guess(&mut walk, most);
        let whole = self.effort(check, steps);
        if whole > most {
            return None;
        }
        let mut random = Random::new();
        let mut lanes: Vec<Lane> = Vec::new();
        let (before, end) = (walk.steps, SAMPLING.min(LEAST_SAMPLING + whole));
        for stratum in strata.iter().cycle().take(SAMPLE.min(1 + steps as usize)) {
            if walk.wander(stratum, WANDERING, || random.coin()) {
                lanes.push(lane(check, &walk));
            }
            if STEP.times((walk.steps - before) as f64) > end {
                break;
            }
        }
        let limit = Limit::new(least + whole.times(PASSES), spent.times(EXTENSION));
        let (left, reached) = (None, BTreeMap::new());
        Some(Samples { lanes, taken: 1, left, reached, limit, gates: check.engine.circuit.len() })
    }

    /// The goals that some input reaches, if what was supposed is so; otherwise the method is to be
    /// encoded again.
    pub fn discharge(&mut self, check: &mut Check<'_>, open: Reached) -> Discharged {
        let supposing = check.solving.borrow_mut().supposing.take();
        let supposed = supposing.map(|s| s.supposed).unwrap_or_default();
        let Some(mut samples) = self.samples.take() else { return Discharged::Refuted };
        // As much as it takes to encode the method again, and some of all that it has taken.
        let encoded = Effort::of_gates(check.engine.circuit.len() - samples.gates);
        samples.limit.patience = encoded + samples.limit.spent.times(PATIENCE);
        let goals = open.iter().map(|g| g.1);
        let lits: Vec<Lit> = goals.chain(supposed.iter().copied()).collect();
        let found = walk(check).and_then(|mut walk| {
            let lanes = lanes(check, &lits);
            let left = samples.left.take().unwrap_or_else(|| pieces(&mut walk));
            samples.limit.all = samples.limit.all.max(left.len());
            let asked = Asked { lanes, supposed: open.len()..lits.len() };
            self.evaluate(check, &walk, &asked, left, &mut samples.limit)
        });
        let is_early = samples.taken < MOST_SAMPLES && !check.setting.is_called_off();
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
                self.suppose_by(check, samples);
                return Discharged::Refuted;
            }
            for (position, (goal, _)) in open.iter().enumerate() {
                found.reached.extend(samples.reached.remove(goal).map(|hits| (position, hits)));
            }
        }
        // A goal that was reached is there whatever was supposed.
        let found = found.filter(|_| samples.reached.is_empty());
        let reached = found.and_then(|found| put_to_solver(check, found, &lits));
        match reached {
            Some(reached) if reached.range(open.len()..).next().is_none() => {
                Discharged::Asked(witnessed(&open, reached), Ended::Done)
            }
            // Something that was supposed is not so for an input that evaluation leaves open.
            Some(_) | None => {
                // Back to the solver, which needs nothing to be supposed.
                self.is_hopeless = true;
                match check.setting.is_called_off() {
                    true => Discharged::Asked(Vec::new(), Ended::Stopped(Cause::Timeout)),
                    false => Discharged::Refuted,
                }
            }
        }
    }
}

/// The walk through what the constraints admit, if the input is laid out.
fn walk(check: &Check<'_>) -> Option<Cases> {
    let choices = check.engine.choices()?;
    let constraints: Vec<Lit> = check.engine.constraints().iter().map(|c| c.lit).collect();
    let choices = choices.iter().map(|c| (c.lit, &c.conditions[..]));
    Some(Cases::new(&check.engine.circuit, &constraints, choices))
}

/// The literals, and after them the constraints.
fn lanes(check: &Check<'_>, lits: &[Lit]) -> Lanes {
    let constraints = check.engine.constraints().iter().map(|c| c.lit);
    let roots: Vec<Lit> = lits.iter().copied().chain(constraints).collect();
    Lanes::new(&check.engine.circuit, &roots)
}

/// What anybody is going to wait for: what is left of the time does not count, because the clock would say that.
pub(super) fn longest_wait(check: &Check<'_>) -> Effort {
    Effort::of(check.setting.options.timeout.unwrap_or(HOPELESS).min(HOPELESS))
}

/// Asks the solver about the inputs that are open, and gives for each literal that is reached
/// an input. `None` if the solver does not know.
fn put_to_solver(
    check: &mut Check<'_>,
    found: Found,
    lits: &[Lit],
) -> Option<BTreeMap<usize, Lane>> {
    let mut reached = BTreeMap::new();
    for (position, hits) in found.reached {
        let is_all = hits.lanes.len() as u64 == hits.count;
        for input in hits.lanes {
            let question = input.iter().copied().chain([lits[position]]).collect();
            if ask_about(check, question)? == Answer::Sat {
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
            let left: Vec<usize> = (0..lits.len()).filter(|p| !reached.contains_key(p)).collect();
            let any = check.engine.circuit.or_all(left.iter().map(|p| lits[*p]));
            let question = input.iter().copied().chain([any]).collect();
            if ask_about(check, question)? == Answer::Unsat {
                break;
            }
            let model = check.solving.borrow().model(&check.engine.circuit);
            let hit = left.into_iter().filter(|p| model.value(lits[*p]));
            reached.extend(hit.map(|p| (p, input.clone())));
        }
    }
    Some(reached)
}

/// Asks the solver about one input.
fn ask_about(check: &Check<'_>, question: Vec<Lit>) -> Option<Answer> {
    let (circuit, constraints) = (&check.engine.circuit, check.engine.constraints());
    let mut solving = check.solving.borrow_mut();
    let answer = solving.solve(circuit, constraints, &question, Some(CONFLICTS));
    (!matches!(answer, Answer::Unknown(_))).then_some(answer)
}

/// What the walk has assigned where it stands.
fn lane(check: &Check<'_>, walk: &Cases) -> Lane {
    let known = |lit: Lit| Some(if walk.value(lit.node())? { lit } else { !lit });
    check.engine.circuit.inputs().filter_map(known).collect()
}

/// The goals by position, with the inputs that reach them.
fn witnessed(open: &Reached, reached: BTreeMap<usize, Lane>) -> Witnessed {
    let goal = |(position, input): (usize, Lane)| {
        let (goal, lit) = &open[position];
        (goal.clone(), *lit, input)
    };
    reached.into_iter().map(goal).collect()
}
