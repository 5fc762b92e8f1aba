//! Sessions against brute force: answers, models, cores, growth, polarity.

use logic::{Circuit, Lit};
use sat::{Answer, Limits, Session};

mod common;

use common::Random;

fn pick(random: &mut Random, pool: &[Lit]) -> Lit {
    let lit = pool[random.below(pool.len()).max(random.below(pool.len()))];
    if random.below(2) == 0 { lit } else { !lit }
}

fn grow(circuit: &mut Circuit, random: &mut Random, pool: &mut Vec<Lit>, gates: usize) {
    for _ in 0..gates {
        let (a, b, c) = (pick(random, pool), pick(random, pool), pick(random, pool));
        let gate = match random.below(7) {
            0 => circuit.and(a, b),
            1 => circuit.or(a, b),
            2 => circuit.xor(a, b),
            3 => circuit.ite(a, b, c),
            4 => circuit.and_all([a, b, c]),
            5 => circuit.or_all([a, b, c]),
            _ => {
                // The carry of an adder, which has clauses of its own.
                let half = circuit.xor(a, b);
                circuit.ite(half, c, a)
            }
        };
        pool.push(gate);
    }
}

/// Whether some assignment of the inputs, nodes 1 to `inputs`, makes all hold.
fn satisfiable(circuit: &Circuit, inputs: usize, lits: &[Lit]) -> bool {
    (0..1_u32 << inputs).any(|row| {
        let evaluation = circuit.evaluate(|node| row >> (node - 1) & 1 == 1);
        lits.iter().all(|&lit| evaluation.value(lit))
    })
}

/// Solves, and checks answer, model and core against brute force.
fn check(
    session: &mut Session,
    circuit: &Circuit,
    inputs: usize,
    asserted: &[Lit],
    assumed: &[Lit],
) {
    let answer = session.solve(circuit, assumed, &Limits::default());
    let all = [asserted, assumed].concat();
    if satisfiable(circuit, inputs, &all) {
        assert_eq!(answer, Answer::Sat, "{asserted:?} under {assumed:?}");
        let evaluation = session.model_evaluation(circuit);
        assert!(all.iter().all(|&lit| evaluation.value(lit)), "the model satisfies {all:?}");
    } else {
        assert_eq!(answer, Answer::Unsat, "{asserted:?} under {assumed:?}");
        let core = session.core();
        assert!(core.iter().all(|lit| assumed.contains(lit)), "a core is part of the assumptions");
        let mut fresh = Session::new();
        asserted.iter().chain(&core).for_each(|&lit| fresh.assert(circuit, lit, 0));
        assert_eq!(
            fresh.solve(circuit, &[], &Limits::default()),
            Answer::Unsat,
            "the core {core:?} refutes"
        );
    }
}

#[test]
fn random_growing_circuits_agree_with_brute_force() {
    for seed in 0..250 {
        let mut random = Random::new(seed);
        let mut circuit = Circuit::new();
        let inputs = 2 + random.below(7);
        let mut pool: Vec<Lit> = (0..inputs).map(|_| circuit.input()).collect();
        let (mut session, mut asserted) = (Session::new(), Vec::new());
        for _ in 0..5 {
            grow(&mut circuit, &mut random, &mut pool, 12);
            if random.below(2) == 0 {
                let lit = pick(&mut random, &pool);
                session.assert(&circuit, lit, seed as u32);
                asserted.push(lit);
            }
            for _ in 0..3 {
                let count = random.below(4);
                let assumed: Vec<Lit> = (0..count).map(|_| pick(&mut random, &pool)).collect();
                check(&mut session, &circuit, inputs, &asserted, &assumed);
            }
        }
        assert_eq!(session.assertions().len(), asserted.len());
    }
}

#[test]
fn a_gate_may_be_assumed_in_either_polarity_at_any_time() {
    for seed in 0..150 {
        let mut random = Random::new(seed);
        let mut circuit = Circuit::new();
        let mut pool: Vec<Lit> = (0..5).map(|_| circuit.input()).collect();
        grow(&mut circuit, &mut random, &mut pool, 25);
        let (gate, other) = (*pool.last().expect("a pool of gates"), pick(&mut random, &pool));
        let mut session = Session::new();
        for assumed in
            [vec![gate], vec![!gate], vec![gate, other], vec![!gate, other], vec![gate, !gate]]
        {
            check(&mut session, &circuit, 5, &[], &assumed);
        }
    }
}

#[test]
fn constant_assumptions_need_no_solver() {
    let mut circuit = Circuit::new();
    let a = circuit.input();
    let mut session = Session::new();
    assert_eq!(session.solve(&circuit, &[Lit::TRUE, a], &Limits::default()), Answer::Sat);
    assert_eq!(session.model(a), Some(true));
    assert_eq!(session.model(!a), Some(false));
    assert_eq!(session.solve(&circuit, &[a, Lit::FALSE], &Limits::default()), Answer::Unsat);
    assert_eq!(session.core(), [Lit::FALSE]);
    session.assert(&circuit, Lit::FALSE, 3);
    assert_eq!(session.solve(&circuit, &[], &Limits::default()), Answer::Unsat);
    assert!(session.core().is_empty());
    assert_eq!(session.assertions(), [(Lit::FALSE, 3)]);
}

#[test]
fn an_input_that_no_clause_mentions_has_no_value() {
    let mut circuit = Circuit::new();
    let (a, b) = (circuit.input(), circuit.input());
    let mut session = Session::new();
    session.assert(&circuit, !a, 0);
    assert_eq!(session.solve(&circuit, &[], &Limits::default()), Answer::Sat);
    assert_eq!((session.model(a), session.model(b)), (Some(false), None));
    assert!(!session.model_evaluation(&circuit).value(b));
}

#[test]
fn asserted_disjunctions_are_single_clauses() {
    let mut circuit = Circuit::new();
    let lits: Vec<Lit> = (0..20).map(|_| circuit.input()).collect();
    let some = circuit.or_all(lits.iter().copied());
    let all = circuit.and_all(lits.iter().copied());
    let mut session = Session::new();
    session.assert(&circuit, some, 0);
    let statistics = session.statistics();
    assert_eq!((statistics.variables, statistics.clauses), (20, 1));
    session.assert(&circuit, all, 0);
    let statistics = session.statistics();
    assert_eq!((statistics.variables, statistics.clauses), (20, 21));
}

#[test]
fn adders_are_proved_equivalent() {
    let mut circuit = Circuit::new();
    let mut word = || logic::Bits::from_lits((0..16).map(|_| circuit.input()).collect());
    let (a, b, c) = (word(), word(), word());
    let ab = circuit.add(&a, &b);
    let left = circuit.add(&ab, &c);
    let bc = circuit.add(&b, &c);
    let right = circuit.add(&a, &bc);
    let equal = circuit.bits_eq(&left, &right);
    let mut session = Session::new();
    assert_eq!(session.solve(&circuit, &[!equal], &Limits::default()), Answer::Unsat);
    assert_eq!(session.core(), [!equal]);
    assert_eq!(session.solve(&circuit, &[equal], &Limits::default()), Answer::Sat);
}
