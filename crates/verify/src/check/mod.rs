//! One method that is checked: its engine and solver, what is known of it so far, and the questions that
//! every strategy asks.
//!
//! Nothing here decides what is tried next; how something ended is in what it returns ([`Ended`]).

mod abstraction;
mod budget;
mod conclude;
mod ended;
mod findings;
mod judging;
mod message;
pub(crate) mod minimise;
mod read_off;
mod setting;
mod shallow;
pub(crate) mod specification;
mod vacuity;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use encode::decode::{Symbolic, place};
use encode::inputs::{LeafKey, Origin};
use encode::order::LeafClass;
use encode::{Engine, Goal, Limits};
use logic::Lit;
use sat::Answer;

pub(crate) use abstraction::Abstracted;
pub(crate) use budget::Budget;
pub(crate) use ended::{Ended, Obstacle, Round, Way};
pub(crate) use findings::{Costs, Findings};
pub(crate) use setting::{OnePiece, Post, Setting, SharedJudge};
pub(crate) use shallow::{Reach, Shallow, plain};

use crate::options::Unroll;
use crate::options::progress::Activity;
use crate::result::Cause;
use crate::solving::{Effort, Solving, start_engine};
use abstraction::Abstraction;

/// As many gates as literals can tell apart.
const MOST_GATES: usize = 1 << 30;

/// The share of a method's time that encoding it may take.
const ENCODING: f64 = 0.75;

/// Refinements after which following all calls is cheaper.
const MOST_REFINEMENTS: u64 = 2_000;

/// Goals with the literals that say that they are reached.
pub(crate) type Reached = Vec<(Goal, Lit)>;

pub(crate) struct Check<'a> {
    pub setting: Setting<'a>,
    pub engine: Engine<'a>,
    pub solving: Rc<RefCell<Solving>>,
    /// What the questions of the round may still cost.
    pub budget: Budget,
    pub findings: Findings,
    pub costs: Costs,
    pub abstraction: Abstraction,
    /// The last run of the method by this engine.
    pub last_run: Option<Symbolic>,
}

/// One of the questions of a round, and what comes of it.
pub(crate) struct Asked {
    /// The goals that some input reaches.
    pub reached: Reached,
    /// Those that nothing is said about.
    pub open: Reached,
    pub ended: Ended,
}

impl Asked {
    /// Asks again about what is open; what is known to be reached stays so.
    pub fn then(self, ask: impl FnOnce(Reached) -> Asked) -> Asked {
        let mut asked = ask(self.open);
        asked.reached.splice(0..0, self.reached);
        asked
    }
}

impl<'a> Check<'a> {
    pub fn new(setting: Setting<'a>) -> Check<'a> {
        let needs_bits = encode::flow::calculated_with(setting.subject, setting.method);
        let (engine, solving) = started(&setting, Some(needs_bits));
        let mut check = Check {
            setting,
            engine,
            solving,
            budget: Budget::UNLIMITED,
            findings: Findings::default(),
            costs: Costs::default(),
            abstraction: Abstraction::default(),
            last_run: None,
        };
        check.prepare();
        check
    }

    /// Tells a new engine what is known beforehand.
    pub fn prepare(&mut self) {
        self.solving.borrow_mut().cancel = self.setting.called_off.clone();
        if let Some(bounds) = &self.setting.bounds {
            self.engine.set_bounds(bounds.clone());
        }
        if let Some(paths) = self.setting.paths() {
            self.engine.restrict_to(paths.clone());
        }
    }

    /// A new engine and a new solver, without what the old ones had to carry.
    pub fn restart(&mut self, needs_bits: Option<BTreeSet<LeafClass>>) {
        let experience = self.engine.experience();
        let spent = (self.solving.borrow().spent, self.solving.borrow().effort);
        (self.engine, self.solving) = started(&self.setting, needs_bits);
        let mut solving = self.solving.borrow_mut();
        (solving.spent, solving.effort) = spent;
        drop(solving);
        self.engine.learn(experience);
        self.abstraction.forget_refinements();
        self.prepare();
    }

    pub fn tell(&self, activity: Activity) {
        self.setting.options.watch.tell(self.setting.method, activity);
    }

    /// Whether something is assumed of the input.
    pub fn is_specified(&self) -> bool {
        let mut origins = self.engine.constraints().iter().map(|c| &c.origin);
        origins.any(|o| matches!(o, Origin::Clause(_)))
    }

    /// Whether a goal is known to be reached.
    pub fn is_settled(&self, goal: &Goal) -> bool {
        self.setting.is_settled_elsewhere(goal) || self.findings.is_violated(goal)
    }

    /// What this engine cannot go on with, if anything.
    pub fn obstacle(&self) -> Option<Obstacle> {
        match () {
            () if self.engine.is_outside_layout() => Some(Obstacle::Layout),
            () if self.is_abstraction_useless() => Some(Obstacle::Abstraction),
            () => None,
        }
    }

    /// Whether what was found out by abstraction counts for nothing.
    pub fn is_abstraction_useless(&self) -> bool {
        let assumes = !self.engine.body_assumptions().is_empty();
        let any = !self.engine.deferred().is_empty();
        self.setting.is_inferring()
            && (self.engine.is_abstraction_broken()
                || (any && assumes)
                || self.costs.refinements > MOST_REFINEMENTS)
    }

    /// How far a run follows executions.
    pub fn limits(&self, depth: u32) -> Limits {
        let Setting { options, .. } = self.setting;
        // Where somebody looks after the memory, literals are all that gives out.
        let gates = match options.memory {
            Some(_) => MOST_GATES,
            None => Limits::default().gates,
        };
        // What is left of the time a run must not see, or the clock would say which clauses there are.
        let in_time = |time| self.engine.circuit.len() + Effort::of(time).times(ENCODING).gates();
        let gates_in_time = options.timeout.map_or(usize::MAX, in_time);
        Limits {
            iterations: depth,
            gates,
            gates_in_time,
            recursion: depth,
            array_elements: depth.max(10) + 6,
            deadline: self.setting.deadline,
            cancel: self.setting.called_off.clone(),
            calls: self.setting.calls,
            asked: self.setting.asked(),
            // Who gives a number of rounds does not ask what comes after them.
            circles: matches!(options.unroll, Unroll::Auto),
            symmetry: options.symmetry,
            canonical: self.setting.canonical,
            objects: self.setting.objects,
            ..Limits::default()
        }
    }

    /// Whether some input satisfies the assumptions, within the budget.
    pub fn solve(&mut self, assumptions: &[Lit]) -> Result<bool, Ended> {
        let constraints = self.engine.constraints();
        let mut solving = self.solving.borrow_mut();
        let before = solving.statistics().conflicts;
        let conflicts = self.budget.left();
        let answer = solving.solve(&self.engine.circuit, constraints, assumptions, conflicts);
        self.budget.spend(solving.statistics().conflicts - before);
        match answer {
            Answer::Sat => Ok(true),
            Answer::Unsat => Ok(false),
            Answer::Unknown(sat::Stop::Conflicts) if conflicts.is_some() => Err(Ended::OutOfBudget),
            Answer::Unknown(_) => Err(Ended::Stopped(Cause::Timeout)),
        }
    }

    /// The goals that some input reaches. All that are still open are asked about in one question; every
    /// model settles the goals that it reaches, and the last answer, that there is none, settles the rest.
    pub fn reachable(&mut self, mut open: Reached) -> Asked {
        let mut reached = Vec::new();
        while !open.is_empty() {
            let any = self.engine.circuit.or_all(open.iter().map(|g| g.1));
            match self.solve(&[any]) {
                Ok(false) => open.clear(),
                Ok(true) => {
                    let model = self.solving.borrow().model(&self.engine.circuit);
                    let (hit, rest) = open.into_iter().partition(|(_, lit)| model.value(*lit));
                    reached.extend::<Vec<_>>(hit);
                    open = rest;
                }
                Err(ended) => return Asked { reached, open, ended },
            }
        }
        Asked { reached, open, ended: Ended::Done }
    }

    /// What a goal leaves open that is no violation, if it is reached.
    pub fn leave_open(&self, round: &mut Round, goal: Goal, lit: Lit, limits: &Limits) {
        let at = |at: &Option<_>| at.map(|p| place(self.setting.subject.program, p));
        match &goal {
            Goal::Violation { .. } | Goal::Broken { .. } => {}
            Goal::Unspecified { what } => {
                let cause = Cause::Specification { what: what.clone(), at: None };
                round.unsupported.insert(goal, cause);
            }
            Goal::Unsupported { what, at: point } => {
                let cause = Cause::Unsupported { what: what.clone(), at: at(point) };
                round.unsupported.insert(goal, cause);
            }
            Goal::Cut { what, at: point } => {
                round.is_cut_by_unknown |=
                    self.setting.is_inferring() && self.abstraction.is_behind(lit);
                let what = message::cut(what, limits);
                let cause = Cause::Unbounded { what, at: at(point) };
                round.cut.insert(goal, cause);
            }
        }
    }
}

/// An engine and a solver for what is set.
fn started<'a>(
    setting: &Setting<'a>,
    needs_bits: Option<BTreeSet<LeafClass>>,
) -> (Engine<'a>, Rc<RefCell<Solving>>) {
    let Setting { subject, options, deadline, .. } = *setting;
    start_engine(subject, options, (deadline, options.watch.cancel()), needs_bits)
}

/// Limits for a run on constants: it must reach what the symbolic run reached.
pub(crate) fn fixed(limits: &Limits) -> Limits {
    Limits { iterations: u32::MAX, recursion: u32::MAX, ..limits.clone() }
}

/// Leaves that count as numbers to be made small.
fn is_number(key: &LeafKey) -> bool {
    !matches!(key, LeafKey::Receiver | LeafKey::Hash(_) | LeafKey::Clock(_))
}
