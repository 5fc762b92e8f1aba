//! What a call demands of its caller, where calls go through contracts: that null is not passed for
//! what is non-null, and that the preconditions of one case hold.

use ir::Method;
use logic::Lit;
use spec::core::{Contract, Site};

use crate::config::Calls;
use crate::engine::{Engine, Escape, View};
use crate::spec::Holding;
use crate::state::State;
use crate::state::goal::Property;
use crate::state::value::{Ref, Value};

impl<'a> Engine<'a> {
    /// Where calls go through contracts: what is said about null binds callers also of methods that
    /// are followed, because nothing else is said about them.
    pub(crate) fn check_arguments_of(&mut self, method: &Method, args: &[Value], state: &State) {
        if self.run.limits.calls != Calls::Contract
            || self.run.stack.is_empty()
            || !self.is_executing()
        {
            return;
        }
        if let Some(contract) = self.contracts.methods.get(&method.id) {
            let first = usize::from(!method.is_static);
            // What follows is the code of the callee, which null may well get through.
            self.check_arguments(contract, &args[first..], state);
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

    /// Checks the preconditions; for each case whether they hold.
    pub(super) fn check_requires(
        &mut self,
        contract: &'a Contract,
        view: &View,
        state: &mut State,
    ) -> Vec<Lit> {
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
        self.stop_where(state, wrong);
        state.assume(&mut self.circuit, any);
        active
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
