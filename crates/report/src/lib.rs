//! Reports: what people and programs read about a run.
//!
//! A report shows results and decides nothing: verdicts, causes and counts come from `verify`
//! as they are. No I/O; the text of the source comes in through [`Sources`].

mod assumed;
mod fingerprint;
mod github;
mod html;
mod human;
pub mod java;
mod json;
mod junit;
mod route;
mod rules;
mod sarif;
mod specs;

pub use assumed::{Kept, kept, kept_as_json};
pub use fingerprint::fingerprints;
pub use github::annotations;
mod values;
mod written;

pub use html::html;
pub use human::{Style, human, human_result, human_summary};
pub use json::{json, json_error};
pub use junit::junit;
pub use sarif::sarif;
pub use specs::jml_candidates;

use verify::MethodResult;
use verify::execution::{Execution, Object, Place};

/// Everything that a report may show.
#[derive(Clone, Copy)]
pub struct Run<'a> {
    /// In the order in which they are shown.
    pub results: &'a [MethodResult],
    /// Wall time of the whole run.
    pub time_ms: u64,
    pub sources: &'a dyn Sources,
    /// Sentences about the input: what could not be read, what was left out.
    pub diagnostics: &'a [String],
    /// Longest input array and string: part of the scope.
    pub array_length: u32,
    pub string_length: u32,
    /// Width of input numbers.
    pub int_bits: u32,
    /// How much of a sandbox the JVM that repeats executions had; none if nothing was to be repeated.
    pub sandbox: Option<&'a str>,
}

/// Finds the source of a class. `file` is the name that the class file gives (`Stack.java`, no
/// directory; may be empty), `class` the class's Java name (`p.Outer$Inner`).
pub trait Sources {
    /// The path to show for the file.
    fn path(&self, class: &str, file: &str) -> Option<String>;
    /// The text of a line, counted from 1, without its end.
    fn line(&self, class: &str, file: &str, line: u32) -> Option<String>;
    /// The text of a line of the file at a path.
    fn line_of(&self, path: &str, line: u32) -> Option<String>;
}

/// Sources that nobody has.
pub struct NoSources;

impl Sources for NoSources {
    fn path(&self, _: &str, _: &str) -> Option<String> {
        None
    }

    fn line(&self, _: &str, _: &str, _: u32) -> Option<String> {
        None
    }

    fn line_of(&self, _: &str, _: u32) -> Option<String> {
        None
    }
}

/// Every object of an execution, by index: the final heap has them all, the input heap only those
/// that were there.
fn every_object(execution: &Execution) -> &[Object] {
    match execution.post.len() >= execution.pre.len() {
        true => &execution.post,
        false => &execution.pre,
    }
}

/// The path of the source that a place is in; where nobody knows it, what its package suggests.
fn path_of(at: &Place, sources: &dyn Sources) -> String {
    // What belongs to no class is called by its path.
    if at.class.is_empty() {
        return at.file.clone();
    }
    sources.path(&at.class, &at.file).unwrap_or_else(|| {
        let (package, class) = at.class.rsplit_once('.').unwrap_or(("", &at.class));
        let class = class.split('$').next().unwrap_or(class);
        let file = if at.file.is_empty() { format!("{class}.java") } else { at.file.clone() };
        match package {
            "" => file,
            package => format!("{}/{file}", package.replace('.', "/")),
        }
    })
}

/// What a reader has to know beside violations: why a method is undecided or not searched completely,
/// and what is odd about its specification. Each is a sentence.
fn reservations(result: &MethodResult) -> Vec<String> {
    let name = result.name();
    let cause = result.cause().unwrap_or_default();
    let left_open = match &result.verdict {
        verify::Verdict::Undecided(_) => Some(format!("{name} is undecided: {cause}")),
        verify::Verdict::Verified { cut } if cut.is_empty() => None,
        verify::Verdict::Verified { .. } => Some(format!("{name} is not exhaustive: {cause}")),
        verify::Verdict::Violated(_) => {
            let cause = result.incomplete.as_ref();
            cause.map(|cause| format!("{name} may violate more than is shown: {cause}"))
        }
    };
    let warnings = result.warnings.iter().map(|warning| format!("{name}: {warning}"));
    left_open.into_iter().chain(warnings).collect()
}

/// The path of the file with a method, or of the one that could not be used.
fn file_of(result: &MethodResult, sources: &dyn Sources) -> Option<String> {
    let unusable = result.unusable_path().map(str::to_string);
    unusable.or_else(|| sources.path(&result.class, &result.file))
}

/// Where a method begins.
fn start_of(result: &MethodResult) -> Place {
    let MethodResult { class, method, file, line, .. } = result;
    if let Some(path) = result.unusable_path() {
        let (class, method) = (String::new(), result.name());
        return Place { class, method, file: path.into(), line: 0 };
    }
    Place { class: class.clone(), method: method.clone(), file: file.clone(), line: *line }
}

/// How many methods got which verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    verified: usize,
    violated: usize,
    undecided: usize,
    /// Of the undecided, those that are no methods but files and classes that could not be used.
    unusable: usize,
    /// Of the violated, those of which everything is accepted.
    accepted: usize,
}

impl Counts {
    fn of<'r>(results: impl IntoIterator<Item = &'r MethodResult>) -> Counts {
        let mut counts = Counts::default();
        for result in results {
            match result.verdict {
                verify::Verdict::Verified { .. } => counts.verified += 1,
                verify::Verdict::Violated(_) => {
                    counts.violated += 1;
                    counts.accepted += usize::from(result.is_accepted());
                }
                verify::Verdict::Undecided(_) => {
                    counts.undecided += 1;
                    counts.unusable += usize::from(result.unusable_path().is_some());
                }
            }
        }
        counts
    }
}
