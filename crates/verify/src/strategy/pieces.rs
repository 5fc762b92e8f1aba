//! Pieces of a method that are checked independently, each encoded anew with what sets it apart folded in:
//! sets of paths, or shapes of the input.
//!
//! Idle cores take them from one list. None may keep the others waiting, so all are tried within a small budget
//! first, and those that need more come again with a larger one: what is easy to find in one piece is found
//! before another piece is hard.
//!
//! What one piece finds no other need look for. A piece that has nothing else to look for is called
//! off; so the goals that are reached are those that the whole would reach.

use std::any::Any;
use std::collections::{BTreeSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

use encode::Goal;
use encode::bounds::Bounds;
use encode::experience::Experience;
use encode::graph::{Part, Wanted};
use logic::unless_interrupted;

use crate::bounds::stage::with_numbers;
use crate::check::{Budget, Check, Ended, Findings, Obstacle, OnePiece, Post, Round, Setting};
use crate::options::progress::Activity;
use crate::pool;
use crate::result::{Cause, inferred};

/// Between two looks at whether the work of some piece is of no use any more.
const GLANCE: Duration = Duration::from_millis(50);

/// Into how many pieces one is divided that turns out to be hard.
const AGAIN: usize = 2;

/// How much of a part that has proven hard may be left of each of its halves.
const EASIER: f64 = 0.95;

/// Checks one piece in one round. The ladder does, which nothing here knows.
pub(crate) type CheckPiece =
    for<'a> fn(Setting<'a>, &Experience, Budget, Depth) -> (Check<'a>, Round);

/// One round: how deep it goes, and what it may cost.
#[derive(Clone, Copy)]
pub(crate) struct Depth {
    pub iterations: u32,
    /// Whether what it does not get through is as the round before has left it.
    pub falls_back: bool,
    /// Conflicts that its questions may cost, if they are limited.
    pub conflicts: Option<u64>,
    /// Work that they may cost (conflicts times gates), if it is limited.
    pub work: Option<u64>,
}

/// What the pieces of one round have in common.
pub(crate) struct Plan<'a> {
    pub setting: Setting<'a>,
    pub depth: Depth,
    /// What the whole has taught about called methods.
    pub experience: Experience,
    pub check: CheckPiece,
}

/// A piece that waits.
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
    pub fn of_paths(part: Part, paths: f64) -> Piece {
        let share = (part.paths - paths).exp2();
        Piece { of: PieceOf::Paths(part), share }
    }

    pub fn of_shape(shape: Arc<Bounds>, share: f64) -> Piece {
        Piece { of: PieceOf::Shape(shape), share }
    }
}

/// What the pieces may take before the next turn begins: conflicts times gates.
#[derive(Clone, Copy)]
pub(crate) struct Turn {
    /// A piece by itself, after which it waits for the next turn, and whether it is divided then.
    pub each: u64,
    pub divides: bool,
    /// All together.
    pub all: Option<u64>,
}

/// Pieces that wait for this turn and for the next, those that are at work, and what is known of those that
/// are done.
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
    /// What a piece has panicked with: the others stop, and whoever wanted them hears of it.
    panic: Option<Box<dyn Any + Send>>,
}

/// What all pieces together have to say.
#[derive(Default)]
struct Outcome {
    found: Vec<Finding>,
    /// What those have left open whose findings have been taken over, and how all has ended if it has.
    round: Round,
    /// Pieces that were decided, and the share of the whole that they have.
    decided: u64,
    share: f64,
}

/// What one piece has found.
struct Finding {
    round: Round,
    findings: Findings,
    refinements: u64,
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
    pub fn is_done(&self) -> bool {
        let nothing_left =
            self.waiting.is_empty() && self.later.is_empty() && self.running.is_empty();
        nothing_left || !self.outcome.round.ended.is_done() || self.panic.is_some()
    }

    /// The share of the whole that is decided.
    pub fn share(&self) -> f64 {
        self.outcome.share.clamp(0.0, 1.0)
    }

    /// Checks the pieces on the threads of the setting, in one turn if that is limited.
    pub fn check(mut self, plan: &Plan<'_>, turn: Option<Turn>) -> Work {
        let later = std::mem::take(&mut self.later);
        self.waiting.extend(later);
        (self.turn, self.taken) = (turn, 0);
        let (work, changed) = (Mutex::new(self), Condvar::new());
        let serve = |_| worker(&work, &changed, plan);
        let threads = plan.setting.options.threads;
        pool::on_large_stacks("piece", threads, serve, || call_off(&work, &changed, plan));
        let mut work = work.into_inner().expect("no worker panics while it holds the list");
        if let Some(panic) = work.panic.take() {
            resume_unwind(panic);
        }
        work
    }

    /// What all pieces together have to say.
    pub fn join(mut self, check: &mut Check<'_>, depth: Depth) -> Round {
        self.take_over(check);
        let share = self.share();
        let Outcome { round, decided, .. } = self.outcome;
        check.costs.subproblems = decided;
        check.costs.paths_proven = round.ended.is_stopped().then_some(share);
        Round { depth: depth.iterations, ..round }
    }

    /// Tells what pieces have found so far.
    pub fn take_over(&mut self, check: &mut Check<'_>) {
        for Finding { round, findings, refinements } in self.outcome.found.drain(..) {
            self.outcome.round.join(round);
            check.findings.join(findings);
            check.costs.refinements += refinements;
        }
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
        let mut ended = match self.conflicts {
            Some(0) => Ended::OutOfBudget,
            Some(_) | None => Ended::Done,
        };
        match done.result {
            PieceEnded::Divided(halves) => self.waiting.extend(halves),
            PieceEnded::Later => self.later.push_back(piece.clone()),
            PieceEnded::OutOfBudget => ended = ended.or(Ended::OutOfBudget),
            PieceEnded::Again(obstacle) => ended = ended.or(Ended::Again(obstacle)),
            // Who is called off has nothing left to say.
            PieceEnded::Stopped(cause) if !post.has_nothing_left() => {
                ended = ended.or(Ended::Stopped(cause));
            }
            PieceEnded::Stopped(_) | PieceEnded::Decided => {
                self.outcome.decided += 1;
                self.outcome.share += piece.share;
            }
        }
        let so_far = std::mem::take(&mut self.outcome.round.ended);
        self.outcome.round.ended = so_far.or(ended);
        // What one has found nobody else looks for, so it counts even if the piece comes again.
        self.outcome.found.push(done.finding);
    }
}

/// Until all is over, tells those to stop whose work is of no use any more.
fn call_off(work: &Mutex<Work>, changed: &Condvar, plan: &Plan<'_>) {
    let mut list = lock(work);
    while !list.is_over() {
        list = changed.wait_timeout(list, GLANCE).expect("not poisoned").0;
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
        let post = Arc::new(Post::new(settled, called_off));
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
        let done = list.outcome.decided;
        let activity = Activity::Cases { done, of: done + left as u64 };
        plan.setting.options.watch.tell(plan.setting.method, activity);
        changed.notify_all();
    }
}

/// What has become of a piece.
struct Done {
    result: PieceEnded,
    finding: Finding,
    conflicts: u64,
    /// Conflicts times gates.
    work: u64,
}

enum PieceEnded {
    Decided,
    /// It takes more than it may take, and is divided or comes again in the next turn.
    Divided([Piece; AGAIN]),
    Later,
    /// The same, and there is no other turn.
    OutOfBudget,
    Stopped(Cause),
    Again(Obstacle),
}

fn try_piece(
    plan: &Plan<'_>,
    piece: &Piece,
    (turn, left): (Option<Turn>, Option<u64>),
    post: &Arc<Post>,
) -> Done {
    let mut setting = Setting { called_off: post.called_off.clone(), ..plan.setting.clone() };
    let paths = match &piece.of {
        PieceOf::Paths(part) => Some(part.clone()),
        PieceOf::Shape(shape) => {
            let given = || numbered(&setting, shape);
            setting.bounds = Some(unless_interrupted(given).unwrap_or_else(|| shape.clone()));
            None
        }
    };
    setting.piece = Some(OnePiece { paths, post: post.clone() });
    let depth = Depth { falls_back: false, work: turn.map(|turn| turn.each), ..plan.depth };
    let (mut check, mut round) = (plan.check)(setting, &plan.experience, Budget::of(left), depth);
    let statistics = check.solving.borrow().statistics();
    let work = statistics.conflicts.saturating_mul(check.engine.circuit.len() as u64);
    let result = match std::mem::take(&mut round.ended) {
        Ended::Again(obstacle) => PieceEnded::Again(obstacle),
        Ended::Stopped(cause) => PieceEnded::Stopped(cause),
        Ended::Done => PieceEnded::Decided,
        Ended::OutOfBudget | Ended::GivesWay(_) => match turn {
            None => PieceEnded::OutOfBudget,
            Some(turn) => {
                let halves = turn.divides.then(|| halves(&check, piece)).flatten();
                halves.map_or(PieceEnded::Later, PieceEnded::Divided)
            }
        },
    };
    let is_answered = matches!(result, PieceEnded::Decided | PieceEnded::Stopped(_));
    if is_answered {
        check.tell(Activity::Part { clauses: statistics.clauses, conflicts: statistics.conflicts });
    }
    if is_answered && matches!(piece.of, PieceOf::Shape(_)) && check.has_input() {
        check.findings.note_inhabited();
    }
    check.findings.note_inferred(inferred::collect(&check.engine));
    let Check { findings, costs, .. } = check;
    let finding = Finding { round, findings, refinements: costs.refinements };
    Done { result, finding, conflicts: statistics.conflicts, work }
}

/// A shape with what numbers it leaves.
fn numbered(setting: &Setting<'_>, shape: &Arc<Bounds>) -> Arc<Bounds> {
    let Setting { subject, method, options, deadline, .. } = *setting;
    let until = (deadline, setting.called_off.clone());
    with_numbers(subject, method, options, until, shape.clone())
}

/// A piece in two, if that makes it smaller.
fn halves(check: &Check<'_>, piece: &Piece) -> Option<[Piece; AGAIN]> {
    let paths = check.engine.graph().paths();
    let parts = check.engine.divide(Wanted::So(AGAIN), check.setting.options.tuning.measure);
    let halves: [Part; AGAIN] = parts.try_into().ok()?;
    let half = |part| {
        let within = Piece::of_paths(part, paths);
        Piece { share: within.share * piece.share, ..within }
    };
    halves.iter().all(|part| part.left <= EASIER).then(|| halves.map(half))
}
