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
//! exceptions, it must turn out that it throws none; otherwise it is followed at once in
//! another run. A class initialiser that allocates later could make an object that no unknown
//! considers: then [`Engine::is_abstraction_broken`] says that the run counts for nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use ir::{ClassId, Code, FieldId, MethodId};
use logic::Lit;
use rustc_hash::FxHashMap;

use crate::atom::{Atom, Point};
use crate::calls::Call;
use crate::config::Calls;
use crate::effects::{Analysis, Effects, Failures};
use crate::engine::{Activation, Engine, Subject};
use crate::exec::Outcome;
use crate::forget::Reserve;
use crate::inputs::{LeafKey, Origin, Source};
use crate::naming::Sentence;
use crate::state::State;
use crate::value::{self, Value};

/// Exits of a callee whose values are told apart; beyond, they count as one.
const MOST_EXITS: usize = 6;
/// Objects of one class that are reserved for a call at most; one that makes more is inlined.
const MOST_RESERVED: usize = 8;

/// What a call may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Whether it returns.
    Returns,
    Result,
    /// A field of what is passed as the n-th argument, the receiver first.
    Argument(u32, FieldId),
    Object(Atom, FieldId),
    Element(Atom, u32),
    Static(FieldId),
    /// Whether it makes an object that is reserved for it.
    Made(Atom),
}

/// A place that a call may change, and the unknown that is there afterwards.
pub struct Output {
    pub place: Place,
    pub(crate) unknown: Value,
    /// Executions in which the place is the call's to change.
    pub(crate) concerns: Lit,
}

/// What the code of a callee says of an output.
#[derive(Clone)]
pub struct Equation {
    /// Which output.
    pub output: usize,
    /// Where control leaves by this exit.
    pub condition: Lit,
    /// There the unknown is this.
    pub value: Option<Value>,
    /// Both together.
    pub lit: Lit,
    /// And in words.
    pub sentence: Sentence,
    pub adopted: bool,
}

/// A call of which only the frame condition is known at first.
pub struct Deferred {
    pub method: MethodId,
    /// Where it is called.
    pub at: Option<Point>,
    /// The executions that call.
    pub guard: Lit,
    /// How else it may end than by returning, which only its code tells.
    pub failures: Failures,
    /// Whether it may make objects. How many, only its code tells.
    pub makes: bool,
    pub outputs: Vec<Output>,
    /// What its code says, once it has been followed.
    pub equations: Option<Vec<Equation>>,
    /// The deferred call in whose code this one is.
    pub caller: Option<usize>,
    call: Call,
    before: State,
    reserve: Reserve,
    stack: Vec<Activation>,
}

/// The deferred calls of a run.
#[derive(Default)]
pub(crate) struct Deferral {
    calls: Vec<Deferred>,
    effects: Analysis,
    /// The call and output that an input of the circuit belongs to.
    owners: FxHashMap<u32, (usize, usize)>,
    /// The call whose code is being followed, with the depth of its activation.
    expanding: Option<(usize, usize)>,
    exits: Vec<(State, Option<Value>)>,
    broken: bool,
    /// Methods that are better followed at once. Those that leave constants behind: they are worth
    /// more than an unknown, because code folds that depends on them. Those that throw what
    /// somebody catches, or make too many objects.
    inlined: BTreeSet<MethodId>,
    wants_rerun: bool,
    /// What is left of the objects that are reserved for the call whose code is being followed.
    reserve: Option<Reserve>,
    /// How many objects a method has needed.
    needs: FxHashMap<MethodId, BTreeMap<ClassId, usize>>,
}

impl Deferral {
    pub fn start_run(&mut self) {
        let effects = std::mem::take(&mut self.effects);
        let inlined = std::mem::take(&mut self.inlined);
        let needs = std::mem::take(&mut self.needs);
        *self = Deferral { effects, inlined, needs, ..Deferral::default() };
    }

    /// Takes an object from what is reserved for the call whose code is being followed.
    pub fn draw(&mut self, class: ClassId) -> Option<Atom> {
        self.reserve.as_mut()?.draw(class)
    }

    /// Run the method again, and follow every call of this one at once.
    fn inline(&mut self, method: MethodId) {
        self.inlined.insert(method);
        self.wants_rerun = true;
    }

    /// A call has made more objects than were reserved for it.
    fn note_need(&mut self, method: MethodId, needed: BTreeMap<ClassId, usize>) {
        if needed.values().any(|n| *n > MOST_RESERVED) {
            return self.inline(method);
        }
        self.needs.insert(method, needed);
        self.wants_rerun = true;
    }

    /// An object of the static state has come up that no unknown considers.
    pub fn note_constant(&mut self) {
        self.broken |= !self.calls.is_empty();
    }
}

impl<'a> Engine<'a> {
    /// The calls that the last run has deferred, in the order of execution inside each body.
    pub fn deferred(&self) -> &[Deferred] {
        &self.deferral.calls
    }

    /// What the code of a deferred call says, if it has been followed.
    pub fn equations(&self, call: usize) -> impl Iterator<Item = &Equation> {
        self.deferral.calls[call].equations.iter().flatten()
    }

    /// The deferred call and output to which an input of the circuit belongs.
    pub fn owner(&self, input: u32) -> Option<(usize, usize)> {
        self.deferral.owners.get(&input).copied()
    }

    /// Whether an object has come up that no unknown considers: then the run counts for nothing.
    pub fn is_abstraction_broken(&self) -> bool {
        self.deferral.broken
    }

    /// Whether the method should be run again, with fewer calls deferred.
    pub fn wants_rerun(&self) -> bool {
        self.deferral.wants_rerun
    }

    /// A place that a call may change, in words.
    pub fn place_text(&self, call: &Deferred, place: Place) -> String {
        let declared = self.program.method(call.method);
        match place {
            Place::Object(_, field) => {
                let field = self.program.field(field);
                let class = ir::program::simple(self.program.class_name(field.class));
                format!("{} of any {class}", field.name)
            }
            Place::Element(atom, _) => {
                let class = self.program.class_name(self.atoms.class(atom));
                format!("elements of any {}", ir::program::simple(class))
            }
            Place::Made(atom) => {
                let class = self.program.class_name(self.atoms.class(atom));
                format!("a new {}", ir::program::simple(class))
            }
            place => self.place_names(declared, place).0.trim_end_matches('\'').to_string(),
        }
    }

    /// From now on an equation holds.
    pub fn adopt(&mut self, call: usize, equation: usize) {
        let Some(equations) = &mut self.deferral.calls[call].equations else {
            return;
        };
        equations[equation].adopted = true;
        let lit = equations[equation].lit;
        self.inputs.require(lit, Origin::Callee(call));
    }

    /// Leaves a call for later, if that is possible and worth while.
    pub(crate) fn defer(&mut self, call: &Call, state: &State) -> Option<Outcome> {
        let effects = self.deferrable(call, state)?;
        let number = self.deferral.calls.len();
        let mut after = state.clone();
        let mut outputs = Vec::new();
        let needs = self.deferral.needs.get(&call.method).cloned().unwrap_or_default();
        let reserve = self.reserve(&effects.changes.makes, &needs, &mut after, &mut outputs);
        self.forget(call, &effects.changes, state, &mut after, &mut outputs);
        let result = self.program.method(call.method).result.map(|ty| self.unknown(ty, &after));
        if let Some(result) = &result {
            let unknown = result.clone();
            outputs.push(Output { place: Place::Result, unknown, concerns: Lit::TRUE });
        }
        if effects.failures.any() {
            let key = self.next_havoc();
            let returns = self.inputs.flag(&mut self.circuit, key);
            after.assume(&mut self.circuit, returns);
            let unknown = Value::boolean(returns);
            outputs.push(Output { place: Place::Returns, unknown, concerns: Lit::TRUE });
        }
        self.name_call(call.method, &call.args, &result);
        for output in &outputs {
            self.name_output(call.method, &call.args, output);
        }
        for (index, output) in outputs.iter().enumerate() {
            for input in inputs_of(&output.unknown) {
                self.deferral.owners.insert(input, (number, index));
            }
        }
        self.deferral.calls.push(Deferred {
            method: call.method,
            at: self.user_point(),
            guard: state.guard,
            failures: effects.failures,
            makes: !effects.changes.makes.is_empty(),
            outputs,
            equations: None,
            caller: self.deferral.expanding.map(|e| e.0),
            call: call.clone(),
            before: state.clone(),
            reserve,
            stack: self.stack.clone(),
        });
        Some(Outcome { normal: Some((after, result)), thrown: None })
    }

    /// The effects of the callee, if the call can be deferred.
    fn deferrable(&mut self, call: &Call, state: &State) -> Option<Rc<Effects>> {
        let Calls::Infer { small, .. } = self.limits.calls else {
            return None;
        };
        let outermost = self.stack.is_empty();
        if outermost || !self.is_executing() || matches!(self.inputs.source, Source::Fixed(_)) {
            return None;
        }
        let program = self.program;
        let declared = program.method(call.method);
        let class = program.class(declared.class).ok()?;
        let Code::Body(body) = program.code(call.method) else {
            return None;
        };
        let inlined = self.deferral.inlined.contains(&call.method);
        if inlined || !class.is_given() || class.is_synthetic || is_small(body, small) {
            return None;
        }
        let subject = Subject { program, given: self.given, contracts: self.contracts };
        let effects = self.deferral.effects.of(subject, call.method);
        // Each activation would need what the next one needs, and more.
        let makes_without_end = effects.is_recursive && !effects.changes.makes.is_empty();
        let can_be_forgotten = !makes_without_end
            && declared.result.is_none_or(|ty| self.is_plain(ty))
            && self.can_forget(call, &effects.changes, state);
        can_be_forgotten.then_some(effects)
    }

    pub(crate) fn next_havoc(&mut self) -> LeafKey {
        self.havocs += 1;
        LeafKey::Havoc(self.havocs)
    }

    /// Remembers an exit of the callee that is being followed.
    pub(crate) fn note_exit(&mut self, state: &State, value: &Option<Value>) {
        if self.deferral.expanding.is_some_and(|e| e.1 == self.stack.len()) && self.is_executing() {
            self.deferral.exits.push((state.clone(), value.clone()));
        }
    }

    /// Follows the code of a deferred call, and works out its equations.
    pub(crate) fn expand(&mut self, number: usize) {
        let deferred = &self.deferral.calls[number];
        if deferred.equations.is_some() {
            return;
        }
        let (call, before) = (deferred.call.clone(), deferred.before.clone());
        self.deferral.reserve = Some(deferred.reserve.clone());
        let stack = std::mem::replace(&mut self.stack, deferred.stack.clone());
        self.deferral.expanding = Some((number, self.stack.len() + 1));
        let declared = self.program.method(call.method);
        let reserved: Vec<Atom> = self.deferral.calls[number].reserve.atoms().collect();
        self.start_naming(declared, &call.args, reserved.into_iter());
        let outcome = self.follow(call.clone(), before.clone());
        self.deferral.expanding = None;
        self.stack = stack;
        let unused = self.deferral.reserve.take().unwrap_or_default();
        if let Some(needed) = unused.overdrawn(&self.deferral.calls[number].reserve) {
            self.deferral.note_need(call.method, needed);
        }
        // The frame condition has no such end.
        if outcome.thrown.is_some_and(|t| !self.is_impossible(t.0.guard)) {
            self.deferral.inline(call.method);
        }
        let mut exits = std::mem::take(&mut self.deferral.exits);
        exits.retain(|e| !e.0.is_dead());
        if exits.len() > MOST_EXITS {
            exits = outcome.normal.into_iter().collect();
        }
        let guards: Vec<Lit> = exits.iter().map(|e| e.0.guard).collect();
        let returns = self.circuit.or_all(guards);
        let mut equations = Vec::new();
        for index in 0..self.deferral.calls[number].outputs.len() {
            let output = &self.deferral.calls[number].outputs[index];
            let (place, unknown, concerns) =
                (output.place, output.unknown.clone(), output.concerns);
            if place == Place::Returns {
                let same = self.circuit.iff(unknown.bits().bit(0), returns);
                let lit = self.circuit.implies(before.guard, same);
                let sentence = self.sentence(declared, &before, place, returns, None);
                let (output, condition, adopted) = (index, before.guard, false);
                equations.push(Equation { output, condition, value: None, lit, sentence, adopted });
                continue;
            }
            let values = self.values_at(place, &call, &exits, &unused);
            if let [(value, _)] = &values[..]
                && is_constant(value)
                && !is_constant(&unknown)
                && !self.deferral.calls[number].reserve.concerns(place, value)
            {
                self.deferral.inline(call.method);
            }
            for (value, condition) in values {
                let sentence = self.sentence(declared, &before, place, condition, Some(&value));
                let condition = self.circuit.and(condition, concerns);
                let same = self.is_value(&unknown, &value);
                let lit = self.circuit.implies(condition, same);
                let (output, value, adopted) = (index, Some(value), false);
                equations.push(Equation { output, condition, value, lit, sentence, adopted });
            }
        }
        self.naming = None;
        self.deferral.calls[number].equations = Some(equations);
    }

    /// What a place holds at the exits, each value once, with where it does.
    fn values_at(
        &mut self,
        place: Place,
        call: &Call,
        exits: &[(State, Option<Value>)],
        unused: &Reserve,
    ) -> Vec<(Value, Lit)> {
        let mut found: Vec<(Value, Lit)> = Vec::new();
        for (state, result) in exits {
            let value = match place {
                Place::Returns => None,
                Place::Result => result.clone(),
                Place::Static(field) => {
                    let written = state.heap.statics.get(field.index()).cloned();
                    Some(written.unwrap_or_else(|| self.initial_static(field)))
                }
                Place::Object(atom, field) => self.field_of(&state.heap, atom, field).ok(),
                Place::Element(atom, index) => {
                    self.array_of(&state.heap, atom).elements.get(index as usize).cloned()
                }
                Place::Made(atom) if unused.has(atom) => Some(Value::boolean(Lit::FALSE)),
                Place::Made(atom) => self.born.get(&atom).map(|born| Value::boolean(*born)),
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

    /// Whether an unknown is a value. An object that the unknown cannot be breaks the abstraction.
    fn is_value(&mut self, unknown: &Value, value: &Value) -> Lit {
        match (unknown, value) {
            (Value::Bits(a), Value::Bits(b)) => self.circuit.bits_eq(a, b),
            (Value::Ref(unknown), Value::Ref(value)) => {
                let mut same = Vec::new();
                for (atom, lit) in value.entries() {
                    let is = unknown.is(*atom);
                    self.deferral.broken |= is == Lit::FALSE;
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
