//! Going through the parts of terms.

use crate::core::{
    Bound, Case, Clause, Domain, Location, Quantification, Statement, Term, TermKind, Variable,
};

impl Term {
    /// Whether this term or any part of it satisfies a condition.
    pub fn any(&self, is_wanted: &mut dyn FnMut(&Term) -> bool) -> bool {
        is_wanted(self) || self.parts().into_iter().any(|part| part.any(is_wanted))
    }

    /// The terms directly inside.
    pub fn parts(&self) -> Vec<&Term> {
        match &self.kind {
            TermKind::Boolean(_)
            | TermKind::Number(_)
            | TermKind::Text(_)
            | TermKind::Null
            | TermKind::TypeLiteral(_)
            | TermKind::Variable(_)
            | TermKind::Static(_)
            | TermKind::StaticInvariantsOf(_)
            | TermKind::OnlyCalled(_)
            | TermKind::Objects(_)
            | TermKind::Universe
            | TermKind::Identity
            | TermKind::Empty
            | TermKind::Relation(_)
            | TermKind::Elements(_) => Vec::new(),
            TermKind::Field(inner, _)
            | TermKind::Length(inner)
            | TermKind::Cast(_, inner)
            | TermKind::Typed(_, inner)
            | TermKind::Widen(inner)
            | TermKind::Fitted(_, inner)
            | TermKind::InstanceOf(inner, _)
            | TermKind::Not(inner)
            | TermKind::Negate(inner)
            | TermKind::Complement(inner)
            | TermKind::Old(inner)
            | TermKind::Fresh(inner)
            | TermKind::NonNullElements(inner)
            | TermKind::TypeOf(inner)
            | TermKind::ElementType(inner)
            | TermKind::InvariantsOf(inner)
            | TermKind::Set(inner)
            | TermKind::Scalar(inner)
            | TermKind::Reach { from: inner, .. }
            | TermKind::Transpose(inner)
            | TermKind::Closure(inner)
            | TermKind::ReflexiveClosure(inner)
            | TermKind::Multiplicity(_, inner)
            | TermKind::Cardinality(inner) => vec![inner],
            TermKind::Element(left, right)
            | TermKind::Arithmetic(_, left, right)
            | TermKind::Compare(_, left, right)
            | TermKind::Connective(_, left, right)
            | TermKind::Same(left, right)
            | TermKind::SameType(left, right)
            | TermKind::Subtype(left, right)
            | TermKind::Combine(_, left, right)
            | TermKind::In(left, right)
            | TermKind::OfLocations(_, left, right)
            | TermKind::Equal(left, right) => vec![left, right],
            TermKind::Conditional(condition, then, other) => vec![condition, then, other],
            TermKind::Call { arguments, .. }
            | TermKind::Array(_, arguments)
            | TermKind::Model { arguments, .. } => arguments.iter().collect(),
            TermKind::Unchanged(locations)
            | TermKind::LocationSet(locations)
            | TermKind::OnlyChanged(locations)
            | TermKind::OnlyRead(locations) => locations.iter().flat_map(Location::parts).collect(),
            TermKind::Quantified(quantification) => {
                let Quantification { variables, range, body, .. } = &**quantification;
                domains(variables).chain(range).chain([body]).collect()
            }
            TermKind::Comprehension { variables, body } => {
                domains(variables).chain([&**body]).collect()
            }
            TermKind::Let { value, body, .. } => vec![value, body],
        }
    }

    /// The term with another object for `this`, where it is a chain of fields, elements and
    /// numbers.
    pub(crate) fn of(&self, object: &Term) -> Option<Term> {
        let boxed = |inner: &Term| inner.of(object).map(Box::new);
        let kind = match &self.kind {
            TermKind::Variable(Variable::This) => return Some(object.clone()),
            TermKind::Field(inner, field) => TermKind::Field(boxed(inner)?, *field),
            TermKind::Length(inner) => TermKind::Length(boxed(inner)?),
            TermKind::Typed(class, inner) => TermKind::Typed(*class, boxed(inner)?),
            TermKind::Cast(ty, inner) => TermKind::Cast(*ty, boxed(inner)?),
            TermKind::Element(array, index) => TermKind::Element(boxed(array)?, boxed(index)?),
            TermKind::Arithmetic(op, left, right) => {
                TermKind::Arithmetic(*op, boxed(left)?, boxed(right)?)
            }
            TermKind::Static(_) | TermKind::Number(_) => self.kind.clone(),
            _ => return None,
        };
        Some(Term { kind, ..self.clone() })
    }
}

impl Location {
    /// The terms in it.
    pub fn parts(&self) -> Vec<&Term> {
        match self {
            Location::Static(_) | Location::Statics(_) => Vec::new(),
            Location::Field(of, _)
            | Location::Elements(of, None)
            | Location::Fields(of)
            | Location::Members(of) => vec![of],
            Location::Element(array, index) => vec![array, index],
            Location::Elements(array, Some((first, last))) => vec![array, first, last],
        }
    }

    /// The location with another object for `this`; see [`Term::of`].
    pub(crate) fn of(&self, object: &Term) -> Option<Location> {
        Some(match self {
            Location::Static(_) | Location::Statics(_) => self.clone(),
            Location::Field(of, field) => Location::Field(of.of(object)?, *field),
            Location::Element(array, index) => {
                Location::Element(array.of(object)?, index.of(object)?)
            }
            Location::Elements(array, range) => {
                let range = match range {
                    Some((first, last)) => Some((first.of(object)?, last.of(object)?)),
                    None => None,
                };
                Location::Elements(array.of(object)?, range)
            }
            Location::Fields(of) => Location::Fields(of.of(object)?),
            Location::Members(of) => Location::Members(of.of(object)?),
        })
    }
}

impl Statement {
    /// The condition or value that it is about.
    pub fn clause(&self) -> Option<&Clause> {
        match self {
            Statement::Assert(clause)
            | Statement::Assume(clause)
            | Statement::LoopInvariant(clause)
            | Statement::Decreases(clause)
            | Statement::Set(clause, _) => Some(clause),
            Statement::Ghost(_, first) => first.as_ref(),
            Statement::LoopAssignable(_) | Statement::Count(_) | Statement::Gap(_) => None,
        }
    }

    /// The terms that it evaluates.
    pub fn terms(&self) -> Vec<&Term> {
        match self {
            Statement::Assert(clause)
            | Statement::Assume(clause)
            | Statement::LoopInvariant(clause)
            | Statement::Decreases(clause) => vec![&clause.term],
            Statement::Set(clause, target) => vec![&clause.term, target],
            Statement::Ghost(_, first) => first.iter().map(|clause| &clause.term).collect(),
            Statement::LoopAssignable(frame) => {
                frame.locations.iter().flatten().flat_map(Location::parts).collect()
            }
            Statement::Count(_) | Statement::Gap(_) => Vec::new(),
        }
    }
}

impl Case {
    /// The conditions that hold when the method ends.
    pub fn promises(&self) -> impl Iterator<Item = &Term> {
        let signals = self.signals.iter().map(|signals| &signals.condition.term);
        self.ensures.iter().map(|clause| &clause.term).chain(signals)
    }
}

fn domains(variables: &[Bound]) -> impl Iterator<Item = &Term> {
    variables.iter().filter_map(|variable| match &variable.domain {
        Domain::Members(members) => Some(members),
        Domain::Numbers(_) | Domain::Booleans | Domain::Objects { .. } | Domain::Everything => None,
    })
}
