//! The solver of one method's check, shared between the engine (as its oracle) and the strategy.

mod effort;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::{Duration, Instant};

use encode::inputs::{Constraint, Source};
use encode::order::LeafClass;
use encode::{Calls, Engine, Oracle, Possibility, Subject};
use logic::{Cancel, Circuit, Evaluation, Lit, Sample, Simulation};
use sat::{Answer, Limits, Session};

use crate::options::Options;

pub(crate) use effort::Effort;

/// Conflicts that a pruning question may cost, and questions that one run may ask. Pruning
/// without a budget costs more than it saves.
const PRUNING_CONFLICTS: u64 = 300;
const PRUNING_QUESTIONS: u32 = 2_000;

/// A session that knows which constraints it has been given.
pub struct Solving {
    session: Session,
    /// Constraints that have been looked at, and those among them that are not asserted yet.
    seen: usize,
    remote: Vec<Lit>,
    pub deadline: Option<Instant>,
    /// Set by another thread to stop a solve.
    pub cancel: Cancel,
    /// What has been spent on questions: for reports in time, for decisions in counted work.
    pub spent: Duration,
    pub(crate) effort: Effort,
    /// What the oracle may still spend (conflicts times gates), if that is limited.
    pub pruning: Option<u64>,
    /// What the oracle goes by instead of the solver, if anything.
    pub supposing: Option<Supposing>,
}

/// Inputs that are taken for all there are. What none of them makes true is supposed to be
/// impossible, until all inputs are gone through.
pub struct Supposing {
    pub sample: Sample,
    pub supposed: Vec<Lit>,
}

impl Solving {
    pub fn new(deadline: Option<Instant>) -> Solving {
        Solving {
            session: Session::new(),
            seen: 0,
            remote: Vec::new(),
            deadline,
            cancel: Cancel::default(),
            spent: Duration::ZERO,
            effort: Effort::ZERO,
            pruning: None,
            supposing: None,
        }
    }

    /// Solves under assumptions and all constraints so far.
    pub fn solve(
        &mut self,
        circuit: &Circuit,
        constraints: &[Constraint],
        assumptions: &[Lit],
        conflicts: Option<u64>,
    ) -> Answer {
        self.solve_with(
            circuit,
            constraints,
            |session, limits| session.solve(circuit, assumptions, limits),
            conflicts,
        )
    }

    /// Solves under all constraints so far and one of the literals.
    pub fn solve_any(
        &mut self,
        circuit: &Circuit,
        constraints: &[Constraint],
        any: &[Lit],
        conflicts: Option<u64>,
    ) -> Answer {
        self.solve_with(
            circuit,
            constraints,
            |session, limits| session.solve_any(circuit, any, limits),
            conflicts,
        )
    }

    /// Asks until no remote constraint is violated by the model.
    fn solve_with(
        &mut self,
        circuit: &Circuit,
        constraints: &[Constraint],
        ask: impl Fn(&mut Session, &Limits) -> Answer,
        conflicts: Option<u64>,
    ) -> Answer {
        let (start, before) = (Instant::now(), self.session.statistics());
        self.assert_new(circuit, constraints);
        let limits = self.limits(conflicts);
        let answer = loop {
            let answer = ask(&mut self.session, &limits);
            if answer != Answer::Sat || !self.assert_violated(circuit) {
                break answer;
            }
        };
        self.spent += start.elapsed();
        self.effort += Effort::of_question(&before, &self.session.statistics());
        answer
    }

    /// Asserts the remote constraints that the model violates, if there are any.
    fn assert_violated(&mut self, circuit: &Circuit) -> bool {
        if self.remote.is_empty() {
            return false;
        }
        let model = self.session.model_evaluation(circuit);
        let (kept, violated) = self.remote.iter().partition(|lit| model.value(**lit));
        self.remote = kept;
        let violated: Vec<Lit> = violated;
        for lit in &violated {
            self.session.assert(circuit, *lit, self.seen as u32);
        }
        !violated.is_empty()
    }

    fn limits(&self, conflicts: Option<u64>) -> Limits {
        Limits { deadline: self.deadline, conflicts, cancel: self.cancel.clone() }
    }

    /// From now on one of the literals holds.
    pub fn assert_any(&mut self, circuit: &Circuit, any: &[Lit]) {
        self.session.assert_any(circuit, any);
    }

    fn assert_new(&mut self, circuit: &Circuit, constraints: &[Constraint]) {
        for (number, constraint) in constraints.iter().enumerate().skip(self.seen) {
            match constraint.is_remote {
                true => self.remote.push(constraint.lit),
                false => self.session.assert(circuit, constraint.lit, number as u32),
            }
        }
        self.seen = constraints.len();
    }

    /// The value of an input in the model of the last satisfiable solve.
    pub fn input(&self, lit: Lit) -> bool {
        self.session.model(lit).unwrap_or(lit.is_negated())
    }

    /// The model of the last satisfiable solve.
    pub fn model(&self, circuit: &Circuit) -> Evaluation {
        self.session.model_evaluation(circuit)
    }

    /// The same for the nodes of a cone only.
    pub fn model_cone(&self, circuit: &Circuit, cone: &[u32]) -> Evaluation {
        self.session.model_cone(circuit, cone)
    }

    /// Whether the oracle has spent what it may.
    pub fn is_tired(&self) -> bool {
        self.pruning == Some(0)
    }

    pub fn statistics(&self) -> sat::Statistics {
        self.session.statistics()
    }
}

/// An engine with a solver of its own. Numbers of the input are ordered except where they need
/// bits, or all have bits.
pub(crate) fn start_engine<'a>(
    subject: Subject<'a>,
    options: &'a Options,
    (deadline, cancel): (Option<Instant>, Cancel),
    needs_bits: Option<BTreeSet<LeafClass>>,
) -> (Engine<'a>, Rc<RefCell<Solving>>) {
    let mut solving = Solving::new(deadline);
    solving.cancel = cancel.clone();
    let solving = Rc::new(RefCell::new(solving));
    let pruning = Box::new(Pruning::new(solving.clone()));
    let mut engine = Engine::new(subject, &options.scope, Source::Symbolic, pruning);
    engine.circuit.interrupt_by(cancel);
    if options.order
        && options.calls != Calls::Contract
        && let Some(needs_bits) = needs_bits
    {
        engine.order_numbers(needs_bits);
    }
    (engine, solving)
}

/// The oracle that asks this solver within a small budget. Models are remembered: most questions
/// about a state that can be reached are answered by an earlier model.
pub struct Pruning {
    solving: Rc<RefCell<Solving>>,
    models: Simulation,
    questions: u32,
    /// Questions whose answer was no: the only ones that are worth their cost.
    useful: u32,
}

impl Pruning {
    pub fn new(solving: Rc<RefCell<Solving>>) -> Pruning {
        Pruning { solving, models: Simulation::new(), questions: 0, useful: 0 }
    }
}

impl Oracle for Pruning {
    fn possible(&mut self, circuit: &Circuit, constraints: &[Constraint], lit: Lit) -> Possibility {
        if let Some(Supposing { sample, supposed }) = &mut self.solving.borrow_mut().supposing {
            match sample.may_be_true(circuit, lit) {
                Some(true) => return Possibility::Possible,
                Some(false) => {
                    supposed.push(lit);
                    return Possibility::Supposed;
                }
                None => {}
            }
        }
        if self.questions >= PRUNING_QUESTIONS
            || self.is_tired()
            || self.models.can_be_true(circuit, lit)
        {
            return Possibility::Unknown;
        }
        self.questions += 1;
        let rarely_useful = self.questions > 100 && self.useful * 10 < self.questions;
        if rarely_useful && !self.questions.is_multiple_of(16) {
            return Possibility::Unknown;
        }
        let mut solving = self.solving.borrow_mut();
        let before = solving.statistics().conflicts;
        let answer = solving.solve(circuit, constraints, &[lit], Some(PRUNING_CONFLICTS));
        let spent = (solving.statistics().conflicts - before + 1) * circuit.len() as u64;
        solving.pruning = solving.pruning.map(|left| left.saturating_sub(spent));
        match answer {
            Answer::Sat => {
                self.models.remember(circuit, &solving.model(circuit));
                Possibility::Possible
            }
            Answer::Unsat => {
                self.useful += 1;
                Possibility::Impossible
            }
            Answer::Unknown(_) => Possibility::Unknown,
        }
    }

    fn is_tired(&self) -> bool {
        self.solving.borrow().is_tired()
    }
}
