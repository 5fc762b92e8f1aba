//! The lines of source around a place, the offending one underlined.
//!
//! Class files know lines, not columns, so the whole code of the line is marked.

use unicode_width::UnicodeWidthStr;
use verify::execution::Place;

use super::page::{Ink, Page, clean};
use crate::{Sources, java};

/// Lines shown before and after the offending one.
const BEFORE: u32 = 2;
const AFTER: u32 = 1;
/// Columns of source that are shown.
pub(super) const WIDTH: usize = 110;

/// Draws the arrow to the place and, if the source is known, the lines with `label` under the
/// code. Returns the width of the gutter.
pub(super) fn draw(page: &mut Page<'_>, at: &Place, label: &str, sources: &dyn Sources) -> usize {
    let lines = lines(at, sources, page.style.unicode);
    let last = lines.last().map_or(0, |l| l.0);
    let gutter = last.to_string().len().max(2);
    let shown = super::place(at, sources.path(&at.class, &at.file));
    page.put(Ink::Frame, &format!("{:gutter$}--> ", ""));
    page.line(Ink::Plain, &shown);
    if lines.is_empty() {
        page.put(Ink::Frame, &format!("{:gutter$} = ", ""));
        page.line(Ink::Plain, label);
        return gutter;
    }
    page.line(Ink::Frame, &format!("{:gutter$} |", ""));
    for (number, text) in &lines {
        page.put(Ink::Frame, &format!("{number:>gutter$} | "));
        page.line(Ink::Plain, text);
        if *number == at.line {
            underline(page, gutter, text, label);
        }
    }
    page.line(Ink::Frame, &format!("{:gutter$} |", ""));
    gutter
}

fn underline(page: &mut Page<'_>, gutter: usize, text: &str, label: &str) {
    let code = code(text);
    let start = code.width() - code.trim_start().width();
    let width = code.trim_start().width().max(1);
    page.put(Ink::Frame, &format!("{:gutter$} | ", ""));
    page.put(Ink::Plain, &" ".repeat(start));
    page.line(Ink::Error, &format!("{} {label}", "^".repeat(width)));
}

/// The numbered lines to show, without blank ones at the edges; none if the offending line itself
/// is unknown.
fn lines(at: &Place, sources: &dyn Sources, unicode: bool) -> Vec<(u32, String)> {
    let fetch = |number: u32| {
        let text = sources.line(&at.class, &at.file, number)?;
        Some((number, fit(&plain(&text, unicode), WIDTH, java::ellipsis(unicode))))
    };
    if at.line == 0 || fetch(at.line).is_none() {
        return Vec::new();
    }
    let first = at.line.saturating_sub(BEFORE).max(1);
    let last = at.line.saturating_add(AFTER);
    let mut lines: Vec<_> = (first..=last).filter_map(fetch).collect();
    let is_blank = |l: &(u32, String)| l.0 != at.line && l.1.trim().is_empty();
    while lines.first().is_some_and(is_blank) {
        lines.remove(0);
    }
    while lines.last().is_some_and(is_blank) {
        lines.pop();
    }
    lines
}

/// What the page will show of a line, so that it can be measured: tabs are four spaces.
pub(super) fn plain(text: &str, unicode: bool) -> String {
    shown(text.trim_end(), unicode)
}

/// As [`plain`], for a piece of a line.
pub(super) fn shown(text: &str, unicode: bool) -> String {
    clean(&text.replace('\t', "    "), unicode)
}

/// The code of a line as the execution shows it.
pub(super) fn statement(text: &str, width: usize, unicode: bool) -> String {
    let text = plain(text, unicode);
    fit(code(&text).trim(), width, java::ellipsis(unicode))
}

/// The line without a comment at its end; a line that is nothing but a comment stays.
fn code(text: &str) -> &str {
    let code = text[..comment(text).unwrap_or(text.len())].trim_end();
    if code.is_empty() { text } else { code }
}

/// Where a `//` comment starts, strings and characters aside.
fn comment(text: &str) -> Option<usize> {
    let mut quote = None;
    let mut previous = ' ';
    for (i, c) in text.char_indices() {
        match quote {
            Some(_) if previous == '\\' => {
                previous = ' ';
                continue;
            }
            Some(open) if open == c => quote = None,
            Some(_) => {}
            None if c == '"' || c == '\'' => quote = Some(c),
            None if c == '/' && previous == '/' => return Some(i - 1),
            None => {}
        }
        previous = c;
    }
    None
}

/// At most `width` columns, the end cut off.
pub(super) fn fit(text: &str, width: usize, ellipsis: &str) -> String {
    if text.width() <= width {
        return text.to_string();
    }
    let mut cut = String::new();
    let mut used = ellipsis.width();
    for c in text.chars() {
        used += unicode_width::UnicodeWidthChar::width(c).unwrap_or(1);
        if used > width {
            break;
        }
        cut.push(c);
    }
    cut + ellipsis
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_not_code() {
        assert_eq!(code("  x = 1; // why"), "  x = 1;");
        assert_eq!(code("  s = \"//\" + '\"' + x; // why"), "  s = \"//\" + '\"' + x;");
        assert_eq!(code("  s = \"\\\\\"; // why"), "  s = \"\\\\\";");
        assert_eq!(code("  // only"), "  // only");
        assert_eq!(code("a / b"), "a / b");
        assert_eq!(code(""), "");
    }

    #[test]
    fn long_lines_are_cut() {
        assert_eq!(fit("abcdef", 6, "…"), "abcdef");
        assert_eq!(fit("abcdef", 4, "…"), "abc…");
        assert_eq!(fit("日本語", 5, "…"), "日本…");
        assert_eq!(fit("abcdef", 0, "..."), "...");
    }
}
