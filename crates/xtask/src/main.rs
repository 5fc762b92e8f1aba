//! `cargo run -p xtask -- tidy | test | bench | compare`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use xtask::{bench, compare, tests, tidy};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some("tidy") => tidy_up(),
        Some("test") => match tests::run(&root()) {
            Ok(true) => ExitCode::SUCCESS,
            Ok(false) => ExitCode::FAILURE,
            Err(why) => {
                eprintln!("{why}");
                ExitCode::from(2)
            }
        },
        Some("bench") => bench::run(&arguments[1..]),
        Some("compare") => match compare::run(&arguments[1..]) {
            Ok(true) => ExitCode::SUCCESS,
            Ok(false) => ExitCode::FAILURE,
            Err(why) => {
                eprintln!("{why}");
                ExitCode::from(2)
            }
        },
        _ => {
            eprintln!(
                "usage: xtask tidy | test | bench [ARGS] | compare OLD NEW [PATH…] [-- ARGS]"
            );
            ExitCode::from(2)
        }
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn tidy_up() -> ExitCode {
    match tidy::problems(&root()) {
        Ok(problems) if problems.is_empty() => ExitCode::SUCCESS,
        Ok(problems) => {
            for problem in &problems {
                eprintln!("{problem}");
            }
            eprintln!("tidy: {} problems", problems.len());
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("tidy: the tree cannot be read: {error}");
            ExitCode::from(2)
        }
    }
}
