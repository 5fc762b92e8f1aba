//! Going through the parts of terms.

use ir::Type;

use crate::core::{
    Assignable, Bound, Case, ClassContract, Clause, Contract, Domain, Location, Mention,
    Quantification, Sort, Statement, Term, TermKind, Variable,
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

impl Term {
    /// What this term and its parts name.
    pub fn mentions(&self) -> Vec<Mention> {
        let mut found = Vec::new();
        self.any(&mut |part| {
            part.mentions_itself(&mut found);
            false
        });
        found
    }

    fn mentions_itself(&self, found: &mut Vec<Mention>) {
        if let Sort::Reference(class) = self.sort {
            found.push(Mention::Class(class));
        }
        match &self.kind {
            TermKind::TypeLiteral(Type::Ref(class)) | TermKind::InstanceOf(_, class) => {
                found.push(Mention::Asked(*class));
            }
            TermKind::Cast(Type::Ref(class), _) => found.push(Mention::Cast(*class)),
            TermKind::Typed(class, _)
            | TermKind::Array(class, _)
            | TermKind::StaticInvariantsOf(class)
            | TermKind::Objects(class)
            | TermKind::Elements(class) => found.push(Mention::Class(*class)),
            TermKind::Field(_, field) | TermKind::Static(field) | TermKind::Relation(field) => {
                found.push(Mention::Field(*field));
            }
            TermKind::Call { method, .. } => found.push(Mention::Method(*method)),
            TermKind::OnlyCalled(methods) => {
                found.extend(methods.iter().copied().map(Mention::Method));
            }
            TermKind::Reach { class, fields, .. } => {
                found.extend(class.map(Mention::Class));
                found.extend(fields.iter().copied().map(Mention::Field));
            }
            TermKind::Unchanged(locations)
            | TermKind::LocationSet(locations)
            | TermKind::OnlyChanged(locations)
            | TermKind::OnlyRead(locations) => {
                found.extend(locations.iter().filter_map(Location::mention));
            }
            TermKind::Quantified(quantification) => {
                found.extend(quantification.variables.iter().filter_map(Bound::mention));
            }
            TermKind::Comprehension { variables, .. } => {
                found.extend(variables.iter().filter_map(Bound::mention));
            }
            // What stands for a call of a model method is explored with the class that has it.
            TermKind::Model { .. }
            | TermKind::TypeLiteral(_)
            | TermKind::Cast(..)
            | TermKind::Boolean(_)
            | TermKind::Number(_)
            | TermKind::Text(_)
            | TermKind::Null
            | TermKind::Variable(_)
            | TermKind::Length(_)
            | TermKind::Element(..)
            | TermKind::Widen(_)
            | TermKind::Fitted(..)
            | TermKind::Not(_)
            | TermKind::Negate(_)
            | TermKind::Complement(_)
            | TermKind::Arithmetic(..)
            | TermKind::Compare(..)
            | TermKind::Connective(..)
            | TermKind::Same(..)
            | TermKind::SameType(..)
            | TermKind::Subtype(..)
            | TermKind::Conditional(..)
            | TermKind::Old(_)
            | TermKind::Fresh(_)
            | TermKind::NonNullElements(_)
            | TermKind::TypeOf(_)
            | TermKind::ElementType(_)
            | TermKind::InvariantsOf(_)
            | TermKind::OfLocations(..)
            | TermKind::Set(_)
            | TermKind::Scalar(_)
            | TermKind::Universe
            | TermKind::Identity
            | TermKind::Empty
            | TermKind::Transpose(_)
            | TermKind::Closure(_)
            | TermKind::ReflexiveClosure(_)
            | TermKind::Combine(..)
            | TermKind::Let { .. }
            | TermKind::In(..)
            | TermKind::Equal(..)
            | TermKind::Multiplicity(..)
            | TermKind::Cardinality(_) => {}
        }
    }
}

impl Bound {
    fn mention(&self) -> Option<Mention> {
        match &self.domain {
            Domain::Objects { class, .. } => Some(Mention::Class(*class)),
            Domain::Numbers(_) | Domain::Booleans | Domain::Members(_) | Domain::Everything => None,
        }
    }
}

impl Location {
    /// What it names, beside what its terms do.
    fn mention(&self) -> Option<Mention> {
        match self {
            Location::Static(field) | Location::Field(_, field) => Some(Mention::Field(*field)),
            Location::Statics(class) => Some(Mention::Class(*class)),
            Location::Elements(..)
            | Location::Element(..)
            | Location::Fields(_)
            | Location::Members(_) => None,
        }
    }

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

impl Assignable {
    fn mentions(&self) -> impl Iterator<Item = Mention> {
        let locations = self.locations.iter().flatten();
        let terms = locations.clone().flat_map(Location::parts).flat_map(Term::mentions);
        locations.filter_map(Location::mention).chain(terms)
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

    /// What it names.
    pub fn mentions(&self) -> Vec<Mention> {
        let frame = match self {
            Statement::LoopAssignable(frame) => Some(frame),
            _ => None,
        };
        let terms = self.terms().into_iter().flat_map(Term::mentions);
        terms.chain(frame.into_iter().flat_map(Assignable::mentions)).collect()
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

impl Case {
    fn mentions(&self) -> impl Iterator<Item = Mention> {
        let clauses = self.requires.iter().chain(&self.ensures).chain(&self.measured_by);
        let clauses = clauses.chain(self.signals.iter().map(|signals| &signals.condition));
        let frames = self.assignable.iter().chain(&self.accessible);
        let methods = self.callable.iter().flat_map(|callable| callable.methods.iter().flatten());
        let exceptions = self.signals_only.iter().flat_map(|only| &only.exceptions);
        let exceptions = self.signals.iter().map(|signals| &signals.exception).chain(exceptions);
        mentions(clauses)
            .chain(frames.flat_map(Assignable::mentions))
            .chain(methods.copied().map(Mention::Method))
            .chain(exceptions.copied().map(Mention::Class))
    }
}

impl Contract {
    /// What its clauses name.
    pub fn mentions(&self) -> impl Iterator<Item = Mention> {
        self.cases.iter().flat_map(Case::mentions)
    }
}

impl ClassContract {
    /// What its clauses name.
    pub fn mentions(&self) -> impl Iterator<Item = Mention> {
        let clauses = self.invariants.iter().chain(&self.static_invariants).chain(&self.initially);
        let clauses = clauses.chain(&self.constraints).chain(&self.static_constraints);
        let clauses = clauses.chain(self.constraints_for.iter().map(|(_, _, clause)| clause));
        let clauses = clauses.chain(self.access.iter().map(|access| &access.condition));
        let clauses = clauses.chain(self.model_methods.values().map(|body| &body.value));
        let clauses = clauses.chain(self.represents.values());
        let clauses = clauses.chain(self.ghosts.iter().filter_map(|(_, first)| first.as_ref()));
        let ghosts = self.ghosts.iter().map(|(field, _)| Mention::Field(*field));
        mentions(clauses).chain(ghosts)
    }
}

fn mentions<'a>(clauses: impl Iterator<Item = &'a Clause>) -> impl Iterator<Item = Mention> {
    clauses.flat_map(|clause| clause.term.mentions())
}

fn domains(variables: &[Bound]) -> impl Iterator<Item = &Term> {
    variables.iter().filter_map(|variable| match &variable.domain {
        Domain::Members(members) => Some(members),
        Domain::Numbers(_) | Domain::Booleans | Domain::Objects { .. } | Domain::Everything => None,
    })
}
