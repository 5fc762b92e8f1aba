//! What must hold when a method ends: postconditions, exceptions, invariants, history constraints.

use ir::{ClassId, Method, MethodId, Nullness};
use logic::Lit;
use spec::core::{Case, Clause, Contract, Ends};

use crate::config::Calls;
use crate::engine::{Assumed, Engine, Escape, View};
use crate::state::State;
use crate::state::atom::{Atom, Name};
use crate::state::goal::Property;
use crate::state::value::{Ref, Value};

impl<'a> Engine<'a> {
    /// Checks a normal end.
    pub(crate) fn check_return(
        &mut self,
        method: &Method,
        assumed: &Assumed,
        view: &View,
        state: &State,
    ) {
        let contract = self.contracts.methods.get(&method.id);
        if let Some(contract) = contract {
            self.check_result(contract, view, state);
            for (case, active) in contract.cases.iter().zip(&assumed.cases) {
                let inside = self.where_active(state, *active);
                if inside.is_dead() {
                    continue;
                }
                if case.ends == Ends::Exceptionally {
                    let goal = self.break_goal(Property::Ensures, &case.site, inside.guard);
                    self.note(goal, "the method returns, but an exception was promised");
                }
                for clause in &case.ensures {
                    self.must_hold(Property::Ensures, view, &inside, clause);
                }
                self.check_frame(method, case, view, &inside);
                self.check_access(case, view, &inside);
            }
        }
        self.check_classes(method, contract, view, state);
    }

    fn where_active(&mut self, state: &State, active: Lit) -> State {
        let mut inside = state.clone();
        inside.assume(&mut self.circuit, active);
        inside
    }

    fn check_result(&mut self, contract: &'a Contract, view: &View, state: &State) {
        if let (Some(promised), Some(Value::Ref(result))) =
            (&contract.result_nullness, &view.result)
            && promised.nullness == Nullness::NonNull
        {
            let null = result.restrict(&state.facts, |_| true).is_null();
            let broken = self.circuit.and(state.guard, null);
            let goal = self.break_goal(Property::Ensures, &promised.site, broken);
            self.note(goal, "the result is null");
        }
    }

    /// Checks an end by an exception that is no violation in itself.
    pub(crate) fn check_escape(
        &mut self,
        method: &Method,
        assumed: &Assumed,
        view: &View,
        escape: &Escape,
        permitted: Lit,
    ) {
        let mut state = escape.state.clone();
        state.assume(&mut self.circuit, permitted);
        if state.is_dead() {
            return;
        }
        let view = View { exception: Some(escape.exception.clone()), ..view.clone() };
        let contract = self.contracts.methods.get(&method.id);
        if let Some(contract) = contract {
            for (case, active) in contract.cases.iter().zip(&assumed.cases) {
                let inside = self.where_active(&state, *active);
                if !inside.is_dead() {
                    self.check_exception(method, case, &view, &inside, &escape.exception);
                    self.check_frame(method, case, &view, &inside);
                    self.check_access(case, &view, &inside);
                }
            }
        }
        self.check_classes(method, contract, &view, &state);
    }

    fn check_exception(
        &mut self,
        method: &Method,
        case: &'a Case,
        view: &View,
        state: &State,
        exception: &Ref,
    ) {
        if case.ends == Ends::Normally {
            let goal = self.break_goal(Property::Signals, &case.site, state.guard);
            self.note(goal, "an exception leaves the method, but normal_behavior admits none");
            return;
        }
        if let Some(only) = &case.signals_only {
            let mut wrong = Vec::new();
            for (atom, lit) in exception.objects() {
                if !only.exceptions.iter().any(|c| self.atom_is_a(atom, *c)) {
                    wrong.push(lit);
                }
            }
            let wrong = self.circuit.or_all(wrong);
            let broken = self.circuit.and(state.guard, wrong);
            let goal = self.break_goal(Property::SignalsOnly, &only.site, broken);
            self.note(goal, "an exception of another class leaves the method");
        }
        if case.signals_only.is_none() && self.run.limits.calls == Calls::Contract {
            self.check_announced(method, case, state, exception);
        }
        for signals in &case.signals {
            let mut fits = Vec::new();
            for (atom, lit) in exception.objects() {
                if self.atom_is_a(atom, signals.exception) {
                    fits.push(lit);
                }
            }
            let fits = self.circuit.or_all(fits);
            let inside = self.where_active(state, fits);
            if !inside.is_dead() {
                let class = signals.exception;
                let kept = exception.restrict(&inside.facts, |a| self.atom_is_a(a, class));
                let view = View { exception: Some(kept), ..view.clone() };
                self.must_hold(Property::Signals, &view, &inside, &signals.condition);
            }
        }
    }

    /// Where callers see contracts only, what leaves a method must be named there or declared.
    fn check_announced(&mut self, method: &Method, case: &Case, state: &State, exception: &Ref) {
        if case.ends == Ends::Exceptionally {
            return;
        }
        let documented = self.contracts.methods.get(&method.id).map(|c| &c.documented);
        let documented = documented.into_iter().flatten();
        let mut wrong = Vec::new();
        for (atom, lit) in exception.objects() {
            let named = case.signals.iter().map(|s| s.exception);
            let declared = method.throws.iter().chain(documented.clone()).copied();
            if !named.chain(declared).any(|c| self.atom_is_a(atom, c)) {
                wrong.push(lit);
            }
        }
        let wrong = self.circuit.or_all(wrong);
        let broken = self.circuit.and(state.guard, wrong);
        let goal = self.break_goal(Property::SignalsOnly, &case.site, broken);
        self.note(goal, "the contract does not announce this exception, and callers rely on that");
    }

    /// Whether the contract announces an exception of this class: then it is no violation in
    /// itself, even where the JVM raises it.
    pub(crate) fn announced(
        &mut self,
        method: &Method,
        assumed: &Assumed,
        exception: ClassId,
    ) -> Lit {
        let Some(contract) = self.contracts.methods.get(&method.id) else {
            return Lit::FALSE;
        };
        let mut ways = Vec::new();
        for (case, active) in contract.cases.iter().zip(&assumed.cases) {
            if case.ends != Ends::Normally && self.case_names(case, exception) {
                ways.push(*active);
            }
        }
        self.circuit.or_all(ways)
    }

    fn case_names(&self, case: &Case, exception: ClassId) -> bool {
        let program = self.program;
        let only = case.signals_only.iter().flat_map(|only| &only.exceptions);
        let listed = only.into_iter().any(|c| program.is_subtype(exception, *c));
        let signalled = case.signals.iter().any(|signals| {
            let never = matches!(signals.condition.term.kind, spec::core::TermKind::Boolean(false));
            let general = matches!(
                program.class_name(signals.exception),
                "java.lang.Throwable" | "java.lang.Exception" | "java.lang.RuntimeException"
            );
            let exceptional = case.ends == Ends::Exceptionally;
            !never && (exceptional || !general) && program.is_subtype(exception, signals.exception)
        });
        let any = case.ends == Ends::Exceptionally
            && case.signals.is_empty()
            && case.signals_only.is_none();
        listed || signalled || any
    }

    /// Invariants of every object that may have changed, and history constraints.
    fn check_classes(
        &mut self,
        method: &Method,
        contract: Option<&'a Contract>,
        view: &View,
        state: &State,
    ) {
        if contract.is_some_and(|c| c.is_helper) || self.contracts.classes.is_empty() {
            return;
        }
        let constructor = &*method.name == "<init>";
        let threw = view.exception.is_some();
        let unchanged = self.is_unchanged(state);
        for (atom, exists) in self.changeable(state, constructor && threw) {
            let class = self.atoms.class(atom);
            let unchanged = unchanged && matches!(self.atoms.info(atom).name, Name::Input(..));
            // Without the facts of the path an unchanged object gives the very literals that were
            // assumed of it.
            let mut inside = State { facts: Default::default(), ..state.clone() };
            inside.assume(&mut self.circuit, exists);
            if inside.is_dead() {
                continue;
            }
            let of_atom = View { before: view.before.clone(), ..self.view_of(atom) };
            for (owner, clause) in self.invariants_of(class) {
                match clause {
                    Some(_) if unchanged => {}
                    Some(clause) => {
                        let holding = self.holds(&of_atom, &inside, clause);
                        if !self.is_assumed(atom, &holding) {
                            self.must_be(Property::Invariant, &of_atom, &inside, clause, holding);
                        }
                    }
                    None => self.report_gaps(owner, inside.guard),
                }
            }
            let constructed = self.atoms.info(atom).name == Name::Constructed;
            let is_new = matches!(self.atoms.info(atom).name, Name::Fresh(_));
            let history = self.constraints_for(method.id, class, constructed || is_new);
            for clause in self.clauses_of(class, constructed, is_new).into_iter().chain(history) {
                self.must_hold(Property::Invariant, &of_atom, &inside, clause);
            }
        }
        self.check_statics(method.id, view, state);
    }

    /// Constraints of an object that this method has to keep, and not every other.
    pub(crate) fn constraints_for(
        &self,
        method: MethodId,
        class: ClassId,
        is_new: bool,
    ) -> Vec<&'a Clause> {
        if is_new {
            return Vec::new();
        }
        let supertypes = self.program.class(class).map(|c| c.supertypes()).unwrap_or_default();
        let contracts = self.contracts;
        let owners = supertypes.iter().filter_map(|c| contracts.classes.get(c));
        let all = owners.flat_map(|c| &c.constraints_for).filter(|(_, is_static, _)| !is_static);
        all.filter(|(listed, ..)| self.is_among(method, listed)).map(|(_, _, c)| c).collect()
    }

    fn is_among(&self, method: MethodId, listed: &[MethodId]) -> bool {
        let class = self.program.method(method).class;
        listed.iter().any(|m| *m == method || self.program.select(*m, class) == Ok(method))
    }

    /// `initially` of the object that was constructed, `constraint` of those that existed before.
    pub(super) fn clauses_of(
        &self,
        class: ClassId,
        constructed: bool,
        is_new: bool,
    ) -> Vec<&'a Clause> {
        let contracts = self.contracts;
        let supertypes = self.program.class(class).map(|c| c.supertypes()).unwrap_or_default();
        let contracts = supertypes.iter().filter_map(|c| contracts.classes.get(c));
        match (constructed, is_new) {
            (true, _) => contracts.flat_map(|c| &c.initially).collect(),
            (false, true) => Vec::new(),
            (false, false) => contracts.flat_map(|c| &c.constraints).collect(),
        }
    }

    fn check_statics(&mut self, method: MethodId, view: &View, state: &State) {
        let contracts = self.contracts;
        for class in self.candidates.relevant.clone().iter() {
            let Some(contract) = contracts.classes.get(class) else {
                continue;
            };
            let of_class = View { before: view.before.clone(), ..View::default() };
            for clause in contract.static_invariants.iter().chain(&contract.static_constraints) {
                self.must_hold(Property::Invariant, &of_class, state, clause);
            }
            for (listed, is_static, clause) in &contract.constraints_for {
                if *is_static && self.is_among(method, listed) {
                    self.must_hold(Property::Invariant, &of_class, state, clause);
                }
            }
        }
    }

    /// The objects whose invariants are checked: those of the input, the one under construction
    /// unless its constructor failed, and those whose constructors have finished.
    fn changeable(&mut self, state: &State, failed: bool) -> Vec<(Atom, Lit)> {
        let mut found = self.in_play();
        if let (Some(atom), false) = (self.atoms.named(&Name::Constructed), failed) {
            found.push((atom, Lit::TRUE));
        }
        found.extend(self.run.objects.completed());
        // Enum constants and the like are as their initialisers left them, unless written.
        let written = state.heap.objects.entries().into_iter().map(|e| Atom(e.0 as u32));
        let is_constant = |a: &Atom| matches!(self.atoms.info(*a).name, Name::Initialiser(..));
        found.extend(written.filter(is_constant).map(|a| (a, Lit::TRUE)));
        found.retain(|(atom, _)| {
            matches!(
                self.atoms.info(*atom).name,
                Name::Input(..) | Name::Constructed | Name::Fresh(_) | Name::Initialiser(..)
            )
        });
        found.sort_unstable_by_key(|e| e.0);
        found.dedup_by_key(|e| e.0);
        found
    }
}
