//! What may be assigned: `\nothing`, `\everything`, and lists of locations.

use crate::cursor::Cursor;
use crate::diagnostic::{Failure, Parse};
use crate::jml::ast::{Expr, ExprKind, Frame, StoreRef, StoreRefKind};
use crate::jml::expr::expression;
use crate::jml::{primary, types, words};
use crate::lexer::TokenKind;

/// The locations of an `assignable` clause.
pub(crate) fn frame(c: &mut Cursor<'_>) -> Parse<Frame> {
    let alone = match c.peek().text {
        "\\nothing" => Some(Frame::Nothing),
        "\\strictly_nothing" => Some(Frame::StrictlyNothing),
        "\\everything" => Some(Frame::Everything),
        "\\not_specified" => Some(Frame::NotSpecified),
        _ => None,
    };
    if let Some(frame) = alone {
        c.next();
        return Ok(frame);
    }
    let mut locations = Vec::new();
    loop {
        c.check_length()?;
        locations.push(store_ref(c)?);
        if !c.eat(",") {
            return Ok(Frame::Locations(locations));
        }
    }
}

/// One location, or several that are written as one.
pub(crate) fn store_ref(c: &mut Cursor<'_>) -> Parse<StoreRef> {
    let start = c.peek();
    let is_foreign =
        start.kind == TokenKind::Backslash && words::is_unsupported_backslash(start.text);
    let kind = if is_set(start.text) {
        StoreRefKind::Location(primary::primary(c)?)
    } else if is_foreign || start.kind == TokenKind::Informal {
        let e = primary::primary(c)?;
        StoreRefKind::Unsupported(unsupported_name(&e))
    } else {
        locations(c)?
    };
    Ok(StoreRef { kind, span: start.span.to(c.previous_span()) })
}

/// Words that begin a set of locations.
fn is_set(text: &str) -> bool {
    matches!(
        text,
        "\\locset"
            | "\\singleton"
            | "\\all_fields"
            | "\\empty"
            | "\\set_union"
            | "\\intersect"
            | "\\set_minus"
    )
}

fn unsupported_name(e: &Expr) -> String {
    match &e.kind {
        ExprKind::Unsupported(what) => what.clone(),
        _ => "location".into(),
    }
}

fn locations(c: &mut Cursor<'_>) -> Parse<StoreRefKind> {
    let mut e = primary::primary(c)?;
    loop {
        c.check_length()?;
        if c.eat(".") {
            if c.eat("*") {
                return Ok(StoreRefKind::Fields(e));
            }
            let field = types::ident(c, "a field after `.`")?;
            let span = e.span.to(field.span);
            e = Expr { kind: ExprKind::Field(Box::new(e), field), span };
        } else if c.eat("[") {
            match element(c, e)? {
                StoreRefKind::Location(inner) => e = inner,
                kind => return Ok(kind),
            }
        } else {
            return location(e);
        }
    }
}

/// Behind `a[`.
fn element(c: &mut Cursor<'_>, array: Expr) -> Parse<StoreRefKind> {
    if c.eat("*") {
        c.expect("]", "after `*`")?;
        return Ok(StoreRefKind::Elements(array));
    }
    let index = expression(c)?;
    if c.eat("..") {
        let (first, last) = (Box::new(index), Box::new(expression(c)?));
        c.expect("]", "after the range of indices")?;
        return Ok(StoreRefKind::Range { array, first, last });
    }
    let end = c.expect("]", "after the index")?;
    let span = array.span.to(end);
    let kind = ExprKind::Index(Box::new(array), Box::new(index));
    Ok(StoreRefKind::Location(Expr { kind, span }))
}

fn location(e: Expr) -> Parse<StoreRefKind> {
    match e.kind {
        ExprKind::Name(_) | ExprKind::Field(..) | ExprKind::Index(..) => {
            Ok(StoreRefKind::Location(e))
        }
        ExprKind::Unsupported(what) => Ok(StoreRefKind::Unsupported(what)),
        _ => Err(Failure::new(e.span, "this is not a variable, field or array element")),
    }
}
