//! Ways to a violation. An arbitrary heap may be one that no program reaches, so what fails is looked for on
//! objects that the code makes: a constructor, then one public call, two, and so on (`encode::input::made`).
//! What is found so is an error and has its route; the rest is a warning.
//!
//! Small first: each number of calls is a question of its own, with its own engine, within so many
//! conflicts. Where the whole may take long, the shortest ways come before it: a bug that shows at once is
//! not hidden behind a proof that does not end.

use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use encode::{Goal, Objects, Subject};
use ir::MethodId;
use logic::unless_interrupted;

use super::alarm::Alarm;
use super::{callers, preconditions};
use crate::check::{Reach, Reached, Setting, Shallow, SharedJudge, plain};
use crate::options::Options;
use crate::options::progress::Activity;
use crate::result::{Cause, MethodResult, Severity, Verdict, Violation};

/// Calls after the constructor: those that come before everything else, and the rest.
pub(super) const SHORT: RangeInclusive<u32> = 0..=1;
pub(super) const LONG: RangeInclusive<u32> = 2..=6;
const BLIND: RangeInclusive<u32> = 2..=3;

/// What the questions for one number of calls may cost together.
const REACH: Reach =
    Reach { iterations: 6, instructions: 100_000, conflicts: 30_000, circles: true };

/// The search for ways to what is wrong with a method.
pub(super) struct Routes<'a> {
    subject: Subject<'a>,
    method: MethodId,
    options: &'a Options,
    judge: Option<SharedJudge<'a>>,
    start: Instant,
    /// Whether the states of objects decide what is possible: then what has no route is a warning.
    needs_objects: bool,
    /// Whether ways are looked for at all.
    is_wanted: bool,
    found: Vec<Violation>,
    tried: Vec<u32>,
    /// Whether a run was too long to be followed: with more calls it would be longer.
    is_spent: bool,
}

impl<'a> Routes<'a> {
    pub fn of(
        subject: Subject<'a>,
        method: MethodId,
        options: &'a Options,
        judge: Option<SharedJudge<'a>>,
        start: Instant,
    ) -> Routes<'a> {
        let is_callable = !callers::is_private(subject, method);
        Routes {
            subject,
            method,
            options,
            judge,
            start,
            needs_objects: needs_objects(subject, method),
            is_wanted: options.routes && is_callable && !states_its_own(subject, method),
            found: Vec::new(),
            tried: Vec::new(),
            is_spent: false,
        }
    }

    pub fn is_wanted(&self) -> bool {
        self.is_wanted
    }

    /// Looks for `wanted` violations, or for any where there are none, with these numbers of calls.
    pub fn look(&mut self, calls: RangeInclusive<u32>, wanted: &[Violation]) {
        for calls in calls {
            let is_done = !self.found.is_empty() && wanted.iter().all(|wanted| self.has(wanted));
            // Where nothing has a state, one call is as good as several.
            let is_vain = !self.needs_objects && calls > 0;
            let is_over = !self.is_wanted || self.is_spent;
            if self.tried.contains(&calls) || is_over || is_done || is_vain {
                continue;
            }
            let left = self.options.timeout.map(|most| most.saturating_sub(self.start.elapsed()));
            if left.is_some_and(|left| left.is_zero()) || self.options.watch.is_interrupted() {
                return;
            }
            self.look_after(calls, left);
            self.tried.push(calls);
        }
    }

    fn look_after(&mut self, calls: u32, left: Option<Duration>) {
        let now = Instant::now();
        let options = Options { timeout: left, ..self.options.clone() };
        let alarm = Alarm::set(&options, now);
        let options = Options { watch: alarm.watch(), ..options };
        let objects = Objects::Made { calls };
        let setting = plain(self.subject, self.method, &options, self.judge, objects);
        let setting = Setting { deadline: left.map(|left| now + left), ..setting };
        options.watch.tell(self.method, Activity::Routes { calls });
        let here = unless_interrupted(|| search(setting, &self.found));
        let (here, is_whole) = here.unwrap_or_default();
        self.is_spent = !is_whole;
        for violation in here {
            if !self.has(&violation) {
                self.found.push(violation);
            }
        }
    }

    /// What fails for arguments that a simple condition tells from all others is no error of the method.
    fn tell_preconditions(&mut self, rest: &mut Vec<Violation>) {
        let (subject, method, options) = (self.subject, self.method, self.options);
        let mut errors = Vec::new();
        for mut violation in std::mem::take(&mut self.found) {
            violation.missing = preconditions::missing(subject, method, options, &violation);
            match violation.missing {
                Some(_) => {
                    violation.severity = Severity::Precondition;
                    rest.insert(0, violation);
                }
                None => errors.push(violation),
            }
        }
        self.found = errors;
    }

    fn has(&self, violation: &Violation) -> bool {
        self.found.iter().any(|known| is_same(known, violation))
    }

    /// Whether every number of calls was tried, in the time that there was.
    fn is_searched(&self) -> bool {
        let last = if self.needs_objects { *LONG.end() } else { *SHORT.start() };
        self.tried.contains(&last) || self.is_spent
    }

    /// Errors are what has a route, or needs none; what else was found on arbitrary heaps is possible.
    pub fn sorted(mut self, mut usual: MethodResult) -> MethodResult {
        if !self.is_wanted {
            return usual;
        }
        if matches!(usual.verdict, Verdict::Violated(_) | Verdict::Undecided(_))
            && !matches!(usual.verdict, Verdict::Undecided(Cause::Interrupted))
        {
            self.look(SHORT, usual.violations());
            // Where nothing is known to fail, long ways are not worth their time.
            let most = if usual.violations().is_empty() { BLIND } else { LONG };
            self.look(most, usual.violations());
        }
        usual.stats.time_ms = self.start.elapsed().as_millis() as u64;
        let is_searched = self.is_searched();
        let verdict = std::mem::replace(&mut usual.verdict, Verdict::Undecided(Cause::Timeout));
        let (mut rest, open) = match verdict {
            Verdict::Violated(violations) => (violations, usual.incomplete.take()),
            Verdict::Undecided(cause) => (Vec::new(), Some(cause)),
            // What has happened is no matter of proof.
            Verdict::Verified { .. } if !self.found.is_empty() => (Vec::new(), None),
            verified @ Verdict::Verified { .. } => {
                usual.verdict = verified;
                return usual;
            }
        };
        rest.retain(|violation| !self.has(violation));
        if !self.needs_objects {
            self.found.append(&mut rest);
        }
        for violation in &mut rest {
            violation.severity = Severity::Warning;
        }
        self.tell_preconditions(&mut rest);
        if !self.found.is_empty() {
            usual.verdict = Verdict::Violated(self.found);
            usual.incomplete = open;
        } else if let Some(first) = rest.first() {
            let what = what_is_possible(first);
            let is_searched = is_searched || first.missing.is_some();
            usual.verdict = Verdict::Undecided(Cause::Possible { what, is_searched });
        } else if let Some(open) = open {
            usual.verdict = Verdict::Undecided(open);
        }
        usual.possible = rest;
        usual
    }
}

fn what_is_possible(violation: &Violation) -> String {
    if let Some(missing) = &violation.missing {
        return format!("{} unless {missing}", violation.property);
    }
    let place = match violation.at.file.as_str() {
        "" => String::new(),
        file => format!(" ({file}:{})", violation.at.line),
    };
    format!("{}{place}, in a state that is not known to be reachable", violation.property)
}

/// Whether the objects of the method's input have a state that matters.
fn needs_objects(subject: Subject<'_>, method: MethodId) -> bool {
    let program = subject.program;
    let declared = program.method(method);
    let has_receiver = !declared.is_static && &*declared.name != "<init>";
    let mut params = declared.params.iter().filter_map(|ty| ty.class());
    has_receiver
        || params.any(|class| program.class(class).is_ok_and(|c| c.is_given() && !c.is_enum))
}

/// Whether the author says which states are admitted: then each of them counts.
fn states_its_own(subject: Subject<'_>, method: MethodId) -> bool {
    let contracts = subject.contracts;
    let program = subject.program;
    let declared = program.method(method);
    let classes = declared.params.iter().filter_map(|ty| ty.class()).chain([declared.class]);
    let above = |class| program.class(class).map(|c| c.supertypes().to_vec()).unwrap_or_default();
    let has_invariants = |class: &ir::ClassId| {
        contracts.classes.get(class).is_some_and(|c| !c.invariants.is_empty())
    };
    let has_contract = contracts.methods.get(&method).is_some_and(|c| !c.cases.is_empty());
    has_contract || classes.flat_map(above).any(|class| has_invariants(&class))
}

/// What is found, and whether all was followed.
fn search(setting: Setting<'_>, known: &[Violation]) -> (Vec<Violation>, bool) {
    let Shallow { mut check, run, limits } = Shallow::run(setting, &REACH);
    let program = check.setting.subject.program;
    let is_known = |goal: &Goal| {
        let (Goal::Violation { property, at, .. } | Goal::Broken { property, at, .. }) = goal
        else {
            return true;
        };
        let at = encode::decode::place(program, *at);
        known.iter().any(|known| known.property == *property && known.at == at)
    };
    let goals = run.report.goals.iter();
    let goals = goals.filter(|(goal, _)| check.setting.is_wanted(goal) && !is_known(goal));
    let goals: Reached = goals.cloned().collect();
    let asked = check.reachable(goals);
    for (goal, lit) in asked.reached {
        // Who has run out of budget has not found this one: there may be others.
        let _ = check.seek(&goal, lit, None, &limits);
    }
    (check.findings.take_violations(), run.report.exhausted.is_none())
}

/// Whether two executions show one thing.
fn is_same(a: &Violation, b: &Violation) -> bool {
    let clause = |v: &Violation| v.clause.as_ref().map(|c| (c.line, c.column));
    a.property == b.property && a.at == b.at && clause(a) == clause(b)
}
