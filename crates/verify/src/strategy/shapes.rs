//! Shapes: the ways in which the references of a laid-out input can be arranged. Where they are few,
//! each is checked as a problem of its own, encoded anew with all its references as constants.
//!
//! A binomial heap of up to twenty nodes has twenty-one shapes, and as a whole it is hard all the same: the
//! formula has every reference through every other one, and what its keys have to do with each other
//! depends on the shape. With a shape given the code takes nearly one path, and only comparisons of keys
//! are left open. To go through keys too (`cases`) is hopeless for such a structure, because they are hardly ordered.
//!
//! The shapes are models of the invariants, found one after the other. Each is a set of bounds in
//! which every reference has one value, so that nothing else has to know about shapes. Parts of the
//! paths (`split`) and shapes are checked by the same threads.
//!
//! How many shapes are few? Nobody knows how long the whole would take. It may begin, and the longer
//! it has taken, the more shapes are few.

use std::sync::Arc;

use encode::bounds::{Bounds, Row, Survey};
use encode::{Calls, Limits};
use logic::{Evaluation, Lit, unless_interrupted};
use sat::Answer;

use super::pieces::{Piece, Work};
use crate::bounds::enumerate::{cone, references};
use crate::bounds::stage::{Exactness, Stage};
use crate::check::{Check, Setting};
use crate::options::Unroll;
use crate::solving::Effort;

/// More shapes than this are never gone through.
const MOST: usize = 500;
/// The share of what was spent so far that the search for shapes may take, and what it always may.
const SEARCH: f64 = 0.5;
const LEAST_SEARCH: Effort = Effort::milliseconds(500);

/// What is known of the shapes of an input.
#[derive(Default)]
pub(crate) enum Shapes {
    #[default]
    Unknown,
    /// More than anybody will go through, or the input has none.
    TooMany,
    /// All of them, those with few objects first.
    Known(Vec<Arc<Bounds>>),
}

impl Shapes {
    /// Whether shapes may be gone through at all.
    pub fn may_be_gone_through(&self, check: &Check<'_>) -> bool {
        let Setting { options, bounds, calls, piece, .. } = &check.setting;
        !matches!(self, Shapes::TooMany)
            && piece.is_none()
            && bounds.is_some()
            && *calls == Calls::Inline
            && options.tuning.cases_after.is_some()
            && options.split.is_none_or(|parts| parts <= 1)
            && options.unroll == Unroll::Auto
            // What is assumed inside bodies is asked of the whole.
            && check.engine.body_assumptions().is_empty()
    }

    /// All shapes, if they are few for what the whole has taken so far.
    pub fn if_few(&mut self, check: &Check<'_>) -> Option<Vec<Arc<Bounds>>> {
        if !self.may_be_gone_through(check) {
            return None;
        }
        let spent = check.solving.borrow().effort;
        if matches!(self, Shapes::Unknown) {
            let most = spent.times(SEARCH).max(LEAST_SEARCH);
            *self = find_shapes(&check.setting, most).unwrap_or(Shapes::TooMany);
        }
        let rate = check.setting.options.tuning.shapes_per_second;
        let are_few = |count: usize| count as f64 / rate <= spent.seconds();
        match self {
            Shapes::Known(shapes) if are_few(shapes.len()) => Some(shapes.clone()),
            Shapes::Known(_) | Shapes::Unknown | Shapes::TooMany => None,
        }
    }

    /// Nobody goes through them any more.
    pub fn give_up(&mut self) {
        *self = Shapes::TooMany;
    }
}

/// The shapes as work to be done.
pub(crate) fn as_work(check: &Check<'_>, shapes: &[Arc<Bounds>], conflicts: Option<u64>) -> Work {
    let share = 1.0 / shapes.len().max(1) as f64;
    let pieces = shapes.iter().map(|shape| Piece::of_shape(shape.clone(), share)).collect();
    Work::new(pieces, check.findings.violated_goals(), conflicts)
}

/// Finds the shapes of an input; `None` if it has none to speak of, unknown if that takes too much.
fn find_shapes(setting: &Setting<'_>, most: Effort) -> Option<Shapes> {
    let Setting { subject, method, options, deadline, .. } = *setting;
    let limits = Limits {
        deadline,
        cancel: setting.called_off.clone(),
        calls: options.calls,
        ..Limits::default()
    };
    let bounds = setting.bounds.clone()?;
    let stage =
        || Stage::new(subject, method, options, &limits, Some((bounds.clone(), Exactness::Exact)));
    // An interruption ends everything else too.
    let (stage, survey) = unless_interrupted(stage)??;
    let circuit = &stage.engine.circuit;
    let cone = cone(circuit, &survey);
    let mut solving = stage.solving.borrow_mut();
    let mut shapes = Vec::new();
    loop {
        let Some(conflicts) = (most - solving.effort).conflicts(circuit.len()) else {
            return Some(Shapes::Unknown);
        };
        match solving.solve(circuit, stage.engine.constraints(), &[], Some(conflicts)) {
            Answer::Sat if shapes.len() == MOST => return None,
            Answer::Sat => {
                let values = solving.model_cone(circuit, &cone);
                let (held, _) = references(&survey, &values);
                let other: Vec<Lit> = held.iter().map(|lit| !*lit).collect();
                shapes.push((held.len(), Arc::new(shape(&bounds, &survey, &values))));
                solving.assert_any(circuit, &other);
            }
            Answer::Unsat => break,
            Answer::Unknown(_) => return Some(Shapes::Unknown),
        }
    }
    shapes.sort_by_key(|(held, _)| *held);
    Some(Shapes::Known(shapes.into_iter().map(|(_, shape)| shape).collect()))
}

/// Bounds in which every reference of a model has the value that it has there.
fn shape(bounds: &Bounds, survey: &Survey, values: &Evaluation) -> Bounds {
    let mut shape = bounds.clone();
    // With the references given it says nothing any more.
    shape.unshared.clear();
    for (key, entries) in &survey.references {
        if let Some((name, _)) = entries.iter().find(|(_, lit)| values.value(*lit)) {
            shape.set(key.clone(), Row::References(vec![name.clone()]));
        }
    }
    shape
}
