//! Null by default or not: in files with JML, references are non-null unless something says
//! otherwise.

use ir::{FieldId, Nullness, SpecField, Type};

use crate::core::{
    Clause, Contract, NON_NULL_BY_DEFAULT, ResultNullness, Site, Sort, Term, TermKind,
};
use crate::jml::ast::{Modifier, ModifierKind};
use crate::resolve::expr::term;
use crate::resolve::find::{self, Found};
use crate::resolve::operator::not;
use crate::resolve::scope::sort_of;
use crate::resolve::{Defaults, Home, has};
use crate::span::Span;
use crate::specs::{MethodSpecs, Parameter};

/// What holds for references about which nothing is written.
fn default(home: &Home<'_>, modifiers: &[Modifier]) -> Nullness {
    if !home.file.specs.has_jml {
        return Nullness::Unspecified;
    }
    said_around(home, modifiers).unwrap_or(match home.world.defaults {
        Defaults::Shown | Defaults::NonNull => Nullness::NonNull,
        Defaults::Nullable => Nullness::Nullable,
    })
}

/// What is written about all references of a method or type.
fn said_around(home: &Home<'_>, modifiers: &[Modifier]) -> Option<Nullness> {
    let said = |modifiers: &[Modifier]| {
        if has(modifiers, ModifierKind::NullableByDefault) {
            Some(Nullness::Nullable)
        } else if has(modifiers, ModifierKind::NonNullByDefault) {
            Some(Nullness::NonNull)
        } else {
            None
        }
    };
    said(modifiers).or_else(|| home.enclosing().find_map(|ty| said(&ty.modifiers)))
}

/// What holds for one reference: what is written, else what the program's annotations say, else
/// the default. In files without JML the program's annotations are left to themselves: nothing is said
/// here.
fn decided(ty: Type, written: &[Modifier], program: Nullness, default: Nullness) -> Nullness {
    match (ty, program) {
        (Type::Ref(_), _) if has(written, ModifierKind::Nullable) => Nullness::Nullable,
        (Type::Ref(_), _) if has(written, ModifierKind::NonNull) => Nullness::NonNull,
        (Type::Ref(_), Nullness::Unspecified) => default,
        (Type::Ref(_), Nullness::NonNull) if default != Nullness::Unspecified => Nullness::NonNull,
        _ => Nullness::Unspecified,
    }
}

/// Says of the parameters of a method, hidden ones included, which may be null.
pub(crate) fn parameters(
    home: &Home<'_>,
    method: &MethodSpecs,
    found: Found,
    contract: &mut Contract,
) {
    let declared = home.program().method(found.id);
    let default = default(home, &method.modifiers);
    let mut nullness = vec![Nullness::Unspecified; declared.params.len()];
    let mut sites = vec![None; declared.params.len()];
    for (index, written) in find::parameters(home.ty, method).iter().enumerate() {
        let at = found.hidden + index;
        if let (Some(place), Some(ty)) = (nullness.get_mut(at), declared.params.get(at)) {
            let program = declared.param_nullness.get(at).copied();
            let program = program.unwrap_or(Nullness::Unspecified);
            *place = decided(*ty, &written.modifiers, program, default);
            sites[at] = parameter_site(home, written, *place, program);
        }
    }
    contract.parameter_nullness = nullness;
    contract.parameter_sites = sites;
}

/// Where a parameter is said to be non-null.
fn parameter_site(
    home: &Home<'_>,
    written: &Parameter,
    nullness: Nullness,
    program: Nullness,
) -> Option<Site> {
    let text = is_non_null(&written.name, &written.modifiers, program);
    (nullness == Nullness::NonNull).then(|| home.site_saying(written.span, text))
}

/// For the result of a method.
pub(crate) fn result(
    home: &Home<'_>,
    method: &MethodSpecs,
    found: Found,
) -> Option<ResultNullness> {
    let declared = home.program().method(found.id);
    let default = default(home, &method.modifiers);
    let nullness = decided(declared.result?, &method.modifiers, declared.result_nullness, default);
    let head = match method.body {
        Some(body) => Span { end: body.start, ..method.span },
        None => method.span,
    };
    said(home, nullness, (&method.modifiers, declared.result_nullness), head)
}

fn said(
    home: &Home<'_>,
    nullness: Nullness,
    (written, program): (&[Modifier], Nullness),
    span: Span,
) -> Option<ResultNullness> {
    let text = match nullness {
        Nullness::NonNull => is_non_null("the result", written, program),
        Nullness::Nullable => "the result may be null".into(),
        Nullness::Unspecified => return None,
    };
    Some(ResultNullness { nullness, site: home.site_saying(span, text) })
}

/// Says of something that it is non-null, and whether anybody wrote so.
fn is_non_null(what: &str, written: &[Modifier], program: Nullness) -> String {
    match has(written, ModifierKind::NonNull) || program == Nullness::NonNull {
        true => format!("{what} is non-null"),
        false => format!("{what} is {NON_NULL_BY_DEFAULT}"),
    }
}

/// Where the components of a record are said to be non-null.
pub(crate) fn component_sites(home: &Home<'_>) -> Vec<Option<Site>> {
    let said = home.ty.components.iter().zip(components(home));
    said.map(|(c, nullness)| parameter_site(home, c, nullness, Nullness::Unspecified)).collect()
}

/// For the constructor and the accessors of a record that the compiler has written.
pub(crate) fn components(home: &Home<'_>) -> Vec<Nullness> {
    let default = default(home, &[]);
    let fields = declared_fields(home);
    let nullness = home.ty.components.iter().map(|component| {
        let field = fields.iter().find(|f| home.program().field(f.0).name == component.name);
        field.map_or(Nullness::Unspecified, |(field, _, modifiers)| {
            decided_field(home, *field, modifiers, default)
        })
    });
    nullness.collect()
}

/// For the accessor of a record's component.
pub(crate) fn accessor(home: &Home<'_>, component: usize) -> Option<ResultNullness> {
    let nullness = *components(home).get(component)?;
    let written = home.ty.components.get(component)?;
    said(home, nullness, (&written.modifiers, Nullness::Unspecified), written.span)
}

/// The fields of the program that a type declares, with their places and modifiers.
fn declared_fields<'w>(home: &Home<'w>) -> Vec<(FieldId, Span, &'w [Modifier])> {
    let program = home.program();
    let fields = program.class(home.class()).map_or(&[][..], |c| &c.fields);
    let find = |name: &str| fields.iter().copied().find(|f| program.field(*f).name == name);
    let mut found = Vec::new();
    for declaration in &home.ty.fields {
        for name in &declaration.names {
            let field = find(name);
            found.extend(field.map(|f| (f, declaration.span, &declaration.modifiers[..])));
        }
    }
    for component in &home.ty.components {
        let field = find(&component.name);
        found.extend(field.map(|f| (f, component.span, &component.modifiers[..])));
    }
    for variable in &home.ty.variables {
        let Ok(content) = &variable.content else {
            continue;
        };
        let key = (home.class(), content.name.name.clone());
        if let (Some(field), false) = (home.world.spec_fields.get(&key), content.is_model) {
            found.push((*field, variable.span, &content.modifiers[..]));
        }
    }
    found
}

/// What is said about the fields of a type.
pub(crate) fn fields(home: &Home<'_>) -> Vec<(FieldId, Nullness)> {
    let default = default(home, &[]);
    let decide = |(id, _, written): (FieldId, Span, &[Modifier])| {
        let nullness = decided_field(home, id, written, default);
        (nullness != Nullness::Unspecified).then_some((id, nullness))
    };
    declared_fields(home).into_iter().filter_map(decide).collect()
}

fn decided_field(
    home: &Home<'_>,
    id: FieldId,
    written: &[Modifier],
    default: Nullness,
) -> Nullness {
    let field = home.program().field(id);
    let default = match home.world.evident.contains_key(&id) {
        true => Nullness::Nullable,
        false => default,
    };
    decided(field.ty, written, field.nullness, default)
}

/// The fields of a type about which only the default says whether they may be null.
pub(crate) fn open_fields(home: &Home<'_>) -> Vec<(FieldId, Span)> {
    if !home.file.specs.has_jml || said_around(home, &[]).is_some() {
        return Vec::new();
    }
    let is_open = |(id, span, written): (FieldId, Span, &[Modifier])| {
        let field = home.program().field(id);
        let is_constant = field.is_static && field.is_final;
        let is_open = matches!(field.ty, Type::Ref(_))
            && field.nullness == Nullness::Unspecified
            && field.specified.is_none()
            && !is_constant
            && !has(written, ModifierKind::Nullable)
            && !has(written, ModifierKind::NonNull);
        is_open.then_some((id, span))
    };
    declared_fields(home).into_iter().filter_map(is_open).collect()
}

/// Invariants that say of each non-null field what it is; each with whether the field is static.
pub(crate) fn invariants(home: &Home<'_>) -> Vec<(bool, Clause)> {
    let mut clauses = Vec::new();
    let default = default(home, &[]);
    for (id, span, written) in declared_fields(home) {
        let nullness = decided_field(home, id, written, default);
        let field = home.program().field(id);
        let is_constant = field.is_static && field.is_final;
        if nullness != Nullness::NonNull || is_constant || is_model(field.specified) {
            continue;
        }
        let sort = sort_of(field.ty);
        let value = if field.is_static {
            term(TermKind::Static(id), sort, span)
        } else {
            let this = TermKind::Variable(crate::core::Variable::This);
            let this = term(this, Sort::Reference(home.class()), span);
            term(TermKind::Field(Box::new(this), id), sort, span)
        };
        let text = is_non_null(&field.name, written, field.nullness);
        let clause = Clause { term: exists(value, span), site: home.site_saying(span, text) };
        clauses.push((field.is_static, clause));
    }
    clauses
}

fn is_model(specified: Option<SpecField>) -> bool {
    specified == Some(SpecField::Model)
}

fn exists(value: Term, span: Span) -> Term {
    let null = term(TermKind::Null, Sort::Null, span);
    let same = TermKind::Same(Box::new(value), Box::new(null));
    not(term(same, Sort::Boolean, span), span)
}
