//! Gives constructors without a body an empty one, because the grammar of Java insists on it and
//! `.jml` files leave it out. Nothing moves: `;` and the blank behind it become `{}`.

use std::collections::BTreeSet;

/// The text, in which comments are blank, with bodies for its constructors.
pub(crate) fn with_constructor_bodies(text: &str) -> String {
    let words: Vec<(usize, &str)> = words(text);
    let classes: BTreeSet<&str> = words
        .windows(2)
        .filter(|pair| matches!(pair[0].1, "class" | "enum" | "record"))
        .map(|pair| pair[1].1)
        .collect();
    let mut bytes = text.as_bytes().to_vec();
    for at in 0..words.len() {
        let before = at.checked_sub(1).and_then(|at| words.get(at)).map_or("", |&(_, word)| word);
        let is_use = matches!(before, "." | "new" | "@" | "class" | "enum" | "record");
        if is_use || !classes.contains(words[at].1) {
            continue;
        }
        let end = header_end(&words[at + 1..]);
        if let Some(end) =
            end.filter(|&end| bytes.get(end + 1).is_some_and(u8::is_ascii_whitespace))
        {
            bytes[end] = b'{';
            bytes[end + 1] = b'}';
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.into())
}

/// The offset of the `;` that stands in place of a body, behind parameters and exceptions.
fn header_end(words: &[(usize, &str)]) -> Option<usize> {
    let mut open = 0_usize;
    let mut has_parameters = false;
    for &(offset, word) in words {
        match word {
            "(" => open += 1,
            ")" => {
                open = open.checked_sub(1)?;
                has_parameters = true;
            }
            ";" => return (open == 0 && has_parameters).then_some(offset),
            "{" | "}" | "=" => return None,
            _ if open == 0 && !has_parameters => return None,
            _ => {}
        }
    }
    None
}

/// Identifiers and single symbols with their offsets.
fn words(text: &str) -> Vec<(usize, &str)> {
    let mut words = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = if is_word(c) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else {
            c.len_utf8()
        };
        if !c.is_whitespace() {
            words.push((at, &rest[..length]));
        }
        at += length;
    }
    words
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}
