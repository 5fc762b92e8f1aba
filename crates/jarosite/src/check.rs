//! `jarosite check`: from paths on the command line to reports and an exit code.

use std::collections::VecDeque;
use std::fs;
use std::io::IsTerminal;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Instant;

use ir::MethodId;
use report::{Run, Style};
use verify::{Judge, MethodResult, Options, Severity, Verdict, Watch, check_all, select};

use crate::bounds;
use crate::build_tools;
use crate::cache::Cache;
use crate::class_names;
use crate::cli::{CheckArgs, FailOn, Format, Given, Report, SubjectArgs, Switch};
use crate::config;
use crate::emit_tests;
use crate::files;
use crate::idle::Reviewed;
use crate::inputs::Inputs;
use crate::interrupt;
use crate::invariants;
use crate::jdk::Jdk;
use crate::judge::JvmJudge;
use crate::memory;
use crate::progress::{Progress, Volume};
use crate::project::{Project, names};
use crate::replay::Replayer;
use crate::review::{Baseline, Reviewer};
use crate::sandbox::{self, Protection};
use crate::screen::{complain, show};
use crate::sources::SourceText;

const OUR_MISTAKE: &str =
    "the check itself failed; sorry, this is a defect of jarosite: please report it";

/// For files and pipes. Java's names and texts are Unicode, and so is the report.
const PLAIN: Style = Style { color: false, unicode: true, verbose: false, specs: false };

/// Runs the command; the result is the process's exit code.
pub fn run(mut args: CheckArgs, given: &Given) -> u8 {
    let work = || config::complete(&mut args, given).and_then(|()| check(&args));
    // A mistake of ours is no answer either: whoever calls this has to hear that nothing is known.
    let checked = catch_unwind(AssertUnwindSafe(work));
    let checked = checked.unwrap_or_else(|_| Err(OUR_MISTAKE.into()));
    match checked {
        Ok(code) => code,
        Err(message) => {
            complain(&format!("error: {message}"));
            // Whoever asked for a document gets one, and nothing else on standard output.
            if args.formats.iter().any(|format| format == "json") {
                show(&report::json_error(&message));
            }
            2
        }
    }
}

fn check(args: &CheckArgs) -> Result<u8, String> {
    let reports = args.reports()?;
    let files = reports.iter().filter_map(|r| r.file.as_deref());
    for file in files.chain(args.write_baseline.as_deref()).chain(args.emit_specs.as_deref()) {
        try_to_open(file)?;
    }
    if let Some(directory) = &args.emit_tests {
        emit_tests::try_to_write(directory)?;
    }
    let volume = args.subject.volume();
    let live = reports.iter().any(|r| r.format == Format::Human && r.file.is_none());
    let style = Style { specs: args.show_specs, ..style(volume) };
    let mut ends_blank = true;
    let checked = check_subject(args, &mut |news| match news {
        News::Warning(text) => complain(&format!("warning: {text}")),
        News::Note(text) => {
            if volume != Volume::Quiet {
                complain(&format!("note: {text}"));
            }
        }
        News::Result(result, sources) => {
            if live && (volume != Volume::Quiet || !is_fine(result)) {
                let text = report::human_result(result, sources, &style);
                ends_blank = text.ends_with("\n\n");
                show(&text);
            }
        }
    })?;
    let run = checked.run();
    if live && !ends_blank {
        show("\n");
    }
    // Files first: if one cannot be written, standard output has to say so and nothing else.
    let (shown, filed): (Vec<_>, Vec<_>) = reports.iter().partition(|r| r.file.is_none());
    for report in filed.into_iter().chain(shown) {
        if report.file.is_some() || report.format != Format::Human || volume != Volume::Quiet {
            write(report, &run, &style)?;
        }
    }
    if let Some(file) = &args.emit_specs {
        write_file(file, &report::jml_candidates(&checked.results))?;
    }
    if std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true") {
        // Both streams are looked through for commands, and only this one holds no report.
        report::annotations(&run).lines().for_each(complain);
    }
    if let Some(file) = &args.write_baseline {
        let baseline = Baseline::of(&checked.results);
        write_file(file, &baseline.text())?;
        return Ok(if checked.results.iter().any(is_open) { 3 } else { 0 });
    }
    Ok(exit_code(&checked.results, args.fail_on))
}

/// How to write to standard output.
pub(crate) fn style(volume: Volume) -> Style {
    Style {
        color: std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none(),
        verbose: volume == Volume::Verbose,
        ..PLAIN
    }
}

/// What comes up while a run goes on.
pub enum News<'a> {
    /// A sentence about the input.
    Warning(&'a str),
    /// A sentence about what was taken for granted: nothing is wrong.
    Note(&'a str),
    Result(&'a MethodResult, &'a SourceText),
}

/// What a run came to.
pub struct Checked {
    pub results: Vec<MethodResult>,
    pub sources: SourceText,
    pub diagnostics: Vec<String>,
    pub options: Options,
    pub time_ms: u64,
    /// What guards the JVM that repeats executions, if there is one.
    pub protection: Option<Protection>,
}

impl Checked {
    /// The same for reports.
    pub fn run(&self) -> Run<'_> {
        Run {
            results: &self.results,
            time_ms: self.time_ms,
            sources: &self.sources,
            diagnostics: &self.diagnostics,
            array_length: self.options.scope.array_length,
            string_length: self.options.scope.string_length,
            int_bits: self.options.scope.int_bits,
            sandbox: self.protection.map(Protection::name),
        }
    }
}

/// Checks what the arguments name; each result is told as soon as it and all before it are known.
pub fn check_subject(args: &CheckArgs, tell: &mut dyn FnMut(News<'_>)) -> Result<Checked, String> {
    let start = Instant::now();
    let target = &args.subject;
    let mut options = args.options()?;
    options.memory = Some(memory::is_scarce);
    let interrupted = interrupt::listen();
    let progress = Progress::start(target.volume());
    options.watch = Watch::new(progress.listener(), interrupted);
    let jdk = Jdk::find()?;
    let mut inputs = Inputs::collect(&target.paths, &target.classpath, &target.sourcepath);
    build_tools::complete(&mut inputs, &target.paths);
    progress.preparing(&loading(&inputs));
    let open = if args.no_cache { Project::open_with } else { Project::reopen };
    let mut project = open(&jdk, &inputs, target.reading())?;
    let mut diagnostics: Vec<String> =
        project.diagnostics.iter().map(ToString::to_string).collect();
    diagnostics.extend(provisos(&options));
    let protection = (args.replay == Switch::On).then(sandbox::offered);
    diagnostics.extend(protection.and_then(Protection::reservation).map(str::to_string));
    diagnostics.iter().for_each(|diagnostic| tell(News::Warning(diagnostic)));
    let heard = (target.volume() == Volume::Verbose).then(|| project.heard());
    let notes = project.notes().into_iter().chain(heard.into_iter().flatten());
    notes.for_each(|note| tell(News::Note(&note)));
    class_names::check_scope(target, &project)?;
    let methods = select::methods(&project.program, &project.checked, &target.filter());
    if methods.is_empty() {
        return Err(nothing_to_check(target, &project));
    }
    let jobs = target.threads();
    let mut cache = Cache::open(args, &jdk, &project, &options);
    if options.routes {
        invariants::complete(&mut project, &options, jobs, cache.as_ref());
    }
    cache.iter_mut().for_each(|cache| cache.expect(&project, &methods));
    if options.bounds {
        options.store = Some(bounds::shelf(&jdk, &project));
    }
    let baseline = args.baseline.as_deref().map(Baseline::read).transpose()?;
    let reviewer = Reviewer::new(&args.settings.suppressed, baseline.as_ref());
    let sources = SourceText::new(project.class_path.clone());
    let mut earlier: VecDeque<(MethodId, Option<MethodResult>)> =
        methods.iter().map(|id| (*id, cache.as_ref().and_then(|c| c.get(*id)))).collect();
    let is_left = |(id, known): &(MethodId, Option<MethodResult>)| known.is_none().then_some(*id);
    let left: Vec<MethodId> = earlier.iter().filter_map(is_left).collect();
    // Cores that have no method of their own help with the cases of others.
    options.threads = (jobs / left.len().clamp(1, jobs.max(1))).max(1);
    let judge = (args.replay == Switch::On && !left.is_empty()).then(|| {
        let mut replayer = Replayer::new(&jdk, project.class_path.clone());
        replayer.start();
        JvmJudge::new(replayer)
    });
    progress.checking(names(&project.program, &left));
    let mut results: Vec<MethodResult> = Vec::new();
    let mut add = |mut result: MethodResult| {
        reviewer.review(&mut result, &sources);
        tell(News::Result(&result, &sources));
        results.push(result);
    };
    check_all(
        project.subject(),
        &left,
        &options,
        jobs,
        judge.as_ref().map(|j| j as &dyn Judge),
        |result| {
            while let Some((id, known)) = earlier.pop_front() {
                let Some(known) = known else {
                    cache.iter().for_each(|cache| cache.put(id, &result));
                    add(result);
                    return;
                };
                add(known);
            }
        },
    );
    earlier.into_iter().filter_map(|(_, known)| known).for_each(&mut add);
    // What could not be used is told last, where it is seen.
    project.unusable(&target.filter()).into_iter().for_each(add);
    cache.iter().for_each(Cache::tidy);
    drop(progress);
    let reviewed = Reviewed {
        args,
        inputs: &inputs,
        project: &project,
        sources: &sources,
        results: &results,
        reviewer: &reviewer,
    };
    for sentence in reviewed.idle() {
        tell(News::Warning(&sentence));
        diagnostics.push(sentence);
    }
    if target.is_whole() && reviewer.gone() > 0 {
        let gone = reviewer.gone();
        complain(&format!("note: violations of the baseline that are gone: {gone}"));
    }
    if let Some(directory) = &args.emit_tests {
        let mut jvm = Replayer::new(&jdk, project.class_path.clone());
        let math = target.spec_math.into();
        let emitted = emit_tests::emit(directory, &results, &project, math, &mut jvm)?;
        emitted.without.iter().for_each(|why| complain(&format!("note: {why}")));
    }
    let time_ms = start.elapsed().as_millis() as u64;
    Ok(Checked { results, sources, diagnostics, options, time_ms, protection })
}

/// Whether there is nothing to say about a method to somebody who only wants to hear of trouble.
fn is_fine(result: &MethodResult) -> bool {
    matches!(result.verdict, Verdict::Verified { .. }) && result.warnings.is_empty()
        || result.is_accepted()
}

/// Choices without which a verdict would be misread: every report tells them.
fn provisos(options: &Options) -> Vec<String> {
    let names: Vec<&str> = options.unchecked.iter().map(|property| property.name()).collect();
    let names = names.join(", ");
    let unchecked =
        (!names.is_empty()).then(|| format!("not checked, as the configuration says: {names}"));
    let nullable = "parameters without annotation may be null, as `nullness` says";
    let nullable = options.scope.nullable_parameters.then(|| nullable.to_string());
    unchecked.into_iter().chain(nullable).collect()
}

fn loading(inputs: &Inputs) -> String {
    match inputs.sources.len() {
        0 => "loading classes".into(),
        1 => "compiling 1 source".into(),
        many => format!("compiling {many} sources"),
    }
}

/// Why no method is left, and what to do about it.
fn nothing_to_check(args: &SubjectArgs, project: &Project) -> String {
    let is_filtered = !args.is_whole() || !args.exclude.is_empty();
    if is_filtered && !project.checked.is_empty() {
        return "no method fits --class, --method and --exclude".into();
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

fn write(report: &Report, run: &Run<'_>, style: &Style) -> Result<(), String> {
    let text = match (report.format, &report.file) {
        (Format::Human, None) => report::human_summary(run, style),
        (Format::Human, Some(_)) => report::human(run, &Style { color: false, ..*style }),
        (Format::Json, _) => report::json(run),
        (Format::Html, _) => report::html(run),
        (Format::Sarif, _) => report::sarif(run),
        (Format::Junit, _) => report::junit(run),
    };
    match &report.file {
        Some(file) => write_file(file, &text),
        None => {
            show(&text);
            Ok(())
        }
    }
}

fn write_file(file: &Path, text: &str) -> Result<(), String> {
    files::write(file, text.as_bytes())
        .map_err(|error| format!("cannot write {}: {error}", file.display()))
}

/// 1 if something fails the run that is not accepted, 3 if something is undecided, else 0.
pub fn exit_code(results: &[MethodResult], fail_on: FailOn) -> u8 {
    let fails = |severity: Severity| match (fail_on, severity) {
        (_, Severity::Error) | (FailOn::Precondition, _) => true,
        (FailOn::Warning, Severity::Warning) => true,
        (FailOn::Warning, Severity::Precondition) | (FailOn::Error, _) => false,
    };
    let possible = |r: &MethodResult| r.possible.iter().any(|v| fails(v.severity));
    let is_new = |r: &MethodResult| {
        r.violations().iter().any(|v| v.review.accepted.is_none()) || possible(r)
    };
    if results.iter().any(is_new) {
        1
    } else if results.iter().any(is_open) {
        3
    } else {
        0
    }
}

/// Whether there may be violations that were not found.
pub(crate) fn is_open(result: &MethodResult) -> bool {
    matches!(result.verdict, Verdict::Undecided(_)) || result.incomplete.is_some()
}
