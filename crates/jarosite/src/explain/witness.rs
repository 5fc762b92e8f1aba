//! What was found, for other tools: a witness in the format 2 of the competition on software
//! verification. A proof is an `invariant_set`, an execution a `violation_sequence`.
//!
//! A witness says only what other tools read as it is meant: an invariant whose text is not exactly C
//! is left out.

use std::fmt::Write;
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use explain::inputs::{Given, Inputs};
use explain::program::{Path, Program, Unknown};
use explain::tell::Invariant;
use sha2::{Digest, Sha256};

use crate::files;

/// What a witness is about.
pub struct Task<'a> {
    pub files: &'a [PathBuf],
    pub property: &'a str,
}

/// A proof as a witness.
pub fn proof(task: &Task<'_>, invariants: &[Invariant]) -> String {
    let mut content = String::new();
    for invariant in invariants {
        let Some(value) = &invariant.c else { continue };
        let _ = write!(
            content,
            "  - invariant:\n      type: loop_invariant\n{}      value: {}\n      format: c_expression\n",
            location(&invariant.file, invariant.line, &invariant.procedure, "      "),
            quoted(value)
        );
    }
    entry(task, "invariant_set", &content)
}

/// An execution as a witness: what each unknown function returns, and where it ends: at this line, or
/// where the last step of the path is.
pub fn violation(
    task: &Task<'_>,
    program: &Program,
    path: &Path,
    inputs: &Inputs,
    ends: Option<u32>,
) -> String {
    let mut content = String::new();
    let mut waypoint = |step: usize, line: Option<u32>, kind: &str, value: Option<String>| {
        let step = &path.steps[step];
        let line = line.unwrap_or(step.origin.line);
        let procedure = &program.procedure(path.procedure(step.frame)).name;
        let place = location(&step.origin.file, line, procedure, "        ");
        let _ = write!(
            content,
            "  - segment:\n    - waypoint:\n        type: {kind}\n        action: follow\n{place}"
        );
        if let Some(value) = value {
            let _ = write!(
                content,
                "        constraint:\n          value: {}\n          format: ext_c_expression\n",
                quoted(&value)
            );
        }
    };
    for outside in &inputs.outside {
        if let (Unknown::Result(_), Given::Number(_)) = (&outside.why, &outside.value) {
            let value = format!("\\result == {}", outside.text);
            waypoint(outside.step, None, "function_return", Some(value));
        }
    }
    if let Some(last) = path.steps.len().checked_sub(1) {
        waypoint(last, ends, "target", None);
    }
    entry(task, "violation_sequence", &content)
}

fn location(file: &str, line: u32, procedure: &str, indent: &str) -> String {
    format!(
        "{indent}location:\n{indent}  file_name: {}\n{indent}  line: {line}\n{indent}  function: {}\n",
        quoted(file),
        quoted(procedure)
    )
}

fn entry(task: &Task<'_>, kind: &str, content: &str) -> String {
    let mut inputs = String::from("      input_files:\n");
    let mut hashes = String::from("      input_file_hashes:\n");
    for file in task.files {
        let text = files::read_to_string(file).unwrap_or_default();
        let name = quoted(&file.display().to_string());
        let _ = writeln!(inputs, "        - {name}");
        let _ = writeln!(hashes, "        {name}: {}", quoted(&hash(text.as_bytes())));
    }
    let content = if content.is_empty() {
        "  content: []\n".to_owned()
    } else {
        format!("  content:\n{content}")
    };
    let id = identifier(&format!("{kind}{inputs}{hashes}{content}"));
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    format!(
        "- entry_type: {kind}\n  metadata:\n    format_version: '2.0'\n    uuid: {id}\n    \
         creation_time: '{}'\n    producer:\n      name: jarosite\n      version: '{}'\n    task:\n\
         {inputs}{hashes}      specification: {}\n      data_model: LP64\n      language: C\n{content}",
        written(since.as_secs()),
        env!("CARGO_PKG_VERSION"),
        quoted(task.property)
    )
}

/// A text as YAML: in single quotes nothing has a meaning but the quote.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The same identifier for the same content.
fn identifier(content: &str) -> String {
    let hash = hash(content.as_bytes());
    let variant = ["8", "9", "a", "b"][usize::from(hash.as_bytes()[16] % 4)];
    format!(
        "{}-{}-8{}-{variant}{}-{}",
        &hash[..8],
        &hash[8..12],
        &hash[13..16],
        &hash[17..20],
        &hash[20..32]
    )
}

/// A point in time as ISO 8601 has it, from the days of the proleptic Gregorian calendar.
fn written(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Years begin in March here, so that the leap day is the last one of a year.
    let shifted = days + 719_468;
    let (era, day) = (shifted / 146_097, shifted % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * month + 2) / 5 + 1;
    let (month, later) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    format!(
        "{:04}-{month:02}-{of_month:02}T{:02}:{:02}:{:02}Z",
        era * 400 + year + later,
        rest / 3_600,
        rest / 60 % 60,
        rest % 60
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_calendar() {
        assert_eq!(written(0), "1970-01-01T00:00:00Z");
        assert_eq!(written(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(written(1_795_132_799), "2026-11-19T23:59:59Z");
    }

    #[test]
    fn a_quote_in_a_text_stays_one() {
        assert_eq!(quoted("c == 'a'"), "'c == ''a'''");
    }
}
