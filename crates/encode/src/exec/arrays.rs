//! Arrays: allocation, length, elements at known and unknown indices, copying.

use std::rc::Rc;

use ir::{ClassId, Type};
use logic::{Bits, Lit};

use crate::engine::Engine;
use crate::state::State;
use crate::state::atom::Atom;
use crate::state::heap::Array;
use crate::state::value::{self, Ref, Value};

/// Longest array of constant length whose elements are all writable.
const LONGEST_CONSTANT: u64 = 1 << 16;
/// Longest array of unknown length. An execution that needs a longer one is taken to run out of
/// memory, which is not modelled.
const LONGEST_UNKNOWN: u64 = 1 << 22;

impl Engine<'_> {
    /// A fresh array of a length that is known not to be negative.
    pub(crate) fn new_array(&mut self, state: &mut State, class: ClassId, length: Bits) -> Atom {
        if length.as_constant().is_none() {
            let most = Bits::constant(32, LONGEST_UNKNOWN);
            let fits = self.circuit.le_unsigned(&length, &most);
            state.assume(&mut self.circuit, fits);
        }
        let atom = self.new_object(state, class);
        let slots = self.slots_for(state, &length);
        let element = self.program.class(class).ok().and_then(|c| c.element);
        let default = self.default_of(element.unwrap_or(Type::Int));
        let elements = Rc::new(vec![default; slots]);
        state.heap.contents_mut(atom).array = Some(Array { length, elements });
        atom
    }

    /// How many elements of an allocated array can be written: all of them if the length is
    /// constant or small for sure, else as many as the limits say.
    fn slots_for(&mut self, state: &mut State, length: &Bits) -> usize {
        if let Some(length) = length.as_constant() {
            return length.min(LONGEST_CONSTANT) as usize;
        }
        let most = length
            .iter()
            .enumerate()
            .filter(|(_, lit)| *lit != Lit::FALSE)
            .map(|(i, _)| 1u64 << i)
            .sum::<u64>();
        let few = u64::from(self.run.limits.array_elements);
        if most <= few {
            return most as usize;
        }
        for bound in [few, 4 * few, 16 * few] {
            let bound_bits = Bits::constant(32, bound);
            let fits = self.circuit.le_unsigned(length, &bound_bits);
            let longer = self.circuit.and(state.guard, !fits);
            if self.is_impossible(longer) {
                state.facts.learn(&self.circuit, fits);
                return bound as usize;
            }
        }
        few as usize
    }

    /// Nested arrays; the inner ones are allocated for each writable element.
    pub(super) fn new_multi_array(
        &mut self,
        state: &mut State,
        class: ClassId,
        lengths: &[Bits],
    ) -> Atom {
        let Some((length, inner)) = lengths.split_first() else {
            return Atom::NULL;
        };
        let atom = self.new_array(state, class, length.clone());
        let element = self.program.class(class).ok().and_then(|c| c.element);
        let (Some(Type::Ref(element)), false) = (element, inner.is_empty()) else {
            return atom;
        };
        let slots = self.array_of(&state.heap, atom).elements.len();
        let beyond = Bits::constant(32, slots as u64);
        let too_long = self.circuit.lt_unsigned(&beyond, length);
        self.cut_if(state, too_long, || {
            "an array that is allocated here and written can be longer".into()
        });
        let rows: Vec<Value> = (0..slots)
            .map(|_| Value::Ref(Ref::constant(self.new_multi_array(state, element, inner))))
            .collect();
        if let Some(array) = &mut state.heap.contents_mut(atom).array {
            array.elements = Rc::new(rows);
        }
        atom
    }

    /// The length of an array that is not null.
    pub(crate) fn length(&mut self, state: &mut State, array: &Ref) -> Bits {
        let mut cases = Vec::new();
        for (atom, lit) in array.objects() {
            let length = self.array_of(&state.heap, atom).length;
            cases.push((lit, Value::Bits(length)));
        }
        if cases.is_empty() {
            return Bits::constant(32, 0);
        }
        value::select(&mut self.circuit, &cases).bits().clone()
    }

    /// The element at an index within bounds.
    pub(crate) fn load_element(&mut self, state: &mut State, array: &Ref, index: &Bits) -> Value {
        let mut cases = Vec::new();
        for (atom, lit) in array.objects() {
            let value = self.element_at(state, atom, index);
            cases.push((lit, value));
        }
        if cases.is_empty() {
            return Value::int(0);
        }
        match value::select(&mut self.circuit, &cases) {
            Value::Ref(r) => Value::Ref(r.restrict(&state.facts, |_| true)),
            bits => bits,
        }
    }

    /// The element of one array; beyond the writable elements it is the default.
    pub(crate) fn element_at(&mut self, state: &State, atom: Atom, index: &Bits) -> Value {
        let element = self.element_type(atom).unwrap_or(Type::Int);
        let array = self.array_of(&state.heap, atom);
        let default = self.default_of(element);
        if let Some(index) = index.as_constant() {
            return array.elements.get(index as usize).cloned().unwrap_or(default);
        }
        if array.elements.is_empty() {
            return default;
        }
        let all_inside = array.length.as_constant() == Some(array.elements.len() as u64);
        let found = self.pick(&array.elements, index, &default);
        if all_inside {
            return found;
        }
        let slots = Bits::constant(32, array.elements.len() as u64);
        let inside = self.circuit.lt_unsigned(index, &slots);
        let inside = state.facts.fold(inside);
        value::choose(&mut self.circuit, inside, &found, &default)
    }

    /// The element at an unknown index below the number of elements: a tree of choices by the
    /// bits of the index, which shares equal halves.
    fn pick(&mut self, elements: &[Value], index: &Bits, default: &Value) -> Value {
        let mut layer: Vec<Value> = elements.to_vec();
        let mut bit = 0;
        while layer.len() > 1 {
            let lit = index.bit(bit);
            layer = layer
                .chunks(2)
                .map(|pair| {
                    let high = pair.get(1).unwrap_or(default);
                    value::choose(&mut self.circuit, lit, high, &pair[0])
                })
                .collect();
            bit += 1;
        }
        layer.pop().unwrap_or_else(|| default.clone())
    }

    /// Stores an element at an index within bounds.
    pub(super) fn store_element(
        &mut self,
        state: &mut State,
        array: &Ref,
        index: &Bits,
        value: &Value,
    ) {
        for (atom, lit) in array.restrict(&state.facts, |a| a != Atom::NULL).objects() {
            let mut contents = self.array_of(&state.heap, atom);
            self.cut_store(state, lit, index, &contents);
            if state.is_dead() {
                return;
            }
            self.store_in(state, &mut contents, lit, index, value);
            state.heap.contents_mut(atom).array = Some(contents);
        }
    }

    fn store_in(
        &mut self,
        state: &mut State,
        array: &mut Array,
        lit: Lit,
        index: &Bits,
        value: &Value,
    ) {
        let elements = Rc::make_mut(&mut array.elements);
        if let Some(index) = index.as_constant() {
            if let Some(slot) = elements.get_mut(index as usize) {
                *slot = value::choose(&mut self.circuit, lit, value, slot);
            }
            return;
        }
        for (i, slot) in elements.iter_mut().enumerate() {
            let here = Bits::constant(32, i as u64);
            let here = self.circuit.bits_eq(index, &here);
            let here = self.circuit.and(lit, here);
            let here = state.facts.fold(here);
            *slot = value::choose(&mut self.circuit, here, value, slot);
        }
    }

    /// A store beyond the writable elements is outside the bounds of the run.
    fn cut_store(&mut self, state: &mut State, lit: Lit, index: &Bits, array: &Array) {
        if array.length.as_constant() == Some(array.elements.len() as u64) {
            return;
        }
        let slots = Bits::constant(32, array.elements.len() as u64);
        // Input arrays are never longer than their slots: the bounds check has passed.
        let outside = !self.circuit.lt_unsigned(index, &slots);
        let fits = self.circuit.le_unsigned(&array.length, &slots);
        if state.facts.fold(fits) == Lit::TRUE {
            return;
        }
        let outside = self.circuit.and(lit, outside);
        let outside = self.circuit.and(outside, !fits);
        self.cut_if(state, outside, || {
            "an array that is allocated here and written can be longer".into()
        });
    }

    /// The literal that says that the store check of `array[…] = stored` fails.
    pub(crate) fn wrong_element(&mut self, state: &mut State, array: &Ref, stored: &Ref) -> Lit {
        let mut wrong = Vec::new();
        for (atom, in_array) in array.objects() {
            let Some(Type::Ref(element)) = self.element_type(atom) else {
                continue;
            };
            for (object, is_object) in stored.restrict(&state.facts, |_| true).objects() {
                if self.atom_is_a(object, element) {
                    continue;
                }
                if self.is_unknown(object) {
                    let class = self.program.class_name(self.atoms.class(object)).to_string();
                    let what = || format!("storing an input of type {class} in an array");
                    self.unsupported_if(state, is_object, what);
                } else {
                    wrong.push(self.circuit.and(in_array, is_object));
                }
            }
        }
        self.circuit.or_all(wrong)
    }
}
