//! The order of symbols against integers: whatever integers there are satisfies the constraints,
//! and whatever satisfies the constraints are integers.

use std::collections::BTreeMap;

use common::Random;
use logic::{Bits, Circuit, Cnf, Evaluation, Lit, Order, Symbol};

mod common;

const ROUNDS: u64 = 3000;

/// An order with some unknowns, constants that often lie close, and random comparisons.
struct World {
    circuit: Circuit,
    order: Order,
    width: u32,
    unknowns: Vec<Symbol>,
    asked: Vec<(Symbol, Symbol)>,
    constraints: Vec<Lit>,
}

fn extremes(width: u32) -> (i64, i64) {
    let most = (1i64 << (width - 1)) - 1;
    (-most - 1, most)
}

fn constant(random: &mut Random, width: u32) -> i64 {
    let (least, most) = extremes(width);
    let near = random.below(4) as i64;
    match random.below(5) {
        0 => least + near,
        1 => most - near,
        2 => most + 1 + near,
        _ => (near * near - 3).clamp(least, most),
    }
}

fn world(random: &mut Random) -> World {
    let width = [2, 3, 4, 32][random.below(4)];
    let (mut circuit, mut order) = (Circuit::new(), Order::new(width));
    let unknowns: Vec<Symbol> = (0..1 + random.below(5)).map(|_| order.symbol()).collect();
    let mut asked = Vec::new();
    let mut constraints = Vec::new();
    for _ in 0..2 {
        for _ in 0..random.below(8) {
            let a = unknowns[random.below(unknowns.len())];
            let b = match random.below(3) {
                0 => order.constant(constant(random, width)),
                _ => unknowns[random.below(unknowns.len())],
            };
            order.lt(&mut circuit, a, b);
            asked.push((a, b));
        }
        // Comparisons may come after constraints have been given out.
        constraints.extend(order.settle(&mut circuit).into_iter().map(|c| c.0));
    }
    assert_eq!(order.given_up().count(), 0);
    World { circuit, order, width, unknowns, asked, constraints }
}

impl World {
    /// All symbols so far.
    fn symbols(&mut self) -> Vec<Symbol> {
        let count = self.order.symbol().0;
        (0..count).map(Symbol).collect()
    }
}

#[test]
fn integers_satisfy_the_constraints() {
    for seed in 0..ROUNDS {
        let random = &mut Random::new(seed);
        let mut world = world(random);
        let (least, most) = extremes(world.width);
        let symbols = world.symbols();
        let values: Vec<i64> = symbols
            .iter()
            .map(|s| match world.order.value(*s) {
                Some(value) => value,
                None => constant(random, world.width).clamp(least, most),
            })
            .collect();
        let mut inputs = BTreeMap::new();
        for (i, s) in symbols.iter().enumerate() {
            for (j, t) in symbols.iter().enumerate() {
                let le = world.order.le(&mut world.circuit, *s, *t);
                if let Some(value) = le.constant() {
                    assert_eq!(value, values[i] <= values[j], "seed {seed}");
                } else {
                    inputs.insert(le.node(), values[i] <= values[j]);
                }
            }
        }
        let model = world.circuit.evaluate(|node| inputs[&node]);
        assert!(world.constraints.iter().all(|c| model.value(*c)), "seed {seed}");
    }
}

#[test]
fn what_satisfies_the_constraints_are_integers() {
    let mut models = 0;
    for seed in 0..ROUNDS {
        let random = &mut Random::new(seed);
        let mut world = world(random);
        let (least, most) = extremes(world.width);
        let Some(model) = solve(&world.circuit, &world.constraints, random) else {
            panic!("seed {seed}: there are integers, so there is a model");
        };
        models += 1;
        let values = world.order.decode(&model);
        for unknown in &world.unknowns {
            assert!((least..=most).contains(&values[unknown.0 as usize]), "seed {seed}");
        }
        for (a, b) in world.asked.clone() {
            let (x, y) = (values[a.0 as usize], values[b.0 as usize]);
            let lt = world.order.lt(&mut world.circuit, a, b);
            let le = world.order.le(&mut world.circuit, a, b);
            assert_eq!(model.value(lt), x < y, "seed {seed}: {x} < {y}");
            assert_eq!(model.value(le), x <= y, "seed {seed}: {x} <= {y}");
        }
    }
    assert_eq!(models, ROUNDS);
}

/// A random model, by a search that guesses and propagates.
fn solve(circuit: &Circuit, constraints: &[Lit], random: &mut Random) -> Option<Evaluation> {
    let mut clauses: Vec<Vec<i32>> = Vec::new();
    let mut cnf = Cnf::new();
    for constraint in constraints {
        cnf.assert(circuit, *constraint, &mut |clause| clauses.push(clause.to_vec()));
    }
    let mut values = vec![None; cnf.variable_count() as usize + 1];
    if !search(&clauses, &mut values, random) {
        return None;
    }
    let input = |node| {
        let variable = cnf.variable(node);
        variable.and_then(|v| values[v as usize]).unwrap_or_else(|| random.below(2) == 0)
    };
    Some(circuit.evaluate(input))
}

fn search(clauses: &[Vec<i32>], values: &mut [Option<bool>], random: &mut Random) -> bool {
    let mut set: Vec<usize> = Vec::new();
    let mut conflict = false;
    loop {
        let mut changed = false;
        for clause in clauses {
            let value = |l: i32| values[l.unsigned_abs() as usize].map(|v| v == (l > 0));
            if clause.iter().any(|l| value(*l) == Some(true)) {
                continue;
            }
            let open: Vec<i32> = clause.iter().copied().filter(|l| value(*l).is_none()).collect();
            match open[..] {
                [] => conflict = true,
                [only] => {
                    values[only.unsigned_abs() as usize] = Some(only > 0);
                    set.push(only.unsigned_abs() as usize);
                    changed = true;
                }
                _ => {}
            }
        }
        if conflict || !changed {
            break;
        }
    }
    if !conflict {
        let open: Vec<usize> = (1..values.len()).filter(|v| values[*v].is_none()).collect();
        if open.is_empty() {
            return true;
        }
        let variable = open[random.below(open.len())];
        let first = random.below(2) == 0;
        for guess in [first, !first] {
            values[variable] = Some(guess);
            if search(clauses, values, random) {
                return true;
            }
        }
        values[variable] = None;
    }
    for variable in set {
        values[variable] = None;
    }
    false
}

/// Words with keys compare, and are chosen from, like the numbers that they stand for.
#[test]
fn words_stand_for_numbers() {
    for seed in 0..300 {
        let random = &mut Random::new(seed);
        let mut circuit = Circuit::new();
        let leaves: Vec<Bits> = (0..3).map(|_| circuit.ordered(32).0).collect();
        let mut words = leaves.clone();
        let conditions: Vec<Lit> = (0..3).map(|_| circuit.input()).collect();
        // What each word is, as a function of the conditions: a leaf or a constant.
        let mut meanings: Vec<Vec<Result<usize, i64>>> = (0..3).map(|i| vec![Ok(i); 8]).collect();
        for _ in 0..6 {
            let at = random.below(3);
            let (i, j) = (random.below(words.len()), random.below(words.len()));
            let holds = |c: usize| c >> at & 1 == 1;
            if random.below(3) == 0 {
                let value = random.below(3) as i64 - 1;
                let other = Bits::constant(32, value as u64);
                words.push(circuit.bits_ite(conditions[at], &words[i].clone(), &other));
                let meaning = |c: usize| if holds(c) { meanings[i][c] } else { Err(value) };
                meanings.push((0..8).map(meaning).collect());
            } else {
                let (a, b) = (words[i].clone(), words[j].clone());
                words.push(circuit.bits_ite(conditions[at], &a, &b));
                let meaning = |c: usize| meanings[if holds(c) { i } else { j }][c];
                meanings.push((0..8).map(meaning).collect());
            }
        }
        let mut compared = Vec::new();
        for i in 0..words.len() {
            for j in 0..words.len() {
                let less = circuit.lt_signed(&words[i], &words[j]);
                compared.push((i, j, less, circuit.bits_eq(&words[i], &words[j])));
            }
        }
        let constraints: Vec<Lit> = circuit.settle_orders().into_iter().map(|c| c.0).collect();
        let all: Vec<Lit> = compared.iter().flat_map(|c| [c.2, c.3]).collect();
        let exposed = circuit.exposed(all.iter().chain(&constraints).copied()).len();
        assert_eq!(exposed, 0, "seed {seed}: no bit matters");
        for _ in 0..4 {
            let model = solve(&circuit, &constraints, random).expect("integers satisfy this");
            let values = &circuit.decode_orders(&model)[&32];
            let case = (0..3).map(|c| usize::from(model.value(conditions[c])) << c).sum::<usize>();
            let number = |word: usize| match meanings[word][case] {
                Ok(leaf) => values[leaf],
                Err(value) => value,
            };
            for (i, j, less, equal) in &compared {
                assert_eq!(model.value(*less), number(*i) < number(*j), "seed {seed}");
                assert_eq!(model.value(*equal), number(*i) == number(*j), "seed {seed}");
            }
        }
        let sum = circuit.add(&leaves[0], &leaves[1]);
        assert_eq!(circuit.exposed([sum.bit(3)].into_iter()).len(), 2);
    }
}
