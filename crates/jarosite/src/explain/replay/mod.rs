//! Does the compiled program do what the path says? It is compiled with the system's compiler and its
//! checks for undefined behaviour, given the inputs that were found, and run in the sandbox.
//!
//! What is compiled is the preprocessed text that was analysed, with a call where the target stands.
//! Every name of it is moved out of the way of the C library (`build`), so that a function without
//! a body is the driver's (`driver`), and nothing happens that the path does not speak of.

mod build;
mod driver;
mod run;

use std::time::Duration;

use cfront::{Lowered, Source, Target};
use explain::inputs::Inputs;
use explain::program::{Op, Origin, Path, Unknown};

use crate::scratch::Scratch;
use build::Build;
use run::Ran;

/// Longest time for one run.
const PATIENCE: Duration = Duration::from_secs(10);

/// What became of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Replay {
    /// The program reached the target; with these checks switched on.
    Confirmed(String),
    /// It did something else.
    Refuted(String),
    /// It was not run, or some of its inputs could not be given to it; why.
    Skipped(String),
}

/// Everything that is needed to run a path.
pub struct Run<'a> {
    pub sources: &'a [Source],
    pub lowered: &'a Lowered,
    pub path: &'a Path,
    pub target: &'a Target,
    pub function: &'a str,
    pub wrap: bool,
}

/// Runs the program on the inputs of a path.
pub fn replay(run: &Run<'_>, inputs: &Inputs) -> Replay {
    if let Some(what) = &run.lowered.outside.unseen {
        return Replay::Skipped(format!("not run: {what} would run unseen"));
    }
    let attempt = |inputs: &Inputs| match attempt(run, inputs) {
        Ok(replay) => replay,
        Err(why) => Replay::Skipped(why),
    };
    let first = attempt(inputs);
    if let Replay::Refuted(_) = first
        && let Some(turned) = turned(run.path, inputs)
        && let confirmed @ Replay::Confirmed(_) = attempt(&turned)
    {
        return confirmed;
    }
    first
}

fn attempt(run: &Run<'_>, inputs: &Inputs) -> Result<Replay, String> {
    let driver = driver::write(run, inputs)?;
    let scratch = Scratch::new(&std::env::temp_dir(), "jarosite-c-")
        .map_err(|error| format!("not run: there is no room for a program: {error}"))?;
    let build = Build { directory: scratch.path(), wrap: run.wrap };
    let program = build.program(run, &driver)?;
    if !program.checked && *run.target == Target::Undefined {
        return Err("not run: this compiler has no -fsanitize=undefined, which would say what \
                    is undefined"
            .to_owned());
    }
    let ran = run::run(&program, scratch.path(), PATIENCE)?;
    Ok(judged(run, &driver.missing, ran, program.checked))
}

fn judged(run: &Run<'_>, missing: &[String], ran: Ran, checked: bool) -> Replay {
    let last = run.path.steps.last().map(|step| &step.origin);
    let how = if checked { "-fsanitize=undefined,address" } else { "without sanitizers" };
    let what = match ran {
        Ran::Reached if *run.target != Target::Undefined => {
            return Replay::Confirmed(format!("compiled with `cc` ({how}) and run"));
        }
        Ran::Undefined(said) if *run.target == Target::Undefined && is_at(&said, last) => {
            return Replay::Confirmed(said);
        }
        Ran::Reached => "it came to the end".to_owned(),
        Ran::Undefined(said) => format!("undefined before the target: {said}"),
        Ran::Ended(what) => what,
    };
    match missing {
        [] => Replay::Refuted(format!("the compiled program does not reach it: {what}")),
        [first, ..] => Replay::Skipped(format!("{first}; without that: {what}")),
    }
}

/// Whether a message of the sanitizer is about the line of a statement.
fn is_at(said: &str, origin: Option<&Origin>) -> bool {
    origin.is_some_and(|origin| {
        let name = origin.file.rsplit('/').next().unwrap_or_default();
        said.contains(&format!("{name}:{}:", origin.line))
    })
}

/// The order of operands is open in C: the same inputs with those of one statement turned round, if
/// a statement asks for several.
fn turned(path: &Path, inputs: &Inputs) -> Option<Inputs> {
    let asked = |outside: &explain::inputs::Outside| {
        let step = &path.steps[outside.step];
        match (&step.op, &outside.why) {
            (Op::Unknown { .. }, Unknown::Result(name)) => {
                Some((step.frame, step.origin.clone(), name.clone()))
            }
            _ => None,
        }
    };
    let mut turned = inputs.clone();
    let mut any = false;
    let mut start = 0;
    while start < turned.outside.len() {
        let group = asked(&turned.outside[start]);
        let same = turned.outside[start..].iter().take_while(|other| asked(other) == group);
        let end = start + same.count();
        if group.is_some() && end - start > 1 {
            turned.outside[start..end].reverse();
            any = true;
        }
        start = end.max(start + 1);
    }
    any.then_some(turned)
}
