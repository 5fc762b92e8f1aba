//! What names in expressions denote: variables, fields, classes, and chains of them.

use ir::{ClassId, FieldId, Type};

use crate::core::{Number, Sort, Term, TermKind};
use crate::jml::ast::{Expr, ExprKind, Ident};
use crate::resolve::expr::{Terms, term};
use crate::resolve::scope::{States, sort_of};
use crate::resolve::trouble::{Resolved, mistake, undecidable, unknown};
use crate::span::Span;

/// Of how many names a full name of a class is made at most.
const LONGEST_PACKAGE: usize = 16;

/// What stands before a dot.
pub(crate) enum Denoted {
    Value(Term),
    Class(ClassId),
}

impl Terms<'_, '_> {
    /// What an expression denotes; names may be names of classes.
    pub fn denoted(&mut self, e: &Expr) -> Resolved<Denoted> {
        let mut fields = Vec::new();
        let mut first = e;
        while let ExprKind::Field(of, field) = &first.kind {
            fields.push((field, first.span));
            first = of;
        }
        fields.reverse();
        let (mut found, used) = match &first.kind {
            ExprKind::Name(name) => self.first_name(name, first.span, &fields)?,
            ExprKind::Super if !fields.is_empty() => (Denoted::Value(self.this(first.span)?), 0),
            _ => (Denoted::Value(self.expr(first)?), 0),
        };
        for (field, span) in fields.into_iter().skip(used) {
            found = match found {
                Denoted::Value(of) => Denoted::Value(self.field_of(of, field, span)?),
                Denoted::Class(class) => self.static_or_nested(class, field, span)?,
            };
        }
        Ok(found)
    }

    /// What the first name of a chain denotes, and how many of the fields behind it are part of
    /// the name of a class.
    fn first_name(
        &mut self,
        name: &str,
        span: Span,
        fields: &[(&Ident, Span)],
    ) -> Resolved<(Denoted, usize)> {
        if let Some(value) = self.simple_name(name, span)? {
            return Ok((Denoted::Value(value), 0));
        }
        let mut path = name.to_string();
        for used in 0..=fields.len().min(LONGEST_PACKAGE) {
            if used > 0 {
                path.push('.');
                path.push_str(fields.get(used - 1).map_or("", |f| &f.0.name));
            }
            if let Some(class) = self.scope().class_named(&path) {
                return Ok((Denoted::Class(class), used));
            }
        }
        self.unknown_name(name, span)
    }

    /// The value of a simple name, if it denotes one.
    pub fn simple_name(&mut self, name: &str, span: Span) -> Resolved<Option<Term>> {
        if let Some((_, number, sort)) = self.bound.iter().rev().find(|b| b.0 == name) {
            let kind = TermKind::Variable(crate::core::Variable::Bound(*number));
            return Ok(Some(term(kind, sort.clone(), span)));
        }
        if let Some(found) = self.definition(name, span) {
            return Ok(Some(found));
        }
        if let Some(found) = self.variable(name, span)? {
            return Ok(Some(found));
        }
        if let Some((class, field)) = self.scope().simple_field(name) {
            return self.own_field(class, field, span).map(Some);
        }
        if let Some(field) = self.scope().field(self.scope().class, &format!("val${name}")) {
            // A variable of the method around a local class, which the class keeps a copy of.
            return self.own_field(self.scope().class, field, span).map(Some);
        }
        if let Some(field) = self.imported_field(name) {
            return Ok(Some(self.static_field(field, span)));
        }
        if self.setting.later.iter().any(|later| later == name) {
            return undecidable(format!(
                "`{name}` has no value where this stands, which is not supported"
            ));
        }
        Ok(None)
    }

    /// What an `old` clause has given a name.
    fn definition(&self, name: &str, span: Span) -> Option<Term> {
        let (_, value) = self.setting.definitions.iter().rev().find(|d| d.0 == name)?;
        let value = Term { span, ..value.clone() };
        if self.in_old || self.scope().states == States::One {
            return Some(value);
        }
        let sort = value.sort.clone();
        Some(term(TermKind::Old(Box::new(value)), sort, span))
    }

    /// A parameter or a local variable.
    fn variable(&self, name: &str, span: Span) -> Resolved<Option<Term>> {
        let now = self.scope().variable(name);
        let (Some(before), true) = (&self.setting.before, self.in_old) else {
            return Ok(now.map(|(variable, sort)| term(TermKind::Variable(variable), sort, span)));
        };
        match before.iter().rev().find(|v| v.0 == name) {
            Some((_, variable, ty)) => {
                Ok(Some(term(TermKind::Variable(variable.clone()), sort_of(*ty), span)))
            }
            None if now.is_some() => mistake(
                span,
                format!("`{name}` is a local variable and has no value before the call"),
            ),
            None => Ok(None),
        }
    }

    /// A field by its simple name: of this object, of one around it, or static.
    fn own_field(&self, through: ClassId, field: FieldId, span: Span) -> Resolved<Term> {
        if self.scope().program.field(field).is_static {
            return Ok(self.static_field(field, span));
        }
        let object = self.object_of(through, span)?;
        Ok(self.instance_field(object, field, span))
    }

    /// This object, or the object of an enclosing class that it belongs to.
    pub fn object_of(&self, class: ClassId, span: Span) -> Resolved<Term> {
        let scope = self.scope();
        let mut object = self.this(span)?;
        let mut current = scope.class;
        while current != class {
            let Some(outer) = scope.outer(current) else {
                return mistake(span, "this belongs to an object that is not at hand here");
            };
            let fields = scope.program.class(current).map_or(&[][..], |c| &c.fields);
            let is_link = |f: &&FieldId| {
                let field = scope.program.field(**f);
                field.is_synthetic && field.name.starts_with("this$")
            };
            let Some(link) = fields.iter().find(is_link) else {
                return undecidable(
                    "the object of the enclosing class is not kept in the compiled class",
                );
            };
            object = self.instance_field(object, *link, span);
            current = outer;
        }
        Ok(object)
    }

    /// A field of an object.
    pub fn instance_field(&self, object: Term, field: FieldId, span: Span) -> Term {
        if self.scope().specified.location_sets.contains(&field) {
            return term(TermKind::Field(Box::new(object), field), Sort::Locations, span);
        }
        let sort = sort_of(self.scope().program.field(field).ty);
        self.typed(term(TermKind::Field(Box::new(object), field), sort, span))
    }

    /// A static field.
    pub fn static_field(&self, field: FieldId, span: Span) -> Term {
        if self.scope().specified.location_sets.contains(&field) {
            return term(TermKind::Static(field), Sort::Locations, span);
        }
        let sort = sort_of(self.scope().program.field(field).ty);
        self.typed(term(TermKind::Static(field), sort, span))
    }

    fn imported_field(&self, name: &str) -> Option<FieldId> {
        self.static_imports(name).find_map(|class| {
            let field = self.scope().field(class, name)?;
            self.scope().program.field(field).is_static.then_some(field)
        })
    }

    /// The classes from which a static member of this name may be imported.
    pub fn static_imports(&self, name: &str) -> impl Iterator<Item = ClassId> {
        let scope = self.scope();
        scope.imports.iter().filter(|i| i.is_static).filter_map(move |import| {
            let path = match import.path.rsplit_once('.') {
                _ if import.on_demand => &import.path,
                Some((class, member)) if member == name => class,
                _ => return None,
            };
            scope.class_named(path)
        })
    }

    /// `o.f`
    fn field_of(&self, object: Term, field: &Ident, span: Span) -> Resolved<Term> {
        let class = match object.sort {
            Sort::Reference(class) => class,
            _ => {
                let message = format!("{} has no field `{}`", self.a(&object), field.name);
                return mistake(field.span, message);
            }
        };
        if field.name == "length" && self.element_type(&object).is_some() {
            return Ok(term(TermKind::Length(Box::new(object)), Sort::Number(Number::Int), span));
        }
        match self.scope().field(class, &field.name) {
            Some(found) if self.scope().program.field(found).is_static => {
                Ok(self.static_field(found, span))
            }
            Some(found) => Ok(self.instance_field(object, found, span)),
            None => self.no_field(class, field),
        }
    }

    /// `C.f` or `C.D`
    fn static_or_nested(&self, class: ClassId, field: &Ident, span: Span) -> Resolved<Denoted> {
        let scope = self.scope();
        if let Some(found) = scope.field(class, &field.name) {
            if !scope.program.field(found).is_static {
                let message = format!("`{}` is a field of objects, not of the class", field.name);
                return mistake(span, message);
            }
            return Ok(Denoted::Value(self.static_field(found, span)));
        }
        let nested =
            format!("{}.{}", scope.program.class_name(class).replace('$', "."), field.name);
        match scope.class_named(&nested) {
            Some(nested) => Ok(Denoted::Class(nested)),
            None => self.no_field(class, field),
        }
    }

    /// The message that a class has no such field.
    pub fn no_field<T>(&self, class: ClassId, field: &Ident) -> Resolved<T> {
        if let Some(reason) = self.scope().refused(class, &field.name) {
            return undecidable(reason);
        }
        let name = ir::program::simple(self.scope().program.class_name(class));
        let mut known = self.field_names(class);
        if name.ends_with("[]") {
            known.push("length".into());
        }
        let message = format!("`{name}` has no field `{}`", field.name);
        unknown(field.span, message, &field.name, known.iter().map(String::as_str))
    }

    fn field_names(&self, class: ClassId) -> Vec<String> {
        let scope = self.scope();
        let supertypes = scope.program.class(class).map_or(&[][..], |c| c.supertypes());
        let loaded = supertypes.iter().filter_map(|c| scope.program.class(*c).ok());
        let fields = loaded.flat_map(|c| &c.fields).map(|f| scope.program.field(*f));
        let mut names: Vec<String> =
            fields.filter(|f| !f.is_synthetic).map(|f| f.name.clone()).collect();
        let specified = scope.spec_fields.keys().filter(|key| supertypes.contains(&key.0));
        let mut specified: Vec<String> = specified.map(|key| key.1.clone()).collect();
        specified.sort();
        names.append(&mut specified);
        names
    }

    fn unknown_name<T>(&self, name: &str, span: Span) -> Resolved<T> {
        let scope = self.scope();
        let mut around = Some(scope.class);
        while let Some(class) = around {
            if let Some(reason) = scope.refused(class, name) {
                return undecidable(reason);
            }
            around = scope.outer(class);
        }
        let mut known: Vec<String> = self.bound.iter().map(|b| b.0.clone()).collect();
        known.extend(scope.variables.iter().map(|v| v.0.clone()));
        let mut around = Some(scope.class);
        while let Some(class) = around {
            known.extend(self.field_names(class));
            known.push(ir::program::simple(scope.program.class_name(class)).to_string());
            around = scope.outer(class);
        }
        let message = format!("`{name}` is not known here");
        unknown(span, message, name, known.iter().map(String::as_str))
    }

    /// The field of references that a name in `\reach` means.
    pub fn step(&mut self, classes: &[ClassId], e: &Expr) -> Resolved<FieldId> {
        let (field, within) = match &e.kind {
            ExprKind::Name(name) => (Ident { name: name.clone(), span: e.span }, classes.to_vec()),
            ExprKind::Field(of, field) => {
                let class = match &of.kind {
                    ExprKind::Name(name) if name == "this" => Denoted::Class(self.scope().class),
                    _ => self.denoted(of)?,
                };
                let class = match class {
                    Denoted::Class(class) => class,
                    Denoted::Value(Term { sort: Sort::Reference(class), .. }) => class,
                    Denoted::Value(_) => return mistake(e.span, "a field is needed here"),
                };
                (field.clone(), vec![class])
            }
            _ => return mistake(e.span, "a field is needed here"),
        };
        let found = within.iter().find_map(|class| self.scope().field(*class, &field.name));
        let Some(found) = found else {
            return match within.first() {
                Some(class) => self.no_field(*class, &field),
                None => mistake(e.span, "a field is needed here"),
            };
        };
        let declared = self.scope().program.field(found);
        match declared.ty {
            Type::Ref(_) if !declared.is_static => Ok(found),
            _ => mistake(e.span, format!("`{}` leads from no object to another", field.name)),
        }
    }
}
