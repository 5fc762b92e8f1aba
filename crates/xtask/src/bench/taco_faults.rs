//! Tables 7, 8 and 9: two faults that take many nodes to show. Each must be found, in the smallest scope
//! that has it, and happen on the JVM as predicted.

use std::fs;
use std::time::{Duration, Instant};

use jarosite::inputs::Inputs;
use jarosite::jdk::Jdk;
use jarosite::judge::JvmJudge;
use jarosite::project::Project;
use jarosite::replay::Replayer;
use verify::{Options, Replay, Verdict, check_all};

use super::measure;
use super::table::Table;
use super::taco::{Plan, find, in_scope, word};
use super::taco_paper::{CACHE, EXTRACT_MIN};

const MAXIMUM: &str = "MAXIMUM_CACHE_SIZE = 20";

/// What makes `remove` of CList wrong: it adds to a cache that is full already, which is seen only
/// where the input has a header, a node of the sequence and a full cache: 22 nodes with a maximum of
/// 20.
const FULL_CACHE: Edit =
    ("if (cacheSize < MAXIMUM_CACHE_SIZE) {", "if (cacheSize <= MAXIMUM_CACHE_SIZE) {");

/// What makes `extractMin` of BHeap wrong: `weave` believes that a tree of the second list either
/// meets one of its degree in the first or is greater than all there. It forgets those that belong
/// between two others, walks past their place and puts them behind a greater tree. As `insert` weaves
/// in a single tree of degree 0, only `extractMin` can go wrong.
///
/// That takes 13 nodes at least. The children of the least root have all degrees below its own, d, so
/// a root cannot lie between two of them without its equal being there; a child has to lie between two
/// other roots, of degrees a < c < b with a child's degree c < d. Hence c >= 1 and d >= 2. With d = 2
/// it is b >= 3, as b differs from d, and there are 4 + 8 + 1 nodes; with d >= 3 and b >= 2 there are
/// 8 + 4 + 1 or more.
const FORGETFUL_WEAVE: Edit = (
    r"        Node last = head;
        while (rest != null) {
            Node next = last.sibling;
            if (next == null || rest.degree < next.degree) {
                // The list goes on with what was the other one.
                last.sibling = rest;
                rest = next;
            }
            last = last.sibling;
        }",
    r"        Node at = head;
        while (rest != null) {
            if (rest.degree == at.degree) {
                // It goes beside the tree of its degree.
                Node next = rest.sibling;
                rest.sibling = at.sibling;
                at.sibling = rest;
                at = rest;
                rest = next;
            } else if (at.sibling == null) {
                // All that is left is greater.
                at.sibling = rest;
                rest = null;
            } else {
                at = at.sibling;
            }
        }",
);

/// A text of the class as it should be, and what stands there instead.
type Edit = (&'static str, &'static str);

/// A cache that is full soon.
const SMALL_CACHE: u32 = 10;

/// The fewest nodes with which `extractMin` fails.
const HEAP_NODES: u32 = 13;

/// Shows both tables.
pub fn bugs(plan: &Plan, wrong: &mut Vec<String>) -> Result<(), String> {
    println!("tables 7 to 9: s to a violation that the JVM confirms, javac and bounds included");
    let mut table = Table::new(&["fault", "nodes", "found", "s", "TACO: bounds + search"]);
    let caches = CACHE.iter().filter(|(maximum, _)| !plan.quick || *maximum == 5);
    for (maximum, paper) in caches {
        let name = format!("full cache of {maximum}");
        // That one node fewer is not enough is shown where it takes little time.
        let fewest = if *maximum <= SMALL_CACHE { maximum + 1 } else { maximum + 2 };
        for nodes in fewest..=maximum + 2 {
            let found = full_cache(*maximum, nodes, plan.timeout)?;
            let expected = nodes == maximum + 2;
            found.report(&name, nodes, expected, paper, &mut table, wrong);
        }
    }
    for nodes in [HEAP_NODES - 1, HEAP_NODES] {
        let found = extract_min(nodes, plan.timeout)?;
        let expected = nodes == HEAP_NODES;
        found.report("extractMin", nodes, expected, EXTRACT_MIN, &mut table, wrong);
    }
    table.print();
    Ok(())
}

/// What came of a search.
pub struct Found {
    pub verdict: String,
    /// Whether the JVM did as predicted, for all violations.
    pub confirmed: bool,
    pub time: Duration,
}

impl Found {
    /// Whether the fault was found and confirmed, or is not there and its absence was proved.
    pub fn is_as(&self, expected: bool) -> bool {
        match expected {
            true => self.verdict == "violated" && self.confirmed,
            false => self.verdict == "verified",
        }
    }

    fn report(
        &self,
        name: &str,
        nodes: u32,
        expected: bool,
        paper: &str,
        table: &mut Table,
        wrong: &mut Vec<String>,
    ) {
        // That smaller inputs are right may take too long to show.
        let open = !expected && self.verdict == "undecided: timeout";
        if !self.is_as(expected) && !open {
            wrong.push(format!("{name}, {nodes} nodes: {}", self.verdict));
        }
        eprintln!("  {name}, {nodes} nodes: {} {:.1} s", self.verdict, self.time.as_secs_f64());
        let confirmed = if self.confirmed { ", confirmed" } else { "" };
        table.row(vec![
            name.to_string(),
            nodes.to_string(),
            format!("{}{confirmed}", self.verdict),
            format!("{:.1}", self.time.as_secs_f64()),
            if expected { paper } else { "" }.to_string(),
        ]);
    }
}

/// Removes from a list whose cache may be full.
pub fn full_cache(maximum: u32, nodes: u32, timeout: Duration) -> Result<Found, String> {
    let smaller = format!("MAXIMUM_CACHE_SIZE = {maximum}");
    search("CList", &[FULL_CACHE, (MAXIMUM, &smaller)], "remove", nodes, timeout)
}

/// Takes the least key out of a heap.
pub fn extract_min(nodes: u32, timeout: Duration) -> Result<Found, String> {
    search("BHeap", &[FORGETFUL_WEAVE], "extractMin", nodes, timeout)
}

/// Checks a method of a class with changes.
fn search(
    class: &str,
    edits: &[(&str, &str)],
    method: &str,
    nodes: u32,
    timeout: Duration,
) -> Result<Found, String> {
    let directory = tempfile::tempdir().map_err(|e| e.to_string())?;
    let name = format!("{class}.java");
    let source = fs::read_to_string(measure::root().join("benchmarks/taco").join(&name));
    let mut source = source.map_err(|e| e.to_string())?;
    for (old, new) in edits {
        if source.matches(old).count() != 1 {
            return Err(format!("{class} should have once: {old}"));
        }
        source = source.replace(old, new);
    }
    let file = directory.path().join(name);
    fs::write(&file, source).map_err(|e| e.to_string())?;
    let (start, jdk) = (Instant::now(), Jdk::find()?);
    let project = Project::open(&jdk, &Inputs::collect(&[file], &[], &[]))?;
    let method = find(&project, class, method)?;
    let replayer = Replayer::new(&jdk, project.class_path.clone());
    let judge = JvmJudge::new(replayer);
    let options = Options { timeout: Some(timeout), ..in_scope(nodes) };
    let mut results = Vec::new();
    check_all(project.subject(), &[method], &options, 1, Some(&judge), |r| results.push(r));
    let result = results.remove(0);
    let confirmed = match &result.verdict {
        Verdict::Violated(violations) => {
            violations.iter().all(|v| v.replay == Replay::Confirmed) && !violations.is_empty()
        }
        _ => false,
    };
    Ok(Found { verdict: word(&result), confirmed, time: start.elapsed() })
}
