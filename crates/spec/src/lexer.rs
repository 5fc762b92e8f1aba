//! Words and symbols of specification comments, for both languages. Knows nothing of grammar; it
//! leaves out what is only decoration: the `@` in front of a line, remarks inside a comment.

use crate::comment::Dialect;
use crate::span::{Positions, Span};

/// What a token is; what it says is its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// An identifier or keyword; in Alloy style with its prime.
    Word,
    /// `\old` and its like.
    Backslash,
    Number,
    Character,
    Text,
    Symbol,
    /// `(* … *)`.
    Informal,
    /// What belongs to no specification language, or a quote without its end.
    Unknown,
    /// Behind the last token.
    End,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'s> {
    pub kind: TokenKind,
    pub text: &'s str,
    pub span: Span,
    /// Whether no other token stands before it on its line.
    pub starts_line: bool,
}

/// Longest first, so that the first match is the right one. `>` stays alone, because `>>` may
/// close two lists of type arguments; so does `<-`, because `a<-b` compares.
const JML_SYMBOLS: [&str; 29] = [
    "<=!=>", "<==>", "...", "==>", "<==", "..", "::", "->", "<:", "<<", "<=", ">=", "==", "!=",
    "&&", "||", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "{|", "|}", "=>",
];

const ALLOY_SYMBOLS: [&str; 13] =
    ["<=>", "->", "<:", ":>", "++", "!=", "=>", "=<", "<=", ">=", "&&", "||", "=="];

/// Appends the tokens of one comment body.
pub(crate) fn lex<'s>(
    source: &'s str,
    body: std::ops::Range<usize>,
    dialect: Dialect,
    positions: &Positions<'_>,
    tokens: &mut Vec<Token<'s>>,
) {
    let end = body.end.min(source.len());
    let mut lexer = Lexer { source, at: body.start, end, dialect, starts_line: true };
    lexer.skip_marks();
    while let Some((kind, start)) = lexer.next() {
        let starts_line = std::mem::take(&mut lexer.starts_line);
        let text = source.get(start..lexer.at).unwrap_or("");
        let span = positions.span(start, lexer.at);
        tokens.push(Token { kind, text, span, starts_line });
    }
}

struct Lexer<'s> {
    source: &'s str,
    at: usize,
    end: usize,
    dialect: Dialect,
    starts_line: bool,
}

impl<'s> Lexer<'s> {
    fn rest(&self) -> &'s str {
        self.source.get(self.at..self.end).unwrap_or("")
    }

    fn next(&mut self) -> Option<(TokenKind, usize)> {
        self.skip_decoration();
        let start = self.at;
        let first = self.rest().chars().next()?;
        let kind = match first {
            '\\' => self.backslash(),
            '0'..='9' => self.number(),
            '"' | '\'' => self.quoted(first),
            '(' if self.dialect == Dialect::Jml && self.rest().starts_with("(*") => self.informal(),
            '.' if self.dialect == Dialect::Jml && self.digit_at(1) => self.number(),
            c if begins_word(c) => self.word(),
            c => self.symbol(c),
        };
        Some((kind, start))
    }

    fn skip_decoration(&mut self) {
        loop {
            let rest = self.rest();
            if rest.starts_with(['\n', '\r']) {
                self.at += 1;
                self.starts_line = true;
                self.skip_blanks();
                self.skip_marks();
            } else if rest.starts_with(char::is_whitespace) {
                self.skip_blanks();
            } else if rest.starts_with("//@") && self.dialect == Dialect::Jml {
                // A marker inside a comment that is already a specification marks nothing.
                self.at += 3;
            } else if rest.starts_with("//") || (rest.starts_with("--") && self.is_alloy()) {
                self.at += rest.find(['\n', '\r']).unwrap_or(rest.len());
            } else if let Some(inside) = rest.strip_prefix("/*") {
                self.at += inside.find("*/").map_or(rest.len(), |end| end + 4);
            } else {
                return;
            }
        }
    }

    fn skip_blanks(&mut self) {
        let rest = self.rest();
        let kept = rest.trim_start_matches(|c: char| c.is_whitespace() && c != '\n' && c != '\r');
        self.at += rest.len() - kept.len();
    }

    /// The `@` (or `$` and a blank) that decorates the beginning of a line.
    fn skip_marks(&mut self) {
        let rest = self.rest();
        match self.dialect {
            Dialect::Jml => self.at += rest.len() - rest.trim_start_matches('@').len(),
            Dialect::Alloy => {
                let kept = rest.trim_start_matches('$');
                if kept.is_empty() || kept.starts_with(char::is_whitespace) {
                    self.at += rest.len() - kept.len();
                }
            }
        }
    }

    fn is_alloy(&self) -> bool {
        self.dialect == Dialect::Alloy
    }

    fn digit_at(&self, offset: usize) -> bool {
        self.rest().as_bytes().get(offset).is_some_and(u8::is_ascii_digit)
    }

    fn take_while(&mut self, belongs: impl Fn(char) -> bool) {
        let rest = self.rest();
        self.at += rest.find(|c| !belongs(c)).unwrap_or(rest.len());
    }

    fn backslash(&mut self) -> TokenKind {
        self.at += 1;
        let before = self.at;
        self.take_while(continues_word);
        if self.at == before { TokenKind::Unknown } else { TokenKind::Backslash }
    }

    fn word(&mut self) -> TokenKind {
        self.take_while(continues_word);
        if self.is_alloy() {
            self.take_while(|c| c == '\'');
        }
        TokenKind::Word
    }

    /// Digits, letters and points: what exactly is a number is decided where it is decoded. Two
    /// points in a row are a range, and a sign belongs to the number behind an exponent only.
    fn number(&mut self) -> TokenKind {
        let hexadecimal = self.rest().starts_with("0x") || self.rest().starts_with("0X");
        let mut previous = ' ';
        while let Some(c) = self.rest().chars().next() {
            let point = c == '.' && !self.is_alloy() && !self.rest().starts_with("..");
            let sign = matches!(c, '+' | '-') && matches!(previous, 'e' | 'E') && !hexadecimal;
            if !(c.is_ascii_alphanumeric() || c == '_' || point || sign) {
                break;
            }
            previous = c;
            self.at += c.len_utf8();
        }
        TokenKind::Number
    }

    fn quoted(&mut self, quote: char) -> TokenKind {
        let mut characters = self.rest().char_indices().skip(1);
        while let Some((offset, c)) = characters.next() {
            match c {
                '\n' | '\r' => {
                    self.at += offset;
                    return TokenKind::Unknown;
                }
                '\\' => {
                    characters.next();
                }
                _ if c == quote => {
                    self.at += offset + 1;
                    return if quote == '"' { TokenKind::Text } else { TokenKind::Character };
                }
                _ => {}
            }
        }
        self.at = self.end;
        TokenKind::Unknown
    }

    fn informal(&mut self) -> TokenKind {
        match self.rest().find("*)") {
            Some(end) if end >= 2 => {
                self.at += end + 2;
                TokenKind::Informal
            }
            _ => {
                self.at = self.end;
                TokenKind::Unknown
            }
        }
    }

    fn symbol(&mut self, first: char) -> TokenKind {
        let rest = self.rest();
        let symbols: &[&str] = match self.dialect {
            Dialect::Jml => &JML_SYMBOLS,
            Dialect::Alloy => &ALLOY_SYMBOLS,
        };
        let long = symbols.iter().find(|s| rest.starts_with(**s));
        self.at += long.map_or(first.len_utf8(), |s| s.len());
        if long.is_some() || "+-*/%&|^~!<>=?:;,.()[]{}#".contains(first) {
            TokenKind::Symbol
        } else {
            TokenKind::Unknown
        }
    }
}

fn begins_word(c: char) -> bool {
    c.is_alphabetic() || c == '_' || c == '$'
}

fn continues_word(c: char) -> bool {
    begins_word(c) || c.is_numeric()
}
