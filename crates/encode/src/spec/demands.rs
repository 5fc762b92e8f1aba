//! What a call demands of its caller: that the preconditions of one case hold, that stated invariants
//! of the objects that it gets do, and, where calls go through contracts, that null is not passed for
//! what is non-null.

use std::collections::BTreeMap;

use ir::Method;
use logic::Lit;
use spec::core::{Contract, Site};

use crate::config::Calls;
use crate::engine::{Engine, Escape, View};
use crate::spec::Holding;
use crate::state::State;
use crate::state::atom::{Atom, Name};
use crate::state::goal::Property;
use crate::state::value::{Ref, Value};

impl<'a> Engine<'a> {
    /// What a call demands of given code that makes it, where the code of the callee is followed: the
    /// preconditions, and stated invariants of the receiver and the arguments. Nothing ends here,
    /// as the JVM goes on as well: what follows is the code of the callee.
    pub(crate) fn check_call(&mut self, method: &Method, args: &[Value], state: &State) {
        if self.run.stack.is_empty() || !self.is_executing() {
            return;
        }
        let contract = self.contracts.methods.get(&method.id);
        let first = usize::from(!method.is_static);
        if self.run.limits.calls == Calls::Contract {
            if let Some(contract) = contract {
                self.check_arguments(contract, &args[first..], state);
            }
            return;
        }
        if !self.in_given_code() {
            return;
        }
        if let Some(contract) = contract.filter(|c| c.has_preconditions()) {
            let view = View {
                this: (!method.is_static).then(|| args[0].clone()),
                parameters: args[first..].to_vec(),
                before: state.heap.clone(),
                allocated_before: self.atoms.allocated(),
                is_outside: true,
                ..View::default()
            };
            self.demand_requires(contract, &view, state);
        }
        if !method.is_private && !contract.is_some_and(|c| c.is_helper) {
            self.demand_invariants(args, state);
        }
    }

    /// What is stated of the objects that a call gets holds when it begins. Those that are being
    /// constructed are exempt.
    fn demand_invariants(&mut self, args: &[Value], state: &State) {
        if self.is_unchanged(state) {
            return;
        }
        let completed: BTreeMap<Atom, Lit> = self.run.objects.completed().collect();
        let objects = args.iter().filter_map(|value| match value {
            Value::Ref(object) => Some(object.restrict(&state.facts, |_| true)),
            Value::Bits(_) => None,
        });
        for object in objects.collect::<Vec<Ref>>() {
            for (atom, lit) in object.objects() {
                let finished = match self.atoms.info(atom).name {
                    Name::Input(..) => Lit::TRUE,
                    Name::Fresh(_) => completed.get(&atom).copied().unwrap_or(Lit::FALSE),
                    Name::Null
                    | Name::InputChars(_)
                    | Name::Literal(_)
                    | Name::LiteralChars(_)
                    | Name::Mirror(_)
                    | Name::Initialiser(..)
                    | Name::Constructed => Lit::FALSE,
                };
                let lit = self.circuit.and(lit, finished);
                if lit != Lit::FALSE && self.is_specified(self.atoms.class(atom)) {
                    self.demand_invariants_of(atom, lit, state);
                }
            }
        }
    }

    fn demand_invariants_of(&mut self, atom: Atom, lit: Lit, state: &State) {
        // Without the facts of the path an unchanged object gives the very literals that were
        // assumed of it.
        let mut inside = State { facts: Default::default(), ..state.clone() };
        inside.assume(&mut self.circuit, lit);
        if inside.is_dead() {
            return;
        }
        let view = self.view_of(atom);
        let class = self.atoms.class(atom);
        let owners = self.program.class(class).map(|c| c.supertypes()).unwrap_or_default();
        let contracts = self.contracts;
        let stated = owners.iter().filter_map(|c| contracts.classes.get(c));
        for clause in stated.flat_map(|c| &c.invariants) {
            let holding = self.holds(&view, &inside, clause);
            if !self.is_assumed(atom, &holding) {
                self.must_be(Property::Invariant, &view, &inside, clause, holding);
            }
        }
    }

    /// The executions in which null is passed for a parameter that is non-null.
    pub(super) fn check_arguments(
        &mut self,
        contract: &'a Contract,
        parameters: &[Value],
        state: &State,
    ) -> Lit {
        let mut wrong = Vec::new();
        for (number, site) in contract.non_null_parameters() {
            let Some(Value::Ref(argument)) = parameters.get(number) else {
                continue;
            };
            let null = argument.restrict(&state.facts, |_| true).is_null();
            let broken = self.circuit.and(state.guard, null);
            let text = format!("the parameter {}", site.text).into();
            let goal = self.break_goal(Property::Requires, &Site { text, ..site.clone() }, broken);
            self.note(goal, "null is passed");
            wrong.push(null);
        }
        self.circuit.or_all(wrong)
    }

    /// Checks the preconditions; for each case whether they hold. What breaks them ends.
    pub(super) fn check_requires(
        &mut self,
        contract: &'a Contract,
        view: &View,
        state: &mut State,
    ) -> Vec<Lit> {
        let (active, wrong) = self.demand_requires(contract, view, state);
        let any = self.circuit.or_all(active.iter().copied());
        self.stop_where(state, wrong);
        state.assume(&mut self.circuit, any);
        active
    }

    /// The preconditions must hold; for each case whether they do, and where those of none do.
    fn demand_requires(
        &mut self,
        contract: &'a Contract,
        view: &View,
        state: &State,
    ) -> (Vec<Lit>, Lit) {
        let mut active = Vec::new();
        let only_case = contract.cases.len() == 1;
        let mut unknown_any = Lit::FALSE;
        for case in &contract.cases {
            let mut inside = state.clone();
            let mut all = Lit::TRUE;
            for clause in &case.requires {
                let Holding { holds, unknown, .. } = self.holds(view, &inside, clause);
                if only_case {
                    let known = self.circuit.and(inside.guard, !unknown);
                    let broken = self.circuit.and(known, !holds);
                    self.break_goal(Property::Requires, &clause.site, broken);
                }
                unknown_any = self.circuit.or(unknown_any, unknown);
                all = self.circuit.and(all, holds);
                inside.assume(&mut self.circuit, holds);
            }
            active.push(all);
        }
        let any = self.circuit.or_all(active.iter().copied());
        if !only_case && let Some(case) = contract.cases.first() {
            let known = self.circuit.and(state.guard, !unknown_any);
            let broken = self.circuit.and(known, !any);
            self.break_goal(Property::Requires, &case.site, broken);
        }
        let wrong = self.circuit.and(!any, !unknown_any);
        (active, wrong)
    }

    /// Ends the executions of `state` in which `cond` holds: they have violated what the call
    /// demands, and the contract says nothing about what follows.
    pub(super) fn stop_where(&mut self, state: &mut State, cond: Lit) {
        let mut stopped = state.clone();
        stopped.assume(&mut self.circuit, cond);
        state.assume(&mut self.circuit, !cond);
        if stopped.is_dead() {
            return;
        }
        let exception = self.raised(&mut stopped, Property::Requires.exception(), None);
        self.run.ended.stops.push(Escape { state: stopped, exception: Ref::constant(exception) });
    }
}
