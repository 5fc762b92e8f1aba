//! Annotations of `org.jmlspecs.annotation`: each is a modifier of JML in another spelling.
//!
//! An annotation is read as if a comment with that modifier stood in its place, so that the two
//! cannot differ in meaning. Which class an annotation is follows from the source alone, because it
//! may leave no trace in the class file: from its qualified name, or from the imports. A type of
//! that name which the file declares itself is another one.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::comment::{Body, Comment, Dialect, quoted_end};
use crate::jml::words;
use crate::lexer::{Token, TokenKind};
use crate::span::Span;

/// Where the annotations are declared.
pub const PACKAGE: &str = "org.jmlspecs.annotation";

/// The annotations of JML in a source without comments, in the order of the file.
pub(crate) fn annotations(text: &str) -> Vec<Comment> {
    if !text.contains('@') || !text.contains(PACKAGE) {
        return Vec::new();
    }
    let words = words_of(text);
    let names = Names::of(&words);
    let mut found = Vec::new();
    for at in 0..words.len() {
        if words[at].text != "@" {
            continue;
        }
        let Some((name, last)) = qualified(&words, at + 1) else {
            continue;
        };
        if let Some(modifier) = names.modifier(&name) {
            let last = arguments_end(&words, last + 1).unwrap_or(last);
            let range = words[at].range.start..words[last].range.end;
            let body = Body::Modifier(modifier);
            let specification = Some((Dialect::Jml, body));
            found.push(Comment { range, specification, is_doc: false });
        }
    }
    found
}

/// Words of JML that an annotation may spell: `spec_public` and `specpublic` for `SpecPublic`.
fn spellings(simple: &str) -> [String; 2] {
    let mut with_bars = String::new();
    for c in simple.chars() {
        if c.is_uppercase() && !with_bars.is_empty() {
            with_bars.push('_');
        }
        with_bars.extend(c.to_lowercase());
    }
    let in_a_row = with_bars.replace('_', "");
    [with_bars, in_a_row]
}

/// What stands for an annotation: its modifier, which belongs to the declaration that follows and
/// to no clause in a comment behind it.
pub(crate) fn tokens(word: &str, span: Span) -> [Token<'_>; 2] {
    let word = Token { kind: TokenKind::Word, text: word, span, starts_line: true };
    [word, Token { kind: TokenKind::Symbol, text: ";", span, starts_line: false }]
}

/// What simple names mean in a file.
struct Names<'t> {
    package: String,
    imported: Vec<String>,
    on_demand: Vec<String>,
    declared: BTreeSet<&'t str>,
}

impl<'t> Names<'t> {
    fn of(words: &[Word<'t>]) -> Names<'t> {
        let mut names = Names {
            package: String::new(),
            imported: Vec::new(),
            on_demand: Vec::new(),
            declared: BTreeSet::new(),
        };
        for (at, word) in words.iter().enumerate() {
            let next = words.get(at + 1).map_or("", |next| next.text);
            match word.text {
                "package" => {
                    names.package = qualified(words, at + 1).map_or(String::new(), |q| q.0)
                }
                "import" if next != "static" => {
                    let Some((name, last)) = qualified(words, at + 1) else {
                        continue;
                    };
                    let rest = words.get(last + 1..last + 3).unwrap_or(&[]);
                    match rest.iter().map(|word| word.text).collect::<Vec<_>>()[..] {
                        [".", "*"] => names.on_demand.push(name),
                        _ => names.imported.push(name),
                    }
                }
                "class" | "interface" | "enum" | "record" => {
                    names.declared.insert(next);
                }
                _ => {}
            }
        }
        names
    }

    /// The modifier that an annotation of JML spells, or the annotation itself if it spells none.
    fn modifier(&self, name: &str) -> Option<String> {
        let (package, simple) = name.rsplit_once('.').unwrap_or(("", name));
        let spellings = spellings(simple);
        let modifier = spellings.iter().find(|word| words::is_modifier(word)).cloned();
        // What they declare exists for specifications only, and Java's declarations do not.
        let modifier = modifier.filter(|word| !matches!(word.as_str(), "ghost" | "model"));
        // Where a name may come from several packages, these are the names that JML has.
        let is_word = modifier.is_some()
            || matches!(simple, "Ghost" | "Model")
            || spellings.iter().any(|word| words::is_keyword(word))
            || simple.starts_with("Spec")
            || simple.ends_with("Definitions");
        let is_jml = match package {
            "" if self.declared.contains(simple) => false,
            "" => {
                let of_that_name = |import: &&String| {
                    import.rsplit_once('.').is_some_and(|(_, imported)| imported == simple)
                };
                match self.imported.iter().find(of_that_name) {
                    Some(import) => import.rsplit_once('.').is_some_and(|i| i.0 == PACKAGE),
                    None => is_word && self.sees_all(),
                }
            }
            package => package == PACKAGE,
        };
        is_jml.then(|| modifier.unwrap_or_else(|| format!("@{simple}")))
    }

    fn sees_all(&self) -> bool {
        self.package == PACKAGE || self.on_demand.iter().any(|package| package == PACKAGE)
    }
}

/// An identifier, keyword or single sign of Java.
struct Word<'t> {
    text: &'t str,
    range: Range<usize>,
}

/// `a.b.C` from a word on, and the index of its last word.
fn qualified(words: &[Word<'_>], from: usize) -> Option<(String, usize)> {
    let is_name = |at: usize| words.get(at).is_some_and(|w| w.text.starts_with(is_part));
    if !is_name(from) || words[from].text == "interface" {
        return None;
    }
    let (mut name, mut last) = (words[from].text.to_string(), from);
    while words.get(last + 1).is_some_and(|w| w.text == ".") && is_name(last + 2) {
        last += 2;
        name.push('.');
        name.push_str(words[last].text);
    }
    Some((name, last))
}

/// The index of the `)` that closes the `(` at a word, if that is one.
fn arguments_end(words: &[Word<'_>], from: usize) -> Option<usize> {
    let mut open = 0_usize;
    for (at, word) in words.iter().enumerate().skip(from) {
        match word.text {
            "(" => open += 1,
            ")" => open = open.checked_sub(1)?,
            _ => {}
        }
        if open == 0 {
            return (at > from).then_some(at);
        }
    }
    None
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

fn words_of(text: &str) -> Vec<Word<'_>> {
    let bytes = text.as_bytes();
    let mut words = Vec::new();
    let mut at = 0;
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let end = match c {
            '"' if bytes[at..].starts_with(b"\"\"\"") => {
                // The insides of text blocks are blank.
                text[at + 3..].find("\"\"\"").map_or(bytes.len(), |end| at + end + 6)
            }
            '"' | '\'' => quoted_end(bytes, at).min(bytes.len()),
            c if is_part(c) => {
                text[at..].find(|c| !is_part(c)).map_or(bytes.len(), |length| at + length)
            }
            c => at + c.len_utf8(),
        };
        if !c.is_whitespace() {
            words.push(Word { text: text.get(at..end).unwrap_or(""), range: at..end });
        }
        at = end;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::annotations;
    use crate::comment::Body;

    fn found(source: &str) -> Vec<String> {
        let body = |comment: crate::comment::Comment| match comment.specification {
            Some((_, Body::Modifier(word))) => {
                format!("{word} for {}", &source[comment.range])
            }
            _ => panic!("an annotation is a modifier"),
        };
        annotations(source).into_iter().map(body).collect()
    }

    #[test]
    fn names_are_those_of_the_package() {
        let all = "import org.jmlspecs.annotation.*; @Pure @NonNullByDefault @SkipEsc @Override @Requires(\")\") class C {}";
        let spelt = [
            "pure for @Pure",
            "non_null_by_default for @NonNullByDefault",
            "skipesc for @SkipEsc",
            "@Requires for @Requires(\")\")",
        ];
        assert_eq!(found(all), spelt);
        let unknown = "@org.jmlspecs.annotation.Foo class C {}";
        assert_eq!(found(unknown), ["@Foo for @org.jmlspecs.annotation.Foo"]);
        let one = "import org.jmlspecs.annotation.Pure; @Pure @NonNull @Other class C {}";
        assert_eq!(found(one), ["pure for @Pure"]);
        let qualified = "@org.jmlspecs.annotation.Pure() int f; @a.Pure @Pure int g;";
        assert_eq!(found(qualified), ["pure for @org.jmlspecs.annotation.Pure()"]);
    }

    #[test]
    fn other_types_of_these_names_mean_nothing() {
        let other = "import org.jmlspecs.annotation.*; import a.b.Pure; @Pure class C {}";
        assert!(found(other).is_empty());
        let own = "import org.jmlspecs.annotation.*; @interface Pure {} @Pure class C {}";
        assert!(found(own).is_empty());
        assert_eq!(found("package org.jmlspecs.annotation; @Pure class C {}"), ["pure for @Pure"]);
        let text = "import org.jmlspecs.annotation.*; class C { String s = \"@Pure\"; }";
        assert!(found(text).is_empty());
    }
}
