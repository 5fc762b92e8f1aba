//! Reading and writing fields, and the initial contents of the heap.

use std::rc::Rc;

use ir::{FieldId, Nullness, Type};
use logic::{Bits, Lit};

use crate::config::Objects;
use crate::engine::Engine;
use crate::state::State;
use crate::state::atom::{Atom, Birth, Name};
use crate::state::heap::{Array, Heap};
use crate::state::leaves::LeafKey;
use crate::state::value::{self, Ref, Value};

/// A value that cannot be known, and the name of what is missing.
pub(crate) type Unknown = String;

impl Engine<'_> {
    /// The default value of a type.
    pub(crate) fn default_of(&self, ty: Type) -> Value {
        match ty.kind().width() {
            Some(width) => Value::Bits(Bits::constant(width, 0)),
            None => Value::Ref(Ref::null()),
        }
    }

    /// The value of a field of one atom.
    pub(crate) fn field_of(
        &mut self,
        heap: &Heap,
        atom: Atom,
        field: FieldId,
    ) -> Result<Value, Unknown> {
        if let Some(value) = heap.contents(atom).and_then(|c| c.field(field)) {
            return Ok(value.clone());
        }
        self.force_string(atom);
        self.initial_field(atom, field)
    }

    /// The value that a field has before the run writes it.
    pub(crate) fn initial_field(&mut self, atom: Atom, field: FieldId) -> Result<Value, Unknown> {
        if let Some(value) = self.base.contents(atom).and_then(|c| c.field(field)) {
            return Ok(value.clone());
        }
        let info = self.atoms.info(atom);
        let declared = self.program.field(field);
        match &info.name {
            Name::Input(class, number) => {
                let (class, number) = (*class, *number);
                let name = info.name.clone();
                if info.opaque {
                    return Err(format!("an input of type {}", self.program.class_name(class)));
                }
                if class == self.known.string {
                    return self.input_string_field(atom, number, field);
                }
                self.input_field(name, class, field)
            }
            Name::Fresh(_) | Name::Initialiser(..) if info.opaque => {
                Err("the text of a formatted string".into())
            }
            Name::Fresh(_) if matches!(info.birth, Birth::Raised(_) | Birth::RaisedInLibrary) => {
                let is_throwable = declared.class == self.known.throwable;
                match &*declared.name {
                    "detailMessage" if is_throwable => {
                        Err("the message of an exception raised by the JVM".into())
                    }
                    // As its constructor would set them.
                    "cause" if is_throwable => Ok(Value::Ref(Ref::constant(atom))),
                    "suppressedExceptions" if is_throwable => Ok(self.no_suppressed_exceptions()),
                    _ => Ok(self.default_of(declared.ty)),
                }
            }
            Name::Mirror(_) => {
                Err(format!("{}.{}", self.program.class_name(declared.class), declared.name))
            }
            Name::Null
            | Name::InputChars(_)
            | Name::Initialiser(..)
            | Name::Literal(_)
            | Name::LiteralChars(_)
            | Name::Constructed
            | Name::Fresh(_) => Ok(self.default_of(declared.ty)),
        }
    }

    /// What a new exception holds as its list of suppressed ones.
    fn no_suppressed_exceptions(&mut self) -> Value {
        self.initialise_quietly(self.known.throwable);
        match self.field_named(self.known.throwable, "SUPPRESSED_SENTINEL") {
            Some(field) => self.initial_static(field),
            None => Value::Ref(Ref::null()),
        }
    }

    /// A field of an input object: arbitrary if the class is given code, else known only for the
    /// few library classes whose state has no hidden invariant.
    fn input_field(
        &mut self,
        name: Name,
        class: ir::ClassId,
        field: FieldId,
    ) -> Result<Value, Unknown> {
        let declared = self.program.field(field);
        let owner = declared.class;
        let is_given = self.program.class(owner).is_ok_and(|c| c.is_given());
        if !is_given && owner != self.known.throwable && self.known.boxed(class).is_none() {
            let owner = self.program.class_name(owner);
            return Err(format!("the private state of an input {owner} ({})", declared.name));
        }
        if owner == self.known.throwable {
            match &*declared.name {
                "detailMessage" | "cause" => {}
                other => return Err(format!("java.lang.Throwable.{other} of an input")),
            }
        }
        let key = LeafKey::Field(name, field);
        if let Some(constant) = self.constant_field(&key, field) {
            return Ok(constant);
        }
        let nullable = self.is_nullable(field);
        self.arbitrary(key, declared.ty, nullable)
    }

    /// Whether an input may hold null in a field. What a specification says of a field is an
    /// invariant like any other, which holds where invariants do.
    fn is_nullable(&self, field: FieldId) -> bool {
        self.program.field(field).nullness != Nullness::NonNull
    }

    /// Any value of a type, as the input may hold it.
    pub(crate) fn arbitrary(
        &mut self,
        key: LeafKey,
        ty: Type,
        nullable: bool,
    ) -> Result<Value, Unknown> {
        if let Some(known) = self.inputs.known(&key) {
            return Ok(known);
        }
        if self.bounded_numbers(&key).is_none()
            && let Some(word) = self.ordered_leaf(&key, ty)
        {
            return Ok(Value::Bits(word));
        }
        let int_bits = self.scope.int_bits;
        let (width, free, signed) = match ty {
            Type::Ref(class) => {
                return self.arbitrary_reference(key, class, nullable).map(Value::Ref);
            }
            Type::Boolean => (32, 1, false),
            Type::Byte => (32, 8, true),
            Type::Char => (32, 16, false),
            Type::Short => (32, 16, true),
            Type::Int => (32, int_bits.min(32), true),
            Type::Long => (64, if int_bits < 32 { int_bits } else { 64 }, true),
            Type::Float => (32, 32, true),
            Type::Double => (64, 64, true),
        };
        let bounded = self.bounded_numbers(&key);
        if let Some(bits) = bounded.as_deref().and_then(whole_bits) {
            // All that so many bits can say: there is nothing else to demand.
            let number = self.inputs.number(&mut self.circuit, key, width, bits, false);
            return Ok(Value::Bits(number));
        }
        let bits = match bounded {
            Some(values) => self.inputs.one_of(&mut self.circuit, key, width, &values),
            None => self.inputs.number(&mut self.circuit, key, width, free, signed),
        };
        Ok(Value::Bits(bits))
    }

    /// Reads a field through a reference that is not null.
    pub(crate) fn read_field(&mut self, state: &mut State, object: &Ref, field: FieldId) -> Value {
        let ty = self.program.field(field).ty;
        let mut cases = Vec::new();
        let object = object.restrict(&state.facts, |a| a != Atom::NULL);
        for (atom, lit) in object.objects() {
            match self.field_of(&state.heap, atom, field) {
                Ok(value) => cases.push((lit, value)),
                Err(what) => self.unsupported_if(state, lit, || what),
            }
            if let Some(worked_out) = self.strings.partial(atom) {
                let known = self.circuit.implies(lit, worked_out);
                state.assume(&mut self.circuit, known);
            }
        }
        if cases.is_empty() || state.is_dead() {
            return self.default_of(ty);
        }
        let value = value::select(&mut self.circuit, &cases);
        match value {
            Value::Ref(r) => Value::Ref(r.restrict(&state.facts, |_| true)),
            bits => bits,
        }
    }

    /// Writes a field through a reference that is not null.
    pub(crate) fn write_field(
        &mut self,
        state: &mut State,
        object: &Ref,
        field: FieldId,
        value: &Value,
    ) {
        let object = object.restrict(&state.facts, |a| a != Atom::NULL);
        if let Some(atom) = object.as_constant() {
            if let Err(what) = self.writable(atom, field) {
                self.unsupported(state, what);
                return;
            }
            state.heap.contents_mut(atom).set_field(field, value.clone());
            return;
        }
        for (atom, lit) in object.objects() {
            let old = match self.writable(atom, field) {
                Ok(()) => self.field_of(&state.heap, atom, field),
                Err(what) => Err(what),
            };
            match old {
                Ok(old) => {
                    let new = value::choose(&mut self.circuit, lit, value, &old);
                    state.heap.contents_mut(atom).set_field(field, new);
                }
                Err(what) => self.unsupported_if(state, lit, || what),
            }
        }
    }

    /// A field whose initial value is unknown must not be written either: a join would have to
    /// make one up.
    fn writable(&mut self, atom: Atom, field: FieldId) -> Result<(), Unknown> {
        match self.atoms.info(atom).name {
            Name::Input(..) | Name::Mirror(_) => self.initial_field(atom, field).map(|_| ()),
            _ => Ok(()),
        }
    }

    /// The value that a static field has when the method starts.
    pub(crate) fn initial_static(&mut self, field: FieldId) -> Value {
        let declared = self.program.field(field);
        let given = self.program.class(declared.class).is_ok_and(|c| c.is_given());
        let made = self.run.limits.objects != Objects::Arbitrary;
        let settled = declared.is_final || declared.is_synthetic || !given || made;
        let value = if settled || self.is_initialising() {
            match self.base.statics.get(field.index()) {
                Some(value) => value.clone(),
                None => match self.constant_value(field) {
                    Some(constant) => constant,
                    None => self.default_of(declared.ty),
                },
            }
        } else {
            let nullable = self.is_nullable(field);
            match self.arbitrary(LeafKey::Static(field), declared.ty, nullable) {
                Ok(value) => value,
                // Candidates exist for every type: unknown ones are opaque objects.
                Err(_) => self.default_of(declared.ty),
            }
        };
        self.unless_late(field, value)
    }

    /// The array that an atom is before the run writes it.
    pub(crate) fn initial_array(&mut self, atom: Atom) -> Array {
        if let Some(array) = self.base.contents(atom).and_then(|c| c.array.clone()) {
            return array;
        }
        let name = self.atoms.info(atom).name.clone();
        match name {
            Name::Input(..) => self.input_array(atom, name),
            Name::InputChars(number) => self.input_chars(number),
            Name::Null
            | Name::Initialiser(..)
            | Name::Literal(_)
            | Name::LiteralChars(_)
            | Name::Mirror(_)
            | Name::Constructed
            | Name::Fresh(_) => {
                Array { length: Bits::constant(32, 0), elements: Rc::new(Vec::new()) }
            }
        }
    }

    /// The length of any array in the scope.
    pub(crate) fn arbitrary_length(&mut self, key: LeafKey) -> Bits {
        let longest = self.scope.array_length;
        let width = 32 - longest.leading_zeros();
        let length = self.inputs.number(&mut self.circuit, key.clone(), 32, width, false);
        let most = Bits::constant(32, u64::from(longest));
        let fits = self.circuit.le_unsigned(&length, &most);
        self.inputs.require(fits, key);
        length
    }

    fn input_array(&mut self, atom: Atom, name: Name) -> Array {
        let length = self.arbitrary_length(LeafKey::Length(name.clone()));
        let element = self.element_type(atom).unwrap_or(Type::Int);
        let elements = (0..self.scope.array_length)
            .map(|i| {
                let key = LeafKey::Element(name.clone(), i);
                self.arbitrary(key, element, true).unwrap_or_else(|_| self.default_of(element))
            })
            .collect();
        let array = Array { length, elements: Rc::new(elements) };
        self.base.contents_mut(atom).array = Some(array.clone());
        array
    }

    /// The array behind an atom in a state.
    pub(crate) fn array_of(&mut self, heap: &Heap, atom: Atom) -> Array {
        match heap.contents(atom).and_then(|c| c.array.clone()) {
            Some(array) => array,
            None => self.initial_array(atom),
        }
    }

    /// Whether two references are the same object.
    pub(crate) fn same_object(&mut self, heap: &Heap, a: &Ref, b: &Ref) -> Lit {
        let mut ways = Vec::new();
        for &(x, in_a) in a.entries() {
            for &(y, in_b) in b.entries() {
                if x == y {
                    ways.push(self.circuit.and(in_a, in_b));
                } else if self.may_be_shared(x, y) {
                    let both = self.circuit.and(in_a, in_b);
                    let shared = self.one_shared_object(heap, x, y);
                    ways.push(self.circuit.and(both, shared));
                }
            }
        }
        self.circuit.or_all(ways)
    }

    fn may_be_shared(&self, a: Atom, b: Atom) -> bool {
        a != Atom::NULL
            && b != Atom::NULL
            && self.atoms.class(a) == self.atoms.class(b)
            && self.known.is_shared_by_value(self.atoms.class(a))
            && self.atoms.info(a).shared != Some(Lit::FALSE)
            && self.atoms.info(b).shared != Some(Lit::FALSE)
    }

    /// Two atoms of an immutable class are one object iff both are the shared object of their
    /// value and the values are equal.
    fn one_shared_object(&mut self, heap: &Heap, a: Atom, b: Atom) -> Lit {
        let is_input = |a: Atom| matches!(self.atoms.info(a).name, Name::Input(..));
        if !is_input(a) || !is_input(b) {
            return self.same_shared_value(heap, a, b);
        }
        // Nothing changes them, and generic code compares them over and over.
        let pair = (a.min(b), a.max(b));
        if let Some(known) = self.run.same.get(&pair) {
            return *known;
        }
        let same = self.same_shared_value(heap, pair.0, pair.1);
        self.run.same.insert(pair, same);
        same
    }

    fn same_shared_value(&mut self, heap: &Heap, a: Atom, b: Atom) -> Lit {
        let (x, y) = (self.shared(heap, a), self.shared(heap, b));
        let both = self.circuit.and(x, y);
        if both == Lit::FALSE {
            return Lit::FALSE;
        }
        let equal = self.equal_contents(heap, a, b);
        self.circuit.and(both, equal)
    }

    fn equal_contents(&mut self, heap: &Heap, a: Atom, b: Atom) -> Lit {
        let class = self.atoms.class(a);
        if class == self.known.string {
            return self.equal_strings(heap, a, b);
        }
        let Some(field) = self.field_named(class, "value") else {
            return Lit::FALSE;
        };
        match (self.field_of(heap, a, field), self.field_of(heap, b, field)) {
            (Ok(Value::Bits(x)), Ok(Value::Bits(y))) => self.circuit.bits_eq(&x, &y),
            _ => Lit::FALSE,
        }
    }

    /// The literal that says that an atom is the shared object of its value.
    pub(crate) fn shared(&mut self, heap: &Heap, atom: Atom) -> Lit {
        if let Some(shared) = self.atoms.info(atom).shared {
            return shared;
        }
        let name = self.atoms.info(atom).name.clone();
        let key = LeafKey::Shared(name);
        let shared = self.inputs.flag(&mut self.circuit, key.clone());
        let class = self.atoms.class(atom);
        if let (Some(ty), Some(field)) = (self.known.boxed(class), self.field_named(class, "value"))
            && let Ok(Value::Bits(value)) = self.field_of(heap, atom, field)
        {
            let small = self.in_box_cache(ty, &value);
            let implied = self.circuit.implies(shared, small);
            self.inputs.require(implied, key);
        }
        self.atoms.info_mut(atom).shared = Some(shared);
        shared
    }

    /// Whether `valueOf` answers with a cached object for this value.
    pub(crate) fn in_box_cache(&mut self, ty: Type, value: &Bits) -> Lit {
        let width = value.width();
        let (low, high) = match ty {
            Type::Boolean | Type::Byte => return Lit::TRUE,
            Type::Float | Type::Double => return Lit::FALSE,
            Type::Char => (0i64, 127i64),
            _ => (-128, 127),
        };
        let low = Bits::constant(width, low as u64);
        let high = Bits::constant(width, high as u64);
        let above = self.circuit.le_signed(&low, value);
        let below = self.circuit.le_signed(value, &high);
        self.circuit.and(above, below)
    }
}

/// How many bits have just these values, if that is many.
fn whole_bits(values: &[u64]) -> Option<u32> {
    let whole = values.len() >= 16 && values.len().is_power_of_two();
    let from_zero = || values.iter().copied().eq(0..values.len() as u64);
    (whole && from_zero()).then(|| values.len().ilog2())
}
