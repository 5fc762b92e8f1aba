//! Random programs agree with the JVM. `ORACLE_SEED` chooses other programs, `ORACLE_ROUNDS` says
//! how many rounds of them are tried (each with the next seed), and `ORACLE_WORLD` shows the
//! classes around a failing method.

use testkit::oracle::{self, Plan};

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

#[test]
fn random_programs() {
    let seed = setting("ORACLE_SEED", 1);
    let rounds = setting("ORACLE_ROUNDS", 1);
    for round in 0..rounds {
        let seed = seed.wrapping_add(round);
        println!("ORACLE_SEED={seed}");
        let plan = Plan { seed, units: 80, methods_per_unit: 8, inputs: 16 };
        let (tally, described) = oracle::run(plan).expect("programs can be compiled and run");
        let (compared, skipped) = (tally.comparisons(), tally.skips());
        println!(
            "{} methods: {} inputs by the formula, {} on constants, {skipped} skipped",
            tally.methods, tally.symbolic, tally.fixed
        );
        println!("skipped: {:#?}\nexceptions: {:#?}", tally.skipped, tally.exceptions);
        let failures = tally.failures.len();
        assert!(failures == 0, "{failures} failures\n{}", described.join("\n---\n"));
        assert!(compared >= 10_000, "only {compared} comparisons");
        assert!(skipped * 100 < 15 * (skipped + tally.fixed), "{skipped} skipped");
    }
}
