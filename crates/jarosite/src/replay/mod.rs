//! The JVM is the judge: executions are run on it and compared with what was predicted.
//!
//! One JVM serves a whole run of the tool. Objects are built without constructors, exactly as the
//! execution describes them; the classes are loaded afresh for each replay, so that nothing is
//! left over from the one before. The comparison itself happens in the harness, beside the
//! objects (`java/jarosite/replay/Comparison.java`).

mod harness;
mod process;
mod wire;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use encode::execution::{Datum, Execution, FieldDatum, Object, Outcome, Place};
use serde_json::Value;

pub use harness::cache_directory;

use self::process::{Process, Silence};
use self::wire::{Answer, Request};
use crate::class_path::ClassPath;
use crate::interrupt;
use crate::jdk::Jdk;

pub use verify::Replay;

/// A call without a prediction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Call {
    /// Java name of the class that declares the method.
    pub class: String,
    /// Name (`<init>` for constructors) and JVM descriptor.
    pub method: String,
    pub descriptor: String,
    /// None for a static method; for a constructor the number that the new object gets, if any.
    pub receiver: Option<Datum>,
    pub arguments: Vec<Datum>,
    /// Java names of the classes to initialise before anything else.
    pub initialised: Vec<String>,
    /// Those that are not to be initialised before the call.
    pub uninitialised: Vec<String>,
    /// Static fields to set before; the others are as the static initialisers leave them.
    pub statics: Vec<FieldDatum>,
    /// The input heap.
    pub heap: Vec<Object>,
    /// Static fields (Java name of the class, name) to read afterwards.
    pub watched: Vec<(String, String)>,
}

impl From<&Execution> for Call {
    fn from(execution: &Execution) -> Call {
        let written = execution.post_statics.iter();
        Call {
            class: execution.class.clone(),
            method: execution.method.clone(),
            descriptor: execution.descriptor.clone(),
            receiver: execution.receiver,
            arguments: execution.arguments.iter().map(|(_, v)| *v).collect(),
            initialised: execution.initialised.clone(),
            uninitialised: execution.uninitialised.clone(),
            statics: execution.statics.clone(),
            heap: execution.pre.clone(),
            watched: written.map(|f| (f.class.clone(), f.name.clone())).collect(),
        }
    }
}

/// How an observed call ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It returned or threw. The place of an exception holds the bare name of the method.
    Ended(Outcome),
    /// It was still running at the time limit.
    TimedOut,
    /// It could not be run; why.
    Skipped(String),
}

/// What a call did on the JVM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observed {
    pub ending: Ending,
    /// The watched static fields at the end.
    pub statics: Vec<FieldDatum>,
    /// The input objects at their numbers, then new ones in the order of a breadth-first walk
    /// from the outcome, the static fields and the input objects. All instance fields are listed,
    /// except those of `Throwable` itself; strings and boxes say nothing of being shared.
    pub heap: Vec<Object>,
}

impl Observed {
    fn without_state(ending: Ending) -> Observed {
        Observed { ending, statics: Vec::new(), heap: Vec::new() }
    }
}

/// Whether the calls of a batch see each other's static fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statics {
    /// Each call loads the classes afresh.
    Fresh,
    /// One load serves all, which is much faster.
    Shared,
}

/// Runs executions on the JVM.
#[derive(Debug)]
pub struct Replayer {
    jdk: Jdk,
    class_path: Arc<ClassPath>,
    limit: Duration,
    /// How long an execution that never ends is watched.
    endless: Duration,
    jvm: Jvm,
}

/// A JVM that is being started while the caller does something else.
#[derive(Debug)]
pub struct Warming {
    thread: JoinHandle<Result<Process, String>>,
    /// Nobody waits for it any more.
    unwanted: Arc<AtomicBool>,
}

#[derive(Debug)]
enum Jvm {
    Absent,
    Warming(Warming),
    Running(Box<Process>),
}

/// How far a request came.
struct Progress {
    results: Vec<Value>,
    /// What stopped it before the end.
    stop: Option<Stop>,
}

enum Stop {
    /// Where it was then, and in which methods.
    TimedOut(String, Vec<String>),
    /// The same, but it was not at work: it slept, or waited for somebody.
    Waits(String),
    Ended(String),
}

impl Replayer {
    /// Nothing is started before the first replay or [`Replayer::start`].
    pub fn new(jdk: &Jdk, class_path: Arc<ClassPath>) -> Replayer {
        let (limit, endless) = (Duration::from_secs(5), Duration::from_secs(1));
        Replayer { jdk: jdk.clone(), class_path, limit, endless, jvm: Jvm::Absent }
    }

    /// Another one like this, whose JVM is its own.
    pub fn another(&self) -> Replayer {
        Replayer {
            jdk: self.jdk.clone(),
            class_path: self.class_path.clone(),
            jvm: Jvm::Absent,
            ..*self
        }
    }

    /// Uses a JVM that was started before the class path was known.
    pub fn with_warm(mut self, warming: Warming) -> Replayer {
        self.jvm = Jvm::Warming(warming);
        self
    }

    /// Sets how long one call may take (5 s unless told).
    pub fn with_limit(mut self, limit: Duration) -> Replayer {
        self.limit = limit;
        self
    }

    /// Sets for how long an execution that never ends is watched (1 s unless told).
    pub fn with_patience(mut self, endless: Duration) -> Replayer {
        self.endless = endless;
        self
    }

    /// Starts a JVM in the background, so that the first replay need not wait for it.
    pub fn warm(jdk: &Jdk) -> Warming {
        let jdk = jdk.clone();
        let unwanted = Arc::new(AtomicBool::new(false));
        let flag = unwanted.clone();
        let is_unwanted = move || flag.load(Ordering::Relaxed) || interrupt::is_requested();
        let thread = std::thread::spawn(move || Process::start(&jdk, &is_unwanted));
        Warming { thread, unwanted }
    }

    /// Starts the JVM in the background unless there is one.
    pub fn start(&mut self) {
        if matches!(self.jvm, Jvm::Absent) {
            self.jvm = Jvm::Warming(Replayer::warm(&self.jdk));
        }
    }

    /// Runs an execution once and compares what happens with what it says.
    pub fn replay(&mut self, execution: &Execution) -> Replay {
        self.replay_within(execution, None).0
    }

    /// The same, with the message of the exception that left the method, if any. Where a time is given, it
    /// takes no longer.
    pub fn replay_within(
        &mut self,
        execution: &Execution,
        time: Option<Duration>,
    ) -> (Replay, Option<String>) {
        let mut message = None;
        let replay = self.judged(execution, time, &mut message);
        (replay, message)
    }

    fn judged(
        &mut self,
        execution: &Execution,
        time: Option<Duration>,
        message: &mut Option<String>,
    ) -> Replay {
        let within = |limit: Duration| time.map_or(limit, |time| limit.min(time));
        let (limit, endless_limit) = (within(self.limit), within(self.endless));
        if let Some(why) = &execution.unmodelled {
            return Replay::Skipped(why.clone());
        }
        let endless = match &execution.outcome {
            Outcome::Repeats { at, .. } => Some(at),
            Outcome::Returned(_) | Outcome::Threw { .. } => None,
        };
        let runs = vec![wire::judged(execution)];
        let asked = match endless {
            Some(_) => self.ask(endless_limit, runs, Statics::Fresh, true),
            None => self.ask(limit, runs, Statics::Fresh, false),
        };
        let progress = match asked {
            Ok(progress) => progress,
            Err(reason) => return Replay::Skipped(reason),
        };
        if let Some(at) = endless {
            return runs_on(at, &progress);
        }
        match (progress.results.first(), progress.stop) {
            (Some(result), _) => {
                *message = result["message"].as_str().map(str::to_string);
                verdict(result)
            }
            (None, Some(Stop::TimedOut(place, _))) if limit < self.limit => {
                Replay::Skipped(format!("there was no time to run it to its end{place}"))
            }
            (None, Some(Stop::TimedOut(place, _))) => {
                Replay::Refuted(format!("did not end within {} s{place}", limit.as_secs_f32()))
            }
            (None, Some(Stop::Waits(place))) => Replay::Skipped(format!(
                "it was still waiting after {} s{place}",
                limit.as_secs_f32()
            )),
            (None, Some(Stop::Ended(reason))) => Replay::Skipped(reason),
            (None, None) => Replay::Skipped("the JVM gave no answer".into()),
        }
    }

    /// As [`Replayer::replay`], for many. An error means that no JVM can be started.
    pub fn replay_all(
        &mut self,
        executions: &[&Execution],
        statics: Statics,
    ) -> Result<Vec<Replay>, String> {
        let mut seen = Vec::with_capacity(executions.len());
        while seen.len() < executions.len() {
            let runs = executions[seen.len()..].iter().map(|e| wire::judged(e)).collect();
            let progress = self.request(runs, statics)?;
            seen.extend(progress.results.iter().map(verdict));
            if seen.len() < executions.len() {
                seen.push(match progress.stop {
                    Some(Stop::TimedOut(place, _)) => {
                        Replay::Refuted(format!("did not end{place}"))
                    }
                    Some(Stop::Waits(place)) => {
                        Replay::Skipped(format!("it was still waiting{place}"))
                    }
                    Some(Stop::Ended(reason)) => Replay::Skipped(reason),
                    None => Replay::Skipped("the JVM gave no answer".into()),
                });
            }
        }
        Ok(seen)
    }

    /// Runs calls in order and tells what each did. An error means that no JVM can be started.
    pub fn observe(&mut self, calls: &[Call], statics: Statics) -> Result<Vec<Observed>, String> {
        let mut seen = Vec::with_capacity(calls.len());
        while seen.len() < calls.len() {
            let runs = calls[seen.len()..].iter().map(wire::called).collect();
            let progress = self.request(runs, statics)?;
            for result in &progress.results {
                let unreadable = || Ending::Skipped("the answer cannot be read".into());
                seen.push(
                    wire::observed(result).unwrap_or_else(|| Observed::without_state(unreadable())),
                );
            }
            // The call that stopped the JVM has no result; the next request begins after it.
            if seen.len() < calls.len() {
                seen.push(Observed::without_state(match progress.stop {
                    Some(Stop::TimedOut(..) | Stop::Waits(_)) => Ending::TimedOut,
                    Some(Stop::Ended(reason)) => Ending::Skipped(reason),
                    None => Ending::Skipped("the JVM gave no answer".into()),
                }));
            }
        }
        Ok(seen)
    }

    fn request(&mut self, runs: Vec<Value>, statics: Statics) -> Result<Progress, String> {
        self.ask(self.limit, runs, statics, false)
    }

    fn ask(
        &mut self,
        limit: Duration,
        runs: Vec<Value>,
        statics: Statics,
        endless: bool,
    ) -> Result<Progress, String> {
        let count = u32::try_from(runs.len()).unwrap_or(u32::MAX);
        // The harness keeps the limit of each call itself; this one is for a harness that cannot.
        let patience = limit.saturating_mul(count.saturating_add(1)) + Duration::from_secs(10);
        let request = Request {
            limit_ms: u64::try_from(limit.as_millis()).unwrap_or(u64::MAX),
            shared: statics == Statics::Shared,
            endless,
            runs,
        };
        let answer = self.process()?.ask(&request, patience);
        let answer =
            answer.map(|value| serde_json::from_value::<Answer>(value).unwrap_or_default());
        let is_busy = answer.as_ref().is_ok_and(|answer| answer.busy);
        let progress = match answer {
            Ok(answer) => Progress::of(answer),
            Err(Silence::Died) => Progress::stopped("the JVM ended unexpectedly"),
            Err(Silence::Late) => Progress::stopped("the JVM did not answer"),
            Err(Silence::Interrupted) => Progress::stopped("interrupted"),
        };
        if progress.stop.is_some() || is_busy {
            self.jvm = Jvm::Absent;
        }
        Ok(progress)
    }

    fn process(&mut self) -> Result<&mut Process, String> {
        if !matches!(self.jvm, Jvm::Running(_)) {
            self.start();
            let Jvm::Warming(warming) = std::mem::replace(&mut self.jvm, Jvm::Absent) else {
                return Err("the JVM cannot be started".into());
            };
            let started = warming.thread.join();
            let mut process = started.map_err(|_| "the JVM cannot be started".to_string())??;
            let ready = process.ask(&wire::class_path(&self.class_path), Duration::from_secs(60));
            if ready.is_err() {
                return Err(format!("the JVM does not start: {}", process.complaint()));
            }
            self.jvm = Jvm::Running(Box::new(process));
        }
        match &mut self.jvm {
            Jvm::Running(process) => Ok(process),
            Jvm::Absent | Jvm::Warming(_) => Err("the JVM cannot be started".into()),
        }
    }
}

impl Drop for Replayer {
    /// A start that is under way would leave files behind if it were left alone.
    fn drop(&mut self) {
        if let Jvm::Warming(warming) = std::mem::replace(&mut self.jvm, Jvm::Absent) {
            warming.unwanted.store(true, Ordering::Relaxed);
            let _ = warming.thread.join();
        }
    }
}

impl Progress {
    fn of(answer: Answer) -> Progress {
        let stop = if answer.exit {
            Some(Stop::Ended("the program ended the JVM (System.exit)".into()))
        } else if answer.stuck {
            let place = match answer.place.as_str() {
                "" => String::new(),
                place => format!(", last seen at {place}"),
            };
            Some(match answer.waits {
                true => Stop::Waits(place),
                false => Stop::TimedOut(place, answer.running),
            })
        } else {
            None
        };
        Progress { results: answer.results, stop }
    }

    fn stopped(reason: &str) -> Progress {
        Progress { results: Vec::new(), stop: Some(Stop::Ended(reason.into())) }
    }
}

/// Whether a call that is to run for ever was still running in the method of its loop.
fn runs_on(at: &Place, progress: &Progress) -> Replay {
    let method = match at.method.split('(').next().unwrap_or_default() {
        name if name == ir::program::simple(&at.class) => "<init>",
        name => name,
    };
    let method = format!("{}.{method}", at.class);
    match &progress.stop {
        Some(Stop::TimedOut(_, running)) if running.contains(&method) => Replay::Confirmed,
        Some(Stop::TimedOut(place, _)) => {
            Replay::Refuted(format!("it runs on, but not in {method}{place}"))
        }
        Some(Stop::Waits(place)) => Replay::Skipped(format!("it was waiting{place}")),
        Some(Stop::Ended(reason)) => Replay::Skipped(reason.clone()),
        None => match progress.results.first().map(verdict) {
            Some(skipped @ Replay::Skipped(_)) => skipped,
            _ => Replay::Refuted("it ended".into()),
        },
    }
}

fn verdict(result: &Value) -> Replay {
    if let Some(reason) = result["skipped"].as_str() {
        return Replay::Skipped(reason.into());
    }
    match result["differences"].as_str() {
        Some("") => Replay::Confirmed,
        Some(differences) => Replay::Refuted(differences.into()),
        None => Replay::Skipped("the answer cannot be read".into()),
    }
}
