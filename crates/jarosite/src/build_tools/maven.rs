//! Maven's `pom.xml`, as far as it tells the libraries of the main sources: parents, properties,
//! managed versions, imported lists of versions, and the libraries of libraries.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};

use roxmltree::{Document, Node};

use super::Library;

/// Parents and lists of versions that refer to each other would never end.
const MOST_LEVELS: usize = 16;

/// The jars of a module's libraries, and the libraries that have none.
pub(super) fn libraries(module: &Path, repository: &Path) -> (Vec<PathBuf>, Vec<Library>) {
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    let mut seen: BTreeSet<(String, String)> = BTreeSet::new();
    let mut work: VecDeque<(Library, bool)> = VecDeque::new();
    let Some(pom) = Pom::read(&module.join("pom.xml"), repository, MOST_LEVELS) else {
        return (found, missing);
    };
    let siblings = siblings(module);
    work.extend(pom.libraries(&["compile", "provided", "system"]).into_iter().map(|l| (l, true)));
    // Breadth first: of two versions the nearer one counts, as for Maven.
    while let Some((library, is_direct)) = work.pop_front() {
        if !seen.insert((library.group.clone(), library.artifact.clone())) {
            continue;
        }
        if siblings.contains(&library.artifact) {
            continue;
        }
        let Some(jar) = jar(&library, repository) else {
            // The libraries of libraries are often optional in all but name.
            missing.extend(is_direct.then_some(library));
            continue;
        };
        let pom = Pom::read(&jar.with_extension("pom"), repository, MOST_LEVELS);
        found.push(jar);
        let next = pom.map(|pom| pom.libraries(&["compile", "runtime"])).unwrap_or_default();
        work.extend(next.into_iter().map(|library| (library, false)));
    }
    (found, missing)
}

/// The jar of a library in a repository.
pub(super) fn jar(library: &Library, repository: &Path) -> Option<PathBuf> {
    let directory = directory(library, repository);
    Some(directory.join(library.jar_name())).filter(|jar| jar.is_file())
}

fn directory(library: &Library, repository: &Path) -> PathBuf {
    let group = library.group.replace('.', "/");
    repository.join(group).join(&library.artifact).join(&library.version)
}

/// Names of modules beside and above: they are there as classes or sources.
fn siblings(module: &Path) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for above in module.ancestors().take(3) {
        for entry in fs::read_dir(above).into_iter().flatten().flatten() {
            let pom = fs::read_to_string(entry.path().join("pom.xml")).unwrap_or_default();
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
    fn read(path: &Path, repository: &Path, levels: usize) -> Option<Pom> {
        let text = fs::read_to_string(path).ok()?;
        let document = Document::parse(&text).ok()?;
        let root = document.root_element();
        let parent = child(root, "parent");
        let above = parent.filter(|_| levels > 0);
        let mut pom = above
            .and_then(|node| Pom::parent(node, path, repository, levels - 1))
            .unwrap_or_default();
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
        pom.add_managed(managed, repository, levels);
        for node in elements(child(root, "dependencies")) {
            let is_optional = self::text(node, "optional").is_some_and(|o| o == "true");
            let kind = self::text(node, "type").unwrap_or_else(|| "jar".into());
            if let (false, "jar", Some(dependency)) = (is_optional, &*kind, dependency(node)) {
                pom.dependencies.push(dependency);
            }
        }
        Some(pom)
    }

    fn parent(node: Node<'_, '_>, path: &Path, repository: &Path, levels: usize) -> Option<Pom> {
        let relative = text(node, "relativePath").unwrap_or_else(|| "../pom.xml".into());
        let beside = path.parent()?.join(relative);
        let beside = if beside.is_dir() { beside.join("pom.xml") } else { beside };
        let wanted = text(node, "artifactId")?;
        let is_wanted = |candidate: &PathBuf| {
            let text = fs::read_to_string(candidate).unwrap_or_default();
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
            Some(pom_of(&library, repository))
        };
        let found = Some(beside).filter(is_wanted).or_else(stored)?;
        Pom::read(&found, repository, levels)
    }

    fn add_managed(&mut self, list: Option<Node<'_, '_>>, repository: &Path, levels: usize) {
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
                let imported = pom_of(&library, repository);
                let imported = (levels > 0).then(|| Pom::read(&imported, repository, levels - 1));
                for (key, value) in imported.flatten().map(|pom| pom.managed).unwrap_or_default() {
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

fn pom_of(library: &Library, repository: &Path) -> PathBuf {
    let name = format!("{}-{}.pom", library.artifact, library.version);
    directory(library, repository).join(name)
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
