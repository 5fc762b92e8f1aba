//! The last lines: how many methods got which verdict, and within which scope.

use std::collections::BTreeMap;

use verify::{MethodResult, Verdict};

use super::Style;
use super::page::{Ink, Page};
use crate::{Counts, Run, java};

/// Classes whose own number of objects is worth a mention.
const MOST_CLASSES: usize = 6;

/// Counts, time, and the scope that "verified" refers to.
pub fn human_summary(run: &Run<'_>, style: &Style) -> String {
    let mut page = Page::new(style);
    if run.results.is_empty() {
        page.line(Ink::Plain, "no methods to check");
        return page.into_text();
    }
    let counts = Counts::of(run.results);
    let methods = plural(run.results.len(), "method");
    page.put(Ink::Title, &format!("{methods}: "));
    let mut first = true;
    for (ink, number, word) in [
        (Ink::Good, counts.verified, "verified"),
        (Ink::Error, counts.violated, "violated"),
        (Ink::Doubt, counts.undecided, "undecided"),
    ] {
        page.put(Ink::Plain, if first { "" } else { ", " });
        let ink = if number == 0 { Ink::Plain } else { ink };
        page.put(ink, &format!("{number} {word}"));
        first = false;
    }
    page.line(Ink::Plain, &format!(" in {}", duration(run.time_ms)));
    if counts.verified > 0 {
        let scope = scope(run.results);
        page.line(Ink::Faint, &format!("verified means: {scope}"));
    }
    page.into_text()
}

/// What was searched for the verified methods.
fn scope(results: &[MethodResult]) -> String {
    let verified = || {
        results
            .iter()
            .filter(|r| matches!(r.verdict, Verdict::Verified { .. }))
    };
    let mut most: BTreeMap<&str, u32> = BTreeMap::new();
    for (class, number) in verified().flat_map(|r| &r.scope) {
        let entry = most.entry(class).or_default();
        *entry = (*number).max(*entry);
    }
    let cut = verified().filter(|r| !r.is_exhaustive());
    let cut: Vec<u32> = cut.map(|r| r.unroll).collect();
    let loops = match cut.iter().min() {
        None => "every loop followed to its end".to_string(),
        Some(least) => format!(
            "every loop followed to its end, but in {} only for {}",
            plural(cut.len(), "method"),
            plural(*least as usize, "round")
        ),
    };
    let lengths = "arrays and strings up to their set length";
    format!(
        "no input of {} ({lengths}) goes wrong; {loops}",
        objects(&most)
    )
}

/// `at most 3 objects of each class`, with the classes that have another number.
fn objects(most: &BTreeMap<&str, u32>) -> String {
    let mut uses: BTreeMap<u32, usize> = BTreeMap::new();
    for number in most.values() {
        *uses.entry(*number).or_default() += 1;
    }
    let Some((usual, _)) = uses.iter().max_by_key(|(_, uses)| **uses) else {
        return "no objects".into();
    };
    let others: Vec<_> = most.iter().filter(|(_, n)| *n != usual).collect();
    if others.is_empty() {
        return format!(
            "at most {} of each class",
            plural(*usual as usize, "object")
        );
    }
    if others.len() > MOST_CLASSES {
        let largest = most.values().max().unwrap_or(usual);
        let largest = plural(*largest as usize, "object");
        return format!("at most {largest} of each class");
    }
    let named: Vec<String> = others
        .iter()
        .map(|(c, n)| format!("{n} {}", java::simple(c)))
        .collect();
    format!(
        "at most {}, and {usual} of each other class",
        named.join(", ")
    )
}

fn plural(number: usize, word: &str) -> String {
    match number {
        1 => format!("1 {word}"),
        _ => format!("{number} {word}s"),
    }
}

/// `812 ms`, `3.2 s`, `2 min 5 s`.
pub(super) fn duration(ms: u64) -> String {
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..120_000 => format!("{}.{} s", ms / 1000, ms / 100 % 10),
        _ => format!("{} min {} s", ms / 60_000, ms / 1000 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        assert_eq!(duration(0), "0 ms");
        assert_eq!(duration(999), "999 ms");
        assert_eq!(duration(3_299), "3.2 s");
        assert_eq!(duration(125_000), "2 min 5 s");
        assert!(!duration(u64::MAX).is_empty());
    }

    #[test]
    fn scopes() {
        let said = |pairs: &[(&'static str, u32)]| objects(&pairs.iter().copied().collect());
        assert_eq!(said(&[]), "no objects");
        assert_eq!(said(&[("A", 1)]), "at most 1 object of each class");
        assert_eq!(
            said(&[("A", 3), ("B", 3)]),
            "at most 3 objects of each class"
        );
        assert_eq!(
            said(&[("p.List", 1), ("p.Node", 3), ("p.Item", 3)]),
            "at most 1 List, and 3 of each other class"
        );
    }
}
