//! Splitting: a method that is too hard as a whole is checked part by part, each encoded anew with
//! what sets it apart folded in (Shao et al., section 4).
//!
//! The parts are sets of paths of the computation graph, found by `ir::split`. They are independent:
//! idle cores take them from one list. None may keep the others waiting, so all are tried within a small budget first, and
//! those that need more come again with a larger one: what is easy to find in one part is found before another part is hard.
//!
//! Where nobody has said how many parts there are to be, a part that turns out to be hard is divided again, on the graph of its
//! own run, in which more is known to be impossible. And nobody knows whether dividing pays. So the whole and its parts
//! take turns, each turn with a larger budget than the one before, until one side is done: that costs about twice what the better way
//! costs by itself.
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
use encode::graph::{Part, Wanted};
use logic::{Cancel, unless_interrupted};

use crate::check::{Check, Obstacle, Reached, Round, Setting, Violations};
use crate::options::Options;
use crate::options::progress::Activity;
use crate::pool::STACK;
use crate::result::Cause;
use crate::result::inferred::{self, InferredSpec};
use crate::strategy::shapes::with_numbers;

/// How long it may take until a part hears that it is called off.
const HEARING: Duration = Duration::from_millis(50);

/// How many parts there are to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parts {
    So(u32),
    /// As many as pay, if any do.
    AsNeeded,
}

/// Parts that there are at most if nobody has said how many, and into how many one is divided that turns out to be hard.
const MOST: usize = 64;
const AGAIN: usize = 2;

/// How much of a part that has proven hard may be left of each of its halves.
const EASIER: f64 = 0.95;

/// What a part may take at first where their number is given (conflicts times gates), and by how much that grows from turn to turn.
const FIRST_TURN: u64 = 100_000_000;
const GROWTH: u64 = 16;

/// The same for a whole and its parts that take turns: the first turn by what the whole took before, and what one part
/// may take of the turn of all.
const FIRST_OF_BOTH: u64 = 8;
const GROWTH_OF_BOTH: u64 = 4;
const SHARE_OF_TURN: u64 = 4;

/// Whether dividing the paths pays, as far as looking ahead tells.
#[derive(Default)]
pub(crate) enum Prospect {
    /// Nobody has asked yet, or nobody may.
    #[default]
    Unknown,
    Bad,
    Good(Vec<Part>),
}

/// What the parts of one round have in common.
pub(crate) struct Plan<'a> {
    pub setting: Setting<'a>,
    pub depth: u32,
    pub deadline: Option<Instant>,
    /// What the whole has taught about called methods.
    pub experience: Experience,
}

/// What all parts together have to say.
#[derive(Default)]
pub(crate) struct Outcome {
    pub found: Vec<Finding>,
    /// What those have left open whose findings have been taken over.
    pub round: Round,
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
#[derive(Clone)]
pub(crate) struct Piece {
    of: PieceOf,
    /// Its share of the whole.
    share: f64,
}

#[derive(Clone)]
enum PieceOf {
    Paths(Part),
    /// An input of which the references are given.
    Shape(Arc<Bounds>),
}

impl Piece {
    /// Some of so many paths, in the logarithm to base 2.
    fn of_paths(part: Part, paths: f64) -> Piece {
        let share = (part.paths - paths).exp2();
        Piece { of: PieceOf::Paths(part), share }
    }

    pub fn of_shape(shape: Arc<Bounds>, share: f64) -> Piece {
        Piece { of: PieceOf::Shape(shape), share }
    }
}

/// What the parts may take before the next turn begins: conflicts times gates.
#[derive(Clone, Copy)]
pub(crate) struct Turn {
    /// A part by itself, after which it waits for the next turn, and whether it is divided then.
    each: u64,
    divides: bool,
    /// All together.
    all: Option<u64>,
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

/// Pieces that wait for this turn and for the next, those that run, and what is known of those that are done.
pub(crate) struct Work {
    waiting: VecDeque<Piece>,
    later: VecDeque<Piece>,
    running: Vec<Arc<Post>>,
    settled: Arc<Mutex<BTreeSet<Goal>>>,
    outcome: Outcome,
    turn: Option<Turn>,
    /// What this turn has taken.
    taken: u64,
    /// The conflicts that are left for all.
    conflicts: Option<u64>,
    /// What a part has panicked with: the others stop, and whoever wanted them hears of it.
    panic: Option<Box<dyn Any + Send>>,
}

impl Work {
    pub fn new(pieces: VecDeque<Piece>, settled: BTreeSet<Goal>, conflicts: Option<u64>) -> Work {
        Work {
            waiting: pieces,
            later: VecDeque::new(),
            running: Vec::new(),
            settled: Arc::new(Mutex::new(settled)),
            outcome: Outcome::default(),
            turn: None,
            taken: 0,
            conflicts,
            panic: None,
        }
    }

    /// Whether no turn need follow.
    fn is_done(&self) -> bool {
        let Outcome { stopped, gave_up, obstacle, .. } = &self.outcome;
        let stopped = stopped.is_some() || *gave_up || obstacle.is_some() || self.panic.is_some();
        stopped || self.waiting.is_empty() && self.later.is_empty() && self.running.is_empty()
    }

    /// Whether nothing is to be done in this turn.
    fn is_over(&self) -> bool {
        self.is_done() || self.running.is_empty() && (self.waiting.is_empty() || self.is_used_up())
    }

    fn is_used_up(&self) -> bool {
        self.turn.and_then(|turn| turn.all).is_some_and(|all| self.taken >= all)
    }

    fn next(&mut self) -> Option<Piece> {
        if self.is_used_up() { None } else { self.waiting.pop_front() }
    }

    fn add(&mut self, piece: &Piece, done: Done, post: &Arc<Post>) {
        self.running.retain(|running| !Arc::ptr_eq(running, post));
        self.taken = self.taken.saturating_add(done.work);
        if let Some(left) = &mut self.conflicts {
            *left = left.saturating_sub(done.conflicts);
        }
        // Who may not ask anything any more would only come again and again.
        self.outcome.gave_up |= self.conflicts == Some(0);
        match done.result {
            Ended::Divided(halves) => self.waiting.extend(halves),
            Ended::Later => self.later.push_back(piece.clone()),
            Ended::GaveUp => self.outcome.gave_up = true,
            Ended::Hindered(obstacle) => self.outcome.obstacle = Some(obstacle),
            Ended::Decided(stopped) => {
                // Who is called off has nothing left to say.
                let stopped = stopped.filter(|_| !post.has_nothing_left());
                if stopped.is_none() {
                    self.outcome.parts += 1;
                    self.outcome.share += piece.share;
                }
                self.outcome.stopped = self.outcome.stopped.take().or(stopped);
            }
        }
        // What one has found nobody else looks for, so it counts even if the piece comes again.
        self.outcome.is_inhabited |= done.finding.is_inhabited;
        self.outcome.found.push(done.finding);
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

    /// Limits the conflicts of a round by what it may take, if anything, now that it is encoded.
    pub fn limit_patience(&mut self, patience: Option<u64>) {
        if let Some(patience) = patience {
            let conflicts = (patience / self.engine.circuit.len() as u64).max(1);
            self.conflicts = self.conflicts.into_iter().chain([conflicts]).min();
        }
    }

    /// What may be spent on the whole before it is asked whether dividing it pays, if that is still to be asked.
    pub fn patience_before_parts(&self) -> Option<u64> {
        let may = self.divides && matches!(self.prospect, Prospect::Unknown);
        // What a sample has suggested is not proven yet.
        let is_exact = self.solving.borrow().supposing.is_none();
        (may && is_exact).then_some(self.setting.options.patience)
    }

    /// Whether the whole gives way to its parts, because they are plainly smaller.
    pub fn give_way_to_parts(&mut self) -> bool {
        if self.patience_before_parts().is_none() {
            return false;
        }
        let Options { measure, smaller, .. } = *self.setting.options;
        let parts = self.engine.divide(Wanted::Smallest(MOST), measure);
        let pays = parts.len() > 1 && parts.iter().all(|part| part.left <= smaller);
        self.prospect = if pays { Prospect::Good(parts) } else { Prospect::Bad };
        self.gave_up |= pays;
        pays
    }

    /// Whether the paths are divided once that is too hard, and how.
    pub fn parts(&self, deeper: bool) -> Option<Parts> {
        match self.setting.options.split {
            Some(parts) => (parts > 1).then_some(Parts::So(parts)),
            // A loop that goes on without anything being assumed of the input mostly has no end.
            None => (!deeper || self.is_specified()).then_some(Parts::AsNeeded),
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
        let paths = self.engine.graph().paths();
        if parts == Parts::AsNeeded {
            self.give_way_to_parts();
        }
        let found = match (parts, std::mem::replace(&mut self.prospect, Prospect::Bad)) {
            (Parts::AsNeeded, Prospect::Good(found)) => found,
            // It has given up because it may cost no more.
            (Parts::AsNeeded, Prospect::Unknown | Prospect::Bad) if conflicts.is_some() => {
                self.gave_up = true;
                return Ok(Round { depth, ..Round::default() });
            }
            (Parts::AsNeeded, Prospect::Unknown | Prospect::Bad) => {
                (self.gave_up, self.conflicts) = (false, conflicts);
                return self.whole(depth, deadline, conflicts);
            }
            (Parts::So(wanted), _) => {
                let wanted = Wanted::So(wanted as usize);
                self.engine.divide(wanted, self.setting.options.measure)
            }
        };
        let pieces = found.into_iter().map(|part| Piece::of_paths(part, paths)).collect();
        let mut work = Work::new(pieces, self.violations.keys().cloned().collect(), conflicts);
        let (setting, experience) = (self.setting.clone(), self.engine.experience());
        let plan = Plan { setting, depth, deadline, experience };
        match parts {
            Parts::So(_) => {
                let mut each = FIRST_TURN;
                while !work.is_done() {
                    work = check_all(&plan, work, Some(Turn { each, divides: false, all: None }));
                    each = each.saturating_mul(GROWTH);
                }
                self.join(depth, work)
            }
            Parts::AsNeeded => self.take_turns(&plan, work, conflicts),
        }
    }

    /// The parts and the whole in turns, until one side is done.
    fn take_turns(
        &mut self,
        plan: &Plan<'_>,
        mut work: Work,
        conflicts: Option<u64>,
    ) -> Result<Round, Obstacle> {
        let mut patience = self.setting.options.patience.saturating_mul(FIRST_OF_BOTH);
        loop {
            let turn = Turn { each: patience / SHARE_OF_TURN, divides: true, all: Some(patience) };
            work = check_all(plan, work, Some(turn));
            if work.is_done() {
                return self.join(plan.depth, work);
            }
            // What is found is found, whoever is done first.
            self.take_over(&mut work);
            (self.gave_up, self.conflicts, self.patience) = (false, conflicts, Some(patience));
            let round = self.whole(plan.depth, plan.deadline, conflicts)?;
            let gates = self.engine.circuit.len() as u64;
            let is_last = conflicts.is_some_and(|conflicts| conflicts <= patience / gates);
            if !self.gave_up || is_last {
                self.inferred = None;
                let is_late = self.stopped.is_some();
                self.paths_proven = is_late.then_some(work.outcome.share.clamp(0.0, 1.0));
                return Ok(round);
            }
            patience = patience.saturating_mul(GROWTH_OF_BOTH);
        }
    }

    /// Checks a method piece by piece.
    pub fn check_pieces(&mut self, plan: &Plan<'_>, work: Work) -> Result<Round, Obstacle> {
        let work = check_all(plan, work, None);
        self.join(plan.depth, work)
    }

    /// What all pieces together have to say.
    fn join(&mut self, depth: u32, mut work: Work) -> Result<Round, Obstacle> {
        self.take_over(&mut work);
        let outcome = work.outcome;
        if let Some(obstacle) = outcome.obstacle {
            return Err(obstacle);
        }
        self.subproblems = outcome.parts;
        self.gave_up = outcome.gave_up;
        self.paths_proven = outcome.stopped.as_ref().map(|_| outcome.share.clamp(0.0, 1.0));
        self.stopped = self.stopped.take().or(outcome.stopped);
        Ok(Round { depth, ..outcome.round })
    }

    /// Takes over what pieces have found.
    fn take_over(&mut self, work: &mut Work) {
        let outcome = &mut work.outcome;
        self.is_inhabited |= outcome.is_inhabited;
        for finding in outcome.found.drain(..) {
            outcome.round.unsupported.extend(finding.round.unsupported);
            outcome.round.cut.extend(finding.round.cut);
            outcome.round.is_cut_by_unknown |= finding.round.is_cut_by_unknown;
            for (goal, violation) in finding.violations {
                self.violations.entry(goal).or_insert(violation);
            }
            self.refuted = self.refuted.take().or(finding.refuted);
            self.refinements += finding.refinements;
            inferred::merge(self.inferred.get_or_insert_default(), finding.inferred);
        }
    }
}

/// Checks the pieces on the threads of the setting, in one turn if that is limited.
fn check_all(plan: &Plan<'_>, mut work: Work, turn: Option<Turn>) -> Work {
    let later = std::mem::take(&mut work.later);
    work.waiting.extend(later);
    (work.turn, work.taken) = (turn, 0);
    let work = Mutex::new(work);
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
    let mut work = work.into_inner().expect("no worker panics while it holds the list");
    if let Some(panic) = work.panic.take() {
        resume_unwind(panic);
    }
    work
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
        let Some(piece) = list.next() else {
            list = changed.wait(list).expect("not poisoned");
            continue;
        };
        let called_off = plan.setting.called_off.part();
        let settled = list.settled.clone();
        let post = Arc::new(Post { settled, called_off, ..Post::default() });
        list.running.push(post.clone());
        let limits = (list.turn, list.conflicts);
        drop(list);
        let done = catch_unwind(AssertUnwindSafe(|| try_piece(plan, &piece, limits, &post)));
        list = lock(work);
        match done {
            Ok(done) => list.add(&piece, done, &post),
            Err(panic) => list.panic = Some(panic),
        }
        let left = list.waiting.len() + list.later.len() + list.running.len();
        let done = list.outcome.parts;
        let activity = Activity::Cases { done, of: done + left as u64 };
        plan.setting.options.watch.tell(plan.setting.method, activity);
        changed.notify_all();
    }
}

/// What has become of a piece.
struct Done {
    result: Ended,
    finding: Finding,
    conflicts: u64,
    /// Conflicts times gates.
    work: u64,
}

enum Ended {
    /// It takes more than it may take, and is divided or comes again in the next turn.
    Divided([Piece; AGAIN]),
    Later,
    Decided(Option<Cause>),
    GaveUp,
    Hindered(Obstacle),
}

fn try_piece(
    plan: &Plan<'_>,
    piece: &Piece,
    (turn, left): (Option<Turn>, Option<u64>),
    post: &Arc<Post>,
) -> Done {
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
    check.patience = turn.map(|turn| turn.each);
    let ended = unless_interrupted(|| check.round(plan.depth, plan.deadline));
    let round = ended.unwrap_or_else(|| {
        check.stopped = Some(Cause::Timeout);
        check.gave_up = false;
        Round::default()
    });
    let statistics = check.solving.borrow().statistics();
    if !check.gave_up {
        check.tell(Activity::Part { clauses: statistics.clauses, conflicts: statistics.conflicts });
    }
    let work = statistics.conflicts.saturating_mul(check.engine.circuit.len() as u64);
    let result = match check.gave_up {
        _ if check.engine.is_outside_layout() => Ended::Hindered(Obstacle::Layout),
        _ if check.is_abstraction_useless() => Ended::Hindered(Obstacle::Abstraction),
        true => match turn {
            None => Ended::GaveUp,
            Some(turn) => {
                let halves = turn.divides.then(|| halves(&check, piece)).flatten();
                halves.map_or(Ended::Later, Ended::Divided)
            }
        },
        false => Ended::Decided(check.stopped.take()),
    };
    let refuted = check.refuted.take();
    let (refinements, inferred) = (check.refinements, inferred::collect(&check.engine));
    let is_decided = matches!(result, Ended::Decided(_));
    let is_inhabited = is_decided && matches!(piece.of, PieceOf::Shape(_)) && check.has_input();
    let violations = check.violations;
    let finding = Finding { round, violations, refuted, refinements, inferred, is_inhabited };
    Done { result, finding, conflicts: statistics.conflicts, work }
}

/// A piece in two, if that makes it smaller.
fn halves(check: &Check<'_>, piece: &Piece) -> Option<[Piece; AGAIN]> {
    let paths = check.engine.graph().paths();
    let parts = check.engine.divide(Wanted::So(AGAIN), check.setting.options.measure);
    let halves: [Part; AGAIN] = parts.try_into().ok()?;
    let half = |part| {
        let within = Piece::of_paths(part, paths);
        Piece { share: within.share * piece.share, ..within }
    };
    halves.iter().all(|part| part.left <= EASIER).then(|| halves.map(half))
}
