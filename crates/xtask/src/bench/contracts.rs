//! Specifications: the checks of Jackson & Vaziri's section 4 at scope 3, each against the goal of
//! 0.2 s, and their hardest one over growing scopes.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::measure::{self, results, stat};
use super::table::Table;

/// What every check should stay below.
const GOAL_MS: f64 = 200.0;
/// Where their paper has a figure for the union of the arguments of merge: 6 min 23 s.
const PAPER_SCOPE: u32 = 4;
const PAPER_MS: f64 = 383_000.0;
const SCOPES: [u32; 8] = [3, 4, 5, 6, 7, 8, 9, 10];
const SECONDS_EACH: &str = "120";

/// Shows both tables.
pub fn run() -> Result<(), String> {
    let binary = measure::binary()?;
    let root = measure::root().join("fixtures");
    let mut slowest: Vec<(f64, String)> = Vec::new();
    for file in files(&root.join("papers"))? {
        let path = file.display().to_string();
        let (_, report) = measure::check(&binary, &[&path, "--scope", "3"])?;
        for result in results(&report) {
            slowest.push((stat(result, "time_ms"), name(&file, result)));
        }
    }
    slowest.sort_by(|a, b| b.0.total_cmp(&a.0));
    let missed = slowest.iter().filter(|s| s.0 > GOAL_MS).count();
    println!("checks of the papers at scope 3: {}, {missed} above {GOAL_MS} ms", slowest.len());
    let mut table = Table::new(&["slowest", "ms"]);
    for (time, name) in slowest.iter().take(8) {
        table.row(vec![name.clone(), format!("{time:.0}")]);
    }
    table.print();
    merge(&binary, &root.join("alloy/list_merge.java"))
}

/// The result of merge is the union of its arguments, scope by scope.
fn merge(binary: &Path, file: &Path) -> Result<(), String> {
    println!("merge's result is the union of its arguments");
    let columns =
        ["scope", "verdict", "ms", "of it solving", "variables", "clauses", "paper / this"];
    let mut table = Table::new(&columns);
    for scope in SCOPES {
        let (path, scope_text) = (file.display().to_string(), scope.to_string());
        let arguments =
            [&path, "--method", "unites", "--scope", &scope_text, "--timeout", SECONDS_EACH];
        let (_, report) = measure::check(binary, &arguments)?;
        let Some(result) = results(&report).first() else {
            return Err("the method is missing".into());
        };
        let time = stat(result, "time_ms");
        let ratio = match scope == PAPER_SCOPE {
            true => format!("{:.0}", PAPER_MS / time.max(1.0)),
            false => String::new(),
        };
        table.row(vec![
            scope.to_string(),
            result["verdict"].as_str().unwrap_or_default().to_string(),
            format!("{time:.0}"),
            format!("{:.0}", stat(result, "solve_ms")),
            format!("{:.0}", stat(result, "variables")),
            format!("{:.0}", stat(result, "clauses")),
            ratio,
        ]);
    }
    table.print();
    Ok(())
}

fn name(file: &Path, result: &Value) -> String {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    format!("{stem}: {}", result["method"].as_str().unwrap_or_default())
}

fn files(directory: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(directory).map_err(|e| e.to_string())?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "java"));
    files.sort();
    Ok(files)
}
