//! When a check turns to something else. No verdict depends on any of this: users never set it, and whoever
//! measures or tests a strategy by itself does.

use encode::graph::Measure;

/// How long the usual way is gone, and what counts as worth leaving it for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tuning {
    /// What makes a part hard: parts are to be equally hard.
    pub measure: Measure,
    /// What a method may take as a whole before it is asked whether dividing its paths would pay: conflicts times gates, which is
    /// about proportional to time.
    pub patience: u64,
    /// How much of the whole may be left of each part for that: looking ahead tells what is left once all else is folded.
    pub smaller: f64,
    /// What the solver may take before the inputs are gone through one by one, if they are few enough
    /// for that: conflicts times gates again. If not given, they never are.
    pub cases_after: Option<u64>,
    /// Shapes of an input that are few enough to be checked one by one, for each second's worth of work that
    /// the solver has spent on the whole.
    pub shapes_per_second: f64,
    /// Whether what was found out about called methods is put to a fresh solver in the end.
    pub recheck: bool,
}

impl Default for Tuning {
    fn default() -> Tuning {
        Tuning {
            measure: Measure::Folded,
            patience: 50_000_000,
            smaller: 0.75,
            cases_after: Some(20_000_000),
            shapes_per_second: 15.0,
            recheck: false,
        }
    }
}
