//! One formula: encode its method once, choose inputs at random and by the solver, and ask all
//! three whether the clause holds.

use std::time::{Duration, Instant};

use encode::atom::{Atom, Name};
use encode::decode::{self, Symbolic};
use encode::inputs::{LeafKey, Source};
use encode::value::Value;
use encode::{Engine, Goal, Limits, NoOracle, Property, Scope};
use ir::{MethodId, Program};
use jarosite::project::Project;
use logic::{Evaluation, Lit};
use rustc_hash::{FxHashMap, FxHashSet};
use sat::Answer;
use verify::solving::Solving;

use super::world::World;
use super::{Case, Failure, Tally};
use crate::generate::random::Random;

/// Conflicts that one question to the solver may cost.
const CONFLICTS: Option<u64> = Some(2_000);
/// Of so many formulas one goes to the solver as well.
const SOLVED: u64 = 3;

fn scope() -> Scope {
    let per_class = [("Root", 1), ("Leaf", 1), ("Node[]", 1), ("Leaf[]", 0), ("int[]", 1)];
    Scope {
        objects: 2,
        per_class: per_class.into_iter().map(|(c, n)| (c.to_string(), n)).collect(),
        array_length: 3,
        nullable_parameters: true,
        ..Scope::default()
    }
}

fn limits() -> Limits {
    Limits {
        iterations: 5,
        gates: 1_500_000,
        deadline: Some(Instant::now() + Duration::from_secs(3)),
        // Every input counts, however its objects are numbered.
        symmetry: false,
        ..Limits::default()
    }
}

fn find(program: &Program, (class, method): &(String, String)) -> Option<MethodId> {
    let class = program.class(program.class_id(class)).ok()?;
    class.methods.iter().copied().find(|m| *program.method(*m).name == **method)
}

/// Compares on random inputs, and on some that the solver finds.
pub(super) fn compare(
    project: &Project,
    name: (String, String),
    case: &Case,
    count: usize,
) -> Tally {
    let mut tally = Tally { formulas: 1, ..Tally::default() };
    let failed = |what: String| Failure { case: case.clone(), what };
    let Some(method) = find(&project.program, &name) else {
        tally.failures.push(failed("the method is missing".into()));
        return tally;
    };
    let gap = project.contracts.methods.get(&method).and_then(|c| c.gaps.first());
    if let Some(gap) = gap {
        // The generator does not keep track of classes as closely as the resolver.
        if gap.reason.contains("always empty") || gap.reason.contains("has no field") {
            tally.skipped.insert("a join that is always empty".into(), count);
            return tally;
        }
        tally.failures.push(failed(format!("not resolved: {}", gap.reason)));
        return tally;
    }
    let scope = scope();
    let mut random = Random::new(case.seed ^ 0x5eed);
    let subject = project.subject();
    let mut engine = Engine::new(subject, &scope, Source::Symbolic, Box::new(NoOracle));
    let symbolic = Symbolic::run(&mut engine, method, &limits());
    if let Some(exhausted) = symbolic.report.exhausted {
        tally.skipped.insert(format!("the encoding is too large: {exhausted:?}"), count);
        return tally;
    }
    let broken = symbolic.report.goals.iter().find(|(g, _)| is_broken(g)).map(|g| g.1);
    let broken = broken.unwrap_or(Lit::FALSE);
    let mut models = Vec::new();
    if case.seed.is_multiple_of(SOLVED) {
        let mut solving = Solving::new(Some(Instant::now() + Duration::from_secs(1)));
        for wanted in [broken, !broken] {
            let answer = solving.solve(&engine.circuit, engine.constraints(), &[wanted], CONFLICTS);
            if answer == Answer::Sat {
                models.push(solving.model(&engine.circuit));
            }
        }
    }
    tally.solved = models.len();
    for _ in 0..count {
        let drawn = draw(&engine, &mut random);
        if !engine.constraints().iter().all(|c| drawn.value(c.lit)) {
            *tally.skipped.entry("the input is impossible".into()).or_default() += 1;
            continue;
        }
        models.push(drawn);
    }
    for model in models {
        if let Some(why) = stop(&symbolic.report.goals, &model) {
            *tally.skipped.entry(why).or_default() += 1;
            continue;
        }
        let input = decode::assignment(&engine, &model);
        let world = World::new(&project.program, &input, case.body);
        let plain = case.condition.holds(&world);
        let by_formula = !model.value(broken);
        let executed = decode::execute(subject, &scope, method, input, &limits());
        let Some(executed) = executed else {
            let what = format!("the run on constants does not end\n{}", world.words());
            tally.failures.push(failed(what));
            continue;
        };
        let by_run = !executed.reached.iter().any(is_broken);
        tally.inputs += 1;
        tally.holding += usize::from(plain);
        if (by_formula, by_run) == (plain, plain) {
            tally.comparisons += 2;
            continue;
        }
        let what = format!(
            "plain evaluation: {plain}, formula: {by_formula}, run on constants: {by_run} {:?}\n{}",
            executed.failures.values().collect::<Vec<_>>(),
            world.words()
        );
        tally.failures.push(failed(what));
        return tally;
    }
    tally.mixed = usize::from(0 < tally.holding && tally.holding < tally.inputs);
    tally
}

fn is_broken(goal: &Goal) -> bool {
    matches!(goal, Goal::Broken { property: Property::Ensures, .. })
}

fn stop(goals: &[(Goal, Lit)], model: &Evaluation) -> Option<String> {
    goals.iter().find_map(|(goal, lit)| match goal {
        Goal::Unsupported { what, .. } if model.value(*lit) => Some(format!("unsupported: {what}")),
        Goal::Cut { what, .. } if model.value(*lit) => Some(format!("cut: {what}")),
        Goal::Unspecified { what } if model.value(*lit) => Some(format!("unspecified: {what}")),
        Goal::Unsupported { .. }
        | Goal::Cut { .. }
        | Goal::Violation { .. }
        | Goal::Broken { .. }
        | Goal::Unspecified { .. } => None,
    })
}

/// A random input. Numbers are mostly small; what something refers to exists, and some more.
fn draw(engine: &Engine<'_>, random: &mut Random) -> Evaluation {
    let mut chosen = vec![false; engine.circuit.len()];
    let mut set = |lit: Lit, value: bool| {
        if !lit.is_constant() {
            chosen[lit.node() as usize] = value ^ lit.is_negated();
        }
    };
    let nulls = *random.pick(&[2, 4, 12]);
    let mut edges: FxHashMap<Name, Vec<Name>> = FxHashMap::default();
    let mut live: FxHashSet<Name> = FxHashSet::default();
    let mut work: Vec<Name> = Vec::new();
    for (key, value) in engine.inputs().leaves() {
        match (key, value) {
            (LeafKey::Live(name), _) => {
                if random.one_in(3) {
                    work.push(name.clone());
                }
            }
            (_, Value::Bits(bits)) => {
                let number = match key {
                    LeafKey::Length(_) => random.below(engine.scope.array_length as usize + 1),
                    _ if random.one_in(4) => random.interesting() as usize,
                    _ => random.below(5).wrapping_sub(1),
                };
                for (i, lit) in bits.iter().enumerate().collect::<Vec<_>>().into_iter().rev() {
                    set(lit, number >> i & 1 == 1);
                }
            }
            (_, Value::Ref(r)) => {
                let entries = r.entries();
                let mut at = random.below(entries.len());
                if entries[at].0 == Atom::NULL && entries.len() > 1 && !random.one_in(nulls) {
                    at = entries.len() - 1 - random.below(entries.len() - 1);
                }
                for (i, (_, lit)) in entries.iter().enumerate() {
                    set(*lit, i == at);
                }
                let to = engine.atoms().info(entries[at].0).name.clone();
                match key {
                    LeafKey::Field(from, _) | LeafKey::Element(from, _) => {
                        edges.entry(from.clone()).or_default().push(to);
                    }
                    _ => work.push(to),
                }
            }
        }
    }
    while let Some(name) = work.pop() {
        if live.insert(name.clone()) {
            work.extend(edges.get(&name).into_iter().flatten().cloned());
        }
    }
    for (key, value) in engine.inputs().leaves() {
        if let (LeafKey::Live(name), Value::Bits(bits)) = (key, value) {
            set(bits.bit(0), live.contains(name));
        }
    }
    engine.circuit.evaluate(|node| chosen[node as usize])
}
