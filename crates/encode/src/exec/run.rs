//! A run: one method on its arbitrary input, from entry to every end.

use ir::{Method, MethodId, Nullness, Type};
use logic::Lit;
use spec::core::Contract;

use crate::config::{Limits, Objects};
use crate::engine::layout::{Position, Survey};
use crate::engine::run::Called;
use crate::engine::trace::Trace;
use crate::engine::{Assumed, Engine, Escape, Exhausted, Lasso, Run, View};
use crate::graph::Graph;
use crate::state::State;
use crate::state::atom::{AtomInfo, Birth, Name, Point};
use crate::state::goal::{Goal, Property};
use crate::state::heap::Heap;
use crate::state::leaves::LeafKey;
use crate::state::value::{Ref, Value};

/// What a run found out.
pub struct Report {
    /// What may be reached, each with the literal that says so, in a fixed order.
    pub goals: Vec<(Goal, Lit)>,
    /// Set if the run stopped before it had followed everything.
    pub exhausted: Option<Exhausted>,
    /// What is odd about the specification, each in a sentence.
    pub warnings: Vec<String>,
    /// Instructions executed.
    pub instructions: u64,
}

/// The ends of a run, for the decoder.
#[derive(Default)]
pub(crate) struct Ends {
    pub receiver: Option<Value>,
    pub arguments: Vec<Value>,
    /// The heap when the method begins; empty but for objects that the code has made.
    pub entry: Heap,
    /// The calls that have made them.
    pub route: Vec<Called>,
    pub normal: Option<(State, Option<Value>)>,
    pub escapes: Vec<Escape>,
    /// Executions that ended at a call whose precondition they violate.
    pub stops: Vec<Escape>,
    /// Executions that never end.
    pub lassos: Vec<Lasso>,
    assumed: Assumed,
    view: View,
}

impl<'a> Engine<'a> {
    /// Runs a method within `limits`. Running again with other limits shares inputs and circuit.
    pub fn run(&mut self, method: MethodId, limits: &Limits) -> Report {
        self.run_to_ends(method, limits, None);
        self.report()
    }

    /// What the last run found out, and what looking at its end has added: a string that is only
    /// joined then may stop as well.
    pub fn report(&self) -> Report {
        Report {
            goals: self.run.goals.iter().map(|(g, l)| (g.clone(), l)).collect(),
            exhausted: self.run.meter.exhausted(),
            warnings: self.run.clauses.warnings().to_vec(),
            instructions: self.run.meter.executed(),
        }
    }

    /// The same with the ends themselves, and with a trace of the steps where one is given.
    pub(crate) fn run_to_ends(
        &mut self,
        method: MethodId,
        limits: &Limits,
        trace: Option<Trace>,
    ) -> Ends {
        let declared = self.program.method(method);
        let mut state = State::initial();
        let Some(mut ends) = self.start(declared, limits, trace, &mut state) else {
            return Ends::default();
        };
        let args = ends.receiver.iter().chain(&ends.arguments).cloned().collect();
        if let Some(atom) = self.atoms.named(&Name::Constructed) {
            self.first_ghosts(&mut state, atom);
        }
        ends.entry = state.heap.clone();
        let (assumed, view) = self.before(declared, &ends, &mut state);
        let outcome = self.call(method, args, state, false);
        // What is asked about the run may take more.
        self.run.limits.gates_in_time = usize::MAX;
        self.run.graph.close();
        if self.run.meter.exhausted() == Some(Exhausted::Oracle) {
            return Ends::default();
        }
        ends.normal = outcome.normal;
        ends.stops = std::mem::take(&mut self.run.ended.stops);
        ends.lassos = std::mem::take(&mut self.run.ended.lassos);
        // What the run has looked at must satisfy its invariants too, and what the checks look at.
        self.after(declared);
        if !self.is_helper(declared) {
            self.read_the_rest(declared, &ends);
        }
        if let Some((state, result)) = &ends.normal {
            let view = View { result: result.clone(), ..view.clone() };
            let settled = self.settled(state);
            self.check_return(declared, &assumed, &view, &settled);
        }
        (ends.assumed, ends.view) = (assumed, view);
        self.judge_escapes(declared, &mut ends);
        ends
    }

    /// Judges the exceptions that have left the method since this was last asked.
    fn judge_escapes(&mut self, declared: &Method, ends: &mut Ends) {
        for escape in std::mem::take(&mut self.run.ended.escapes) {
            let permitted = self.judge(declared, &escape, &ends.assumed);
            self.check_escape(declared, &ends.assumed, &ends.view, &escape, permitted);
            ends.escapes.push(escape);
        }
        self.after(declared);
    }

    /// Follows a deferred call of the last run.
    pub(crate) fn expand_call(&mut self, number: usize, ends: &mut Ends) {
        let declared = self.program.method(self.run.method);
        self.expand(number);
        ends.stops.append(&mut self.run.ended.stops);
        ends.lassos.append(&mut self.run.ended.lassos);
        self.after(declared);
        self.judge_escapes(declared, ends);
    }

    /// Begins a run and makes the input up: receiver, parameters and the layout. Nothing
    /// if the method cannot even be called, which is then a goal.
    fn start(
        &mut self,
        declared: &Method,
        limits: &Limits,
        trace: Option<Trace>,
        state: &mut State,
    ) -> Option<Ends> {
        let graph = Graph::new(self.part.clone());
        self.run = Run::new(declared.id, limits.clone(), graph, trace);
        self.inputs.start_run();
        self.analyses.learned.begin_run();
        self.start_log(declared.id);
        if self.candidates.relevant.is_empty() {
            (self.candidates.relevant, self.candidates.asked_about) =
                self.find_relevant(declared.class);
        }
        let mut ends = Ends::default();
        if !self.initialise(state, declared.class) {
            return None;
        }
        if let Objects::Made { calls } = self.run.limits.objects {
            return self.make_input(declared, calls, state).map(|(receiver, arguments)| Ends {
                receiver,
                arguments,
                route: std::mem::take(&mut self.run.route),
                ..ends
            });
        }
        if !declared.is_static {
            ends.receiver = Some(Value::Ref(self.receiver(state, declared)));
        }
        match self.parameters(declared) {
            Ok(arguments) => ends.arguments = arguments,
            Err(what) => {
                self.unsupported(state, what);
                return None;
            }
        }
        Some(ends)
    }

    /// Makes the parameters up and lays out what those lead to that are closed; then the others.
    fn parameters(&mut self, method: &Method) -> Result<Vec<Value>, String> {
        let numbers = 0..method.params.len() as u32;
        if self.wants_layout(method) {
            let closed = |n: &u32| self.is_closed(method.params[*n as usize]);
            for number in numbers.clone().filter(closed).collect::<Vec<u32>>() {
                self.parameter(method, number)?;
            }
            self.lay_out(method);
        }
        numbers.map(|number| self.parameter(method, number)).collect()
    }

    /// What the input of a method may be, without running it; `None` if it is not laid out. With
    /// `invariants` they are assumed, and preconditions where arguments are laid out: otherwise nothing
    /// would say what an argument has to do with the rest.
    pub fn survey(
        &mut self,
        method: MethodId,
        limits: &Limits,
        invariants: bool,
    ) -> Option<Survey> {
        let declared = self.program.method(method);
        let mut state = State::initial();
        let ends = self.start(declared, limits, None, &mut state)?;
        if self.is_helper(declared) || !self.any_invariants() {
            return None;
        }
        self.layout.get()?;
        self.layout.survey.is_on = true;
        if invariants {
            self.assume_static_invariants(&state);
            self.assume_invariants();
            if let Some(contract) = self.binding_contract() {
                let view = self.view_before(&ends, &state);
                self.assume_requires(contract, &view, &mut state);
                self.count_clause();
                self.assume_invariants();
            }
        }
        self.settle_order([]);
        if self.layout.is_left() {
            return None;
        }
        self.surveyed()
    }

    /// The contract of the method, if arguments of it are laid out and it requires anything.
    pub fn binding_contract(&self) -> Option<&'a Contract> {
        let positions = &self.layout.get()?.positions;
        let is_argument = |p: &Position| matches!(p.key, LeafKey::Parameter(_));
        let contract = self.contracts.methods.get(&self.run.method)?;
        let requires = contract.cases.iter().any(|case| !case.requires.is_empty());
        (requires && positions.iter().any(is_argument)).then_some(contract)
    }

    /// What clauses speak of before the method.
    fn view_before(&self, ends: &Ends, state: &State) -> View {
        View {
            this: ends.receiver.clone(),
            parameters: ends.arguments.clone(),
            allocated_before: self.atoms.allocated(),
            before: state.heap.clone(),
            ..View::default()
        }
    }

    /// What holds before the method, and what its clauses speak of.
    fn before(&mut self, method: &Method, ends: &Ends, state: &mut State) -> (Assumed, View) {
        let mut view = self.view_before(ends, state);
        let contracts = self.contracts;
        if !self.is_helper(method) {
            self.assume_static_invariants(state);
            self.assume_invariants();
        }
        let assumed = match contracts.methods.get(&method.id) {
            Some(contract) => self.assume_requires(contract, &view, state),
            None => Assumed::default(),
        };
        self.after(method);
        view.allocated_before = self.atoms.allocated();
        (assumed, view)
    }

    pub(crate) fn after(&mut self, method: &Method) {
        self.break_symmetry();
        if !self.is_helper(method) {
            self.assume_invariants();
        } else if self.existence.matters() {
            self.link_liveness();
        }
        self.break_symmetry();
    }

    fn is_helper(&self, method: &Method) -> bool {
        self.contracts.methods.get(&method.id).is_some_and(|c| c.is_helper)
    }

    fn parameter(&mut self, method: &Method, number: u32) -> Result<Value, String> {
        let ty = method.params[number as usize];
        let nullable = self.is_nullable_parameter(method, number);
        self.arbitrary(LeafKey::Parameter(number), ty, nullable)
    }

    /// Whether null may be passed, as far as annotations, contracts and the scope say.
    pub(crate) fn is_nullable_parameter(&self, method: &Method, number: u32) -> bool {
        let specified = self.contracts.methods.get(&method.id);
        let specified = specified.and_then(|c| c.parameter_nullness.get(number as usize));
        let specified = specified.copied().filter(|n| *n != Nullness::Unspecified);
        let nullness = specified.or(method.param_nullness.get(number as usize).copied());
        match nullness.unwrap_or(Nullness::Unspecified) {
            Nullness::Nullable => true,
            Nullness::NonNull => false,
            Nullness::Unspecified => self.scope.nullable_parameters,
        }
    }

    /// The receiver: a fresh object for a constructor, else an input object of any class that
    /// runs this very method.
    pub(crate) fn receiver(&mut self, state: &mut State, method: &Method) -> Ref {
        let mut atoms = Vec::new();
        if &*method.name == "<init>" {
            let atom = self.atoms.named(&Name::Constructed).unwrap_or_else(|| {
                self.atoms.add(AtomInfo {
                    class: method.class,
                    name: Name::Constructed,
                    birth: Birth::Given,
                    at: None,
                    shared: Some(Lit::FALSE),
                    opaque: false,
                    constant: None,
                })
            });
            state.heap.contents_mut(atom);
            return Ref::constant(atom);
        }
        for class in self.receivers(method) {
            let is_enum = |c: &ir::Class| c.is_enum || self.is_enum_body(c);
            if self.program.class(class).is_ok_and(is_enum) {
                let candidates = self.candidates_for(class);
                atoms.extend(candidates.iter().filter(|a| self.atoms.class(**a) == class));
            } else {
                atoms.push(self.input_atom(class, 0, false));
            }
        }
        if atoms.is_empty() {
            atoms.push(self.input_atom(method.class, 0, true));
        }
        atoms.sort_unstable();
        let by_name = &self.atoms;
        let find = |name: &Name| by_name.named(name);
        let key = LeafKey::Receiver;
        let receiver = self.inputs.reference(&mut self.circuit, key.clone(), &atoms, find);
        self.require_initialised(&receiver, &key);
        receiver
    }

    /// The given classes whose objects run this very method.
    pub(crate) fn receivers(&self, method: &Method) -> Vec<ir::ClassId> {
        let runs_it = |class: &ir::ClassId| {
            self.program.class(*class).is_ok_and(|c| c.is_instantiable())
                && self.program.is_subtype(*class, method.class)
                && self.program.select(method.id, *class) == Ok(method.id)
        };
        self.candidates.given.iter().copied().filter(runs_it).collect()
    }

    fn is_enum_body(&self, class: &ir::Class) -> bool {
        let parent = class.superclass.and_then(|s| self.program.class(s).ok());
        parent.is_some_and(|p| p.is_enum)
    }

    /// Decides whether an exception that leaves the method violates a property. The result tells
    /// in which executions it does not.
    fn judge(&mut self, method: &Method, escape: &Escape, assumed: &Assumed) -> Lit {
        let mut violations = Vec::new();
        for (atom, lit) in escape.exception.objects() {
            let info = self.atoms.info(atom);
            let info_class = info.class;
            let property = match info.birth {
                Birth::Raised(property) => property,
                Birth::RaisedInLibrary | Birth::Allocated { given_code: false } => {
                    Property::UncaughtException
                }
                Birth::Given | Birth::Allocated { given_code: true } => continue,
            };
            if self.is_declared(method, info.class) {
                continue;
            }
            let exception = self.program.class_name(info.class).to_string();
            let at = info.at.unwrap_or(Point { method: method.id, line: 0 });
            let announced = self.announced(method, assumed, info_class);
            let lit = self.circuit.and(lit, !announced);
            violations.push(lit);
            let reached = self.circuit.and(escape.state.guard, lit);
            let goal = Goal::Violation { property, at, exception };
            self.run.goals.add(&mut self.circuit, goal, reached);
        }
        !self.circuit.or_all(violations)
    }

    /// Whether `throws` or the documentation announces the exception. `throws Exception` and the
    /// like say nothing about unchecked exceptions.
    fn is_declared(&self, method: &Method, exception: ir::ClassId) -> bool {
        let unchecked = ["java.lang.RuntimeException", "java.lang.Error"]
            .iter()
            .any(|c| self.program.is_subtype(exception, self.program.class_id(c)));
        let documented = self.contracts.methods.get(&method.id).map(|c| &c.documented);
        method.throws.iter().chain(documented.into_iter().flatten()).any(|declared| {
            let name = self.program.class_name(*declared);
            let too_general = matches!(
                name,
                "java.lang.Throwable"
                    | "java.lang.Exception"
                    | "java.lang.RuntimeException"
                    | "java.lang.Error"
            );
            self.program.is_subtype(exception, *declared) && !(unchecked && too_general)
        })
    }

    /// The type of the value behind a leaf, if the leaf has one of Java's types.
    pub fn leaf_type(&self, method: &Method, key: &LeafKey) -> Option<Type> {
        match key {
            LeafKey::Parameter(number) => method.params.get(*number as usize).copied(),
            LeafKey::Static(field) | LeafKey::Field(_, field) => {
                Some(self.program.field(*field).ty)
            }
            LeafKey::Element(name, _) => {
                let atom = self.atoms.named(name)?;
                self.element_type(atom)
            }
            LeafKey::Length(_) | LeafKey::TextLength(_) | LeafKey::Hash(_) => Some(Type::Int),
            LeafKey::Clock(_) => Some(Type::Long),
            LeafKey::Havoc(_) | LeafKey::Route(_) => None,
            LeafKey::Receiver => Some(Type::Ref(method.class)),
            LeafKey::Shared(_)
            | LeafKey::TextWide(_)
            | LeafKey::Live(_)
            | LeafKey::Initialised(_) => Some(Type::Boolean),
        }
    }
}

impl Engine<'_> {
    /// How many variables a leaf has.
    pub fn leaf_variables(&self, key: &LeafKey) -> usize {
        let mut lits: Vec<Lit> = match self.inputs.leaf(key) {
            _ if self.is_ordered(key) => Vec::new(),
            Some(Value::Bits(bits)) => bits.iter().collect(),
            Some(Value::Ref(r)) => r.entries().iter().map(|e| e.1).collect(),
            None => Vec::new(),
        };
        lits.retain(|l| !l.is_constant());
        lits.sort_unstable();
        lits.dedup();
        lits.len()
    }
}
