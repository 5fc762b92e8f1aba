//! Java's own notation: names, characters, strings and numbers as a Java developer writes them.

use std::collections::BTreeMap;

use verify::execution::FieldDatum;

/// Words that cannot be names.
pub const RESERVED: [&str; 53] = [
    "abstract",
    "assert",
    "boolean",
    "break",
    "byte",
    "case",
    "catch",
    "char",
    "class",
    "const",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extends",
    "final",
    "finally",
    "float",
    "for",
    "goto",
    "if",
    "implements",
    "import",
    "instanceof",
    "int",
    "interface",
    "long",
    "native",
    "new",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "short",
    "static",
    "strictfp",
    "super",
    "switch",
    "synchronized",
    "this",
    "throw",
    "throws",
    "transient",
    "try",
    "void",
    "volatile",
    "while",
    "true",
    "false",
    "null",
];

/// `p.Outer$Inner` → `Inner`, `java.lang.String[]` → `String[]`; an anonymous or local class
/// keeps its outer name (`Outer$1`).
pub(crate) fn simple(name: &str) -> &str {
    let unqualified = &name[name.rfind('.').map_or(0, |i| i + 1)..];
    let element = unqualified.trim_end_matches("[]");
    let start = element.rfind('$').map_or(0, |i| i + 1);
    let inner = &unqualified[start..];
    match inner.chars().next() {
        Some(first) if !first.is_ascii_digit() && first != '[' => inner,
        Some(_) | None => unqualified,
    }
}

/// The name of a file without directories.
pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// A class as the JVM names it (`[Ljava.lang.String;`, `[[I`) as Java writes it
/// (`java.lang.String[]`, `int[][]`).
pub(crate) fn written(name: &str) -> String {
    let element = name.trim_start_matches('[');
    let dimensions = name.len() - element.len();
    if dimensions == 0 {
        return name.to_string();
    }
    let element = match element {
        "Z" => "boolean",
        "B" => "byte",
        "C" => "char",
        "S" => "short",
        "I" => "int",
        "J" => "long",
        "F" => "float",
        "D" => "double",
        class => class.strip_prefix('L').and_then(|c| c.strip_suffix(';')).unwrap_or(class),
    };
    format!("{element}{}", "[]".repeat(dimensions))
}

/// Names that tell the fields of one object apart: `x`, or `A.x` where a class hides a field of
/// its superclass, or `p.A.x` if even that is not enough.
pub(crate) fn field_names(fields: &[FieldDatum]) -> Vec<String> {
    let plain = |f: &FieldDatum| f.name.clone();
    let short = |f: &FieldDatum| format!("{}.{}", simple(&f.class), f.name);
    let full = |f: &FieldDatum| format!("{}.{}", f.class, f.name);
    let mut plainly: BTreeMap<String, usize> = BTreeMap::new();
    let mut shortly: BTreeMap<String, usize> = BTreeMap::new();
    for field in fields {
        *plainly.entry(plain(field)).or_default() += 1;
        *shortly.entry(short(field)).or_default() += 1;
    }
    let name = |f: &FieldDatum| match (plainly[&plain(f)], shortly[&short(f)]) {
        (1, _) => plain(f),
        (_, 1) => short(f),
        (_, _) => full(f),
    };
    fields.iter().map(name).collect()
}

/// One decoded piece of UTF-16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Char(char),
    /// Half of a pair without the other half: legal in Java, not a character.
    Lone(u16),
}

/// Decodes UTF-16 without losing anything.
pub(crate) fn decode(units: &[u16]) -> impl Iterator<Item = Unit> + '_ {
    char::decode_utf16(units.iter().copied()).map(|unit| match unit {
        Ok(c) => Unit::Char(c),
        Err(lone) => Unit::Lone(lone.unpaired_surrogate()),
    })
}

/// `'x'`, as a literal.
pub fn char_literal(unit: u16, unicode: bool) -> String {
    let mut text = String::from("'");
    decode(&[unit]).for_each(|u| escape(&mut text, u, '\'', unicode));
    text.push('\'');
    text
}

/// `"abc"`, as a literal, of at most `most` characters of the text; then `…`.
pub fn string_literal(units: &[u16], most: usize, unicode: bool) -> String {
    let mut text = String::from("\"");
    let mut rest = decode(units);
    rest.by_ref().take(most).for_each(|u| escape(&mut text, u, '"', unicode));
    text.push('"');
    if rest.next().is_some() {
        text.push_str(ellipsis(unicode));
    }
    text
}

fn escape(out: &mut String, unit: Unit, quote: char, unicode: bool) {
    match unit {
        Unit::Char('\n') => out.push_str("\\n"),
        Unit::Char('\t') => out.push_str("\\t"),
        Unit::Char('\r') => out.push_str("\\r"),
        Unit::Char('\\') => out.push_str("\\\\"),
        Unit::Char(c) if c == quote => out.extend(['\\', c]),
        Unit::Char(c) if is_printable(c) && (unicode || c.is_ascii()) => out.push(c),
        Unit::Char(c) => {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        }
        Unit::Lone(unit) => out.push_str(&format!("\\u{unit:04x}")),
    }
}

/// Whether a character shows as itself and does nothing else to a terminal: no controls, no
/// changes of writing direction, nothing invisible, private or unassigned at the end of a plane.
pub(crate) fn is_printable(c: char) -> bool {
    let hidden = matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{e000}'..='\u{f8ff}' | '\u{feff}' | '\u{fff0}'..='\u{fffb}'
        | '\u{e0000}'..='\u{10ffff}');
    let unassigned = c as u32 & 0xfffe == 0xfffe;
    !c.is_control() && !hidden && !unassigned && (c == ' ' || !c.is_whitespace())
}

/// `…`, or three dots where only ASCII is wanted.
pub(crate) fn ellipsis(unicode: bool) -> &'static str {
    if unicode { "…" } else { "..." }
}

/// A double as `Double.toString` names it, but for the choice of the exponent's form.
pub(crate) fn double(bits: u64) -> String {
    let value = f64::from_bits(bits);
    special(value).map_or_else(|| format!("{value:?}"), str::to_string)
}

/// A float, likewise.
pub(crate) fn float(bits: u32) -> String {
    let value = f32::from_bits(bits);
    special(value.into()).map_or_else(|| format!("{value:?}"), str::to_string)
}

/// The names of the values that are not numbers.
fn special(value: f64) -> Option<&'static str> {
    if value.is_nan() {
        Some("NaN")
    } else if value == f64::INFINITY {
        Some("Infinity")
    } else if value == f64::NEG_INFINITY {
        Some("-Infinity")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(text: &str) -> Vec<u16> {
        text.encode_utf16().collect()
    }

    #[test]
    fn simple_names() {
        assert_eq!(simple("p.Outer$Inner"), "Inner");
        assert_eq!(simple("p.Outer$1"), "Outer$1");
        assert_eq!(simple("java.lang.String[][]"), "String[][]");
        assert_eq!(simple("int[]"), "int[]");
        assert_eq!(simple("p.Odd$[]"), "Odd$[]");
        assert_eq!(simple("p.Odd$"), "Odd$");
        assert_eq!(simple(""), "");
        assert_eq!(simple("p."), "");
    }

    #[test]
    fn names_of_the_jvm() {
        assert_eq!(written("java.lang.String"), "java.lang.String");
        assert_eq!(written("[Lp.A$B;"), "p.A$B[]");
        assert_eq!(written("[[I"), "int[][]");
        assert_eq!(written("["), "[]");
    }

    #[test]
    fn literals() {
        assert_eq!(char_literal(u16::from(b'x'), true), "'x'");
        assert_eq!(char_literal(u16::from(b'\''), true), "'\\''");
        assert_eq!(char_literal(0, true), "'\\u0000'");
        assert_eq!(char_literal(0xd800, true), "'\\ud800'");
        assert_eq!(char_literal(0xffff, true), "'\\uffff'");
        let quoted = string_literal(&units("a\"b\\\n\u{0}\u{202e}é😀"), 40, true);
        assert_eq!(quoted, "\"a\\\"b\\\\\\n\\u0000\\u202eé😀\"");
        let ascii = string_literal(&units("é😀"), 40, false);
        assert_eq!(ascii, "\"\\u00e9\\ud83d\\ude00\"");
        assert_eq!(string_literal(&units("abcdef"), 3, true), "\"abc\"…");
        assert_eq!(string_literal(&units("abc"), 3, false), "\"abc\"");
        assert_eq!(string_literal(&[0xdc00, 0xd800], 9, true), "\"\\udc00\\ud800\"");
    }

    #[test]
    fn numbers() {
        assert_eq!(float(0.1f32.to_bits()), "0.1");
        assert_eq!(double(1f64.to_bits()), "1.0");
        assert_eq!(double((-0f64).to_bits()), "-0.0");
        assert_eq!(double(f64::NAN.to_bits()), "NaN");
        assert_eq!(float(f32::NEG_INFINITY.to_bits()), "-Infinity");
    }
}
