//! Objects as the code makes them: a constructor with any arguments, then calls of public methods,
//! chosen and with arguments chosen by the solver.
//!
//! An arbitrary heap may be one that no program ever reaches. What is found here has a way there:
//! the calls that some execution makes. Each object is made in turn, the receiver first. At each
//! call one selector says which of the methods is called, so that so many calls cost so many times
//! the class. A call that throws, breaks its contract, or meets what is not modelled ends that
//! attempt: nothing is proved here, so nothing is lost but a way.
//!
//! Library objects come about in the same way, as the constructors of the user's classes make
//! them. Static fields are as the initialisers leave them.

use ir::{ClassId, Method, MethodId, Type};
use logic::Lit;

use crate::engine::run::{Called, Ended};
use crate::engine::{Engine, View};
use crate::state::State;
use crate::state::atom::Atom;
use crate::state::leaves::{LeafKey, RouteLeaf};
use crate::state::value::{self, Ref, Value};

/// Objects within objects: how deep arguments of constructors are made.
const DEEPEST: u32 = 2;
/// Classes that one reference may be an object of.
const MOST_CLASSES: usize = 3;
/// Methods that one call may choose among; the first ones count.
const MOST_METHODS: usize = 16;

/// Objects that are being made.
struct Making {
    calls: u32,
    /// Number of the next object.
    next: u32,
    depth: u32,
}

impl<'a> Engine<'a> {
    /// Makes the input of a method by code: the receiver, then the arguments. Nothing if some
    /// object cannot be made so; `state` holds the executions that come to the method.
    pub(crate) fn make_input(
        &mut self,
        method: &Method,
        calls: u32,
        state: &mut State,
    ) -> Option<(Option<Value>, Vec<Value>)> {
        // What happens on the way belongs to no path and breaks nothing.
        let trace = self.run.trace.take();
        let made = self.make_all(method, calls, state);
        self.run.goals = Default::default();
        self.run.graph = Default::default();
        self.run.ended = Ended::default();
        self.run.trace = trace;
        self.start_log(method.id);
        state.node = State::initial().node;
        made
    }

    fn make_all(
        &mut self,
        method: &Method,
        calls: u32,
        state: &mut State,
    ) -> Option<(Option<Value>, Vec<Value>)> {
        let mut making = Making { calls, next: 0, depth: 0 };
        let receiver = match &*method.name {
            _ if method.is_static => None,
            "<init>" => Some(Value::Ref(self.receiver(state, method))),
            _ => {
                let classes = self.receivers(method);
                Some(Value::Ref(self.make(&mut making, &classes, state)?))
            }
        };
        let mut arguments = Vec::new();
        for (number, ty) in method.params.iter().enumerate() {
            let number = number as u32;
            let nullable = self.is_nullable_parameter(method, number);
            let key = LeafKey::Parameter(number);
            arguments.push(self.argument(&mut making, key, *ty, nullable, state)?);
        }
        Some((receiver, arguments))
    }

    /// Whether the objects of a method's input are worth making: it has any whose state matters.
    pub fn has_objects(&self, method: MethodId) -> bool {
        let declared = self.program.method(method);
        let is_made = |ty: &Type| ty.class().is_some_and(|class| self.is_made_by_code(class));
        let has_receiver = !declared.is_static && &*declared.name != "<init>";
        has_receiver || declared.params.iter().any(is_made)
    }

    fn is_made_by_code(&self, class: ClassId) -> bool {
        self.program.class(class).is_ok_and(|c| c.is_given() && !c.is_enum && c.element.is_none())
    }

    /// An argument: numbers, strings and arrays of them are arbitrary, objects are made.
    fn argument(
        &mut self,
        making: &mut Making,
        key: LeafKey,
        ty: Type,
        nullable: bool,
        state: &mut State,
    ) -> Option<Value> {
        let Some(class) = ty.class() else {
            return self.arbitrary(key, ty, nullable).ok();
        };
        if self.is_made_by_code(class) {
            if making.depth >= DEEPEST {
                return nullable.then(|| Value::Ref(Ref::null()));
            }
            let classes = self.classes_of(class);
            let calls = making.calls;
            making.calls = calls.min(1);
            making.depth += 1;
            let object = self.make(making, &classes, state);
            making.depth -= 1;
            making.calls = calls;
            return Some(Value::Ref(object?));
        }
        let class = self.plain_class(class)?;
        self.arbitrary(key, Type::Ref(class), nullable).ok()
    }

    /// The given classes that an object of a type may have.
    fn classes_of(&self, class: ClassId) -> Vec<ClassId> {
        let fits = |c: &ClassId| {
            self.program.is_subtype(*c, class)
                && self.program.class(*c).is_ok_and(|c| c.is_instantiable() && !c.is_synthetic)
        };
        self.candidates.given.iter().copied().filter(fits).collect()
    }

    /// The class of values that stand for a type which says little: a number for anything
    /// comparable, a string for text. Nothing where an object would be needed.
    fn plain_class(&self, class: ClassId) -> Option<ClassId> {
        let loaded = self.program.class(class).ok()?;
        if let Some(element) = loaded.element {
            let inner = element.class();
            let is_plain =
                inner.is_none_or(|c| c == self.known.string || self.known.boxed(c).is_some());
            return is_plain.then_some(class);
        }
        let is_value = class == self.known.string || self.known.boxed(class).is_some();
        if is_value || loaded.is_enum {
            return Some(class);
        }
        match self.program.class_name(class) {
            "java.lang.Object" | "java.lang.Comparable" | "java.lang.Number" => {
                Some(self.program.class_id("java.lang.Integer"))
            }
            "java.lang.CharSequence" => Some(self.known.string),
            _ => None,
        }
    }

    /// One object of one of these classes, in the executions of `state`.
    fn make(&mut self, making: &mut Making, classes: &[ClassId], state: &mut State) -> Option<Ref> {
        let number = making.next;
        making.next += 1;
        let classes = &classes[..classes.len().min(MOST_CLASSES)];
        let mut cases = Vec::new();
        let mut done: Option<State> = None;
        let picks = self.picks(
            RouteLeaf { object: number, call: u32::MAX, option: 0, argument: None },
            classes.len(),
        );
        for (class, pick) in classes.iter().zip(picks) {
            let mut here = state.clone();
            here.assume(&mut self.circuit, pick);
            if let Some(atom) = self.make_one(making, number, *class, &mut here) {
                cases.push((pick, Value::Ref(Ref::constant(atom))));
                self.add(&mut done, here);
            }
        }
        *state = done?;
        Some(value::select(&mut self.circuit, &cases).reference().clone())
    }

    fn make_one(
        &mut self,
        making: &mut Making,
        number: u32,
        class: ClassId,
        state: &mut State,
    ) -> Option<Atom> {
        if !self.initialise(state, class) {
            return None;
        }
        let atom = self.new_object(state, class);
        let this = Value::Ref(Ref::constant(atom));
        let at = RouteLeaf { object: number, call: 0, option: 0, argument: None };
        let constructors = self.callable(class, |m| &*m.name == "<init>");
        let after = self.call_one_of(making, at, &constructors, &this, state.clone());
        *state = after?;
        let writers = self.writers(class);
        for call in 1..=making.calls {
            let at = RouteLeaf { call, ..at };
            let called = self.flag_of(at);
            let mut here = state.clone();
            here.assume(&mut self.circuit, called);
            state.assume(&mut self.circuit, !called);
            let after =
                self.call_one_of(making, RouteLeaf { option: 1, ..at }, &writers, &this, here);
            let mut both = Some(std::mem::replace(state, State::initial()));
            if let Some(after) = after {
                self.add(&mut both, after);
            }
            *state = both?;
        }
        Some(atom)
    }

    /// Calls one of these methods, whichever is picked; the executions that come back.
    fn call_one_of(
        &mut self,
        making: &mut Making,
        at: RouteLeaf,
        methods: &[MethodId],
        this: &Value,
        state: State,
    ) -> Option<State> {
        let mut done = None;
        let picks = self.picks(RouteLeaf { option: at.option + 1000, ..at }, methods.len());
        for (option, (method, pick)) in methods.iter().zip(picks).enumerate() {
            let mut here = state.clone();
            here.assume(&mut self.circuit, pick);
            if here.is_dead() {
                continue;
            }
            let at = RouteLeaf { option: at.option + option as u32, ..at };
            if let Some(after) = self.call_on_the_way(making, at, *method, this, here) {
                self.add(&mut done, after);
            }
        }
        done.filter(|state| !state.is_dead())
    }

    fn call_on_the_way(
        &mut self,
        making: &mut Making,
        at: RouteLeaf,
        method: MethodId,
        this: &Value,
        mut state: State,
    ) -> Option<State> {
        let declared = self.program.method(method);
        let mut arguments = vec![this.clone()];
        for (number, ty) in declared.params.iter().enumerate() {
            let number = number as u32;
            let nullable = self.is_nullable_parameter(declared, number);
            let key = LeafKey::Route(RouteLeaf { argument: Some(number), ..at });
            arguments.push(self.argument(making, key, *ty, nullable, &mut state)?);
        }
        if let Some(contract) = self.contracts.methods.get(&method) {
            let view = View {
                this: Some(this.clone()),
                parameters: arguments[1..].to_vec(),
                allocated_before: self.atoms.allocated(),
                before: state.heap.clone(),
                ..View::default()
            };
            self.permit(contract, &view, &mut state);
        }
        if state.is_dead() {
            return None;
        }
        let when = state.guard;
        self.run.route.push(Called { method, when, arguments: arguments.clone() });
        let (after, _) = self.call(method, arguments, state, true).normal?;
        Some(after)
    }

    /// Joins a state into those that are done.
    fn add(&mut self, done: &mut Option<State>, state: State) {
        match done {
            Some(joined) => {
                self.join(joined, state);
            }
            None => *done = Some(state),
        }
    }

    /// One literal for each of so many options, exactly one of which holds.
    fn picks(&mut self, at: RouteLeaf, options: usize) -> Vec<Lit> {
        let mut rest = Lit::TRUE;
        let mut picks = Vec::new();
        for option in 0..options {
            let is_last = option + 1 == options;
            let flag = match is_last {
                true => Lit::TRUE,
                false => self.flag_of(RouteLeaf { option: at.option + option as u32, ..at }),
            };
            picks.push(self.circuit.and(rest, flag));
            rest = self.circuit.and(rest, !flag);
        }
        picks
    }

    fn flag_of(&mut self, at: RouteLeaf) -> Lit {
        self.inputs.flag(&mut self.circuit, LeafKey::Route(at))
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
    fn writers(&mut self, class: ClassId) -> Vec<MethodId> {
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
