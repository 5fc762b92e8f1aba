//! Runs fixture files and compares verdicts, violations and replays with what they expect.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use clap::ValueEnum;
use ir::ClassId;
use jarosite::cli::{Calls, Nullness, SpecMath};
use jarosite::diagnostic::Diagnostic;
use jarosite::inputs::Inputs;
use jarosite::jdk::Jdk;
use jarosite::judge::JvmJudge;
use jarosite::project::Project;
use jarosite::replay::Replayer;
use spec::resolve::Reading;
use verify::{
    Cause, Growth, Judge, MethodResult, Options, Replay, Unroll, Verdict, Violation, check_method,
    select,
};

use crate::expectation::{Expectation, Violates};

/// Longest time for one method of a fixture.
const TIMEOUT: Duration = Duration::from_secs(60);
/// How long an execution that never ends is watched: there are many passes over the fixtures.
const WATCHED: Duration = Duration::from_millis(150);
const STACK: usize = 1 << 30;

/// A fixture file.
pub struct Fixture {
    /// As it is shown: `null/field_bug.java`.
    pub name: String,
    pub text: String,
    /// Specifications that stand in a file of their own beside it.
    pub jml: Option<String>,
    /// The package that it is put in.
    pub package: String,
    /// What holds for all fixtures of its directory: the lines of the file `about.txt` there.
    pub about: Vec<String>,
    expectation: Expectation,
}

/// A way of checking a fixture, which must not change what is found.
#[derive(Clone, Copy)]
pub struct Way {
    /// What it is called in messages; empty for the usual way.
    pub name: &'static str,
    pub adjust: fn(&mut Options),
    /// Which combination of what the fixture lets vary; none for the usual way.
    pub variant: Option<usize>,
}

impl Way {
    /// As users check.
    pub const USUAL: Way = Way { name: "", adjust: |_| {}, variant: None };
}

/// Methods that were checked in parts, and those among them with abstracted calls.
#[derive(Clone, Copy, Default)]
pub struct Divided {
    pub all: usize,
    pub abstracted: usize,
}

/// What came of a run of fixtures.
#[derive(Default)]
pub struct Outcome {
    pub fixtures: usize,
    pub methods: usize,
    pub confirmed: usize,
    /// By the names of ways.
    pub divided: BTreeMap<&'static str, Divided>,
    /// One sentence for each disagreement.
    pub failures: Vec<String>,
    /// The slowest methods: milliseconds and name.
    pub slowest: Vec<(u64, String)>,
}

/// Finds all fixtures below a directory whose name contains `filter`.
pub fn find(directory: &Path, filter: &str) -> Result<Vec<Fixture>, String> {
    let mut files = Vec::new();
    collect(directory, &mut files);
    files.sort();
    let mut fixtures = Vec::new();
    for file in files {
        let name = file.strip_prefix(directory).unwrap_or(&file).display().to_string();
        if !name.contains(filter) {
            continue;
        }
        let text = fs::read_to_string(&file).map_err(|e| format!("{name}: {e}"))?;
        let expectation = Expectation::parse(&text).map_err(|e| format!("{name}: {e}"))?;
        let package = format!("fixture{}", fixtures.len());
        let jml = fs::read_to_string(file.with_extension("jml")).ok();
        let about = fs::read_to_string(file.with_file_name("about.txt")).unwrap_or_default();
        let about = about.lines().map(str::to_string).collect();
        fixtures.push(Fixture { name, text, jml, package, about, expectation });
    }
    Ok(fixtures)
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|e| e == "java") {
            files.push(path);
        }
    }
}

/// Compiles fixtures, each into a package of its own. The directory holds their sources.
pub fn compile(fixtures: &[Fixture]) -> Result<(Project, tempfile::TempDir), String> {
    let jdk = Jdk::find()?;
    let directory = tempfile::tempdir().map_err(|e| e.to_string())?;
    for fixture in fixtures {
        write_in_package(directory.path(), fixture)?;
    }
    let inputs = Inputs::collect(&[directory.path().to_path_buf()], &[], &[]);
    Ok((Project::open(&jdk, &inputs)?, directory))
}

impl Fixture {
    /// How many combinations there are of what it lets vary.
    pub fn variants(&self) -> usize {
        self.expectation.variants().len()
    }
}

/// Runs fixtures on `jobs` threads, each in the ways that are given.
pub fn run(
    fixtures: &[Fixture],
    jobs: usize,
    ways: impl Fn(&Fixture) -> Vec<Way> + Sync,
) -> Result<Outcome, String> {
    let jdk = Jdk::find()?;
    let (project, _directory) = compile(fixtures)?;
    let mut outcome = Outcome { fixtures: fixtures.len(), ..Outcome::default() };
    outcome.failures.extend(warning_problems(fixtures, &project.diagnostics));
    let replayer = Replayer::new(&jdk, project.class_path.clone()).with_patience(WATCHED);
    let judge = JvmJudge::new(replayer);
    let next = AtomicUsize::new(0);
    let collected = Mutex::new(outcome);
    std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            let work = || {
                while let Some(fixture) = fixtures.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let tried = Tried::new(&project, fixture, &judge, &ways(fixture));
                    tried.tell(fixture, &mut collected.lock().expect("no thread fails with it"));
                }
            };
            let started = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
            started.expect("a thread can be started");
        }
    });
    let mut outcome = collected.into_inner().map_err(|_| "a fixture's thread failed")?;
    outcome.failures.sort();
    outcome.slowest.sort_unstable_by(|a, b| b.cmp(a));
    outcome.slowest.truncate(10);
    Ok(outcome)
}

/// The package is declared in front of the first line, so that line numbers stay.
pub fn write_in_package(root: &Path, fixture: &Fixture) -> Result<(), String> {
    let directory = root.join(&fixture.package);
    let file = directory.join(Path::new(&fixture.name).file_name().unwrap_or_default());
    let in_package = |text: &str| format!("package {}; {text}", fixture.package);
    fs::create_dir_all(&directory).map_err(|e| e.to_string())?;
    if let Some(jml) = &fixture.jml {
        let file = file.with_extension("jml");
        fs::write(file, in_package(jml)).map_err(|e| e.to_string())?;
    }
    fs::write(file, in_package(&fixture.text)).map_err(|e| e.to_string())
}

/// Every warning is expected by the file that it is about, and every expected one is given.
fn warning_problems(fixtures: &[Fixture], diagnostics: &[Diagnostic]) -> Vec<String> {
    let mut problems = Vec::new();
    let is_about = |diagnostic: &Diagnostic, fixture: &Fixture| {
        diagnostic.path.parent().is_some_and(|p| p.ends_with(&fixture.package))
    };
    for diagnostic in diagnostics {
        let about = fixtures.iter().find(|f| is_about(diagnostic, f));
        let is_expected = about.is_some_and(|f| {
            f.expectation.warnings.iter().any(|w| diagnostic.message.contains(w.as_str()))
        });
        if !is_expected {
            let name = about.map_or("", |f| f.name.as_str());
            problems.push(format!("{name}: {diagnostic}"));
        }
    }
    for fixture in fixtures {
        let given = |text: &String| {
            let mut about = diagnostics.iter().filter(|d| is_about(d, fixture));
            about.any(|d| d.message.contains(text.as_str()))
        };
        for missing in fixture.expectation.warnings.iter().filter(|w| !given(w)) {
            problems.push(format!("{}: no warning contains `{missing}`", fixture.name));
        }
    }
    problems
}

/// What a fixture asks for.
#[derive(Debug)]
pub struct Settings {
    pub options: Options,
    pub reading: Reading,
}

fn settings_of(expectation: &Expectation) -> Result<Settings, String> {
    let growth = Growth {
        arrays: !expectation.options.contains_key("array-length"),
        strings: !expectation.options.contains_key("string-length"),
    };
    let mut options = Options { growth, timeout: Some(TIMEOUT), ..Options::default() };
    let mut reading = Reading::default();
    for (name, value) in &expectation.options {
        let number = || value.parse::<u32>().map_err(|_| format!("{name} {value}: not a number"));
        match name.as_str() {
            "scope" => {
                for part in value.split(',').map(str::trim) {
                    match part.split_once('=') {
                        Some((class, n)) => {
                            let n = n.parse().map_err(|_| format!("scope {value}"))?;
                            options.scope.per_class.insert(class.to_string(), n);
                        }
                        None => {
                            let n = part.parse().map_err(|_| format!("scope {value}"))?;
                            options.scope.objects = n;
                        }
                    }
                }
            }
            "array-length" => options.scope.array_length = number()?,
            "string-length" => options.scope.string_length = number()?,
            "int-bits" => options.scope.int_bits = number()?,
            "unroll" if value == "auto" => {}
            "unroll" => options.unroll = Unroll::Fixed(number()?),
            "timeout" => options.timeout = Some(Duration::from_secs(u64::from(number()?))),
            "nullness" => {
                let nullness = Nullness::from_str(value, false)?;
                options.scope.nullable_parameters = nullness == Nullness::Nullable;
                reading.defaults = nullness.into();
            }
            "calls" => options.calls = Calls::from_str(value, false)?.chosen()?,
            "routes" => options.routes = value == "on",
            "spec-math" => reading.math = SpecMath::from_str(value, false)?.into(),
            other => return Err(format!("option {other}")),
        }
    }
    Ok(Settings { options, reading })
}

fn set_switches(options: &mut Options, switches: &[(&str, &str)]) -> Result<(), String> {
    for (name, setting) in switches {
        let on = *setting != "off";
        match *name {
            "symmetry" => options.symmetry = on,
            "bounds" => options.bounds = on,
            "order" => options.order = on,
            "calls" => options.calls = Calls::from_str(setting, false)?.chosen()?,
            "split" => options.split = setting.parse().ok(),
            other => return Err(format!("vary {other}: no such switch")),
        }
    }
    Ok(())
}

/// What came of one fixture.
#[derive(Default)]
struct Tried {
    problems: Vec<String>,
    results: Vec<(&'static str, MethodResult)>,
}

impl Tried {
    fn new(project: &Project, fixture: &Fixture, judge: &dyn Judge, ways: &[Way]) -> Tried {
        let mut tried = Tried::default();
        match settings_of(&fixture.expectation) {
            Err(why) => tried.problems.push(why),
            Ok(settings) => {
                for way in ways {
                    tried.go(project, fixture, judge, &settings, way);
                }
            }
        }
        tried
    }

    fn go(
        &mut self,
        project: &Project,
        fixture: &Fixture,
        judge: &dyn Judge,
        Settings { options, reading }: &Settings,
        way: &Way,
    ) {
        let expected = &fixture.expectation;
        let variants = expected.variants();
        let variant = way.variant.and_then(|n| variants.get(n)).cloned().unwrap_or_default();
        let mut options = options.clone();
        self.problems.extend(set_switches(&mut options, &variant).err());
        (way.adjust)(&mut options);
        self.problems.extend(set_switches(&mut options, &expected.fixed()).err());

        let program = &project.program;
        let prefix = format!("{}.", fixture.package);
        let is_own = |class: &ClassId| program.class_name(*class).starts_with(&prefix);
        let given: Vec<ClassId> = project.given.iter().copied().filter(is_own).collect();
        let other = (*reading != Reading::default()).then(|| project.contracts_read(*reading));
        let contracts = other.as_ref().unwrap_or(&project.contracts);
        let subject = verify::Subject { program, given: &given, contracts };
        let mut found = Vec::new();
        for method in select::methods(program, &given, &select::Filter::default()) {
            let declared = program.method(method);
            let class = &program.class_name(declared.class)[prefix.len()..];
            if expected.admits(class, &program.signature(declared)) {
                found.push(check_method(subject, method, &options, Some(judge)));
            }
        }
        let wrong = compare(fixture, &found, &prefix, way.name.is_empty());
        self.problems.extend(wrong.into_iter().map(|p| in_way(way.name, &variant, &p)));
        self.results.extend(found.into_iter().map(|result| (way.name, result)));
    }

    fn tell(self, fixture: &Fixture, outcome: &mut Outcome) {
        outcome.methods += self.results.len();
        for (way, result) in &self.results {
            let name = format!("{} {}.{} {way}", fixture.name, result.class, result.method);
            outcome.slowest.push((result.stats.time_ms, name));
            let divided = outcome.divided.entry(way).or_default();
            let is_divided = result.stats.subproblems > 1;
            divided.all += usize::from(is_divided);
            divided.abstracted += usize::from(is_divided && !result.inferred.is_empty());
            if let Verdict::Violated(violations) = &result.verdict {
                let confirmed = violations.iter().filter(|v| v.replay == Replay::Confirmed);
                outcome.confirmed += confirmed.count();
            }
        }
        match &fixture.expectation.fixme {
            None => {
                let problems = self.problems.iter().map(|p| format!("{}: {p}", fixture.name));
                outcome.failures.extend(problems);
            }
            Some(why) if self.problems.is_empty() => {
                let text = format!("{}: is right now; remove `fixme {why}`", fixture.name);
                outcome.failures.push(text);
            }
            Some(_) => {}
        }
    }
}

/// A problem, with the way and the switches that it needs.
fn in_way(name: &str, switches: &[(&str, &str)], problem: &str) -> String {
    let setting = |(name, setting): &(&str, &str)| format!("{name}={setting}");
    let mut with: Vec<String> = switches.iter().map(setting).collect();
    with.extend((!name.is_empty()).then(|| name.to_string()));
    match with.is_empty() {
        true => problem.to_string(),
        false => format!("{problem} (with {})", with.join(" ")),
    }
}

/// Every violation needs a `//~` or `violates` and each of those a violation; every verdict is as
/// expected. Where this is not the `usual` way, what is undecided may run out of time instead.
fn compare(fixture: &Fixture, results: &[MethodResult], prefix: &str, usual: bool) -> Vec<String> {
    let expected = &fixture.expectation;
    let mut problems = Vec::new();
    if results.is_empty() {
        problems.push("no method is checked".to_string());
    }
    let mut found = BTreeSet::new();
    let mut unseen = expected.violates.clone();
    if results.len() > 1 && unseen.iter().any(|v| v.method.is_empty()) {
        problems.push("`violates` names no method, but several are checked".to_string());
    }
    for result in results {
        let class = result.class.strip_prefix(prefix).unwrap_or(&result.class);
        let name = format!("{class}.{}", result.method);
        let verdict = match &result.verdict {
            Verdict::Verified { .. } => "verified",
            Verdict::Violated(_) => "violated",
            Verdict::Undecided(_) => "undecided",
        };
        let cause = result.cause().unwrap_or_default();
        match expected.verdict_of(class, &result.method) {
            Some(wanted) if wanted == verdict => {}
            Some(wanted) => problems.push(format!("{name} is {verdict}, not {wanted} {cause}")),
            None => problems.push(format!("{name}: no verdict is expected of it")),
        }
        if let (Some(text), "undecided") = (&expected.cause, verdict)
            && !cause.contains(text.as_str())
            && (usual || cause != Cause::Timeout.to_string())
        {
            problems.push(format!("{name}: the cause `{cause}` does not contain `{text}`"));
        }
        if let Verdict::Violated(violations) = &result.verdict {
            for violation in violations {
                let property = violation.property.name().to_string();
                let line = violation.at.line;
                let marker = expected.violations.iter().find(|m| m.0 == line && m.1 == property);
                match marker {
                    None if take(&mut unseen, violation, class, &result.method) => {}
                    None => problems.push(format!("{name}: unexpected {property} at line {line}")),
                    Some((_, _, Some(text))) if !violation.message.contains(text.as_str()) => {
                        let message = &violation.message;
                        problems.push(format!("line {line}: `{message}` lacks `{text}`"));
                    }
                    Some(_) => {}
                }
                problems.extend(replay_problem(expected, &name, line, &violation.replay));
                found.insert((line, property));
            }
        }
    }
    for (line, property, _) in &expected.violations {
        if !found.contains(&(*line, property.clone())) {
            problems.push(format!("missed {property} at line {line}"));
        }
    }
    for missed in unseen {
        let Violates { method, property, text } = missed;
        problems.push(format!("missed {property} of {method} {}", text.unwrap_or_default()));
    }
    problems
}

/// Takes out the expectation that a violation meets, one with a text before one without.
fn take(unseen: &mut Vec<Violates>, violation: &Violation, class: &str, method: &str) -> bool {
    let clause = violation.clause.as_ref().map_or("", |c| c.text.as_str());
    let texts = [violation.message.as_str(), clause];
    let property = violation.property.name();
    let fitting = |v: &Violates| v.fits(class, method, property, &texts);
    let exact = unseen.iter().position(|v| v.text.is_some() && fitting(v));
    match exact.or_else(|| unseen.iter().position(fitting)) {
        Some(index) => {
            unseen.remove(index);
            true
        }
        None => false,
    }
}

fn replay_problem(
    expected: &Expectation,
    name: &str,
    line: u32,
    replay: &Replay,
) -> Option<String> {
    match (replay, &expected.unreplayed) {
        (Replay::Confirmed, None) => None,
        (Replay::Skipped(why), Some(texts)) if texts.split(" | ").any(|t| why.contains(t)) => None,
        (other, _) => Some(format!("{name}: line {line} is not confirmed: {other:?}")),
    }
}
