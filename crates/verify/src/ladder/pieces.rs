//! The method in pieces: shape by shape, or part by part, by itself or in turns with the whole.

use std::sync::Arc;

use encode::bounds::Bounds;
use encode::experience::Experience;
use encode::graph::Part;
use logic::unless_interrupted;

use super::Ladder;
use crate::check::{Budget, Check, Ended, Round, Setting, Way};
use crate::result::Cause;
use crate::strategy::pieces::{Depth, Plan, Turn};
use crate::strategy::{parts, shapes};

/// What a part may take at first where their number is given (conflicts times gates), and by how much that grows
/// from turn to turn.
const FIRST_TURN: u64 = 100_000_000;
const GROWTH: u64 = 16;

/// The same for a whole and its parts that take turns: the first turn by what the whole took before, and what
/// one part may take of the turn of all.
const FIRST_OF_BOTH: u64 = 8;
const GROWTH_OF_BOTH: u64 = 4;
const SHARE_OF_TURN: u64 = 4;

/// One piece in one round. A piece gives way to nothing.
fn check_piece<'a>(
    setting: Setting<'a>,
    experience: &Experience,
    budget: Budget,
    depth: Depth,
) -> (Check<'a>, Round) {
    let mut ladder = Ladder::new(setting);
    ladder.check.engine.learn(experience.clone());
    ladder.check.budget = budget;
    let round = unless_interrupted(|| ladder.round(depth));
    let late = || Round::ended(depth.iterations, Ended::Stopped(Cause::Timeout));
    (ladder.check, round.unwrap_or_else(late))
}

impl<'a> Ladder<'a> {
    /// A round of the whole, or shape by shape if the whole gives way to that; and whether it did.
    pub(super) fn by_shape_if_better(&mut self, depth: Depth) -> (Round, bool) {
        let round = self.round(depth);
        let Ended::GivesWay(Way::Shapes(shapes)) = round.ended else {
            return (round, false);
        };
        match self.by_shape(depth, &shapes) {
            Some(round) => (round, true),
            None => (self.round(depth), false),
        }
    }

    /// Checks the method shape by shape. `None` if there is no input at all: then the whole has to say why.
    fn by_shape(&mut self, depth: Depth, shapes: &[Arc<Bounds>]) -> Option<Round> {
        let work = shapes::as_work(&self.check, shapes, depth.conflicts);
        let round = work.check(&self.plan(depth), None).join(&mut self.check, depth);
        // Shapes are no paths.
        self.check.costs.paths_proven = None;
        let findings = &self.check.findings;
        let is_answer = !round.ended.is_done() || findings.has_violations();
        if !is_answer && !findings.is_inhabited() {
            self.shapes.give_up();
            return None;
        }
        Some(round)
    }

    /// Checks so many parts, in turns that become longer.
    pub(super) fn in_parts(&mut self, depth: Depth, parts: Vec<Part>) -> Round {
        let plan = self.plan(depth);
        let mut work = parts::as_work(&self.check, parts, depth.conflicts);
        let mut each = FIRST_TURN;
        while !work.is_done() {
            work = work.check(&plan, Some(Turn { each, divides: false, all: None }));
            each = each.saturating_mul(GROWTH);
        }
        work.join(&mut self.check, depth)
    }

    /// The parts and the whole in turns, each turn with a larger budget than the one before, until one side is
    /// done: that costs about twice what the better way costs by itself.
    pub(super) fn in_turns(&mut self, depth: Depth, parts: Vec<Part>) -> Round {
        let plan = self.plan(depth);
        let mut work = parts::as_work(&self.check, parts, depth.conflicts);
        let mut patience = self.check.setting.options.tuning.patience.saturating_mul(FIRST_OF_BOTH);
        loop {
            let turn = Turn { each: patience / SHARE_OF_TURN, divides: true, all: Some(patience) };
            work = work.check(&plan, Some(turn));
            if work.is_done() {
                return work.join(&mut self.check, depth);
            }
            // What is found is found, whoever is done first.
            work.take_over(&mut self.check);
            self.check.budget = Budget::of(depth.conflicts);
            let (round, _) = self.by_shape_if_better(Depth { work: Some(patience), ..depth });
            let gates = self.check.engine.circuit.len() as u64;
            let is_last = depth.conflicts.is_some_and(|conflicts| conflicts <= patience / gates);
            if !matches!(round.ended, Ended::OutOfBudget) || is_last {
                self.check.findings.forget_inferred();
                let is_late = round.ended.is_stopped();
                self.check.costs.paths_proven = is_late.then_some(work.share());
                return round;
            }
            patience = patience.saturating_mul(GROWTH_OF_BOTH);
        }
    }

    fn plan(&self, depth: Depth) -> Plan<'a> {
        Plan {
            setting: self.check.setting.clone(),
            depth,
            experience: self.check.engine.experience(),
            check: check_piece,
        }
    }
}
