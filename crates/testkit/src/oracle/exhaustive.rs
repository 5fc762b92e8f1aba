//! Tiny scopes, every input: what is verified must survive all of them on the JVM, and what is
//! violated must fail there in exactly the places that are reported.
//!
//! Inputs form a tree of choices. A run on constants tells which leaves it reads; the first that
//! is not chosen yet branches over all values that the scope admits. Leaves that no run reads are
//! never enumerated.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use encode::atom::Name;
use encode::decode::{Assignment, Symbolic};
use encode::execution::{Execution, Outcome};
use encode::inputs::{LeafKey, LeafValue, Source};
use encode::value::Value;
use encode::{Engine, Goal, Limits, NoOracle, Property, Scope};
use ir::{ClassId, MethodId, Program};
use jarosite::replay::{Call, Ending, Observed, Replayer, Statics};
use logic::Bits;
use rustc_hash::FxHashMap;
use verify::{Options, Verdict, check_method};

/// An exception that fails a method: its class, and where it comes from.
pub type Failing = (String, String, u32);

/// What came of one method.
pub enum Settled {
    /// Every input was run; how many.
    Agrees { inputs: usize, violated: bool },
    /// There is nothing to compare; why.
    Skipped(String),
    /// The verdict and the JVM differ.
    Differs(String),
}

/// A method and its world.
pub struct Subject<'a> {
    pub program: &'a Program,
    pub given: &'a [ClassId],
    pub method: MethodId,
    /// The source file, to tell `throw` statements from what the JVM raises.
    pub lines: &'a [&'a str],
}

/// The scope: small enough to try everything.
pub fn tiny_scope() -> Scope {
    Scope { objects: 2, array_length: 2, string_length: 1, int_bits: 2, ..Scope::default() }
}

/// Checks a method in the tiny scope and tries all inputs of the scope, at most `most`.
pub fn settle(subject: &Subject<'_>, replayer: &Mutex<Replayer>, most: usize) -> Settled {
    let options = Options {
        scope: tiny_scope(),
        timeout: Some(Duration::from_secs(3)),
        ..Options::default()
    };
    let result = check_method(
        encode::Subject::unspecified(subject.program, subject.given),
        subject.method,
        &options,
        None,
    );
    let reported: BTreeSet<Failing> = match &result.verdict {
        Verdict::Undecided(cause) => return Settled::Skipped(format!("undecided: {cause}")),
        Verdict::Verified { .. } => BTreeSet::new(),
        Verdict::Violated(_) if result.incomplete.is_some() => {
            return Settled::Skipped("the search is incomplete".into());
        }
        Verdict::Violated(violations) => {
            violations.iter().filter_map(|v| thrown(&v.execution.outcome)).collect()
        }
    };
    let mut executions = match inputs(subject, &options.scope, most) {
        Ok(executions) => executions,
        Err(why) if why.starts_with(UNKNOWN_LEAF) || why.starts_with(ENDLESS) => {
            return Settled::Differs(why);
        }
        Err(why) => return Settled::Skipped(why),
    };
    // Each of those that go on for ever would take the JVM seconds; the replay of the violation has run one.
    let inputs = executions.len();
    executions.retain(|e| !matches!(e.outcome, Outcome::Repeats { .. }));
    if (executions.len() < inputs) != goes_on_for_ever(&result.verdict) {
        let endless = inputs - executions.len();
        return Settled::Differs(format!("{endless} of {inputs} inputs go on for ever"));
    }
    let calls: Vec<Call> = executions.iter().map(Call::from).collect();
    // Shared statics are faster; if they seem to matter, fresh ones decide.
    let mut last = String::new();
    for statics in [Statics::Shared, Statics::Fresh] {
        let observed = match replayer.lock() {
            Ok(mut replayer) => replayer.observe(&calls, statics),
            Err(_) => Err("the JVM's thread failed".into()),
        };
        if let Ok(observed) = &observed
            && let Some(why) = observed.iter().find_map(skipped)
        {
            return Settled::Skipped(format!("JVM: {why}"));
        }
        let differs = observed.and_then(|o| compare(subject, &executions, &o, &reported));
        match differs {
            Err(why) => last = why,
            Ok(()) => {
                let violated = matches!(result.verdict, Verdict::Violated(_));
                return Settled::Agrees { inputs: calls.len(), violated };
            }
        }
    }
    Settled::Differs(last)
}

fn goes_on_for_ever(verdict: &Verdict) -> bool {
    match verdict {
        Verdict::Violated(found) => found.iter().any(|v| v.property == Property::NonTermination),
        Verdict::Verified { .. } | Verdict::Undecided(_) => false,
    }
}

fn compare(
    subject: &Subject<'_>,
    executions: &[Execution],
    observed: &[Observed],
    reported: &BTreeSet<Failing>,
) -> Result<(), String> {
    let mut failing = BTreeSet::new();
    for (execution, observed) in executions.iter().zip(observed) {
        let outcome = match &observed.ending {
            Ending::Ended(outcome) => outcome,
            other => return Err(format!("{other:?} on {:?}", execution.arguments)),
        };
        if thrown(outcome) != thrown(&execution.outcome) {
            return Err(format!(
                "predicted {:?}, was {outcome:?} on {:?} {:?}",
                execution.outcome, execution.arguments, execution.pre
            ));
        }
        if is_violation(subject, outcome, execution.pre.len()) {
            failing.extend(thrown(outcome));
        }
    }
    if failing != *reported {
        return Err(format!("reported {reported:?}, but on the JVM {failing:?}"));
    }
    Ok(())
}

fn skipped(observed: &Observed) -> Option<&str> {
    match &observed.ending {
        Ending::Skipped(why) => Some(why),
        Ending::Ended(_) | Ending::TimedOut => None,
    }
}

fn thrown(outcome: &Outcome) -> Option<Failing> {
    match outcome {
        Outcome::Returned(_) | Outcome::Repeats { .. } => None,
        // Nobody knows where an exception of the input was made.
        Outcome::Threw { class, at, .. } if at.line == 0 => Some((class.clone(), String::new(), 0)),
        Outcome::Threw { class, at, .. } => Some((class.clone(), at.class.clone(), at.line)),
    }
}

/// The rules of `encode`, told from what the JVM shows: an exception that given code makes itself
/// or that `throws` announces is intended, and so is one that came in; an assertion is not.
fn is_violation(subject: &Subject<'_>, outcome: &Outcome, inputs: usize) -> bool {
    let Outcome::Threw { class, at, object } = outcome else {
        return false;
    };
    let program = subject.program;
    let line = subject.lines.get(at.line.wrapping_sub(1) as usize).unwrap_or(&"");
    let simple = ir::program::simple(class);
    let is_assertion = class == "java.lang.AssertionError" && line.contains("assert");
    let is_made_here = line.contains(&format!("new {simple}")) && !is_assertion;
    let id = program.class_id(class);
    let is_unchecked = ["java.lang.RuntimeException", "java.lang.Error"]
        .iter()
        .any(|c| program.is_subtype(id, program.class_id(c)));
    let declared = program.method(subject.method).throws.iter().any(|t| {
        let vague = ["Throwable", "Exception", "RuntimeException", "Error"];
        let is_vague = vague.iter().any(|v| program.class_name(*t) == format!("java.lang.{v}"));
        program.is_subtype(id, *t) && !(is_unchecked && is_vague)
    });
    *object >= inputs && !is_made_here && !declared
}

/// An execution for every input that the method can tell from the others.
fn inputs(subject: &Subject<'_>, scope: &Scope, most: usize) -> Result<Vec<Execution>, String> {
    let start = Instant::now();
    let domains = Domains::of(subject, scope)?;
    let mut found = Vec::new();
    let mut work = vec![(Assignment::default(), None)];
    while let Some((chosen, known)) = work.pop() {
        if found.len() + work.len() > most {
            return Err(format!("more than {most} inputs"));
        }
        if start.elapsed() > PATIENCE {
            return Err("the runs on constants take too long".into());
        }
        let (execution, touched) = match known {
            Some(known) => known,
            None => run(subject, scope, &chosen)?,
        };
        let open = touched.iter().find(|k| !chosen.contains_key(*k) && !is_idle(k, &chosen));
        let Some(key) = open.cloned() else {
            if domains.admit(&chosen) {
                found.extend(execution);
            }
            continue;
        };
        let Some(values) = domains.values.get(&key) else {
            return match domains.engine.inputs().leaf(&key) {
                Some(_) => Err("a number has too many values".into()),
                None => Err(format!("{UNKNOWN_LEAF}: {key:?}")),
            };
        };
        // What is not chosen has the first value: that branch goes on as this one did.
        let mut known = Some((execution, touched));
        for value in values {
            let mut chosen = chosen.clone();
            chosen.insert(key.clone(), value.clone());
            work.push((chosen, known.take()));
        }
    }
    Ok(found)
}

/// What the method does on one input, and what it reads. No execution if the input is outside
/// what is assumed (type arguments that lie, say), or if it ends the JVM.
fn run(
    subject: &Subject<'_>,
    scope: &Scope,
    chosen: &Assignment,
) -> Result<(Option<Execution>, Vec<LeafKey>), String> {
    let Subject { program, given, method, .. } = *subject;
    let limits = Limits { iterations: u32::MAX, recursion: u32::MAX, ..Limits::default() };
    let source = Source::Fixed(chosen.clone());
    let mut engine = Engine::new(
        encode::Subject::unspecified(program, given),
        scope,
        source,
        Box::new(NoOracle),
    );
    let run = Symbolic::run(&mut engine, method, &limits);
    let stops = |goal: &Goal| matches!(goal, Goal::Unsupported { .. } | Goal::Cut { .. });
    if run.report.exhausted.is_some() || run.report.goals.iter().any(|(goal, _)| stops(goal)) {
        return Err(format!("{ENDLESS} {chosen:?}"));
    }
    let touched = engine.inputs().touched().map(|(k, _)| k.clone()).collect();
    let model = engine.circuit.evaluate(|_| false);
    let execution = run.execution(&mut engine, &model);
    match execution.as_ref().and_then(|e| e.unrepeatable.clone()) {
        Some(why) => Err(why),
        None => Ok((execution, touched)),
    }
}

/// Whether the value of a leaf cannot matter: an element beyond the length.
fn is_idle(key: &LeafKey, chosen: &Assignment) -> bool {
    let LeafKey::Element(name, index) = key else {
        return false;
    };
    let number = |key: &LeafKey| match chosen.get(key) {
        Some(LeafValue::Bits(bits)) => *bits,
        Some(LeafValue::Object(_)) | None => 0,
    };
    let length = match name {
        Name::InputChars(n) => {
            let wide = number(&LeafKey::TextWide(*n));
            number(&LeafKey::TextLength(*n)) * (1 + wide)
        }
        other => number(&LeafKey::Length(other.clone())),
    };
    u64::from(*index) >= length
}

/// The values that each leaf may have, from the symbolic run; the default first.
struct Domains<'a> {
    values: FxHashMap<LeafKey, Vec<LeafValue>>,
    engine: Engine<'a>,
}

const ZERO: LeafValue = LeafValue::Bits(0);
/// Longest time for the inputs of one method.
const PATIENCE: Duration = Duration::from_secs(2);
const ENDLESS: &str = "a run on constants does not end:";
const UNKNOWN_LEAF: &str = "a run on constants reads what the symbolic run does not";
/// Most values of one number.
const MOST_VALUES: usize = 300;

impl<'a> Domains<'a> {
    fn of(subject: &Subject<'a>, scope: &'a Scope) -> Result<Domains<'a>, String> {
        let Subject { program, given, method, .. } = *subject;
        let mut engine = Engine::new(
            encode::Subject::unspecified(program, given),
            scope,
            Source::Symbolic,
            Box::new(NoOracle),
        );
        let limits = Limits {
            instructions: 200_000,
            gates: 1_000_000,
            deadline: Some(Instant::now() + Duration::from_secs(2)),
            ..Limits::default()
        };
        let symbolic = Symbolic::run(&mut engine, method, &limits);
        if symbolic.report.exhausted.is_some() {
            return Err("the encoding is too large".into());
        }
        let mut values = FxHashMap::default();
        for (key, value) in engine.inputs().leaves() {
            let domain = match value {
                Value::Bits(bits) => match numbers(bits) {
                    Some(numbers) => within(scope, key, numbers),
                    // Nothing to branch over unless some run reads it.
                    None => continue,
                },
                Value::Ref(r) => {
                    let names = r.entries().iter().map(|e| engine.atoms().info(e.0).name.clone());
                    names.map(LeafValue::Object).collect()
                }
            };
            values.insert(key.clone(), domain);
        }
        Ok(Domains { values, engine })
    }

    /// Whether an input satisfies the constraints; what is not chosen has its default.
    fn admit(&self, chosen: &Assignment) -> bool {
        let mut set = vec![false; self.engine.circuit.len()];
        for (key, value) in self.engine.inputs().leaves() {
            let first = self.values.get(key).map_or(&ZERO, |v| &v[0]);
            match (value, chosen.get(key).unwrap_or(first)) {
                (Value::Bits(bits), LeafValue::Bits(number)) => {
                    for (i, lit) in bits.iter().enumerate() {
                        set[lit.node() as usize] = number >> i & 1 == 1;
                    }
                }
                (Value::Ref(r), LeafValue::Object(name)) => {
                    for (atom, lit) in r.entries() {
                        set[lit.node() as usize] = self.engine.atoms().info(*atom).name == *name;
                    }
                }
                _ => return false,
            }
        }
        let model = self.engine.circuit.evaluate(|node| set[node as usize]);
        super::inputs::is_possible(&self.engine, &model)
    }
}

/// A length is at most what the scope says.
fn within(scope: &Scope, key: &LeafKey, mut numbers: Vec<LeafValue>) -> Vec<LeafValue> {
    let most = match key {
        LeafKey::Length(_) => u64::from(scope.array_length),
        LeafKey::TextLength(_) => u64::from(scope.string_length),
        _ => u64::MAX,
    };
    numbers.retain(|n| !matches!(n, LeafValue::Bits(n) if *n > most));
    numbers
}

/// All values of a number whose high bits may repeat the sign; 0 first.
fn numbers(bits: &Bits) -> Option<Vec<LeafValue>> {
    let mut free: Vec<_> = bits.iter().filter(|l| !l.is_constant()).collect();
    free.dedup();
    let count = 1usize.checked_shl(free.len() as u32).filter(|c| *c <= MOST_VALUES)?;
    let value = |choice: usize| {
        let is_set =
            |lit| free.iter().position(|f| *f == lit).is_some_and(|at| choice >> at & 1 == 1);
        let set = bits.iter().enumerate().filter(|(_, l)| is_set(*l));
        LeafValue::Bits(set.map(|(i, _)| 1u64 << i).sum())
    };
    Some((0..count).map(value).collect())
}
