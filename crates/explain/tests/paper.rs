//! The examples of the paper, with the results that its text and its theorems demand.

use explain::explanation::{Explanation, Outcome, explain};
use explain::print;
use explain::program::{Home, Op, Origin, Path, Point, ProcId, Space, Variable};
use explain::simulate::{Abstracted, Context};
use explain::term::{Binary, TermId, Terms};
use explain::words::Words;

/// A path in the making.
struct Made {
    terms: Terms,
    space: Space,
    path: Path,
}

impl Made {
    fn new() -> Made {
        Made { terms: Terms::new(), space: Space::default(), path: Path::new(ProcId(0)) }
    }

    fn variable(&mut self, name: &str, owner: Option<u32>, width: u32) -> TermId {
        let variable = self.space.add(Variable {
            name: name.to_owned(),
            owner: owner.map(ProcId),
            width,
            unsigned: false,
            home: Home::Register,
            made_up: false,
        });
        self.terms.variable(variable, width)
    }

    fn push(&mut self, op: Op) {
        self.path.push(op, Origin::default(), Point(0));
    }

    fn number(&mut self, value: i64) -> TermId {
        self.terms.number(32, value as u64)
    }

    fn set(&mut self, place: TermId, value: TermId) {
        self.push(Op::Assign { place, value });
    }

    fn assume(&mut self, operation: Binary, left: TermId, right: TermId, holds: bool) {
        let condition = self.terms.binary(operation, left, right);
        let condition = if holds { condition } else { self.terms.not(condition) };
        self.push(Op::Assume(condition));
    }

    fn explanation(&mut self) -> Option<Explanation> {
        let mut words = Words::new();
        match explain(&mut self.terms, &mut words, &self.space, &self.path) {
            Outcome::Infeasible(explanation) => Some(*explanation),
            Outcome::Feasible(..) => None,
            Outcome::Undecided(_, why) => panic!("undecided: {why}"),
        }
    }

    fn predicates(&self, explanation: &Explanation) -> Vec<String> {
        let texts = explanation.predicates.iter().map(|predicate| {
            let text = print::term(&self.terms, &explanation.space, predicate.term);
            match predicate.owner {
                Some(ProcId(procedure)) => format!("{procedure}: {text}"),
                None => text,
            }
        });
        let mut texts: Vec<String> = texts.collect();
        texts.sort();
        texts
    }
}

/// Figure 1: `p1`, or without its two assignments to `a`, `p2`.
fn figure_1(exact: bool, assigns: bool) -> Made {
    let mut made = Made::new();
    let [a, b, c] = ["a", "b", "c"].map(|name| made.variable(name, Some(0), 32));
    let (add, mul) =
        if exact { (Binary::AddExact, Binary::MulExact) } else { (Binary::Add, Binary::Mul) };
    let zero = made.number(0);
    made.assume(Binary::LessSigned, zero, b, true);
    let two = made.number(2);
    let double = made.terms.binary(mul, two, b);
    made.set(c, double);
    if assigns {
        made.set(a, b);
        let minus = made.number(-1);
        let less = made.terms.binary(add, a, minus);
        made.set(a, less);
    }
    made.assume(Binary::LessSigned, a, b, true);
    made.assume(Binary::Equal, a, c, true);
    made
}

#[test]
fn figure_1_without_overflow_needs_no_value_of_a() {
    let mut made = figure_1(true, true);
    let explanation = made.explanation().expect("p1 is infeasible");
    assert_eq!(made.predicates(&explanation), ["0: a < b", "0: b > 0", "0: c == 2 * b"]);
    let steps: Vec<usize> = explanation.projection.steps.iter().copied().collect();
    assert_eq!(steps, [0, 1, 4, 5], "the projection is p2");
    assert!(!explanation.projection.whole);
    assert_eq!(explanation.abstracted.len(), 1, "the value of a before the first comparison");
    let p2 = figure_1(true, false).explanation().expect("p2 is infeasible");
    assert_eq!(p2.predicates.len(), 3);
}

#[test]
fn figure_1_with_wrapping_needs_the_value_of_a() {
    let mut made = figure_1(false, true);
    let explanation = made.explanation().expect("p1 is infeasible even so");
    let expected = ["0: a == b", "0: a == b - 1", "0: b > 0", "0: c == 2 * b"];
    assert_eq!(made.predicates(&explanation), expected);
    assert!(figure_1(false, false).explanation().is_none(), "b = 2^30 goes along p2");
}

/// A condition that holds anyway must not be read on a fresh name where that would let the path
/// be taken.
#[test]
fn weakening_backs_off() {
    let mut made = Made::new();
    let [a, b] = ["a", "b"].map(|name| made.variable(name, Some(0), 32));
    let (zero, minus, two) = (made.number(0), made.number(-1), made.number(-2));
    made.assume(Binary::LessSigned, zero, b, true);
    let less = made.terms.binary(Binary::AddExact, b, minus);
    made.set(a, less);
    made.assume(Binary::LessSigned, a, b, true);
    let other = made.terms.binary(Binary::AddExact, b, two);
    made.assume(Binary::Equal, a, other, true);
    let explanation = made.explanation().expect("b - 1 is not b - 2");
    assert_eq!(made.predicates(&explanation), ["0: a == b - 1"]);
    assert!(explanation.abstracted.is_empty());
}

#[test]
fn figure_5a_shares_predicates_between_calls() {
    let mut made = Made::new();
    let [a, b, c] = ["a", "b", "c"].map(|name| made.variable(name, Some(0), 32));
    let x = made.variable("x", Some(1), 32);
    let one = made.number(1);
    let next = made.terms.binary(Binary::AddExact, x, one);
    for (actual, result) in [(a, b), (b, c)] {
        made.push(Op::Call {
            procedure: ProcId(1),
            formals: vec![x],
            actuals: vec![actual],
            result: Some(result),
        });
        made.set(x, next);
        made.push(Op::Return { value: Some(x) });
    }
    let two = made.number(2);
    let sum = made.terms.binary(Binary::AddExact, a, two);
    made.assume(Binary::Equal, c, sum, false);
    let explanation = made.explanation().expect("c is a + 2");
    let expected = ["0: b == a + 1", "0: c == a + 2", "1: x == θ_x", "1: x == θ_x + 1"];
    assert_eq!(made.predicates(&explanation), expected);
    assert_eq!(explanation.annotations.len(), 2, "one name for each call");
    assert_eq!(explanation.mappings.len(), 2);
}

#[test]
fn figure_5b_looks_at_both_cases_of_the_alias() {
    let mut made = Made::new();
    let [p, q] = ["p", "q"].map(|name| made.variable(name, None, 64));
    let (at_p, at_q) = (made.terms.load(p, 32), made.terms.load(q, 32));
    let (two, three) = (made.number(2), made.number(3));
    made.assume(Binary::Equal, at_p, three, true);
    made.set(at_q, two);
    made.assume(Binary::Equal, at_p, two, true);
    made.set(at_p, three);
    made.assume(Binary::Equal, at_q, two, true);
    let explanation = made.explanation().expect("aliased or not");
    let predicates = made.predicates(&explanation);
    assert_eq!(predicates, ["*p == (p == q ? 2 : 3)", "*p == 3", "p == q"]);
}

/// The store, the conditions and the history in words.
fn state(made: &Made, context: &Context<'_>) -> [Vec<String>; 3] {
    let say = |term| print::term(&made.terms, &made.space, term);
    let (mut store, mut history) = (Vec::new(), Vec::new());
    for entry in &context.store.entries {
        let text = format!("{}: {}", say(entry.place), say(entry.value));
        if entry.until.is_none() { &mut store } else { &mut history }.push(text);
    }
    let conditions =
        context.conditions.iter().filter(|c| c.kind == explain::simulate::Kind::Assumed);
    [store, conditions.map(|c| say(c.term)).collect(), history]
}

#[test]
fn figure_4_has_these_states() {
    let mut made = figure_1(true, true);
    let (space, path) = (made.space.clone(), made.path.clone());
    let mut words = Words::new();
    let a = made.terms.variable(explain::term::VarId(0), 32);
    let weaker = Abstracted::from([(4, a)]);
    let mut context = Context::new(&space);
    let mut states = Vec::new();
    for index in 0..path.steps.len() {
        context.step(&mut made.terms, &mut words, &path, index, &weaker);
        states.push(state(&made, &context));
    }
    // θ0 is the paper's θ_b, the next one its θ_a.
    let [store, conditions, history] = &states[3];
    assert_eq!(store, &["b: θ0", "c: 2 * θ0", "a: θ0 - 1"], "after a := a - 1");
    assert_eq!(conditions, &["θ0 > 0"]);
    assert_eq!(history, &["a: θ0"]);
    let [store, conditions, history] = &states[5];
    assert_eq!(store, &["b: θ0", "c: 2 * θ0", "a: θ1"], "after the entire path");
    assert_eq!(conditions, &["θ0 > 0", "θ1 < θ0", "θ1 == 2 * θ0"]);
    // The paper forgets the value that a had before it got a name; here it stays as history.
    assert_eq!(history, &["a: θ0", "a: θ0 - 1"]);
}
