//! Checking one method: encode, ask about each goal, decode and judge what is found, deepen.

mod conclude;
mod findings;
mod message;
pub(crate) mod minimise;
mod read_off;
mod specification;
mod vacuity;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use encode::bounds::Bounds;
use encode::decode::{Symbolic, place};
use encode::graph::Part;
use encode::inputs::{LeafKey, Origin};
use encode::order::LeafClass;
use encode::{Calls, Engine, Exhausted, Goal, Limits, Subject};
use ir::MethodId;
use logic::{Cancel, Dependence, Lit, unless_interrupted};
use sat::Answer;

use crate::ladder::alarm::Alarm;
use crate::ladder::longer;
use crate::options::progress::Activity;
use crate::options::{Options, Unroll};
use crate::result::inferred::InferredSpec;
use crate::result::{Cause, Judge, MethodResult, Violation};
use crate::strategy::inputs::Samples;

use crate::bounds::store;
use crate::result::BoundsUse;
use crate::solving::{Solving, start_engine};
use crate::strategy::parts::{Parts, Post, Prospect};
use crate::strategy::shapes::Shapes;

/// The judge of a run, used by all its workers.
pub type SharedJudge<'a> = &'a dyn Judge;

/// Iterations that `auto` tries, one after the other; the last is the cap.
const DEEPENING: [u32; 3] = [4, 12, 32];
/// As many gates as literals can tell apart.
const MOST_GATES: usize = 1 << 30;

/// Conflicts that the questions of a deeper round may cost together: a loop that cannot be followed to its
/// end at the first depth often has no end, and then every further question is in vain.
const DEEPER_CONFLICTS: u64 = 20_000;

/// The same where something is assumed of the input: then loops mostly have an end.
const SPECIFIED_CONFLICTS: u64 = 1_000_000;

/// Checks one method. `judge` is asked about every counterexample; without one they count as
/// skipped.
pub fn check_method<'a>(
    subject: Subject<'a>,
    method: MethodId,
    options: &'a Options,
    judge: Option<SharedJudge<'a>>,
) -> MethodResult {
    let start = Instant::now();
    let usual = check_in_scope(subject, method, options, judge);
    if !longer::is_worth_it(&usual, options) {
        return usual;
    }
    let Some((mut long, longer)) = longer::longer(subject, method, options) else {
        return usual;
    };
    long.timeout = longer::time_left(options.timeout, start);
    if long.timeout.is_some_and(|left| left.is_zero()) {
        return longer::better(usual.clone(), usual, longer);
    }
    let found = check_in_scope(subject, method, &long, judge);
    longer::better(usual, found, longer)
}

/// Checks one method in the scope that is given.
fn check_in_scope<'a>(
    subject: Subject<'a>,
    method: MethodId,
    options: &'a Options,
    judge: Option<SharedJudge<'a>>,
) -> MethodResult {
    let start = Instant::now();
    let alarm = Alarm::set(options, start);
    let own = Options { watch: alarm.watch(), ..options.clone() };
    let result = unless_interrupted(|| check_within(subject, method, &own, judge, start));
    let result =
        result.unwrap_or_else(|| MethodResult::nothing_about(subject, method, Cause::Timeout));
    match options.watch.is_interrupted() {
        true => result.ended_by(Cause::Interrupted),
        false => result.ended_by(alarm.cause()),
    }
}

/// The same with options that are this method's own.
fn check_within<'a>(
    subject: Subject<'a>,
    method: MethodId,
    options: &'a Options,
    judge: Option<SharedJudge<'a>>,
    start: Instant,
) -> MethodResult {
    let needs_code = encode::needs_code(subject, method, options.calls);
    let calls = if needs_code { Calls::Inline } else { options.calls };
    let called_off = options.watch.cancel();
    let mut setting = Setting {
        subject,
        method,
        options,
        judge,
        canonical: true,
        calls,
        bounds: None,
        called_off,
    };
    loop {
        match attempt(setting.clone(), start) {
            Ok(result) => return result,
            Err(Obstacle::Layout) => setting.canonical = false,
            Err(Obstacle::Abstraction) => setting.calls = Calls::Inline,
        }
    }
}

/// What a check cannot go on with.
pub(crate) enum Obstacle {
    /// The input is laid out, but the method needs more than that.
    Layout,
    /// A call that was abstracted does more than the abstraction admits.
    Abstraction,
}

/// Checks one method, with its input laid out if that is possible and wanted.
fn attempt(setting: Setting<'_>, start: Instant) -> Result<MethodResult, Obstacle> {
    let deadline = setting.options.timeout.map(|t| start + t);
    let mut check = Check::new(setting, deadline);
    let last = match unless_interrupted(|| rounds(&mut check, deadline)) {
        Some(last) => last?,
        None => {
            check.stopped.get_or_insert(Cause::Timeout);
            Round::default()
        }
    };
    Ok(check.conclude(last, start))
}

/// Goes deeper until nothing is left open, or no time; what the last round left open.
fn rounds(check: &mut Check<'_>, deadline: Option<Instant>) -> Result<Round, Obstacle> {
    let Setting { subject, method, options, canonical, .. } = check.setting;
    let mut last = Round::default();
    let gap = specification::gap(subject, method);
    if let Some((cause, false)) = gap {
        check.stopped = Some(cause);
        return Ok(last);
    }
    if canonical && options.bounds && options.symmetry {
        check.bound_input(deadline);
    }
    let objects = options.scope.most_objects();
    let depths: &[u32] = match options.unroll {
        Unroll::Fixed(depth) => &[depth],
        // Nothing in a canonical heap is further away than it has objects.
        Unroll::Auto if check.setting.bounds.is_some() => &[objects + 2, 2 * objects + 32],
        Unroll::Auto => &DEEPENING,
    };
    for (number, depth) in depths.iter().enumerate() {
        let deeper = (number > 0).then(|| check.deeper_conflicts());
        let parts = check.parts(number > 0);
        (check.falls_back, check.by_shape) = (number > 0, false);
        check.conflicts = match parts {
            None => deeper,
            // Only what comes before the parts is asked: whether the input is laid out, and its ends.
            Some(Parts::So(_)) => Some(1),
            Some(Parts::AsNeeded) => deeper,
        };
        check.patience = None;
        (check.divides, check.prospect) = (parts == Some(Parts::AsNeeded), Prospect::Unknown);
        let mut round = check.whole(*depth, deadline, deeper)?;
        if let (Some(parts), true) = (parts, check.gave_up)
            && check.engine.exhausted().is_none()
            && !check.by_shape
        {
            check.gave_up = false;
            round = check.split(*depth, parts, deadline, deeper)?;
            if check.asks_for_ends(&round) {
                check.conflicts = None;
                round.is_stuck = check.is_stuck();
            }
            // Whatever the whole would do better in another run, the parts have had their say.
            if check.must_run_again() {
                return Err(Obstacle::Abstraction);
            }
        }
        if check.gave_up {
            // What the round before left open is why this one was tried.
            let has_reason = number > 0 || check.stopped.is_some();
            assert!(has_reason, "nothing limits what the first round may cost");
            break;
        }
        last = round;
        if last.cut.is_empty() || check.stopped.is_some() {
            break;
        }
    }
    if check.is_open_by_abstraction(&last) {
        return Err(Obstacle::Abstraction);
    }
    if let Some((cause, _)) = gap {
        check.stopped = Some(cause);
    }
    Ok(last)
}

/// What is checked, and how.
#[derive(Clone)]
pub(crate) struct Setting<'a> {
    pub subject: Subject<'a>,
    pub method: MethodId,
    pub options: &'a Options,
    pub judge: Option<SharedJudge<'a>>,
    /// Whether inputs with invariants are laid out.
    pub canonical: bool,
    /// As chosen, unless that has turned out to be impossible.
    pub calls: Calls,
    pub bounds: Option<Arc<Bounds>>,
    /// Set by another thread once nobody waits for the result.
    pub called_off: Cancel,
}

/// Goals with the literals that say that they are reached.
pub(crate) type Reached = Vec<(Goal, Lit)>;

/// The violations of a method by what they reach.
pub(crate) type Violations = BTreeMap<Goal, Violation>;

pub(crate) struct Check<'a> {
    pub setting: Setting<'a>,
    pub part: Option<Part>,
    bounds_use: BoundsUse,
    /// Parts that the method's paths were divided into.
    pub subproblems: u64,
    /// The share of the paths that the parts have which were decided, if not all were.
    pub paths_proven: Option<f64>,
    /// How other parts of the same method are heard of.
    pub post: Option<Arc<Post>>,
    pub engine: Engine<'a>,
    pub solving: Rc<RefCell<Solving>>,
    pub violations: Violations,
    pub refuted: Option<Cause>,
    /// Set once time or memory is used up.
    pub stopped: Option<Cause>,
    /// Conflicts that are left, if they are limited.
    pub conflicts: Option<u64>,
    /// What the questions of a round may take, if that is limited: conflicts times gates.
    pub patience: Option<u64>,
    /// Whether a round went beyond its budget.
    pub gave_up: bool,
    /// Whether what a round does not get through is as the round before has left it.
    falls_back: bool,
    /// Refinements of called methods.
    pub refinements: u64,
    /// What may be spent on the solver before inputs are gone through one by one, or shape by shape; see
    /// `cases` and `shapes`.
    pub cases_after: Option<u64>,
    /// Whether going through the inputs one by one would never end.
    pub is_hopeless: bool,
    pub samples: Option<Samples>,
    /// How long going through them would take, by how far the last try came.
    pub walk_time: Duration,
    pub shapes: Shapes,
    /// Whether the whole may give way to its parts, and what is known about that.
    pub divides: bool,
    pub prospect: Prospect,
    /// Whether the whole has been given up for the shapes of its input.
    pub by_shape: bool,
    /// Whether some input is known to satisfy what is assumed.
    pub is_inhabited: bool,
    /// Inputs that are known to reach a goal.
    pub inputs: BTreeMap<Goal, Vec<Lit>>,
    /// How often each method, or loop by its line, has been refined in this run.
    pub refined: BTreeMap<(MethodId, Option<u32>), u32>,
    /// What depends on unknowns of deferred calls.
    pub unknown: Dependence,
    /// The last run of the method by this engine.
    pub last_run: Option<Symbolic>,
    /// What parts have found out about called methods.
    pub inferred: Option<Vec<InferredSpec>>,
    encode: Duration,
    instructions: u64,
    warnings: Vec<String>,
}

/// What one depth left open.
#[derive(Default)]
pub(crate) struct Round {
    pub depth: u32,
    pub unsupported: BTreeMap<Goal, Cause>,
    pub cut: BTreeMap<Goal, Cause>,
    /// Whether abstracted calls have a part in where executions were cut off.
    pub is_cut_by_unknown: bool,
    /// Whether all executions were cut off.
    pub is_stuck: bool,
}

impl<'a> Check<'a> {
    pub fn new(setting: Setting<'a>, deadline: Option<Instant>) -> Check<'a> {
        let needs_bits = encode::flow::calculated_with(setting.subject, setting.method);
        let cases_after = setting.options.cases_after;
        let (engine, solving) = start_engine(
            setting.subject,
            setting.options,
            (deadline, setting.options.watch.cancel()),
            Some(needs_bits),
        );
        let mut check = Check {
            setting,
            part: None,
            bounds_use: BoundsUse::Off,
            subproblems: 1,
            paths_proven: None,
            post: None,
            engine,
            solving,
            violations: BTreeMap::new(),
            refuted: None,
            stopped: None,
            conflicts: None,
            patience: None,
            gave_up: false,
            falls_back: false,
            refinements: 0,
            cases_after,
            is_hopeless: false,
            samples: None,
            walk_time: Duration::ZERO,
            shapes: Shapes::Unknown,
            divides: false,
            prospect: Prospect::Unknown,
            by_shape: false,
            is_inhabited: false,
            inputs: BTreeMap::new(),
            refined: BTreeMap::new(),
            unknown: Dependence::default(),
            last_run: None,
            inferred: None,
            encode: Duration::ZERO,
            instructions: 0,
            warnings: Vec::new(),
        };
        check.prepare();
        check
    }

    /// Tells a new engine what is known beforehand.
    pub fn prepare(&mut self) {
        let pruning = self.pruning_work();
        let mut solving = self.solving.borrow_mut();
        solving.cancel = self.setting.called_off.clone();
        solving.pruning = pruning;
        drop(solving);
        if let Some(bounds) = &self.setting.bounds {
            self.engine.set_bounds(bounds.clone());
        }
        if let Some(part) = &self.part {
            self.engine.restrict_to(part.clone());
        }
    }

    pub fn tell(&self, activity: Activity) {
        self.setting.options.watch.tell(self.setting.method, activity);
    }

    pub fn is_wanted(&self, goal: &Goal) -> bool {
        match goal {
            Goal::Violation { property, .. } | Goal::Broken { property, .. } => {
                !self.setting.options.unchecked.contains(property)
            }
            Goal::Cut { .. } => self.setting.options.ends,
            Goal::Unsupported { .. } | Goal::Unspecified { .. } => true,
        }
    }

    fn deeper_conflicts(&self) -> u64 {
        match self.is_specified() {
            true => SPECIFIED_CONFLICTS,
            false => DEEPER_CONFLICTS,
        }
    }

    /// Whether something is assumed of the input.
    pub fn is_specified(&self) -> bool {
        let mut origins = self.engine.constraints().iter().map(|c| &c.origin);
        origins.any(|o| matches!(o, Origin::Clause(_)))
    }

    fn bound_input(&mut self, deadline: Option<Instant>) {
        let Setting { subject, method, options, .. } = self.setting;
        if let Some(found) = store::find(subject, method, options, deadline) {
            self.setting.bounds = Some(Arc::new(found.bounds));
            self.prepare();
            self.bounds_use = found.entry.how;
        }
    }

    /// Checks the method to a depth, as a whole or shape by shape.
    pub fn whole(
        &mut self,
        depth: u32,
        deadline: Option<Instant>,
        conflicts: Option<u64>,
    ) -> Result<Round, Obstacle> {
        let mut round = self.round(depth, deadline);
        if self.by_shape {
            round = match self.go_by_shape(depth, deadline, conflicts)? {
                Some(found) => found,
                None => self.round(depth, deadline),
            };
        }
        if self.engine.is_outside_layout() {
            return Err(Obstacle::Layout);
        }
        if self.is_abstraction_useless() {
            return Err(Obstacle::Abstraction);
        }
        Ok(round)
    }

    pub fn round(&mut self, depth: u32, deadline: Option<Instant>) -> Round {
        // Where somebody looks after the memory, literals are all that gives out.
        let gates = match self.setting.options.memory {
            Some(_) => MOST_GATES,
            None => Limits::default().gates,
        };
        let limits = Limits {
            iterations: depth,
            gates,
            recursion: depth,
            array_elements: depth.max(10) + 6,
            deadline,
            cancel: self.setting.called_off.clone(),
            calls: self.setting.calls,
            asked: self.asked(),
            // Who gives a number of rounds does not ask what comes after them.
            circles: matches!(self.setting.options.unroll, Unroll::Auto),
            symmetry: self.setting.options.symmetry,
            canonical: self.setting.canonical,
            ..Limits::default()
        };
        self.tell(Activity::Encoding { depth });
        let before = (Instant::now(), self.solving.borrow().spent);
        let (symbolic, reached) = loop {
            let Some((symbolic, inferred)) = self.run(&limits) else {
                self.stopped = self.stopped.take().or((!self.by_shape).then_some(Cause::Timeout));
                return Round { depth, ..Round::default() };
            };
            if self.engine.is_outside_layout() {
                return Round::default();
            }
            let reached = match inferred {
                Some(reached) => Some(reached),
                None => self.look_for_goals(&symbolic, depth),
            };
            if let Some(reached) = reached {
                break (symbolic, reached);
            }
        };
        let mut round = Round { depth, ..Round::default() };
        let report = &symbolic.report;
        let asked = self.solving.borrow().spent - before.1;
        self.encode += before.0.elapsed().saturating_sub(asked);
        self.instructions += report.instructions;
        self.warnings.clone_from(&report.warnings);
        for (goal, lit) in reached {
            let at = |at: &Option<_>| at.map(|p| place(self.setting.subject.program, p));
            match &goal {
                Goal::Violation { .. } | Goal::Broken { .. } if self.engine.is_abstract() => {
                    self.seek_abstract(&goal, lit, &symbolic, &limits);
                }
                Goal::Violation { .. } | Goal::Broken { .. } => self.seek(&goal, lit, &limits),
                Goal::Unspecified { what } => {
                    let cause = Cause::Specification { what: what.clone(), at: None };
                    round.unsupported.insert(goal.clone(), cause);
                }
                Goal::Unsupported { what, at: point } => {
                    let cause = Cause::Unsupported { what: what.clone(), at: at(point) };
                    round.unsupported.insert(goal.clone(), cause);
                }
                Goal::Cut { what, at: point } => {
                    round.is_cut_by_unknown |= self.is_inferring() && self.unknown.on(lit);
                    let what = message::cut(what, &limits);
                    let cause = Cause::Unbounded { what, at: at(point) };
                    round.cut.insert(goal.clone(), cause);
                }
            }
            let is_found = self.violations.contains_key(&goal)
                || round.unsupported.contains_key(&goal)
                || round.cut.contains_key(&goal);
            if let (Some(post), true) = (&self.post, is_found) {
                post.settle(&goal);
            }
        }
        let exhausted = symbolic.report.exhausted;
        self.last_run = Some(symbolic);
        if self.part.is_none() && self.asks_for_ends(&round) {
            round.is_stuck = self.is_stuck();
            if self.must_run_again() && !limits.is_over() {
                let needs_bits = self.engine.needs_bits().or_else(|| self.engine.have_bits());
                self.restart(deadline, needs_bits);
                return self.round(depth, deadline);
            }
        }
        match exhausted {
            None => {}
            Some(Exhausted::Time) => self.stopped = Some(Cause::Timeout),
            Some(Exhausted::Memory) => self.stopped = Some(Cause::Memory),
            Some(Exhausted::Oracle) => unreachable!("such a run is repeated"),
            Some(Exhausted::Instructions) if self.falls_back => self.gave_up = true,
            Some(Exhausted::Instructions) => {
                let what = format!("more than {} instructions", limits.instructions);
                let at = None;
                self.stopped.get_or_insert(Cause::Unbounded { what, at });
            }
        }
        round
    }

    /// The goals of a run that some input reaches; `None` if the run has to be repeated.
    fn look_for_goals(&mut self, symbolic: &Symbolic, depth: u32) -> Option<Reached> {
        let is_open = |g: &Goal| self.is_wanted(g) && !self.is_settled(g);
        let goals = symbolic.report.goals.iter().filter(|(goal, _)| is_open(goal));
        let goals: Vec<_> = goals.cloned().collect();
        self.looks_for(&goals, true);
        self.tell(Activity::Solving { depth, goals: goals.len() });
        self.limit_patience(self.patience);
        let mut reached = self.reached_goals(goals)?;
        reached.sort_by(|a, b| a.0.cmp(&b.0));
        Some(reached)
    }

    /// Runs the method, again as long as numbers turn out to need bits. Where calls are abstracted,
    /// the result tells also which goals are reached. `None` if that takes too long, or gives way to shapes.
    fn run(&mut self, limits: &Limits) -> Option<(Symbolic, Option<Reached>)> {
        loop {
            let mut symbolic =
                Symbolic::run(&mut self.engine, self.setting.method, &limits.from_now());
            if self.is_tired() && limits.is_over() {
                return None;
            }
            if self.is_tired() {
                if !self.suppose() {
                    return None;
                }
                continue;
            }
            let reached = self.is_inferring().then(|| self.infer(&mut symbolic, limits));
            let again = self.engine.wants_rerun() && self.stopped.is_none();
            let needs_bits = match self.engine.has_order() && self.engine.is_abstract() {
                _ if again => self.engine.have_bits(),
                // What a contract stands for is read off the formula, values and all.
                true => None,
                false => match self.engine.needs_bits() {
                    None => return Some((symbolic, reached)),
                    needs_bits => needs_bits,
                },
            };
            if limits.is_over() {
                return None;
            }
            self.restart(limits.deadline, needs_bits);
        }
    }

    /// A new engine and a new solver, without what the old ones had to carry.
    fn restart(&mut self, deadline: Option<Instant>, needs_bits: Option<BTreeSet<LeafClass>>) {
        let (spent, experience) = (self.solving.borrow().spent, self.engine.experience());
        let Setting { subject, options, .. } = self.setting;
        (self.engine, self.solving) =
            start_engine(subject, options, (deadline, options.watch.cancel()), needs_bits);
        self.solving.borrow_mut().spent = spent;
        self.engine.learn(experience);
        self.refined.clear();
        self.prepare();
    }

    pub fn solve(&mut self, assumptions: &[Lit]) -> Answer {
        let constraints = self.engine.constraints();
        let mut solving = self.solving.borrow_mut();
        let before = solving.statistics().conflicts;
        let budget = self.conflicts;
        let answer = solving.solve(&self.engine.circuit, constraints, assumptions, budget);
        if let Some(left) = &mut self.conflicts {
            let spent = solving.statistics().conflicts - before;
            *left = left.saturating_sub(spent).max(1);
        }
        match answer {
            // Only a deeper round has something to fall back on.
            Answer::Unknown(sat::Stop::Conflicts) if budget.is_some() => self.gave_up = true,
            Answer::Unknown(_) => {
                self.stopped.get_or_insert(Cause::Timeout);
            }
            Answer::Sat | Answer::Unsat => {}
        }
        answer
    }

    /// The goals that some input reaches, and those that nothing is said about because a budget is
    /// used up, which is noted. All that are still open are asked about in one question; every model
    /// settles the goals that it reaches, and the last answer, that there is none, settles the rest.
    pub fn reachable(&mut self, mut open: Reached) -> (Reached, Reached) {
        let mut reached = Vec::new();
        while !open.is_empty() {
            let any = self.engine.circuit.or_all(open.iter().map(|g| g.1));
            let answer = match self.stopped.is_some() || self.gave_up {
                true => Answer::Unknown(sat::Stop::Deadline),
                false => self.solve(&[any]),
            };
            match answer {
                Answer::Unsat => open.clear(),
                Answer::Sat => {
                    let model = self.solving.borrow().model(&self.engine.circuit);
                    let (hit, rest) = open.into_iter().partition(|(_, lit)| model.value(*lit));
                    reached.extend::<Vec<_>>(hit);
                    open = rest;
                }
                Answer::Unknown(_) => break,
            }
        }
        (reached, open)
    }
}

/// Limits for a run on constants: it must reach what the symbolic run reached.
pub(crate) fn fixed(limits: &Limits) -> Limits {
    Limits { iterations: u32::MAX, recursion: u32::MAX, ..limits.clone() }
}

/// Leaves that count as numbers to be made small.
pub(crate) fn is_number(key: &LeafKey) -> bool {
    !matches!(key, LeafKey::Receiver | LeafKey::Hash(_) | LeafKey::Clock(_))
}
