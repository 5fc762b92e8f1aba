//! Relations that can be followed from one object at a time: fields, unions of fields, and fields
//! whose sources or targets are restricted to a set, as in `n.*(next :> (Node - this.header))`.
//! Then only the objects that are met are looked at, not all that exist.

use ir::{ClassId, FieldId};
use logic::{Lit, Relation};
use spec::core::{Column, Combination, Sort, Term, TermKind};

use crate::spec::Evaluator;
use crate::state::State;
use crate::state::atom::Atom;

/// A relation of two columns.
pub(crate) enum Steps<'t> {
    Fields(Vec<Step<'t>>),
    Relation(&'t Term),
}

/// One field that is followed.
pub(crate) struct Step<'t> {
    pub field: FieldId,
    /// In the state before the call.
    pub before: bool,
    /// Sets that the source and the target have to be in, each with whether it is meant before the call.
    sources: Vec<(&'t Term, bool)>,
    targets: Vec<(&'t Term, bool)>,
}

/// Whether an object that exists is in a set.
enum Test {
    Class(ClassId),
    Everything,
    Members(Relation),
    All(Vec<Test>),
    Any(Vec<Test>),
    Except(Box<Test>, Box<Test>),
}

/// A step whose sets are evaluated.
pub(crate) struct Ready {
    pub field: FieldId,
    pub before: bool,
    sources: Test,
    targets: Test,
}

impl Evaluator<'_, '_> {
    /// Evaluates the sets of steps, once for all objects.
    pub(crate) fn ready(&mut self, state: &mut State, steps: &[Step<'_>]) -> Vec<Ready> {
        let mut ready = Vec::new();
        for step in steps {
            let sources = self.tests(state, &step.sources);
            let targets = self.tests(state, &step.targets);
            ready.push(Ready { field: step.field, before: step.before, sources, targets });
        }
        ready
    }

    fn tests(&mut self, state: &mut State, sets: &[(&Term, bool)]) -> Test {
        Test::All(sets.iter().map(|(set, before)| self.test(state, set, *before)).collect())
    }

    fn test(&mut self, state: &mut State, set: &Term, before: bool) -> Test {
        let two = |e: &mut Self, state: &mut State, a: &Term, b: &Term| {
            (e.test(state, a, before), e.test(state, b, before))
        };
        match &set.kind {
            TermKind::Objects(class) => Test::Class(*class),
            TermKind::Universe => Test::Everything,
            TermKind::Old(inner) => self.test(state, inner, true),
            TermKind::Combine(Combination::Union, a, b) => {
                let (a, b) = two(self, state, a, b);
                Test::Any(vec![a, b])
            }
            TermKind::Combine(Combination::Intersection, a, b) => {
                let (a, b) = two(self, state, a, b);
                Test::All(vec![a, b])
            }
            TermKind::Combine(Combination::Difference, a, b) => {
                let (a, b) = two(self, state, a, b);
                Test::Except(Box::new(a), Box::new(b))
            }
            _ if before => Test::Members(self.old(state, |e, s| e.relation(s, set))),
            _ => Test::Members(self.relation(state, set)),
        }
    }

    fn passes(&mut self, test: &Test, atom: Atom) -> Lit {
        match test {
            Test::Class(class) => Lit::from(self.engine.atom_is_a(atom, *class)),
            Test::Everything => Lit::TRUE,
            Test::Members(set) => {
                let found = set.atoms().find(|e| e.0 == atom.0);
                found.map_or(Lit::FALSE, |e| e.1)
            }
            Test::All(tests) => {
                let lits: Vec<Lit> = tests.iter().map(|t| self.passes(t, atom)).collect();
                self.engine.circuit.and_all(lits)
            }
            Test::Any(tests) => {
                let lits: Vec<Lit> = tests.iter().map(|t| self.passes(t, atom)).collect();
                self.engine.circuit.or_all(lits)
            }
            Test::Except(a, b) => {
                let (a, b) = (self.passes(a, atom), self.passes(b, atom));
                self.engine.circuit.and(a, !b)
            }
        }
    }

    /// Whether a step may leave an object.
    pub(crate) fn leaves(&mut self, step: &Ready, atom: Atom) -> Lit {
        self.passes(&step.sources, atom)
    }

    /// Whether a step may arrive at an object.
    pub(super) fn arrives(&mut self, step: &Ready, atom: Atom) -> Lit {
        self.passes(&step.targets, atom)
    }
}

/// A relation that can be followed from single objects: whether through a closure, whether that is
/// reflexive, whether in the state before, and by which steps.
pub(crate) fn followed(term: &Term) -> Option<(bool, bool, bool, Steps<'_>)> {
    match &term.kind {
        TermKind::Old(inner) => {
            let (closed, reflexive, _, steps) = followed(inner)?;
            Some((closed, reflexive, true, steps))
        }
        TermKind::ReflexiveClosure(inner) => Some((true, true, false, steps_of(inner))),
        TermKind::Closure(inner) => Some((true, false, false, steps_of(inner))),
        TermKind::Relation(_) | TermKind::Combine(..) => match steps_of(term) {
            Steps::Relation(_) => None,
            fields => Some((false, false, false, fields)),
        },
        _ => None,
    }
}

fn steps_of(term: &Term) -> Steps<'_> {
    match fields_of(term, false) {
        Some(steps) => Steps::Fields(steps),
        None => Steps::Relation(term),
    }
}

fn fields_of(term: &Term, before: bool) -> Option<Vec<Step<'_>>> {
    match &term.kind {
        TermKind::Relation(field) => {
            let (sources, targets) = (Vec::new(), Vec::new());
            Some(vec![Step { field: *field, before, sources, targets }])
        }
        TermKind::Old(inner) => fields_of(inner, true),
        TermKind::Combine(Combination::Union, a, b) => {
            let mut steps = fields_of(a, before)?;
            steps.extend(fields_of(b, before)?);
            Some(steps)
        }
        TermKind::Combine(Combination::RangeRestriction, relation, set) if of_objects(set) => {
            let mut steps = fields_of(relation, before)?;
            for step in &mut steps {
                step.targets.push((set, before));
            }
            Some(steps)
        }
        TermKind::Combine(Combination::DomainRestriction, set, relation) => {
            let mut steps = fields_of(relation, before)?;
            for step in &mut steps {
                step.sources.push((set, before));
            }
            Some(steps)
        }
        _ => None,
    }
}

fn of_objects(set: &Term) -> bool {
    matches!(&set.sort, Sort::Relation(columns) if matches!(columns[..], [Column::Objects]))
}
