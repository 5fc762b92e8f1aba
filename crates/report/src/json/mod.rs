//! The JSON document `jarosite/1`. Other programs depend on it: keys may be added, none renamed,
//! removed or reordered.

mod document;
mod state;

use serde_json::{Map, Value};
use verify::execution::{Execution, Outcome, Place, Step};
use verify::result::ViolatedClause;
use verify::tighten::BoundsUse;
use verify::{Assumed, InferredSpec, MethodResult, Replay, Stats, Verdict, Violation};

use crate::{Counts, NoSources, Run, Sources, file_of, human, java, route as way};
use state::Naming;

/// The whole document, on one line with an end.
pub fn json(run: &Run<'_>) -> String {
    let mut text = serde_json::to_string(&document(run))
        .expect("the document has string keys and finite numbers only");
    text.push('\n');
    text
}

/// The document of a run in which nothing was checked, and why.
pub fn json_error(message: &str) -> String {
    let run = Run {
        results: &[],
        time_ms: 0,
        sources: &NoSources,
        diagnostics: &[],
        array_length: 0,
        string_length: 0,
        int_bits: 0,
        sandbox: None,
    };
    let empty = document(&run);
    let (schema, tool, summary) = (empty.schema, empty.tool, empty.summary);
    let refusal = document::Refusal { schema, tool, summary, results: [], error: message };
    let mut text =
        serde_json::to_string(&refusal).expect("the document has string keys and texts only");
    text.push('\n');
    text
}

fn document<'a>(run: &Run<'a>) -> document::Document<'a> {
    let counts = Counts::of(run.results);
    document::Document {
        schema: "jarosite/1",
        tool: document::Tool { name: "jarosite", version: env!("CARGO_PKG_VERSION") },
        summary: document::Summary {
            methods: run.results.len(),
            verified: counts.verified,
            violated: counts.violated,
            undecided: counts.undecided,
            time_ms: run.time_ms,
            accepted: counts.accepted,
            unusable: counts.unusable,
        },
        results: run.results.iter().map(|r| method(r, run.sources)).collect(),
        diagnostics: run.diagnostics,
        limits: document::Limits {
            array_length: run.array_length,
            string_length: run.string_length,
            int_bits: run.int_bits,
        },
        sandbox: run.sandbox,
    }
}

fn method<'a>(result: &'a MethodResult, sources: &dyn Sources) -> document::Method<'a> {
    let (verdict, found): (_, &[Violation]) = match &result.verdict {
        Verdict::Verified { .. } => ("verified", &[]),
        Verdict::Violated(violations) => ("violated", violations),
        Verdict::Undecided(_) => ("undecided", &[]),
    };
    document::Method {
        class: &result.class,
        method: &result.method,
        file: &result.file,
        line: result.line,
        verdict,
        exhaustive: result.is_exhaustive(),
        cause: result.cause(),
        scope: &result.scope,
        longer: result.longer.as_ref().map(|longer| document::Longer {
            array_length: longer.arrays,
            string_length: longer.strings,
            by: &longer.by,
            searched: longer.is_searched,
        }),
        unroll: result.unroll,
        stats: stats(&result.stats),
        violations: found.iter().chain(&result.possible).map(|v| violation(v, sources)).collect(),
        path: file_of(result, sources),
        warnings: &result.warnings,
        inferred_specs: result.inferred.iter().map(inferred_spec).collect(),
        cached: result.stats.cached,
        hint: result.open().map(|cause| human::hint(cause, result.lever)),
        assumed: result.assumed.iter().map(assumed).collect(),
    }
}

fn assumed(assumed: &Assumed) -> document::Assumed<'_> {
    let origin = if assumed.is_inferred { "inferred" } else { "declared" };
    document::Assumed { class: &assumed.class, text: &assumed.text, origin }
}

fn inferred_spec(spec: &InferredSpec) -> document::InferredSpec<'_> {
    document::InferredSpec {
        method: &spec.method,
        calls: spec.calls,
        followed: spec.followed,
        changes: &spec.changes,
        specification: &spec.says,
        jml: &spec.jml,
    }
}

fn stats(stats: &Stats) -> document::Statistics {
    document::Statistics {
        time_ms: stats.time_ms,
        encode_ms: stats.encode_ms,
        solve_ms: stats.solve_ms,
        variables: stats.variables,
        clauses: stats.clauses,
        primary_variables: stats.primary_variables,
        refinements: stats.refinements,
        subproblems: stats.subproblems.max(1),
        bounds: match stats.bounds {
            BoundsUse::Off => "off",
            BoundsUse::Computed => "computed",
            BoundsUse::Hit => "hit",
        },
        instructions: stats.instructions,
        paths_proven: stats.paths_proven,
    }
}

fn violation<'a>(violation: &'a Violation, sources: &dyn Sources) -> document::Violation<'a> {
    let execution = &violation.execution;
    let naming = Naming::of(execution);
    let (replay, replay_detail) = match &violation.replay {
        Replay::Confirmed => ("confirmed", None),
        Replay::Refuted(why) => ("refuted", Some(why.as_str())),
        Replay::Skipped(why) => ("skipped", Some(why.as_str())),
    };
    document::Violation {
        property: violation.property.name(),
        severity: violation.severity.name(),
        precondition: violation.missing.as_deref(),
        route: route(execution),
        message: &violation.message,
        location: location(&violation.at, sources),
        clause: violation.clause.as_ref().map(|c| clause(c, &naming)),
        replay,
        replay_detail,
        pre_state: document::PreState {
            this: execution.receiver.map(|r| naming.datum(r)),
            arguments: naming.named(execution.arguments.iter().map(|(n, v)| (n.as_str(), *v))),
            uninitialised: &execution.uninitialised,
            statics: naming.statics(&execution.statics),
            heap: naming.heap(&execution.pre),
        },
        trace: execution.trace.iter().map(|s| step(s, &naming)).collect(),
        post_state: post_state(violation, &naming, sources),
        fingerprint: &violation.review.fingerprint,
        accepted: violation
            .review
            .accepted
            .as_ref()
            .map(|a| document::Accepted { by: a.by.name(), reason: &a.reason }),
    }
}

/// The calls that lead to the input, if the code makes it.
fn route(execution: &Execution) -> Option<document::Route<'_>> {
    let lines = way::lines(execution, true)?;
    let calls = execution.route.iter().zip(lines.calls);
    let calls = calls.map(|(call, text)| document::RouteCall {
        class: &call.class,
        method: &call.method,
        descriptor: &call.descriptor,
        text,
    });
    Some(document::Route { calls: calls.collect(), last: lines.last })
}

fn clause<'a>(clause: &'a ViolatedClause, naming: &Naming<'_>) -> document::Clause<'a> {
    document::Clause {
        file: java::file_name(&clause.file),
        line: clause.line,
        path: &clause.file,
        column: clause.column,
        text: &clause.text,
        part: clause.part.as_deref(),
        witness: naming.named(clause.witness.iter().map(|(n, v)| (n.as_str(), *v))),
        note: clause.note.as_deref(),
    }
}

fn post_state<'a>(
    violation: &'a Violation,
    naming: &Naming<'_>,
    sources: &dyn Sources,
) -> document::PostState<'a> {
    let execution = &violation.execution;
    let (mut result, mut exception, mut thrown_at, mut repeats_from) = (None, None, None, None);
    match &execution.outcome {
        Outcome::Returned(value) => result = value.map(|v| naming.datum(v)),
        Outcome::Threw { class, at, .. } => {
            exception = Some(class.as_str());
            thrown_at = Some(location(at, sources));
        }
        Outcome::Repeats { stem, .. } => repeats_from = Some(*stem),
    }
    document::PostState {
        result,
        exception,
        repeats_from,
        heap: naming.heap(&execution.post),
        statics: naming.statics(&execution.post_statics),
        thrown_at,
    }
}

fn location<'a>(at: &'a Place, sources: &dyn Sources) -> document::Location<'a> {
    document::Location { file: &at.file, line: at.line, path: sources.path(&at.class, &at.file) }
}

fn step<'a>(step: &'a Step, naming: &Naming<'_>) -> document::Step<'a> {
    let updates = step.updates.iter().map(|(n, v)| (n.as_str(), *v));
    document::Step {
        file: &step.place.file,
        line: step.place.line,
        method: format!("{}.{}", step.place.class, step.place.method),
        depth: step.depth,
        updates: naming.named(updates),
    }
}

/// A JSON object in the order in which its entries were found.
pub(crate) type Entries = Map<String, Value>;
