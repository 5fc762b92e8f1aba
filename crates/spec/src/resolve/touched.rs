//! What has been changed, read or called since the call: `\not_modified` and its like, and the
//! methods that `callable` and `constraint … for` name.

use ir::{ClassId, MethodId};

use crate::core::{Comparison, Connective, Location, Locations, Sort, Term, TermKind};
use crate::jml::ast::{
    Callees, Expr, Frame, Ident, LocationsOp, MethodRef, StoreRef, StoreRefKind, Touching,
};
use crate::resolve::expr::{Setting, Terms, term};
use crate::resolve::frame;
use crate::resolve::generic::untyped;
use crate::resolve::names::Denoted;
use crate::resolve::operator::connect;
use crate::resolve::scope::States;
use crate::resolve::trouble::{Resolved, mistake};
use crate::resolve::types;
use crate::span::Span;

impl Terms<'_, '_> {
    pub fn touched(&mut self, touching: Touching, frame: &Frame, span: Span) -> Resolved<Term> {
        self.refuse_before(touching.text(), span)?;
        let refs = match (frame, touching) {
            (Frame::Locations(refs), _) => refs.as_slice(),
            (Frame::Nothing | Frame::StrictlyNothing, _) => &[],
            (Frame::Everything, Touching::NotModified | Touching::NotAssigned) => {
                // Whatever existed is as it was.
                let kind = TermKind::OnlyChanged(Vec::new());
                return Ok(term(kind, Sort::Boolean, span));
            }
            (Frame::Everything | Frame::NotSpecified, _) => return Ok(truth(span)),
        };
        if let Touching::OnlyAssigned | Touching::OnlyAccessed = touching {
            let mut locations = Vec::new();
            for store_ref in refs {
                locations.extend(frame::touched(self, store_ref)?);
            }
            let kind = match touching {
                Touching::OnlyAccessed => TermKind::OnlyRead(locations),
                _ => TermKind::OnlyChanged(locations),
            };
            return Ok(term(kind, Sort::Boolean, span));
        }
        let mut whole = truth(span);
        for store_ref in refs {
            let one = match &store_ref.kind {
                StoreRefKind::Location(e) => self.same_as_before(e)?,
                _ => unchanged(frame::touched(self, store_ref)?, store_ref.span),
            };
            whole = connect(Connective::And, whole, one, span);
        }
        Ok(whole)
    }

    /// An expression that is a set of locations.
    pub fn locations(&mut self, e: &Expr) -> Resolved<Term> {
        let found = self.expr(e)?;
        if found.sort == Sort::Locations {
            return Ok(found);
        }
        let said = self.a(&found);
        mistake(e.span, format!("a set of locations is needed here, but this is {said}"))
    }

    pub fn location_set(&mut self, refs: &[StoreRef], span: Span) -> Resolved<Term> {
        let mut locations = Vec::new();
        for store_ref in refs {
            locations.extend(frame::touched(self, store_ref)?);
        }
        Ok(term(TermKind::LocationSet(locations), Sort::Locations, span))
    }

    pub fn of_locations(
        &mut self,
        op: LocationsOp,
        left: &Expr,
        right: &Expr,
        span: Span,
    ) -> Resolved<Term> {
        let (left, right) = (Box::new(self.locations(left)?), Box::new(self.locations(right)?));
        let (op, sort) = match op {
            LocationsOp::Union => (Locations::Union, Sort::Locations),
            LocationsOp::Intersection => (Locations::Intersection, Sort::Locations),
            LocationsOp::Difference => (Locations::Difference, Sort::Locations),
            LocationsOp::Subset => (Locations::Subset, Sort::Boolean),
            LocationsOp::Disjoint => (Locations::Disjoint, Sort::Boolean),
        };
        Ok(term(TermKind::OfLocations(op, left, right), sort, span))
    }

    fn refuse_before(&self, word: &str, span: Span) -> Resolved<()> {
        if self.scope().states == States::One || self.in_old {
            return mistake(span, format!("`{word}` has no meaning here"));
        }
        Ok(())
    }

    /// A value is what it was before the call; so are all members of a data group.
    fn same_as_before(&mut self, e: &Expr) -> Resolved<Term> {
        let span = e.span;
        let now = untyped(self.scalar(e)?);
        if let TermKind::Field(_, field) | TermKind::Static(field) = &now.kind
            && self.scope().specified.groups.contains_key(field)
        {
            let kind = crate::jml::ast::StoreRefKind::Location(e.clone());
            let store_ref = crate::jml::ast::StoreRef { kind, span };
            return Ok(unchanged(frame::touched(self, &store_ref)?, span));
        }
        let sort = now.sort.clone();
        let was = Box::new(term(TermKind::Old(Box::new(now.clone())), sort, span));
        let now = Box::new(now);
        let kind = match &now.sort {
            Sort::Boolean => TermKind::Connective(Connective::Iff, now, was),
            Sort::Number(_) => TermKind::Compare(Comparison::Equal, now, was),
            Sort::Type => TermKind::SameType(now, was),
            Sort::Locations => TermKind::OfLocations(Locations::Equal, now, was),
            _ => TermKind::Same(now, was),
        };
        Ok(term(kind, Sort::Boolean, span))
    }

    pub fn only_called(&mut self, callees: &Callees, span: Span) -> Resolved<Term> {
        self.refuse_before("\\only_called", span)?;
        match methods(self.setting, callees)? {
            Some(methods) => Ok(term(TermKind::OnlyCalled(methods), Sort::Boolean, span)),
            None => Ok(truth(span)),
        }
    }
}

fn truth(span: Span) -> Term {
    term(TermKind::Boolean(true), Sort::Boolean, span)
}

/// The condition that locations are as they were before the call.
pub(crate) fn unchanged(locations: Vec<Location>, span: Span) -> Term {
    term(TermKind::Unchanged(locations), Sort::Boolean, span)
}

/// The methods that are named; none where all are meant.
pub(crate) fn methods(setting: &Setting<'_>, callees: &Callees) -> Resolved<Option<Vec<MethodId>>> {
    let Callees::Methods(refs) = callees else {
        return Ok(None);
    };
    let mut found = Vec::new();
    for method in refs {
        found.extend(meant(setting, method)?);
    }
    Ok(Some(found))
}

fn meant(setting: &Setting<'_>, method: &MethodRef) -> Resolved<Vec<MethodId>> {
    let Some((name, before)) = method.path.split_last() else {
        return Ok(Vec::new());
    };
    let (class, name) = owner(setting, name, before, method)?;
    let program = setting.scope.program;
    let wanted = match &method.parameters {
        Some(types) => {
            let types = types.iter().map(|ty| types::java(&setting.scope, ty));
            Some(types.collect::<Resolved<Vec<_>>>()?)
        }
        None => None,
    };
    let mut found: Vec<MethodId> = Vec::new();
    let mut around = Some(class);
    while let Some(class) = around.filter(|_| found.is_empty()) {
        let supertypes = program.class(class).map_or(&[][..], |c| c.supertypes());
        let owners =
            if name == "<init>" { &supertypes[..supertypes.len().min(1)] } else { supertypes };
        for owner in owners.iter().filter_map(|c| program.class(*c).ok()) {
            found.extend(owner.methods.iter().copied().filter(|id| {
                let declared = program.method(*id);
                let is_named = name == "*" || declared.name == name;
                let fits = wanted.as_ref().is_none_or(|w| declared.params.ends_with(w));
                is_named && fits && !declared.is_bridge
            }));
        }
        around = if before.is_empty() { setting.scope.outer(class) } else { None };
    }
    if found.is_empty() {
        let class = ir::program::simple(program.class_name(class));
        return mistake(method.span, format!("`{class}` has no such method `{method}`"));
    }
    Ok(found)
}

/// The class in which a method is looked for, and its name in the class file.
fn owner<'m>(
    setting: &Setting<'_>,
    name: &'m Ident,
    before: &[Ident],
    method: &MethodRef,
) -> Resolved<(ClassId, &'m str)> {
    let scope = &setting.scope;
    let path: Vec<&str> = method.path.iter().map(|n| n.name.as_str()).collect();
    let in_class = |class: ClassId| {
        let methods = scope.program.class(class).map_or(&[][..], |c| &c.methods);
        methods.iter().any(|m| scope.program.method(*m).name == name.name)
    };
    if let Some(class) = scope.class_named(&path.join(".")).filter(|c| !in_class(*c)) {
        return Ok((class, "<init>"));
    }
    let class = match before {
        [] => scope.class,
        [only] if only.name == "this" => scope.class,
        [only] if only.name == "super" => {
            let class = scope.program.class(scope.class).ok().and_then(|c| c.superclass);
            class.unwrap_or(scope.class)
        }
        _ => {
            let mut terms = Terms::new(setting);
            match terms.denoted(&chain(before))? {
                Denoted::Class(class) => class,
                Denoted::Value(Term { sort: Sort::Reference(class), .. }) => class,
                Denoted::Value(_) => return mistake(method.span, "this has no methods"),
            }
        }
    };
    Ok((class, &name.name))
}

/// Names with dots between them as an expression.
fn chain(names: &[Ident]) -> Expr {
    use crate::jml::ast::ExprKind;
    let start = names.first().map_or(Span::default(), |n| n.span);
    let mut e: Option<Expr> = None;
    for name in names {
        let span = start.to(name.span);
        let kind = match e {
            Some(of) => ExprKind::Field(Box::new(of), name.clone()),
            None if name.name == "this" => ExprKind::This,
            None => ExprKind::Name(name.name.clone()),
        };
        e = Some(Expr { kind, span });
    }
    e.unwrap_or(Expr { kind: ExprKind::This, span: start })
}
