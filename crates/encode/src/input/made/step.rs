//! One call on the way: which methods there are to choose among, and what calling one of them comes to.

use ir::{ClassId, Method, MethodId};
use logic::Lit;

use super::{Known, Making};
use crate::engine::run::Called;
use crate::engine::{Engine, View};
use crate::state::State;
use crate::state::leaves::{LeafKey, RouteLeaf};
use crate::state::value::{self, Ref, Value};

/// Methods that one call may choose among; the first ones count.
const MOST_METHODS: usize = 16;

/// The executions that a call comes back in, and what it returns.
pub(super) type After = (State, Option<Value>);

impl Engine<'_> {
    /// Calls one of these methods, whichever is picked; the executions that come back. Without an
    /// object each method is called on one of its own, if it needs any.
    pub(super) fn call_one_of(
        &mut self,
        making: &mut Making,
        at: RouteLeaf,
        methods: &[MethodId],
        this: Option<&Value>,
        state: State,
    ) -> Option<After> {
        let mut done = None;
        let mut results = Vec::new();
        let before = making.known.len();
        let mut known: Vec<(Lit, Vec<Known>)> = Vec::new();
        let picks = self.picks(RouteLeaf { option: at.option + 1000, ..at }, methods.len());
        for (option, (method, pick)) in methods.iter().zip(picks).enumerate() {
            let mut here = state.clone();
            here.assume(&mut self.circuit, pick);
            if here.is_dead() {
                continue;
            }
            let at = RouteLeaf { option: at.option + option as u32, ..at };
            let after = self.make_step(making, at, *method, this, here);
            known.push((pick, making.known.split_off(before)));
            if let Some((after, result)) = after {
                // Factories return objects of one type; other methods may return anything.
                results.extend(result.filter(|_| this.is_none()).map(|result| (pick, result)));
                self.add(&mut done, after);
            }
        }
        self.keep(making, known);
        let result = (!results.is_empty()).then(|| value::select(&mut self.circuit, &results));
        done.filter(|state: &State| !state.is_dead()).map(|state| (state, result))
    }

    /// Only one of the methods is called, so what each of them makes known is one object.
    fn keep(&mut self, making: &mut Making, options: Vec<(Lit, Vec<Known>)>) {
        let mut merged: Vec<(Known, usize, Vec<(Lit, Value)>)> = Vec::new();
        for (pick, known) in options {
            for (at, one) in known.iter().enumerate() {
                let nth = known[..at].iter().filter(|other| other.class == one.class).count();
                let when = self.circuit.and(pick, one.when);
                let case = (when, Value::Ref(one.value.clone()));
                let same = merged.iter_mut().find(|m| m.0.class == one.class && m.1 == nth);
                match same {
                    Some((all, _, cases)) => {
                        all.when = self.circuit.or(all.when, when);
                        cases.push(case);
                    }
                    None => merged.push((Known { when, ..one.clone() }, nth, vec![case])),
                }
            }
        }
        for (known, _, cases) in merged {
            let value = value::select(&mut self.circuit, &cases).reference().clone();
            making.known.push(Known { value, ..known });
        }
    }

    fn make_step(
        &mut self,
        making: &mut Making,
        at: RouteLeaf,
        method: MethodId,
        this: Option<&Value>,
        mut state: State,
    ) -> Option<After> {
        let declared = self.program.method(method);
        if declared.is_static && !self.initialise(&mut state, declared.class) {
            return None;
        }
        let this = match this {
            Some(this) => Some(this.clone()),
            None if declared.is_static => None,
            None => Some(self.made_receiver(making, at, method, &mut state)?),
        };
        let mut arguments = Vec::new();
        for number in 0..declared.params.len() as u32 {
            let key = LeafKey::Route(RouteLeaf { argument: Some(number), ..at });
            arguments.push(self.argument(making, key, declared, number, &mut state)?);
        }
        self.admit_contract(method, this.as_ref(), &arguments, &mut state);
        if state.is_dead() {
            return None;
        }
        self.called(making, declared, this, arguments, state)
    }

    /// Leaves only executions that satisfy what a method requires.
    fn admit_contract(
        &mut self,
        method: MethodId,
        this: Option<&Value>,
        arguments: &[Value],
        state: &mut State,
    ) {
        if let Some(contract) = self.contracts.methods.get(&method) {
            let view = View {
                this: this.cloned(),
                parameters: arguments.to_vec(),
                allocated_before: self.atoms.allocated(),
                before: state.heap.clone(),
                ..View::default()
            };
            self.permit(contract, &view, state);
        }
    }

    /// Makes the call and remembers it, with what it hands out.
    pub(super) fn called(
        &mut self,
        making: &mut Making,
        method: &Method,
        this: Option<Value>,
        arguments: Vec<Value>,
        state: State,
    ) -> Option<After> {
        let when = state.guard;
        let at = self.run.route.len();
        self.run.route.push(Called {
            method: method.id,
            when,
            this: this.clone(),
            arguments: arguments.clone(),
            result: None,
        });
        let is_dispatched = !method.is_static && &*method.name != "<init>";
        let all: Vec<Value> = this.iter().cloned().chain(arguments).collect();
        let outcome = match is_dispatched {
            true => self.dispatch(method.id, all, state, true),
            false => self.call(method.id, all, state, true),
        };
        let (after, result) = outcome.normal?;
        if let Some(Value::Ref(result)) = &result
            && let Some(class) = method.result.and_then(|ty| ty.class())
        {
            self.run.route[at].result = Some(Value::Ref(result.clone()));
            self.hand_out(making, class, result, &this, &after);
        }
        Some((after, result))
    }

    fn hand_out(
        &mut self,
        making: &mut Making,
        class: ClassId,
        result: &Ref,
        this: &Option<Value>,
        after: &State,
    ) {
        let is_this = this.as_ref().is_some_and(|this| this.reference() == result);
        if self.is_made_by_code(class) && !is_this {
            making.known.push(Known { class, value: result.clone(), when: after.guard });
        }
    }

    /// The constructors of a class that a program may call.
    pub(super) fn constructors(&self, class: ClassId) -> Vec<MethodId> {
        let is_private = self.program.class(class).is_ok_and(|c| c.is_private);
        if is_private {
            return Vec::new();
        }
        self.callable(class, |m| &*m.name == "<init>")
    }

    /// Methods that return an object of a class which a program cannot construct: static ones of the
    /// classes around it, then those of other objects.
    pub(super) fn factories(&self, class: ClassId) -> Vec<MethodId> {
        let outermost = self.outermost(class);
        let mut found: Vec<&Method> = Vec::new();
        for owner in self.candidates.given {
            if self.outermost(*owner) != outermost {
                continue;
            }
            let Ok(loaded) = self.program.class(*owner) else {
                continue;
            };
            let methods = loaded.methods.iter().map(|id| self.program.method(*id));
            found.extend(methods.filter(|m| !loaded.is_private && self.is_factory(m, class)));
        }
        found.sort_by_key(|m| (!m.is_static, m.params.len()));
        found.iter().map(|m| m.id).take(MOST_METHODS).collect()
    }

    fn is_factory(&self, method: &Method, class: ClassId) -> bool {
        let returns = method.result.and_then(|ty| ty.class());
        let fits = returns.is_some_and(|result| self.program.is_subtype(result, class));
        let own = self.program.is_subtype(method.class, class) && !method.is_static;
        fits && !own && !method.is_private && !method.is_synthetic
    }

    /// The methods of a class that a program may call which fit, public ones if there are any.
    fn callable(&self, class: ClassId, fits: impl Fn(&Method) -> bool) -> Vec<MethodId> {
        let mut found: Vec<&Method> = Vec::new();
        for id in self.all_methods(class) {
            let method = self.program.method(id);
            if !method.is_static && !method.is_private && !method.is_synthetic && fits(method) {
                found.push(method);
            }
        }
        if found.iter().any(|m| m.is_public) {
            found.retain(|m| m.is_public);
        }
        found.sort_by_key(|m| m.params.len());
        found.iter().map(|m| m.id).take(MOST_METHODS).collect()
    }

    /// The methods of a class that may write anything.
    pub(super) fn writers(&mut self, class: ClassId) -> Vec<MethodId> {
        let methods = self.callable(class, |m| &*m.name != "<init>" && !m.is_abstract);
        let subject = self.subject();
        let mut writers = Vec::new();
        for method in methods {
            let effects = self.analyses.effects.of(subject, method);
            if effects.changes.is_any() {
                writers.push(method);
            }
        }
        writers
    }

    /// Methods that an object of a class has, its own and what it inherits from given classes.
    fn all_methods(&self, class: ClassId) -> Vec<MethodId> {
        let mut found: Vec<MethodId> = Vec::new();
        let mut current = self.program.class(class).ok();
        let mut is_own = true;
        while let Some(declared) = current.filter(|c| c.is_given()) {
            for id in &declared.methods {
                let method = self.program.method(*id);
                let is_constructor = &*method.name == "<init>";
                let runs = self.program.select(*id, class) == Ok(*id);
                if if is_constructor { is_own } else { runs && &*method.name != "<clinit>" } {
                    found.push(*id);
                }
            }
            is_own = false;
            current = declared.superclass.and_then(|s| self.program.class(s).ok());
        }
        found
    }
}
