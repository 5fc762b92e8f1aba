//! The engine on programs written by hand as `ir` text, without javac and without a JVM: a mistake in joins, facts,
//! candidates, effects or parts of the graph shows here in a second, beside its cause.

mod text;

use std::collections::BTreeSet;

use encode::decode::{self, Assignment};
use encode::effects::Analysis;
use encode::graph::{Measure, Wanted};
use encode::inputs::{LeafKey, LeafValue, Source};
use encode::value::Value;
use encode::{Engine, Goal, Limits, NoOracle, Report, Scope, Subject};
use ir::text::Text;
use ir::{ClassId, Code, MethodId, Program};
use logic::Lit;
use sat::{Answer, Session};

struct World {
    program: Program,
    given: Vec<ClassId>,
    scope: Scope,
}

impl World {
    fn new(text: &str) -> World {
        let (program, given) = text::program(text);
        World { program, given, scope: Scope { objects: 2, ..Scope::default() } }
    }

    fn method(&self, name: &str) -> MethodId {
        text::method(&self.program, &self.given, name)
    }

    fn subject(&self) -> Subject<'_> {
        Subject::unspecified(&self.program, &self.given)
    }

    fn engine(&self, source: Source) -> Engine<'_> {
        Engine::new(self.subject(), &self.scope, source, Box::new(NoOracle))
    }

    /// The properties that some input violates, each with the input.
    fn violations(&self, name: &str) -> BTreeSet<(String, u32)> {
        let mut engine = self.engine(Source::Symbolic);
        let report = engine.run(self.method(name), &Limits::default());
        let reached = report.goals.iter().filter(|(_, lit)| is_reached(&engine, *lit));
        reached.filter_map(|(goal, _)| violated(goal)).collect()
    }

    /// What happens on one input, by a run on constants.
    fn violations_of(&self, name: &str, input: &Assignment) -> BTreeSet<(String, u32)> {
        let mut engine = self.engine(Source::Fixed(input.clone()));
        let Report { goals, .. } = engine.run(self.method(name), &Limits::default());
        let reached = goals.iter().filter(|(_, lit)| *lit == Lit::TRUE);
        reached.filter_map(|(goal, _)| violated(goal)).collect()
    }
}

fn violated(goal: &Goal) -> Option<(String, u32)> {
    match goal {
        Goal::Violation { property, at, .. } => Some((property.name().to_string(), at.line)),
        Goal::Broken { .. } | Goal::Unspecified { .. } | Goal::Cut { .. } => None,
        Goal::Unsupported { what, .. } => panic!("{what}"),
    }
}

fn is_reached(engine: &Engine<'_>, lit: Lit) -> bool {
    let mut session = Session::new();
    for constraint in engine.constraints() {
        session.assert(&engine.circuit, constraint.lit, 0);
    }
    session.solve(&engine.circuit, &[lit], &sat::Limits::default()) == Answer::Sat
}

fn numbers(values: &[i32]) -> Assignment {
    let leaf = |(n, value): (usize, &i32)| {
        (LeafKey::Parameter(n as u32), LeafValue::Bits(u64::from(*value as u32)))
    };
    values.iter().enumerate().map(leaf).collect()
}

const NODES: &str = "class p.Node
    field next: p.Node
    field value: int
    static p.Node.untested(p.Node): int
    (r0: ref)
    b0:
      r1 = get_field r0, p.Node.value
      return r1
    static p.Node.tested(p.Node): int
    (r0: ref)
    b0:
      r1 = 0
      if r0 null then b2 else b1
    b1:
      r1 = get_field r0, p.Node.value
      goto b2
    b2:
      return r1
    static p.Node.second(p.Node): int
    (r0: ref)
    b0:
      r1 = 0
      if r0 null then b2 else b1
    b1:
      r2 = get_field r0, p.Node.next
      r1 = get_field r2, p.Node.value
      goto b2
    b2:
      return r1
    static p.Node.alias(p.Node, p.Node): int
    (r0: ref, r1: ref)
    b0:
      r2 = 0
      if r0 null then b4 else b1
    b1:
      if r1 null then b4 else b2
    b2:
      r3 = 1
      put_field r0, p.Node.value, r2
      put_field r1, p.Node.value, r3
      r4 = get_field r0, p.Node.value
      if r4 == 0 then b4 else b3
    b3:
      r5 = div_int r3, r2
      return r5
    b4:
      return r2
";

#[test]
fn texts_are_read_as_they_are_written() {
    let world = World::new(NODES);
    for name in ["untested", "tested", "second", "alias"] {
        let Code::Body(body) = world.program.code(world.method(name)) else { panic!("a body") };
        let written = Text { program: &world.program, body }.to_string();
        let lines = written.lines().map(|line| line.split(';').next().unwrap_or_default().trim());
        for line in lines {
            assert!(NODES.contains(line), "{name}: {line}");
        }
    }
}

#[test]
fn facts_decide_what_was_tested() {
    let world = World::new(NODES);
    assert_eq!(names(&world.violations("untested")), ["null-dereference"]);
    assert_eq!(names(&world.violations("tested")), [""; 0]);
    assert_eq!(names(&world.violations("second")), ["null-dereference"]);
}

/// Only where two references are one object is what was written first overwritten.
#[test]
fn references_are_whatever_they_may_be() {
    let world = World::new(NODES);
    assert_eq!(names(&world.violations("alias")), ["division-by-zero"]);
    let mut engine = world.engine(Source::Symbolic);
    let report = engine.run(world.method("alias"), &Limits::default());
    let [(goal, lit)] = &report.goals[..] else { panic!("{:?}", report.goals) };
    let mut session = Session::new();
    for constraint in engine.constraints() {
        session.assert(&engine.circuit, constraint.lit, 0);
    }
    let answer = session.solve(&engine.circuit, &[*lit], &sat::Limits::default());
    assert_eq!(answer, Answer::Sat);
    let model = session.model_evaluation(&engine.circuit);
    let input = decode::assignment(&engine, &model);
    assert_eq!(input[&LeafKey::Parameter(0)], input[&LeafKey::Parameter(1)]);
    let method = world.method("alias");
    let done = decode::execute(world.subject(), &world.scope, method, input, &Limits::default());
    assert!(done.expect("it ends").reached.contains(goal));
}

fn names(violations: &BTreeSet<(String, u32)>) -> Vec<&str> {
    violations.iter().map(|(name, _)| name.as_str()).collect()
}

/// Numbers that look random, from a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// Diamonds one after the other: each tests something, calculates on one side or the other, and divides by what has come
/// of that. Many paths meet many times.
fn diamonds(random: &mut Random, count: u64) -> String {
    let mut text =
        String::from("class p.D\nstatic p.D.f(int, int): int\n(r0: int, r1: int)\nb0:\n");
    text.push_str("r2 = 1\nr3 = 3\ngoto b1\n");
    for number in 0..count {
        let (at, mut reg) = (1 + number * 4, || random.below(4));
        let signs = ["==", "!=", "<", ">=", ">", "<="];
        let (a, b, c, d, e, f, g, h) = (reg(), reg(), reg(), reg(), reg(), reg(), reg(), reg());
        let sign = signs[random.below(6) as usize];
        let ops = ["add_int", "sub_int", "mul_int", "xor_int"];
        let op = ops[random.below(4) as usize];
        let [then, other, joined, next] = [at + 1, at + 2, at + 3, at + 4];
        text.push_str(&format!(
            "b{at}:\nif r{a} {sign} r{b} then b{then} else b{other}\n\
             b{then}:\nr{c} = {op} r{d}, r{e}\ngoto b{joined}\n\
             b{other}:\nr{f} = r{g}\ngoto b{joined}\n\
             b{joined}:\nr4 = div_int r3, r{h}\ngoto b{next}\n"
        ));
    }
    text.push_str(&format!("b{}:\nreturn r2\n", 1 + count * 4));
    text
}

/// Every literal of a goal says the same as a run on the input alone, whatever paths have been joined before.
#[test]
fn joined_states_say_what_each_path_says() {
    let mut random = Random(21);
    let (mut reached, mut asked) = (0, 0);
    for _ in 0..40 {
        let count = 1 + random.below(5);
        let world = World::new(&diamonds(&mut random, count));
        let mut engine = world.engine(Source::Symbolic);
        let report = engine.run(world.method("f"), &Limits::default());
        for _ in 0..30 {
            let values = [0, 1].map(|_| random.below(7) as i32 - 3);
            let input = numbers(&values);
            let found = world.violations_of("f", &input);
            let model = engine.circuit.evaluate(|node| is_set(&engine, node, &values));
            let said: BTreeSet<_> = report
                .goals
                .iter()
                .filter(|(_, lit)| model.value(*lit))
                .filter_map(|(goal, _)| violated(goal))
                .collect();
            assert_eq!(said, found, "on {values:?}");
            asked += 1;
            reached += usize::from(!found.is_empty());
        }
    }
    assert!(reached > 100 && asked - reached > 100, "{reached} of {asked}");
}

/// The value of a node that is a bit of a parameter.
fn is_set(engine: &Engine<'_>, node: u32, values: &[i32]) -> bool {
    engine.inputs().leaves().any(|(key, value)| match (key, value) {
        (LeafKey::Parameter(n), Value::Bits(bits)) => {
            let mut places = bits.iter().enumerate();
            let place = places.find(|(_, lit)| lit.node() == node);
            place.is_some_and(|(bit, _)| values[*n as usize] >> bit & 1 == 1)
        }
        _ => false,
    })
}

/// Every violation of the whole is in a part, and parts have no others.
#[test]
fn parts_of_the_graph_have_what_the_whole_has() {
    let mut random = Random(5);
    let mut divided = 0;
    for _ in 0..15 {
        let world = World::new(&diamonds(&mut random, 4));
        let method = world.method("f");
        let mut whole = world.engine(Source::Symbolic);
        whole.run(method, &Limits::default());
        for measure in [Measure::Branches, Measure::Folded] {
            let parts = whole.divide(Wanted::So(3), measure);
            divided += usize::from(parts.len() > 1);
            let mut together = BTreeSet::new();
            for part in &parts {
                let mut engine = world.engine(Source::Symbolic);
                engine.restrict_to(part.clone());
                let report = engine.run(method, &Limits::default());
                let goals = report.goals.iter().filter(|(_, lit)| is_reached(&engine, *lit));
                together.extend(goals.filter_map(|(goal, _)| violated(goal)));
            }
            assert_eq!(together, world.violations("f"), "{measure:?}");
        }
    }
    assert!(divided > 10, "only {divided} are divided");
}

#[test]
fn effects_name_what_is_written_and_no_more() {
    let world = World::new(NODES);
    let mut analysis = Analysis::default();
    let mut changed = |name: &str| {
        let effects = analysis.of(world.subject(), world.method(name));
        assert!(!effects.changes.unknown, "{name}");
        let fields = effects.changes.fields.iter();
        let fields = fields.map(|(field, owners)| {
            let name = world.program.field(*field).name.to_string();
            (name, owners.arguments.iter().copied().collect::<Vec<_>>(), owners.any)
        });
        fields.collect::<Vec<_>>()
    };
    assert!(changed("untested").is_empty());
    assert!(changed("second").is_empty());
    assert_eq!(changed("alias"), [("value".to_string(), vec![0, 1], false)]);
}

/// The same text gives the same clauses.
#[test]
fn the_same_program_gives_the_same_circuit() {
    let mut random = Random(3);
    let text = diamonds(&mut random, 4);
    let size = || {
        let world = World::new(&text);
        let mut engine = world.engine(Source::Symbolic);
        let report = engine.run(world.method("f"), &Limits::default());
        (engine.circuit.len(), format!("{:?}", report.goals))
    };
    assert_eq!(size(), size());
}
