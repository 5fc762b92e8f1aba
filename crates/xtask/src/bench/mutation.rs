//! Faults that are found: mutants of methods that are right, checked in rising scopes until each is
//! killed or the largest scope has been tried.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::measure::{self, ms, results, stat};
use super::mutants::{Mutant, method_lines, mutants};
use super::table::Table;

/// A method of `benchmarks/taco`, and the largest scope for its mutants.
pub struct Target {
    pub class: &'static str,
    pub method: &'static str,
    pub scope: u32,
}

pub const TARGETS: [Target; 3] = [
    Target { class: "LList", method: "remove", scope: 4 },
    Target { class: "CList", method: "remove", scope: 4 },
    Target { class: "BHeap", method: "extractMin", scope: 4 },
];

/// For one mutant in one scope; one whose loop does not end uses all of it.
const SECONDS_EACH: &str = "20";

/// Shows for each method how many mutants die in which scope, and those that never do.
pub fn run(targets: &[Target]) -> Result<(), String> {
    let binary = measure::binary()?;
    for target in targets {
        one(&binary, target)?;
    }
    Ok(())
}

/// What a run says about a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Killed,
    Verified,
    Undecided,
    /// It is not a program.
    Invalid,
}

fn one(binary: &Path, target: &Target) -> Result<(), String> {
    let Target { class, method, scope } = target;
    let file = measure::root().join("benchmarks/taco").join(format!("{class}.java"));
    let source = fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
    let lines = method_lines(&source, method).ok_or(format!("{class} has no {method}"))?;
    let mut alive: Vec<(Mutant, Fate)> =
        mutants(&source, lines).into_iter().map(|m| (m, Fate::Undecided)).collect();
    let (mut count, begin) = (alive.len(), Instant::now());
    let columns = ["scope", "tried", "killed", "killed so far", "undecided", "s", "of it checking"];
    let mut table = Table::new(&columns);
    let mut killed = 0;
    for scope in 1..=*scope {
        let (tried, start) = (alive.len(), Instant::now());
        let (mut left, mut dead, mut checking) = (Vec::new(), 0, Duration::ZERO);
        for (mutant, _) in alive {
            let (fate, time) = check(binary, target, &mutant, scope)?;
            checking += time;
            match fate {
                Fate::Killed => dead += 1,
                Fate::Invalid => count -= 1,
                Fate::Verified | Fate::Undecided => left.push((mutant, fate)),
            }
        }
        alive = left;
        killed += dead;
        table.row(vec![
            scope.to_string(),
            tried.to_string(),
            dead.to_string(),
            format!("{:.0} %", 100.0 * f64::from(killed) / (count.max(1) as f64)),
            alive.iter().filter(|a| a.1 == Fate::Undecided).count().to_string(),
            format!("{:.1}", start.elapsed().as_secs_f64()),
            format!("{:.1}", checking.as_secs_f64()),
        ]);
    }
    let total = ms(begin.elapsed()) / 1000.0;
    println!(
        "{class}.{method}: {killed} of {count} mutants that compile are killed in {total:.0} s"
    );
    table.print();
    survivors(&alive);
    Ok(())
}

/// Lists what is left, for somebody to judge whether it is a fault at all.
fn survivors(alive: &[(Mutant, Fate)]) {
    for (mutant, fate) in alive {
        let fate = if *fate == Fate::Verified { "verified" } else { "undecided" };
        println!("  {} ({fate}), line {}", mutant.name, mutant.line);
        println!("    - {}", mutant.before);
        println!("    + {}", mutant.after);
    }
    if !alive.is_empty() {
        println!();
    }
}

/// Checks the method of one mutant; what came of it, and the time that the check itself took.
fn check(
    binary: &Path,
    target: &Target,
    mutant: &Mutant,
    scope: u32,
) -> Result<(Fate, Duration), String> {
    let directory = tempfile::tempdir().map_err(|e| e.to_string())?;
    let file = directory.path().join(format!("{}.java", target.class));
    fs::write(&file, &mutant.source).map_err(|e| e.to_string())?;
    let mut command = Command::new(binary);
    command.arg("check").arg(&file).args(["--class", target.class, "--method", target.method]);
    command.args(["--scope", &scope.to_string(), "--timeout", SECONDS_EACH]);
    command.args(["--replay", "off", "--format", "json"]);
    command.env("JAROSITE_CACHE_DIR", directory.path().join("cache"));
    let output = command.output().map_err(|e| format!("{command:?}: {e}"))?;
    match serde_json::from_slice(&output.stdout) {
        Ok(report) => fate(&report).ok_or_else(|| format!("{}: no verdict", mutant.name)),
        Err(_) => {
            let said = String::from_utf8_lossy(&output.stderr);
            match said.contains("does not compile") {
                true => Ok((Fate::Invalid, Duration::ZERO)),
                false => Err(format!("{}: {said}", mutant.name)),
            }
        }
    }
}

fn fate(report: &Value) -> Option<(Fate, Duration)> {
    let result = results(report).first()?;
    let fate = match result["verdict"].as_str()? {
        "violated" => Fate::Killed,
        "verified" => Fate::Verified,
        _ => Fate::Undecided,
    };
    Some((fate, Duration::from_secs_f64(stat(result, "time_ms") / 1000.0)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_verdict_decides() {
        let report = |verdict: &str| {
            let stats = json!({ "time_ms": 1500 });
            json!({ "results": [{ "verdict": verdict, "stats": stats }] })
        };
        let time = Duration::from_millis(1500);
        assert_eq!(fate(&report("violated")), Some((Fate::Killed, time)));
        assert_eq!(fate(&report("verified")), Some((Fate::Verified, time)));
        assert_eq!(fate(&report("undecided")), Some((Fate::Undecided, time)));
        assert_eq!(fate(&json!({ "results": [] })), None);
    }

    #[test]
    fn every_target_has_mutants() {
        for Target { class, method, .. } in TARGETS {
            let file = measure::root().join(format!("benchmarks/taco/{class}.java"));
            let source = fs::read_to_string(file).unwrap();
            let lines = method_lines(&source, method).unwrap();
            assert!(mutants(&source, lines).len() > 30, "{class}.{method}");
        }
    }
}
