//! Specifications inside bodies: assertions, assumptions, ghost state, loop invariants and
//! variants, checked whenever control passes their mark.

use std::rc::Rc;

use ir::{Instr, Local, Reg};
use logic::{Bits, Lit};
use rustc_hash::FxHashMap;
use spec::core::{Assignable, Assigned, Clause, Statement, Term, TermKind, Variable};

use crate::engine::clauses::Entered;
use crate::engine::{Engine, Measures, View};
use crate::exec::body::register;
use crate::spec::{Evaluator, Meaning};
use crate::state::atom::Atom;
use crate::state::goal::{Goal, Property};
use crate::state::value::Value;
use crate::state::{Registers, State};

impl<'a> Engine<'a> {
    /// Control passes a mark.
    pub(crate) fn at_mark(
        &mut self,
        measures: &mut Measures,
        state: &mut State,
        registers: &Registers,
        number: u32,
        locals: &[Local],
    ) {
        let contracts = self.contracts;
        let Some(mark) = contracts.marks.get(&number) else {
            return;
        };
        if self.run.clauses.is_evaluating() {
            return;
        }
        let entry = self.run.stack.last().and_then(|a| a.entry.clone());
        let mut view = View {
            locals: locals.iter().map(|l| register(registers, l.reg)).collect(),
            ..View::default()
        };
        if let Some(entry) = &entry {
            let is_static = self.program.method(entry.method).is_static;
            view.this = (!is_static).then(|| entry.arguments[0].clone());
            view.parameters = entry.arguments[usize::from(!is_static)..].to_vec();
            view.before = entry.heap.clone();
            view.allocated_before = entry.allocated;
        }
        view.is_outside = self.run.stack.len() > 1;
        for (index, statement) in mark.statements.iter().enumerate() {
            if state.is_dead() {
                return;
            }
            view.ghosts = self.ghosts(state);
            match statement {
                Statement::Count(counter) => self.count_iteration(measures, state, *counter),
                Statement::Assert(clause) => {
                    self.must_hold(Property::Assert, &view, state, clause);
                }
                Statement::LoopInvariant(clause) => {
                    self.must_hold(Property::LoopInvariant, &view, state, clause);
                }
                Statement::Assume(clause) => {
                    let holding = self.holds(&view, state, clause);
                    let allowed = self.circuit.or(holding.holds, holding.unknown);
                    self.run.clauses.note_assumption(clause.site.clone());
                    state.assume(&mut self.circuit, allowed);
                }
                Statement::Set(clause, target) => self.set(&view, state, clause, target),
                Statement::Ghost(number, first) => {
                    let value = match first {
                        Some(clause) => self.ghost_value(&view, state, clause),
                        None => None,
                    };
                    if let Some(value) = value {
                        self.set_ghost(state, *number, value);
                    }
                }
                Statement::Decreases(clause) => {
                    self.decrease(measures, (number, index), &view, state, clause);
                }
                Statement::LoopAssignable(frame) => {
                    let entered = measures.entered.entry((number, index));
                    let entered =
                        entered.or_insert_with(|| Rc::new(self.enter(frame, &view, state)));
                    self.check_loop_frame(frame, &entered.clone(), state);
                }
                Statement::Gap(gap) => {
                    let goal = Goal::Unspecified { what: gap.reason.clone() };
                    self.run.goals.add(&mut self.circuit, goal, state.guard);
                    if !gap.is_demand() {
                        state.guard = Lit::FALSE;
                    }
                }
            }
        }
    }

    fn enter(&mut self, frame: &'a Assignable, view: &View, state: &State) -> Entered {
        let locations = frame.locations.as_deref().unwrap_or_default();
        let (allowed, unknown) = self.apart(state, &frame.site, |engine, mut state| {
            let mut evaluator = Evaluator::new(engine, view);
            locations.iter().map(|l| evaluator.allowed(&mut state, l)).collect()
        });
        Entered { heap: state.heap.clone(), allowed, unknown }
    }

    fn check_loop_frame(&mut self, frame: &'a Assignable, entered: &Entered, state: &State) {
        if frame.locations.is_some() {
            let known = self.circuit.and(state.guard, !entered.unknown);
            let (before, allowed) = (&entered.heap, &entered.allowed);
            self.must_be_allowed(&frame.site, allowed, (before, state), known, false);
        }
    }

    /// A variable that is said to be non-null must not become null.
    pub(crate) fn check_assigned(
        &mut self,
        state: &State,
        instr: &Instr,
        register: Reg,
        value: &Value,
    ) {
        let contracts = self.contracts;
        let Value::Ref(value) = value else {
            return;
        };
        if self.run.clauses.is_evaluating() || contracts.assigned.is_empty() {
            return;
        }
        let found = self.run.stack.last().and_then(|a| contracts.assigned.get(&a.method));
        let is_it = |a: &&Assigned| a.pc == instr.pc && a.register == register;
        for assigned in found.into_iter().flatten().filter(is_it) {
            let null = value.restrict(&state.facts, |_| true).is_null();
            let broken = self.circuit.and(state.guard, null);
            let goal = self.break_goal(Property::Assert, &assigned.site, broken);
            self.note(goal, "null is assigned");
        }
    }

    /// Control is at the head of a loop, for the first time since it came to the loop or again.
    fn count_iteration(&mut self, measures: &mut Measures, state: &mut State, counter: u32) {
        let next = match measures.counted.insert(counter) {
            true => Bits::constant(32, 0),
            false => {
                let depth = self.run.stack.len() as u32;
                let last = state.ghosts.get(&(depth, counter)).cloned();
                let one = Bits::constant(32, 1);
                match last {
                    Some(Value::Bits(last)) => self.circuit.add(&last, &one),
                    _ => return self.unsupported(state, "a loop that is entered in its middle"),
                }
            }
        };
        self.set_ghost(state, counter, Value::Bits(next));
    }

    /// Gives the ghost fields of a new object their first values.
    pub(crate) fn first_ghosts(&mut self, state: &mut State, atom: Atom) {
        let contracts = self.contracts;
        let class = self.atoms.class(atom);
        let supertypes = self.program.class(class).map(|c| c.supertypes()).unwrap_or_default();
        for owner in supertypes.iter().filter_map(|c| contracts.classes.get(c)) {
            for (field, first) in &owner.ghosts {
                let Some(clause) = first.as_ref().filter(|_| !self.program.field(*field).is_static)
                else {
                    continue;
                };
                let view = self.view_of(atom);
                if let Some(value) = self.ghost_value(&view, state, clause) {
                    state.heap.contents_mut(atom).set_field(*field, value);
                }
            }
        }
    }

    /// When a loop's head is passed again, the variant must be less than before, and must not have
    /// been negative then.
    fn decrease(
        &mut self,
        measures: &mut Measures,
        key: (u32, usize),
        view: &View,
        state: &State,
        clause: &'a Clause,
    ) {
        let mut undefined = Vec::new();
        let (value, unknown) = self.apart(state, &clause.site, |engine, mut state| {
            let mut evaluator = Evaluator::new(engine, view);
            let value = evaluator.meaning(&mut state, &clause.term).number();
            undefined = std::mem::take(&mut evaluator.undefined);
            value
        });
        let value = self.circuit.sign_extend(&value, 64);
        let mut wrong: Vec<Lit> = undefined.iter().map(|u| u.0).collect();
        let mut note = "the variant has no value";
        if let Some(before) = measures.variants.get(&key) {
            let less = self.circuit.lt_signed(&value, before);
            note = match before.sign() {
                Lit::TRUE => "an iteration began with a negative variant",
                _ => "the variant is not less than in the iteration before",
            };
            wrong.push(before.sign());
            wrong.push(!less);
        }
        let wrong = self.circuit.or_all(wrong);
        let known = self.circuit.and(state.guard, !unknown);
        let broken = self.circuit.and(known, wrong);
        let goal = self.break_goal(Property::Decreases, &clause.site, broken);
        self.note(goal, note);
        measures.variants.insert(key, value);
    }

    pub(crate) fn ghost_value(
        &mut self,
        view: &View,
        state: &mut State,
        clause: &Clause,
    ) -> Option<Value> {
        let mut undefined = Vec::new();
        let (value, unknown) = self.apart(state, &clause.site, |engine, mut state| {
            let mut evaluator = Evaluator::new(engine, view);
            let meaning = evaluator.meaning(&mut state, &clause.term);
            undefined = std::mem::take(&mut evaluator.undefined);
            match meaning {
                Meaning::Type(_) | Meaning::Relation(_) | Meaning::Locations(_) => None,
                scalar => Some(scalar.into_value()),
            }
        });
        let undefined = self.circuit.or_all(undefined.into_iter().map(|u| u.0));
        let lost = self.circuit.or(undefined, unknown);
        self.unsupported_if(state, lost, || "a ghost value that does not exist".into());
        value
    }

    fn set(&mut self, view: &View, state: &mut State, clause: &Clause, target: &Term) {
        let Some(value) = self.ghost_value(view, state, clause) else {
            return;
        };
        match &target.kind {
            TermKind::Field(object, field) => {
                let (object, _) = self.apart(state, &clause.site, |engine, mut state| {
                    Evaluator::new(engine, view).reference(&mut state, object)
                });
                let null = object.is_null();
                self.unsupported_if(state, null, || "a ghost field of null".into());
                self.write_field(state, &object, *field, &value);
            }
            TermKind::Static(field) => state.heap.statics.set(field.index(), value),
            TermKind::Variable(Variable::Ghost(number)) => {
                self.set_ghost(state, *number, value);
            }
            _ => self.unsupported(state, "set of something that is no ghost variable"),
        }
    }

    /// The ghost variables of the innermost activation. Activations that are on the stack together
    /// have different depths.
    fn ghosts(&self, state: &State) -> FxHashMap<u32, Value> {
        let depth = self.run.stack.len() as u32;
        let own = state.ghosts.iter().filter(|(key, _)| key.0 == depth);
        own.map(|(key, value)| (key.1, value.clone())).collect()
    }

    fn set_ghost(&mut self, state: &mut State, number: u32, value: Value) {
        state.ghosts.insert((self.run.stack.len() as u32, number), value);
    }
}
