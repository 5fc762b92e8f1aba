//! Counting the canonical inputs that satisfy the invariants: what Galeotti et al. do in section 5.6
//! to see that symmetry breaking loses nothing and leaves nothing twice.
//!
//! Two inputs are the same if the same references hold the same objects and the same numbers are in
//! the objects that are reached. Numbers that are only compared do not count, nor what no invariant
//! reads.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Instant;

use encode::atom::Name;
use encode::bounds::Survey;
use encode::inputs::LeafKey;
use encode::{Limits, Subject};
use ir::MethodId;
use logic::{Circuit, Evaluation, Lit};
use sat::Answer;

use crate::bounds::stage::{Exactness, Stage};
use crate::bounds::tighten::compute;
use crate::options::Options;

/// How many inputs there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    pub instances: usize,
    /// Whether these are all; if not, the limit or the time was reached.
    pub complete: bool,
}

/// Counts the inputs of a method that satisfy the invariants, in whatever scope the options say and
/// within tight bounds if they say so; preconditions do not matter. `None` if the input is not laid
/// out.
pub fn count_instances(
    subject: Subject<'_>,
    method: MethodId,
    options: &Options,
    most: usize,
) -> Option<Count> {
    let deadline = options.timeout.map(|t| Instant::now() + t);
    let limits = Limits { deadline, calls: options.calls, ..Limits::default() };
    let bounds = match options.bounds {
        true => compute(subject, method, options, deadline)?.bounds,
        false => encode::bounds::Bounds::default(),
    };
    let bounds = Some((Arc::new(bounds), Exactness::Exact));
    let (stage, survey) = Stage::new(subject, method, options, &limits, bounds)?;
    let circuit = &stage.engine.circuit;
    let cone = cone(circuit, &survey);
    let mut solving = stage.solving.borrow_mut();
    let mut instances = 0;
    while instances < most {
        match solving.solve(circuit, stage.engine.constraints(), &[], None) {
            Answer::Sat => {
                instances += 1;
                let values = solving.model_cone(circuit, &cone);
                let other: Vec<Lit> = instance(&survey, &values).iter().map(|lit| !*lit).collect();
                solving.assert_any(circuit, &other);
            }
            Answer::Unsat => return Some(Count { instances, complete: true }),
            Answer::Unknown(_) => break,
        }
    }
    Some(Count { instances, complete: false })
}

/// What tells one input from all others, as literals that hold.
fn instance(survey: &Survey, values: &Evaluation) -> Vec<Lit> {
    let (mut found, reached) = references(survey, values);
    for (key, bits, _) in &survey.numbers {
        if owner(key).is_none_or(|name| reached.contains(name)) {
            found.extend(bits.iter().map(|lit| if values.value(lit) { lit } else { !lit }));
        }
    }
    found.retain(|lit| !lit.is_constant());
    found.sort_unstable();
    found.dedup();
    found
}

/// What the references that matter hold in a model, as literals that hold, and the objects that are reached.
pub(crate) fn references<'s>(
    survey: &'s Survey,
    values: &Evaluation,
) -> (Vec<Lit>, HashSet<&'s Name>) {
    let mut found = Vec::new();
    let mut reached: HashSet<&Name> = HashSet::new();
    // An owner does not always come before what it leads to.
    let mut waiting: Vec<&(LeafKey, Vec<(Name, Lit)>)> = survey.references.iter().collect();
    loop {
        let before = waiting.len();
        waiting.retain(|(key, entries)| {
            if !owner(key).is_none_or(|name| reached.contains(name)) {
                return true;
            }
            if let Some((name, lit)) = entries.iter().find(|(_, lit)| values.value(*lit)) {
                reached.insert(name);
                found.push(*lit);
            }
            false
        });
        if waiting.len() == before {
            return (found, reached);
        }
    }
}

fn owner(key: &LeafKey) -> Option<&Name> {
    match key {
        LeafKey::Field(name, _) | LeafKey::Element(name, _) | LeafKey::Length(name) => Some(name),
        _ => None,
    }
}

/// The part of the circuit that the leaves depend on.
pub(crate) fn cone(circuit: &Circuit, survey: &Survey) -> Vec<u32> {
    let references = survey.references.iter().flat_map(|r| r.1.iter().map(|e| e.1));
    let numbers = survey.numbers.iter().flat_map(|n| n.1.iter());
    let leaves: Vec<Lit> = references.chain(numbers).collect();
    circuit.cone(&leaves)
}
