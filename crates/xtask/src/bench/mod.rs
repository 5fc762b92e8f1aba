//! Benchmarks: what a run costs, where the time goes, and how encoding grows. Figures are printed
//! for people to read; nothing here fails because something was slow.

mod contracts;
mod examples;
mod explain;
mod generator;
mod growth;
mod infer;
pub(crate) mod measure;
pub mod mutants;
pub mod mutation;
pub mod real;
mod split;
mod stages;
mod table;
pub mod taco;
pub mod taco_faults;
pub mod taco_paper;
pub mod taco_times;

use std::process::ExitCode;

const USAGE: &str = "usage: bench [examples|stages|growth|instructions|contracts|all]
       bench explain [DRIVER|length|write]
       bench infer [METHOD|larger|questions]
       bench split [METHOD]
       bench real [--keep DIR] [CLASS…], bench real --jars [--keep DIR] [--sample N] [JAR…]
       bench taco [--quick] [--scopes 5,7,10] [--table 3,4] [--timeout S]
       bench once SHAPE SIZE";

/// Runs the benchmarks that the arguments name, all of them without arguments.
pub fn run(arguments: &[String]) -> ExitCode {
    if arguments.iter().any(|argument| argument == "--help") {
        println!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    if let [once, shape, size] = arguments
        && once == "once"
    {
        return finish(growth::once(shape, size));
    }
    if let [taco, rest @ ..] = arguments
        && taco == "taco"
    {
        return finish(taco::Plan::parse(rest).and_then(|plan| taco::run(&plan)));
    }
    if let [real, rest @ ..] = arguments
        && real == "real"
    {
        return finish(real::run(rest));
    }
    if let [which, rest @ ..] = arguments
        && let Some(run) = match which.as_str() {
            "explain" => Some(explain::run as fn(&str) -> Result<(), String>),
            "infer" => Some(infer::run as _),
            "split" => Some(split::run as _),
            _ => None,
        }
    {
        return finish(run(rest.first().map_or("", String::as_str)));
    }
    let which: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let parts: &[fn() -> Result<(), String>] = match which[..] {
        ["examples"] => &[examples::run],
        ["stages"] => &[stages::run],
        ["growth"] => &[growth::run],
        ["instructions"] => &[growth::instructions],
        ["contracts"] => &[contracts::run],
        [] | ["all"] => &[examples::run, stages::run, growth::run, contracts::run],
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    for part in parts {
        if let Err(why) = part() {
            return finish(Err(why));
        }
    }
    ExitCode::SUCCESS
}

fn finish(result: Result<(), String>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("bench: {why}");
            ExitCode::FAILURE
        }
    }
}
