//! Violations where contracts stand for calls: the execution is read off the formula, because a run on
//! constants would not know what those calls did.

use std::collections::BTreeMap;

use encode::Goal;
use encode::decode::{Executed, Symbolic};
use logic::{Evaluation, Lit};
use sat::Answer;

use crate::check::Check;

impl Check<'_> {
    /// Looks for an execution that reaches a violation, and has it judged.
    pub(crate) fn seek_abstract(&mut self, goal: &Goal, lit: Lit, symbolic: &Symbolic) {
        let over = self.stopped.is_some() || self.gave_up;
        if over || self.solve(&[lit]) != Answer::Sat {
            return;
        }
        let model = self.solving.borrow().model(&self.engine.circuit);
        self.read_off(goal, symbolic, &model);
    }

    /// Settles a violation by the execution that a model stands for.
    pub(crate) fn read_off(&mut self, goal: &Goal, symbolic: &Symbolic, model: &Evaluation) {
        match symbolic.execution(&mut self.engine, model) {
            Some(execution) => self.settle(
                goal,
                Executed {
                    execution,
                    touched: Vec::new(),
                    reached: vec![goal.clone()],
                    failures: BTreeMap::new(),
                },
            ),
            None => self.disagree(goal, "the model's input reaches no end"),
        }
    }
}
