//! Scalars: truth values, numbers, references and types, as Java and JML define them. What would
//! throw in Java leaves the clause without a value.

use std::rc::Rc;

use ir::{ClassId, FieldId, MethodId, Program, SpecField, Type};
use logic::{Bits, Lit, Wide};
use spec::core::{Connective, Number, Sort, Term, TermKind, Variable};

use crate::engine::Outcome;
use crate::spec::number::width;
use crate::spec::{Evaluator, Meaning};
use crate::state::State;
use crate::state::atom::Atom;
use crate::state::goal::Goal;
use crate::state::heap::{Array, Heap};
use crate::state::value::{self, Ref, Value};

/// Model fields that stand for model fields, and so on.
pub(super) const MOST_MODELS: u32 = 20;

impl Meaning {
    pub fn truth(&self) -> Lit {
        match self {
            Meaning::Truth(lit) => *lit,
            Meaning::Number(bits) => bits.bit(0),
            _ => panic!("a resolved condition is a truth value"),
        }
    }

    pub fn number(&self) -> Bits {
        match self {
            Meaning::Number(bits) => bits.clone(),
            Meaning::Big(wide) => wide.low(64),
            Meaning::Truth(lit) => Bits::from_lits(vec![*lit]),
            _ => panic!("a resolved number is a number"),
        }
    }

    pub fn wide(&self) -> Wide {
        match self {
            Meaning::Big(wide) => wide.clone(),
            Meaning::Number(bits) => Wide::signed(bits),
            _ => panic!("a resolved number is a number"),
        }
    }

    pub fn reference(&self) -> Ref {
        match self {
            Meaning::Reference(r) => r.clone(),
            _ => panic!("a resolved reference is a reference"),
        }
    }

    /// From a value of the program.
    pub fn of_value(value: Value, ty: Type) -> Meaning {
        match (value, ty) {
            (Value::Ref(r), _) => Meaning::Reference(r),
            (Value::Bits(bits), Type::Boolean) => Meaning::Truth(bits.bit(0)),
            (Value::Bits(bits), _) => Meaning::Number(bits),
        }
    }

    /// As a value of the program.
    pub fn into_value(self) -> Value {
        match self {
            Meaning::Truth(lit) => Value::boolean(lit),
            Meaning::Number(bits) => Value::Bits(bits),
            Meaning::Big(wide) => Value::Bits(wide.low(64)),
            Meaning::Reference(r) => Value::Ref(r),
            Meaning::Type(_) | Meaning::Relation(_) | Meaning::Locations(_) => {
                panic!("a resolved value is a scalar")
            }
        }
    }
}

impl Evaluator<'_, '_> {
    /// A condition.
    pub(crate) fn truth(&mut self, state: &mut State, term: &Term) -> Lit {
        let lit = self.meaning(state, term).truth();
        state.facts.fold(lit)
    }

    pub(crate) fn number(&mut self, state: &mut State, term: &Term) -> Bits {
        self.meaning(state, term).number()
    }

    pub(crate) fn reference(&mut self, state: &mut State, term: &Term) -> Ref {
        self.meaning(state, term).reference().restrict(&state.facts, |_| true)
    }

    /// A reference that the clause uses as an object.
    fn object(&mut self, state: &mut State, term: &Term) -> Ref {
        let object = self.reference(state, term);
        let null = object.is_null();
        self.undefined_if(state, null, || "null is dereferenced".into());
        object.restrict(&state.facts, |a| a != Atom::NULL)
    }

    /// What a term denotes where the executions of `state` are.
    pub(crate) fn meaning(&mut self, state: &mut State, term: &Term) -> Meaning {
        match &term.kind {
            TermKind::In(..) if self.is_granted(term) => Meaning::Truth(Lit::TRUE),
            TermKind::Boolean(value) => Meaning::Truth(Lit::from(*value)),
            TermKind::Number(value) => match term.sort {
                Sort::Number(Number::Big) => Meaning::Big(Wide::constant(*value)),
                Sort::Number(number) => {
                    Meaning::Number(Bits::constant(width(number), *value as u64))
                }
                _ => Meaning::Number(Bits::constant(32, *value as u64)),
            },
            TermKind::Text(units) => {
                let literal = self.engine.literal(std::sync::Arc::from(&units[..]));
                Meaning::Reference(Ref::constant(literal))
            }
            TermKind::Null => Meaning::Reference(Ref::null()),
            TermKind::TypeLiteral(ty) => Meaning::Type(vec![(*ty, Lit::TRUE)]),
            TermKind::Variable(variable) => self.variable(variable, &term.sort),
            TermKind::Field(object, field) => self.field(state, object, *field),
            TermKind::Static(field) => self.static_value(state, *field),
            TermKind::Length(array) => {
                let array = self.object(state, array);
                Meaning::Number(self.engine.length(state, &array))
            }
            TermKind::Element(array, index) => self.element(state, array, index, &term.sort),
            TermKind::Call { method, is_virtual, arguments } => {
                let values = arguments.iter().map(|a| self.meaning(state, a).into_value());
                let values: Vec<Value> = values.collect();
                self.pure_call(state, *method, *is_virtual, values)
            }
            TermKind::Array(class, elements) => {
                let elements = elements.iter().map(|e| self.meaning(state, e).into_value());
                let elements: Vec<Value> = elements.collect();
                self.new_array(state, *class, elements)
            }
            TermKind::Cast(ty, inner) => self.cast(state, *ty, inner),
            TermKind::Typed(class, inner) => self.typed(state, *class, inner),
            TermKind::Widen(inner) => Meaning::Big(self.meaning(state, inner).wide()),
            TermKind::Fitted(ty, inner) => self.fitted(state, *ty, inner),
            TermKind::InstanceOf(inner, class) => {
                let object = self.reference(state, inner);
                Meaning::Truth(self.engine.instance_of(state, &object, *class))
            }
            TermKind::Not(inner) => Meaning::Truth(!self.truth(state, inner)),
            TermKind::Negate(inner) => self.negate(state, inner),
            TermKind::Complement(inner) => {
                let bits = self.number(state, inner);
                Meaning::Number(self.engine.circuit.bits_not(&bits))
            }
            TermKind::Arithmetic(op, left, right) => self.arithmetic(state, *op, left, right),
            TermKind::Compare(op, left, right) => {
                Meaning::Truth(self.compare(state, *op, left, right))
            }
            TermKind::Connective(op, left, right) => {
                Meaning::Truth(self.connective(state, *op, left, right))
            }
            TermKind::Same(left, right) => {
                let (a, b) = (self.reference(state, left), self.reference(state, right));
                Meaning::Truth(self.engine.same_object(&state.heap, &a, &b))
            }
            TermKind::SameType(left, right) => {
                let (a, b) = (self.types(state, left), self.types(state, right));
                Meaning::Truth(self.types_relate(&a, &b, |_, a, b| a == b))
            }
            TermKind::Subtype(left, right) => {
                let (a, b) = (self.types(state, left), self.types(state, right));
                Meaning::Truth(self.types_relate(&a, &b, is_subtype))
            }
            TermKind::Conditional(cond, then, other) => {
                let known = self.undefined.len();
                let cond = self.truth(state, cond);
                self.go_on_where_defined(state, known);
                let yes = self.under(state, cond, |e, s| e.meaning(s, then));
                let no = self.under(state, !cond, |e, s| e.meaning(s, other));
                self.choose(cond, yes, no)
            }
            TermKind::Old(inner) => self.old(state, |e, s| e.meaning(s, inner)),
            TermKind::Quantified(quantification) => self.quantified(state, quantification),
            TermKind::Fresh(inner) => {
                let object = self.reference(state, inner);
                Meaning::Truth(self.fresh(&object))
            }
            TermKind::NonNullElements(inner) => {
                let array = self.reference(state, inner);
                Meaning::Truth(self.non_null_elements(state, &array))
            }
            TermKind::TypeOf(inner) => {
                let object = self.object(state, inner);
                self.engine.needs_its_class(state, &object);
                let types = object.objects();
                let types = types.map(|(a, l)| (Type::Ref(self.engine.atoms.class(a)), l));
                Meaning::Type(types.collect())
            }
            TermKind::ElementType(inner) => {
                let types = self.types(state, inner);
                let program = self.engine.program;
                let element = |ty: Type| match ty {
                    Type::Ref(class) => program.class(class).ok().and_then(|c| c.element),
                    _ => None,
                };
                let inner = types.iter().filter_map(|(ty, l)| Some((element(*ty)?, *l)));
                Meaning::Type(inner.collect())
            }
            TermKind::Model { method, is_static, arguments } => {
                self.model_method(state, *method, *is_static, arguments, &term.sort)
            }
            TermKind::InvariantsOf(inner) => {
                let object = self.object(state, inner);
                Meaning::Truth(self.invariants_hold(state, &object))
            }
            TermKind::StaticInvariantsOf(class) => {
                Meaning::Truth(self.static_invariants_hold(state, *class))
            }
            TermKind::Unchanged(locations) => Meaning::Truth(self.unchanged(state, locations)),
            TermKind::OnlyChanged(locations) => Meaning::Truth(self.only_changed(state, locations)),
            TermKind::LocationSet(locations) => {
                Meaning::Locations(self.location_set(state, locations))
            }
            TermKind::OfLocations(op, left, right) => self.of_locations(state, *op, left, right),
            TermKind::OnlyRead(locations) => Meaning::Truth(self.only_read(state, locations)),
            TermKind::OnlyCalled(methods) => Meaning::Truth(self.only_called(state, methods)),
            TermKind::Scalar(inner) => self.scalar(state, inner, &term.sort),
            TermKind::In(left, right) => {
                let (a, b) = (self.relation(state, left), self.relation(state, right));
                Meaning::Truth(self.engine.circuit.subset(&a, &b))
            }
            TermKind::Equal(left, right) => {
                let (a, b) = (self.relation(state, left), self.relation(state, right));
                Meaning::Truth(self.engine.circuit.same_members(&a, &b))
            }
            TermKind::Multiplicity(multiplicity, inner) => {
                let relation = self.relation(state, inner);
                Meaning::Truth(self.multiplicity(*multiplicity, &relation))
            }
            TermKind::Cardinality(inner) => {
                let relation = self.relation(state, inner);
                Meaning::Number(self.engine.circuit.cardinality(&relation))
            }
            TermKind::Let { variable, value, body, .. } => {
                let value = self.meaning(state, value);
                self.bound.push((*variable, value));
                let meaning = self.meaning(state, body);
                self.bound.pop();
                meaning
            }
            TermKind::Set(_)
            | TermKind::Objects(_)
            | TermKind::Universe
            | TermKind::Identity
            | TermKind::Empty
            | TermKind::Relation(_)
            | TermKind::Elements(_)
            | TermKind::Reach { .. }
            | TermKind::Transpose(_)
            | TermKind::Closure(_)
            | TermKind::ReflexiveClosure(_)
            | TermKind::Combine(..)
            | TermKind::Comprehension { .. } => Meaning::Relation(self.relation(state, term)),
        }
    }

    fn variable(&mut self, variable: &Variable, sort: &Sort) -> Meaning {
        let value = match variable {
            Variable::Bound(number) => {
                let found = self.bound.iter().rev().find(|b| b.0 == *number);
                return found.map(|b| b.1.clone()).expect("a resolved variable is bound");
            }
            Variable::This => self.view.this.clone(),
            Variable::Parameter(number) => self.view.parameters.get(*number as usize).cloned(),
            Variable::Result => self.view.result.clone(),
            Variable::Exception => self.view.exception.clone().map(Value::Ref),
            Variable::Local(number) => self.view.locals.get(*number as usize).cloned(),
            Variable::Ghost(number) => self.view.ghosts.get(number).cloned(),
        };
        match (value, sort) {
            (Some(Value::Ref(r)), _) => Meaning::Reference(r),
            (Some(Value::Bits(bits)), Sort::Boolean) => Meaning::Truth(bits.bit(0)),
            (Some(Value::Bits(bits)), _) => Meaning::Number(bits),
            // A ghost variable before its declaration.
            (None, sort) => self.nothing(sort),
        }
    }

    /// Any value of a sort, where it does not matter which.
    pub(super) fn nothing(&self, sort: &Sort) -> Meaning {
        match sort {
            Sort::Boolean => Meaning::Truth(Lit::FALSE),
            Sort::Number(Number::Big) => Meaning::Big(Wide::constant(0)),
            Sort::Number(number) => Meaning::Number(Bits::constant(width(*number), 0)),
            _ => Meaning::Reference(Ref::null()),
        }
    }

    /// Evaluates in the state before the call.
    pub(crate) fn old<T>(
        &mut self,
        state: &mut State,
        inner: impl FnOnce(&mut Self, &mut State) -> T,
    ) -> T {
        let heap = std::mem::replace(&mut state.heap, self.view.before.clone());
        let was = std::mem::replace(&mut self.in_old, true);
        let result = inner(self, state);
        self.in_old = was;
        state.heap = heap;
        result
    }

    fn field(&mut self, state: &mut State, object: &Term, field: FieldId) -> Meaning {
        let object = self.object(state, object);
        self.field_of_ref(state, &object, field)
    }

    pub(super) fn field_of_ref(
        &mut self,
        state: &mut State,
        object: &Ref,
        field: FieldId,
    ) -> Meaning {
        let declared = self.engine.program.field(field);
        let ty = declared.ty;
        if state.is_dead() {
            return Meaning::of_value(self.engine.default_of(ty), ty);
        }
        if declared.specified == Some(SpecField::Model) {
            return self.model_field(state, object, field);
        }
        let value = self.engine.read_field(state, object, field);
        Meaning::of_value(value, ty)
    }

    fn static_value(&mut self, state: &mut State, field: FieldId) -> Meaning {
        let declared = self.engine.program.field(field);
        if declared.specified == Some(SpecField::Model) {
            let class = declared.class;
            return self.represented(state, class, None, field);
        }
        if !self.engine.initialise(state, declared.class) {
            return Meaning::of_value(self.engine.default_of(declared.ty), declared.ty);
        }
        let value = match state.heap.statics.get(field.index()) {
            Some(value) => value.clone(),
            None => self.engine.initial_static(field),
        };
        Meaning::of_value(value, declared.ty)
    }

    /// A model field is what its `represents` clause says, for each object the one of its class.
    fn model_field(&mut self, state: &mut State, object: &Ref, field: FieldId) -> Meaning {
        let mut found: Option<Meaning> = None;
        for (atom, lit) in object.objects() {
            let class = self.engine.atoms.class(atom);
            let this = Value::Ref(Ref::constant(atom));
            let here = self.under(state, lit, |e, s| e.represented(s, class, Some(this), field));
            found = Some(match found {
                None => here,
                Some(other) => self.choose(lit, here, other),
            });
        }
        let ty = self.engine.program.field(field).ty;
        found.unwrap_or_else(|| Meaning::of_value(self.engine.default_of(ty), ty))
    }

    fn represented(
        &mut self,
        state: &mut State,
        class: ClassId,
        this: Option<Value>,
        field: FieldId,
    ) -> Meaning {
        let program = self.engine.program;
        let ty = program.field(field).ty;
        let contracts = self.engine.contracts;
        let supertypes = program.class(class).map(|c| c.supertypes()).unwrap_or_default();
        let clause = supertypes
            .iter()
            .filter_map(|c| contracts.classes.get(c))
            .find_map(|c| c.represents.get(&field));
        let name = &program.field(field).name;
        let Some(clause) = clause.filter(|_| self.models < MOST_MODELS) else {
            let what = match clause {
                None => format!("the model field {name}: nothing says what it represents"),
                Some(_) => format!("the model field {name}: it stands for itself"),
            };
            self.engine.unsupported(state, what);
            return Meaning::of_value(self.engine.default_of(ty), ty);
        };
        let view = crate::spec::View { this, ..self.view.clone() };
        let mut inner = Evaluator::new(&mut *self.engine, &view);
        inner.in_old = self.in_old;
        inner.models = self.models + 1;
        let meaning = inner.meaning(state, &clause.term);
        let undefined = std::mem::take(&mut inner.undefined);
        let ill = std::mem::take(&mut inner.ill);
        self.undefined.extend(undefined);
        self.ill.extend(ill);
        meaning
    }

    fn element(&mut self, state: &mut State, array: &Term, index: &Term, sort: &Sort) -> Meaning {
        let array = self.object(state, array);
        let index = self.number(state, index);
        let length = self.engine.length(state, &array);
        let inside = self.engine.circuit.lt_unsigned(&index, &length);
        self.undefined_if(state, !inside, || "an array index is out of bounds".into());
        if state.is_dead() || array.objects().next().is_none() {
            return self.nothing(sort);
        }
        let value = self.engine.load_element(state, &array, &index);
        match (value, sort) {
            (Value::Ref(r), _) => Meaning::Reference(r),
            (Value::Bits(bits), Sort::Boolean) => Meaning::Truth(bits.bit(0)),
            (Value::Bits(bits), _) => Meaning::Number(bits),
        }
    }

    /// Calls a method for its value only.
    fn pure_call(
        &mut self,
        state: &mut State,
        method: MethodId,
        is_virtual: bool,
        mut arguments: Vec<Value>,
    ) -> Meaning {
        let declared = self.engine.program.method(method);
        let result = declared.result.unwrap_or(Type::Int);
        if !declared.is_static {
            let receiver = arguments[0].reference().restrict(&state.facts, |_| true);
            let null = receiver.is_null();
            self.undefined_if(state, null, || "a method of null is called".into());
            arguments[0] = Value::Ref(receiver.restrict(&state.facts, |a| a != Atom::NULL));
        }
        let engine = &mut *self.engine;
        let mut inside = state.clone();
        if state.is_dead()
            || (declared.is_static && !engine.initialise(&mut inside, declared.class))
        {
            state.guard = inside.guard;
            return Meaning::of_value(engine.default_of(result), result);
        }
        let before = inside.heap.clone();
        let allocated = engine.atoms.allocated();
        let outcome = match is_virtual {
            true => engine.dispatch(method, arguments, inside, true),
            false => engine.call(method, arguments, inside, true),
        };
        let Outcome { normal, thrown } = outcome;
        if let Some((thrown, exception)) = thrown {
            let class = exception.objects().next().map(|e| self.engine.atoms.class(e.0));
            let class = class.map_or("an exception", |c| self.engine.program.class_name(c));
            let why = format!("{} throws {}", declared.name, ir::program::simple(class));
            let cond = thrown.guard;
            if cond != Lit::FALSE {
                self.undefined.push((cond, why));
                state.assume(&mut self.engine.circuit, !cond);
            }
        }
        let Some((after, Some(value))) = normal else {
            // Nothing returns: the executions are undefined, cut off or unsupported.
            return Meaning::of_value(self.engine.default_of(result), result);
        };
        self.refuse_side_effects(state, &before, &after, method);
        self.keep_new_objects(allocated, &after);
        Meaning::of_value(value, result)
    }

    /// A new array with these elements, which like all objects that calls make belongs to no
    /// state of the execution.
    fn new_array(&mut self, state: &State, class: ClassId, elements: Vec<Value>) -> Meaning {
        let allocated = self.engine.atoms.allocated();
        let mut inside = state.clone();
        let length = Bits::constant(32, elements.len() as u64);
        let atom = self.engine.new_array(&mut inside, class, length.clone());
        let element = self.engine.element_type(atom).unwrap_or(Type::Int);
        let elements = elements.into_iter().map(|e| self.engine.narrowed(element, e)).collect();
        let array = Array { length, elements: Rc::new(elements) };
        inside.heap.contents_mut(atom).array = Some(array);
        self.keep_new_objects(allocated, &inside);
        Meaning::Reference(Ref::constant(atom))
    }

    /// Objects that the call has made belong to no state of the execution: their contents lie
    /// below all of them.
    fn keep_new_objects(&mut self, allocated: u32, after: &State) {
        for (index, contents) in after.heap.objects.entries() {
            let name = &self.engine.atoms.info(Atom(index as u32)).name;
            if matches!(name, crate::state::atom::Name::Fresh(n) if *n > allocated) {
                self.engine.base.objects.set(index, contents.clone());
            }
        }
    }

    /// A method that a specification calls must leave everything as it was.
    fn refuse_side_effects(
        &mut self,
        state: &mut State,
        before: &Heap,
        after: &State,
        method: MethodId,
    ) {
        let changed = self.engine.changed(before, &after.heap);
        let changed = self.engine.circuit.and(after.guard, changed);
        let name = self.engine.program.method_name(method);
        let lit = self.engine.circuit.and(state.guard, changed);
        if lit != Lit::FALSE {
            let what = format!("{name} has side effects, so a specification cannot call it");
            self.engine.run.goals.add(&mut self.engine.circuit, Goal::Unspecified { what }, lit);
            state.assume(&mut self.engine.circuit, !changed);
        }
    }

    fn connective(&mut self, state: &mut State, op: Connective, left: &Term, right: &Term) -> Lit {
        let known = self.undefined.len();
        let a = self.truth(state, left);
        self.go_on_where_defined(state, known);
        let b = match op {
            Connective::And | Connective::Implies if a == Lit::FALSE => Lit::FALSE,
            Connective::Or if a == Lit::TRUE => Lit::TRUE,
            Connective::And | Connective::Implies => self.under(state, a, |e, s| e.truth(s, right)),
            Connective::Or => self.under(state, !a, |e, s| e.truth(s, right)),
            Connective::Iff | Connective::BothAnd | Connective::BothOr | Connective::Differ => {
                self.truth(state, right)
            }
        };
        let circuit = &mut self.engine.circuit;
        match op {
            Connective::And | Connective::BothAnd => circuit.and(a, b),
            Connective::Or | Connective::BothOr => circuit.or(a, b),
            Connective::Implies => circuit.implies(a, b),
            Connective::Iff => circuit.iff(a, b),
            Connective::Differ => circuit.xor(a, b),
        }
    }

    fn types(&mut self, state: &mut State, term: &Term) -> Vec<(Type, Lit)> {
        match self.meaning(state, term) {
            Meaning::Type(types) => types,
            _ => panic!("a resolved type is a type"),
        }
    }

    fn types_relate(
        &mut self,
        a: &[(Type, Lit)],
        b: &[(Type, Lit)],
        relate: impl Fn(&Program, Type, Type) -> bool,
    ) -> Lit {
        let mut ways = Vec::new();
        for (x, in_a) in a {
            for (y, in_b) in b {
                if relate(self.engine.program, *x, *y) {
                    ways.push(self.engine.circuit.and(*in_a, *in_b));
                }
            }
        }
        self.engine.circuit.or_all(ways)
    }

    /// Whether an object was allocated since the call began.
    fn fresh(&mut self, object: &Ref) -> Lit {
        let mut ways = Vec::new();
        for (atom, lit) in object.objects() {
            if let crate::state::atom::Name::Fresh(number) = self.engine.atoms.info(atom).name
                && number > self.view.allocated_before
            {
                ways.push(lit);
            }
        }
        self.engine.circuit.or_all(ways)
    }

    fn non_null_elements(&mut self, state: &mut State, array: &Ref) -> Lit {
        let mut ways = Vec::new();
        for (atom, lit) in array.objects() {
            let contents = self.engine.array_of(&state.heap, atom);
            let mut all = vec![lit];
            for (index, element) in contents.elements.iter().enumerate() {
                if let Value::Ref(element) = element {
                    let index = Bits::constant(32, index as u64);
                    let inside = self.engine.circuit.lt_unsigned(&index, &contents.length);
                    let null = element.is_null();
                    all.push(!self.engine.circuit.and(inside, null));
                }
            }
            // Elements beyond those that can be written are null.
            let slots = Bits::constant(32, contents.elements.len() as u64);
            all.push(self.engine.circuit.le_unsigned(&contents.length, &slots));
            ways.push(self.engine.circuit.and_all(all));
        }
        self.engine.circuit.or_all(ways)
    }

    /// One of two meanings of one sort.
    pub(crate) fn choose(&mut self, cond: Lit, then: Meaning, other: Meaning) -> Meaning {
        let circuit = &mut self.engine.circuit;
        match (then, other) {
            (Meaning::Truth(a), Meaning::Truth(b)) => Meaning::Truth(circuit.ite(cond, a, b)),
            (Meaning::Big(a), b) => Meaning::Big(circuit.wide_ite(cond, &a, &b.wide())),
            (a, Meaning::Big(b)) => Meaning::Big(circuit.wide_ite(cond, &a.wide(), &b)),
            (Meaning::Number(a), Meaning::Number(b)) => {
                Meaning::Number(circuit.bits_ite(cond, &a, &b))
            }
            (Meaning::Reference(a), Meaning::Reference(b)) => {
                let chosen = value::choose(circuit, cond, &Value::Ref(a), &Value::Ref(b));
                Meaning::Reference(chosen.reference().clone())
            }
            (Meaning::Type(a), Meaning::Type(b)) => {
                let mut types: Vec<(Type, Lit)> = Vec::new();
                for (ty, lit) in a {
                    types.push((ty, circuit.and(cond, lit)));
                }
                for (ty, lit) in b {
                    types.push((ty, circuit.and(!cond, lit)));
                }
                Meaning::Type(types)
            }
            (Meaning::Relation(a), Meaning::Relation(b)) => {
                let mut chosen = logic::Relation::empty();
                for (tuple, lit) in a.tuples() {
                    let lit = circuit.and(cond, lit);
                    chosen.add(circuit, tuple.to_vec(), lit);
                }
                for (tuple, lit) in b.tuples() {
                    let lit = circuit.and(!cond, lit);
                    chosen.add(circuit, tuple.to_vec(), lit);
                }
                Meaning::Relation(chosen)
            }
            (Meaning::Locations(a), Meaning::Locations(b)) => {
                Meaning::Locations(self.chosen_locations(cond, &a, &b))
            }
            // The other one is of executions that there are none of.
            (Meaning::Locations(one), _) | (_, Meaning::Locations(one)) => Meaning::Locations(one),
            (then, _) => then,
        }
    }
}

fn is_subtype(program: &Program, sub: Type, sup: Type) -> bool {
    match (sub, sup) {
        (Type::Ref(sub), Type::Ref(sup)) => program.is_subtype(sub, sup),
        (sub, sup) => sub == sup,
    }
}
