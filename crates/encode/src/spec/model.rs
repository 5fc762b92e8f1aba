//! Model methods, and invariants as conditions: clauses of the class of an object, evaluated for
//! that object.

use ir::{ClassId, Type};
use logic::Lit;
use spec::core::{Clause, ModelBody, Sort, Term, TermKind};

use crate::engine::View;
use crate::spec::term::MOST_MODELS;
use crate::spec::{Evaluator, Meaning};
use crate::state::State;
use crate::state::atom::Atom;
use crate::state::value::{Ref, Value};

impl<'a> Evaluator<'_, 'a> {
    /// What a model method stands for.
    pub(super) fn model_method(
        &mut self,
        state: &mut State,
        method: u32,
        is_static: bool,
        arguments: &[Term],
        sort: &Sort,
    ) -> Meaning {
        let Some((first, rest)) = arguments.split_first() else {
            return self.nothing(sort);
        };
        if is_static {
            let values: Vec<Meaning> = rest.iter().map(|a| self.meaning(state, a)).collect();
            let class = match first.kind {
                TermKind::TypeLiteral(Type::Ref(class)) => class,
                _ => return self.nothing(sort),
            };
            return self.model_body(state, class, None, method, &values, sort);
        }
        let object = self.reference(state, first);
        let null = object.is_null();
        self.undefined_if(state, null, || "a method of null is called".into());
        let object = object.restrict(&state.facts, |a| a != Atom::NULL);
        let values: Vec<Meaning> = rest.iter().map(|a| self.meaning(state, a)).collect();
        let mut found: Option<Meaning> = None;
        for (atom, lit) in object.objects() {
            let class = self.engine.atoms.class(atom);
            let this = Some(Value::Ref(Ref::constant(atom)));
            let here =
                self.under(state, lit, |e, s| e.model_body(s, class, this, method, &values, sort));
            found = Some(match found {
                None => here,
                Some(other) => self.choose(lit, here, other),
            });
        }
        found.unwrap_or_else(|| self.nothing(sort))
    }

    fn model_body(
        &mut self,
        state: &mut State,
        class: ClassId,
        this: Option<Value>,
        method: u32,
        values: &[Meaning],
        sort: &Sort,
    ) -> Meaning {
        if state.is_dead() {
            return self.nothing(sort);
        }
        let contracts = self.engine.contracts;
        let supertypes = self.engine.program.class(class).map(|c| c.supertypes());
        let body: Option<&'a ModelBody> = supertypes
            .unwrap_or_default()
            .iter()
            .filter_map(|c| contracts.classes.get(c))
            .find_map(|c| c.model_methods.get(&method));
        let Some(body) = body.filter(|_| self.models < MOST_MODELS) else {
            let what = match body {
                None => "a model method: nothing says what it is for this class",
                Some(_) => "a model method that calls itself too often",
            };
            self.engine.unsupported(state, what);
            return self.nothing(sort);
        };
        let view = View { this, ..self.view.clone() };
        let bound = body.parameters.iter().copied().zip(values.iter().cloned()).collect();
        self.elsewhere(state, &view, bound, |e, s| e.meaning(s, &body.value.term))
    }

    /// Evaluates a clause that stands elsewhere and speaks of another object.
    fn elsewhere<T>(
        &mut self,
        state: &mut State,
        view: &View,
        bound: Vec<(u32, Meaning)>,
        inner: impl FnOnce(&mut Evaluator<'_, 'a>, &mut State) -> T,
    ) -> T {
        let mut evaluator = Evaluator::new(&mut *self.engine, view);
        evaluator.bound = bound;
        evaluator.in_old = self.in_old;
        evaluator.models = self.models + 1;
        evaluator.pending = std::mem::take(&mut self.pending);
        let found = inner(&mut evaluator, state);
        let undefined = std::mem::take(&mut evaluator.undefined);
        let ill = std::mem::take(&mut evaluator.ill);
        let pending = std::mem::take(&mut evaluator.pending);
        self.pending = pending;
        self.undefined.extend(undefined);
        self.ill.extend(ill);
        found
    }

    /// Whether all invariants of an object hold. Where they speak of their own, as those of
    /// linked objects do, that is taken to hold.
    pub(super) fn invariants_hold(&mut self, state: &mut State, object: &Ref) -> Lit {
        let mut all = Vec::new();
        for (atom, lit) in object.objects() {
            if self.pending.contains(&atom) {
                continue;
            }
            self.pending.push(atom);
            let view = View { this: Some(Value::Ref(Ref::constant(atom))), ..self.view.clone() };
            for (owner, clause) in self.engine.invariants_of(self.engine.atoms.class(atom)) {
                let Some(clause) = clause else {
                    let lit = self.engine.circuit.and(state.guard, lit);
                    self.engine.report_gaps(owner, lit);
                    continue;
                };
                let holds = self.under(state, lit, |e, s| e.clause_holds(s, &view, clause));
                all.push(self.engine.circuit.implies(lit, holds));
            }
            self.pending.pop();
        }
        self.engine.circuit.and_all(all)
    }

    pub(super) fn static_invariants_hold(&mut self, state: &mut State, class: ClassId) -> Lit {
        let contracts = self.engine.contracts;
        let view = View { this: None, ..self.view.clone() };
        let mut all = Vec::new();
        let Some(contract) = contracts.classes.get(&class) else {
            return Lit::TRUE;
        };
        if !contract.gaps.is_empty() {
            self.engine.report_gaps(class, state.guard);
        }
        for clause in &contract.static_invariants {
            let mut inside = state.clone();
            all.push(self.clause_holds(&mut inside, &view, clause));
        }
        self.engine.circuit.and_all(all)
    }

    /// A clause without a value does not hold.
    fn clause_holds(&mut self, state: &mut State, view: &View, clause: &Clause) -> Lit {
        if state.is_dead() {
            return Lit::TRUE;
        }
        let known = self.undefined.len();
        let truth = self.elsewhere(state, view, Vec::new(), |e, s| e.truth(s, &clause.term));
        let undefined: Vec<Lit> = self.undefined.drain(known..).map(|u| u.0).collect();
        let undefined = self.engine.circuit.or_all(undefined);
        self.engine.circuit.and(truth, !undefined)
    }
}
