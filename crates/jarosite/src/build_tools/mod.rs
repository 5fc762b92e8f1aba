//! Projects of Maven and Gradle: what their sources need is looked for where these tools put it.
//!
//! No build is run and nothing is downloaded: used are compiled classes, sources of neighbouring
//! modules, and jars in the local repositories. What is missing there is told, not fetched.

mod gradle;
mod maven;

use std::collections::{BTreeSet, VecDeque};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::diagnostic::Diagnostic;
use crate::inputs::{Inputs, from_here};

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
    fn new(group: &str, artifact: &str, version: &str) -> Library {
        let [group, artifact, version] = [group, artifact, version].map(str::to_string);
        Library { group, artifact, version }
    }

    fn name(&self) -> String {
        format!("{}:{}:{}", self.group, self.artifact, self.version)
    }

    fn file_name(&self, extension: &str) -> String {
        format!("{}-{}.{extension}", self.artifact, self.version)
    }
}

/// Reads an environment variable.
type Variables<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Where the two tools keep what they have downloaded.
struct Stores {
    /// `group/artifact/version/artifact-version.jar`, with a directory for each part of the group.
    maven: PathBuf,
    /// `group/artifact/version/HASH/artifact-version.jar`.
    gradle: PathBuf,
}

impl Stores {
    /// Those that the tools would use for a project.
    fn of(project: &Path, home: &Path, variable: Variables<'_>) -> Stores {
        let gradle = variable("GRADLE_USER_HOME").map(PathBuf::from);
        let gradle = gradle.unwrap_or_else(|| home.join(".gradle"));
        Stores {
            maven: maven::repository(project, home, variable),
            gradle: gradle.join("caches/modules-2/files-2.1"),
        }
    }

    fn jar(&self, library: &Library) -> Option<PathBuf> {
        self.find(library, "jar")
    }

    fn pom(&self, library: &Library) -> Option<PathBuf> {
        self.find(library, "pom")
    }

    fn find(&self, library: &Library, extension: &str) -> Option<PathBuf> {
        let Library { group, artifact, version } = library;
        let name = library.file_name(extension);
        let below = |store: &Path, group: &str| store.join(group).join(artifact).join(version);
        let kept = below(&self.maven, &group.replace('.', "/")).join(&name);
        let hashes = fs::read_dir(below(&self.gradle, group)).into_iter().flatten().flatten();
        let mut cached: Vec<PathBuf> = hashes.map(|hash| hash.path().join(&name)).collect();
        cached.sort();
        [kept].into_iter().chain(cached).find(|file| file.is_file())
    }
}

/// Adds what the projects around the given paths provide. What the user named comes first.
pub fn complete(inputs: &mut Inputs, paths: &[PathBuf]) {
    let home = std::env::home_dir().unwrap_or_default();
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let roots: BTreeSet<PathBuf> = paths.iter().filter_map(|path| root_around(path)).collect();
    let mut modules = BTreeSet::new();
    for start in roots.iter().map(PathBuf::as_path).chain(paths.iter().map(PathBuf::as_path)) {
        modules_below(start, DEEPEST, &mut modules);
    }
    let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
    let given: BTreeSet<PathBuf> = inputs.source_roots().iter().map(absolute).collect();
    for module in modules {
        let stores = Stores::of(&module, &home, &variable);
        let (found, missing) = libraries(&module, &stores);
        let module = &from_here(module);
        inputs.class_path.extend(present(module, &CLASSES));
        let sources = present(module, &SOURCES).into_iter();
        inputs.modules.extend(sources.filter(|root| !given.contains(&absolute(root))));
        for directory in LIBRARIES {
            inputs.class_path.extend(jars_in(&module.join(directory)));
        }
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

/// The jars of a module's libraries and of theirs, and the libraries that have none.
fn libraries(module: &Path, stores: &Stores) -> (Vec<PathBuf>, Vec<Library>) {
    let direct = match module.join("pom.xml").is_file() {
        true => maven::libraries(module, stores),
        false => gradle::libraries(module, stores),
    };
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    let mut seen: BTreeSet<(String, String)> = BTreeSet::new();
    let mut work: VecDeque<(Library, bool)> = direct.into_iter().map(|l| (l, true)).collect();
    // Breadth first: of two versions the nearer one counts, as for Maven.
    while let Some((library, is_direct)) = work.pop_front() {
        if !seen.insert((library.group.clone(), library.artifact.clone())) {
            continue;
        }
        match stores.jar(&library) {
            Some(jar) => {
                found.push(jar);
                let next = maven::libraries_of(&library, stores).into_iter();
                work.extend(next.map(|library| (library, false)));
            }
            // The libraries of libraries are often optional in all but name.
            None => missing.extend(is_direct.then_some(library)),
        }
    }
    (found, missing)
}

/// The topmost directory of the project that a path is in. Modules may be in directories that are none
/// themselves (`services/pay`), but a project does not go beyond its repository.
fn root_around(path: &Path) -> Option<PathBuf> {
    let path = std::path::absolute(path).ok()?;
    let mut directories = path.ancestors().filter(|d| d.is_dir());
    let mut root = directories.find(|directory| is_module(directory))?;
    let mut gap = 0;
    while gap < DEEPEST && !root.join(".git").exists() {
        let Some(above) = directories.next() else {
            break;
        };
        gap += 1;
        if is_module(above) {
            (root, gap) = (above, 0);
        } else if above.join(".git").exists() {
            break;
        }
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
    files.into_iter().find(|file| file.is_file()).unwrap_or_else(|| module.into())
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
