//! What `explain` has found out, for people and as JSON.

use std::fmt::Write;
use std::time::Duration;

use cfront::{Lowered, Target};
use explain::explanation::Explanation;
use explain::program::{Op, Path, Step};
use explain::reach::{Answer, Search};
use explain::tell::{self, Execution, Invariant, Reason, Told};
use serde_json::{Value, json};

use super::ExplainArgs;
use super::replay::Replay;

/// Everything that is shown.
pub struct Report {
    pub(super) to: String,
    pub(super) verdict: &'static str,
    pub(super) cause: Option<String>,
    proof: Option<&'static str>,
    states: usize,
    rechecked: bool,
    pub(super) invariants: Vec<Invariant>,
    pub(super) reasons: Vec<Reason>,
    pub(super) execution: Option<Execution>,
    pub(super) replay: Option<Replay>,
    pub(super) notes: Vec<String>,
    pub(super) files: Vec<String>,
    stats: Value,
    time: Duration,
}

/// More explanations than these are not read by people.
const SHOWN: usize = 4;

/// What every verdict about C rests on.
const UNDEFINED: [&str; 1] =
    ["no execution is followed beyond something undefined: overflow of signed numbers (unless it \
     wraps), division by zero, memory that is not there"];

impl Report {
    /// Puts an answer in words.
    pub fn new(
        args: &ExplainArgs,
        lowered: &Lowered,
        search: &mut Search<'_>,
        answer: &Answer,
        replay: Option<Replay>,
        time: Duration,
    ) -> Report {
        let program = &lowered.program;
        let mut report = Report {
            to: args.to.clone(),
            verdict: "undecided",
            cause: None,
            proof: None,
            states: 0,
            rechecked: false,
            invariants: Vec::new(),
            reasons: tell::reasons(search, program),
            execution: None,
            replay,
            notes: lowered.notes.iter().cloned().chain(UNDEFINED.map(str::to_owned)).collect(),
            stats: stats(search),
            files: args.paths.iter().map(|path| path.display().to_string()).collect(),
            time,
        };
        match answer {
            Answer::Open(why) => report.cause = Some(why.clone()),
            Answer::Unreachable(proof) => {
                report.verdict = "verified";
                report.proof = Some("unbounded");
                report.states = proof.states;
                report.rechecked = proof.rechecked;
                report.invariants = tell::invariants(&search.terms, program, proof);
            }
            Answer::Reached(path, space, _) => {
                report.verdict = match &report.replay {
                    Some(Replay::Refuted(what)) => {
                        report.cause = Some(format!(
                            "refuted: {what}; sorry, this is a mistake of jarosite's"
                        ));
                        "undecided"
                    }
                    _ => "violated",
                };
                report.execution =
                    tell::execution(search, program, path, space, &lowered.outside.pointers);
            }
        }
        report
    }

    /// For people.
    pub fn human(&self) -> String {
        let mut text = String::new();
        let _ = self.write(&mut text);
        text
    }

    fn write(&self, out: &mut String) -> std::fmt::Result {
        match self.verdict {
            "verified" => {
                writeln!(out, "UNREACHABLE  {}: no execution reaches it", self.to)?;
                let checked = if self.rechecked {
                    "each step confirmed by a fresh solver"
                } else {
                    "not confirmed a second time: the time was up"
                };
                writeln!(
                    out,
                    "  proved without a bound: {} abstract states, {checked}",
                    self.states
                )?;
            }
            "violated" => writeln!(out, "REACHABLE  {}", self.to)?,
            _ => {
                let cause = self.cause.as_deref().unwrap_or("no cause is known");
                writeln!(out, "UNDECIDED  {}: {cause}", self.to)?;
            }
        }
        if let Some(execution) = &self.execution {
            self.write_execution(out, execution)?;
        }
        for invariant in &self.invariants {
            let Invariant { procedure, text, .. } = invariant;
            writeln!(out, "  at {} in {procedure}, always: {text}", invariant.location())?;
        }
        for (number, reason) in self.reasons.iter().take(SHOWN).enumerate() {
            self.write_reason(out, number + 1, reason)?;
        }
        if self.reasons.len() > SHOWN {
            let more = self.reasons.len() - SHOWN;
            writeln!(out, "\n… and {more} other explanations (--format json has all)")?;
        }
        for note in &self.notes {
            writeln!(out, "note: {note}")?;
        }
        writeln!(out, "{} ms", self.time.as_millis())
    }

    fn write_execution(&self, out: &mut String, execution: &Execution) -> std::fmt::Result {
        for (name, value) in &execution.inputs {
            writeln!(out, "  input {name} = {value}")?;
        }
        for step in execution.steps.iter().filter(|step| !step.text.is_empty()) {
            let after = step.after.join(", ");
            let gap = if after.is_empty() { "" } else { "   // " };
            writeln!(out, "  {:>16}  {}{gap}{after}", place(step), step.text)?;
        }
        match &self.replay {
            Some(Replay::Confirmed(how)) => writeln!(out, "  confirmed: {how}"),
            Some(Replay::Refuted(what)) => writeln!(out, "  refuted: {what}"),
            Some(Replay::Skipped(why)) => writeln!(out, "  not confirmed: {why}"),
            None => Ok(()),
        }
    }

    fn write_reason(&self, out: &mut String, number: usize, reason: &Reason) -> std::fmt::Result {
        let count = match reason.paths {
            1 => "one path".to_owned(),
            many => format!("{many} paths"),
        };
        writeln!(out, "\nWhy {count} cannot be taken ({number}):")?;
        let contradicts: Vec<&Told> = reason.path.iter().filter(|step| step.contradicts).collect();
        if contradicts.len() == 1 {
            writeln!(out, "  this cannot hold:")?;
        } else {
            writeln!(out, "  these contradict each other:")?;
        }
        for step in contradicts {
            writeln!(out, "    {}  {}", place(step), step.text)?;
        }
        writeln!(out, "  because of")?;
        for said in &reason.predicates {
            let scope = said.scope.as_deref().unwrap_or("global");
            writeln!(out, "    {scope}: {}", said.text)?;
        }
        let details = reason.annotations.iter().chain(&reason.weakened).chain(&reason.undefined);
        for line in details {
            writeln!(out, "    {line}")?;
        }
        writeln!(
            out,
            "  the path ({} of {} statements matter):",
            reason.path.iter().filter(|s| s.relevant).count(),
            reason.path.len()
        )?;
        for step in reason.path.iter().filter(|step| !step.text.is_empty() || step.relevant) {
            let mark = match (step.contradicts, step.relevant) {
                (true, _) => ">",
                (_, true) => "|",
                _ => " ",
            };
            let after = step.after.join(", ");
            let gap = if after.is_empty() { "" } else { "   // " };
            writeln!(out, "  {mark} {:>16}  {}{gap}{after}", place(step), step.text)?;
        }
        Ok(())
    }

    /// One document.
    pub fn json(&self) -> String {
        let count = |verdict: &str| u32::from(self.verdict == verdict);
        let target = match super::target(&self.to) {
            Ok(Target::Line { file, line }) => json!({"file": file, "line": line, "label": null}),
            _ => json!({"file": self.files.first(), "line": null, "label": self.to}),
        };
        let explanations: Vec<Value> = self.reasons.iter().map(explanation).collect();
        let invariants: Vec<Value> = self
            .invariants
            .iter()
            .map(|i| json!({"location": i.location(), "procedure": i.procedure, "predicate": i.text}))
            .collect();
        let (inputs, trace) = match &self.execution {
            None => (Value::Null, Value::Null),
            Some(execution) => {
                let inputs = execution.inputs.iter();
                let inputs: Vec<Value> =
                    inputs.map(|(name, value)| json!({"name": name, "value": value})).collect();
                let trace: Vec<Value> = execution.steps.iter().map(step).collect();
                (json!(inputs), json!(trace))
            }
        };
        let (replay, detail) = match &self.replay {
            None => (None, None),
            Some(Replay::Confirmed(how)) => (Some("confirmed"), Some(how)),
            Some(Replay::Refuted(what)) => (Some("refuted"), Some(what)),
            Some(Replay::Skipped(why)) => (Some("skipped"), Some(why)),
        };
        let document = json!({
            "schema": "jarosite/1",
            "tool": {"name": "jarosite", "version": env!("CARGO_PKG_VERSION")},
            "summary": {"targets": 1, "verified": count("verified"), "violated": count("violated"),
                        "undecided": count("undecided"), "time_ms": self.time.as_millis() as u64},
            "results": [{
                "target": target, "verdict": self.verdict, "cause": self.cause,
                "proof": self.proof, "rechecked": self.proof.map(|_| self.rechecked),
                "invariants": invariants, "explanations": explanations,
                "inputs": inputs, "trace": trace,
                "stats": self.stats,
                "replay": replay, "replay_detail": detail, "assumed": self.notes,
            }],
        });
        format!("{document}\n")
    }
}

/// What the explanations were made from: the columns of the paper's Table 1, one row for each.
fn stats(search: &Search<'_>) -> Value {
    let row = |(path, explanation): &(Path, Explanation)| {
        let counts = |step: &&Step| {
            matches!(step.op, Op::Assign { .. } | Op::Unknown { .. } | Op::Assume(_))
        };
        let instructions = path.steps[..=explanation.last].iter().filter(counts).count();
        let [store, history, conditions] = explanation.sizes;
        json!({"instructions": instructions, "store": store, "history": history,
               "conditions": conditions, "predicates": explanation.predicates.len(),
               "time_us": explanation.time.as_micros() as u64})
    };
    let rows: Vec<Value> = search.explanations.iter().map(row).collect();
    json!({"iterations": rows.len(), "paths": rows})
}

fn place(step: &Told) -> String {
    if step.line == 0 {
        return String::new();
    }
    let name = step.file.rsplit('/').next().unwrap_or_default();
    format!("{name}:{}", step.line)
}

fn explanation(reason: &Reason) -> Value {
    let predicates = reason.predicates.iter();
    let predicates: Vec<Value> =
        predicates.map(|said| json!({"scope": said.scope, "text": said.text})).collect();
    let path: Vec<Value> = reason.path.iter().map(step).collect();
    json!({"predicates": predicates, "annotations": reason.annotations,
           "weakened": reason.weakened, "undefined": reason.undefined, "path": path, "paths": reason.paths})
}

fn step(step: &Told) -> Value {
    json!({"file": step.file, "line": step.line, "procedure": step.procedure, "text": step.text,
           "relevant": step.relevant, "contradicts": step.contradicts, "after": step.after})
}
