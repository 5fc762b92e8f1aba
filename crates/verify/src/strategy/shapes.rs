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
use std::time::{Duration, Instant};

use encode::bounds::{Bounds, Row, Survey};
use encode::{Calls, Limits};
use logic::{Cancel, Evaluation, Lit, unless_interrupted};
use sat::Answer;

use crate::bounds::enumerate::{cone, references};
use crate::bounds::stage::{Exactness, Stage};
use crate::check::{Check, Obstacle, Round, Setting};
use crate::options::Unroll;
use crate::strategy::parts::{Piece, Plan, Work};

/// More shapes than this are never gone through.
const MOST: usize = 500;
/// The share of the time taken so far that the search for shapes may take, and what it always may.
const SEARCH: f64 = 0.5;
const LEAST_SEARCH: Duration = Duration::from_millis(500);

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

impl Check<'_> {
    /// Whether shapes may be gone through at all.
    pub fn may_go_by_shape(&self) -> bool {
        let options = self.setting.options;
        // What nothing ends within is asked of the whole, and so is what is assumed inside bodies.
        let is_whole = self.part.is_none() && self.post.is_none();
        is_whole
            && !matches!(self.shapes, Shapes::TooMany)
            && self.setting.bounds.is_some()
            && self.setting.calls == Calls::Inline
            && options.cases_after.is_some()
            && options.split.is_none_or(|parts| parts <= 1)
            && options.unroll == Unroll::Auto
            && self.engine.body_assumptions().is_empty()
    }

    /// Whether the shapes are few, for what the whole has taken so far. If they are, the whole is given up.
    pub fn give_way_to_shapes(&mut self) -> bool {
        if !self.may_go_by_shape() {
            return false;
        }
        let spent = self.solving.borrow().spent;
        if matches!(self.shapes, Shapes::Unknown) {
            self.shapes = self.look_for_shapes(spent.mul_f64(SEARCH).max(LEAST_SEARCH));
        }
        let rate = self.setting.options.shapes_per_second;
        let are_few = |count: usize| count as f64 / rate <= spent.as_secs_f64();
        self.by_shape = matches!(&self.shapes, Shapes::Known(shapes) if are_few(shapes.len()));
        self.gave_up |= self.by_shape;
        self.by_shape
    }

    fn look_for_shapes(&self, time: Duration) -> Shapes {
        let end = Instant::now() + time;
        let deadline = self.solving.borrow().deadline.into_iter().chain([end]).min();
        let cancel = self.setting.called_off.clone();
        match find_shapes(&self.setting, (deadline, cancel)) {
            Some(shapes) => shapes,
            None => Shapes::TooMany,
        }
    }

    /// Checks the method shape by shape. `None` if there is no input at all: then the whole has to say why.
    pub fn go_by_shape(
        &mut self,
        depth: u32,
        deadline: Option<Instant>,
        conflicts: Option<u64>,
    ) -> Result<Option<Round>, Obstacle> {
        self.gave_up = false;
        let Shapes::Known(shapes) = std::mem::replace(&mut self.shapes, Shapes::TooMany) else {
            self.by_shape = false;
            return Ok(None);
        };
        let share = 1.0 / shapes.len().max(1) as f64;
        let pieces = shapes.iter().map(|shape| Piece::of_shape(shape.clone(), share)).collect();
        let plan = Plan {
            setting: self.setting.clone(),
            depth,
            deadline,
            experience: self.engine.experience(),
        };
        let settled = self.violations.keys().cloned().collect();
        let round = self.check_pieces(&plan, Work::new(pieces, settled, conflicts))?;
        // Shapes are no paths.
        self.paths_proven = None;
        self.shapes = Shapes::Known(shapes);
        let is_decided = self.stopped.is_some() || !self.violations.is_empty();
        if !self.is_inhabited && !is_decided && !self.gave_up {
            (self.shapes, self.by_shape) = (Shapes::TooMany, false);
            return Ok(None);
        }
        Ok(Some(round))
    }
}

/// Finds the shapes of an input; `None` if it has none to speak of, unknown if that takes too long.
fn find_shapes(
    setting: &Setting<'_>,
    (deadline, cancel): (Option<Instant>, Cancel),
) -> Option<Shapes> {
    let Setting { subject, method, options, .. } = *setting;
    let limits = Limits { deadline, cancel, calls: options.calls, ..Limits::default() };
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
        match solving.solve(circuit, stage.engine.constraints(), &[], None) {
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

/// Adds what numbers a shape leaves.
pub(crate) fn with_numbers(
    setting: &Setting<'_>,
    deadline: Option<Instant>,
    shape: Arc<Bounds>,
) -> Arc<Bounds> {
    let Setting { subject, method, options, .. } = *setting;
    let cancel = setting.called_off.clone();
    let limits = Limits { deadline, cancel, calls: options.calls, ..Limits::default() };
    let given = Some((shape.clone(), Exactness::Exact));
    let Some((mut stage, survey)) = Stage::new(subject, method, options, &limits, given) else {
        return shape;
    };
    let mut bounds = (*shape).clone();
    stage.numbers(&survey, &mut bounds);
    Arc::new(bounds)
}
