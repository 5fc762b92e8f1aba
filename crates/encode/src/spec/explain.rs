//! Why a clause fails on a concrete heap: the smallest part of it that is false, the values of
//! the quantified variables for which it is, or the reason why it has no value.

use logic::{Cell, Lit};
use spec::core::{Clause, Connective, Quantifier, Term, TermKind};

use crate::atom::Atom;
use crate::engine::Engine;
use crate::goal::{Goal, Property};
use crate::spec::frame::Place;
use crate::spec::quantify::Bounding;
use crate::spec::{Evaluator, Meaning, View};
use crate::state::State;
use crate::value::{Ref, Value};

/// Why a clause fails.
#[derive(Clone, Debug, Default)]
pub(crate) struct Failure {
    /// The smallest part that fails, where that is less than the whole.
    pub part: Option<String>,
    /// Values of quantified variables, as values of the fixed run.
    pub(crate) witness: Vec<(String, Value)>,
    pub note: Option<String>,
    /// The place in memory that a frame does not allow.
    pub(crate) place: Option<Place>,
}

impl<'a> Engine<'a> {
    /// Remembers why a fixed run breaks a clause.
    pub(crate) fn explain(
        &mut self,
        goal: Goal,
        view: &View,
        state: &State,
        clause: &'a Clause,
        undefined: &[(Lit, String)],
    ) {
        if self.failures.contains_key(&goal) {
            return;
        }
        let note = undefined.iter().find(|u| u.0 == Lit::TRUE);
        let note = note.map(|u| format!("this has no value: {}", u.1));
        let mut failure = Failure { note, ..Failure::default() };
        // It may be the invariant of any object.
        if let (Goal::Broken { property: Property::Invariant, .. }, Some(this)) =
            (&goal, &view.this)
        {
            failure.witness.push(("this".into(), this.clone()));
        }
        let whole = clause.term.span;
        let (found, _) = self.apart(state, &clause.site, |engine, state| {
            let mut evaluator = Evaluator::new(engine, view);
            let span = evaluator.narrow_down(&state, &clause.term, &mut failure.witness);
            (span != whole).then_some(span)
        });
        failure.part = found.map(|span| {
            let text = clause.site.part(span);
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        });
        self.failures.insert(goal, failure);
    }

    /// Remembers a sentence about a goal that a fixed run has reached.
    pub(crate) fn note(&mut self, goal: Option<Goal>, note: &str) {
        if let Some(goal) = goal {
            let failure = Failure { note: Some(note.into()), ..Failure::default() };
            self.failures.entry(goal).or_insert(failure);
        }
    }

    pub(crate) fn note_place(&mut self, goal: Goal, place: Place) {
        let failure = Failure { place: Some(place), ..Failure::default() };
        self.failures.entry(goal).or_insert(failure);
    }
}

impl Evaluator<'_, '_> {
    /// Goes down into the part of a false term that makes it false.
    fn narrow_down(
        &mut self,
        state: &State,
        term: &Term,
        witness: &mut Vec<(String, Value)>,
    ) -> spec::Span {
        let is_true = |e: &mut Self, t: &Term| {
            let before = e.undefined.len();
            let lit = e.truth(&mut state.clone(), t);
            let defined = e.undefined[before..].iter().all(|u| u.0 == Lit::FALSE);
            lit == Lit::TRUE && defined
        };
        match &term.kind {
            TermKind::Connective(Connective::And | Connective::BothAnd, left, right) => {
                match is_true(self, left) {
                    true => self.narrow_down(state, right, witness),
                    false => self.narrow_down(state, left, witness),
                }
            }
            TermKind::Connective(Connective::Implies, left, right) => match is_true(self, left) {
                true => self.narrow_down(state, right, witness),
                false => term.span,
            },
            TermKind::Conditional(cond, then, other) => match is_true(self, cond) {
                true => self.narrow_down(state, then, witness),
                false => self.narrow_down(state, other, witness),
            },
            TermKind::Let { variable, value, body, .. } => {
                let value = self.meaning(&mut state.clone(), value);
                self.bound.push((*variable, value));
                let span = self.narrow_down(state, body, witness);
                self.bound.pop();
                span
            }
            TermKind::Quantified(q) if matches!(q.quantifier, Quantifier::All | Quantifier::No) => {
                let wanted = q.quantifier == Quantifier::No;
                let mut found: Option<Vec<(u32, Meaning)>> = None;
                let mut here = state.clone();
                self.for_each(&mut here, &q.variables, Bounding::of(q), &mut |e, s, active| {
                    if found.is_some() || active != Lit::TRUE {
                        return;
                    }
                    let before = e.undefined.len();
                    let lit = e.truth(s, &q.body);
                    let undefined = e.undefined[before..].iter().any(|u| u.0 != Lit::FALSE);
                    if undefined || (lit == Lit::TRUE) == wanted {
                        found = Some(e.bound.clone());
                    }
                });
                let Some(bound) = found else {
                    return term.span;
                };
                let outer = std::mem::replace(&mut self.bound, bound);
                for variable in &q.variables {
                    let value = self.bound.iter().rev().find(|b| b.0 == variable.number);
                    if let Some(value) = value.and_then(|b| shown(&b.1)) {
                        witness.push((variable.name.clone(), value));
                    }
                }
                let span = match wanted {
                    true => q.body.span,
                    false => self.narrow_down(state, &q.body, witness),
                };
                self.bound = outer;
                span
            }
            _ => term.span,
        }
    }
}

/// A bound value as a value of the program.
fn shown(meaning: &Meaning) -> Option<Value> {
    match meaning {
        Meaning::Relation(one) => match one.tuples().next()?.0 {
            [Cell::Atom(atom)] => Some(Value::Ref(Ref::constant(Atom(*atom)))),
            [Cell::Number(lits)] => Some(Value::Bits(logic::Bits::from_lits(lits.clone()))),
            _ => None,
        },
        Meaning::Type(_) => None,
        other => Some(other.clone().into_value()),
    }
}
