//! Contracts of classes: invariants, constraints, and the fields that only specifications have.

use ir::{FieldData, FieldId, Nullness, SpecField};

use crate::alloy::ast::AlloyClause;
use crate::core::{Access, Clause, Location, Sort, Term, TermKind, Variable};
use crate::diagnostic::Diagnostic;
use crate::jml::ast::{
    self, Expr, ExprKind, Ident, ModifierKind, SpecVariable, TypeClause, TypeClauseKind,
};
use crate::resolve::expr::Setting;
use crate::resolve::scope::{SpecFields, States};
use crate::resolve::trouble::{Resolved, Trouble, mistake, unknown};
use crate::resolve::{Home, Notes, alloy, generic, has, nullness, specified, touched, types};
use crate::span::Span;

/// Defines the ghost and model fields of a type.
pub(crate) fn define(home: &Home<'_>, notes: &mut Notes) -> Vec<((ir::ClassId, String), FieldId)> {
    let mut defined: Vec<((ir::ClassId, String), FieldId)> = Vec::new();
    for variable in &home.ty.variables {
        let Ok(content) = &variable.content else {
            continue;
        };
        let key = (home.class(), content.name.name.clone());
        let is_taken = defined.iter().any(|d| d.0 == key);
        match field_data(home, content, is_taken) {
            Ok(data) => {
                let field = home.program().define_field(home.class(), data);
                defined.push((key, field));
            }
            Err(trouble) => {
                // What names it says why it means nothing; nothing else depends on it.
                // A name that means something else cannot say so.
                if home.setting(true).scope.field(key.0, &key.1).is_some() {
                    notes.class_gap(home, variable.span, *trouble);
                    continue;
                }
                let gap = notes.gap(home, variable.span, *trouble);
                notes.refused.insert(key, without_place(&gap.reason).to_string());
            }
        }
    }
    defined
}

/// A reason may begin with the place of what it is about.
fn without_place(reason: &str) -> &str {
    match reason.split_once(": ") {
        Some((place, rest)) if place.chars().all(|c| c.is_ascii_digit() || c == ':') => rest,
        _ => reason,
    }
}

fn field_data(home: &Home<'_>, variable: &SpecVariable, is_taken: bool) -> Resolved<FieldData> {
    let program = home.program();
    let nothing = SpecFields::new();
    let mut setting = home.setting(true);
    setting.scope.spec_fields = &nothing;
    let name = &variable.name.name;
    let is_group = variable.is_model && specified::is_data_group(&variable.ty);
    let ty = match is_group || specified::is_location_set(variable) {
        true => ir::Type::Ref(program.class_id("java.lang.Object")),
        false => types::java(&setting.scope, &variable.ty)?,
    };
    let class = program.class(home.class()).ok();
    let fields = class.map_or(&[][..], |c| &c.fields);
    if is_taken || fields.iter().any(|f| program.field(*f).name == *name) {
        let message = format!("the class has a field `{name}` already");
        return mistake(variable.name.span, message);
    }
    let is_interface = class.is_some_and(|c| c.is_interface);
    let is_static = has(&variable.modifiers, ModifierKind::Static)
        || is_interface && !has(&variable.modifiers, ModifierKind::Instance);
    Ok(FieldData {
        name: name.clone(),
        ty,
        is_static,
        is_final: has(&variable.modifiers, ModifierKind::Final),
        is_private: false,
        is_public: false,
        is_synthetic: false,
        is_volatile: false,
        constant: None,
        nullness: Nullness::Unspecified,
        is_generic: false,
        signature: generic::written(&setting.scope, &variable.ty).signature(program),
        specified: Some(if variable.is_model { SpecField::Model } else { SpecField::Ghost }),
    })
}

/// Resolves the clauses of a type.
pub(crate) fn resolve(home: &Home<'_>, notes: &mut Notes) {
    let gaps = home.ty.gaps.iter().chain(&home.file.specs.gaps);
    let fields = home.ty.fields.iter().flat_map(|field| &field.gaps);
    let gaps = home.gaps_at(gaps.chain(fields));
    notes.class(home).gaps.extend(gaps);
    for (is_static, clause) in nullness::invariants(home) {
        let contract = notes.class(home);
        match is_static {
            true => contract.static_invariants.push(clause),
            false => contract.invariants.push(clause),
        }
    }
    for clause in &home.ty.clauses {
        match &clause.content {
            Ok(content) => type_clause(home, content, clause.span, notes),
            Err(gap) => skipped(home, gap, clause.span, notes),
        }
    }
    for variable in &home.ty.variables {
        match &variable.content {
            Ok(content) => ghost(home, content, variable.span, notes),
            Err(gap) => skipped(home, gap, variable.span, notes),
        }
    }
    if let Some(modifier) = home.ty.modifiers.iter().find(|m| m.kind == ModifierKind::Immutable) {
        immutable(home, modifier.span, notes);
    }
    for formula in &home.ty.formulas {
        invariant_formula(home, formula, notes);
    }
}

/// Parts that no other clause depends on, and what is lost with them.
fn unchecked(gap: &ast::Gap) -> Option<&'static str> {
    match gap {
        ast::Gap::Unsupported(what) => match what.as_str() {
            "accessible of a model field" => {
                Some("not checked: what a model field or an invariant depends on")
            }
            "monitors_for" => Some("not checked: `monitors_for`; there is one thread only"),
            "model type" => {
                Some("not used: model types are not supported; what names it is refused")
            }
            _ => None,
        },
        ast::Gap::Broken => None,
    }
}

/// An object that exists stays as it is.
fn immutable(home: &Home<'_>, span: Span, notes: &mut Notes) {
    let this = TermKind::Variable(Variable::This);
    let this = Term { kind: this, sort: Sort::Reference(home.class()), span };
    let term = touched::unchanged(vec![Location::Fields(this)], span);
    let clause = Clause { term, site: home.site(span) };
    notes.class(home).constraints.push(clause);
}

fn skipped(home: &Home<'_>, gap: &ast::Gap, span: Span, notes: &mut Notes) {
    if let Some(message) = unchecked(gap) {
        return notes.warn(home, span, message);
    }
    let gap = home.gap_at(gap, span);
    notes.class(home).gaps.push(gap);
}

/// Writes a clause down where it belongs, or its trouble as a gap.
fn keep(
    home: &Home<'_>,
    resolved: Resolved<Term>,
    span: Span,
    notes: &mut Notes,
    place: impl FnOnce(&mut crate::core::ClassContract) -> &mut Vec<Clause>,
) {
    match resolved {
        Ok(term) => {
            let site = home.site(span);
            place(notes.class(home)).push(Clause { term, site });
        }
        Err(trouble) => notes.class_gap(home, span, *trouble),
    }
}

fn type_clause(home: &Home<'_>, clause: &TypeClause, span: Span, notes: &mut Notes) {
    match &clause.kind {
        TypeClauseKind::Invariant(e) => {
            let (is_static, resolved) = static_or_not(home, clause, e, States::One);
            keep(home, resolved, span, notes, |contract| match is_static {
                true => &mut contract.static_invariants,
                false => &mut contract.invariants,
            });
        }
        TypeClauseKind::Constraint(e, Some(callees)) if *callees != ast::Callees::Everything => {
            let (is_static, resolved) = static_or_not(home, clause, e, States::Two);
            let methods = touched::methods(&home.setting(false), callees);
            match resolved.and_then(|term| Ok((term, methods?.unwrap_or_default()))) {
                Ok((term, methods)) => {
                    let clause = Clause { term, site: home.site(span) };
                    let kept = &mut notes.class(home).constraints_for;
                    kept.push((methods, is_static, clause));
                }
                Err(trouble) => notes.class_gap(home, span, *trouble),
            }
        }
        // Said of fields before anything was resolved.
        TypeClauseKind::In(_) | TypeClauseKind::Maps { .. } => {}
        TypeClauseKind::Access { writes, field, condition } => {
            match access(home, *writes, field, condition, span) {
                Ok(access) => notes.class(home).access.push(access),
                Err(trouble) => notes.class_gap(home, span, *trouble),
            }
        }
        TypeClauseKind::Constraint(e, _) => {
            let (is_static, resolved) = static_or_not(home, clause, e, States::Two);
            keep(home, resolved, span, notes, |contract| match is_static {
                true => &mut contract.static_constraints,
                false => &mut contract.constraints,
            });
        }
        TypeClauseKind::Initially(e) => {
            let resolved = home.setting(false).condition(e);
            keep(home, resolved, span, notes, |contract| &mut contract.initially);
        }
        TypeClauseKind::Represents { field, value } => {
            if let Err(trouble) = represents(home, field, value, span, notes) {
                notes.class_gap(home, span, *trouble);
            }
        }
        TypeClauseKind::RepresentsSuchThat { .. } => {
            let reason = "`\\such_that` is not supported".to_string();
            notes.class_gap(home, span, Trouble::Unsupported(reason));
        }
    }
}

fn access(
    home: &Home<'_>,
    writes: bool,
    field: &Expr,
    condition: &Expr,
    span: Span,
) -> Resolved<Access> {
    let name = match &field.kind {
        ExprKind::Name(name) => Ident { name: name.clone(), span: field.span },
        ExprKind::Field(_, name) => name.clone(),
        _ => return mistake(field.span, "a field is needed here"),
    };
    let setting = home.setting(false);
    let Some(found) = setting.scope.field(home.class(), &name.name) else {
        let class = home.class();
        return crate::resolve::expr::Terms::new(&setting).no_field(class, &name);
    };
    let is_static = home.program().field(found).is_static;
    let term = home.setting(is_static).condition(condition)?;
    let condition = Clause { term, site: home.site(span) };
    Ok(Access { field: found, writes, condition })
}

/// A condition of the class or of its objects. In an interface it is one of the class unless it
/// says otherwise or speaks of an object.
fn static_or_not(
    home: &Home<'_>,
    clause: &TypeClause,
    e: &Expr,
    states: States,
) -> (bool, Resolved<Term>) {
    let condition = |is_static| {
        let mut setting = home.setting(is_static);
        setting.scope.states = states;
        setting.condition(e)
    };
    let is_interface = home.program().class(home.class()).is_ok_and(|c| c.is_interface);
    if !clause.is_static && !clause.is_instance && is_interface {
        return match condition(true) {
            Ok(found) => (true, Ok(found)),
            Err(_) => (false, condition(false)),
        };
    }
    (clause.is_static, condition(clause.is_static))
}

fn represents(
    home: &Home<'_>,
    field: &Expr,
    value: &Expr,
    span: Span,
    notes: &mut Notes,
) -> Resolved<()> {
    let id = model_field(home, field)?;
    let declared = home.program().field(id);
    let setting = home.setting(declared.is_static);
    let term = match home.world.specified.location_sets.contains(&id) {
        true => crate::resolve::expr::Terms::new(&setting).locations(value)?,
        false => setting.value(value, declared.ty)?,
    };
    let clause = Clause { term, site: home.site(span) };
    if notes.class(home).represents.contains_key(&id) {
        let message = format!("`{}` is represented twice", declared.name);
        return mistake(field.span, message);
    }
    notes.class(home).represents.insert(id, clause);
    Ok(())
}

/// The model field that a name at the beginning of `represents` means.
fn model_field(home: &Home<'_>, e: &Expr) -> Resolved<FieldId> {
    let field = group(home, e)?;
    let declared = home.program().field(field);
    match declared.specified {
        Some(SpecField::Model) => Ok(field),
        _ => mistake(e.span, format!("`{}` is no model field", declared.name)),
    }
}

/// The field whose data group a name means: every field is one.
pub(crate) fn group(home: &Home<'_>, e: &Expr) -> Resolved<FieldId> {
    let name = match &e.kind {
        ExprKind::Name(name) => Ident { name: name.clone(), span: e.span },
        ExprKind::Field(_, name) => name.clone(),
        _ => return mistake(e.span, "a model field is needed here"),
    };
    let setting = home.setting(false);
    let scope = &setting.scope;
    match scope.field(home.class(), &name.name) {
        Some(field) => Ok(field),
        None => {
            let mut known: Vec<&str> = scope.spec_fields.keys().map(|key| key.1.as_str()).collect();
            known.sort_unstable();
            let message = format!("there is no model field `{}`", name.name);
            unknown(e.span, message, &name.name, known.into_iter())
        }
    }
}

fn ghost(home: &Home<'_>, variable: &SpecVariable, span: Span, notes: &mut Notes) {
    let key = (home.class(), variable.name.name.clone());
    let Some(&field) = home.world.spec_fields.get(&key) else {
        return;
    };
    let declared = home.program().field(field);
    if variable.is_model {
        if variable.initializer.is_some() {
            let message = "a model field has no first value; `represents` says what it is";
            let span = variable.name.span;
            let diagnostic = Diagnostic { span, message: message.into(), suggestion: None };
            notes.class_gap(home, span, Trouble::Mistake(diagnostic));
        }
        return;
    }
    let setting: Setting<'_> = home.setting(declared.is_static);
    let first = variable.initializer.as_ref().map(|e| setting.value(e, declared.ty));
    let first = match first {
        Some(Ok(term)) => Some(Clause { term, site: home.site(span) }),
        Some(Err(trouble)) => {
            notes.class_gap(home, span, *trouble);
            None
        }
        None => None,
    };
    notes.class(home).ghosts.push((field, first));
}

fn invariant_formula(home: &Home<'_>, clause: &AlloyClause, notes: &mut Notes) {
    let formula = match &clause.content {
        Ok(formula) => formula,
        Err(gap) => return skipped(home, gap, clause.span, notes),
    };
    let setting = home.setting(clause.is_static);
    let resolved = match clause.is_static {
        true => alloy::formula(&setting.scope, formula, &mut 0),
        false => alloy::invariant(&setting.scope, formula, &mut 0),
    };
    let resolved = resolved.map_err(|diagnostic| Box::new(Trouble::Mistake(diagnostic)));
    keep(home, resolved, clause.span, notes, |contract| match clause.is_static {
        true => &mut contract.static_invariants,
        false => &mut contract.invariants,
    });
}
