//! One step of the abstract program, with as little of the state as the step can change.
//!
//! A step speaks of some places. A predicate that shares no place with it, nor with a predicate that
//! does, directly or through others, stays what it was: only the others are asked about. The same
//! holds for activations: a step inside a procedure needs none of its callers unless such a predicate
//! speaks of theirs. What is left is a small question that comes up again and again, in other
//! contexts and after other predicates were found, so answers are kept. (Less is asked than could be:
//! what is lost can only be knowledge, and the next explanation is checked against this very step.)

use crate::abstraction::{Abstraction, Bit, Claim, Closed};
use crate::learned::{At, Learned};
use crate::predicate::{Annotation, Mapping, Predicate};
use crate::program::{FrameId, Op, Path, Program};
use crate::store::Store;
use crate::term::{Term, TermId, Terms, VarId};
use crate::words::Words;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// A place that something speaks of: a variable of an activation, a global one, or (without
/// a variable) memory, all of it.
type Place = (Option<FrameId>, Option<VarId>);

/// What a step was asked: where, which predicates and mappings, and those known before.
#[derive(PartialEq, Eq, Hash, Clone)]
struct Question {
    at: At,
    edge: usize,
    predicates: Vec<usize>,
    names: Vec<Annotation>,
    mappings: Vec<Mapping>,
    known: Vec<Bit>,
}

/// The variables that a term reads, and whether it reads memory.
type Reads = (Vec<VarId>, bool);

/// Steps with the answers so far.
#[derive(Default)]
pub(crate) struct Steps {
    answers: FxHashMap<Question, Option<BTreeSet<Bit>>>,
    reads: FxHashMap<TermId, Reads>,
}

/// What a step needs of everything.
struct Slice {
    /// The outermost activation that matters.
    base: u32,
    predicates: Vec<usize>,
    mappings: Vec<Mapping>,
}

impl Steps {
    /// Forgets all answers.
    pub fn forget(&mut self) {
        self.answers.clear();
    }

    /// What is known after an edge, or `None` if it cannot be taken.
    pub fn post(
        &mut self,
        (program, learned): (&Program, &Learned),
        (terms, words): (&mut Terms, &mut Words),
        at: &At,
        edge: usize,
        known: &BTreeSet<Bit>,
    ) -> Option<BTreeSet<Bit>> {
        let all = learned.mappings(at, edge);
        let slice = self.slice(program, learned, terms, at, edge, &all);
        let moved = At { calls: at.calls[slice.base as usize..].to_vec(), ..at.clone() };
        let down = |frame: FrameId| FrameId(frame.0 - slice.base);
        let names = names(program, learned, &moved, edge);
        let mappings: Vec<Mapping> = slice
            .mappings
            .iter()
            .map(|m| Mapping { frame: down(m.frame), caller: down(m.caller), ..m.clone() })
            .collect();
        // Bits in the numbers of the slice.
        let inner = |bit: &Bit| match *bit {
            Bit::Predicate(index, frame) => {
                let position = slice.predicates.binary_search(&index).ok()?;
                match frame {
                    Some(frame) if frame.0 < slice.base => None,
                    frame => Some(Bit::Predicate(position, frame.map(down))),
                }
            }
            Bit::Mapping(index) => {
                let mapping = all.get(index)?;
                let position = slice.mappings.iter().position(|known| known == mapping)?;
                Some(Bit::Mapping(position))
            }
        };
        let question = Question {
            at: moved,
            edge,
            predicates: slice.predicates.clone(),
            names,
            mappings,
            known: known.iter().filter_map(inner).collect(),
        };
        let answer = match self.answers.get(&question) {
            Some(answer) => answer.clone(),
            None => {
                let answer = ask(program, learned, (terms, words), &question);
                self.answers.insert(question, answer.clone());
                answer
            }
        };
        let answer = answer?;
        let outer = |bit: Bit| match bit {
            Bit::Predicate(position, frame) => {
                let frame = frame.map(|frame| FrameId(frame.0 + slice.base));
                Some(Bit::Predicate(slice.predicates[position], frame))
            }
            Bit::Mapping(position) => {
                let mapping = &slice.mappings[position];
                all.iter().position(|known| known == mapping).map(Bit::Mapping)
            }
        };
        let edge = &program.procedure(at.procedure).nodes[at.point.0 as usize].edges[edge];
        let left = matches!(edge.op, Op::Return { .. }).then(|| at.frame());
        let goes = |bit: &Bit| match *bit {
            Bit::Predicate(_, frame) => left.is_some() && frame == left,
            Bit::Mapping(index) => left.is_some() && all[index].frame == at.frame(),
        };
        let kept = known.iter().filter(|bit| inner(bit).is_none() && !goes(bit)).copied();
        Some(kept.chain(answer.into_iter().filter_map(outer)).collect())
    }

    fn reads(&mut self, terms: &Terms, term: TermId) -> &Reads {
        self.reads.entry(term).or_insert_with(|| {
            let (mut variables, mut memory) = (Vec::new(), false);
            for id in terms.below(&[term]) {
                match terms.get(id) {
                    Term::Variable { variable, .. } => variables.push(variable),
                    Term::Load { .. } => memory = true,
                    _ => {}
                }
            }
            (variables, memory)
        })
    }

    fn places(
        &mut self,
        learned: &Learned,
        terms: &Terms,
        frame: FrameId,
        term: TermId,
    ) -> Vec<Place> {
        let (variables, memory) = self.reads(terms, term);
        let own = |variable: &VarId| {
            let owner = learned.space.variable(*variable).owner;
            (owner.map(|_| frame), Some(*variable))
        };
        let places = variables.iter().map(own);
        places.chain(memory.then_some((None, None))).collect()
    }

    /// The places that an edge itself speaks of, and the outermost activation of them.
    fn touched(
        &mut self,
        program: &Program,
        learned: &Learned,
        terms: &Terms,
        (at, edge): (&At, usize),
        names: &[Annotation],
    ) -> (FxHashSet<Place>, u32) {
        let (here, callee) = (at.frame(), FrameId(at.frame().0 + 1));
        let edge = &program.procedure(at.procedure).nodes[at.point.0 as usize].edges[edge];
        let mut base = here.0;
        let mut spoken: Vec<(FrameId, TermId)> = Vec::new();
        match &edge.op {
            Op::Skip | Op::Unsupported(_) => {}
            Op::Assign { place, value } => spoken.extend([(here, *place), (here, *value)]),
            Op::Unknown { place, .. } => spoken.push((here, *place)),
            Op::Assume(condition) => spoken.push((here, *condition)),
            Op::Allocate { place, size } => spoken.extend([(here, *place), (here, *size)]),
            Op::Call { formals, actuals, .. } => {
                spoken.extend(actuals.iter().map(|actual| (here, *actual)));
                spoken.extend(formals.iter().map(|formal| (callee, *formal)));
            }
            Op::Return { value } => {
                spoken.extend(value.map(|value| (here, value)));
                if let Some(&(procedure, point, edge)) = at.calls.last() {
                    base = here.0 - 1;
                    let call = &program.procedure(procedure).nodes[point.0 as usize].edges[edge];
                    if let Op::Call { result: Some(result), .. } = call.op {
                        spoken.push((FrameId(base), result));
                    }
                }
            }
        }
        spoken.extend(names.iter().map(|named| (named.frame, named.place)));
        let mut places = FxHashSet::default();
        for (frame, term) in spoken {
            places.extend(self.places(learned, terms, frame, term));
        }
        (places, base)
    }

    fn slice(
        &mut self,
        program: &Program,
        learned: &Learned,
        terms: &Terms,
        at: &At,
        edge: usize,
        mappings: &[Mapping],
    ) -> Slice {
        let names = names(program, learned, at, edge);
        let (mut places, mut base) = self.touched(program, learned, terms, (at, edge), &names);
        places.extend(names.iter().map(|a| (Some(a.frame), Some(a.name))));
        let op = &program.procedure(at.procedure).nodes[at.point.0 as usize].edges[edge].op;
        let mut stack: Vec<_> = at.procedures().collect();
        if let Op::Call { procedure, .. } = op {
            stack.push(*procedure);
        }
        // A predicate with its activation, or a mapping, by its number.
        type Asked = Result<(usize, Option<FrameId>), usize>;
        let mut waiting: Vec<(Asked, Vec<Place>)> = Vec::new();
        for (index, predicate) in learned.predicates.iter().enumerate() {
            let frames: Vec<Option<FrameId>> = match predicate.owner {
                None => vec![None],
                Some(owner) => {
                    let all = stack.iter().enumerate().filter(|(_, known)| **known == owner);
                    all.map(|(level, _)| Some(FrameId(level as u32))).collect()
                }
            };
            for frame in frames {
                let at = frame.unwrap_or(FrameId(0));
                let places = self.places(learned, terms, at, predicate.term);
                waiting.push((Ok((index, frame)), places));
            }
        }
        for (index, mapping) in mappings.iter().enumerate() {
            let mut places = self.places(learned, terms, mapping.caller, mapping.term);
            places.push((Some(mapping.frame), Some(mapping.name)));
            waiting.push((Err(index), places));
        }
        let (mut predicates, mut chosen) = (BTreeSet::new(), Vec::new());
        loop {
            let before = waiting.len();
            waiting.retain(|(what, spoken)| {
                if !spoken.iter().any(|place| places.contains(place)) {
                    return true;
                }
                places.extend(spoken);
                match what {
                    Ok((index, frame)) => {
                        predicates.insert(*index);
                        base = base.min(frame.map_or(base, |frame| frame.0));
                    }
                    Err(index) => {
                        chosen.push(*index);
                        base = base.min(mappings[*index].caller.0);
                    }
                }
                false
            });
            if waiting.len() == before {
                break;
            }
        }
        chosen.sort_unstable();
        let mappings = chosen.into_iter().map(|index| mappings[index].clone()).collect();
        Slice { base, predicates: predicates.into_iter().collect(), mappings }
    }
}

/// The names that a step gives: at the point that it leaves, and, in another activation, at the one it
/// goes to.
fn names(program: &Program, learned: &Learned, at: &At, edge: usize) -> Vec<Annotation> {
    let index = at.calls.len();
    let mut names = learned.annotations(at.frame(), at, index);
    if let Some(next) = next(program, at, edge)
        && next.calls.len() != at.calls.len()
    {
        names.extend(learned.annotations(next.frame(), &next, index + 1));
    }
    names
}

/// Where an edge leads; `None` if it ends the program.
pub(crate) fn next(program: &Program, at: &At, edge: usize) -> Option<At> {
    let taken = &program.procedure(at.procedure).nodes[at.point.0 as usize].edges[edge];
    let mut calls = at.calls.clone();
    match &taken.op {
        Op::Call { procedure, .. } => {
            calls.push((at.procedure, at.point, edge));
            Some(At { calls, ..At::entry(*procedure) })
        }
        Op::Return { .. } => {
            let (procedure, point, edge) = calls.pop()?;
            let call = &program.procedure(procedure).nodes[point.0 as usize].edges[edge];
            Some(At { calls, procedure, point: call.to })
        }
        Op::Skip
        | Op::Assign { .. }
        | Op::Unknown { .. }
        | Op::Assume(_)
        | Op::Allocate { .. }
        | Op::Unsupported(_) => Some(At { calls, procedure: at.procedure, point: taken.to }),
    }
}

/// A path that only says who has called whom, and ends with an edge.
fn short_path(program: &Program, at: &At, edge: usize) -> Path {
    let mut path = Path::new(at.calls.first().map_or(at.procedure, |call| call.0));
    let last = (at.procedure, at.point, edge);
    for &(procedure, point, edge) in at.calls.iter().chain([&last]) {
        let taken = &program.procedure(procedure).nodes[point.0 as usize].edges[edge];
        path.push(taken.op.clone(), taken.origin.clone(), point);
    }
    path
}

fn ask(
    program: &Program,
    learned: &Learned,
    (terms, words): (&mut Terms, &mut Words),
    question: &Question,
) -> Option<BTreeSet<Bit>> {
    let path = short_path(program, &question.at, question.edge);
    let predicates: Vec<Predicate> =
        question.predicates.iter().map(|index| learned.predicates[*index].clone()).collect();
    let claim = Claim {
        predicates: &predicates,
        annotations: &question.names,
        mappings: &question.mappings,
        used: None,
    };
    let mut store = Store::new(&learned.space, true).forgotten(&learned.space);
    let known = question.known.iter().copied().collect();
    let memory = (&mut store, &mut Closed::new());
    Abstraction::after(&learned.space, &path, claim, memory, &known, (terms, words))
}
