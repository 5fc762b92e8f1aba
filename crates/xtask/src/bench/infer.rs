//! Abstracted calls against inlined ones, in one run: the components of Taghdiri & Jackson's
//! Table I in own code, and a deep chain of calls of which two levels matter.
//!
//! The paper's columns are its speed-ups; its loops are unrolled without asking whether they end,
//! and dereferences are not checked, whereas every check here answers both.

use std::path::PathBuf;
use std::time::Duration;

use encode::Scope;
use jarosite::inputs::Inputs;
use jarosite::jdk::Jdk;
use jarosite::project::Project;
use verify::{Calls, MethodResult, Options, Unroll};

use super::table::Table;
use super::taco::{check, find, word};

const LONGEST: Duration = Duration::from_secs(60);

/// Class, method, and (loops, scope, the paper's speed-up) of each row.
type Component = (&'static str, &'static str, &'static [(u32, u32, &'static str)]);

const COMPONENTS: [Component; 4] = [
    ("Lists", "removeList", &[(4, 4, "1.7"), (5, 5, "1.7"), (6, 4, "3.3"), (6, 5, "2.8")]),
    ("Graph", "removeNodesSameEdges", &[(3, 3, "-"), (4, 4, "20.5"), (4, 5, "7.6")]),
    ("Graph", "removeNodesSameNodes", &[(3, 3, "6.3"), (4, 4, "9.5"), (4, 5, "2.1")]),
    ("Chain", "deposit", &[(4, 3, "-")]),
];

/// Prints the table.
pub fn run() -> Result<(), String> {
    let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../benchmarks/infer");
    let jdk = Jdk::find()?;
    let project = Project::open(&jdk, &Inputs::collect(&[directory], &[], &[]))?;
    println!("calls abstracted and refined against calls inlined; at most {LONGEST:?} each");
    let header = [
        "method",
        "loops/scope",
        "inline",
        "s",
        "variables",
        "clauses",
        "infer",
        "s",
        "variables",
        "clauses",
        "refinements",
        "speed-up",
        "paper's",
    ];
    let mut table = Table::new(&header);
    for (class, name, sizes) in COMPONENTS {
        let method = find(&project, class, name)?;
        for (loops, objects, paper) in sizes {
            let options = |calls| Options {
                scope: Scope { objects: *objects, ..Scope::default() },
                unroll: Unroll::Fixed(*loops),
                timeout: Some(LONGEST),
                calls,
                ..Options::default()
            };
            let inline = check(&project, method, &options(Calls::Inline));
            let infer = check(&project, method, &options(Calls::INFER));
            let speed = inline.stats.time_ms.max(1) as f64 / infer.stats.time_ms.max(1) as f64;
            let mut row = vec![format!("{class}.{name}"), format!("{loops}/{objects}")];
            row.extend(columns(&inline));
            row.extend(columns(&infer));
            row.push(infer.stats.refinements.to_string());
            row.extend([format!("{speed:.1}"), paper.to_string()]);
            table.row(row);
        }
    }
    table.print();
    Ok(())
}

fn columns(result: &MethodResult) -> [String; 4] {
    let seconds = result.stats.time_ms as f64 / 1000.0;
    let (variables, clauses) = (result.stats.variables, result.stats.clauses);
    [word(result), format!("{seconds:.2}"), variables.to_string(), clauses.to_string()]
}
