//! Inferred specifications as clauses of JML that somebody may want to keep.

use std::collections::BTreeMap;

use verify::MethodResult;

/// For each called method the clauses that some check needed, under its name. What has no form in
/// JML is left out; every clause holds within the scope of the check that needed it.
pub fn jml_candidates(results: &[MethodResult]) -> String {
    let mut found: BTreeMap<&str, BTreeMap<&str, Vec<String>>> = BTreeMap::new();
    for result in results {
        let user = format!("{}.{}", result.class, result.method);
        for spec in &result.inferred {
            for clause in &spec.jml {
                let users = found.entry(&spec.method).or_default().entry(clause).or_default();
                users.push(user.clone());
            }
        }
    }
    let mut text = String::new();
    for (method, clauses) in found {
        text.push_str(&format!("// {method}\n"));
        for (clause, users) in clauses {
            text.push_str(&format!("//@ {clause}  // for {}\n", users.join(", ")));
        }
        text.push('\n');
    }
    text
}
