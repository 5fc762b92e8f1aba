//! One method: encode it once, choose inputs, and predict in both modes what each does.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::{Duration, Instant};

use encode::decode::{self, Executed, Symbolic};
use encode::execution::{Datum, Execution, Outcome};
use encode::inputs::Source;
use encode::{Engine, Goal, Limits, NoOracle, Oracle, Report, Scope};
use ir::{ClassId, MethodId, Program};
use logic::{Evaluation, Lit};
use sat::Answer;
use verify::solving::{Pruning, Solving};

use super::inputs;
use crate::generate::random::Random;

/// Inputs of each method on which the clauses are solved as well.
const SOLVED: usize = 2;
/// Ends of each method for which the solver is asked for an input.
const DIRECTED: usize = 6;

/// Conflicts that one question to the solver may cost; an answer is welcome but not needed.
const CONFLICTS: Option<u64> = Some(1_000);
/// Longest time for the solver on one method.
const LONGEST: Duration = Duration::from_secs(3);

/// An execution that is yet to be judged.
pub struct Prediction {
    pub execution: Execution,
    pub is_symbolic: bool,
}

/// What the encoder says of one method.
#[derive(Default)]
pub struct Examined {
    pub predictions: Vec<Prediction>,
    pub skipped: BTreeMap<String, usize>,
    /// Where the encoder disagrees with itself.
    pub failures: Vec<String>,
}

impl Examined {
    fn skip(&mut self, why: &str, inputs: usize) {
        *self.skipped.entry(why.to_string()).or_default() += inputs;
    }
}

/// The scope of all comparisons.
pub fn scope() -> Scope {
    Scope {
        objects: 2,
        array_length: 3,
        string_length: 3,
        nullable_parameters: true,
        ..Scope::default()
    }
}

fn limits(time: Duration) -> Limits {
    Limits {
        iterations: 10,
        recursion: 8,
        instructions: 100_000,
        gates: 2_000_000,
        deadline: Some(Instant::now() + time),
        // Every input counts, however its objects are numbered.
        symmetry: false,
        ..Limits::default()
    }
}

struct Subject<'a> {
    program: &'a Program,
    given: &'a [ClassId],
    scope: &'a Scope,
    method: MethodId,
}

/// Predicts what a method does on random inputs.
pub fn examine(
    program: &Program,
    given: &[ClassId],
    method: MethodId,
    seed: u64,
    count: usize,
) -> Examined {
    let scope = scope();
    let subject = Subject { program, given, scope: &scope, method };
    let mut random = Random::new(seed ^ u64::from(method.0) << 32);
    let solving = Rc::new(RefCell::new(Solving::new(Some(Instant::now() + LONGEST))));
    // With and without pruning by the solver, which must not change anything.
    let oracle: Box<dyn Oracle> = match random.one_in(2) {
        true => Box::new(Pruning::new(solving.clone())),
        false => Box::new(NoOracle),
    };
    let mut engine =
        Engine::new(encode::Subject::unspecified(program, given), &scope, Source::Symbolic, oracle);
    let symbolic = Symbolic::run(&mut engine, method, &limits(Duration::from_secs(3)));
    let mut examined = Examined::default();
    if let Some(exhausted) = symbolic.report.exhausted {
        examined.skip(&format!("the encoding is too large: {exhausted:?}"), count);
        return examined;
    }
    let mut models = directed(&engine, &solving, &symbolic);
    models.truncate(count);
    let mut models = models.into_iter();
    for number in 0..count {
        let model = models.next().or_else(|| inputs::random_input(&engine, &mut random));
        let Some(mut model) = model else {
            examined.skip("no input satisfies the constraints", count - number);
            break;
        };
        // Decoding an earlier input may have made the circuit grow.
        engine.circuit.evaluate_more(&mut model, |_| false);
        if number < SOLVED
            && inputs::is_possible(&engine, &model)
            && let Err(why) = solve(&engine, &solving, &symbolic, &model)
        {
            examined.failures.push(why);
        }
        predict(&subject, &mut engine, &symbolic, &model, &mut examined);
    }
    examined
}

/// Inputs that the solver finds for the ends of the method: random ones all take the same few.
fn directed(
    engine: &Engine<'_>,
    solving: &Rc<RefCell<Solving>>,
    symbolic: &Symbolic,
) -> Vec<Evaluation> {
    let mut found = Vec::new();
    for end in symbolic.ends().into_iter().take(DIRECTED) {
        let mut solving = solving.borrow_mut();
        let answer = solving.solve(&engine.circuit, engine.constraints(), &[end], CONFLICTS);
        if answer == Answer::Sat {
            found.push(solving.model(&engine.circuit));
        }
    }
    found
}

/// What an input reaches that ends the search, if anything.
fn stop(report: &Report, model: &Evaluation) -> Option<String> {
    report.goals.iter().find_map(|(goal, lit)| match goal {
        Goal::Unsupported { what, .. } if model.value(*lit) => Some(format!("unsupported: {what}")),
        Goal::Cut { what, .. } if model.value(*lit) => Some(format!("cut: {what}")),
        Goal::Unsupported { .. }
        | Goal::Cut { .. }
        | Goal::Violation { .. }
        | Goal::Broken { .. }
        | Goal::Unspecified { .. } => None,
    })
}

/// What the formula and the run on constants say of one input.
fn predict(
    subject: &Subject<'_>,
    engine: &mut Engine<'_>,
    symbolic: &Symbolic,
    model: &Evaluation,
    examined: &mut Examined,
) {
    let ends = symbolic.ends().into_iter().filter(|l| model.value(*l)).count();
    let stopped = stop(&symbolic.report, model);
    let assignment = decode::assignment(engine, model);
    match (ends, stopped) {
        // A string that is joined late stops by the condition under which it was written.
        (0 | 1, Some(why)) => return examined.skip(&why, 1),
        (1, None) => {}
        (ends, why) => {
            let why = why.unwrap_or("nothing stops it".into());
            let text = format!("{ends} ends and {why}\n  input {assignment:?}");
            return examined.failures.push(text);
        }
    }
    let Subject { program, given, scope, method } = *subject;
    let limits =
        Limits { iterations: u32::MAX, recursion: u32::MAX, ..limits(Duration::from_secs(5)) };
    let from_formula = symbolic.execution(engine, model);
    let mut after = model.clone();
    engine.circuit.evaluate_more(&mut after, |_| false);
    if let Some(why) = stop(&engine.report(), &after) {
        return examined.skip(&why, 1);
    }
    let fixed = decode::execute(
        encode::Subject::unspecified(program, given),
        scope,
        method,
        assignment.clone(),
        &limits,
    );
    let (Some(from_formula), Some(Executed { execution: fixed, .. })) = (from_formula, fixed)
    else {
        let text = format!("the run on constants does not end\n  input {assignment:?}");
        return examined.failures.push(text);
    };
    if let Some(why) = &fixed.unrepeatable {
        return examined.skip(why, 1);
    }
    if !same_kind(&from_formula.outcome, &fixed.outcome) {
        examined.failures.push(format!(
            "the formula says {:?}, the run on constants {:?}\n  input {assignment:?}",
            from_formula.outcome, fixed.outcome
        ));
    }
    examined.predictions.push(Prediction { execution: from_formula, is_symbolic: true });
    examined.predictions.push(Prediction { execution: fixed, is_symbolic: false });
}

/// Whether two outcomes agree as far as can be told without their heaps.
fn same_kind(a: &Outcome, b: &Outcome) -> bool {
    match (a, b) {
        (Outcome::Returned(Some(Datum::Object(_))), Outcome::Returned(Some(Datum::Object(_)))) => {
            true
        }
        (Outcome::Returned(x), Outcome::Returned(y)) => x == y,
        (Outcome::Threw { class, at, .. }, Outcome::Threw { class: other, at: there, .. }) => {
            class == other && at == there
        }
        _ => false,
    }
}

/// Asks the solver whether the end that the model reaches, and no other, fits its input.
fn solve(
    engine: &Engine<'_>,
    solving: &Rc<RefCell<Solving>>,
    symbolic: &Symbolic,
    model: &Evaluation,
) -> Result<(), String> {
    let input = inputs::fixing(engine, model);
    let mut solving = solving.borrow_mut();
    let mut ask = |lit: Lit| {
        let assumptions: Vec<Lit> = input.iter().copied().chain([lit]).collect();
        solving.solve(&engine.circuit, engine.constraints(), &assumptions, CONFLICTS)
    };
    for end in symbolic.ends().into_iter().take(DIRECTED) {
        let (wanted, refused) = if model.value(end) { (end, !end) } else { (!end, end) };
        if ask(wanted) == Answer::Unsat {
            return Err("the clauses refuse what the circuit computes".into());
        }
        if ask(refused) == Answer::Sat {
            return Err("the clauses admit what the circuit does not compute".into());
        }
    }
    Ok(())
}
