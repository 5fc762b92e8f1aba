//! What is tried while a question is too hard for the solver, each rung with its budget.

use encode::Limits;
use encode::decode::Symbolic;
use logic::Lit;

use super::Ladder;
use super::round::{Goals, Hit};
use crate::check::{Asked, Check, Ended, Reached, Way};
use crate::strategy::inputs::Discharged;
use crate::strategy::parts::Parts;

/// By how much the solver's share grows from one try to the next, and what it is at least.
const GROWTH: u64 = 4;
const LEAST_WORK: u64 = 1 << 20;

/// How much more work than for questions about goals may go into those of the oracle.
const PRUNING: u64 = 10;

impl<'a> Ladder<'a> {
    /// The goals that some input reaches. The solver is asked, within more and more work; in between comes
    /// whatever may do better.
    pub(super) fn reached_goals(&mut self, open: Reached) -> Goals {
        if self.check.solving.borrow().supposing.is_some() {
            return self.discharge(open);
        }
        let after = self.solver_first().into_iter().chain(self.parts.after(&self.check)).min();
        let Some(mut work) = after else {
            let Asked { reached, ended, .. } = self.check.reachable(open);
            return Goals::of(reached, ended);
        };
        let whole = self.check.budget;
        let mut asked = Asked { reached: Vec::new(), open, ended: Ended::Done };
        let (witnessed, ended) = loop {
            self.check.budget = whole.within(Some(work), self.check.engine.circuit.len());
            let is_last = whole.left().is_some() && self.check.budget == whole;
            asked = asked.then(|open| self.check.reachable(open));
            self.check.budget = whole;
            if !matches!(asked.ended, Ended::OutOfBudget) {
                break (Vec::new(), asked.ended);
            }
            if let Some(shapes) = self.shapes.if_few(&self.check) {
                break (Vec::new(), Ended::GivesWay(Way::Shapes(shapes)));
            }
            if work >= self.check.setting.options.tuning.patience
                && let Some(parts) = self.parts.that_pay(&self.check)
            {
                break (Vec::new(), Ended::GivesWay(Way::Parts(parts)));
            }
            if let Some(found) = self.inputs.go_through(&mut self.check, &asked.open) {
                break (found, Ended::Done);
            }
            if is_last {
                break (Vec::new(), Ended::OutOfBudget);
            }
            if self.solver_first().is_none() {
                // There is nothing else to try.
                asked = asked.then(|open| self.check.reachable(open));
                break (Vec::new(), asked.ended);
            }
            work = work.max(LEAST_WORK).saturating_mul(GROWTH);
        };
        let hit = |(goal, lit)| Hit { goal, lit, input: None };
        let mut hits: Vec<Hit> = asked.reached.into_iter().map(hit).collect();
        hits.extend(witnessed.into_iter().map(with_input));
        Goals::Asked(hits, ended)
    }

    /// What was supposed while the method was encoded is asked about together with its goals.
    fn discharge(&mut self, open: Reached) -> Goals {
        match self.inputs.discharge(&mut self.check, open) {
            Discharged::Asked(found, ended) => {
                Goals::Asked(found.into_iter().map(with_input).collect(), ended)
            }
            Discharged::Refuted => {
                self.grant_pruning();
                Goals::EncodeAgain
            }
        }
    }

    /// The oracle that prunes has spent what it may: the whole gives way to the shapes of its input if these
    /// are few. If the inputs are few, the oracle goes by a sample of them from now on. Otherwise it may
    /// spend more, and what it likes if there is no other way.
    pub(super) fn help_oracle(&mut self) -> Result<(), Ended> {
        if let Some(shapes) = self.shapes.if_few(&self.check) {
            return Err(Ended::GivesWay(Way::Shapes(shapes)));
        }
        self.inputs.suppose(&mut self.check);
        // If it gets tired again, that is for what has been read since the sample was taken.
        let grown = |work: u64| work.max(LEAST_WORK).checked_mul(GROWTH);
        self.solver_first = self.solver_first.and_then(grown);
        self.grant_pruning();
        Ok(())
    }

    /// Lets the oracle spend what it may before it is tired. By then it should have seen most of the input.
    pub(super) fn grant_pruning(&mut self) {
        let work = self.solver_first().map(|work| work.saturating_mul(PRUNING));
        self.check.solving.borrow_mut().pruning = work;
    }

    /// What may be spent on the solver before something else is tried, if there is anything else.
    fn solver_first(&self) -> Option<u64> {
        let may_be_tried =
            self.inputs.may_go_through(&self.check) || self.shapes.may_be_gone_through(&self.check);
        self.solver_first.filter(|_| may_be_tried)
    }

    /// Refines abstracted calls. The first hard question is asked again if dividing does not pay.
    pub(super) fn infer(&mut self, run: &mut Symbolic, limits: &Limits) -> Goals {
        let parts = &mut self.parts;
        let ask = |check: &mut Check<'a>, question| ask_or_divide(check, parts, question);
        let (reached, ended) = self.check.infer(run, limits, ask);
        Goals::of(reached, ended)
    }
}

fn ask_or_divide(check: &mut Check<'_>, parts: &mut Parts, question: Lit) -> Result<bool, Ended> {
    let Some(work) = parts.after(check) else {
        return check.solve(&[question]);
    };
    let whole = check.budget;
    check.budget = whole.within(Some(work), check.engine.circuit.len());
    let answer = check.solve(&[question]);
    check.budget = whole;
    match answer {
        Err(Ended::OutOfBudget) => match parts.that_pay(check) {
            Some(parts) => Err(Ended::GivesWay(Way::Parts(parts))),
            None => check.solve(&[question]),
        },
        answer => answer,
    }
}

fn with_input((goal, lit, input): (encode::Goal, Lit, logic::Lane)) -> Hit {
    Hit { goal, lit, input: Some(input) }
}
