//! Java's types, and the kinds of value that a register can hold.

use crate::id::ClassId;

/// A field, element, parameter or result type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Type {
    Boolean,
    Byte,
    Char,
    Short,
    Int,
    Long,
    Float,
    Double,
    Ref(ClassId),
}

/// What a register holds: the JVM's computational types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    Int,
    Long,
    Float,
    Double,
    Ref,
}

impl Type {
    /// All that is no reference.
    pub const PRIMITIVE: [Type; 8] = [
        Type::Boolean,
        Type::Byte,
        Type::Char,
        Type::Short,
        Type::Int,
        Type::Long,
        Type::Float,
        Type::Double,
    ];

    /// The primitive type of a keyword.
    pub fn of_keyword(keyword: &str) -> Option<Type> {
        Type::PRIMITIVE.into_iter().find(|ty| ty.keyword() == Some(keyword))
    }

    /// The primitive type whose values the class of this name boxes.
    pub fn boxed_by(class: &str) -> Option<Type> {
        Type::PRIMITIVE.into_iter().find(|ty| ty.box_class() == class)
    }

    /// The class that boxes values of this type.
    pub fn box_class(self) -> &'static str {
        match self {
            Type::Boolean => "java.lang.Boolean",
            Type::Byte => "java.lang.Byte",
            Type::Char => "java.lang.Character",
            Type::Short => "java.lang.Short",
            Type::Int => "java.lang.Integer",
            Type::Long => "java.lang.Long",
            Type::Float => "java.lang.Float",
            Type::Double => "java.lang.Double",
            Type::Ref(_) => "java.lang.Object",
        }
    }

    /// The kind of register that holds a value of this type.
    pub fn kind(self) -> Kind {
        match self {
            Type::Boolean | Type::Byte | Type::Char | Type::Short | Type::Int => Kind::Int,
            Type::Long => Kind::Long,
            Type::Float => Kind::Float,
            Type::Double => Kind::Double,
            Type::Ref(_) => Kind::Ref,
        }
    }

    /// The class of a reference type.
    pub fn class(self) -> Option<ClassId> {
        match self {
            Type::Ref(class) => Some(class),
            Type::Boolean
            | Type::Byte
            | Type::Char
            | Type::Short
            | Type::Int
            | Type::Long
            | Type::Float
            | Type::Double => None,
        }
    }

    /// The keyword of a primitive type.
    pub fn keyword(self) -> Option<&'static str> {
        match self {
            Type::Boolean => Some("boolean"),
            Type::Byte => Some("byte"),
            Type::Char => Some("char"),
            Type::Short => Some("short"),
            Type::Int => Some("int"),
            Type::Long => Some("long"),
            Type::Float => Some("float"),
            Type::Double => Some("double"),
            Type::Ref(_) => None,
        }
    }
}

impl Kind {
    /// Width in bits of a primitive kind's representation; references have none.
    pub fn width(self) -> Option<u32> {
        match self {
            Kind::Int | Kind::Float => Some(32),
            Kind::Long | Kind::Double => Some(64),
            Kind::Ref => None,
        }
    }
}
