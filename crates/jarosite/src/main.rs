//! The binary: parses the command line and hands over.

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};
use jarosite::cli::{Cli, Command, given};

fn main() -> ExitCode {
    let matches = Cli::command().get_matches();
    let given = given(&matches);
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let code = match cli.command {
        Command::Check(args) => jarosite::check::run(*args, &given),
        Command::Watch(args) => jarosite::watch::run(&args, &given),
        Command::Bounds(command) => jarosite::bounds::run(command, &given),
    };
    ExitCode::from(code)
}
