//! Deferred calls: a call starts as what its callee may change, and its code is followed only if
//! that turns out to matter (Taghdiri & Jackson, sections 4 and 5).
//!
//! When a call is deferred, everything that the callee may write, its result and whether it
//! returns at all become unknowns, and the run goes on. The state before the call is kept, so
//! that the callee's code can be followed from there at any later time; its own calls are deferred
//! in turn. What it does then is a list of equations, one for each output and exit: where control
//! leaves there, the unknown is that value. An equation that nobody has adopted restricts nothing,
//! so whatever is impossible is impossible in the code too.
//!
//! An unknown reference may be any object that exists at the call, or one of a few that are
//! reserved for what the callee makes: while its code is followed, it takes its objects from there. If
//! these are too few, the method is run again with more. A call that makes objects is always
//! followed if it can be reached, so that nothing is missed. Where somebody may catch its
//! exceptions and it turns out that it throws some, another run considers that (`thrown.rs`) or follows it at
//! once. A class initialiser that allocates later could make an object that no unknown
//! considers: then [`Engine::is_abstraction_broken`] says that the run counts for nothing.

mod caught;
mod experience;
mod havoc;
mod loops;
mod naming;
mod thrown;

use std::rc::Rc;

use ir::Code;
use logic::Lit;

use crate::code::Subject;
use crate::code::effects::{Effects, Failures};
use crate::config::Calls;
use crate::engine::deferral::{Exit, Reserve, Rest, Words};
use crate::engine::{Call, Engine, Outcome};
use crate::state::State;
use crate::state::atom::{Atom, Name};
use crate::state::leaves::{LeafKey, Origin, Source};
use crate::state::value::{self, Ref, Value};

pub use crate::engine::deferral::{Deferred, Equation, Output, Place, Sentence, Thrown};

/// Exits of a callee whose values are told apart; beyond, they count as one.
const MOST_EXITS: usize = 6;

impl<'a> Engine<'a> {
    /// The calls that the last run has deferred, in the order of execution inside each body.
    pub fn deferred(&self) -> &[Deferred] {
        &self.run.deferral.calls
    }

    /// What the code of a deferred call says, if it has been followed.
    pub fn equations(&self, call: usize) -> impl Iterator<Item = &Equation> {
        self.run.deferral.calls[call].equations.iter().flatten()
    }

    /// The deferred call and output to which an input of the circuit belongs.
    pub fn owner(&self, input: u32) -> Option<(usize, usize)> {
        self.run.deferral.owners.get(&input).copied()
    }

    /// Whether an object has come up that no unknown considers: then the run counts for nothing.
    pub fn is_abstraction_broken(&self) -> bool {
        self.run.deferral.broken
    }

    /// A place that a call may change, in words.
    pub fn place_text(&self, call: &Deferred, place: Place) -> String {
        match place {
            Place::Object(_, field) => {
                let field = self.program.field(field);
                let class = ir::program::simple(self.program.class_name(field.class));
                format!("{} of any {class}", field.name)
            }
            Place::Element(atom, _) if call.reserve.has(atom) => {
                self.place_text(call, Place::Made(atom))
            }
            Place::Element(atom, _) => {
                let class = self.program.class_name(self.atoms.class(atom));
                format!("elements of any {}", ir::program::simple(class))
            }
            Place::Made(atom) | Place::Length(atom) => {
                let class = self.program.class_name(self.atoms.class(atom));
                format!("a new {}", ir::program::simple(class))
            }
            place => self.place_names(&call.words, place).0.trim_end_matches('\'').to_string(),
        }
    }

    /// From now on an equation holds.
    pub fn adopt(&mut self, call: usize, equation: usize) {
        let Some(equations) = &mut self.run.deferral.calls[call].equations else {
            return;
        };
        equations[equation].adopted = true;
        let lit = equations[equation].lit;
        self.inputs.require(lit, Origin::Callee(call));
    }

    /// Leaves a call for later, if that is possible and worth while.
    pub(crate) fn defer(&mut self, call: &Call, state: &State) -> Option<Outcome> {
        let effects = self.deferrable(call, state)?;
        let by_throw = self.by_throw(call, &effects, state).ok()?;
        let is_caught = !by_throw.known.is_empty();
        let mut after = state.clone();
        let mut outputs = Vec::new();
        let needs = self.needs(call.method, &effects);
        let reserve = self.reserve(&needs, &mut after, &mut outputs);
        self.forget(call, &effects.changes, state, &mut after, &mut outputs);
        let result = self.program.method(call.method).result.map(|ty| self.unknown(ty, &after));
        if let Some(result) = &result {
            let unknown = result.clone();
            outputs.push(Output::new(Place::Result, unknown));
        }
        let mut failures = effects.failures;
        failures.goes_on |= self.analyses.learned.is_too_long(call.method, None);
        failures.throws |= is_caught;
        let mut thrown = None;
        if failures.any() {
            let returns = self.unknown_flag(Place::Returns, &mut outputs);
            after.assume(&mut self.circuit, returns);
            if is_caught {
                thrown = self.forget_by_throw(call, &by_throw, state, returns, &mut outputs);
            }
        }
        self.name_call(call.method, &call.args, &result);
        let declared = self.program.method(call.method);
        for output in &outputs {
            self.name_output(&declared.name, &call.args, output);
        }
        let words = Words::of_call(declared, call.args.len());
        let makes = !effects.changes.makes.is_empty();
        let deferred = (call.clone(), words, None);
        self.put_off(deferred, state, outputs, failures, (makes, reserve));
        Some(Outcome { normal: Some((after, result)), thrown })
    }

    pub(crate) fn subject(&self) -> Subject<'a> {
        Subject { program: self.program, given: self.candidates.given, contracts: self.contracts }
    }

    /// Remembers something that is deferred.
    pub(crate) fn put_off(
        &mut self,
        (call, words, rest): (Call, Words, Option<Rest>),
        before: &State,
        outputs: Vec<Output>,
        failures: Failures,
        (makes, reserve): (bool, Reserve),
    ) {
        let number = self.run.deferral.calls.len();
        for (index, output) in outputs.iter().enumerate() {
            for input in inputs_of(&output.unknown) {
                self.run.deferral.owners.insert(input, (number, index));
            }
        }
        self.run.deferral.calls.push(Deferred {
            method: call.method,
            line: rest.as_ref().map(|r| r.line),
            at: self.user_point(),
            guard: before.guard,
            failures,
            makes,
            outputs,
            equations: None,
            caller: self.run.deferral.expanding.map(|e| e.0),
            call,
            words,
            rest,
            before: before.clone(),
            reserve,
            stack: self.run.stack.clone(),
        });
    }

    /// Whether anything may be deferred now.
    pub(crate) fn is_deferring(&self) -> bool {
        matches!(self.run.limits.calls, Calls::Infer { .. })
            && !self.run.limits.overflow
            && !self.run.stack.is_empty()
            && self.is_executing()
            && !matches!(self.inputs.source, Source::Fixed(_))
    }

    /// The effects of the callee, if the call can be deferred.
    fn deferrable(&mut self, call: &Call, state: &State) -> Option<Rc<Effects>> {
        let Calls::Infer { small, .. } = self.run.limits.calls else {
            return None;
        };
        if !self.is_deferring() || !self.may_be_one_step(call.method, state) {
            return None;
        }
        let program = self.program;
        let declared = program.method(call.method);
        let class = program.class(declared.class).ok()?;
        let Code::Body(body) = program.code(call.method) else {
            return None;
        };
        let inlined = self.analyses.learned.is_inlined(call.method);
        if inlined || !class.is_given() || class.is_synthetic || is_small(body, small) {
            return None;
        }
        let subject = self.subject();
        let effects = self.analyses.effects.of(subject, call.method);
        let effects = self.lasting(effects);
        // Each activation would need what the next one needs, and more.
        let makes_without_end = effects.is_recursive && !effects.changes.makes.is_empty();
        let can_be_forgotten = !makes_without_end
            && declared.result.is_none_or(|ty| self.is_plain(ty))
            && self.can_forget(call, &effects.changes, state)
            && self.has_room(call.method, &effects);
        can_be_forgotten.then_some(effects)
    }

    /// An output that is true or false.
    pub(crate) fn unknown_flag(&mut self, place: Place, outputs: &mut Vec<Output>) -> Lit {
        let key = self.next_havoc();
        let flag = self.inputs.flag(&mut self.circuit, key);
        outputs.push(Output::new(place, Value::boolean(flag)));
        flag
    }

    pub(crate) fn next_havoc(&mut self) -> LeafKey {
        self.inputs.next_havoc()
    }

    /// Remembers an exit of the callee that is being followed.
    pub(crate) fn note_exit(&mut self, state: &State, value: &Option<Value>) {
        if self.run.deferral.expanding.is_some_and(|e| e.1 == self.run.stack.len())
            && self.is_executing()
        {
            self.run.deferral.exits.push(Exit::of_call(state.clone(), value.clone()));
        }
    }

    /// Follows the code of what was deferred, and works out its equations.
    pub(crate) fn expand(&mut self, number: usize) {
        let deferred = &self.run.deferral.calls[number];
        if deferred.equations.is_some() {
            return;
        }
        let (call, words, rest) =
            (deferred.call.clone(), deferred.words.clone(), deferred.rest.clone());
        let before = deferred.before.clone();
        self.run.deferral.reserve = Some(deferred.reserve.clone());
        let (key, fails) = ((deferred.method, deferred.line), deferred.failures.any());
        let ends = self.run.deferral.ends;
        let stack = std::mem::replace(&mut self.run.stack, deferred.stack.clone());
        let reserved: Vec<Atom> = self.run.deferral.calls[number].reserve.atoms().collect();
        self.start_naming(&words, &call.args, reserved.into_iter());
        let (exits, thrown) = match rest {
            None => {
                self.run.deferral.expanding = Some((number, self.run.stack.len() + 1));
                self.follow_call(call, before)
            }
            Some(rest) => {
                self.run.deferral.expanding = Some((number, usize::MAX));
                (self.follow_rest(call.method, rest, before), None)
            }
        };
        self.run.deferral.expanding = None;
        self.run.stack = stack;
        let unused = self.run.deferral.reserve.take().unwrap_or_default();
        let deferred = &self.run.deferral.calls[number];
        let (method, longest) = (deferred.method, deferred.reserve.longest(&exits));
        let reserved = deferred.reserve.slots();
        if let Some(needed) = unused.overdrawn(&deferred.reserve) {
            self.analyses.learned.note_need(method, needed);
        }
        if longest > reserved {
            self.analyses.learned.note_slots(method, longest);
        }
        // What comes after it would go on with anything.
        if !fails && self.run.deferral.ends > ends {
            self.analyses.learned.note_too_long(key);
        }
        let equations = self.equations_at(number, (&exits, thrown), &unused);
        self.run.deferral.naming = None;
        self.run.deferral.calls[number].equations = Some(equations);
    }

    /// Runs the code of a call, and tells where control leaves it, and with what exceptions that its
    /// caller catches.
    fn follow_call(&mut self, call: Call, before: State) -> (Vec<Exit>, Option<(State, Ref)>) {
        let heap = before.heap.clone();
        let outcome = self.follow(call.clone(), before);
        let thrown = outcome.thrown.filter(|t| !self.is_impossible(t.0.guard));
        let thrown = thrown.and_then(|thrown| self.caught_of(&call, &heap, thrown));
        let mut exits = std::mem::take(&mut self.run.deferral.exits);
        exits.retain(|e| !e.state.is_dead());
        if exits.len() > MOST_EXITS {
            exits = outcome.normal.into_iter().map(|(s, value)| Exit::of_call(s, value)).collect();
        }
        (exits, thrown)
    }

    /// What is deferred throws after all: that no frame condition considers.
    pub(crate) fn break_abstraction(&mut self) {
        self.run.deferral.broken = true;
    }

    /// What the code says of each output.
    fn equations_at(
        &mut self,
        number: usize,
        (returning, thrown): (&[Exit], Option<(State, Ref)>),
        unused: &Reserve,
    ) -> Vec<Equation> {
        let state = thrown.iter().map(|t| t.0.clone());
        let throwing: Vec<Exit> = state.map(|state| Exit::of_call(state, None)).collect();
        let deferred = &self.run.deferral.calls[number];
        let (call, words, before) =
            (deferred.call.clone(), deferred.words.clone(), deferred.before.clone());
        let is_call = deferred.rest.is_none();
        let mut equations = Vec::new();
        for index in 0..self.run.deferral.calls[number].outputs.len() {
            let output = &self.run.deferral.calls[number].outputs[index];
            let (place, unknown, concerns) =
                (output.place, output.unknown.clone(), output.concerns);
            let is_thrown = output.thrown;
            let exits = if is_thrown { &throwing } else { returning };
            if let Place::Returns | Place::Exit(_) | Place::Throws(_) = place {
                let leaves =
                    |e: &&Exit| place == Place::Returns || e.to.map(Place::Exit) == Some(place);
                let guards: Vec<Lit> = exits.iter().filter(leaves).map(|e| e.state.guard).collect();
                let returns = match place {
                    Place::Throws(one) => self.throws(thrown.as_ref(), one),
                    _ => self.circuit.or_all(guards),
                };
                let same = self.circuit.iff(unknown.bits().bit(0), returns);
                let lit = self.circuit.implies(before.guard, same);
                let sentence = self.sentence(&words, &before, place, returns, None);
                let (output, condition, adopted) = (index, before.guard, false);
                equations.push(Equation { output, condition, value: None, lit, sentence, adopted });
                continue;
            }
            let values = self.values_at(place, &call, exits, unused);
            if let [(value, _)] = &values[..]
                && is_call
                && !is_thrown
                && is_constant(value)
                && !is_constant(&unknown)
                && !self.run.deferral.calls[number].reserve.concerns(place, value)
            {
                self.analyses.learned.inline(call.method);
            }
            for (value, condition) in values {
                let mut sentence = self.sentence(&words, &before, place, condition, Some(&value));
                // A postcondition is about returns.
                sentence.jml = sentence.jml.filter(|_| !is_thrown);
                let condition = self.circuit.and(condition, concerns);
                let same = self.is_value(&unknown, &value);
                let lit = self.circuit.implies(condition, same);
                let (output, value, adopted) = (index, Some(value), false);
                equations.push(Equation { output, condition, value, lit, sentence, adopted });
            }
        }
        equations
    }

    /// What a place holds at the exits, each value once, with where it does.
    fn values_at(
        &mut self,
        place: Place,
        call: &Call,
        exits: &[Exit],
        unused: &Reserve,
    ) -> Vec<(Value, Lit)> {
        let mut found: Vec<(Value, Lit)> = Vec::new();
        for Exit { state, result, registers, .. } in exits {
            let value = match place {
                Place::Returns | Place::Exit(_) | Place::Throws(_) => None,
                Place::Result => result.clone(),
                Place::Register(reg) => registers[reg.index()].clone(),
                Place::Static(field) => {
                    let written = state.heap.statics.get(field.index()).cloned();
                    Some(written.unwrap_or_else(|| self.initial_static(field)))
                }
                Place::Object(atom, field) => self.field_of(&state.heap, atom, field).ok(),
                Place::Element(atom, index) => self.element_left(state, atom, index),
                Place::Length(atom) => {
                    let made = state.heap.contents(atom).and_then(|c| c.array.as_ref());
                    made.map(|array| Value::Bits(array.length.clone()))
                }
                Place::Made(atom) if unused.has(atom) => Some(Value::boolean(Lit::FALSE)),
                Place::Made(atom) => self.run.objects.made(atom).map(Value::boolean),
                Place::Argument(number, field) => {
                    let owner = call.args[number as usize].reference().clone();
                    let mut cases = Vec::new();
                    for (atom, lit) in owner.objects() {
                        if let Ok(value) = self.field_of(&state.heap, atom, field) {
                            cases.push((lit, value));
                        }
                    }
                    (!cases.is_empty()).then(|| value::select(&mut self.circuit, &cases))
                }
            };
            let Some(value) = value else {
                continue;
            };
            match found.iter_mut().find(|f| f.0 == value) {
                Some(known) => known.1 = self.circuit.or(known.1, state.guard),
                None => found.push((value, state.guard)),
            }
        }
        found
    }

    /// An element of an array at an exit; `None` where the array has not been made.
    fn element_left(&mut self, state: &State, atom: Atom, index: u32) -> Option<Value> {
        let is_made = matches!(self.atoms.info(atom).name, Name::Fresh(_));
        let has_contents = state.heap.contents(atom).is_some_and(|c| c.array.is_some());
        if is_made && !has_contents {
            return None;
        }
        let element = self.array_of(&state.heap, atom).elements.get(index as usize).cloned();
        // Beyond what its code can write there is what was there at first.
        let default = self.element_type(atom).map(|ty| self.default_of(ty));
        element.or(default)
    }

    /// Whether an unknown is a value. An object that the unknown cannot be breaks the abstraction.
    fn is_value(&mut self, unknown: &Value, value: &Value) -> Lit {
        match (unknown, value) {
            (Value::Bits(a), Value::Bits(b)) => self.circuit.bits_eq(a, b),
            (Value::Ref(unknown), Value::Ref(value)) => {
                let mut same = Vec::new();
                for (atom, lit) in value.entries() {
                    let is = unknown.is(*atom);
                    self.run.deferral.broken |= is == Lit::FALSE;
                    same.push(self.circuit.implies(*lit, is));
                }
                self.circuit.and_all(same)
            }
            (Value::Bits(_), Value::Ref(_)) | (Value::Ref(_), Value::Bits(_)) => {
                panic!("a callee leaves a number where a reference was expected, or the reverse")
            }
        }
    }
}

fn is_constant(value: &Value) -> bool {
    match value {
        Value::Bits(bits) => bits.as_signed().is_some(),
        Value::Ref(r) => r.as_constant().is_some(),
    }
}

/// The inputs of the circuit that an unknown consists of.
fn inputs_of(value: &Value) -> Vec<u32> {
    let lits: Vec<Lit> = match value {
        Value::Bits(bits) => bits.iter().collect(),
        Value::Ref(r) => r.entries().iter().map(|e| e.1).collect(),
    };
    lits.into_iter().filter(|l| !l.is_constant()).map(|l| l.node()).collect()
}

/// Whether the code of a method is no larger than what would stand for it.
fn is_small(body: &ir::Body, small: u32) -> bool {
    let instructions = body.blocks.iter().map(|b| b.instrs.len()).sum::<usize>();
    let calls = |b: &ir::Block| b.instrs.iter().any(|i| matches!(i.op, ir::Op::Invoke { .. }));
    instructions <= small as usize && !body.blocks.iter().any(calls)
}
