//! Tight bounds: which entries of the input no canonical heap has that satisfies the invariants
//! (Galeotti et al., section 4), by one incremental solver.
//!
//! All entries that are still open are asked about in one question, "is any of these possible?";
//! every model settles all entries that it has, and the final no settles all the rest at once. What
//! follows from the numbering alone is found first, without invariants: that is cheap, and makes
//! the formula of the invariants smaller.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Instant;

use encode::bounds::{Bounds, Row, Survey};
use encode::inputs::LeafKey;
use encode::{Engine, Limits, Subject};
use ir::MethodId;
use logic::{Bits, Circuit, Lit};
use sat::{Answer, Stop};

use crate::check::{Options, start_engine};
use crate::solving::Solving;

/// More different values than this make a number unbounded.
const MOST_VALUES: usize = 40;

/// Conflicts that one question about all open entries may cost.
const EASY_CONFLICTS: u64 = 500;

/// Conflicts that the first question about one entry may cost; then four times as many.
const FIRST_CONFLICTS: u64 = 50;

/// How bounds came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum BoundsUse {
    #[default]
    Off,
    Computed,
    /// Found in the store.
    Hit,
}

/// Bounds for the input of a method.
pub struct Tight {
    pub bounds: Bounds,
    /// Entries before anything was known of them.
    pub before: usize,
    /// Whether every entry was decided; if not, those that were not count as possible.
    pub complete: bool,
}

/// Computes the bounds; `None` if the input is not laid out.
pub fn tighten(
    subject: Subject<'_>,
    method: MethodId,
    options: &Options,
    deadline: Option<Instant>,
) -> Option<Tight> {
    let limits = Limits { deadline, calls: options.calls, ..Limits::default() };
    let (mut stage, survey) = Stage::new(subject, method, options, &limits, None)?;
    let before = survey.references.iter().map(|r| r.1.len()).sum();
    let structure = stage.references(&survey);
    if stage.stopped {
        return Some(Tight { bounds: structure, before, complete: false });
    }
    let known = Some(structure.clone());
    let (mut stage, survey) = Stage::new(subject, method, options, &limits, known)?;
    if stage.engine.exhausted().is_some() {
        return Some(Tight { bounds: structure, before, complete: false });
    }
    let mut bounds = stage.references(&survey);
    stage.numbers(&survey, &mut bounds);
    Some(Tight { bounds, before, complete: !stage.stopped })
}

/// One encoding with its solver.
struct Stage<'a> {
    engine: Engine<'a>,
    solving: Rc<RefCell<Solving>>,
    stopped: bool,
}

impl<'a> Stage<'a> {
    /// The input within what is known of it, with its invariants; without them if nothing is
    /// known.
    fn new(
        subject: Subject<'a>,
        method: MethodId,
        options: &'a Options,
        limits: &Limits,
        known: Option<Bounds>,
    ) -> Option<(Stage<'a>, Survey)> {
        let known = known.map(Rc::new);
        let mut needs_bits = BTreeSet::new();
        loop {
            let (mut engine, solving) =
                start_engine(subject, options, limits.deadline, Some(needs_bits));
            if let Some(known) = &known {
                engine.set_bounds(known.clone());
            }
            let survey = engine.survey(method, limits, known.is_some())?;
            match engine.needs_bits() {
                Some(more) => needs_bits = more,
                None => return Some((Stage { engine, solving, stopped: false }, survey)),
            }
        }
    }

    fn any(&mut self, open: &[Lit], conflicts: Option<u64>) -> Answer {
        let constraints = self.engine.constraints();
        let mut solving = self.solving.borrow_mut();
        let answer = solving.solve_any(&self.engine.circuit, constraints, open, conflicts);
        self.stopped |= answer == Answer::Unknown(Stop::Deadline);
        answer
    }

    /// The possible values of every reference.
    fn references(&mut self, survey: &Survey) -> Bounds {
        let mut open: BTreeSet<Lit> = BTreeSet::new();
        for (_, entries) in &survey.references {
            open.extend(entries.iter().map(|e| e.1).filter(|l| !l.is_constant()));
        }
        let mut impossible: BTreeSet<Lit> = BTreeSet::new();
        self.find_possible(&mut open, &mut impossible);
        let mut budget = FIRST_CONFLICTS;
        while !open.is_empty() && !self.stopped {
            let before = open.len();
            for lit in open.clone() {
                if !open.contains(&lit) || self.stopped {
                    continue;
                }
                match self.solve(lit, budget) {
                    Answer::Sat => self.retain_unseen(&mut open),
                    Answer::Unsat => {
                        open.remove(&lit);
                        impossible.insert(lit);
                        self.engine.exclude(lit);
                    }
                    Answer::Unknown(_) => {}
                }
            }
            if std::env::var("TD").is_ok() { eprintln!("refs budget {budget} {before} -> {} {:?}", open.len(), self.solving.borrow().statistics()); }
            budget *= 4;
        }
        let mut bounds = Bounds::default();
        for (key, entries) in &survey.references {
            let names = entries
                .iter()
                .filter(|(_, lit)| !impossible.contains(lit))
                .map(|(name, _)| name.clone());
            bounds.set(key.clone(), Row::References(names.collect()));
        }
        bounds
    }

    /// Removes the entries that a model has, model after model, as long as these come easily.
    fn find_possible(&mut self, open: &mut BTreeSet<Lit>, impossible: &mut BTreeSet<Lit>) {
        while !open.is_empty() {
            let asked: Vec<Lit> = open.iter().copied().collect();
            match self.any(&asked, Some(EASY_CONFLICTS)) {
                Answer::Sat => self.retain_unseen(open),
                Answer::Unsat => {
                    impossible.append(open);
                }
                Answer::Unknown(_) => return,
            }
        }
    }

    fn retain_unseen(&self, open: &mut BTreeSet<Lit>) {
        let solving = self.solving.borrow();
        open.retain(|lit| !solving.input(*lit));
    }

    fn solve(&mut self, lit: Lit, conflicts: u64) -> Answer {
        let constraints = self.engine.constraints();
        let mut solving = self.solving.borrow_mut();
        let circuit = &self.engine.circuit;
        let answer = solving.solve(circuit, constraints, &[lit], Some(conflicts));
        self.stopped |= answer == Answer::Unknown(Stop::Deadline);
        answer
    }

    /// The possible values of numbers, where these are few.
    fn numbers(&mut self, survey: &Survey, bounds: &mut Bounds) {
        let mut open: BTreeMap<usize, BTreeSet<u64>> =
            (0..survey.numbers.len()).map(|n| (n, BTreeSet::new())).collect();
        open.retain(|n, _| survey.numbers[*n].1.iter().any(|l| !l.is_constant()));
        while !open.is_empty() && !self.stopped {
            let mut asked = Vec::new();
            for (number, values) in &open {
                let (_, bits, reached) = &survey.numbers[*number];
                let other = differs(&mut self.engine.circuit, bits, values);
                asked.push(self.engine.circuit.and(other, *reached));
            }
            match self.any(&asked, None) {
                Answer::Sat => {
                    let solving = self.solving.borrow();
                    let model = solving.model(&self.engine.circuit);
                    for (number, values) in &mut open {
                        let (_, bits, reached) = &survey.numbers[*number];
                        if model.value(*reached) {
                            values.insert(model.word(bits));
                        }
                    }
                    open.retain(|_, values| values.len() <= MOST_VALUES);
                }
                Answer::Unsat => {
                    for (number, values) in open {
                        let key = survey.numbers[number].0.clone();
                        bounds.set(key, Row::Numbers(values.into_iter().collect()));
                    }
                    return;
                }
                Answer::Unknown(_) => return,
            }
        }
    }
}

/// Whether a number is none of these values.
fn differs(circuit: &mut Circuit, bits: &Bits, values: &BTreeSet<u64>) -> Lit {
    let mut all = Vec::new();
    for value in values {
        let value = Bits::constant(bits.width(), *value);
        let equal = circuit.bits_eq(bits, &value);
        all.push(!equal);
    }
    circuit.and_all(all)
}

/// The leaves that bounds of a survey are about.
pub fn keys(survey: &Survey) -> Vec<LeafKey> {
    let references = survey.references.iter().map(|r| r.0.clone());
    references.chain(survey.numbers.iter().map(|n| n.0.clone())).collect()
}
