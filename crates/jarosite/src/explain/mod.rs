//! `jarosite explain`: can a point of a C program be reached, and if not, why not?
//!
//! Sources go through the preprocessor of the system's compiler; everything else happens in the
//! crates `cfront` and `explain`. Nothing of the user's is run.

mod report;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use cfront::{Options, Source, Target};
use explain::reach::{Answer, Bounds, Search};

use crate::cli::{ExplainArgs, Format, Given, Globals, Overflow};
use crate::files;
use crate::screen::{complain, show};
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
    if !matches!(args.format, Format::Human | Format::Json) {
        return Err("`explain` writes `human` and `json` so far".into());
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
    let time = start.elapsed();
    let report = Report::new(args, &lowered, &mut search, &answer, time);
    let code = match answer {
        Answer::Unreachable(_) => 0,
        Answer::Reached(..) => 1,
        Answer::Open(_) => 3,
    };
    let text = if args.format == Format::Json { report.json() } else { report.human() };
    Ok((text, code))
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
