//! Gradle's build files are programs; read are only the libraries that they name as almost all of them
//! do: `implementation 'group:artifact:version'`, with versions from variables and lists of versions, and
//! by the names of a catalog of versions (`libs.versions.toml`).

use std::collections::BTreeMap;
use std::path::Path;

use toml::{Table, Value};

use super::{Library, Stores, maven};
use crate::files;

/// Configurations whose libraries the main sources see.
const CONFIGURATIONS: [&str; 5] =
    ["implementation", "api", "compileOnly", "compileOnlyApi", "compile"];

/// The libraries that the main sources of a module see.
pub(super) fn libraries(module: &Path, stores: &Stores) -> Vec<Library> {
    let read = |path: &Path| files::read_to_string(path).unwrap_or_default();
    let above = || module.ancestors();
    let script = ["build.gradle", "build.gradle.kts"].map(|name| read(&module.join(name))).concat();
    let properties: String = above().map(|d| read(&d.join("gradle.properties")) + "\n").collect();
    let catalogs = above().map(|directory| directory.join("gradle/libs.versions.toml"));
    let catalog = catalogs.into_iter().find(|file| file.is_file());
    let script = Script {
        variables: assigned(&format!("{properties}{script}")),
        catalog: catalog.map(|file| Catalog::read(&read(&file))).unwrap_or_default(),
        text: script,
    };
    script.libraries(stores)
}

/// A build file, and what its names stand for.
struct Script {
    text: String,
    variables: BTreeMap<String, String>,
    catalog: Catalog,
}

impl Script {
    fn libraries(&self, stores: &Stores) -> Vec<Library> {
        let (mut named, mut managed) = (Vec::new(), BTreeMap::new());
        // What is in parentheses often has lines of its own.
        let text = self.text.split('(').map(str::trim_start).collect::<Vec<_>>().join("(");
        for line in text.lines().map(str::trim) {
            let end = line.find(|c: char| !c.is_alphanumeric()).unwrap_or(line.len());
            let (word, rest) = line.split_at(end);
            if !CONFIGURATIONS.contains(&word) {
                continue;
            }
            let found = self.named_in(rest);
            match rest.contains("latform(") {
                true => managed.extend(found.iter().flat_map(|list| maven::managed(list, stores))),
                false => named.extend(found),
            }
        }
        for library in named.iter_mut().filter(|library| library.version.is_empty()) {
            let key = (library.group.clone(), library.artifact.clone());
            library.version = managed.get(&key).cloned().unwrap_or_default();
        }
        named.retain(|library| !library.version.is_empty());
        named
    }

    /// The libraries in what follows a configuration.
    fn named_in(&self, text: &str) -> Vec<Library> {
        if let Some(at) = text.find("libs.") {
            let is_part = |c: char| c.is_alphanumeric() || c == '.' || c == '_';
            let name = &text[at + "libs.".len()..];
            let name = &name[..name.find(|c| !is_part(c)).unwrap_or(name.len())];
            return self.catalog.named(name.trim_end_matches(".get"));
        }
        let quoted: Vec<&str> = text.split(['\'', '"']).skip(1).step_by(2).collect();
        let parts: Vec<&str> = match quoted.as_slice() {
            // group: 'g', name: 'a', version: 'v'
            [group, name, version] if text.contains("name") => vec![group, name, version],
            [first, ..] => first.split('@').next().unwrap_or(first).split(':').collect(),
            [] => return Vec::new(),
        };
        let filled = parts.iter().map(|part| self.filled_in(part)).collect::<Option<Vec<_>>>();
        match filled.as_deref() {
            Some([group, artifact]) => vec![Library::new(group, artifact, "")],
            Some([group, artifact, version, ..]) => vec![Library::new(group, artifact, version)],
            _ => Vec::new(),
        }
    }

    /// A text with its `$variables` replaced; `None` if one is unknown.
    fn filled_in(&self, text: &str) -> Option<String> {
        let Some((before, name)) = text.split_once('$') else {
            return Some(text.to_string());
        };
        let name = name.trim_start_matches('{').trim_end_matches('}');
        let value = self.variables.get(name.rsplit('.').next().unwrap_or(name))?;
        Some(format!("{before}{value}"))
    }
}

/// Names with a text of their own: `version = 1`, `def v = '1'`, `val v = "1"`, `ext.v = "1"`.
fn assigned(text: &str) -> BTreeMap<String, String> {
    let assignments = text.lines().filter_map(|line| {
        let (name, value) = line.split_once('=')?;
        let name = name.trim().rsplit(['.', ' ']).next()?.trim_matches(['"', '\'', ']', '[']);
        let value = value.trim().trim_matches(['"', '\'']);
        let is_plain = |c: char| c.is_alphanumeric() || ".-_+".contains(c);
        (!name.is_empty() && value.chars().all(is_plain)).then(|| (name.into(), value.into()))
    });
    assignments.collect()
}

/// Libraries and bundles of them by name, with dots between the parts.
#[derive(Default)]
struct Catalog {
    libraries: BTreeMap<String, Library>,
    bundles: BTreeMap<String, Vec<String>>,
}

impl Catalog {
    fn read(text: &str) -> Catalog {
        let table: Table = text.parse().unwrap_or_default();
        let part = |name: &str| table.get(name).and_then(Value::as_table).cloned();
        let versions = part("versions").unwrap_or_default();
        let libraries = part("libraries").unwrap_or_default();
        let library =
            |(name, value): (&String, &Value)| Some((accessor(name), library(value, &versions)?));
        let bundles = part("bundles").unwrap_or_default();
        let bundle = |(name, value): (&String, &Value)| {
            let members = value.as_array()?.iter().filter_map(Value::as_str);
            Some((accessor(name), members.map(accessor).collect()))
        };
        Catalog {
            libraries: libraries.iter().filter_map(library).collect(),
            bundles: bundles.iter().filter_map(bundle).collect(),
        }
    }

    fn named(&self, name: &str) -> Vec<Library> {
        let names = match name.strip_prefix("bundles.") {
            Some(bundle) => self.bundles.get(&accessor(bundle)).cloned().unwrap_or_default(),
            None => vec![accessor(name)],
        };
        names.iter().filter_map(|name| self.libraries.get(name).cloned()).collect()
    }
}

/// `commons-lang3` → `commons.lang3`.
fn accessor(name: &str) -> String {
    name.replace(['-', '_'], ".")
}

fn library(value: &Value, versions: &Table) -> Option<Library> {
    if let Some(text) = value.as_str() {
        let parts: Vec<&str> = text.split(':').collect();
        let [group, artifact, version] = parts.as_slice() else {
            return None;
        };
        return Some(Library::new(group, artifact, version));
    }
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    let (group, artifact) = match text("module") {
        Some(module) => module.split_once(':')?,
        None => (text("group")?, text("name")?),
    };
    let version = value.get("version").map_or(Some(""), |version| {
        let named = version.get("ref").and_then(Value::as_str);
        plain_version(named.map_or(Some(version), |name| versions.get(name))?)
    })?;
    Some(Library::new(group, artifact, version))
}

/// `"1.0"`, or the version that a rich one leads to.
fn plain_version(version: &Value) -> Option<&str> {
    let rich = ["prefer", "require", "strictly"].into_iter().find_map(|key| version.get(key));
    version.as_str().or_else(|| rich?.as_str())
}
