//! Resolved expressions: a term that is a relation or a number, with the classes of its columns.

use ir::{ClassId, Type};

use crate::core::{Column, Number, Sort, Term, TermKind};
use crate::resolve::signature::Generic;
use crate::span::Span;

/// A resolved expression.
#[derive(Clone, Debug)]
pub(super) struct Value {
    /// Of a relational sort, or a number that was computed.
    pub term: Term,
    /// The class of the objects in each column, where it is known; none for a number.
    pub classes: Vec<Option<ClassId>>,
    /// The type of the objects in the last column with its arguments, where it is known.
    pub last: Generic,
    /// `{}`, which has as many columns as its place needs.
    pub is_flexible: bool,
}

impl Value {
    pub fn new(term: Term, classes: Vec<Option<ClassId>>) -> Value {
        Value { term, classes, last: Generic::Any, is_flexible: false }
    }

    /// A relation.
    pub fn relation(
        kind: TermKind,
        columns: Vec<Column>,
        classes: Vec<Option<ClassId>>,
        span: Span,
    ) -> Value {
        Value::new(Term { kind, sort: Sort::Relation(columns), span }, classes)
    }

    /// A number that was computed.
    pub fn number(kind: TermKind, number: Number, span: Span) -> Value {
        Value::new(Term { kind, sort: Sort::Number(number), span }, Vec::new())
    }

    /// A scalar as a set of at most one member.
    pub fn of_scalar(scalar: Term) -> Value {
        let (column, class) = match scalar.sort {
            Sort::Boolean => (Column::Booleans, None),
            Sort::Number(number) => (Column::Numbers(number), None),
            Sort::Reference(class) => (Column::Objects, Some(class)),
            Sort::Null | Sort::Type | Sort::Locations | Sort::Relation(_) => {
                (Column::Nothing, None)
            }
        };
        let span = scalar.span;
        Value::relation(TermKind::Set(boxed(scalar)), vec![column], vec![class], span)
    }

    /// What stands in the columns; nothing for a number.
    pub fn columns(&self) -> &[Column] {
        match &self.term.sort {
            Sort::Relation(columns) => columns,
            _ => &[],
        }
    }

    pub fn last_class(&self) -> Option<ClassId> {
        self.classes.last().copied().flatten()
    }

    /// Whether it is a number that was computed: a literal, a cardinality, a sum.
    pub fn is_number(&self) -> bool {
        matches!(self.term.sort, Sort::Number(_))
    }

    /// The kind of its numbers, if it is a number or a set of them.
    pub fn numbers(&self) -> Option<Number> {
        match (&self.term.sort, self.columns()) {
            (Sort::Number(number), _) | (_, [Column::Numbers(number)]) => Some(*number),
            _ => None,
        }
    }

    /// Whether it has exactly one value in every state: it is computed, or a variable of the
    /// program.
    pub fn is_definite(&self) -> bool {
        match &self.term.kind {
            TermKind::Set(scalar) => matches!(scalar.sort, Sort::Number(_) | Sort::Boolean),
            _ => self.is_number(),
        }
    }

    /// It as a relation.
    pub fn set(self) -> Value {
        if self.is_number() { Value::of_scalar(self.term) } else { self }
    }

    /// The number or truth value in it, which must be a number or a set of one column.
    pub fn scalar(self) -> Term {
        let sort = match (&self.term.sort, self.columns()) {
            (_, [Column::Numbers(number)]) => Sort::Number(*number),
            (_, [Column::Booleans]) => Sort::Boolean,
            (sort, _) => sort.clone(),
        };
        let span = self.term.span;
        match self.term.kind {
            TermKind::Set(scalar) => Term { span, ..*scalar },
            _ if self.term.sort == sort => self.term,
            _ => Term { kind: TermKind::Scalar(boxed(self.term)), sort, span },
        }
    }

    /// The same numbers as numbers of another kind, if it is one number and nothing can be lost.
    pub fn widened(self, to: Number) -> Value {
        let from = self.numbers().filter(|&from| from != to && self.is_definite());
        match from.zip(java_type(to)) {
            Some((from, _)) if !self.fits(from, to) => self,
            Some((_, ty)) => Value::of_scalar(cast(self.scalar(), to, ty)),
            None => self,
        }
    }

    fn fits(&self, from: Number, to: Number) -> bool {
        let literal = match &self.term.kind {
            TermKind::Number(n) => Some(*n),
            TermKind::Set(inner) => match inner.kind {
                TermKind::Number(n) => Some(n),
                _ => None,
            },
            _ => None,
        };
        match (literal, range(to)) {
            (Some(n), Some((least, most))) => least <= n && n <= most,
            (None, Some((least, most))) => {
                range(from).is_some_and(|(low, high)| least <= low && high <= most)
            }
            (_, None) => false,
        }
    }

    /// What it is, for a message: `a set of objects`.
    pub fn described(&self) -> String {
        match self.columns() {
            [] => "a number".into(),
            [Column::Nothing] => "the empty set".into(),
            [Column::Booleans] if self.is_definite() => "a truth value".into(),
            [Column::Numbers(_)] if self.is_definite() => "a number".into(),
            [column] => format!("a set of {}", contents(*column)),
            [first, second] => {
                format!("a relation from {} to {}", contents(*first), contents(*second))
            }
            more => format!("a relation of {} columns", more.len()),
        }
    }
}

/// What stands in a column, for a message.
pub(super) fn contents(column: Column) -> &'static str {
    match column {
        Column::Objects => "objects",
        Column::Numbers(_) => "numbers",
        Column::Booleans => "truth values",
        Column::Nothing => "nothing",
    }
}

/// A number as a number of another kind; literals are just taken for one.
pub(super) fn cast(term: Term, to: Number, ty: Type) -> Term {
    let (span, sort) = (term.span, Sort::Number(to));
    if term.sort == sort {
        return term;
    }
    let kind = match term.kind {
        literal @ TermKind::Number(_) => literal,
        _ => TermKind::Cast(ty, boxed(term)),
    };
    Term { kind, sort, span }
}

/// The integer types of Java.
pub(super) fn java_type(number: Number) -> Option<Type> {
    Some(match number {
        Number::Byte => Type::Byte,
        Number::Short => Type::Short,
        Number::Char => Type::Char,
        Number::Int => Type::Int,
        Number::Long => Type::Long,
        Number::Float | Number::Double | Number::Big => return None,
    })
}

/// The least and the greatest number of an integer type.
fn range(number: Number) -> Option<(i64, i64)> {
    Some(match number {
        Number::Byte => (i8::MIN.into(), i8::MAX.into()),
        Number::Short => (i16::MIN.into(), i16::MAX.into()),
        Number::Char => (u16::MIN.into(), u16::MAX.into()),
        Number::Int => (i32::MIN.into(), i32::MAX.into()),
        Number::Long => (i64::MIN, i64::MAX),
        Number::Float | Number::Double | Number::Big => return None,
    })
}

/// What values of a type put into a column.
pub(super) fn column_of(sort: &Sort) -> Column {
    match sort {
        Sort::Boolean => Column::Booleans,
        Sort::Number(number) => Column::Numbers(*number),
        Sort::Reference(_) | Sort::Null | Sort::Type | Sort::Locations | Sort::Relation(_) => {
            Column::Objects
        }
    }
}

pub(super) fn boolean(kind: TermKind, span: Span) -> Term {
    Term { kind, sort: Sort::Boolean, span }
}

pub(super) fn boxed(term: Term) -> Box<Term> {
    Box::new(term)
}
