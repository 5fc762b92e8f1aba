//! The computation graph of every fixture's methods keeps its promises: one entry, everything
//! reachable, no cycles, a condition for each edge; and its parts have every execution.

use std::path::Path;

use encode::decode::{self, Symbolic};
use encode::graph::{Measure, Part, Wanted};
use encode::inputs::{Origin, Source};
use encode::{Calls, Engine, Limits, NoOracle, Scope, Subject};
use ir::MethodId;
use logic::Lit;
use testkit::fixtures;
use testkit::generate::random::Random;
use testkit::oracle::inputs::random_input;
use verify::select;

const PARTS: usize = 6;
const INPUTS: usize = 6;

/// Does something with every method of the fixtures in a directory.
fn with_methods(directory: &str, work: impl FnMut(Subject<'_>, MethodId) + Send) {
    let mut work = work;
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(directory);
    let found = fixtures::find(&directory, "").expect("fixtures can be read");
    let (project, _directory) = fixtures::compile(&found).expect("a JDK is installed");
    let (program, given) = (&project.program, &project.given);
    let all = move || {
        for method in select::methods(program, given, &select::Filter::default()) {
            work(Subject::unspecified(program, given), method);
        }
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(1 << 28).spawn_scoped(scope, all);
        thread.expect("a thread can be started").join().expect("graphs are as promised");
    });
}

fn scope() -> Scope {
    Scope { objects: 2, ..Scope::default() }
}

fn limits(most: u32) -> Limits {
    let constant_instructions = 100_000;
    Limits { iterations: most, recursion: most, constant_instructions, ..Limits::default() }
}

#[test]
fn graphs_are_acyclic_and_connected() {
    let mut edges = 0;
    with_methods("control", |subject, method| {
        let scope = scope();
        let mut engine = Engine::new(subject, &scope, Source::Symbolic, Box::new(NoOracle));
        engine.run(method, &limits(3));
        let graph = engine.graph();
        let name = subject.program.method_name(method);
        assert_eq!(graph.shape().validate(), Ok(()), "{name}");
        assert_eq!(graph.shape().edges().len(), graph.guards().len(), "{name}");
        edges += graph.guards().len();
    });
    assert!(edges > 1000, "only {edges} edges");
}

/// What came of dividing methods and looking for executions in the parts.
#[derive(Default)]
struct Found {
    divided: usize,
    executions: usize,
    /// Executions that are in one part only.
    alone: usize,
    /// Calls and rests of loops that were one step.
    steps: usize,
}

/// An execution that returns is in one part; one that ends on the way is in all that have the way.
/// Here each execution is run with everything known, where the parts come from runs with
/// nothing known: the two must give the same names to what they meet.
fn look_for_executions(found: &mut Found, calls: Calls, subject: Subject<'_>, method: MethodId) {
    let scope = scope();
    let limits = |most| Limits { calls, ..limits(most) };
    let mut engine = Engine::new(subject, &scope, Source::Symbolic, Box::new(NoOracle));
    let mut symbolic = Symbolic::run(&mut engine, method, &limits(3));
    let edges = engine.graph().shape().edges().len();
    for call in 0..engine.deferred().len() {
        symbolic.expand(&mut engine, call);
    }
    let name = subject.program.method_name(method);
    assert_eq!(
        engine.graph().shape().edges().len(),
        edges,
        "{name}: code that is one step has edges"
    );
    found.steps += engine.deferred().len();
    for (wanted, measure) in [
        (Wanted::So(PARTS), Measure::Branches),
        (Wanted::So(PARTS), Measure::Folded),
        (Wanted::Smallest(PARTS), Measure::Folded),
    ] {
        let parts = engine.divide(wanted, measure);
        found.divided += usize::from(parts.len() > 1);
        look_in_parts(found, (subject, method), &engine, &parts, &limits(u32::MAX));
    }
}

/// Runs some inputs with everything known, and looks in which parts they are.
fn look_in_parts(
    found: &mut Found,
    (subject, method): (Subject<'_>, MethodId),
    engine: &Engine<'_>,
    parts: &[Part],
    limits: &Limits,
) {
    let name = subject.program.method_name(method);
    let scope = scope();
    let mut random = Random::new(7);
    for _ in 0..INPUTS {
        let Some(model) = random_input(engine, &mut random) else {
            continue;
        };
        let input = decode::assignment(engine, &model);
        let is_in = |part: &Part| {
            let source = Source::Fixed(input.clone());
            let mut fixed = Engine::new(subject, &scope, source, Box::new(NoOracle));
            fixed.restrict_to(part.clone());
            fixed.run(method, limits);
            let mut constraints = fixed.constraints().iter();
            !constraints.any(|c| c.origin == Origin::Case && c.lit == Lit::FALSE)
        };
        let having = parts.iter().filter(|part| is_in(part)).count();
        assert!(having > 0, "an execution of {name} is in no part");
        found.executions += 1;
        found.alone += usize::from(having == 1);
    }
}

#[test]
fn every_execution_is_in_a_part() {
    let mut found = Found::default();
    with_methods("control", |subject, method| {
        look_for_executions(&mut found, Calls::Inline, subject, method);
    });
    let Found { divided, executions, alone, .. } = found;
    println!("divided {divided} times, {executions} executions, {alone} in one part only");
    // Were a part lost, its executions would be in none.
    assert!(divided > 90 && alone * 2 > executions, "{divided} {executions} {alone}");
}

/// The same where calls and rests of loops are one step of the graph.
#[test]
fn every_execution_with_abstracted_calls_is_in_a_part() {
    let calls = Calls::Infer { small: 0, relevant_first: true };
    let mut found = Found::default();
    for directory in ["control", "infer"] {
        with_methods(directory, |subject, method| {
            look_for_executions(&mut found, calls, subject, method);
        });
    }
    let Found { divided, executions, alone, steps } = found;
    println!("{divided} divided, {executions} executions, {alone} in one part, {steps} steps");
    assert!(divided > 40 && steps > 50 && alone * 2 > executions, "{divided} {alone} {steps}");
}
