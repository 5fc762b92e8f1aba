//! Type arguments in joins: what `p.first` holds is what the type of `p` says.

use ir::Type;

use crate::core::{Column, Combination, Term, TermKind};
use crate::resolve::alloy::Resolver;
use crate::resolve::alloy::value::{Value, boxed};
use crate::resolve::signature::{self, Generic};

impl Resolver<'_, '_> {
    /// What a join leads to, as what type arguments say it is.
    pub(super) fn typed(&self, value: Value) -> Value {
        let program = self.scope.program;
        let (Some(declared), Some(Type::Ref(actual))) =
            (value.last_class(), value.last.erasure(program))
        else {
            return value;
        };
        let is_objects = value.columns().last() == Some(&Column::Objects);
        let is_known = program.is_subtype(declared, actual);
        let exists = program.class(actual).is_ok_and(|c| c.element.is_none());
        if !is_objects || is_known || !exists || !self.related(declared, actual) {
            return value;
        }
        let Value { term, mut classes, last, .. } = value;
        if let Some(class) = classes.last_mut() {
            *class = Some(actual);
        }
        let (sort, span) = (term.sort.clone(), term.span);
        let term = Term { kind: TermKind::Typed(actual, boxed(term)), sort, span };
        Value { last, ..Value::new(term, classes) }
    }

    /// The type of what a join leads to.
    pub(super) fn led_to(&self, from: &Value, through: &Term) -> Generic {
        let program = self.scope.program;
        let from = match (&from.last, from.last_class()) {
            (Generic::Any, Some(class)) => Generic::raw(program, Type::Ref(class)),
            (known, _) => known.clone(),
        };
        self.step(&from, through)
    }

    fn step(&self, from: &Generic, through: &Term) -> Generic {
        let program = self.scope.program;
        match &through.kind {
            TermKind::Relation(field) => {
                let field = program.field(*field);
                let Some(declared) = &field.signature else {
                    return Generic::Any;
                };
                let arguments = signature::as_super(program, from, field.class);
                signature::of_field(program, declared).with(&arguments.unwrap_or_default())
            }
            TermKind::Old(inner) => self.step(from, inner),
            TermKind::Closure(inner) | TermKind::ReflexiveClosure(inner) => {
                match self.step(from, inner) {
                    next if next == *from => next,
                    _ => Generic::Any,
                }
            }
            TermKind::Combine(Combination::Union, left, right) => match self.step(from, left) {
                one if one == self.step(from, right) => one,
                _ => Generic::Any,
            },
            _ => Generic::Any,
        }
    }
}
