//! Which of several contradictions on a path is the one to explain: the one nearest to its end.
//!
//! Simulation stops at the first inconsistent condition (section 4.2). A path that an abstraction has
//! made up often has several: a loop that is left too early on the way, say, and what the path was
//! looked at for at its end. What is at its end has to do with the target, and refutes other
//! paths too. So simulation goes on behind the first contradiction, and beginning with the last
//! condition those are tried together that share values with it, directly or through others.

use crate::program::{Op, Path};
use crate::scope::Scope;
use crate::simulate::{Abstracted, Context, Kind, minimal_core};
use crate::term::{Term, Terms, Theta};
use crate::words::Words;
use std::collections::BTreeSet;

/// More conditions than these are not tried from the end.
const TRIED: usize = 40;

/// The contradiction nearest to the end of a path, if it is not the first one; the context, up to
/// the first one, goes on to the end.
pub(super) fn nearest(
    terms: &mut Terms,
    words: &mut Words,
    path: &Path,
    context: &mut Context<'_>,
    first: usize,
) -> Option<Scope> {
    for index in first + 1..path.steps.len() {
        if matches!(path.steps[index].op, Op::Unsupported(_)) || context.store.is_full() {
            break;
        }
        context.step(terms, words, path, index, &Abstracted::new());
    }
    let names: Vec<BTreeSet<Theta>> =
        (0..context.conditions.len()).map(|position| names(terms, context, position)).collect();
    let all = context.conditions.iter().enumerate();
    let behind = all.filter(|(_, c)| c.step > first && c.kind == Kind::Assumed);
    let tried: Vec<usize> = behind.map(|(position, _)| position).rev().take(TRIED).collect();
    for position in tried {
        let cone = cone(&names, position);
        let given: Vec<_> = cone.iter().map(|&at| context.conditions[at].term).collect();
        if !words.contradict(terms, &given) {
            continue;
        }
        let key = |at: &usize| (context.conditions[*at].step, context.conditions[*at].kind);
        let counted: BTreeSet<(usize, Kind)> = cone.iter().map(key).collect();
        let conditions = std::mem::take(&mut context.conditions);
        context.conditions =
            conditions.into_iter().filter(|c| counted.contains(&(c.step, c.kind))).collect();
        let core = minimal_core(terms, words, context)?;
        let last = core.iter().map(|&at| context.conditions[at].step).max()?;
        return (last > first).then_some(Scope::only(last, counted));
    }
    None
}

/// The names that a condition speaks of, those of values that are known elsewhere expanded.
fn names(terms: &mut Terms, context: &Context<'_>, position: usize) -> BTreeSet<Theta> {
    let whole = context.store.expanded(terms, context.conditions[position].term);
    let theta = |id| match terms.get(id) {
        Term::Theta { theta, .. } => Some(theta),
        _ => None,
    };
    terms.below(&[whole]).into_iter().filter_map(theta).collect()
}

/// The conditions up to one that share names with it, directly or through others.
fn cone(names: &[BTreeSet<Theta>], position: usize) -> Vec<usize> {
    let mut reached = names[position].clone();
    let mut cone = BTreeSet::from([position]);
    loop {
        let before = cone.len();
        for (at, spoken) in names.iter().enumerate().take(position) {
            if !cone.contains(&at) && !spoken.is_disjoint(&reached) {
                reached.extend(spoken);
                cone.insert(at);
            }
        }
        if cone.len() == before {
            return cone.into_iter().collect();
        }
    }
}
