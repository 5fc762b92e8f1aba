//! Libraries that Debian ships, as they are: a sample of their methods, the same in every run, and what
//! a maintainer would be told about them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use jarosite::inputs::Inputs;
use jarosite::jdk::Jdk;
use jarosite::project::Project;
use serde_json::Value;
use verify::select::{self, Filter};

use super::outcome::Outcome;
use super::{Plan, print_causes};
use crate::bench::measure;
use crate::bench::table::Table;

/// Debian's package, and its jar.
const JARS: [(&str, &str); 6] = [
    ("libcommons-cli-java", "commons-cli"),
    ("libcommons-lang3-java", "commons-lang3"),
    ("libcommons-codec-java", "commons-codec"),
    ("libcommons-collections4-java", "commons-collections4"),
    ("libjoda-time-java", "joda-time"),
    ("libguava-java", "guava"),
];

/// Classes that one run of the tool is given: it reads the jar once for all of them.
const TOGETHER: usize = 12;

/// A class and the signature of one of its methods.
type Name = (String, String);

pub(super) fn run(plan: &Plan, binary: &Path) -> Result<(), String> {
    let mut table = Table::new(&[
        "jar",
        "sample",
        "verified",
        "undecided",
        "decided",
        "errors",
        "warnings",
        "preconditions",
        "seconds",
    ]);
    let mut total = Outcome::default();
    for (package, jar) in JARS.into_iter().filter(|(_, jar)| plan.wants(jar)) {
        let path = install(package, jar)?;
        let sample = sample(&path, plan.sample)?;
        let outcome = check(plan, binary, jar, &path, &sample)?;
        table.row(row(jar, &outcome));
        total.add(&outcome);
    }
    table.row(row("all", &total));
    println!("errors, warnings and preconditions are per 1,000 methods\n");
    table.print();
    print_causes(&total.causes);
    Ok(())
}

fn row(name: &str, outcome: &Outcome) -> Vec<String> {
    let methods = outcome.methods.max(1) as f64;
    let per_thousand = |n: usize| format!("{:.1}", n as f64 * 1000.0 / methods);
    let decided = (outcome.methods - outcome.undecided.min(outcome.methods)) as f64 / methods;
    vec![
        name.to_string(),
        outcome.methods.to_string(),
        outcome.verified.to_string(),
        outcome.undecided.to_string(),
        format!("{:.0} %", decided * 100.0),
        per_thousand(outcome.errors),
        per_thousand(outcome.warnings),
        per_thousand(outcome.preconditions),
        format!("{:.0}", outcome.wall.as_secs_f64()),
    ]
}

/// The jar, installed if it is missing.
fn install(package: &str, jar: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(format!("/usr/share/java/{jar}.jar"));
    if !path.exists() {
        eprintln!("installing {package} ...");
        let mut install = Command::new("apt-get");
        install.args(["install", "-y", "-qq", package]).env("DEBIAN_FRONTEND", "noninteractive");
        // The table goes to standard output.
        install.stdout(std::io::stderr());
        install.status().map_err(|e| format!("apt-get: {e}"))?;
    }
    let is_there = path.exists();
    is_there.then_some(path).ok_or_else(|| format!("install {package}, then try again"))
}

/// So many methods, chosen by the hashes of their names.
fn sample(jar: &Path, count: usize) -> Result<BTreeSet<Name>, String> {
    let jdk = Jdk::find()?;
    let project = Project::open(&jdk, &Inputs::collect(&[jar.to_path_buf()], &[], &[]))?;
    let program = &project.program;
    let methods = select::methods(program, &project.checked, &Filter::default());
    let mut named: Vec<(u64, Name)> = Vec::new();
    for method in methods {
        let method = program.method(method);
        let class = program.class_name(method.class).to_string();
        let signature = program.signature(method);
        named.push((hash(&format!("{class}.{signature}")), (class, signature)));
    }
    named.sort();
    Ok(named.into_iter().take(count).map(|(_, name)| name).collect())
}

/// FNV-1a: the same everywhere.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Checks the sample, some classes at a time.
fn check(
    plan: &Plan,
    binary: &Path,
    jar: &str,
    path: &Path,
    sample: &BTreeSet<Name>,
) -> Result<Outcome, String> {
    let mut by_class: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (class, signature) in sample {
        by_class.entry(class).or_default().push(signature);
    }
    let classes: Vec<(&str, Vec<&str>)> = by_class.into_iter().collect();
    let mut outcome = Outcome::default();
    let mut results = Vec::new();
    for (at, classes) in classes.chunks(TOGETHER).enumerate() {
        eprintln!("{jar}: class {} ...", at * TOGETHER + 1);
        let path = path.to_string_lossy();
        let mut arguments = vec![&*path, "--timeout", "3"];
        for (class, signatures) in classes {
            arguments.extend(["--class", class]);
            arguments.extend(signatures.iter().flat_map(|signature| ["--method", signature]));
        }
        let (cost, mut report) = measure::check(binary, &arguments)?;
        let of_sample = |result: &Value| {
            let text = |key: &str| result[key].as_str().unwrap_or_default().to_string();
            sample.contains(&(text("class"), text("method")))
        };
        // A name that two classes share was asked of both.
        let all = report["results"].as_array_mut().ok_or("a report without results")?;
        all.retain(of_sample);
        results.extend(all.iter().cloned());
        outcome.add(&Outcome::of(&report, cost.wall)?);
    }
    plan.keep(jar, &serde_json::json!({ "results": results }))?;
    Ok(outcome)
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_sample_is_the_same_everywhere() {
        assert_eq!(super::hash("a"), 0xaf63_dc4c_8601_ec8c);
    }
}
