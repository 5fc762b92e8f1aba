//! From a model to a concrete execution.
//!
//! The model fixes the leaves of the input; the engine then runs again on those constants, with
//! a trace. What that run did is the execution: every step of it went through the same code
//! that produced the formula.

pub mod execution;
mod modelled;
mod objects;

use std::collections::BTreeMap;

use ir::{ClassId, FieldId, MethodId, Program, Type};
use logic::{Bits, Evaluation, Lit};
use rustc_hash::FxHashMap;

use crate::code::Subject;
use crate::config::{Limits, Scope};
use crate::decode::execution::{
    Datum, Execution, FieldDatum, Object, Outcome, Place, RouteCall, Step,
};
use crate::engine::clauses::Slot;
use crate::engine::run::Called;
use crate::engine::trace::{Target, Trace};
use crate::engine::{Engine, Failure, NoOracle};
use crate::exec::run::{Ends, Report};
use crate::state::atom::{Atom, Name, Point};
use crate::state::goal::Goal;
use crate::state::heap::Heap;
use crate::state::leaves::{LeafKey, LeafValue, Source};
use crate::state::value::Value;

pub use crate::state::leaves::Assignment;

/// Reads the leaves of `engine` in a model.
pub fn assignment(engine: &Engine<'_>, model: &Evaluation) -> Assignment {
    let mut found = engine.ordered_values(model);
    for (key, value) in engine.inputs.leaves() {
        if found.contains_key(key) {
            continue;
        }
        let value = match value {
            Value::Bits(bits) => {
                let set = bits.iter().enumerate().filter(|(_, l)| model.value(*l));
                LeafValue::Bits(set.map(|(i, _)| 1u64 << i).sum())
            }
            Value::Ref(r) => match r.entries().iter().find(|e| model.value(e.1)) {
                Some((atom, _)) => LeafValue::Object(engine.atoms.info(*atom).name.clone()),
                None => continue,
            },
        };
        found.insert(key.clone(), value);
    }
    found
}

/// Runs the method on the input of a model and tells what happened. `None` if the run did not
/// come to an end within the limits, which means that the formula and the run disagree.
pub fn execute(
    subject: Subject<'_>,
    scope: &Scope,
    method: MethodId,
    input: Assignment,
    limits: &Limits,
) -> Option<Executed> {
    let source = Source::Fixed(input);
    let mut engine = Engine::new(subject, scope, source, Box::new(NoOracle));
    let ends = engine.run_to_ends(method, limits, Some(Trace::default()));
    let touched = engine.inputs.touched().map(|(k, _)| k.clone()).collect();
    let model = engine.circuit.evaluate(|_| false);
    let reached = engine.run.goals.iter().filter(|g| g.1 == Lit::TRUE);
    let reached: Vec<Goal> = reached.map(|g| g.0.clone()).collect();
    let failures = engine.run.clauses.take_failures();
    let mut decoder = Decoder::new(&mut engine, method, model);
    let (mut execution, failures) = decoder.decode(&ends, failures)?;
    let atoms = decoder.atoms;
    execution.unmodelled = engine.unmodelled(method, &execution, &atoms);
    Some(Executed { execution, touched, reached, failures })
}

/// What a run on constants did.
pub struct Executed {
    pub execution: Execution,
    /// The leaves of the input that it read.
    pub touched: Vec<LeafKey>,
    /// The goals that it reached.
    pub reached: Vec<Goal>,
    /// Why clauses are broken.
    pub failures: BTreeMap<Goal, BrokenClause>,
}

/// Why a clause fails, in Java's terms.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BrokenClause {
    /// The smallest part that fails, where that is less than the whole.
    pub part: Option<String>,
    /// Values of the quantified variables for which it fails.
    pub witness: Vec<(String, Datum)>,
    /// What the part that fails compares, with its values.
    pub sides: Vec<(String, Datum)>,
    pub note: Option<String>,
}

/// A method followed on all inputs at once, of which single inputs can be asked what they do:
/// the formula itself is read, not a second run.
pub struct Symbolic {
    method: MethodId,
    ends: Ends,
    pub report: Report,
}

impl Symbolic {
    /// Runs the method. What `engine` runs later must not be mixed with this.
    pub fn run(engine: &mut Engine<'_>, method: MethodId, limits: &Limits) -> Symbolic {
        let ends = engine.run_to_ends(method, limits, None);
        let symbolic = Symbolic { method, ends, report: engine.report() };
        let goals = symbolic.report.goals.iter().map(|g| g.1);
        engine.settle_order(goals.chain(symbolic.ends()));
        symbolic
    }

    /// Follows a deferred call; the goals that it may reach are added to the report.
    pub fn expand(&mut self, engine: &mut Engine<'_>, call: usize) {
        if engine.deferred()[call].equations.is_some() {
            return;
        }
        engine.expand_call(call, &mut self.ends);
        self.report = engine.report();
        let equations = engine.equations(call).map(|e| e.lit);
        let goals = self.report.goals.iter().map(|g| g.1);
        let asked: Vec<Lit> = equations.chain(goals).collect();
        engine.settle_order(asked);
    }

    /// The literals that say that an end is reached: normal return, then the exceptions, then what
    /// never ends.
    pub fn ends(&self) -> Vec<Lit> {
        let normal = self.ends.normal.iter().map(|n| n.0.guard);
        let exceptional = self.ends.escapes.iter().chain(&self.ends.stops);
        let endless = self.ends.lassos.iter().map(|l| l.state.guard);
        normal.chain(exceptional.map(|e| e.state.guard)).chain(endless).collect()
    }

    /// What the method does on the input of a model, without a trace. `None` if the input
    /// reaches no end.
    pub fn execution(&self, engine: &mut Engine<'_>, model: &Evaluation) -> Option<Execution> {
        let mut model = model.clone();
        engine.circuit.evaluate_more(&mut model, |_| false);
        let mut decoder = Decoder::new(engine, self.method, model);
        Some(decoder.decode(&self.ends, BTreeMap::new())?.0)
    }
}

struct Decoder<'e, 'a> {
    engine: &'e mut Engine<'a>,
    method: MethodId,
    /// Says what is meant by literals; in a fixed run they are constants.
    model: Evaluation,
    /// Objects in the order in which they are discovered.
    atoms: Vec<Atom>,
    index: FxHashMap<Atom, usize>,
    labels: Vec<String>,
    per_class: BTreeMap<String, u32>,
    /// Fields of input objects that the run has read.
    read: FxHashMap<Atom, Vec<FieldId>>,
}

/// How an execution ends.
struct Ending {
    outcome: Outcome,
    trace: Vec<Step>,
    post: Vec<Object>,
    post_statics: Vec<FieldDatum>,
}

impl<'e, 'a> Decoder<'e, 'a> {
    fn new(engine: &'e mut Engine<'a>, method: MethodId, model: Evaluation) -> Decoder<'e, 'a> {
        Decoder {
            engine,
            method,
            model,
            atoms: Vec::new(),
            index: FxHashMap::default(),
            labels: Vec::new(),
            per_class: BTreeMap::new(),
            read: FxHashMap::default(),
        }
    }

    fn decode(
        &mut self,
        ends: &Ends,
        failures: BTreeMap<Goal, Failure>,
    ) -> Option<(Execution, BTreeMap<Goal, BrokenClause>)> {
        let program = self.engine.program;
        let method = program.method(self.method);
        let trace = self.engine.run.trace.take().unwrap_or_default();
        // Looking at the end joins strings that nobody has looked at yet, which may read more of
        // the input: so look once before asking what was read.
        let mut scout = Decoder::new(self.engine, self.method, self.model.clone());
        scout.roots(ends);
        scout.route(ends);
        scout.objects(&ends.entry, true);
        scout.ending(ends, &trace)?;
        let touched: Vec<(LeafKey, Value)> =
            self.engine.inputs.touched().map(|(k, v)| (k.clone(), v.clone())).collect();
        let (receiver, arguments) = self.roots(ends);
        let statics = self.input_statics(&touched);
        self.unreferenced(&touched);
        for (key, _) in &touched {
            if let LeafKey::Field(name, field) = key
                && let Some(atom) = self.engine.atoms.named(name)
            {
                self.read.entry(atom).or_default().push(*field);
            }
        }
        let route = self.route(ends);
        let pre = self.objects(&ends.entry, true);
        let made = (0..pre.len()).filter(|index| self.is_made(self.atoms[*index])).collect();
        let ending = self.ending(ends, &trace)?;
        let failures = failures.into_iter().map(|(g, f)| (g, self.failure(&f))).collect();
        let Ending { outcome, trace, post, post_statics } = ending;
        let (initialised, uninitialised) = self.classes();
        let execution = Execution {
            class: program.class_name(method.class).to_string(),
            method: method.name.to_string(),
            descriptor: method.descriptor.to_string(),
            is_static: method.is_static,
            receiver,
            arguments,
            initialised,
            uninitialised,
            statics,
            pre,
            route,
            made,
            trace,
            outcome,
            post,
            post_statics,
            unrepeatable: unrepeatable(&touched),
            unmodelled: None,
        };
        Some((execution, failures))
    }

    /// The given classes that are initialised first, and those that are not.
    fn classes(&mut self) -> (Vec<String>, Vec<String>) {
        let model = &mut self.model;
        let (first, later) = self.engine.initialised_first(|engine, lit| {
            engine.circuit.evaluate_more(model, |_| false);
            model.value(lit)
        });
        let program = self.engine.program;
        let names = |classes: Vec<ClassId>| {
            classes.into_iter().map(|c| program.class_name(c).to_string()).collect()
        };
        (names(first), names(later))
    }

    fn failure(&mut self, failure: &Failure) -> BrokenClause {
        let mut witness = Vec::new();
        for (name, value) in &failure.witness {
            let ty = match value {
                Value::Bits(bits) if bits.width() == 1 => Type::Boolean,
                Value::Bits(bits) if bits.width() <= 32 => Type::Int,
                Value::Bits(_) => Type::Long,
                Value::Ref(_) => Type::Ref(self.engine.known.object),
            };
            // Only what the pictures show can be named.
            let known =
                self.atom_of(value).is_none_or(|a| a == Atom::NULL || self.index.contains_key(&a));
            if known {
                witness.push((name.clone(), self.datum(value, ty)));
            }
        }
        let mut sides = Vec::new();
        for (text, value, ty) in &failure.sides {
            let atom = self.atom_of(value);
            if atom.is_none_or(|a| a == Atom::NULL || self.index.contains_key(&a)) {
                sides.push((text.clone(), self.datum(value, *ty)));
            }
        }
        let place = failure.place.map(|(place, what)| (self.place_name(place), what));
        let place = place.map(|(place, what)| format!("{place} {what}"));
        let note = failure.note.clone().or(place);
        BrokenClause { part: failure.part.clone(), witness, sides, note }
    }

    fn place_name(&mut self, place: Slot) -> String {
        let program = self.engine.program;
        match place {
            Slot::Field(atom, field) => {
                let index = self.index_of(atom);
                format!("{}.{}", self.labels[index], program.field(field).name)
            }
            Slot::Element(atom, i) => {
                let index = self.index_of(atom);
                format!("{}[{i}]", self.labels[index])
            }
            Slot::Static(field) => {
                let declared = program.field(field);
                let class = ir::program::simple(program.class_name(declared.class));
                format!("{class}.{}", declared.name)
            }
        }
    }

    /// Objects that exist and were looked at, whether or not anything refers to them.
    fn unreferenced(&mut self, touched: &[(LeafKey, Value)]) {
        if !self.engine.existence.matters() {
            return;
        }
        for (key, _) in touched {
            let (LeafKey::Field(name @ Name::Input(..), _) | LeafKey::Length(name)) = key else {
                continue;
            };
            let live = self.engine.atoms.named(name).and_then(|atom| {
                let lit = self.engine.existence.of(atom)?;
                Some((atom, lit))
            });
            if let Some((atom, lit)) = live
                && self.holds(lit)
            {
                self.index_of(atom);
            }
        }
    }

    /// The calls that make the input.
    fn route(&mut self, ends: &Ends) -> Vec<RouteCall> {
        let program = self.engine.program;
        let called: Vec<&Called> = ends.route.iter().filter(|c| self.holds(c.when)).collect();
        let mut calls = Vec::new();
        for call in &called {
            let method = program.method(call.method);
            let this = call.this.as_ref().map(|this| self.datum(this, Type::Ref(method.class)));
            let object = match this {
                Some(Datum::Object(object)) => Some(object),
                _ => None,
            };
            let passed = call.arguments.iter().zip(&method.params);
            calls.push(RouteCall {
                class: program.class_name(method.class).to_string(),
                method: method.name.to_string(),
                descriptor: method.descriptor.to_string(),
                object,
                result: None,
                arguments: passed.map(|(value, ty)| self.datum(value, *ty)).collect(),
            });
        }
        // What a call returns matters if some call is given it: now these are known.
        for (call, shown) in called.iter().zip(&mut calls) {
            let result = call.result.as_ref().and_then(|result| self.atom_of(result));
            let result = result.filter(|atom| self.is_made(*atom));
            shown.result = result.and_then(|atom| self.index.get(&atom).copied());
        }
        calls
    }

    /// Whether it is an object that the calls make.
    fn is_made(&self, atom: Atom) -> bool {
        matches!(self.engine.atoms.info(atom).name, Name::Fresh(_))
    }

    /// The receiver and the arguments by name.
    fn roots(&mut self, ends: &Ends) -> (Option<Datum>, Vec<(String, Datum)>) {
        let method = self.engine.program.method(self.method);
        let receiver = ends.receiver.as_ref().map(|v| self.datum(v, Type::Ref(method.class)));
        let mut arguments = Vec::new();
        for (i, value) in ends.arguments.iter().enumerate() {
            let name = method.param_names.get(i).cloned().unwrap_or(format!("arg{i}"));
            arguments.push((name, self.datum(value, method.params[i])));
        }
        (receiver, arguments)
    }

    /// All objects known so far and those that they lead to.
    fn objects(&mut self, heap: &Heap, before: bool) -> Vec<Object> {
        let mut found = Vec::new();
        while found.len() < self.atoms.len() {
            let object = self.object(heap, self.atoms[found.len()], before);
            found.push(object);
        }
        found
    }

    fn ending(&mut self, ends: &Ends, trace: &Trace) -> Option<Ending> {
        let (heap, outcome) = self.outcome(ends)?;
        let mut steps = self.steps(trace);
        let post_statics = self.final_statics(&heap);
        // The objects of the end are numbered before those that nothing refers to any more.
        self.objects(&heap, false);
        self.follow(trace, &heap, &mut steps);
        Some(Ending { outcome, trace: steps, post: self.objects(&heap, false), post_statics })
    }

    /// Whether a literal is true. Looking at the heap may have made new gates.
    fn holds(&mut self, lit: Lit) -> bool {
        self.engine.circuit.evaluate_more(&mut self.model, |_| false);
        self.model.value(lit)
    }

    fn number(&mut self, bits: &Bits) -> u64 {
        self.engine.circuit.evaluate_more(&mut self.model, |_| false);
        self.model.word(bits)
    }

    fn bits_of(&mut self, value: &Value) -> Option<u64> {
        match value {
            Value::Bits(bits) => Some(self.number(bits)),
            Value::Ref(_) => None,
        }
    }

    fn atom_of(&mut self, value: &Value) -> Option<Atom> {
        match value {
            Value::Ref(r) => r.entries().iter().find(|e| self.holds(e.1)).map(|e| e.0),
            Value::Bits(_) => None,
        }
    }

    fn outcome(&mut self, ends: &Ends) -> Option<(Heap, Outcome)> {
        if let Some((state, value)) = &ends.normal
            && self.holds(state.guard)
        {
            let result = self.engine.program.method(self.method).result;
            let value = value.as_ref().zip(result).map(|(v, ty)| self.datum(v, ty));
            return Some((state.heap.clone(), Outcome::Returned(value)));
        }
        if let Some(lasso) = ends.lassos.iter().find(|l| self.holds(l.state.guard)) {
            let at = place(self.engine.program, lasso.at);
            return Some((lasso.state.heap.clone(), Outcome::Repeats { at, stem: lasso.stem }));
        }
        let mut exceptional = ends.escapes.iter().chain(&ends.stops);
        let escape = exceptional.find(|e| self.holds(e.state.guard))?;
        let atom = self.atom_of(&Value::Ref(escape.exception.clone()))?;
        let info = self.engine.atoms.info(atom).clone();
        let at = info.at.unwrap_or(Point { method: self.method, line: 0 });
        let object = self.index_of(atom);
        let class = self.engine.program.class_name(info.class).to_string();
        let at = place(self.engine.program, at);
        Some((escape.state.heap.clone(), Outcome::Threw { object, class, at }))
    }

    fn input_statics(&mut self, touched: &[(LeafKey, Value)]) -> Vec<FieldDatum> {
        let mut found = Vec::new();
        for (key, value) in touched {
            if let LeafKey::Static(field) = key
                && self.engine.program.field(*field).specified.is_none()
            {
                found.push(self.field_datum(*field, value));
            }
        }
        found
    }

    fn final_statics(&mut self, heap: &Heap) -> Vec<FieldDatum> {
        let program = self.engine.program;
        let written: Vec<(FieldId, Value)> = heap
            .statics
            .entries()
            .into_iter()
            .map(|(i, v)| (FieldId(i as u32), v.clone()))
            .filter(|(f, _)| program.class(program.field(*f).class).is_ok_and(|c| c.is_given()))
            .filter(|(f, _)| program.field(*f).specified.is_none())
            .collect();
        written.iter().map(|(f, v)| self.field_datum(*f, v)).collect()
    }

    fn field_datum(&mut self, field: FieldId, value: &Value) -> FieldDatum {
        let declared = self.engine.program.field(field);
        FieldDatum {
            class: self.engine.program.class_name(declared.class).to_string(),
            name: declared.name.to_string(),
            value: self.datum(value, declared.ty),
        }
    }

    fn datum(&mut self, value: &Value, ty: Type) -> Datum {
        let bits = self.bits_of(value).unwrap_or(0);
        match ty {
            Type::Boolean => Datum::Boolean(bits & 1 == 1),
            Type::Byte => Datum::Byte(bits as i8),
            Type::Char => Datum::Char(bits as u16),
            Type::Short => Datum::Short(bits as i16),
            Type::Int => Datum::Int(bits as i32),
            Type::Long => Datum::Long(bits as i64),
            Type::Float => Datum::Float(bits as u32),
            Type::Double => Datum::Double(bits),
            Type::Ref(_) => match self.atom_of(value) {
                Some(Atom::NULL) | None => Datum::Null,
                Some(atom) => Datum::Object(self.index_of(atom)),
            },
        }
    }

    fn index_of(&mut self, atom: Atom) -> usize {
        if let Some(index) = self.index.get(&atom) {
            return *index;
        }
        let index = self.atoms.len();
        self.atoms.push(atom);
        self.index.insert(atom, index);
        let class = self.engine.program.class_name(self.engine.atoms.class(atom));
        let simple = match class.contains("$$Lambda$") {
            true => "lambda".to_string(),
            false => ir::program::simple(class).to_string(),
        };
        let count = self.per_class.entry(simple.clone()).or_insert(0);
        self.labels.push(format!("{simple}#{count}"));
        *count += 1;
        index
    }

    fn steps(&mut self, trace: &Trace) -> Vec<Step> {
        let program = self.engine.program;
        let mut steps = Vec::new();
        for step in &trace.steps {
            let mut updates = Vec::new();
            for (target, value) in &step.updates {
                let (name, ty) = match target {
                    Target::Variable(name, ty) => (name.clone(), *ty),
                    Target::Field(atom, field) => {
                        let index = self.index_of(*atom);
                        let declared = program.field(*field);
                        (format!("{}.{}", self.labels[index], declared.name), declared.ty)
                    }
                    Target::Static(field) => {
                        let declared = program.field(*field);
                        let class = ir::program::simple(program.class_name(declared.class));
                        (format!("{class}.{}", declared.name), declared.ty)
                    }
                    Target::Element(atom, i) => {
                        let index = self.index_of(*atom);
                        let ty = self.engine.element_type(*atom).unwrap_or(Type::Int);
                        (format!("{}[{i}]", self.labels[index]), ty)
                    }
                };
                updates.push((name, self.datum(value, ty)));
            }
            let locals = step.locals.iter();
            let locals = locals.map(|l| (l.name.clone(), self.datum(&l.value, l.ty))).collect();
            let (objects, statics) = (Vec::new(), Vec::new());
            let place = place(program, step.point);
            steps.push(Step { place, depth: step.depth, updates, locals, objects, statics });
        }
        steps
    }

    /// Says of each step what it changed in the heap: what two heaps share was not changed.
    fn follow(&mut self, trace: &Trace, end: &Heap, steps: &mut [Step]) {
        let mut before = Heap::default();
        let last = steps.len().saturating_sub(1);
        for (index, (raw, step)) in trace.steps.iter().zip(steps).enumerate() {
            let after = match &raw.heap {
                Some(heap) => heap,
                None if index == last => end,
                None => continue,
            };
            let mut next = 0;
            while let Some(atom) = self.atoms.get(next).copied() {
                if !before.shares(after, atom) {
                    step.objects.push((next, self.content(after, atom, false)));
                }
                next += 1;
            }
            let written = self.final_statics(after);
            let known = self.final_statics(&before);
            step.statics = written.into_iter().filter(|f| !known.contains(f)).collect();
            before = after.clone();
        }
    }
}

/// Longest array that an execution shows element by element.
const MOST_ELEMENTS: usize = 1000;

/// A point in Java's terms.
pub fn place(program: &Program, point: Point) -> Place {
    let method = program.method(point.method);
    let class = program.class(method.class);
    Place {
        class: program.class_name(method.class).to_string(),
        method: program.signature(method),
        file: class.ok().and_then(|c| c.source_file.clone()).unwrap_or_default(),
        line: point.line,
    }
}

fn unrepeatable(touched: &[(LeafKey, Value)]) -> Option<String> {
    touched.iter().find_map(|(key, _)| match key {
        LeafKey::Hash(_) => Some("it depends on an identity hash code".to_string()),
        LeafKey::Clock(_) => Some("it depends on the clock".to_string()),
        _ => None,
    })
}
