//! Ways to a violation. An arbitrary heap may be one that no program reaches, so what fails there is looked
//! for again on objects that the code makes: a constructor, then one public call, two, three
//! (`encode::input::made`). What is found so is an error and has its route; the rest is a warning.
//!
//! Small first: each number of calls is a question of its own, with its own engine, within so many conflicts.

use std::time::Instant;

use encode::decode::Symbolic;
use encode::{Calls, Goal, Limits, Objects, Subject};
use ir::MethodId;
use logic::unless_interrupted;

use crate::check::{Budget, Check, Reached, Setting, SharedJudge};
use crate::options::Options;
use crate::result::{Cause, MethodResult, Severity, Verdict, Violation};

/// Calls after the constructor.
const MOST_CALLS: u32 = 3;
/// What the questions for one number of calls may cost together.
const CONFLICTS: u64 = 30_000;
/// Rounds of a loop that are followed on the way, and instructions in all.
const ITERATIONS: u32 = 6;
const INSTRUCTIONS: u64 = 100_000;

/// Sorts what was found on arbitrary heaps by whether a program comes there, and looks for more where
/// nothing was decided.
pub(super) fn sorted<'a>(
    subject: Subject<'a>,
    method: MethodId,
    options: &'a Options,
    judge: Option<SharedJudge<'a>>,
    usual: MethodResult,
    start: Instant,
) -> MethodResult {
    let is_open = match &usual.verdict {
        Verdict::Verified { .. } => false,
        Verdict::Violated(_) => true,
        Verdict::Undecided(cause) => !matches!(cause, Cause::Interrupted | Cause::Unusable { .. }),
    };
    let settles = !options.routes || !is_open || states_its_own(subject, method);
    if settles || !needs_objects(subject, method) {
        return usual;
    }
    let setting = Setting {
        subject,
        method,
        options,
        judge,
        deadline: options.timeout.map(|t| start + t),
        canonical: false,
        calls: Calls::Inline,
        objects: Objects::Made { calls: 0 },
        bounds: None,
        called_off: options.watch.cancel(),
        piece: None,
    };
    let found = search(&setting, usual.violations());
    judged(usual, found, !setting.is_called_off())
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

/// Looks for `wanted` violations, or for any where there are none, with more and more calls.
fn search(setting: &Setting<'_>, wanted: &[Violation]) -> Vec<Violation> {
    let mut found: Vec<Violation> = Vec::new();
    for calls in 0..=MOST_CALLS {
        if setting.is_called_off() {
            break;
        }
        let setting = Setting { objects: Objects::Made { calls }, ..setting.clone() };
        let here = unless_interrupted(|| search_with(setting, &found)).unwrap_or_default();
        for violation in here {
            if !found.iter().any(|known| is_same(known, &violation)) {
                found.push(violation);
            }
        }
        let all = wanted.iter().all(|wanted| found.iter().any(|known| is_same(known, wanted)));
        if all && !found.is_empty() {
            break;
        }
    }
    found
}

fn search_with(setting: Setting<'_>, known: &[Violation]) -> Vec<Violation> {
    let method = setting.method;
    let mut check = Check::new(setting);
    check.restart(None);
    check.budget = Budget::of(Some(CONFLICTS));
    let limits = check.limits(ITERATIONS);
    let limits = Limits { instructions: INSTRUCTIONS, circles: false, ..limits };
    let run = Symbolic::run(&mut check.engine, method, &limits);
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
    check.findings.take_violations()
}

/// Whether two executions show one thing.
fn is_same(a: &Violation, b: &Violation) -> bool {
    let clause = |v: &Violation| v.clause.as_ref().map(|c| (c.line, c.column));
    a.property == b.property && a.at == b.at && clause(a) == clause(b)
}

/// Errors are what has a route; what was only found on arbitrary heaps is possible.
fn judged(mut usual: MethodResult, found: Vec<Violation>, is_searched: bool) -> MethodResult {
    let usual_verdict = std::mem::replace(&mut usual.verdict, Verdict::Undecided(Cause::Timeout));
    let (mut possible, open) = match usual_verdict {
        Verdict::Violated(violations) => (violations, usual.incomplete.take()),
        Verdict::Undecided(cause) => (Vec::new(), Some(cause)),
        Verdict::Verified { .. } => unreachable!("a proof needs no route"),
    };
    possible.retain(|violation| !found.iter().any(|known| is_same(known, violation)));
    for violation in &mut possible {
        violation.severity = Severity::Warning;
    }
    if !found.is_empty() {
        usual.verdict = Verdict::Violated(found);
        usual.incomplete = open;
    } else if let Some(first) = possible.first() {
        let place = match first.at.file.as_str() {
            "" => String::new(),
            file => format!(" ({file}:{})", first.at.line),
        };
        let what =
            format!("{}{place}, in a state that is not known to be reachable", first.property);
        usual.verdict = Verdict::Undecided(Cause::Possible { what, is_searched });
        usual.incomplete = None;
    } else {
        usual.verdict = Verdict::Undecided(open.expect("nothing was violated"));
    }
    usual.possible = possible;
    usual
}
