//! What a person reads in a terminal: laid out like a compiler's diagnostics, in the words of a
//! Java developer.
//!
//! A result can be shown as soon as it is known ([`human_result`]); what holds for all of them is
//! said once, at the end ([`human_summary`]).

mod cause;
mod clause;
mod end;
mod excerpt;
mod execution;
mod input;
mod page;
mod specs;
mod summary;
mod violation;

use verify::execution::Place;
use verify::{Accepted, AcceptedBy, Cause, MethodResult, Verdict, Violation};

use crate::{Run, Sources};
use page::{Ink, Page};

pub(crate) use cause::{hint, sentence};
pub(crate) use clause::label as clause_label;
pub(crate) use execution::without_returns;
pub use summary::human_summary;
pub(crate) use summary::{checked, duration, plural};
pub(crate) use violation::label;

/// How to write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// With ANSI colours.
    pub color: bool,
    /// With characters beyond ASCII.
    pub unicode: bool,
    /// With costs and scopes, and nothing folded.
    pub verbose: bool,
    /// With what was found out about called methods.
    pub specs: bool,
}

/// The whole report: diagnostics, every result, the summary.
pub fn human(run: &Run<'_>, style: &Style) -> String {
    let mut page = Page::new(style);
    for diagnostic in run.diagnostics {
        let mut lines = diagnostic.lines();
        page.put(Ink::Doubt, "warning");
        page.line(Ink::Title, &format!(": {}", lines.next().unwrap_or_default()));
        lines.for_each(|line| page.line(Ink::Plain, line));
    }
    let mut text = page.into_text();
    for result in run.results {
        text.push_str(&human_result(result, run.sources, style));
    }
    if !run.results.is_empty() && !text.ends_with("\n\n") {
        text.push('\n');
    }
    text.push_str(&human_summary(run, style));
    text
}

/// One method: a line if it is verified, a line and a hint if it is undecided, a block for each
/// violation.
pub fn human_result(result: &MethodResult, sources: &dyn Sources, style: &Style) -> String {
    let mut page = Page::new(style);
    match &result.verdict {
        Verdict::Verified { cut } => verified(&mut page, result, cut),
        Verdict::Violated(violations) => {
            for found in violations {
                match &found.review.accepted {
                    None => violation::block(&mut page, result, found, sources),
                    Some(why) => accepted(&mut page, result, found, why),
                }
            }
            if let Some(cause) = &result.incomplete {
                incomplete(&mut page, result, cause);
            }
        }
        Verdict::Undecided(cause) => undecided(&mut page, result, cause),
    }
    possible(&mut page, result, sources);
    for warning in &result.warnings {
        page.put(Ink::Doubt, "warning");
        page.line(Ink::Plain, &format!("    {}: {warning}", name(result)));
    }
    if style.specs {
        specs::block(&mut page, result);
    }
    page.into_text()
}

fn verified(page: &mut Page<'_>, result: &MethodResult, cut: &[String]) {
    page.put(Ink::Good, "ok");
    page.put(Ink::Plain, &format!("         {}", name(result)));
    if !cut.is_empty() {
        let loops: Vec<&str> = cut.iter().map(|c| cause::without_kind(c)).collect();
        let within = format!("  within --unroll {}: {}", result.unroll, loops.join("; "));
        page.put(Ink::Doubt, &within);
    }
    details(page, result);
    page.end();
}

/// What fails in states that no program is known to reach, or for arguments that nothing rules out: a line for
/// each thing that is wrong, unless everything is asked for.
fn possible(page: &mut Page<'_>, result: &MethodResult, sources: &dyn Sources) {
    if page.style.verbose {
        result.possible.iter().for_each(|found| violation::block(page, result, found, sources));
        return;
    }
    let mut told: Vec<(&Violation, Vec<String>)> = Vec::new();
    for found in &result.possible {
        let at = place(&found.at, None);
        let is_same = |other: &Violation| {
            (other.property, other.severity, &other.missing, &other.message)
                == (found.property, found.severity, &found.missing, &found.message)
        };
        match told.iter_mut().find(|(other, _)| is_same(other)) {
            Some((_, places)) if places.contains(&at) => {}
            Some((_, places)) => places.push(at),
            None => told.push((found, vec![at])),
        }
    }
    // Warnings are told together, once, in the end.
    for (found, places) in told {
        let Some(missing) = &found.missing else { continue };
        page.put(Ink::Doubt, &format!("{}[{}]", found.severity.name(), found.property));
        let places = places.join(", ");
        let fails = format!(": {} fails unless {missing} ({places})", name(result));
        page.line(Ink::Plain, &fails);
        page.line(
            Ink::Faint,
            &format!("           say so: `//@ requires {missing};`, or guard it"),
        );
    }
}

/// One line: whoever accepted it knows the rest.
fn accepted(page: &mut Page<'_>, result: &MethodResult, found: &Violation, why: &Accepted) {
    page.put(Ink::Doubt, "accepted");
    let at = place(&found.at, None);
    let line = format!("   {}: {} at {at}", name(result), found.property);
    page.put(Ink::Plain, &line);
    page.line(Ink::Faint, &format!("  ({}: {})", why.by.name(), why.reason));
}

/// Who accepted a violation, and why.
pub(crate) fn acceptance(why: &Accepted) -> String {
    let by = match why.by {
        AcceptedBy::Comment => "by a comment",
        AcceptedBy::Configuration => "by the configuration",
        AcceptedBy::Baseline => "by the baseline",
    };
    format!("accepted {by}: {}", why.reason)
}

fn undecided(page: &mut Page<'_>, result: &MethodResult, cause: &Cause) {
    page.put(Ink::Doubt, "undecided");
    let sentence = cause::sentence(cause);
    page.put(Ink::Plain, &format!("  {}: {sentence}", name(result)));
    if let Some(share) = result.stats.paths_proven {
        page.put(Ink::Plain, &format!(" ({} of its paths are proven)", percent(share)));
    }
    details(page, result);
    page.end();
    page.line(Ink::Faint, &format!("           hint: {}", cause::hint(cause, result.lever)));
}

/// Neither nothing nor everything unless it is.
fn percent(share: f64) -> String {
    match 100.0 * share {
        percent if percent > 0.0 && percent < 0.1 => "less than 0.1 %".into(),
        percent if percent > 99.9 && percent < 100.0 => "more than 99.9 %".into(),
        percent => format!("{percent:.1} %"),
    }
}

fn incomplete(page: &mut Page<'_>, result: &MethodResult, cause: &Cause) {
    page.put(Ink::Doubt, "note");
    let rest = "may violate more than is shown";
    let sentence = cause::sentence(cause);
    page.line(Ink::Plain, &format!(": {} {rest}: {sentence}", name(result)));
    // That nothing is claimed is no hint where something is.
    if !matches!(cause, Cause::Unsupported { .. }) {
        page.line(Ink::Faint, &format!("      hint: {}", cause::hint(cause, result.lever)));
    }
    page.end();
}

fn details(page: &mut Page<'_>, result: &MethodResult) {
    if !page.style.verbose {
        return;
    }
    let objects: Vec<String> =
        result.scope.iter().map(|(class, most)| format!("{most} {class}")).collect();
    let stats = &result.stats;
    let cost = format!(
        "unroll {}, {} variables, {} clauses, {}",
        result.unroll,
        stats.variables,
        stats.clauses,
        summary::duration(stats.time_ms)
    );
    let scope =
        if objects.is_empty() { String::new() } else { format!("{}; ", objects.join(", ")) };
    page.put(Ink::Faint, &format!("  ({scope}{cost})"));
}

/// `p.Stack.pop()`.
fn name(result: &MethodResult) -> String {
    result.name()
}

/// `Stack.java:12`, as far as it is known; `shown` replaces the file's name.
fn place(at: &Place, shown: Option<String>) -> String {
    let file = shown.unwrap_or_else(|| at.file.clone());
    match (file.is_empty(), at.line) {
        (true, _) => format!("{}.{}", at.class, at.method),
        (false, 0) => file,
        (false, line) => format!("{file}:{line}"),
    }
}
