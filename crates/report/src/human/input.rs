//! The input of an execution: receiver, arguments, statics, and the heap as one line an object.

use verify::execution::{Content, Execution, Object};

use super::page::{Ink, Page};
use crate::java;
use crate::values::Values;

/// Lines that are shown unless everything is asked for.
const MOST_LINES: usize = 18;
/// Columns after which the fields or elements of one object are cut off.
pub(super) const WIDTH: usize = 80;

pub(super) fn draw(page: &mut Page<'_>, execution: &Execution, values: &Values<'_>) {
    let lines = lines(execution, values, page.ellipsis());
    section(page, "Input", &lines);
}

/// Lines under a title; the last ones are left out where there are many.
pub(super) fn section(page: &mut Page<'_>, title: &str, lines: &[String]) {
    if lines.is_empty() {
        return;
    }
    let fits = page.style.verbose || lines.len() <= MOST_LINES;
    let shown = if fits { lines.len() } else { MOST_LINES - 1 };
    page.line(Ink::Title, &format!("  {title}"));
    for line in &lines[..shown] {
        page.line(Ink::Plain, &format!("    {line}"));
    }
    if shown < lines.len() {
        let more = format!("    {} {} more", page.ellipsis(), lines.len() - shown);
        page.line(Ink::Faint, &more);
    }
}

fn lines(execution: &Execution, values: &Values<'_>, ellipsis: &str) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(receiver) = execution.receiver {
        let new = match execution.method.as_str() {
            "<init>" => " (under construction)",
            _ => "",
        };
        lines.push(format!("this = {}{new}", values.datum(receiver)));
    }
    for (name, value) in &execution.arguments {
        lines.push(format!("{name} = {}", values.datum(*value)));
    }
    for class in &execution.uninitialised {
        lines.push(format!("{} is not initialised yet", java::simple(class)));
    }
    for field in &execution.statics {
        let class = java::simple(&field.class);
        lines.push(format!("{class}.{} = {}", field.name, values.datum(field.value)));
    }
    let ambiguous = values.ambiguous_classes();
    for (index, object) in execution.pre.iter().enumerate() {
        if values.is_inline(index) {
            continue;
        }
        let qualified = ambiguous.contains(java::simple(&object.class));
        lines.extend(object_line(object, values, qualified, ellipsis));
    }
    lines
}

/// `Node#0 { next: null }`, `int[]#0 = [1, 2]`; nothing for an object of which nothing matters
/// but that it is there.
fn object_line(
    object: &Object,
    values: &Values<'_>,
    qualified: bool,
    ellipsis: &str,
) -> Option<String> {
    let class = match qualified {
        true => format!(" ({})", object.class),
        false => String::new(),
    };
    let label = &object.label;
    match &object.content {
        Content::Fields(fields) if fields.is_empty() => {
            qualified.then(|| format!("{label}{class}"))
        }
        Content::Fields(fields) => {
            let names = java::field_names(fields);
            let items = names.iter().zip(fields);
            let items = items.map(|(name, f)| format!("{name}: {}", values.datum(f.value)));
            Some(format!("{label}{class} {{ {} }}", list(items, WIDTH, ellipsis)))
        }
        Content::Array(elements) => {
            let items = elements.iter().map(|e| values.datum(*e));
            Some(format!("{label}{class} = [{}]", list(items, WIDTH, ellipsis)))
        }
        Content::Text { .. }
        | Content::Box { .. }
        | Content::Constant { .. }
        | Content::Mirror(_)
        | Content::Opaque => None,
    }
}

/// Items with commas; how many are left out once the line is full.
pub(super) fn list(items: impl Iterator<Item = String>, width: usize, ellipsis: &str) -> String {
    let mut text = String::new();
    let mut left_out = 0;
    for item in items {
        let full = text.len() + item.len() > width && !text.is_empty();
        if full || left_out > 0 {
            left_out += 1;
            continue;
        }
        if !text.is_empty() {
            text.push_str(", ");
        }
        text.push_str(&item);
    }
    match left_out {
        0 => text,
        more => format!("{text}, {ellipsis} {more} more"),
    }
}
