//! What a user sees who checks ordinary code without a word about it: the project's own corpus with
//! seeded bugs (`corpus.rs`), and jars that Debian ships (`jars.rs`).
//!
//! An error is to be something that a program comes to. So every seeded bug should be an error, and
//! nothing in a right class.

pub mod corpus;
mod jars;
mod outcome;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::measure;
use super::table::Table;
use corpus::{BUGS, Subject};
use outcome::{Found, Outcome};

const USAGE: &str = "bench real [--keep DIR] [CLASS…]
       bench real --jars [--keep DIR] [--sample N] [JAR…]";

/// What the arguments ask for.
struct Plan {
    jars: bool,
    /// Where the reports are left.
    keep: Option<PathBuf>,
    sample: usize,
    /// Parts of names; all without any.
    names: Vec<String>,
}

impl Plan {
    fn parse(arguments: &[String]) -> Result<Plan, String> {
        let mut plan = Plan { jars: false, keep: None, sample: 300, names: Vec::new() };
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let mut value = || rest.next().ok_or_else(|| format!("usage: {USAGE}"));
            match argument.as_str() {
                "--jars" => plan.jars = true,
                "--keep" => plan.keep = Some(PathBuf::from(value()?)),
                "--sample" => {
                    let number = value()?;
                    plan.sample = number.parse().map_err(|_| format!("no number: {number}"))?;
                }
                name if !name.starts_with('-') => plan.names.push(name.to_string()),
                _ => return Err(format!("usage: {USAGE}")),
            }
        }
        Ok(plan)
    }

    fn wants(&self, name: &str) -> bool {
        self.names.is_empty() || self.names.iter().any(|part| name.contains(part.as_str()))
    }

    fn keep(&self, name: &str, report: &Value) -> Result<(), String> {
        let Some(folder) = &self.keep else {
            return Ok(());
        };
        let path = folder.join(format!("{name}.json"));
        let written =
            fs::create_dir_all(folder).and_then(|()| fs::write(&path, report.to_string()));
        written.map_err(|e| format!("{}: {e}", path.display()))
    }
}

/// Prints the tables.
pub fn run(arguments: &[String]) -> Result<(), String> {
    let plan = Plan::parse(arguments)?;
    // A copy: whoever builds meanwhile does not change what is measured.
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    let binary = folder.path().join("jarosite");
    fs::copy(measure::binary()?, &binary).map_err(|e| e.to_string())?;
    if plan.jars {
        return jars::run(&plan, &binary);
    }
    let mut checked = Vec::new();
    for subject in corpus::subjects()?.into_iter().filter(|s| plan.wants(&s.name)) {
        eprintln!("{} ...", subject.name);
        checked.push(Checked::check(&plan, &binary, subject)?);
    }
    print(&checked);
    Ok(())
}

/// A class with what its versions came to.
struct Checked {
    subject: Subject,
    right: Outcome,
    bugs: Vec<Found>,
}

impl Checked {
    fn check(plan: &Plan, binary: &Path, subject: Subject) -> Result<Checked, String> {
        // One store for the versions: what a bug does not touch need not be checked again.
        let cache = tempfile::tempdir().map_err(|e| e.to_string())?;
        let outcome = |bug| -> Result<Outcome, String> {
            let root = tempfile::tempdir().map_err(|e| e.to_string())?;
            let file = subject.write(bug, root.path())?;
            let mut command = Command::new(binary);
            command.arg("check").arg(file).args(["--format", "json", "--timeout", "10"]);
            command.env("JAROSITE_CACHE_DIR", cache.path()).current_dir(root.path());
            let cost = measure::watch(&mut command)?;
            let report: Value = serde_json::from_slice(&cost.stdout)
                .map_err(|e| format!("{command:?} wrote no report: {e}"))?;
            plan.keep(&format!("{}-{}", subject.name, corpus::version_name(bug)), &report)?;
            Outcome::of(&report, cost.wall)
        };
        let right = outcome(None)?;
        let mut bugs = Vec::new();
        for bug in BUGS {
            bugs.push(outcome(Some(bug))?.find(&subject.seeded(bug), &right));
        }
        Ok(Checked { subject, right, bugs })
    }
}

fn print(checked: &[Checked]) {
    let mut table = Table::new(&[
        "class",
        "lines",
        "methods",
        "verified",
        "undecided",
        "errors",
        "warnings",
        "preconditions",
        "bug 1",
        "bug 2",
        "seconds",
    ]);
    let mut total = Outcome::default();
    let mut lines = 0;
    for Checked { subject, right, bugs } in checked {
        lines += subject.lines();
        total.add(right);
        let mut row = vec![subject.name.clone(), subject.lines().to_string()];
        row.extend(right.columns());
        row.extend(bugs.iter().map(Found::short));
        row.push(format!("{:.1}", right.wall.as_secs_f64()));
        table.row(row);
    }
    let all: Vec<&Found> = checked.iter().flat_map(|c| &c.bugs).collect();
    let found = all.iter().filter(|f| f.is_error()).count();
    let mut row = vec!["all".to_string(), lines.to_string()];
    row.extend(total.columns());
    row.extend([format!("{found} of {}", all.len()), String::new()]);
    row.push(format!("{:.1}", total.wall.as_secs_f64()));
    table.row(row);
    table.print();
    print_bugs(checked);
    print_errors(checked);
    print_causes(&total.causes);
    let warnings = total.warnings as f64 * 100.0 / lines.max(1) as f64;
    println!("                                          now   target");
    println!("  seeded bugs found as errors     {:>11}   all", format!("{found} of {}", all.len()));
    println!("  errors in right classes         {:>11}   0", total.errors);
    println!("  warnings per 100 lines of these {warnings:>11.2}   1");
}

fn print_bugs(checked: &[Checked]) {
    println!("seeded bugs that are not found");
    for Checked { subject, bugs, .. } in checked {
        for (bug, found) in BUGS.iter().zip(bugs).filter(|(_, found)| !found.is_error()) {
            let kind = subject.seeded(*bug).kind;
            println!("  {} {bug}, {kind}: {}", subject.name, found.long());
        }
    }
    println!();
}

fn print_errors(checked: &[Checked]) {
    println!("errors in right classes");
    for Checked { subject, right, .. } in checked {
        for error in &right.error_texts {
            println!("  {}: {error}", subject.name);
        }
    }
    println!();
}

/// Why methods are undecided, the most frequent cause first.
fn print_causes(causes: &BTreeMap<String, usize>) {
    let mut sorted: Vec<(&String, &usize)> = causes.iter().collect();
    sorted.sort_by_key(|(cause, count)| (std::cmp::Reverse(**count), *cause));
    println!("undecided because");
    for (cause, count) in sorted {
        println!("{count:>6}  {cause}");
    }
    println!();
}
