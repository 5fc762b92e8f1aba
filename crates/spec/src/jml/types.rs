//! Types as specifications write them. Knows which words are primitive types, nothing of classes.

use crate::cursor::Cursor;
use crate::diagnostic::Parse;
use crate::jml::ast::{Ident, TypeName};
use crate::lexer::{Token, TokenKind};

/// A type with its arguments and dimensions.
pub(crate) fn type_name(c: &mut Cursor<'_>) -> Parse<TypeName> {
    c.nested(|c| {
        let mut ty = plain_type(c)?;
        ty.dimensions = dimensions(c);
        ty.span = ty.span.to(c.previous_span());
        Ok(ty)
    })
}

fn plain_type(c: &mut Cursor<'_>) -> Parse<TypeName> {
    let start = c.peek().span;
    if is_backslash_type(&c.peek()) {
        let name = c.next().text.to_string();
        return Ok(TypeName { name, arguments: Vec::new(), dimensions: 0, span: start });
    }
    let mut name = c.expect_word("a type")?.text.to_string();
    let mut arguments = arguments(c)?;
    while c.is(".") && c.peek_at(1).kind == TokenKind::Word && !c.peek_at(1).is("class") {
        c.check_length()?;
        c.next();
        name.push('.');
        name.push_str(c.next().text);
        arguments.extend(self::arguments(c)?);
    }
    Ok(TypeName { name, arguments, dimensions: 0, span: start.to(c.previous_span()) })
}

/// Types that only specifications have; whether they are supported is for the resolver to say.
const BACKSLASH_TYPES: [&str; 10] = [
    "\\bigint",
    "\\real",
    "\\TYPE",
    "\\locset",
    "\\seq",
    "\\map",
    "\\set",
    "\\string",
    "\\free",
    "\\object_set",
];

fn is_backslash_type(token: &Token<'_>) -> bool {
    token.kind == TokenKind::Backslash && BACKSLASH_TYPES.contains(&token.text)
}

/// `<A, B>` where it stands, possibly empty as in `<>`.
pub(crate) fn arguments(c: &mut Cursor<'_>) -> Parse<Vec<TypeName>> {
    let mut arguments = Vec::new();
    if !c.eat("<") {
        return Ok(arguments);
    }
    if c.eat(">") {
        return Ok(arguments);
    }
    loop {
        arguments.push(argument(c)?);
        if !c.eat(",") {
            break;
        }
    }
    c.expect(">", "after the type arguments")?;
    Ok(arguments)
}

fn argument(c: &mut Cursor<'_>) -> Parse<TypeName> {
    let start = c.peek().span;
    if !c.eat("?") {
        return type_name(c);
    }
    let bound = ["extends", "super"].into_iter().find(|word| c.eat(word));
    let (name, arguments, dimensions) = match bound {
        None => ("?".to_string(), Vec::new(), 0),
        Some(word) => {
            let ty = type_name(c)?;
            (format!("? {word} {}", ty.name), ty.arguments, ty.dimensions)
        }
    };
    Ok(TypeName { name, arguments, dimensions, span: start.to(c.previous_span()) })
}

/// Eats pairs of brackets.
pub(crate) fn dimensions(c: &mut Cursor<'_>) -> usize {
    let mut dimensions = 0;
    while c.is("[") && c.peek_at(1).is("]") {
        c.next();
        c.next();
        dimensions += 1;
    }
    dimensions
}

pub(crate) fn is_primitive(text: &str) -> bool {
    matches!(
        text,
        "boolean" | "byte" | "char" | "short" | "int" | "long" | "float" | "double" | "void"
    )
}

/// A name that something is declared or found by.
pub(crate) fn ident(c: &mut Cursor<'_>, what: &str) -> Parse<Ident> {
    let token = c.expect_word(what)?;
    Ok(Ident { name: token.text.into(), span: token.span })
}

/// Whether what stands here, after `(`, is a type that a cast converts to: decided as Java does,
/// by what follows the closing parenthesis.
pub(crate) fn cast_target(c: &mut Cursor<'_>) -> Option<TypeName> {
    let mark = c.mark();
    let is_certain = is_primitive(c.peek().text) || is_backslash_type(&c.peek());
    let found = type_name(c).ok().filter(|_| c.eat(")"));
    let found = found.filter(|_| is_certain || begins_operand(&c.peek()));
    if found.is_none() {
        c.rewind(mark);
    }
    found
}

fn begins_operand(token: &Token<'_>) -> bool {
    match token.kind {
        TokenKind::Word => token.text != "instanceof" && !token.starts_line_of_clause(),
        TokenKind::Number | TokenKind::Character | TokenKind::Text => true,
        TokenKind::Backslash | TokenKind::Informal => true,
        TokenKind::Symbol => matches!(token.text, "(" | "!" | "~"),
        TokenKind::Unknown | TokenKind::End => false,
    }
}

impl Token<'_> {
    /// Whether it more likely begins the next clause, after a forgotten semicolon.
    fn starts_line_of_clause(&self) -> bool {
        self.starts_line && super::words::begins_clause(self)
    }
}
