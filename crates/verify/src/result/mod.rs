//! What a check comes to. A verdict is never a bool.

pub mod inferred;
pub mod lever;

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::time::Duration;

use encode::Subject;
use encode::execution::{Datum, Execution, Place};
use encode::goal::Property;
use ir::MethodId;
use serde::{Deserialize, Serialize};

use inferred::InferredSpec;
use lever::Lever;

/// The answer for one method, within its scope.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Verdict {
    /// No execution in the scope violates a property. `cut` names the loops and calls at which
    /// an explicit `--unroll` cut executions off; it is empty if the search was exhaustive.
    Verified {
        cut: Vec<String>,
    },
    /// At least one execution violates a property.
    Violated(Vec<Violation>),
    Undecided(Cause),
}

/// Why a method is undecided.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Cause {
    Timeout,
    /// The user wanted an end.
    Interrupted,
    Memory,
    /// Something without a model, and where given code reaches it.
    Unsupported {
        what: String,
        at: Option<Place>,
    },
    /// A loop or recursion that goes on beyond the cap.
    Unbounded {
        what: String,
        at: Option<Place>,
    },
    /// The specification cannot be understood or is not supported.
    Specification {
        what: String,
        at: Option<Place>,
    },
    /// Nothing in the scope satisfies what is assumed; the clauses to blame.
    Vacuous(String),
    /// The same, but in a larger scope something does: the bound that is too small, and what would do.
    Narrow(String),
    /// The JVM did not do what was predicted: our mistake.
    Refuted(String),
    /// Something fails in a state that satisfies all that is stated, but to which no way is known.
    Possible {
        what: String,
        /// Whether there was time to look for a way.
        is_searched: bool,
    },
    /// The tool failed on this method: our mistake.
    Internal(String),
    /// This is no method, but a file or class that was given and could not be read, compiled or loaded.
    Unusable {
        /// The file, as the user wrote it.
        path: String,
        why: String,
    },
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = |at: &Option<Place>| match at {
            Some(at) if !at.file.is_empty() => format!(" ({}:{})", at.file, at.line),
            _ => String::new(),
        };
        match self {
            Cause::Timeout => f.write_str("timeout"),
            Cause::Interrupted => f.write_str("interrupted"),
            Cause::Memory => f.write_str("memory"),
            Cause::Unsupported { what, at } => write!(f, "unsupported: {what}{}", place(at)),
            Cause::Unbounded { what, at } => write!(f, "unbounded: {what}{}", place(at)),
            Cause::Specification { what, at } => write!(f, "specification: {what}{}", place(at)),
            Cause::Vacuous(what) | Cause::Narrow(what) => write!(f, "vacuous: {what}"),
            Cause::Refuted(why) => write!(f, "refuted: {why}"),
            Cause::Possible { what, .. } => write!(f, "possible: {what}"),
            Cause::Internal(why) => write!(f, "internal error: {why}"),
            Cause::Unusable { why, .. } => write!(f, "unusable: {why}"),
        }
    }
}

/// A violated property with the execution that shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Violation {
    pub property: Property,
    pub message: String,
    pub at: Place,
    /// The clause that is violated, if a specification is.
    pub clause: Option<ViolatedClause>,
    pub execution: Execution,
    pub replay: Replay,
    /// The message of the exception on the JVM: it often says which reference was null.
    pub said: Option<String>,
    /// What the project thinks of it.
    pub review: Review,
    #[serde(default)]
    pub severity: Severity,
    /// The condition on the arguments without which it happens, in JML, where a simple one is exact.
    #[serde(default)]
    pub missing: Option<String>,
}

/// How much a violation says about the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Severity {
    /// A program comes there, or the author says that it may.
    #[default]
    Error,
    /// It happens in a state that no program is known to reach.
    Warning,
    /// The method demands something of its arguments that nobody wrote down.
    Precondition,
}

impl Severity {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Precondition => "precondition",
        }
    }
}

/// What is known of a violation beyond the run that found it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Review {
    /// The same in every run, wherever its line moves to; empty until somebody works it out.
    pub fingerprint: String,
    /// Set if the violation is known and does not fail a build.
    pub accepted: Option<Accepted>,
}

/// Why a violation does not fail a build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accepted {
    pub by: AcceptedBy,
    /// In the words of whoever accepted it.
    pub reason: String,
}

/// Where it is said that a violation is accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AcceptedBy {
    /// A comment in the source.
    Comment,
    /// The configuration of the project.
    Configuration,
    /// It was there when the baseline was written.
    Baseline,
}

impl AcceptedBy {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            AcceptedBy::Comment => "comment",
            AcceptedBy::Configuration => "configuration",
            AcceptedBy::Baseline => "baseline",
        }
    }
}

/// A violated clause, and which part of it fails.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ViolatedClause {
    /// The path of the file as it was given.
    pub file: String,
    pub line: u32,
    pub column: u32,
    /// The clause as written, on one line.
    pub text: String,
    /// The smallest part that fails, where that is less than the whole.
    pub part: Option<String>,
    /// Values of the quantified variables for which it fails.
    pub witness: Vec<(String, Datum)>,
    /// What the part that fails compares, as written, with its values.
    pub sides: Vec<(String, Datum)>,
    /// Why the clause has no value: a null reference in it, say.
    pub note: Option<String>,
}

/// What the JVM said about a counterexample.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Replay {
    /// It happened as predicted.
    Confirmed,
    /// It did not; the sentence says how it differs.
    Refuted(String),
    /// It was not run, and why.
    Skipped(String),
}

/// Runs counterexamples on a real JVM.
pub trait Judge: Sync {
    /// What became of it, and the message of the exception that left the method, if any. Where a time is given,
    /// an execution that takes longer is skipped.
    fn replay(&self, execution: &Execution, time: Option<Duration>) -> (Replay, Option<String>);
}

/// How bounds came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub enum BoundsUse {
    #[default]
    Off,
    Computed,
    /// Found in the store.
    Hit,
}

/// What a check cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Stats {
    pub time_ms: u64,
    pub encode_ms: u64,
    pub solve_ms: u64,
    pub variables: u64,
    pub clauses: u64,
    /// Bits of the input.
    pub primary_variables: u64,
    /// Instructions executed symbolically.
    pub instructions: u64,
    /// Whether tight bounds restricted the input.
    pub bounds: BoundsUse,
    /// Parts that the method's paths were checked in.
    pub subproblems: u64,
    /// How often the specification of a called method was refined.
    pub refinements: u64,
    /// Where not all parts were decided, the share of the paths that those have which were.
    pub paths_proven: Option<f64>,
    /// Whether an earlier run paid for it.
    #[serde(default)]
    pub cached: bool,
}

/// One method's line in every report; or that of a file or class that could not be used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MethodResult {
    /// Java name of the class; empty for a file that could not be used.
    pub class: String,
    /// `insert(int)`; empty for a file or class that could not be used.
    pub method: String,
    /// Source file name; empty if unknown.
    pub file: String,
    /// First line of the body; 0 if unknown.
    pub line: u32,
    pub verdict: Verdict,
    /// A reason why a violated method was not searched completely, if any.
    pub incomplete: Option<Cause>,
    /// What is odd about its specification, each in a sentence.
    pub warnings: Vec<String>,
    /// Objects of each class in the input heap.
    pub scope: BTreeMap<String, u32>,
    /// Arrays and strings beyond the lengths of the scope, where constants ask for them.
    pub longer: Option<Longer>,
    /// Loop iterations and recursion depth that were followed.
    pub unroll: u32,
    pub stats: Stats,
    /// What was found out about called methods, where they were abstracted.
    pub inferred: Vec<InferredSpec>,
    /// Where something is open, the option that bounds most of the input.
    #[serde(default)]
    pub lever: Option<Lever>,
    /// Violations in states that no program is known to reach.
    #[serde(default)]
    pub possible: Vec<Violation>,
    /// What was assumed of the objects of the input.
    #[serde(default)]
    pub assumed: Vec<Assumed>,
}

/// Something that every object of a class satisfies whenever no method of it is at work.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Assumed {
    /// Java name of the class.
    pub class: String,
    /// The clause, as it is or would be written.
    pub text: String,
    pub is_inferred: bool,
}

/// Longer inputs than the scope has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Longer {
    /// The longest array and the longest string.
    pub arrays: u32,
    pub strings: u32,
    /// The clauses or lines that ask for them.
    pub by: String,
    /// Whether there was time for them.
    pub is_searched: bool,
}

impl MethodResult {
    /// A method of which nothing was found out.
    pub fn undecided(class: String, method: String, cause: Cause) -> MethodResult {
        MethodResult {
            class,
            method,
            file: String::new(),
            line: 0,
            verdict: Verdict::Undecided(cause),
            incomplete: None,
            warnings: Vec::new(),
            scope: BTreeMap::new(),
            longer: None,
            unroll: 0,
            stats: Stats::default(),
            inferred: Vec::new(),
            lever: None,
            possible: Vec::new(),
            assumed: Vec::new(),
        }
    }

    /// A method of the program of which nothing was found out.
    pub(crate) fn nothing_about(
        subject: Subject<'_>,
        method: MethodId,
        cause: Cause,
    ) -> MethodResult {
        let program = subject.program;
        let declared = program.method(method);
        let class = program.class(declared.class).ok();
        let name = program.class_name(declared.class).to_string();
        MethodResult {
            file: class.and_then(|c| c.source_file.clone()).unwrap_or_default(),
            line: declared.line.unwrap_or(0),
            ..MethodResult::undecided(name, program.signature(declared), cause)
        }
    }

    /// A file that was given, or a class in it, of which nothing could be checked.
    pub fn unusable(class: Option<String>, path: &Path, why: &str) -> MethodResult {
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let cause = Cause::Unusable { path: path.display().to_string(), why: why.into() };
        let nothing = MethodResult::undecided(class.unwrap_or_default(), String::new(), cause);
        MethodResult { file, ..nothing }
    }

    /// The file that could not be used, if this is no method.
    pub fn unusable_path(&self) -> Option<&str> {
        match &self.verdict {
            Verdict::Undecided(Cause::Unusable { path, .. }) => Some(path),
            _ => None,
        }
    }

    /// `p.Stack.pop()`, or the class or file that could not be used.
    pub fn name(&self) -> String {
        match (self.unusable_path(), self.class.as_str()) {
            (Some(path), "") => path.to_string(),
            (Some(_), class) => class.to_string(),
            (None, class) => format!("{class}.{}", self.method),
        }
    }

    /// The violations that were found, if any.
    pub fn violations(&self) -> &[Violation] {
        match &self.verdict {
            Verdict::Violated(violations) => violations,
            Verdict::Verified { .. } | Verdict::Undecided(_) => &[],
        }
    }

    /// Whether there are violations, all of which are accepted.
    pub fn is_accepted(&self) -> bool {
        let violations = self.violations();
        !violations.is_empty() && violations.iter().all(|v| v.review.accepted.is_some())
    }

    /// Calls an end that came too early by its reason.
    pub(crate) fn ended_by(mut self, cause: Cause) -> MethodResult {
        if self.verdict == Verdict::Undecided(Cause::Timeout) {
            self.verdict = Verdict::Undecided(cause);
        } else if self.incomplete == Some(Cause::Timeout) {
            self.incomplete = Some(cause);
        }
        self
    }

    /// Why not everything is decided, if it is not.
    pub fn open(&self) -> Option<&Cause> {
        match &self.verdict {
            Verdict::Undecided(cause) => Some(cause),
            Verdict::Verified { .. } | Verdict::Violated(_) => self.incomplete.as_ref(),
        }
    }

    /// Whether every execution in the heap scope was followed to its end.
    pub fn is_exhaustive(&self) -> bool {
        match &self.verdict {
            Verdict::Verified { cut } => cut.is_empty(),
            Verdict::Violated(_) => self.incomplete.is_none(),
            Verdict::Undecided(_) => false,
        }
    }

    /// The cause that reports show beside the verdict.
    pub fn cause(&self) -> Option<String> {
        match &self.verdict {
            Verdict::Verified { cut } if cut.is_empty() => None,
            Verdict::Verified { cut } => Some(format!("cut: {}", cut.join("; "))),
            Verdict::Violated(_) => self.incomplete.as_ref().map(Cause::to_string),
            Verdict::Undecided(cause) => Some(cause.to_string()),
        }
    }
}
