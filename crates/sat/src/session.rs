//! A session: one growing circuit, its clauses, and the solver that holds them.
//!
//! Constraints and assumptions are literals of the circuit; what they need is
//! converted when first needed, by polarity. A model is therefore promised for
//! inputs only (a gate seen in one polarity may take a value it does not have),
//! and everything else is evaluated from them.

use crate::cadical::Cadical;
use crate::limits::Limits;
use crate::solver::{Answer, Solver};
use logic::{Circuit, Cnf, Evaluation, Lit};
use std::cell::RefCell;

/// How large the problem is and what it has cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// Variables of the clauses.
    pub variables: u64,
    /// Clauses added.
    pub clauses: u64,
    /// Conflicts in all solves.
    pub conflicts: u64,
    /// Steps of the search in all solves ([`Solver::ticks`]).
    pub ticks: u64,
}

/// An incremental solver for one circuit.
///
/// Every call must pass the same circuit, which may have grown. The model and
/// the core belong to the last solve; a new constraint ends the model.
pub struct Session {
    /// Asking for a value mutates the solver, though not what it means.
    solver: RefCell<Box<dyn Solver>>,
    cnf: Cnf,
    assertions: Vec<(Lit, u32)>,
    core: Vec<Lit>,
    has_model: bool,
}

impl Default for Session {
    fn default() -> Session {
        Session::new()
    }
}

impl Session {
    /// A session without constraints, solved by CaDiCaL.
    pub fn new() -> Session {
        Session::with_solver(Box::new(Cadical::new()))
    }

    /// A session without constraints, solved by a solver without clauses.
    pub fn with_solver(solver: Box<dyn Solver>) -> Session {
        Session {
            solver: RefCell::new(solver),
            cnf: Cnf::new(),
            assertions: Vec::new(),
            core: Vec::new(),
            has_model: false,
        }
    }

    /// Requires `lit` in every model from now on; `origin` says whose
    /// constraint it is.
    pub fn assert(&mut self, circuit: &Circuit, lit: Lit, origin: u32) {
        self.has_model = false;
        self.assertions.push((lit, origin));
        let solver = self.solver.get_mut();
        self.cnf.assert(circuit, lit, &mut |clause| solver.add_clause(clause));
    }

    /// Requires one of these literals in every model from now on: a single clause, without gates.
    pub fn assert_any(&mut self, circuit: &Circuit, any: &[Lit]) {
        self.has_model = false;
        if any.contains(&Lit::TRUE) {
            return;
        }
        let alternatives = self.require_all(circuit, any);
        let clause: Vec<i32> = alternatives.iter().map(|&(_, literal)| literal).collect();
        self.solver.get_mut().add_clause(&clause);
    }

    /// The constraints asserted so far with their origins, in order.
    pub fn assertions(&self) -> &[(Lit, u32)] {
        &self.assertions
    }

    /// Searches for a model of the constraints in which the assumptions hold.
    pub fn solve(&mut self, circuit: &Circuit, assumptions: &[Lit], limits: &Limits) -> Answer {
        self.has_model = false;
        self.core.clear();
        if assumptions.contains(&Lit::FALSE) {
            self.core.push(Lit::FALSE);
            return Answer::Unsat;
        }
        let assumed = self.require_all(circuit, assumptions);
        let literals: Vec<i32> = assumed.iter().map(|&(_, literal)| literal).collect();
        let answer = self.solver.get_mut().solve(&literals, limits);
        match answer {
            Answer::Sat => self.has_model = true,
            Answer::Unsat => self.collect_core(&assumed),
            Answer::Unknown(_) => {}
        }
        answer
    }

    /// Searches for a model of the constraints in which one of the literals holds.
    pub fn solve_any(&mut self, circuit: &Circuit, any: &[Lit], limits: &Limits) -> Answer {
        if any.contains(&Lit::TRUE) {
            return self.solve(circuit, &[], limits);
        }
        if any.iter().all(|lit| lit.is_constant()) {
            self.has_model = false;
            return Answer::Unsat;
        }
        let alternatives = self.require_all(circuit, any);
        let clause: Vec<i32> = alternatives.iter().map(|&(_, literal)| literal).collect();
        self.solver.get_mut().constrain(&clause);
        self.solve(circuit, &[], limits)
    }

    /// The distinct assumptions that are not constant, with their DIMACS literals.
    fn require_all(&mut self, circuit: &Circuit, assumptions: &[Lit]) -> Vec<(Lit, i32)> {
        let solver = self.solver.get_mut();
        let mut sink = |clause: &[i32]| solver.add_clause(clause);
        let symbolic = assumptions.iter().filter(|lit| !lit.is_constant());
        symbolic.map(|&lit| (lit, self.cnf.require(circuit, lit, &mut sink))).collect()
    }

    fn collect_core(&mut self, assumed: &[(Lit, i32)]) {
        let solver = self.solver.get_mut();
        self.core.extend(
            assumed.iter().filter(|&&(_, literal)| solver.failed(literal)).map(|&(lit, _)| lit),
        );
        self.core.sort_unstable();
        self.core.dedup();
    }

    /// The value of a literal of an input node in the model, `None` when the
    /// input occurs in no clause and so may have either value.
    ///
    /// # Panics
    ///
    /// If the last call that changed the session was not a solve answered `Sat`.
    pub fn model(&self, lit: Lit) -> Option<bool> {
        assert!(
            self.has_model,
            "a model exists only after a satisfiable solve and before the next constraint"
        );
        match lit.constant() {
            Some(value) => Some(value),
            None => self.cnf.dimacs(lit).map(|literal| self.solver.borrow_mut().value(literal)),
        }
    }

    /// The value of every node in the model; inputs that occur in no clause are
    /// false.
    ///
    /// # Panics
    ///
    /// As [`Session::model`] does.
    pub fn model_evaluation(&self, circuit: &Circuit) -> Evaluation {
        assert!(
            self.has_model,
            "a model exists only after a satisfiable solve and before the next constraint"
        );
        let mut solver = self.solver.borrow_mut();
        circuit
            .evaluate(|node| self.cnf.variable(node).is_some_and(|variable| solver.value(variable)))
    }

    /// The value of the nodes of a cone in the model, as [`Circuit::cone`] gives them.
    ///
    /// # Panics
    ///
    /// As [`Session::model`] does.
    pub fn model_cone(&self, circuit: &Circuit, cone: &[u32]) -> Evaluation {
        assert!(self.has_model, "a model exists only after a satisfiable solve");
        let mut solver = self.solver.borrow_mut();
        circuit.evaluate_cone(cone, |node| {
            self.cnf.variable(node).is_some_and(|variable| solver.value(variable))
        })
    }

    /// The assumptions that the last solve, answered `Unsat`, refuted: together
    /// with the constraints they have no model. Not always minimal; empty when
    /// the constraints alone have none.
    pub fn core(&self) -> Vec<Lit> {
        self.core.clone()
    }

    /// The size of the problem and the conflicts so far.
    pub fn statistics(&self) -> Statistics {
        Statistics {
            variables: u64::from(self.cnf.variable_count()),
            clauses: self.cnf.clause_count(),
            conflicts: self.solver.borrow().conflicts(),
            ticks: self.solver.borrow().ticks(),
        }
    }
}
