//! Values of one execution as short text.
//!
//! Strings, boxes, constants and class objects never change, so they stand where they are
//! referred to. If two of them would read the same although they are not the same object, their
//! labels tell them apart (`==` on strings is a bug that people look for).

use std::collections::{BTreeMap, BTreeSet};

use verify::execution::{Content, Datum, Execution, Object};

use crate::{every_object, java};

/// Characters of a string that are shown.
const MOST_CHARS: usize = 40;

pub(crate) struct Values<'a> {
    objects: &'a [Object],
    /// For each object that never changes, what stands for it.
    inline: Vec<Option<String>>,
    unicode: bool,
}

impl<'a> Values<'a> {
    pub fn of(execution: &'a Execution, unicode: bool) -> Values<'a> {
        let objects = every_object(execution);
        let texts: Vec<_> = objects.iter().map(|o| constant(o, unicode)).collect();
        let mut uses: BTreeMap<&Text, usize> = BTreeMap::new();
        for text in texts.iter().flatten() {
            *uses.entry(text).or_default() += 1;
        }
        let inline = objects
            .iter()
            .zip(&texts)
            .map(|(object, text)| {
                let text = text.as_ref()?;
                Some(text.show((uses[text] > 1).then_some(object.label.as_str())))
            })
            .collect();
        Values { objects, inline, unicode }
    }

    pub fn datum(&self, datum: Datum) -> String {
        show(datum, self.unicode, |index| match (self.inline.get(index), self.objects.get(index)) {
            (Some(Some(text)), _) => text.clone(),
            (_, Some(object)) => object.label.clone(),
            (_, None) => "?".into(),
        })
    }

    /// Whether the object is shown where it is referred to.
    pub fn is_inline(&self, index: usize) -> bool {
        self.inline.get(index).is_some_and(Option::is_some)
    }

    /// Simple names that more than one class of this execution has.
    pub fn ambiguous_classes(&self) -> BTreeSet<&'a str> {
        let mut classes: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for object in self.objects {
            let simple = java::simple(&object.class);
            classes.entry(simple).or_default().insert(&object.class);
        }
        let shared = classes.into_iter().filter(|(_, names)| names.len() > 1);
        shared.map(|(simple, _)| simple).collect()
    }
}

/// How an object that never changes reads.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Text {
    /// `"abc"`, `Color.RED`, `Node.class`.
    Whole(String),
    /// `Integer` and `5`.
    Boxed(String, String),
}

impl Text {
    /// With a label if the text alone is not enough.
    fn show(&self, label: Option<&str>) -> String {
        match (self, label) {
            (Text::Whole(text), None) => text.clone(),
            (Text::Whole(text), Some(label)) => format!("{label}({text})"),
            (Text::Boxed(class, value), label) => format!("{}({value})", label.unwrap_or(class)),
        }
    }
}

fn constant(object: &Object, unicode: bool) -> Option<Text> {
    match &object.content {
        Content::Fields(_) | Content::Array(_) | Content::Opaque => None,
        Content::Text { units, .. } => {
            Some(Text::Whole(java::string_literal(units, MOST_CHARS, unicode)))
        }
        Content::Box { value, .. } => Some(Text::Boxed(
            java::simple(&object.class).to_string(),
            show(*value, unicode, |_| "?".into()),
        )),
        Content::Constant { class, field } => {
            Some(Text::Whole(format!("{}.{field}", java::simple(class))))
        }
        Content::Mirror(class) => Some(Text::Whole(format!("{}.class", java::simple(class)))),
    }
}

fn show(datum: Datum, unicode: bool, object: impl Fn(usize) -> String) -> String {
    match datum {
        Datum::Boolean(value) => value.to_string(),
        Datum::Byte(value) => value.to_string(),
        Datum::Char(unit) => java::char_literal(unit, unicode),
        Datum::Short(value) => value.to_string(),
        Datum::Int(value) => value.to_string(),
        Datum::Long(value) => value.to_string(),
        Datum::Float(bits) => java::float(bits),
        Datum::Double(bits) => java::double(bits),
        Datum::Null => "null".into(),
        Datum::Object(index) => object(index),
    }
}
