//! Operators of JML expressions: Java's, by climbing its precedence levels, and the implications
//! of JML below them. What operators stand between is the business of [`super::primary`].

use crate::cursor::Cursor;
use crate::diagnostic::{Failure, Parse};
use crate::jml::ast::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::jml::literal;
use crate::jml::primary;
use crate::jml::types;
use crate::lexer::TokenKind;
use crate::span::Span;

/// A whole expression.
pub(crate) fn expression(c: &mut Cursor<'_>) -> Parse<Expr> {
    let e = c.nested(conditional)?;
    refuse_assignment(c)?;
    Ok(e)
}

/// Names the most frequent slip: one `=` where two are meant.
fn refuse_assignment(c: &Cursor<'_>) -> Parse<()> {
    let token = c.peek();
    let is_assignment = matches!(token.text, "=" | "+=" | "-=" | "*=" | "/=" | "%=" | "++" | "--");
    if token.kind != TokenKind::Symbol || !is_assignment {
        return Ok(());
    }
    let message = "a specification must not change the state";
    let suggestion = (token.text == "=").then_some("==");
    Err(Failure::new(token.span, message).suggest(suggestion))
}

fn conditional(c: &mut Cursor<'_>) -> Parse<Expr> {
    let condition = equivalence(c)?;
    if !c.eat("?") {
        return Ok(condition);
    }
    let then = c.nested(conditional)?;
    c.expect(":", "in the conditional expression")?;
    let otherwise = c.nested(conditional)?;
    let span = condition.span.to(otherwise.span);
    let parts = (Box::new(condition), Box::new(then), Box::new(otherwise));
    Ok(Expr { kind: ExprKind::Conditional(parts.0, parts.1, parts.2), span })
}

fn equivalence(c: &mut Cursor<'_>) -> Parse<Expr> {
    let mut left = implication(c)?;
    loop {
        let op = match c.peek().text {
            "<==>" => BinaryOp::Iff,
            "<=!=>" => BinaryOp::NotIff,
            _ => return Ok(left),
        };
        c.check_length()?;
        c.next();
        left = binary(op, left, implication(c)?);
    }
}

/// `==>` groups to the right and `<==` to the left; a chain of both has no meaning.
fn implication(c: &mut Cursor<'_>) -> Parse<Expr> {
    let mut operands = vec![operation(c, 0)?];
    let mut direction: Option<&str> = None;
    while matches!(c.peek().text, "==>" | "<==") && c.peek().kind == TokenKind::Symbol {
        c.check_length()?;
        let arrow = c.next();
        if direction.is_some_and(|first| first != arrow.text) {
            let message = "`==>` and `<==` in one chain need parentheses";
            return Err(Failure::new(arrow.span, message));
        }
        direction = Some(arrow.text);
        operands.push(operation(c, 0)?);
    }
    let folded = match direction {
        Some("<==") => operands.into_iter().reduce(|l, r| binary(BinaryOp::ImpliedBy, l, r)),
        _ => operands.into_iter().rev().reduce(|r, l| binary(BinaryOp::Implies, l, r)),
    };
    folded.ok_or_else(|| c.unexpected("an expression"))
}

fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    let span = left.span.to(right.span);
    Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), span }
}

/// An operator of Java between two operands, how many tokens write it, and how tightly it binds.
fn operator(c: &Cursor<'_>) -> Option<(BinaryOp, usize, u8)> {
    use BinaryOp::*;
    let token = c.peek();
    if token.kind != TokenKind::Symbol {
        return None;
    }
    Some(match token.text {
        "||" => (Or, 1, 0),
        "&&" => (And, 1, 1),
        "|" => (BitOr, 1, 2),
        "^" => (BitXor, 1, 3),
        "&" => (BitAnd, 1, 4),
        "==" => (Equal, 1, 5),
        "!=" => (NotEqual, 1, 5),
        "<" => (Less, 1, 6),
        "<=" => (LessEqual, 1, 6),
        ">=" => (GreaterEqual, 1, 6),
        "<:" => (Subtype, 1, 6),
        ">" => greater_or_shift(c),
        "<<" => (ShiftLeft, 1, 7),
        "+" => (Add, 1, 8),
        "-" => (Subtract, 1, 8),
        "*" => (Multiply, 1, 9),
        "/" => (Divide, 1, 9),
        "%" => (Remainder, 1, 9),
        _ => return None,
    })
}

/// `>` tokens that touch each other are one shift operator.
fn greater_or_shift(c: &Cursor<'_>) -> (BinaryOp, usize, u8) {
    let touches =
        |n: usize| c.peek_at(n).is(">") && c.peek_at(n - 1).span.end == c.peek_at(n).span.start;
    match (touches(1), touches(2)) {
        (true, true) => (BinaryOp::ShiftRightUnsigned, 3, 7),
        (true, false) => (BinaryOp::ShiftRight, 2, 7),
        (false, _) => (BinaryOp::Greater, 1, 6),
    }
}

const RELATIONAL: u8 = 6;

/// Operators of Java that bind at least this tightly; all group to the left.
fn operation(c: &mut Cursor<'_>, least: u8) -> Parse<Expr> {
    let mut left = unary(c)?;
    loop {
        if c.is("instanceof") && least <= RELATIONAL {
            c.check_length()?;
            left = instance_of(c, left)?;
            continue;
        }
        let Some((op, tokens, level)) = operator(c).filter(|&(_, _, level)| level >= least) else {
            return Ok(left);
        };
        c.check_length()?;
        for _ in 0..tokens {
            c.next();
        }
        left = binary(op, left, operation(c, level + 1)?);
    }
}

fn instance_of(c: &mut Cursor<'_>, left: Expr) -> Parse<Expr> {
    c.next();
    let is_final = c.eat("final");
    let ty = types::type_name(c)?;
    let has_pattern = is_final || c.peek().kind == TokenKind::Word && !c.peek().starts_line;
    if has_pattern && c.peek().text != "instanceof" {
        c.expect_word("the name of the pattern variable")?;
        return Ok(unsupported("instanceof with a pattern", left.span.to(c.previous_span())));
    }
    let span = left.span.to(ty.span);
    Ok(Expr { kind: ExprKind::InstanceOf(Box::new(left), ty), span })
}

pub(crate) fn unsupported(what: &str, span: Span) -> Expr {
    Expr { kind: ExprKind::Unsupported(what.into()), span }
}

/// Prefix operators, casts, and what follows them.
pub(crate) fn unary(c: &mut Cursor<'_>) -> Parse<Expr> {
    let token = c.peek();
    let op = match (token.kind, token.text) {
        (TokenKind::Symbol, "!") => UnaryOp::Not,
        (TokenKind::Symbol, "~") => UnaryOp::Complement,
        (TokenKind::Symbol, "-") => UnaryOp::Minus,
        (TokenKind::Symbol, "+") => UnaryOp::Plus,
        (TokenKind::Symbol, "++" | "--") => {
            return Err(Failure::new(token.span, "a specification must not change the state"));
        }
        _ => return primary::postfix(c),
    };
    c.next();
    if let Some(least) = least_number(c, op, token.span) {
        return Ok(least);
    }
    let operand = c.nested(unary)?;
    let span = token.span.to(operand.span);
    Ok(Expr { kind: ExprKind::Unary(op, Box::new(operand)), span })
}

/// `-2147483648` is one literal, because `2147483648` alone is none.
fn least_number(c: &mut Cursor<'_>, op: UnaryOp, minus: Span) -> Option<Expr> {
    let token = c.peek();
    if op != UnaryOp::Minus || token.kind != TokenKind::Number {
        return None;
    }
    match literal::number(token.text, true) {
        Ok((value, true)) => {
            c.next();
            Some(Expr { kind: ExprKind::Literal(value), span: minus.to(token.span) })
        }
        _ => None,
    }
}
