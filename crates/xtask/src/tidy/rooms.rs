//! The rooms of a crate are the folders below its `src`. What one imports builds on what the other has, so
//! two of them that import each other are one room with a wall in it: no cycle of imports may lead through a
//! folder. A file that stands beside the folders counts as a room, but those files may know each other.
//!
//! Only paths are read (`crate::…`, and `super::…` up to the top), through what the top re-exports. Methods that
//! a room adds to a type of another room do not show; what keeps them apart is their visibility.

use std::collections::{BTreeMap, BTreeSet};

/// Imports that may close a cycle, because the recursion is in the nature of the thing: crate, from, to, why.
/// Three at most; whoever wants a fourth has rooms that are cut badly.
pub const PERMITTED: &[(&str, &str, &str, &str)] = &[];

const MOST_PERMITTED: usize = 3;

/// A file of a crate: its path below `src`, and its text.
pub type File = (String, String);

/// What is wrong between the rooms of a crate.
pub fn problems(name: &str, files: &[File], permitted: &[(&str, &str, &str, &str)]) -> Vec<String> {
    let rooms: BTreeSet<&str> = files.iter().filter_map(|(path, _)| room(path)).collect();
    let folders: BTreeSet<&str> =
        files.iter().filter_map(|(p, _)| Some(p.split_once('/')?.0)).collect();
    let mut imports = imports(files, &rooms);
    let mut problems = Vec::new();
    if permitted.len() > MOST_PERMITTED {
        problems.push(format!("more than {MOST_PERMITTED} cycles are permitted"));
    }
    for (krate, from, to, _) in permitted.iter().filter(|(krate, ..)| *krate == name) {
        let removed = imports.get_mut(*from).and_then(|uses| uses.remove(*to));
        if removed.is_none() || !leads(&imports, to, from) {
            problems.push(format!("`{krate}`: nothing needs `{from}` → `{to}` any more"));
        }
    }
    for (from, uses) in &imports {
        for (to, file) in uses.iter().filter(|(to, _)| leads(&imports, to, from)) {
            // Of a cycle each import is named once, and cycles of mere files are none of our business.
            let is_walled = folders.iter().any(|f| {
                (f == from || leads(&imports, from, f)) && (f == from || leads(&imports, f, from))
            });
            if is_walled {
                problems.push(format!(
                    "`{name}`: {file} closes a cycle: `{from}` uses `{to}`, and the other way round"
                ));
            }
        }
    }
    problems
}

/// The room that a file stands in. The top of a crate belongs to none.
fn room(path: &str) -> Option<&str> {
    match path.split_once('/') {
        Some((folder, _)) => Some(folder),
        None => path.strip_suffix(".rs").filter(|name| !matches!(*name, "lib" | "main")),
    }
}

/// Which rooms each room uses, with a file that does.
fn imports<'f>(
    files: &'f [File],
    rooms: &BTreeSet<&'f str>,
) -> BTreeMap<String, BTreeMap<String, String>> {
    let top = files.iter().filter(|(path, _)| path == "lib.rs" || path == "main.rs");
    let reexported: BTreeMap<String, String> =
        top.flat_map(|(_, text)| reexports(&code(text))).collect();
    let mut imports: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    for (path, text) in files {
        let Some(own) = room(path) else { continue };
        if path.ends_with("tests.rs") || path.contains("tests/") {
            continue;
        }
        let text = code(text);
        for used in used(&text, depth(path)) {
            let used =
                if rooms.contains(&*used) { &used } else { reexported.get(&used).unwrap_or(&used) };
            if used != own && rooms.contains(&**used) {
                let uses = imports.entry(own.to_string()).or_default();
                uses.entry(used.clone()).or_insert_with(|| path.clone());
            }
        }
    }
    imports
}

/// How many `super` lead from a file to the top.
fn depth(path: &str) -> usize {
    let parts = path.split('/').count();
    if path.ends_with("/mod.rs") { parts - 1 } else { parts }
}

/// The text without comments and tests: tests may use what they like.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// First names of all paths from the top of the crate.
fn used(text: &str, depth: usize) -> BTreeSet<String> {
    let up = "super::".repeat(depth);
    let mut found = BTreeSet::new();
    for start in ["crate::", &up] {
        for (at, _) in text.match_indices(start) {
            let is_whole = !text[..at].ends_with(|c: char| c == ':' || c == '$' || is_name(c));
            let rest = &text[at + start.len()..];
            if is_whole && !rest.starts_with("super::") {
                found.extend(leaves(rest).into_iter().map(|(path, _)| path[0].clone()));
            }
        }
    }
    found
}

/// What the top makes known under a name of its own: `pub use a::{b, c as d};` → b, d from a.
fn reexports(text: &str) -> Vec<(String, String)> {
    let uses = text.match_indices("use ").filter(|(at, _)| text[..*at].trim_end().ends_with("pub"));
    let leaves = uses.flat_map(|(at, word)| leaves(&text[at + word.len()..]));
    leaves.map(|(path, name)| (name, path[0].clone())).collect()
}

/// The paths at the beginning of a text, as `a::{b, c::d as e}` has two, with the names that they get.
fn leaves(text: &str) -> Vec<(Vec<String>, String)> {
    let mut found = Vec::new();
    tree(text.trim_start(), &[], &mut found);
    found
}

/// Reads one tree of paths; what comes after it.
fn tree<'t>(
    mut text: &'t str,
    above: &[String],
    found: &mut Vec<(Vec<String>, String)>,
) -> &'t str {
    let mut path = above.to_vec();
    loop {
        if let Some(mut inner) = text.strip_prefix('{') {
            loop {
                inner = inner.trim_start();
                if let Some(after) = inner.strip_prefix('}') {
                    return after;
                }
                let after = tree(inner, &path, found).trim_start();
                // Something else than a list of paths.
                if after.len() == inner.len() {
                    return after;
                }
                inner = after.strip_prefix(',').unwrap_or(after);
            }
        }
        let length = text.find(|c| !is_name(c)).unwrap_or(text.len());
        let (name, after) = text.split_at(length);
        if !name.is_empty() && name != "self" {
            path.push(name.to_string());
        }
        match after.strip_prefix("::") {
            Some(next) if !name.is_empty() => text = next,
            _ => {
                let renamed = after.trim_start().strip_prefix("as ").map(str::trim_start);
                let end = renamed.map(|r| r.find(|c| !is_name(c)).unwrap_or(r.len()));
                let name = renamed.zip(end).map(|(r, end)| r[..end].to_string());
                if let Some(last) = path.last().cloned() {
                    found.push((path, name.unwrap_or(last)));
                }
                return renamed.zip(end).map_or(after, |(r, end)| &r[end..]);
            }
        }
    }
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether imports lead from one room to another.
fn leads(imports: &BTreeMap<String, BTreeMap<String, String>>, from: &str, to: &str) -> bool {
    let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(room) = open.pop() {
        for next in imports.get(room).into_iter().flat_map(|uses| uses.keys()) {
            if next == to {
                return true;
            }
            if seen.insert(next) {
                open.push(next);
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(files: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<File> = files.iter().map(|(p, t)| (p.to_string(), t.to_string())).collect();
        problems("c", &files, &[])
    }

    #[test]
    fn folders_that_import_each_other_are_found() {
        let files = [("a/mod.rs", "use crate::b::B;"), ("b/x.rs", "fn f() { crate::a::g() }")];
        assert_eq!(said(&files).len(), 2);
        assert!(said(&files[..1]).is_empty());
        let round = [
            ("a/mod.rs", "use crate::b::B;"),
            ("b.rs", "use crate::{d::D, c::{self, C}};"),
            ("c.rs", "use super::a;"),
        ];
        assert_eq!(said(&round).len(), 3, "{:?}", said(&round));
    }

    #[test]
    fn what_the_top_re_exports_belongs_to_its_room() {
        let files = [
            ("lib.rs", "pub use a::{one::One, two as other};"),
            ("a/mod.rs", "use crate::b::B;"),
            ("b/mod.rs", "use crate::other;"),
        ];
        assert_eq!(said(&files).len(), 2);
        let harmless = [files[0], files[1], ("b/mod.rs", "use crate::nobody;")];
        assert!(said(&harmless).is_empty());
    }

    #[test]
    fn tests_comments_and_files_side_by_side_are_free() {
        let tests = "//! crate::a\n// crate::a\n#[cfg(test)]\nmod tests { use crate::a::A; }";
        assert!(said(&[("a/mod.rs", "use crate::b::B;"), ("b/mod.rs", tests)]).is_empty());
        assert!(said(&[("a.rs", "use crate::b::B;"), ("b.rs", "use crate::a::A;")]).is_empty());
        // A folder that builds on such files, or that they build on, has no part in their cycle.
        let beside = [
            ("a.rs", "use crate::b::B;"),
            ("b.rs", "use crate::a::A; use crate::under;"),
            ("over/mod.rs", "use crate::a::A;"),
            ("under/mod.rs", ""),
        ];
        assert!(said(&beside).is_empty());
    }

    #[test]
    fn what_is_permitted_is_needed_and_little() {
        let files = [("a/mod.rs", "use crate::b::B;"), ("b/mod.rs", "use crate::a::A;")];
        let files: Vec<File> = files.iter().map(|(p, t)| (p.to_string(), t.to_string())).collect();
        let pair = ("c", "a", "b", "it is in the nature of the thing");
        assert!(problems("c", &files, &[pair]).is_empty());
        assert_eq!(problems("c", &files[..1], &[pair]).len(), 1);
        assert_eq!(problems("d", &files[..1], &[pair; 4]).len(), 1);
    }
}
