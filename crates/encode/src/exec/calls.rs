//! Calls: resolution, dispatch by the receiver's atoms, inlining, and the limits of recursion.

use std::rc::Rc;

use ir::{Block, ClassId, Code, InvokeKind, MethodId, MethodRefId};
use logic::Lit;

use crate::engine::{Activation, Call, Engine, Entry, Frame, Outcome};
use crate::state::atom::Atom;
use crate::state::goal::{Goal, Property};
use crate::state::value::{Ref, Value};
use crate::state::{Registers, State};

impl<'a> Engine<'a> {
    /// Executes a call instruction. The result is `None` for `void` and where nothing returns
    /// (then `state` is dead).
    #[allow(clippy::too_many_arguments)]
    pub(super) fn invoke(
        &mut self,
        frame: &mut Frame<'a>,
        block: &Block,
        state: &mut State,
        registers: &Registers,
        kind: InvokeKind,
        method: MethodRefId,
        mut args: Vec<Value>,
    ) -> Option<Value> {
        let resolved = match self.program.resolve_method(method) {
            Ok(resolved) => resolved,
            Err(why) => {
                self.unsupported(state, why.to_string());
                return None;
            }
        };
        if kind != InvokeKind::Static {
            let receiver = args[0].reference().restrict(&state.facts, |_| true);
            let null = receiver.is_null();
            self.raise_if(frame, block, state, registers, null, Property::NullDereference);
            if state.is_dead() {
                return None;
            }
            args[0] = Value::Ref(receiver.restrict(&state.facts, |a| a != Atom::NULL));
        }
        let covered =
            !block.handlers.is_empty() || self.run.stack.last().is_some_and(|a| a.covered);
        let taken = std::mem::replace(state, State::initial());
        let outcome = match kind {
            InvokeKind::Static => {
                let mut taken = taken;
                let class = self.program.method(resolved).class;
                if self.initialise(&mut taken, class) {
                    self.call(resolved, args, taken, covered)
                } else {
                    Outcome::default()
                }
            }
            InvokeKind::Special => self.call(resolved, args, taken, covered),
            InvokeKind::Virtual | InvokeKind::Interface => {
                self.dispatch(resolved, args, taken, covered)
            }
        };
        let end = outcome.normal.as_ref().map(|n| &n.0).or(outcome.thrown.as_ref().map(|t| &t.0));
        let heap = end.map(|state| state.heap.clone());
        if let Some((thrown, exception)) = outcome.thrown {
            self.route(frame, &block.handlers, thrown, registers, exception);
        }
        self.back_to_caller(heap);
        match outcome.normal {
            Some((after, value)) => {
                *state = after;
                value
            }
            None => {
                state.guard = Lit::FALSE;
                None
            }
        }
    }

    /// Calls the method that each possible receiver selects, and joins what comes back.
    pub(crate) fn dispatch(
        &mut self,
        method: MethodId,
        args: Vec<Value>,
        mut state: State,
        covered: bool,
    ) -> Outcome {
        let receiver = args[0].reference().clone();
        let groups = self.targets(&mut state, method, &receiver);
        let mut outcome = Outcome::default();
        let mut rest = state;
        let last = groups.len().saturating_sub(1);
        for (i, (target, atoms)) in groups.into_iter().enumerate() {
            if rest.is_dead() {
                break;
            }
            let here = if i == last {
                std::mem::replace(&mut rest, State { guard: Lit::FALSE, ..State::initial() })
            } else {
                let is_here = self.circuit.or_all(atoms.iter().map(|a| a.1));
                let mut here = rest.clone();
                here.assume(&mut self.circuit, is_here);
                rest.assume(&mut self.circuit, !is_here);
                here
            };
            if here.is_dead() {
                continue;
            }
            let mut args = args.clone();
            args[0] = Value::Ref(
                receiver.restrict(&here.facts, |a| atoms.iter().any(|(atom, _)| *atom == a)),
            );
            let one = self.call(target, args, here, covered);
            self.join_outcomes(&mut outcome, one);
        }
        outcome
    }

    /// The methods that the atoms of a receiver select, each with its atoms.
    fn targets(
        &mut self,
        state: &mut State,
        method: MethodId,
        receiver: &Ref,
    ) -> Vec<(MethodId, Vec<(Atom, Lit)>)> {
        let mut groups: Vec<(MethodId, Vec<(Atom, Lit)>)> = Vec::new();
        for (atom, lit) in receiver.objects() {
            let info = self.atoms.info(atom);
            if self.is_unknown(atom) && self.contract_for(method).is_some() {
                match groups.iter_mut().find(|g| g.0 == method) {
                    Some(group) => group.1.push((atom, lit)),
                    None => groups.push((method, vec![(atom, lit)])),
                }
                continue;
            }
            if self.is_unknown(atom) {
                let class = self.program.class_name(info.class).to_string();
                let name = self.program.method(method).name.clone();
                let what = || format!("{name} on an input of type {class}");
                self.unsupported_if(state, lit, what);
                continue;
            }
            match self.program.select(method, info.class) {
                Ok(target) => match groups.iter_mut().find(|g| g.0 == target) {
                    Some(group) => group.1.push((atom, lit)),
                    None => groups.push((target, vec![(atom, lit)])),
                },
                Err(why) => self.unsupported_if(state, lit, || why.to_string()),
            }
        }
        groups
    }

    fn join_outcomes(&mut self, into: &mut Outcome, other: Outcome) {
        into.normal = match (into.normal.take(), other.normal) {
            (Some(a), Some(b)) => Some(self.join_results(a, b)),
            (a, b) => a.or(b),
        };
        into.thrown = match (into.thrown.take(), other.thrown) {
            (Some((a, x)), Some((b, y))) => {
                let (x, y) = (Some(Value::Ref(x)), Some(Value::Ref(y)));
                let (state, value) = self.join_results((a, x), (b, y));
                value.map(|v| (state, v.reference().clone()))
            }
            (a, b) => a.or(b),
        };
    }

    /// Runs a method's code on these arguments.
    pub(crate) fn call(
        &mut self,
        method: MethodId,
        args: Vec<Value>,
        state: State,
        covered: bool,
    ) -> Outcome {
        let site = self.site(&state);
        let outcome = self.call_at(method, args, state, covered);
        self.back_at(site, outcome)
    }

    fn call_at(
        &mut self,
        method: MethodId,
        args: Vec<Value>,
        state: State,
        covered: bool,
    ) -> Outcome {
        if state.is_dead() {
            return Outcome::default();
        }
        let Some(recursion) = self.admit(method, &state) else {
            return Outcome::default();
        };
        let declared = self.program.method(method);
        self.log_call(declared, &args, &state);
        self.check_measures(declared, &args, &state);
        let constructed = self.constructed(declared, &args);
        let outcome = match self.contract_for(method) {
            Some(contract) => self.call_by_contract(declared, contract, args, state),
            None => {
                self.check_call(declared, &args, &state);
                let call = Call { method, args, covered, recursion };
                self.defer(&call, &state).unwrap_or_else(|| self.follow(call, state))
            }
        };
        if let (Some(atom), Some((after, _))) = (constructed, &outcome.normal) {
            self.run.objects.complete(atom, after.guard);
        }
        outcome
    }

    /// Runs the code of a call that is admitted.
    pub(crate) fn follow(&mut self, call: Call, mut state: State) -> Outcome {
        let Call { method, args, covered, recursion } = call;
        let declared = self.program.method(method);
        let code = self.program.code(method);
        let site = match code {
            Code::Body(_) => self.site_of_code(method, &state),
            Code::Intrinsic(_) | Code::Abstract | Code::Unsupported(_) => None,
        };
        let given =
            self.program.class(declared.class).is_ok_and(|c| c.is_given() && !c.is_synthetic);
        self.run.stack.push(Activation {
            method,
            line: 0,
            guard: state.guard,
            covered,
            recursion,
            given,
            site,
            block: None,
            one_step: None,
            entry: self.entry(method, &args, &state),
            locals: Vec::new(),
        });
        self.trace_call(declared, &args);
        let outcome = match code {
            Code::Body(body) => self.run_body(body, args, state),
            Code::Intrinsic(intrinsic) => self.intrinsic(*intrinsic, declared, args, state),
            Code::Abstract => {
                let what = format!("{} without a body", self.program.method_name(method));
                self.unsupported(&mut state, what);
                Outcome::default()
            }
            Code::Unsupported(what) => {
                self.unsupported(&mut state, &**what);
                Outcome::default()
            }
        };
        self.run.stack.pop();
        outcome
    }

    /// What `\old` will mean in the body, if it has marks.
    fn entry(&self, method: MethodId, args: &[Value], state: &State) -> Option<Rc<Entry>> {
        let is_measured = || {
            let contract = self.contracts.methods.get(&method);
            contract.is_some_and(|c| c.cases.iter().any(|case| !case.measured_by.is_empty()))
        };
        if self.run.clauses.is_evaluating() || self.contracts.marks.is_empty() && !is_measured() {
            return None;
        }
        let arguments = args.to_vec();
        let heap = state.heap.clone();
        Some(Rc::new(Entry { method, arguments, heap, allocated: self.atoms.allocated() }))
    }

    /// The new object whose constructor this call is.
    fn constructed(&self, method: &ir::Method, args: &[Value]) -> Option<Atom> {
        if &*method.name != "<init>" || self.contracts.classes.is_empty() {
            return None;
        }
        let atom = args.first()?.reference().as_constant()?;
        (self.is_executing()
            && self.atoms.class(atom) == method.class
            && self.run.objects.made(atom).is_some())
        .then_some(atom)
    }

    /// Whether the call may be followed: counts nested activations that were entered under a
    /// condition of their own, and asks the oracle before going deeper.
    fn admit(&mut self, method: MethodId, state: &State) -> Option<u32> {
        let outer = self.run.stack.iter().rev().find(|a| a.method == method);
        let recursion = match outer {
            None => 0,
            Some(outer) if outer.guard == state.guard => outer.recursion,
            Some(outer) => outer.recursion + 1,
        };
        let again = recursion > 0 && outer.is_some();
        if (again || self.is_worth_asking(method, state)) && self.is_impossible(state.guard) {
            return None;
        }
        let too_deep = self.run.stack.len() >= self.run.limits.call_depth as usize;
        if recursion <= self.run.limits.recursion && !too_deep {
            return Some(recursion);
        }
        let what = match too_deep {
            true => self
                .endless_construction()
                .unwrap_or_else(|| format!("calls nested {} deep", self.run.limits.call_depth)),
            false => format!("recursion of {}", self.program.method_name(method)),
        };
        let goal = Goal::Cut { what, at: self.user_point() };
        self.add_end(goal, state.node, state.guard);
        None
    }

    /// A constructor that is running again and again under one condition: each object makes
    /// another of its class.
    fn endless_construction(&self) -> Option<String> {
        let innermost = self
            .run
            .stack
            .iter()
            .rev()
            .find(|a| &*self.program.method(a.method).name == "<init>")?;
        let again = |a: &&Activation| a.method == innermost.method && a.guard == innermost.guard;
        if self.run.stack.iter().filter(again).count() < 3 {
            return None;
        }
        let class = self.program.method(innermost.method).class;
        let class = ir::program::simple(self.program.class_name(class));
        Some(format!("the constructor of {class} makes another {class}, and so on for ever"))
    }

    /// A call under a condition of its own into code of some size: following it in vain costs
    /// more than a question (resizing a table that never fills, say).
    fn is_worth_asking(&self, method: MethodId, state: &State) -> bool {
        let conditional = self.run.stack.last().is_some_and(|a| a.guard != state.guard);
        let body = match self.program.code(method) {
            Code::Body(body) if conditional => body,
            _ => return false,
        };
        body.blocks.len() > 6
    }

    /// Calls a library method by name in a context where it cannot fail; anything that it throws
    /// is unsupported.
    pub(crate) fn invoke_by_name(
        &mut self,
        state: &mut State,
        class: ClassId,
        name: &str,
        descriptor: &str,
        args: Vec<Value>,
    ) -> Option<Value> {
        if state.is_dead() {
            return None;
        }
        let found = self.program.class(class).ok();
        let found = found.and_then(|c| self.program.find_method(c, name, descriptor));
        let Some(mut method) = found else {
            let what = format!("no method {}.{name}", self.program.class_name(class));
            self.unsupported(state, what);
            return None;
        };
        if !self.initialise(state, class) {
            return None;
        }
        if let Some(Value::Ref(receiver)) = args.first()
            && !self.program.method(method).is_static
            && let Some(atom) = receiver.as_constant()
            && let Ok(selected) = self.program.select(method, self.atoms.class(atom))
        {
            method = selected;
        }
        let taken = std::mem::replace(state, State::initial());
        self.run.clauses.log.is_implicit = true;
        // Whether this is called depends on what is known, so it has no nodes.
        let around = self.run.stack.last_mut().map(|a| (a.site.take(), a.block.take()));
        let outcome = self.call(method, args, taken, true);
        if let (Some(activation), Some((site, block))) = (self.run.stack.last_mut(), around) {
            (activation.site, activation.block) = (site, block);
        }
        if let Some((mut thrown, _)) = outcome.thrown {
            let what = format!("an exception in {}", self.program.method_name(method));
            self.unsupported(&mut thrown, what);
        }
        match outcome.normal {
            Some((after, value)) => {
                *state = after;
                value
            }
            None => {
                state.guard = Lit::FALSE;
                None
            }
        }
    }
}
