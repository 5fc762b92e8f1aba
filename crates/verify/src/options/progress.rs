//! What a check is doing, for whoever waits for it, and the way to end it early.
//!
//! Told are a few numbers, and to nobody unless somebody listens: that costs next to nothing. An
//! interruption is a flag that everything looks at which looks at the clock.

use std::fmt;
use std::sync::Arc;

use ir::MethodId;
use logic::Cancel;

/// What is being done for a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    Started,
    /// Finding tight bounds: entries of the input that are decided.
    Bounds {
        decided: usize,
        entries: usize,
    },
    /// Running it symbolically, with loops up to a depth.
    Encoding {
        depth: u32,
    },
    /// Asking the solver about goals.
    Solving {
        depth: u32,
        goals: usize,
    },
    /// Running a counterexample on the JVM.
    Replaying,
    /// Looking for a way to a violation, with so many calls after a constructor.
    Routes {
        calls: u32,
    },
    /// A part of the paths is decided; how large its formula was and what it cost.
    Part {
        clauses: u64,
        conflicts: u64,
    },
    /// Going through the inputs one by one: those that are done.
    Inputs {
        done: u64,
    },
    /// Going through parts: those that are decided, of those that are known.
    Cases {
        done: u64,
        of: u64,
    },
    Done,
}

impl fmt::Display for Activity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Activity::Started => f.write_str("starting"),
            Activity::Bounds { decided, entries } => {
                write!(f, "bounds, {decided} of {entries} entries decided")
            }
            Activity::Encoding { depth } => write!(f, "encoding, loops to depth {depth}"),
            Activity::Solving { depth, goals } => {
                let goals = if *goals == 1 { "1 goal".into() } else { format!("{goals} goals") };
                write!(f, "solving, {goals}, loops to depth {depth}")
            }
            Activity::Routes { calls } => write!(f, "looking for a route of {calls} calls"),
            Activity::Replaying => f.write_str("replaying on the JVM"),
            Activity::Part { clauses, .. } => write!(f, "a sub-problem of {clauses} clauses done"),
            Activity::Inputs { done } => write!(f, "going through the inputs, {done} done"),
            Activity::Cases { done, of } => write!(f, "{done} of {of} sub-problems done"),
            Activity::Done => f.write_str("done"),
        }
    }
}

/// Somebody who waits. Called from the threads that work, so it had better be quick.
pub trait Listener: Send + Sync {
    fn hear(&self, method: MethodId, activity: Activity);
}

/// The connection between a run and whoever waits for it.
#[derive(Clone, Default)]
pub struct Watch {
    listener: Option<Arc<dyn Listener>>,
    interrupted: Cancel,
}

impl Watch {
    /// A run that tells what it does, and ends once the flag is set.
    pub fn new(listener: Option<Arc<dyn Listener>>, interrupted: Cancel) -> Watch {
        Watch { listener, interrupted }
    }

    /// For a part of the run, which may end before it.
    pub(crate) fn part(&self) -> Watch {
        Watch { listener: self.listener.clone(), interrupted: self.interrupted.part() }
    }

    pub(crate) fn tell(&self, method: MethodId, activity: Activity) {
        if let Some(listener) = &self.listener {
            listener.hear(method, activity);
        }
    }

    /// Whether an end is wanted.
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.is_set()
    }

    pub(crate) fn cancel(&self) -> Cancel {
        self.interrupted.clone()
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").field("interrupted", &self.is_interrupted()).finish_non_exhaustive()
    }
}
