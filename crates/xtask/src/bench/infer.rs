//! Abstracted calls against inlined ones, in one run: the components of Taghdiri & Jackson's
//! Table I in own code at their sizes, a deep chain of calls of which two levels matter, and two
//! questions that the paper leaves open (section 7).
//!
//! The paper asks for its property only: loops are unrolled without asking whether they end, and
//! dereferences are not checked. The first table asks the same; the second asks everything.

use std::collections::BTreeSet;
use std::time::Duration;

use encode::Scope;
use encode::goal::Property;
use ir::MethodId;
use jarosite::inputs::Inputs;
use jarosite::jdk::Jdk;
use jarosite::project::Project;
use verify::{Calls, MethodResult, Options, Unroll, Verdict};

use super::measure;
use super::table::Table;
use super::taco::{check, find};

const LONGEST: Duration = Duration::from_secs(30);

/// Class, method, and (loops, scope, the paper's speed-up) of each row.
type Component = (&'static str, &'static str, &'static [(u32, u32, &'static str)]);

const THEIRS: [Component; 7] = [
    ("Lists", "removeList", &[(4, 4, "1.7"), (5, 5, "1.7"), (6, 4, "3.3"), (6, 5, "2.8")]),
    ("Lists", "removeEach", &[(4, 4, "-")]),
    (
        "Graph",
        "removeNodesSameEdges",
        &[(4, 4, "20.5"), (4, 5, "7.6"), (5, 4, "> 112"), (5, 5, "> 25"), (6, 4, "> 100")],
    ),
    (
        "Graph",
        "removeNodesSameNodes",
        &[(3, 3, "6.3"), (4, 4, "9.5"), (4, 5, "2.1"), (5, 4, "21.1")],
    ),
    ("SpanningTree", "consistency", &[(5, 4, "2.2"), (5, 5, "2.8"), (6, 4, "2.9"), (6, 5, "1.7")]),
    ("SpanningTree", "deg0Node", &[(5, 4, "2.7"), (5, 5, "2.1"), (6, 4, "3.2"), (6, 5, "5.3")]),
    ("Chain", "deposit", &[(4, 3, "-")]),
];

/// Sizes of ours, at which inlining takes more than a second where it is done at once at the paper's.
const LARGER: [Component; 3] = [
    ("Lists", "removeList", &[(6, 6, "-"), (7, 6, "-"), (7, 7, "-"), (8, 7, "-")]),
    ("SpanningTree", "consistency", &[(7, 5, "-"), (7, 6, "-")]),
    ("SpanningTree", "deg0Node", &[(7, 4, "-"), (7, 5, "-"), (7, 6, "-")]),
];

const LARGER_WHOLE: [Component; 2] = [
    ("Lists", "removeList", &[(5, 5, "-"), (6, 6, "-")]),
    ("SpanningTree", "consistency", &[(4, 4, "-"), (5, 4, "-")]),
];

const WHOLE: [Component; 5] = [
    ("Lists", "removeList", &[(3, 3, "-")]),
    ("Graph", "removeNodesSameEdges", &[(3, 3, "-")]),
    ("Graph", "removeNodesSameNodes", &[(3, 3, "6.3")]),
    ("SpanningTree", "consistency", &[(3, 3, "-")]),
    ("Chain", "deposit", &[(4, 3, "-")]),
];

const OPEN_QUESTIONS: [Component; 5] = [
    ("Lists", "removeList", &[(6, 5, ""), (7, 6, "")]),
    ("Graph", "removeNodesSameNodes", &[(4, 5, ""), (5, 5, "")]),
    ("SpanningTree", "consistency", &[(6, 5, ""), (7, 5, "")]),
    ("SpanningTree", "deg0Node", &[(6, 5, ""), (7, 5, "")]),
    ("Chain", "deposit", &[(4, 3, "")]),
];

/// Instead of a part of a name: only the sizes of ours, or only what the paper leaves open.
const ONLY_LARGER: &str = "larger";
const ONLY_QUESTIONS: &str = "questions";

/// Prints the tables, with only those methods whose names contain `wanted`.
pub fn run(wanted: &str) -> Result<(), String> {
    let directory = measure::root().join("benchmarks/infer");
    let jdk = Jdk::find()?;
    let project = Project::open(&jdk, &Inputs::collect(&[directory], &[], &[]))?;
    println!("calls inlined against calls abstracted and refined, at most {LONGEST:?} each\n");
    if wanted == ONLY_LARGER {
        return larger(&project, "");
    }
    if wanted == ONLY_QUESTIONS {
        return open_questions(&project, &OPEN_QUESTIONS);
    }
    println!("the property only, as in the paper");
    compare(&project, &of(&THEIRS, wanted), property_only)?;
    println!("everything: dereferences, and whether all executions end within the bounds");
    compare(&project, &of(&WHOLE, wanted), |options| options)?;
    larger(&project, wanted)?;
    println!("which calls to look at first, and what to start from (the property only)");
    open_questions(&project, &of(&OPEN_QUESTIONS, wanted))
}

/// The same questions at sizes of ours.
fn larger(project: &Project, wanted: &str) -> Result<(), String> {
    println!("the property only, larger than in the paper");
    compare(project, &of(&LARGER, wanted), property_only)?;
    println!("everything, larger");
    compare(project, &of(&LARGER_WHOLE, wanted), |options| options)
}

fn of(components: &[Component], wanted: &str) -> Vec<Component> {
    components.iter().filter(|c| format!("{}.{}", c.0, c.1).contains(wanted)).copied().collect()
}

/// What came of a check, and the processor time that it took: other programs may be running.
struct Measured {
    result: MethodResult,
    time: Duration,
}

fn measured(project: &Project, method: MethodId, options: &Options) -> Measured {
    let so_far = || measure::processor_time(std::process::id());
    let before = so_far();
    let result = check(project, method, options);
    let time = so_far().saturating_sub(before);
    Measured { result, time }
}

/// Asks for the postcondition, and not for exceptions or executions beyond the bounds.
fn property_only(options: Options) -> Options {
    let others = Property::ALL.into_iter().filter(|p| *p != Property::Ensures);
    Options { unchecked: others.collect::<BTreeSet<_>>(), ends: false, ..options }
}

/// As a whole: dividing is another matter.
fn sized(loops: u32, objects: u32, calls: Calls) -> Options {
    let scope = Scope { objects, ..Scope::default() };
    let (unroll, timeout) = (Unroll::Fixed(loops), Some(LONGEST));
    Options { scope, unroll, timeout, calls, split: Some(1), ..Options::default() }
}

fn compare(
    project: &Project,
    components: &[Component],
    adjust: impl Fn(Options) -> Options,
) -> Result<(), String> {
    let mut table = Table::new(&[
        "method",
        "loops/scope",
        "inline s",
        "variables",
        "clauses",
        "infer s",
        "variables",
        "clauses",
        "refinements",
        "speed-up",
        "paper's",
    ]);
    for (class, name, sizes) in components {
        let method = find(project, class, name)?;
        for (loops, objects, paper) in *sizes {
            let measure =
                |calls| measured(project, method, &adjust(sized(*loops, *objects, calls)));
            let (inline, infer) = (measure(Calls::Inline), measure(Calls::INFER));
            let mut row = vec![format!("{class}.{name}"), format!("{loops}/{objects}")];
            row.extend(columns(&inline));
            row.extend(columns(&infer));
            row.push(infer.result.stats.refinements.to_string());
            row.extend([speed_up(&inline, &infer), paper.to_string()]);
            table.row(row);
        }
    }
    table.print();
    Ok(())
}

fn open_questions(project: &Project, components: &[Component]) -> Result<(), String> {
    let Calls::Infer { small, .. } = Calls::INFER else {
        return Err("calls are not abstracted".into());
    };
    let in_order = Calls::Infer { small, relevant_first: false };
    let frames_only = Calls::Infer { small: 0, relevant_first: true };
    let mut table = Table::new(&[
        "method",
        "loops/scope",
        "relevant first s",
        "refinements",
        "in order s",
        "refinements",
        "frames only s",
        "refinements",
    ]);
    for (class, name, sizes) in components {
        let method = find(project, class, name)?;
        for (loops, objects, _) in *sizes {
            let mut row = vec![format!("{class}.{name}"), format!("{loops}/{objects}")];
            for calls in [Calls::INFER, in_order, frames_only] {
                let options = property_only(sized(*loops, *objects, calls));
                let measured = measured(project, method, &options);
                row.extend([seconds(&measured), measured.result.stats.refinements.to_string()]);
            }
            table.row(row);
        }
    }
    table.print();
    Ok(())
}

fn is_decided(measured: &Measured) -> bool {
    matches!(measured.result.verdict, Verdict::Verified { .. })
}

/// The time, or what else came of it.
fn seconds(measured: &Measured) -> String {
    let seconds = measured.time.as_secs_f64();
    match &measured.result.verdict {
        Verdict::Verified { .. } => format!("{seconds:.2}"),
        Verdict::Violated(_) => "violated".into(),
        Verdict::Undecided(_) => format!("> {seconds:.1}"),
    }
}

fn columns(measured: &Measured) -> [String; 3] {
    let stats = &measured.result.stats;
    [seconds(measured), stats.variables.to_string(), stats.clauses.to_string()]
}

fn speed_up(inline: &Measured, infer: &Measured) -> String {
    let shortest = Duration::from_millis(10);
    let ratio = inline.time.max(shortest).as_secs_f64() / infer.time.max(shortest).as_secs_f64();
    match (is_decided(inline), is_decided(infer)) {
        (true, true) => format!("{ratio:.1}"),
        (false, true) => format!("> {ratio:.1}"),
        (true, false) => format!("< {ratio:.1}"),
        (false, false) => "-".into(),
    }
}
