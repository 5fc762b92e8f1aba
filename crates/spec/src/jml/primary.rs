//! Operands of JML expressions: names, literals, calls, the backslash words and quantifiers.

use crate::cursor::Cursor;
use crate::diagnostic::{Failure, Parse};
use crate::jml::ast::{
    BoundedSum, Expr, ExprKind, Ident, Literal, Nullness, Quantified, Quantifier, Touching,
    TypeName,
};
use crate::jml::ast::{LocationsOp, StoreRef, StoreRefKind};
use crate::jml::clause::callees;
use crate::jml::expr::{expression, unary, unsupported};
use crate::jml::store::{frame, store_ref};
use crate::jml::{literal, types, words};
use crate::lexer::{Token, TokenKind};
use crate::span::Span;

fn at(kind: ExprKind, span: Span) -> Expr {
    Expr { kind, span }
}

/// An operand with the selections that follow it.
pub(crate) fn postfix(c: &mut Cursor<'_>) -> Parse<Expr> {
    let mut e = primary(c)?;
    loop {
        c.check_length()?;
        if c.is(".") && c.peek_at(1).is("*") {
            c.next();
            let span = e.span.to(c.next().span);
            return Ok(locations(StoreRefKind::Fields(e), span));
        }
        if c.is(".") {
            e = selection(c, e)?;
        } else if c.is("[") {
            e = element(c, e)?;
        } else if c.is("::") {
            c.next();
            c.expect_word("the name of a method")?;
            e = unsupported("method reference", e.span.to(c.previous_span()));
        } else {
            return Ok(e);
        }
    }
}

fn element(c: &mut Cursor<'_>, array: Expr) -> Parse<Expr> {
    if c.peek_at(1).is("]") {
        return array_class(c, array);
    }
    c.next();
    if c.is("*") && c.peek_at(1).is("]") {
        c.next();
        let span = array.span.to(c.next().span);
        return Ok(locations(StoreRefKind::Elements(array), span));
    }
    let index = expression(c)?;
    if c.eat("..") {
        let (first, last) = (Box::new(index), Box::new(expression(c)?));
        let span = array.span.to(c.expect("]", "after the range of indices")?);
        return Ok(locations(StoreRefKind::Range { array, first, last }, span));
    }
    let end = c.expect("]", "after the index")?;
    let span = array.span.to(end);
    Ok(at(ExprKind::Index(Box::new(array), Box::new(index)), span))
}

/// Locations that are written as one.
fn locations(kind: StoreRefKind, span: Span) -> Expr {
    at(ExprKind::LocationSet(vec![StoreRef { kind, span }]), span)
}

/// `T[].class`
fn array_class(c: &mut Cursor<'_>, element: Expr) -> Parse<Expr> {
    let dimensions = types::dimensions(c);
    c.expect(".", "after the array type")?;
    c.expect("class", "after the array type")?;
    class_literal(c, element, dimensions)
}

fn class_literal(c: &Cursor<'_>, e: Expr, dimensions: usize) -> Parse<Expr> {
    let span = e.span.to(c.previous_span());
    let Some(name) = dotted(&e) else {
        return Err(Failure::new(e.span, "only a type has a `.class`"));
    };
    let ty = TypeName { name, arguments: Vec::new(), dimensions, span: e.span };
    Ok(at(ExprKind::Type(ty), span))
}

/// The text of a chain of names.
fn dotted(e: &Expr) -> Option<String> {
    let mut names = Vec::new();
    let mut e = e;
    loop {
        match &e.kind {
            ExprKind::Name(name) => {
                names.push(name.as_str());
                names.reverse();
                return Some(names.join("."));
            }
            ExprKind::Field(of, field) => {
                names.push(&field.name);
                e = of;
            }
            _ => return None,
        }
    }
}

/// `.f`, `.m(…)`, `.class`, `.this`
fn selection(c: &mut Cursor<'_>, of: Expr) -> Parse<Expr> {
    c.next();
    types::arguments(c)?;
    if c.eat("class") {
        return class_literal(c, of, 0);
    }
    if c.is("\\inv") {
        let span = of.span.to(c.next().span);
        return Ok(at(ExprKind::InvariantFor(Box::new(of)), span));
    }
    let name = types::ident(c, "a field or method after `.`")?;
    let span = of.span.to(name.span);
    if matches!(name.name.as_str(), "this" | "super") {
        return Ok(unsupported("this or super of an enclosing class", span));
    }
    if name.name == "new" {
        return creation(c, of.span);
    }
    if c.is("(") {
        return call(c, Some(of), name);
    }
    Ok(at(ExprKind::Field(Box::new(of), name), span))
}

fn call(c: &mut Cursor<'_>, receiver: Option<Expr>, method: Ident) -> Parse<Expr> {
    let start = receiver.as_ref().map_or(method.span, |r| r.span);
    let (arguments, end) = arguments(c)?;
    let receiver = receiver.map(Box::new);
    Ok(at(ExprKind::Call { receiver, method, arguments }, start.to(end)))
}

/// `(a, b)`, possibly empty, and the place of the closing parenthesis.
fn arguments(c: &mut Cursor<'_>) -> Parse<(Vec<Expr>, Span)> {
    c.expect("(", "before the arguments")?;
    let mut arguments = Vec::new();
    if c.is(")") {
        return Ok((arguments, c.next().span));
    }
    loop {
        arguments.push(expression(c)?);
        if !c.eat(",") {
            break;
        }
    }
    let end = c.expect(")", "after the arguments")?;
    Ok((arguments, end))
}

/// An operand without selections.
pub(crate) fn primary(c: &mut Cursor<'_>) -> Parse<Expr> {
    let token = c.peek();
    match token.kind {
        TokenKind::Word => word(c, token),
        TokenKind::Number => number(c, token),
        TokenKind::Character => quoted(c, token, literal::character),
        TokenKind::Text => quoted(c, token, literal::text),
        TokenKind::Backslash => backslash(c, token),
        TokenKind::Informal => {
            c.next();
            Ok(unsupported("informal description", token.span))
        }
        TokenKind::Symbol if token.text == "(" => c.nested(parenthesised),
        TokenKind::Symbol | TokenKind::Unknown | TokenKind::End => {
            Err(c.unexpected("an expression"))
        }
    }
}

fn number(c: &mut Cursor<'_>, token: Token<'_>) -> Parse<Expr> {
    c.next();
    match literal::number(token.text, false) {
        Ok((value, _)) => Ok(at(ExprKind::Literal(value), token.span)),
        Err(message) => Err(Failure::new(token.span, message)),
    }
}

fn quoted(
    c: &mut Cursor<'_>,
    token: Token<'_>,
    decode: fn(&str) -> Result<Literal, String>,
) -> Parse<Expr> {
    c.next();
    match decode(token.text) {
        Ok(value) => Ok(at(ExprKind::Literal(value), token.span)),
        Err(message) => Err(Failure::new(token.span, message)),
    }
}

fn word(c: &mut Cursor<'_>, token: Token<'_>) -> Parse<Expr> {
    if token.text == "instanceof" || begins_next_clause(c, &token) {
        return Err(c.unexpected("an expression"));
    }
    c.next();
    let simple = |kind| Ok(at(kind, token.span));
    match token.text {
        "true" => simple(ExprKind::Literal(Literal::Boolean(true))),
        "false" => simple(ExprKind::Literal(Literal::Boolean(false))),
        "null" => simple(ExprKind::Literal(Literal::Null)),
        "this" => simple(ExprKind::This),
        "super" => simple(ExprKind::Super),
        "new" => creation(c, token.span),
        "switch" => switch(c, token.span),
        text if types::is_primitive(text) => primitive_class(c, token),
        text if c.is("(") => call(c, None, Ident { name: text.into(), span: token.span }),
        _ if c.is("->") => lambda(c, token.span),
        text => simple(ExprKind::Name(text.into())),
    }
}

/// A keyword at the beginning of a line, where an operand is missing before it, is no operand
/// unless it is used like one.
fn begins_next_clause(c: &Cursor<'_>, token: &Token<'_>) -> bool {
    let next = c.peek_at(1);
    let is_used = next.kind == TokenKind::Symbol && !matches!(next.text, "(" | "!");
    token.starts_line && words::word(token).is_some() && !is_used
}

/// `int.class`, `int[].class`
fn primitive_class(c: &mut Cursor<'_>, token: Token<'_>) -> Parse<Expr> {
    let dimensions = types::dimensions(c);
    if !(c.is(".") && c.peek_at(1).is("class")) {
        let message = format!("`{}` is a type, not a value", token.text);
        return Err(Failure::new(token.span, message));
    }
    c.next();
    c.next();
    class_literal(c, at(ExprKind::Name(token.text.into()), token.span), dimensions)
}

/// Allocation inside a specification is read over.
fn creation(c: &mut Cursor<'_>, start: Span) -> Parse<Expr> {
    types::type_name(c)?;
    while c.is("(") || c.is("[") || c.is("{") {
        skip_group(c)?;
    }
    Ok(unsupported("new", start.to(c.previous_span())))
}

fn switch(c: &mut Cursor<'_>, start: Span) -> Parse<Expr> {
    while c.is("(") || c.is("{") {
        skip_group(c)?;
    }
    Ok(unsupported("switch", start.to(c.previous_span())))
}

fn lambda(c: &mut Cursor<'_>, start: Span) -> Parse<Expr> {
    c.next();
    if c.is("{") {
        skip_group(c)?;
    } else {
        expression(c)?;
    }
    Ok(unsupported("lambda", start.to(c.previous_span())))
}

fn skip_group(c: &mut Cursor<'_>) -> Parse<()> {
    let open = c.peek();
    if c.skip_balanced() {
        return Ok(());
    }
    Err(Failure::new(open.span, format!("this `{}` is never closed", open.text)))
}

/// Behind `(`: a cast, a quantifier, a label, or just an expression.
fn parenthesised(c: &mut Cursor<'_>) -> Parse<Expr> {
    let open = c.next().span;
    if let Some(ty) = types::cast_target(c) {
        let operand = unary(c)?;
        let span = open.to(operand.span);
        return Ok(at(ExprKind::Cast(ty, Box::new(operand)), span));
    }
    let inside = match quantifier(c.peek().text) {
        Some(quantifier) => quantified(c, quantifier)?,
        None if matches!(c.peek().text, "\\lblneg" | "\\lblpos" | "\\lbl") => {
            c.next();
            c.expect_word("the name of the label")?;
            expression(c)?
        }
        None if c.is("\\bsum") => bounded_sum(c)?,
        None if is_binder(c.peek().text) => return unsupported_binder(c, open),
        None => expression(c)?,
    };
    let close = c.expect(")", "to close the parenthesis")?;
    Ok(Expr { span: open.to(close), ..inside })
}

fn quantifier(text: &str) -> Option<Quantifier> {
    Some(match text {
        "\\forall" => Quantifier::Forall,
        "\\exists" => Quantifier::Exists,
        "\\num_of" => Quantifier::NumOf,
        "\\sum" => Quantifier::Sum,
        "\\product" => Quantifier::Product,
        "\\min" => Quantifier::Min,
        "\\max" => Quantifier::Max,
        _ => return None,
    })
}

/// Words that bind variables in a way of their own.
fn is_binder(text: &str) -> bool {
    matches!(text, "\\infinite_union" | "\\seq_def" | "\\let" | "\\choose")
}

fn unsupported_binder(c: &mut Cursor<'_>, open: Span) -> Parse<Expr> {
    let what = c.peek();
    while !c.is_done() && !c.is(")") {
        if c.is("(") || c.is("[") || c.is("{") {
            skip_group(c)?;
        } else {
            c.next();
        }
    }
    let close = c.expect(")", "to close the parenthesis")?;
    Ok(unsupported(what.text, open.to(close)))
}

fn quantified(c: &mut Cursor<'_>, quantifier: Quantifier) -> Parse<Expr> {
    let start = c.next().span;
    let nullness = nullness(c);
    let ty = types::type_name(c)?;
    let mut variables = Vec::new();
    loop {
        variables.push(types::ident(c, "the name of a quantified variable")?);
        if !c.eat(",") {
            break;
        }
    }
    c.expect(";", "after the quantified variables")?;
    let (range, body) = range_and_body(c)?;
    let span = start.to(body.span);
    let quantified = Quantified { quantifier, nullness, ty, variables, range, body };
    Ok(at(ExprKind::Quantified(Box::new(quantified)), span))
}

/// `\bsum int i; from; to; body`
fn bounded_sum(c: &mut Cursor<'_>) -> Parse<Expr> {
    let start = c.next().span;
    let ty = types::type_name(c)?;
    let variable = types::ident(c, "the name of the variable")?;
    c.expect(";", "after the variable of `\\bsum`")?;
    let from = expression(c)?;
    c.expect(";", "after the first number of `\\bsum`")?;
    let to = expression(c)?;
    c.expect(";", "after the end of `\\bsum`")?;
    let body = expression(c)?;
    let span = start.to(body.span);
    Ok(at(ExprKind::BoundedSum(Box::new(BoundedSum { ty, variable, from, to, body })), span))
}

fn range_and_body(c: &mut Cursor<'_>) -> Parse<(Option<Expr>, Expr)> {
    if c.eat(";") {
        return Ok((None, expression(c)?));
    }
    let first = expression(c)?;
    if !c.eat(";") {
        return Ok((None, first));
    }
    Ok((Some(first), expression(c)?))
}

fn nullness(c: &mut Cursor<'_>) -> Option<Nullness> {
    match c.peek().text {
        "nullable" => Some(Nullness::Nullable),
        "non_null" => Some(Nullness::NonNull),
        _ => None,
    }
    .inspect(|_| {
        c.next();
    })
}

fn backslash(c: &mut Cursor<'_>, token: Token<'_>) -> Parse<Expr> {
    if quantifier(token.text).is_some() {
        let message = format!("a quantifier needs parentheses: `({} …)`", token.text);
        return Err(Failure::new(token.span, message));
    }
    if !c.is_done() {
        c.next();
    }
    match token.text {
        "\\result" => Ok(at(ExprKind::Result, token.span)),
        "\\old" | "\\pre" => old(c, token),
        "\\fresh" => {
            let (objects, end) = arguments(c)?;
            Ok(at(ExprKind::Fresh(objects), token.span.to(end)))
        }
        "\\nonnullelements" => one_argument(c, token, ExprKind::NonNullElements),
        "\\typeof" => one_argument(c, token, ExprKind::TypeOf),
        "\\elemtype" => one_argument(c, token, ExprKind::ElemType),
        "\\type" => type_literal(c, token),
        "\\reach" => reach(c, token),
        "\\invariant_for" => one_argument(c, token, ExprKind::InvariantFor),
        "\\inv" => {
            let this = Box::new(at(ExprKind::This, token.span));
            Ok(at(ExprKind::InvariantFor(this), token.span))
        }
        "\\static_invariant_for" => {
            c.expect("(", "after `\\static_invariant_for`")?;
            let ty = types::type_name(c)?;
            let end = c.expect(")", "after the type")?;
            Ok(at(ExprKind::StaticInvariantFor(ty), token.span.to(end)))
        }
        "\\count" | "\\index" => Ok(at(ExprKind::Count, token.span)),
        "\\only_called" => {
            c.expect("(", "after `\\only_called`")?;
            let callees = callees(c)?;
            let end = c.expect(")", "after the methods")?;
            Ok(at(ExprKind::OnlyCalled(callees), token.span.to(end)))
        }
        "\\empty" => Ok(at(ExprKind::LocationSet(Vec::new()), token.span)),
        "\\locset" | "\\singleton" | "\\all_fields" => location_set(c, token),
        text if of_locations(text).is_some() => locations_of(c, token),
        text if touching(text).is_some() => touched(c, token),
        text if words::is_unsupported_backslash(text) || text.starts_with("\\dl_") => {
            if c.is("(") {
                skip_group(c)?;
            }
            Ok(unsupported(text, token.span.to(c.previous_span())))
        }
        text => {
            let message = match text {
                "\\nothing" | "\\everything" | "\\strictly_nothing" => {
                    format!("`{text}` is not a value")
                }
                _ => format!("`{text}` is not known here"),
            };
            let meant = words::meant_backslash(text).filter(|meant| *meant != text);
            Err(Failure::new(token.span, message).suggest(meant))
        }
    }
}

/// `\locset(o.f, a[*])`; `\all_fields(o)` is `o.*`.
fn location_set(c: &mut Cursor<'_>, token: Token<'_>) -> Parse<Expr> {
    c.expect("(", &format!("after `{}`", token.text))?;
    let mut locations = Vec::new();
    while !c.is(")") {
        c.check_length()?;
        let mut location = store_ref(c)?;
        if token.text == "\\all_fields"
            && let StoreRefKind::Location(of) = location.kind
        {
            location.kind = StoreRefKind::Fields(of);
        }
        locations.push(location);
        if !c.eat(",") {
            break;
        }
    }
    let end = c.expect(")", "after the locations")?;
    Ok(at(ExprKind::LocationSet(locations), token.span.to(end)))
}

fn of_locations(text: &str) -> Option<LocationsOp> {
    Some(match text {
        "\\set_union" => LocationsOp::Union,
        "\\intersect" => LocationsOp::Intersection,
        "\\set_minus" => LocationsOp::Difference,
        "\\subset" => LocationsOp::Subset,
        "\\disjoint" => LocationsOp::Disjoint,
        _ => return None,
    })
}

/// `\set_union(a, b)`; unions may have more operands.
fn locations_of(c: &mut Cursor<'_>, token: Token<'_>) -> Parse<Expr> {
    let op = of_locations(token.text).unwrap_or(LocationsOp::Union);
    c.expect("(", &format!("after `{}`", token.text))?;
    let mut whole = expression(c)?;
    c.expect(",", "between two sets of locations")?;
    loop {
        c.check_length()?;
        let right = expression(c)?;
        let span = token.span.to(right.span);
        whole = at(ExprKind::OfLocations(op, Box::new(whole), Box::new(right)), span);
        if op != LocationsOp::Union || !c.eat(",") {
            break;
        }
    }
    let end = c.expect(")", "after the sets of locations")?;
    Ok(Expr { span: token.span.to(end), ..whole })
}

fn touching(text: &str) -> Option<Touching> {
    Some(match text {
        "\\not_modified" => Touching::NotModified,
        "\\not_assigned" => Touching::NotAssigned,
        "\\only_assigned" => Touching::OnlyAssigned,
        "\\only_accessed" => Touching::OnlyAccessed,
        _ => return None,
    })
}

fn touched(c: &mut Cursor<'_>, token: Token<'_>) -> Parse<Expr> {
    c.expect("(", &format!("after `{}`", token.text))?;
    let locations = Box::new(frame(c)?);
    let end = c.expect(")", "after the locations")?;
    let touching = touching(token.text).unwrap_or(Touching::NotModified);
    Ok(at(ExprKind::Touched(touching, locations), token.span.to(end)))
}

fn one_argument(
    c: &mut Cursor<'_>,
    token: Token<'_>,
    build: fn(Box<Expr>) -> ExprKind,
) -> Parse<Expr> {
    c.expect("(", &format!("after `{}`", token.text))?;
    let argument = expression(c)?;
    let end = c.expect(")", &format!("after the argument of `{}`", token.text))?;
    Ok(at(build(Box::new(argument)), token.span.to(end)))
}

fn old(c: &mut Cursor<'_>, token: Token<'_>) -> Parse<Expr> {
    c.expect("(", &format!("after `{}`", token.text))?;
    let e = expression(c)?;
    let has_label = c.eat(",");
    if has_label {
        c.expect_word("a label")?;
    }
    let end = c.expect(")", &format!("after the argument of `{}`", token.text))?;
    let span = token.span.to(end);
    if has_label {
        return Ok(unsupported("\\old with a label", span));
    }
    Ok(at(ExprKind::Old(Box::new(e)), span))
}

fn type_literal(c: &mut Cursor<'_>, token: Token<'_>) -> Parse<Expr> {
    c.expect("(", "after `\\type`")?;
    let ty = types::type_name(c)?;
    let end = c.expect(")", "after the type")?;
    Ok(at(ExprKind::Type(ty), token.span.to(end)))
}

/// `\reach(e)`, `\reach(e, T)`, and the fields in one of three ways of writing them.
fn reach(c: &mut Cursor<'_>, token: Token<'_>) -> Parse<Expr> {
    c.expect("(", "after `\\reach`")?;
    let from = Box::new(expression(c)?);
    let class = if c.eat(",") { Some(types::type_name(c)?) } else { None };
    let mut fields = Vec::new();
    if c.eat(",") {
        let is_bracketed = c.eat("[");
        loop {
            fields.push(qualified_name(c)?);
            if !(c.eat(",") || c.eat("+")) {
                break;
            }
        }
        if is_bracketed {
            c.expect("]", "after the fields of `\\reach`")?;
        }
    }
    let end = c.expect(")", "after the arguments of `\\reach`")?;
    Ok(at(ExprKind::Reach { from, class, fields }, token.span.to(end)))
}

/// `f` or `T.f`
fn qualified_name(c: &mut Cursor<'_>) -> Parse<Expr> {
    let first = types::ident(c, "a field of `\\reach`")?;
    let mut e = at(ExprKind::Name(first.name), first.span);
    while c.eat(".") {
        c.check_length()?;
        let field = types::ident(c, "a field of `\\reach`")?;
        let span = e.span.to(field.span);
        e = at(ExprKind::Field(Box::new(e), field), span);
    }
    Ok(e)
}
