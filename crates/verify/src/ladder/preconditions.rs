//! What a method demands of its arguments without saying so. Where a simple condition separates the arguments
//! for which it fails from all others, the method is not wrong: it has a precondition that nobody wrote down.
//!
//! A condition counts if it is exact: where it holds the violation is impossible, and where it does not hold
//! every execution ends in a violation. A wrong guard gives no exact condition, and neither does a mistake
//! that only some of the arguments in question lead to; those remain errors.

use std::time::{Duration, Instant};

use encode::{Goal, Objects, Property, Subject};
use ir::{FieldId, Method, MethodId, Program, Type};
use logic::unless_interrupted;
use spec::core::{Case, Clause, Comparison, Contracts, Ends, Site};

use crate::check::{Reach, Setting, Shallow, plain};
use crate::invariants::terms::{self, Said};
use crate::options::Options;
use crate::result::Violation;

const TIME: Duration = Duration::from_secs(1);
const REACH: Reach =
    Reach { iterations: 6, instructions: 40_000, conflicts: 5_000, circles: false };

/// Conditions that are tried: each costs up to two runs.
const MOST: usize = 24;

/// The condition on the arguments that a violation shows to be missing, if a simple one is exact.
pub(super) fn missing(
    subject: Subject<'_>,
    method: MethodId,
    options: &Options,
    violation: &Violation,
) -> Option<String> {
    let declared = subject.program.method(method);
    if declared.params.is_empty() || violation.clause.is_some() {
        return None;
    }
    let conditions = conditions(subject.program, declared, violation.property);
    let is_exact = |condition: &Said| {
        unless_interrupted(|| separates(subject, method, options, violation, condition))
    };
    let mut tried = conditions.into_iter().take(MOST);
    tried.find(|condition| is_exact(condition) == Some(true)).map(|condition| condition.text)
}

/// Conditions that may be missing where a property is violated.
fn conditions(program: &Program, method: &Method, property: Property) -> Vec<Said> {
    let parameters: Vec<Said> =
        (0..method.params.len()).map(|number| terms::parameter(method, number as u32)).collect();
    let of = |kind: fn(&Program, Type) -> bool| -> Vec<&Said> {
        let fits = method.params.iter().map(|ty| kind(program, *ty));
        parameters.iter().zip(fits).filter(|(_, fits)| *fits).map(|(said, _)| said).collect()
    };
    let numbers = of(|_, ty| matches!(ty, Type::Int | Type::Long));
    let references = of(|_, ty| ty.class().is_some());
    let arrays = of(is_array);
    match property {
        Property::NullDereference => references.into_iter().map(terms::is_not_null).collect(),
        Property::DivisionByZero => {
            let zero = |n: &&Said| terms::compare(n, Comparison::NotEqual, &terms::number(0, n));
            numbers.iter().map(zero).chain(arrays.iter().map(|a| is_not_empty(a))).collect()
        }
        Property::NegativeArraySize => numbers.iter().map(|n| is_at_least(n, 0)).collect(),
        Property::ArrayIndex | Property::UncaughtException => {
            let own = own_sizes(program, method);
            let lengths = arrays.iter().map(|array| terms::length(array)).chain(own);
            let lengths: Vec<Said> = lengths.collect();
            let within = |n: &Said| -> Vec<Said> {
                let below = lengths.iter().filter(|l| l.term.sort == n.term.sort);
                let both =
                    |l: &Said, how| terms::and(&is_at_least(n, 0), &terms::compare(n, how, l));
                let below =
                    below.flat_map(|l| [both(l, Comparison::Less), both(l, Comparison::LessEqual)]);
                below.chain([is_at_least(n, 0), is_at_least(n, 1)]).collect()
            };
            let empty = arrays.iter().map(|array| is_not_empty(array));
            empty.chain(numbers.iter().flat_map(|n| within(n))).collect()
        }
        Property::ArrayStore
        | Property::ClassCast
        | Property::Assert
        | Property::Requires
        | Property::Ensures
        | Property::Signals
        | Property::SignalsOnly
        | Property::Assignable
        | Property::Invariant
        | Property::LoopInvariant
        | Property::Decreases
        | Property::Accessible
        | Property::Callable
        | Property::Readable
        | Property::Writable
        | Property::NonTermination
        | Property::Overflow => Vec::new(),
    }
}

fn is_array(program: &Program, ty: Type) -> bool {
    ty.class().and_then(|c| program.class(c).ok()).is_some_and(|c| c.element.is_some())
}

fn is_at_least(number: &Said, least: i64) -> Said {
    terms::compare(number, Comparison::GreaterEqual, &terms::number(least, number))
}

fn is_not_empty(array: &Said) -> Said {
    let length = terms::length(array);
    terms::compare(&length, Comparison::Greater, &terms::number(0, &length))
}

/// Numbers and lengths of arrays among the fields of the receiver.
fn own_sizes(program: &Program, method: &Method) -> Vec<Said> {
    let Ok(class) = program.class(method.class) else { return Vec::new() };
    if method.is_static || &*method.name == "<init>" {
        return Vec::new();
    }
    let this = terms::this(method.class);
    let is_own = |f: &&FieldId| !program.field(**f).is_static;
    let size = |f: &FieldId| {
        let field = terms::field_of(program, &this, *f);
        match program.field(*f).ty {
            Type::Int => Some(field),
            ty if is_array(program, ty) => Some(terms::length(&field)),
            _ => None,
        }
    };
    class.fields.iter().filter(is_own).filter_map(size).collect()
}

/// Whether a violation happens exactly where the condition does not hold.
fn separates(
    subject: Subject<'_>,
    method: MethodId,
    options: &Options,
    violation: &Violation,
    condition: &Said,
) -> bool {
    let run = |condition: &Said, ask: fn(Shallow<'_>, &Violation) -> bool| {
        let contracts = requiring(subject.contracts, method, condition);
        let subject = Subject { contracts: &contracts, ..subject };
        let deadline = Some(Instant::now() + options.timeout.map_or(TIME, |most| most.min(TIME)));
        let setting = plain(subject, method, options, None, Objects::Arbitrary);
        ask(Shallow::run(Setting { deadline, ..setting }, &REACH), violation)
    };
    run(condition, is_impossible) && run(&terms::is_not(condition), always_fails)
}

/// The contracts with one more thing that the method requires.
fn requiring(contracts: &Contracts, method: MethodId, condition: &Said) -> Contracts {
    let mut contracts = contracts.clone();
    let text: std::sync::Arc<str> = condition.text.as_str().into();
    let site = Site { file: "".into(), span: Default::default(), source: text.clone(), text };
    let requires = vec![Clause { term: condition.term.clone(), site: site.clone() }];
    contracts.methods.entry(method).or_default().cases.push(Case {
        requires,
        ensures: Vec::new(),
        signals: Vec::new(),
        signals_only: None,
        assignable: Vec::new(),
        accessible: Vec::new(),
        callable: Vec::new(),
        measured_by: Vec::new(),
        is_code: false,
        ends: Ends::Anyhow,
        site,
    });
    contracts
}

fn is_impossible(shallow: Shallow<'_>, violation: &Violation) -> bool {
    let Shallow { mut check, run, .. } = shallow;
    let program = check.setting.subject.program;
    let is_it = |goal: &Goal| match goal {
        Goal::Violation { property, at, .. } => {
            *property == violation.property && encode::decode::place(program, *at) == violation.at
        }
        // What is not followed may come there too.
        Goal::Cut { .. } | Goal::Unsupported { .. } | Goal::Unspecified { .. } => true,
        Goal::Broken { .. } => false,
    };
    let goals = run.report.goals.iter().filter(|(goal, _)| is_it(goal));
    let any = check.engine.circuit.or_all(goals.map(|(_, lit)| *lit));
    // Of no execution everything is true.
    let ends = check.engine.circuit.or_all(run.ends());
    let is_run = run.report.exhausted.is_none() && matches!(check.solve(&[ends]), Ok(true));
    is_run && matches!(check.solve(&[any]), Ok(false))
}

fn always_fails(shallow: Shallow<'_>, _: &Violation) -> bool {
    let Shallow { mut check, run, .. } = shallow;
    let fails = run.report.goals.iter().filter(|(goal, _)| matches!(goal, Goal::Violation { .. }));
    let fails = check.engine.circuit.or_all(fails.map(|(_, lit)| *lit));
    let left = run.report.goals.iter().filter(|(goal, _)| {
        matches!(goal, Goal::Cut { .. } | Goal::Unsupported { .. } | Goal::Unspecified { .. })
    });
    let ends: Vec<_> = run.ends().into_iter().chain(left.map(|(_, lit)| *lit)).collect();
    let any = check.engine.circuit.or_all(ends);
    let is_run = run.report.exhausted.is_none() && matches!(check.solve(&[fails]), Ok(true));
    is_run && matches!(check.solve(&[any, !fails]), Ok(false))
}
