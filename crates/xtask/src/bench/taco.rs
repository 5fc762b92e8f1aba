//! The containers of `benchmarks/taco`: the tables of Galeotti et al., section 5, with our figures
//! beside theirs. Counts must be theirs, verdicts must be right, and times are for people to read.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use encode::Scope;
use ir::MethodId;
use jarosite::inputs::Inputs;
use jarosite::jdk::Jdk;
use jarosite::project::Project;
use verify::enumerate::{Count, count_instances};
use verify::select::{Filter, methods};
use verify::tighten::compute;
use verify::{MethodResult, Options, Verdict, check_all};

use super::measure;
use super::table::Table;
use super::taco_paper::{BOUNDS, INSTANCES, SCOPES, TACO};
use super::{mutation, taco_faults, taco_times};

/// Needed for deep recursion, as the command gives its workers.
const STACK: usize = 1 << 28;
/// More instances than any table has.
const MOST_INSTANCES: usize = 100_000;

/// What the command line asks for.
#[derive(Clone, Debug)]
pub struct Plan {
    pub quick: bool,
    pub scopes: Vec<u32>,
    /// Empty means all.
    pub tables: Vec<u32>,
    pub timeout: Duration,
}

impl Plan {
    /// Reads what stands after `bench taco`.
    pub fn parse(arguments: &[String]) -> Result<Plan, String> {
        let timeout = Duration::from_secs(120);
        let scopes = SCOPES.to_vec();
        let mut plan = Plan { quick: false, scopes, tables: Vec::new(), timeout };
        let mut left = arguments.iter();
        while let Some(argument) = left.next() {
            if argument == "--quick" {
                plan.quick = true;
                continue;
            }
            let value = left.next().ok_or(format!("{argument} needs a value"))?;
            match argument.as_str() {
                "--scopes" => plan.scopes = numbers(value)?,
                "--table" => plan.tables.extend(numbers(value)?),
                "--timeout" => {
                    let [seconds] = numbers(value)?[..] else {
                        return Err("--timeout takes seconds".into());
                    };
                    plan.timeout = Duration::from_secs(seconds.into());
                }
                _ => return Err(format!("bench taco does not know {argument}")),
            }
        }
        Ok(plan)
    }

    fn wants(&self, tables: &[u32]) -> bool {
        self.tables.is_empty() || tables.iter().any(|t| self.tables.contains(t))
    }
}

fn numbers(text: &str) -> Result<Vec<u32>, String> {
    let parsed = text.split(',').map(|n| n.trim().parse::<u32>());
    parsed.collect::<Result<_, _>>().map_err(|_| format!("{text}: numbers are expected"))
}

/// Shows the tables; an error if something is not as it must be.
pub fn run(plan: &Plan) -> Result<(), String> {
    let containers = Containers::open()?;
    let mut wrong = Vec::new();
    if plan.wants(&[10]) {
        instances(&containers, plan, &mut wrong)?;
    }
    if plan.wants(&[3]) {
        bounds(&containers, plan)?;
    }
    if plan.wants(&[4]) {
        match plan.quick {
            true => taco_times::verified(&containers, 5, &mut wrong)?,
            false => taco_times::times(plan, &mut wrong)?,
        }
    }
    if plan.wants(&[7, 8, 9]) {
        taco_faults::bugs(plan, &mut wrong)?;
    }
    if plan.wants(&[5, 6]) {
        mutation::run(plan.quick, &mut wrong)?;
    }
    if plan.wants(&[1, 2]) {
        match plan.quick {
            true => taco_times::same_verdicts(&containers, 3, &mut wrong)?,
            false => taco_times::symmetry(&containers, plan, &mut wrong)?,
        }
    }
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(format!("not as it must be:\n  {}", wrong.join("\n  "))),
    }
}

/// The methods of table 4, and `extractMin`.
pub fn subjects() -> impl Iterator<Item = (&'static str, &'static str)> {
    TACO.iter().map(|row| (row.class, row.method)).chain([("BHeap", "extractMin")])
}

/// Where a class of the benchmark is.
pub fn file(class: &str) -> PathBuf {
    measure::root().join("benchmarks/taco").join(format!("{class}.java"))
}

/// The compiled containers.
pub struct Containers {
    project: Project,
}

/// Bounds of a class in one scope.
pub struct Tightened {
    pub before: usize,
    pub after: usize,
    pub complete: bool,
    pub time: Duration,
}

impl Containers {
    /// Compiles them.
    pub fn open() -> Result<Containers, String> {
        let files: Vec<PathBuf> = INSTANCES.iter().map(|(class, _)| file(class)).collect();
        let project = Project::open(&Jdk::find()?, &Inputs::collect(&files, &[], &[]))?;
        Ok(Containers { project })
    }

    /// A method by name.
    pub fn method(&self, class: &str, name: &str) -> Result<MethodId, String> {
        find(&self.project, class, name)
    }

    /// How many valid structures of up to so many nodes there are.
    pub fn count(&self, class: &str, nodes: u32, bounds: bool) -> Result<Count, String> {
        let method = self.a_method(class)?;
        let options = Options { bounds, ..in_scope(nodes) };
        let work = || count_instances(self.project.subject(), method, &options, MOST_INSTANCES);
        on_large_stack(work).ok_or(format!("{class} is not laid out"))
    }

    /// The bounds of a class.
    pub fn tighten(
        &self,
        class: &str,
        scope: u32,
        timeout: Option<Duration>,
    ) -> Result<Tightened, String> {
        let method = self.a_method(class)?;
        let (options, start) = (in_scope(scope), Instant::now());
        let deadline = timeout.map(|t| start + t);
        let work = || {
            let tight = compute(self.project.subject(), method, &options, deadline)?;
            let (before, after) = (tight.before, tight.bounds.references());
            Some(Tightened { before, after, complete: tight.complete, time: start.elapsed() })
        };
        on_large_stack(work).ok_or(format!("{class} is not laid out"))
    }

    /// Checks a method.
    pub fn check(
        &self,
        class: &str,
        method: &str,
        options: &Options,
    ) -> Result<MethodResult, String> {
        Ok(check(&self.project, self.method(class, method)?, options))
    }

    /// One without parameters that are objects: its input is the container alone.
    fn a_method(&self, class: &str) -> Result<MethodId, String> {
        self.method(class, if class == "BHeap" { "findMin" } else { "insert" })
    }
}

/// A method of a project by class and name.
pub fn find(project: &Project, class: &str, name: &str) -> Result<MethodId, String> {
    let filter =
        Filter { classes: vec![class.into()], methods: vec![name.into()], ..Filter::default() };
    match methods(&project.program, &project.given, &filter)[..] {
        [method] => Ok(method),
        _ => Err(format!("there is no one method {class}.{name}")),
    }
}

/// Checks one method, without a JVM.
pub fn check(project: &Project, method: MethodId, options: &Options) -> MethodResult {
    let mut results = Vec::new();
    check_all(project.subject(), &[method], options, 1, None, |result| results.push(result));
    results.remove(0)
}

/// The default options with so many objects of each class.
pub fn in_scope(objects: u32) -> Options {
    Options { scope: Scope { objects, ..Scope::default() }, ..Options::default() }
}

/// What a verdict is called.
pub fn word(result: &MethodResult) -> String {
    match &result.verdict {
        Verdict::Verified { .. } => "verified".into(),
        Verdict::Violated(_) => "violated".into(),
        Verdict::Undecided(why) => format!("undecided: {why}"),
    }
}

fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let started = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        started.expect("a thread can be started").join().expect("it does not panic")
    })
}

/// Table 10. The counts are a matter of right and wrong.
fn instances(containers: &Containers, plan: &Plan, wrong: &mut Vec<String>) -> Result<(), String> {
    println!("table 10: valid structures with up to n nodes; all as in the paper unless shown");
    let mut table = Table::new(&["class", "n = 3", "4", "5", "6", "7", "8", "9", "10", "s"]);
    for (class, expected) in INSTANCES {
        let most = if plan.quick { if class == "BSTree" { 6 } else { 7 } } else { 10 };
        let (mut row, start) = (vec![class.to_string()], Instant::now());
        for (nodes, expected) in (3..=10).zip(expected) {
            if nodes > most {
                row.push(String::new());
                continue;
            }
            let count = containers.count(class, nodes, true)?;
            if count == (Count { instances: expected, complete: true }) {
                row.push(expected.to_string());
                continue;
            }
            row.push(format!("{} instead of {expected}", count.instances));
            wrong.push(format!("{class}: {count:?} of {nodes} nodes instead of {expected}"));
        }
        row.push(format!("{:.1}", start.elapsed().as_secs_f64()));
        table.row(row);
    }
    table.print();
    Ok(())
}

/// Table 3.
fn bounds(containers: &Containers, plan: &Plan) -> Result<(), String> {
    println!(
        "table 3: entries of references before and after tightening (a reference that may be n \
         objects or\nnull has n + 1), and time; the paper also counts numbers, keys among them"
    );
    let columns =
        ["class", "scope", "before", "after", "s", "paper: before", "after", "time", "decided"];
    let mut table = Table::new(&columns);
    let mut scopes = plan.scopes.clone();
    if plan.quick {
        scopes = vec![5, 10];
    } else if scopes == SCOPES {
        scopes.push(30);
    }
    for paper in &BOUNDS {
        for scope in &scopes {
            let ours = containers.tighten(paper.class, *scope, Some(plan.timeout))?;
            let at = SCOPES.iter().position(|s| s == scope);
            let theirs = |shown: &dyn Fn(usize) -> String| at.map(shown).unwrap_or_default();
            table.row(vec![
                paper.class.to_string(),
                scope.to_string(),
                ours.before.to_string(),
                ours.after.to_string(),
                format!("{:.2}", ours.time.as_secs_f64()),
                theirs(&|n| paper.before[n].to_string()),
                theirs(&|n| paper.after[n].to_string()),
                theirs(&|n| paper.time[n].to_string()),
                if ours.complete { "all" } else { "not all" }.to_string(),
            ]);
        }
    }
    table.print();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Plan, String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_string).collect();
        Plan::parse(&words)
    }

    #[test]
    fn arguments_are_read() {
        let plan = parse("--table 3,10 --scopes 5,7 --timeout 9").unwrap();
        assert_eq!((plan.tables, plan.scopes), (vec![3, 10], vec![5, 7]));
        assert_eq!(plan.timeout, Duration::from_secs(9));
        assert!(parse("--quick").unwrap().quick);
        assert!(parse("--table").is_err() && parse("--table x").is_err());
        assert!(parse("--wide 3").is_err());
    }

    #[test]
    fn there_are_23_methods() {
        assert_eq!(subjects().count(), 23);
    }
}
