//! The JVM as the judge of counterexamples.

use encode::execution::Execution;
use verify::{Judge, Replay};

use crate::replay::Replayer;

/// One JVM for all counterexamples of a run.
pub struct JvmJudge(pub Replayer);

impl Judge for JvmJudge {
    fn replay(&mut self, execution: &Execution) -> (Replay, Option<String>) {
        self.0.replay_and_listen(execution)
    }
}
