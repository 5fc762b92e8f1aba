//! Random invariants: verdicts do not depend on how the input is searched, and bounds exclude no heap
//! that satisfies them. `INVARIANT_SEED` chooses others, and `INVARIANT_ROUNDS` says how many rounds are
//! tried (each with the next seed).

use testkit::formulas::invariants::{self, Plan};

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

#[test]
fn random_invariants() {
    let seed = setting("INVARIANT_SEED", 1);
    for round in 0..setting("INVARIANT_ROUNDS", 1) {
        let seed = seed.wrapping_add(round);
        let tally = invariants::run(Plan { seed, cases: 60, heaps: 200 });
        let mut tally = tally.expect("the classes can be compiled");
        let failures = std::mem::take(&mut tally.failures);
        println!("INVARIANT_SEED={seed}: {tally:?}");
        assert!(failures.is_empty(), "{}:\n{}", failures.len(), failures.join("\n---\n"));
        assert!(tally.bounded >= 20 && tally.accepted >= 500, "too little is compared");
    }
}
