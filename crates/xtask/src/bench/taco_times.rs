//! Tables 1, 2 and 4: what checking the containers costs, and what symmetry breaking saves.

use std::path::Path;
use std::time::{Duration, Instant};

use verify::{Options, Verdict};

use super::measure::{self, results};
use super::table::Table;
use super::taco::{Containers, Plan, file, in_scope, subjects, word};
use super::taco_paper::{SCOPES, SYMMETRY, TACO};

/// For one check of table 1.
const SECONDS_SYMMETRY: u64 = 20;
/// The scopes of table 1 that are worth while without symmetry breaking.
const SCOPES_SYMMETRY: [u32; 4] = [3, 5, 7, 10];

/// Table 4: the whole command, with nothing stored from before.
pub fn times(plan: &Plan, wrong: &mut Vec<String>) -> Result<(), String> {
    let binary = measure::binary()?;
    let seconds = plan.timeout.as_secs();
    println!(
        "table 4: s for the whole command, javac and bounds included (time-out {seconds} s, TO), \
         and\nin brackets s of processor time; peak MB without javac; TACO's min:s, bounds not included"
    );
    let mut header = vec!["method".to_string()];
    for scope in &plan.scopes {
        header.extend([format!("TACO {scope}"), "s".into(), "MB".into()]);
    }
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let mut table = Table::new(&header);
    for (class, method) in subjects() {
        let paper = TACO.iter().find(|row| (row.class, row.method) == (class, method));
        let mut row = vec![format!("{class}.{method}")];
        for scope in &plan.scopes {
            let at = SCOPES.iter().position(|s| s == scope);
            let theirs = paper.zip(at).map_or("", |(paper, at)| paper.times[at]);
            let cell = one(&binary, class, method, *scope, plan.timeout)?;
            eprintln!(
                "  {class}.{method} {scope}: {} {:.1} s ({:.1} s) {:.0} MB",
                cell.verdict,
                cell.wall.as_secs_f64(),
                cell.cpu.as_secs_f64(),
                cell.memory
            );
            if cell.is_wrong() {
                wrong.push(format!("{class}.{method} in scope {scope}: {}", cell.verdict));
            }
            row.extend([theirs.into(), cell.shown(), format!("{:.0}", cell.memory)]);
        }
        table.row(row);
    }
    table.print();
    Ok(())
}

struct Cell {
    verdict: String,
    wall: Duration,
    cpu: Duration,
    memory: f64,
}

impl Cell {
    fn shown(&self) -> String {
        let cpu = self.cpu.as_secs_f64();
        match self.verdict.as_str() {
            "verified" => format!("{:.1} ({cpu:.1})", self.wall.as_secs_f64()),
            "undecided timeout" => format!("TO ({cpu:.1})"),
            other => other.to_string(),
        }
    }

    fn is_wrong(&self) -> bool {
        !matches!(self.verdict.as_str(), "verified" | "undecided timeout")
    }
}

fn one(
    binary: &Path,
    class: &str,
    method: &str,
    scope: u32,
    timeout: Duration,
) -> Result<Cell, String> {
    let store = tempfile::tempdir().map_err(|e| e.to_string())?;
    let mut command = std::process::Command::new(binary);
    command.env("JAROSITE_CACHE_DIR", store.path()).arg("check").arg(file(class));
    command.args(["--class", class, "--method", method, "--scope", &scope.to_string()]);
    command.args(["--replay", "off", "--timeout", &timeout.as_secs().to_string()]);
    let cost = measure::watch(command.args(["--format", "json"]))?;
    let report: serde_json::Value = serde_json::from_slice(&cost.stdout)
        .map_err(|e| format!("{command:?} wrote no report: {e}"))?;
    let result = results(&report).first().ok_or(format!("{class} has no {method}"))?;
    let mut verdict = result["verdict"].as_str().unwrap_or_default().to_string();
    if let Some(cause) = result["cause"].as_str() {
        verdict = format!("{verdict} {cause}");
    }
    let memory = cost.peaks.get("jarosite").copied().unwrap_or(0.0);
    Ok(Cell { verdict, wall: cost.wall, cpu: cost.cpu, memory })
}

/// All methods are right in this scope.
pub fn verified(
    containers: &Containers,
    scope: u32,
    wrong: &mut Vec<String>,
) -> Result<(), String> {
    println!("all methods in scope {scope}, beyond javac");
    let mut table = Table::new(&["method", "verdict", "s"]);
    for (class, method) in subjects() {
        let start = Instant::now();
        let result = containers.check(class, method, &in_scope(scope))?;
        let name = format!("{class}.{method}");
        if !matches!(result.verdict, Verdict::Verified { .. }) {
            wrong.push(format!("{name} in scope {scope}: {}", word(&result)));
        }
        table.row(vec![name, word(&result), format!("{:.2}", start.elapsed().as_secs_f64())]);
    }
    table.print();
    Ok(())
}

/// Symmetry breaking and bounds change no verdict.
pub fn same_verdicts(
    containers: &Containers,
    scope: u32,
    wrong: &mut Vec<String>,
) -> Result<(), String> {
    println!("symmetry breaking and bounds on and off in scope {scope} (s)");
    let mut table = Table::new(&["method", "both", "no bounds", "neither"]);
    for (class, method) in subjects() {
        let mut row = vec![format!("{class}.{method}")];
        for (symmetry, bounds) in [(true, true), (true, false), (false, false)] {
            let options = Options { symmetry, bounds, ..in_scope(scope) };
            let start = Instant::now();
            let result = containers.check(class, method, &options)?;
            if !matches!(result.verdict, Verdict::Verified { .. }) {
                let how = format!("symmetry {symmetry}, bounds {bounds}");
                wrong.push(format!("{class}.{method}, {how}: {}", word(&result)));
            }
            row.push(format!("{:.2}", start.elapsed().as_secs_f64()));
        }
        table.row(row);
    }
    table.print();
    Ok(())
}

/// Tables 1 and 2: with symmetry breaking against without, bounds off in both, until it takes too
/// long.
pub fn symmetry(
    containers: &Containers,
    plan: &Plan,
    wrong: &mut Vec<String>,
) -> Result<(), String> {
    let longest = plan.timeout.min(Duration::from_secs(SECONDS_SYMMETRY));
    println!(
        "tables 1 and 2: s without and with symmetry breaking, without bounds, beyond javac \
         (time-out {} s);\nthe ratio is that of the largest scope that both finish, the paper's its \
         own",
        longest.as_secs()
    );
    let mut header = vec!["method".to_string()];
    for scope in SCOPES_SYMMETRY {
        header.extend([format!("without {scope}"), format!("with {scope}")]);
    }
    header.extend(["ratio".into(), "paper".into()]);
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let mut table = Table::new(&header);
    for (class, method) in subjects() {
        let mut row = vec![format!("{class}.{method}")];
        let mut out = [false, false];
        let mut ratio = String::new();
        for scope in SCOPES_SYMMETRY {
            let mut both = [None, None];
            for (at, symmetry) in [false, true].into_iter().enumerate() {
                if !out[at] {
                    let timeout = Some(longest);
                    let options = Options { symmetry, bounds: false, timeout, ..in_scope(scope) };
                    let start = Instant::now();
                    let result = containers.check(class, method, &options)?;
                    match result.verdict {
                        Verdict::Verified { .. } => both[at] = Some(start.elapsed().as_secs_f64()),
                        Verdict::Undecided(verify::Cause::Timeout) => out[at] = true,
                        _ => wrong.push(format!("{class}.{method} {scope}: {}", word(&result))),
                    }
                }
                row.push(both[at].map_or("TO".into(), |s| format!("{s:.2}")));
            }
            if let [Some(without), Some(with)] = both {
                ratio = format!("{:.1} %", 100.0 * with / without);
            }
        }
        let theirs = SYMMETRY.iter().find(|s| (s.0, s.1) == (class, method));
        row.extend([ratio, theirs.map_or("", |s| s.2).to_string()]);
        table.row(row);
    }
    table.print();
    Ok(())
}
