//! The subjects of Shao, Khurshid & Perry (tables 1 to 4): each method as a whole and in four parts,
//! by the paper's measure and by ours, in the same run, beside the paper's figures. Where the bounds
//! of the paper are too easy to measure anything, larger ones follow.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ir::MethodId;
use jarosite::inputs::Inputs;
use jarosite::jdk::Jdk;
use jarosite::project::Project;
use verify::{Activity, Listener, Measure, MethodResult, Options, Unroll, Verdict, Watch};

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

/// The ways in which each row is checked: how many parts, and what they are divided by.
const WAYS: [(Option<u32>, Measure); 4] = [
    (Some(1), Measure::Gates),
    (Some(4), Measure::Branches),
    (Some(4), Measure::Gates),
    (None, Measure::Gates),
];

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

fn subjects() -> [Subject; 4] {
    [
        Subject {
            title: "table 1: list contains",
            class: "IntList",
            method: "contains",
            rows: rows(
                &[(5, 8, 343, 86), (6, 8, 653, 189), (7, 8, 4541, 498), (8, 8, 21414, 583)],
                &[40],
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
                &[12],
            ),
        },
        Subject {
            title: "table 3: search tree add",
            class: "SearchTree",
            method: "add",
            rows: rows(
                &[(3, 4, 43, 9), (3, 5, 249, 40), (3, 6, 4339, 505), (3, 7, 109_730, 9023)],
                &[12, 15],
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
    ]
}

/// Prints the four tables.
pub fn run() -> Result<(), String> {
    let most = TIMEOUT.as_secs();
    println!("whole: as one problem; parts: four, one after the other; seconds, {most} at most;");
    println!("–: not tried, because it took longer than that in a row before");
    for subject in subjects() {
        let file: PathBuf = measure::root().join("benchmarks/split");
        let file = file.join(format!("{}.java", subject.class));
        let project = Project::open(&Jdk::find()?, &Inputs::collect(&[file], &[], &[]))?;
        let method = taco::find(&project, subject.class, subject.method)?;
        println!("\n{}", subject.title);
        let columns = [
            "unroll",
            "scope",
            "whole",
            "clauses",
            "by branches",
            "by gates",
            "clauses",
            "auto",
            "speed-up",
            "paper: whole",
            "parts",
            "speed-up",
        ];
        let mut table = Table::new(&columns);
        let mut ways = WAYS.map(Some);
        for row in &subject.rows {
            let measured = ways.map(|way| way.map(|way| check(&project, method, row, way)));
            for (way, measured) in ways.iter_mut().zip(&measured) {
                way.take_if(|_| !measured.as_ref().is_some_and(|m| m.is_decided));
            }
            table.row(cells(row, &measured)?);
        }
        table.print();
    }
    Ok(())
}

fn cells(row: &Row, measured: &[Option<Measured>; 4]) -> Result<Vec<String>, String> {
    let decided = || measured.iter().flatten().filter(|m| m.is_decided);
    if let Some(first) = decided().next()
        && let Some(other) = decided().find(|m| m.verdict != first.verdict)
    {
        return Err(format!("{} in one way, {} in another", first.verdict, other.verdict));
    }
    let shown = |m: &Option<Measured>| m.as_ref().map_or("–".to_string(), Measured::shown);
    let sizes = |m: &Option<Measured>| {
        let sizes = m.iter().flat_map(|m| &m.clauses).map(u64::to_string);
        sizes.collect::<Vec<String>>().join(" ")
    };
    let ratio = |whole: f64, parts: f64| format!("{:.1}", whole / parts.max(0.001));
    let [whole, branches, gates, auto] = measured;
    let mut cells = vec![
        row.unroll.to_string(),
        row.scope.to_string(),
        shown(whole),
        sizes(whole),
        shown(branches),
        shown(gates),
        sizes(gates),
        shown(auto),
        match (whole, gates) {
            (Some(whole), Some(gates)) if gates.is_decided => {
                let at_least = if whole.is_decided { "" } else { "> " };
                format!("{at_least}{}", ratio(whole.seconds, gates.seconds))
            }
            _ => String::new(),
        },
    ];
    match row.paper {
        Some((whole, parts)) => {
            cells.extend([whole.to_string(), parts.to_string(), ratio(whole.into(), parts.into())])
        }
        None => cells.extend(["", "", ""].map(String::from)),
    }
    Ok(cells)
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

fn check(
    project: &Project,
    method: MethodId,
    row: &Row,
    (split, measure): (Option<u32>, Measure),
) -> Measured {
    let sizes = Arc::new(Sizes::default());
    let options = Options {
        unroll: Unroll::Fixed(row.unroll),
        timeout: Some(TIMEOUT),
        split,
        measure,
        watch: Watch::new(Some(sizes.clone()), verify::Cancel::default()),
        ..taco::in_scope(row.scope)
    };
    let result: MethodResult = taco::check(project, method, &options);
    let mut clauses = std::mem::take(&mut *sizes.clauses.lock().expect("not poisoned"));
    if clauses.is_empty() {
        clauses.push(result.stats.clauses);
    }
    Measured {
        verdict: taco::word(&result),
        is_decided: !matches!(result.verdict, Verdict::Undecided(_)),
        seconds: result.stats.time_ms as f64 / 1000.0,
        clauses,
    }
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
