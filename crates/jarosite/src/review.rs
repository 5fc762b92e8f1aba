//! What a project thinks of its violations: those that a comment, the configuration or a baseline
//! accepts do not fail a build. They stay in the reports, with the reason.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use report::Sources;
use serde::{Deserialize, Serialize};
use verify::{Accepted, AcceptedBy, MethodResult, Property, Verdict, Violation};

use crate::config::{Suppressed, named_property};

/// How a comment begins that accepts a violation: `// jarosite:ignore property reason`.
const MARKER: &str = "jarosite:ignore";

const SCHEMA: &str = "jarosite-baseline/1";

/// Violations that were known at some time.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    schema: String,
    violations: Vec<Known>,
}

/// One of them; all but the fingerprint is for readers.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    fingerprint: String,
    property: String,
    class: String,
    method: String,
    message: String,
}

impl Baseline {
    /// Reads a baseline; an error is a sentence.
    pub fn read(path: &Path) -> Result<Baseline, String> {
        let again = "write it with --write-baseline";
        let text = crate::files::read_to_string(path)
            .map_err(|error| format!("cannot read {}: {error}: {again}", path.display()))?;
        let baseline: Baseline = serde_json::from_str(&text)
            .map_err(|error| format!("{} is no baseline: {error}: {again}", path.display()))?;
        match baseline.schema == SCHEMA {
            true => Ok(baseline),
            false => Err(format!("{} is not of the form {SCHEMA}: {again}", path.display())),
        }
    }

    /// What a run found, without what is accepted elsewhere.
    pub fn of(results: &[MethodResult]) -> Baseline {
        let mut violations = Vec::new();
        for result in results {
            for violation in result.violations() {
                let by = violation.review.accepted.as_ref().map(|accepted| accepted.by);
                if by.is_none() || by == Some(AcceptedBy::Baseline) {
                    violations.push(Known {
                        fingerprint: violation.review.fingerprint.clone(),
                        property: violation.property.name().into(),
                        class: result.class.clone(),
                        method: result.method.clone(),
                        message: violation.message.clone(),
                    });
                }
            }
        }
        Baseline { schema: SCHEMA.into(), violations }
    }

    /// How many violations it knows.
    pub fn len(&self) -> usize {
        self.violations.len()
    }

    /// Whether it knows none.
    pub fn is_empty(&self) -> bool {
        self.violations.is_empty()
    }

    /// As a file, a line for each violation so that a difference of two can be read.
    pub fn text(&self) -> String {
        let line = |known: &Known| serde_json::to_string(known).expect("texts can be written");
        let lines: Vec<String> = self.violations.iter().map(line).collect();
        let list = match lines.is_empty() {
            true => String::new(),
            false => format!("\n  {}\n", lines.join(",\n  ")),
        };
        format!("{{\"schema\": \"{SCHEMA}\", \"violations\": [{list}]}}\n")
    }
}

/// Goes through results as they come.
#[derive(Default)]
pub struct Reviewer {
    suppressed: BTreeMap<String, String>,
    baseline: BTreeSet<String>,
    /// Fingerprints that were met, of the baseline or of suppressions.
    met: RefCell<BTreeSet<String>>,
    /// Comments that were met: path and line.
    comments: RefCell<BTreeSet<(String, u32)>>,
}

impl Reviewer {
    pub fn new(suppressed: &[Suppressed], baseline: Option<&Baseline>) -> Reviewer {
        let known = baseline.iter().flat_map(|b| &b.violations);
        Reviewer {
            suppressed: suppressed
                .iter()
                .map(|s| (s.fingerprint.clone(), s.reason.clone()))
                .collect(),
            baseline: known.map(|known| known.fingerprint.clone()).collect(),
            met: RefCell::default(),
            comments: RefCell::default(),
        }
    }

    /// Gives violations their fingerprints, and says which are accepted.
    pub fn review(&self, result: &mut MethodResult, sources: &dyn Sources) {
        let prints = report::fingerprints(result, sources);
        if let Verdict::Violated(violations) = &mut result.verdict {
            for (violation, print) in violations.iter_mut().zip(prints) {
                let comment = ignored(violation, sources).map(|(comment, reason)| {
                    self.comments.borrow_mut().insert(comment);
                    reason
                });
                violation.review.accepted = self.accepted(&print, comment);
                violation.review.fingerprint = print;
            }
        }
    }

    fn accepted(&self, print: &str, comment: Option<String>) -> Option<Accepted> {
        let is_known = self.baseline.contains(print);
        self.met.borrow_mut().insert(print.to_string());
        if let Some(reason) = comment {
            return Some(Accepted { by: AcceptedBy::Comment, reason });
        }
        if let Some(reason) = self.suppressed.get(print) {
            return Some(Accepted { by: AcceptedBy::Configuration, reason: reason.clone() });
        }
        let reason = "it was there before".into();
        is_known.then_some(Accepted { by: AcceptedBy::Baseline, reason })
    }

    /// Violations of the baseline that are gone.
    pub fn gone(&self) -> usize {
        let met = self.met.borrow();
        self.baseline.iter().filter(|print| !met.contains(*print)).count()
    }

    /// Whether a violation with this fingerprint was met.
    pub fn has_met(&self, fingerprint: &str) -> bool {
        self.met.borrow().contains(fingerprint)
    }

    /// Whether the comment on this line has accepted a violation.
    pub fn has_met_comment(&self, path: &str, line: u32) -> bool {
        self.comments.borrow().contains(&(path.to_string(), line))
    }
}

/// A line of a file, by its path.
type Line = (String, u32);

/// The comment that accepts a violation, and its reason: on its line, in the comments right above it, or
/// at the clause that it violates.
fn ignored(violation: &Violation, sources: &dyn Sources) -> Option<(Line, String)> {
    let at = &violation.at;
    let line = |number: u32| sources.line(&at.class, &at.file, number);
    let here = || {
        let (number, reason) = said_at(at.line, &line, violation.property)?;
        Some(((sources.path(&at.class, &at.file)?, number), reason))
    };
    let by_clause = || {
        let clause = violation.clause.as_ref()?;
        let line = |number: u32| sources.line_of(&clause.file, number);
        let (number, reason) = said_at(clause.line, &line, violation.property)?;
        Some(((clause.file.clone(), number), reason))
    };
    here().or_else(by_clause)
}

fn said_at(
    number: u32,
    line: &dyn Fn(u32) -> Option<String>,
    property: Property,
) -> Option<(u32, String)> {
    let mut current = number;
    while let Some(text) = line(current) {
        let is_comment = ["//", "/*", "*"].iter().any(|start| text.trim_start().starts_with(start));
        if current != number && !is_comment {
            break;
        }
        match said(&text) {
            Some(Ok((accepted, reason))) if accepted == property => return Some((current, reason)),
            _ => {}
        }
        current = current.checked_sub(1)?;
    }
    None
}

/// What a line accepts, and why; an error is a sentence about a comment that does not mean what it seems to.
pub fn said(text: &str) -> Option<Result<(Property, String), String>> {
    let (before, after) = text.split_once(MARKER)?;
    if !before.contains("//") && !before.contains('*') {
        return None;
    }
    let after = after.trim().trim_end_matches("*/").trim();
    let (name, reason) = after.split_once(char::is_whitespace).unwrap_or((after, ""));
    match named_property(name) {
        Err(why) => Some(Err(format!("{why}; write `// {MARKER} property reason`"))),
        Ok(_) if reason.trim().is_empty() => {
            Some(Err(format!("`{MARKER} {name}` needs a reason behind it, and is not obeyed")))
        }
        Ok(property) => Some(Ok((property, reason.trim().to_string()))),
    }
}
