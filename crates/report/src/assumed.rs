//! What the code was found to keep, for people: short where one clause says what another begins with.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;
use verify::MethodResult;

/// What the code of one class keeps.
pub struct Kept {
    /// Java name.
    pub class: String,
    /// Path of the source; empty if unknown.
    pub file: String,
    pub clauses: Vec<String>,
}

/// As clauses of JML under the name of each class.
pub fn kept(classes: &[Kept]) -> String {
    let mut text = String::new();
    for class in classes {
        text.push_str(&format!("// {}\n", class.class));
        for clause in short(&class.clauses.iter().map(String::as_str).collect()) {
            text.push_str(&format!("//@ invariant {clause};\n"));
        }
        text.push('\n');
    }
    text
}

/// One document, as every command of the tool prints it.
pub fn kept_as_json(classes: &[Kept], time_ms: u64) -> String {
    let result = |class: &Kept| {
        let invariants = short(&class.clauses.iter().map(String::as_str).collect());
        json!({"class": class.class, "file": class.file, "invariants": invariants})
    };
    let invariants: usize = classes.iter().map(|class| class.clauses.len()).sum();
    let document = json!({
        "schema": "jarosite/1",
        "tool": {"name": "jarosite", "version": env!("CARGO_PKG_VERSION")},
        "summary": {"classes": classes.len(), "invariants": invariants, "time_ms": time_ms},
        "results": classes.iter().map(result).collect::<Vec<_>>(),
    });
    format!("{document:#}\n")
}

/// Inferred clauses by class, of all objects that these results rest on.
pub(crate) fn by_class<'a>(
    results: impl Iterator<Item = &'a MethodResult>,
) -> BTreeMap<&'a str, Vec<&'a str>> {
    let mut found: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for assumed in results.flat_map(|result| &result.assumed).filter(|a| a.is_inferred) {
        found.entry(&assumed.class).or_default().insert(&assumed.text);
    }
    found.into_iter().map(|(class, texts)| (class, short(&texts))).collect()
}

/// `data != null && size <= data.length` beside `data != null` says no more than its second half.
pub(crate) fn short<'a>(texts: &BTreeSet<&'a str>) -> Vec<&'a str> {
    let shorten = |text: &&'a str| match text.split_once(" && ") {
        Some((first, rest)) if texts.contains(first) => rest,
        _ => *text,
    };
    let mut seen = BTreeSet::new();
    texts.iter().map(shorten).filter(|text| seen.insert(*text)).collect()
}
