//! Tables 5 and 6: mutants of methods that are right, checked in rising scopes until each is killed or
//! the largest scope has been tried. Whoever survives must be known not to be a fault.

use std::fs;
use std::time::{Duration, Instant};

use jarosite::inputs::Inputs;
use jarosite::jdk::Jdk;
use jarosite::project::Project;
use verify::{Options, Verdict};

use super::mutants::{Mutant, method_lines, mutants};
use super::table::Table;
use super::taco::{check, file, find, in_scope};
use super::taco_paper::MUTANTS;

/// A method of `benchmarks/taco`, and the largest scope for its mutants.
pub struct Target {
    pub class: &'static str,
    pub method: &'static str,
    pub scope: u32,
    /// A text of the source and what stands in its place, so that faults show in such a scope.
    pub edit: Option<(&'static str, &'static str)>,
}

pub const TARGETS: [Target; 3] = [
    Target { class: "LList", method: "remove", scope: 4, edit: None },
    Target {
        class: "CList",
        method: "remove",
        scope: 5,
        edit: Some(("MAXIMUM_CACHE_SIZE = 20", "MAXIMUM_CACHE_SIZE = 3")),
    },
    Target { class: "BHeap", method: "extractMin", scope: 7, edit: None },
];

/// For one mutant in one scope; one whose loop does not end uses all of it.
const LONGEST: Duration = Duration::from_secs(10);

const GONE: &str = "the node is no longer part of the structure";
const UNUSED: &str = "the variable is not used again";

/// Mutants that no check can kill, and why: class, the line as it was and as it is, and the reason.
/// None differs from the original in a way that the contract tells, but for some that never end.
const HARMLESS: [(&str, &str, &str, &str); 17] = [
    ("LList", "return removed.value;", "return removed.value++;", GONE),
    ("LList", "return removed.value;", "return removed.value--;", GONE),
    ("LList", "if (index == 0) {", "if ((-index) == 0) {", "only 0 is its own opposite"),
    ("LList", "if (index == 0) {", "if (index <= 0) {", "less than 0 has been refused"),
    (
        "LList",
        "for (int i = 1; i < index; i++) {",
        "for (int i = 1; i != index; i++) {",
        "the index is 1 or more here",
    ),
    ("CList", "Node removed = nodeAt(index);", "Node removed = nodeAt(index++);", UNUSED),
    ("CList", "Node removed = nodeAt(index);", "Node removed = nodeAt(index--);", UNUSED),
    (
        "CList",
        "int value = removed.value;",
        "int value = removed.value++;",
        "the node gets 0 in the cache, or is no longer part of the structure",
    ),
    (
        "CList",
        "int value = removed.value;",
        "int value = removed.value--;",
        "the node gets 0 in the cache, or is no longer part of the structure",
    ),
    ("CList", "return value;", "return value++;", UNUSED),
    ("CList", "return value;", "return value--;", UNUSED),
    (
        "CList",
        "if (cacheSize < MAXIMUM_CACHE_SIZE) {",
        "if (cacheSize != MAXIMUM_CACHE_SIZE) {",
        "the invariant says that it is not more",
    ),
    ("BHeap", "return least.key;", "return least.key++;", GONE),
    ("BHeap", "return least.key;", "return least.key--;", GONE),
    (
        "BHeap",
        "if (n.sibling.key < least.key) {",
        "if (n.sibling.key <= least.key) {",
        "of several least keys any may go",
    ),
    ("BHeap", "child = next;", ";", "the loop never ends if there is a child"),
    (
        "BHeap",
        "beforeLeast.sibling = least.sibling;",
        "beforeLeast.sibling = least.child;",
        "as the last child ends both lists, weave makes a cycle of trees of one degree, and combine \
         never ends",
    ),
];

/// Shows for each method how many mutants die in which scope; unexplained survivors are wrong.
pub fn run(quick: bool, wrong: &mut Vec<String>) -> Result<(), String> {
    println!("tables 5 and 6: mutants, beyond javac; all of a method are compiled together");
    for target in TARGETS.iter().take(if quick { 1 } else { TARGETS.len() }) {
        let outcome = kill(target)?;
        outcome.print(target);
        for (mutant, fate) in &outcome.alive {
            if reason(target, mutant).is_none() {
                wrong.push(format!("{} of {} is {fate:?}", mutant.name, target.class));
            }
        }
    }
    Ok(())
}

/// What a run says about a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Killed,
    Verified,
    Undecided,
}

/// What became of the mutants of a method.
pub struct Outcome {
    /// Those that compile.
    pub count: usize,
    /// For each scope from 1: how many were tried and killed, and the time.
    pub scopes: Vec<(usize, usize, Duration)>,
    /// The survivors.
    pub alive: Vec<(Mutant, Fate)>,
}

impl Outcome {
    /// The survivors that nobody has explained.
    pub fn unexplained(&self, target: &Target) -> Vec<&Mutant> {
        let alive = self.alive.iter().map(|(mutant, _)| mutant);
        alive.filter(|mutant| reason(target, mutant).is_none()).collect()
    }

    fn print(&self, target: &Target) {
        let Target { class, method, edit, .. } = target;
        let killed: usize = self.scopes.iter().map(|s| s.1).sum();
        let total: Duration = self.scopes.iter().map(|s| s.2).sum();
        let with = edit.map(|(_, instead)| format!(" with {instead}")).unwrap_or_default();
        let paper = MUTANTS.iter().find(|m| (m.0, m.1) == (*class, *method));
        println!(
            "{class}.{method}{with}: {killed} of {} mutants that compile are killed, {:.1} s (TACO, \
             bounds + search: {})",
            self.count,
            total.as_secs_f64(),
            paper.map_or("-", |m| m.2)
        );
        let mut table = Table::new(&["scope", "tried", "killed", "killed so far", "s"]);
        let mut so_far = 0;
        for (at, (tried, killed, time)) in self.scopes.iter().enumerate() {
            so_far += killed;
            table.row(vec![
                (at + 1).to_string(),
                tried.to_string(),
                killed.to_string(),
                format!("{:.0} %", 100.0 * so_far as f64 / self.count.max(1) as f64),
                format!("{:.1}", time.as_secs_f64()),
            ]);
        }
        table.print();
        for (mutant, fate) in &self.alive {
            println!("  {} ({fate:?}), line {}", mutant.name, mutant.line);
            println!("    - {}", mutant.before);
            println!("    + {}", mutant.after);
            println!("    {}", reason(target, mutant).unwrap_or("WHY?"));
        }
        println!();
    }
}

fn reason(target: &Target, mutant: &Mutant) -> Option<&'static str> {
    let known = HARMLESS.iter().find(|(class, before, after, _)| {
        *class == target.class && *before == mutant.before && *after == mutant.after
    });
    known.map(|k| k.3)
}

/// Checks the mutants of a method in scopes from 1 on.
pub fn kill(target: &Target) -> Result<Outcome, String> {
    let Target { class, method, scope, edit } = target;
    let mut source = fs::read_to_string(file(class)).map_err(|e| format!("{class}: {e}"))?;
    if let Some((text, instead)) = edit {
        if !source.contains(text) {
            return Err(format!("{class} has no {text}"));
        }
        source = source.replace(text, instead);
    }
    let lines = method_lines(&source, method).ok_or(format!("{class} has no {method}"))?;
    let (mutants, directory) =
        (mutants(&source, lines), tempfile::tempdir().map_err(|e| e.to_string())?);
    for mutant in &mutants {
        let package = package(mutant);
        let place = directory.path().join(&package);
        fs::create_dir_all(&place).map_err(|e| e.to_string())?;
        let text = format!("package {package}; {}", mutant.source);
        fs::write(place.join(format!("{class}.java")), text).map_err(|e| e.to_string())?;
    }
    // Those that do not compile are left out.
    let inputs = Inputs::collect(&[directory.path().to_path_buf()], &[], &[]);
    let project = Project::open(&Jdk::find()?, &inputs)?;
    let mut alive = Vec::new();
    for mutant in mutants {
        let name = format!("{}.{class}", package(&mutant));
        if let Ok(method) = find(&project, &name, method) {
            alive.push((mutant, method, Fate::Undecided));
        }
    }
    let (count, mut scopes) = (alive.len(), Vec::new());
    for scope in 1..=*scope {
        let (tried, start) = (alive.len(), Instant::now());
        let options = Options { timeout: Some(LONGEST), ..in_scope(scope) };
        for (_, method, fate) in &mut alive {
            *fate = match check(&project, *method, &options).verdict {
                Verdict::Violated(_) => Fate::Killed,
                Verdict::Verified { .. } => Fate::Verified,
                Verdict::Undecided(_) => Fate::Undecided,
            };
        }
        alive.retain(|(_, _, fate)| *fate != Fate::Killed);
        scopes.push((tried, tried - alive.len(), start.elapsed()));
    }
    let alive = alive.into_iter().map(|(mutant, _, fate)| (mutant, fate)).collect();
    Ok(Outcome { count, scopes, alive })
}

/// The package of a mutant: its name in small letters.
fn package(mutant: &Mutant) -> String {
    mutant.name.to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_has_mutants() {
        for Target { class, method, .. } in TARGETS {
            let source = fs::read_to_string(file(class)).unwrap();
            let lines = method_lines(&source, method).unwrap();
            assert!(mutants(&source, lines).len() > 30, "{class}.{method}");
        }
    }
}
