//! The binary: parses the command line and hands over.

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};
use jarosite::cli::{Cli, Command, given};
use jarosite::screen::show;

fn main() -> ExitCode {
    let matches = Cli::command().try_get_matches().unwrap_or_else(|error| refuse(&error));
    let given = given(&matches);
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| refuse(&error));
    let code = match cli.command {
        Command::Check(args) => jarosite::check::run(*args, &given),
        Command::Infer(args) => jarosite::infer::run(*args, &given),
        Command::Watch(args) => jarosite::watch::run(&args, &given),
        Command::Explain(args) => jarosite::explain::run(&args, &given),
        Command::Bounds(command) => jarosite::bounds::run(command, &given),
    };
    ExitCode::from(code)
}

/// Says what is wrong with the command line; a program that asked for JSON is told in JSON.
fn refuse(error: &clap::Error) -> ! {
    let arguments: Vec<String> =
        std::env::args_os().map(|a| a.to_string_lossy().into_owned()).collect();
    let asks = |pair: &[String]| pair[0] == "--format" && pair[1] == "json";
    let asks_for_json =
        arguments.iter().any(|a| a == "--format=json") || arguments.windows(2).any(asks);
    if error.use_stderr() && asks_for_json {
        let message = error.render().to_string();
        let message = message.trim_start_matches("error: ").lines().next().unwrap_or_default();
        show(&report::json_error(message));
    }
    error.exit()
}
