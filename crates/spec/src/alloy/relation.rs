//! Expressions of Alloy-style specifications: sets, relations and numbers, with the precedence of
//! Alloy's grammar, from union and difference up to the prefix operators.

use crate::alloy::ast::{Connective, Formula, FormulaKind};
use crate::alloy::ast::{Relation, RelationKind, RelationOp, RelationUnaryOp};
use crate::alloy::formula::{Term, declarations, declares, disjunction};
use crate::cursor::Cursor;
use crate::diagnostic::{Failure, Parse};
use crate::lexer::{Token, TokenKind};
use crate::span::Span;

fn at(kind: RelationKind, span: Span) -> Relation {
    Relation { kind, span }
}

/// A relation; a formula in its place is a mistake.
pub(crate) fn relation(c: &mut Cursor<'_>) -> Parse<Relation> {
    term(c)?.relation()
}

/// A relation, or a formula in parentheses.
pub(crate) fn term(c: &mut Cursor<'_>) -> Parse<Term> {
    c.nested(|c| operation(c, UNION))
}

const UNION: u8 = 0;
const OVERRIDE: u8 = 1;

/// An operator between two operands, how tightly it binds, and whether it groups to the right.
fn operator(token: &Token<'_>) -> Option<(RelationOp, u8, bool)> {
    if token.kind != TokenKind::Symbol {
        return None;
    }
    Some(match token.text {
        "+" => (RelationOp::Union, UNION, false),
        "-" => (RelationOp::Difference, UNION, false),
        "++" => (RelationOp::Override, OVERRIDE, false),
        "&" => (RelationOp::Intersection, 2, false),
        "->" => (RelationOp::Product, 3, true),
        "<:" => (RelationOp::DomainRestriction, 4, false),
        ":>" => (RelationOp::RangeRestriction, 5, false),
        _ => return None,
    })
}

fn operation(c: &mut Cursor<'_>, least: u8) -> Parse<Term> {
    let mut left = cardinality(c)?;
    loop {
        let multiplicity = usize::from(is_multiplicity(&c.peek()) && c.peek_at(1).is("->"));
        let token = c.peek_at(multiplicity);
        let found = operator(&token).filter(|&(_, level, _)| level >= least);
        let Some((op, level, groups_right)) = found else {
            return Ok(left);
        };
        c.check_length()?;
        refuse_implication(c, &token, multiplicity)?;
        for _ in 0..=multiplicity {
            c.next();
        }
        let counts_right = op == RelationOp::Product && counts(c);
        let is_counted = multiplicity == 1 || counts_right;
        let right = if groups_right {
            c.nested(|c| operation(c, level))?
        } else {
            operation(c, level + 1)?
        };
        let (left_side, right_side) = (left.relation()?, right.relation()?);
        left = Term::Relation(binary(op, left_side, right_side, is_counted));
    }
}

fn binary(op: RelationOp, left: Relation, right: Relation, is_counted: bool) -> Relation {
    let span = left.span.to(right.span);
    if is_counted {
        return at(RelationKind::Unsupported("multiplicity beside `->`".into()), span);
    }
    at(RelationKind::Binary(op, Box::new(left), Box::new(right)), span)
}

fn is_multiplicity(token: &Token<'_>) -> bool {
    matches!(token.text, "one" | "lone" | "some" | "set")
}

/// Eats the multiplicity behind `->`, as in `A -> lone B`.
fn counts(c: &mut Cursor<'_>) -> bool {
    let found = is_multiplicity(&c.peek());
    if found {
        c.next();
    }
    found
}

/// In older notations `->` implies; here it would silently build a product.
fn refuse_implication(c: &Cursor<'_>, arrow: &Token<'_>, ahead: usize) -> Parse<()> {
    let next = c.peek_at(ahead + 1);
    let quantifies = matches!(next.text, "all" | "no") || next.is("some") && declares(c, ahead + 2);
    if arrow.text != "->" || !quantifies {
        return Ok(());
    }
    let message = "`->` is the product of two relations, not an implication";
    Err(Failure::new(arrow.span, message).suggest(Some("=>")))
}

fn cardinality(c: &mut Cursor<'_>) -> Parse<Term> {
    if !c.is("#") {
        return join(c);
    }
    let start = c.next().span;
    let of = c.nested(|c| operation(c, OVERRIDE))?.relation()?;
    let span = start.to(of.span);
    Ok(Term::Relation(at(RelationKind::Cardinality(Box::new(of)), span)))
}

/// Dots and boxes, from left to right.
fn join(c: &mut Cursor<'_>) -> Parse<Term> {
    let mut left = prefixed(c)?;
    loop {
        c.check_length()?;
        if c.eat(".") {
            let right = prefixed(c)?.relation()?;
            left = Term::Relation(binary(RelationOp::Join, left.relation()?, right, false));
        } else if c.is("[") {
            left = Term::Relation(boxed(c, left.relation()?)?);
        } else {
            return Ok(left);
        }
    }
}

fn boxed(c: &mut Cursor<'_>, of: Relation) -> Parse<Relation> {
    c.next();
    let mut arguments = vec![relation(c)?];
    while c.eat(",") {
        arguments.push(relation(c)?);
    }
    let end = c.expect("]", "after the arguments of the join")?;
    let span = of.span.to(end);
    Ok(at(RelationKind::Box(Box::new(of), arguments), span))
}

fn prefixed(c: &mut Cursor<'_>) -> Parse<Term> {
    let token = c.peek();
    let op = match (token.kind, token.text) {
        (TokenKind::Symbol, "~") => RelationUnaryOp::Transpose,
        (TokenKind::Symbol, "^" | "+") => RelationUnaryOp::Closure,
        (TokenKind::Symbol, "*") => RelationUnaryOp::ReflexiveClosure,
        (TokenKind::Symbol, "-") if c.peek_at(1).kind == TokenKind::Number => return negative(c),
        _ => return primary(c, token),
    };
    c.next();
    let of = c.nested(prefixed)?.relation()?;
    let span = token.span.to(of.span);
    Ok(Term::Relation(at(RelationKind::Unary(op, Box::new(of)), span)))
}

fn negative(c: &mut Cursor<'_>) -> Parse<Term> {
    let start = c.next().span;
    let digits = c.next();
    number(digits, "-", start.to(digits.span))
}

fn number(digits: Token<'_>, sign: &str, span: Span) -> Parse<Term> {
    match format!("{sign}{}", digits.text).parse() {
        Ok(value) => Ok(Term::Relation(at(RelationKind::Int(value), span))),
        Err(_) => Err(Failure::new(span, format!("`{}` is not an `int`", digits.text))),
    }
}

fn primary(c: &mut Cursor<'_>, token: Token<'_>) -> Parse<Term> {
    match (token.kind, token.text) {
        (TokenKind::Word, _) => word(c, token).map(Term::Relation),
        (TokenKind::Number, _) => {
            c.next();
            number(token, "", token.span)
        }
        (TokenKind::Symbol, "(") => parenthesised(c),
        (TokenKind::Symbol, "{") => braces(c),
        _ => Err(c.unexpected("a set, a relation or a formula")),
    }
}

fn parenthesised(c: &mut Cursor<'_>) -> Parse<Term> {
    let open = c.next().span;
    let inside = disjunction(c)?;
    let close = c.expect(")", "to close the parenthesis")?;
    let span = open.to(close);
    Ok(match inside {
        Term::Formula(f) => Term::Formula(Formula { span, ..f }),
        Term::Relation(r) => Term::Relation(Relation { span, ..r }),
    })
}

/// `{x: e | F}`, the empty set `{}`, or a block of formulas that all hold.
pub(crate) fn braces(c: &mut Cursor<'_>) -> Parse<Term> {
    let open = c.next().span;
    if c.is("}") {
        let span = open.to(c.next().span);
        return Ok(Term::Relation(at(RelationKind::Empty, span)));
    }
    if declares(c, 0) {
        return c.nested(|c| comprehension(c, open)).map(Term::Relation);
    }
    let mut whole = disjunction(c)?.formula();
    while !c.is("}") && !c.is_done() {
        c.check_length()?;
        let next = disjunction(c)?.formula();
        let span = whole.span.to(next.span);
        let kind = FormulaKind::Binary(Connective::And, Box::new(whole), Box::new(next));
        whole = Formula { kind, span };
    }
    let close = c.expect("}", "to close the brace")?;
    Ok(Term::Formula(Formula { span: open.to(close), ..whole }))
}

fn comprehension(c: &mut Cursor<'_>, open: Span) -> Parse<Relation> {
    let declared = declarations(c)?;
    c.expect("|", "after the declared variables")?;
    let body = Box::new(disjunction(c)?.formula());
    let span = open.to(c.expect("}", "to close the comprehension")?);
    let kind = match declared {
        Ok(declarations) => RelationKind::Comprehension { declarations, body },
        Err(what) => RelationKind::Unsupported(what),
    };
    Ok(at(kind, span))
}

/// Words that mean something of their own and name nothing.
pub(crate) fn is_reserved(text: &str) -> bool {
    const RESERVED: [&str; 29] = [
        "all",
        "no",
        "some",
        "one",
        "lone",
        "sole",
        "let",
        "in",
        "and",
        "or",
        "not",
        "implies",
        "else",
        "iff",
        "disj",
        "set",
        "sum",
        "iden",
        "univ",
        "none",
        "this",
        "null",
        "true",
        "false",
        "requires",
        "ensures",
        "invariant",
        "$return",
        "result",
    ];
    RESERVED.contains(&text)
}

fn word(c: &mut Cursor<'_>, token: Token<'_>) -> Parse<Relation> {
    let kind = match token.text {
        "this" => RelationKind::This,
        "null" => RelationKind::Null,
        "$return" | "result" => RelationKind::Result,
        "true" => RelationKind::Boolean(true),
        "false" => RelationKind::Boolean(false),
        "none" => RelationKind::Empty,
        "univ" => RelationKind::Universe,
        "iden" => RelationKind::Identity,
        text if is_reserved(text) => {
            return Err(c.unexpected("a set, a relation or a formula"));
        }
        text => name(text, token.span)?,
    };
    c.next();
    Ok(at(kind, token.span))
}

fn name(text: &str, span: Span) -> Parse<RelationKind> {
    let (name, primed) = match text.strip_suffix('\'') {
        Some(name) => (name, true),
        None => (text, false),
    };
    if name.ends_with('\'') || is_reserved(name) {
        return Err(Failure::new(span, format!("`{text}` has no value at the end")));
    }
    Ok(RelationKind::Name { name: name.into(), primed })
}
