//! Random specifications on random heaps: the formula that the solver sees, the run on constants,
//! and a plain evaluator over explicit heaps must agree on whether each holds.
//!
//! | file | what |
//! |---|---|
//! | `world` | explicit heaps, and what the method bodies do to them |
//! | `jml`, `jml_value` | random JML conditions, and their meaning |
//! | `alloy`, `alloy_value` | random Alloy-style formulas, and their meaning |
//! | `compare` | the encoder against these meanings |
//! | `invariants` | random invariants: verdicts with and without bounds, and what bounds exclude |

mod alloy;
mod alloy_value;
mod compare;
pub mod invariants;
mod jml;
mod jml_value;
mod world;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use jarosite::inputs::Inputs;
use jarosite::jdk::Jdk;
use jarosite::project::Project;

use crate::generate::random::Random;
use world::World;

const STACK: usize = 1 << 28;
/// Formulas in one class.
const PER_CLASS: usize = 20;
/// Failing formulas that are shrunk and shown.
const DESCRIBED: usize = 5;

/// What is not generated because it is known to go wrong. Without a name here, it is generated.
const KNOWN: [&str; 0] = [];

fn is_known(what: &str) -> bool {
    KNOWN.contains(&what)
}

/// How much is tried.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub seed: u64,
    pub formulas: usize,
    /// Random inputs of each.
    pub inputs: usize,
}

/// What came of a run.
#[derive(Default)]
pub struct Tally {
    pub formulas: usize,
    pub inputs: usize,
    /// Inputs that the solver found.
    pub solved: usize,
    /// Answers that agreed with the plain evaluator.
    pub comparisons: usize,
    /// Inputs on which the clause holds.
    pub holding: usize,
    /// Formulas that hold on some inputs and not on others.
    pub mixed: usize,
    pub skipped: BTreeMap<String, usize>,
    pub failures: Vec<Failure>,
}

/// A disagreement.
#[derive(Clone, Debug)]
pub struct Failure {
    case: Case,
    what: String,
}

/// A condition in one of the languages.
#[derive(Clone, Debug)]
enum Condition {
    Jml(jml::Expr),
    Alloy(alloy::Formula),
}

impl Condition {
    fn clause(&self) -> String {
        match self {
            Condition::Jml(e) => format!("//@ ensures {};", e.text()),
            Condition::Alloy(f) => format!("//$ ensures {}", f.text()),
        }
    }

    fn holds(&self, world: &World) -> bool {
        match self {
            Condition::Jml(e) => jml_value::holds(world, e),
            Condition::Alloy(f) => alloy_value::holds(world, f),
        }
    }

    fn parts(&self) -> Vec<Condition> {
        match self {
            Condition::Jml(e) => e.parts().into_iter().map(Condition::Jml).collect(),
            Condition::Alloy(f) => f.parts().into_iter().map(Condition::Alloy).collect(),
        }
    }
}

/// A condition and the body that it is about.
#[derive(Clone, Debug)]
struct Case {
    condition: Condition,
    body: usize,
    seed: u64,
}

impl Case {
    fn random(seed: u64) -> Case {
        let mut random = Random::new(seed);
        let depth = 1 + random.below(4);
        let body = random.below(world::BODIES.len());
        let allocates = world::BODIES[body].contains("new ");
        let condition = match random.one_in(2) {
            true => Condition::Jml(jml::Maker::make(&mut random, depth)),
            false => Condition::Alloy(alloy::Maker::make(&mut random, depth, allocates)),
        };
        Case { condition, body, seed }
    }

    fn shown(&self) -> String {
        let body: Vec<&str> = world::BODIES[self.body].split_whitespace().collect();
        format!("{}\n  {}\n", self.condition.clause(), body.join(" "))
    }
}

/// Makes formulas and compares; failures are shrunk and described.
pub fn run(plan: Plan) -> Result<(Tally, Vec<String>), String> {
    let seeds = (0..plan.formulas as u64).map(|n| plan.seed.wrapping_mul(1_000_003) + n);
    let cases: Vec<Case> = seeds.map(Case::random).collect();
    let tally = compare_all(&cases, plan.inputs)?;
    let mut described = Vec::new();
    let mut failing = tally.failures.clone();
    failing.sort_by_key(|f| (f.what.starts_with("it panics"), f.case.condition.clause().len()));
    for failure in failing.into_iter().take(DESCRIBED) {
        let small = shrink(failure, plan.inputs);
        described.push(format!("seed {}\n{}{}", small.case.seed, small.case.shown(), small.what));
    }
    Ok((tally, described))
}

/// Goes on to a smaller formula while one fails.
fn shrink(mut failure: Failure, inputs: usize) -> Failure {
    for _ in 0..12 {
        let parts = failure.case.condition.parts();
        let smaller = parts.into_iter().map(|c| Case { condition: c, ..failure.case.clone() });
        let smaller: Vec<Case> = smaller.collect();
        if smaller.is_empty() {
            break;
        }
        let failed = compare_all(&smaller, inputs * 4).map(|t| t.failures).unwrap_or_default();
        let next = failed.into_iter().filter(|f| !f.what.starts_with("not resolved"));
        let Some(next) = next.min_by_key(|f| f.case.condition.clause().len()) else {
            break;
        };
        failure = next;
    }
    failure
}

fn source(number: usize, cases: &[Case]) -> String {
    let mut text = String::from("package s;\n/*@ nullable_by_default @*/\n");
    let _ = writeln!(text, "abstract class Case{number} {{");
    for (index, case) in cases.iter().enumerate() {
        let clause = case.condition.clause();
        let body = world::BODIES[case.body];
        let _ = writeln!(
            text,
            "    {clause}\n    static Node run{index}(Root r, Node n, int k) {{ {body} }}\n"
        );
    }
    text + "}\n"
}

fn compare_all(cases: &[Case], inputs: usize) -> Result<Tally, String> {
    let jdk = Jdk::find()?;
    let directory = tempfile::tempdir().map_err(|e| e.to_string())?;
    let package = directory.path().join("s");
    let write = |name: String, text: String| fs::write(package.join(name), text);
    fs::create_dir_all(&package).map_err(|e| e.to_string())?;
    write("World.java".into(), format!("package s;\n{}", world::CLASSES))
        .map_err(|e| e.to_string())?;
    for (number, chunk) in cases.chunks(PER_CLASS).enumerate() {
        write(format!("Case{number}.java"), source(number, chunk)).map_err(|e| e.to_string())?;
    }
    let collected = Inputs::collect(&[directory.path().to_path_buf()], &[], &[]);
    let project = Project::open(&jdk, &collected)?;
    let mistakes = &project.contracts.diagnostics;
    if let (Some(diagnostic), true) = (project.diagnostics.first(), mistakes.is_empty()) {
        return Err(format!("{} problems; first: {diagnostic}", project.diagnostics.len()));
    }
    let (next, tally) = (AtomicUsize::new(0), Mutex::new(Tally::default()));
    let work = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(case) = cases.get(at) else {
                return;
            };
            let name = (format!("s.Case{}", at / PER_CLASS), format!("run{}", at % PER_CLASS));
            let compare = || compare::compare(&project, name, case, inputs);
            let compared = panic::catch_unwind(AssertUnwindSafe(compare));
            let compared = compared.unwrap_or_else(|_| {
                let failure = Failure { case: case.clone(), what: "it panics".into() };
                Tally { formulas: 1, failures: vec![failure], ..Tally::default() }
            });
            let Ok(mut tally) = tally.lock() else {
                return;
            };
            tally.add(compared);
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

impl Tally {
    fn add(&mut self, other: Tally) {
        self.formulas += other.formulas;
        self.inputs += other.inputs;
        self.solved += other.solved;
        self.comparisons += other.comparisons;
        self.holding += other.holding;
        self.mixed += other.mixed;
        self.failures.extend(other.failures);
        for (why, count) in other.skipped {
            *self.skipped.entry(why).or_default() += count;
        }
    }
}
