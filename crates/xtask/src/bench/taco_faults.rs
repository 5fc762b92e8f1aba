//! Tables 7, 8 and 9: two faults that take many nodes to show. Each must be found, in the smallest scope
//! that has it, and happen on the JVM as predicted.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use jarosite::inputs::Inputs;
use jarosite::jdk::Jdk;
use jarosite::judge::JvmJudge;
use jarosite::project::Project;
use jarosite::replay::Replayer;
use verify::{Judge, Options, Replay, Verdict, check_all};

use super::measure;
use super::table::Table;
use super::taco::{Plan, find, in_scope, word};
use super::taco_paper::{CACHE, EXTRACT_MIN};

const MAXIMUM: &str = "MAXIMUM_CACHE_SIZE = 20";

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
    let source = fs::read_to_string(bug("CListFullCache")).map_err(|e| e.to_string())?;
    if !source.contains(MAXIMUM) {
        return Err(format!("CListFullCache has no {MAXIMUM}"));
    }
    let source = source.replace(MAXIMUM, &format!("MAXIMUM_CACHE_SIZE = {maximum}"));
    let directory = tempfile::tempdir().map_err(|e| e.to_string())?;
    let file = directory.path().join("CListFullCache.java");
    fs::write(&file, source).map_err(|e| e.to_string())?;
    search(&file, "CListFullCache", "remove", nodes, timeout)
}

/// Takes the least key out of a heap.
pub fn extract_min(nodes: u32, timeout: Duration) -> Result<Found, String> {
    let class = "BHeapExtractMin";
    search(&bug(class), class, "extractMin", nodes, timeout)
}

fn bug(class: &str) -> PathBuf {
    measure::root().join("benchmarks/taco/bugs").join(format!("{class}.java"))
}

fn search(
    file: &Path,
    class: &str,
    method: &str,
    nodes: u32,
    timeout: Duration,
) -> Result<Found, String> {
    let (start, jdk) = (Instant::now(), Jdk::find()?);
    let project = Project::open(&jdk, &Inputs::collect(&[file.to_path_buf()], &[], &[]))?;
    let method = find(&project, class, method)?;
    let replayer = Replayer::new(&jdk, project.class_path.clone());
    let judge: Mutex<Box<dyn Judge>> = Mutex::new(Box::new(JvmJudge(replayer)));
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
