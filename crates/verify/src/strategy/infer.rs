//! Inferring specifications: calls start as their frame conditions, and a model that only the
//! abstraction admits says what is missing (Taghdiri & Jackson, sections 4 and 5).
//!
//! The paper checks the calls that a model executes in the order of execution, each with the
//! solver. Here a callee's code is a function of the state before it, so whether a call agrees with
//! a model is evaluated, not solved; and only what matters is asked: a goal that is reached rests
//! on some unknowns, each unknown on what its callee says of it, and that again on others. A model
//! in which all of these agree is an execution. One that does not agree is excluded by the
//! equation that fails, for the exit that the callee takes: that is the unsatisfiable core of the
//! interface values and the callee's code.
//!
//! Everything happens in one circuit and one solver. A callee is translated once at most; its
//! equations are literals that are asserted when they are adopted.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use encode::decode::{self, Assignment, Executed, Symbolic};
use encode::deferred::Deferred;
use encode::inputs::Origin;
use encode::{Calls, Goal, Limits};
use logic::{Dependence, Evaluation, Lit};

use crate::check::minimise::minimise;
use crate::check::{Abstracted, Check, Ended, Reached, Round, fixed};
use crate::options::Unroll;
use crate::result::Cause;

/// Instructions of a run on a model's input that is only worth a try: a spurious input may keep the
/// code going for ever.
const TRIED_INSTRUCTIONS: u64 = 200_000;

/// A model that is examined, and what is known of the circuit around it.
struct Examined {
    model: Evaluation,
    /// Nodes that the circuit had when the model was found: of later ones it says nothing.
    nodes: usize,
    /// What depends on inputs that came up later.
    later: Dependence,
    /// Outputs of calls that have been looked at, and whether what they rest on agrees.
    outputs: BTreeMap<(usize, usize), bool>,
}

impl<'a> Check<'a> {
    /// Whether a method that is left open might not be without abstraction: an unknown may reach
    /// what a constant would not, and rounds of a loop count that are free where its test is known to hold.
    pub(crate) fn is_open_by_abstraction(&self, last: &Round) -> bool {
        let cut = match self.setting.options.unroll {
            Unroll::Auto => !last.cut.is_empty(),
            Unroll::Fixed(_) => last.is_cut_by_unknown,
        };
        let any = !self.engine.deferred().is_empty();
        let open = match last.ended.cause() {
            None => !last.unsupported.is_empty() || cut,
            // A loop that an abstracted call keeps from coming back to where it was.
            Some(Cause::Unbounded { .. }) => true,
            Some(_) => false,
        };
        self.setting.is_inferring() && any && open
    }

    /// Refines calls until every goal is reached by an execution or by none. Violations are
    /// settled here; the result is the other goals that are reached. `ask` puts a question to the solver.
    pub fn infer(
        &mut self,
        symbolic: &mut Symbolic,
        limits: &Limits,
        mut ask: impl FnMut(&mut Check<'a>, Lit) -> Result<bool, Ended>,
    ) -> (Reached, Ended) {
        let mut reached: BTreeMap<Goal, Lit> = BTreeMap::new();
        let mut ended = Ended::Done;
        self.abstraction.begin();
        while !self.is_over() {
            let goals = symbolic.report.goals.iter();
            let is_open = |goal: &Goal| {
                self.setting.is_wanted(goal)
                    && !self.is_settled(goal)
                    && !reached.contains_key(goal)
            };
            let open: Reached = goals.filter(|g| is_open(&g.0)).cloned().collect();
            let unfollowed = self.unfollowed();
            // Where code has not been followed that must be, there may be more to look for.
            self.setting.looks_for(&open, unfollowed.is_empty());
            let asked = open.iter().map(|g| g.1).chain(unfollowed.iter().map(|c| c.1));
            let any = self.engine.circuit.or_all(asked.collect::<Vec<_>>());
            match ask(self, any) {
                Ok(true) => {}
                Ok(false) => {
                    self.recheck(any);
                    break;
                }
                Err(why) => {
                    ended = why;
                    break;
                }
            }
            self.examine(symbolic, open, unfollowed, limits, &mut reached);
            if self.is_late() {
                ended = Ended::Stopped(Cause::Timeout);
            }
        }
        reached.retain(|goal, _| !matches!(goal, Goal::Violation { .. } | Goal::Broken { .. }));
        (reached.into_iter().collect(), ended)
    }

    /// Looks at the model that was just found: which of the open goals an execution reaches, and which calls
    /// have to be followed. What agrees with no execution is excluded.
    fn examine(
        &mut self,
        symbolic: &mut Symbolic,
        open: Reached,
        unfollowed: Vec<(usize, Lit)>,
        limits: &Limits,
        reached: &mut BTreeMap<Goal, Lit>,
    ) {
        let tried = limits.constant_instructions.min(TRIED_INSTRUCTIONS);
        let trying = Limits { constant_instructions: tried, ..limits.clone() };
        let model = self.solving.borrow().model(&self.engine.circuit);
        let mut examined = self.examined(model);
        let refinements = self.costs.refinements;
        for (goal, lit) in open {
            if !examined.model.value(lit) {
                continue;
            }
            let violates = matches!(goal, Goal::Violation { .. } | Goal::Broken { .. });
            if violates && self.confirm(&goal, lit, &examined.model, &trying) {
                // Also where the JVM did not do the same: asking again would not help.
                reached.insert(goal, lit);
                continue;
            }
            if !self.is_execution(symbolic, &mut examined, lit) {
                continue;
            }
            if violates && self.engine.is_abstract() {
                let is_refined = self.costs.refinements > refinements;
                if is_refined || !self.is_whole(symbolic, &mut examined) {
                    continue;
                }
                self.read_off(&goal, symbolic, &examined.model, limits);
                self.settle_elsewhere(&goal);
            } else if violates && !self.confirm(&goal, lit, &examined.model, limits) {
                self.disagree(&goal, "the run on the model's input does not reach it");
            }
            reached.insert(goal, lit);
        }
        for (call, guard) in unfollowed {
            if examined.model.value(guard) && self.agrees(symbolic, &mut examined, guard) {
                symbolic.expand(&mut self.engine, call);
            }
        }
    }

    /// Whether the model that was just found is an execution, as far as the value of `lit` rests on
    /// called methods.
    pub(crate) fn has_execution(&mut self, symbolic: &mut Symbolic, lit: Lit) -> bool {
        let model = self.solving.borrow().model(&self.engine.circuit);
        let mut examined = self.examined(model);
        self.is_execution(symbolic, &mut examined, lit) || self.is_over()
    }

    /// Whether goals that are said not to be reached are not, by what the input satisfies and what
    /// was found out about called methods alone: a fresh solver is asked.
    fn recheck(&mut self, any: Lit) {
        if !self.setting.options.tuning.recheck {
            return;
        }
        let mut session = sat::Session::new();
        for (index, constraint) in self.engine.constraints().iter().enumerate() {
            session.assert(&self.engine.circuit, constraint.lit, index as u32);
        }
        let limits = sat::Limits::default();
        if session.solve(&self.engine.circuit, &[any], &limits) != sat::Answer::Unsat {
            let why = "what was found out about called methods does not exclude all violations";
            self.findings.refute(why.into());
        }
    }

    fn is_late(&self) -> bool {
        self.setting.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    fn is_over(&self) -> bool {
        self.is_late()
            || self.engine.exhausted().is_some()
            || self.engine.needs_bits().is_some()
            || self.engine.wants_rerun()
            || self.engine.is_outside_layout()
            || (self.engine.is_abstract() && self.engine.has_order())
            || self.is_abstraction_useless()
    }

    /// Calls that must be followed and have not been, with the executions that call.
    fn unfollowed(&self) -> Vec<(usize, Lit)> {
        let calls = self.engine.deferred().iter().enumerate();
        let open = calls.filter(|(_, call)| call.equations.is_none() && self.must_follow(call));
        open.map(|(number, call)| (number, call.guard)).collect()
    }

    /// Whether the code of a call has to be followed wherever it can be reached: it may end in a
    /// way that is asked about, or throw what somebody catches, or make more objects than are reserved for it.
    fn must_follow(&self, call: &Deferred) -> bool {
        call.makes || call.may_be_caught() || call.failures.among(self.setting.asked()).any()
    }

    fn examined(&mut self, model: Evaluation) -> Examined {
        let nodes = self.engine.circuit.len();
        let mut examined =
            Examined { model, nodes, later: Dependence::default(), outputs: BTreeMap::new() };
        self.look_again(&mut examined);
        examined
    }

    /// Takes note of what has been encoded since.
    fn look_again(&mut self, examined: &mut Examined) {
        let circuit = &self.engine.circuit;
        circuit.evaluate_more(&mut examined.model, |_| false);
        examined.later.extend(circuit, |n| n as usize >= examined.nodes);
        self.abstraction.extend(circuit, |n| self.engine.owner(n).is_some());
    }

    /// Whether a model in which `lit` holds is an execution. Where called methods do something
    /// else, the equations that say so are adopted.
    fn is_execution(&mut self, symbolic: &mut Symbolic, examined: &mut Examined, lit: Lit) -> bool {
        let in_order = matches!(self.setting.calls, Calls::Infer { relevant_first: false, .. });
        (!in_order || self.is_whole(symbolic, examined))
            && self.is_in_part(symbolic, examined)
            && self.agrees(symbolic, examined, lit)
    }

    /// Whether called methods agree with a model in that it keeps to the part, if the run is one.
    fn is_in_part(&mut self, symbolic: &mut Symbolic, examined: &mut Examined) -> bool {
        let constraints = self.engine.constraints().iter();
        let cases = constraints.filter(|c| c.origin == Origin::Case).map(|c| c.lit);
        let cases: Vec<Lit> = cases.collect();
        cases.into_iter().all(|lit| self.agrees(symbolic, examined, lit))
    }

    /// Whether all calls that a model executes agree with it, whether or not they matter.
    fn is_whole(&mut self, symbolic: &mut Symbolic, examined: &mut Examined) -> bool {
        self.agrees_in_order(symbolic, examined, None)
    }

    /// The paper's order: the calls that a model executes one after the other, each before those in
    /// its code, until one does not agree.
    fn agrees_in_order(
        &mut self,
        symbolic: &mut Symbolic,
        examined: &mut Examined,
        caller: Option<usize>,
    ) -> bool {
        let calls = self.engine.deferred().iter().enumerate();
        let calls = calls.filter(|(_, call)| call.caller == caller);
        let calls: Vec<(usize, Lit)> = calls.map(|(number, call)| (number, call.guard)).collect();
        for (call, guard) in calls {
            self.look_again(examined);
            if examined.later.on(guard) || !examined.model.value(guard) {
                continue;
            }
            symbolic.expand(&mut self.engine, call);
            self.look_again(examined);
            let outputs = self.engine.deferred()[call].outputs.len();
            let failing = (0..outputs).filter_map(|o| self.failing(examined, call, o).err());
            let failing: Vec<usize> = failing.flatten().collect();
            if self.is_over() || !self.refine(call, failing) {
                return false;
            }
            if !self.agrees_in_order(symbolic, examined, Some(call)) {
                return false;
            }
        }
        true
    }

    /// Adopts equations; whether there were none.
    fn refine(&mut self, call: usize, failing: Vec<usize>) -> bool {
        if failing.is_empty() {
            return true;
        }
        self.costs.refinements += 1;
        let Deferred { method, line, .. } = self.engine.deferred()[call];
        let often_refined = self.abstraction.refine((method, line));
        self.follow(often_refined);
        for equation in &failing {
            self.engine.adopt(call, *equation);
        }
        false
    }

    /// Where much of a method matters, an unknown with equations is larger than its code: the next
    /// run follows such methods at once. So it does with loops of the checked method itself. Those of called
    /// methods mostly matter in some of their calls only (docs/BENCHMARKS.md has figures).
    fn follow(&mut self, often_refined: Vec<Abstracted>) {
        for (method, line) in often_refined {
            match line {
                None => self.engine.follow_at_once(method),
                Some(line) if method == self.setting.method => {
                    self.engine.unroll_at_once(method, line);
                }
                Some(_) => {}
            }
        }
    }

    /// Whether what called methods do agrees with a model, as far as the value of `lit` rests on
    /// it. Where it does not, the equations that say so are adopted.
    fn agrees(&mut self, symbolic: &mut Symbolic, examined: &mut Examined, lit: Lit) -> bool {
        self.look_again(examined);
        let inputs = self.abstraction.unknown.rests_on(&self.engine.circuit, &examined.model, lit);
        let owners = inputs.into_iter().filter_map(|i| self.engine.owner(i));
        let owners: BTreeSet<(usize, usize)> = owners.collect();
        let mut agrees = true;
        for (call, output) in owners {
            agrees &= match examined.outputs.get(&(call, output)) {
                Some(known) => *known,
                None => {
                    examined.outputs.insert((call, output), true);
                    let found = self.output_agrees(symbolic, examined, call, output);
                    examined.outputs.insert((call, output), found);
                    found
                }
            };
            if self.is_over() {
                return false;
            }
        }
        agrees
    }

    fn output_agrees(
        &mut self,
        symbolic: &mut Symbolic,
        examined: &mut Examined,
        call: usize,
        output: usize,
    ) -> bool {
        let guard = self.engine.deferred()[call].guard;
        if !examined.model.value(guard) {
            // A call that does not happen may leave anything behind.
            return self.agrees(symbolic, examined, guard);
        }
        symbolic.expand(&mut self.engine, call);
        if self.is_over() {
            return false;
        }
        self.look_again(examined);
        match self.failing(examined, call, output) {
            Ok(said) => said.into_iter().all(|lit| self.agrees(symbolic, examined, lit)),
            Err(failing) => {
                self.refine(call, failing);
                false
            }
        }
    }

    /// What the code of a call says of an output, or those equations that do not agree with the
    /// model.
    fn failing(
        &self,
        examined: &Examined,
        call: usize,
        output: usize,
    ) -> Result<Vec<Lit>, Vec<usize>> {
        let equations = self.engine.equations(call).enumerate();
        let said: Vec<_> = equations.filter(|(_, e)| e.output == output).collect();
        let fails = |lit: Lit| examined.later.on(lit) || !examined.model.value(lit);
        if !said.iter().any(|(_, e)| fails(e.lit)) {
            return Ok(said.into_iter().map(|(_, e)| e.lit).collect());
        }
        // Some may have been adopted since the model was found.
        let failing = said.iter().filter(|(_, e)| !e.adopted && fails(e.lit));
        Err(failing.map(|(number, _)| *number).collect())
    }

    /// Whether the input of a model really violates a property: then that is settled.
    fn confirm(&mut self, goal: &Goal, lit: Lit, model: &Evaluation, limits: &Limits) -> bool {
        if self.engine.is_abstract() {
            return false;
        }
        let first = decode::assignment(&self.engine, model);
        let Some(executed) = self.reaching(goal, first, limits) else {
            return false;
        };
        let method = self.setting.method;
        let touched = &executed.touched;
        let smaller = minimise(&self.engine, &mut self.solving.borrow_mut(), method, lit, touched);
        let smaller = smaller.and_then(|input| self.reaching(goal, input, limits));
        self.settle(goal, smaller.unwrap_or(executed));
        self.settle_elsewhere(goal);
        true
    }

    /// Tells other parts of a violation, if it was found.
    fn settle_elsewhere(&self, goal: &Goal) {
        if self.findings.is_violated(goal) {
            self.setting.settle_elsewhere(goal);
        }
    }

    /// The execution of an input, if it reaches a goal.
    fn reaching(&self, goal: &Goal, input: Assignment, limits: &Limits) -> Option<Executed> {
        let scope = &self.setting.options.scope;
        let (subject, method) = (self.setting.subject, self.setting.method);
        let executed = decode::execute(subject, scope, method, input, &fixed(limits))?;
        executed.reached.contains(goal).then_some(executed)
    }
}
