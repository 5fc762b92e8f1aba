//! Where the time of a run goes, found by leaving stages out.

use std::path::PathBuf;
use std::process::Command;

use super::measure::{self, median, ms, results, stat, watch};
use super::table::Table;

const RUNS: usize = 3;

/// Measures the stages of `jarosite check examples`.
pub fn run() -> Result<(), String> {
    let binary = measure::binary()?;
    let classes = tempfile::tempdir().map_err(|e| e.to_string())?;
    let compiled = classes.path().to_str().ok_or("the temporary directory has a strange name")?;
    let jdk = jarosite::jdk::Jdk::find()?;
    let compile = || {
        let mut command = Command::new(&jdk.javac);
        watch(command.args(["-g", "-nowarn", "-d", compiled]).args(sources()?))
    };
    let javac = repeated(|| Ok(ms(compile()?.wall)))?;
    let java = repeated(|| Ok(ms(watch(Command::new(&jdk.java).arg("-version"))?.wall)))?;
    let one = ["--jobs", "1"];
    let time = |arguments: &[&str]| {
        repeated(|| Ok(ms(measure::check(&binary, &[arguments, &one].concat())?.0.wall)))
    };
    let silent = time(&[compiled, "--replay", "off"])?;
    let judged = time(&[compiled])?;
    let (_, report) = measure::check(&binary, &[compiled, "--replay", "off", "--jobs", "1"])?;
    let sum = |name: &str| results(&report).iter().map(|r| stat(r, name)).sum::<f64>();
    let (encode, solve, all) = (sum("encode_ms"), sum("solve_ms"), sum("time_ms"));
    println!("stages of checking examples/, one worker, median of {RUNS} runs (ms)");
    println!("(a run overlaps JVM start with compiling, and methods with each other)");
    let mut table = Table::new(&["stage", "ms"]);
    let mut line = |name: &str, value: f64| table.row(vec![name.into(), format!("{value:.0}")]);
    line("javac, alone", javac);
    line("java -version, alone", java);
    line("class files, no replay: whole run", silent);
    line("  encoding, with loading and lowering on demand", encode);
    line("  solving", solve);
    line("  decoding and bookkeeping of the methods", (all - encode - solve).max(0.0));
    line("  start, class path, report", (silent - all).max(0.0));
    line("class files, with replay: whole run", judged);
    line("  replay, with the JVM's start", (judged - silent).max(0.0));
    table.print();
    Ok(())
}

fn sources() -> Result<Vec<PathBuf>, String> {
    let examples = measure::root().join("examples");
    let entries = std::fs::read_dir(examples).map_err(|e| e.to_string())?;
    let mut found: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    found.retain(|path| path.extension().is_some_and(|e| e == "java"));
    found.sort();
    Ok(found)
}

fn repeated(mut once: impl FnMut() -> Result<f64, String>) -> Result<f64, String> {
    let times: Result<Vec<f64>, String> = (0..RUNS).map(|_| once()).collect();
    Ok(median(times?))
}
