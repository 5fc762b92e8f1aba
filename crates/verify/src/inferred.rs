//! What was found out about called methods: the specifications that were needed, and no more.

use std::collections::BTreeMap;

use encode::Engine;
use encode::deferred::{Deferred, Place};
use ir::MethodId;

/// What a check has found out about one called method.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct InferredSpec {
    /// With class and parameter types.
    pub method: String,
    /// Calls of it that were abstracted.
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

/// The specifications of all calls that the last run has abstracted, in the order of methods.
pub(crate) fn collect(engine: &Engine<'_>) -> Vec<InferredSpec> {
    let mut found: BTreeMap<MethodId, InferredSpec> = BTreeMap::new();
    for call in engine.deferred() {
        let spec = found.entry(call.method).or_insert_with(|| named(engine, call));
        spec.calls += 1;
        spec.followed += usize::from(call.equations.is_some());
        for output in &call.outputs {
            if !matches!(output.place, Place::Returns | Place::Result) {
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

fn named(engine: &Engine<'_>, call: &Deferred) -> InferredSpec {
    let program = engine.program;
    let method = program.method(call.method);
    let class = program.class_name(method.class);
    let method = format!("{class}.{}", program.signature(method));
    InferredSpec { method, ..InferredSpec::default() }
}

fn add(into: &mut Vec<String>, text: String) {
    if !into.contains(&text) {
        into.push(text);
    }
}
