//! Objects as the code makes them: a constructor with any arguments, then calls of public methods,
//! chosen and with arguments chosen by the solver.
//!
//! An arbitrary heap may be one that no program ever reaches. What is found here has a way there:
//! the calls that some execution makes. Each object is made in turn, the receiver first. At each
//! call one selector says which of the methods is called, so that so many calls cost so many times
//! the class. A call that throws, breaks its contract, or meets what is not modelled ends that
//! attempt: nothing is proved here, so nothing is lost but a way.
//!
//! | file | what |
//! |---|---|
//! | `object` | one object: a constructor or a factory, then calls |
//! | `step` | one call, chosen among several |
//! | `argument` | what a call is given: any value, an object made for it, one that is known already |
//! | `library` | collections of the library as arguments |
//!
//! Library objects come about in the same way, as the constructors of the user's classes make
//! them. Static fields are as the initialisers leave them.

mod argument;
mod library;
mod object;
mod step;

use ir::{ClassId, Method, MethodId, Type};
use logic::Lit;

use crate::engine::Engine;
use crate::engine::run::Ended;
use crate::state::State;
use crate::state::leaves::{LeafKey, RouteLeaf};
use crate::state::value::{Ref, Value};

/// Objects within objects: how deep arguments of constructors are made.
const DEEPEST: u32 = 2;

/// Objects that are being made.
struct Making {
    calls: u32,
    depth: u32,
    known: Vec<Known>,
}

/// An object that a call has made, taken or handed out: a later call may be given it.
#[derive(Clone)]
struct Known {
    /// What the program knows of it.
    class: ClassId,
    value: Ref,
    /// The executions that have it.
    when: Lit,
}

impl<'a> Engine<'a> {
    /// Makes the input of a method by code: the receiver, then the arguments. Nothing if some
    /// object cannot be made so; `state` holds the executions that come to the method.
    pub(crate) fn make_input(
        &mut self,
        method: &Method,
        calls: u32,
        state: &mut State,
    ) -> Option<(Option<Value>, Vec<Value>)> {
        // What happens on the way belongs to no path and breaks nothing.
        let trace = self.run.trace.take();
        let made = self.make_all(method, calls, state);
        self.run.goals = Default::default();
        self.run.graph = Default::default();
        self.run.ended = Ended::default();
        self.run.trace = trace;
        self.start_log(method.id);
        state.node = State::initial().node;
        made
    }

    fn make_all(
        &mut self,
        method: &Method,
        calls: u32,
        state: &mut State,
    ) -> Option<(Option<Value>, Vec<Value>)> {
        let mut making = Making { calls, depth: 0, known: Vec::new() };
        let receiver = match &*method.name {
            _ if method.is_static => None,
            "<init>" => Some(Value::Ref(self.receiver(state, method))),
            _ => {
                let classes = self.receivers(method);
                Some(Value::Ref(self.make(&mut making, 0, &classes, state)?))
            }
        };
        let mut arguments = Vec::new();
        for number in 0..method.params.len() as u32 {
            let key = LeafKey::Parameter(number);
            arguments.push(self.argument(&mut making, key, method, number, state)?);
        }
        Some((receiver, arguments))
    }

    /// Whether the objects of a method's input are worth making: it has any whose state matters.
    pub fn has_objects(&self, method: MethodId) -> bool {
        let declared = self.program.method(method);
        let is_made = |ty: &Type| ty.class().is_some_and(|class| self.is_made_by_code(class));
        let has_receiver = !declared.is_static && &*declared.name != "<init>";
        has_receiver || declared.params.iter().any(is_made)
    }

    fn is_made_by_code(&self, class: ClassId) -> bool {
        self.program.class(class).is_ok_and(|c| c.is_given() && !c.is_enum && c.element.is_none())
    }

    /// Joins a state into those that are done.
    fn add(&mut self, done: &mut Option<State>, state: State) {
        match done {
            Some(joined) => {
                self.join(joined, state);
            }
            None => *done = Some(state),
        }
    }

    /// One literal for each of so many options, exactly one of which holds.
    fn picks(&mut self, at: RouteLeaf, options: usize) -> Vec<Lit> {
        let mut rest = Lit::TRUE;
        let mut picks = Vec::new();
        for option in 0..options {
            let is_last = option + 1 == options;
            let flag = match is_last {
                true => Lit::TRUE,
                false => self.flag_of(RouteLeaf { option: at.option + option as u32, ..at }),
            };
            picks.push(self.circuit.and(rest, flag));
            rest = self.circuit.and(rest, !flag);
        }
        picks
    }

    fn flag_of(&mut self, at: RouteLeaf) -> Lit {
        self.inputs.flag(&mut self.circuit, LeafKey::Route(at))
    }
}

/// The number of the object that stands at a place. It depends on nothing but the place: a run on
/// constants, which leaves out what is not picked, must come to the same one.
fn object_at(key: &LeafKey) -> u64 {
    match key {
        LeafKey::Parameter(number) => 1 + u64::from(*number),
        LeafKey::Route(at) => {
            let argument = at.argument.map_or(u64::MAX, u64::from);
            let parts = [at.object, u64::from(at.call), u64::from(at.option), argument];
            parts.iter().fold(0xcbf2_9ce4_8422_2325, |hash, part| {
                (hash ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
            })
        }
        other => unreachable!("no object is made for {other:?}"),
    }
}
