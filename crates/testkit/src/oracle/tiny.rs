//! Runs the exhaustive comparison over fixtures and generated methods.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use ir::ClassId;
use jarosite::inputs::Inputs;
use jarosite::jdk::Jdk;
use jarosite::project::Project;
use jarosite::replay::Replayer;
use verify::select;

use super::exhaustive::{Settled, Subject, settle};
use super::{STACK, classes_of};
use crate::fixtures::{Fixture, write_in_package};
use crate::generate::Unit;

/// Most inputs of one method.
const MOST_INPUTS: usize = 600;

/// What came of all methods.
#[derive(Default)]
pub struct Tally {
    pub verified: usize,
    pub violated: usize,
    /// Runs on the JVM.
    pub runs: usize,
    /// Methods without a comparison, by reason.
    pub skipped: BTreeMap<String, usize>,
    pub differences: Vec<String>,
}

/// A package to compare.
struct Package<'a> {
    name: &'a str,
    shown: &'a str,
    source: String,
}

/// Compares all methods of the fixtures and units.
pub fn run(fixtures: &[Fixture], units: &[Unit]) -> Result<Tally, String> {
    let jdk = Jdk::find()?;
    let directory = tempfile::tempdir().map_err(|e| e.to_string())?;
    let mut packages = Vec::new();
    for fixture in fixtures {
        write_in_package(directory.path(), fixture)?;
        let source = fixture.text.clone();
        packages.push(Package { name: &fixture.package, shown: &fixture.name, source });
    }
    for unit in units {
        let package = directory.path().join(&unit.package);
        let source = unit.source();
        fs::create_dir_all(&package)
            .and_then(|()| fs::write(package.join("Main.java"), &source))
            .map_err(|e| e.to_string())?;
        packages.push(Package { name: &unit.package, shown: &unit.package, source });
    }
    let collected = Inputs::collect(&[directory.path().to_path_buf()], &[], &[]);
    let project = Project::open(&jdk, &collected)?;
    let replayer = Mutex::new(Replayer::new(&jdk, project.class_path.clone()));
    let (next, tally) = (AtomicUsize::new(0), Mutex::new(Tally::default()));
    let work = || {
        while let Some(package) = packages.get(next.fetch_add(1, Ordering::Relaxed)) {
            compare_package(&project, package, &replayer, &tally);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, |n| n.get()) {
            let started = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
            started.expect("a thread can be started");
        }
    });
    tally.into_inner().map_err(|_| "a thread failed".into())
}

fn compare_package(
    project: &Project,
    package: &Package<'_>,
    replayer: &Mutex<Replayer>,
    tally: &Mutex<Tally>,
) {
    let program = &project.program;
    let given: Vec<ClassId> = classes_of(project, package.name);
    let lines: Vec<&str> = package.source.lines().collect();
    for method in select::methods(program, &given, &select::Filter::default()) {
        let subject = Subject { program, given: &given, method, lines: &lines };
        let settled = settle(&subject, replayer, MOST_INPUTS);
        let Ok(mut tally) = tally.lock() else {
            return;
        };
        match settled {
            Settled::Agrees { inputs, violated } => {
                tally.runs += inputs;
                *if violated { &mut tally.violated } else { &mut tally.verified } += 1;
            }
            Settled::Skipped(why) => {
                let kind = why.split(':').next().unwrap_or_default().to_string();
                *tally.skipped.entry(kind).or_default() += 1;
            }
            Settled::Differs(why) => {
                let declared = program.method(method);
                let class = program.class_name(declared.class);
                let name = format!("{} {class}.{}", package.shown, program.signature(declared));
                tally.differences.push(format!("{name}: {why}"));
            }
        }
    }
}
