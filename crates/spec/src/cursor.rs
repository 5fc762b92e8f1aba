//! The reading head over the tokens of a specification, shared by the parsers of both languages:
//! looking ahead, insisting, finding the way back after a mistake. Knows no grammar.

use crate::diagnostic::{Diagnostic, Failure, Parse};
use crate::lexer::{Token, TokenKind};
use crate::span::Span;

/// How deeply brackets and prefixes may nest. The parsers recur, and a comment must not be able to
/// exhaust the stack.
const DEEPEST: usize = 100;

/// How many tokens a clause may have: bounds the height of chains such as `a + a + …`, which are
/// parsed in a loop but printed and dropped by recursion.
const LONGEST: usize = 3000;

pub(crate) struct Cursor<'s> {
    tokens: Vec<Token<'s>>,
    at: usize,
    clause: usize,
    depth: usize,
    end: Token<'s>,
    pub diagnostics: Vec<Diagnostic>,
}

impl<'s> Cursor<'s> {
    pub fn new(tokens: Vec<Token<'s>>) -> Self {
        let last = tokens.last().map_or(Span::default(), behind);
        let end = Token { kind: TokenKind::End, text: "", span: last, starts_line: true };
        Cursor { tokens, at: 0, clause: 0, depth: 0, end, diagnostics: Vec::new() }
    }

    pub fn peek(&self) -> Token<'s> {
        self.peek_at(0)
    }

    pub fn peek_at(&self, ahead: usize) -> Token<'s> {
        self.tokens.get(self.at + ahead).copied().unwrap_or(self.end)
    }

    pub fn is_done(&self) -> bool {
        self.at >= self.tokens.len()
    }

    pub fn next(&mut self) -> Token<'s> {
        let token = self.peek();
        self.at = (self.at + 1).min(self.tokens.len());
        token
    }

    /// Whether the token is this word, backslash word or symbol.
    pub fn is(&self, text: &str) -> bool {
        self.peek().is(text)
    }

    pub fn eat(&mut self, text: &str) -> bool {
        let found = self.is(text);
        if found {
            self.next();
        }
        found
    }

    /// Insists on a symbol; the message says where it was expected.
    pub fn expect(&mut self, text: &str, place: &str) -> Parse<Span> {
        if self.is(text) {
            return Ok(self.next().span);
        }
        Err(Failure::new(self.complaint_span(), format!("expected `{text}` {place}")))
    }

    pub fn expect_word(&mut self, what: &str) -> Parse<Token<'s>> {
        match self.peek().kind {
            TokenKind::Word => Ok(self.next()),
            _ => Err(self.unexpected(what)),
        }
    }

    pub fn unexpected(&self, expected: &str) -> Failure {
        let token = self.peek();
        let message = match token.kind {
            TokenKind::End => format!("expected {expected}, but the specification ends here"),
            TokenKind::Unknown if token.text.starts_with(['"', '\'']) => {
                "this quote has no end on its line".into()
            }
            TokenKind::Unknown if token.text.starts_with("(*") => {
                "this informal description has no `*)`".into()
            }
            _ => format!("expected {expected}, found `{}`", shortened(token.text)),
        };
        Failure::new(token.span, message)
    }

    /// What is missing is missing behind the token before, not in front of the next line.
    fn complaint_span(&self) -> Span {
        let token = self.peek();
        match self.previous() {
            Some(previous) if token.starts_line => behind(previous),
            _ => token.span,
        }
    }

    fn previous(&self) -> Option<&Token<'s>> {
        self.at.checked_sub(1).and_then(|at| self.tokens.get(at))
    }

    /// The span of the token before, for the end of what was just parsed.
    pub fn previous_span(&self) -> Span {
        self.previous().map_or(self.peek().span, |token| token.span)
    }

    /// Marks the beginning of a clause, where recovery counts brackets from.
    pub fn begin_clause(&mut self) -> Span {
        self.clause = self.at;
        self.depth = 0;
        self.peek().span
    }

    /// Runs a parser one level further down.
    pub fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth >= DEEPEST {
            return Err(Failure::new(self.peek().span, "this is nested too deeply"));
        }
        self.depth += 1;
        let outcome = parse(self);
        self.depth -= 1;
        outcome
    }

    /// To be asked wherever a loop makes the tree higher.
    pub fn check_length(&self) -> Parse<()> {
        if self.at - self.clause.min(self.at) > LONGEST {
            let message = format!("this clause has more than {LONGEST} symbols; split it");
            return Err(Failure::new(self.peek().span, message));
        }
        Ok(())
    }

    /// A place to come back to with [`Cursor::rewind`].
    pub fn mark(&self) -> usize {
        self.at
    }

    pub fn rewind(&mut self, mark: usize) {
        self.at = mark;
    }

    /// Gives the current clause up: continues behind its `;`, or at a token that begins another.
    pub fn recover(&mut self, begins_clause: impl Fn(&Token<'_>) -> bool) {
        let failed_at = self.at;
        self.at = self.clause;
        self.next();
        let mut open = 0_usize;
        let mut previous = "";
        while !self.is_done() {
            let token = self.peek();
            let could_begin = token.starts_line || previous == ";" || self.at >= failed_at;
            if could_begin && begins_clause(&token) {
                return;
            }
            match (token.kind, token.text) {
                (TokenKind::Symbol, "(" | "[" | "{" | "{|") => open += 1,
                (TokenKind::Symbol, ")" | "]" | "}" | "|}") => open = open.saturating_sub(1),
                (TokenKind::Symbol, ";") if open == 0 => {
                    self.next();
                    return;
                }
                _ => {}
            }
            previous = token.text;
            self.next();
        }
    }

    /// Skips a bracket and all up to its partner; `false` where it has none.
    pub fn skip_balanced(&mut self) -> bool {
        let mut open = 0_usize;
        while !self.is_done() {
            let token = self.next();
            if token.kind != TokenKind::Symbol {
                continue;
            }
            match token.text {
                "(" | "[" | "{" | "{|" => open += 1,
                ")" | "]" | "}" | "|}" => open = open.saturating_sub(1),
                _ => {}
            }
            if open == 0 {
                return true;
            }
        }
        false
    }

    pub fn report(&mut self, failure: Failure) {
        self.diagnostics.push(*failure.0);
    }
}

impl Token<'_> {
    /// Whether the token is this word, backslash word or symbol.
    pub fn is(&self, text: &str) -> bool {
        let can_be =
            matches!(self.kind, TokenKind::Word | TokenKind::Backslash | TokenKind::Symbol);
        can_be && self.text == text
    }
}

/// The empty place directly behind a token.
fn behind(token: &Token<'_>) -> Span {
    let width = u32::try_from(token.text.chars().count()).unwrap_or(0);
    let Span { end, line, column, .. } = token.span;
    Span { start: end, end, line, column: column + width }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into(),
    }
}
