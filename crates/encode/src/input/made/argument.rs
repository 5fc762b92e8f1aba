//! What a call is given: any number, text or array of them; an object that is made for it, or one that
//! an earlier call has made, taken or handed out.

use ir::{ClassId, Method, MethodId, Type};

use super::{DEEPEST, Known, Making, object_at};
use crate::engine::Engine;
use crate::state::State;
use crate::state::leaves::{LeafKey, RouteLeaf};
use crate::state::value::{self, Ref, Value};

/// Objects of earlier calls that an argument may be; the last ones count.
const MOST_KNOWN: usize = 3;

/// Which choice a leaf of an argument is: that of the object, not of one of its calls.
const WHICH: u32 = u32::MAX - 1;

impl Engine<'_> {
    /// An argument: numbers, strings and arrays of them are arbitrary, objects are made.
    pub(super) fn argument(
        &mut self,
        making: &mut Making,
        key: LeafKey,
        method: &Method,
        number: u32,
        state: &mut State,
    ) -> Option<Value> {
        let ty = method.params[number as usize];
        let nullable = self.is_nullable_parameter(method, number);
        match self.simple_argument(making, key.clone(), ty, nullable, state) {
            Some(value) => Some(value),
            None => self.library_argument(making, &key, method, number, state),
        }
    }

    /// Any value of a type that asks for no object of the library.
    pub(super) fn simple_argument(
        &mut self,
        making: &mut Making,
        key: LeafKey,
        ty: Type,
        nullable: bool,
        state: &mut State,
    ) -> Option<Value> {
        let Some(class) = ty.class() else {
            return self.arbitrary(key, ty, nullable).ok();
        };
        if self.is_made_by_code(class) {
            return self.object_argument(making, &key, class, nullable, state);
        }
        let class = self.plain_class(class)?;
        self.arbitrary(key, Type::Ref(class), nullable).ok()
    }

    /// An object of a given class: one of those that are known, or one for this call alone.
    pub(super) fn object_argument(
        &mut self,
        making: &mut Making,
        key: &LeafKey,
        class: ClassId,
        nullable: bool,
        state: &mut State,
    ) -> Option<Value> {
        let number = object_at(key);
        let fits = |known: &&Known| self.program.is_subtype(known.class, class);
        let known: Vec<Known> =
            making.known.iter().rev().filter(fits).take(MOST_KNOWN).cloned().collect();
        let at = RouteLeaf { object: number, call: WHICH, option: 0, argument: None };
        let mut picks = self.picks(at, known.len() + 1);
        let fresh = picks.pop().expect("at least one option");
        let (mut cases, mut done) = (Vec::new(), None);
        for (known, pick) in known.iter().zip(picks) {
            let mut here = state.clone();
            here.assume(&mut self.circuit, pick);
            here.assume(&mut self.circuit, known.when);
            if let Some(object) = self.as_object(&known.value, &mut here) {
                cases.push((pick, Value::Ref(object)));
                self.add(&mut done, here);
            }
        }
        state.assume(&mut self.circuit, fresh);
        let classes = self.classes_of(class);
        // What only other objects hand out is known once they have; to make those again is costly.
        let is_worth_it =
            cases.is_empty() || classes.iter().any(|class| self.is_made_alone(*class));
        let object = match making.depth < DEEPEST && is_worth_it && !state.is_dead() {
            true => self.make_inner(making, number, &classes, state),
            false => nullable.then(Ref::null),
        };
        if let Some(object) = object.filter(|_| !state.is_dead()) {
            cases.push((fresh, Value::Ref(object)));
            self.add(&mut done, state.clone());
        }
        *state = done?;
        Some(value::select(&mut self.circuit, &cases))
    }

    /// The given classes that an object of a type may have.
    pub(super) fn classes_of(&self, class: ClassId) -> Vec<ClassId> {
        let fits = |c: &ClassId| {
            self.program.is_subtype(*c, class)
                && self.program.class(*c).is_ok_and(|c| c.is_instantiable() && !c.is_synthetic)
        };
        let mut found: Vec<ClassId> = self.candidates.given.iter().copied().filter(fits).collect();
        // Those that a program can construct come first: only some are tried.
        found.sort_by_key(|c| self.constructors(*c).is_empty());
        found
    }

    /// Whether a program makes objects of a class without any others.
    fn is_made_alone(&self, class: ClassId) -> bool {
        let is_static = |method: &MethodId| self.program.method(*method).is_static;
        !self.constructors(class).is_empty() || self.factories(class).iter().any(is_static)
    }

    /// The class of values that stand for a type which says little: a number for anything
    /// comparable, a string for text. Nothing where an object would be needed.
    pub(super) fn plain_class(&self, class: ClassId) -> Option<ClassId> {
        let loaded = self.program.class(class).ok()?;
        if let Some(element) = loaded.element {
            let inner = element.class();
            let is_plain =
                inner.is_none_or(|c| c == self.known.string || self.known.boxed(c).is_some());
            return is_plain.then_some(class);
        }
        let is_value = class == self.known.string || self.known.boxed(class).is_some();
        if is_value || loaded.is_enum {
            return Some(class);
        }
        match self.program.class_name(class) {
            "java.lang.Object" | "java.lang.Comparable" | "java.lang.Number" => {
                Some(self.program.class_id("java.lang.Integer"))
            }
            "java.lang.CharSequence" => Some(self.known.string),
            _ => None,
        }
    }
}
