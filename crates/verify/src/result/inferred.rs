//! What was found out about called methods: the specifications that were needed, and no more.

use std::collections::BTreeMap;

use encode::Engine;
use encode::deferred::{Deferred, Place};
use ir::MethodId;

/// What a check has found out about one called method.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct InferredSpec {
    /// With class and parameter types; after these the line of a loop, if it is about one.
    pub method: String,
    /// Calls of it that were abstracted, in all parts together if paths were divided.
    pub calls: usize,
    /// Those whose code had to be looked at.
    pub followed: usize,
    /// What it may change at all.
    pub changes: Vec<String>,
    /// What mattered, over parameters, fields, primed fields and the result.
    pub says: Vec<String>,
    /// The same as clauses of JML, where they can be written so.
    pub jml: Vec<String>,
}

impl InferredSpec {
    /// Whether code was left out because it does not matter.
    pub fn is_left_out(&self) -> bool {
        self.calls > self.followed
    }
}

/// The specifications of all calls that the last run has abstracted, in the order of methods.
pub(crate) fn collect(engine: &Engine<'_>) -> Vec<InferredSpec> {
    let mut found: BTreeMap<(MethodId, Option<u32>), InferredSpec> = BTreeMap::new();
    for call in engine.deferred() {
        let spec = found.entry((call.method, call.line)).or_insert_with(|| named(engine, call));
        spec.calls += 1;
        spec.followed += usize::from(call.equations.is_some());
        for output in &call.outputs {
            let is_state = !matches!(
                output.place,
                Place::Returns | Place::Result | Place::Exit(_) | Place::Throws(_)
            );
            if is_state {
                add(&mut spec.changes, engine.place_text(call, output.place));
            }
        }
        for equation in call.equations.iter().flatten().filter(|e| e.adopted) {
            add(&mut spec.says, equation.sentence.text.clone());
            if let Some(clause) = &equation.sentence.jml {
                add(&mut spec.jml, clause.clone());
            }
        }
    }
    found.into_values().collect()
}

/// Adds what one part of a method's paths has found out to what others have.
pub(crate) fn merge(known: &mut Vec<InferredSpec>, part: Vec<InferredSpec>) {
    for spec in part {
        match known.iter_mut().find(|k| k.method == spec.method) {
            None => known.push(spec),
            Some(known) => {
                known.calls += spec.calls;
                known.followed += spec.followed;
                spec.changes.into_iter().for_each(|text| add(&mut known.changes, text));
                spec.says.into_iter().for_each(|text| add(&mut known.says, text));
                spec.jml.into_iter().for_each(|text| add(&mut known.jml, text));
            }
        }
    }
}

fn named(engine: &Engine<'_>, call: &Deferred) -> InferredSpec {
    let program = engine.program;
    let method = program.method(call.method);
    let class = program.class_name(method.class);
    let method = match call.line {
        None => format!("{class}.{}", program.signature(method)),
        Some(line) => format!("{class}.{}, loop at line {line}", program.signature(method)),
    };
    InferredSpec { method, ..InferredSpec::default() }
}

fn add(into: &mut Vec<String>, text: String) {
    if !into.contains(&text) {
        into.push(text);
    }
}
