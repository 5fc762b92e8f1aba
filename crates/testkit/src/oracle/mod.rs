//! The encoder against the JVM, on random programs and random inputs.
//!
//! Each method is encoded once for all inputs of a small scope. Every input is then read off that
//! formula (symbolic mode), run through the encoder with all leaves fixed (fixed mode), and run on
//! the JVM, which compares result, exception and final heap with either prediction.

mod examine;
pub mod exhaustive;
pub mod inputs;
mod shrink;
pub mod tiny;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use encode::execution::Execution;
use ir::{ClassId, MethodId, Program};
use jarosite::inputs::Inputs;
use jarosite::jdk::Jdk;
use jarosite::project::Project;
use jarosite::replay::{Replay, Replayer, Statics};

use self::examine::{Examined, Prediction};
use crate::generate::{Method, Unit};

const STACK: usize = 1 << 30;
/// Failing methods that are shrunk and shown.
const DESCRIBED: usize = 3;

/// How much is tried.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub seed: u64,
    pub units: usize,
    pub methods_per_unit: usize,
    /// Inputs of each method.
    pub inputs: usize,
}

/// A prediction that did not come true.
#[derive(Clone, Debug)]
pub struct Failure {
    unit: usize,
    method: String,
    seed: u64,
    what: String,
}

/// What came of a run.
#[derive(Default)]
pub struct Tally {
    pub methods: usize,
    /// Predictions that the JVM confirmed, by mode.
    pub symbolic: usize,
    pub fixed: usize,
    /// Inputs without a comparison, by reason.
    pub skipped: BTreeMap<String, usize>,
    pub exceptions: BTreeMap<String, usize>,
    pub failures: Vec<Failure>,
}

impl Tally {
    pub fn comparisons(&self) -> usize {
        self.symbolic + self.fixed
    }

    pub fn skips(&self) -> usize {
        self.skipped.values().sum()
    }
}

/// Generates programs and compares; failures are shrunk and described.
pub fn run(plan: Plan) -> Result<(Tally, Vec<String>), String> {
    let units: Vec<(Unit, u64)> = (0..plan.units)
        .map(|n| {
            let seed = plan.seed.wrapping_mul(1_000_003).wrapping_add(n as u64);
            (Unit::random(seed, format!("g{n}"), plan.methods_per_unit), seed)
        })
        .collect();
    let tally = compare(&units, plan.inputs)?;
    let mut described = Vec::new();
    let mut seen = BTreeSet::new();
    let distinct = tally.failures.iter().filter(|f| seen.insert((f.unit, f.method.clone())));
    for failure in distinct.take(DESCRIBED) {
        let (unit, _) = &units[failure.unit];
        println!("{} {}: {}", unit.package, failure.method, failure.what);
        described.push(describe(unit, failure, plan.inputs));
    }
    Ok((tally, described))
}

fn describe(unit: &Unit, failure: &Failure, inputs: usize) -> String {
    let Some(method) = unit.methods.iter().find(|m| m.name == failure.method) else {
        return failure.what.clone();
    };
    let mut text = format!("unit seed {}, method {}\n", failure.seed, failure.method);
    let (small, what) = shrink::shrink(unit, method, failure, inputs);
    let _ = writeln!(text, "{what}{}", small.source());
    if std::env::var_os("ORACLE_WORLD").is_some() {
        text.push_str(&unit.with_only("g".into(), small).source());
    }
    text
}

/// Compares all methods of units with the JVM; each unit comes with the seed of its inputs.
pub(crate) fn compare(units: &[(Unit, u64)], inputs: usize) -> Result<Tally, String> {
    let jdk = Jdk::find()?;
    let directory = tempfile::tempdir().map_err(|e| e.to_string())?;
    for (unit, _) in units {
        let package = directory.path().join(&unit.package);
        fs::create_dir_all(&package)
            .and_then(|()| fs::write(package.join("Main.java"), unit.source()))
            .map_err(|e| e.to_string())?;
    }
    let collected = Inputs::collect(&[directory.path().to_path_buf()], &[], &[]);
    let project = Project::open(&jdk, &collected)?;
    if let Some(diagnostic) = project.diagnostics.first() {
        return Err(format!("{} problems; first: {diagnostic}", project.diagnostics.len()));
    }
    let replayer = Mutex::new(Replayer::new(&jdk, project.class_path.clone()));
    let (next, tally) = (AtomicUsize::new(0), Mutex::new(Tally::default()));
    let work = || {
        while let Some((unit, seed)) = units.get(next.fetch_add(1, Ordering::Relaxed)) {
            let number = units.iter().position(|u| u.0.package == unit.package).unwrap_or(0);
            compare_unit(&project, (number, unit, *seed), inputs, &replayer, &tally);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, |n| n.get()) {
            let started = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
            started.expect("a thread can be started");
        }
    });
    let mut tally = tally.into_inner().map_err(|_| "a thread failed")?;
    tally.failures.sort_by(|a, b| (a.unit, &a.method).cmp(&(b.unit, &b.method)));
    Ok(tally)
}

fn compare_unit(
    project: &Project,
    (number, unit, seed): (usize, &Unit, u64),
    inputs: usize,
    replayer: &Mutex<Replayer>,
    tally: &Mutex<Tally>,
) {
    let program = &project.program;
    let given = classes_of(project, &unit.package);
    for method in &unit.methods {
        let examined = match find(program, &unit.package, method) {
            Some(id) => examine::examine(program, &given, id, seed, inputs),
            None => {
                Examined { failures: vec!["the method is missing".into()], ..Examined::default() }
            }
        };
        let predictions: Vec<&Execution> =
            examined.predictions.iter().map(|p| &p.execution).collect();
        let replays = match replayer.lock() {
            Ok(mut replayer) => replayer.replay_all(&predictions, Statics::Shared),
            Err(_) => Err("the JVM's thread failed".into()),
        };
        let Ok(mut tally) = tally.lock() else {
            return;
        };
        tally.methods += 1;
        let failed =
            |what: String| Failure { unit: number, method: method.name.clone(), seed, what };
        for (reason, count) in examined.skipped {
            *tally.skipped.entry(reason).or_default() += count;
        }
        tally.failures.extend(examined.failures.into_iter().map(failed));
        match replays {
            Err(why) => tally.failures.push(failed(why)),
            Ok(replays) => {
                for (prediction, replay) in examined.predictions.iter().zip(replays) {
                    settle(&mut tally, prediction, replay, &failed);
                }
            }
        }
    }
}

fn settle(
    tally: &mut Tally,
    prediction: &Prediction,
    replay: Replay,
    failed: &dyn Fn(String) -> Failure,
) {
    match replay {
        Replay::Confirmed => {
            match prediction.is_symbolic {
                true => tally.symbolic += 1,
                false => tally.fixed += 1,
            }
            if let encode::execution::Outcome::Threw { class, .. } = &prediction.execution.outcome {
                *tally.exceptions.entry(class.clone()).or_default() += 1;
            }
        }
        Replay::Skipped(why) => *tally.skipped.entry(format!("JVM: {why}")).or_default() += 1,
        Replay::Refuted(why) => {
            tally.failures.push(failed(format!("{why}\n{}", words(prediction))));
        }
    }
}

/// A prediction in words.
fn words(prediction: &Prediction) -> String {
    let e = &prediction.execution;
    let mode = if prediction.is_symbolic { "symbolic" } else { "fixed" };
    let mut text = format!("{mode} mode\n  receiver {:?}\n", e.receiver);
    let _ = writeln!(text, "  arguments {:?}\n  statics {:?}", e.arguments, e.statics);
    for object in &e.pre {
        let _ = writeln!(text, "  before {} {:?}", object.label, object.content);
    }
    let _ = writeln!(text, "  predicted {:?}", e.outcome);
    for object in &e.post {
        let _ = writeln!(text, "  after {} {:?}", object.label, object.content);
    }
    text
}

/// The given classes of one package.
fn classes_of(project: &Project, package: &str) -> Vec<ClassId> {
    let prefix = format!("{package}.");
    let all = project.given.iter().copied();
    all.filter(|c| project.program.class_name(*c).starts_with(&prefix)).collect()
}

fn find(program: &Program, package: &str, method: &Method) -> Option<MethodId> {
    let main = program.class(program.class_id(&format!("{package}.Main"))).ok()?;
    main.methods.iter().copied().find(|m| *program.method(*m).name == *method.name)
}
