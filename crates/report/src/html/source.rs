//! The source beside the drawing: the lines that were executed and those around them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use verify::Violation;
use verify::execution::Place;

use super::markup::escape;
use crate::written::Written;
use crate::{Sources, java, path_of};

/// Lines shown before and after those that matter.
const BEFORE: u32 = 4;
const AFTER: u32 = 3;
/// Lines without interest that are left out only if there are more of them.
const GAP: u32 = 8;

/// The lines of one file.
pub(super) struct Excerpt {
    /// The path as shown.
    path: String,
    /// Somewhere in it.
    place: Place,
    /// Ascending.
    lines: Vec<Line>,
}

struct Line {
    number: u32,
    text: String,
    executed: bool,
    /// Where the violation shows.
    wrong: bool,
    /// Bytes of the violated clause, and of its failing part.
    clause: Option<Range<usize>>,
    part: Option<Range<usize>>,
}

/// Finds the lines of all files that the violation goes through; the file of the violation first.
pub(super) fn excerpts(violation: &Violation, sources: &dyn Sources) -> Vec<Excerpt> {
    let mut files: Vec<(&Place, BTreeSet<u32>)> = Vec::new();
    let places = violation.execution.trace.iter().map(|s| &s.place);
    for place in [&violation.at].into_iter().chain(places).filter(|p| p.line > 0) {
        // Files of several packages may have one name.
        match files.iter_mut().find(|(p, _)| is_same_file(p, place)) {
            Some((_, lines)) => {
                lines.insert(place.line);
            }
            None => files.push((place, BTreeSet::from([place.line]))),
        }
    }
    let excerpts = files.iter().map(|(place, lines)| excerpt(violation, place, lines, sources));
    excerpts.filter(|e| !e.lines.is_empty()).collect()
}

fn is_same_file(one: &Place, other: &Place) -> bool {
    let package = |at: &Place| at.class.rsplit_once('.').map(|(package, _)| package.to_string());
    one.file == other.file && package(one) == package(other)
}

fn excerpt(
    violation: &Violation,
    place: &Place,
    executed: &BTreeSet<u32>,
    sources: &dyn Sources,
) -> Excerpt {
    let mut wanted = executed.clone();
    let mut marks = (BTreeMap::new(), BTreeMap::new());
    if let Some(clause) = &violation.clause
        && clause.file == path_of(place, sources)
    {
        let written = Written::find(clause, sources);
        marks.0 = written.by_line(0..written.characters.len());
        marks.1 = written.failing(clause).map(|part| written.by_line(part)).unwrap_or_default();
        wanted.extend(marks.0.keys());
        wanted.insert(clause.line);
    }
    let traced = |n: u32| {
        let trace = &violation.execution.trace;
        trace.iter().any(|s| s.place.line == n && is_same_file(&s.place, place))
    };
    let lines = around(&wanted).into_iter().filter_map(|number| {
        Some(Line {
            number,
            text: sources.line(&place.class, &place.file, number)?,
            executed: traced(number),
            wrong: violation.at.line == number && is_same_file(&violation.at, place),
            clause: marks.0.get(&number).cloned(),
            part: marks.1.get(&number).cloned(),
        })
    });
    Excerpt { path: path_of(place, sources), place: place.clone(), lines: lines.collect() }
}

/// The wanted lines, those near them, and small gaps.
fn around(wanted: &BTreeSet<u32>) -> BTreeSet<u32> {
    let mut lines = BTreeSet::new();
    let mut previous: Option<u32> = None;
    for line in wanted {
        let mut first = line.saturating_sub(BEFORE).max(1);
        if let Some(previous) = previous
            && line - previous <= GAP + BEFORE + AFTER
        {
            first = previous;
        }
        lines.extend(first..=line.saturating_add(AFTER));
        previous = Some(*line);
    }
    lines
}

impl Excerpt {
    /// The row of a line: what the script looks for.
    pub fn row(&self, number: u32) -> String {
        format!("{}:{number}", self.path)
    }

    pub fn has(&self, place: &Place) -> bool {
        is_same_file(&self.place, place) && self.lines.iter().any(|l| l.number == place.line)
    }

    /// The file as a table of lines.
    pub fn html(&self, label: &str) -> String {
        let mut out =
            format!("<figure class=\"source\"><figcaption>{}</figcaption><ol>", escape(&self.path));
        let mut previous = None;
        for line in &self.lines {
            if previous.is_some_and(|p: u32| p + 1 < line.number) {
                out.push_str("<li class=\"gap\" aria-hidden=\"true\">⋯</li>");
            }
            previous = Some(line.number);
            let mut class = String::new();
            for (holds, word) in [
                (line.executed, " executed"),
                (line.wrong, " wrong"),
                (line.clause.is_some(), " clause"),
            ] {
                class.push_str(if holds { word } else { "" });
            }
            let said = if line.executed { " (executed)" } else { "" };
            out.push_str(&format!(
                "<li class=\"line{class}\" data-row=\"{}\"><span class=\"number\">{}<span class=\"quiet\">{said}</span></span><code>{}</code>",
                escape(&self.row(line.number)),
                line.number,
                line.html()
            ));
            if line.wrong && !label.is_empty() {
                out.push_str(&format!("<span class=\"label\">{}</span>", escape(label)));
            }
            out.push_str("</li>");
        }
        out.push_str("</ol></figure>");
        out
    }
}

impl Line {
    fn html(&self) -> String {
        let marked = self.part.as_ref().or(self.clause.as_ref());
        let Some(range) = marked.filter(|r| self.text.get((*r).clone()).is_some()) else {
            return java_html(&self.text);
        };
        let (before, rest) = self.text.split_at(range.start);
        let (inside, after) = rest.split_at(range.end - range.start);
        let comment = |text: &str| format!("<i class=\"comment\">{}</i>", escape(text));
        format!("{}<mark>{}</mark>{}", comment(before), escape(inside), comment(after))
    }
}

/// A line of Java with its keywords, texts and comments in colours. A comment of several lines is
/// recognised by the star or the at-sign that its lines begin with.
pub(super) fn java_html(text: &str) -> String {
    let start = text.trim_start();
    if start.starts_with("/*")
        || start.starts_with('*')
        || start.starts_with('@') && start.len() > 1 && start[1..].starts_with(' ')
    {
        return format!("<i class=\"comment\">{}</i>", escape(text));
    }
    let mut out = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (length, class) = token(rest, first);
        let (token, tail) = rest.split_at(length);
        match class {
            Some(class) => out.push_str(&format!("<i class=\"{class}\">{}</i>", escape(token))),
            None => out.push_str(&escape(token)),
        }
        rest = tail;
    }
    out
}

fn token(text: &str, first: char) -> (usize, Option<&'static str>) {
    if text.starts_with("//") || text.starts_with("/*") {
        return (text.len(), Some("comment"));
    }
    if first == '"' || first == '\'' {
        return (quoted(text, first), Some("text"));
    }
    let word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    if !word(first) {
        return (first.len_utf8(), None);
    }
    let end = text.find(|c| !word(c)).unwrap_or(text.len());
    let class = match &text[..end] {
        w if w.starts_with(|c: char| c.is_ascii_digit()) => Some("digits"),
        w if java::RESERVED.contains(&w) || matches!(w, "record" | "sealed" | "var" | "yield") => {
            Some("keyword")
        }
        _ => None,
    };
    (end, class)
}

fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match (escaped, c) {
            (true, _) => escaped = false,
            (false, '\\') => escaped = true,
            (false, c) if c == quote => return at + 1,
            (false, _) => {}
        }
    }
    text.len()
}
