//! What a check comes to: the verdict, and what it is about.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use encode::atom::{Atom, Name};
use encode::{Engine, Subject};

use super::{Check, Ended, Round};
use crate::options::Unroll;
use crate::result::inferred;
use crate::result::lever::Lever;
use crate::result::{Assumed, Cause, MethodResult, Stats, Verdict, Violation};

impl Check<'_> {
    pub(crate) fn conclude(mut self, mut last: Round, start: Instant) -> MethodResult {
        let method = self.setting.subject.program.method(self.setting.method);
        let class = self.setting.subject.program.class(method.class);
        let stopped = match std::mem::take(&mut last.ended) {
            Ended::Stopped(cause) => Some(cause),
            Ended::Done | Ended::OutOfBudget | Ended::Again(_) | Ended::GivesWay(_) => None,
        };
        let open = self
            .findings
            .take_refuted()
            .or_else(|| last.unsupported.values().next().cloned())
            .or(stopped)
            .or_else(|| last.cut.values().next().cloned());
        let explicit = matches!(self.setting.options.unroll, Unroll::Fixed(_));
        let only_cut = matches!(&open, Some(cause) if last.cut.values().next() == Some(cause));
        let violations: Vec<Violation> = self.findings.take_violations();
        let (verdict, incomplete) = if !violations.is_empty() {
            (Verdict::Violated(violations), open)
        } else {
            match open {
                None => match self.vacuous() {
                    Some(cause) => (Verdict::Undecided(cause), None),
                    None if !self.setting.options.ends => {
                        let cut = vec!["whether executions end was not asked".to_string()];
                        (Verdict::Verified { cut }, None)
                    }
                    None => (Verdict::Verified { cut: Vec::new() }, None),
                },
                Some(_) if explicit && only_cut && last.is_stuck => {
                    (Verdict::Undecided(Check::too_narrow(&last)), None)
                }
                Some(_) if explicit && only_cut => {
                    let cut: BTreeSet<String> = last.cut.values().map(Cause::to_string).collect();
                    (Verdict::Verified { cut: cut.into_iter().collect() }, None)
                }
                Some(cause) => (Verdict::Undecided(cause), None),
            }
        };
        let is_open = incomplete.is_some() || matches!(verdict, Verdict::Undecided(_));
        let lever = if is_open { Lever::of(&self.engine) } else { None };
        let inferred = self.findings.take_inferred();
        let statistics = self.solving.borrow().statistics();
        MethodResult {
            class: self.setting.subject.program.class_name(method.class).to_string(),
            method: self.setting.subject.program.signature(method),
            file: class.ok().and_then(|c| c.source_file.clone()).unwrap_or_default(),
            line: method.line.unwrap_or(0),
            verdict,
            incomplete,
            warnings: self.findings.take_warnings(),
            scope: input_objects(&self.engine),
            longer: None,
            unroll: last.depth,
            stats: Stats {
                time_ms: start.elapsed().as_millis() as u64,
                encode_ms: self.costs.encode.as_millis() as u64,
                solve_ms: self.solving.borrow().spent.as_millis() as u64,
                variables: statistics.variables,
                clauses: statistics.clauses,
                primary_variables: primary_variables(&self.engine),
                instructions: self.costs.instructions,
                bounds: self.costs.bounds,
                subproblems: self.costs.subproblems,
                refinements: self.costs.refinements,
                paths_proven: self.costs.paths_proven,
                cached: false,
            },
            inferred: inferred.unwrap_or_else(|| inferred::collect(&self.engine)),
            lever,
            possible: Vec::new(),
            assumed: assumed(&self.engine, self.setting.subject),
        }
    }
}

fn input_objects(engine: &Engine<'_>) -> BTreeMap<String, u32> {
    let mut objects = BTreeMap::new();
    for index in 1..engine.atoms().len() {
        let info = engine.atoms().info(Atom(index as u32));
        if let Name::Input(class, _) = info.name {
            *objects.entry(engine.program.class_name(class).to_string()).or_insert(0) += 1;
        }
    }
    for (class, count) in &mut objects {
        // Objects beside a layout take the place of some in it.
        *count = (*count).min(engine.scope.of(class).max(1));
    }
    objects
}

/// What is known of the objects of the input beforehand. Fields that only the compiler knows have no name that
/// a reader would know.
fn assumed(engine: &Engine<'_>, subject: Subject<'_>) -> Vec<Assumed> {
    let mut found = BTreeSet::new();
    for index in 1..engine.atoms().len() {
        let Name::Input(class, _) = engine.atoms().info(Atom(index as u32)).name else { continue };
        let supertypes = engine.program.class(class).map(|c| c.supertypes()).unwrap_or_default();
        for owner in supertypes {
            let Some(contract) = subject.contracts.classes.get(owner) else { continue };
            let class = engine.program.class_name(*owner);
            let clauses = contract.invariants.iter().map(|clause| (clause, false));
            let clauses = clauses.chain(contract.inferred.iter().map(|clause| (clause, true)));
            for (clause, is_inferred) in clauses.filter(|(c, _)| !c.site.text.contains('$')) {
                let text = clause.site.text.to_string();
                found.insert(Assumed { class: class.to_string(), text, is_inferred });
            }
        }
    }
    found.into_iter().collect()
}

fn primary_variables(engine: &Engine<'_>) -> u64 {
    let leaves = engine.inputs().leaves();
    let leaves = leaves.map(|(key, _)| engine.leaf_variables(key)).sum::<usize>();
    (leaves + engine.circuit.order_variables()) as u64
}
