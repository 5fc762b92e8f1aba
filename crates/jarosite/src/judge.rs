//! The JVM as the judge of counterexamples.

use encode::execution::Execution;
use verify::{Judge, Replay};

use crate::replay::{self, Replayer};

/// One JVM for all counterexamples of a run.
pub struct JvmJudge(pub Replayer);

impl Judge for JvmJudge {
    fn replay(&mut self, execution: &Execution) -> Replay {
        match self.0.replay(execution) {
            replay::Replay::Confirmed => Replay::Confirmed,
            replay::Replay::Refuted(why) => Replay::Refuted(why),
            replay::Replay::Skipped(why) => Replay::Skipped(why),
        }
    }
}
