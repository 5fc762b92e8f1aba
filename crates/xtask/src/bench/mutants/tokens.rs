//! Java in tokens, as far as changing single ones needs it.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Word,
    Number,
    Quoted,
    Symbol,
}

#[derive(Clone, Debug)]
pub struct Token<'s> {
    pub kind: Kind,
    pub text: &'s str,
    pub start: usize,
    pub line: usize,
}

impl Token<'_> {
    pub fn end(&self) -> usize {
        self.start + self.text.len()
    }

    /// Is it a word of the program's own, not one of the language?
    pub fn is_name(&self) -> bool {
        const WORDS: [&str; 36] = [
            "abstract",
            "assert",
            "break",
            "case",
            "catch",
            "class",
            "continue",
            "default",
            "do",
            "else",
            "enum",
            "extends",
            "false",
            "final",
            "finally",
            "for",
            "if",
            "implements",
            "import",
            "instanceof",
            "interface",
            "new",
            "null",
            "package",
            "private",
            "protected",
            "public",
            "return",
            "static",
            "super",
            "switch",
            "this",
            "throw",
            "true",
            "try",
            "while",
        ];
        self.kind == Kind::Word && !WORDS.contains(&self.text) && !is_primitive(self.text)
    }
}

pub fn is_primitive(word: &str) -> bool {
    ["int", "boolean", "long", "short", "byte", "char", "float", "double", "void"].contains(&word)
}

/// The text of a token, empty behind the last one.
pub fn text<'s>(tokens: &[Token<'s>], at: usize) -> &'s str {
    tokens.get(at).map_or("", |t| t.text)
}

/// The bracket that closes the one here.
pub fn closing(tokens: &[Token<'_>], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token.text {
            "(" | "{" | "[" => depth += 1,
            ")" | "}" | "]" => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return (at > open).then_some(at);
        }
    }
    None
}

/// The tokens of Java, without comments and white space.
pub fn tokens(source: &str) -> Vec<Token<'_>> {
    const SYMBOLS: [&str; 24] = [
        ">>>", "<<=", ">>=", "...", "->", "::", "++", "--", "&&", "||", "==", "!=", "<=", ">=",
        "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<", ">>",
    ];
    let mut tokens = Vec::new();
    let (mut at, mut line) = (0, 1);
    while let Some(first) = source[at..].chars().next() {
        let rest = &source[at..];
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let (kind, length) = if rest.starts_with("//") {
            (None, rest.find('\n').unwrap_or(rest.len()))
        } else if let Some(comment) = rest.strip_prefix("/*") {
            (None, comment.find("*/").map_or(rest.len(), |end| end + 4))
        } else if first.is_whitespace() {
            (None, first.len_utf8())
        } else if first == '"' || first == '\'' {
            (Some(Kind::Quoted), quoted(rest, first))
        } else if is_word(first) {
            let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            let kind = if first.is_ascii_digit() { Kind::Number } else { Kind::Word };
            (Some(kind), length)
        } else {
            let symbol = SYMBOLS.into_iter().find(|symbol| rest.starts_with(symbol));
            (Some(Kind::Symbol), symbol.map_or(first.len_utf8(), str::len))
        };
        let text = &rest[..length];
        if let Some(kind) = kind {
            tokens.push(Token { kind, text, start: at, line });
        }
        line += text.matches('\n').count();
        at += length;
    }
    tokens
}

/// How long a literal in these quotes is.
fn quoted(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}
