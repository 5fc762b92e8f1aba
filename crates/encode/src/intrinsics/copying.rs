//! Copies of arrays and objects.

use std::rc::Rc;

use ir::Type;
use logic::{Bits, Lit};

use super::returned;
use crate::engine::{Engine, Outcome};
use crate::state::State;
use crate::state::atom::Atom;
use crate::state::value::{self, Ref, Value};

const NULL_POINTER: &str = "java.lang.NullPointerException";
const ARRAY_STORE: &str = "java.lang.ArrayStoreException";
const OUT_OF_BOUNDS: &str = "java.lang.ArrayIndexOutOfBoundsException";

/// Where a copy goes: the indices from `start` to `end`, from those plus `offset`.
struct Range<'b> {
    start: &'b Bits,
    end: &'b Bits,
    offset: &'b Bits,
}

impl Engine<'_> {
    /// `System.arraycopy`: null checks, array checks, bounds, then the elements, as if through a
    /// temporary array.
    pub(super) fn array_copy(&mut self, mut state: State, args: &[Value]) -> Outcome {
        let mut outcome = Outcome::default();
        let source = args[0].reference().restrict(&state.facts, |_| true);
        let target = args[2].reference().restrict(&state.facts, |_| true);
        let null = self.circuit.or(source.is_null(), target.is_null());
        self.throw_if(&mut outcome, &mut state, null, NULL_POINTER);
        let mismatch = self.not_copyable(&source, &target);
        self.throw_if(&mut outcome, &mut state, mismatch, ARRAY_STORE);
        if state.is_dead() {
            return outcome;
        }
        let is_array = |e: &Self, a: Atom| a != Atom::NULL && e.element_type(a).is_some();
        let source = source.restrict(&state.facts, |a| is_array(self, a));
        let target = target.restrict(&state.facts, |a| is_array(self, a));
        let (from, to, count) = (args[1].bits(), args[3].bits(), args[4].bits());
        let outside_source = self.outside(&mut state, &source, from, count);
        let outside_target = self.outside(&mut state, &target, to, count);
        let outside = self.circuit.or(outside_source, outside_target);
        self.throw_if(&mut outcome, &mut state, outside, OUT_OF_BOUNDS);
        if state.is_dead() {
            return outcome;
        }
        let before = state.clone();
        let offset = self.circuit.sub(from, to);
        let end = self.circuit.add(to, count);
        let mut wrong = Vec::new();
        for (atom, lit) in target.objects() {
            let range = Range { start: to, end: &end, offset: &offset };
            wrong.push(self.copy_into(&mut state, &before, &source, (atom, lit), &range));
        }
        let wrong = self.circuit.or_all(wrong);
        self.throw_if(&mut outcome, &mut state, wrong, ARRAY_STORE);
        if !state.is_dead() {
            outcome.normal = Some((state, None));
        }
        outcome
    }

    /// Whether a range reaches beyond an array.
    fn outside(&mut self, state: &mut State, array: &Ref, start: &Bits, count: &Bits) -> Lit {
        let length = self.length(state, array);
        let c = &mut self.circuit;
        let left = c.sub(&length, start);
        let fits = c.le_signed(count, &left);
        let signs = c.or(start.bit(31), count.bit(31));
        let inside = c.and(fits, !signs);
        !inside
    }

    /// Whether the two are not arrays of the same kind of elements. References are checked one
    /// by one when they are copied.
    fn not_copyable(&mut self, source: &Ref, target: &Ref) -> Lit {
        let mut wrong = Vec::new();
        for (a, in_a) in source.objects() {
            for (b, in_b) in target.objects() {
                let both = self.circuit.and(in_a, in_b);
                match (self.element_type(a), self.element_type(b)) {
                    (Some(Type::Ref(_)), Some(Type::Ref(_))) => {}
                    (Some(x), Some(y)) if x == y => {}
                    _ => wrong.push(both),
                }
            }
        }
        self.circuit.or_all(wrong)
    }

    /// Copies into one array, up to the first element that does not fit it; the result says
    /// that there is one.
    fn copy_into(
        &mut self,
        state: &mut State,
        before: &State,
        source: &Ref,
        (atom, lit): (Atom, Lit),
        range: &Range<'_>,
    ) -> Lit {
        let Range { start: to, end, offset } = *range;
        let mut array = self.array_of(&before.heap, atom);
        let slots = array.elements.len();
        let writable = Bits::constant(32, slots as u64);
        if array.length.as_constant() != Some(slots as u64) {
            let beyond = self.circuit.lt_signed(&writable, end);
            let fits = self.circuit.le_unsigned(&array.length, &writable);
            let fits = state.facts.fold(fits);
            let beyond = self.circuit.and(beyond, !fits);
            let beyond = self.circuit.and(lit, beyond);
            self.cut_if(state, beyond, || {
                "an array that is allocated here and written can be longer".into()
            });
        }
        let mut wrong = Lit::FALSE;
        let elements = Rc::make_mut(&mut array.elements);
        for (i, slot) in elements.iter_mut().enumerate() {
            let here = Bits::constant(32, i as u64);
            let after_start = self.circuit.le_signed(to, &here);
            let before_end = self.circuit.lt_signed(&here, end);
            let inside = self.circuit.and(after_start, before_end);
            let inside = self.circuit.and(lit, inside);
            let inside = state.facts.fold(inside);
            if inside == Lit::FALSE {
                continue;
            }
            let from = self.circuit.add(&here, offset);
            let mut cases = Vec::new();
            for (other, is_other) in source.objects() {
                cases.push((is_other, self.element_at(before, other, &from)));
            }
            let copied = value::select(&mut self.circuit, &cases);
            if let Value::Ref(copied) = &copied {
                let target = Ref::constant(atom);
                let misfit = self.wrong_element(state, &target, copied);
                let misfit = self.circuit.and(inside, misfit);
                wrong = self.circuit.or(wrong, misfit);
            }
            let copy = self.circuit.and(inside, !wrong);
            *slot = value::choose(&mut self.circuit, copy, &copied, slot);
        }
        state.heap.contents_mut(atom).array = Some(array);
        wrong
    }

    /// `Object.clone` on something that is not null.
    pub(super) fn clone_object(&mut self, mut state: State, object: &Value) -> Outcome {
        let object = object.reference().restrict(&state.facts, |a| a != Atom::NULL);
        let cloneable = self.program.class_id("java.lang.Cloneable");
        let mut outcome = Outcome::default();
        let bad: Vec<Lit> =
            object.objects().filter(|e| !self.atom_is_a(e.0, cloneable)).map(|e| e.1).collect();
        let bad = self.circuit.or_all(bad);
        let exception = "java.lang.CloneNotSupportedException";
        self.throw_if(&mut outcome, &mut state, bad, exception);
        if state.is_dead() {
            return outcome;
        }
        let mut cases = Vec::new();
        for (atom, lit) in object.objects() {
            if !self.atom_is_a(atom, cloneable) {
                continue;
            }
            let copy = self.copy_of(&mut state, atom);
            cases.push((lit, Value::Ref(Ref::constant(copy))));
        }
        let value = value::select(&mut self.circuit, &cases);
        outcome.normal = Some((state, Some(value)));
        outcome
    }

    fn copy_of(&mut self, state: &mut State, atom: Atom) -> Atom {
        let class = self.atoms.class(atom);
        let copy = self.new_object(state, class);
        if self.element_type(atom).is_some() {
            let array = self.array_of(&state.heap, atom);
            state.heap.contents_mut(copy).array = Some(array);
            return copy;
        }
        let mut current = self.program.class(class).ok();
        while let Some(class) = current {
            for field in &class.fields {
                if self.program.field(*field).is_static {
                    continue;
                }
                let here = Ref::constant(atom);
                let value = self.read_field(state, &here, *field);
                state.heap.contents_mut(copy).set_field(*field, value);
            }
            current = class.superclass.and_then(|s| self.program.class(s).ok());
        }
        copy
    }

    /// `Array.newArray(Class, int)` for a component type that is known.
    pub(super) fn new_array_of_class(&mut self, mut state: State, args: &[Value]) -> Outcome {
        let mut outcome = Outcome::default();
        let null = args[0].reference().is_null();
        self.throw_if(&mut outcome, &mut state, null, NULL_POINTER);
        let mirrors = args[0].reference().restrict(&state.facts, |a| a != Atom::NULL);
        let negative = args[1].bits().bit(31);
        let exception = "java.lang.NegativeArraySizeException";
        self.throw_if(&mut outcome, &mut state, negative, exception);
        if state.is_dead() {
            return outcome;
        }
        let mut cases = Vec::new();
        for (atom, lit) in mirrors.objects() {
            match self.array_class_of(&Value::Ref(Ref::constant(atom))) {
                Some(class) => {
                    let array = self.new_array(&mut state, class, args[1].bits().clone());
                    cases.push((lit, Value::Ref(Ref::constant(array))));
                }
                None => {
                    self.unsupported_if(&mut state, lit, || "an array of an unknown class".into())
                }
            }
        }
        if cases.is_empty() || state.is_dead() {
            return outcome;
        }
        let value = value::select(&mut self.circuit, &cases);
        let done = returned(state, Some(value));
        outcome.normal = done.normal;
        outcome
    }
}
