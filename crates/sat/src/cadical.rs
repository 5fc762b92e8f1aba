//! CaDiCaL as a `Solver`.
//!
//! Deadlines and cancellation use CaDiCaL's terminator, which it polls every
//! few steps of its search and inprocessing. The callback reads the clock
//! itself: about 30 ns for each poll, nothing for a solve that ends at once. A
//! watchdog thread would cost a wake-up for each of thousands of small solves.

use crate::limits::{Limits, Stop};
use crate::solver::{Answer, Solver};
use cadical_sys::{CaDiCal, Status, Terminator};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The limits of the running solve, and which of them stopped it.
#[derive(Default)]
struct Watch {
    limits: RefCell<Limits>,
    stop: Cell<Option<Stop>>,
}

/// The end of the watch that CaDiCaL polls.
struct Poll(Rc<Watch>);

impl Terminator for Poll {
    fn terminated(&mut self) -> bool {
        if self.0.stop.get().is_none() {
            self.0.stop.set(self.0.limits.borrow().exceeded());
        }
        self.0.stop.get().is_some()
    }
}

/// Options that differ from CaDiCaL's defaults. A check asks hundreds of easy questions of one
/// growing formula, and these preparations are repeated for each question.
const OPTIONS: [(&str, i32); 2] = [("lucky", 0), ("congruence", 0)];

/// The CaDiCaL solver.
pub struct Cadical {
    solver: CaDiCal,
    watch: Rc<Watch>,
}

impl Default for Cadical {
    fn default() -> Cadical {
        Cadical::new()
    }
}

impl Cadical {
    /// A solver without clauses.
    pub fn new() -> Cadical {
        let (mut solver, watch) = (CaDiCal::new(), Rc::new(Watch::default()));
        for (name, value) in OPTIONS {
            let known = solver.set(name, value);
            debug_assert!(known, "CaDiCaL has no option {name}");
        }
        solver.connect_terminator(Poll(Rc::clone(&watch)));
        Cadical { solver, watch }
    }

    fn statistic(&self, name: &str) -> u64 {
        u64::try_from(self.solver.get_statistic_value(name)).unwrap_or(0)
    }

    fn prepare(&mut self, assumptions: &[i32], limits: &Limits) {
        for &assumption in assumptions {
            self.solver.assume(assumption);
        }
        if let Some(conflicts) = limits.conflicts {
            let bound = i32::try_from(conflicts).unwrap_or(i32::MAX);
            self.solver.limit("conflicts", bound);
        }
        self.watch.stop.set(None);
        *self.watch.limits.borrow_mut() = limits.clone();
    }
}

impl Solver for Cadical {
    fn add_clause(&mut self, clause: &[i32]) {
        for &literal in clause {
            self.solver.add(literal);
        }
        self.solver.add(0);
    }

    fn solve(&mut self, assumptions: &[i32], limits: &Limits) -> Answer {
        if let Some(stop) = limits.exceeded() {
            return Answer::Unknown(stop);
        }
        self.prepare(assumptions, limits);
        match self.solver.solve() {
            Status::SATISFIABLE => Answer::Sat,
            Status::UNSATISFIABLE => Answer::Unsat,
            Status::UNKNOWN => Answer::Unknown(self.watch.stop.get().unwrap_or(Stop::Conflicts)),
        }
    }

    fn constrain(&mut self, clause: &[i32]) {
        for &literal in clause {
            self.solver.constrain(literal);
        }
        self.solver.constrain(0);
    }

    fn value(&mut self, literal: i32) -> bool {
        // CaDiCaL answers with the literal that holds, not with a sign.
        self.solver.val(literal) == literal
    }

    fn failed(&mut self, assumption: i32) -> bool {
        self.solver.failed(assumption)
    }

    fn conflicts(&self) -> u64 {
        self.statistic("conflicts")
    }

    fn ticks(&self) -> u64 {
        self.statistic("ticks")
    }
}
