//! Word operations against Rust's wrapping operators.

mod common;

use common::{OPERATIONS, Random, assign, expected, word};
use logic::{Bits, Circuit, Lit};

#[test]
fn constants_fold_exhaustively_at_8_bits() {
    let mut circuit = Circuit::new();
    for operation in OPERATIONS {
        for pair in 0..=0xffff_u64 {
            let (a, b) = (pair & 0xff, pair >> 8);
            let result = (operation.1)(&mut circuit, &Bits::constant(8, a), &Bits::constant(8, b));
            let value = result
                .as_constant()
                .unwrap_or_else(|| panic!("{} {a} {b} did not fold", operation.0));
            if let Some(wanted) = expected(operation, 8, result.width(), a, b) {
                assert_eq!(value, wanted, "{} {a} {b}", operation.0);
            }
        }
    }
    assert_eq!(circuit.len(), 1, "constants create no gates");
}

#[test]
fn symbolic_words_evaluate_exhaustively_at_8_bits() {
    let mut circuit = Circuit::new();
    let (a, b) = (word(&mut circuit, 8), word(&mut circuit, 8));
    let results: Vec<Bits> =
        OPERATIONS.iter().map(|operation| (operation.1)(&mut circuit, &a, &b)).collect();
    for pair in 0..=0xffff_u64 {
        let (x, y) = (pair & 0xff, pair >> 8);
        let evaluation = circuit.evaluate(assign(8, [x, y]));
        for (operation, result) in OPERATIONS.iter().zip(&results) {
            if let Some(wanted) = expected(operation, 8, result.width(), x, y) {
                assert_eq!(evaluation.word(result), wanted, "{} {x} {y}", operation.0);
            }
        }
    }
}

#[test]
fn one_constant_operand_evaluates_exhaustively_at_8_bits() {
    for constant in 0..=0xff_u64 {
        let mut circuit = Circuit::new();
        let (a, k) = (word(&mut circuit, 8), Bits::constant(8, constant));
        let build = |circuit: &mut Circuit, left: &Bits, right: &Bits| -> Vec<Bits> {
            OPERATIONS.iter().map(|operation| (operation.1)(circuit, left, right)).collect()
        };
        let (right, left) = (build(&mut circuit, &a, &k), build(&mut circuit, &k, &a));
        for x in 0..=0xff_u64 {
            let evaluation = circuit.evaluate(assign(8, [x, 0]));
            for (index, operation) in OPERATIONS.iter().enumerate() {
                for (result, p, q) in [(&right[index], x, constant), (&left[index], constant, x)] {
                    if let Some(wanted) = expected(operation, 8, result.width(), p, q) {
                        assert_eq!(evaluation.word(result), wanted, "{} {p} {q}", operation.0);
                    }
                }
            }
        }
    }
}

#[test]
fn wide_words_agree_on_random_operands() {
    for width in [32, 64] {
        let mut random = Random::new(u64::from(width));
        let mut circuit = Circuit::new();
        let (a, b) = (word(&mut circuit, width), word(&mut circuit, width));
        let results: Vec<Bits> =
            OPERATIONS.iter().map(|operation| (operation.1)(&mut circuit, &a, &b)).collect();
        for _ in 0..150 {
            let (x, y) = (random.edgy(), random.edgy());
            let evaluation = circuit.evaluate(assign(width, [x, y]));
            let constants = [Bits::constant(width, x), Bits::constant(width, y)];
            for (operation, result) in OPERATIONS.iter().zip(&results) {
                let folded = (operation.1)(&mut Circuit::new(), &constants[0], &constants[1]);
                if let Some(wanted) = expected(operation, width, result.width(), x, y) {
                    assert_eq!(evaluation.word(result), wanted, "{} {x} {y}", operation.0);
                    assert_eq!(folded.as_constant(), Some(wanted), "{} {x} {y}", operation.0);
                }
            }
        }
    }
}

#[test]
fn wide_words_agree_with_one_constant_operand() {
    let mut random = Random::new(7);
    for round in 0..60 {
        let width = if round % 2 == 0 { 32 } else { 64 };
        let constant = random.edgy();
        let mut circuit = Circuit::new();
        let (a, k) = (word(&mut circuit, width), Bits::constant(width, constant));
        let results: Vec<Bits> =
            OPERATIONS.iter().map(|operation| (operation.1)(&mut circuit, &a, &k)).collect();
        for _ in 0..10 {
            let x = random.edgy();
            let evaluation = circuit.evaluate(assign(width, [x, 0]));
            for (operation, result) in OPERATIONS.iter().zip(&results) {
                if let Some(wanted) = expected(operation, width, result.width(), x, constant) {
                    assert_eq!(evaluation.word(result), wanted, "{} {x} {constant}", operation.0);
                }
            }
        }
    }
}

#[test]
fn extension_and_truncation_move_literals_only() {
    let mut circuit = Circuit::new();
    let a = word(&mut circuit, 8);
    let before = circuit.len();
    let signed = circuit.sign_extend(&a, 32);
    let unsigned = circuit.zero_extend(&a, 32);
    assert_eq!(circuit.truncate(&signed, 8), a);
    assert_eq!(circuit.truncate(&unsigned, 8), a);
    assert_eq!((signed.bit(31), unsigned.bit(31)), (a.sign(), Lit::FALSE));
    assert_eq!(circuit.len(), before);
    assert_eq!(circuit.sign_extend(&Bits::constant(8, 0x80), 32).as_signed(), Some(-128));
    assert_eq!(circuit.zero_extend(&Bits::constant(8, 0x80), 32).as_signed(), Some(128));
}

#[test]
fn a_word_of_constant_literals_is_the_constant() {
    let lits = vec![Lit::TRUE, Lit::FALSE, Lit::TRUE];
    assert_eq!(Bits::from_lits(lits), Bits::constant(3, 5));
    assert_eq!(Bits::constant(3, 5).as_signed(), Some(-3));
    assert_eq!(Bits::constant(64, u64::MAX).as_signed(), Some(-1));
}

#[test]
fn comparisons_with_constants_are_small() {
    let mut circuit = Circuit::new();
    let (a, zero) = (word(&mut circuit, 32), Bits::constant(32, 0));
    let before = circuit.len();
    assert_eq!(circuit.lt_signed(&a, &zero), a.sign());
    assert_eq!(circuit.le_signed(&zero, &a), !a.sign());
    assert_eq!(circuit.lt_signed(&Bits::constant(32, u64::MAX), &a), !a.sign());
    assert_eq!(circuit.lt_signed(&a, &a), Lit::FALSE);
    assert_eq!(circuit.lt_unsigned(&a, &zero), Lit::FALSE);
    assert_eq!(circuit.len(), before, "none of these needs a gate");
    circuit.bits_eq(&a, &Bits::constant(32, 42));
    assert!(circuit.len() <= before + 31, "equality with a constant is a conjunction");
}

#[test]
fn a_three_way_comparison_against_zero_is_the_plain_comparison() {
    let mut circuit = Circuit::new();
    let (a, b) = (word(&mut circuit, 64), word(&mut circuit, 64));
    let (less, equal, greater) =
        (circuit.lt_signed(&a, &b), circuit.bits_eq(&a, &b), circuit.lt_signed(&b, &a));
    let (result, zero) = (circuit.compare_signed(&a, &b), Bits::constant(32, 0));
    let before = circuit.len();
    assert_eq!(result.sign(), less);
    assert_eq!(circuit.lt_signed(&result, &zero), less);
    assert_eq!(circuit.le_signed(&zero, &result), !less);
    assert_eq!(circuit.bits_eq(&result, &zero), equal);
    assert_eq!(circuit.bits_eq(&zero, &result), equal);
    assert_eq!(circuit.lt_signed(&zero, &result), greater);
    assert_eq!(circuit.le_signed(&result, &zero), !greater);
    assert_eq!(circuit.len(), before);
}

#[test]
fn special_operands_cost_little() {
    let gates = |build: fn(&mut Circuit, &Bits)| {
        let mut circuit = Circuit::new();
        let a = word(&mut circuit, 32);
        let before = circuit.len();
        build(&mut circuit, &a);
        circuit.len() - before
    };
    assert_eq!(gates(|c, a| drop(c.mul(a, &Bits::constant(32, 1 << 7)))), 0);
    assert_eq!(gates(|c, a| drop(c.mul(a, &Bits::constant(32, 1)))), 0);
    assert_eq!(gates(|c, a| drop(c.shl(a, &Bits::constant(32, 33)))), 0);
    assert!(gates(|c, a| drop(c.mul(a, &Bits::constant(32, 31)))) <= 4 * 32);
    assert!(gates(|c, a| drop(c.div_signed(a, &Bits::constant(32, 16)))) <= 4 * 32);
    assert!(gates(|c, a| drop(c.rem_signed(a, &Bits::constant(32, 16)))) <= 4);
    assert_eq!(gates(|c, a| drop(c.sub(a, a))), 0);
}

#[test]
fn commutative_operations_share_their_gates() {
    let mut circuit = Circuit::new();
    let (a, b) = (word(&mut circuit, 32), word(&mut circuit, 32));
    for operation in [Circuit::add, Circuit::mul, Circuit::mul_high_signed, Circuit::bits_xor] {
        assert_eq!(operation(&mut circuit, &a, &b), operation(&mut circuit, &b, &a));
    }
}

#[test]
fn quotient_and_remainder_share_their_division() {
    let mut circuit = Circuit::new();
    let (a, b) = (word(&mut circuit, 32), word(&mut circuit, 32));
    circuit.div_signed(&a, &b);
    let before = circuit.len();
    circuit.rem_signed(&a, &b);
    assert!(circuit.len() - before <= 3 * 32, "only the sign of the remainder is new");
}
