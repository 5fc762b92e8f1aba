//! What a verdict depends on, as a text whose hash is its key.
//!
//! A check may look at every given class that the class of the method leads to: through any name in
//! its constant pool, downward to subclasses, inward to nested classes, and through names in the
//! specifications of these. A given class with a supertype from a library may be what any code means
//! by that type, so those count always. Everything else (libraries, options, the tool) is part of every
//! key. More than is needed costs time; less would be a wrong verdict.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;

use sha2::{Digest, Sha256};

use crate::class_header;
use crate::contents::hex;
use crate::inputs::{key as source_key, package_of};
use crate::project::Project;

/// The given classes of a project, and what each mentions.
pub struct Dependencies {
    /// What every verdict depends on.
    common: String,
    classes: BTreeMap<String, Class>,
    /// Keys of classes that were asked for already.
    closures: HashMap<String, String>,
}

struct Class {
    /// Hash of its bytes, and of the texts that specify it.
    content: String,
    leads_to: BTreeSet<String>,
}

impl Dependencies {
    /// `common` says everything about a run that is not in the classes.
    pub fn of(project: &Project, common: &str) -> Dependencies {
        let given = project.class_path.given_classes();
        let by_simple_name = by_simple_name(&given);
        let mut specified = specified(project);
        let mut classes = BTreeMap::new();
        let mut always = BTreeSet::new();
        let names: BTreeSet<&str> = given.iter().map(String::as_str).collect();
        for name in &given {
            let bytes = project.class_path.read(name).map_or(Vec::new(), |(bytes, _)| bytes);
            let mut content = hex(&Sha256::digest(&bytes));
            let mut leads_to: BTreeSet<String> = BTreeSet::new();
            let source = match class_header::read(&bytes) {
                Ok(header) => {
                    leads_to.extend(mentioned(&header.texts, &names));
                    let is_library =
                        |s: &&String| *s != "java/lang/Object" && !names.contains(&***s);
                    // What is said of a package or a module holds for all its classes.
                    let describes = name.ends_with("-info");
                    if describes || header.supertypes.iter().any(|s| is_library(&s)) {
                        always.insert(name.clone());
                    }
                    header.source_file
                }
                // Nothing is known of it: everybody may depend on it.
                Err(_) => {
                    always.insert(name.clone());
                    None
                }
            };
            for specification in specifications_of(name, source.as_deref(), &mut specified) {
                content.push_str(&specification.content);
                let words = specification.words.iter().filter_map(|w| by_simple_name.get(w));
                leads_to.extend(words.flatten().map(ToString::to_string));
            }
            classes.insert(name.clone(), Class { content, leads_to });
        }
        let mut dependencies =
            Dependencies { common: common.to_string(), classes, closures: HashMap::new() };
        dependencies.lead_downward_and_inward(project);
        for class in dependencies.classes.values_mut() {
            class.leads_to.extend(always.iter().cloned());
        }
        // What belongs to no class that is given may specify a library.
        for rest in specified.values().flatten().filter(|s| !s.used) {
            let _ = writeln!(dependencies.common, "specification {}", rest.content);
        }
        dependencies
    }

    /// What is known of all objects of a class changes what its methods, and those that use it, come to.
    pub fn note_assumed<'t>(&mut self, class: &str, texts: impl Iterator<Item = &'t str>) {
        if let Some(class) = self.classes.get_mut(&class.replace('.', "/")) {
            for text in texts {
                let _ = write!(class.content, "\nassumed {text}");
            }
        }
    }

    /// The key of what depends on all given classes.
    pub fn of_all(&self) -> String {
        let mut hash = Sha256::new();
        hash.update(format!("all classes\n{}\n", self.common));
        for (name, class) in &self.classes {
            hash.update(format!("{name} {}\n", class.content));
        }
        hex(&hash.finalize())
    }

    /// A class leads to those below it and inside it, and from inside to the outside.
    fn lead_downward_and_inward(&mut self, project: &Project) {
        let mut more: Vec<(String, String)> = Vec::new();
        for name in self.classes.keys() {
            let bytes = project.class_path.read(name).map_or(Vec::new(), |(bytes, _)| bytes);
            let supertypes = class_header::read(&bytes).map(|h| h.supertypes).unwrap_or_default();
            more.extend(supertypes.into_iter().map(|above| (above, name.clone())));
            let ends = name.match_indices('$').map(|(at, _)| at);
            for outer in ends.map(|at| &name[..at]) {
                more.push((outer.to_string(), name.clone()));
                more.push((name.clone(), outer.to_string()));
            }
        }
        for (from, to) in more {
            if let Some(class) = self.classes.get_mut(&from) {
                class.leads_to.insert(to);
            }
        }
    }

    /// The key of a verdict: `class` is the Java name, `method` tells the methods of a class apart.
    pub fn key(&mut self, class: &str, method: &str) -> String {
        let class = class.replace('.', "/");
        let closure = match self.closures.get(&class) {
            Some(known) => known.clone(),
            None => {
                let closure = self.closure(&class);
                self.closures.insert(class.clone(), closure.clone());
                closure
            }
        };
        hex(&Sha256::digest(format!("{}\n{closure}\n{class}\n{method}", self.common)))
    }

    /// The contents of everything that a class leads to.
    fn closure(&self, class: &str) -> String {
        let mut found = BTreeSet::new();
        let mut work = vec![class];
        while let Some(name) = work.pop() {
            if let Some(known) = self.classes.get(name)
                && found.insert(name)
            {
                work.extend(known.leads_to.iter().map(String::as_str));
            }
        }
        let mut hash = Sha256::new();
        for name in found {
            hash.update(format!("{name} {}\n", self.classes[name].content));
        }
        hex(&hash.finalize())
    }
}

/// A file with specifications.
struct Specification {
    content: String,
    /// Every word in it: a clause may name any class.
    words: BTreeSet<String>,
    used: bool,
}

/// The files with specifications by package and name: `p/List`.
fn specified(project: &Project) -> BTreeMap<String, Vec<Specification>> {
    let mut found: BTreeMap<String, Vec<Specification>> = BTreeMap::new();
    for file in &project.files {
        let name = std::path::Path::new(&*file.path).file_stem().unwrap_or_default();
        let key = source_key(&package_of(&file.text), &name.to_string_lossy());
        // Reports show the path of a violated clause.
        let content = format!(
            "\nspecified {} {} {}",
            file.path,
            file.first_mark.is_some(),
            hex(&Sha256::digest(file.text.as_bytes()))
        );
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let words = file.text.split(|c| !is_word(c)).filter(|w| !w.is_empty());
        let words = words.map(str::to_string).collect();
        found.entry(key).or_default().push(Specification { content, words, used: false });
    }
    found
}

/// The specifications of a class: in its source, or in a file of the name of its outermost class.
fn specifications_of<'s>(
    class: &str,
    source: Option<&str>,
    specified: &'s mut BTreeMap<String, Vec<Specification>>,
) -> Vec<&'s Specification> {
    let (package, simple) = class.rsplit_once('/').unwrap_or(("", class));
    let outermost = simple.split('$').next().unwrap_or(simple);
    let by_source = source.and_then(|s| s.strip_suffix(".java")).unwrap_or(outermost);
    let keys: BTreeSet<String> =
        [outermost, by_source].into_iter().map(|name| source_key(package, name)).collect();
    for key in &keys {
        specified.entry(key.clone()).or_default().iter_mut().for_each(|s| s.used = true);
    }
    keys.iter().filter_map(|key| specified.get(key)).flatten().collect()
}

/// `Node` → `p/Node`, `p/List$Node`.
fn by_simple_name(given: &[String]) -> HashMap<String, Vec<&str>> {
    let mut found: HashMap<String, Vec<&str>> = HashMap::new();
    for name in given {
        let simple = name.rsplit(['/', '$']).next().unwrap_or(name);
        found.entry(simple.to_string()).or_default().push(name);
    }
    found
}

/// The given classes in texts: names, descriptors and signatures, with slashes or dots.
fn mentioned(texts: &[String], given: &BTreeSet<&str>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for text in texts {
        for part in text.split(|c: char| "<>;:*+-[]()= ,".contains(c)) {
            let part = part.replace('.', "/");
            for name in [part.as_str(), part.strip_prefix('L').unwrap_or("")] {
                if given.contains(name) {
                    found.insert(name.to_string());
                }
            }
        }
    }
    found
}
