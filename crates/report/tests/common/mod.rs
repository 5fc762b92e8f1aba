//! Hand-written results, and a source file to show them with.
#![allow(dead_code, reason = "each test program uses its own part of this module")]

use std::collections::BTreeMap;

use report::Sources;
use verify::Property;
use verify::execution::{Content, Datum, Execution, FieldDatum, Object, Outcome, Place, Step};
use verify::{Cause, MethodResult, Replay, Stats, Verdict, Violation};

pub const STACK: &str = "\
package p;

class Stack {
    static class Node { int value; Node next; }
    Node head;

    /** Takes the top off. */
    int pop() {
        Node top = head;
        head = top.next; // unlink
        return top.value;
    }
}
";

/// One file that every class is in.
pub struct OneFile(pub &'static str);

impl Sources for OneFile {
    fn path(&self, _: &str, file: &str) -> Option<String> {
        (!file.is_empty()).then(|| format!("src/p/{file}"))
    }

    fn line(&self, _: &str, file: &str, line: u32) -> Option<String> {
        let index = (line as usize).checked_sub(1)?;
        let text = self.0.lines().nth(index)?;
        (!file.is_empty()).then(|| text.to_string())
    }

    fn line_of(&self, path: &str, line: u32) -> Option<String> {
        self.line("", path, line)
    }
}

pub fn place(method: &str, line: u32) -> Place {
    Place { class: "p.Stack".into(), method: method.into(), file: "Stack.java".into(), line }
}

pub fn object(label: &str, class: &str, content: Content) -> Object {
    Object { label: label.into(), class: class.into(), content }
}

pub fn field(class: &str, name: &str, value: Datum) -> FieldDatum {
    FieldDatum { class: class.into(), name: name.into(), value }
}

pub fn text(units: impl IntoIterator<Item = u16>) -> Content {
    Content::Text { units: units.into_iter().collect(), interned: false }
}

pub fn step(line: u32, depth: u32, updates: &[(&str, Datum)]) -> Step {
    let updates = updates.iter().map(|(n, v)| (n.to_string(), *v)).collect();
    let (locals, objects, statics) = Default::default();
    Step { place: place("pop()", line), depth, updates, locals, objects, statics }
}

pub fn threw(property: Property, line: u32, object: usize) -> Outcome {
    Outcome::Threw { object, class: property.exception().into(), at: place("pop()", line) }
}

/// `pop()` on an empty stack.
pub fn empty_pop() -> Execution {
    let head = field("p.Stack", "head", Datum::Null);
    let stack = object("Stack#0", "p.Stack", Content::Fields(vec![head]));
    let thrown = "java.lang.NullPointerException";
    let exception = object("NullPointerException#0", thrown, Content::Fields(Vec::new()));
    Execution {
        class: "p.Stack".into(),
        method: "pop".into(),
        descriptor: "()I".into(),
        is_static: false,
        receiver: Some(Datum::Object(0)),
        arguments: Vec::new(),
        initialised: Vec::new(),
        uninitialised: Vec::new(),
        statics: Vec::new(),
        pre: vec![stack.clone()],
        route: Vec::new(),
        made: Vec::new(),
        trace: vec![step(9, 0, &[("top", Datum::Null)]), step(10, 0, &[])],
        outcome: threw(Property::NullDereference, 10, 1),
        post: vec![stack, exception],
        post_statics: Vec::new(),
        unrepeatable: None,
        unmodelled: None,
    }
}

pub fn violation(execution: Execution) -> Violation {
    Violation {
        property: Property::NullDereference,
        message: "null is dereferenced in p.Stack.pop()".into(),
        at: place("pop()", 10),
        clause: None,
        execution,
        replay: Replay::Confirmed,
        said: None,
        review: Default::default(),
        severity: Default::default(),
        missing: None,
    }
}

pub fn result(verdict: Verdict) -> MethodResult {
    MethodResult {
        class: "p.Stack".into(),
        method: "pop()".into(),
        file: "Stack.java".into(),
        line: 9,
        verdict,
        incomplete: None,
        warnings: Vec::new(),
        scope: BTreeMap::from([("p.Stack".into(), 1), ("p.Stack$Node".into(), 3)]),
        longer: None,
        unroll: 4,
        inferred: Vec::new(),
        lever: None,
        possible: Vec::new(),
        assumed: Vec::new(),
        stats: Stats {
            time_ms: 120,
            encode_ms: 40,
            solve_ms: 70,
            variables: 5120,
            clauses: 19000,
            primary_variables: 61,
            instructions: 900,
            bounds: Default::default(),
            subproblems: 1,
            refinements: 0,
            paths_proven: None,
            cached: false,
        },
    }
}

pub fn verified() -> MethodResult {
    result(Verdict::Verified { cut: Vec::new() })
}

pub fn violated(execution: Execution) -> MethodResult {
    result(Verdict::Violated(vec![violation(execution)]))
}

pub fn undecided(cause: Cause) -> MethodResult {
    result(Verdict::Undecided(cause))
}
