//! SARIF 2.1.0, for code scanning: a rule for each property, the execution as a code flow with the
//! values at each step, and a fingerprint that survives edits elsewhere.
//!
//! Services accept only so much, and drop the rest or everything; what is above their limits is left
//! out here, the least interesting first, and said.

use serde_json::{Value, json};
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
    let document = json!({ "$schema": SCHEMA, "version": "2.1.0", "runs": [described(run)] });
    format!("{document}\n")
}

fn described(run: &Run<'_>) -> Value {
    let violations = run.results.iter().flat_map(|r| {
        let found = r.violations().iter().chain(&r.possible);
        found.map(move |violation| (r, violation))
    });
    // What is new comes first, in case there is too much.
    let (fresh, accepted): (Vec<_>, Vec<_>) =
        violations.partition(|(_, v)| v.review.accepted.is_none());
    let shown = fresh.into_iter().chain(accepted);
    let findings: Vec<Value> =
        shown.take(MOST_RESULTS).map(|(r, v)| finding(r, v, run.sources)).collect();
    let driver = json!({
        "name": "jarosite",
        "version": env!("CARGO_PKG_VERSION"),
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": Property::ALL.into_iter().map(descriptor).collect::<Vec<_>>(),
    });
    json!({
        "tool": { "driver": driver },
        "invocations": [invocation(run)],
        "columnKind": "unicodeCodePoints",
        "results": findings,
    })
}

fn descriptor(property: Property) -> Value {
    let rule = rule(property);
    let tags = match property.is_about_clause() {
        true => json!(["correctness", "specification"]),
        false => json!(["correctness"]),
    };
    json!({
        "id": property.name(),
        "shortDescription": said(rule.short),
        "fullDescription": said(rule.short),
        "help": said(rule.help),
        "properties": { "tags": tags },
    })
}

/// What is left open is no result, but whoever reads the results has to know.
fn invocation(run: &Run<'_>) -> Value {
    let open = run.results.iter().flat_map(|r| reservations(r).into_iter().map(move |s| (r, s)));
    let notes = open.take(MOST_NOTIFICATIONS).map(|(result, sentence)| {
        let level = if result.unusable_path().is_some() { "error" } else { "warning" };
        let at = location(&start_of(result), run.sources, None);
        json!({ "level": level, "message": said(&sentence), "locations": [at] })
    });
    let complaints = run.diagnostics.iter();
    let complaints = complaints.map(|d| json!({ "level": "warning", "message": said(d) }));
    // Whoever reads no further than this must not take a part for the whole.
    let is_whole = run.results.iter().all(|r| r.unusable_path().is_none());
    json!({
        "executionSuccessful": is_whole,
        "toolExecutionNotifications": notes.collect::<Vec<_>>(),
        "toolConfigurationNotifications": complaints.collect::<Vec<_>>(),
    })
}

fn finding(result: &MethodResult, violation: &Violation, sources: &dyn Sources) -> Value {
    let mut text = violation.message.clone();
    match &violation.replay {
        Replay::Confirmed => text.push_str(" (confirmed on the JVM)"),
        Replay::Skipped(why) => text.push_str(&format!(" (not replayed: {why})")),
        Replay::Refuted(_) => {}
    }
    if let Some(missing) = &violation.missing {
        text.push_str(&format!("; nothing says that it needs {missing}"));
    }
    let level = match violation.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Precondition => "note",
    };
    let mut finding = json!({
        "ruleId": violation.property.name(),
        "ruleIndex": Property::ALL.iter().position(|p| *p == violation.property).unwrap_or(0),
        "kind": "fail",
        "level": level,
        "message": said(&text),
        "locations": [location(&violation.at, sources, None)],
        "codeFlows": [code_flow(violation, sources)],
        "properties": { "checkedMethod": format!("{}.{}", result.class, result.method) },
    });
    let fingerprint = &violation.review.fingerprint;
    if !fingerprint.is_empty() {
        finding["partialFingerprints"] = json!({ "jarosite/v1": fingerprint });
    }
    if let Some(clause) = &violation.clause {
        let about = said(&format!("the clause: {}", clause.text));
        let at = physical(&clause.file, clause.line);
        finding["relatedLocations"] = json!([{ "physicalLocation": at, "message": about }]);
    }
    if let Some(accepted) = &violation.review.accepted {
        let kind = match accepted.by {
            AcceptedBy::Comment => "inSource",
            AcceptedBy::Configuration | AcceptedBy::Baseline => "external",
        };
        finding["suppressions"] = json!([{ "kind": kind, "justification": accepted.reason }]);
        if accepted.by == AcceptedBy::Baseline {
            finding["baselineState"] = json!("unchanged");
        }
    }
    finding
}

/// The execution, line by line; of a long one its end, which is where it goes wrong.
fn code_flow(violation: &Violation, sources: &dyn Sources) -> Value {
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
        let told: Vec<String> = state.iter().map(|(n, v)| format!("{n} = {v}")).collect();
        let mut told = told.join(", ");
        if first && left_out > 0 {
            told = format!("{left_out} steps before this one are left out; {told}");
        }
        let told = Some(told).filter(|told| !told.is_empty());
        let mut flow = json!({
            "location": location(&step.place, sources, told.as_deref()),
            "executionOrder": steps.len() + 1,
            "nestingLevel": step.depth,
        });
        if !state.is_empty() {
            flow["state"] = state.iter().map(|(name, value)| (name.clone(), said(value))).collect();
        }
        steps.push(flow);
    }
    steps.push(json!({
        "location": location(&violation.at, sources, Some(&violation.message)),
        "executionOrder": steps.len() + 1,
        "importance": "essential",
    }));
    json!({ "threadFlows": [{ "locations": steps }] })
}

fn location(at: &Place, sources: &dyn Sources, told: Option<&str>) -> Value {
    let name = match at.class.as_str() {
        "" => at.method.clone(),
        class => format!("{class}.{}", at.method),
    };
    let mut location = json!({
        "physicalLocation": physical(&path_of(at, sources), at.line),
        "logicalLocations": [{ "fullyQualifiedName": name, "kind": "function" }],
    });
    if let Some(told) = told {
        location["message"] = said(told);
    }
    location
}

fn physical(path: &str, line: u32) -> Value {
    json!({ "artifactLocation": { "uri": uri(path) }, "region": { "startLine": line.max(1) } })
}

/// A text, as messages and descriptions have it.
fn said(text: &str) -> Value {
    json!({ "text": text })
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
