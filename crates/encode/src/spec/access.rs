//! What a run reads, calls and makes: `accessible`, `callable`, `\only_accessed`, `\only_called`,
//! `\strictly_nothing`, and the conditions of `readable` and `writable`.
//!
//! Accesses are written down as they happen, each with the executions in which it does, and
//! compared with what is allowed where the method ends. Only what existed before the call counts.
//! Final fields, the length of arrays and what library code does with its own objects do not.

use std::collections::{BTreeMap, BTreeSet};

use ir::{Code, FieldId, Method, MethodId, Op};
use logic::{Bits, Lit};
use spec::core::{Case, Contracts, Location, Statement, Term, TermKind};

use crate::code::{Subject, callees};
use crate::config::Calls;
use crate::engine::clauses::{Log, Slot};
use crate::engine::{Engine, View};
use crate::spec::Evaluator;
use crate::state::State;
use crate::state::atom::{Atom, Name, Point};
use crate::state::goal::{Goal, Property};
use crate::state::value::{Ref, Value};

/// Methods that javac calls where the source calls nothing.
const SILENT: [&str; 9] = [
    "valueOf",
    "booleanValue",
    "byteValue",
    "charValue",
    "shortValue",
    "intValue",
    "longValue",
    "floatValue",
    "doubleValue",
];

/// Whether a method can only be checked with the code of what it calls: what is only known by
/// its effects tells neither its accesses nor its measures.
pub fn needs_code(subject: Subject<'_>, method: MethodId, calls: Calls) -> bool {
    match calls {
        Calls::Inline => false,
        Calls::Contract => observes(subject.contracts, method),
        Calls::Infer { .. } => observes(subject.contracts, method) || watches(subject, method),
    }
}

/// Whether something is specified about what happens on the way through a method and what it calls.
fn watches(subject: Subject<'_>, method: MethodId) -> bool {
    let contracts = subject.contracts;
    let is_measured = |case: &Case| !case.measured_by.is_empty();
    let counts = |s: &Statement| matches!(s, Statement::Count(_));
    let rules = contracts.classes.values().flat_map(|c| &c.access);
    let guarded: BTreeSet<FieldId> = rules.map(|rule| rule.field).collect();
    let counted = contracts.marks.values().filter(|mark| mark.statements.iter().any(counts));
    let counted: BTreeSet<MethodId> = counted.map(|mark| mark.method).collect();
    let measured = |m| contracts.methods.get(m).is_some_and(|c| c.cases.iter().any(is_measured));
    let touches = |op: &Op| match op {
        Op::GetField { field, .. }
        | Op::PutField { field, .. }
        | Op::GetStatic { field, .. }
        | Op::PutStatic { field, .. } => {
            subject.program.resolve_field(*field).is_ok_and(|field| guarded.contains(&field))
        }
        _ => false,
    };
    let methods = callees::reachable(subject, method);
    methods.iter().any(|m| {
        measured(m)
            || counted.contains(m)
            || !guarded.is_empty() && callees::instructions(subject, *m).any(touches)
    })
}

/// Whether something is specified about the accesses of a method.
fn observes(contracts: &Contracts, method: MethodId) -> bool {
    let contract = contracts.methods.get(&method);
    let cases = contract.map_or(&[][..], |c| &c.cases);
    let in_case = |case: &Case| {
        !case.accessible.is_empty()
            || !case.callable.is_empty()
            || case.assignable.iter().any(|a| a.is_strict)
            || case.promises().any(asks)
    };
    let marks = contracts.marks.values().filter(|mark| mark.method == method);
    cases.iter().any(in_case)
        || marks.flat_map(|mark| &mark.statements).flat_map(Statement::terms).any(asks)
}

fn asks(term: &Term) -> bool {
    term.any(&mut |part| matches!(part.kind, TermKind::OnlyRead(_) | TermKind::OnlyCalled(_)))
}

fn add<K: Ord>(
    engine: &mut Engine<'_>,
    log: impl Fn(&mut Log) -> &mut BTreeMap<K, Lit>,
    key: K,
    lit: Lit,
) {
    let entry = *log(&mut engine.run.clauses.log).get(&key).unwrap_or(&Lit::FALSE);
    let lit = engine.circuit.or(entry, lit);
    log(&mut engine.run.clauses.log).insert(key, lit);
}

impl<'a> Engine<'a> {
    /// Forgets what the run before has accessed.
    pub(crate) fn start_log(&mut self, method: MethodId) {
        self.run.clauses.log = Log { is_kept: observes(self.contracts, method), ..Log::default() };
    }

    fn is_logging(&self) -> bool {
        self.run.clauses.log.is_kept && self.is_executing()
    }

    fn existed_before(&self, atom: Atom) -> bool {
        matches!(self.atoms.info(atom).name, Name::Input(..) | Name::Initialiser(..))
    }

    /// A field is read through a reference that is not null.
    pub(crate) fn log_field(&mut self, state: &State, object: &Ref, field: FieldId) {
        if !self.is_logging() || !self.is_location(field) {
            return;
        }
        let object = object.restrict(&state.facts, |a| a != Atom::NULL);
        for (atom, lit) in object.objects() {
            if self.existed_before(atom) {
                let lit = self.circuit.and(state.guard, lit);
                let key = (Slot::Field(atom, field), self.user_point());
                add(self, |log| &mut log.reads, key, lit);
            }
        }
    }

    pub(crate) fn log_static(&mut self, state: &State, field: FieldId) {
        if self.is_logging() && self.is_location(field) {
            let key = (Slot::Static(field), self.user_point());
            add(self, |log| &mut log.reads, key, state.guard);
        }
    }

    fn is_location(&self, field: FieldId) -> bool {
        let declared = self.program.field(field);
        let is_given = self.program.class(declared.class).is_ok_and(|c| c.is_given());
        is_given && !declared.is_final && !declared.is_synthetic
    }

    /// An element is read at an index that is within bounds.
    pub(crate) fn log_element(&mut self, state: &State, array: &Ref, index: &Bits) {
        if !self.is_logging() {
            return;
        }
        for (atom, lit) in array.restrict(&state.facts, |a| a != Atom::NULL).objects() {
            if !self.existed_before(atom) {
                continue;
            }
            let lit = self.circuit.and(state.guard, lit);
            let slots = self.array_of(&state.heap, atom).elements.len() as u32;
            for slot in 0..slots {
                let here = Bits::constant(32, u64::from(slot));
                let here = self.circuit.bits_eq(index, &here);
                let lit = self.circuit.and(lit, here);
                if lit != Lit::FALSE {
                    let key = (Slot::Element(atom, slot), self.user_point());
                    add(self, |log| &mut log.reads, key, lit);
                }
            }
        }
    }

    pub(crate) fn log_new(&mut self, state: &State) {
        if self.is_logging() {
            let key = self.user_point();
            add(self, |log| &mut log.made, key, state.guard);
        }
    }

    /// A method is called, by given code or as given code.
    pub(crate) fn log_call(&mut self, method: &Method, args: &[Value], state: &State) {
        let is_implicit = std::mem::take(&mut self.run.clauses.log.is_implicit);
        if !self.is_logging() || self.run.stack.is_empty() {
            return;
        }
        let class = self.program.class(method.class).ok();
        let is_given = class.is_some_and(|c| c.is_given());
        if !is_given && !self.in_given_code() {
            return;
        }
        let name = self.program.method_name(method.id);
        if self.contract_for(method.id).is_some() {
            let what = format!("what {name} reads and calls, which only its contract tells");
            add(self, |log| &mut log.unknown, what, state.guard);
        }
        let is_intrinsic = matches!(self.program.code(method.id), Code::Intrinsic(_));
        if is_intrinsic && matches!(&*method.name, "arraycopy" | "clone") {
            let of_arrays = args.iter().flat_map(Value::atoms);
            if of_arrays.into_iter().any(|a| a != Atom::NULL && self.existed_before(a)) {
                let what = format!("which elements {name} reads");
                add(self, |log| &mut log.unknown, what, state.guard);
            }
        }
        let written_by_compiler =
            method.is_synthetic || method.is_bridge || class.is_some_and(|c| c.is_synthetic);
        let is_silent = SILENT.contains(&&*method.name) && self.known.boxed(method.class).is_some();
        let is_root = &*method.name == "<init>" && method.class == self.known.object;
        if !written_by_compiler && !is_silent && !is_root && !is_implicit {
            let key = (method.id, self.user_point());
            add(self, |log| &mut log.calls, key, state.guard);
        }
    }

    /// Checks what a case says about reading, calling and making objects.
    pub(super) fn check_access(&mut self, case: &'a Case, view: &View, state: &State) {
        for frame in &case.accessible {
            let Some(locations) = &frame.locations else {
                continue;
            };
            let wrong = self.apart(state, &frame.site, |engine, mut state| {
                Evaluator::new(engine, view).reads_beyond(&mut state, locations)
            });
            let (wrong, unknown) = wrong;
            let known = self.circuit.and(state.guard, !unknown);
            for ((place, at), lit) in wrong {
                let broken = self.circuit.and(known, lit);
                let goal = self.break_goal_at(Property::Accessible, &frame.site, at, broken);
                if let Some(goal) = goal {
                    self.note_read(goal, place);
                }
            }
            self.admit_unknown(state);
        }
        for callable in &case.callable {
            let Some(methods) = &callable.methods else {
                continue;
            };
            for ((method, at), lit) in self.calls_beyond(methods) {
                let broken = self.circuit.and(state.guard, lit);
                let goal = self.break_goal_at(Property::Callable, &callable.site, at, broken);
                let note = format!("{} is called", self.program.method_name(method));
                self.note(goal, &note);
            }
            self.admit_unknown(state);
        }
        for frame in case.assignable.iter().filter(|frame| frame.is_strict) {
            for (at, lit) in self.run.clauses.log.made.clone() {
                let broken = self.circuit.and(state.guard, lit);
                let goal = self.break_goal_at(Property::Assignable, &frame.site, at, broken);
                self.note(goal, "an object is made");
            }
        }
    }

    fn admit_unknown(&mut self, state: &State) {
        for (what, lit) in self.run.clauses.log.unknown.clone() {
            let lit = self.circuit.and(state.guard, lit);
            self.run.goals.add(&mut self.circuit, Goal::Unspecified { what }, lit);
        }
    }

    /// Calls of other methods than these and those that override them.
    fn calls_beyond(&self, methods: &[MethodId]) -> Vec<((MethodId, Option<Point>), Lit)> {
        let program = self.program;
        let is_meant = |called: MethodId| {
            let class = program.method(called).class;
            methods.iter().any(|listed| {
                *listed == called || {
                    let listed_method = program.method(*listed);
                    !listed_method.is_static
                        && program.is_subtype(class, listed_method.class)
                        && program.select(*listed, class) == Ok(called)
                }
            })
        };
        let calls = self.run.clauses.log.calls.iter().filter(|((called, _), _)| !is_meant(*called));
        calls.map(|(key, lit)| (*key, *lit)).collect()
    }

    /// Checks the conditions under which a field may be read or written. A constructor may do
    /// with the fields of its class what it wants.
    pub(crate) fn check_rules(
        &mut self,
        state: &State,
        object: Option<&Ref>,
        field: FieldId,
        writes: bool,
    ) {
        let class = self.program.field(field).class;
        let contracts = self.contracts;
        let Some(contract) = contracts.classes.get(&class).filter(|c| !c.access.is_empty()) else {
            return;
        };
        let innermost = self.run.stack.last().map(|a| self.program.method(a.method));
        let is_constructor = innermost.is_some_and(|m| &*m.name == "<init>" && m.class == class);
        if !self.is_executing() || !self.in_given_code() || is_constructor {
            return;
        }
        let property = if writes { Property::Writable } else { Property::Readable };
        for rule in contract.access.iter().filter(|r| r.field == field && r.writes == writes) {
            let Some(object) = object else {
                self.must_hold(property, &View::default(), state, &rule.condition);
                continue;
            };
            for (atom, lit) in object.restrict(&state.facts, |a| a != Atom::NULL).objects() {
                let mut inside = state.clone();
                inside.assume(&mut self.circuit, lit);
                let view = self.view_of(atom);
                self.must_hold(property, &view, &inside, &rule.condition);
            }
        }
    }

    /// In a recursive call the measures are less than in the call that it is part of.
    pub(crate) fn check_measures(&mut self, method: &Method, args: &[Value], state: &State) {
        let contracts = self.contracts;
        let cases = contracts.methods.get(&method.id).map_or(&[][..], |c| &c.cases);
        if !self.is_executing() || cases.iter().all(|case| case.measured_by.is_empty()) {
            return;
        }
        let around = self.run.stack.iter().rev().find(|a| a.method == method.id);
        let Some(entry) = around.and_then(|a| a.entry.clone()) else {
            return;
        };
        let of = |args: &[Value]| View {
            this: (!method.is_static).then(|| args[0].clone()),
            parameters: args[usize::from(!method.is_static)..].to_vec(),
            ..View::default()
        };
        let (now, then) = (of(args), of(&entry.arguments));
        for case in cases.iter().filter(|case| !case.measured_by.is_empty()) {
            let mut inside = state.clone();
            for clause in &case.requires {
                let holding = self.holds(&now, &inside, clause);
                inside.assume(&mut self.circuit, holding.holds);
            }
            if inside.is_dead() {
                continue;
            }
            let mut before = inside.clone();
            before.heap = entry.heap.clone();
            let (mut less, mut equal, mut known) = (Lit::FALSE, Lit::TRUE, inside.guard);
            for clause in &case.measured_by {
                let (value, unknown) = self.measure(&now, &inside, clause);
                let (last, unknown_before) = self.measure(&then, &before, clause);
                known = self.circuit.and(known, !unknown);
                known = self.circuit.and(known, !unknown_before);
                let smaller = self.circuit.lt_signed(&value, &last);
                let smaller = self.circuit.and(smaller, !last.sign());
                let here = self.circuit.and(equal, smaller);
                less = self.circuit.or(less, here);
                let same = self.circuit.bits_eq(&value, &last);
                equal = self.circuit.and(equal, same);
            }
            let broken = self.circuit.and(known, !less);
            let site = &case.measured_by[0].site;
            let goal = self.break_goal(Property::Decreases, site, broken);
            self.note(goal, "this is not less than in the call around, or that was negative");
        }
    }

    fn measure(&mut self, view: &View, state: &State, clause: &spec::core::Clause) -> (Bits, Lit) {
        let (value, unknown) = self.apart(state, &clause.site, |engine, mut state| {
            Evaluator::new(engine, view).meaning(&mut state, &clause.term).number()
        });
        (self.circuit.sign_extend(&value, 64), unknown)
    }
}

impl Evaluator<'_, '_> {
    /// What has been read outside of these locations.
    fn reads_beyond(
        &mut self,
        state: &mut State,
        locations: &[Location],
    ) -> Vec<((Slot, Option<Point>), Lit)> {
        let allowed =
            self.old(state, |e, s| locations.iter().map(|l| e.allowed(s, l)).collect::<Vec<_>>());
        let mut found = Vec::new();
        for (key, lit) in self.engine.run.clauses.log.reads.clone() {
            let may = self.engine.may_assign(&allowed, key.0, false);
            let beyond = self.engine.circuit.and(lit, !may);
            found.push((key, beyond));
        }
        found
    }

    /// Whether nothing else has been read, in the method that is checked.
    pub(super) fn only_read(&mut self, state: &mut State, locations: &[Location]) -> Lit {
        if !self.is_logged(state) {
            return Lit::TRUE;
        }
        let beyond = self.reads_beyond(state, locations);
        !self.engine.circuit.or_all(beyond.into_iter().map(|b| b.1))
    }

    pub(super) fn only_called(&mut self, state: &mut State, methods: &[MethodId]) -> Lit {
        if !self.is_logged(state) {
            return Lit::TRUE;
        }
        let beyond = self.engine.calls_beyond(methods);
        !self.engine.circuit.or_all(beyond.into_iter().map(|b| b.1))
    }

    fn is_logged(&mut self, state: &mut State) -> bool {
        if self.engine.run.clauses.log.is_kept && !self.view.is_outside {
            self.engine.admit_unknown(state);
            return true;
        }
        let what = "what a called method has read and called is not known where it is called";
        self.engine.unspecified(state, what.into());
        false
    }

    /// Whether these locations are as they were before the call.
    pub(crate) fn unchanged(&mut self, state: &mut State, locations: &[Location]) -> Lit {
        self.no_difference(state, locations, true)
    }

    /// Whether all other locations are.
    pub(super) fn only_changed(&mut self, state: &mut State, locations: &[Location]) -> Lit {
        self.no_difference(state, locations, false)
    }

    fn no_difference(&mut self, state: &mut State, locations: &[Location], inside: bool) -> Lit {
        let named =
            self.old(state, |e, s| locations.iter().map(|l| e.allowed(s, l)).collect::<Vec<_>>());
        let (before, after) = (self.view.before.clone(), state.heap.clone());
        let mut all = Vec::new();
        for (place, changed) in self.engine.differences(&before, &after) {
            let is_named = self.engine.may_assign(&named, place, false);
            let counts = if inside { is_named } else { !is_named };
            let exists = self.engine.existed(place);
            let counts = self.engine.circuit.and(counts, exists);
            all.push(!self.engine.circuit.and(changed, counts));
        }
        self.engine.circuit.and_all(all)
    }
}
