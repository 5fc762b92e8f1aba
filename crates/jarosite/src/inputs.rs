//! What the user points at, sorted into sources to compile and classes to read.
//!
//! Nothing is compiled or opened here beyond the first lines of a source, which tell its package.
//! Each path that is of no use becomes a [`Diagnostic`]; the others go on.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::beside;
use crate::diagnostic::Diagnostic;
use crate::files;

/// A Java source file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Source {
    /// As the user wrote it.
    pub path: PathBuf,
    /// `p/q`; empty for the unnamed package.
    pub package: String,
}

impl Source {
    /// `p/q/List.java`: what a class's package and its `SourceFile` attribute say together.
    pub fn key(&self) -> String {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        key(&self.package, &name)
    }

    /// Reads the first lines of a file.
    pub(crate) fn read(path: &Path) -> std::io::Result<Source> {
        let package = package_of(&String::from_utf8_lossy(&files::read(path)?));
        Ok(Source { path: path.to_path_buf(), package })
    }

    /// The directory that the package's own directories stand in, if they do.
    pub(crate) fn root(&self) -> Option<PathBuf> {
        root_below(&self.path, &self.package)
    }
}

/// `p/q` and `List.java` → `p/q/List.java`.
pub(crate) fn key(package: &str, file: &str) -> String {
    if package.is_empty() { file.to_string() } else { format!("{package}/{file}") }
}

/// `src/p/q/List.java` and `p/q` → `src`; nothing if the directories do not match.
pub(crate) fn root_below(file: &Path, package: &str) -> Option<PathBuf> {
    let mut directory = std::path::absolute(file).ok()?;
    directory.pop();
    for part in package.rsplit('/').filter(|part| !part.is_empty()) {
        if directory.file_name() != Some(OsStr::new(part)) {
            return None;
        }
        directory.pop();
    }
    Some(directory)
}

/// Everything that a run is about.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    /// To compile; their classes are given.
    pub sources: Vec<Source>,
    /// Single class files; given.
    pub class_files: Vec<PathBuf>,
    /// Jars whose classes are all given.
    pub jars: Vec<PathBuf>,
    /// Directories and jars where further classes are found.
    pub class_path: Vec<PathBuf>,
    /// Directories where further sources are found.
    pub source_path: Vec<PathBuf>,
    /// Directories of sources that belong to the same project as the given ones.
    pub modules: Vec<PathBuf>,
    /// Sources beside given ones, in directories that do not show their package.
    pub beside: Vec<Source>,
    pub diagnostics: Vec<Diagnostic>,
}

impl Inputs {
    /// Sorts the paths and the values of `--classpath` and `--sourcepath` (each may hold several
    /// entries, and an entry `lib/*` all jars of a directory).
    pub fn collect(paths: &[PathBuf], class_path: &[String], source_path: &[String]) -> Inputs {
        let mut inputs = Inputs::default();
        let mut seen = BTreeSet::new();
        for path in paths {
            inputs.add(path, &mut seen);
        }
        inputs.beside = beside::find(&inputs.sources);
        for value in class_path {
            inputs.add_class_path(value);
        }
        for directory in source_path.iter().flat_map(std::env::split_paths) {
            if directory.is_dir() {
                inputs.source_path.push(directory);
            } else if !directory.as_os_str().is_empty() {
                inputs.complain(&directory, "no such directory (from --sourcepath)");
            }
        }
        inputs
    }

    /// Whether there is nothing to check.
    pub fn is_empty(&self) -> bool {
        self.sources.is_empty() && self.class_files.is_empty() && self.jars.is_empty()
    }

    /// All directories where javac looks for sources: of libraries first, then of the project.
    pub fn all_source_roots(&self) -> Vec<PathBuf> {
        [&self.source_path[..], &self.modules, &self.source_roots()].concat()
    }

    /// The directories in which the given sources stand according to their packages, so that one
    /// file of a tree finds its neighbours.
    pub fn source_roots(&self) -> Vec<PathBuf> {
        let roots: BTreeSet<PathBuf> = self.sources.iter().filter_map(Source::root).collect();
        roots.into_iter().collect()
    }

    fn complain(&mut self, path: &Path, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::new(path, message));
    }

    /// Complains of what was to be checked.
    fn give_up(&mut self, path: &Path, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::unusable(path, message));
    }

    fn add(&mut self, path: &Path, seen: &mut BTreeSet<PathBuf>) {
        match fs::metadata(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                self.give_up(path, "no such file or directory");
            }
            Err(error) => self.give_up(path, format!("cannot be read: {error}")),
            Ok(found) if found.is_dir() => self.add_directory(path, seen),
            Ok(_) if kind_of(path).is_some() => self.add_file(path, seen),
            Ok(_) => {
                self.give_up(path, "neither a .java, .class or .jar file nor a directory of them")
            }
        }
    }

    fn add_file(&mut self, path: &Path, seen: &mut BTreeSet<PathBuf>) {
        let identity = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        if !seen.insert(identity) {
            return;
        }
        match kind_of(path) {
            Some(Kind::Source) => self.add_source(path),
            Some(Kind::Class) => self.class_files.push(path.to_path_buf()),
            Some(Kind::Jar) => self.jars.push(path.to_path_buf()),
            None => {}
        }
    }

    fn add_source(&mut self, path: &Path) {
        match Source::read(path) {
            Ok(source) => self.sources.push(source),
            Err(error) => self.give_up(path, format!("cannot be read: {error}")),
        }
    }

    /// A tree with sources is a source tree; classes and jars in it are somebody's output.
    fn add_directory(&mut self, path: &Path, seen: &mut BTreeSet<PathBuf>) {
        let mut tree = Tree::default();
        tree.walk(path, true);
        self.diagnostics.append(&mut tree.diagnostics);
        let has_sources = tree.files.iter().any(|f| kind_of(f) == Some(Kind::Source));
        let wanted = tree.files.iter().filter(|file| {
            let is_source = kind_of(file) == Some(Kind::Source);
            is_source == has_sources && file.file_name() != Some(OsStr::new("module-info.java"))
        });
        let mut count = 0;
        for file in wanted {
            self.add_file(file, seen);
            count += 1;
        }
        if count == 0 {
            self.complain(path, "holds no .java, .class or .jar file");
        }
    }

    fn add_class_path(&mut self, value: &str) {
        for entry in std::env::split_paths(value) {
            if entry.file_name() == Some(OsStr::new("*")) {
                self.add_jars_of(entry.parent().unwrap_or(Path::new(".")));
            } else if entry.exists() {
                self.class_path.push(entry);
            } else if !entry.as_os_str().is_empty() {
                self.complain(&entry, "no such file or directory (from --classpath)");
            }
        }
    }

    fn add_jars_of(&mut self, directory: &Path) {
        let directory = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
        match children(directory) {
            Ok(files) => {
                let jars = files.into_iter().filter(|f| kind_of(f) == Some(Kind::Jar));
                self.class_path.extend(jars);
            }
            Err(error) => self.complain(directory, format!("cannot be read: {error}")),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Source,
    Class,
    Jar,
}

fn kind_of(path: &Path) -> Option<Kind> {
    match path.extension()?.to_str()? {
        "java" => Some(Kind::Source),
        "class" => Some(Kind::Class),
        "jar" => Some(Kind::Jar),
        _ => None,
    }
}

/// Whether a file is a Java source by its name, and none that an editor has left.
pub(crate) fn is_source(path: &Path) -> bool {
    kind_of(path) == Some(Kind::Source) && !is_hidden(path) && path.is_file()
}

/// The path as a person in this directory would write it: reports show it, and services want it relative.
pub(crate) fn from_here(path: PathBuf) -> PathBuf {
    let here = std::env::current_dir().unwrap_or_default();
    match path.strip_prefix(here) {
        Ok(below) if below.as_os_str().is_empty() => PathBuf::from("."),
        Ok(below) => below.to_path_buf(),
        Err(_) => path,
    }
}

/// Sorted, so that a run does not depend on the file system's order.
fn children(directory: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut found = fs::read_dir(directory)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()?;
    found.sort();
    Ok(found)
}

/// The files of interest below a directory.
#[derive(Default)]
struct Tree {
    files: Vec<PathBuf>,
    diagnostics: Vec<Diagnostic>,
    /// Symbolic links may lead in circles.
    visited: BTreeSet<PathBuf>,
}

impl Tree {
    fn walk(&mut self, directory: &Path, is_top: bool) {
        let identity = directory.canonicalize().unwrap_or_else(|_| directory.into());
        if !self.visited.insert(identity) {
            return;
        }
        let found = match children(directory) {
            Ok(found) => found,
            Err(error) => {
                let message = format!("cannot be read: {error}");
                self.diagnostics.push(Diagnostic::unusable(directory, message));
                return;
            }
        };
        let is_project = is_top || found.iter().any(|child| is_build_file(child));
        for child in found {
            if !child.is_dir() {
                if kind_of(&child).is_some() && !is_hidden(&child) {
                    self.files.push(child);
                }
            } else if !is_skipped(&child, is_project) {
                self.walk(&child, false);
            }
        }
    }
}

/// Editors lock a file with a link of such a name, which leads nowhere.
fn is_hidden(path: &Path) -> bool {
    path.file_name().and_then(OsStr::to_str).is_some_and(|name| name.starts_with('.'))
}

fn is_build_file(path: &Path) -> bool {
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or("");
    name == "pom.xml" || name.starts_with("build.gradle") || name == "build.xml"
}

/// Hidden directories, build output (which only stands beside a build file: elsewhere `build` may
/// well be a package), and the tests of a project, which need libraries of their own.
fn is_skipped(directory: &Path, in_project: bool) -> bool {
    let name = directory.file_name().and_then(OsStr::to_str).unwrap_or("");
    match name {
        "target" | "build" => in_project,
        "node_modules" => true,
        "test" => {
            let parent = directory.parent().unwrap_or(Path::new(""));
            parent.file_name() == Some(OsStr::new("src")) && parent.join("main").is_dir()
        }
        _ => name.starts_with('.'),
    }
}

/// The package of a source as `p/q`. Only comments and annotations may stand before it.
pub(crate) fn package_of(text: &str) -> String {
    let mut rest = text.trim_start_matches('\u{feff}');
    loop {
        rest = skip_blanks(rest);
        let word_end =
            rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').unwrap_or(rest.len());
        match &rest[..word_end] {
            "package" => return package_name(&rest[word_end..]),
            "import" | "class" | "interface" | "enum" | "record" | "module" => {
                return String::new();
            }
            "" => {
                let mut characters = rest.chars();
                match characters.next() {
                    None | Some('{') => return String::new(),
                    Some(_) => rest = characters.as_str(),
                }
            }
            _ => rest = &rest[word_end..],
        }
    }
}

fn package_name(rest: &str) -> String {
    let mut name = String::new();
    let mut rest = skip_blanks(rest);
    while let Some(c) = rest.chars().next().filter(|c| *c != ';') {
        name.push(if c == '.' { '/' } else { c });
        rest = skip_blanks(&rest[c.len_utf8()..]);
    }
    name
}

/// Skips white space and comments.
fn skip_blanks(text: &str) -> &str {
    let mut rest = text.trim_start();
    loop {
        let after = if rest.starts_with("//") {
            rest.find('\n').map(|end| &rest[end..])
        } else if rest.starts_with("/*") {
            rest.get(2..).and_then(|r| r.find("*/").map(|end| &r[end + 2..]))
        } else {
            return rest;
        };
        rest = after.unwrap_or("").trim_start();
    }
}

#[cfg(test)]
#[path = "inputs_tests.rs"]
mod tests;
