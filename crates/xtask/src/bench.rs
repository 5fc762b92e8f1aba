//! Benchmarks. None exists yet.

use std::process::ExitCode;

/// Says that there is nothing to measure.
pub fn run(_arguments: &[String]) -> ExitCode {
    eprintln!("there are no benchmarks yet");
    ExitCode::from(2)
}
