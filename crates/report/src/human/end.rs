//! The state in which an execution ends, as far as it differs from the input.

use verify::execution::{Content, Datum, Execution, FieldDatum, Object, Outcome};

use super::input::{WIDTH, list, section};
use super::page::Page;
use crate::java;
use crate::values::Values;

pub(super) fn draw(page: &mut Page<'_>, execution: &Execution, values: &Values<'_>) {
    let mut lines = Vec::new();
    match &execution.outcome {
        Outcome::Returned(None) | Outcome::Repeats { .. } => {}
        Outcome::Returned(Some(value)) => lines.push(format!("result = {}", values.datum(*value))),
        Outcome::Threw { object, .. } => {
            lines.push(format!("exception = {}", values.datum(Datum::Object(*object))));
        }
    }
    let changes = changes(execution, values, page.ellipsis());
    let is_there_input = !execution.statics.is_empty()
        || (0..execution.pre.len()).any(|index| !values.is_inline(index));
    if changes.is_empty() && is_there_input {
        lines.push("all objects are as they were".into());
    }
    let says_more = is_there_input || !changes.is_empty();
    lines.extend(changes);
    // How it ended stands above already.
    if says_more {
        section(page, "At the end", &lines);
    }
}

fn changes(execution: &Execution, values: &Values<'_>, ellipsis: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for field in &execution.post_statics {
        let before = value_in(&execution.statics, field);
        if before != Some(field.value) {
            let value = changed(field.value, before, values);
            lines.push(format!("{}.{} = {value}", java::simple(&field.class), field.name));
        }
    }
    for (index, after) in execution.post.iter().enumerate() {
        let before = execution.pre.get(index);
        if !values.is_inline(index) && before.map(|b| &b.content) != Some(&after.content) {
            lines.extend(object(before, after, values, ellipsis));
        }
    }
    lines
}

/// `Node#0 { next: null (was Node#1) }`
fn object(
    before: Option<&Object>,
    after: &Object,
    values: &Values<'_>,
    ellipsis: &str,
) -> Option<String> {
    let new = if before.is_none() { " (new)" } else { "" };
    let label = &after.label;
    match &after.content {
        Content::Fields(fields) if fields.is_empty() => None,
        Content::Fields(fields) => {
            let known: &[FieldDatum] = match before.map(|b| &b.content) {
                Some(Content::Fields(fields)) => fields,
                _ => &[],
            };
            let names = java::field_names(fields);
            let items = names.iter().zip(fields).map(|(name, field)| {
                format!("{name}: {}", changed(field.value, value_in(known, field), values))
            });
            Some(format!("{label} {{ {} }}{new}", list(items, WIDTH, ellipsis)))
        }
        Content::Array(elements) => {
            let known: &[Datum] = match before.map(|b| &b.content) {
                Some(Content::Array(elements)) => elements,
                _ => &[],
            };
            let items = elements.iter().enumerate();
            let items = items.map(|(i, value)| changed(*value, known.get(i).copied(), values));
            Some(format!("{label} = [{}]{new}", list(items, WIDTH, ellipsis)))
        }
        Content::Text { .. }
        | Content::Box { .. }
        | Content::Constant { .. }
        | Content::Mirror(_)
        | Content::Opaque => None,
    }
}

fn value_in(fields: &[FieldDatum], field: &FieldDatum) -> Option<Datum> {
    let same = |f: &&FieldDatum| f.class == field.class && f.name == field.name;
    fields.iter().find(same).map(|f| f.value)
}

fn changed(after: Datum, before: Option<Datum>, values: &Values<'_>) -> String {
    match before {
        Some(before) if before != after => {
            format!("{} (was {})", values.datum(after), values.datum(before))
        }
        Some(_) | None => values.datum(after),
    }
}
