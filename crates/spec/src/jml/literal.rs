//! The values of literals, by the rules of the Java language. Knows the text of one token only.

use crate::jml::ast::Literal;

/// The value of a number as Java reads it. `negated` where a minus stands directly in front,
/// which is the only way to write the least `int` and `long` in decimal; the answer then says
/// whether the minus is part of the literal.
pub(crate) fn number(text: &str, negated: bool) -> Result<(Literal, bool), String> {
    let clean: String = text.chars().filter(|&c| c != '_').collect();
    let lower = clean.to_ascii_lowercase();
    if let Some(digits) = lower.strip_prefix("0x") {
        if digits.contains(['.', 'p']) {
            return Err("hexadecimal floating-point numbers are not supported".into());
        }
        return integer(digits, 16, negated);
    }
    if let Some(digits) = lower.strip_prefix("0b") {
        return integer(digits, 2, negated);
    }
    if lower.contains(['.', 'e', 'f', 'd']) {
        return floating(&lower).map(|value| (value, false));
    }
    match lower.strip_prefix('0') {
        Some(digits) if !digits.is_empty() && digits != "l" => integer(digits, 8, negated),
        _ => integer(&lower, 10, negated),
    }
}

fn integer(digits: &str, radix: u32, negated: bool) -> Result<(Literal, bool), String> {
    let (digits, is_long) = match digits.strip_suffix('l') {
        Some(digits) => (digits, true),
        None => (digits, false),
    };
    let is_number = !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
    if !is_number {
        return Err(format!("`{digits}` is not a number"));
    }
    let too_large = || "this number is too large".to_string();
    let value = u64::from_str_radix(digits, radix).map_err(|_| too_large())?;
    if radix != 10 {
        let bits = if is_long {
            Literal::Long(value.cast_signed())
        } else {
            Literal::Int(u32::try_from(value).map_err(|_| too_large())?.cast_signed())
        };
        return Ok((bits, false));
    }
    let least = negated && value == if is_long { 1 << 63 } else { 1 << 31 };
    let literal = match (is_long, least) {
        (true, true) => Literal::Long(i64::MIN),
        (false, true) => Literal::Int(i32::MIN),
        (true, false) => Literal::Long(i64::try_from(value).map_err(|_| too_large())?),
        (false, false) => Literal::Int(i32::try_from(value).map_err(|_| too_large())?),
    };
    Ok((literal, least))
}

fn floating(text: &str) -> Result<Literal, String> {
    let not_a_number = |_| format!("`{text}` is not a number");
    let (literal, is_finite) = match text.strip_suffix('f') {
        Some(digits) => {
            let value: f32 = digits.parse().map_err(not_a_number)?;
            (Literal::Float(value), value.is_finite())
        }
        None => {
            let digits = text.strip_suffix('d').unwrap_or(text);
            let value: f64 = digits.parse().map_err(not_a_number)?;
            (Literal::Double(value), value.is_finite())
        }
    };
    if is_finite { Ok(literal) } else { Err("this number is too large".into()) }
}

/// The character of a literal in single quotes.
pub(crate) fn character(quoted: &str) -> Result<Literal, String> {
    match *units(quoted)?.as_slice() {
        [unit] => Ok(Literal::Char(unit)),
        _ => Err("a character literal holds exactly one character".into()),
    }
}

/// The text of a literal in double quotes.
pub(crate) fn text(quoted: &str) -> Result<Literal, String> {
    String::from_utf16(&units(quoted)?)
        .map(Literal::Text)
        .map_err(|_| "half a surrogate pair is not supported in a text".into())
}

/// UTF-16 units between the quotes, escapes replaced.
fn units(quoted: &str) -> Result<Vec<u16>, String> {
    let inside = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or("");
    let mut units = Vec::new();
    let mut rest = inside;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        if c == '\\' {
            let (unit, behind) = escape(rest)?;
            units.push(unit);
            rest = behind;
        } else {
            units.extend_from_slice(c.encode_utf16(&mut [0; 2]));
        }
    }
    Ok(units)
}

/// The unit that an escape stands for, and what follows it.
fn escape(rest: &str) -> Result<(u16, &str), String> {
    let unknown = || "this escape does not exist in Java".to_string();
    let first = rest.chars().next().ok_or_else(unknown)?;
    let behind = &rest[first.len_utf8()..];
    let simple = match first {
        'b' => 8,
        't' => 9,
        'n' => 10,
        'f' => 12,
        'r' => 13,
        's' => 32,
        '"' | '\'' | '\\' => first as u16,
        '0'..='7' => return Ok(octal(rest)),
        'u' => return unicode(behind).ok_or_else(unknown),
        _ => return Err(unknown()),
    };
    Ok((simple, behind))
}

fn octal(rest: &str) -> (u16, &str) {
    let longest = if rest.starts_with(['0', '1', '2', '3']) { 3 } else { 2 };
    let digits = rest.bytes().take(longest).take_while(|b| (b'0'..=b'7').contains(b)).count();
    let value = rest.bytes().take(digits).fold(0, |value, b| value * 8 + u16::from(b - b'0'));
    (value, &rest[digits..])
}

fn unicode(rest: &str) -> Option<(u16, &str)> {
    let rest = rest.trim_start_matches('u');
    let digits = rest.get(..4)?;
    let is_hexadecimal = digits.chars().all(|c| c.is_ascii_hexdigit());
    let value = is_hexadecimal.then(|| u16::from_str_radix(digits, 16).ok())??;
    Some((value, &rest[4..]))
}
