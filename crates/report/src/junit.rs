//! JUnit's XML, which every build server reads: a suite for each class, a test case for each method.
//! A method that is undecided counts as skipped, one whose violations are all accepted as passed. A file or
//! class that could not be used is an error.

use std::collections::BTreeMap;
use std::fmt::Write;

use verify::{Cause, MethodResult, Verdict};

use crate::human::{Style, human_result};
use crate::{Counts, Run, file_of, reservations};

const PLAIN: Style = Style { color: false, unicode: true, verbose: false, specs: false };

/// The whole document.
pub fn junit(run: &Run<'_>) -> String {
    let mut suites: BTreeMap<String, Vec<&MethodResult>> = BTreeMap::new();
    for result in run.results {
        let suite = if result.class.is_empty() { result.name() } else { result.class.clone() };
        suites.entry(suite).or_default().push(result);
    }
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let all = totals(run.results, run.time_ms);
    put(&mut text, format_args!("<testsuites name=\"jarosite\"{all}>\n"));
    if !run.diagnostics.is_empty() {
        let (none, said) = (totals([], 0), escaped(&run.diagnostics.join("\n")));
        put(&mut text, format_args!("  <testsuite name=\"jarosite\"{none}>\n"));
        put(&mut text, format_args!("    <system-err>{said}</system-err>\n  </testsuite>\n"));
    }
    for (class, results) in suites {
        let time = results.iter().map(|r| r.stats.time_ms).sum();
        let (name, totals) = (escaped(&class), totals(results.iter().copied(), time));
        put(&mut text, format_args!("  <testsuite name=\"{name}\"{totals}>\n"));
        for result in results {
            case(&mut text, result, run);
        }
        text.push_str("  </testsuite>\n");
    }
    text.push_str("</testsuites>\n");
    text
}

fn put(text: &mut String, what: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = text.write_fmt(what);
}

fn totals<'r>(results: impl IntoIterator<Item = &'r MethodResult>, time_ms: u64) -> String {
    let counts = Counts::of(results);
    format!(
        " tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{}\"",
        counts.verified + counts.violated + counts.undecided,
        counts.violated - counts.accepted,
        counts.unusable,
        counts.undecided - counts.unusable,
        seconds(time_ms)
    )
}

fn case(text: &mut String, result: &MethodResult, run: &Run<'_>) {
    let name = if result.method.is_empty() { result.name() } else { result.method.clone() };
    let class = if result.class.is_empty() { &name } else { &result.class };
    let (name, class) = (escaped(&name), escaped(class));
    let time = seconds(result.stats.time_ms);
    put(text, format_args!("    <testcase name=\"{name}\" classname=\"{class}\" time=\"{time}\""));
    if let Some(path) = file_of(result, run.sources) {
        put(text, format_args!(" file=\"{}\" line=\"{}\"", escaped(&path), result.line.max(1)));
    }
    let story = || escaped(human_result(result, run.sources, &PLAIN).trim_end());
    match &result.verdict {
        Verdict::Verified { .. } if reservations(result).is_empty() => {
            text.push_str("/>\n");
            return;
        }
        Verdict::Verified { .. } => {
            put(text, format_args!(">\n      <system-out>{}</system-out>\n", story()));
        }
        Verdict::Violated(violations) => {
            let fresh: Vec<_> = violations.iter().filter(|v| v.review.accepted.is_none()).collect();
            match fresh.split_first() {
                None => put(text, format_args!(">\n      <system-out>{}</system-out>\n", story())),
                Some((first, rest)) => {
                    let more = match rest.len() {
                        0 => String::new(),
                        more => format!(" (and {more} more)"),
                    };
                    let (kind, message) = (first.property, escaped(&first.message));
                    let failure = format!("<failure type=\"{kind}\" message=\"{message}{more}\">");
                    put(text, format_args!(">\n      {failure}{}</failure>\n", story()));
                }
            }
        }
        Verdict::Undecided(cause @ Cause::Unusable { .. }) => {
            let cause = escaped(&cause.to_string());
            put(text, format_args!(">\n      <error type=\"unusable\" message=\"{cause}\"/>\n"));
        }
        Verdict::Undecided(cause) => {
            let cause = escaped(&cause.to_string());
            put(text, format_args!(">\n      <skipped message=\"undecided: {cause}\"/>\n"));
        }
    }
    text.push_str("    </testcase>\n");
}

fn seconds(ms: u64) -> String {
    format!("{}.{:03}", ms / 1000, ms % 1000)
}

/// Text that can stand between tags and quotes. What XML cannot say at all becomes a question mark.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\t' => escaped.push(c),
            '\u{fffe}' | '\u{ffff}' => escaped.push('?'),
            c if c.is_control() => escaped.push('?'),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_leaves_its_element() {
        assert_eq!(escaped("a<b>&\"\u{1b}\u{0}é\n"), "a&lt;b&gt;&amp;&quot;??é\n");
        assert_eq!(seconds(12_034), "12.034");
    }
}
