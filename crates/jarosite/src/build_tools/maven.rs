//! Maven's `pom.xml`, as far as it tells the libraries of the main sources: parents, properties,
//! managed versions, imported lists of versions, and the libraries of libraries.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use roxmltree::{Document, Node};

use super::{Library, Stores, Variables};
use crate::files;

/// Parents and lists of versions that refer to each other would never end.
const MOST_LEVELS: usize = 16;

/// The libraries that the main sources of a module see.
pub(super) fn libraries(module: &Path, stores: &Stores) -> Vec<Library> {
    let pom = Pom::read(&module.join("pom.xml"), stores, MOST_LEVELS);
    let libraries = pom.map(|pom| pom.libraries(&["compile", "provided", "system"]));
    let siblings = siblings(module);
    let is_foreign = |library: &Library| !siblings.contains(&library.artifact);
    libraries.unwrap_or_default().into_iter().filter(is_foreign).collect()
}

/// The libraries that a library needs.
pub(super) fn libraries_of(library: &Library, stores: &Stores) -> Vec<Library> {
    let pom = stores.pom(library).and_then(|pom| Pom::read(&pom, stores, MOST_LEVELS));
    pom.map(|pom| pom.libraries(&["compile", "runtime"])).unwrap_or_default()
}

/// The versions that a list of versions manages, by group and artifact.
pub(super) fn managed(list: &Library, stores: &Stores) -> BTreeMap<(String, String), String> {
    let pom = stores.pom(list).and_then(|pom| Pom::read(&pom, stores, MOST_LEVELS));
    let managed = pom.map(|pom| pom.managed).unwrap_or_default();
    managed.into_iter().map(|(key, (version, _))| (key, version)).collect()
}

/// Where Maven keeps jars for a project: what its options say, then the user's settings, then the
/// usual place.
pub(super) fn repository(project: &Path, home: &Path, variable: Variables<'_>) -> PathBuf {
    let usual = home.join(".m2");
    let read = |path: &Path| files::read_to_string(path).unwrap_or_default();
    let mut options: Vec<String> =
        ["MAVEN_ARGS", "MAVEN_OPTS"].iter().filter_map(|name| variable(name)).collect();
    for above in project.ancestors() {
        let files = ["maven.config", "jvm.config"].map(|name| above.join(".mvn").join(name));
        options.extend(files.iter().map(|file| read(file)));
    }
    let named = options.iter().find_map(|text| {
        let named = text.split_whitespace().find_map(|w| w.strip_prefix("-Dmaven.repo.local="))?;
        Some(named.trim_matches(['"', '\'']).to_string())
    });
    let settings = read(&usual.join("settings.xml"));
    let in_settings = || {
        let document = Document::parse(&settings).ok()?;
        text(document.root_element(), "localRepository")
    };
    let chosen = named
        .or_else(in_settings)
        .map(|path| PathBuf::from(path.replace("${user.home}", &home.display().to_string())));
    chosen.unwrap_or_else(|| usual.join("repository"))
}

/// Names of modules beside and above: they are there as classes or sources.
fn siblings(module: &Path) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for above in module.ancestors().take(3) {
        for entry in fs::read_dir(above).into_iter().flatten().flatten() {
            let pom = files::read_to_string(&entry.path().join("pom.xml")).unwrap_or_default();
            if let Ok(document) = Document::parse(&pom) {
                names.extend(text(document.root_element(), "artifactId"));
            }
        }
        if !above.join("pom.xml").is_file() {
            break;
        }
    }
    names
}

/// A `pom.xml` together with its parents.
#[derive(Default)]
struct Pom {
    properties: BTreeMap<String, String>,
    /// Versions and scopes by group and artifact.
    managed: BTreeMap<(String, String), (String, String)>,
    dependencies: Vec<Dependency>,
}

struct Dependency {
    group: String,
    artifact: String,
    version: Option<String>,
    scope: Option<String>,
}

impl Pom {
    fn read(path: &Path, stores: &Stores, levels: usize) -> Option<Pom> {
        let text = files::read_to_string(path).ok()?;
        let document = Document::parse(&text).ok()?;
        let root = document.root_element();
        let parent = child(root, "parent");
        let above = parent.filter(|_| levels > 0);
        let mut pom =
            above.and_then(|node| Pom::parent(node, path, stores, levels - 1)).unwrap_or_default();
        for node in child(root, "properties").into_iter().flat_map(|n| n.children()) {
            let value = node.text().unwrap_or_default().trim().to_string();
            pom.properties.insert(node.tag_name().name().to_string(), value);
        }
        for name in ["groupId", "artifactId", "version"] {
            let own = self::text(root, name);
            let value = own.or_else(|| parent.and_then(|p| self::text(p, name)));
            if let Some(value) = value {
                pom.properties.insert(format!("project.{name}"), value.clone());
                pom.properties.insert(format!("pom.{name}"), value);
            }
            if let Some(value) = parent.and_then(|p| self::text(p, name)) {
                pom.properties.insert(format!("project.parent.{name}"), value);
            }
        }
        let managed = child(root, "dependencyManagement").and_then(|n| child(n, "dependencies"));
        pom.add_managed(managed, stores, levels);
        for node in elements(child(root, "dependencies")) {
            let is_optional = self::text(node, "optional").is_some_and(|o| o == "true");
            let kind = self::text(node, "type").unwrap_or_else(|| "jar".into());
            if let (false, "jar", Some(dependency)) = (is_optional, &*kind, dependency(node)) {
                pom.dependencies.push(dependency);
            }
        }
        Some(pom)
    }

    fn parent(node: Node<'_, '_>, path: &Path, stores: &Stores, levels: usize) -> Option<Pom> {
        let relative = text(node, "relativePath").unwrap_or_else(|| "../pom.xml".into());
        let beside = path.parent()?.join(relative);
        let beside = if beside.is_dir() { beside.join("pom.xml") } else { beside };
        let wanted = text(node, "artifactId")?;
        let is_wanted = |candidate: &PathBuf| {
            let text = files::read_to_string(candidate).unwrap_or_default();
            let document = Document::parse(&text).ok();
            let name = document.and_then(|d| self::text(d.root_element(), "artifactId"));
            name.as_deref() == Some(&wanted)
        };
        let stored = || {
            let library = Library {
                group: text(node, "groupId")?,
                artifact: wanted.clone(),
                version: text(node, "version")?,
            };
            stores.pom(&library)
        };
        let found = Some(beside).filter(is_wanted).or_else(stored)?;
        Pom::read(&found, stores, levels)
    }

    fn add_managed(&mut self, list: Option<Node<'_, '_>>, stores: &Stores, levels: usize) {
        for dependency in elements(list).filter_map(dependency) {
            let Some(version) = dependency.version.as_deref().and_then(|v| self.filled_in(v))
            else {
                continue;
            };
            let (Some(group), Some(artifact)) =
                (self.filled_in(&dependency.group), self.filled_in(&dependency.artifact))
            else {
                continue;
            };
            if dependency.scope.as_deref() == Some("import") {
                let library = Library { group, artifact, version };
                let list = stores.pom(&library).filter(|_| levels > 0);
                let imported = list.and_then(|list| Pom::read(&list, stores, levels - 1));
                for (key, value) in imported.map(|pom| pom.managed).unwrap_or_default() {
                    self.managed.entry(key).or_insert(value);
                }
            } else {
                let scope = dependency.scope.unwrap_or_default();
                self.managed.insert((group, artifact), (version, scope));
            }
        }
    }

    /// The libraries in these scopes whose version is known.
    fn libraries(&self, scopes: &[&str]) -> Vec<Library> {
        let mut found = Vec::new();
        for dependency in &self.dependencies {
            let (Some(group), Some(artifact)) =
                (self.filled_in(&dependency.group), self.filled_in(&dependency.artifact))
            else {
                continue;
            };
            let managed = self.managed.get(&(group.clone(), artifact.clone()));
            let scope = dependency.scope.clone().or_else(|| managed.map(|m| m.1.clone()));
            let scope = scope.filter(|s| !s.is_empty()).unwrap_or_else(|| "compile".into());
            let version = dependency.version.as_deref().and_then(|v| self.filled_in(v));
            let version = version.or_else(|| managed.map(|m| m.0.clone()));
            if let Some(version) = version.filter(|_| scopes.contains(&&*scope)) {
                found.push(Library { group, artifact, version });
            }
        }
        found
    }

    /// A text with its `${properties}` replaced; `None` if one is unknown.
    fn filled_in(&self, text: &str) -> Option<String> {
        let mut text = text.to_string();
        for _ in 0..MOST_LEVELS {
            let Some(start) = text.find("${") else {
                return Some(text);
            };
            let end = start + text[start..].find('}')?;
            let value = self.properties.get(&text[start + 2..end])?;
            text.replace_range(start..=end, value);
        }
        None
    }
}

fn dependency(node: Node<'_, '_>) -> Option<Dependency> {
    Some(Dependency {
        group: text(node, "groupId")?,
        artifact: text(node, "artifactId")?,
        version: text(node, "version"),
        scope: text(node, "scope"),
    })
}

fn child<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    node.children().find(|child| child.tag_name().name() == name)
}

fn elements<'a, 'i>(list: Option<Node<'a, 'i>>) -> impl Iterator<Item = Node<'a, 'i>> {
    list.into_iter().flat_map(|node| node.children()).filter(Node::is_element)
}

fn text(node: Node<'_, '_>, name: &str) -> Option<String> {
    let text = child(node, name)?.text()?.trim();
    (!text.is_empty()).then(|| text.to_string())
}
