//! What a run may assume: the preconditions of the method, and the invariants of every object of
//! the input.
//!
//! An assumption that cannot be evaluated on some input (a loop in a pure method goes beyond the
//! bounds, say) does not exclude that input: it reaches a goal that leaves the method undecided.

use ir::ClassId;
use logic::Lit;
use spec::core::{Clause, Contract, Site};

use crate::engine::{Assumed, Engine, View};
use crate::spec::Holding;
use crate::state::State;
use crate::state::atom::{Atom, Name};
use crate::state::goal::Goal;
use crate::state::leaves::Origin;
use crate::state::value::{Ref, Value};

impl<'a> Engine<'a> {
    /// Assumes that the preconditions of one case hold.
    pub(crate) fn assume_requires(
        &mut self,
        contract: &'a Contract,
        view: &View,
        state: &mut State,
    ) -> Assumed {
        let only_case = contract.cases.len() == 1;
        let mut assumed = Assumed::default();
        let mut unknown_cases = Vec::new();
        for case in &contract.cases {
            let mut inside = state.clone();
            let (mut all, mut unknown_case) = (Lit::TRUE, Lit::FALSE);
            for clause in &case.requires {
                let Holding { holds, unknown, undefined } = self.holds(view, &inside, clause);
                self.warn_undefined(clause, &undefined);
                let before = all;
                all = self.circuit.and(all, holds);
                unknown_case = self.circuit.or(unknown_case, unknown);
                inside.assume(&mut self.circuit, holds);
                if only_case {
                    let mut allowed = self.circuit.or(holds, unknown_case);
                    if allowed == Lit::FALSE {
                        // It contradicts the clauses before it: these are to blame too.
                        allowed = !before;
                    }
                    self.require_clause(allowed, clause);
                    state.facts.learn(&self.circuit, allowed);
                }
            }
            assumed.cases.push(all);
            unknown_cases.push(unknown_case);
        }
        if !only_case && let Some(case) = contract.cases.first() {
            let any: Vec<Lit> = assumed.cases.iter().chain(&unknown_cases).copied().collect();
            let any = self.circuit.or_all(any);
            self.inputs.require(any, Origin::Clause(case.site.clone()));
            state.facts.learn(&self.circuit, any);
        }
        assumed
    }

    /// Keeps the executions of `state` that may make a call with this contract.
    pub(crate) fn permit(&mut self, contract: &'a Contract, view: &View, state: &mut State) {
        let mut cases = Vec::new();
        for case in &contract.cases {
            let mut inside = state.clone();
            let mut all = Lit::TRUE;
            for clause in &case.requires {
                let holds = self.holds(view, &inside, clause).holds;
                all = self.circuit.and(all, holds);
                inside.assume(&mut self.circuit, holds);
            }
            cases.push(all);
        }
        if !cases.is_empty() {
            let any = self.circuit.or_all(cases);
            state.assume(&mut self.circuit, any);
        }
    }

    /// Inputs for which a precondition has no value are excluded, which its author may not know.
    fn warn_undefined(&mut self, clause: &Clause, undefined: &[(Lit, String)]) {
        for (lit, why) in undefined {
            if !self.is_impossible(*lit) {
                let Site { text, span, .. } = &clause.site;
                let line = span.line;
                self.run.clauses.warn(format!(
                    "line {line}: `{text}` has no value for some inputs ({why}); these are left out"
                ));
                return;
            }
        }
    }

    fn require_clause(&mut self, lit: Lit, clause: &Clause) {
        self.inputs.require(lit, Origin::Clause(clause.site.clone()));
    }

    /// Assumes the static invariants of the classes around the method.
    pub(crate) fn assume_static_invariants(&mut self, state: &State) {
        for class in self.candidates.relevant.clone().iter() {
            let Some(contract) = self.contracts.classes.get(class) else {
                continue;
            };
            if contract.static_invariants.is_empty() || !self.initialise(&mut state.clone(), *class)
            {
                continue;
            }
            for clause in &contract.static_invariants {
                let Holding { holds, unknown, .. } = self.holds(&View::default(), state, clause);
                let allowed = self.circuit.or(holds, unknown);
                self.require_clause(allowed, clause);
            }
        }
    }

    /// Assumes the invariants of every object of the input that has come into play: evaluating
    /// them may bring more objects into play.
    pub(crate) fn assume_invariants(&mut self) {
        if !self.existence.matters() && !self.any_invariants() && !self.any_inferred() {
            return;
        }
        self.existence.begin();
        if self.run.clauses.nothing_is_assumed() {
            self.recall_live();
        }
        loop {
            self.link_liveness();
            let mut next: Vec<Atom> = self
                .existence
                .all()
                .map(|l| l.0)
                .filter(|a| !self.run.clauses.is_assumed(*a))
                .collect();
            if next.is_empty() || self.run.meter.exhausted().is_some() {
                return;
            }
            next.sort_unstable();
            for atom in next {
                self.run.clauses.assume(atom);
                self.assume_invariants_of(atom);
            }
        }
    }

    pub(crate) fn any_invariants(&self) -> bool {
        let contracts = &self.contracts.classes;
        let speaks = |c: &ClassId| {
            contracts.get(c).is_some_and(|c| {
                !c.invariants.is_empty()
                    || !c.constraints.is_empty()
                    || !c.constraints_for.is_empty()
                    || !c.gaps.is_empty()
            })
        };
        !contracts.is_empty() && self.candidates.relevant.iter().any(speaks)
    }

    /// Whether anything was inferred of the objects that may be in play.
    fn any_inferred(&self) -> bool {
        let speaks =
            |c: &ClassId| self.contracts.classes.get(c).is_some_and(|c| !c.inferred.is_empty());
        self.candidates.relevant.iter().any(speaks)
    }

    fn assume_invariants_of(&mut self, atom: Atom) {
        let Name::Input(class, _) = self.atoms.info(atom).name else {
            return;
        };
        if self.layout.survey.is_on && self.is_outer(atom) {
            return;
        }
        let live = self.live(atom);
        let mut state = State::initial();
        state.assume(&mut self.circuit, live);
        let view = self.view_of(atom);
        // Bounds are those of what is stated: they last, and are shared with runs that infer nothing.
        let clauses = match self.layout.survey.is_on {
            true => self.invariants_of(class),
            false => self.assumed_of(class),
        };
        for (owner, clause) in clauses {
            let Some(clause) = clause else {
                self.report_gaps(owner, live);
                continue;
            };
            let Holding { holds, unknown, .. } = self.holds(&view, &state, clause);
            let allowed = self.circuit.or(holds, unknown);
            let allowed = self.circuit.implies(live, allowed);
            match self.is_outer(atom) {
                true => {
                    self.inputs.require_remotely(allowed, Origin::Clause(clause.site.clone()));
                }
                false => self.require_clause(allowed, clause),
            }
            self.count_clause();
        }
    }

    /// Whether it was assumed of an object of the input, and is the very same now.
    pub(crate) fn is_assumed(&mut self, atom: Atom, holding: &Holding) -> bool {
        let Some(live) = self.existence.of(atom) else {
            return false;
        };
        let allowed = self.circuit.or(holding.holds, holding.unknown);
        let allowed = self.circuit.implies(live, allowed);
        self.inputs.is_required(allowed)
    }

    /// The invariants of the objects of a class; `None` for a class whose specification has gaps.
    pub(super) fn invariants_of(&self, class: ClassId) -> Vec<(ClassId, Option<&'a Clause>)> {
        let contracts = self.contracts;
        let Ok(loaded) = self.program.class(class) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for owner in loaded.supertypes() {
            if let Some(contract) = contracts.classes.get(owner) {
                if !contract.gaps.is_empty() {
                    found.push((*owner, None));
                }
                found.extend(contract.invariants.iter().map(|c| (*owner, Some(c))));
            }
        }
        found
    }

    /// The same with what the code was found to keep.
    fn assumed_of(&self, class: ClassId) -> Vec<(ClassId, Option<&'a Clause>)> {
        let contracts = self.contracts;
        let supertypes = self.program.class(class).map(|c| c.supertypes()).unwrap_or_default();
        let owners =
            supertypes.iter().filter_map(|owner| Some((owner, contracts.classes.get(owner)?)));
        let inferred = owners.flat_map(|(owner, c)| c.inferred.iter().map(|c| (*owner, Some(c))));
        self.invariants_of(class).into_iter().chain(inferred).collect()
    }

    pub(super) fn report_gaps(&mut self, class: ClassId, lit: Lit) {
        let contracts = self.contracts;
        let gaps = contracts.classes.get(&class).map_or(&[][..], |c| &c.gaps);
        if let Some(gap) = gaps.first() {
            let name = ir::program::simple(self.program.class_name(class));
            let what = format!("what is specified about {name}: {}", gap.reason);
            let goal = Goal::Unspecified { what };
            self.run.goals.add(&mut self.circuit, goal, lit);
        }
    }

    /// The view of an object's own clauses in one state.
    pub(super) fn view_of(&self, atom: Atom) -> View {
        View { this: Some(Value::Ref(Ref::constant(atom))), ..View::default() }
    }
}
