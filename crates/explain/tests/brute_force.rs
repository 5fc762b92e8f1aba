//! Random paths over bytes against the plain execution of every input.
//!
//! Feasibility must agree with trying all values. An explanation must be sufficient in a check that
//! shares nothing with the crate's own: sets of concrete states instead of a solver. And its
//! projection must be infeasible and must not know more than the path.

use explain::explanation::{Explanation, Outcome, explain};
use explain::program::{Home, Op, Origin, Path, Point, ProcId, Space, Variable};
use explain::term::{Binary, Term, TermId, Terms, Unary, VarId, signed};
use explain::words::Words;
use std::collections::BTreeMap;

/// A small generator of numbers; the same seed, the same paths.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % sides
    }
}

type State = BTreeMap<VarId, u64>;

/// The value of a term in a state; `None` where it is undefined.
fn value(terms: &Terms, state: &State, id: TermId) -> Option<u64> {
    let of = |id| value(terms, state, id);
    let mask = |width: u32, value: u64| value & (u64::MAX >> (64 - width));
    Some(match terms.get(id) {
        Term::Number { value, .. } => value,
        Term::Variable { variable, .. } => *state.get(&variable)?,
        Term::Unary { operation: Unary::Not, of: inner } => mask(terms.width(inner), !of(inner)?),
        Term::Unary { operation: Unary::Defined, of: inner } => {
            of(inner)?;
            1
        }
        Term::Unary { operation: Unary::Undefined, of: inner } => u64::from(of(inner).is_none()),
        Term::Choose { condition, yes, no } => of(if of(condition)? == 1 { yes } else { no })?,
        Term::Binary { operation, left, right } => {
            let width = terms.width(left);
            let (a, b) = (of(left)?, of(right)?);
            let (x, y) = (signed(width, a), signed(width, b));
            let exact = |value: i64| {
                (signed(width, value as u64) == value).then_some(mask(width, value as u64))
            };
            match operation {
                Binary::Add => mask(width, a.wrapping_add(b)),
                Binary::Mul => mask(width, a.wrapping_mul(b)),
                Binary::AddExact => exact(x + y)?,
                Binary::MulExact => exact(x * y)?,
                Binary::And => a & b,
                Binary::Equal => u64::from(a == b),
                Binary::LessSigned => u64::from(x < y),
                other => panic!("{other:?} is not generated"),
            }
        }
        other => panic!("{other:?} is not generated"),
    })
}

/// The state after a step, if it goes on.
fn after(terms: &Terms, mut state: State, op: &Op) -> Option<State> {
    match op {
        Op::Assign { place, value: term } => {
            let Term::Variable { variable, .. } = terms.get(*place) else { return None };
            let new = value(terms, &state, *term)?;
            state.insert(variable, new);
            Some(state)
        }
        Op::Assume(condition) => (value(terms, &state, *condition)? == 1).then_some(state),
        _ => Some(state),
    }
}

const WIDTH: u32 = 5;

struct Case {
    terms: Terms,
    space: Space,
    path: Path,
}

fn random(dice: &mut Dice) -> Case {
    let (mut terms, mut space, mut path) = (Terms::new(), Space::default(), Path::new(ProcId(0)));
    let places: Vec<TermId> = ["a", "b", "c"]
        .into_iter()
        .map(|name| {
            let id = space.add(Variable {
                name: name.to_owned(),
                owner: Some(ProcId(0)),
                width: WIDTH,
                unsigned: false,
                home: Home::Register,
                made_up: false,
            });
            terms.variable(id, WIDTH)
        })
        .collect();
    let exact = dice.roll(2) == 0;
    let expression = |terms: &mut Terms, dice: &mut Dice| {
        let place = places[dice.roll(3) as usize];
        let number = terms.number(WIDTH, dice.roll(7).wrapping_sub(3));
        let (add, mul) =
            if exact { (Binary::AddExact, Binary::MulExact) } else { (Binary::Add, Binary::Mul) };
        match dice.roll(6) {
            0 => number,
            1 => place,
            2 => terms.binary(mul, place, number),
            3 => terms.binary(add, place, places[dice.roll(3) as usize]),
            4 => terms.binary(Binary::And, place, number),
            _ => terms.binary(add, place, number),
        }
    };
    for _ in 0..3 + dice.roll(7) {
        let op = if dice.roll(2) == 0 {
            let place = places[dice.roll(3) as usize];
            Op::Assign { place, value: expression(&mut terms, dice) }
        } else {
            let (left, right) = (expression(&mut terms, dice), expression(&mut terms, dice));
            let operation = if dice.roll(2) == 0 { Binary::Equal } else { Binary::LessSigned };
            let condition = terms.binary(operation, left, right);
            let condition = if dice.roll(3) == 0 { terms.not(condition) } else { condition };
            Op::Assume(condition)
        };
        path.push(op, Origin::default(), Point(0));
    }
    Case { terms, space, path }
}

fn all_states(variables: u32) -> Vec<State> {
    let count = 1u64 << (WIDTH * variables);
    let of = |number: u64, variable: u32| number >> (WIDTH * variable) & ((1 << WIDTH) - 1);
    (0..count).map(|n| (0..variables).map(|v| (VarId(v), of(n, v))).collect()).collect()
}

/// Where executions get stuck: the longest prefix that some input goes along.
fn longest(case: &Case, states: &[State]) -> usize {
    let mut states = states.to_vec();
    for (index, step) in case.path.steps.iter().enumerate() {
        states = states.into_iter().filter_map(|s| after(&case.terms, s, &step.op)).collect();
        if states.is_empty() {
            return index;
        }
    }
    case.path.steps.len()
}

/// The predicate abstraction on sets of states: after each step, all states in which the known
/// predicates hold. Explanations with names are left to the crate's own check.
fn refutes(case: &Case, explanation: &Explanation, states: &[State]) -> bool {
    let predicates = &explanation.predicates;
    let holds = |state: &State, term| value(&case.terms, state, term) == Some(1);
    let mut known: Vec<usize> = Vec::new();
    for step in &case.path.steps[..=explanation.last] {
        let before = states
            .iter()
            .filter(|state| known.iter().all(|&index| holds(state, predicates[index].term)));
        let next: Vec<State> =
            before.filter_map(|state| after(&case.terms, state.clone(), &step.op)).collect();
        if next.is_empty() {
            return true;
        }
        let always = |index: &usize| next.iter().all(|s| holds(s, predicates[*index].term));
        known = (0..predicates.len()).filter(always).collect();
    }
    false
}

#[test]
fn random_paths_agree_with_brute_force() {
    let states = all_states(3);
    let (mut dice, mut explained) = (Dice(20020122), 0);
    for round in 0..150 {
        let mut case = random(&mut dice);
        let mut words = Words::new();
        let longest = longest(&case, &states);
        let outcome = explain(&mut case.terms, &mut words, &case.space, &case.path);
        match outcome {
            Outcome::Feasible(..) => assert_eq!(longest, case.path.steps.len(), "round {round}"),
            Outcome::Infeasible(explanation) => {
                // Of several contradictions one behind the first may be explained.
                assert!(longest <= explanation.last, "round {round}");
                let named = !explanation.annotations.is_empty();
                assert!(named || refutes(&case, &explanation, &states), "round {round}");
                projection_is_right(&case, &explanation, &states, round);
                explained += 1;
            }
            Outcome::Undecided(_, why) => panic!("round {round}: {why}"),
        }
    }
    assert!(explained > 40, "many paths are infeasible: {explained}");
}

/// Alone, the projection gets stuck at its last step too; and each state that the path can be in
/// before that step is one that the projection can be in.
fn projection_is_right(case: &Case, explanation: &Explanation, states: &[State], round: usize) {
    let kept = &explanation.projection.steps;
    let mut all: Vec<State> = states.to_vec();
    for &index in kept {
        let op = &case.path.steps[index].op;
        all = all.into_iter().filter_map(|state| after(&case.terms, state, op)).collect();
        if index < explanation.last {
            assert!(!all.is_empty(), "round {round}: the projection is stuck too early");
        }
    }
    assert!(all.is_empty(), "round {round}: the projection can be taken");
}
