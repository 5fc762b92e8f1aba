//! Sources beside the given ones that javac does not find by itself, and what is said of those that were read.
//!
//! javac looks for a class in the directory that its package names. Where a file lies elsewhere, its
//! neighbours are laid out below a directory of ours in the way that javac expects. Only what
//! the given files lead to by name is compiled.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::files;
use crate::inputs::{self, Source};

/// Names in the sentence about what was read; the others are counted.
const MOST_NAMED: usize = 5;

/// The sources in the directories of given ones that have the same package, where the directories do not show
/// it. Of two with one name the first counts.
pub(crate) fn find(given: &[Source]) -> Vec<Source> {
    let known: BTreeSet<String> = given.iter().map(Source::key).collect();
    let mut places: BTreeMap<PathBuf, BTreeSet<&str>> = BTreeMap::new();
    for source in given.iter().filter(|source| source.root().is_none()) {
        let directory = source.path.parent().unwrap_or(Path::new(""));
        places.entry(directory.to_path_buf()).or_default().insert(&source.package);
    }
    let mut found: BTreeMap<String, Source> = BTreeMap::new();
    for (directory, packages) in places {
        for source in sources_of(&directory) {
            let key = source.key();
            if packages.contains(source.package.as_str()) && !known.contains(&key) {
                found.entry(key).or_insert(source);
            }
        }
    }
    found.into_values().collect()
}

fn sources_of(directory: &Path) -> Vec<Source> {
    let listed = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
    let names = fs::read_dir(listed).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let paths = names.map(|name| directory.join(name));
    let mut paths: Vec<PathBuf> = paths.filter(|path| inputs::is_source(path)).collect();
    paths.sort();
    paths.into_iter().filter_map(|path| Source::read(&path).ok()).collect()
}

/// Writes copies where javac looks for them.
pub(crate) fn lay_out(sources: &[Source], directory: &Path) -> io::Result<()> {
    for source in sources {
        let path = directory.join(source.key());
        fs::create_dir_all(path.parent().unwrap_or(directory))?;
        fs::write(path, files::read(&source.path)?)?;
    }
    Ok(())
}

/// Says which sources were read although nobody named them.
pub(crate) fn sentence(read: &BTreeSet<PathBuf>) -> Option<String> {
    if read.is_empty() {
        return None;
    }
    let name = |path: &PathBuf| inputs::from_here(path.clone()).display().to_string();
    let mut names: Vec<String> = read.iter().take(MOST_NAMED).map(name).collect();
    if let more @ 1.. = read.len() - names.len() {
        names.push(format!("{more} more"));
    }
    let last = names.pop()?;
    let names = match names.is_empty() {
        true => last,
        false => format!("{} and {last}", names.join(", ")),
    };
    Some(format!("what was named leads to {names}: read as part of the program, but not checked"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trees::tree;

    fn given(directory: &Path, names: &[&str]) -> Vec<Source> {
        let read = |name: &&str| Source::read(&directory.join(name)).expect("a source");
        names.iter().map(read).collect()
    }

    #[test]
    fn files_of_the_same_package_are_beside_unless_javac_finds_them_anyway() {
        let directory = tree(&[
            ("flat/List.java", "package p; class List {}"),
            ("flat/Node.java", "package p; class Node {}"),
            ("flat/Other.java", "package q; class Other {}"),
            ("flat/Plain.java", "class Plain {}"),
            ("flat/Node.txt", "package p;"),
            ("p/A.java", "package p; class A {}"),
            ("p/B.java", "package p; class B {}"),
        ]);
        let keys = |names: &[&str]| -> Vec<String> {
            find(&given(directory.path(), names)).iter().map(Source::key).collect()
        };
        assert_eq!(keys(&["flat/List.java"]), ["p/Node.java"]);
        assert_eq!(keys(&["flat/Other.java"]), [""; 0]);
        assert_eq!(keys(&["flat/Plain.java"]), [""; 0]);
        assert_eq!(keys(&["p/A.java"]), [""; 0]);
        assert_eq!(keys(&["flat/List.java", "flat/Node.java"]), [""; 0]);
    }

    #[test]
    fn the_sentence_names_a_few_and_counts_the_rest() {
        let read = |count: u32| (1..=count).map(|n| PathBuf::from(format!("{n}.java"))).collect();
        assert_eq!(sentence(&read(0)), None);
        let said = |count| sentence(&read(count)).expect("a sentence");
        assert!(said(1).starts_with("what was named leads to 1.java: "), "{}", said(1));
        assert!(said(2).contains(" 1.java and 2.java: "), "{}", said(2));
        assert!(said(8).contains("4.java, 5.java and 3 more: "), "{}", said(8));
    }
}
