//! Resolves Alloy-style formulas: every expression is a relation or a number, names are those of
//! variables, fields and classes, and a formula becomes a boolean term.
//!
//! A reference is the set of the object it leads to, empty for null, and so is `x.f` where `x` is
//! empty: nothing is undefined but a number that is not there. In a clause over two states plain
//! names mean the state before, primed ones the state after.

mod compare;
mod generic;
mod names;
mod relation;
#[cfg(test)]
mod tests;
mod value;

use ir::ClassId;

use crate::alloy::ast::{
    AlloyQuantifier, Connective, Declaration, Formula, FormulaKind, Multiplicity, Relation,
};
use crate::core::{self, Bound, Column, Domain, Quantification, Quantifier, Sort, Term, TermKind};
use crate::diagnostic::{Diagnostic, Failure, Parse};
use crate::jml::ast::Ident;
use crate::resolve::scope::Scope;
use crate::resolve::signature::Generic;
use crate::span::Span;
use names::Place;
use value::{Value, boolean, boxed};

/// The boolean term that a formula means. Variables take their numbers from `next_bound` on.
pub(crate) fn formula(
    scope: &Scope<'_>,
    formula: &Formula,
    next_bound: &mut u32,
) -> Result<Term, Diagnostic> {
    let mut resolver =
        Resolver { scope, next_bound, bound: Vec::new(), is_fact: false, is_implicit: false };
    resolver.formula(formula).map_err(|failure| *failure.0)
}

/// The same for an invariant of objects, where the name of a field means the field of `this`, as
/// in the facts of a signature, unless only the whole relation makes sense.
pub(crate) fn invariant(
    scope: &Scope<'_>,
    formula: &Formula,
    next_bound: &mut u32,
) -> Result<Term, Diagnostic> {
    let mut resolver =
        Resolver { scope, next_bound, bound: Vec::new(), is_fact: true, is_implicit: true };
    resolver.formula(formula).map_err(|failure| *failure.0)
}

struct Resolver<'r, 'p> {
    scope: &'r Scope<'p>,
    next_bound: &'r mut u32,
    /// Variables of quantifiers, comprehensions and `let`, the innermost last.
    bound: Vec<Local>,
    /// Whether it is about `this` and names of fields may leave it out.
    is_fact: bool,
    /// Whether they do.
    is_implicit: bool,
}

/// A variable of the formula itself.
#[derive(Clone)]
struct Local {
    name: String,
    number: u32,
    sort: Sort,
    classes: Vec<Option<ClassId>>,
    /// As in [`Value`].
    last: Generic,
    /// Whether it was declared without a bound and so ranges over objects.
    is_unbounded: bool,
}

impl Resolver<'_, '_> {
    fn formula(&mut self, formula: &Formula) -> Parse<Term> {
        match formula.kind {
            FormulaKind::Holds(_) | FormulaKind::Multiplicity(..) | FormulaKind::Compare { .. } => {
                self.either_way(|resolver| resolver.plain_formula(formula))
            }
            _ => self.plain_formula(formula),
        }
    }

    /// With `this` before the names of fields, or else with fields as whole relations.
    fn either_way<T>(&mut self, read: impl Fn(&mut Self) -> Parse<T>) -> Parse<T> {
        let outside = self.is_implicit;
        if self.is_fact {
            let (known, next) = (self.bound.len(), *self.next_bound);
            self.is_implicit = true;
            let found = read(self);
            self.is_implicit = outside;
            if found.is_ok() {
                return found;
            }
            self.bound.truncate(known);
            *self.next_bound = next;
        }
        self.is_implicit = false;
        let found = read(self);
        self.is_implicit = outside;
        found
    }

    fn plain_formula(&mut self, formula: &Formula) -> Parse<Term> {
        let span = formula.span;
        match &formula.kind {
            FormulaKind::Holds(value) => self.holds(value),
            FormulaKind::Multiplicity(multiplicity, counted) => {
                let counted = self.relation(counted, Place::default())?.set();
                let kind = TermKind::Multiplicity(how_many(*multiplicity), boxed(counted.term));
                Ok(boolean(kind, span))
            }
            FormulaKind::Compare { op, negated, left, right } => {
                let left = self.relation(left, Place::default())?;
                let right = self.relation(right, Place::default())?;
                self.compare(*op, *negated, left, right, span)
            }
            FormulaKind::Not(inner) => {
                let inner = self.formula(inner)?;
                Ok(boolean(TermKind::Not(boxed(inner)), span))
            }
            FormulaKind::Binary(connective, left, right) => {
                let (left, right) = (self.formula(left)?, self.formula(right)?);
                Ok(connect(joined_by(*connective), left, right, span))
            }
            FormulaKind::IfElse(condition, then, otherwise) => {
                let condition = boxed(self.formula(condition)?);
                let (then, otherwise) = (self.formula(then)?, self.formula(otherwise)?);
                let kind = TermKind::Conditional(condition, boxed(then), boxed(otherwise));
                Ok(boolean(kind, span))
            }
            FormulaKind::Quantified { quantifier, declarations, body } => {
                self.quantified(*quantifier, declarations, body, span)
            }
            FormulaKind::Let { name, value, body } => {
                let (value, number) = self.bind(name, value)?;
                let body = self.formula(body)?;
                self.bound.pop();
                Ok(bound_in(name, number, value, body, span))
            }
            FormulaKind::Unsupported(what) => Err(unsupported(what, span)),
        }
    }

    /// A truth value taken as a formula.
    fn holds(&mut self, value: &Relation) -> Parse<Term> {
        let value = self.relation(value, Place::default())?;
        if value.columns() == [Column::Booleans] {
            return Ok(value.scalar());
        }
        let hint = match value.columns() {
            [] => "",
            _ => "; `some` in front of it would ask whether there is any",
        };
        let message = format!("a formula is needed here, and this is {}{hint}", value.described());
        Err(Failure::new(value.term.span, message))
    }

    fn quantified(
        &mut self,
        quantifier: AlloyQuantifier,
        declarations: &[Declaration],
        body: &Formula,
        span: Span,
    ) -> Parse<Term> {
        let outer = self.bound.len();
        let variables = self.declare(declarations)?;
        let body = self.formula(body)?;
        self.bound.truncate(outer);
        let quantifier = match quantifier {
            AlloyQuantifier::All => Quantifier::All,
            AlloyQuantifier::Some => Quantifier::Exists,
            AlloyQuantifier::No => Quantifier::No,
            AlloyQuantifier::One => Quantifier::One,
            AlloyQuantifier::Lone => Quantifier::Lone,
        };
        let quantification = Quantification { quantifier, variables, range: None, body };
        Ok(boolean(TermKind::Quantified(Box::new(quantification)), span))
    }

    /// Declares variables, which stay in force until the caller drops them.
    fn declare(&mut self, declarations: &[Declaration]) -> Parse<Vec<Bound>> {
        let mut variables = Vec::new();
        for declaration in declarations {
            let domain = match &declaration.bound {
                Some(bound) => Some(self.domain(bound)?),
                None => None,
            };
            let (column, class) = match &domain {
                Some(members) => (members.columns()[0], members.last_class()),
                None => (Column::Objects, None),
            };
            let mut declared: Vec<u32> = Vec::new();
            for Ident { name, .. } in &declaration.names {
                let local = Local {
                    name: name.clone(),
                    number: self.fresh(),
                    sort: Sort::Relation(vec![column]),
                    classes: vec![class],
                    last: domain.as_ref().map_or(Generic::Any, |d| d.last.clone()),
                    is_unbounded: domain.is_none(),
                };
                let domain = match &domain {
                    Some(members) => Domain::Members(members.term.clone()),
                    None => Domain::Everything,
                };
                let number = local.number;
                let apart = if declaration.is_disjoint { declared.clone() } else { Vec::new() };
                variables.push(Bound { number, name: name.clone(), domain, apart });
                self.bound.push(local);
                declared.push(number);
            }
        }
        Ok(variables)
    }

    /// What a variable ranges over: a relation of one column.
    fn domain(&mut self, bound: &Relation) -> Parse<Value> {
        let read = |resolver: &mut Self| resolver.relation(bound, Place::default());
        let domain = self.either_way(read)?.set();
        if domain.columns().len() == 1 {
            return Ok(domain);
        }
        let message = format!(
            "a variable ranges over a set of one column, and this is {}",
            domain.described()
        );
        Err(Failure::new(bound.span, message))
    }

    /// Resolves the value of a `let` and puts its variable in force; the caller drops it.
    fn bind(&mut self, name: &Ident, value: &Relation) -> Parse<(Term, u32)> {
        let value = self.relation(value, Place::default())?;
        let number = self.fresh();
        self.bound.push(Local {
            name: name.name.clone(),
            number,
            sort: value.term.sort.clone(),
            classes: value.classes,
            last: value.last,
            is_unbounded: false,
        });
        Ok((value.term, number))
    }

    fn fresh(&mut self) -> u32 {
        let number = *self.next_bound;
        *self.next_bound += 1;
        number
    }
}

impl Local {
    fn term(&self, span: Span) -> Term {
        let kind = TermKind::Variable(core::Variable::Bound(self.number));
        Term { kind, sort: self.sort.clone(), span }
    }
}

fn bound_in(name: &Ident, variable: u32, value: Term, body: Term, span: Span) -> Term {
    let sort = body.sort.clone();
    let name = name.name.clone();
    let kind = TermKind::Let { variable, name, value: boxed(value), body: boxed(body) };
    Term { kind, sort, span }
}

fn connect(connective: core::Connective, left: Term, right: Term, span: Span) -> Term {
    boolean(TermKind::Connective(connective, boxed(left), boxed(right)), span)
}

fn joined_by(connective: Connective) -> core::Connective {
    match connective {
        Connective::And => core::Connective::And,
        Connective::Or => core::Connective::Or,
        Connective::Implies => core::Connective::Implies,
        Connective::Iff => core::Connective::Iff,
    }
}

fn how_many(multiplicity: Multiplicity) -> core::Multiplicity {
    match multiplicity {
        Multiplicity::No => core::Multiplicity::No,
        Multiplicity::Some => core::Multiplicity::Some,
        Multiplicity::One => core::Multiplicity::One,
        Multiplicity::Lone => core::Multiplicity::Lone,
    }
}

fn unsupported(what: &str, span: Span) -> Failure {
    let what = if what.contains('`') { what.to_string() } else { format!("`{what}`") };
    Failure::new(span, format!("{what} is not supported"))
}
