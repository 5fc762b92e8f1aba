//! Gradle's build files are programs; read are only the libraries that they name in full, as almost
//! all of them do: `implementation 'group:artifact:version'`.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Library, maven};

/// Configurations whose libraries the main sources see.
const CONFIGURATIONS: [&str; 4] = ["implementation", "api", "compileOnly", "compile"];

/// The jars of a module's libraries in the caches of Gradle and Maven, and the libraries without any.
pub(super) fn libraries(module: &Path, home: &Path) -> (Vec<PathBuf>, Vec<Library>) {
    let read = |name: &str| fs::read_to_string(module.join(name)).unwrap_or_default();
    let text = read("build.gradle") + &read("build.gradle.kts");
    let cache = home.join(".gradle/caches/modules-2/files-2.1");
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    for library in named_in(&text) {
        let jar =
            cached(&cache, &library).or_else(|| maven::jar(&library, &home.join(".m2/repository")));
        match jar {
            Some(jar) => found.push(jar),
            None => missing.push(library),
        }
    }
    (found, missing)
}

fn named_in(text: &str) -> Vec<Library> {
    let lines = text.lines().map(str::trim).filter_map(|line| {
        let word_end = line.find(|c: char| !c.is_alphanumeric())?;
        let (word, rest) = line.split_at(word_end);
        let quote = rest.find(['\'', '"'])?;
        let quoted = rest[quote + 1..].split(['\'', '"']).next()?;
        let parts: Vec<&str> = quoted.split(['@']).next()?.split(':').collect();
        let &[group, artifact, version] = parts.as_slice() else {
            return None;
        };
        let is_plain = !quoted.contains('$') && CONFIGURATIONS.contains(&word);
        is_plain.then(|| Library {
            group: group.into(),
            artifact: artifact.into(),
            version: version.into(),
        })
    });
    lines.collect()
}

/// `files-2.1/group/artifact/version/HASH/artifact-version.jar`.
fn cached(cache: &Path, library: &Library) -> Option<PathBuf> {
    let directory = cache.join(&library.group).join(&library.artifact).join(&library.version);
    let mut hashes: Vec<PathBuf> =
        fs::read_dir(directory).ok()?.flatten().map(|entry| entry.path()).collect();
    hashes.sort();
    hashes.into_iter().map(|hash| hash.join(library.jar_name())).find(|jar| jar.is_file())
}
