//! What may be assigned: the locations of `assignable` and of the frames of loops.

use crate::core::{Location, Sort, Term, TermKind};
use crate::jml::ast::{Expr, Frame, StoreRef, StoreRefKind};
use crate::resolve::Home;
use crate::resolve::expr::{Setting, Terms};
use crate::resolve::generic::untyped;
use crate::resolve::names::Denoted;
use crate::resolve::specified::expanded;
use crate::resolve::trouble::{Resolved, mistake, unsupported};

/// Whose frame it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framed {
    Method,
    /// May name local variables, which are nobody else's.
    Loop,
}

/// The locations of a frame. The outer option is empty where nothing is said, the inner one where
/// everything may be assigned.
pub(crate) fn locations(
    setting: &Setting<'_>,
    frame: &Frame,
    framed: Framed,
) -> Resolved<Option<Option<Vec<Location>>>> {
    let refs = match frame {
        Frame::NotSpecified => return Ok(None),
        Frame::Everything => return Ok(Some(None)),
        Frame::Nothing | Frame::StrictlyNothing => return Ok(Some(Some(Vec::new()))),
        Frame::Locations(refs) => refs,
    };
    let mut found = Vec::new();
    for store_ref in refs {
        let mut terms = Terms::new(setting);
        if let Some(location) = location(&mut terms, store_ref, framed)? {
            found.extend(expanded(&setting.scope, location)?);
        }
    }
    Ok(Some(Some(found)))
}

/// The locations of one reference in clauses of a type, data groups left as they are.
pub(crate) fn named(home: &Home<'_>, store_ref: &StoreRef) -> Resolved<Vec<Location>> {
    let setting = home.setting(false);
    let found = location(&mut Terms::new(&setting), store_ref, Framed::Method)?;
    Ok(found.into_iter().collect())
}

/// The locations of one reference as an expression names them.
pub(crate) fn touched(terms: &mut Terms<'_, '_>, store_ref: &StoreRef) -> Resolved<Vec<Location>> {
    match location(terms, store_ref, Framed::Loop)? {
        Some(location) => expanded(terms.scope(), location),
        None => Ok(Vec::new()),
    }
}

fn location(
    terms: &mut Terms<'_, '_>,
    store_ref: &StoreRef,
    framed: Framed,
) -> Resolved<Option<Location>> {
    Ok(Some(match &store_ref.kind {
        StoreRefKind::Location(e) => return single(terms, e, framed),
        StoreRefKind::Elements(array) => Location::Elements(terms.array(array)?, None),
        StoreRefKind::Range { array, first, last } => {
            let array = terms.array(array)?;
            let range = (terms.index(first)?, terms.index(last)?);
            Location::Elements(array, Some(range))
        }
        StoreRefKind::Fields(of) => match terms.denoted(of)? {
            Denoted::Class(class) => Location::Statics(class),
            Denoted::Value(object) if terms.element_type(&object).is_some() => {
                Location::Elements(object, None)
            }
            Denoted::Value(object) => match object.sort {
                Sort::Reference(_) => Location::Fields(object),
                _ => return mistake(of.span, format!("{} has no fields", terms.a(&object))),
            },
        },
        StoreRefKind::Unsupported(what) => return unsupported(what),
    }))
}

fn single(terms: &mut Terms<'_, '_>, e: &Expr, framed: Framed) -> Resolved<Option<Location>> {
    let found = terms.expr(e)?;
    let is_field = matches!(found.kind, TermKind::Field(..) | TermKind::Static(_));
    if found.sort == Sort::Locations && !is_field {
        return Ok(Some(Location::Members(found)));
    }
    let Term { kind, .. } = untyped(found);
    Ok(Some(match kind {
        TermKind::Field(object, field) => Location::Field(*object, field),
        TermKind::Static(field) => Location::Static(field),
        TermKind::Element(array, index) => Location::Element(*array, *index),
        TermKind::Variable(_) if framed == Framed::Loop => return Ok(None),
        TermKind::Variable(_) => {
            let message = format!(
                "`{e}` is a variable of the method; only fields and elements of \
                                   arrays are assigned for others to see"
            );
            return mistake(e.span, message);
        }
        TermKind::Length(_) => return mistake(e.span, "the length of an array never changes"),
        _ => return mistake(e.span, "this is not a field or array element"),
    }))
}
