//! Violations where contracts stand for calls: the execution is read off the formula, because a run on
//! constants would not know what those calls did.

use std::collections::BTreeMap;

use encode::decode::{self, Executed, Symbolic};
use encode::{Calls, Goal, Limits};
use logic::{Evaluation, Lit};

use super::{Check, Ended, fixed};

impl Check<'_> {
    /// Looks for an execution that reaches a violation, and has it judged.
    pub(crate) fn seek_abstract(
        &mut self,
        goal: &Goal,
        lit: Lit,
        symbolic: &Symbolic,
        limits: &Limits,
    ) -> Result<(), Ended> {
        if self.solve(&[lit])? {
            let model = self.solving.borrow().model(&self.engine.circuit);
            self.read_off(goal, symbolic, &model, limits);
        }
        Ok(())
    }

    /// Settles a violation by the execution that a model stands for.
    pub(crate) fn read_off(
        &mut self,
        goal: &Goal,
        symbolic: &Symbolic,
        model: &Evaluation,
        limits: &Limits,
    ) {
        match symbolic.execution(&mut self.engine, model) {
            Some(mut execution) => {
                execution.unmodelled = self.behind_contracts(model, limits);
                let reached = vec![goal.clone()];
                let (touched, failures) = (Vec::new(), BTreeMap::new());
                self.settle(goal, Executed { execution, touched, reached, failures });
            }
            None => self.disagree(goal, "the model's input reaches no end"),
        }
    }

    /// Why the code that contracts stand for must not run on a JVM: it is followed here, on the same input.
    fn behind_contracts(&self, model: &Evaluation, limits: &Limits) -> Option<String> {
        let limits = Limits { calls: Calls::Inline, ..fixed(limits) };
        let input = decode::assignment(&self.engine, model);
        let scope = &self.setting.options.scope;
        let (subject, method) = (self.setting.subject, self.setting.method);
        match decode::execute(subject, scope, method, input, &limits) {
            Some(followed) => followed.execution.unmodelled,
            None => Some("a contract stands for a call, whose code is not modelled".into()),
        }
    }
}
