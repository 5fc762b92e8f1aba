//! `jarosite explain`: can a point of a C program be reached, and if not, why not?
//!
//! Sources go through the preprocessor of the system's compiler; everything else happens in the
//! crates `cfront` and `explain`. A path that can be taken is run (`replay`).

mod page;
mod replay;
mod report;
mod sarif;
mod witness;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use cfront::{Lowered, Options, Source, Target};
use explain::inputs::{self, Inputs};
use explain::reach::{Answer, Bounds, Search};

use crate::cli::{ExplainArgs, Format, Given, Globals, Overflow, Switch};
use crate::files;
use crate::screen::{complain, show};
use replay::{Replay, Run};
use report::Report;

/// Runs the command; the exit code.
pub fn run(args: &ExplainArgs, _given: &Given) -> u8 {
    let json = args.format == Format::Json;
    match explained(args) {
        Ok((text, code)) => match &args.output {
            None => {
                show(&text);
                code
            }
            Some(file) => match files::write(file, text.as_bytes()) {
                Ok(()) => code,
                Err(error) => {
                    complain(&format!("error: cannot write {}: {error}", file.display()));
                    2
                }
            },
        },
        Err(what) => {
            complain(&format!("error: {what}"));
            if json {
                show(&::report::json_error(&what));
            }
            2
        }
    }
}

fn explained(args: &ExplainArgs) -> Result<(String, u8), String> {
    if args.format == Format::Junit {
        return Err("`explain` writes `human`, `json`, `sarif` and `html`".into());
    }
    if !(args.timeout > 0.0 && args.timeout < 1e9) {
        return Err(format!("--timeout takes a positive number of seconds, not {}", args.timeout));
    }
    let start = Instant::now();
    let target = target(&args.to)?;
    let mut sources = Vec::new();
    for path in &args.paths {
        let text = preprocessed(path, args)?;
        sources.push(Source { name: path.display().to_string(), text });
    }
    let options = Options {
        target,
        function: args.function.clone(),
        wrap: args.overflow == Overflow::Wrap,
        unknown_globals: args.globals == Globals::Unknown,
    };
    let lowered = cfront::lower(&sources, &options).map_err(|problem| problem.to_string())?;
    if lowered.targets == 0 && !matches!(options.target, Target::Assert | Target::Undefined) {
        return Err(format!(
            "`{}` is nowhere in what `{}` can call: --to names a label, FILE:LINE or `assert`",
            args.to, args.function
        ));
    }
    let bounds = Bounds {
        deadline: Some(start + Duration::from_secs_f64(args.timeout)),
        states: 200_000,
        depth: 60,
        refinements: 400,
    };
    let mut search = Search::new(&lowered.program, bounds);
    let answer = search.run();
    let found = match &answer {
        Answer::Reached(path, space, _) => {
            let pointers = &lowered.outside.pointers;
            inputs::inputs(&mut search, &lowered.program, path, space, pointers)
        }
        Answer::Unreachable(_) | Answer::Open(_) => None,
    };
    let replay = match &answer {
        Answer::Reached(path, ..) => {
            let run = Run {
                sources: &sources,
                lowered: &lowered,
                path,
                target: &options.target,
                function: &args.function,
                wrap: options.wrap,
            };
            Some(rerun(&run, args.replay, found.as_ref()))
        }
        Answer::Unreachable(_) | Answer::Open(_) => None,
    };
    let time = start.elapsed();
    let code = match (&answer, &replay) {
        (Answer::Unreachable(_), _) => 0,
        (Answer::Open(_), _) | (_, Some(Replay::Refuted(_))) => 3,
        (Answer::Reached(..), _) => 1,
    };
    let report = Report::new(args, &lowered, &mut search, &answer, replay, time);
    write_witness(args, &lowered, (&answer, &report), found.as_ref())?;
    let text = match args.format {
        Format::Human | Format::Junit => report.human(),
        Format::Json => report.json(),
        Format::Sarif => report.sarif(),
        Format::Html => report.html(),
    };
    Ok((text, code))
}

/// Runs the program along a path that was found.
fn rerun(run: &Run<'_>, replay: Switch, found: Option<&Inputs>) -> Replay {
    match (replay, found) {
        (Switch::Off, _) => Replay::Skipped("not run: `--replay off`".to_owned()),
        (Switch::On, Some(inputs)) => replay::replay(run, inputs),
        (Switch::On, None) => {
            Replay::Skipped("not run: the solver did not find the inputs again".to_owned())
        }
    }
}

/// Writes the witness of an answer; one that was refuted or is open has none.
fn write_witness(
    args: &ExplainArgs,
    lowered: &Lowered,
    (answer, report): (&Answer, &Report),
    found: Option<&Inputs>,
) -> Result<(), String> {
    let Some(file) = &args.witness else { return Ok(()) };
    let property = match args.to.as_str() {
        "assert" => "G ! call(reach_error())".to_owned(),
        "undefined" => "G ! overflow".to_owned(),
        label => format!("G ! label({label})"),
    };
    let task = witness::Task { files: &args.paths, property: &property };
    let text = match (answer, found) {
        (Answer::Unreachable(_), _) => witness::proof(&task, &report.invariants),
        // The path ends where the call of a failing assertion is decided, not at the call.
        (Answer::Reached(path, ..), Some(inputs))
            if report.verdict == "violated" && args.to != "assert" =>
        {
            let ends = match target(&args.to) {
                Ok(Target::Line { line, .. }) => Some(line),
                _ => None,
            };
            witness::violation(&task, &lowered.program, path, inputs, ends)
        }
        _ => return Ok(()),
    };
    files::write(file, text.as_bytes())
        .map_err(|error| format!("cannot write {}: {error}", file.display()))
}

/// Reads `--to`.
fn target(text: &str) -> Result<Target, String> {
    match text {
        "assert" => return Ok(Target::Assert),
        "undefined" => return Ok(Target::Undefined),
        _ => {}
    }
    let Some((before, last)) = text.rsplit_once(':') else {
        return Ok(Target::Label { function: None, label: text.to_owned() });
    };
    if before.is_empty() || last.is_empty() {
        return Err(format!(
            "--to takes LABEL, FUNCTION:LABEL, FILE:LINE or `assert`, not `{text}`"
        ));
    }
    Ok(match last.parse() {
        Ok(line) => Target::Line { file: before.to_owned(), line },
        Err(_) => Target::Label { function: Some(before.to_owned()), label: last.to_owned() },
    })
}

/// The text of a source after the system's preprocessor.
fn preprocessed(path: &Path, args: &ExplainArgs) -> Result<String, String> {
    let name = path.display();
    if path.extension().is_some_and(|extension| extension == "java" || extension == "class") {
        return Err(format!("`explain` reads C so far, not {name}: `check` is for Java"));
    }
    files::read_to_string(path).map_err(|error| format!("cannot read {name}: {error}"))?;
    if path.extension().is_some_and(|extension| extension == "i") {
        return files::read_to_string(path).map_err(|error| format!("cannot read {name}: {error}"));
    }
    let mut command = Command::new("cc");
    command.args(["-E", "-std=gnu17"]);
    command.args(args.define.iter().map(|name| format!("-D{name}")));
    command.args(args.include.iter().map(|directory| format!("-I{}", directory.display())));
    // A name that looks like an option is a file all the same.
    let like_option = path.to_string_lossy().starts_with('-');
    let file = if like_option { Path::new(".").join(path) } else { path.to_path_buf() };
    command.arg("-x").arg("c").arg(file).stdin(Stdio::null());
    let output = command.output().map_err(|error| {
        format!("cannot run `cc`, the system's C compiler, on {name}: {error}; install one (Debian: apt-get install gcc)")
    })?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let first = said.lines().find(|line| line.contains("error")).or(said.lines().next());
        return Err(format!(
            "the preprocessor refuses {name}: {}",
            first.unwrap_or("it says nothing")
        ));
    }
    String::from_utf8(output.stdout).map_err(|_| format!("{name} is not UTF-8 text"))
}
