//! Quantifiers, `\fresh`, and sets of reachable objects.

use ir::ClassId;

use crate::core::{
    Bound, Column, Connective, Domain, Multiplicity, Number, Quantification, Quantifier, Sort,
    Term, TermKind, Variable,
};
use crate::jml::ast::{self, Expr, Ident, Nullness, Quantified, TypeName};
use crate::resolve::expr::{Terms, term};
use crate::resolve::generic::{self, untyped};
use crate::resolve::operator::{connect, fitted, not};
use crate::resolve::scope::{Math, States, sort_of};
use crate::resolve::trouble::{Resolved, mistake, undecidable, unknown};
use crate::resolve::types::{self, Named, is_floating};
use crate::span::Span;

/// The methods of sets of objects.
const SET_METHODS: [&str; 6] = ["has", "contains", "int_size", "size", "isEmpty", "containsAll"];

impl Terms<'_, '_> {
    pub fn quantified(&mut self, quantified: &Quantified, span: Span) -> Resolved<Term> {
        let (domain, sort) = self.domain(quantified)?;
        let ty = generic::written(self.scope(), &quantified.ty);
        let outside = self.bound.len();
        let mut variables = Vec::new();
        for variable in &quantified.variables {
            let number = self.next_bound;
            self.next_bound += 1;
            self.bound.push((variable.name.clone(), number, sort.clone()));
            self.bound_generics.push((Variable::Bound(number), ty.clone()));
            variables.push(Bound {
                number,
                name: variable.name.clone(),
                domain: domain.clone(),
                apart: Vec::new(),
            });
        }
        let parts = self.range_and_body(quantified);
        self.bound.truncate(outside);
        let (range, body, promoted) = parts?;
        let quantifier = match quantified.quantifier {
            ast::Quantifier::Forall => Quantifier::All,
            ast::Quantifier::Exists => Quantifier::Exists,
            ast::Quantifier::NumOf => Quantifier::Count,
            ast::Quantifier::Sum => Quantifier::Sum,
            ast::Quantifier::Product => Quantifier::Product,
            ast::Quantifier::Min => Quantifier::Min,
            ast::Quantifier::Max => Quantifier::Max,
        };
        let sort = match quantifier {
            Quantifier::Count => Sort::Number(Number::Long),
            _ => body.sort.clone(),
        };
        let whole = Quantification { quantifier, variables, range, body };
        let whole = term(TermKind::Quantified(Box::new(whole)), sort, span);
        match quantifier {
            Quantifier::Count => Ok(self.computed(whole)),
            Quantifier::Sum | Quantifier::Product => Ok(match self.checked(&promoted) {
                Some((ty, number)) => fitted(whole, ty, number),
                None => whole,
            }),
            _ => Ok(whole),
        }
    }

    /// `\\bsum`: a sum over what lies between two numbers, the second excluded.
    pub fn bounded_sum(&mut self, sum: &ast::BoundedSum, span: Span) -> Resolved<Term> {
        let at = sum.variable.span;
        let between = |op, left: Expr, right: Expr| Expr {
            span: left.span.to(right.span),
            kind: ast::ExprKind::Binary(op, Box::new(left), Box::new(right)),
        };
        let variable = || Expr { kind: ast::ExprKind::Name(sum.variable.name.clone()), span: at };
        let above = between(ast::BinaryOp::LessEqual, sum.from.clone(), variable());
        let below = between(ast::BinaryOp::Less, variable(), sum.to.clone());
        let quantified = Quantified {
            quantifier: ast::Quantifier::Sum,
            nullness: None,
            ty: sum.ty.clone(),
            variables: vec![sum.variable.clone()],
            range: Some(between(ast::BinaryOp::And, above, below)),
            body: sum.body.clone(),
        };
        self.quantified(&quantified, span)
    }

    /// The last is the sort of the body before it became a mathematical integer.
    fn range_and_body(&mut self, quantified: &Quantified) -> Resolved<(Option<Term>, Term, Sort)> {
        let range = quantified.range.as_ref().map(|range| self.condition(range)).transpose()?;
        let is_condition = matches!(
            quantified.quantifier,
            ast::Quantifier::Forall | ast::Quantifier::Exists | ast::Quantifier::NumOf
        );
        if is_condition {
            return Ok((range, self.condition(&quantified.body)?, Sort::Boolean));
        }
        let body = self.unboxed(&quantified.body)?;
        let word = quantified.quantifier.text();
        let Sort::Number(number) = body.sort else {
            let message = format!("`{word}` needs a number, but this is {}", self.a(&body));
            return mistake(quantified.body.span, message);
        };
        if is_floating(number) {
            return undecidable(format!("`{word}` of floating-point numbers is not supported"));
        }
        let adds = matches!(quantified.quantifier, ast::Quantifier::Sum | ast::Quantifier::Product);
        let body = self.promoted(body);
        let promoted = body.sort.clone();
        let body = if adds && self.scope().math != Math::Java {
            self.converted(body, Number::Big)
        } else {
            body
        };
        Ok((range, body, promoted))
    }

    /// What the variables of a quantifier range over, and their sort.
    fn domain(&self, quantified: &Quantified) -> Resolved<(Domain, Sort)> {
        let sort = match types::named(self.scope(), &quantified.ty)? {
            Named::Big => Sort::Number(Number::Big),
            Named::Java(ty) => sort_of(ty),
        };
        let domain = match sort {
            Sort::Boolean => Domain::Booleans,
            Sort::Number(number) if is_floating(number) => {
                return undecidable(format!(
                    "quantification over `{}` is not supported",
                    quantified.ty.name
                ));
            }
            Sort::Number(number) => Domain::Numbers(number),
            Sort::Reference(class) => {
                let nullable = quantified.nullness == Some(Nullness::Nullable);
                Domain::Objects { class, nullable }
            }
            Sort::Null | Sort::Type | Sort::Locations | Sort::Relation(_) => {
                return mistake(quantified.ty.span, "nothing of this type can be quantified");
            }
        };
        Ok((domain, sort))
    }

    pub fn fresh(&mut self, objects: &[Expr], span: Span) -> Resolved<Term> {
        if self.scope().states == States::One || self.in_old {
            return mistake(span, "`\\fresh` has no meaning here");
        }
        let mut whole: Option<Term> = None;
        for object in objects {
            let object = untyped(self.reference(object)?);
            let at = object.span;
            let fresh = term(TermKind::Fresh(Box::new(object)), Sort::Boolean, at);
            whole = Some(match whole {
                Some(before) => connect(Connective::And, before, fresh, span),
                None => fresh,
            });
        }
        whole.map_or_else(|| mistake(span, "`\\fresh` needs an object"), Ok)
    }

    pub fn reach(
        &mut self,
        from: &Expr,
        class: Option<&TypeName>,
        fields: &[Expr],
        span: Span,
    ) -> Resolved<Term> {
        let from = Box::new(self.reference(from)?);
        let class = class.map(|class| types::class(self.scope(), class)).transpose()?;
        let start = match from.sort {
            Sort::Reference(start) => Some(start),
            _ => None,
        };
        let within: Vec<ClassId> = class.into_iter().chain(start).collect();
        let fields =
            fields.iter().map(|field| self.step(&within, field)).collect::<Resolved<Vec<_>>>()?;
        let sort = Sort::Relation(vec![Column::Objects]);
        Ok(term(TermKind::Reach { from, class, fields }, sort, span))
    }

    /// A method of a set of objects.
    pub fn set_call(
        &mut self,
        set: Term,
        method: &Ident,
        arguments: &[Expr],
        span: Span,
    ) -> Resolved<Term> {
        let set = Box::new(set);
        match (&*method.name, arguments) {
            ("has" | "contains", [member]) => {
                let member = untyped(self.reference(member)?);
                Ok(is_member(member, set, span))
            }
            ("containsAll", [other]) => {
                let inside = self.expr(other)?;
                if !matches!(inside.sort, Sort::Relation(_)) {
                    let said = format!("a set is needed here, but this is {}", self.a(&inside));
                    return mistake(other.span, said);
                }
                Ok(term(TermKind::In(Box::new(inside), set), Sort::Boolean, span))
            }
            ("int_size" | "size", []) => {
                Ok(term(TermKind::Cardinality(set), Sort::Number(Number::Int), span))
            }
            ("isEmpty", []) => {
                let kind = TermKind::Multiplicity(Multiplicity::No, set);
                Ok(term(kind, Sort::Boolean, span))
            }
            (name, _) => {
                let message = format!("a set of objects has no such method `{name}`");
                unknown(method.span, message, name, SET_METHODS.into_iter())
            }
        }
    }
}

/// Whether an object is in a set; null never is.
fn is_member(member: Term, set: Box<Term>, span: Span) -> Term {
    let null = term(TermKind::Null, Sort::Null, member.span);
    let same = TermKind::Same(Box::new(member.clone()), Box::new(null));
    let exists = not(term(same, Sort::Boolean, member.span), member.span);
    let at = member.span;
    let single = term(TermKind::Set(Box::new(member)), Sort::Relation(vec![Column::Objects]), at);
    let inside = term(TermKind::In(Box::new(single), set), Sort::Boolean, span);
    connect(Connective::And, exists, inside, span)
}
