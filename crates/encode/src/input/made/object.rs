//! One object as a program makes it: by a constructor that the program may call or, where there is none,
//! by a method that returns such an object; then by calls that may change it.

use ir::{ClassId, MethodId};

use super::{DEEPEST, Known, Making, object_at};
use crate::engine::Engine;
use crate::state::State;
use crate::state::atom::Atom;
use crate::state::leaves::{LeafKey, RouteLeaf};
use crate::state::value::{self, Ref, Value};

/// Classes that one reference may be an object of.
const MOST_CLASSES: usize = 3;

/// Which choice of an object a leaf is: that of its class, of its constructor, of a call.
const CLASS: u32 = u32::MAX;

impl Engine<'_> {
    /// One object of one of these classes, in the executions of `state`.
    pub(super) fn make(
        &mut self,
        making: &mut Making,
        number: u64,
        classes: &[ClassId],
        state: &mut State,
    ) -> Option<Ref> {
        let classes = &classes[..classes.len().min(MOST_CLASSES)];
        let mut cases = Vec::new();
        let mut done: Option<State> = None;
        let picks = self.picks(
            RouteLeaf { object: number, call: CLASS, option: 0, argument: None },
            classes.len(),
        );
        for ((option, class), pick) in classes.iter().enumerate().zip(picks) {
            let mut here = state.clone();
            here.assume(&mut self.circuit, pick);
            if here.is_dead() {
                continue;
            }
            let first = RouteLeaf { object: number, call: 0, option: 0, argument: None };
            // Each class has calls of its own.
            let first = RouteLeaf { option: 10_000 * option as u32, ..first };
            if let Some(object) = self.make_one(making, first, *class, &mut here) {
                cases.push((pick, Value::Ref(object)));
                self.add(&mut done, here);
            }
        }
        *state = done?;
        Some(value::select(&mut self.circuit, &cases).reference().clone())
    }

    fn make_one(
        &mut self,
        making: &mut Making,
        first: RouteLeaf,
        class: ClassId,
        state: &mut State,
    ) -> Option<Ref> {
        if !self.initialise(state, class) {
            return None;
        }
        let object = self.create(making, first, class, state)?;
        making.known.push(Known { class, value: object.clone(), when: state.guard });
        let this = Value::Ref(object.clone());
        let writers = self.writers(class);
        for call in 1..=making.calls {
            let at = RouteLeaf { call, ..first };
            let called = self.flag_of(at);
            let mut here = state.clone();
            here.assume(&mut self.circuit, called);
            state.assume(&mut self.circuit, !called);
            let at = RouteLeaf { option: at.option + 1, ..at };
            let after = self.call_one_of(making, at, &writers, Some(&this), here);
            let mut both = Some(std::mem::replace(state, State::initial()));
            if let Some((after, _)) = after {
                self.add(&mut both, after);
            }
            *state = both?;
        }
        Some(object)
    }

    /// The object itself.
    fn create(
        &mut self,
        making: &mut Making,
        at: RouteLeaf,
        class: ClassId,
        state: &mut State,
    ) -> Option<Ref> {
        let constructors = self.constructors(class);
        if !constructors.is_empty() {
            let object = Ref::constant(self.new_object(state, class));
            let this = Value::Ref(object.clone());
            let (after, _) =
                self.call_one_of(making, at, &constructors, Some(&this), state.clone())?;
            *state = after;
            return Some(object);
        }
        if making.depth >= DEEPEST {
            return None;
        }
        let factories = self.factories(class);
        making.depth += 1;
        let called = self.call_one_of(making, at, &factories, None, state.clone());
        making.depth -= 1;
        let (mut after, result) = called?;
        let result = result?.reference().clone();
        let object = self.as_object(&result, &mut after)?;
        *state = after;
        Some(object)
    }

    /// A reference in the executions in which it is one to an object.
    pub(super) fn as_object(&mut self, value: &Ref, state: &mut State) -> Option<Ref> {
        state.assume(&mut self.circuit, !value.is_null());
        let is_possible = !state.is_dead() && value.objects().next().is_some();
        is_possible.then(|| value.restrict(&state.facts, |atom| atom != Atom::NULL))
    }

    /// The object of a call to a method that is no constructor and has one: made for it.
    pub(super) fn made_receiver(
        &mut self,
        making: &mut Making,
        at: RouteLeaf,
        method: MethodId,
        state: &mut State,
    ) -> Option<Value> {
        let classes = self.classes_of(self.program.method(method).class);
        let place = LeafKey::Route(RouteLeaf { argument: Some(u32::MAX), ..at });
        let object = self.make_inner(making, object_at(&place), &classes, state)?;
        Some(Value::Ref(object))
    }

    /// An object that another one needs: with fewer calls.
    pub(super) fn make_inner(
        &mut self,
        making: &mut Making,
        number: u64,
        classes: &[ClassId],
        state: &mut State,
    ) -> Option<Ref> {
        let calls = making.calls;
        making.calls = calls.min(1);
        making.depth += 1;
        let object = self.make(making, number, classes, state);
        making.depth -= 1;
        making.calls = calls;
        object
    }
}
