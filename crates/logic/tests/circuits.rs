//! Gates: simplification keeps the meaning, and the rules that are relied upon
//! fire.

mod common;

use common::Random;
use logic::{Circuit, Lit, Node};

const INPUTS: usize = 4;

/// Truth tables over all inputs, computed without the circuit.
type Truth = u16;

fn input_truth(index: usize) -> Truth {
    (0..1 << INPUTS).fold(0, |truth, row| truth | ((row >> index & 1) as Truth) << row)
}

/// Builds a random gate over literals of known meaning.
fn random_gate(circuit: &mut Circuit, random: &mut Random, known: &[(Lit, Truth)]) -> (Lit, Truth) {
    let mut pick = || {
        // Recent literals more often, so that gates nest.
        let (index, other) = (random.below(known.len()), random.below(known.len()));
        let (lit, truth) = known[index.max(other)];
        if random.below(2) == 0 { (lit, truth) } else { (!lit, !truth) }
    };
    let ((a, x), (b, y), (c, z)) = (pick(), pick(), pick());
    match random.below(8) {
        0 => (circuit.and(a, b), x & y),
        1 => (circuit.or(a, b), x | y),
        2 => (circuit.xor(a, b), x ^ y),
        3 => (circuit.iff(a, b), !(x ^ y)),
        4 => (circuit.implies(a, b), !x | y),
        5 => (circuit.ite(a, b, c), x & y | !x & z),
        6 => (circuit.and_all([a, b, c]), x & y & z),
        _ => (circuit.or_all([a, b, c]), x | y | z),
    }
}

#[test]
fn simplified_circuits_mean_what_was_asked() {
    for seed in 0..4000 {
        let mut random = Random::new(seed);
        let mut circuit = Circuit::new();
        let mut known: Vec<(Lit, Truth)> = vec![(Lit::TRUE, Truth::MAX)];
        known.extend((0..INPUTS).map(|index| (circuit.input(), input_truth(index))));
        for _ in 0..40 {
            let gate = random_gate(&mut circuit, &mut random, &known);
            known.push(gate);
        }
        for row in 0..1 << INPUTS {
            let evaluation = circuit.evaluate(|node| row >> (node - 1) & 1 == 1);
            for &(lit, truth) in &known {
                assert_eq!(
                    evaluation.value(lit),
                    truth >> row & 1 == 1,
                    "{lit} of seed {seed}, row {row}"
                );
            }
        }
        check_normal_form(&circuit);
    }
}

/// The invariants stated on `Node`.
fn check_normal_form(circuit: &Circuit) {
    for index in 0..circuit.len() as u32 {
        match circuit.node(index) {
            Node::True => assert_eq!(index, 0),
            Node::Input => {}
            Node::And(a, b) => assert!(a < b && b.node() < index && !a.is_constant()),
            Node::Xor(a, b) => {
                assert!(
                    a < b
                        && b.node() < index
                        && !a.is_constant()
                        && !a.is_negated()
                        && !b.is_negated()
                );
            }
            Node::Ite(c, t, e) => {
                assert!(
                    !c.is_negated()
                        && !t.is_negated()
                        && c.node().max(t.node()).max(e.node()) < index
                );
                assert!(![c, t, e].iter().any(|lit| lit.is_constant()) && t != e && t != !e);
            }
        }
    }
}

fn inputs<const N: usize>(circuit: &mut Circuit) -> [Lit; N] {
    std::array::from_fn(|_| circuit.input())
}

#[test]
fn absorption_and_contradiction() {
    let mut c = Circuit::new();
    let [a, b] = inputs(&mut c);
    let ab = c.and(a, b);
    let a_not_b = c.and(a, !b);
    assert_eq!(c.and(a, ab), ab);
    assert_eq!(c.and(a, !ab), a_not_b);
    assert_eq!(c.and(!a, ab), Lit::FALSE);
    assert_eq!(c.and(!a, !ab), !a);
    assert_eq!(c.and(ab, a_not_b), Lit::FALSE);
}

#[test]
fn a_join_restores_its_path_condition() {
    let mut c = Circuit::new();
    let [g, h, d] = inputs(&mut c);
    let nested = c.and(g, h);
    let conditions = [d, c.or(d, h), c.and(h, d), c.xor(d, h), c.ite(d, g, h), c.and(g, d), !d];
    for guard in [g, nested, !nested] {
        for condition in conditions {
            let (taken, skipped) = (c.and(guard, condition), c.and(guard, !condition));
            assert_eq!(c.or(taken, skipped), guard, "{guard} {condition}");
        }
    }
}

#[test]
fn a_join_of_many_branches_restores_its_path_condition() {
    let mut c = Circuit::new();
    let guard = c.input();
    let (mut rest, mut branches) = (guard, Vec::new());
    for _ in 0..9 {
        let case = c.input();
        branches.push(c.and(rest, case));
        rest = c.and(rest, !case);
    }
    branches.push(rest);
    assert_eq!(c.or_all(branches), guard);
}

#[test]
fn conditionals_reduce_to_simpler_gates() {
    let mut c = Circuit::new();
    let [x, t, e] = inputs(&mut c);
    let (and, or, xor) = (c.and(x, t), c.or(x, e), c.xor(x, e));
    assert_eq!(c.ite(x, t, Lit::FALSE), and);
    assert_eq!(c.ite(x, t, x), and);
    assert_eq!(c.ite(x, Lit::TRUE, e), or);
    assert_eq!(c.ite(x, x, e), or);
    assert_eq!(c.ite(x, !e, e), xor);
    let ite = c.ite(x, t, e);
    assert_eq!(c.ite(!x, e, t), ite);
    assert_eq!(c.ite(x, !t, !e), !ite);
    assert_eq!(c.ite(x, ite, e), ite);
    let not_and = c.and(!x, e);
    assert_eq!(c.or(and, not_and), ite);
}

#[test]
fn conjunctions_of_equal_sets_are_shared() {
    let mut c = Circuit::new();
    let lits: [Lit; 7] = inputs(&mut c);
    let mut reversed = lits.to_vec();
    reversed.reverse();
    reversed.push(lits[3]);
    assert_eq!(c.and_all(lits), c.and_all(reversed));
    assert_eq!(c.and_all([lits[0], lits[1], !lits[0]]), Lit::FALSE);
    assert_eq!(c.or_all([lits[0], lits[1], !lits[0]]), Lit::TRUE);
    assert_eq!((c.and_all([]), c.or_all([])), (Lit::TRUE, Lit::FALSE));
}

#[test]
fn the_cone_holds_what_the_roots_depend_on() {
    let mut c = Circuit::new();
    let [a, b, x, y] = inputs(&mut c);
    let (ab, xy) = (c.and(a, !b), c.xor(x, y));
    let both = c.or(ab, xy);
    assert_eq!(c.cone(&[!ab]), [a.node(), b.node(), ab.node()]);
    assert_eq!(c.cone(&[both]).len(), 7);
    assert!(c.cone(&[Lit::TRUE]).is_empty());
}

#[test]
fn literals_print_as_nodes() {
    let mut c = Circuit::new();
    let a = c.input();
    assert_eq!(format!("{a} {} {} {}", !a, Lit::TRUE, Lit::FALSE), "n1 !n1 true false");
}
