//! `jarosite explain` on drivers, beside what the paper on NEWTON reports of its drivers (Table 1), and on
//! longer and longer paths.

mod driver;
mod length;

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::measure::{self, ms};
use super::table::Table;
use driver::{PLANS, Plan};

/// The longest time for one driver, in seconds.
const PATIENCE: &str = "300";

/// The paper's Table 1: driver, lines, instructions, |Ω|, |Φ|, predicates, iterations.
const PAPER: [[&str; 7]; 5] = [
    ["apmbatt", "2273", "238", "173", "16", "1", "1"],
    ["pnpmem", "3930", "256", "175", "18", "1", "3"],
    ["iscsiprt-server", "4855", "252", "143", "25", "3", "23"],
    ["floppy", "7631", "179", "133", "19", "3", "10"],
    ["serial", "26981", "408", "268", "46", "1", "22"],
];

/// All drivers, one of them, the growth with the length of a path, or the drivers as files.
pub fn run(which: &str) -> Result<(), String> {
    match which {
        "length" => length::run(),
        "write" => write(),
        "" => drivers("").and_then(|()| length::run()),
        name if PLANS.iter().any(|plan| plan.name == name) => drivers(name),
        other => Err(format!("there is no driver `{other}`")),
    }
}

/// Writes the drivers to `target/drivers`, for people to read.
fn write() -> Result<(), String> {
    let directory = measure::root().join("target/drivers");
    std::fs::create_dir_all(&directory).map_err(|e| e.to_string())?;
    for plan in PLANS {
        for bug in [false, true] {
            println!("{}", file(&directory, plan, bug)?.display());
        }
    }
    Ok(())
}

fn file(directory: &Path, plan: Plan, bug: bool) -> Result<std::path::PathBuf, String> {
    let name = format!("{}{}.c", plan.name, if bug { "_bug" } else { "" });
    let path = directory.join(name);
    std::fs::write(&path, driver::write(plan, bug)).map_err(|e| e.to_string())?;
    Ok(path)
}

fn drivers(only: &str) -> Result<(), String> {
    let binary = measure::binary()?;
    let directory = tempfile::tempdir().map_err(|e| e.to_string())?;
    let header = [
        "driver",
        "lines",
        "insts",
        "|Ω|",
        "|Φ|",
        "preds",
        "iterations",
        "verdict",
        "total s",
        "slowest path ms",
        "MB",
    ];
    let mut table = Table::new(&header);
    for plan in PLANS.into_iter().filter(|plan| only.is_empty() || plan.name == only) {
        for bug in [false, true] {
            let path = file(directory.path(), plan, bug)?;
            let lines = driver::write(plan, bug).lines().count();
            table.row(row(&binary, &path, plan.name, bug, lines)?);
        }
    }
    println!(
        "jarosite explain on drivers: averages over the iterations, as in the paper's Table 1"
    );
    table.print();
    let mut paper =
        Table::new(&["the paper's", "lines", "insts", "|Ω|", "|Φ|", "preds", "iterations"]);
    for driver in PAPER {
        paper.row(driver.map(str::to_owned).to_vec());
    }
    paper.print();
    Ok(())
}

fn row(
    binary: &Path,
    path: &Path,
    name: &str,
    bug: bool,
    lines: usize,
) -> Result<Vec<String>, String> {
    let mut command = Command::new(binary);
    command.arg("explain").arg(path).args(["--format", "json", "--timeout", PATIENCE]);
    let cost = measure::watch(&mut command)?;
    let report: Value = serde_json::from_slice(&cost.stdout)
        .map_err(|e| format!("{command:?} wrote no report: {e}"))?;
    let result = &report["results"][0];
    let paths = result["stats"]["paths"].as_array().cloned().unwrap_or_default();
    let numbers = |key: &str| -> Vec<f64> {
        paths.iter().map(|path| path[key].as_f64().unwrap_or(0.0)).collect()
    };
    let mean = |numbers: Vec<f64>| numbers.iter().sum::<f64>() / (numbers.len().max(1) as f64);
    let slowest = numbers("time_us").into_iter().fold(0.0, f64::max) / 1000.0;
    let verdict = match (result["verdict"].as_str(), result["replay"].as_str()) {
        (Some("verified"), _) => "proved".to_owned(),
        (Some("violated"), Some(replay)) => format!("reached, {replay}"),
        _ => result["cause"].as_str().unwrap_or("?").chars().take(40).collect(),
    };
    Ok(vec![
        format!("{name}{}", if bug { ", bug" } else { "" }),
        lines.to_string(),
        format!("{:.0}", mean(numbers("instructions"))),
        format!("{:.0}", mean(numbers("store"))),
        format!("{:.0}", mean(numbers("conditions"))),
        format!("{:.1}", mean(numbers("predicates"))),
        paths.len().to_string(),
        verdict,
        format!("{:.1}", ms(cost.wall) / 1000.0),
        format!("{slowest:.0}"),
        format!("{:.0}", cost.peaks.get("jarosite").copied().unwrap_or(0.0)),
    ])
}
