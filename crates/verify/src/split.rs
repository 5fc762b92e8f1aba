//! Splitting: a method that is too hard as a whole is checked part by part, each encoded anew with
//! what sets it apart folded in (Shao et al., section 4).
//!
//! The parts are sets of paths of the computation graph, found by `ir::split`. They are independent:
//! idle cores take them from one list. With a fixed number of parts that is all. Otherwise a part
//! that turns out to be hard is divided again, on the graph of its own run, in which more is known
//! to be impossible.
//!
//! Where calls are abstracted, each part refines them for itself: what mattered about a call is what mattered
//! to any part.
//!
//! The shapes of an input (`shapes`) are checked in the same way, each as a part.
//!
//! What one part finds no other need look for. A part that has nothing else to look for is called
//! off; so the goals that are reached are those that the whole would reach.

use std::any::Any;
use std::collections::{BTreeSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use encode::Goal;
use encode::bounds::Bounds;
use encode::experience::Experience;
use encode::graph::Part;
use logic::{Cancel, unless_interrupted};

use crate::check::{Check, Obstacle, Reached, Round, Setting, Violations};
use crate::inferred::{self, InferredSpec};
use crate::progress::Activity;
use crate::result::Cause;
use crate::schedule::STACK;
use crate::shapes::with_numbers;

/// How long it may take until a part hears that it is called off.
const HEARING: Duration = Duration::from_millis(50);

/// How many parts there are to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parts {
    So(u32),
    /// As many as it takes: those that take more patience than this are divided again.
    AsNeeded(u64),
}

/// Parts that a hard problem is divided into at first, and each time that one turns out to be hard.
const AT_FIRST: usize = 8;
const AGAIN: usize = 2;

/// The share of the gates that code must have made for parts to be tried without being asked for. Parts leave out code
/// and nothing else, and the solver pays for the rest in each of them.
const SHARE_OF_CODE: f64 = 0.2;

/// By how much patience grows from a part to its parts: the deeper, the less is left to gain.
const GROWTH: u64 = 2;

/// What the parts of one round have in common.
pub(crate) struct Plan<'a> {
    pub setting: Setting<'a>,
    pub depth: u32,
    pub deadline: Option<Instant>,
    /// Conflicts that all parts together may cost.
    pub conflicts: Option<u64>,
    /// What the whole has taught about called methods.
    pub experience: Experience,
}

/// What all parts together have to say.
#[derive(Default)]
pub(crate) struct Outcome {
    pub found: Vec<Finding>,
    /// Parts that were decided.
    pub parts: u64,
    /// The share of the paths that they have.
    pub share: f64,
    /// Why it stopped early, if it did.
    pub stopped: Option<Cause>,
    /// Whether some part is known to have an input.
    pub is_inhabited: bool,
    /// Whether the conflicts were used up.
    pub gave_up: bool,
    /// What a part cannot go on with: then nothing counts.
    pub obstacle: Option<Obstacle>,
}

/// What one part has to say.
pub(crate) struct Finding {
    pub round: Round,
    pub violations: Violations,
    pub refuted: Option<Cause>,
    pub refinements: u64,
    pub inferred: Vec<InferredSpec>,
    /// Whether it is known that something satisfies what is assumed.
    pub is_inhabited: bool,
}

/// A part that waits.
pub(crate) struct Piece {
    of: PieceOf,
    /// Its share of the whole.
    share: f64,
    /// What it may take before it is divided.
    patience: Option<u64>,
}

enum PieceOf {
    Paths(Part),
    /// An input of which the references are given.
    Shape(Arc<Bounds>),
}

impl Piece {
    /// Some of so many paths, in the logarithm to base 2.
    fn of_paths(part: Part, paths: f64, patience: Option<u64>) -> Piece {
        let share = (part.paths - paths).exp2();
        Piece { of: PieceOf::Paths(part), share, patience }
    }

    pub fn of_shape(shape: Arc<Bounds>, share: f64) -> Piece {
        Piece { of: PieceOf::Shape(shape), share, patience: None }
    }
}

/// How a part that is running and the others hear of each other.
#[derive(Default)]
pub(crate) struct Post {
    /// Goals that some part is known to reach.
    settled: Arc<Mutex<BTreeSet<Goal>>>,
    /// What this part looks for, once it knows.
    open: Mutex<Option<Vec<Goal>>>,
    pub called_off: Cancel,
}

impl Post {
    /// Whether some part is known to reach a goal.
    pub fn is_settled(&self, goal: &Goal) -> bool {
        self.settled.lock().is_ok_and(|settled| settled.contains(goal))
    }

    pub fn settle(&self, goal: &Goal) {
        if let Ok(mut settled) = self.settled.lock() {
            settled.insert(goal.clone());
        }
    }

    /// The part looks for these goals from now on; `None` if there may be more.
    pub fn looks_for(&self, goals: Option<Vec<Goal>>) {
        if let Ok(mut open) = self.open.lock() {
            *open = goals;
        }
    }

    fn has_nothing_left(&self) -> bool {
        let open = self.open.lock().ok().and_then(|open| open.clone());
        open.is_some_and(|open| !open.is_empty() && open.iter().all(|goal| self.is_settled(goal)))
    }
}

/// Pieces that wait, those that run, and what is known of those that are done.
struct Work {
    waiting: VecDeque<Piece>,
    running: Vec<Arc<Post>>,
    settled: Arc<Mutex<BTreeSet<Goal>>>,
    outcome: Outcome,
    /// The conflicts that are left for all.
    conflicts: Option<u64>,
    /// What a part has panicked with: the others stop, and whoever wanted them hears of it.
    panic: Option<Box<dyn Any + Send>>,
}

impl Work {
    fn is_over(&self) -> bool {
        let Outcome { stopped, gave_up, obstacle, .. } = &self.outcome;
        let stopped = stopped.is_some() || *gave_up || obstacle.is_some() || self.panic.is_some();
        stopped || self.waiting.is_empty() && self.running.is_empty()
    }

    fn add(&mut self, piece: &Piece, done: Done, post: &Arc<Post>) {
        self.running.retain(|running| !Arc::ptr_eq(running, post));
        if let Some(left) = &mut self.conflicts {
            *left = left.saturating_sub(done.conflicts);
        }
        // Who may not ask anything any more would only divide again and again.
        self.outcome.gave_up |= self.conflicts == Some(0);
        match done.result {
            Ended::Divided(pieces) => self.waiting.extend(pieces),
            Ended::GaveUp => self.outcome.gave_up = true,
            Ended::Hindered(obstacle) => self.outcome.obstacle = Some(obstacle),
            Ended::Decided(finding, stopped) => {
                // Who is called off has nothing left to say.
                let stopped = stopped.filter(|_| !post.has_nothing_left());
                if stopped.is_none() {
                    self.outcome.parts += 1;
                    self.outcome.share += piece.share;
                }
                self.outcome.is_inhabited |= finding.is_inhabited;
                self.outcome.found.push(*finding);
                self.outcome.stopped = self.outcome.stopped.take().or(stopped);
            }
        }
    }
}

impl Check<'_> {
    /// Considers one part of the paths only.
    pub fn restrict_to(&mut self, part: Part) {
        self.part = Some(part);
        self.prepare();
    }

    /// Whether a goal is known to be reached.
    pub fn is_settled(&self, goal: &Goal) -> bool {
        let elsewhere = self.post.as_ref().is_some_and(|post| post.is_settled(goal));
        elsewhere || self.violations.contains_key(goal)
    }

    /// Tells other parts what this one looks for, and whether that is all.
    pub fn looks_for(&self, goals: &Reached, are_all: bool) {
        if let Some(post) = &self.post {
            post.looks_for(are_all.then(|| goals.iter().map(|(goal, _)| goal.clone()).collect()));
        }
    }

    /// Limits the conflicts of a round by what it may take, now that it is encoded; but not if its parts would
    /// be as large as itself.
    pub fn limit_patience(&mut self) {
        if let Some(patience) = self.patience
            && self.engine.share_of_code() >= SHARE_OF_CODE
        {
            let conflicts = (patience / self.engine.circuit.len() as u64).max(1);
            self.conflicts = self.conflicts.into_iter().chain([conflicts]).min();
        }
    }

    /// Whether the paths are divided once that is too hard, and how.
    pub fn parts(&self, deeper: bool) -> Option<Parts> {
        match self.setting.options.split {
            Some(parts) => (parts > 1).then_some(Parts::So(parts)),
            // A loop that goes on without anything being assumed of the input mostly has no end.
            None => (!deeper || self.is_specified())
                .then_some(Parts::AsNeeded(self.setting.options.patience)),
        }
    }

    /// Checks the paths of the last run part by part.
    pub fn split(
        &mut self,
        depth: u32,
        parts: Parts,
        deadline: Option<Instant>,
        conflicts: Option<u64>,
    ) -> Result<Round, Obstacle> {
        let (setting, experience) = (self.setting.clone(), self.engine.experience());
        let plan = Plan { setting, depth, deadline, conflicts, experience };
        let (wanted, patience) = match parts {
            Parts::So(wanted) => (wanted as usize, None),
            Parts::AsNeeded(patience) => (AT_FIRST, Some(patience)),
        };
        let graph = self.engine.graph();
        let parts = graph.divide(wanted, plan.setting.options.measure).into_iter();
        let paths = graph.paths();
        let pieces = parts.map(|part| Piece::of_paths(part, paths, patience)).collect();
        self.check_pieces(&plan, pieces)
    }

    /// Checks a method piece by piece.
    pub fn check_pieces(
        &mut self,
        plan: &Plan<'_>,
        pieces: VecDeque<Piece>,
    ) -> Result<Round, Obstacle> {
        let settled = self.violations.keys().cloned().collect();
        let outcome = check_all(plan, pieces, settled);
        if let Some(obstacle) = outcome.obstacle {
            return Err(obstacle);
        }
        self.subproblems = outcome.parts;
        self.gave_up = outcome.gave_up;
        self.is_inhabited |= outcome.is_inhabited;
        self.paths_proven = outcome.stopped.as_ref().map(|_| outcome.share.clamp(0.0, 1.0));
        self.stopped = self.stopped.take().or(outcome.stopped);
        let mut round = Round { depth: plan.depth, ..Round::default() };
        for finding in outcome.found {
            round.unsupported.extend(finding.round.unsupported);
            round.cut.extend(finding.round.cut);
            round.is_cut_by_unknown |= finding.round.is_cut_by_unknown;
            for (goal, violation) in finding.violations {
                self.violations.entry(goal).or_insert(violation);
            }
            self.refuted = self.refuted.take().or(finding.refuted);
            self.refinements += finding.refinements;
            inferred::merge(self.inferred.get_or_insert_default(), finding.inferred);
        }
        Ok(round)
    }
}

/// Checks the pieces on the threads of the setting.
fn check_all(plan: &Plan<'_>, waiting: VecDeque<Piece>, settled: BTreeSet<Goal>) -> Outcome {
    let work = Mutex::new(Work {
        waiting,
        running: Vec::new(),
        settled: Arc::new(Mutex::new(settled)),
        outcome: Outcome::default(),
        conflicts: plan.conflicts,
        panic: None,
    });
    let changed = Condvar::new();
    std::thread::scope(|scope| {
        for number in 0..plan.setting.options.threads.max(1) {
            let (work, changed) = (&work, &changed);
            let builder = std::thread::Builder::new().name(format!("part-{number}"));
            let run = move || worker(work, changed, plan);
            builder.stack_size(STACK).spawn_scoped(scope, run).expect("a thread can be started");
        }
        call_off(&work, &changed, plan);
    });
    let work = work.into_inner().expect("no worker panics while it holds the list");
    if let Some(panic) = work.panic {
        resume_unwind(panic);
    }
    work.outcome
}

/// Until all is over, tells those to stop whose work is of no use any more.
fn call_off(work: &Mutex<Work>, changed: &Condvar, plan: &Plan<'_>) {
    let mut list = lock(work);
    while !list.is_over() {
        list = changed.wait_timeout(list, HEARING).expect("not poisoned").0;
        let over = plan.setting.options.watch.is_interrupted() || list.is_over();
        for post in list.running.iter().filter(|post| over || post.has_nothing_left()) {
            post.called_off.set();
        }
    }
}

fn lock(work: &Mutex<Work>) -> MutexGuard<'_, Work> {
    work.lock().expect("no worker panics while it holds the list")
}

fn worker(work: &Mutex<Work>, changed: &Condvar, plan: &Plan<'_>) {
    let mut list = lock(work);
    while !list.is_over() {
        let Some(piece) = list.waiting.pop_front() else {
            list = changed.wait(list).expect("not poisoned");
            continue;
        };
        let called_off = plan.setting.called_off.part();
        let settled = list.settled.clone();
        let post = Arc::new(Post { settled, called_off, ..Post::default() });
        list.running.push(post.clone());
        let left = list.conflicts;
        drop(list);
        let done = catch_unwind(AssertUnwindSafe(|| try_piece(plan, &piece, left, &post)));
        list = lock(work);
        match done {
            Ok(done) => list.add(&piece, done, &post),
            Err(panic) => list.panic = Some(panic),
        }
        let (done, left) = (list.outcome.parts, list.waiting.len() + list.running.len());
        let activity = Activity::Cases { done, of: done + left as u64 };
        plan.setting.options.watch.tell(plan.setting.method, activity);
        changed.notify_all();
    }
}

/// What has become of a piece.
struct Done {
    result: Ended,
    conflicts: u64,
}

enum Ended {
    Divided(Vec<Piece>),
    Decided(Box<Finding>, Option<Cause>),
    GaveUp,
    Hindered(Obstacle),
}

fn try_piece(plan: &Plan<'_>, piece: &Piece, left: Option<u64>, post: &Arc<Post>) -> Done {
    let mut setting = Setting { called_off: post.called_off.clone(), ..plan.setting.clone() };
    if let PieceOf::Shape(shape) = &piece.of {
        let given = || with_numbers(&setting, plan.deadline, shape.clone());
        setting.bounds = Some(unless_interrupted(given).unwrap_or_else(|| shape.clone()));
    }
    let mut check = Check::new(setting, plan.deadline);
    check.engine.learn(plan.experience.clone());
    if let PieceOf::Paths(part) = &piece.of {
        check.restrict_to(part.clone());
    }
    check.post = Some(post.clone());
    check.conflicts = left;
    check.patience = piece.patience;
    let ended = unless_interrupted(|| round_or_pieces(&mut check, plan, piece, left));
    let (round, pieces) = ended.unwrap_or_else(|| {
        check.stopped = Some(Cause::Timeout);
        check.gave_up = false;
        (Round::default(), Vec::new())
    });
    let statistics = check.solving.borrow().statistics();
    if !check.gave_up {
        check.tell(Activity::Part { clauses: statistics.clauses, conflicts: statistics.conflicts });
    }
    let result = match check.gave_up {
        _ if check.engine.is_outside_layout() => Ended::Hindered(Obstacle::Layout),
        _ if check.is_abstraction_useless() => Ended::Hindered(Obstacle::Abstraction),
        true if pieces.len() > 1 => Ended::Divided(pieces),
        true => Ended::GaveUp,
        false => {
            let (stopped, refuted) = (check.stopped.take(), check.refuted.take());
            let (refinements, inferred) = (check.refinements, inferred::collect(&check.engine));
            let is_inhabited = matches!(piece.of, PieceOf::Shape(_)) && check.has_input();
            let violations = check.violations;
            let finding =
                Finding { round, violations, refuted, refinements, inferred, is_inhabited };
            Ended::Decided(Box::new(finding), stopped)
        }
    };
    Done { result, conflicts: statistics.conflicts }
}

/// Checks a piece as a whole, or divides it if that is too hard.
fn round_or_pieces(
    check: &mut Check<'_>,
    plan: &Plan<'_>,
    piece: &Piece,
    left: Option<u64>,
) -> (Round, Vec<Piece>) {
    let round = check.round(plan.depth, plan.deadline);
    if !check.gave_up || piece.patience.is_none() {
        return (round, Vec::new());
    }
    let graph = check.engine.graph();
    let parts = graph.divide(AGAIN, plan.setting.options.measure).into_iter();
    let patience = piece.patience.map(|patience| patience.saturating_mul(GROWTH));
    let paths = graph.paths();
    let pieces = parts.map(|part| {
        let within = Piece::of_paths(part, paths, patience);
        Piece { share: within.share * piece.share, ..within }
    });
    let pieces: Vec<Piece> = pieces.collect();
    if pieces.len() > 1 {
        return (round, pieces);
    }
    check.gave_up = false;
    check.conflicts = left;
    check.patience = None;
    (check.round(plan.depth, plan.deadline), pieces)
}
