//! `jarosite explain` as a program: executions that it finds are compiled and run.

mod formats;
mod replay;

use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// What `explain` says of a program, as JSON, and its exit code.
fn explained(text: &str, arguments: &[&str]) -> (Value, i32) {
    let directory = tempfile::tempdir().expect("there is room for a file");
    std::fs::write(directory.path().join("t.c"), text).expect("there is room for a file");
    run(directory.path(), &[&["t.c", "--format", "json"], arguments].concat())
}

fn run(directory: &Path, arguments: &[&str]) -> (Value, i32) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_jarosite"));
    command.arg("explain").args(arguments).current_dir(directory);
    let output = command.output().expect("the binary runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let document = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    (document, output.status.code().unwrap_or(-1))
}
