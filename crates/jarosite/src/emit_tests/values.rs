//! Values as Java writes them, and names for objects.

use std::collections::{BTreeMap, BTreeSet};

use encode::execution::{Content, Datum, Object};
use report::java;

use super::access::Access;

/// Names of the variables that hold objects of the input, and what stands for the others.
pub(super) struct Values<'a, 'p> {
    pub access: Access<'p>,
    pub objects: &'a [Object],
    /// By object; what is not here stands where it is used.
    pub variables: BTreeMap<usize, String>,
}

impl Values<'_, '_> {
    /// An expression for a value.
    pub fn expression(&self, datum: Datum) -> String {
        match datum {
            Datum::Object(index) => match self.variables.get(&index) {
                Some(name) => name.clone(),
                None => self.objects.get(index).map_or("null".into(), |o| self.literal(o)),
            },
            datum => primitive(datum),
        }
    }

    /// What makes or fetches an object that never changes.
    pub fn literal(&self, object: &Object) -> String {
        match &object.content {
            Content::Text { units, interned } => {
                let literal = java::string_literal(units, usize::MAX, false);
                if *interned { literal } else { format!("new String({literal})") }
            }
            Content::Box { value, cached } => {
                let class = object.class.rsplit('.').next().unwrap_or(&object.class);
                match cached {
                    true => format!("{class}.valueOf({})", primitive(*value)),
                    false => format!("new {class}({})", primitive(*value)),
                }
            }
            Content::Constant { class, field } => match self.access.can_read(class, field) {
                true => format!("{}.{field}", self.access.name(class).unwrap_or_default()),
                false => {
                    let ty = self.access.name(&object.class).unwrap_or("Object".into());
                    format!("({ty}) JarositeHeap.get({}, null, \"{field}\")", self.class(class))
                }
            },
            Content::Mirror(class) => self.class(class),
            Content::Fields(_) | Content::Array(_) | Content::Opaque => "null".into(),
        }
    }

    /// The class object of a class.
    pub fn class(&self, name: &str) -> String {
        match self.access.name(name) {
            Some(name) => format!("{name}.class"),
            None => format!("JarositeHeap.type(\"{name}\")"),
        }
    }
}

pub(super) fn primitive(datum: Datum) -> String {
    match datum {
        Datum::Boolean(value) => value.to_string(),
        Datum::Byte(value) => format!("(byte) {value}"),
        Datum::Char(unit) => java::char_literal(unit, false),
        Datum::Short(value) => format!("(short) {value}"),
        Datum::Int(i32::MIN) => "Integer.MIN_VALUE".into(),
        Datum::Int(i32::MAX) => "Integer.MAX_VALUE".into(),
        Datum::Int(value) => value.to_string(),
        Datum::Long(i64::MIN) => "Long.MIN_VALUE".into(),
        Datum::Long(i64::MAX) => "Long.MAX_VALUE".into(),
        Datum::Long(value) => format!("{value}L"),
        Datum::Float(bits) => match f32::from_bits(bits) {
            value if value.is_finite() => format!("{value:?}f"),
            _ => format!("Float.intBitsToFloat({})", bits.cast_signed()),
        },
        Datum::Double(bits) => match f64::from_bits(bits) {
            value if value.is_finite() => format!("{value:?}"),
            _ => format!("Double.longBitsToDouble({}L)", bits.cast_signed()),
        },
        Datum::Null | Datum::Object(_) => "null".into(),
    }
}

/// Names that are not taken yet.
#[derive(Default)]
pub(super) struct Names(BTreeSet<String>);

impl Names {
    /// The wish if it can be had, otherwise something like it.
    pub fn take(&mut self, wish: &str) -> String {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let mut wish: String = wish.chars().filter(|c| is_word(*c)).collect();
        if wish.is_empty() || wish.starts_with(|c: char| c.is_ascii_digit()) {
            wish.insert(0, 'x');
        }
        let mut name = wish.clone();
        let mut number = 2;
        while report::java::RESERVED.contains(&name.as_str()) || !self.0.insert(name.clone()) {
            name = format!("{wish}{number}");
            number += 1;
        }
        name
    }
}

/// `SortedList` → `sortedList`.
pub(super) fn decapitalised(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().map(|c| c.to_ascii_lowercase()).into_iter().chain(chars).collect()
}
