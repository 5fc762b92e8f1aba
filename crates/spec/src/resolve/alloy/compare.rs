//! Comparisons, and what two relations or numbers must have in common to be put together.

use ir::ClassId;

use crate::alloy::ast::CompareOp;
use crate::core::{Column, Comparison, Connective, Number, Sort, Term, TermKind, Variable};
use crate::diagnostic::{Failure, Parse};
use crate::resolve::alloy::Resolver;
use crate::resolve::alloy::value::{Value, boolean, boxed, cast, contents, java_type};
use crate::span::Span;

const FLOATING: &str = "floating-point numbers are not supported in Alloy-style clauses; use JML";

impl Resolver<'_, '_> {
    pub(super) fn compare(
        &self,
        op: CompareOp,
        negated: bool,
        left: Value,
        right: Value,
        span: Span,
    ) -> Parse<Term> {
        let (comparison, text) = match op {
            CompareOp::Equal => return self.equal(negated, left, right, span),
            CompareOp::In => {
                let (left, right) = self.aligned("in", left.set(), right.set())?;
                let kind = TermKind::In(boxed(left.term), boxed(right.term));
                return Ok(unless(negated, boolean(kind, span)));
            }
            CompareOp::Less => (Comparison::Less, "<"),
            CompareOp::LessEqual => (Comparison::LessEqual, "<="),
            CompareOp::Greater => (Comparison::Greater, ">"),
            CompareOp::GreaterEqual => (Comparison::GreaterEqual, ">="),
        };
        let (left, right, _) = self.promoted(text, left, right)?;
        let compared = TermKind::Compare(comparison, boxed(left), boxed(right));
        Ok(unless(negated, boolean(compared, span)))
    }

    /// Values that are always there are compared as such; anything else as sets, so that what is
    /// not there equals nothing but the empty set.
    fn equal(&self, negated: bool, left: Value, right: Value, span: Span) -> Parse<Term> {
        let op = if negated { "!=" } else { "=" };
        if left.is_definite() && right.is_definite() {
            if left.numbers().is_some() && right.numbers().is_some() {
                return self.equal_numbers(op, left, right, span);
            }
            if left.numbers().is_none() && right.numbers().is_none() {
                let connective = if negated { Connective::Differ } else { Connective::Iff };
                let (left, right) = (boxed(left.scalar()), boxed(right.scalar()));
                return Ok(boolean(TermKind::Connective(connective, left, right), span));
            }
        }
        let (left, right) = alike(left, right);
        if let (Some(l), Some(r)) = (left.numbers(), right.numbers())
            && l != r
        {
            return self.equal_numbers(op, left, right, span);
        }
        let (left, right) = self.aligned(op, left.set(), right.set())?;
        let kind = TermKind::Equal(boxed(left.term), boxed(right.term));
        Ok(unless(negated, boolean(kind, span)))
    }

    fn equal_numbers(&self, op: &str, left: Value, right: Value, span: Span) -> Parse<Term> {
        let comparison = if op == "=" { Comparison::Equal } else { Comparison::NotEqual };
        let (left, right, _) = self.promoted(op, left, right)?;
        Ok(boolean(TermKind::Compare(comparison, boxed(left), boxed(right)), span))
    }

    /// Two numbers, made ints or longs together.
    pub(super) fn promoted(
        &self,
        op: &str,
        left: Value,
        right: Value,
    ) -> Parse<(Term, Term, Number)> {
        let (left, right) = (self.one_number(op, left)?, self.one_number(op, right)?);
        let long = Sort::Number(Number::Long);
        let number =
            if left.sort == long || right.sort == long { Number::Long } else { Number::Int };
        let ty = java_type(number).unwrap_or(ir::Type::Int);
        Ok((cast(left, number, ty), cast(right, number, ty), number))
    }

    /// The number that a value is.
    fn one_number(&self, op: &str, value: Value) -> Parse<Term> {
        let span = value.term.span;
        match value.numbers() {
            Some(Number::Float | Number::Double) => return Err(Failure::new(span, FLOATING)),
            Some(_) if !is_combined(&value.term) => return Ok(value.scalar()),
            Some(_) => {
                let message = format!(
                    "`{op}` needs numbers, and this is a set of them: `+` and `-` between sets \
                     unite and subtract; `plus[a, b]` and `minus[a, b]` compute"
                );
                return Err(Failure::new(span, message));
            }
            None => {}
        }
        if let Some(failure) = self.ranges_over_objects(&value) {
            return Err(failure);
        }
        let field = match field_of(&value.term) {
            Some(field) if !self.scope.is_static => {
                format!(
                    "; `this.{}` is the one of this object",
                    self.scope.program.field(field).name
                )
            }
            _ => String::new(),
        };
        let message = format!("`{op}` needs numbers, and this is {}{field}", value.described());
        Err(Failure::new(span, message))
    }

    /// Two relations with columns in common, or what they lack.
    pub(super) fn aligned(&self, op: &str, left: Value, right: Value) -> Parse<(Value, Value)> {
        let (mut left, mut right) = alike(left, right);
        let (columns, others) = (left.columns().len(), right.columns().len());
        if columns != others {
            stretch(&mut left, others);
            stretch(&mut right, columns);
        }
        if left.columns().len() != right.columns().len() {
            return Err(self.uneven(op, &left, &right));
        }
        for at in 0..left.columns().len() {
            let (l, r) = (left.columns()[at], right.columns()[at]);
            if let Some(why) = self.mismatch(op, l, r) {
                let span = left.term.span.to(right.term.span);
                let unbounded = self.ranges_over_objects(&left);
                let unbounded = unbounded.or_else(|| self.ranges_over_objects(&right));
                return Err(unbounded.unwrap_or_else(|| Failure::new(span, why)));
            }
        }
        Ok((left, right))
    }

    fn uneven(&self, op: &str, left: &Value, right: &Value) -> Failure {
        let span = left.term.span.to(right.term.span);
        let fields = [left, right].map(|v| field_of(&v.term).filter(|_| !self.scope.is_static));
        let hint = match fields {
            [Some(field), None] | [None, Some(field)] => {
                format!("; did you mean `this.{}`?", self.scope.program.field(field).name)
            }
            _ => String::new(),
        };
        let message = format!(
            "both sides of `{op}` need equally many columns: {} against {}{hint}",
            left.described(),
            right.described()
        );
        Failure::new(span, message)
    }

    /// Why two columns can not be put together.
    pub(super) fn mismatch(&self, op: &str, left: Column, right: Column) -> Option<String> {
        let floats = |c| matches!(c, Column::Numbers(Number::Float | Number::Double));
        match (left, right) {
            (Column::Nothing, _) | (_, Column::Nothing) => None,
            _ if floats(left) || floats(right) => Some(FLOATING.into()),
            (Column::Numbers(l), Column::Numbers(r)) if l != r => {
                let name = |n| java_type(n).and_then(|t| t.keyword()).unwrap_or("number");
                Some(format!("`{op}` between numbers of two types: {} and {}", name(l), name(r)))
            }
            _ if left == right => None,
            _ => Some(format!(
                "`{op}` between {} and {}: they have nothing in common",
                contents(left),
                contents(right)
            )),
        }
    }

    /// What to say if a variable without a bound is taken for a number.
    pub(super) fn ranges_over_objects(&self, value: &Value) -> Option<Failure> {
        let TermKind::Variable(Variable::Bound(number)) = value.term.kind else {
            return None;
        };
        let local = self.bound.iter().find(|l| l.number == number && l.is_unbounded)?;
        let name = &local.name;
        let message = format!(
            "`{name}` ranges over objects; for it to be a number or truth value give it a bound, \
             as in `{name}: l.*next.val`"
        );
        Some(Failure::new(value.term.span, message))
    }

    /// The columns and classes that two aligned relations have together.
    pub(super) fn common(
        &self,
        left: &Value,
        right: &Value,
    ) -> (Vec<Column>, Vec<Option<ClassId>>) {
        let mut columns = Vec::new();
        let mut classes = Vec::new();
        for at in 0..left.columns().len().min(right.columns().len()) {
            let (l, r) = (left.columns()[at], right.columns()[at]);
            let class = |v: &Value| v.classes.get(at).copied().flatten();
            columns.push(if l == Column::Nothing { r } else { l });
            classes.push(match (l, r) {
                (Column::Nothing, _) => class(right),
                (_, Column::Nothing) => class(left),
                _ => class(left).zip(class(right)).and_then(|(l, r)| self.general(l, r)),
            });
        }
        (columns, classes)
    }

    /// The classes of the objects that two aligned relations have in common.
    pub(super) fn narrowest(&self, left: &Value, right: &Value) -> Vec<Option<ClassId>> {
        let narrower = |pair: (&Option<ClassId>, &Option<ClassId>)| match pair {
            (Some(l), Some(r)) if self.scope.program.is_subtype(*r, *l) => Some(*r),
            (l, r) => l.or(*r),
        };
        left.classes.iter().zip(&right.classes).map(narrower).collect()
    }

    /// The class of two that contains the other.
    fn general(&self, left: ClassId, right: ClassId) -> Option<ClassId> {
        let program = self.scope.program;
        if program.is_subtype(left, right) {
            return Some(right);
        }
        program.is_subtype(right, left).then_some(left)
    }
}

/// A number beside a set of other numbers becomes one of them where nothing is lost.
fn alike(left: Value, right: Value) -> (Value, Value) {
    match (left.numbers(), right.numbers()) {
        (Some(l), Some(r)) if l != r => {
            if left.is_definite() {
                (left.widened(r), right)
            } else {
                (left, right.widened(l))
            }
        }
        _ => (left, right),
    }
}

/// Gives `{}` the columns that its place needs.
fn stretch(value: &mut Value, columns: usize) {
    if value.is_flexible {
        value.term.sort = Sort::Relation(vec![Column::Nothing; columns]);
        value.classes = vec![None; columns];
    }
}

/// Whether it is a union or difference of sets.
fn is_combined(term: &Term) -> bool {
    use crate::core::Combination::{Difference, Union};
    matches!(term.kind, TermKind::Combine(Union | Difference, ..))
}

/// The field that a term is the relation of.
fn field_of(term: &Term) -> Option<ir::FieldId> {
    match &term.kind {
        TermKind::Relation(field) => Some(*field),
        TermKind::Old(inner) => field_of(inner),
        _ => None,
    }
}

fn unless(negated: bool, term: Term) -> Term {
    let span = term.span;
    if negated { boolean(TermKind::Not(boxed(term)), span) } else { term }
}
