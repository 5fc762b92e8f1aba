//! One run of a compiled program in the sandbox, and what it said.

use std::fs::File;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::build::Program;
use crate::interrupt;
use crate::javac::wait_unless;
use crate::sandbox::{self, Inside};

/// How a run ended.
pub enum Ran {
    /// At the target.
    Reached,
    /// At something undefined, in the words of the sanitizer.
    Undefined(String),
    /// Elsewhere.
    Ended(String),
}

/// Runs it for a limited time.
pub fn run(program: &Program, directory: &Path, patience: Duration) -> Result<Ran, String> {
    let said = directory.join("said");
    let fail = |error: std::io::Error| format!("not run: {error}");
    let mut inside = Inside::new(&program.path, directory);
    // The shadow memory of the sanitizer is large, and empty.
    inside.reserves = program.checked;
    let mut command = sandbox::command(&inside)?;
    let file = File::create(&said).map_err(fail)?;
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(file);
    let mut child = command.spawn().map_err(fail)?;
    let deadline = Instant::now() + patience;
    let is_unwanted = || Instant::now() >= deadline || interrupt::is_requested();
    let status = wait_unless(&mut child, &is_unwanted).map_err(fail)?;
    let text = std::fs::read(&said).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let Some(status) = status else {
        return Ok(Ran::Ended(format!("it was not there after {} s", patience.as_secs())));
    };
    Ok(heard(&text, &status.to_string()))
}

fn heard(text: &str, status: &str) -> Ran {
    for line in text.lines() {
        if line == "@reached" {
            return Ran::Reached;
        }
        if let Some(how) = line.strip_prefix('@') {
            return Ran::Ended(format!("it ended with {how}"));
        }
        if line.contains("runtime error: ") || line.contains("ERROR: AddressSanitizer") {
            return Ran::Undefined(line.trim().to_owned());
        }
    }
    Ran::Ended(format!("it ended with {status}"))
}
