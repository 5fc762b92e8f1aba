//! What explanations have found out so far, at the points of the program where it is said.

use crate::explanation::Explanation;
use crate::predicate::{Annotation, Mapping, Predicate};
use crate::program::{FrameId, Path, Point, ProcId, Program, Space};
use crate::term::{TermId, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// A call that has not returned: who calls, from where, along which edge.
pub(crate) type Call = (ProcId, Point, usize);

/// A point with its callers.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct At {
    pub calls: Vec<Call>,
    pub procedure: ProcId,
    pub point: Point,
}

/// Predicates, names of values, and what names are in callers.
#[derive(Clone, Default)]
pub(crate) struct Learned {
    /// The variables of the program, and the names after them.
    pub space: Space,
    pub predicates: Vec<Predicate>,
    names: BTreeMap<(ProcId, Point), BTreeSet<(TermId, VarId)>>,
    mappings: BTreeMap<(ProcId, Point), BTreeSet<(VarId, TermId)>>,
}

impl Learned {
    /// Nothing so far.
    pub fn new(program: &Program) -> Learned {
        Learned { space: program.space.clone(), ..Learned::default() }
    }

    /// Takes over what an explanation says beside its predicates.
    pub fn take_names(&mut self, path: &Path, explanation: &Explanation) {
        self.space = explanation.space.clone();
        for annotation in &explanation.annotations {
            if let Some(step) = path.steps.get(annotation.before) {
                let at = (path.procedure(annotation.frame), step.at);
                self.names.entry(at).or_default().insert((annotation.place, annotation.name));
            }
        }
        for mapping in &explanation.mappings {
            if let Some(call) = path.frames[mapping.frame.0 as usize].called_by {
                let at = (path.procedure(mapping.caller), path.steps[call].at);
                self.mappings.entry(at).or_default().insert((mapping.name, mapping.term));
            }
        }
    }

    /// Adds predicates that are not known yet.
    pub fn add(&mut self, predicates: Vec<Predicate>) {
        for predicate in predicates {
            if !self.predicates.contains(&predicate) {
                self.predicates.push(predicate);
            }
        }
    }

    /// The names that are given at a point, in the activation that is there.
    pub fn annotations(&self, frame: FrameId, at: &At, before: usize) -> Vec<Annotation> {
        let names = self.names.get(&(at.procedure, at.point)).into_iter().flatten();
        names.map(|&(place, name)| Annotation { before, frame, place, name }).collect()
    }

    /// What names of the callees are for the calls of a point, and for the edge that leaves it if
    /// that is one.
    pub fn mappings(&self, at: &At, edge: usize) -> Vec<Mapping> {
        let mut mappings = Vec::new();
        let last = (at.procedure, at.point, edge);
        for (level, (procedure, point, _)) in at.calls.iter().chain([&last]).enumerate() {
            for &(name, term) in self.mappings.get(&(*procedure, *point)).into_iter().flatten() {
                let frame = FrameId(level as u32 + 1);
                mappings.push(Mapping { frame, name, caller: FrameId(level as u32), term });
            }
        }
        mappings
    }
}

impl At {
    /// The entry of a procedure that nobody has called.
    pub fn entry(procedure: ProcId) -> At {
        At { calls: Vec::new(), procedure, point: Point(0) }
    }

    /// The activation that is there.
    pub fn frame(&self) -> FrameId {
        FrameId(self.calls.len() as u32)
    }

    /// The procedures of all activations, the innermost last.
    pub fn procedures(&self) -> impl Iterator<Item = ProcId> {
        self.calls.iter().map(|call| call.0).chain([self.procedure])
    }
}
