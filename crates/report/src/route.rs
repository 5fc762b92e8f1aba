//! The way to a violation as the few lines of Java that a person would write.

use std::collections::BTreeMap;

use verify::execution::{Content, Datum, Execution, RouteCall};

use crate::java;
use crate::values::Values;

/// The calls that make the input, and the one that fails.
pub(crate) struct Lines {
    pub calls: Vec<String>,
    pub last: String,
}

/// Nothing if the code does not make the input.
pub(crate) fn lines(execution: &Execution, unicode: bool) -> Option<Lines> {
    if execution.route.is_empty() {
        return None;
    }
    let writer = Writer::new(execution, unicode);
    let calls = execution.route.iter().enumerate().map(|(at, call)| writer.call(at, call));
    let arguments: Vec<Datum> = execution.arguments.iter().map(|(_, value)| *value).collect();
    let arguments = writer.list(&arguments);
    let class = java::simple(&execution.class);
    let last = match (execution.method.as_str(), execution.receiver) {
        ("<init>", _) => format!("new {class}({arguments});"),
        (method, Some(Datum::Object(this))) => {
            format!("{}.{method}({arguments});", writer.name(this))
        }
        (method, _) => format!("{class}.{method}({arguments});"),
    };
    Some(Lines { calls: calls.collect(), last })
}

struct Writer<'a> {
    execution: &'a Execution,
    values: Values<'a>,
    /// Variables of the objects that calls make or return.
    names: BTreeMap<usize, String>,
    /// The call that declares each of them.
    declared: BTreeMap<usize, usize>,
}

impl<'a> Writer<'a> {
    fn new(execution: &'a Execution, unicode: bool) -> Writer<'a> {
        let mut names: BTreeMap<usize, String> = BTreeMap::new();
        let mut declared = BTreeMap::new();
        let mut used: BTreeMap<String, u32> = BTreeMap::new();
        for (at, call) in execution.route.iter().enumerate() {
            let new = if call.method == "<init>" { call.object } else { call.result };
            let Some(object) = new.filter(|object| !names.contains_key(object)) else {
                continue;
            };
            let class = execution.pre.get(object).map_or(&call.class, |o| &o.class);
            let simple = java::simple(class).rsplit('.').next().unwrap_or_default();
            let name = variable(simple);
            let count = used.entry(name.clone()).or_insert(0);
            *count += 1;
            let name = if *count == 1 { name } else { format!("{name}{count}") };
            names.insert(object, name);
            declared.insert(at, object);
        }
        Writer { execution, values: Values::of(execution, unicode), names, declared }
    }

    fn call(&self, at: usize, call: &RouteCall) -> String {
        let arguments = self.list(&call.arguments);
        let class = java::simple(&call.class);
        let called = match (call.method.as_str(), call.object) {
            ("<init>", _) => format!("new {class}({arguments})"),
            (method, Some(object)) => format!("{}.{method}({arguments})", self.name(object)),
            (method, None) => format!("{class}.{method}({arguments})"),
        };
        match self.declared.get(&at) {
            Some(object) => {
                let class = self.execution.pre.get(*object).map_or(&call.class, |o| &o.class);
                format!("{} {} = {called};", java::simple(class), self.name(*object))
            }
            None => format!("{called};"),
        }
    }

    fn name(&self, object: usize) -> String {
        self.names.get(&object).cloned().unwrap_or_else(|| "?".into())
    }

    fn list(&self, values: &[Datum]) -> String {
        let texts: Vec<String> = values.iter().map(|value| self.value(*value)).collect();
        texts.join(", ")
    }

    fn value(&self, value: Datum) -> String {
        let Datum::Object(index) = value else {
            return self.values.datum(value);
        };
        if let Some(name) = self.names.get(&index) {
            return name.clone();
        }
        match self.execution.pre.get(index).map(|object| (&object.class, &object.content)) {
            Some((class, Content::Array(elements))) => {
                let element = java::simple(class);
                format!("new {element} {{{}}}", self.list(elements))
            }
            _ => self.values.datum(value),
        }
    }
}

/// `LruCache` → `lruCache`; never a word of the language.
fn variable(class: &str) -> String {
    let mut letters = class.chars();
    let first = letters.next().map(|c| c.to_lowercase().to_string()).unwrap_or_default();
    let name = format!("{first}{}", letters.as_str());
    let is_taken =
        matches!(name.as_str(), "case" | "class" | "default" | "enum" | "package" | "switch");
    if is_taken || name == class { format!("{name}1") } else { name }
}
