//! The subjects of Shao, Khurshid & Perry (tables 1 to 4): each method as a whole and in parts, by
//! the paper's measure and by ours, in the same run, beside the paper's figures. Where the bounds
//! of the paper are too easy to measure anything, larger ones follow. Then subjects of our own, in which conditions choose
//! what is calculated with.
//!
//! Tight bounds are a matter of the input. No part has less to do with them than the whole, so they are
//! computed before, once for a row, and have a column of their own. The whole may go through the inputs one by one instead of asking
//! the solver, which parts never do; so it is measured without that too. Seconds are those of the
//! processor, and of parts the sum, as in the paper.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ir::MethodId;
use jarosite::inputs::Inputs;
use jarosite::jdk::Jdk;
use jarosite::project::Project;
use verify::store::Shelf;
use verify::{Activity, Listener, Measure, MethodResult, Options, Tuning, Unroll, Verdict, Watch};

use super::table::Table;
use super::{measure, taco};

/// A row of the paper, or one of ours.
struct Row {
    unroll: u32,
    scope: u32,
    /// The paper's seconds as a whole and for the four parts together.
    paper: Option<(u32, u32)>,
}

struct Subject {
    title: &'static str,
    class: &'static str,
    method: &'static str,
    rows: Vec<Row>,
}

/// What one check may take. Bounds grow from row to row, so who has run out of it is not asked again.
const TIMEOUT: Duration = Duration::from_secs(30);

/// A way in which each row is checked.
#[derive(Clone, Copy)]
struct Way {
    title: &'static str,
    /// How many parts, and what they are divided by.
    split: Option<u32>,
    measure: Measure,
    /// Whether inputs may be gone through one by one.
    walks: bool,
}

/// The whole first, then the solver without anything else, then parts, then `auto`.
const WAYS: [Way; 6] = [
    Way { title: "whole", split: Some(1), measure: Measure::Folded, walks: true },
    Way { title: "solver alone", split: Some(1), measure: Measure::Folded, walks: false },
    Way { title: "4 by branches", split: Some(4), measure: Measure::Branches, walks: true },
    Way { title: "4 by folding", split: Some(4), measure: Measure::Folded, walks: true },
    Way { title: "16 by folding", split: Some(16), measure: Measure::Folded, walks: true },
    Way { title: "auto", split: None, measure: Measure::Folded, walks: true },
];

/// Those of them that are parts, and the one whose parts are shown by their sizes.
const PARTS: std::ops::Range<usize> = 2..5;
const SHOWN: usize = 3;

/// By unrolling with one scope, or by scope with one unrolling, and then our own scopes, in which
/// everything is unrolled that the scope has room for.
fn rows(paper: &[(u32, u32, u32, u32)], ours: &[u32]) -> Vec<Row> {
    let paper = paper.iter().map(|(unroll, scope, whole, parts)| Row {
        unroll: *unroll,
        scope: *scope,
        paper: Some((*whole, *parts)),
    });
    let ours = ours.iter().map(|scope| Row { unroll: scope + 1, scope: *scope, paper: None });
    paper.chain(ours).collect()
}

fn subjects() -> Vec<Subject> {
    let ours = |class, method| Subject { title: "our own", class, method, rows: rows(&[], &[1]) };
    vec![
        Subject {
            title: "table 1: list contains",
            class: "IntList",
            method: "contains",
            rows: rows(
                &[(5, 8, 343, 86), (6, 8, 653, 189), (7, 8, 4541, 498), (8, 8, 21414, 583)],
                &[40, 60],
            ),
        },
        Subject {
            title: "table 2: search tree contains",
            class: "SearchTree",
            method: "contains",
            rows: rows(
                &[
                    (4, 7, 6468, 1894),
                    (5, 7, 15015, 4474),
                    (6, 7, 18982, 4059),
                    (7, 7, 28435, 6056),
                    (8, 7, 18703, 3791),
                ],
                &[12, 20, 24],
            ),
        },
        Subject {
            title: "table 3: search tree add",
            class: "SearchTree",
            method: "add",
            rows: rows(
                &[(3, 4, 43, 9), (3, 5, 249, 40), (3, 6, 4339, 505), (3, 7, 109_730, 9023)],
                &[12, 15, 20, 24],
            ),
        },
        Subject {
            title: "table 4: topological sort",
            class: "Digraph",
            method: "topologicalSort",
            rows: rows(
                &[
                    (7, 7, 1436, 454),
                    (7, 8, 1422, 524),
                    (7, 9, 2113, 650),
                    (7, 10, 2844, 801),
                    (7, 11, 3694, 1217),
                    (7, 12, 4372, 1326),
                ],
                &[],
            ),
        },
        ours("Tariff", "bill"),
        ours("Tariff", "bills"),
        ours("Durations", "thereAndBack"),
        ours("Durations", "sums"),
    ]
}

/// Prints the tables of those methods whose names contain `wanted`.
pub fn run(wanted: &str) -> Result<(), String> {
    let most = TIMEOUT.as_secs();
    println!(
        "seconds of the processor, {most} at most; of parts the sum; bounds are computed before;"
    );
    println!(
        "speed-up: of the best parts over the whole, and over the solver alone; clauses: of the"
    );
    println!(
        "whole, and of each of four parts by folding; –: not tried, because a row before took too long"
    );
    let is_wanted = |s: &Subject| format!("{}.{}", s.class, s.method).contains(wanted);
    for subject in subjects().into_iter().filter(is_wanted) {
        let file: PathBuf = measure::root().join("benchmarks/split");
        let file = file.join(format!("{}.java", subject.class));
        let project = Project::open(&Jdk::find()?, &Inputs::collect(&[file], &[], &[]))?;
        let method = taco::find(&project, subject.class, subject.method)?;
        println!("\n{}: {}.{}", subject.title, subject.class, subject.method);
        let titles = ["unroll", "scope", "bounds"].into_iter().chain(WAYS.map(|way| way.title));
        let more =
            ["speed-up", "alone", "clauses", "of parts", "paper: whole", "parts", "speed-up"];
        let titles: Vec<&str> = titles.chain(more).collect();
        let mut table = Table::new(&titles);
        let mut ways = WAYS.map(Some);
        for row in &subject.rows {
            let shelf = Arc::new(Shelf::default());
            let bounds = check(&project, method, &Row { unroll: 1, ..*row }, WAYS[0], &shelf);
            let measured = ways.map(|way| way.map(|w| check(&project, method, row, w, &shelf)));
            for (way, measured) in ways.iter_mut().zip(&measured) {
                way.take_if(|_| !measured.as_ref().is_some_and(|m| m.is_decided));
            }
            table.row(cells(row, &bounds, &measured)?);
        }
        table.print();
    }
    Ok(())
}

fn cells(
    row: &Row,
    bounds: &Measured,
    measured: &[Option<Measured>; WAYS.len()],
) -> Result<Vec<String>, String> {
    let decided = || measured.iter().flatten().filter(|m| m.is_decided);
    if let Some(first) = decided().next()
        && let Some(other) = decided().find(|m| m.verdict != first.verdict)
    {
        return Err(format!("{} in one way, {} in another", first.verdict, other.verdict));
    }
    let mut cells =
        vec![row.unroll.to_string(), row.scope.to_string(), format!("{:.2}", bounds.seconds)];
    cells.extend(measured.iter().map(|m| m.as_ref().map_or("–".to_string(), Measured::shown)));
    let parts = measured[PARTS].iter().flatten().filter(|m| m.is_decided);
    let best = parts.map(|m| m.seconds).min_by(f64::total_cmp);
    let gain = |whole: &Option<Measured>| match (whole, best) {
        (Some(whole), Some(best)) => {
            let at_least = if whole.is_decided { "" } else { "> " };
            format!("{at_least}{}", ratio(whole.seconds, best))
        }
        _ => String::new(),
    };
    cells.extend([gain(&measured[0]), gain(&measured[1])]);
    let sizes = |m: &Option<Measured>| {
        let sizes = m.iter().flat_map(|m| &m.clauses).map(u64::to_string);
        sizes.collect::<Vec<String>>().join(" ")
    };
    cells.extend([sizes(&measured[1]), sizes(&measured[SHOWN])]);
    match row.paper {
        Some((whole, parts)) => {
            cells.extend([whole.to_string(), parts.to_string(), ratio(whole.into(), parts.into())])
        }
        None => cells.extend(["", "", ""].map(String::from)),
    }
    Ok(cells)
}

/// Nothing if there is too little to measure: the kernel counts in hundredths of a second.
fn ratio(whole: f64, parts: f64) -> String {
    match whole.max(parts) < 0.1 {
        true => String::new(),
        false => format!("{:.1}", whole / parts.max(0.01)),
    }
}

/// What one check came to.
struct Measured {
    verdict: String,
    is_decided: bool,
    seconds: f64,
    /// Of the whole, or of each part.
    clauses: Vec<u64>,
}

impl Measured {
    fn shown(&self) -> String {
        match self.is_decided {
            true => format!("{:.2}", self.seconds),
            false => format!("> {:.0}", self.seconds),
        }
    }
}

fn check(project: &Project, method: MethodId, row: &Row, way: Way, shelf: &Arc<Shelf>) -> Measured {
    let sizes = Arc::new(Sizes::default());
    let within = taco::in_scope(row.scope);
    let cases_after = within.tuning.cases_after.filter(|_| way.walks);
    let options = Options {
        unroll: Unroll::Fixed(row.unroll),
        timeout: Some(TIMEOUT),
        split: way.split,
        tuning: Tuning { measure: way.measure, cases_after, ..within.tuning },
        store: Some(shelf.clone()),
        watch: Watch::new(Some(sizes.clone()), verify::Cancel::default()),
        ..within
    };
    let so_far = || measure::processor_time(std::process::id());
    let before = so_far();
    let result: MethodResult = taco::check(project, method, &options);
    let seconds = (so_far() - before).as_secs_f64();
    let mut clauses = std::mem::take(&mut *sizes.clauses.lock().expect("not poisoned"));
    if clauses.is_empty() {
        clauses.push(result.stats.clauses);
    }
    let is_decided = !matches!(result.verdict, Verdict::Undecided(_));
    Measured { verdict: taco::word(&result), is_decided, seconds, clauses }
}

/// Hears how large the parts are.
#[derive(Default)]
struct Sizes {
    clauses: Mutex<Vec<u64>>,
}

impl Listener for Sizes {
    fn hear(&self, _: MethodId, activity: Activity) {
        if let Activity::Part { clauses, .. } = activity {
            self.clauses.lock().expect("not poisoned").push(clauses);
        }
    }
}
