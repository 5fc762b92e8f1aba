//! The report as one page for a browser: what was found, beside the source.
//!
//! Each line of a source shows what is said about it: the invariants of a proof, the predicates that
//! hold behind it, the values of an execution. What contradicts itself stands out, and what does not
//! matter is dim. The page is complete in itself.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use explain::tell::Told;

use super::replay::Replay;
use super::report::Report;
use crate::files;

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:75rem;padding:0 1rem}\
    table{border-collapse:collapse;font:13px/1.45 ui-monospace,monospace;width:100%}\
    td{padding:0 .6rem;vertical-align:top;white-space:pre-wrap}td.n{color:#888;text-align:right;width:3rem}\
    td.s{color:#06558f}tr.dim td{opacity:.5}tr.against td{background:#ffd9d4}tr.matters td{background:#fff4cf}\
    .verdict{font-size:1.3rem;font-weight:600}\
    @media(prefers-color-scheme:dark){body{background:#1b1b1b;color:#ddd}td.s{color:#7fc1f5}\
    tr.against td{background:#5a2620}tr.matters td{background:#4a4220}}";

/// How a line stands out.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Weight {
    Dim,
    Matters,
    Against,
}

/// What a section says about the lines of its sources.
#[derive(Default)]
struct Lines {
    said: BTreeMap<(String, u32), Vec<String>>,
    weights: BTreeMap<(String, u32), Weight>,
}

impl Report {
    /// The whole page.
    pub fn html(&self) -> String {
        let mut body = String::new();
        let (word, detail) = match self.verdict {
            "verified" => ("Unreachable", "no execution reaches it".to_owned()),
            "violated" => ("Reachable", self.replayed()),
            _ => ("Undecided", self.cause.clone().unwrap_or_default()),
        };
        let _ = write!(
            body,
            "<p class=\"verdict\">{word}: {}</p><p>{}</p>",
            escaped(&self.to),
            escaped(&detail)
        );
        if !self.invariants.is_empty() {
            let mut lines = Lines::default();
            for invariant in &self.invariants {
                let key = (invariant.file.clone(), invariant.line);
                let text = format!("always: {}", invariant.text);
                lines.said.entry(key.clone()).or_default().push(text);
                lines.weights.insert(key, Weight::Matters);
            }
            self.section(&mut body, "What holds at the heads of loops", &lines);
        }
        if let Some(execution) = &self.execution {
            let inputs = execution.inputs.iter();
            let inputs: Vec<String> =
                inputs.map(|(name, value)| format!("{name} = {value}")).collect();
            let _ = write!(body, "<p>Inputs: {}</p>", escaped(&inputs.join(", ")));
            self.section(&mut body, "An execution", &lines_of(&execution.steps));
        }
        for (number, reason) in self.reasons.iter().enumerate() {
            let predicates: Vec<&str> =
                reason.predicates.iter().map(|said| said.text.as_str()).collect();
            let title = format!(
                "Why {} path(s) cannot be taken ({}): {}",
                reason.paths,
                number + 1,
                predicates.join(", ")
            );
            self.section(&mut body, &title, &lines_of(&reason.path));
        }
        let notes: String =
            self.notes.iter().map(|note| format!("<li>{}</li>", escaped(note))).collect();
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\
             <meta name=\"color-scheme\" content=\"light dark\"><title>Jarosite explains</title>\
             <style>{STYLE}</style></head><body>{body}<ul>{notes}</ul></body></html>\n"
        )
    }

    fn replayed(&self) -> String {
        match &self.replay {
            Some(Replay::Confirmed(how)) => format!("confirmed: {how}"),
            Some(Replay::Skipped(why)) => format!("not confirmed: {why}"),
            Some(Replay::Refuted(what)) => format!("refuted: {what}"),
            None => String::new(),
        }
    }

    /// The sources, with what is said about their lines.
    fn section(&self, body: &mut String, title: &str, lines: &Lines) {
        let _ = write!(body, "<h2>{}</h2>", escaped(title));
        for file in &self.files {
            let Ok(text) = files::read_to_string(Path::new(file)) else { continue };
            let _ = write!(body, "<table aria-label=\"{}\">", escaped(file));
            for (number, line) in text.lines().enumerate() {
                let key = (file.clone(), number as u32 + 1);
                let class = match lines.weights.get(&key) {
                    Some(Weight::Against) => "against",
                    Some(Weight::Matters) => "matters",
                    Some(Weight::Dim) | None => "dim",
                };
                let said = lines.said.get(&key).map(|said| said.join("; ")).unwrap_or_default();
                let _ = write!(
                    body,
                    "<tr class=\"{class}\"><td class=\"n\">{}</td><td>{}</td><td class=\"s\">{}</td></tr>",
                    number + 1,
                    escaped(line),
                    escaped(&said)
                );
            }
            body.push_str("</table>");
        }
    }
}

fn lines_of(path: &[Told]) -> Lines {
    let mut lines = Lines::default();
    let mut seen = BTreeSet::new();
    for step in path {
        let key = (step.file.clone(), step.line);
        let weight = match (step.contradicts, step.relevant) {
            (true, _) => Weight::Against,
            (_, true) => Weight::Matters,
            _ => Weight::Dim,
        };
        let known = lines.weights.entry(key.clone()).or_insert(weight);
        *known = (*known).max(weight);
        for said in &step.after {
            if seen.insert((key.clone(), said.clone())) {
                lines.said.entry(key.clone()).or_default().push(said.clone());
            }
        }
    }
    lines
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
