//! Walks through all cases against brute force, and what lanes and samples make of them.

use logic::{Circuit, LANES, Lane, Lanes, Lit, Sample};
use sat::{Cases, Step};

mod common;

use common::Random;

fn pick(random: &mut Random, pool: &[Lit]) -> Lit {
    let lit = pool[random.below(pool.len())];
    if random.below(2) == 0 { lit } else { !lit }
}

/// A random circuit over a few inputs, constraints on them, and choices among them under conditions.
struct Problem {
    circuit: Circuit,
    inputs: Vec<Lit>,
    pool: Vec<Lit>,
    constraints: Vec<Lit>,
    choices: Vec<(Lit, Vec<Lit>)>,
}

fn problem(random: &mut Random) -> Problem {
    let mut circuit = Circuit::new();
    let inputs: Vec<Lit> = (0..3 + random.below(5)).map(|_| circuit.input()).collect();
    let mut pool = inputs.clone();
    for _ in 0..5 + random.below(25) {
        let (a, b, c) = (pick(random, &pool), pick(random, &pool), pick(random, &pool));
        pool.push(match random.below(4) {
            0 => circuit.and(a, b),
            1 => circuit.or(a, b),
            2 => circuit.xor(a, b),
            _ => circuit.ite(a, b, c),
        });
    }
    let constraints = (0..random.below(4)).map(|_| pick(random, &pool)).collect();
    let mut choices = Vec::new();
    for _ in 0..random.below(inputs.len() + 3) {
        let conditions = (0..random.below(3)).map(|_| pick(random, &pool)).collect();
        choices.push((pick(random, &inputs), conditions));
    }
    Problem { circuit, inputs, pool, constraints, choices }
}

impl Problem {
    fn walk(&self) -> Cases {
        let choices = self.choices.iter().map(|(lit, conditions)| (*lit, &conditions[..]));
        Cases::new(&self.circuit, &self.constraints, choices)
    }

    fn lane(&self, walk: &Cases) -> Lane {
        let known = |lit: &Lit| Some(if walk.value(lit.node())? { *lit } else { !*lit });
        self.inputs.iter().filter_map(known).collect()
    }

    /// All assignments of the inputs, as the literals that are true.
    fn assignments(&self) -> Vec<Lane> {
        let rows = 0..1usize << self.inputs.len();
        let value = |row: usize, bit: usize| row >> bit & 1 == 1;
        rows.map(|row| {
            let lits = self.inputs.iter().enumerate();
            lits.map(|(bit, lit)| if value(row, bit) { *lit } else { !*lit }).collect()
        })
        .collect()
    }

    fn holds(&self, assignment: &Lane, lit: Lit) -> bool {
        let positive = |node: u32| assignment.iter().any(|l| l.node() == node && !l.is_negated());
        self.circuit.evaluate(positive).value(lit)
    }
}

fn cases(problem: &Problem, walk: &mut Cases) -> Vec<Lane> {
    let mut found = Vec::new();
    loop {
        match walk.next(3) {
            Step::Case => found.push(problem.lane(walk)),
            Step::Between => {}
            Step::End => return found,
        }
    }
}

fn includes(lane: &Lane, assignment: &Lane) -> bool {
    lane.iter().all(|lit| assignment.contains(lit))
}

#[test]
fn every_model_is_in_exactly_one_case() {
    for seed in 0..2_000 {
        let mut random = Random::new(seed);
        let problem = problem(&mut random);
        let found = cases(&problem, &mut problem.walk());
        for assignment in problem.assignments() {
            let in_cases = found.iter().filter(|lane| includes(lane, &assignment)).count();
            let is_model = problem.constraints.iter().all(|c| problem.holds(&assignment, *c));
            assert!(in_cases <= 1, "seed {seed}: two cases admit {assignment:?}");
            assert!(!is_model || in_cases == 1, "seed {seed}: no case admits {assignment:?}");
        }
    }
}

#[test]
fn a_case_decides_all_choices_that_matter() {
    for seed in 0..500 {
        let mut random = Random::new(seed);
        let problem = problem(&mut random);
        let mut walk = problem.walk();
        while walk.next(u64::MAX) == Step::Case {
            for (lit, conditions) in &problem.choices {
                let lane = problem.lane(&walk);
                // Whether a gate holds is found by propagation, which may miss it.
                let matters = conditions.iter().all(|c| lane.contains(c));
                let is_decided = lane.iter().any(|l| l.node() == lit.node());
                assert!(!matters || is_decided, "seed {seed}: {lit:?} is open in {lane:?}");
            }
        }
    }
}

#[test]
fn prefixes_divide_the_cases() {
    for seed in 0..500 {
        let mut random = Random::new(seed);
        let problem = problem(&mut random);
        let whole = cases(&problem, &mut problem.walk());
        let mut walk = problem.walk();
        let mut parts = Vec::new();
        let steps = if random.below(2) == 0 { 5 } else { u64::MAX };
        for prefix in problem.walk().prefixes(1 + random.below(6), steps) {
            walk.restart(&prefix);
            parts.extend(cases(&problem, &mut walk));
        }
        assert_eq!(whole, parts, "seed {seed}");
        walk.restart(&[]);
        assert_eq!(whole, cases(&problem, &mut walk), "seed {seed}: from the beginning");
    }
}

#[test]
fn what_is_sure_in_a_lane_is_so_for_all_that_it_includes() {
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let problem = problem(&mut random);
        let assignments = problem.assignments();
        let partial: Vec<Lane> = (0..5 + random.below(60))
            .map(|_| {
                let whole = &assignments[random.below(assignments.len())];
                whole.iter().copied().filter(|_| random.below(3) > 0).collect()
            })
            .collect();
        let mut lanes = Lanes::new(&problem.circuit, &problem.pool);
        let inputs = lanes.inputs().to_vec();
        let places: Vec<usize> = partial.iter().map(|_| random.below(LANES)).collect();
        let mut sample = Sample::new(&partial);
        for (lane, place) in partial.iter().zip(&places) {
            let value =
                |node: &u32| lane.iter().find(|l| l.node() == *node).map(|l| !l.is_negated());
            lanes.set(*place, inputs.iter().map(value));
        }
        lanes.evaluate();
        for (position, lit) in problem.pool.iter().enumerate() {
            let [yes, no] = lanes.root(position);
            let mut answers = Vec::new();
            for (number, (lane, place)) in partial.iter().zip(&places).enumerate() {
                let included = assignments.iter().filter(|a| includes(lane, a));
                let values: Vec<bool> = included.map(|a| problem.holds(a, *lit)).collect();
                // A later lane may have taken the place.
                if places[number + 1..].contains(place) {
                    continue;
                }
                let bit = |word: &[u64; LANES / 64]| word[place / 64] >> (place % 64) & 1 == 1;
                assert!(!bit(&yes) || values.iter().all(|v| *v), "seed {seed}: {lit:?} {lane:?}");
                assert!(!bit(&no) || values.iter().all(|v| !*v), "seed {seed}: {lit:?} {lane:?}");
                let is_whole = values.len() == 1;
                assert!(
                    !is_whole || bit(&yes) != bit(&no),
                    "seed {seed}: {lit:?} is not evaluated"
                );
                answers.push((bit(&yes), bit(&no)));
            }
            if answers.len() == partial.len() {
                let expected = match answers.iter().any(|a| a.0) {
                    true => Some(true),
                    false => answers.iter().all(|a| a.1).then_some(false),
                };
                assert_eq!(sample.may_be_true(&problem.circuit, *lit), expected, "seed {seed}");
            }
        }
    }
}

#[test]
fn what_remains_and_what_has_been_seen_are_all() {
    for seed in 0..1_000 {
        let mut random = Random::new(seed);
        let problem = problem(&mut random);
        let mut expected = cases(&problem, &mut problem.walk());
        let mut walk = problem.walk();
        let mut found = Vec::new();
        for _ in 0..random.below(12) {
            if walk.next(1 + random.below(4) as u64) == Step::Case {
                found.push(problem.lane(&walk));
            }
        }
        // By another walk, which has learned nothing, after what leads nowhere.
        let mut other = problem.walk();
        for prefix in walk.remaining() {
            let wrong = problem.assignments().swap_remove(random.below(1 << problem.inputs.len()));
            let most = random.below(wrong.len() + 1);
            let astray = prefix.iter().chain(&wrong[..most]).copied();
            other.restart(&astray.collect::<Vec<_>>());
            other.restart(&prefix);
            found.extend(cases(&problem, &mut other));
        }
        expected.sort();
        found.sort();
        assert_eq!(expected, found, "seed {seed}");
    }
}

#[test]
fn whoever_wanders_comes_to_a_case_of_the_prefix() {
    for seed in 0..500 {
        let mut random = Random::new(seed);
        let problem = problem(&mut random);
        let all = cases(&problem, &mut problem.walk());
        let mut walk = problem.walk();
        for prefix in problem.walk().prefixes(3, u64::MAX) {
            let has_arrived = walk.wander(&prefix, u64::MAX, || random.below(2) == 0);
            assert!(has_arrived, "seed {seed}");
            let lane = problem.lane(&walk);
            assert!(prefix.iter().all(|lit| lane.contains(lit)), "seed {seed}");
            assert!(all.contains(&lane), "seed {seed}");
        }
    }
}

#[test]
fn dead_ends_of_a_kind_are_met_once() {
    // Five pigeons in four holes, after twelve choices that have nothing to do with them: without
    // learning the holes are tried again for each of 4096 ways. The last pigeon has a hole of its own
    // if the first choice says so.
    let mut circuit = Circuit::new();
    let free: Vec<Lit> = (0..12).map(|_| circuit.input()).collect();
    let sits: Vec<Vec<Lit>> = (0..5).map(|_| (0..4).map(|_| circuit.input()).collect()).collect();
    let own = |pigeon| (pigeon == 4).then_some(free[0]);
    let mut constraints: Vec<Lit> = (0..5)
        .map(|pigeon| circuit.or_all(sits[pigeon].iter().copied().chain(own(pigeon))))
        .collect();
    for (a, b) in (0..5).flat_map(|b| (0..b).map(move |a| (a, b))) {
        let shared = (0..4).map(|hole| circuit.and(sits[a][hole], sits[b][hole]));
        let shared: Vec<Lit> = shared.collect();
        constraints.extend(shared.into_iter().map(|lit| !lit));
    }
    let choices: Vec<Lit> =
        free[1..].iter().copied().chain([free[0]]).chain(sits.into_iter().flatten()).collect();
    let mut walk = Cases::new(&circuit, &constraints, choices.iter().map(|lit| (*lit, &[][..])));
    let mut count = 0;
    while walk.next(u64::MAX) == Step::Case {
        count += 1;
        assert_eq!(walk.value(free[0].node()), Some(true));
    }
    // Each of four pigeons in a hole, and the fifth may have one only if it is free.
    assert_eq!(count, 2048 * 24);
    assert!(walk.steps < count + 5_000, "{} steps", walk.steps);
}
