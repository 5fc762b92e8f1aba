//! Tokens of preprocessed C, each with the line of the source that it comes from.

/// What a token is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Token {
    /// A name or a keyword.
    Word(String),
    /// An integer constant with its suffix in lower case.
    Integer { value: u64, decimal: bool, suffix: String },
    /// A floating constant, as it stands.
    Float(String),
    /// A character constant, as an `int`.
    Character(i64),
    /// A string, without its quotes and escapes.
    Text(Vec<u8>),
    /// An operator or separator.
    Mark(&'static str),
    /// The end of the file.
    End,
}

/// Where a token stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Place {
    /// The file, as an index into the names of files.
    pub file: u32,
    /// The line in it, from 1.
    pub line: u32,
    /// Where the token begins in the preprocessed text.
    pub start: u32,
    /// Where it ends.
    pub end: u32,
}

/// The tokens of one translation unit.
pub struct Tokens {
    /// Each token with its place; the last is `End`.
    pub list: Vec<(Token, Place)>,
    /// The names of the files.
    pub files: Vec<String>,
}

/// A problem with the source: what, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// A sentence.
    pub what: String,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            0 => write!(formatter, "{}: {}", self.file, self.what),
            line => write!(formatter, "{}:{line}: {}", self.file, self.what),
        }
    }
}

/// Longest first.
const MARKS: [&str; 48] = [
    "...", "<<=", ">>=", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "*=",
    "/=", "%=", "+=", "-=", "&=", "^=", "|=", "##", "<:", ":>", "[", "]", "(", ")", "{", "}", ".",
    "&", "*", "+", "-", "~", "!", "/", "%", "<", ">", "^", "|", "?", ":", ";", "=",
];

struct Lexer<'a> {
    text: &'a [u8],
    at: usize,
    line: u32,
    file: u32,
    files: Vec<String>,
}

/// Splits preprocessed text into tokens. Its line marks (`# 12 "file.c"`) are obeyed.
pub fn tokens(name: &str, text: &str) -> Result<Tokens, Problem> {
    let files = vec![name.to_owned()];
    let mut lexer = Lexer { text: text.as_bytes(), at: 0, line: 1, file: 0, files };
    let mut list = Vec::new();
    loop {
        lexer.skip();
        let start = lexer.at;
        let (line, file) = (lexer.line, lexer.file);
        let token = lexer.next()?;
        let end = lexer.at as u32;
        let place = Place { file, line, start: start as u32, end };
        let ends = token == Token::End;
        list.push((token, place));
        if ends {
            return Ok(Tokens { list, files: lexer.files });
        }
    }
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.text.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn problem(&self, what: &str) -> Problem {
        let file = self.files[self.file as usize].clone();
        Problem { file, line: self.line, what: what.to_owned() }
    }

    /// Skips white space, comments and lines of the preprocessor.
    fn skip(&mut self) {
        loop {
            let starts_line = self.at == 0 || self.text[self.at - 1] == b'\n';
            match self.peek(0) {
                b'\n' => {
                    self.line += 1;
                    self.at += 1;
                }
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => self.at += 1,
                b'\\' if self.peek(1) == b'\n' => {
                    self.line += 1;
                    self.at += 2;
                }
                b'#' if starts_line => self.mark(),
                b'/' if self.peek(1) == b'/' => {
                    while self.at < self.text.len() && self.peek(0) != b'\n' {
                        self.at += 1;
                    }
                }
                b'/' if self.peek(1) == b'*' => {
                    self.at += 2;
                    while self.at < self.text.len()
                        && &self.text[self.at..][..2.min(self.text.len() - self.at)] != b"*/"
                    {
                        self.line += u32::from(self.peek(0) == b'\n');
                        self.at += 1;
                    }
                    self.at = (self.at + 2).min(self.text.len());
                }
                _ => return,
            }
        }
    }

    /// A line that begins with `#`: a line mark or a pragma.
    fn mark(&mut self) {
        let rest = &self.text[self.at..];
        let length = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
        let line = String::from_utf8_lossy(&rest[..length]).into_owned();
        self.at += length;
        let words = line.trim_start_matches('#').trim_start();
        let words = words.strip_prefix("line").unwrap_or(words).trim_start();
        let digits: String = words.chars().take_while(char::is_ascii_digit).collect();
        let Ok(number) = digits.parse::<u32>() else {
            return;
        };
        // The mark's own line end comes next.
        self.line = number.saturating_sub(1);
        if let Some(name) = words.split('"').nth(1) {
            let known = self.files.iter().position(|file| file == name);
            self.file = known.unwrap_or_else(|| {
                self.files.push(name.to_owned());
                self.files.len() - 1
            }) as u32;
        }
    }

    fn next(&mut self) -> Result<Token, Problem> {
        if self.at >= self.text.len() {
            return Ok(Token::End);
        }
        let first = self.peek(0);
        match first {
            b'0'..=b'9' => return self.number(),
            b'.' if self.peek(1).is_ascii_digit() => return self.number(),
            b'"' => return self.string(),
            b'\'' => return self.character(),
            b'L' | b'u' | b'U' if self.peek(1) == b'"' || self.peek(1) == b'\'' => {
                return Err(self.problem("wide characters are not supported"));
            }
            b'_' | b'a'..=b'z' | b'A'..=b'Z' | b'$' | 0x80.. => return Ok(self.word()),
            b',' => {
                self.at += 1;
                return Ok(Token::Mark(","));
            }
            _ => {}
        }
        for mark in MARKS {
            if self.text[self.at..].starts_with(mark.as_bytes()) {
                self.at += mark.len();
                let plain = match mark {
                    "<:" => "[",
                    ":>" => "]",
                    other => other,
                };
                return Ok(Token::Mark(plain));
            }
        }
        Err(self.problem(&format!("the character {:?} has no meaning here", first as char)))
    }

    fn word(&mut self) -> Token {
        let start = self.at;
        while matches!(self.peek(0), b'_' | b'$' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | 0x80..)
        {
            self.at += 1;
        }
        Token::Word(String::from_utf8_lossy(&self.text[start..self.at]).into_owned())
    }

    fn number(&mut self) -> Result<Token, Problem> {
        let start = self.at;
        let hexadecimal = self.peek(0) == b'0' && matches!(self.peek(1), b'x' | b'X');
        loop {
            let exponent = if hexadecimal { b"pP" } else { b"eE" };
            let signed = exponent.contains(&self.peek(0)) && matches!(self.peek(1), b'+' | b'-');
            match self.peek(0) {
                _ if signed => self.at += 2,
                b'.' | b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => self.at += 1,
                b'\'' if self.peek(1).is_ascii_alphanumeric() => self.at += 1,
                _ => break,
            }
        }
        let text = String::from_utf8_lossy(&self.text[start..self.at]).replace('\'', "");
        let text = text.to_ascii_lowercase();
        let is_float = text.contains('.')
            || (!hexadecimal && text.contains('e') && !text.starts_with("0b"))
            || (hexadecimal && text.contains('p'));
        if is_float {
            return Ok(Token::Float(text));
        }
        let (base, digits) = match () {
            () if hexadecimal => (16, &text[2..]),
            () if text.starts_with("0b") => (2, &text[2..]),
            () if text.len() > 1 && text.starts_with('0') => (8, &text[1..]),
            () => (10, &text[..]),
        };
        let length = digits.find(|c: char| !c.is_digit(base)).unwrap_or(digits.len());
        let (digits, suffix) = digits.split_at(length);
        let value = if digits.is_empty() { Ok(0) } else { u64::from_str_radix(digits, base) };
        match value {
            Ok(value) if ["", "u", "l", "ul", "lu", "ll", "ull", "llu"].contains(&suffix) => {
                Ok(Token::Integer { value, decimal: base == 10, suffix: suffix.to_owned() })
            }
            _ => Err(self.problem(&format!("`{text}` is no number of C"))),
        }
    }

    fn escape(&mut self) -> Result<u8, Problem> {
        self.at += 1;
        let letter = self.peek(0);
        self.at += 1;
        Ok(match letter {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'a' => 7,
            b'b' => 8,
            b'f' => 12,
            b'v' => 11,
            b'e' => 27,
            b'\\' | b'\'' | b'"' | b'?' => letter,
            b'0'..=b'7' => {
                let mut value = u32::from(letter - b'0');
                for _ in 0..2 {
                    if let digit @ b'0'..=b'7' = self.peek(0) {
                        value = value * 8 + u32::from(digit - b'0');
                        self.at += 1;
                    }
                }
                value as u8
            }
            b'x' => {
                let mut value = 0u32;
                while let Some(digit) = (self.peek(0) as char).to_digit(16) {
                    value = value.wrapping_mul(16).wrapping_add(digit);
                    self.at += 1;
                }
                value as u8
            }
            _ => return Err(self.problem("this escape is not known")),
        })
    }

    fn string(&mut self) -> Result<Token, Problem> {
        self.at += 1;
        let mut bytes = Vec::new();
        loop {
            match self.peek(0) {
                b'"' => {
                    self.at += 1;
                    return Ok(Token::Text(bytes));
                }
                b'\\' => bytes.push(self.escape()?),
                0 | b'\n' => return Err(self.problem("a string is not closed")),
                other => {
                    bytes.push(other);
                    self.at += 1;
                }
            }
        }
    }

    fn character(&mut self) -> Result<Token, Problem> {
        self.at += 1;
        let value = match self.peek(0) {
            b'\\' => self.escape()?,
            0 | b'\n' => return Err(self.problem("a character is not closed")),
            other => {
                self.at += 1;
                other
            }
        };
        if self.peek(0) != b'\'' {
            return Err(self.problem("a character constant has one character"));
        }
        self.at += 1;
        Ok(Token::Character(i64::from(value as i8)))
    }
}
