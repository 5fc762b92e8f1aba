//! Input heaps by brute force: all heaps of a few classes at a small scope, generated and told apart
//! without the encoder, to compare with what the solver finds.
//!
//! | file | what |
//! |---|---|
//! | `brute` | all heaps of a world, one of each kind, and their canonical numbering |
//! | `solved` | the heaps that the encoder admits, one model after the other |
//! | `cases` | worlds: Java classes, the same classes for the brute force, and invariants |
//! | `joined` | worlds that are almost forests |

pub mod brute;
pub mod cases;
pub mod joined;
pub mod solved;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::panic::{self, AssertUnwindSafe};

use encode::{Scope, Subject};
use ir::{ClassId, MethodId, Program};
use jarosite::inputs::Inputs;
use jarosite::jdk::Jdk;
use jarosite::project::Project;

use brute::{Heap, Kind, Slot};

const STACK: usize = 1 << 28;

/// Java classes with an invariant, and the same for the brute force.
pub struct World {
    pub name: &'static str,
    pub java: &'static str,
    /// `Class.method`, whose input is meant.
    pub method: &'static str,
    /// Concrete classes, each with the most objects that there may be.
    pub kinds: Vec<Kind>,
    /// Which classes are numbered together, in order.
    pub groups: Vec<Vec<usize>>,
    /// Receiver, parameters and static fields, in that order.
    pub roots: Vec<Slot>,
    pub array_length: u32,
    /// The part of the invariant that is about references.
    pub shape: fn(&Heap) -> bool,
    /// The rest of it.
    pub numbers: fn(&Heap) -> bool,
}

impl World {
    /// The roots that are parameters, by their positions.
    pub fn arguments(&self) -> Vec<usize> {
        let roots = self.roots.iter().enumerate();
        roots.filter(|(_, root)| root.name.starts_with("parameter")).map(|(n, _)| n).collect()
    }

    pub fn scope(&self) -> Scope {
        let per_class: BTreeMap<String, u32> =
            self.kinds.iter().map(|k| (k.name.to_string(), k.most)).collect();
        Scope { objects: 0, per_class, array_length: self.array_length, ..Scope::default() }
    }
}

/// A world whose classes are compiled.
pub struct Compiled<'p> {
    pub project: &'p Project,
    pub given: Vec<ClassId>,
    pub prefix: String,
    pub method: MethodId,
    pub scope: Scope,
}

impl Compiled<'_> {
    pub fn subject(&self) -> Subject<'_> {
        let Project { program, contracts, .. } = self.project;
        Subject { program, given: &self.given, contracts }
    }

    pub fn program(&self) -> &Program {
        &self.project.program
    }

    /// The class without its package.
    pub fn simple(&self, class: ClassId) -> &str {
        let name = self.project.program.class_name(class);
        name.strip_prefix(&self.prefix).unwrap_or(name)
    }
}

/// Compiles all worlds at once and does something with each. Every world that fails is in the
/// result, with its name.
pub fn each(
    worlds: &[World],
    work: impl Fn(&World, &Compiled<'_>) -> Result<String, String> + Sync,
) -> Result<Vec<String>, String> {
    let jdk = Jdk::find()?;
    let directory = tempfile::tempdir().map_err(|e| e.to_string())?;
    for (number, world) in worlds.iter().enumerate() {
        let package = directory.path().join(format!("world{number}"));
        fs::create_dir_all(&package).map_err(|e| e.to_string())?;
        let text = format!("package world{number};\n{}", world.java);
        fs::write(package.join("World.java"), text).map_err(|e| e.to_string())?;
    }
    let inputs = Inputs::collect(&[directory.path().to_path_buf()], &[], &[]);
    let project = Project::open(&jdk, &inputs)?;
    if let Some(first) = project.diagnostics.first() {
        return Err(format!("{} problems; first: {first}", project.diagnostics.len()));
    }
    let mut failed = Vec::new();
    for (number, world) in worlds.iter().enumerate() {
        let prefix = format!("world{number}.");
        let run = || {
            let compiled = find(&project, world, prefix)?;
            panic::catch_unwind(AssertUnwindSafe(|| work(world, &compiled)))
                .unwrap_or_else(|_| Err("it panics".into()))
        };
        let outcome = std::thread::scope(|scope| {
            let started = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, run);
            started.expect("a thread can be started").join().expect("panics are caught")
        });
        match outcome {
            Ok(said) => println!("{:34} {said}", world.name),
            Err(why) => failed.push(format!("{}: {why}", world.name)),
        }
    }
    Ok(failed)
}

fn find<'p>(project: &'p Project, world: &World, prefix: String) -> Result<Compiled<'p>, String> {
    let program = &project.program;
    let is_ours = |c: &ClassId| program.class_name(*c).starts_with(&prefix);
    let given: Vec<ClassId> = project.given.iter().copied().filter(is_ours).collect();
    let (class, name) = world.method.rsplit_once('.').ok_or("no method is named")?;
    let class = program.class_id(&format!("{prefix}{class}"));
    let class = program.class(class).map_err(|_| format!("{} is missing", world.method))?;
    let mut methods = class.methods.iter().copied();
    let method = methods.find(|m| *program.method(*m).name == *name);
    let method = method.ok_or_else(|| format!("{} is missing", world.method))?;
    Ok(Compiled { project, given, prefix, method, scope: world.scope() })
}

/// What is in one set only, in words.
pub fn difference<T: Ord + std::fmt::Debug>(
    found: &BTreeSet<T>,
    wanted: &BTreeSet<T>,
) -> Option<String> {
    let missed: Vec<&T> = wanted.difference(found).take(3).collect();
    let extra: Vec<&T> = found.difference(wanted).take(3).collect();
    if missed.is_empty() && extra.is_empty() {
        return None;
    }
    let sizes = format!("{} found, {} wanted", found.len(), wanted.len());
    Some(format!("{sizes}; missed {missed:#?}; too much {extra:#?}"))
}
