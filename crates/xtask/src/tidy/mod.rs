//! Rules that no compiler enforces: how files begin, how long they get, which crate may use which
//! other. `rooms` does the same for the folders of a crate, `structs` counts fields, and `documents`
//! finds what is spoken of and does not exist.

mod documents;
mod rooms;
mod structs;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A file that grows beyond this wants to be two.
const LONGEST_FILE: usize = 700;

/// Which of our crates each may use; the table of ARCHITECTURE.md. A crate that is not listed
/// here has no place in the architecture yet.
const MAY_USE: [(&str, &[&str]); 13] = [
    ("ir", &[]),
    ("jvm", &["ir"]),
    ("spec", &["ir"]),
    ("logic", &[]),
    ("sat", &["logic"]),
    ("encode", &["ir", "spec", "logic"]),
    ("verify", &["ir", "jvm", "spec", "logic", "sat", "encode"]),
    ("report", &["verify"]),
    ("explain", &["logic", "sat"]),
    ("cfront", &["explain"]),
    ("jarosite", &ANY),
    ("testkit", &ANY),
    ("xtask", &ANY),
];

const ANY: [&str; 12] = [
    "ir", "jvm", "spec", "logic", "sat", "encode", "verify", "report", "explain", "cfront",
    "jarosite", "testkit",
];

/// Everything untidy below this directory, as `file:line: what`.
pub fn problems(root: &Path) -> io::Result<Vec<String>> {
    let mut files = Vec::new();
    walk(root, &mut files)?;
    let places = places(root, &files);
    let mut problems = Vec::new();
    let mut crates: BTreeMap<String, Vec<rooms::File>> = BTreeMap::new();
    for file in files {
        // What is not text is nobody's style.
        let Ok(text) = fs::read_to_string(&file) else {
            continue;
        };
        let name = file.strip_prefix(root).unwrap_or(&file);
        let mut complain = |line: usize, what: &str| {
            problems.push(format!("{}:{line}: {what}", name.display()));
        };
        match file.extension().and_then(|e| e.to_str()) {
            Some("rs") => {
                rust(&text, &mut complain);
                structs::sizes(&text, &mut complain);
                white_space(&text, &mut complain);
                if let Some((name, path)) = in_crate(name) {
                    crates.entry(name).or_default().push((path, text));
                }
            }
            Some("toml") => {
                white_space(&text, &mut complain);
                if is_crate_manifest(name) {
                    dependencies(&text, &mut complain);
                }
            }
            Some("md") => {
                let directory = name.parent().and_then(Path::to_str).unwrap_or_default();
                documents::links(&text, directory, &places, &mut complain);
            }
            Some("java" | "sh") | None => white_space(&text, &mut complain),
            Some(_) => {}
        }
    }
    for (name, files) in &crates {
        problems.extend(rooms::problems(name, files, rooms::PERMITTED));
    }
    Ok(problems)
}

/// All files and folders.
fn places(root: &Path, files: &[PathBuf]) -> documents::Places {
    let inside =
        files.iter().flat_map(|file| file.ancestors()).filter_map(|p| p.strip_prefix(root).ok());
    let mut paths: Vec<String> = inside.map(|path| path.display().to_string()).collect();
    paths.sort();
    paths.dedup();
    documents::Places { paths }
}

/// `crates/ir/src/a/b.rs` → `ir` and `a/b.rs`.
fn in_crate(name: &Path) -> Option<(String, String)> {
    let mut parts = name.to_str()?.strip_prefix("crates/")?.splitn(3, '/');
    let name = parts.next()?;
    let is_source = parts.next()? == "src";
    is_source.then_some((name.to_string(), parts.next()?.to_string()))
}

fn walk(directory: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    let mut children = fs::read_dir(directory)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()?;
    children.sort();
    for child in children {
        let name = child.file_name().and_then(|n| n.to_str()).unwrap_or("");
        let is_hidden = name.starts_with('.') && name != ".ci";
        if is_hidden || name == "target" {
            continue;
        }
        if child.is_dir() {
            walk(&child, files)?;
        } else {
            files.push(child);
        }
    }
    Ok(())
}

fn rust(text: &str, complain: &mut dyn FnMut(usize, &str)) {
    if !text.starts_with("//!") {
        complain(1, "a file opens with `//!`: what it is responsible for");
    }
    let lines = text.lines().count();
    if lines > LONGEST_FILE {
        complain(lines, "the file is longer than 700 lines");
    }
    for (number, line) in (1..).zip(text.lines()) {
        for name in ["todo", "unimplemented", "dbg"] {
            let code = line.split("//").next().unwrap_or_default();
            if code.contains(&format!("{name}!(")) {
                complain(number, &format!("`{name}!` is not finished code"));
            }
        }
    }
}

fn white_space(text: &str, complain: &mut dyn FnMut(usize, &str)) {
    for (number, line) in (1..).zip(text.lines()) {
        if line.ends_with([' ', '\t']) {
            complain(number, "white space at the end of the line");
        }
    }
}

fn is_crate_manifest(name: &Path) -> bool {
    name.starts_with("crates") && name.ends_with("Cargo.toml")
}

/// Checks `[dependencies]`; tests may use what they like.
fn dependencies(text: &str, complain: &mut dyn FnMut(usize, &str)) {
    let (mut section, mut own) = ("", "");
    for (number, line) in (1..).zip(text.lines()) {
        if line.starts_with('[') {
            section = line;
            continue;
        }
        let Some((key, value)) = line.split_once('=') else {
            continue;
        };
        let key = key.split('.').next().unwrap_or_default().trim();
        if section == "[package]" && key == "name" {
            own = value.trim().trim_matches('"');
            if !MAY_USE.iter().any(|(name, _)| *name == own) {
                complain(number, "the crate is not in the table of allowed dependencies");
            }
        } else if section == "[dependencies]" && ANY.contains(&key) {
            let allowed = MAY_USE.iter().find(|(name, _)| *name == own);
            if !allowed.is_some_and(|(_, allowed)| allowed.contains(&key)) {
                complain(number, &format!("`{own}` may not use `{key}`"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(check: impl Fn(&mut dyn FnMut(usize, &str))) -> Vec<String> {
        let mut all = Vec::new();
        check(&mut |line, what| all.push(format!("{line}: {what}")));
        all
    }

    #[test]
    fn files_open_with_their_responsibility_and_hold_finished_code() {
        let unfinished = ["//! A file.\nfn f() { ", "todo", "!() }\n"].concat();
        let said = complaints(|c| rust(&unfinished, c));
        assert_eq!(said, ["2: `todo!` is not finished code"]);
        assert_eq!(complaints(|c| rust("fn f() {}", c)).len(), 1);
        let long = format!("//! Long.\n{}", "\n".repeat(LONGEST_FILE));
        assert_eq!(complaints(|c| rust(&long, c)).len(), 1);
        assert!(complaints(|c| rust("//! Fine.\n", c)).is_empty());
    }

    #[test]
    fn crates_use_only_what_the_table_allows() {
        let manifest = "[package]\nname = \"logic\"\n[dependencies]\nrustc-hash = \"2\"\n\
                        ir.workspace = true\n[dev-dependencies]\nsat.workspace = true\n";
        let said = complaints(|c| dependencies(manifest, c));
        assert_eq!(said, ["5: `logic` may not use `ir`"]);
        let stranger = "[package]\nname = \"stranger\"\n";
        assert_eq!(complaints(|c| dependencies(stranger, c)).len(), 1);
    }

    #[test]
    fn lines_end_without_white_space() {
        assert_eq!(complaints(|c| white_space("a\nb \n", c)).len(), 1);
    }
}
