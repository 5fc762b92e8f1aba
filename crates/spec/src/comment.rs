//! Finds the comments of a Java source and which of them are specifications. Knows just enough of
//! Java's lexical grammar to tell a comment from a string that looks like one.
//!
//! Also gives the source without them, for the parser of Java: nothing moves, lines stay lines.
//! The insides of text blocks are blanked too, because not every parser knows all of them.

use std::ops::Range;

/// The language of a specification comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// `//@ …` or `/*@ … @*/`.
    Jml,
    /// `//$ …` or `/*$ … $*/`.
    Alloy,
}

/// A comment, from its first `/` on.
#[derive(Clone, Debug)]
pub(crate) struct Comment {
    /// The whole comment with its delimiters.
    pub range: Range<usize>,
    /// What the specification says, without delimiters, where it is one.
    pub specification: Option<(Dialect, Body)>,
    /// Whether it documents what follows: `/** … */`.
    pub is_doc: bool,
}

/// What a specification says.
#[derive(Clone, Debug)]
pub(crate) enum Body {
    /// The text between the delimiters of a comment.
    Text(Range<usize>),
    /// An annotation of Java that is this modifier of JML (see [`crate::annotation`]).
    Modifier(String),
}

/// All comments in the order of the file, and the source with blanks in their place.
pub(crate) fn comments(source: &str) -> (Vec<Comment>, String) {
    let bytes = source.as_bytes();
    let mut found = Vec::new();
    let mut blank: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at = match (byte, bytes.get(at + 1)) {
            (b'/', Some(b'/')) => {
                let end = line_end(bytes, at);
                found.push(comment(source, at..end, end));
                blank.push(at..end);
                end
            }
            (b'/', Some(b'*')) => {
                let (inside, end) = block_end(bytes, at + 2);
                found.push(comment(source, at..end, inside));
                blank.push(at..end);
                end
            }
            (b'"', _) if bytes[at..].starts_with(b"\"\"\"") => {
                let (inside, end) = text_block_end(bytes, at + 3);
                blank.push(at + 3..inside);
                end
            }
            (b'"' | b'\'', _) => quoted_end(bytes, at),
            _ => at + 1,
        };
    }
    (found, blanked(source, &blank))
}

/// The source with blanks in place of pieces, which are disjoint and in order.
pub(crate) fn blanked(source: &str, blank: &[Range<usize>]) -> String {
    let mut text = String::with_capacity(source.len());
    let mut end = 0;
    for range in blank {
        text.push_str(source.get(end..range.start).unwrap_or(""));
        let blanks = source.as_bytes()[range.clone()].iter();
        text.extend(blanks.map(|&b| if matches!(b, b'\n' | b'\r') { b as char } else { ' ' }));
        end = range.end;
    }
    text.push_str(source.get(end..).unwrap_or(""));
    text
}

fn line_end(bytes: &[u8], from: usize) -> usize {
    find(bytes, from, |rest| matches!(rest[0], b'\n' | b'\r')).unwrap_or(bytes.len())
}

/// Where the inside of a block comment ends, and where the comment does.
fn block_end(bytes: &[u8], from: usize) -> (usize, usize) {
    match find(bytes, from, |rest| rest.starts_with(b"*/")) {
        Some(inside) => (inside, inside + 2),
        None => (bytes.len(), bytes.len()),
    }
}

fn find(bytes: &[u8], from: usize, here: impl Fn(&[u8]) -> bool) -> Option<usize> {
    (from..bytes.len()).find(|&at| here(&bytes[at..]))
}

/// Behind the closing quote, or at the end of the line where there is none.
pub(crate) fn quoted_end(bytes: &[u8], from: usize) -> usize {
    let quote = bytes[from];
    let mut at = from + 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\n' | b'\r' => return at,
            b'\\' if !matches!(bytes.get(at + 1), Some(b'\n' | b'\r')) => at += 2,
            _ if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// Where the inside of a text block ends, and where the block does.
fn text_block_end(bytes: &[u8], from: usize) -> (usize, usize) {
    let mut at = from;
    while at < bytes.len() {
        if bytes[at] == b'\\' {
            at += 2;
        } else if bytes[at..].starts_with(b"\"\"\"") {
            return (at, at + 3);
        } else {
            at += 1;
        }
    }
    (bytes.len(), bytes.len())
}

fn comment(source: &str, range: Range<usize>, inside_end: usize) -> Comment {
    let inside = range.start + 2..inside_end;
    let is_doc = source.as_bytes()[range.clone()].starts_with(b"/**") && inside.len() > 1;
    let specification = match source.as_bytes().get(inside.start) {
        _ if inside.is_empty() => None,
        Some(b'@') => jml(source, inside).map(|body| (Dialect::Jml, Body::Text(body))),
        Some(b'$') => {
            let body = inside.start + 1..trim_end(source, inside.clone(), '$');
            Some((Dialect::Alloy, Body::Text(body)))
        }
        _ => None,
    };
    Comment { range, specification, is_doc }
}

fn jml(source: &str, inside: Range<usize>) -> Option<Range<usize>> {
    let end = trim_end(source, inside.clone(), '@');
    let body = inside.start + 1..end.max(inside.start + 1);
    let text = source.get(body.clone())?;
    (!is_commented_out_annotation(text)).then_some(body)
}

/// Drops the mark in front of the closing `*/`, as in `@*/`.
fn trim_end(source: &str, inside: Range<usize>, mark: char) -> usize {
    let is_block = source[inside.end..].starts_with("*/");
    let body = source.get(inside.start + 1..inside.end).unwrap_or("");
    let kept = if is_block { body.trim_end_matches(mark) } else { body };
    inside.start + 1 + kept.len()
}

/// Tags that editors and Javadoc put behind an `@`, and that no clause of JML begins with.
const TAGS: [&str; 16] = [
    "author",
    "checkstyle",
    "deprecated",
    "exception",
    "fixme",
    "formatter",
    "inheritDoc",
    "link",
    "noinspection",
    "param",
    "return",
    "see",
    "since",
    "throws",
    "todo",
    "version",
];

/// `//@Override` switches an annotation of Java off; it says nothing in JML, whose words begin
/// with a small letter. Code that has never heard of JML must not become undecided by it.
fn is_commented_out_annotation(text: &str) -> bool {
    let word: &str = text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("");
    word.starts_with(char::is_uppercase) || TAGS.contains(&word)
}
