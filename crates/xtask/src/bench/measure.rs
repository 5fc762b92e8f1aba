//! Running the built binary and watching what it and its children need.
//!
//! Memory comes from `/proc`: the kernel keeps the peak of each process, so that looking a few
//! dozen times a second misses only what is allocated just before the end.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

const INTERVAL: Duration = Duration::from_millis(15);

/// The top of the project.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Builds the binary as users run it and tells where it is.
pub fn binary() -> Result<PathBuf, String> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let mut build = Command::new(cargo);
    build.args(["build", "--release", "--quiet", "-p", "jarosite"]).current_dir(root());
    match build.status() {
        Ok(status) if status.success() => {}
        other => return Err(format!("the binary cannot be built: {other:?}")),
    }
    let own = std::env::current_exe().map_err(|e| e.to_string())?;
    let found = own.with_file_name("jarosite");
    found.exists().then_some(found).ok_or_else(|| "target/release/jarosite is missing".into())
}

/// What one process cost.
pub struct Cost {
    pub wall: Duration,
    /// Processor time of the process and its children that have ended, as last seen: what other
    /// programs on the machine disturb least.
    pub cpu: Duration,
    /// Peak resident memory by program name, in MB; of several of one name the largest.
    pub peaks: BTreeMap<String, f64>,
    /// Largest sum of resident memory over the process and its children at one time, in MB.
    pub together: f64,
    pub stdout: Vec<u8>,
}

/// Runs a command to its end. Exit codes are its own affair.
pub fn watch(command: &mut Command) -> Result<Cost, String> {
    let output = tempfile::NamedTempFile::new().map_err(|e| e.to_string())?;
    let file = output.reopen().map_err(|e| e.to_string())?;
    let start = Instant::now();
    let started = command.stdin(Stdio::null()).stdout(file).stderr(Stdio::null()).spawn();
    let mut child = started.map_err(|e| format!("{command:?}: {e}"))?;
    let (mut peaks, mut together) = (BTreeMap::new(), 0.0_f64);
    let mut cpu = Duration::ZERO;
    let wall = loop {
        cpu = cpu.max(processor_time(child.id()));
        let sum = observe(child.id(), &mut peaks);
        together = together.max(sum);
        match child.try_wait() {
            Ok(None) => std::thread::sleep(INTERVAL),
            Ok(Some(_)) => break start.elapsed(),
            Err(e) => return Err(e.to_string()),
        }
    };
    let stdout = fs::read(output.path()).map_err(|e| e.to_string())?;
    Ok(Cost { wall, cpu, peaks, together, stdout })
}

/// What a process has used, with its children that have ended. The kernel counts in ticks of 10 ms.
pub fn processor_time(pid: u32) -> Duration {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The name in brackets may hold anything; the times are the 12th to 15th word after it.
    let words = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks: u64 = words.skip(11).take(4).filter_map(|w| w.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 10)
}

/// Updates the peaks of a process and its descendants; the sum of what they hold now.
fn observe(root: u32, peaks: &mut BTreeMap<String, f64>) -> f64 {
    let mut sum = 0.0;
    for pid in descendants(root) {
        let Ok(status) = fs::read_to_string(format!("/proc/{pid}/status")) else {
            continue;
        };
        let field = |name: &str| {
            let line = status.lines().find(|l| l.starts_with(name))?;
            line[name.len()..].split_whitespace().next()
        };
        let mega = |name: &str| field(name).and_then(|v| v.parse::<f64>().ok()).unwrap_or(0.0);
        let program = field("Name:").unwrap_or("?").to_string();
        let peak = peaks.entry(program).or_insert(0.0);
        *peak = peak.max(mega("VmHWM:") / 1024.0);
        sum += mega("VmRSS:") / 1024.0;
    }
    sum
}

fn descendants(root: u32) -> Vec<u32> {
    let mut parents = Vec::new();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    for pid in entries.filter_map(|e| e.file_name().to_str()?.parse::<u32>().ok()) {
        let Ok(stat) = fs::read_to_string(format!("/proc/{pid}/stat")) else {
            continue;
        };
        // The name in brackets may hold anything; the parent is the second word after it.
        let after = stat.rsplit(')').next().unwrap_or_default();
        if let Some(Ok(parent)) = after.split_whitespace().nth(1).map(str::parse::<u32>) {
            parents.push((pid, parent));
        }
    }
    let mut found = vec![root];
    let mut at = 0;
    while at < found.len() {
        let parent = found[at];
        found.extend(parents.iter().filter(|p| p.1 == parent).map(|p| p.0));
        at += 1;
    }
    found
}

/// `jarosite check ARGS --format json`, with what it cost.
pub fn check(binary: &Path, arguments: &[&str]) -> Result<(Cost, Value), String> {
    // What an earlier run has left would not be measured.
    let cache = tempfile::tempdir().map_err(|e| e.to_string())?;
    let mut command = Command::new(binary);
    command.arg("check").args(arguments).args(["--format", "json"]).current_dir(root());
    command.env("JAROSITE_CACHE_DIR", cache.path());
    let cost = watch(&mut command)?;
    let report = serde_json::from_slice(&cost.stdout)
        .map_err(|e| format!("{command:?} wrote no report: {e}"))?;
    Ok((cost, report))
}

/// The middle one of these numbers.
pub fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(0.0)
}

/// The smallest: the run that other programs disturbed least.
pub fn fastest(numbers: Vec<f64>) -> f64 {
    numbers.into_iter().fold(f64::INFINITY, f64::min)
}

/// Milliseconds.
pub fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

/// A number of a method's statistics.
pub fn stat(result: &Value, name: &str) -> f64 {
    result["stats"][name].as_f64().unwrap_or(0.0)
}

/// The methods of a report.
pub fn results(report: &Value) -> &[Value] {
    report["results"].as_array().map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
    }

    #[test]
    fn a_process_is_watched_to_its_end() {
        let cost = watch(Command::new("sh").args(["-c", "sleep 0.1; echo done"])).unwrap();
        assert_eq!(cost.stdout, b"done\n");
        assert!(cost.peaks.values().any(|mb| *mb > 0.0));
        assert!(cost.cpu < cost.wall);
    }
}
