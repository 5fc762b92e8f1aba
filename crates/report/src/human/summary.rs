//! The last lines: how many methods got which verdict, and within which scope.

use std::collections::{BTreeMap, BTreeSet};

use unicode_width::UnicodeWidthStr;
use verify::{Longer, MethodResult, Severity, Verdict, Violation};

use super::Style;
use super::page::{self, Ink, Page};
use crate::{Counts, Run, assumed, java};

/// More classes than this make a table that nobody reads.
const MOST_ROWS: usize = 24;

/// Classes whose own number of objects is worth a mention.
const MOST_CLASSES: usize = 4;

/// So many groups of methods are named whose scope is larger than that of the others.
const MOST_LONGER: usize = 5;

/// Places of warnings that are named.
const MOST_WARNINGS: usize = 8;

/// Classes of which it is said what is assumed of them, and clauses of each.
const MOST_ASSUMED: usize = 4;
const MOST_CLAUSES: usize = 4;

/// Counts, time, and the scope that "verified" refers to.
pub fn human_summary(run: &Run<'_>, style: &Style) -> String {
    let mut page = Page::new(style);
    if run.results.is_empty() {
        page.line(Ink::Plain, "no methods to check");
        return page.into_text();
    }
    warnings(&mut page, run.results);
    table(&mut page, run.results);
    let counts = Counts::of(run.results);
    page.put(Ink::Title, &format!("{}: ", checked(&counts)));
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
    if counts.accepted > 0 {
        page.put(Ink::Plain, &format!(" ({} of the violated accepted)", counts.accepted));
    }
    page.line(Ink::Plain, &format!(" in {}", duration(run.time_ms)));
    if counts.verified > 0 {
        scope(&mut page, run);
    }
    page.into_text()
}

/// How many methods there were, and beside them files and classes that could not be used.
pub(crate) fn checked(counts: &Counts) -> String {
    let all = counts.verified + counts.violated + counts.undecided;
    let methods = plural(all - counts.unusable, "method");
    match counts.unusable {
        0 => methods,
        1 => format!("{methods} and 1 file or class that could not be used"),
        many => format!("{methods} and {many} files or classes that could not be used"),
    }
}

/// What fails in states that no program is known to reach: a line for each place, however many methods come
/// there.
fn warnings(page: &mut Page<'_>, results: &[MethodResult]) {
    let mut places: BTreeMap<(&str, u32, &str), BTreeSet<String>> = BTreeMap::new();
    for result in results {
        let is_warning = |v: &&Violation| v.severity == Severity::Warning;
        for found in result.possible.iter().filter(is_warning) {
            let key = (found.at.file.as_str(), found.at.line, found.property.name());
            let method = format!("{}.{}", java::simple(&result.class), result.method);
            places.entry(key).or_default().insert(method);
        }
    }
    if places.is_empty() || page.style.verbose {
        return;
    }
    let number = plural(places.len(), "warning");
    page.put(Ink::Doubt, &number);
    page.line(Ink::Plain, " about states that no program is known to reach (-v shows each):");
    for ((file, line, property), methods) in places.iter().take(MOST_WARNINGS) {
        let first = methods.iter().next().map_or("", String::as_str);
        let others = match methods.len() - 1 {
            0 => String::new(),
            others => format!(" and {others} more"),
        };
        page.line(Ink::Plain, &format!("  {file}:{line}  {property} in {first}{others}"));
    }
    if places.len() > MOST_WARNINGS {
        page.line(Ink::Plain, &format!("  and {} more", places.len() - MOST_WARNINGS));
    }
    page.end();
}

/// A row for each class, if there are several. Of many, only those that are not all verified.
fn table(page: &mut Page<'_>, results: &[MethodResult]) {
    let mut classes: BTreeMap<String, Vec<&MethodResult>> = BTreeMap::new();
    for result in results {
        let outermost = match result.class.split('$').next() {
            None | Some("") => result.name(),
            Some(class) => class.to_string(),
        };
        classes.entry(outermost).or_default().push(result);
    }
    if classes.len() < 2 {
        return;
    }
    let all = classes.len();
    if all > MOST_ROWS {
        let is_open = |r: &&MethodResult| !matches!(r.verdict, Verdict::Verified { .. });
        classes.retain(|_, results| results.iter().any(is_open));
    }
    let mut rows = vec![["class", "verified", "violated", "undecided", "time"].map(String::from)];
    for (class, results) in &classes {
        let counts = Counts::of(results.iter().copied());
        let numbers = [counts.verified, counts.violated, counts.undecided];
        let [verified, violated, undecided] = numbers.map(|n| n.to_string());
        let time = duration(results.iter().map(|r| r.stats.time_ms).sum());
        rows.push([page::clean(class, page.style.unicode), verified, violated, undecided, time]);
    }
    let width = |column: usize| rows.iter().map(|r| r[column].width()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..5).map(width).collect();
    for (number, row) in rows.iter().enumerate() {
        let name = format!("{}{}", row[0], " ".repeat(widths[0] - row[0].width()));
        page.put(if number == 0 { Ink::Faint } else { Ink::Plain }, &name);
        for (column, cell) in row.iter().enumerate().skip(1) {
            let ink = match (number, cell.as_str(), column) {
                (0, ..) | (_, "0", _) | (.., 4) => Ink::Faint,
                (.., 1) => Ink::Good,
                (.., 2) => Ink::Error,
                _ => Ink::Doubt,
            };
            let room = " ".repeat(2 + widths[column] - cell.width());
            page.put(Ink::Plain, &room);
            page.put(ink, cell);
        }
        page.end();
    }
    if classes.len() < all {
        let rest = all - classes.len();
        page.line(Ink::Faint, &format!("classes with everything verified: {rest}"));
    }
    page.end();
}

/// What was searched for the verified methods.
fn scope(page: &mut Page<'_>, run: &Run<'_>) {
    let verified = || {
        let is_verified = |r: &&MethodResult| matches!(r.verdict, Verdict::Verified { .. });
        run.results.iter().filter(is_verified)
    };
    let mut most: BTreeMap<&str, u32> = BTreeMap::new();
    for (class, number) in verified().flat_map(|r| &r.scope) {
        let entry = most.entry(class).or_default();
        *entry = (*number).max(*entry);
    }
    let cut = verified().filter(|r| !r.is_exhaustive());
    let cut: Vec<u32> = cut.map(|r| r.unroll).collect();
    let left_out = verified().filter(|r| r.inferred.iter().any(|s| s.is_left_out())).count();
    let (array, string) = (run.array_length, run.string_length);
    let mut lengths = format!("arrays up to length {array}, strings up to {string}");
    if run.int_bits < 32 {
        lengths.push_str(&format!(", numbers of {} bits", run.int_bits));
    }
    let objects = objects(&most);
    // Beside methods with objects, "no objects" would seem to be said of those too.
    let of = match most.is_empty() && run.results.iter().any(|r| !r.scope.is_empty()) {
        true => "scope of what is verified",
        false => "scope",
    };
    page.line(Ink::Faint, &format!("{of}: input of {objects}, {lengths}"));
    for line in longer(run) {
        page.line(Ink::Faint, &line);
    }
    page.line(Ink::Faint, &format!("loops: {}", loops(&cut, left_out)));
    objects_as_made(page, run);
}

/// What is assumed of objects that nobody has specified.
fn objects_as_made(page: &mut Page<'_>, run: &Run<'_>) {
    let found = assumed::by_class(run.results.iter());
    for (class, clauses) in found.iter().take(MOST_ASSUMED) {
        let most = if page.style.verbose { usize::MAX } else { MOST_CLAUSES };
        let mut said = clauses.iter().take(most).copied().collect::<Vec<_>>().join(", ");
        if clauses.len() > most {
            said.push_str(&format!(" and {} more", clauses.len() - most));
        }
        let class = java::simple(class);
        page.line(Ink::Faint, &format!("assumed of {class}, as its code keeps it: {said}"));
    }
    if found.len() > MOST_ASSUMED {
        let others = found.len() - MOST_ASSUMED;
        page.line(Ink::Faint, &format!("assumed of {others} more: `jarosite infer` lists it"));
    }
}

/// What is said of them, their class, the lengths, and the methods.
type Group<'a> = (&'static str, &'a str, String, Vec<&'a str>);

/// The methods whose constants ask for longer arrays or strings than others are searched with.
fn longer(run: &Run<'_>) -> Vec<String> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for result in run.results {
        let Some(longer) = &result.longer else {
            continue;
        };
        let said = if longer.is_searched { "longer" } else { "no time for longer ones" };
        let (class, lengths) = (java::simple(&result.class), lengths(run, longer));
        let same = |g: &&mut Group<'_>| (g.0, g.1, g.2.as_str()) == (said, class, lengths.as_str());
        match groups.iter_mut().find(same) {
            Some(group) => group.3.push(&result.method),
            None => groups.push((said, class, lengths, vec![&result.method])),
        }
    }
    let mut lines: Vec<String> = Vec::new();
    for (said, class, lengths, methods) in groups.iter().take(MOST_LONGER) {
        let of = match methods[..] {
            [method] => format!("{class}.{method}"),
            _ => format!("{} of {class}", plural(methods.len(), "method")),
        };
        lines.push(format!("{said}: {of}: {lengths}"));
    }
    let others: usize = groups.iter().skip(MOST_LONGER).map(|group| group.3.len()).sum();
    if others > 0 {
        let others = plural(others, "more method");
        lines.push(format!("longer: {others}; --format json has them all"));
    }
    lines
}

fn lengths(run: &Run<'_>, longer: &Longer) -> String {
    let arrays = (longer.arrays > run.array_length)
        .then(|| format!("arrays up to length {}", longer.arrays));
    let strings =
        (longer.strings > run.string_length).then(|| format!("strings up to {}", longer.strings));
    let lengths: Vec<String> = arrays.into_iter().chain(strings).collect();
    format!("{}, for {}", lengths.join(", "), longer.by)
}

/// How far loops were followed; `cut` has the rounds of each method in which they were cut off, and in
/// `left_out` methods calls and loops were left out that do not matter.
fn loops(cut: &[u32], left_out: usize) -> String {
    let mut said = Vec::new();
    if let Some(least) = cut.iter().min() {
        let (methods, rounds) = (plural(cut.len(), "method"), plural(*least as usize, "round"));
        said.push(format!(", but in {methods} for {rounds} only"));
    }
    if left_out > 0 {
        let methods = plural(left_out, "method");
        said.push(format!(", but in {methods} only as far as they matter"));
    }
    format!("followed to their end{}", said.concat())
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
    let largest = plural(*most.values().max().unwrap_or(usual) as usize, "object");
    let others = most.iter().filter(|(_, n)| *n != usual);
    let others: Vec<_> = match most.len() {
        0..=MOST_CLASSES => most.iter().collect(),
        _ => others.collect(),
    };
    if uses.len() == 1 || others.len() > MOST_CLASSES {
        return format!("at most {largest} of each class");
    }
    let named = others.iter();
    let named: Vec<String> = named.map(|(c, n)| format!("{n} {}", java::simple(c))).collect();
    let rest = match others.len() == most.len() {
        true => String::new(),
        false => format!(" and {usual} of each other class"),
    };
    format!("at most {}{rest}", named.join(", "))
}

pub(crate) fn plural(number: usize, word: &str) -> String {
    match number {
        1 => format!("1 {word}"),
        _ => format!("{number} {word}s"),
    }
}

/// `812 ms`, `3.2 s`, `2 min 5 s`.
pub(crate) fn duration(ms: u64) -> String {
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
        assert_eq!(said(&[("A", 3), ("B", 3)]), "at most 3 objects of each class");
        assert_eq!(said(&[("p.List", 1), ("p.Node", 3)]), "at most 1 List, 3 Node");
        let many = [("A", 3), ("B", 3), ("C", 3), ("D", 5), ("E", 3)];
        assert_eq!(said(&many), "at most 5 D and 3 of each other class");
        let mixed = [("A", 1), ("B", 2), ("C", 3), ("D", 4), ("E", 5), ("F", 6), ("G", 7)];
        assert_eq!(said(&mixed), "at most 7 objects of each class");
    }

    #[test]
    fn cut_loops() {
        assert_eq!(loops(&[], 0), "followed to their end");
        assert_eq!(loops(&[5, 3], 0), "followed to their end, but in 2 methods for 3 rounds only");
        let as_needed = "followed to their end, but in 1 method only as far as they matter";
        assert_eq!(loops(&[], 1), as_needed);
        let both = "followed to their end, but in 1 method for 1 round only, \
                    but in 2 methods only as far as they matter";
        assert_eq!(loops(&[1], 2), both);
    }
}
