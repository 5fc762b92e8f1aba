//! Collections of the library as arguments: the usual class, made by its constructor, with up to two
//! elements that are put in one by one.

use ir::{ClassId, Method, MethodId, Type};
use spec::resolve::parameter_arguments;

use super::{Making, object_at};
use crate::engine::Engine;
use crate::state::State;
use crate::state::leaves::{LeafKey, RouteLeaf};
use crate::state::value::{Ref, Value};

/// Elements that a collection is given.
const MOST_ELEMENTS: u32 = 2;

/// A class of collections, and what a program does with it.
struct Kind {
    /// Types that an object of it stands for.
    fits: &'static [&'static str],
    class: &'static str,
    /// The method that puts an element in.
    put: (&'static str, &'static str),
}

const KINDS: [Kind; 8] = [
    Kind {
        fits: &[
            "java.util.List",
            "java.util.Collection",
            "java.lang.Iterable",
            "java.util.ArrayList",
        ],
        class: "java.util.ArrayList",
        put: ("add", "(Ljava/lang/Object;)Z"),
    },
    Kind {
        fits: &["java.util.Set", "java.util.HashSet"],
        class: "java.util.HashSet",
        put: ("add", "(Ljava/lang/Object;)Z"),
    },
    Kind {
        fits: &["java.util.SortedSet", "java.util.NavigableSet", "java.util.TreeSet"],
        class: "java.util.TreeSet",
        put: ("add", "(Ljava/lang/Object;)Z"),
    },
    Kind {
        fits: &["java.util.Map", "java.util.HashMap"],
        class: "java.util.HashMap",
        put: ("put", "(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;"),
    },
    Kind {
        fits: &["java.util.SortedMap", "java.util.NavigableMap", "java.util.TreeMap"],
        class: "java.util.TreeMap",
        put: ("put", "(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;"),
    },
    Kind {
        fits: &["java.util.Queue", "java.util.Deque", "java.util.ArrayDeque"],
        class: "java.util.ArrayDeque",
        put: ("addLast", "(Ljava/lang/Object;)V"),
    },
    Kind {
        fits: &["java.util.LinkedList"],
        class: "java.util.LinkedList",
        put: ("add", "(Ljava/lang/Object;)Z"),
    },
    Kind {
        fits: &["java.lang.StringBuilder", "java.lang.Appendable"],
        class: "java.lang.StringBuilder",
        put: ("append", "(Ljava/lang/String;)Ljava/lang/StringBuilder;"),
    },
];

impl Engine<'_> {
    /// An object of a type of the library: a collection, or one of a given class that is such.
    pub(super) fn library_argument(
        &mut self,
        making: &mut Making,
        key: &LeafKey,
        method: &Method,
        number: u32,
        state: &mut State,
    ) -> Option<Value> {
        let class = method.params[number as usize].class()?;
        if self.is_made_by_code(class) {
            return None;
        }
        let name = self.program.class_name(class);
        let Some(kind) = KINDS.iter().find(|kind| kind.fits.contains(&name)) else {
            let nullable = self.is_nullable_parameter(method, number);
            return self.object_argument(making, key, class, nullable, state);
        };
        let elements = parameter_arguments(self.program, method, number as usize);
        self.collection(making, key, kind, &elements, state)
    }

    fn collection(
        &mut self,
        making: &mut Making,
        key: &LeafKey,
        kind: &Kind,
        elements: &[Option<Type>],
        state: &mut State,
    ) -> Option<Value> {
        let class = self.program.class_id(kind.class);
        let constructor = self.method_named(class, "<init>", "()V")?;
        let put = self.method_named(class, kind.put.0, kind.put.1)?;
        if !self.initialise(state, class) {
            return None;
        }
        let object = Value::Ref(Ref::constant(self.new_object(state, class)));
        let constructor = self.program.method(constructor);
        let made =
            self.called(making, constructor, Some(object.clone()), Vec::new(), state.clone());
        *state = made?.0;
        let at = RouteLeaf { object: object_at(key), call: 0, option: 0, argument: None };
        for call in 1..=MOST_ELEMENTS {
            let at = RouteLeaf { call, ..at };
            let is_put = self.flag_of(at);
            let mut here = state.clone();
            here.assume(&mut self.circuit, is_put);
            state.assume(&mut self.circuit, !is_put);
            let mut both = Some(state.clone());
            if let Some(after) = self.put(making, at, put, &object, elements, here) {
                self.add(&mut both, after);
            }
            *state = both?;
        }
        Some(object)
    }

    /// Puts an element into a collection, if one can be made.
    fn put(
        &mut self,
        making: &mut Making,
        at: RouteLeaf,
        put: MethodId,
        object: &Value,
        elements: &[Option<Type>],
        mut state: State,
    ) -> Option<State> {
        let put = self.program.method(put);
        let mut arguments = Vec::new();
        for (number, ty) in put.params.iter().enumerate() {
            // What is not known may be anything: a number is that.
            let ty = elements.get(number).copied().flatten().unwrap_or(*ty);
            let key = LeafKey::Route(RouteLeaf { argument: Some(number as u32), ..at });
            arguments.push(self.simple_argument(making, key, ty, false, &mut state)?);
        }
        if state.is_dead() {
            return None;
        }
        self.called(making, put, Some(object.clone()), arguments, state).map(|after| after.0)
    }

    fn method_named(&self, class: ClassId, name: &str, descriptor: &str) -> Option<MethodId> {
        let class = self.program.class(class).ok()?;
        let fits = |id: &MethodId| {
            let method = self.program.method(*id);
            &*method.name == name && *method.descriptor == *descriptor
        };
        class.methods.iter().copied().find(fits)
    }
}
