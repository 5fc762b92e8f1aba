//! An execution as SARIF 2.1.0, for code scanning: one result with its steps as a code flow.

use explain::tell::Told;
use serde_json::{Value, json};

use super::replay::Replay;
use super::report::Report;

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Steps of a code flow that code scanning shows.
const MOST_STEPS: usize = 1_000;

impl Report {
    /// The whole document, on one line with an end.
    pub fn sarif(&self) -> String {
        let results: Vec<Value> =
            if self.verdict == "violated" { vec![self.finding()] } else { Vec::new() };
        let open: Vec<Value> = self
            .cause
            .iter()
            .map(|cause| json!({"level": "warning", "message": {"text": format!("undecided: {cause}")}}))
            .collect();
        let document = json!({
            "$schema": SCHEMA, "version": "2.1.0",
            "runs": [{
                "tool": {"driver": {
                    "name": "jarosite", "version": env!("CARGO_PKG_VERSION"),
                    "rules": [{"id": "reachable",
                               "shortDescription": {"text": "A point that should not be reached is reached"}}],
                }},
                "invocations": [{"executionSuccessful": self.cause.is_none(),
                                 "toolExecutionNotifications": open}],
                "results": results,
            }],
        });
        format!("{document}\n")
    }

    fn finding(&self) -> Value {
        let steps = self.execution.iter().flat_map(|execution| &execution.steps);
        let shown: Vec<&Told> = steps.filter(|step| step.line > 0).collect();
        let last = shown.last().map(|step| location(step, None));
        let flow = shown.iter().take(MOST_STEPS).map(|step| {
            let said = [step.text.clone(), step.after.join(", ")].join("  ");
            json!({"location": location(step, Some(said.trim()))})
        });
        let flow: Vec<Value> = flow.collect();
        let replay = match &self.replay {
            Some(Replay::Confirmed(how)) => format!("; confirmed: {how}"),
            Some(Replay::Skipped(why)) => format!("; not confirmed: {why}"),
            Some(Replay::Refuted(_)) | None => String::new(),
        };
        json!({
            "ruleId": "reachable", "level": "error",
            "message": {"text": format!("{} is reached{replay}", self.to)},
            "locations": last.into_iter().collect::<Vec<_>>(),
            "codeFlows": [{"threadFlows": [{"locations": flow}]}],
        })
    }
}

fn location(step: &Told, said: Option<&str>) -> Value {
    let mut location = json!({"physicalLocation": {
        "artifactLocation": {"uri": step.file.replace(' ', "%20")},
        "region": {"startLine": step.line},
    }});
    if let Some(said) = said {
        location["message"] = json!({"text": said});
    }
    location
}
