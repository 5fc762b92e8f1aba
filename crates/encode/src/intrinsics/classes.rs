//! Questions to `java.lang.Class` objects. A mirror has no state here: everything follows from
//! the class that its atom is named after.

use std::sync::Arc;

use ir::{ClassId, Intrinsic, Type};
use logic::Lit;

use crate::engine::Engine;
use crate::state::State;
use crate::state::atom::{Atom, Name};
use crate::state::value::{self, Ref, Value};

impl Engine<'_> {
    /// `getClass` on a reference that is not null.
    pub(super) fn class_of(&mut self, state: &mut State, object: &Value) -> Value {
        let object = object.reference().restrict(&state.facts, |a| a != Atom::NULL);
        self.needs_its_class(state, &object);
        let mut cases = Vec::new();
        for (atom, lit) in object.objects() {
            if self.is_unknown(atom) {
                continue;
            }
            let class = self.atoms.class(atom);
            cases.push((lit, Value::Ref(Ref::constant(self.mirror(class)))));
        }
        if cases.is_empty() {
            return Value::Ref(Ref::null());
        }
        value::select(&mut self.circuit, &cases)
    }

    /// Refuses executions in which only the declared type of an object is known.
    pub(crate) fn needs_its_class(&mut self, state: &mut State, object: &Ref) {
        for (atom, lit) in object.objects() {
            if self.is_unknown(atom) {
                let class = self.program.class_name(self.atoms.class(atom)).to_string();
                self.unsupported_if(state, lit, || format!("the class of an input {class}"));
            }
        }
    }

    /// The class behind a constant mirror.
    fn mirrored(&self, mirror: &Ref) -> Option<ClassId> {
        match self.atoms.info(mirror.as_constant()?).name {
            Name::Mirror(class) => Some(class),
            _ => None,
        }
    }

    /// Answers a question for each mirror that a reference may be.
    fn for_each_mirror(
        &mut self,
        state: &mut State,
        mirror: &Value,
        mut answer: impl FnMut(&mut Self, ClassId) -> Value,
    ) -> Option<Value> {
        let mirror = mirror.reference().restrict(&state.facts, |a| a != Atom::NULL);
        let mut cases = Vec::new();
        for (atom, lit) in mirror.objects() {
            match self.atoms.info(atom).name {
                Name::Mirror(class) => cases.push((lit, answer(self, class))),
                _ => self.unsupported_if(state, lit, || "a java.lang.Class as input".into()),
            }
        }
        (!cases.is_empty()).then(|| value::select(&mut self.circuit, &cases))
    }

    pub(super) fn class_query(
        &mut self,
        which: Intrinsic,
        state: &mut State,
        mirror: &Value,
    ) -> Option<Value> {
        let program = self.program;
        self.for_each_mirror(state, mirror, |engine, class| {
            let name = program.class_name(class);
            let truth = |b: bool| Value::boolean(Lit::from(b));
            match which {
                Intrinsic::ClassIsArray => truth(name.ends_with("[]")),
                Intrinsic::ClassIsPrimitive => {
                    truth(name == "void" || program.parse_type(name).class().is_none())
                }
                Intrinsic::ClassIsInterface => {
                    truth(program.class(class).is_ok_and(|c| c.is_interface))
                }
                Intrinsic::ClassComponentType => match name.strip_suffix("[]") {
                    Some(element) => {
                        let element = program.class_id(element);
                        Value::Ref(Ref::constant(engine.mirror(element)))
                    }
                    None => Value::Ref(Ref::null()),
                },
                Intrinsic::ClassSuperclass => {
                    let loaded = program.class(class).ok();
                    match loaded.filter(|c| !c.is_interface).and_then(|c| c.superclass) {
                        Some(parent) => Value::Ref(Ref::constant(engine.mirror(parent))),
                        None => Value::Ref(Ref::null()),
                    }
                }
                Intrinsic::ClassSimpleName => engine.text(simple_name(name)),
                _ => engine.text(&java_name(program, name)),
            }
        })
    }

    fn text(&mut self, text: &str) -> Value {
        let units: Arc<[u16]> = text.encode_utf16().collect();
        Value::Ref(Ref::constant(self.literal(units)))
    }

    pub(super) fn class_is_instance(&mut self, state: &mut State, args: &[Value]) -> Option<Value> {
        let Some(class) = self.mirrored(args[0].reference()) else {
            self.unsupported(state, "java.lang.Class.isInstance on an unknown class");
            return None;
        };
        let object = args[1].reference().restrict(&state.facts, |_| true);
        let is = self.instance_of(state, &object, class);
        Some(Value::boolean(is))
    }

    pub(super) fn is_assignable_from(
        &mut self,
        state: &mut State,
        args: &[Value],
    ) -> Option<Value> {
        let classes = (self.mirrored(args[0].reference()), self.mirrored(args[1].reference()));
        let (Some(class), Some(from)) = classes else {
            self.unsupported(state, "java.lang.Class.isAssignableFrom on an unknown class");
            return None;
        };
        Some(Value::boolean(Lit::from(self.program.is_subtype(from, class))))
    }

    /// Assertions are on in given code and off in the library.
    pub(super) fn assertion_status(&mut self, mirror: &Value) -> Value {
        let class = self.mirrored(mirror.reference());
        let given = class.and_then(|c| self.program.class(c).ok()).is_some_and(|c| c.is_given());
        Value::boolean(Lit::from(given))
    }

    pub(super) fn primitive_class(&mut self, state: &mut State, name: &Value) -> Option<Value> {
        let atom = name.reference().as_constant();
        match atom.map(|a| self.atoms.info(a).name.clone()) {
            Some(Name::Literal(units)) => {
                let class = self.program.class_id(&String::from_utf16_lossy(&units));
                Some(Value::Ref(Ref::constant(self.mirror(class))))
            }
            _ => {
                self.unsupported(state, "java.lang.Class.getPrimitiveClass of an unknown name");
                None
            }
        }
    }

    /// The constants of an enum, shared.
    pub(super) fn enum_constants(&mut self, state: &mut State, mirror: &Value) -> Option<Value> {
        let class = self.mirrored(mirror.reference());
        let values = class.map(|c| {
            let array = Type::Ref(self.program.array_of(Type::Ref(c)));
            let descriptor = format!("(){}", self.program.descriptor(array));
            (c, descriptor)
        });
        match values {
            Some((class, descriptor)) => {
                self.invoke_by_name(state, class, "values", &descriptor, Vec::new())
            }
            None => {
                self.unsupported(state, "the constants of an unknown enum");
                None
            }
        }
    }

    /// The array class whose component is a constant mirror.
    pub(super) fn array_class_of(&self, mirror: &Value) -> Option<ClassId> {
        let element = self.mirrored(mirror.reference())?;
        let name = self.program.class_name(element);
        (name != "void").then(|| self.program.array_of(self.program.parse_type(name)))
    }
}

/// `Class.getSimpleName`: local classes lose their number, anonymous ones have no name.
fn simple_name(name: &str) -> &str {
    let base = name.trim_end_matches("[]");
    let start = base.rfind(['.', '$']).map_or(0, |i| i + 1);
    let last = &base[start..];
    let digits = match base[..start].ends_with('$') {
        true => last.len() - last.trim_start_matches(|c: char| c.is_ascii_digit()).len(),
        false => 0,
    };
    &name[start + digits..]
}

/// `Class.getName`: arrays are written as descriptors.
fn java_name(program: &ir::Program, name: &str) -> String {
    match name.ends_with("[]") {
        true => program.descriptor(program.parse_type(name)).replace('/', "."),
        false => name.to_string(),
    }
}
