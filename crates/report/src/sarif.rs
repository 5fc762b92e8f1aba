//! SARIF 2.1.0, for code scanning: a rule for each property, the execution as a code flow with the
//! values at each step, and a fingerprint that survives edits elsewhere.
//!
//! Services accept only so much, and drop the rest or everything; what is above their limits is left
//! out here, the least interesting first, and said.

use std::collections::BTreeMap;

use serde_json::json;
use serde_sarif::sarif::{
    ArtifactLocation, CodeFlow, Invocation, Location, LogicalLocation, Message,
    MultiformatMessageString, Notification, PhysicalLocation, PropertyBag, Region,
    ReportingDescriptor, Result as Finding, ResultKind, ResultLevel, Run as SarifRun, Sarif,
    Suppression, ThreadFlow, ThreadFlowLocation, Tool, ToolComponent,
};
use verify::execution::Place;
use verify::{AcceptedBy, MethodResult, Property, Replay, Severity, Violation};

use crate::rules::rule;
use crate::values::Values;
use crate::{Run, Sources, path_of, reservations, start_of};

/// Results that code scanning shows.
const MOST_RESULTS: usize = 5_000;

/// Steps of a code flow that code scanning shows.
const MOST_STEPS: usize = 1_000;

/// Sentences about what is left open.
const MOST_NOTIFICATIONS: usize = 1_000;

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The whole document, on one line with an end.
pub fn sarif(run: &Run<'_>) -> String {
    let document =
        Sarif::builder().schema(SCHEMA).version(json!("2.1.0")).runs(vec![described(run)]).build();
    let mut text =
        serde_json::to_string(&document).expect("the document has string keys and finite numbers");
    text.push('\n');
    text
}

fn described(run: &Run<'_>) -> SarifRun {
    let driver = ToolComponent::builder()
        .name("jarosite")
        .version(env!("CARGO_PKG_VERSION"))
        .semantic_version(env!("CARGO_PKG_VERSION"))
        .rules(Property::ALL.into_iter().map(descriptor).collect::<Vec<_>>())
        .build();
    let violations = run.results.iter().flat_map(|r| {
        let found = r.violations().iter().chain(&r.possible);
        found.map(move |violation| (r, violation))
    });
    // What is new comes first, in case there is too much.
    let (fresh, accepted): (Vec<_>, Vec<_>) =
        violations.partition(|(_, v)| v.review.accepted.is_none());
    let shown = fresh.into_iter().chain(accepted);
    let findings: Vec<Finding> =
        shown.take(MOST_RESULTS).map(|(r, v)| finding(r, v, run.sources)).collect();
    SarifRun::builder()
        .tool(Tool::builder().driver(driver).build())
        .invocations(vec![invocation(run)])
        .column_kind(json!("unicodeCodePoints"))
        .results(findings)
        .build()
}

fn descriptor(property: Property) -> ReportingDescriptor {
    let rule = rule(property);
    let tags = match property {
        Property::Requires
        | Property::Ensures
        | Property::Signals
        | Property::SignalsOnly
        | Property::Assignable
        | Property::Invariant
        | Property::LoopInvariant
        | Property::Decreases
        | Property::Accessible
        | Property::Callable
        | Property::Readable
        | Property::Writable => vec!["correctness".to_string(), "specification".to_string()],
        _ => vec!["correctness".to_string()],
    };
    ReportingDescriptor::builder()
        .id(property.name())
        .short_description(words(rule.short))
        .full_description(words(rule.short))
        .help(words(rule.help))
        .properties(PropertyBag::builder().tags(tags).build())
        .build()
}

/// What is left open is no result, but whoever reads the results has to know.
fn invocation(run: &Run<'_>) -> Invocation {
    let said = run.results.iter().flat_map(|r| reservations(r).into_iter().map(move |s| (r, s)));
    let notes = said.take(MOST_NOTIFICATIONS).map(|(result, sentence)| {
        let level = if result.unusable_path().is_some() { "error" } else { "warning" };
        Notification::builder()
            .level(json!(level))
            .message(message_of(&sentence))
            .locations(vec![location(&start_of(result), run.sources, None)])
            .build()
    });
    let complaints = run.diagnostics.iter().map(|diagnostic| {
        Notification::builder().level(json!("warning")).message(message_of(diagnostic)).build()
    });
    // Whoever reads no further than this must not take a part for the whole.
    let is_whole = run.results.iter().all(|r| r.unusable_path().is_none());
    Invocation::builder()
        .execution_successful(is_whole)
        .tool_execution_notifications(notes.collect::<Vec<_>>())
        .tool_configuration_notifications(complaints.collect::<Vec<_>>())
        .build()
}

fn finding(result: &MethodResult, violation: &Violation, sources: &dyn Sources) -> Finding {
    let mut text = violation.message.clone();
    match &violation.replay {
        Replay::Confirmed => text.push_str(" (confirmed on the JVM)"),
        Replay::Skipped(why) => text.push_str(&format!(" (not replayed: {why})")),
        Replay::Refuted(_) => {}
    }
    let fingerprint = &violation.review.fingerprint;
    let print = BTreeMap::from([("jarosite/v1".to_string(), fingerprint.clone())]);
    let index = Property::ALL.iter().position(|p| *p == violation.property).unwrap_or(0);
    let mut finding = Finding::builder()
        .rule_id(violation.property.name())
        .rule_index(index as i64)
        .kind(ResultKind::Fail)
        .level(match violation.severity {
            Severity::Error => ResultLevel::Error,
            Severity::Warning => ResultLevel::Warning,
        })
        .message(message_of(&text))
        .locations(vec![location(&violation.at, sources, None)])
        .code_flows(vec![code_flow(violation, sources)])
        .build();
    if !fingerprint.is_empty() {
        finding.partial_fingerprints = Some(print);
    }
    if let Some(clause) = &violation.clause {
        let about = format!("the clause: {}", clause.text);
        let at = physical(&clause.file, clause.line);
        let related = Location::builder().physical_location(at).message(message_of(&about)).build();
        finding.related_locations = Some(vec![related]);
    }
    let checked = format!("{}.{}", result.class, result.method);
    let properties = BTreeMap::from([("checkedMethod".to_string(), json!(checked))]);
    finding.properties = Some(PropertyBag::builder().additional_properties(properties).build());
    if let Some(accepted) = &violation.review.accepted {
        let kind = match accepted.by {
            AcceptedBy::Comment => "inSource",
            AcceptedBy::Configuration | AcceptedBy::Baseline => "external",
        };
        let suppression =
            Suppression::builder().kind(json!(kind)).justification(accepted.reason.clone());
        finding.suppressions = Some(vec![suppression.build()]);
        if accepted.by == AcceptedBy::Baseline {
            finding.baseline_state = Some(json!("unchanged"));
        }
    }
    finding
}

/// The execution, line by line; of a long one its end, which is where it goes wrong.
fn code_flow(violation: &Violation, sources: &dyn Sources) -> CodeFlow {
    let execution = &violation.execution;
    let values = Values::of(execution, true);
    let arguments = execution.receiver.iter().map(|r| ("this".to_string(), *r));
    let arguments: Vec<_> = arguments.chain(execution.arguments.iter().cloned()).collect();
    let left_out = (execution.trace.len() + 1).saturating_sub(MOST_STEPS);
    let mut steps = Vec::new();
    for (number, step) in execution.trace.iter().enumerate().skip(left_out) {
        let first = number == left_out;
        let inputs = if first { &arguments[..] } else { &[] };
        let changed = inputs.iter().chain(&step.updates);
        let state: Vec<(String, String)> =
            changed.map(|(name, value)| (name.clone(), values.datum(*value))).collect();
        let said: Vec<String> = state.iter().map(|(n, v)| format!("{n} = {v}")).collect();
        let mut said = said.join(", ");
        if first && left_out > 0 {
            said = format!("{left_out} steps before this one are left out; {said}");
        }
        let said = Some(said).filter(|said| !said.is_empty());
        let mut flow = ThreadFlowLocation::builder()
            .location(location(&step.place, sources, said.as_deref()))
            .execution_order(steps.len() as i64 + 1)
            .nesting_level(i64::from(step.depth))
            .build();
        if !state.is_empty() {
            flow.state = Some(state.iter().map(|(n, v)| (n.clone(), words(v))).collect());
        }
        steps.push(flow);
    }
    let end = ThreadFlowLocation::builder()
        .location(location(&violation.at, sources, Some(&violation.message)))
        .execution_order(steps.len() as i64 + 1)
        .importance(json!("essential"));
    steps.push(end.build());
    let flow = ThreadFlow::builder().locations(steps).build();
    CodeFlow::builder().thread_flows(vec![flow]).build()
}

fn location(at: &Place, sources: &dyn Sources, said: Option<&str>) -> Location {
    let name = match at.class.as_str() {
        "" => at.method.clone(),
        class => format!("{class}.{}", at.method),
    };
    let logical = LogicalLocation::builder().fully_qualified_name(name).kind("function").build();
    let mut location = Location::builder()
        .physical_location(physical(&path_of(at, sources), at.line))
        .logical_locations(vec![logical])
        .build();
    location.message = said.map(message_of);
    location
}

fn physical(path: &str, line: u32) -> PhysicalLocation {
    let artifact = ArtifactLocation::builder().uri(uri(path)).build();
    let region = Region::builder().start_line(i64::from(line.max(1))).build();
    PhysicalLocation::builder().artifact_location(artifact).region(region).build()
}

fn message_of(text: &str) -> Message {
    Message::builder().text(text).build()
}

fn words(text: &str) -> MultiformatMessageString {
    MultiformatMessageString::builder().text(text).build()
}

/// A path as a URI: relative ones stay so, as services want them.
fn uri(path: &str) -> String {
    let path = path.replace('\\', "/");
    let mut uri = String::new();
    if path.starts_with('/') {
        uri.push_str("file://");
    }
    for byte in path.trim_start_matches("./").bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(byte.into());
            }
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn paths_become_uris() {
        assert_eq!(uri("./src/My List.java"), "src/My%20List.java");
        assert_eq!(uri("/a/b:c%.java"), "file:///a/b%3Ac%25.java");
        assert_eq!(uri("src\\A.java"), "src/A.java");
    }
}
