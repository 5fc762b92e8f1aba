//! Relations and numbers: the operators, with what each needs of its operands.

use crate::alloy::ast::{
    Declaration, Formula, Relation, RelationKind, RelationOp, RelationUnaryOp,
};
use crate::core::{Arithmetic, Column, Combination, Number, Sort, Term, TermKind};
use crate::diagnostic::{Failure, Parse};
use crate::resolve::alloy::names::Place;
use crate::resolve::alloy::value::{Value, boolean, boxed, contents};
use crate::resolve::alloy::{Resolver, bound_in, unsupported};
use crate::span::Span;

impl Resolver<'_, '_> {
    /// A relation or a number.
    pub(super) fn relation(&mut self, relation: &Relation, place: Place) -> Parse<Value> {
        let span = relation.span;
        let one = |kind, column| Value::relation(kind, vec![column], vec![None], span);
        let mut value = match &relation.kind {
            RelationKind::Name { name, primed } => self.name(name, *primed, span, place),
            RelationKind::This => self.this(span),
            RelationKind::Result => self.result(span, place),
            RelationKind::Null => Ok(one(TermKind::Empty, Column::Nothing)),
            RelationKind::Empty => {
                Ok(Value { is_flexible: true, ..one(TermKind::Empty, Column::Nothing) })
            }
            RelationKind::Universe => Ok(one(TermKind::Universe, Column::Objects)),
            RelationKind::Identity => {
                let columns = vec![Column::Objects; 2];
                Ok(Value::relation(TermKind::Identity, columns, vec![None; 2], span))
            }
            RelationKind::Int(n) => {
                Ok(Value::number(TermKind::Number((*n).into()), Number::Int, span))
            }
            RelationKind::Boolean(b) => Ok(Value::of_scalar(boolean(TermKind::Boolean(*b), span))),
            RelationKind::Unary(op, of) => self.unary(*op, of, span, place),
            RelationKind::Binary(op, left, right) => match op {
                RelationOp::Join => match self.qualified(relation) {
                    Some(found) => found,
                    None => self.join(left, right, span, place),
                },
                _ => self.binary(*op, left, right, span, place),
            },
            RelationKind::Box(of, arguments) => self.box_join(of, arguments, span, place),
            RelationKind::Cardinality(of) => {
                let of = self.relation(of, Place::default())?.set();
                Ok(Value::number(TermKind::Cardinality(boxed(of.term)), Number::Int, span))
            }
            RelationKind::Comprehension { declarations, body } => {
                self.comprehension(declarations, body, span)
            }
            RelationKind::IfElse(condition, then, otherwise) => {
                let condition = self.formula(condition)?;
                let then = self.relation(then, place)?;
                let otherwise = self.relation(otherwise, place)?;
                self.either(condition, then, otherwise, span)
            }
            RelationKind::Let { name, value, body } => {
                let (value, number) = self.bind(name, value)?;
                let body = self.relation(body, place)?;
                self.bound.pop();
                let term = bound_in(name, number, value, body.term, span);
                Ok(Value { last: body.last, ..Value::new(term, body.classes) })
            }
            RelationKind::Unsupported(what) => Err(unsupported(what, span)),
        }?;
        value.term.span = span;
        Ok(value)
    }

    fn unary(
        &mut self,
        op: RelationUnaryOp,
        of: &Relation,
        span: Span,
        place: Place,
    ) -> Parse<Value> {
        let place = match op {
            RelationUnaryOp::Transpose => place.transposed(),
            _ => place.of_relation(),
        };
        let of = self.relation(of, place)?.set();
        let text = match op {
            RelationUnaryOp::Transpose => "~",
            RelationUnaryOp::Closure => "^",
            RelationUnaryOp::ReflexiveClosure => "*",
        };
        let is_binary = matches!(
            of.columns(),
            [Column::Objects | Column::Nothing, Column::Objects | Column::Nothing]
        );
        if !is_binary {
            let message = format!(
                "`{text}` needs a relation from objects to objects, and this is {}",
                of.described()
            );
            return Err(Failure::new(of.term.span, message));
        }
        let columns = of.columns().to_vec();
        let mut classes = of.classes.clone();
        let inner = boxed(of.term);
        let kind = match op {
            RelationUnaryOp::Transpose => {
                classes.reverse();
                TermKind::Transpose(inner)
            }
            RelationUnaryOp::Closure => TermKind::Closure(inner),
            RelationUnaryOp::ReflexiveClosure => {
                // Whatever it is joined with comes out too.
                if let (Some(from), [Some(first), _]) = (place.from, &classes[..])
                    && !self.scope.program.is_subtype(from, *first)
                {
                    classes = vec![None; 2];
                }
                TermKind::ReflexiveClosure(inner)
            }
        };
        Ok(Value::relation(kind, columns, classes, span))
    }

    fn binary(
        &mut self,
        op: RelationOp,
        left: &Relation,
        right: &Relation,
        span: Span,
        place: Place,
    ) -> Parse<Value> {
        let alone = Place::default();
        let (combination, text) = match op {
            RelationOp::Union => (Combination::Union, "+"),
            RelationOp::Difference => (Combination::Difference, "-"),
            RelationOp::Intersection => (Combination::Intersection, "&"),
            RelationOp::Override => (Combination::Override, "++"),
            RelationOp::Product => {
                let from = Place { from: place.from, ..alone };
                let to = Place { to: place.to, ..alone };
                let left = self.relation(left, from)?.set();
                let right = self.relation(right, to)?.set();
                return Ok(product(left, right, span));
            }
            RelationOp::DomainRestriction => {
                let set = self.relation(left, alone)?.set();
                let place = Place { from: set.last_class().or(place.from), ..place };
                let of = self.relation(right, place.of_relation())?.set();
                return self.restriction(Combination::DomainRestriction, set, of, span);
            }
            RelationOp::RangeRestriction => {
                let set = self.relation(right, alone)?.set();
                let place = Place { to: set.last_class().or(place.to), ..place };
                let of = self.relation(left, place.of_relation())?.set();
                return self.restriction(Combination::RangeRestriction, set, of, span);
            }
            RelationOp::Join => return self.join(left, right, span, place),
        };
        let place = Place { is_likely: true, ..place };
        let (left, right) = (self.relation(left, place)?, self.relation(right, place)?);
        if left.is_number() || right.is_number() {
            let arithmetic = match op {
                RelationOp::Union => Some(Arithmetic::Add),
                RelationOp::Difference => Some(Arithmetic::Subtract),
                _ => None,
            };
            if let Some(arithmetic) = arithmetic {
                return self.arithmetic(arithmetic, text, left, right, span);
            }
        }
        let (left, right) = self.aligned(text, left.set(), right.set())?;
        let (mut columns, mut classes) = self.common(&left, &right);
        if op == RelationOp::Difference {
            (columns, classes) = (left.columns().to_vec(), left.classes.clone());
        }
        if op == RelationOp::Intersection {
            classes = self.narrowest(&left, &right);
        }
        if op == RelationOp::Override && columns.len() < 2 {
            let message = format!("`++` needs relations, and this is {}", left.described());
            return Err(Failure::new(left.term.span, message));
        }
        let kind = TermKind::Combine(combination, boxed(left.term), boxed(right.term));
        Ok(Value::relation(kind, columns, classes, span))
    }

    fn arithmetic(
        &self,
        op: Arithmetic,
        text: &str,
        left: Value,
        right: Value,
        span: Span,
    ) -> Parse<Value> {
        let (left, right, number) = self.promoted(text, left, right)?;
        Ok(Value::number(TermKind::Arithmetic(op, boxed(left), boxed(right)), number, span))
    }

    fn restriction(
        &self,
        combination: Combination,
        set: Value,
        of: Value,
        span: Span,
    ) -> Parse<Value> {
        let is_domain = combination == Combination::DomainRestriction;
        let (text, side) = if is_domain { ("<:", "left") } else { (":>", "right") };
        let [restricted] = set.columns()[..] else {
            let message =
                format!("`{text}` needs a set on its {side}, and this is {}", set.described());
            return Err(Failure::new(set.term.span, message));
        };
        let at = if is_domain { 0 } else { of.columns().len().saturating_sub(1) };
        let column = of.columns().get(at).copied().unwrap_or(Column::Nothing);
        if let Some(why) = self.mismatch(text, restricted, column) {
            return Err(Failure::new(span, why));
        }
        let (columns, mut classes) = (of.columns().to_vec(), of.classes.clone());
        if let (Some(narrow), Some(class)) = (set.last_class(), classes.get_mut(at)) {
            *class = Some(narrow);
        }
        let (left, right) = if is_domain { (set, of) } else { (of, set) };
        let kind = TermKind::Combine(combination, boxed(left.term), boxed(right.term));
        Ok(Value::relation(kind, columns, classes, span))
    }

    fn join(
        &mut self,
        left: &Relation,
        right: &Relation,
        span: Span,
        place: Place,
    ) -> Parse<Value> {
        let from = Place { from: place.from, is_likely: place.is_likely, ..Place::default() };
        let left = match (self.relation(left, from), self.class_of_variable(right)) {
            // What it is joined with may say which field is meant.
            (Err(_), to @ Some(_)) => self.relation(left, Place { to, ..from })?.set(),
            (read, _) => read?.set(),
        };
        let right = self.relation(right, behind(&left))?.set();
        self.joined(left, right, span)
    }

    fn class_of_variable(&self, relation: &Relation) -> Option<ir::ClassId> {
        match &relation.kind {
            RelationKind::This => Some(self.scope.class),
            RelationKind::Name { name, primed: false } => {
                self.variable(name, relation.span)?.last_class()
            }
            _ => None,
        }
    }

    /// `f[a, b]` is `b.(a.f)`; `plus[a, b]` and its like compute.
    fn box_join(
        &mut self,
        of: &Relation,
        arguments: &[Relation],
        span: Span,
        place: Place,
    ) -> Parse<Value> {
        if let Some((op, name)) = computed(of)
            && self.name(name, false, of.span, Place::default()).is_err()
        {
            let [left, right] = arguments else {
                let message =
                    format!("`{name}` needs two numbers, and here are {}", arguments.len());
                return Err(Failure::new(span, message));
            };
            let left = self.relation(left, Place::default())?;
            let right = self.relation(right, Place::default())?;
            return self.arithmetic(op, name, left, right, span);
        }
        let mut values = Vec::new();
        for argument in arguments {
            values.push(self.relation(argument, Place::default())?.set());
        }
        let place = values.first().map_or(place, behind);
        let mut whole = self.relation(of, place.of_relation())?.set();
        if whole.columns().len() == 1 {
            let is_array = |c| self.scope.program.class(c).is_ok_and(|c| c.element.is_some());
            let message = if whole.last_class().is_some_and(is_array) {
                "arrays are not supported in Alloy-style clauses; use JML".into()
            } else {
                format!("`[]` needs a relation in front of it, and this is {}", whole.described())
            };
            return Err(Failure::new(of.span, message));
        }
        for value in values {
            whole = self.joined(value, whole, span)?;
        }
        Ok(whole)
    }

    pub(super) fn joined(&self, left: Value, right: Value, span: Span) -> Parse<Value> {
        let ([before @ .., last], [first, after @ ..]) = (left.columns(), right.columns()) else {
            return Err(Failure::new(span, "`.` needs relations"));
        };
        if before.is_empty() && after.is_empty() {
            let message = format!(
                "`.` needs a relation on one side at least: {} against {}",
                left.described(),
                right.described()
            );
            return Err(Failure::new(span, message));
        }
        let is_possible = match (*last, *first) {
            (Column::Nothing, _) | (_, Column::Nothing) => true,
            (l, r) => l == r,
        };
        if !is_possible {
            let message = format!(
                "`.` joins the last column of its left side, {}, with the first of its right \
                 side, {}",
                contents(*last),
                contents(*first)
            );
            let unbounded = self.ranges_over_objects(&left);
            let unbounded = unbounded.or_else(|| self.ranges_over_objects(&right));
            return Err(unbounded.unwrap_or_else(|| Failure::new(span, message)));
        }
        let meeting = (left.last_class(), right.classes.first().copied().flatten());
        if let (Some(l), Some(r)) = meeting
            && !self.related(l, r)
            && !is_reflexive(&right.term)
            && !is_reflexive(&left.term)
        {
            let name = |c| ir::program::simple(self.scope.program.class_name(c));
            let message = format!(
                "this is always empty: no object is both a `{}` and a `{}`",
                name(l),
                name(r)
            );
            return Err(Failure::new(span, message));
        }
        let columns: Vec<Column> = before.iter().chain(after).copied().collect();
        let kept = left.classes.iter().take(before.len());
        let classes = kept.chain(right.classes.iter().skip(1)).copied().collect();
        let last = self.led_to(&left, &right.term);
        let kind = TermKind::Combine(Combination::Join, boxed(left.term), boxed(right.term));
        Ok(self.typed(Value { last, ..Value::relation(kind, columns, classes, span) }))
    }

    fn comprehension(
        &mut self,
        declarations: &[Declaration],
        body: &Formula,
        span: Span,
    ) -> Parse<Value> {
        let outer = self.bound.len();
        let variables = self.declare(declarations)?;
        let body = self.formula(body)?;
        let mut columns = Vec::new();
        let mut classes = Vec::new();
        for local in self.bound.drain(outer..) {
            if let Sort::Relation(column) = &local.sort {
                columns.extend(column);
            }
            classes.extend(local.classes);
        }
        let kind = TermKind::Comprehension { variables, body: boxed(body) };
        Ok(Value::relation(kind, columns, classes, span))
    }

    /// `c => a else b`
    fn either(&self, condition: Term, then: Value, otherwise: Value, span: Span) -> Parse<Value> {
        let condition = boxed(condition);
        if then.is_number() && otherwise.is_number() {
            let (then, otherwise, number) = self.promoted("else", then, otherwise)?;
            let kind = TermKind::Conditional(condition, boxed(then), boxed(otherwise));
            return Ok(Value::number(kind, number, span));
        }
        let (then, otherwise) = self.aligned("else", then.set(), otherwise.set())?;
        let (columns, classes) = self.common(&then, &otherwise);
        let kind = TermKind::Conditional(condition, boxed(then.term), boxed(otherwise.term));
        Ok(Value::relation(kind, columns, classes, span))
    }
}

fn product(left: Value, right: Value, span: Span) -> Value {
    let columns = left.columns().iter().chain(right.columns()).copied().collect();
    let classes = left.classes.iter().chain(&right.classes).copied().collect();
    let kind = TermKind::Combine(Combination::Product, boxed(left.term), boxed(right.term));
    Value::relation(kind, columns, classes, span)
}

/// The place behind the dot of a join.
fn behind(left: &Value) -> Place {
    let needs_relation = left.columns().len() == 1;
    Place { from: left.last_class(), needs_relation, ..Place::default() }
}

/// Whether a term relates every object with itself, whatever its classes are.
fn is_reflexive(term: &Term) -> bool {
    matches!(term.kind, TermKind::ReflexiveClosure(_))
}

/// The operator that `plus` and its like name.
fn computed(of: &Relation) -> Option<(Arithmetic, &str)> {
    let RelationKind::Name { name, primed: false } = &of.kind else {
        return None;
    };
    let op = match name.as_str() {
        "plus" | "add" => Arithmetic::Add,
        "minus" | "sub" => Arithmetic::Subtract,
        "mul" => Arithmetic::Multiply,
        "div" => Arithmetic::Divide,
        "rem" => Arithmetic::Remainder,
        _ => return None,
    };
    Some((op, name))
}
