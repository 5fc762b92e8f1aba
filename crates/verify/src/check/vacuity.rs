//! What was checked if nothing was: bounds within which no execution ends, and clauses that need
//! more objects than the scope has (Taghdiri & Jackson, section 5.6).

use encode::decode::Symbolic;
use encode::inputs::Origin;
use encode::{Calls, Engine, Limits, Scope};
use logic::unless_interrupted;
use sat::{Answer, Session};

use super::{Check, Round, specification};
use crate::options::Options;
use crate::result::Cause;
use crate::solving::start_engine;

/// Objects of each class that are tried in addition to those of the scope.
const MORE_OBJECTS: [u32; 4] = [1, 2, 3, 5];
/// The same for elements and characters.
const LONGER: [u32; 7] = [1, 3, 7, 15, 40, 100, 250];
/// Conflicts that the question is worth, and gates in all that are made for it.
const CONFLICTS: u64 = 20_000;
const GATES: usize = 3_000_000;

/// What may still be spent on finding out which bound is too small.
struct Worth {
    gates: usize,
    conflicts: u64,
}

impl Check<'_> {
    /// Whether nothing satisfies what is assumed: then nothing was checked.
    pub(crate) fn vacuous(&mut self) -> Option<Cause> {
        if self.findings.is_inhabited() {
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
            Answer::Unsat => Some(self.with_larger_scope(self.blamed())),
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

    /// The bounds to blame if no execution ends within them.
    pub(crate) fn too_narrow(round: &Round) -> Cause {
        let mut cut: Vec<String> = round.cut.values().map(Cause::to_string).collect();
        cut.dedup();
        let cut: Vec<&str> =
            cut.iter().map(|c| c.strip_prefix("unbounded: ").unwrap_or(c)).collect();
        Cause::Vacuous(format!("--unroll {}: in every execution {}", round.depth, cut.join(" or ")))
    }

    /// The clauses that no input satisfies together, as they are written: where bounds have excluded values
    /// beforehand, it would seem that the first clause to see that is to blame.
    fn blamed(&self) -> Cause {
        let cancel = self.setting.options.watch.cancel();
        let assume = || self.assumptions_in(self.setting.options, GATES);
        match unless_interrupted(assume).flatten() {
            Some(engine) => specification::blame(&engine.circuit, engine.constraints(), cancel),
            None => specification::blame(&self.engine.circuit, self.engine.constraints(), cancel),
        }
    }

    /// Says of clauses that no input satisfies which bound is too small for them, and what would do.
    pub(crate) fn with_larger_scope(&self, cause: Cause) -> Cause {
        let Cause::Vacuous(clauses) = cause else {
            return cause;
        };
        let mut worth = Worth { gates: GATES, conflicts: CONFLICTS };
        let Scope { array_length: arrays, string_length: strings, .. } = self.setting.options.scope;
        let objects = self.setting.options.scope.most_objects();
        let more = |n: u32| Scope {
            objects: self.setting.options.scope.objects + (n - objects),
            per_class: self
                .setting
                .options
                .scope
                .per_class
                .iter()
                .map(|(c, k)| (c.clone(), k + (n - objects)))
                .collect(),
            ..self.setting.options.scope.clone()
        };
        let longer = |n: u32| Scope { array_length: n, ..self.setting.options.scope.clone() };
        let wider = |n: u32| Scope { string_length: n, ..self.setting.options.scope.clone() };
        let bound = if let Some(n) = self.least(objects, &MORE_OBJECTS, more, &mut worth) {
            format!("{} of each class are too few: with --scope {n}", plural(objects, "object"))
        } else if let Some(n) = self.least(arrays, &LONGER, longer, &mut worth) {
            format!("arrays up to length {arrays} are too short: with --array-length {n}")
        } else if let Some(n) = self.least(strings, &LONGER, wider, &mut worth) {
            format!("strings up to {strings} are too short: with --string-length {n}")
        } else {
            return Cause::Vacuous(clauses);
        };
        Cause::Narrow(format!("{bound} some input satisfies {clauses}"))
    }

    /// The least number beyond `known` with which some input satisfies what is assumed, as far as it is worth
    /// finding out.
    fn least(
        &self,
        known: u32,
        more: &[u32],
        scope: impl Fn(u32) -> Scope,
        worth: &mut Worth,
    ) -> Option<u32> {
        let mut is_enough = |n: u32| {
            let is_satisfiable = || self.is_satisfiable_in(scope(n), worth);
            unless_interrupted(is_satisfiable) == Some(true)
        };
        let (mut few, mut enough) = (known, None);
        for n in more.iter().map(|more| known + more) {
            if is_enough(n) {
                enough = Some(n);
                break;
            }
            few = n;
        }
        let mut enough = enough?;
        while enough - few > 1 {
            let middle = few + (enough - few) / 2;
            match is_enough(middle) {
                true => enough = middle,
                false => few = middle,
            }
        }
        Some(enough)
    }

    /// What is assumed of inputs of a scope, if so many gates are enough to encode it.
    fn assumptions_in<'o>(&'o self, options: &'o Options, gates: usize) -> Option<Engine<'o>> {
        let (cancel, deadline) = (options.watch.cancel(), self.setting.deadline);
        let (mut engine, _) =
            start_engine(self.setting.subject, options, (deadline, cancel.clone()), None);
        let limits = Limits {
            iterations: 0,
            recursion: 0,
            calls: Calls::Inline,
            canonical: false,
            gates,
            deadline,
            cancel,
            ..Limits::default()
        };
        engine.run(self.setting.method, &limits);
        engine.exhausted().is_none().then_some(engine)
    }

    /// Whether some input satisfies what is assumed, in another scope.
    fn is_satisfiable_in(&self, scope: Scope, worth: &mut Worth) -> bool {
        if worth.gates == 0 || worth.conflicts == 0 {
            return false;
        }
        let options = Options { scope, ..self.setting.options.clone() };
        let Some(engine) = self.assumptions_in(&options, worth.gates) else {
            worth.gates = 0;
            return false;
        };
        worth.gates = worth.gates.saturating_sub(engine.circuit.len());
        let mut session = Session::new();
        for (index, constraint) in engine.constraints().iter().enumerate() {
            session.assert(&engine.circuit, constraint.lit, index as u32);
        }
        let limits = sat::Limits {
            deadline: self.setting.deadline,
            conflicts: Some(worth.conflicts),
            cancel: self.setting.options.watch.cancel(),
        };
        let answer = session.solve(&engine.circuit, &[], &limits);
        worth.conflicts = worth.conflicts.saturating_sub(session.statistics().conflicts);
        answer == Answer::Sat
    }
}

fn plural(count: u32, word: &str) -> String {
    if count == 1 { format!("1 {word}") } else { format!("{count} {word}s") }
}
