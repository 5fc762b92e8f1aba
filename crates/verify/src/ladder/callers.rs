//! A private method is judged by the arguments that its callers can pass: no other code calls it.
//!
//! What fails on any argument is asked again of the methods through which code outside comes to it, each on
//! arbitrary states and with the calls between them inlined. What none of them makes fail cannot happen.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use encode::{Goal, Objects, Subject, callees};
use ir::{ClassId, Code, MethodId, Program};
use logic::unless_interrupted;

use crate::check::{Ended, Reach, Setting, Shallow, plain};
use crate::options::Options;
use crate::result::{Assumed, Cause, MethodResult, Severity, Verdict, Violation};

const TIME: Duration = Duration::from_secs(5);
const REACH: Reach =
    Reach { iterations: 6, instructions: 100_000, conflicts: 30_000, circles: false };

/// Whether only given code that is known calls the method.
pub(super) fn is_private(subject: Subject<'_>, method: MethodId) -> bool {
    subject.program.method(method).is_private
}

/// The same result without the violations that no caller can bring about; the others are possible, and
/// errors of those who do.
pub(super) fn judged(
    subject: Subject<'_>,
    method: MethodId,
    options: &Options,
    mut found: MethodResult,
) -> MethodResult {
    let Verdict::Violated(violations) = &found.verdict else { return found };
    let entries = entries(subject, method);
    let mut open: Vec<&Violation> = Vec::new();
    // Nobody knows what a lambda that is handed out is called with.
    if entries.is_empty() || is_handed_out(subject, method) {
        open.extend(violations);
    }
    for entry in &entries {
        let reached = |violation: &&Violation| !open.iter().any(|v| std::ptr::eq(*v, *violation));
        let unknown: Vec<&Violation> = violations.iter().filter(reached).collect();
        open.extend(may_bring_about(subject, *entry, options, &unknown));
    }
    let mut possible: Vec<Violation> = open.into_iter().cloned().collect();
    for violation in &mut possible {
        violation.severity = Severity::Warning;
    }
    let names: Vec<String> = entries.iter().map(|m| subject.program.method_name(*m)).collect();
    found.verdict = match (possible.first(), found.incomplete.take()) {
        (Some(first), _) => {
            let what = match names.as_slice() {
                [] => format!("{}, but nothing calls this private method", first.property),
                names => format!("{}, if {} makes such a call", first.property, names.join(" or ")),
            };
            Verdict::Undecided(Cause::Possible { what, is_searched: true })
        }
        (None, Some(cause)) => Verdict::Undecided(cause),
        (None, None) => {
            let text = format!("called as {} call it", names.join(" and "));
            found.assumed.push(Assumed { class: found.name(), text, is_inferred: true });
            Verdict::Verified { cut: Vec::new() }
        }
    };
    found.possible = possible;
    found
}

/// The methods of the classes around it that lead to a private method through private ones only.
fn entries(subject: Subject<'_>, method: MethodId) -> Vec<MethodId> {
    let program = subject.program;
    let nest = outermost(program, method);
    let mut found = BTreeSet::new();
    let mut seen = BTreeSet::from([method]);
    let mut work = vec![method];
    let methods: Vec<MethodId> = subject
        .given
        .iter()
        .filter(|class| program.class_name(**class).split('$').next() == Some(&nest))
        .filter_map(|class| program.class(*class).ok())
        .flat_map(|class| class.methods.iter().copied())
        .filter(|m| matches!(program.code(*m), Code::Body(_)))
        .collect();
    while let Some(callee) = work.pop() {
        for caller in &methods {
            if seen.contains(caller) || !callees::calls(subject, *caller, callee) {
                continue;
            }
            seen.insert(*caller);
            match program.method(*caller).is_private {
                true => work.push(*caller),
                false => {
                    found.insert(*caller);
                }
            }
        }
    }
    found.into_iter().collect()
}

/// Whether a lambda or a method reference of its outermost class may lead to the method: whoever holds it calls it.
fn is_handed_out(subject: Subject<'_>, method: MethodId) -> bool {
    let program = subject.program;
    let nest = outermost(program, method);
    let is_near = |class: &&ClassId| program.class_name(**class).split('$').next() == Some(&nest);
    let near = subject.given.iter().filter(is_near).filter_map(|class| program.class(*class).ok());
    let methods: Vec<MethodId> = near.flat_map(|class| class.methods.iter().copied()).collect();
    let lambdas: BTreeSet<ClassId> =
        methods.iter().flat_map(|m| callees::made_lambdas(subject, *m)).collect();
    let bodies = lambdas.iter().filter_map(|class| program.class(*class).ok());
    bodies
        .flat_map(|class| &class.methods)
        .any(|m| callees::reachable(subject, *m).contains(&method))
}

fn outermost(program: &Program, method: MethodId) -> String {
    let class = program.class_name(program.method(method).class);
    class.split('$').next().unwrap_or(class).to_string()
}

/// Which of these violations some execution of a method may come to.
fn may_bring_about<'v>(
    subject: Subject<'_>,
    entry: MethodId,
    options: &Options,
    violations: &[&'v Violation],
) -> Vec<&'v Violation> {
    let deadline = Some(Instant::now() + options.timeout.map_or(TIME, |most| most.min(TIME)));
    let setting = Setting { deadline, ..plain(subject, entry, options, None, Objects::Arbitrary) };
    let asked = unless_interrupted(|| ask(setting, violations));
    asked.unwrap_or_else(|| violations.to_vec())
}

fn ask<'v>(setting: Setting<'_>, violations: &[&'v Violation]) -> Vec<&'v Violation> {
    let Shallow { mut check, run, .. } = Shallow::run(setting, &REACH);
    if run.report.exhausted.is_some() {
        return violations.to_vec();
    }
    // Of no execution everything is true.
    let ends = check.engine.circuit.or_all(run.ends());
    if !matches!(check.solve(&[ends]), Ok(true)) {
        return violations.to_vec();
    }
    let program = check.setting.subject.program;
    let mut goals = Vec::new();
    for (goal, lit) in run.report.goals {
        let is_asked = match &goal {
            Goal::Violation { property, at, .. } | Goal::Broken { property, at, .. } => {
                let at = encode::decode::place(program, *at);
                violations.iter().any(|v| v.property == *property && v.at == at)
            }
            // Who knows what comes after it.
            Goal::Unsupported { .. } | Goal::Unspecified { .. } | Goal::Cut { .. } => true,
        };
        if is_asked {
            goals.push((goal, lit));
        }
    }
    let asked = check.reachable(goals);
    let is_whole = matches!(asked.ended, Ended::Done);
    let mut open = Vec::new();
    for (goal, _) in asked.reached {
        let (Goal::Violation { property, at, .. } | Goal::Broken { property, at, .. }) = &goal
        else {
            return violations.to_vec();
        };
        let at = encode::decode::place(program, *at);
        let same = violations.iter().filter(|v| v.property == *property && v.at == at);
        open.extend(same.copied());
    }
    if is_whole { open } else { violations.to_vec() }
}
