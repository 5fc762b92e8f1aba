//! What one report says, counted.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::Value;

use super::corpus::Seeded;
use crate::bench::measure;

/// A violation, as far as it is counted.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Shown {
    severity: String,
    property: String,
    line: u64,
    method: String,
    /// A program comes there, or no object is needed.
    is_reached: bool,
}

/// Figures of a report.
#[derive(Default)]
pub struct Outcome {
    pub methods: usize,
    pub verified: usize,
    pub undecided: usize,
    pub errors: usize,
    pub warnings: usize,
    pub preconditions: usize,
    pub wall: Duration,
    pub causes: BTreeMap<String, usize>,
    pub error_texts: Vec<String>,
    shown: BTreeSet<Shown>,
}

/// What became of a seeded bug.
pub enum Found {
    /// An error at a line where the failure shows, with a way there.
    Error { line: u64 },
    /// An error which the right version does not have, at a line where nobody would look for it.
    Elsewhere { line: u64, property: String },
    /// Only possible: no way there is known.
    Warning { line: u64 },
    /// Not at all; the causes of methods that were left open.
    Missed { open: BTreeMap<String, usize> },
}

impl Outcome {
    /// Counts what a report says.
    pub fn of(report: &Value, wall: Duration) -> Result<Outcome, String> {
        if let Some(why) = report["error"].as_str() {
            return Err(why.to_string());
        }
        let mut outcome = Outcome { wall, ..Outcome::default() };
        for result in measure::results(report) {
            outcome.count(result);
        }
        Ok(outcome)
    }

    fn count(&mut self, result: &Value) {
        self.methods += 1;
        match result["verdict"].as_str() {
            Some("verified") => self.verified += 1,
            Some("undecided") => self.undecided += 1,
            _ => {}
        }
        if result["verdict"] == "undecided" {
            *self.causes.entry(general(result["cause"].as_str().unwrap_or("?"))).or_insert(0) += 1;
        }
        for violation in result["violations"].as_array().into_iter().flatten() {
            self.show(result, violation);
        }
    }

    fn show(&mut self, result: &Value, violation: &Value) {
        let text = |value: &Value| value.as_str().unwrap_or("?").to_string();
        let shown = Shown {
            severity: text(&violation["severity"]),
            property: text(&violation["property"]),
            line: violation["location"]["line"].as_u64().unwrap_or(0),
            method: text(&result["method"]),
            is_reached: !violation["route"].is_null() || violation["pre_state"]["this"].is_null(),
        };
        match shown.severity.as_str() {
            "error" => {
                self.errors += 1;
                let (property, line) = (&shown.property, shown.line);
                self.error_texts.push(format!("{property} at line {line}, from {}", shown.method));
            }
            "precondition" => self.preconditions += 1,
            _ => self.warnings += 1,
        }
        self.shown.insert(shown);
    }

    /// Adds the figures of another report.
    pub fn add(&mut self, other: &Outcome) {
        self.methods += other.methods;
        self.verified += other.verified;
        self.undecided += other.undecided;
        self.errors += other.errors;
        self.warnings += other.warnings;
        self.preconditions += other.preconditions;
        self.wall += other.wall;
        for (cause, count) in &other.causes {
            *self.causes.entry(cause.clone()).or_insert(0) += count;
        }
    }

    /// Methods, what they came to, and what was shown.
    pub fn columns(&self) -> [String; 6] {
        let numbers = [
            self.methods,
            self.verified,
            self.undecided,
            self.errors,
            self.warnings,
            self.preconditions,
        ];
        numbers.map(|number| number.to_string())
    }

    /// Looks for a seeded bug in the report on a version that has it.
    pub fn find(&self, seeded: &Seeded, right: &Outcome) -> Found {
        let here = |shown: &&Shown| seeded.fails.contains(&shown.line);
        let is_error = |shown: &&Shown| shown.severity == "error" && shown.is_reached;
        if let Some(shown) = self.shown.iter().filter(here).find(is_error) {
            return Found::Error { line: shown.line };
        }
        let is_new = |shown: &&Shown| !right.shown.contains(*shown);
        if let Some(shown) = self.shown.iter().filter(is_new).find(is_error) {
            let property = shown.property.clone();
            return Found::Elsewhere { line: shown.line, property };
        }
        if let Some(shown) = self.shown.iter().find(here) {
            return Found::Warning { line: shown.line };
        }
        Found::Missed { open: self.causes.clone() }
    }
}

impl Found {
    /// Whether it is shown as what it is.
    pub fn is_error(&self) -> bool {
        matches!(self, Found::Error { .. })
    }

    /// A word for the table.
    pub fn short(&self) -> String {
        match self {
            Found::Error { line } => format!("line {line}"),
            Found::Elsewhere { line, .. } => format!("elsewhere {line}"),
            Found::Warning { .. } => "warning".to_string(),
            Found::Missed { .. } => "no".to_string(),
        }
    }

    /// A sentence.
    pub fn long(&self) -> String {
        match self {
            Found::Error { line } => format!("an error at line {line}"),
            Found::Elsewhere { line, property } => {
                format!("an error at another line: {property} at line {line}")
            }
            Found::Warning { line } => format!("a warning at line {line}"),
            Found::Missed { open } => {
                let open: Vec<String> = open.iter().map(|(c, n)| format!("{n} {c}")).collect();
                format!("nothing; undecided are: {}", open.join(", "))
            }
        }
    }
}

/// A cause without the places that belong to one method.
fn general(cause: &str) -> String {
    let cause = match cause.strip_prefix("possible: ") {
        Some(possible) => format!("possible: {}", possible.split([' ', ',']).next().unwrap_or("")),
        None => cause.split(" (").next().unwrap_or(cause).to_string(),
    };
    cause.chars().take(90).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(severity: &str, line: u64) -> Value {
        let this = "A#0";
        serde_json::json!({"results": [{"method": "m()", "verdict": "violated", "violations": [
            {"severity": severity, "property": "assert", "location": {"line": line},
             "route": {"calls": []}, "pre_state": {"this": this}}]}]})
    }

    fn find(severity: &str, line: u64, right: &Outcome) -> String {
        let seeded = Seeded { kind: String::new(), fails: [7].into() };
        Outcome::of(&report(severity, line), Duration::ZERO).unwrap().find(&seeded, right).short()
    }

    #[test]
    fn a_bug_is_found_where_it_shows() {
        let right = Outcome::default();
        assert_eq!(find("error", 7, &right), "line 7");
        assert_eq!(find("error", 8, &right), "elsewhere 8");
        assert_eq!(find("warning", 7, &right), "warning");
        assert_eq!(find("warning", 8, &right), "no");
    }

    #[test]
    fn what_the_right_version_has_too_finds_nothing() {
        let right = Outcome::of(&report("error", 8), Duration::ZERO).unwrap();
        assert_eq!(find("error", 8, &right), "no");
    }

    #[test]
    fn causes_are_counted_without_their_places() {
        assert_eq!(general("possible: array-index (A.java:3), in a"), "possible: array-index");
        assert_eq!(general("unsupported: x (A.java:3)"), "unsupported: x");
    }
}
