//! What makes a violation the same one in the next run: everything but the lines, which move, and the
//! input that shows it, which may be another one.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};
use verify::{MethodResult, Violation};

use crate::Sources;

/// Bytes of a fingerprint; two violations of one project that share one are not to be expected.
const BYTES: usize = 8;

/// The fingerprint of each violation of a result, in their order. Those that are alike in everything
/// are told apart by their order.
pub fn fingerprints(result: &MethodResult, sources: &dyn Sources) -> Vec<String> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut found = Vec::new();
    for violation in result.violations() {
        let identity = identity(result, violation, sources);
        let number = seen.entry(identity.clone()).or_default();
        let hash = Sha256::digest(format!("{identity}\n{number}"));
        found.push(hash.iter().take(BYTES).map(|byte| format!("{byte:02x}")).collect());
        *number += 1;
    }
    found
}

fn identity(result: &MethodResult, violation: &Violation, sources: &dyn Sources) -> String {
    let at = &violation.at;
    let text = match &violation.clause {
        Some(clause) => Some(clause.text.clone()),
        None => sources.line(&at.class, &at.file, at.line),
    };
    let text = text.unwrap_or_default();
    let words: Vec<&str> = text.split_whitespace().collect();
    [
        "jarosite/1",
        violation.property.name(),
        &result.class,
        &result.method,
        &at.class,
        &at.method,
        &words.join(" "),
    ]
    .join("\n")
}
