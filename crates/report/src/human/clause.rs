//! The violated clause where it is written, the part that fails underlined.

use std::collections::BTreeMap;
use std::ops::{Range, RangeInclusive};

use unicode_width::UnicodeWidthStr;
use verify::execution::{Outcome, Place};
use verify::result::ViolatedClause;
use verify::{Property, Violation};

use super::excerpt::{self, WIDTH};
use super::page::{Ink, Page};
use super::values::Values;
use crate::{Sources, java};

/// A clause of more lines is shown in part.
const MOST_LINES: usize = 8;
/// No clause that is worth drawing is longer.
const LONGEST: u32 = 200;

/// Draws the arrow to the clause and its lines. Returns the lines that it stands on.
pub(super) fn draw(
    page: &mut Page<'_>,
    violation: &Violation,
    clause: &ViolatedClause,
    values: &Values<'_>,
    sources: &dyn Sources,
) -> RangeInclusive<u32> {
    let written = Written::find(clause, sources);
    let part = clause.part.as_deref().filter(|part| part.trim() != clause.text.trim());
    let found = part.and_then(|part| written.part(part));
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
fn label(
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
        _ => None,
    }
}

/// The characters of a clause in its file, blanks and the `@` of each line left out.
struct Written {
    /// Number and text of each line, from the first of the clause on.
    lines: Vec<(u32, String)>,
    characters: Vec<Character>,
}

#[derive(Clone, Copy)]
struct Character {
    is: char,
    line: u32,
    at: usize,
}

fn counts(c: char) -> bool {
    !c.is_whitespace() && c != '@'
}

impl Written {
    /// Finds the clause by its place; nothing if the file says something else there.
    fn find(clause: &ViolatedClause, sources: &dyn Sources) -> Written {
        let mut found = Written { lines: Vec::new(), characters: Vec::new() };
        let mut wanted = clause.text.chars().filter(|c| counts(*c)).peekable();
        let mut skip = (clause.column as usize).saturating_sub(1);
        for number in clause.line..clause.line.saturating_add(LONGEST) {
            if wanted.peek().is_none() {
                return found;
            }
            let Some(text) = sources.line_of(&clause.file, number).filter(|_| number > 0) else {
                break;
            };
            for (at, is) in text.char_indices().skip(std::mem::take(&mut skip)) {
                if !counts(is) || wanted.peek().is_none() {
                    continue;
                }
                if wanted.next() != Some(is) {
                    return Written { lines: Vec::new(), characters: Vec::new() };
                }
                found.characters.push(Character { is, line: number, at });
            }
            found.lines.push((number, text));
        }
        match wanted.peek() {
            None => found,
            Some(_) => Written { lines: Vec::new(), characters: Vec::new() },
        }
    }

    fn last_line(&self) -> Option<u32> {
        self.characters.last().map(|c| c.line)
    }

    /// Where a part stands, if that is one place only.
    fn part(&self, part: &str) -> Option<Range<usize>> {
        let wanted: Vec<char> = part.chars().filter(|c| counts(*c)).collect();
        if wanted.is_empty() {
            return None;
        }
        let windows = self.characters.windows(wanted.len()).enumerate();
        let fitting = windows.filter(|(start, window)| {
            let same = window.iter().map(|c| c.is).eq(wanted.iter().copied());
            same && self.begins_word(*start) && self.begins_word(*start + wanted.len())
        });
        let mut places = fitting.map(|(start, _)| start..start + wanted.len());
        let first = places.next()?;
        places.next().is_none().then_some(first)
    }

    /// Whether no word goes on across the start of this character.
    fn begins_word(&self, index: usize) -> bool {
        let before = index.checked_sub(1).and_then(|i| self.characters.get(i));
        let (Some(a), Some(b)) = (before, self.characters.get(index)) else {
            return true;
        };
        let touch = a.line == b.line && a.at + a.is.len_utf8() == b.at;
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        !(touch && is_word(a.is) && is_word(b.is))
    }

    /// The bytes of each line that a range of characters covers.
    fn by_line(&self, range: Range<usize>) -> BTreeMap<u32, Range<usize>> {
        let mut marks: BTreeMap<u32, Range<usize>> = BTreeMap::new();
        for c in self.characters.get(range).unwrap_or(&[]) {
            let end = c.at + c.is.len_utf8();
            marks.entry(c.line).and_modify(|r| r.end = end).or_insert(c.at..end);
        }
        marks
    }
}

/// Where control is when the clause is violated.
pub(super) fn moment(violation: &Violation) -> &'static str {
    let throws = matches!(violation.execution.outcome, Outcome::Threw { .. });
    match violation.property {
        Property::Requires => "this call does not satisfy the precondition",
        Property::LoopInvariant => "it is to hold before each iteration of this loop",
        Property::Decreases => "it is to become smaller in each iteration of this loop",
        Property::Assert => "it is to hold here",
        _ if throws => "the exception is thrown here",
        _ => "the method ends here",
    }
}

/// Whether the clause is written at the very place that the execution has come to.
pub(super) fn is_at(clause: &ViolatedClause, lines: &RangeInclusive<u32>, at: &Place) -> bool {
    java::file_name(&clause.file) == at.file && lines.contains(&at.line)
}
