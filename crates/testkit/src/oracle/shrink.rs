//! Making a failing method smaller: statements are dropped as long as it fails.

use std::time::{Duration, Instant};

use super::{Failure, compare};
use crate::generate::{Method, Unit};

/// Rounds of dropping one statement.
const ROUNDS: usize = 25;
const MOST_CANDIDATES: usize = 24;
/// When the next round is not begun any more.
const PATIENCE: Duration = Duration::from_secs(40);

/// The smallest failing version that was found, and how it fails.
pub fn shrink(unit: &Unit, method: &Method, failure: &Failure, inputs: usize) -> (Method, String) {
    let mut best = (method.clone(), failure.what.clone());
    let start = Instant::now();
    for _ in 0..ROUNDS {
        if start.elapsed() > PATIENCE {
            break;
        }
        let mut candidates = best.0.smaller();
        candidates.truncate(MOST_CANDIDATES);
        let units: Vec<(Unit, u64)> = candidates
            .iter()
            .enumerate()
            .map(|(n, m)| (unit.with_only(format!("s{n}"), m.clone()), failure.seed))
            .collect();
        let Ok(tally) = compare(&units, inputs) else {
            break;
        };
        let Some(still) = tally.failures.into_iter().next() else {
            break;
        };
        best = (candidates[still.unit].clone(), still.what);
    }
    best
}
