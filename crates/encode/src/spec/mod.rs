//! Specifications on states: one translator from the typed core to circuits (Jackson & Vaziri,
//! sections 3.2 and 3.9), used for what is assumed before a run and checked after it.
//!
//! On a symbolic state it gives literals; on the constants of a fixed run the same code evaluates
//! a clause on a concrete heap.
//!
//! | file | what |
//! |---|---|
//! | `term` | truth values, references, calls of pure methods |
//! | `number` | arithmetic |
//! | `relation` | sets and relations over the heap |
//! | `typed` | what type arguments say about objects |
//! | `steps` | relations followed from one object at a time |
//! | `quantify` | what variables range over |
//! | `domain` | sets that variables are members of |
//! | `existence` | which objects exist |
//! | `assume` | preconditions and invariants of the input |
//! | `check` | what must hold when a method ends |
//! | `frame`, `locations` | what a method may change; sets of locations |
//! | `access` | what it may read, call and make |
//! | `marks` | specifications inside bodies |
//! | `model` | model methods, and invariants as conditions |
//! | `modular` | calls replaced by their contracts |
//! | `explain` | which part of a clause fails, and for what |

mod access;
mod assume;
mod check;
mod demands;
mod domain;
mod existence;
mod explain;
mod frame;
mod locations;
mod marks;
mod model;
mod modular;
mod number;
mod quantify;
mod relation;
mod steps;
mod term;
mod typed;

use std::collections::BTreeMap;

use logic::{Bits, Lit, Relation, Wide};
use spec::core::{Clause, Site, Term};

use crate::engine::clauses::Slot;
use crate::engine::{Activation, Engine, View};
use crate::state::State;
use crate::state::atom::{Atom, Point};
use crate::state::goal::{Goal, Goals, Property};
use crate::state::leaves::Origin;
use crate::state::value::Ref;

pub use access::needs_code;

/// What a term denotes in a state.
#[derive(Clone, Debug)]
pub(crate) enum Meaning {
    Truth(Lit),
    Number(Bits),
    Big(Wide),
    Reference(Ref),
    /// For each type that it may be, the literal that says so.
    Type(Vec<(ir::Type, Lit)>),
    Relation(Relation),
    /// Each location with the literal that says whether it is in the set.
    Locations(BTreeMap<Slot, Lit>),
}

/// Whether a clause holds.
pub(crate) struct Holding {
    /// It has a value, and is true.
    pub holds: Lit,
    /// It could not be evaluated: that is a goal of its own.
    pub unknown: Lit,
    /// Why it has no value, each with the literal of those executions.
    pub undefined: Vec<(Lit, String)>,
}

/// The evaluation of one clause.
pub(crate) struct Evaluator<'e, 'a> {
    pub engine: &'e mut Engine<'a>,
    pub view: &'e View,
    /// Values of bound variables, innermost last.
    pub bound: Vec<(u32, Meaning)>,
    pub undefined: Vec<(Lit, String)>,
    /// Conditions that hold for a bound variable (the index in `bound`) because of how its values
    /// are chosen.
    pub granted: Vec<(*const Term, usize)>,
    /// Whether the state is the one before the call.
    pub in_old: bool,
    /// Nested model fields.
    pub models: u32,
    /// Where an object of the input is not what a type argument says: no such input is meant.
    pub ill: Vec<Lit>,
    /// Objects whose invariants are being evaluated.
    pub pending: Vec<Atom>,
    /// What a type argument says about the objects that the next step of a join leads to.
    pub typing: Option<ir::ClassId>,
}

impl<'a> Engine<'a> {
    /// Evaluates a clause in a state; only the executions of the state count.
    pub(crate) fn holds(&mut self, view: &View, state: &State, clause: &Clause) -> Holding {
        let mut undefined = Vec::new();
        let (holds, unknown) = self.apart(state, &clause.site, |engine, mut state| {
            let mut evaluator = Evaluator::new(engine, view);
            let value = evaluator.truth(&mut state, &clause.term);
            undefined = std::mem::take(&mut evaluator.undefined);
            let ill = std::mem::take(&mut evaluator.ill);
            for lit in ill {
                engine.inputs.require(!lit, Origin::Clause(clause.site.clone()));
            }
            let wrong = engine.circuit.or_all(undefined.iter().map(|u| u.0));
            engine.circuit.and(value, !wrong)
        });
        Holding { holds, unknown, undefined }
    }

    /// Runs an evaluation apart from the execution: it leaves no trace, and what it meets that is
    /// not modelled or goes beyond the bounds comes back as a literal, besides being a goal.
    pub(crate) fn apart<T>(
        &mut self,
        state: &State,
        site: &Site,
        evaluate: impl FnOnce(&mut Self, State) -> T,
    ) -> (T, Lit) {
        let goals = std::mem::take(&mut self.run.goals);
        let trace = self.run.trace.take();
        self.run.clauses.enter();
        let method = self.run.stack.last().map_or(self.run.method, |a| a.method);
        self.run.stack.push(Activation {
            method,
            line: site.span.line,
            guard: state.guard,
            covered: true,
            recursion: 0,
            given: true,
            site: None,
            block: None,
            one_step: None,
            entry: None,
            locals: Vec::new(),
        });
        let result = evaluate(self, state.clone());
        self.run.stack.pop();
        self.run.clauses.leave();
        self.run.trace = trace;
        let found = std::mem::replace(&mut self.run.goals, goals);
        let unknown = self.keep_unknown(&found);
        (result, unknown)
    }

    fn keep_unknown(&mut self, found: &Goals) -> Lit {
        let mut unknown = Vec::new();
        for (goal, lit) in found.iter() {
            if matches!(
                goal,
                Goal::Unsupported { .. } | Goal::Cut { .. } | Goal::Unspecified { .. }
            ) {
                unknown.push(lit);
            }
            self.run.goals.add(&mut self.circuit, goal.clone(), lit);
        }
        self.circuit.or_all(unknown)
    }

    /// Ends the executions of `state`: what is specified cannot be decided for them.
    pub(crate) fn unspecified(&mut self, state: &mut State, what: String) {
        self.run.goals.add(&mut self.circuit, Goal::Unspecified { what }, state.guard);
        state.guard = Lit::FALSE;
    }

    /// A clause must hold in the executions of `state`; where it does not.
    pub(crate) fn must_hold(
        &mut self,
        property: Property,
        view: &View,
        state: &State,
        clause: &'a Clause,
    ) -> Lit {
        if state.is_dead() {
            return Lit::FALSE;
        }
        let holding = self.holds(view, state, clause);
        self.must_be(property, view, state, clause, holding)
    }

    /// The same where it is known in which executions the clause holds.
    pub(crate) fn must_be(
        &mut self,
        property: Property,
        view: &View,
        state: &State,
        clause: &'a Clause,
        holding: Holding,
    ) -> Lit {
        let Holding { holds, unknown, undefined } = holding;
        let known = self.circuit.and(state.guard, !unknown);
        let broken = self.circuit.and(known, !holds);
        let goal = self.break_goal(property, &clause.site, broken);
        if let Some(goal) = goal {
            self.explain(goal, view, state, clause, &undefined);
        }
        broken
    }

    /// Adds the goal that a clause is broken where `broken` holds. Gives the goal back if a fixed
    /// run has reached it.
    pub(crate) fn break_goal(
        &mut self,
        property: Property,
        site: &Site,
        broken: Lit,
    ) -> Option<Goal> {
        let at = self.user_point();
        self.break_goal_at(property, site, at, broken)
    }

    /// The same for something that shows elsewhere.
    pub(crate) fn break_goal_at(
        &mut self,
        property: Property,
        site: &Site,
        at: Option<Point>,
        broken: Lit,
    ) -> Option<Goal> {
        if broken == Lit::FALSE {
            return None;
        }
        let method = self.run.method;
        let at = at.unwrap_or(Point { method, line: 0 });
        let goal = Goal::Broken { property, site: site.clone(), at };
        self.run.goals.add(&mut self.circuit, goal.clone(), broken);
        (broken == Lit::TRUE && self.run.trace.is_some()).then_some(goal)
    }
}

impl<'e, 'a> Evaluator<'e, 'a> {
    pub(crate) fn new(engine: &'e mut Engine<'a>, view: &'e View) -> Evaluator<'e, 'a> {
        Evaluator {
            engine,
            view,
            bound: Vec::new(),
            undefined: Vec::new(),
            granted: Vec::new(),
            in_old: false,
            models: 0,
            ill: Vec::new(),
            pending: Vec::new(),
            typing: None,
        }
    }

    /// The executions of `state` in which `cond` holds give the clause no value.
    pub(crate) fn undefined_if(
        &mut self,
        state: &mut State,
        cond: Lit,
        why: impl FnOnce() -> String,
    ) {
        let cond = state.facts.fold(cond);
        if cond == Lit::FALSE {
            return;
        }
        let lit = self.engine.circuit.and(state.guard, cond);
        if lit != Lit::FALSE {
            self.undefined.push((lit, why()));
            state.assume(&mut self.engine.circuit, !cond);
        }
    }

    /// What comes after a part that has no value is not evaluated. `known` tells how much had none
    /// before that part.
    pub(crate) fn go_on_where_defined(&mut self, state: &mut State, known: usize) {
        if self.undefined.len() > known {
            let new: Vec<Lit> = self.undefined[known..].iter().map(|u| u.0).collect();
            let undefined = self.engine.circuit.or_all(new);
            state.assume(&mut self.engine.circuit, !undefined);
        }
    }

    /// Runs `inner` where `cond` holds.
    pub(crate) fn under<T>(
        &mut self,
        state: &State,
        cond: Lit,
        inner: impl FnOnce(&mut Self, &mut State) -> T,
    ) -> T {
        let mut state = state.clone();
        state.assume(&mut self.engine.circuit, cond);
        inner(self, &mut state)
    }
}
