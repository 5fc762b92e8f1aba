//! Why a clause fails on a concrete heap: the smallest part of it that is false, the values of
//! the quantified variables for which it is, or the reason why it has no value.

use ir::Type;
use logic::{Bits, Cell, Lit};
use spec::core::{Arithmetic, Clause, Connective, Number, Quantifier, Site, Sort, Term, TermKind};

use crate::engine::clauses::Slot;
use crate::engine::{Engine, Failure, View};
use crate::spec::quantify::Bounding;
use crate::spec::{Evaluator, Meaning};
use crate::state::State;
use crate::state::atom::Atom;
use crate::state::goal::{Goal, Property};
use crate::state::value::{Ref, Value};

impl<'a> Engine<'a> {
    /// Remembers why a fixed run breaks a clause.
    pub(super) fn explain(
        &mut self,
        goal: Goal,
        view: &View,
        state: &State,
        clause: &'a Clause,
        undefined: &[(Lit, String)],
    ) {
        if self.run.clauses.knows_failure(&goal) {
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
            let span = evaluator.narrow_down(&state, &clause.term, &mut failure, &clause.site);
            (span != whole).then_some(span)
        });
        failure.part = found.map(|span| {
            let text = clause.site.part(span);
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        });
        self.run.clauses.note_failure(goal, failure);
    }

    /// Remembers a sentence about a goal that a fixed run has reached.
    pub(crate) fn note(&mut self, goal: Option<Goal>, note: &str) {
        if let Some(goal) = goal {
            let failure = Failure { note: Some(note.into()), ..Failure::default() };
            self.run.clauses.note_failure(goal, failure);
        }
    }

    pub(super) fn note_place(&mut self, goal: Goal, place: Slot) {
        let failure = Failure { place: Some((place, "is changed")), ..Failure::default() };
        self.run.clauses.note_failure(goal, failure);
    }
}

impl Engine<'_> {
    /// Remembers what a fixed run has read although it must not.
    pub(super) fn note_read(&mut self, goal: Goal, place: Slot) {
        let failure = Failure { place: Some((place, "is read")), ..Failure::default() };
        self.run.clauses.note_failure(goal, failure);
    }
}

impl Evaluator<'_, '_> {
    /// Goes down into the part of a false term that makes it false.
    fn narrow_down(
        &mut self,
        state: &State,
        term: &Term,
        failure: &mut Failure,
        site: &Site,
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
                    true => self.narrow_down(state, right, failure, site),
                    false => self.narrow_down(state, left, failure, site),
                }
            }
            TermKind::Connective(Connective::Implies, left, right) => match is_true(self, left) {
                true => self.narrow_down(state, right, failure, site),
                false => term.span,
            },
            TermKind::Conditional(cond, then, other) => match is_true(self, cond) {
                true => self.narrow_down(state, then, failure, site),
                false => self.narrow_down(state, other, failure, site),
            },
            TermKind::Let { variable, value, body, .. } => {
                let value = self.meaning(&mut state.clone(), value);
                self.bound.push((*variable, value));
                let span = self.narrow_down(state, body, failure, site);
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
                        failure.witness.push((variable.name.clone(), value));
                    }
                }
                let span = match wanted {
                    true => q.body.span,
                    false => self.narrow_down(state, &q.body, failure, site),
                };
                self.bound = outer;
                span
            }
            _ => {
                self.show_sides(state, term, failure, site);
                term.span
            }
        }
    }

    /// What is compared, and whether a number in it overflows.
    fn show_sides(&mut self, state: &State, term: &Term, failure: &mut Failure, site: &Site) {
        let (TermKind::Compare(_, left, right)
        | TermKind::Same(left, right)
        | TermKind::Connective(Connective::Iff | Connective::Differ, left, right)) = &term.kind
        else {
            return;
        };
        let known = self.undefined.len();
        for side in [left, right] {
            let meaning = self.meaning(&mut state.clone(), side);
            if let Some((value, ty)) = scalar(meaning, side, self.engine.known.object) {
                failure.sides.push((said(site, side), value, ty));
            }
        }
        let overflow = self.overflow(&mut state.clone(), term);
        if self.undefined.len() > known {
            self.undefined.truncate(known);
            failure.sides.clear();
        } else if let (Some((part, value)), None) = (overflow, &failure.note) {
            let ty = if part.sort == Sort::Number(Number::Long) { "a long" } else { "an int" };
            let part = said(site, part);
            failure.note =
                Some(format!("this is false, and `{part}` overflows: {value} does not fit {ty}"));
        }
    }

    /// The first operation of a term that overflows, with what it would be without bounds.
    fn overflow<'t>(&mut self, state: &mut State, term: &'t Term) -> Option<(&'t Term, i128)> {
        match &term.kind {
            TermKind::Quantified(_) | TermKind::Comprehension { .. } | TermKind::Let { .. } => {
                return None;
            }
            TermKind::Old(inner) => return self.old(state, |e, s| e.overflow(s, inner)),
            _ => {}
        }
        for part in term.parts() {
            if let Some(found) = self.overflow(state, part) {
                return Some(found);
            }
        }
        let is_bounded = matches!(term.sort, Sort::Number(Number::Int | Number::Long));
        let exact = match &term.kind {
            TermKind::Arithmetic(op, left, right) if is_bounded => {
                let l = i128::from(self.number(state, left).as_signed()?);
                let r = i128::from(self.number(state, right).as_signed()?);
                match op {
                    Arithmetic::Add => l + r,
                    Arithmetic::Subtract => l - r,
                    Arithmetic::Multiply => l * r,
                    _ => return None,
                }
            }
            TermKind::Negate(inner) if is_bounded => {
                -i128::from(self.number(state, inner).as_signed()?)
            }
            _ => return None,
        };
        let real = i128::from(self.number(state, term).as_signed()?);
        (real != exact).then_some((term, exact))
    }
}

/// A part of a clause as written, on one line.
fn said(site: &Site, part: &Term) -> String {
    site.part(part.span).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The value of a term that does not tell it by itself.
fn scalar(meaning: Meaning, term: &Term, object: ir::ClassId) -> Option<(Value, Type)> {
    let is_literal = matches!(
        term.kind,
        TermKind::Number(_) | TermKind::Boolean(_) | TermKind::Null | TermKind::Text(_)
    );
    if is_literal {
        return None;
    }
    let ty = match (&term.sort, &meaning) {
        (Sort::Boolean, _) => Type::Boolean,
        (Sort::Number(Number::Big), Meaning::Big(wide)) if wide.width() > 64 => return None,
        (Sort::Number(Number::Big), Meaning::Big(wide)) => {
            let bits = Bits::from_lits(wide.lits().to_vec()).as_signed()?;
            return Some((Value::Bits(Bits::constant(64, bits.cast_unsigned())), Type::Long));
        }
        (Sort::Number(Number::Byte), _) => Type::Byte,
        (Sort::Number(Number::Short), _) => Type::Short,
        (Sort::Number(Number::Char), _) => Type::Char,
        (Sort::Number(Number::Int), _) => Type::Int,
        (Sort::Number(Number::Long), _) => Type::Long,
        (Sort::Number(Number::Float), _) => Type::Float,
        (Sort::Number(Number::Double), _) => Type::Double,
        (Sort::Reference(_), _) => Type::Ref(object),
        _ => return None,
    };
    match meaning {
        Meaning::Type(_) | Meaning::Relation(_) | Meaning::Locations(_) | Meaning::Big(_) => None,
        Meaning::Truth(lit) => {
            lit.constant()?;
            Some((Value::boolean(lit), ty))
        }
        other => Some((other.into_value(), ty)),
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
        Meaning::Type(_) | Meaning::Locations(_) => None,
        other => Some(other.clone().into_value()),
    }
}
