//! Phase 3: from a minimal set of conditions to predicates that a person can read.
//!
//! The entries of store and history that flow into the conditions are facts: a place has a value,
//! said in named values (θ). Names are put away where a place of the program holds what they name.
//! Which place is the right one at which point is not decided here by an argument but by the
//! check: every candidate set is simulated again under the predicate abstraction
//! (`abstraction.rs`), and only a set that refutes the path is minimised and shown. If none
//! without names does, names stay, with annotations that say where they are given; that this
//! suffices is the paper's first theorem.

mod nearest;
mod search;
mod weaken;

use self::nearest::nearest;
use self::search::{Fact, Search};
use crate::abstraction::Bit;
use crate::predicate::{Annotation, Mapping, Predicate};
use crate::program::{FrameId, Op, Path, Space};
use crate::projection::{Projection, project};
use crate::scope::Scope;
use crate::simulate::{
    Abstracted, Context, Ending, Kind, minimal_core, redundant_places, simulate,
};
use crate::store::{Cause, Entry, EntryId};
use crate::term::{TermId, Terms};
use crate::words::Words;
use logic::Evaluation;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// Why a path cannot be taken.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The variables of the program, and the names of values after them.
    pub space: Space,
    /// The predicates; they are sufficient, and none of them can be left out.
    pub predicates: Vec<Predicate>,
    /// Where values are named.
    pub annotations: Vec<Annotation>,
    /// What these names are in callers.
    pub mappings: Vec<Mapping>,
    /// The step that cannot be taken.
    pub last: usize,
    /// The steps whose conditions contradict each other.
    pub contradiction: Vec<usize>,
    /// The consistent projection of the path.
    pub projection: Projection,
    /// The predicates known before each step up to the last.
    pub known: Vec<BTreeSet<Bit>>,
    /// The places, in assumptions that held anyway, that are read on fresh names.
    pub abstracted: Vec<(usize, TermId)>,
    /// The steps up to the last at which something undefined can happen on this path; what comes
    /// after it there is not followed.
    pub undefined: Vec<usize>,
    /// Entries of the store, of the history, and conditions, after simulation.
    pub sizes: [usize; 3],
    /// How long it took to find.
    pub time: Duration,
}

/// What became of a path.
pub enum Outcome<'p> {
    /// It can be taken, with these values.
    Feasible(Box<Context<'p>>, Evaluation),
    /// It cannot.
    Infeasible(Box<Explanation>),
    /// The reason for not knowing, and the step.
    Undecided(usize, String),
}

/// Decides whether a path can be taken, and explains why not.
pub fn explain<'p>(
    terms: &mut Terms,
    words: &mut Words,
    space: &'p Space,
    path: &Path,
) -> Outcome<'p> {
    explain_at(terms, words, space, path, Which::Nearest)
}

/// Which of several contradictions is explained.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Which {
    /// The first one.
    First,
    /// The one nearest to the end of the path, if it can be.
    Nearest,
}

/// The same, with a choice of the contradiction.
pub fn explain_at<'p>(
    terms: &mut Terms,
    words: &mut Words,
    space: &'p Space,
    path: &Path,
    which: Which,
) -> Outcome<'p> {
    let start = Instant::now();
    let (mut exact, ending) = simulate(terms, words, space, path);
    let last = match ending {
        Ending::Feasible(values) => return Outcome::Feasible(Box::new(exact), values),
        Ending::Unknown(step, _) => {
            return Outcome::Undecided(step, "the solver found no answer in time".to_owned());
        }
        Ending::Unsupported(step, what) => return Outcome::Undecided(step, what),
        Ending::Infeasible(last) => last,
    };
    let mut whole = Vec::new();
    if which == Which::Nearest
        && let Some(near) = nearest(terms, words, path, &mut exact, last)
    {
        whole.push(near);
    }
    whole.push(Scope::up_to(last));
    for scope in whole {
        if let Some(mut explanation) = explained_in(terms, words, space, path, &scope) {
            explanation.time = start.elapsed();
            return Outcome::Infeasible(Box::new(explanation));
        }
    }
    let what = "the path cannot be taken, but no sufficient explanation was found";
    Outcome::Undecided(last, what.to_owned())
}

/// Explains a path on some of its conditions.
fn explained_in(
    terms: &mut Terms,
    words: &mut Words,
    space: &Space,
    path: &Path,
    scope: &Scope,
) -> Option<Explanation> {
    let mut exact = scope.simulate(terms, words, space, path, &Abstracted::new());
    let undefined = undefined_steps(terms, words, &exact);
    let chosen = abstracted_places(terms, words, space, path, scope, &mut exact);
    let mut attempts = vec![chosen];
    if !attempts[0].is_empty() {
        attempts.push(Abstracted::new());
    }
    for abstracted in attempts {
        let context = scope.simulate(terms, words, space, path, &abstracted);
        for reach in [Reach::Flow, Reach::Beside, Reach::All] {
            let how = (&abstracted, reach);
            let explained = explained(terms, words, space, path, scope, &context, how);
            if let Some(mut explanation) = explained {
                explanation.undefined = undefined;
                return Some(explanation);
            }
        }
    }
    None
}

/// The steps that can be undefined although everything before them was defined and assumed. More
/// than a few dozen are not asked about.
fn undefined_steps(terms: &Terms, words: &mut Words, context: &Context<'_>) -> Vec<usize> {
    let mut found: Vec<usize> = Vec::new();
    let all = context.conditions.iter().enumerate();
    let partial = all.filter(|(_, c)| c.kind == Kind::Defined || terms.is_partial(c.term));
    for (position, condition) in partial.take(MANY) {
        let given: Vec<TermId> = context.conditions[..position].iter().map(|c| c.term).collect();
        let excluded = match condition.kind {
            Kind::Defined => words.implies(terms, &given, condition.term),
            Kind::Assumed => words.may_be_undefined(terms, &given, condition.term) == Some(false),
        };
        if !excluded && !found.contains(&condition.step) {
            found.push(condition.step);
        }
    }
    found
}

/// The places to read on fresh names: as many as leave the path infeasible. All of them if
/// possible; otherwise one after the other, taken back where it makes the rest too weak.
fn abstracted_places(
    terms: &mut Terms,
    words: &mut Words,
    space: &Space,
    path: &Path,
    scope: &Scope,
    exact: &mut Context<'_>,
) -> Abstracted {
    let Some(core) = minimal_core(terms, words, exact) else {
        return Abstracted::new();
    };
    let places = places_of(exact, &closure(exact, &core, false));
    let mut all = redundant_places(terms, words, path, exact, scope.last);
    all.retain(|&(step, place)| places.contains(&(path.steps[step].frame, place)));
    let mut refutes = |abstracted: &Abstracted| {
        let context = scope.simulate(terms, words, space, path, abstracted);
        words.contradict(terms, &context.terms())
    };
    if all.is_empty() || refutes(&all) {
        return all;
    }
    let mut chosen = Abstracted::new();
    for one in all {
        chosen.insert(one);
        if !refutes(&chosen) {
            chosen.remove(&one);
        }
    }
    chosen
}

fn places_of(context: &Context<'_>, entries: &BTreeSet<EntryId>) -> BTreeSet<(FrameId, TermId)> {
    let entries = entries.iter().map(|id| &context.store.entries[id.0 as usize]);
    entries.map(|entry| (entry.frame, entry.place)).collect()
}

/// The entries that flow into some conditions; with `beside`, those too that show that a write
/// did not touch them.
fn closure(context: &Context<'_>, core: &[usize], beside: bool) -> BTreeSet<EntryId> {
    let mut reached = BTreeSet::new();
    let from = core.iter().flat_map(|&position| context.conditions[position].from.iter().copied());
    let mut waiting: Vec<EntryId> = from.collect();
    while let Some(id) = waiting.pop() {
        if reached.insert(id) {
            waiting.extend(context.store.entries[id.0 as usize].from.iter().copied());
            if beside {
                waiting.extend(context.store.beside.get(&id).into_iter().flatten());
            }
        }
    }
    reached
}

fn explained(
    terms: &mut Terms,
    words: &mut Words,
    space: &Space,
    path: &Path,
    scope: &Scope,
    context: &Context<'_>,
    (abstracted, reach): (&Abstracted, Reach),
) -> Option<Explanation> {
    let last = scope.last;
    let core = minimal_core(terms, words, context)?;
    let entries = match reach {
        Reach::Flow => closure(context, &core, false),
        Reach::Beside => closure(context, &core, true),
        // Theorem 1, as long as it is not too much to go through.
        Reach::All if context.store.entries.len() <= MANY => {
            (0..context.store.entries.len() as u32).map(EntryId).collect()
        }
        Reach::All => return None,
    };
    let mut steps: BTreeSet<usize> = BTreeSet::from([last]);
    steps.extend(core.iter().map(|&position| context.conditions[position].step));
    let made = entries.iter().map(|id| &context.store.entries[id.0 as usize]);
    let makes = |entry: &&Entry| match path.steps[entry.step].op {
        Op::Call { .. } | Op::Return { .. } => entry.cause != Cause::Exposed,
        _ => entry.cause == Cause::Assigned,
    };
    steps.extend(made.filter(makes).map(|entry| entry.step));
    for step in steps.clone() {
        let mut frame = path.steps[step].frame;
        while let Some(call) = path.frames[frame.0 as usize].called_by {
            steps.insert(call);
            frame = path.steps[call].frame;
        }
    }
    let mut search = Search::new(terms, space, path, last, context, &core, &entries, &steps);
    // Fresh names are to say less. Where an index gets one, every element has to be said.
    let is_large = |fact: &Fact| terms.below(&[fact.closed]).len() > LARGE;
    if !abstracted.is_empty() && search.facts.iter().any(is_large) {
        return None;
    }
    let claims = search.find(terms, words)?;
    let (predicates, known) = claims;
    let mut contradiction: Vec<usize> =
        core.iter().map(|&position| context.conditions[position].step).collect();
    contradiction.dedup();
    let (annotations, mappings) = search.needed(terms, &predicates);
    let projection = project(terms, words, space, path, scope, &steps);
    let present = context.store.present().len();
    Some(Explanation {
        space: search.space,
        predicates,
        annotations,
        mappings,
        last,
        contradiction,
        projection,
        known,
        undefined: Vec::new(),
        abstracted: abstracted.iter().copied().filter(|(step, _)| steps.contains(step)).collect(),
        time: Duration::ZERO,
        sizes: [present, context.store.entries.len() - present, context.conditions.len()],
    })
}

/// How many entries are facts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// Those that flow into the conditions.
    Flow,
    /// Those too that show that a write did not touch them.
    Beside,
    /// All.
    All,
}

/// Predicates with more parts than these are no simpler than what they are weaker than.
const LARGE: usize = 24;

/// More than so many candidates are left out in parts first, entries are no facts all at once, and
/// conditions are not asked about.
const MANY: usize = 40;
