//! Calls through contracts: the preconditions are checked, what the contract lets the callee
//! change becomes arbitrary, and what it ensures is assumed (Jackson & Vaziri, section 3.10).
//!
//! A callee may bring new objects into being: as many of each class as the scope admits in the
//! input, for each call.

use ir::{ClassId, FieldId, Method, MethodId, Nullness, Type};
use logic::Lit;
use spec::core::{Case, Contract, Ends, Site};

use crate::atom::{Atom, Birth, Name};
use crate::config::Calls;
use crate::engine::Engine;
use crate::exec::Outcome;
use crate::goal::Property;
use crate::heap::Array;
use crate::inputs::LeafKey;
use crate::spec::frame::{Allowed, Place};
use crate::spec::{Evaluator, Holding, View};
use crate::state::State;
use crate::value::{self, Ref, Value};

impl<'a> Engine<'a> {
    /// The contract that stands for a call, if one does.
    pub(crate) fn contract_for(&self, method: MethodId) -> Option<&'a Contract> {
        let contract = self.contracts.methods.get(&method)?;
        let outermost = self.stack.is_empty();
        let has_code =
            matches!(self.program.code(method), ir::Code::Body(_) | ir::Code::Intrinsic(_));
        let wanted = !has_code || (self.limits.calls == Calls::Contract && !outermost);
        (wanted && !contract.cases.is_empty() && contract.gaps.is_empty() && self.is_executing())
            .then_some(contract)
    }

    /// A call of which only the contract is known.
    pub(crate) fn call_by_contract(
        &mut self,
        method: &Method,
        contract: &'a Contract,
        args: Vec<Value>,
        mut state: State,
    ) -> Outcome {
        self.abstracted = true;
        let first = usize::from(!method.is_static);
        let mut view = View {
            this: (!method.is_static).then(|| args[0].clone()),
            parameters: args[first..].to_vec(),
            before: state.heap.clone(),
            allocated_before: self.fresh,
            ..View::default()
        };
        self.check_arguments(contract, &view, &mut state);
        let active = self.check_requires(contract, &view, &mut state);
        if !contract.is_helper {
            self.check_invariants_at_call(method, &args, &state);
        }
        if state.is_dead() {
            return Outcome::default();
        }
        let mut after = state.clone();
        let pool = self.new_objects(method, contract, &mut after);
        view.allocated_before = view.allocated_before.min(self.fresh);
        self.havoc(method, contract, &active, &view, &pool, &mut after);
        let thrown = self.thrown_by_contract(contract, &active, &view, &mut after);
        let result = method.result.map(|ty| {
            let nullable = contract.result_nullness.as_ref().map(|n| n.nullness);
            let nullable = nullable.unwrap_or(method.result_nullness) != Nullness::NonNull;
            self.any_value(ty, nullable, &pool)
        });
        view.result = result.clone();
        for (case, active) in contract.cases.iter().zip(&active) {
            if case.ends == Ends::Exceptionally {
                after.assume(&mut self.circuit, !*active);
            }
            for clause in &case.ensures {
                let mut inside = after.clone();
                inside.assume(&mut self.circuit, *active);
                if inside.is_dead() {
                    continue;
                }
                let Holding { holds, unknown, .. } = self.holds(&view, &inside, clause);
                let allowed = self.circuit.or(holds, unknown);
                let allowed = self.circuit.implies(*active, allowed);
                after.assume(&mut self.circuit, allowed);
            }
        }
        self.assume_invariants_after(contract, &view, &mut after);
        let normal = (!after.is_dead()).then_some((after, result));
        Outcome { normal, thrown }
    }

    fn check_arguments(&mut self, contract: &'a Contract, view: &View, state: &mut State) {
        for (number, nullness) in contract.parameter_nullness.iter().enumerate() {
            let Some(Value::Ref(argument)) = view.parameters.get(number) else {
                continue;
            };
            if *nullness != Nullness::NonNull {
                continue;
            }
            let null = argument.restrict(&state.facts, |_| true).is_null();
            let broken = self.circuit.and(state.guard, null);
            let name = contract.parameters.get(number).cloned().unwrap_or_default();
            if let Some(case) = contract.cases.first() {
                let text = format!("the parameter {name} is non-null").into();
                let site = Site { text, ..case.site.clone() };
                self.break_goal(Property::Requires, &site, broken);
            }
            state.assume(&mut self.circuit, !null);
        }
    }

    /// Checks the preconditions; for each case whether they hold.
    fn check_requires(
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
        state.assume(&mut self.circuit, any);
        active
    }

    /// The invariants of the objects that the call gets.
    fn check_invariants_at_call(&mut self, method: &Method, args: &[Value], state: &State) {
        let constructor = &*method.name == "<init>";
        for (number, value) in args.iter().enumerate() {
            let Value::Ref(object) = value else {
                continue;
            };
            if constructor && number == 0 {
                continue;
            }
            for (atom, lit) in object.restrict(&state.facts, |_| true).objects() {
                let mut inside = State { facts: Default::default(), ..state.clone() };
                inside.assume(&mut self.circuit, lit);
                let view = self.view_of(atom);
                for (_, clause) in self.invariants_of(self.atoms.class(atom)) {
                    if let Some(clause) = clause {
                        self.must_hold(Property::Invariant, &view, &inside, clause);
                    }
                }
            }
        }
    }

    /// Objects that the callee may allocate: of the classes that its result and the fields it may
    /// change can hold. Their fields are arbitrary.
    fn new_objects(
        &mut self,
        method: &Method,
        contract: &Contract,
        state: &mut State,
    ) -> Vec<Atom> {
        if contract.is_pure && !matches!(method.result, Some(Type::Ref(_))) {
            return Vec::new();
        }
        let mut classes: Vec<ClassId> = Vec::new();
        for class in self.relevant.clone().iter().copied() {
            let Ok(loaded) = self.program.class(class) else {
                continue;
            };
            if loaded.is_given()
                && loaded.is_instantiable()
                && !loaded.is_enum
                && !loaded.is_synthetic
            {
                classes.push(class);
            }
        }
        let mut pool = Vec::new();
        for class in classes {
            for _ in 0..self.scope.of(self.program.class_name(class)) {
                let atom = self.allocate(class, Birth::Allocated { given_code: true });
                state.heap.contents_mut(atom);
                let flag = self.next_havoc();
                let used = self.inputs.flag(&mut self.circuit, flag);
                let born = self.circuit.and(state.guard, used);
                self.born.insert(atom, born);
                self.completed.insert(atom, born);
                pool.push(atom);
            }
        }
        for atom in pool.clone() {
            for field in self.given_fields(self.atoms.class(atom)) {
                let ty = self.program.field(field).ty;
                let value = self.any_value(ty, true, &pool);
                state.heap.contents_mut(atom).set_field(field, value);
            }
        }
        pool
    }

    fn next_havoc(&mut self) -> LeafKey {
        self.havocs += 1;
        LeafKey::Havoc(self.havocs)
    }

    fn given_fields(&self, class: ClassId) -> Vec<FieldId> {
        let program = self.program;
        let supertypes = program.class(class).map(|c| c.supertypes()).unwrap_or_default();
        let owners = supertypes.iter().filter_map(|c| program.class(*c).ok());
        let fields = owners.filter(|c| c.is_given()).flat_map(|c| c.fields.iter().copied());
        fields.filter(|f| !program.field(*f).is_static).collect()
    }

    /// Any value of a type, new objects included. A new object that something refers to exists.
    fn any_value(&mut self, ty: Type, nullable: bool, pool: &[Atom]) -> Value {
        let key = self.next_havoc();
        let Type::Ref(class) = ty else {
            return self.arbitrary(key, ty, nullable).unwrap_or_else(|_| self.default_of(ty));
        };
        let mut atoms: Vec<Atom> = nullable.then_some(Atom::NULL).into_iter().collect();
        atoms.extend(self.candidates_for(class).iter().copied());
        let own = [self.atoms.named(&Name::Constructed)];
        let made: Vec<Atom> = self.born.keys().copied().chain(own.into_iter().flatten()).collect();
        atoms.extend(
            made.into_iter().chain(pool.iter().copied()).filter(|a| self.atom_is_a(*a, class)),
        );
        atoms.sort_unstable();
        atoms.dedup();
        if atoms.is_empty() {
            atoms.push(Atom::NULL);
        }
        let by_name = &self.atoms;
        let value =
            self.inputs.reference(&mut self.circuit, key.clone(), &atoms, |n| by_name.named(n));
        for (atom, lit) in value.objects() {
            if let (true, Some(born)) = (pool.contains(&atom), self.born.get(&atom).copied()) {
                let implied = self.circuit.implies(lit, born);
                self.inputs.require(implied, key.clone());
            }
        }
        Value::Ref(value)
    }

    /// Makes arbitrary what the contract lets the callee change.
    fn havoc(
        &mut self,
        method: &Method,
        contract: &'a Contract,
        active: &[Lit],
        view: &View,
        pool: &[Atom],
        state: &mut State,
    ) {
        let frames: Vec<(Lit, Option<Vec<Allowed>>)> = contract
            .cases
            .iter()
            .zip(active)
            .map(|(case, active)| (*active, self.frame_of(contract, case, view, state)))
            .collect();
        for place in self.all_places(&frames, pool) {
            let mut may = Lit::TRUE;
            for (active, frame) in &frames {
                if let Some(allowed) = frame {
                    let constructor = &*method.name == "<init>" && view.this.as_ref().is_some_and(
                        |this| matches!(place, Place::Field(a, _) if this.reference().as_constant() == Some(a)),
                    );
                    let inside = match constructor {
                        true => Lit::TRUE,
                        false => self.may_assign(allowed, place, false),
                    };
                    let inside = self.circuit.implies(*active, inside);
                    may = self.circuit.and(may, inside);
                }
            }
            if may != Lit::FALSE {
                self.havoc_place(place, may, pool, state);
            }
        }
    }

    /// The locations of a case; `None` for everything.
    fn frame_of(
        &mut self,
        contract: &Contract,
        case: &'a Case,
        view: &View,
        state: &State,
    ) -> Option<Vec<Allowed>> {
        let Some(frame) = case.assignable.first() else {
            return contract.is_pure.then(Vec::new);
        };
        let locations = frame.locations.as_ref()?;
        let (allowed, _) = self.apart(state, &frame.site, |engine, mut state| {
            let mut evaluator = Evaluator::new(engine, view);
            evaluator.old(&mut state, |e, s| {
                locations.iter().filter_map(|l| e.allowed(s, l)).collect::<Vec<_>>()
            })
        });
        Some(allowed)
    }

    /// Every place that a frame may mean: with a frame of everything, all that there is.
    fn all_places(&mut self, frames: &[(Lit, Option<Vec<Allowed>>)], pool: &[Atom]) -> Vec<Place> {
        let mut atoms: Vec<Atom> = Vec::new();
        let everything = frames.iter().any(|f| f.1.is_none());
        for class in self.relevant.clone().iter().copied() {
            if everything && self.program.class(class).is_ok_and(|c| c.is_given()) {
                atoms.extend(self.candidates_for(class).iter().copied());
            }
        }
        if everything {
            let known = 1..self.atoms.len() as u32;
            atoms.extend(known.map(Atom).filter(|a| {
                matches!(
                    self.atoms.info(*a).name,
                    Name::Input(..) | Name::Fresh(_) | Name::Constructed
                )
            }));
        }
        let named = frames.iter().flat_map(|f| f.1.iter().flatten());
        for allowed in named {
            if let Allowed::Field(r, _) | Allowed::Fields(r) | Allowed::Elements(r, _) = allowed {
                atoms.extend(r.objects().map(|e| e.0));
            }
        }
        atoms.sort_unstable();
        atoms.dedup();
        atoms.retain(|a| !pool.contains(a) && !self.atoms.info(*a).opaque);
        let mut places = Vec::new();
        for atom in atoms {
            if self.element_type(atom).is_some() {
                places.push(Place::Element(atom, 0));
                continue;
            }
            let fields = self.given_fields(self.atoms.class(atom));
            let fields = fields.into_iter().filter(|f| !self.program.field(*f).is_final);
            places.extend(fields.map(|f| Place::Field(atom, f)));
        }
        for class in self.relevant.iter() {
            let fields = self.program.class(*class).map(|c| &c.fields[..]).unwrap_or_default();
            places.extend(
                fields
                    .iter()
                    .filter(|f| {
                        let field = self.program.field(**f);
                        field.is_static && !field.is_final && !field.is_synthetic
                    })
                    .map(|f| Place::Static(*f)),
            );
        }
        places
    }

    fn havoc_place(&mut self, place: Place, may: Lit, pool: &[Atom], state: &mut State) {
        match place {
            Place::Field(atom, field) => {
                let Ok(old) = self.field_of(&state.heap, atom, field) else {
                    return;
                };
                let any = self.any_value(self.program.field(field).ty, true, pool);
                let new = value::choose(&mut self.circuit, may, &any, &old);
                state.heap.contents_mut(atom).set_field(field, new);
            }
            Place::Static(field) => {
                let old = state.heap.statics.get(field.index()).cloned();
                let old = old.unwrap_or_else(|| self.initial_static(field));
                let any = self.any_value(self.program.field(field).ty, true, pool);
                let new = value::choose(&mut self.circuit, may, &any, &old);
                state.heap.statics.set(field.index(), new);
            }
            Place::Element(atom, _) => {
                let array = self.array_of(&state.heap, atom);
                let ty = self.element_type(atom).unwrap_or(Type::Int);
                let mut elements = Vec::new();
                for old in array.elements.iter() {
                    let any = self.any_value(ty, true, pool);
                    elements.push(value::choose(&mut self.circuit, may, &any, old));
                }
                let elements = std::rc::Rc::new(elements);
                state.heap.contents_mut(atom).array =
                    Some(Array { length: array.length, elements });
            }
        }
    }

    /// The exceptions that the contract announces: each may come.
    fn thrown_by_contract(
        &mut self,
        contract: &'a Contract,
        active: &[Lit],
        view: &View,
        after: &mut State,
    ) -> Option<(State, Ref)> {
        let mut announced: Vec<(Lit, ClassId)> = Vec::new();
        for (case, active) in contract.cases.iter().zip(active) {
            if case.ends == Ends::Normally {
                continue;
            }
            let only = case.signals_only.iter().flat_map(|o| o.exceptions.iter().copied());
            let signals = case.signals.iter().map(|s| s.exception);
            let classes = match case.signals_only.is_some() {
                true => only.collect::<Vec<_>>(),
                false => signals.collect(),
            };
            announced.extend(classes.into_iter().map(|c| (*active, c)));
        }
        let mut outcome: Option<(State, Option<Value>)> = None;
        for (active, class) in announced {
            let flag = self.next_havoc();
            let chosen = self.inputs.flag(&mut self.circuit, flag);
            let mut thrown = after.clone();
            let here = self.circuit.and(active, chosen);
            thrown.assume(&mut self.circuit, here);
            after.assume(&mut self.circuit, !here);
            if thrown.is_dead() {
                continue;
            }
            let atom = self.allocate(class, Birth::Allocated { given_code: true });
            thrown.heap.contents_mut(atom);
            let exception = Ref::constant(atom);
            self.assume_signals(contract, view, &mut thrown, &exception);
            let end = (thrown, Some(Value::Ref(exception)));
            outcome = Some(match outcome {
                None => end,
                Some(earlier) => self.join_results(earlier, end),
            });
        }
        let (state, exception) = outcome?;
        Some((state, exception?.reference().clone()))
    }

    fn assume_signals(
        &mut self,
        contract: &'a Contract,
        view: &View,
        thrown: &mut State,
        exception: &Ref,
    ) {
        let view = View { exception: Some(exception.clone()), ..view.clone() };
        for case in &contract.cases {
            for signals in &case.signals {
                let Some(atom) = exception.as_constant() else {
                    continue;
                };
                if self.atom_is_a(atom, signals.exception) && !thrown.is_dead() {
                    let holding = self.holds(&view, thrown, &signals.condition);
                    let allowed = self.circuit.or(holding.holds, holding.unknown);
                    thrown.assume(&mut self.circuit, allowed);
                }
            }
        }
    }

    /// After a call every object that there is satisfies its invariants again.
    fn assume_invariants_after(&mut self, contract: &Contract, view: &View, state: &mut State) {
        if contract.is_helper {
            return;
        }
        let mut objects: Vec<(Atom, Lit)> = Vec::new();
        objects.extend(self.live.iter().map(|(a, l)| (*a, *l)));
        objects.extend(self.completed.iter().map(|(a, l)| (*a, *l)));
        let given = view.this.iter().chain(&view.parameters).chain(&view.result);
        objects.extend(
            given
                .flat_map(|v| v.atoms())
                .filter(|a| *a != Atom::NULL)
                .map(|a| (a, self.live.get(&a).copied().unwrap_or(Lit::TRUE))),
        );
        objects.sort_unstable_by_key(|e| e.0);
        objects.dedup_by_key(|e| e.0);
        for (atom, exists) in objects {
            for (_, clause) in self.invariants_of(self.atoms.class(atom)) {
                let Some(clause) = clause else {
                    continue;
                };
                let mut inside = State { facts: Default::default(), ..state.clone() };
                inside.assume(&mut self.circuit, exists);
                if inside.is_dead() {
                    continue;
                }
                let view = self.view_of(atom);
                let Holding { holds, unknown, .. } = self.holds(&view, &inside, clause);
                let allowed = self.circuit.or(holds, unknown);
                let allowed = self.circuit.implies(exists, allowed);
                state.assume(&mut self.circuit, allowed);
            }
        }
    }
}
