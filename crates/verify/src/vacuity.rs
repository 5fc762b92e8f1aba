//! What was checked if nothing was: bounds within which no execution ends, and clauses that need
//! more objects than the scope has (Taghdiri & Jackson, section 5.6).

use std::time::{Duration, Instant};

use encode::decode::Symbolic;
use encode::inputs::Origin;
use encode::{Calls, Limits};
use logic::unless_interrupted;
use sat::{Answer, Session};

use crate::check::{Check, Round};
use crate::options::{Options, Unroll};
use crate::result::Cause;
use crate::solving::start_engine;
use crate::specification;

/// Objects of each class that are tried in addition to those of the scope.
const MORE_OBJECTS: [u32; 4] = [1, 2, 3, 5];
/// Conflicts and time that the question is worth.
const CONFLICTS: u64 = 20_000;
const LONGEST: Duration = Duration::from_secs(2);

impl Check<'_> {
    /// Whether nothing satisfies what is assumed: then nothing was checked.
    pub(crate) fn vacuous(&mut self) -> Option<Cause> {
        if self.is_inhabited {
            return None;
        }
        let assumptions = self.engine.body_assumptions();
        if !assumptions.is_empty() {
            let blamed = specification::named(assumptions);
            let ends = self.last_run.as_ref().map(Symbolic::ends).unwrap_or_default();
            let any = self.engine.circuit.or_all(ends);
            let constraints = self.engine.constraints();
            let mut solving = self.solving.borrow_mut();
            match solving.solve(&self.engine.circuit, constraints, &[any], None) {
                Answer::Sat => {}
                Answer::Unsat => return Some(Cause::Vacuous(blamed)),
                Answer::Unknown(_) => return Some(Cause::Timeout),
            }
        }
        let constraints = self.engine.constraints();
        if !constraints.iter().any(|c| matches!(c.origin, Origin::Clause(_))) {
            return None;
        }
        let answer = self.solving.borrow_mut().solve(&self.engine.circuit, constraints, &[], None);
        match answer {
            Answer::Sat => None,
            Answer::Unknown(_) => Some(Cause::Timeout),
            Answer::Unsat => {
                let blamed = specification::blame(
                    &self.engine.circuit,
                    constraints,
                    self.setting.options.watch.cancel(),
                );
                Some(self.with_larger_scope(blamed))
            }
        }
    }

    /// Whether some execution is known to satisfy what is assumed.
    pub(crate) fn has_input(&mut self) -> bool {
        let assumed = match self.engine.body_assumptions().is_empty() {
            true => Vec::new(),
            false => {
                let ends = self.last_run.as_ref().map(Symbolic::ends).unwrap_or_default();
                vec![self.engine.circuit.or_all(ends)]
            }
        };
        let constraints = self.engine.constraints();
        let mut solving = self.solving.borrow_mut();
        let circuit = &self.engine.circuit;
        solving.solve(circuit, constraints, &assumed, Some(CONFLICTS)) == Answer::Sat
    }

    /// Whether it matters if executions end: some do not within bounds that somebody has chosen, and
    /// that is all there is to say.
    pub(crate) fn asks_for_ends(&self, round: &Round) -> bool {
        let is_chosen = self.setting.options.unroll != Unroll::Auto;
        is_chosen && !round.cut.is_empty() && self.violations.is_empty() && !self.gave_up
    }

    /// Whether no execution of the last run comes to an end within the bounds. Where calls are abstracted
    /// they are refined until that is certain, also if the goals were looked for in parts.
    pub(crate) fn is_stuck(&mut self) -> bool {
        let Some(mut run) = self.last_run.take() else {
            return false;
        };
        let is_stuck = self.has_no_end(&mut run);
        self.last_run = Some(run);
        is_stuck
    }

    fn has_no_end(&mut self, run: &mut Symbolic) -> bool {
        while self.stopped.is_none() && !self.gave_up {
            let any = self.engine.circuit.or_all(run.ends());
            if self.solve(&[any]) != Answer::Sat {
                return self.stopped.is_none() && !self.gave_up;
            }
            if !self.is_inferring() || self.has_execution(run, any) {
                return false;
            }
        }
        false
    }

    /// Whether looking for an end has shown that calls have to be abstracted in another way: then nothing
    /// was found out.
    pub(crate) fn must_run_again(&self) -> bool {
        let again = self.engine.wants_rerun() || self.engine.needs_bits().is_some();
        self.is_inferring() && again && self.stopped.is_none()
    }

    /// The bounds to blame if no execution ends within them.
    pub(crate) fn too_narrow(round: &Round) -> Cause {
        let mut cut: Vec<String> = round.cut.values().map(Cause::to_string).collect();
        cut.dedup();
        let cut: Vec<&str> =
            cut.iter().map(|c| c.strip_prefix("unbounded: ").unwrap_or(c)).collect();
        Cause::Vacuous(format!("--unroll {}: in every execution {}", round.depth, cut.join(" or ")))
    }

    /// Says of clauses that no input satisfies how many more objects would do.
    pub(crate) fn with_larger_scope(&self, cause: Cause) -> Cause {
        let Cause::Vacuous(what) = cause else {
            return cause;
        };
        let start = Instant::now();
        let is_enough = |more: &u32| {
            let is_satisfiable = || self.is_satisfiable_with(*more, start + LONGEST);
            start.elapsed() < LONGEST && unless_interrupted(is_satisfiable) == Some(true)
        };
        let enough = MORE_OBJECTS.into_iter().find(is_enough);
        Cause::Vacuous(match enough {
            Some(1) => format!("{what}; with one more object of each class some input does"),
            Some(more) => format!("{what}; with {more} more objects of each class some input does"),
            None => what,
        })
    }

    /// Whether some input satisfies what is assumed, in a scope with more objects.
    fn is_satisfiable_with(&self, more: u32, deadline: Instant) -> bool {
        let mut options: Options = self.setting.options.clone();
        options.scope.objects += more;
        options.scope.per_class.values_mut().for_each(|n| *n += more);
        let deadline = Some(deadline);
        let (mut engine, _) =
            start_engine(self.setting.subject, &options, (deadline, options.watch.cancel()), None);
        let limits = Limits {
            iterations: 0,
            recursion: 0,
            calls: Calls::Inline,
            canonical: false,
            deadline,
            cancel: options.watch.cancel(),
            ..Limits::default()
        };
        engine.run(self.setting.method, &limits);
        if engine.exhausted().is_some() {
            return false;
        }
        let mut session = Session::new();
        for (index, constraint) in engine.constraints().iter().enumerate() {
            session.assert(&engine.circuit, constraint.lit, index as u32);
        }
        let cancel = options.watch.cancel();
        let limits = sat::Limits { deadline, conflicts: Some(CONFLICTS), cancel };
        session.solve(&engine.circuit, &[], &limits) == Answer::Sat
    }
}
