//! The JVM as the judge of counterexamples.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use encode::execution::Execution;
use verify::{Judge, Replay};

use crate::replay::Replayer;

/// How long a counterexample waits for a JVM that is busy, before another one is started.
const PATIENCE: Duration = Duration::from_millis(200);

/// One JVM for all counterexamples of a run, and more where one of them takes long: an execution that sleeps
/// keeps nobody waiting.
pub struct JvmJudge {
    pool: Mutex<Pool>,
    freed: Condvar,
}

struct Pool {
    idle: Vec<Replayer>,
    /// What others are made after.
    model: Replayer,
}

impl JvmJudge {
    pub fn new(replayer: Replayer) -> JvmJudge {
        let model = replayer.another();
        JvmJudge { pool: Mutex::new(Pool { idle: vec![replayer], model }), freed: Condvar::new() }
    }

    fn pool(&self) -> MutexGuard<'_, Pool> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self) -> Replayer {
        let is_busy = |pool: &mut Pool| pool.idle.is_empty();
        let waited = self.freed.wait_timeout_while(self.pool(), PATIENCE, is_busy);
        let (mut pool, _) = waited.unwrap_or_else(PoisonError::into_inner);
        pool.idle.pop().unwrap_or_else(|| pool.model.another())
    }
}

impl Judge for JvmJudge {
    fn replay(&self, execution: &Execution, time: Option<Duration>) -> (Replay, Option<String>) {
        let mut replayer = self.take();
        let judged = replayer.replay_within(execution, time);
        self.pool().idle.push(replayer);
        self.freed.notify_one();
        judged
    }
}
