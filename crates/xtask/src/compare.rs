//! `xtask compare OLD NEW [PATH…] [-- ARGS]`: whether two binaries find out the same.
//!
//! Both check the fixtures and the examples, or the given paths. What follows from the program is compared:
//! verdicts, causes, violations with their executions, statistics. What follows from the clock is left out.
//! Every fixture is put in a package of its own, so that all are one run.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// What differs from run to run.
const OF_THE_CLOCK: [&str; 4] = ["time_ms", "encode_ms", "solve_ms", "cached"];

/// More than this about one method is said in a number.
const SHOWN: usize = 4;

/// Runs both and tells what differs; whether nothing does.
pub fn run(arguments: &[String]) -> Result<bool, String> {
    let (own, passed_on) = match arguments.iter().position(|a| a == "--") {
        Some(at) => (&arguments[..at], &arguments[at + 1..]),
        None => (arguments, &[][..]),
    };
    let [old, new, paths @ ..] = own else {
        return Err("usage: xtask compare OLD NEW [PATH…] [-- ARGS of jarosite check]".into());
    };
    let directory = tempfile::tempdir().map_err(|e| e.to_string())?;
    let paths = match paths {
        [] => {
            vec![packed_fixtures(directory.path())?, crate::bench::measure::root().join("examples")]
        }
        paths => paths.iter().map(PathBuf::from).collect(),
    };
    let mut differences = 0;
    for path in &paths {
        let (before, after) = (check(old, path, passed_on)?, check(new, path, passed_on)?);
        println!("{}: {} methods", path.display(), after.len());
        for line in differing(&before, &after) {
            differences += 1;
            println!("  {line}");
        }
    }
    println!("{differences} differences");
    Ok(differences == 0)
}

/// All fixtures, each in a package of its own that is named after it.
fn packed_fixtures(into: &Path) -> Result<PathBuf, String> {
    let fixtures = crate::bench::measure::root().join("fixtures");
    let into = into.join("fixtures");
    let mut files = Vec::new();
    below(&fixtures, &mut files).map_err(|e| e.to_string())?;
    for file in files {
        let name = file.strip_prefix(&fixtures).unwrap_or(&file).with_extension("");
        let name = name.display().to_string().replace(|c: char| !c.is_ascii_alphanumeric(), "_");
        let package = format!("f_{name}");
        let text = fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        let directory = into.join(&package);
        fs::create_dir_all(&directory).map_err(|e| e.to_string())?;
        let target = directory.join(file.file_name().unwrap_or_default());
        // In front of the first line, so that lines keep their numbers.
        let text = format!("package {package}; {text}");
        fs::write(target, text).map_err(|e| e.to_string())?;
    }
    Ok(into)
}

/// Sources and the specifications that stand beside them.
fn below(directory: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let mut entries = fs::read_dir(directory)?.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(fs::DirEntry::path);
    for entry in entries {
        let path = entry.path();
        if path.is_dir() {
            below(&path, files)?;
        } else if path.extension().is_some_and(|e| e == "java" || e == "jml") {
            files.push(path);
        }
    }
    Ok(())
}

/// What a binary says of each method.
fn check(
    binary: &str,
    path: &Path,
    arguments: &[String],
) -> Result<BTreeMap<String, Value>, String> {
    // Nothing that another binary has kept: what is found again is found otherwise.
    let kept = tempfile::tempdir().map_err(|e| e.to_string())?;
    let mut command = Command::new(binary);
    command.env("JAROSITE_CACHE_DIR", kept.path());
    command.args(["check", "--format", "json", "--no-cache"]).args(arguments).arg(path);
    let output = command.stderr(Stdio::inherit()).output().map_err(|e| format!("{binary}: {e}"))?;
    let document: Value = serde_json::from_slice(&output.stdout)
        .map_err(|e| format!("{binary} wrote no report about {}: {e}", path.display()))?;
    let results = document["results"].as_array().cloned().unwrap_or_default();
    let mut methods = BTreeMap::new();
    for mut result in results {
        let word = |key: &str| result[key].as_str().unwrap_or_default().to_string();
        let name = format!("{} {}.{}", word("path"), word("class"), word("method"));
        forget_clock(&mut result);
        methods.insert(name, result);
    }
    Ok(methods)
}

fn forget_clock(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|key, _| !OF_THE_CLOCK.contains(&key.as_str()));
            fields.values_mut().for_each(forget_clock);
        }
        Value::Array(values) => values.iter_mut().for_each(forget_clock),
        _ => {}
    }
}

/// One line for each thing that differs, and for each method that only one of them knows.
fn differing(before: &BTreeMap<String, Value>, after: &BTreeMap<String, Value>) -> Vec<String> {
    let mut lines = Vec::new();
    for (name, old) in before {
        let Some(new) = after.get(name) else {
            lines.push(format!("{name}: gone"));
            continue;
        };
        let mut found = Vec::new();
        differences("", old, new, &mut found);
        let more = found.len().saturating_sub(SHOWN);
        found.truncate(SHOWN);
        lines.extend(found.into_iter().map(|what| format!("{name}{what}")));
        if more > 0 {
            lines.push(format!("{name}: {more} more"));
        }
    }
    let is_new = |name: &&String| !before.contains_key(*name);
    lines.extend(after.keys().filter(is_new).map(|name| format!("{name}: new")));
    lines
}

fn differences(at: &str, old: &Value, new: &Value, found: &mut Vec<String>) {
    match (old, new) {
        (Value::Object(before), Value::Object(after)) => {
            let keys: std::collections::BTreeSet<&String> =
                before.keys().chain(after.keys()).collect();
            for key in keys {
                let of = |fields: &serde_json::Map<String, Value>| {
                    fields.get(key).cloned().unwrap_or(Value::Null)
                };
                differences(&format!("{at}.{key}"), &of(before), &of(after), found);
            }
        }
        (Value::Array(before), Value::Array(after)) if before.len() == after.len() => {
            for (number, (old, new)) in before.iter().zip(after).enumerate() {
                differences(&format!("{at}[{number}]"), old, new, found);
            }
        }
        (old, new) if old != new => found.push(format!(" {at}: {old} → {new}")),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn methods(results: &[(&str, Value)]) -> BTreeMap<String, Value> {
        let known = |(name, value): &(&str, Value)| {
            let mut value = value.clone();
            forget_clock(&mut value);
            (name.to_string(), value)
        };
        results.iter().map(known).collect()
    }

    #[test]
    fn what_differs_is_said_with_its_place_and_the_clock_does_not_count() {
        let before = methods(&[
            ("a", json!({"verdict": "verified", "stats": {"time_ms": 3, "clauses": 5}})),
            ("b", json!({"violations": [{"line": 1}]})),
            ("c", json!({})),
        ]);
        let after = methods(&[
            ("a", json!({"verdict": "verified", "stats": {"time_ms": 9, "clauses": 6}})),
            ("b", json!({"violations": [{"line": 2}]})),
            ("d", json!({})),
        ]);
        let expected =
            ["a .stats.clauses: 5 → 6", "b .violations[0].line: 1 → 2", "c: gone", "d: new"];
        assert_eq!(differing(&before, &after), expected);
        assert!(differing(&before, &before).is_empty());
    }
}
