//! The report as one page for a browser: an overview, and each violation as a story in steps, with
//! the heap as a diagram.
//!
//! The page is complete in itself and asks no network for anything. Pictures are made here; its
//! script only shows one after the other.

mod diagram;
mod draw;
mod markup;
mod moments;
mod overview;
mod source;
mod violation;

use verify::Verdict;

use crate::Run;

const STYLE: &str = include_str!("page.css");
const DARK: &str = include_str!("dark.css");
const SCRIPT: &str = include_str!("page.js");

/// The whole page.
pub fn html(run: &Run<'_>) -> String {
    let anchor = |method: usize, violation: usize| format!("m{method}v{violation}");
    let overview = overview::overview(run, anchor);
    let mut sections = String::new();
    for (method, result) in run.results.iter().enumerate() {
        if let Verdict::Violated(violations) = &result.verdict {
            for (number, found) in violations.iter().enumerate() {
                let id = anchor(method, number);
                sections.push_str(&violation::section(result, found, &id, run.sources));
            }
        }
    }
    let dark = format!(
        "@media screen {{:root[data-theme='dark'] {{{DARK}}}}}\n\
         @media screen and (prefers-color-scheme: dark) {{:root:not([data-theme='light']) {{{DARK}}}}}"
    );
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\
         <meta name=\"color-scheme\" content=\"light dark\"><link rel=\"icon\" href=\"data:,\">\
         <title>Jarosite report</title><style>{STYLE}{dark}</style></head><body>{ARROWS}\
         <main>{overview}{sections}</main><script>{SCRIPT}</script></body></html>\n"
    )
}

/// The heads of all arrows.
const ARROWS: &str = "<svg class=\"defs\" width=\"0\" height=\"0\" aria-hidden=\"true\"><defs>\
    <marker id=\"head\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\"><path d=\"M0 1L9 5L0 9z\"/></marker>\
    <marker id=\"head-changed\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"6\" markerHeight=\"6\" orient=\"auto\"><path d=\"M0 1L9 5L0 9z\"/></marker>\
    <marker id=\"head-was\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\"><path d=\"M0 1L9 5L0 9z\"/></marker>\
    </defs></svg>";
