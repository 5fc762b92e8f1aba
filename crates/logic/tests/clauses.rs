//! Clauses: sizes by polarity, each gate once, the same again.

use logic::{Bits, Circuit, Cnf, Lit};

fn inputs<const N: usize>(circuit: &mut Circuit) -> [Lit; N] {
    std::array::from_fn(|_| circuit.input())
}

/// The clauses that one more requirement emits.
fn required(cnf: &mut Cnf, circuit: &Circuit, lit: Lit) -> Vec<Vec<i32>> {
    let mut clauses = Vec::new();
    cnf.require(circuit, lit, &mut |clause| clauses.push(clause.to_vec()));
    clauses
}

#[test]
fn each_polarity_is_emitted_once() {
    let mut circuit = Circuit::new();
    let [a, b, c] = inputs(&mut circuit);
    let gates = [circuit.and(a, b), circuit.xor(a, b), circuit.ite(a, b, c)];
    let mut cnf = Cnf::new();
    for (gate, (holds, fails)) in gates.into_iter().zip([(2, 1), (2, 2), (2, 2)]) {
        assert_eq!(required(&mut cnf, &circuit, gate).len(), holds, "{gate}");
        assert_eq!(required(&mut cnf, &circuit, !gate).len(), fails, "!{gate}");
        assert!(required(&mut cnf, &circuit, gate).is_empty());
        assert!(required(&mut cnf, &circuit, !gate).is_empty());
    }
    assert_eq!((cnf.variable_count(), cnf.clause_count()), (6, 11));
}

#[test]
fn inner_conjunctions_and_disjunctions_need_no_variable() {
    let mut circuit = Circuit::new();
    let lits: [Lit; 6] = inputs(&mut circuit);
    let pairs: Vec<Lit> = lits.chunks(2).map(|pair| circuit.or(pair[0], pair[1])).collect();
    let all = circuit.and_all(pairs);
    let mut cnf = Cnf::new();
    let clauses = required(&mut cnf, &circuit, all);
    assert_eq!((clauses.len(), cnf.variable_count()), (3, 7));
    assert!(clauses.iter().all(|clause| clause.len() == 3), "{clauses:?}");
}

#[test]
fn an_absorbed_gate_gains_a_variable_when_another_needs_it() {
    let mut circuit = Circuit::new();
    let [a, b, c, d] = inputs(&mut circuit);
    let inner = circuit.and(a, b);
    let outer = circuit.and(inner, c);
    let mut cnf = Cnf::new();
    assert_eq!(required(&mut cnf, &circuit, outer).len(), 3);
    assert_eq!(cnf.dimacs(inner), None);
    let later = circuit.xor(inner, d);
    assert_eq!(required(&mut cnf, &circuit, later).len(), 2 + 3);
    assert!(cnf.dimacs(inner).is_some());
}

#[test]
fn a_comparison_is_three_clauses_a_bit() {
    let mut circuit = Circuit::new();
    let mut word = || Bits::from_lits((0..32).map(|_| circuit.input()).collect());
    let (a, b) = (word(), word());
    let less = circuit.lt_signed(&a, &b);
    let mut cnf = Cnf::new();
    required(&mut cnf, &circuit, less);
    assert!(cnf.clause_count() <= 3 * 32, "{} clauses", cnf.clause_count());
    assert!(cnf.variable_count() <= 3 * 32, "the differences have no variables");
}

#[test]
fn falsity_is_the_empty_clause() {
    let circuit = Circuit::new();
    let (mut cnf, mut clauses) = (Cnf::new(), Vec::new());
    cnf.assert(&circuit, Lit::TRUE, &mut |clause| clauses.push(clause.to_vec()));
    assert!(clauses.is_empty());
    cnf.assert(&circuit, Lit::FALSE, &mut |clause| clauses.push(clause.to_vec()));
    assert_eq!(clauses, [[0; 0]]);
}

#[test]
fn the_same_calls_give_the_same_clauses() {
    let build = || {
        let mut circuit = Circuit::new();
        let mut word = || Bits::from_lits((0..16).map(|_| circuit.input()).collect());
        let (a, b) = (word(), word());
        let (quotient, product) = (circuit.div_signed(&a, &b), circuit.mul(&a, &b));
        let (mut cnf, mut clauses) = (Cnf::new(), Vec::new());
        let equal = circuit.bits_eq(&quotient, &product);
        cnf.assert(&circuit, equal, &mut |clause| clauses.push(clause.to_vec()));
        clauses
    };
    assert_eq!(build(), build());
}
