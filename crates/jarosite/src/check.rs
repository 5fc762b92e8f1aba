//! `jarosite check`: from paths on the command line to reports and an exit code.

use std::fs;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::Mutex;
use std::time::Instant;

use report::{Run, Style};
use verify::{Judge, MethodResult, Verdict, check_all, select};

use crate::bounds;
use crate::cli::{CheckArgs, Format, Report, SubjectArgs, Switch};
use crate::emit_tests;
use crate::inputs::Inputs;
use crate::jdk::Jdk;
use crate::judge::JvmJudge;
use crate::project::Project;
use crate::replay::Replayer;
use crate::sources::SourceText;

/// For files and pipes. Java's names and texts are Unicode, and so is the report.
const PLAIN: Style = Style { color: false, unicode: true, verbose: false };

/// Runs the command; the result is the process's exit code.
pub fn run(args: &CheckArgs) -> u8 {
    match check(args) {
        Ok(code) => code,
        Err(message) => {
            complain(&format!("error: {message}"));
            2
        }
    }
}

fn check(args: &CheckArgs) -> Result<u8, String> {
    let start = Instant::now();
    let target = &args.subject;
    let mut options = args.options()?;
    let reports = args.reports()?;
    for file in reports.iter().filter_map(|r| r.file.as_deref()) {
        try_to_open(file)?;
    }
    if let Some(directory) = &args.emit_tests {
        emit_tests::try_to_write(directory)?;
    }
    let jdk = Jdk::find()?;
    let warming = (args.replay == Switch::On).then(|| Replayer::warm(&jdk));
    let inputs = Inputs::collect(&target.paths, &target.classpath, &target.sourcepath);
    let project = Project::open_with(&jdk, &inputs, target.spec_math.into())?;
    let diagnostics: Vec<String> = project.diagnostics.iter().map(ToString::to_string).collect();
    for diagnostic in &diagnostics {
        complain(&format!("warning: {diagnostic}"));
    }
    let methods = select::methods(&project.program, &project.given, &target.filter());
    if methods.is_empty() {
        return Err(nothing_to_check(target, &project));
    }
    let judge = warming.map(|warming| {
        let replayer = Replayer::new(&jdk, project.class_path.clone()).with_warm(warming);
        Mutex::new(Box::new(JvmJudge(replayer)) as Box<dyn Judge>)
    });
    let jobs = target.threads();
    // Cores that have no method of their own help with the cases of others.
    options.threads = (jobs / methods.len().clamp(1, jobs.max(1))).max(1);
    let sources = SourceText::new(project.class_path.clone());
    let live = reports.iter().any(|r| r.format == Format::Human && r.file.is_none());
    let style = Style {
        color: std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none(),
        ..PLAIN
    };
    let mut results: Vec<MethodResult> = Vec::new();
    let mut ends_blank = false;
    let subject = project.subject();
    if options.bounds {
        options.store = Some(bounds::shelf(&jdk, &project));
    }
    check_all(subject, &methods, &options, jobs, judge.as_ref(), |result| {
        if live {
            let text = report::human_result(&result, &sources, &style);
            ends_blank = text.ends_with("\n\n");
            show(&text);
        }
        results.push(result);
    });
    let time_ms = start.elapsed().as_millis() as u64;
    let run = Run {
        results: &results,
        time_ms,
        sources: &sources,
        diagnostics: &diagnostics,
        array_length: options.scope.array_length,
        string_length: options.scope.string_length,
        int_bits: options.scope.int_bits,
    };
    if live && !ends_blank {
        show("\n");
    }
    for report in &reports {
        write(report, &run, &style)?;
    }
    if let Some(directory) = &args.emit_tests {
        let mut jvm = Replayer::new(&jdk, project.class_path.clone());
        let emitted =
            emit_tests::emit(directory, &results, &project, target.spec_math.into(), &mut jvm)?;
        for why in &emitted.without {
            complain(&format!("note: {why}"));
        }
    }
    Ok(exit_code(&results))
}

/// Why no method is left, and what to do about it.
fn nothing_to_check(args: &SubjectArgs, project: &Project) -> String {
    let is_filtered = !args.methods.is_empty() || !args.classes.is_empty();
    if is_filtered && !project.given.is_empty() {
        return "no method fits --class and --method".into();
    }
    let paths: Vec<String> = args.paths.iter().map(|p| p.display().to_string()).collect();
    match project.diagnostics.is_empty() {
        true => format!("no Java method with a body was found in {}", paths.join(", ")),
        false => "nothing could be checked".into(),
    }
}

/// A file that cannot be written is noticed before the work rather than after it. What it holds
/// stays until there is something to put in its place.
fn try_to_open(file: &Path) -> Result<(), String> {
    let existed = file.exists();
    if existed && !file.is_file() && !file.is_dir() {
        // A pipe has one reader, who would take this for the report.
        return Ok(());
    }
    let opened = fs::OpenOptions::new().create(true).append(true).open(file);
    opened.map_err(|e| format!("cannot write {}: {e}", file.display()))?;
    if !existed {
        let _ = fs::remove_file(file);
    }
    Ok(())
}

/// A line on standard error, whether or not somebody still reads it.
pub(crate) fn complain(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

/// Prints at once; a reader that has gone away is no reason to fail.
pub(crate) fn show(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

fn write(report: &Report, run: &Run<'_>, style: &Style) -> Result<(), String> {
    let to_file = |file: &Path, text: String| {
        fs::write(file, text).map_err(|e| format!("cannot write {}: {e}", file.display()))
    };
    match (report.format, &report.file) {
        (Format::Human, None) => {
            show(&report::human_summary(run, style));
            Ok(())
        }
        (Format::Human, Some(file)) => to_file(file, report::human(run, &PLAIN)),
        (Format::Json, None) => {
            show(&report::json(run));
            Ok(())
        }
        (Format::Json, Some(file)) => to_file(file, report::json(run)),
        (Format::Html, None) => {
            show(&report::html(run));
            Ok(())
        }
        (Format::Html, Some(file)) => to_file(file, report::html(run)),
    }
}

/// 1 if something is violated, 3 if something is undecided, else 0.
fn exit_code(results: &[MethodResult]) -> u8 {
    let violated = |r: &MethodResult| matches!(r.verdict, Verdict::Violated(_));
    let undecided = |r: &MethodResult| matches!(r.verdict, Verdict::Undecided(_));
    if results.iter().any(violated) {
        1
    } else if results.iter().any(undecided) {
        3
    } else {
        0
    }
}
