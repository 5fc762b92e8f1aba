//! The shape of the document: one struct for each JSON object, keys in the order of the contract.
//! Keys beyond the contract come last.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::Entries;

#[derive(Serialize)]
pub(super) struct Document<'a> {
    pub schema: &'static str,
    pub tool: Tool,
    pub summary: Summary,
    pub results: Vec<Method<'a>>,
    pub diagnostics: &'a [String],
    pub limits: Limits,
    /// Of the JVM that repeats executions: `complete`, `filter`, `landlock`, `none`; null if replay is off.
    pub sandbox: Option<&'a str>,
}

/// In place of a document, where nothing was checked.
#[derive(Serialize)]
pub(super) struct Refusal<'a> {
    pub schema: &'static str,
    pub tool: Tool,
    pub summary: Summary,
    pub results: [(); 0],
    pub error: &'a str,
}

/// The part of the scope that is the same for all methods.
#[derive(Serialize)]
pub(super) struct Limits {
    pub array_length: u32,
    pub string_length: u32,
    pub int_bits: u32,
}

#[derive(Serialize)]
pub(super) struct Tool {
    pub name: &'static str,
    pub version: &'static str,
}

#[derive(Serialize)]
pub(super) struct Summary {
    pub methods: usize,
    pub verified: usize,
    pub violated: usize,
    pub undecided: usize,
    pub time_ms: u64,
    /// Of the violated, those of which everything is accepted.
    pub accepted: usize,
    /// Of the undecided, those that are no methods but files and classes that could not be used.
    pub unusable: usize,
}

/// One method. Its fields are the format: other programs read them.
#[derive(Serialize)]
pub(super) struct Method<'a> {
    /// Empty for a file that could not be used.
    pub class: &'a str,
    /// Empty for a file or class that could not be used.
    pub method: &'a str,
    /// Name without directories; empty if unknown.
    pub file: &'a str,
    /// 0 if unknown.
    pub line: u32,
    pub verdict: &'static str,
    pub exhaustive: bool,
    pub cause: Option<String>,
    pub scope: &'a BTreeMap<String, u32>,
    /// Only where constants ask for longer arrays or strings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub longer: Option<Longer<'a>>,
    pub unroll: u32,
    pub stats: Statistics,
    pub violations: Vec<Violation<'a>>,
    /// Where the file is, if that is known.
    pub path: Option<String>,
    /// What is odd about the specification.
    pub warnings: &'a [String],
    /// What was found out about called methods, where they were abstracted.
    pub inferred_specs: Vec<InferredSpec<'a>>,
    /// Whether the verdict is known from an earlier run.
    pub cached: bool,
    /// What to do about what is open.
    pub hint: Option<String>,
    /// What every object of the input is assumed to satisfy.
    pub assumed: Vec<Assumed<'a>>,
}

#[derive(Serialize)]
pub(super) struct Assumed<'a> {
    pub class: &'a str,
    pub text: &'a str,
    /// `inferred` or `declared`.
    pub origin: &'static str,
}

/// What constants ask for beyond the scope.
#[derive(Serialize)]
pub(super) struct Longer<'a> {
    pub array_length: u32,
    pub string_length: u32,
    #[serde(rename = "for")]
    pub by: &'a str,
    /// Whether there was time to search it.
    pub searched: bool,
}

#[derive(Serialize)]
pub(super) struct InferredSpec<'a> {
    pub method: &'a str,
    pub calls: usize,
    pub followed: usize,
    pub changes: &'a [String],
    pub specification: &'a [String],
    pub jml: &'a [String],
}

#[derive(Serialize)]
pub(super) struct Statistics {
    pub time_ms: u64,
    pub encode_ms: u64,
    pub solve_ms: u64,
    pub variables: u64,
    pub clauses: u64,
    pub primary_variables: u64,
    pub refinements: u64,
    pub subproblems: u64,
    pub bounds: &'static str,
    pub instructions: u64,
    /// Only where the paths were divided and not all parts were decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paths_proven: Option<f64>,
}

#[derive(Serialize)]
pub(super) struct Violation<'a> {
    pub property: &'static str,
    /// Whether a program comes there.
    pub severity: &'static str,
    /// The condition on the arguments that nobody wrote down, where the finding is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub precondition: Option<&'a str>,
    /// How; null if that is not known, or no object is needed.
    pub route: Option<Route<'a>>,
    pub message: &'a str,
    pub location: Location<'a>,
    /// The violated clause; null for a property that needs no specification.
    pub clause: Option<Clause<'a>>,
    pub replay: &'static str,
    pub replay_detail: Option<&'a str>,
    pub pre_state: PreState<'a>,
    pub trace: Vec<Step<'a>>,
    pub post_state: PostState<'a>,
    /// The same in every run, wherever the line moves to.
    pub fingerprint: &'a str,
    /// Why it does not fail a build.
    pub accepted: Option<Accepted<'a>>,
}

#[derive(Serialize)]
pub(super) struct Route<'a> {
    pub calls: Vec<RouteCall<'a>>,
    /// The call that fails, as Java.
    pub last: String,
}

#[derive(Serialize)]
pub(super) struct RouteCall<'a> {
    pub class: &'a str,
    pub method: &'a str,
    pub descriptor: &'a str,
    /// As Java.
    pub text: String,
}

#[derive(Serialize)]
pub(super) struct Accepted<'a> {
    pub by: &'static str,
    pub reason: &'a str,
}

#[derive(Serialize)]
pub(super) struct Location<'a> {
    pub file: &'a str,
    pub line: u32,
    pub path: Option<String>,
}

#[derive(Serialize)]
pub(super) struct Clause<'a> {
    /// Name without directories.
    pub file: &'a str,
    pub line: u32,
    pub path: &'a str,
    pub column: u32,
    /// As written, on one line.
    pub text: &'a str,
    /// The smallest part that fails, where that is not the whole.
    pub part: Option<&'a str>,
    /// The quantified variables for which it fails.
    pub witness: Entries,
    /// Why it has no value.
    pub note: Option<&'a str>,
}

#[derive(Serialize)]
pub(super) struct PreState<'a> {
    pub this: Option<Value>,
    pub arguments: Entries,
    /// Classes whose initialisers run in the execution, where that matters.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub uninitialised: &'a [String],
    pub statics: Entries,
    pub heap: Entries,
}

#[derive(Serialize)]
pub(super) struct Step<'a> {
    pub file: &'a str,
    pub line: u32,
    pub method: String,
    pub depth: u32,
    pub updates: Entries,
}

#[derive(Serialize)]
pub(super) struct PostState<'a> {
    pub result: Option<Value>,
    pub exception: Option<&'a str>,
    /// Where the execution never ends: the step of the trace that comes after the last one shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeats_from: Option<usize>,
    pub heap: Entries,
    pub statics: Entries,
    pub thrown_at: Option<Location<'a>>,
}
