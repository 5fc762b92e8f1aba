//! Values, objects and heaps as JSON.
//!
//! A reference is its object's label, null is null, a char a string of one character. What JSON
//! cannot say is a string in Java's notation: `NaN`, `Infinity`, and half a surrogate pair, which
//! many parsers reject even escaped, as the six characters `\ud800`. A text with such a half
//! carries its UTF-16 code units beside it.

use serde_json::{Number, Value, json};
use verify::execution::{Content, Datum, Execution, FieldDatum, Object};

use super::Entries;
use crate::every_object;
use crate::java::{self, Unit};

/// Names the objects of one execution.
pub(super) struct Naming<'a> {
    objects: &'a [Object],
}

impl<'a> Naming<'a> {
    pub fn of(execution: &'a Execution) -> Naming<'a> {
        Naming { objects: every_object(execution) }
    }

    pub fn datum(&self, datum: Datum) -> Value {
        match datum {
            Datum::Boolean(value) => value.into(),
            Datum::Byte(value) => value.into(),
            Datum::Char(unit) => text(&[unit]).into(),
            Datum::Short(value) => value.into(),
            Datum::Int(value) => value.into(),
            Datum::Long(value) => value.into(),
            Datum::Float(bits) => number(&java::float(bits)),
            Datum::Double(bits) => number(&java::double(bits)),
            Datum::Null => Value::Null,
            Datum::Object(index) => self.label(index).into(),
        }
    }

    fn label(&self, index: usize) -> String {
        match self.objects.get(index) {
            Some(object) => object.label.clone(),
            None => "?".into(),
        }
    }

    pub fn named<'n>(&self, data: impl Iterator<Item = (&'n str, Datum)>) -> Entries {
        data.map(|(name, value)| (name.to_string(), self.datum(value))).collect()
    }

    /// `p.Counter.count`.
    pub fn statics(&self, fields: &[FieldDatum]) -> Entries {
        let qualified = |f: &FieldDatum| format!("{}.{}", f.class, f.name);
        fields.iter().map(|f| (qualified(f), self.datum(f.value))).collect()
    }

    pub fn heap(&self, objects: &[Object]) -> Entries {
        objects.iter().map(|o| (o.label.clone(), self.object(o))).collect()
    }

    fn object(&self, object: &Object) -> Value {
        let class = &object.class;
        match &object.content {
            Content::Fields(fields) => json!({"class": class, "fields": self.fields(fields)}),
            Content::Array(elements) => {
                let data: Vec<Value> = elements.iter().map(|e| self.datum(*e)).collect();
                json!({"class": class, "length": data.len(), "elements": data})
            }
            Content::Text { units, .. } if is_exact(units) => {
                json!({"class": class, "value": text(units)})
            }
            Content::Text { units, .. } => {
                json!({"class": class, "value": text(units), "utf16": units})
            }
            Content::Box { value, .. } => json!({"class": class, "value": self.datum(*value)}),
            Content::Constant { class: holder, field } => {
                json!({"class": class, "constant": format!("{holder}.{field}")})
            }
            Content::Mirror(of) => json!({"class": class, "mirror": of}),
            Content::Opaque => json!({"class": class, "opaque": true}),
        }
    }

    fn fields(&self, fields: &[FieldDatum]) -> Entries {
        let names = java::field_names(fields);
        let values = fields.iter().map(|f| self.datum(f.value));
        names.into_iter().zip(values).collect()
    }
}

/// A number from Java's notation; what is none stays a string. Going through the shortest decimal
/// form keeps a float `0.1` from becoming `0.10000000149011612`.
fn number(text: &str) -> Value {
    let finite = text.parse().ok().and_then(Number::from_f64);
    finite.map_or_else(|| text.into(), Value::Number)
}

fn is_exact(units: &[u16]) -> bool {
    java::decode(units).all(|u| matches!(u, Unit::Char(_)))
}

fn text(units: &[u16]) -> String {
    let mut text = String::new();
    for unit in java::decode(units) {
        match unit {
            Unit::Char(c) => text.push(c),
            Unit::Lone(unit) => text.push_str(&format!("\\u{unit:04x}")),
        }
    }
    text
}
