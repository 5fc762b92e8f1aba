//! Types with their sizes: those of a 64-bit Unix, which are checked against the system's compiler.

use std::rc::Rc;

/// A structure or union of the program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StructId(pub u32);

/// A type.
#[derive(Clone, PartialEq, Debug)]
pub enum Type {
    Void,
    Bool,
    Integer {
        bits: u32,
        signed: bool,
    },
    /// Floating and 128-bit types: only their size is known.
    Opaque {
        name: Rc<str>,
        bytes: u64,
    },
    Pointer(Rc<Type>),
    Array(Rc<Type>, Option<u64>),
    Struct(StructId),
    Function(Rc<Signature>),
    Volatile(Rc<Type>),
}

/// What a function takes and gives.
#[derive(Clone, PartialEq, Debug)]
pub struct Signature {
    pub result: Type,
    pub parameters: Vec<Type>,
    pub variadic: bool,
}

/// A field and where it lies.
#[derive(Clone, PartialEq, Debug)]
pub struct FieldLayout {
    /// `None` for an unnamed structure whose fields count as the outer one's.
    pub name: Option<String>,
    pub ty: Type,
    /// In bytes.
    pub offset: u64,
    /// Of a bit-field: its first bit from there, and its width.
    pub bits: Option<(u32, u32)>,
}

/// A structure or union.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Layout {
    pub name: String,
    pub union: bool,
    pub fields: Vec<FieldLayout>,
    pub size: u64,
    pub align: u64,
    pub complete: bool,
}

pub const INT: Type = Type::Integer { bits: 32, signed: true };
pub const LONG: Type = Type::Integer { bits: 64, signed: true };
pub const SIZE: Type = Type::Integer { bits: 64, signed: false };
pub const CHAR: Type = Type::Integer { bits: 8, signed: true };

/// All structures of a program.
#[derive(Clone, Default)]
pub struct Layouts(pub Vec<Layout>);

impl Type {
    /// A pointer to this.
    pub fn pointer(self) -> Type {
        Type::Pointer(Rc::new(self))
    }

    /// Without `volatile`.
    pub fn plain(&self) -> &Type {
        match self {
            Type::Volatile(inner) => inner.plain(),
            other => other,
        }
    }

    /// Whether values of it are numbers that circuits know.
    pub fn is_integer(&self) -> bool {
        matches!(self.plain(), Type::Integer { .. } | Type::Bool)
    }

    /// Whether values of it are addresses.
    pub fn is_pointer(&self) -> bool {
        matches!(self.plain(), Type::Pointer(_))
    }

    /// Whether a single word holds its values.
    pub fn is_scalar(&self) -> bool {
        self.is_integer() || self.is_pointer()
    }

    /// The width and sign of a scalar's word.
    pub fn word(&self) -> (u32, bool) {
        match self.plain() {
            Type::Integer { bits, signed } => (*bits, *signed),
            Type::Bool => (8, false),
            _ => (64, false),
        }
    }

    /// The type that a value has in an expression: the integer promotions, and arrays and
    /// functions as pointers.
    pub fn decayed(&self) -> Type {
        match self.plain() {
            Type::Array(element, _) => Type::Pointer(element.clone()),
            Type::Function(_) => self.plain().clone().pointer(),
            other => other.clone(),
        }
    }

    /// The integer promotions.
    pub fn promoted(&self) -> Type {
        match self.plain() {
            Type::Bool => INT,
            Type::Integer { bits, .. } if *bits < 32 => INT,
            other => other.clone(),
        }
    }

    /// What a pointer points to, or an array holds.
    pub fn target(&self) -> Option<&Type> {
        match self.plain() {
            Type::Pointer(target) | Type::Array(target, _) => Some(target),
            _ => None,
        }
    }
}

/// The common type of two promoted integer types.
pub fn common(a: &Type, b: &Type) -> Type {
    let (a, b) = (a.promoted(), b.promoted());
    let ((wide_a, signed_a), (wide_b, signed_b)) = (a.word(), b.word());
    let bits = wide_a.max(wide_b);
    let signed = match wide_a.cmp(&wide_b) {
        std::cmp::Ordering::Equal => signed_a && signed_b,
        std::cmp::Ordering::Greater => signed_a,
        std::cmp::Ordering::Less => signed_b,
    };
    Type::Integer { bits, signed }
}

impl Layouts {
    /// A structure.
    pub fn get(&self, id: StructId) -> &Layout {
        &self.0[id.0 as usize]
    }

    /// The size in bytes, where the type has one.
    pub fn size(&self, ty: &Type) -> Option<u64> {
        match ty {
            Type::Void | Type::Function(_) => Some(1),
            Type::Bool => Some(1),
            Type::Integer { bits, .. } => Some(u64::from(*bits / 8)),
            Type::Opaque { bytes, .. } => Some(*bytes),
            Type::Pointer(_) => Some(8),
            Type::Array(element, length) => self.size(element)?.checked_mul((*length)?),
            Type::Struct(id) => Some(self.get(*id)).filter(|l| l.complete).map(|l| l.size),
            Type::Volatile(inner) => self.size(inner),
        }
    }

    /// The alignment in bytes.
    pub fn align(&self, ty: &Type) -> u64 {
        match ty {
            Type::Array(element, _) => self.align(element),
            Type::Struct(id) => self.get(*id).align.max(1),
            Type::Volatile(inner) => self.align(inner),
            other => self.size(other).unwrap_or(1).max(1),
        }
    }

    /// Lays out fields: name, type, width of a bit-field.
    pub fn lay_out(
        &self,
        union: bool,
        packed: bool,
        fields: Vec<(Option<String>, Type, Option<u32>)>,
    ) -> Option<(Vec<FieldLayout>, u64, u64)> {
        let (mut made, mut bits, mut align) = (Vec::new(), 0u64, 1u64);
        let mut largest = 0u64;
        for (name, ty, width) in fields {
            if union {
                bits = 0;
            }
            let own = if packed { 1 } else { self.align(&ty) };
            // An array without a length at the end adds nothing.
            let size = match ty.plain() {
                Type::Array(_, None) => 0,
                _ => self.size(&ty)?,
            };
            match width {
                Some(0) => {
                    let unit = size * 8;
                    bits = bits.div_ceil(unit) * unit;
                    continue;
                }
                Some(width) => {
                    let unit = size * 8;
                    if !packed && bits / unit != (bits + u64::from(width) - 1) / unit {
                        bits = bits.div_ceil(unit) * unit;
                    }
                    let offset = bits / unit * size;
                    let first = (bits - offset * 8) as u32;
                    if packed && first + width > unit as u32 {
                        return None;
                    }
                    if name.is_some() {
                        align = align.max(own);
                        made.push(FieldLayout { name, ty, offset, bits: Some((first, width)) });
                    }
                    bits += u64::from(width);
                }
                None => {
                    let offset = bits.div_ceil(8).div_ceil(own) * own;
                    align = align.max(own);
                    made.push(FieldLayout { name, ty, offset, bits: None });
                    bits = (offset.checked_add(size)?).checked_mul(8)?;
                }
            }
            largest = largest.max(bits);
        }
        let bytes = largest.div_ceil(8).div_ceil(align) * align;
        Some((made, bytes, align))
    }

    /// The way to a field by its name, through unnamed structures: offset and layout.
    pub fn field(&self, id: StructId, name: &str) -> Option<(u64, FieldLayout)> {
        for field in &self.get(id).fields {
            if field.name.as_deref() == Some(name) {
                return Some((field.offset, field.clone()));
            }
            if let (None, Type::Struct(inner)) = (&field.name, field.ty.plain())
                && let Some((offset, found)) = self.field(*inner, name)
            {
                return Some((field.offset + offset, found));
            }
        }
        None
    }

    /// A type as C writes it.
    pub fn show(&self, ty: &Type) -> String {
        match ty {
            Type::Void => "void".to_owned(),
            Type::Bool => "_Bool".to_owned(),
            Type::Integer { bits, signed } => {
                let name = match bits {
                    8 => "char",
                    16 => "short",
                    32 => "int",
                    _ => "long",
                };
                if *signed { name.to_owned() } else { format!("unsigned {name}") }
            }
            Type::Opaque { name, .. } => name.to_string(),
            Type::Pointer(target) => format!("{} *", self.show(target)),
            Type::Array(element, Some(length)) => format!("{}[{length}]", self.show(element)),
            Type::Array(element, None) => format!("{}[]", self.show(element)),
            Type::Struct(id) => self.get(*id).name.clone(),
            Type::Function(_) => "function".to_owned(),
            Type::Volatile(inner) => format!("volatile {}", self.show(inner)),
        }
    }
}
