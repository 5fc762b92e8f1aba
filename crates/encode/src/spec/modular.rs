//! Calls through contracts: the preconditions are checked, what the contract lets the callee
//! change becomes arbitrary, and what it ensures is assumed (Jackson & Vaziri, section 3.10).
//!
//! A callee may bring new objects into being: as many of each class as the scope admits in the
//! input, for each call.

use ir::{ClassId, FieldId, Method, MethodId, Nullness, Type};
use logic::Lit;
use spec::core::{Assignable, Clause, Contract, Ends};

use crate::config::Calls;
use crate::engine::clauses::{Allowed, Frame, Slot};
use crate::engine::{Engine, Outcome, View};
use crate::spec::{Evaluator, Holding};
use crate::state::State;
use crate::state::atom::{Atom, Birth, Name};
use crate::state::goal::{Goal, Property};
use crate::state::heap::{Array, Heap};
use crate::state::value::{self, Ref, Value};

impl<'a> Engine<'a> {
    /// The contract that stands for a call, if one does.
    pub(crate) fn contract_for(&self, method: MethodId) -> Option<&'a Contract> {
        let contract = self.contracts.methods.get(&method)?;
        let outermost = self.run.stack.is_empty();
        let has_code =
            matches!(self.program.code(method), ir::Code::Body(_) | ir::Code::Intrinsic(_));
        let wanted = !has_code || (self.run.limits.calls == Calls::Contract && !outermost);
        (wanted && contract.stands_for_calls() && self.is_executing()).then_some(contract)
    }

    /// A call of which only the contract is known.
    pub(crate) fn call_by_contract(
        &mut self,
        method: &Method,
        contract: &'a Contract,
        args: Vec<Value>,
        mut state: State,
    ) -> Outcome {
        self.run.clauses.note_abstract();
        let first = usize::from(!method.is_static);
        let mut view = View {
            this: (!method.is_static).then(|| args[0].clone()),
            parameters: args[first..].to_vec(),
            before: state.heap.clone(),
            allocated_before: self.atoms.allocated(),
            is_outside: true,
            ..View::default()
        };
        let wrong = self.check_arguments(contract, &view.parameters, &state);
        self.stop_where(&mut state, wrong);
        let active = self.check_requires(contract, &view, &mut state);
        if !contract.is_helper {
            self.check_invariants_at_call(method, &view, &mut state);
        }
        if state.is_dead() {
            return Outcome::default();
        }
        let mut after = state.clone();
        let pool = self.new_objects(method, contract, &mut after);
        view.allocated_before = view.allocated_before.min(self.atoms.allocated());
        self.havoc(method, contract, &active, &view, &pool, &mut after);
        self.keep_constraints(method, contract, &view, &mut after);
        let thrown = self.thrown_by_contract(method, contract, &active, &view, &mut after);
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
        self.assume_invariants_after(contract, &view, &pool, &mut after);
        let nothing = thrown.is_none() && self.is_impossible(after.guard);
        if nothing && !self.is_impossible(state.guard) {
            let name = self.program.method_name(method.id);
            let what = format!("nothing in the scope satisfies the contract of {name} at a call");
            self.run.goals.add(&mut self.circuit, Goal::Unspecified { what }, state.guard);
        }
        let normal = (!after.is_dead()).then_some((after, result));
        Outcome { normal, thrown }
    }

    /// Constraints that this method keeps hold between the states around the call.
    fn keep_constraints(
        &mut self,
        method: &Method,
        contract: &Contract,
        view: &View,
        state: &mut State,
    ) {
        if contract.is_helper {
            return;
        }
        for (atom, exists) in self.known_objects(view) {
            let class = self.atoms.class(atom);
            let of_atom = View { before: view.before.clone(), ..self.view_of(atom) };
            for clause in self.constraints_for(method.id, class, false) {
                let mut inside = State { facts: Default::default(), ..state.clone() };
                inside.assume(&mut self.circuit, exists);
                if inside.is_dead() {
                    continue;
                }
                let Holding { holds, unknown, .. } = self.holds(&of_atom, &inside, clause);
                let allowed = self.circuit.or(holds, unknown);
                let allowed = self.circuit.implies(exists, allowed);
                state.assume(&mut self.circuit, allowed);
            }
        }
    }

    /// The invariants that hold at a call: of every object that has come into play, except the one
    /// that a constructor is still at work on.
    fn check_invariants_at_call(&mut self, method: &Method, view: &View, state: &mut State) {
        self.link_liveness_if_used();
        let constructor = &*method.name == "<init>";
        let mut broken = Vec::new();
        for (atom, exists) in self.known_objects(view) {
            let is_receiver = constructor
                && view.this.as_ref().is_some_and(|t| t.reference().as_constant() == Some(atom));
            if is_receiver || self.atoms.info(atom).name == Name::Constructed {
                continue;
            }
            let mut inside = State { facts: Default::default(), ..state.clone() };
            inside.assume(&mut self.circuit, exists);
            if inside.is_dead() {
                continue;
            }
            let view = self.view_of(atom);
            for (owner, clause) in self.invariants_of(self.atoms.class(atom)) {
                match clause {
                    Some(clause) => {
                        broken.push(self.must_hold(Property::Invariant, &view, &inside, clause));
                    }
                    None => self.report_gaps(owner, inside.guard),
                }
            }
        }
        for clause in self.static_invariants() {
            broken.push(self.must_hold(Property::Invariant, &View::default(), state, clause));
        }
        let broken = self.circuit.or_all(broken);
        self.stop_where(state, broken);
    }

    fn link_liveness_if_used(&mut self) {
        if self.existence.matters() {
            self.link_liveness();
        }
    }

    fn static_invariants(&self) -> Vec<&'a Clause> {
        let contracts = self.contracts;
        let relevant = self.candidates.relevant.iter().filter_map(|c| contracts.classes.get(c));
        relevant.flat_map(|c| &c.static_invariants).collect()
    }

    /// Objects of the input, finished ones that the run has made, and those that the call gets.
    fn known_objects(&self, view: &View) -> Vec<(Atom, Lit)> {
        let mut objects: Vec<(Atom, Lit)> = self.existence.all().collect();
        objects.extend(self.run.objects.completed());
        let given = view.this.iter().chain(&view.parameters).chain(&view.result);
        let given = given.flat_map(|v| v.atoms()).filter(|a| *a != Atom::NULL);
        objects.extend(given.map(|a| (a, self.existence.of(a).unwrap_or(Lit::TRUE))));
        objects.sort_by_key(|e| e.0);
        objects.dedup_by_key(|e| e.0);
        objects
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
        for class in self.candidates.relevant.clone().iter().copied() {
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
        if method.result == Some(Type::Ref(self.known.object)) {
            // A result of which nothing more is known may be just an object.
            classes.push(self.known.object);
        }
        let mut pool = Vec::new();
        for class in classes {
            for _ in 0..self.scope.of(self.program.class_name(class)) {
                let atom = self.allocate(class, Birth::Allocated { given_code: true });
                state.heap.contents_mut(atom);
                let flag = self.next_havoc();
                let used = self.inputs.flag(&mut self.circuit, flag);
                let born = self.circuit.and(state.guard, used);
                self.run.objects.make_by_contract(atom, born);
                self.run.objects.complete(atom, born);
                pool.push(atom);
            }
        }
        if let Some(Type::Ref(class)) = method.result
            && let Some(element) = self.program.class(class).ok().and_then(|c| c.element)
        {
            for _ in 0..self.scope.of(self.program.class_name(class)) {
                let atom = self.any_array(class, element, &pool, state);
                pool.push(atom);
            }
        }
        for atom in pool.clone() {
            if self.element_type(atom).is_some() {
                continue;
            }
            for field in self.given_fields(self.atoms.class(atom)) {
                let ty = self.program.field(field).ty;
                let value = self.any_value(ty, true, &pool);
                state.heap.contents_mut(atom).set_field(field, value);
            }
        }
        pool
    }

    /// A new array of any length within the scope, with any elements.
    fn any_array(
        &mut self,
        class: ClassId,
        element: Type,
        pool: &[Atom],
        state: &mut State,
    ) -> Atom {
        let atom = self.allocate(class, Birth::Allocated { given_code: true });
        let flag = self.next_havoc();
        let used = self.inputs.flag(&mut self.circuit, flag);
        let born = self.circuit.and(state.guard, used);
        self.run.objects.make_by_contract(atom, born);
        let key = self.next_havoc();
        let length = self.arbitrary_length(key);
        let elements =
            (0..self.scope.array_length).map(|_| self.any_value(element, true, pool)).collect();
        let elements = std::rc::Rc::new(elements);
        state.heap.contents_mut(atom).array = Some(Array { length, elements });
        atom
    }

    pub(crate) fn given_fields(&self, class: ClassId) -> Vec<FieldId> {
        let program = self.program;
        let supertypes = program.class(class).map(|c| c.supertypes()).unwrap_or_default();
        let owners = supertypes.iter().filter_map(|c| program.class(*c).ok());
        let fields = owners.filter(|c| c.is_given()).flat_map(|c| c.fields.iter().copied());
        let contracts = supertypes.iter().filter_map(|c| self.contracts.classes.get(c));
        let ghosts = contracts.flat_map(|c| c.ghosts.iter().map(|g| g.0));
        fields.chain(ghosts).filter(|f| !program.field(*f).is_static).collect()
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
        let made: Vec<Atom> = self.run.objects.all().chain(own.into_iter().flatten()).collect();
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
            if let (true, Some(born)) = (pool.contains(&atom), self.run.objects.made(atom)) {
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
        let mut frames: Vec<(Lit, Option<Frame>)> = Vec::new();
        for (case, active) in contract.cases.iter().zip(active) {
            if case.assignable.is_empty() {
                frames.push((*active, None));
            }
            for frame in &case.assignable {
                frames.push((*active, self.frame_of(frame, view, state)));
            }
        }
        for place in self.all_places(&frames, pool, &state.heap.clone()) {
            let mut may = Lit::TRUE;
            for (active, frame) in &frames {
                if let Some(allowed) = frame {
                    let constructor = &*method.name == "<init>" && view.this.as_ref().is_some_and(
                        |this| matches!(place, Slot::Field(a, _) if this.reference().as_constant() == Some(a)),
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

    /// The locations of a frame; `None` for everything.
    fn frame_of(&mut self, frame: &'a Assignable, view: &View, state: &State) -> Option<Frame> {
        let locations = frame.locations.as_ref()?;
        let (allowed, _) = self.apart(state, &frame.site, |engine, mut state| {
            let mut evaluator = Evaluator::new(engine, view);
            evaluator.old(&mut state, |e, s| {
                locations.iter().map(|l| e.allowed(s, l)).collect::<Vec<_>>()
            })
        });
        Some(allowed)
    }

    /// Every place that a frame may mean: with a frame of everything, all that there is.
    fn all_places(
        &mut self,
        frames: &[(Lit, Option<Frame>)],
        pool: &[Atom],
        heap: &Heap,
    ) -> Vec<Slot> {
        let mut atoms: Vec<Atom> = Vec::new();
        let everything = frames.iter().any(|f| f.1.is_none());
        for class in self.candidates.relevant.clone().iter().copied() {
            if everything && self.program.class(class).is_ok_and(|c| c.is_given()) {
                atoms.extend(self.candidates_for(class).iter().copied());
            }
        }
        if everything {
            self.meet_arrays();
            let known = 1..self.atoms.len() as u32;
            atoms.extend(known.map(Atom).filter(|a| {
                matches!(
                    self.atoms.info(*a).name,
                    Name::Input(..) | Name::Fresh(_) | Name::Constructed
                )
            }));
        }
        let named = frames.iter().flat_map(|f| f.1.iter().flatten());
        for (_, allowed) in named {
            if let Allowed::Field(r, _) | Allowed::Fields(r) | Allowed::Elements(r, _) = allowed {
                atoms.extend(r.objects().map(|e| e.0));
            }
            if let Allowed::Members(members) = allowed {
                atoms.extend(members.keys().filter_map(|place| match place {
                    Slot::Field(atom, _) | Slot::Element(atom, _) => Some(*atom),
                    Slot::Static(_) => None,
                }));
            }
        }
        atoms.sort_unstable();
        atoms.dedup();
        atoms.retain(|a| !pool.contains(a) && !self.atoms.info(*a).opaque);
        if self.existence.matters() {
            // They have invariants, which hold again after the call.
            for atom in &atoms {
                if matches!(self.atoms.info(*atom).name, Name::Input(..)) {
                    self.live(*atom);
                }
            }
        }
        let mut places = Vec::new();
        for atom in atoms {
            if self.element_type(atom).is_some() {
                let slots = self.array_of(heap, atom).elements.len() as u32;
                places.extend((0..slots).map(|i| Slot::Element(atom, i)));
                continue;
            }
            let fields = self.given_fields(self.atoms.class(atom));
            let fields = fields.into_iter().filter(|f| !self.program.field(*f).is_final);
            places.extend(fields.map(|f| Slot::Field(atom, f)));
        }
        for class in self.candidates.relevant.iter() {
            let fields = self.program.class(*class).map(|c| &c.fields[..]).unwrap_or_default();
            let contract = self.contracts.classes.get(class);
            let ghosts = contract.into_iter().flat_map(|c| c.ghosts.iter().map(|g| &g.0));
            places.extend(
                fields
                    .iter()
                    .chain(ghosts)
                    .filter(|f| {
                        let field = self.program.field(**f);
                        field.is_static && !field.is_final && !field.is_synthetic
                    })
                    .map(|f| Slot::Static(*f)),
            );
        }
        places
    }

    /// Brings the input arrays into play that fields of the classes around can hold: what the
    /// callee may write must not come up only later, unwritten.
    fn meet_arrays(&mut self) {
        for class in self.candidates.relevant.clone().iter() {
            let fields = self.program.class(*class).map(|c| c.fields.clone()).unwrap_or_default();
            for field in fields {
                let mut ty = Some(self.program.field(field).ty);
                while let Some(Type::Ref(array)) = ty
                    && let Ok(loaded) = self.program.class(array)
                    && loaded.element.is_some()
                {
                    self.candidates_for(array);
                    ty = loaded.element;
                }
            }
        }
    }

    fn havoc_place(&mut self, place: Slot, may: Lit, pool: &[Atom], state: &mut State) {
        match place {
            Slot::Field(atom, field) => {
                let Ok(old) = self.field_of(&state.heap, atom, field) else {
                    return;
                };
                let any = self.any_value(self.program.field(field).ty, true, pool);
                let new = value::choose(&mut self.circuit, may, &any, &old);
                state.heap.contents_mut(atom).set_field(field, new);
            }
            Slot::Static(field) => {
                let old = state.heap.statics.get(field.index()).cloned();
                let old = old.unwrap_or_else(|| self.initial_static(field));
                let any = self.any_value(self.program.field(field).ty, true, pool);
                let new = value::choose(&mut self.circuit, may, &any, &old);
                state.heap.statics.set(field.index(), new);
            }
            Slot::Element(atom, index) => {
                let array = self.array_of(&state.heap, atom);
                let ty = self.element_type(atom).unwrap_or(Type::Int);
                let mut elements = array.elements.to_vec();
                if let Some(slot) = elements.get_mut(index as usize) {
                    let any = self.any_value(ty, true, pool);
                    *slot = value::choose(&mut self.circuit, may, &any, slot);
                }
                let elements = std::rc::Rc::new(elements);
                state.heap.contents_mut(atom).array =
                    Some(Array { length: array.length, elements });
            }
        }
    }

    /// The exceptions that a call may end with: those that the contract names or, where it does not
    /// say that these are all, the method declares. (Where calls go through contracts, a method is
    /// checked not to throw others.)
    fn thrown_by_contract(
        &mut self,
        method: &Method,
        contract: &'a Contract,
        active: &[Lit],
        view: &View,
        after: &mut State,
    ) -> Option<(State, Ref)> {
        let mut classes: Vec<ClassId> = Vec::new();
        for case in contract.cases.iter().filter(|c| c.ends != Ends::Normally) {
            match &case.signals_only {
                Some(only) => classes.extend(&only.exceptions),
                None => {
                    classes.extend(case.signals.iter().map(|s| s.exception));
                    classes.extend(&method.throws);
                    if case.ends == Ends::Exceptionally {
                        classes.push(self.program.class_id("java.lang.RuntimeException"));
                    }
                }
            }
        }
        let caught = self.caught_below(&classes);
        classes.extend(caught);
        classes.sort_unstable();
        classes.dedup();
        let mut outcome: Option<(State, Option<Value>)> = None;
        for class in classes {
            let flag = self.next_havoc();
            let chosen = self.inputs.flag(&mut self.circuit, flag);
            let mut thrown = after.clone();
            thrown.assume(&mut self.circuit, chosen);
            after.assume(&mut self.circuit, !chosen);
            let atom = self.allocate(class, Birth::Allocated { given_code: true });
            thrown.heap.contents_mut(atom);
            self.assume_exception(contract, active, view, &mut thrown, atom);
            self.assume_invariants_after(contract, view, &[], &mut thrown);
            if thrown.is_dead() {
                continue;
            }
            let end = (thrown, Some(Value::Ref(Ref::constant(atom))));
            outcome = Some(match outcome {
                None => end,
                Some(earlier) => self.join_results(earlier, end),
            });
        }
        let (state, exception) = outcome?;
        Some((state, exception?.reference().clone()))
    }

    /// Classes below these that some handler of the running methods catches.
    fn caught_below(&self, classes: &[ClassId]) -> Vec<ClassId> {
        let mut found = Vec::new();
        for activation in &self.run.stack {
            let ir::Code::Body(body) = self.program.code(activation.method) else {
                continue;
            };
            let handlers = body.blocks.iter().flat_map(|b| &b.handlers);
            for caught in handlers.filter_map(|h| h.class) {
                if classes.iter().any(|c| self.program.is_subtype(caught, *c)) {
                    found.push(caught);
                }
            }
        }
        found
    }

    /// What the cases that apply say about an end by this exception.
    fn assume_exception(
        &mut self,
        contract: &'a Contract,
        active: &[Lit],
        view: &View,
        thrown: &mut State,
        atom: Atom,
    ) {
        let view = View { exception: Some(Ref::constant(atom)), ..view.clone() };
        for (case, active) in contract.cases.iter().zip(active) {
            let only = case.signals_only.as_ref();
            let excluded = case.ends == Ends::Normally
                || only.is_some_and(|o| !o.exceptions.iter().any(|c| self.atom_is_a(atom, *c)));
            if excluded {
                thrown.assume(&mut self.circuit, !*active);
                continue;
            }
            for signals in &case.signals {
                let mut inside = thrown.clone();
                inside.assume(&mut self.circuit, *active);
                if !self.atom_is_a(atom, signals.exception) || inside.is_dead() {
                    continue;
                }
                let holding = self.holds(&view, &inside, &signals.condition);
                let allowed = self.circuit.or(holding.holds, holding.unknown);
                let allowed = self.circuit.implies(*active, allowed);
                thrown.assume(&mut self.circuit, allowed);
            }
        }
    }

    /// After a call every object that there is satisfies its invariants again, and its history.
    fn assume_invariants_after(
        &mut self,
        contract: &Contract,
        view: &View,
        pool: &[Atom],
        state: &mut State,
    ) {
        let mut objects = self.known_objects(view);
        if contract.is_helper {
            // A helper promises nothing, but objects that it makes are finished ones.
            objects.retain(|(atom, _)| pool.contains(atom));
        }
        for (atom, exists) in objects {
            let class = self.atoms.class(atom);
            let of_atom = View { before: view.before.clone(), ..self.view_of(atom) };
            let invariants = self.invariants_of(class).into_iter().filter_map(|i| i.1);
            let is_new = pool.contains(&atom);
            let history = self.clauses_of(class, false, is_new);
            for clause in invariants.chain(history) {
                let mut inside = State { facts: Default::default(), ..state.clone() };
                inside.assume(&mut self.circuit, exists);
                if inside.is_dead() {
                    continue;
                }
                let Holding { holds, unknown, .. } = self.holds(&of_atom, &inside, clause);
                let allowed = self.circuit.or(holds, unknown);
                let allowed = self.circuit.implies(exists, allowed);
                state.assume(&mut self.circuit, allowed);
            }
        }
        for clause in self.static_invariants() {
            if contract.is_helper || state.is_dead() {
                return;
            }
            let Holding { holds, unknown, .. } = self.holds(&View::default(), state, clause);
            let allowed = self.circuit.or(holds, unknown);
            state.assume(&mut self.circuit, allowed);
        }
    }
}
