//! The project's own corpus, `benchmarks/real`: classes as applications have them, each right, each with
//! two bugs that are written into it as marked lines.
//!
//! | line | is |
//! |---|---|
//! | `//bug1? what` | what kind of bug the first one is |
//! | `//bug1+ code` | a line that only the version with the first bug has |
//! | `code //bug1-` | a line that this version lacks |
//! | `code //fails1` | where its failure shows |
//!
//! Every version keeps the numbers of its lines.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::bench::measure;

/// Seeded bugs of a class.
pub const BUGS: [u32; 2] = [1, 2];

/// A class of the corpus.
pub struct Subject {
    pub name: String,
    source: String,
}

/// A bug that is written into a class.
pub struct Seeded {
    pub kind: String,
    /// Lines at which its failure may show.
    pub fails: BTreeSet<u64>,
}

/// Where the corpus is.
pub fn folder() -> PathBuf {
    measure::root().join("benchmarks/real")
}

/// All classes, by name.
pub fn subjects() -> Result<Vec<Subject>, String> {
    let entries = fs::read_dir(folder()).map_err(|e| format!("{}: {e}", folder().display()))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ext| ext == "java"));
    paths.sort();
    paths.iter().map(|path| Subject::read(path)).collect()
}

impl Subject {
    fn read(path: &Path) -> Result<Subject, String> {
        let source = fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Subject { name, source })
    }

    /// Lines of the right version that say anything.
    pub fn lines(&self) -> usize {
        let is_code = |line: &&str| !line.is_empty() && !line.starts_with("//bug");
        self.source.lines().map(str::trim).filter(is_code).count()
    }

    /// The source with one of its bugs, or without any.
    pub fn version(&self, bug: Option<u32>) -> String {
        let Some(bug) = bug else {
            return self.source.clone();
        };
        let (added, dropped) = (format!("//bug{bug}+ "), format!("//bug{bug}-"));
        let mut version = String::new();
        for line in self.source.lines() {
            let code = line.trim_start();
            let indent = &line[..line.len() - code.len()];
            match code.strip_prefix(&added) {
                Some(seeded) => version.push_str(&format!("{indent}{seeded}")),
                None if code.split(' ').any(|word| word == dropped) => {}
                None => version.push_str(line),
            }
            version.push('\n');
        }
        version
    }

    /// What is said about one of its bugs.
    pub fn seeded(&self, bug: u32) -> Seeded {
        let (kind_mark, fails_mark) = (format!("//bug{bug}? "), format!("//fails{bug}"));
        let mut seeded = Seeded { kind: String::new(), fails: BTreeSet::new() };
        for (number, line) in (1..).zip(self.source.lines()) {
            if let Some(kind) = line.trim_start().strip_prefix(&kind_mark) {
                seeded.kind = kind.to_string();
            }
            if line.split(' ').any(|word| word == fails_mark) {
                seeded.fails.insert(number);
            }
        }
        seeded
    }

    /// Writes a version where its package wants it; the file.
    pub fn write(&self, bug: Option<u32>, root: &Path) -> Result<PathBuf, String> {
        let package = root.join("real");
        let path = package.join(format!("{}.java", self.name));
        let written =
            fs::create_dir_all(&package).and_then(|()| fs::write(&path, self.version(bug)));
        written.map_err(|e| format!("{}: {e}", path.display()))?;
        Ok(path)
    }
}

/// What a version is called.
pub fn version_name(bug: Option<u32>) -> String {
    bug.map_or_else(|| "right".to_string(), |bug| format!("bug{bug}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject() -> Subject {
        let source = "a {\n    //bug1? gone\n    b; //bug1-\n    //bug2+ c; //fails2\n}\n";
        Subject { name: "A".into(), source: source.into() }
    }

    #[test]
    fn a_version_keeps_its_line_numbers() {
        let subject = subject();
        assert_eq!(subject.version(Some(1)).lines().nth(2), Some(""));
        assert_eq!(subject.version(Some(2)).lines().nth(2), Some("    b; //bug1-"));
        assert_eq!(subject.version(Some(2)).lines().nth(3), Some("    c; //fails2"));
        for bug in [None, Some(1), Some(2)] {
            assert_eq!(subject.version(bug).lines().count(), 5);
        }
    }

    #[test]
    fn a_bug_says_what_it_is_and_where_it_shows() {
        assert_eq!(subject().seeded(1).kind, "gone");
        assert_eq!(subject().seeded(2).fails, BTreeSet::from([4]));
        assert_eq!(subject().lines(), 3);
    }
}
