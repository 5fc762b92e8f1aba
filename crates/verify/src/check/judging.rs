//! What is found: executions that reach a violation, judged by the JVM and told as violations.

use std::time::{Duration, Instant};

use encode::decode::{self, Executed, place};
use encode::{Goal, Limits};
use logic::Lit;

use super::minimise::minimise;
use super::{Check, Ended, fixed, message, specification};
use crate::options::progress::Activity;
use crate::result::{Cause, Replay, Review, Severity, Violation};

/// What an execution may take on the JVM however little time is left: most take less.
const LEAST_REPLAY: Duration = Duration::from_millis(600);

impl Check<'_> {
    /// Looks for an execution that reaches a violation, on one input if that is known, and has it judged.
    pub fn seek(
        &mut self,
        goal: &Goal,
        lit: Lit,
        input: Option<&[Lit]>,
        limits: &Limits,
    ) -> Result<(), Ended> {
        let input = input.into_iter().flatten().copied();
        let question: Vec<Lit> = input.chain([lit]).collect();
        if !self.solve(&question)? {
            return Ok(());
        }
        let model = self.solving.borrow().model(&self.engine.circuit);
        let method = self.setting.method;
        let execute = |input| {
            let scope = &self.setting.options.scope;
            decode::execute(self.setting.subject, scope, method, input, &fixed(limits))
        };
        let first = decode::assignment(&self.engine, &model);
        let touched = execute(first.clone()).map(|e| e.touched).unwrap_or_default();
        let input = minimise(&self.engine, &mut self.solving.borrow_mut(), method, lit, &touched)
            .unwrap_or(first);
        match execute(input) {
            None if limits.is_over() => return Err(Ended::Stopped(Cause::Timeout)),
            None => self.disagree(goal, "the run on the model's input does not end"),
            Some(executed) if !executed.reached.contains(goal) => {
                let outcome = &executed.execution.outcome;
                self.disagree(goal, &format!("the run on the model's input: {outcome:?}"));
            }
            Some(executed) => self.settle(goal, executed),
        }
        Ok(())
    }

    pub fn disagree(&mut self, goal: &Goal, why: &str) {
        let (Goal::Violation { property, at, .. } | Goal::Broken { property, at, .. }) = goal
        else {
            return;
        };
        let at = place(self.setting.subject.program, *at);
        let text = format!("{property} at {}:{}: {why}", at.file, at.line);
        self.findings.refute(text);
    }

    pub fn settle(&mut self, goal: &Goal, executed: Executed) {
        let mut execution = executed.execution;
        if let (None, Some(why)) = (&execution.unmodelled, &execution.unrepeatable)
            && !self.engine.follows_everything()
        {
            // It may go another way this time, where nobody has followed it.
            execution.unmodelled = Some(format!("might run what is not modelled: {why}"));
        }
        let (property, at, exception, clause) = match goal {
            Goal::Violation { property, at, exception } => {
                (property, place(self.setting.subject.program, *at), exception.as_str(), None)
            }
            Goal::Broken { property, site, at } => {
                let failure = executed.failures.get(goal).cloned().unwrap_or_default();
                let at = specification::shown_at(self.setting.subject.program, *at, &execution);
                (property, at, "", Some(specification::violated(site, failure)))
            }
            Goal::Unspecified { .. } | Goal::Unsupported { .. } | Goal::Cut { .. } => return,
        };
        self.tell(Activity::Replaying);
        let deadline = self.solving.borrow().deadline;
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let (replay, said) = match self.setting.judge {
            None => (Replay::Skipped("replay is off".into()), None),
            Some(judge) => judge.replay(&execution, left.map(|left| left.max(LEAST_REPLAY))),
        };
        let replay = match (replay, &execution.unrepeatable) {
            (Replay::Confirmed, _) if self.engine.is_abstract() && clause.is_some() => {
                // The end is as predicted, but what happened on the way may not be.
                Replay::Skipped("a contract stands for a call".into())
            }
            (Replay::Refuted(_), _) if self.engine.is_abstract() => {
                let why = "a contract stands for a call, and admits more than its code does";
                Replay::Skipped(why.into())
            }
            (Replay::Refuted(_), Some(why)) => Replay::Skipped(why.clone()),
            (other, _) => other,
        };
        if let Replay::Refuted(why) = &replay {
            let text = format!("{property} at {}:{}: {why}", at.file, at.line);
            self.findings.refute(text);
            return;
        }
        let violation = Violation {
            property: *property,
            message: match &clause {
                None => message::violation(self.setting.subject.program, goal, exception),
                Some(clause) => message::broken(*property, &execution, clause),
            },
            at,
            clause,
            execution,
            replay,
            said,
            review: Review::default(),
            severity: Severity::Error,
            missing: None,
        };
        self.findings.add_violation(goal.clone(), violation);
    }
}
