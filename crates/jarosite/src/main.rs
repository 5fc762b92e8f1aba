//! The binary: parses the command line and hands over.

use std::process::ExitCode;

use clap::Parser;
use jarosite::cli::{Cli, Command};

fn main() -> ExitCode {
    let code = match Cli::parse().command {
        Command::Check(args) => jarosite::check::run(&args),
        Command::Bounds(command) => jarosite::bounds::run(&command),
    };
    ExitCode::from(code)
}
