//! Typed ids. Each prints as the text form shows it, so a debug dump reads like the text IR.

use std::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The id as an index into a dense table.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }
    };
}

id!(
    /// A class, interface or array type, by name. Having an id does not mean that the class has
    /// been loaded, or that it exists.
    ClassId, "class"
);
id!(
    /// A declared field.
    FieldId, "field"
);
id!(
    /// A declared method.
    MethodId, "method"
);
id!(
    /// A symbolic reference to a field, resolved when first used.
    FieldRefId, "fieldref"
);
id!(
    /// A symbolic reference to a method, resolved when first used.
    MethodRefId, "methodref"
);
id!(
    /// A basic block of one body; `b0` is the entry.
    BlockId, "b"
);
id!(
    /// A virtual register of one body.
    Reg, "r"
);
