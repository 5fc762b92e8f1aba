//! One round: the method is encoded to a depth, it is asked which goals some input reaches, and violations are
//! judged.

use std::collections::BTreeSet;
use std::time::Instant;

use encode::decode::Symbolic;
use encode::order::LeafClass;
use encode::{Exhausted, Goal, Limits};
use logic::{Lane, Lit};

use super::Ladder;
use crate::check::{Budget, Ended, Obstacle, Reached, Round};
use crate::options::Unroll;
use crate::options::progress::Activity;
use crate::result::Cause;
use crate::strategy::pieces::Depth;

/// A goal that some input reaches, with such an input if one is known.
pub(super) struct Hit {
    pub goal: Goal,
    pub lit: Lit,
    pub input: Option<Lane>,
}

/// Which goals are reached, of those that were asked about.
pub(super) enum Goals {
    Asked(Vec<Hit>, Ended),
    /// What was supposed while the method was encoded is not so.
    EncodeAgain,
}

impl Goals {
    pub fn of(reached: Reached, ended: Ended) -> Goals {
        let hit = |(goal, lit)| Hit { goal, lit, input: None };
        Goals::Asked(reached.into_iter().map(hit).collect(), ended)
    }
}

impl Ladder<'_> {
    /// Whatever else is found out, what this engine cannot go on with comes first.
    pub(super) fn round(&mut self, depth: Depth) -> Round {
        let round = self.encode_and_judge(depth);
        match self.check.obstacle() {
            Some(obstacle) => Round { ended: Ended::Again(obstacle), ..round },
            None => round,
        }
    }

    fn encode_and_judge(&mut self, depth: Depth) -> Round {
        let limits = self.check.limits(depth.iterations);
        self.check.tell(Activity::Encoding { depth: depth.iterations });
        let before = (Instant::now(), self.check.solving.borrow().spent);
        let (run, hits, ended) = match self.encode_and_ask(depth, &limits) {
            Ok(asked) => asked,
            Err(ended) => return Round::ended(depth.iterations, ended),
        };
        let asked = self.check.solving.borrow().spent - before.1;
        self.check.costs.encode += before.0.elapsed().saturating_sub(asked);
        self.check.costs.instructions += run.report.instructions;
        self.check.findings.warn(&run.report.warnings);
        let mut round = Round::ended(depth.iterations, ended);
        for hit in hits {
            self.judge(hit, &run, &limits, &mut round);
        }
        let exhausted = run.report.exhausted;
        self.check.last_run = Some(run);
        if self.check.setting.paths().is_none() && self.asks_for_ends(&round) {
            self.ask_for_ends(&mut round);
            if self.must_run_again(&round) && !limits.is_over() {
                let engine = &self.check.engine;
                let needs_bits = engine.needs_bits().or_else(|| engine.have_bits());
                self.restart(needs_bits);
                return self.encode_and_judge(depth);
            }
        }
        self.note_exhausted(exhausted, depth, &limits, &mut round);
        round
    }

    /// Runs the method and asks about its goals, again as long as numbers turn out to need bits or something
    /// was supposed that is not so.
    fn encode_and_ask(
        &mut self,
        depth: Depth,
        limits: &Limits,
    ) -> Result<(Symbolic, Vec<Hit>, Ended), Ended> {
        loop {
            let method = self.check.setting.method;
            let mut run = Symbolic::run(&mut self.check.engine, method, limits);
            if self.check.solving.borrow().is_tired() {
                if limits.is_over() {
                    return Err(Ended::Stopped(Cause::Timeout));
                }
                self.help_oracle()?;
                continue;
            }
            let gates = self.check.engine.circuit.len();
            let is_inferring = self.check.setting.is_inferring();
            let inferred = is_inferring.then(|| {
                self.check.budget = self.check.budget.within(depth.work, gates);
                self.infer(&mut run, limits)
            });
            if let Some(needs_bits) = self.needs_another_engine() {
                if limits.is_over() {
                    return Err(Ended::Stopped(Cause::Timeout));
                }
                self.restart(needs_bits);
                continue;
            }
            let goals = match inferred {
                Some(goals) => goals,
                None if self.check.engine.is_outside_layout() => Goals::of(Vec::new(), Ended::Done),
                None => {
                    self.check.budget = self.check.budget.within(depth.work, gates);
                    self.look_for_goals(&run, depth)
                }
            };
            if let Goals::Asked(mut hits, ended) = goals {
                hits.sort_by(|a, b| a.goal.cmp(&b.goal));
                return Ok((run, hits, ended));
            }
        }
    }

    /// Whether the run has to be repeated by another engine, and which numbers have bits then.
    fn needs_another_engine(&self) -> Option<Option<BTreeSet<LeafClass>>> {
        let engine = &self.check.engine;
        match engine.has_order() && engine.is_abstract() {
            _ if engine.wants_rerun() => Some(engine.have_bits()),
            // What a contract stands for is read off the formula, values and all.
            true => Some(None),
            false => engine.needs_bits().map(Some),
        }
    }

    /// A new engine and a new solver, without what the old ones had to carry.
    fn restart(&mut self, needs_bits: Option<BTreeSet<LeafClass>>) {
        self.check.restart(needs_bits);
        self.grant_pruning();
    }

    /// The goals of a run that some input reaches.
    fn look_for_goals(&mut self, run: &Symbolic, depth: Depth) -> Goals {
        let check = &self.check;
        let is_open = |g: &Goal| check.setting.is_wanted(g) && !check.is_settled(g);
        let goals = run.report.goals.iter().filter(|(goal, _)| is_open(goal));
        let goals: Reached = goals.cloned().collect();
        check.setting.looks_for(&goals, true);
        check.tell(Activity::Solving { depth: depth.iterations, goals: goals.len() });
        self.reached_goals(goals)
    }

    /// Has a violation judged; leaves open what is none.
    fn judge(&mut self, hit: Hit, run: &Symbolic, limits: &Limits, round: &mut Round) {
        let check = &mut self.check;
        let Hit { goal, lit, input } = hit;
        let violates = matches!(goal, Goal::Violation { .. } | Goal::Broken { .. });
        if !violates {
            check.setting.settle_elsewhere(&goal);
            check.leave_open(round, goal, lit, limits);
            return;
        }
        // Who has stopped or run out of budget would get no answer.
        if round.ended.is_done() {
            let sought = match check.engine.is_abstract() {
                true => check.seek_abstract(&goal, lit, run, limits),
                false => check.seek(&goal, lit, input.as_deref(), limits),
            };
            round.ended = sought.err().unwrap_or_default();
        }
        if check.findings.is_violated(&goal) {
            check.setting.settle_elsewhere(&goal);
        }
    }

    fn note_exhausted(
        &self,
        exhausted: Option<Exhausted>,
        depth: Depth,
        limits: &Limits,
        round: &mut Round,
    ) {
        let ended = match exhausted {
            None => return,
            Some(Exhausted::Time) => Ended::Stopped(Cause::Timeout),
            Some(Exhausted::Memory) => Ended::Stopped(Cause::Memory),
            Some(Exhausted::Oracle) => unreachable!("such a run is repeated"),
            Some(Exhausted::Instructions) if depth.falls_back => Ended::OutOfBudget,
            Some(Exhausted::Instructions) => {
                let what = format!("more than {} instructions", limits.instructions);
                Ended::Stopped(Cause::Unbounded { what, at: None })
            }
        };
        round.ended = match exhausted {
            Some(Exhausted::Time | Exhausted::Memory) => ended,
            _ => std::mem::take(&mut round.ended).or(ended),
        };
    }

    /// Whether it matters if executions end: some do not within bounds that somebody has chosen, and
    /// that is all there is to say.
    fn asks_for_ends(&self, round: &Round) -> bool {
        let is_chosen = self.check.setting.options.unroll != Unroll::Auto;
        is_chosen
            && !round.cut.is_empty()
            && !self.check.findings.has_violations()
            && round.ended.is_done()
    }

    /// Asks whether no execution of the last run comes to an end within the bounds. Where calls are abstracted
    /// they are refined until that is certain, also if the goals were looked for in parts.
    fn ask_for_ends(&mut self, round: &mut Round) {
        let Some(mut run) = self.check.last_run.take() else {
            return;
        };
        loop {
            let any = self.check.engine.circuit.or_all(run.ends());
            match self.check.solve(&[any]) {
                Err(ended) => round.ended = ended,
                Ok(false) => round.is_stuck = true,
                Ok(true) if !self.check.setting.is_inferring() => {}
                Ok(true) if self.check.has_execution(&mut run, any) => {}
                Ok(true) => continue,
            }
            break;
        }
        self.check.last_run = Some(run);
    }

    /// Whether looking for an end has shown that calls have to be abstracted in another way: then nothing
    /// was found out.
    fn must_run_again(&self, round: &Round) -> bool {
        let engine = &self.check.engine;
        let again = engine.wants_rerun() || engine.needs_bits().is_some();
        self.check.setting.is_inferring() && again && !round.ended.is_stopped()
    }

    /// After the parts have had their say, it is asked of the whole whether executions end.
    pub(super) fn ask_parts_for_ends(&mut self, mut round: Round) -> Round {
        if self.asks_for_ends(&round) {
            self.check.budget = Budget::UNLIMITED;
            self.ask_for_ends(&mut round);
        }
        // Whatever the whole would do better in another run, the parts have had their say.
        if self.must_run_again(&round) {
            round.ended = Ended::Again(Obstacle::Abstraction);
        }
        round
    }
}
