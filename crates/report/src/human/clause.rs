//! The violated clause where it is written, the part that fails underlined.

use std::ops::{Range, RangeInclusive};

use unicode_width::UnicodeWidthStr;
use verify::execution::{Outcome, Place};
use verify::result::ViolatedClause;
use verify::{Property, Violation};

use super::excerpt::{self, WIDTH};
use super::page::{Ink, Page};
use crate::values::Values;
use crate::written::Written;
use crate::{Sources, java};

/// A clause of more lines is shown in part.
const MOST_LINES: usize = 8;

/// Draws the arrow to the clause and its lines. Returns the lines that it stands on.
pub(super) fn draw(
    page: &mut Page<'_>,
    violation: &Violation,
    clause: &ViolatedClause,
    values: &Values<'_>,
    sources: &dyn Sources,
) -> RangeInclusive<u32> {
    let written = Written::find(clause, sources);
    let found = written.failing(clause);
    let label = label(violation, clause, found.is_some(), values);
    let marks = written.by_line(found.unwrap_or(0..written.characters.len()));
    let last = written.last_line().unwrap_or(clause.line);
    let gutter = last.to_string().len().max(2);
    page.put(Ink::Frame, &format!("{:gutter$}--> ", ""));
    page.line(Ink::Plain, &place(clause));
    if marks.is_empty() {
        for said in [&clause.text, &label] {
            page.put(Ink::Frame, &format!("{:gutter$} = ", ""));
            page.line(Ink::Plain, said);
        }
        return clause.line..=clause.line;
    }
    page.line(Ink::Frame, &format!("{:gutter$} |", ""));
    let all = (last - clause.line) as usize + 1;
    let final_mark = marks.keys().next_back().copied();
    let mut left_out = false;
    for (number, text) in &written.lines {
        let mark = marks.get(number);
        if all > MOST_LINES && mark.is_none() && *number != clause.line {
            left_out = true;
            continue;
        }
        if std::mem::take(&mut left_out) {
            page.line(Ink::Frame, "...");
        }
        page.put(Ink::Frame, &format!("{number:>gutter$} | "));
        let shown = excerpt::plain(text, page.style.unicode);
        page.line(Ink::Plain, &excerpt::fit(&shown, WIDTH, page.ellipsis()));
        if let Some(range) = mark {
            let label = if Some(*number) == final_mark { label.as_str() } else { "" };
            underline(page, gutter, text, range, label);
        }
    }
    page.line(Ink::Frame, &format!("{:gutter$} |", ""));
    clause.line..=last
}

fn underline(page: &mut Page<'_>, gutter: usize, text: &str, mark: &Range<usize>, label: &str) {
    let columns = |piece: &str| excerpt::shown(piece, page.style.unicode).width();
    let start = columns(&text[..mark.start]).min(WIDTH - 1);
    let width = columns(&text[mark.clone()]).clamp(1, WIDTH - start);
    page.put(Ink::Frame, &format!("{:gutter$} | ", ""));
    page.put(Ink::Plain, &" ".repeat(start));
    page.line(Ink::Error, &format!("{} {label}", "^".repeat(width)));
}

/// `src/p/Stack.java:6`
fn place(clause: &ViolatedClause) -> String {
    match clause.line {
        0 => clause.file.clone(),
        line => format!("{}:{line}", clause.file),
    }
}

/// What is wrong with the underlined text.
pub(crate) fn label(
    violation: &Violation,
    clause: &ViolatedClause,
    is_part: bool,
    values: &Values<'_>,
) -> String {
    let mut label = match (&clause.note, reproach(violation.property, &clause.text)) {
        (Some(note), _) => note.clone(),
        (None, Some(reproach)) => reproach.to_string(),
        (None, None) if is_part => "this part is false".into(),
        (None, None) => "this is false".into(),
    };
    let witness: Vec<String> = clause
        .witness
        .iter()
        .map(|(name, value)| format!("{name} = {}", values.datum(*value)))
        .collect();
    if !witness.is_empty() {
        label.push_str(&format!(" for {}", witness.join(", ")));
    }
    let sides: Vec<String> = clause
        .sides
        .iter()
        .map(|(text, value)| format!("`{text}` is {}", values.datum(*value)))
        .collect();
    if !sides.is_empty() {
        let colon = if witness.is_empty() { ": " } else { "; " };
        label.push_str(&format!("{colon}{}", sides.join(", ")));
    }
    if let (Some(part), false) = (clause.part.as_deref(), is_part)
        && part.trim() != clause.text.trim()
    {
        label.push_str(&format!(": `{part}`"));
    }
    label
}

/// What is wrong with a clause that is no condition.
fn reproach(property: Property, text: &str) -> Option<&'static str> {
    let is_case = text.contains("_behavior") || text.contains("_behaviour");
    match property {
        Property::SignalsOnly => Some("this does not allow the exception"),
        Property::Signals if is_case => Some("this does not allow an exception"),
        Property::Ensures if is_case => Some("this does not allow an end without an exception"),
        Property::Assignable => Some("this does not allow the change"),
        Property::Decreases => Some("this does not become smaller, or is negative"),
        Property::Accessible => Some("this does not allow to read it"),
        Property::Callable => Some("this does not allow the call"),
        _ if text.ends_with(verify::NON_NULL_BY_DEFAULT) => {
            Some("not marked /*@ nullable @*/, but null")
        }
        _ => None,
    }
}

/// Where control is when the clause is violated.
pub(super) fn moment(violation: &Violation) -> &'static str {
    let throws = matches!(violation.execution.outcome, Outcome::Threw { .. });
    match violation.property {
        Property::Requires => "this call does not satisfy the precondition",
        Property::LoopInvariant => "it is to hold before each iteration of this loop",
        Property::Decreases if measures_calls(violation) => {
            "it is to become smaller in this recursive call"
        }
        Property::Decreases => "it is to become smaller in each iteration of this loop",
        Property::Accessible => "it is read here",
        Property::Callable => "it is called here",
        Property::Readable => "the field is read here",
        Property::Writable => "the field is assigned here",
        Property::Assert => "it is to hold here",
        _ if throws => "the exception is thrown here",
        _ => "the method ends here",
    }
}

fn measures_calls(violation: &Violation) -> bool {
    violation.clause.as_ref().is_some_and(|clause| clause.text.starts_with("measured_by"))
}

/// Whether the clause is written at the very place that the execution has come to.
pub(super) fn is_at(clause: &ViolatedClause, lines: &RangeInclusive<u32>, at: &Place) -> bool {
    java::file_name(&clause.file) == at.file && lines.contains(&at.line)
}
