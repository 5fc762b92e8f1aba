//! The states of an execution, one after each step that is shown: heap, variables, statics.

use std::collections::{BTreeMap, BTreeSet};

use verify::Violation;
use verify::execution::{Content, Datum, Execution, FieldDatum, Outcome, Step};

use crate::human;

/// The state after a step; the first one is the input.
#[derive(Clone)]
pub(super) struct Moment<'a> {
    /// None before the first line.
    pub step: Option<&'a Step>,
    /// The contents of the objects that exist, by index.
    pub heap: BTreeMap<usize, &'a Content>,
    /// The method that runs and its callers, innermost first.
    pub frames: Vec<Frame<'a>>,
    pub statics: Vec<&'a FieldDatum>,
    /// What else refers to objects: the result, and the witness of a violated clause.
    pub marks: Vec<Mark<'a>>,
}

#[derive(Clone)]
pub(super) struct Frame<'a> {
    /// `insert(int)`.
    pub method: String,
    pub locals: Vec<(&'a str, Datum)>,
}

/// A name for a value at the end of an execution.
#[derive(Clone, Copy)]
pub(super) struct Mark<'a> {
    pub name: &'a str,
    pub value: Datum,
    /// Whether a violated clause fails for this value.
    pub is_witness: bool,
}

/// All states that are worth a look. There is at least the first.
pub(super) fn moments(violation: &Violation) -> Vec<Moment<'_>> {
    let execution = &violation.execution;
    let mut now = beginning(execution);
    let mut moments = vec![now.clone()];
    let shown = human::without_returns(&execution.trace);
    let mut shown = shown.iter().peekable();
    let mut open: Vec<&Step> = Vec::new();
    for step in &execution.trace {
        now.heap.extend(step.objects.iter().map(|(index, content)| (*index, content)));
        for field in &step.statics {
            now.statics.retain(|f| (&f.class, &f.name) != (&field.class, &field.name));
            now.statics.push(field);
        }
        open.retain(|o| o.depth < step.depth);
        open.push(step);
        if shown.next_if(|s| std::ptr::eq(**s, step)).is_some() {
            now.step = Some(step);
            now.frames = open.iter().rev().map(|s| frame(s)).collect();
            moments.push(now.clone());
        }
    }
    if let Some(last) = moments.last_mut() {
        finish(last, violation);
    }
    moments
}

fn beginning(execution: &Execution) -> Moment<'_> {
    let this = execution.receiver.map(|value| ("this", value));
    let arguments = execution.arguments.iter().map(|(name, value)| (name.as_str(), *value));
    let name = match execution.method.as_str() {
        "<init>" => crate::java::simple(&execution.class),
        name => name,
    };
    Moment {
        step: None,
        heap: execution.pre.iter().map(|o| &o.content).enumerate().collect(),
        frames: vec![Frame {
            method: name.to_string(),
            locals: this.into_iter().chain(arguments).collect(),
        }],
        statics: execution.statics.iter().collect(),
        marks: Vec::new(),
    }
}

fn frame(step: &Step) -> Frame<'_> {
    Frame {
        method: step.place.method.clone(),
        locals: step.locals.iter().map(|(name, value)| (name.as_str(), *value)).collect(),
    }
}

/// The last state is that of the end, whatever the steps say of it.
fn finish<'a>(last: &mut Moment<'a>, violation: &'a Violation) {
    let execution = &violation.execution;
    let objects = execution.post.iter().map(|o| &o.content).enumerate();
    last.heap.extend(objects);
    if let Outcome::Returned(Some(value)) = execution.outcome {
        last.marks.push(Mark { name: "result", value, is_witness: false });
    }
    let witness = violation.clause.iter().flat_map(|clause| &clause.witness);
    last.marks.extend(witness.map(|(name, value)| Mark { name, value: *value, is_witness: true }));
}

impl Moment<'_> {
    /// The objects that variables, static fields or the end lead to.
    pub fn reachable(&self) -> BTreeSet<usize> {
        let locals = self.frames.iter().flat_map(|f| &f.locals).map(|l| l.1);
        let statics = self.statics.iter().map(|f| f.value);
        let marks = self.marks.iter().map(|m| m.value);
        let mut waiting: Vec<Datum> = locals.chain(statics).chain(marks).collect();
        let mut found = BTreeSet::new();
        while let Some(datum) = waiting.pop() {
            let Datum::Object(index) = datum else {
                continue;
            };
            if let (true, Some(content)) = (found.insert(index), self.heap.get(&index)) {
                waiting.extend(values(content));
            }
        }
        found
    }
}

/// The fields or elements of an object.
pub(super) fn values(content: &Content) -> Vec<Datum> {
    match content {
        Content::Fields(fields) => fields.iter().map(|f| f.value).collect(),
        Content::Array(elements) => elements.clone(),
        Content::Text { .. }
        | Content::Box { .. }
        | Content::Constant { .. }
        | Content::Mirror(_)
        | Content::Opaque => Vec::new(),
    }
}
