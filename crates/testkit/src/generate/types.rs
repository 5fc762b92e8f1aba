//! The types that generated code uses.

/// A type of the generated world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Int,
    Long,
    Char,
    Byte,
    Short,
    Boolean,
    Text,
    Node,
    Leaf,
    Shape,
    Object,
    Color,
    Pair,
    Boxed,
    Ints,
    Bytes,
    Chars,
    Flags,
    Longs,
    Nodes,
    Objects,
}

impl Kind {
    pub const PARAMETERS: [Kind; 28] = [
        Kind::Int,
        Kind::Int,
        Kind::Int,
        Kind::Long,
        Kind::Char,
        Kind::Byte,
        Kind::Short,
        Kind::Boolean,
        Kind::Text,
        Kind::Text,
        Kind::Node,
        Kind::Node,
        Kind::Node,
        Kind::Leaf,
        Kind::Shape,
        Kind::Object,
        Kind::Color,
        Kind::Pair,
        Kind::Boxed,
        Kind::Ints,
        Kind::Bytes,
        Kind::Longs,
        Kind::Nodes,
        Kind::Objects,
        Kind::Chars,
        Kind::Flags,
        Kind::Flags,
        Kind::Color,
    ];

    pub const LOCALS: [Kind; 16] = [
        Kind::Int,
        Kind::Int,
        Kind::Int,
        Kind::Long,
        Kind::Long,
        Kind::Char,
        Kind::Byte,
        Kind::Short,
        Kind::Boolean,
        Kind::Text,
        Kind::Node,
        Kind::Node,
        Kind::Object,
        Kind::Boxed,
        Kind::Ints,
        Kind::Chars,
    ];

    pub const RESULTS: [Kind; 10] = [
        Kind::Int,
        Kind::Int,
        Kind::Int,
        Kind::Long,
        Kind::Boolean,
        Kind::Char,
        Kind::Text,
        Kind::Node,
        Kind::Object,
        Kind::Ints,
    ];

    /// How Java spells it.
    pub fn java(self) -> &'static str {
        match self {
            Kind::Int => "int",
            Kind::Long => "long",
            Kind::Char => "char",
            Kind::Byte => "byte",
            Kind::Short => "short",
            Kind::Boolean => "boolean",
            Kind::Text => "String",
            Kind::Node => "Node",
            Kind::Leaf => "Leaf",
            Kind::Shape => "Shape",
            Kind::Object => "Object",
            Kind::Color => "Color",
            Kind::Pair => "Pair",
            Kind::Boxed => "Integer",
            Kind::Ints => "int[]",
            Kind::Bytes => "byte[]",
            Kind::Chars => "char[]",
            Kind::Flags => "boolean[]",
            Kind::Longs => "long[]",
            Kind::Nodes => "Node[]",
            Kind::Objects => "Object[]",
        }
    }

    /// What an array holds.
    pub fn element(self) -> Option<Kind> {
        Some(match self {
            Kind::Ints => Kind::Int,
            Kind::Bytes => Kind::Byte,
            Kind::Chars => Kind::Char,
            Kind::Flags => Kind::Boolean,
            Kind::Longs => Kind::Long,
            Kind::Nodes => Kind::Node,
            Kind::Objects => Kind::Object,
            _ => return None,
        })
    }
}

/// Fields of `Node` and their types.
pub const NODE_FIELDS: [(&str, Kind); 9] = [
    ("val", Kind::Int),
    ("big", Kind::Long),
    ("next", Kind::Node),
    ("any", Kind::Object),
    ("data", Kind::Ints),
    ("text", Kind::Text),
    ("boxed", Kind::Boxed),
    ("letter", Kind::Char),
    ("flag", Kind::Boolean),
];

/// Static fields of `Main`.
pub const STATICS: [(&str, Kind); 5] = [
    ("si", Kind::Int),
    ("sl", Kind::Long),
    ("sn", Kind::Node),
    ("sa", Kind::Ints),
    ("st", Kind::Text),
];

/// Instance fields of `Main`.
pub const OWN_FIELDS: [(&str, Kind); 4] =
    [("count", Kind::Int), ("held", Kind::Node), ("rows", Kind::Nodes), ("tiny", Kind::Byte)];
