//! Projects of Maven and Gradle: what their sources need is looked for where these tools put it.
//!
//! No build is run and nothing is downloaded: used are compiled classes, sources of neighbouring
//! modules, and jars in the local repositories. What is missing there is told, not fetched.

mod gradle;
mod maven;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::diagnostic::Diagnostic;
use crate::inputs::Inputs;

/// How deep modules nest below the root of a project.
const DEEPEST: usize = 4;

/// Output directories of the two tools, for classes that are not tests.
const CLASSES: [&str; 4] = [
    "target/classes",
    "build/classes/java/main",
    "build/classes/kotlin/main",
    "build/classes/groovy/main",
];

/// Sources of a module that another one may need.
const SOURCES: [&str; 3] =
    ["src/main/java", "target/generated-sources/annotations", "build/generated/sources/main"];

/// Directories of jars that are kept with a project.
const LIBRARIES: [&str; 2] = ["lib", "libs"];

/// A library as the tools name it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Library {
    group: String,
    artifact: String,
    version: String,
}

impl Library {
    fn name(&self) -> String {
        format!("{}:{}:{}", self.group, self.artifact, self.version)
    }

    fn jar_name(&self) -> String {
        format!("{}-{}.jar", self.artifact, self.version)
    }
}

/// Adds what the projects around the given paths provide. What the user named comes first.
pub fn complete(inputs: &mut Inputs, paths: &[PathBuf]) {
    let home = std::env::home_dir().unwrap_or_default();
    let roots: BTreeSet<PathBuf> = paths.iter().filter_map(|path| root_around(path)).collect();
    let mut modules = BTreeSet::new();
    for start in roots.iter().map(PathBuf::as_path).chain(paths.iter().map(PathBuf::as_path)) {
        modules_below(start, DEEPEST, &mut modules);
    }
    let given: BTreeSet<PathBuf> = inputs.source_roots().into_iter().collect();
    for module in &modules {
        inputs.class_path.extend(present(module, &CLASSES));
        let sources = present(module, &SOURCES).into_iter();
        inputs.source_path.extend(sources.filter(|root| !given.contains(root)));
        for directory in LIBRARIES {
            inputs.class_path.extend(jars_in(&module.join(directory)));
        }
        let (found, missing) = libraries(module, &home);
        inputs.class_path.extend(found);
        if let Some(first) = missing.first() {
            let (names, count) = (first.name(), missing.len());
            let message = match count {
                1 => format!("{names} is not in the local repository"),
                _ => format!("{count} libraries ({names}, …) are not in the local repository"),
            };
            let message = format!("{message}: build the project once, or give --classpath");
            inputs.diagnostics.push(Diagnostic::new(&build_file(module), message));
        }
    }
    let mut seen = BTreeSet::new();
    inputs.class_path.retain(|entry| seen.insert(entry.clone()));
}

/// The directories of these names that a module has.
fn present(module: &Path, names: &[&str]) -> Vec<PathBuf> {
    names.iter().map(|name| module.join(name)).filter(|path| path.is_dir()).collect()
}

/// The jars of a module's libraries, and the libraries that have none.
fn libraries(module: &Path, home: &Path) -> (Vec<PathBuf>, Vec<Library>) {
    match module.join("pom.xml").is_file() {
        true => maven::libraries(module, &home.join(".m2/repository")),
        false => gradle::libraries(module, home),
    }
}

/// The topmost directory of the project that a path is in.
fn root_around(path: &Path) -> Option<PathBuf> {
    let path = std::path::absolute(path).ok()?;
    let mut directories = path.ancestors().filter(|d| d.is_dir());
    let mut root = directories.find(|directory| is_module(directory))?;
    for above in directories {
        if !is_module(above) {
            break;
        }
        root = above;
    }
    Some(root.to_path_buf())
}

fn modules_below(directory: &Path, depth: usize, found: &mut BTreeSet<PathBuf>) {
    let Ok(directory) = std::path::absolute(directory) else {
        return;
    };
    if is_module(&directory) {
        found.insert(directory.clone());
    }
    if depth == 0 {
        return;
    }
    for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let is_other = ["src", "target", "build", "node_modules"].map(OsStr::new).contains(&&*name);
        // Links may lead in circles.
        let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_directory && !is_other && !name.as_encoded_bytes().starts_with(b".") {
            modules_below(&entry.path(), depth - 1, found);
        }
    }
}

const BUILD_FILES: [&str; 5] =
    ["pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"];

fn is_module(directory: &Path) -> bool {
    BUILD_FILES.iter().any(|name| directory.join(name).is_file())
}

fn build_file(module: &Path) -> PathBuf {
    let files = BUILD_FILES.iter().map(|name| module.join(name));
    let found = files.into_iter().find(|file| file.is_file()).unwrap_or_else(|| module.into());
    let here = std::env::current_dir().unwrap_or_default();
    found.strip_prefix(here).map(Path::to_path_buf).unwrap_or(found)
}

fn jars_in(directory: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut jars: Vec<PathBuf> =
        files.filter(|path| path.extension() == Some(OsStr::new("jar"))).collect();
    jars.sort();
    jars
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
