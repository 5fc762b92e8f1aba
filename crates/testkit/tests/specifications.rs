//! Random specifications mean what a plain evaluator says. `SPEC_ORACLE_SEED` chooses other
//! formulas, and `SPEC_ORACLE_ROUNDS` says how many rounds are tried (each with the next seed).

use testkit::formulas::{self, Plan};

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

#[test]
fn random_specifications() {
    let seed = setting("SPEC_ORACLE_SEED", 1);
    for round in 0..setting("SPEC_ORACLE_ROUNDS", 1) {
        let seed = seed.wrapping_add(round);
        let plan = Plan { seed, formulas: 600, inputs: 16 };
        let (tally, described) = formulas::run(plan).expect("the classes can be compiled");
        println!(
            "SPEC_ORACLE_SEED={seed}: {} formulas ({} mixed), {} inputs ({} solved, {} holding), \
             {} comparisons, skipped {:?}",
            tally.formulas,
            tally.mixed,
            tally.inputs,
            tally.solved,
            tally.holding,
            tally.comparisons,
            tally.skipped
        );
        let failures = tally.failures.len();
        assert!(failures == 0, "{failures} failures\n{}", described.join("\n---\n"));
        assert!(tally.comparisons >= 2 * 400 * 10, "only {} comparisons", tally.comparisons);
    }
}
