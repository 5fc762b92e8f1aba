//! What a name means: a variable of the formula, a parameter, a field as the relation from objects
//! to its values, a static field as its value, or a class as the set of its objects.

use ir::{ClassId, FieldId, Type};

use crate::alloy::ast::{Relation, RelationKind, RelationOp};
use crate::core::{Column, Sort, Term, TermKind, Variable};
use crate::diagnostic::{Failure, Parse, did_you_mean};
use crate::resolve::alloy::value::{Value, boxed, column_of};
use crate::resolve::alloy::{Local, Resolver};
use crate::resolve::scope::{States, sort_of};
use crate::resolve::signature::{self, Generic};
use crate::span::Span;

/// How many classes are looked into for a field that no nearer class has.
const FARTHEST: usize = 128;

/// What the surroundings of an expression tell about the fields it can mean.
#[derive(Clone, Copy, Default)]
pub(super) struct Place {
    /// The class of the objects that its first column is joined with.
    pub from: Option<ClassId>,
    /// The class of the objects that its last column is joined with.
    pub to: Option<ClassId>,
    /// Whether a set makes no sense here, so that a field hides a variable of its name.
    pub needs_relation: bool,
    /// Whether the classes are likely only: one side of a union need not fit.
    pub is_likely: bool,
}

impl Place {
    pub fn transposed(self) -> Place {
        Place { from: self.to, to: self.from, needs_relation: true, ..self }
    }

    pub fn of_relation(self) -> Place {
        Place { needs_relation: true, ..self }
    }
}

/// The fields that a name can mean.
enum Found {
    Nothing,
    One(FieldId),
    Several(Vec<FieldId>),
}

impl Resolver<'_, '_> {
    pub(super) fn name(&self, name: &str, primed: bool, span: Span, place: Place) -> Parse<Value> {
        let variable = self.variable(name, span);
        if let Some(value) = &variable {
            let is_possible = !place.needs_relation || value.columns().len() > 1;
            if is_possible && !primed {
                return Ok(value.clone());
            }
        }
        let mut found = self.fields_named(name, place);
        if place.is_likely && matches!(found, Found::Nothing) {
            found = self.fields_named(name, Place { from: None, to: None, ..place });
        }
        match (found, variable) {
            (Found::One(field), _) if self.is_of_this(name, field, place) => {
                let this = self.this(span)?.set();
                let field = self.field(field, primed, span, place)?;
                self.joined(this, field, span)
            }
            (Found::One(field), _) => self.field(field, primed, span, place),
            (Found::Several(fields), _) => Err(self.ambiguous(name, &fields, span)),
            (Found::Nothing, Some(_)) if place.needs_relation && place.from.is_some() => {
                Err(self.unknown(name, primed, span, place))
            }
            (Found::Nothing, Some(value)) if !primed => Ok(value),
            (Found::Nothing, Some(_)) => {
                let message =
                    format!("`{name}'` has no meaning: a variable has one value in both states");
                Err(Failure::new(span, message).suggest(Some(name)))
            }
            (Found::Nothing, None) => match self.scope.class_named(name) {
                Some(class) => self.objects(class, primed, span),
                None => Err(self.unknown(name, primed, span, place)),
            },
        }
    }

    /// Whether the name of a field means the field of `this`.
    fn is_of_this(&self, name: &str, field: FieldId, place: Place) -> bool {
        self.is_implicit
            && !place.needs_relation
            && !self.scope.program.field(field).is_static
            && self.scope.field(self.scope.class, name) == Some(field)
    }

    fn local(&self, name: &str) -> Option<&Local> {
        self.bound.iter().rev().find(|local| local.name == name)
    }

    /// A variable of the formula or of the program.
    pub(super) fn variable(&self, name: &str, span: Span) -> Option<Value> {
        if let Some(local) = self.local(name) {
            let value = Value::new(local.term(span), local.classes.clone());
            return Some(Value { last: local.last.clone(), ..value });
        }
        let (variable, sort) = self.scope.variable(name)?;
        Some(self.variable_value(variable, sort, span))
    }

    pub(super) fn this(&self, span: Span) -> Parse<Value> {
        if self.scope.is_static {
            return Err(Failure::new(span, "there is no `this` in a static context"));
        }
        Ok(self.variable_value(Variable::This, Sort::Reference(self.scope.class), span))
    }

    fn variable_value(&self, variable: Variable, sort: Sort, span: Span) -> Value {
        let program = self.scope.program;
        let known = self.scope.generics.iter().rev().find(|g| g.0 == variable);
        let last = match (known, &variable) {
            (Some((_, ty)), _) => ty.clone(),
            (None, Variable::This) => {
                Generic::Class(self.scope.class, signature::inside(program, self.scope.class))
            }
            (None, _) => Generic::Any,
        };
        let scalar = Term { kind: TermKind::Variable(variable), sort, span };
        Value { last, ..Value::of_scalar(scalar) }
    }

    /// `result` behind a dot is a field, and elsewhere a variable if nothing is returned.
    pub(super) fn result(&self, span: Span, place: Place) -> Parse<Value> {
        if place.needs_relation && matches!(self.fields_named("result", place), Found::One(_)) {
            return self.name("result", false, span, place);
        }
        if let Some(ty) = self.scope.result {
            return Ok(self.variable_value(Variable::Result, sort_of(ty), span));
        }
        let other = self.variable("result", span);
        other.ok_or_else(|| Failure::new(span, "there is no result here"))
    }

    /// All objects of a class.
    fn objects(&self, class: ClassId, primed: bool, span: Span) -> Parse<Value> {
        let sort = Sort::Relation(vec![Column::Objects]);
        let term = Term { kind: TermKind::Objects(class), sort, span };
        Ok(Value::new(self.in_state(term, primed)?, vec![Some(class)]))
    }

    fn field(&self, id: FieldId, primed: bool, span: Span, place: Place) -> Parse<Value> {
        let field = self.scope.program.field(id);
        let sort = sort_of(field.ty);
        if !field.is_static {
            let sort = Sort::Relation(vec![Column::Objects, column_of(&sort)]);
            let term = Term { kind: TermKind::Relation(id), sort, span };
            let classes = vec![Some(field.class), field.ty.class()];
            return Ok(Value::new(self.in_state(term, primed)?, classes));
        }
        if place.needs_relation {
            let class = ir::program::simple(self.scope.program.class_name(field.class));
            let message = format!("`{}` is static: no object has one of its own", field.name);
            return Err(Failure::new(span, message)
                .suggest(Some(format!("{class}.{}", ticked(&field.name, primed)))));
        }
        let term = Term { kind: TermKind::Static(id), sort, span };
        let last = field.signature.as_deref().map_or(Generic::Any, |said| {
            signature::of_field(self.scope.program, said).with(&Vec::new())
        });
        Ok(Value { last, ..Value::of_scalar(self.in_state(term, primed)?) })
    }

    /// Where a clause speaks of two states, plain names are of the one before.
    fn in_state(&self, term: Term, primed: bool) -> Parse<Term> {
        match (self.scope.states, primed) {
            (States::One, false) | (States::Two, true) => Ok(term),
            (States::Two, false) => {
                let (sort, span) = (term.sort.clone(), term.span);
                Ok(Term { kind: TermKind::Old(boxed(term)), sort, span })
            }
            (States::One, true) => {
                let message = "a primed name has no meaning in a precondition or invariant: \
                               there is one state only";
                Err(Failure::new(term.span, message))
            }
        }
    }

    /// A class or static field by a name with dots, unless its first part is a variable or a
    /// field, so that the dots are joins.
    pub(super) fn qualified(&self, relation: &Relation) -> Option<Parse<Value>> {
        let (path, primed) = dotted(relation)?;
        let (owner, last) = path.rsplit_once('.')?;
        let first = path.split('.').next()?;
        let is_known = self.variable(first, relation.span).is_some()
            || !matches!(self.fields_named(first, Place::default()), Found::Nothing);
        if is_known {
            return None;
        }
        if let Some(class) = self.scope.class_named(&path) {
            return Some(self.objects(class, primed, relation.span));
        }
        let field = self.scope.field(self.scope.class_named(owner)?, last)?;
        let is_static = self.scope.program.field(field).is_static;
        is_static.then(|| self.field(field, primed, relation.span, Place::default()))
    }

    /// The fields that a name can mean: of the class on the left, of the class of the clause, of
    /// the classes of variables, and of all classes whose objects can be reached from there.
    fn fields_named(&self, name: &str, place: Place) -> Found {
        if let Some(found) = place.from.and_then(|class| self.scope.field(class, name)) {
            return Found::One(found);
        }
        if let Some((_, found)) = self.scope.simple_field(name).filter(|f| self.fits(f.1, place)) {
            return Found::One(found);
        }
        let near = self.near_classes();
        match self.fields_among(&near, name, place) {
            Found::Nothing => self.fields_among(&self.reachable(&near), name, place),
            found => found,
        }
    }

    /// The fields of this name that objects of these classes have.
    fn fields_among(&self, classes: &[ClassId], name: &str, place: Place) -> Found {
        let mut found: Vec<FieldId> =
            classes.iter().filter_map(|class| self.scope.field(*class, name)).collect();
        found.sort_unstable();
        found.dedup();
        found.retain(|f| !self.scope.program.field(*f).is_static && self.fits(*f, place));
        let leads = |f: &FieldId| self.scope.program.field(*f).ty.class().is_some();
        if place.to.is_some() && found.iter().any(leads) {
            found.retain(leads);
        }
        match found[..] {
            [] => Found::Nothing,
            [one] => Found::One(one),
            _ => Found::Several(found),
        }
    }

    /// Whether a field can lead from and to objects of the classes that its place tells.
    fn fits(&self, field: FieldId, place: Place) -> bool {
        let field = self.scope.program.field(field);
        let starts = place.from.is_none_or(|class| self.related(class, field.class));
        let ends = place.to.zip(field.ty.class()).is_none_or(|(to, ty)| self.related(to, ty));
        starts && ends
    }

    /// Whether two classes can have objects in common.
    pub(super) fn related(&self, left: ClassId, right: ClassId) -> bool {
        let program = self.scope.program;
        let is_open = |class| program.class(class).is_ok_and(|c| c.is_interface);
        program.is_subtype(left, right)
            || program.is_subtype(right, left)
            || is_open(left)
            || is_open(right)
    }

    /// The class of the clause and the classes of all variables.
    fn near_classes(&self) -> Vec<ClassId> {
        let scope = self.scope;
        let variables = scope.variables.iter().filter_map(|v| v.2.class());
        let result = scope.result.and_then(Type::class);
        let locals = self.bound.iter().flat_map(|l| l.classes.iter().copied().flatten());
        let mut near = vec![scope.class];
        for class in variables.chain(result).chain(locals) {
            if !near.contains(&class) {
                near.push(class);
            }
        }
        near
    }

    /// These classes and those that fields lead to, the nearest first.
    fn reachable(&self, near: &[ClassId]) -> Vec<ClassId> {
        let program = self.scope.program;
        let mut reached = near.to_vec();
        let mut at = 0;
        while at < reached.len() && reached.len() < FARTHEST {
            let Ok(class) = program.class(reached[at]) else {
                at += 1;
                continue;
            };
            let owners = class.supertypes().iter().filter_map(|c| program.class(*c).ok());
            let fields = owners.flat_map(|c| &c.fields).map(|f| program.field(*f));
            let types = fields.filter(|f| !f.is_static).map(|f| f.ty).chain(class.element);
            for next in types.filter_map(Type::class) {
                if !reached.contains(&next) {
                    reached.push(next);
                }
            }
            at += 1;
        }
        reached
    }

    fn ambiguous(&self, name: &str, fields: &[FieldId], span: Span) -> Failure {
        let program = self.scope.program;
        let owner = |f: &FieldId| ir::program::simple(program.class_name(program.field(*f).class));
        let candidates: Vec<String> =
            fields.iter().map(|f| format!("`{}.{name}`", owner(f))).collect();
        let first = fields.first().map_or("", owner);
        let message =
            format!("`{name}` can be {}; `{first} <: {name}` says which", candidates.join(" or "));
        Failure::new(span, message)
    }

    fn unknown(&self, name: &str, primed: bool, span: Span, place: Place) -> Failure {
        let program = self.scope.program;
        if let Some(class) = place.from {
            let simple = ir::program::simple(program.class_name(class));
            if program.class(class).is_ok_and(|c| c.element.is_some()) {
                let message = "arrays are not supported in Alloy-style clauses; use JML";
                return Failure::new(span, message);
            }
            let fields = self.field_names(class);
            let meant = did_you_mean(name, fields.iter().map(String::as_str));
            let message = format!("`{simple}` has no field `{name}`");
            return Failure::new(span, message).suggest(meant.map(|m| ticked(m, primed)));
        }
        if matches!(name, "Int" | "int" | "long" | "short" | "byte" | "char") {
            let message = format!(
                "`{name}`: there is no set of all numbers; a set of fields' values, as in \
                 `l.*next.val`, can stand here"
            );
            return Failure::new(span, message);
        }
        let mut known: Vec<String> = self.bound.iter().map(|l| l.name.clone()).collect();
        known.extend(self.scope.variables.iter().map(|v| v.0.clone()));
        let classes = self.reachable(&self.near_classes());
        known.extend(classes.iter().flat_map(|c| self.field_names(*c)));
        known.extend(classes.iter().map(|c| ir::program::simple(program.class_name(*c)).into()));
        let meant = did_you_mean(name, known.iter().map(String::as_str));
        let message = format!("there is no variable, field or class `{name}` here");
        Failure::new(span, message).suggest(meant.map(|m| ticked(m, primed)))
    }

    /// The names of all fields that objects of a class have.
    fn field_names(&self, class: ClassId) -> Vec<String> {
        let program = self.scope.program;
        let Ok(class) = program.class(class) else {
            return Vec::new();
        };
        let mut names = Vec::new();
        for owner in class.supertypes() {
            if let Ok(owner) = program.class(*owner) {
                names.extend(owner.fields.iter().map(|f| program.field(*f).name.clone()));
            }
            let ghosts = self.scope.spec_fields.keys().filter(|key| key.0 == *owner);
            names.extend(ghosts.map(|key| key.1.clone()));
        }
        names
    }
}

fn ticked(name: &str, primed: bool) -> String {
    format!("{name}{}", if primed { "'" } else { "" })
}

/// `a.b.c` as one text if it is nothing but names, of which the last may be primed.
fn dotted(relation: &Relation) -> Option<(String, bool)> {
    match &relation.kind {
        RelationKind::Name { name, primed } => Some((name.clone(), *primed)),
        RelationKind::Binary(RelationOp::Join, left, right) => {
            let (path, false) = dotted(left)? else {
                return None;
            };
            match &right.kind {
                RelationKind::Name { name, primed } => Some((format!("{path}.{name}"), *primed)),
                _ => None,
            }
        }
        _ => None,
    }
}
