//! Every operator on relations against plain sets of tuples, on random relations under random
//! assignments.

use std::collections::BTreeSet;

use common::Random;
use logic::{Bits, Cell, Circuit, Evaluation, Lit, Relation};

mod common;

type Tuples = BTreeSet<Vec<i64>>;

/// Atoms are 0..ATOMS; a number is written as 100 + its value.
const ATOMS: u32 = 4;
const NUMBER: i64 = 100;
const ROUNDS: u64 = 600;

/// A relation whose entries depend on inputs, and the values that the inputs have.
struct World {
    circuit: Circuit,
    values: Vec<(u32, bool)>,
}

impl World {
    fn lit(&mut self, value: bool) -> Lit {
        let lit = self.circuit.input();
        self.values.push((lit.node(), value));
        lit
    }

    fn atoms(&mut self, entries: &[(Vec<u32>, bool)]) -> Relation {
        let mut relation = Relation::empty();
        for (tuple, value) in entries {
            let lit = self.lit(*value);
            let cells = tuple.iter().map(|a| Cell::Atom(a % ATOMS)).collect();
            relation.add(&mut self.circuit, cells, lit);
        }
        relation
    }

    /// A set of numbers of two bits, each of which may be any.
    fn numbers(&mut self, entries: &[(u8, bool)]) -> Relation {
        let mut relation = Relation::empty();
        for (number, value) in entries {
            let lit = self.lit(*value);
            let bits = (0..2).map(|i| self.lit(number >> i & 1 == 1)).collect();
            relation.add(&mut self.circuit, vec![Cell::number(&Bits::from_lits(bits))], lit);
        }
        relation
    }

    fn evaluation(&self) -> Evaluation {
        self.circuit.evaluate(|node| self.values.iter().find(|v| v.0 == node).is_some_and(|v| v.1))
    }

    fn tuples(&self, relation: &Relation) -> Tuples {
        let all = self.evaluation();
        let members = relation.tuples().filter(|t| all.value(t.1));
        let cell = |cell: &Cell| match cell {
            Cell::Atom(atom) => i64::from(*atom),
            Cell::Number(lits) => {
                let bits = lits.iter().enumerate();
                NUMBER + bits.map(|(i, l)| i64::from(all.value(*l)) << i).sum::<i64>()
            }
        };
        members.map(|(tuple, _)| tuple.iter().map(cell).collect()).collect()
    }

    fn holds(&self, lit: Lit) -> bool {
        self.evaluation().value(lit)
    }
}

fn world() -> World {
    World { circuit: Circuit::new(), values: Vec::new() }
}

fn tuples(random: &mut Random, arity: usize, most: usize) -> Vec<(Vec<u32>, bool)> {
    let many = random.below(most);
    let atom = |random: &mut Random| random.below(ATOMS as usize) as u32;
    let tuple = |random: &mut Random| (0..arity).map(|_| atom(random)).collect();
    (0..many).map(|_| (tuple(random), random.below(2) == 0)).collect()
}

fn pairs(random: &mut Random) -> Vec<(Vec<u32>, bool)> {
    tuples(random, 2, 10)
}

fn atoms(random: &mut Random) -> Vec<(Vec<u32>, bool)> {
    tuples(random, 1, 6)
}

fn numbers(random: &mut Random) -> Vec<(u8, bool)> {
    let many = random.below(6);
    (0..many).map(|_| (random.below(4) as u8, random.below(2) == 0)).collect()
}

/// Runs a property on many seeds.
fn check(property: fn(&mut Random)) {
    for seed in 0..ROUNDS {
        property(&mut Random::new(seed));
    }
}

fn naive_join(a: &Tuples, b: &Tuples) -> Tuples {
    let mut joined = Tuples::new();
    for x in a {
        for y in b.iter().filter(|y| y.first() == x.last()) {
            joined.insert([&x[..x.len() - 1], &y[1..]].concat());
        }
    }
    joined
}

fn naive_closure(a: &Tuples) -> Tuples {
    let mut closure = a.clone();
    loop {
        let longer = naive_join(&closure, &closure);
        let before = closure.len();
        closure.extend(longer);
        if closure.len() == before {
            return closure;
        }
    }
}

#[test]
fn binary_operators() {
    check(|random| {
        let a = pairs(random);
        let b = pairs(random);
        let s = atoms(random);
        let mut w = world();
        let (a, b, s) = (w.atoms(&a), w.atoms(&b), w.atoms(&s));
        let (x, y, z) = (w.tuples(&a), w.tuples(&b), w.tuples(&s));
        let union = w.circuit.union(&a, &b);
        assert_eq!(w.tuples(&union), x.union(&y).cloned().collect::<Tuples>());
        let both = w.circuit.intersection(&a, &b);
        assert_eq!(w.tuples(&both), x.intersection(&y).cloned().collect::<Tuples>());
        let rest = w.circuit.difference(&a, &b);
        assert_eq!(w.tuples(&rest), x.difference(&y).cloned().collect::<Tuples>());
        let joined = w.circuit.join(&a, &b);
        assert_eq!(w.tuples(&joined), naive_join(&x, &y));
        let image = w.circuit.join(&s, &a);
        assert_eq!(w.tuples(&image), naive_join(&z, &x));
        let cross = w.circuit.cross(&s, &a);
        let all = z.iter().flat_map(|p| x.iter().map(move |q| [&p[..], &q[..]].concat()));
        assert_eq!(w.tuples(&cross), all.collect::<Tuples>());
        let domain = w.circuit.restrict_domain(&s, &a);
        let kept = x.iter().filter(|t| z.contains(&t[..1]));
        assert_eq!(w.tuples(&domain), kept.cloned().collect::<Tuples>());
        let range = w.circuit.restrict_range(&a, &s);
        let kept = x.iter().filter(|t| z.contains(&t[1..]));
        assert_eq!(w.tuples(&range), kept.cloned().collect::<Tuples>());
        let over = w.circuit.override_by(&a, &b);
        let kept = x.iter().filter(|t| !y.iter().any(|o| o[0] == t[0]));
        assert_eq!(w.tuples(&over), kept.chain(&y).cloned().collect::<Tuples>());
    });
}

#[test]
fn closures() {
    check(|random| {
        let a = pairs(random);
        let s = atoms(random);
        let mut w = world();
        let (a, s) = (w.atoms(&a), w.atoms(&s));
        let (x, z) = (w.tuples(&a), w.tuples(&s));
        let turned = w.circuit.transpose(&a);
        let expected = x.iter().map(|t| vec![t[1], t[0]]).collect::<Tuples>();
        assert_eq!(w.tuples(&turned), expected);
        let closure = w.circuit.closure(&a);
        assert_eq!(w.tuples(&closure), naive_closure(&x));
        let edges: Vec<(u32, u32, Lit)> = a
            .tuples()
            .map(|(t, l)| match t {
                [Cell::Atom(p), Cell::Atom(q)] => (*p, *q, l),
                _ => unreachable!("pairs of atoms"),
            })
            .collect();
        let reached = w.circuit.reach(&s, |_, from| {
            edges.iter().filter(|e| e.0 == from).map(|e| (e.1, e.2)).collect()
        });
        let mut expected = naive_join(&z, &naive_closure(&x));
        expected.extend(z.iter().cloned());
        assert_eq!(w.tuples(&reached), expected);
    });
}

#[test]
fn comparisons() {
    check(|random| {
        let a = atoms(random);
        let b = atoms(random);
        let p = pairs(random);
        let mut w = world();
        let (a, b, p) = (w.atoms(&a), w.atoms(&b), w.atoms(&p));
        let (x, y, z) = (w.tuples(&a), w.tuples(&b), w.tuples(&p));
        let inside = w.circuit.subset(&a, &b);
        assert_eq!(w.holds(inside), x.is_subset(&y));
        let same = w.circuit.same_members(&a, &b);
        assert_eq!(w.holds(same), x == y);
        let some = w.circuit.is_some(&p);
        assert_eq!(w.holds(some), !z.is_empty());
        let lone = w.circuit.is_lone(&p);
        assert_eq!(w.holds(lone), z.len() <= 1);
        let count = w.circuit.cardinality(&p);
        assert_eq!(w.evaluation().word(&count), z.len() as u64);
    });
}

#[test]
fn sets_of_numbers() {
    check(|random| {
        let a = numbers(random);
        let b = numbers(random);
        let mut w = world();
        let (a, b) = (w.numbers(&a), w.numbers(&b));
        let (x, y) = (w.tuples(&a), w.tuples(&b));
        let inside = w.circuit.subset(&a, &b);
        assert_eq!(w.holds(inside), x.is_subset(&y));
        let union = w.circuit.union(&a, &b);
        assert_eq!(w.tuples(&union), x.union(&y).cloned().collect::<Tuples>());
        let rest = w.circuit.difference(&a, &b);
        assert_eq!(w.tuples(&rest), x.difference(&y).cloned().collect::<Tuples>());
        let both = w.circuit.intersection(&a, &b);
        assert_eq!(w.tuples(&both), x.intersection(&y).cloned().collect::<Tuples>());
        let count = w.circuit.cardinality(&a);
        assert_eq!(w.evaluation().word(&count), x.len() as u64);
        let lone = w.circuit.is_lone(&a);
        assert_eq!(w.holds(lone), x.len() <= 1);
        let distinct = w.circuit.distinct_members(&a);
        let all = w.evaluation();
        assert_eq!(distinct.iter().filter(|d| all.value(d.1)).count(), x.len());
    });
}
