//! What the documentation of a method says of its exceptions and arguments: `@throws`, `@param … may be null`,
//! and annotations that bound a parameter.
//!
//! Prose is heard only where it is plain. A sentence that speaks of elements, or that says both, says nothing
//! here.

use std::ops::Range;

use crate::jml::ast::Nullness;
use crate::specs::{Annotation, Parameter};

/// Annotations with a meaning for numbers, texts and arrays, of several vendors.
const BOUNDING: [&str; 13] = [
    "IntRange",
    "Max",
    "Min",
    "Negative",
    "NegativeOrZero",
    "NonNegative",
    "NonPositive",
    "NotEmpty",
    "Positive",
    "PositiveOrZero",
    "Range",
    "Length",
    "Size",
];

/// Phrases that end with null and do not allow it.
const NON_NULL: [&str; 10] = [
    "must not be null",
    "may not be null",
    "cannot be null",
    "can not be null",
    "can't be null",
    "should not be null",
    "must be non-null",
    "never null",
    "not null",
    "non-null",
];

/// Phrases that allow null.
const NULLABLE: [&str; 14] = [
    "may be null",
    "can be null",
    "might be null",
    "could be null",
    "may also be null",
    "possibly null",
    "or null",
    "nullable",
    "null is allowed",
    "null is permitted",
    "null allowed",
    "null permitted",
    "if null",
    "null if",
];

/// Words of sentences about something else than the argument itself.
const ELSEWHERE: [&str; 8] =
    ["element", "entries", "entry", "contain", "key", "value", "throw", "exception"];

/// Whether a source may have something that is heard here.
pub fn speaks(source: &str) -> bool {
    let bounds = || BOUNDING.iter().any(|name| source.contains(&format!("@{name}")));
    source.contains("@throws")
        || source.contains("@exception")
        || source.contains("@param") && source.contains("null")
        || bounds()
}

/// What a block tag says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Tag {
    /// An exception of this name is part of the deal.
    Throws(String),
    /// The parameter of this name.
    Null(String, Nullness),
}

/// The tags of a Javadoc comment that say something, each with its place in the source.
pub(crate) fn tags(source: &str, comment: Range<usize>) -> Vec<(Tag, Range<usize>)> {
    let inside = source.get(comment.clone()).unwrap_or("");
    let mut blocks: Vec<(String, Range<usize>)> = Vec::new();
    let mut at = comment.start;
    for line in inside.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let text = line.trim_end().trim_end_matches("*/");
        let said = text.trim_start_matches(|c: char| c.is_whitespace() || c == '/' || c == '*');
        let place = start + (text.len() - said.len())..start + text.len();
        match blocks.last_mut() {
            _ if said.starts_with('@') => blocks.push((said.to_string(), place)),
            Some((block, range)) => {
                block.push(' ');
                block.push_str(said);
                range.end = place.end.max(range.end);
            }
            None => {}
        }
    }
    blocks.into_iter().filter_map(|(text, range)| Some((tag(&text)?, range))).collect()
}

fn tag(text: &str) -> Option<Tag> {
    let (word, rest) = text.split_once(char::is_whitespace)?;
    let rest = rest.trim_start();
    let end = rest.find(|c: char| !c.is_alphanumeric() && !"_$.".contains(c)).unwrap_or(rest.len());
    let (name, said) = rest.split_at(end);
    let name = name.trim_end_matches('.').to_string();
    match word {
        "@throws" | "@exception" if !name.is_empty() => Some(Tag::Throws(name)),
        "@param" => Some(Tag::Null(name, nullness(said)?)),
        _ => None,
    }
}

/// Whether prose about a parameter says that it may be null, or that it must not.
fn nullness(prose: &str) -> Option<Nullness> {
    let prose = plain(prose);
    if !prose.contains("null") || ELSEWHERE.iter().any(|word| prose.contains(word)) {
        return None;
    }
    // Whoever says what happens then allows the other.
    let is_condition = prose.contains("if not null") || prose.contains("if non-null");
    let forbids = NON_NULL.iter().any(|phrase| prose.contains(phrase));
    let allows = NULLABLE.iter().any(|phrase| prose.contains(phrase));
    match (forbids && !is_condition, allows || is_condition) {
        (true, false) => Some(Nullness::NonNull),
        (false, true) => Some(Nullness::Nullable),
        (true, true) | (false, false) => None,
    }
}

/// Small letters, single blanks, no markup.
fn plain(prose: &str) -> String {
    let text = prose.to_lowercase().replace("{@code", " ").replace("{@literal", " ");
    let text =
        text.replace("<code>", " ").replace("</code>", " ").replace(['{', '}', '`', '*'], " ");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The condition of an annotation on a parameter, as an expression of Java.
pub(crate) fn condition(annotation: &Annotation, parameter: &Parameter) -> Option<String> {
    let name = &parameter.name;
    match parameter.ty.as_str() {
        "byte" | "short" | "int" | "long" => number(annotation, name),
        "String" | "java.lang.String" => size(annotation, name, &format!("{name}.length()")),
        array if array.ends_with("[]") || array.ends_with("...") => {
            size(annotation, name, &format!("{name}.length"))
        }
        _ => None,
    }
}

fn number(annotation: &Annotation, name: &str) -> Option<String> {
    let between = |least: Option<&str>, most: Option<&str>| {
        let least = least.map(|least| format!("{name} >= ({least})"));
        let most = most.map(|most| format!("{name} <= ({most})"));
        let parts: Vec<String> = least.into_iter().chain(most).collect();
        (!parts.is_empty()).then(|| parts.join(" && "))
    };
    match annotation.name.as_str() {
        "Positive" => Some(format!("{name} > 0")),
        "PositiveOrZero" | "NonNegative" => Some(format!("{name} >= 0")),
        "Negative" => Some(format!("{name} < 0")),
        "NegativeOrZero" | "NonPositive" => Some(format!("{name} <= 0")),
        "Min" => between(argument(annotation, "value"), None),
        "Max" => between(None, argument(annotation, "value")),
        "Range" | "IntRange" => between(
            argument(annotation, "from").or_else(|| argument(annotation, "min")),
            argument(annotation, "to").or_else(|| argument(annotation, "max")),
        ),
        _ => None,
    }
}

/// Of texts and arrays. Null is valid for `Size`, as validation has it.
fn size(annotation: &Annotation, name: &str, length: &str) -> Option<String> {
    match annotation.name.as_str() {
        "NotEmpty" => Some(format!("{name} != null && {length} > 0")),
        "Size" | "Length" => {
            let least = argument(annotation, "min").map(|min| format!("{length} >= ({min})"));
            let most = argument(annotation, "max").map(|max| format!("{length} <= ({max})"));
            let parts: Vec<String> = least.into_iter().chain(most).collect();
            let sizes = parts.join(" && ");
            (!parts.is_empty()).then(|| format!("{name} == null || ({sizes})"))
        }
        _ => None,
    }
}

/// The value of an element of an annotation; the only one may go without its name.
fn argument<'a>(annotation: &'a Annotation, wanted: &str) -> Option<&'a str> {
    let inside = annotation.arguments.trim().strip_prefix('(')?.strip_suffix(')')?;
    let found = inside.split(',').find_map(|part| match part.split_once('=') {
        Some((name, value)) => (name.trim() == wanted).then(|| value.trim()),
        None => (wanted == "value").then(|| part.trim()),
    });
    found.filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_heard_where_it_is_plain() {
        let heard = |prose: &str| nullness(prose);
        for prose in ["the name, must not be {@code null}", "a text; never null", "non-null"] {
            assert_eq!(heard(prose), Some(Nullness::NonNull), "{prose}");
        }
        for prose in [
            "the String to check, may be null",
            "the parent or <code>null</code>",
            "a text; if null, the default is used",
            "the logger, used if not null",
        ] {
            assert_eq!(heard(prose), Some(Nullness::Nullable), "{prose}");
        }
        for prose in [
            "the list; its elements may be null",
            "the name",
            "must not be null or empty, or null",
            "the text; a null one makes it throw",
        ] {
            assert_eq!(heard(prose), None, "{prose}");
        }
    }

    #[test]
    fn tags_have_their_places() {
        let source =
            "x /** Does.\n  * @param a the a,\n  *   may be\n  *   null\n  * @throws q.E if so */";
        let found = tags(source, 2..source.len());
        let said: Vec<(Tag, &str)> =
            found.into_iter().map(|(tag, range)| (tag, &source[range])).collect();
        let param = "@param a the a,\n  *   may be\n  *   null";
        assert_eq!(said[0], (Tag::Null("a".into(), Nullness::Nullable), param));
        assert_eq!(said[1], (Tag::Throws("q.E".into()), "@throws q.E if so "));
        assert_eq!(said.len(), 2);
    }

    #[test]
    fn annotations_become_conditions() {
        let read = |ty: &str, name: &str, arguments: &str| {
            let parameter = Parameter { name: "x".into(), ty: ty.into(), ..Parameter::default() };
            let annotation = Annotation { name: name.into(), arguments: arguments.into() };
            condition(&annotation, &parameter)
        };
        assert_eq!(read("int", "Positive", "").as_deref(), Some("x > 0"));
        assert_eq!(read("long", "Min", "(value = LEAST)").as_deref(), Some("x >= (LEAST)"));
        assert_eq!(read("int", "Max", "(9)").as_deref(), Some("x <= (9)"));
        let range = read("int", "Range", "(from = 1, to = 3)");
        assert_eq!(range.as_deref(), Some("x >= (1) && x <= (3)"));
        let size = read("int[]", "Size", "(min=1,message=\"no\")");
        assert_eq!(size.as_deref(), Some("x == null || (x.length >= (1))"));
        assert_eq!(read("String", "NotEmpty", "").as_deref(), Some("x != null && x.length() > 0"));
        assert_eq!(read("Integer", "Positive", ""), None);
        assert_eq!(read("int", "Size", "(max = 2)"), None);
        assert_eq!(read("int", "Min", ""), None);
    }
}
