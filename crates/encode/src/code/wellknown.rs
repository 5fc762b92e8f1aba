//! Ids of the classes that the encoder itself speaks of.

use ir::{ClassId, Program, Type};

/// Classes with a meaning of their own.
pub struct WellKnown {
    pub object: ClassId,
    pub string: ClassId,
    pub class: ClassId,
    pub throwable: ClassId,
    pub byte_array: ClassId,
    pub print_stream: ClassId,
    pub boxes: Vec<(ClassId, Type)>,
}

impl WellKnown {
    pub fn new(program: &Program) -> WellKnown {
        let id = |name: &str| program.class_id(name);
        WellKnown {
            object: id("java.lang.Object"),
            string: id("java.lang.String"),
            class: id("java.lang.Class"),
            throwable: id("java.lang.Throwable"),
            byte_array: id("byte[]"),
            print_stream: id("java.io.PrintStream"),
            boxes: vec![
                (id("java.lang.Integer"), Type::Int),
                (id("java.lang.Long"), Type::Long),
                (id("java.lang.Character"), Type::Char),
                (id("java.lang.Boolean"), Type::Boolean),
                (id("java.lang.Byte"), Type::Byte),
                (id("java.lang.Short"), Type::Short),
                (id("java.lang.Double"), Type::Double),
                (id("java.lang.Float"), Type::Float),
            ],
        }
    }

    /// The primitive type that a box class holds.
    pub fn boxed(&self, class: ClassId) -> Option<Type> {
        self.boxes.iter().find(|b| b.0 == class).map(|b| b.1)
    }

    /// Whether objects of this class are immutable and shared by value.
    pub fn is_shared_by_value(&self, class: ClassId) -> bool {
        class == self.string || self.boxed(class).is_some()
    }
}

/// Whether a class is of the JDK: no other may have such a name.
pub(crate) fn is_platform(name: &str) -> bool {
    name.starts_with("java.")
}
