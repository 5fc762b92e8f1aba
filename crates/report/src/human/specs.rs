//! What mattered about the methods that a checked method calls.

use verify::{InferredSpec, MethodResult};

use super::page::{Ink, Page};

/// A line for each sentence that mattered, and one for the methods of which nothing did.
pub(super) fn block(page: &mut Page<'_>, result: &MethodResult) {
    let (needed, rest): (Vec<&InferredSpec>, Vec<&InferredSpec>) =
        result.inferred.iter().partition(|s| !s.says.is_empty());
    if !needed.is_empty() {
        page.line(Ink::Faint, "           what mattered about the methods that it calls:");
    }
    for spec in needed {
        for sentence in &spec.says {
            page.line(Ink::Plain, &format!("             {}: {sentence}", spec.method));
        }
    }
    if rest.is_empty() {
        return;
    }
    page.line(Ink::Faint, "           of these only what they may change:");
    for spec in rest {
        let changes = match spec.changes.is_empty() {
            true => "nothing".to_string(),
            false => spec.changes.join(", "),
        };
        page.line(Ink::Plain, &format!("             {}: {changes}", spec.method));
    }
}
