//! Executions as JSON, the way the harness reads and writes them.
//!
//! A value is a letter for its type and a whole number (see `Datum.java`).

use std::collections::BTreeMap;

use encode::execution::{Content, Datum, Execution, FieldDatum, Object, Outcome, Place, RouteCall};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Call, Ending, Observed};
use crate::class_path::ClassPath;

/// The first request: where classes are.
pub(super) fn class_path(classes: &ClassPath) -> Value {
    let roots: Vec<_> =
        classes.root_paths().iter().map(|path| path.to_string_lossy().into_owned()).collect();
    let files: BTreeMap<_, _> = classes
        .single_files()
        .iter()
        .map(|(name, path)| (name.replace('/', "."), path.to_string_lossy().into_owned()))
        .collect();
    let given: Vec<_> = classes.given_classes().iter().map(|name| name.replace('/', ".")).collect();
    json!({"roots": roots, "files": files, "given": given})
}

/// Any other request.
#[derive(Serialize)]
pub(super) struct Request {
    pub(super) limit_ms: u64,
    /// Whether the runs share their static fields.
    pub(super) shared: bool,
    /// Whether the run is to go on for ever: then the limit is that of the call itself.
    pub(super) endless: bool,
    pub(super) runs: Vec<Value>,
}

/// The answer to a request.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Answer {
    pub(super) results: Vec<Value>,
    pub(super) stuck: bool,
    #[serde(rename = "where")]
    pub(super) place: String,
    /// The methods that were running then, `p.Outer$Inner.method`, the innermost first.
    pub(super) running: Vec<String>,
    /// Whether it slept or waited for somebody then.
    pub(super) waits: bool,
    pub(super) exit: bool,
    /// The program has left threads behind.
    pub(super) busy: bool,
}

/// A run to be judged.
pub(super) fn judged(execution: &Execution) -> Value {
    let mut run = called(&Call::from(execution));
    match &execution.outcome {
        Outcome::Returned(value) => run["returned"] = json!(value.map(datum)),
        Outcome::Threw { object, class, at } => {
            run["threw"] = json!({
                "object": object,
                "class": class,
                "at": {"class": at.class, "file": at.file, "line": at.line},
            });
        }
        Outcome::Repeats { .. } => {}
    }
    if !execution.route.is_empty() {
        run["route"] = execution.route.iter().map(route_call).collect();
        for number in &execution.made {
            let object = &execution.pre[*number];
            run["pre"][*number] =
                json!({"kind": "made", "label": object.label, "class": object.class});
        }
    }
    run["post"] = objects(&execution.post);
    run["post_statics"] = fields(&execution.post_statics);
    run
}

/// A call that makes an object of the input, or changes one.
fn route_call(call: &RouteCall) -> Value {
    let arguments: Vec<_> = call.arguments.iter().copied().map(datum).collect();
    let number = |object: Option<usize>| object.map(|object| datum(Datum::Object(object)));
    let (makes, receiver) = match call.method.as_str() {
        "<init>" => (call.object, None),
        _ => (call.result, call.object),
    };
    json!({
        "class": call.class,
        "method": call.method,
        "descriptor": call.descriptor,
        "arguments": arguments,
        "makes": number(makes),
        "receiver": number(receiver),
        "step": true,
    })
}

/// A run to be observed.
pub(super) fn called(call: &Call) -> Value {
    let arguments: Vec<_> = call.arguments.iter().copied().map(datum).collect();
    json!({
        "class": call.class,
        "method": call.method,
        "descriptor": call.descriptor,
        "receiver": call.receiver.map(datum),
        "arguments": arguments,
        "initialised": call.initialised,
        "uninitialised": call.uninitialised,
        "statics": fields(&call.statics),
        "watched": call.watched,
        "pre": objects(&call.heap),
    })
}

fn datum(value: Datum) -> String {
    match value {
        Datum::Boolean(v) => format!("Z{}", u8::from(v)),
        Datum::Byte(v) => format!("B{v}"),
        Datum::Char(v) => format!("C{v}"),
        Datum::Short(v) => format!("S{v}"),
        Datum::Int(v) => format!("I{v}"),
        Datum::Long(v) => format!("J{v}"),
        Datum::Float(bits) => format!("F{}", bits.cast_signed()),
        Datum::Double(bits) => format!("D{}", bits.cast_signed()),
        Datum::Null => "N".into(),
        Datum::Object(number) => format!("O{number}"),
    }
}

fn fields(fields: &[FieldDatum]) -> Value {
    let triple = |f: &FieldDatum| json!([f.class, f.name, datum(f.value)]);
    fields.iter().map(triple).collect()
}

fn objects(objects: &[Object]) -> Value {
    objects.iter().map(object).collect()
}

fn object(object: &Object) -> Value {
    let mut described = match &object.content {
        Content::Fields(slots) => json!({"kind": "fields", "fields": fields(slots)}),
        Content::Array(elements) => {
            let elements: Vec<_> = elements.iter().copied().map(datum).collect();
            json!({"kind": "array", "elements": elements})
        }
        Content::Text { units, interned } => {
            json!({"kind": "text", "units": units, "unique": interned})
        }
        Content::Box { value, cached } => {
            json!({"kind": "box", "value": datum(*value), "unique": cached})
        }
        Content::Constant { class, field } => {
            json!({"kind": "constant", "target": class, "field": field})
        }
        Content::Mirror(class) => json!({"kind": "mirror", "target": class}),
        Content::Opaque => json!({"kind": "opaque"}),
    };
    described["label"] = json!(object.label);
    described["class"] = json!(object.class);
    described
}

/// What the harness saw.
pub(super) fn observed(result: &Value) -> Option<Observed> {
    let ending = if let Some(reason) = result["skipped"].as_str() {
        return Some(Observed::without_state(Ending::Skipped(reason.into())));
    } else if let Some(threw) = result.get("threw") {
        Ending::Ended(Outcome::Threw {
            object: index(&threw["object"])?,
            class: text(&threw["class"])?,
            at: place(&threw["at"]),
        })
    } else {
        let value = result.get("returned").and_then(Value::as_str);
        Ending::Ended(Outcome::Returned(value.and_then(parse_datum)))
    };
    let statics = result["statics"].as_array()?.iter().map(parse_field);
    let heap = result["heap"].as_array()?.iter().enumerate();
    Some(Observed {
        ending,
        statics: statics.collect::<Option<_>>()?,
        heap: heap.map(|(number, object)| parse_object(number, object)).collect::<Option<_>>()?,
    })
}

fn index(value: &Value) -> Option<usize> {
    value.as_u64().and_then(|number| usize::try_from(number).ok())
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_string)
}

fn place(value: &Value) -> Place {
    Place {
        class: text(&value["class"]).unwrap_or_default(),
        method: text(&value["method"]).unwrap_or_default(),
        file: text(&value["file"]).unwrap_or_default(),
        line: index(&value["line"]).and_then(|line| u32::try_from(line).ok()).unwrap_or(0),
    }
}

fn parse_datum(spelled: &str) -> Option<Datum> {
    let (letter, number) = spelled.split_at_checked(1)?;
    Some(match letter {
        "Z" => Datum::Boolean(number != "0"),
        "B" => Datum::Byte(number.parse().ok()?),
        "C" => Datum::Char(number.parse().ok()?),
        "S" => Datum::Short(number.parse().ok()?),
        "I" => Datum::Int(number.parse().ok()?),
        "J" => Datum::Long(number.parse().ok()?),
        "F" => Datum::Float(number.parse::<i32>().ok()?.cast_unsigned()),
        "D" => Datum::Double(number.parse::<i64>().ok()?.cast_unsigned()),
        "N" => Datum::Null,
        "O" => Datum::Object(number.parse().ok()?),
        _ => return None,
    })
}

fn parse_field(triple: &Value) -> Option<FieldDatum> {
    Some(FieldDatum {
        class: text(&triple[0])?,
        name: text(&triple[1])?,
        value: parse_datum(triple[2].as_str()?)?,
    })
}

/// An input object that no root reaches was not built and is opaque afterwards.
fn parse_object(number: usize, object: &Value) -> Option<Object> {
    let Some(class) = text(&object["class"]) else {
        return Some(Object {
            label: format!("unused#{number}"),
            class: String::new(),
            content: Content::Opaque,
        });
    };
    let simple = class.rsplit(['.', '$']).next().unwrap_or(&class);
    Some(Object { label: format!("{simple}#{number}"), content: parse_content(object)?, class })
}

fn parse_content(object: &Value) -> Option<Content> {
    Some(match object["kind"].as_str()? {
        "fields" => {
            let fields = object["fields"].as_array()?.iter().map(parse_field);
            Content::Fields(fields.collect::<Option<_>>()?)
        }
        "array" => {
            let elements = object["elements"].as_array()?.iter();
            let elements = elements.map(|e| parse_datum(e.as_str()?));
            Content::Array(elements.collect::<Option<_>>()?)
        }
        "text" => {
            let units = object["units"].as_array()?.iter();
            let units = units.map(|unit| u16::try_from(unit.as_u64()?).ok());
            Content::Text { units: units.collect::<Option<_>>()?, interned: false }
        }
        "box" => Content::Box { value: parse_datum(object["value"].as_str()?)?, cached: false },
        "mirror" => Content::Mirror(text(&object["target"])?),
        _ => Content::Opaque,
    })
}
