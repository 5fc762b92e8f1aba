//! Finds the bytes of classes by name: those given first, then those of the class path.
//!
//! Classes of the JDK are not here; `jvm` reads them from the JDK's image.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

use sha2::{Digest, Sha256};
use zip::result::ZipError;
use zip::{CompressionMethod, ZipArchive};

use crate::class_header;
use crate::contents::{Contents, hex};
use crate::diagnostic::Diagnostic;
use crate::files;
use crate::inputs::{self, Inputs};
use crate::javac::Compiled;

/// No honest class file is larger; a hostile jar may claim anything.
const LARGEST_CLASS: u64 = 16 << 20;

/// What every class file begins with.
const MAGIC: [u8; 4] = [0xca, 0xfe, 0xba, 0xbe];

/// Where classes are found. Reading is safe from several threads.
#[derive(Debug, Default)]
pub struct ClassPath {
    given: BTreeMap<String, Location>,
    roots: Vec<Root>,
    /// `p/List.java` → the file.
    sources: BTreeMap<String, PathBuf>,
    source_roots: Vec<PathBuf>,
    /// Classes whose sources nobody named: javac found them by itself.
    along: BTreeSet<String>,
}

#[derive(Debug)]
enum Location {
    File(PathBuf),
    /// In the root of this number.
    Root(usize),
}

#[derive(Debug)]
enum Root {
    Directory(PathBuf),
    Jar(Jar),
}

impl ClassPath {
    /// All classes of a run, and a sentence for each file that is of no use.
    pub fn new(inputs: &Inputs, compiled: Option<&Compiled>) -> (ClassPath, Vec<Diagnostic>) {
        let mut path = ClassPath {
            source_roots: inputs.all_source_roots().into_iter().map(inputs::from_here).collect(),
            ..ClassPath::default()
        };
        // A given source comes before one beside it.
        for source in inputs.beside.iter().chain(&inputs.sources) {
            path.sources.insert(source.key(), source.path.clone());
        }
        let mut diagnostics = Vec::new();
        if let Some(compiled) = compiled {
            path.add_compiled(compiled);
        }
        let mut found = BTreeSet::new();
        for file in &inputs.class_files {
            if let Err(message) = path.add_class_file(file, &mut found) {
                diagnostics.push(Diagnostic::unusable(file, message));
            }
        }
        for jar in &inputs.jars {
            path.add_given_jar(jar, &mut diagnostics);
        }
        for entry in inputs.class_path.iter().chain(&found) {
            if let Err(message) = path.add_root(entry) {
                diagnostics.push(Diagnostic::new(entry, message));
            }
        }
        (path, diagnostics)
    }

    /// The bytes of a class (`p/Outer$Inner`) and whether it is given rather than merely found.
    pub fn read(&self, internal_name: &str) -> Option<(Vec<u8>, bool)> {
        // A hostile class file may mention any name; none may lead out of the roots.
        if internal_name.split('/').any(|p| p.is_empty() || p == "..") || is_reserved(internal_name)
        {
            return None;
        }
        if let Some(location) = self.given.get(internal_name) {
            let bytes = match location {
                Location::File(file) => files::read(file).ok(),
                Location::Root(number) => self.roots[*number].read(internal_name),
            };
            return Some((bytes?, true));
        }
        let bytes = self.roots.iter().find_map(|root| root.read(internal_name));
        Some((bytes?, false))
    }

    /// Whether some class of the class path goes by this name, with or without its package.
    pub fn has_class_called(&self, name: &str) -> bool {
        let fits = |found: &str| {
            let java = found.replace('/', ".");
            java == name || package_free(&java) == name || ir::program::simple(&java) == name
        };
        self.roots.iter().any(|root| match root {
            Root::Directory(directory) => class_files_below(directory).iter().any(|file| {
                let class = file.strip_prefix(directory).unwrap_or(file).with_extension("");
                fits(&class.to_string_lossy().replace('\\', "/"))
            }),
            Root::Jar(jar) => jar.open().is_ok_and(|a| a.class_names().iter().any(|n| fits(n))),
        })
    }

    /// Why a given class cannot be read.
    pub fn trouble(&self, internal_name: &str) -> String {
        let jar = match self.given.get(internal_name) {
            Some(Location::Root(number)) => match &self.roots[*number] {
                Root::Jar(jar) => Some(jar),
                Root::Directory(_) => None,
            },
            Some(Location::File(_)) | None => None,
        };
        let entry = format!("{internal_name}.class");
        let why = jar.and_then(|jar| jar.open().and_then(|archive| archive.read(&entry)).err());
        why.unwrap_or_else(|| "its class file has disappeared".into())
    }

    /// The file that a given class is in, as the user knows it.
    pub fn file_of(&self, internal_name: &str) -> Option<PathBuf> {
        match self.given.get(internal_name)? {
            Location::File(file) => Some(file.clone()),
            Location::Root(number) => match &self.roots[*number] {
                Root::Jar(jar) => Some(jar.path.clone()),
                Root::Directory(_) => self.source_of(internal_name),
            },
        }
    }

    /// Internal names of the given classes, sorted.
    pub fn given_classes(&self) -> Vec<String> {
        self.given.keys().cloned().collect()
    }

    /// Whether the user named the class, rather than another one that needs it.
    pub fn is_named(&self, internal_name: &str) -> bool {
        self.given.contains_key(internal_name) && !self.along.contains(internal_name)
    }

    /// The source on disk that a class was compiled from, as the user wrote its path.
    pub fn source_of(&self, internal_name: &str) -> Option<PathBuf> {
        let (bytes, _) = self.read(internal_name)?;
        let file = class_header::read(&bytes).ok()?.source_file?;
        self.source_named(internal_name, &file)
    }

    /// The source of this name in the package of a class.
    pub fn source_named(&self, internal_name: &str, file: &str) -> Option<PathBuf> {
        let key = inputs::key(package_of(internal_name), file);
        let below = || self.root_with(&key).map(|root| self.source_roots[root].join(&key));
        self.sources.get(&key).cloned().or_else(below)
    }

    /// The root that a source is below.
    fn root_with(&self, key: &str) -> Option<usize> {
        self.source_roots.iter().position(|root| root.join(key).is_file())
    }

    /// The sources that javac found by itself and compiled along.
    pub fn sources_along(&self) -> BTreeSet<PathBuf> {
        self.along.iter().filter_map(|class| self.source_of(class)).collect()
    }

    /// Directories and jars in the order of search, absolute.
    pub(crate) fn root_paths(&self) -> Vec<PathBuf> {
        let paths = self.roots.iter().map(|root| match root {
            Root::Directory(path) => path,
            Root::Jar(jar) => &jar.path,
        });
        paths.map(|path| absolute(path)).collect()
    }

    /// What tells the classes that are not given from others: names and contents, wherever they are.
    pub(crate) fn stamp(&self) -> String {
        let contents = Contents::open();
        let mut hash = Sha256::new();
        for root in &self.roots {
            match root {
                Root::Directory(directory) => {
                    let mut files = class_files_below(directory);
                    files.sort();
                    for file in files {
                        let name = file.strip_prefix(directory).unwrap_or(&file).with_extension("");
                        let name = name.to_string_lossy().replace('\\', "/");
                        if !self.given.contains_key(&name) {
                            hash.update(format!("{name}\n"));
                            hash.update(files::read(&file).unwrap_or_default());
                        }
                    }
                }
                Root::Jar(jar) => {
                    hash.update(format!("jar {:?}\n", contents.hash(&jar.path)));
                }
            }
        }
        hex(&hash.finalize())
    }

    /// Given classes that are found in a file of their own rather than below a root.
    pub(crate) fn single_files(&self) -> BTreeMap<&str, PathBuf> {
        let files = self.given.iter().filter_map(|(name, at)| match at {
            Location::File(file) => Some((name.as_str(), absolute(file))),
            Location::Root(_) => None,
        });
        files.collect()
    }

    /// Classes of sources are given, also of those that javac compiled along: they mean the same,
    /// however much of the program is checked.
    fn add_compiled(&mut self, compiled: &Compiled) {
        let root = self.roots.len();
        let sources: BTreeSet<String> = compiled.sources.iter().map(inputs::Source::key).collect();
        for file in class_files_below(&compiled.classes()) {
            let Some(header) =
                files::read(&file).ok().and_then(|bytes| class_header::read(&bytes).ok())
            else {
                continue;
            };
            let source = header.source_file.unwrap_or_default();
            let key = inputs::key(package_of(&header.internal_name), &source);
            if !sources.contains(&key) {
                // What is compiled in without a source of the user is none of theirs.
                if self.root_with(&key).is_none() && !self.sources.contains_key(&key) {
                    continue;
                }
                self.along.insert(header.internal_name.clone());
            }
            self.given.insert(header.internal_name, Location::Root(root));
        }
        self.roots.push(Root::Directory(compiled.classes()));
    }

    fn add_class_file(&mut self, file: &Path, roots: &mut BTreeSet<PathBuf>) -> Result<(), String> {
        let bytes = files::read(file).map_err(|error| format!("cannot be read: {error}"))?;
        let name = class_header::read(&bytes)?.internal_name;
        if is_descriptor(&name) {
            return Ok(());
        }
        if is_reserved(&name) {
            return Err(reserved(&name));
        }
        if self.given.contains_key(&name) {
            return Err(duplicate(&name));
        }
        roots.extend(inputs::root_below(file, package_of(&name)));
        self.given.insert(name, Location::File(file.to_path_buf()));
        Ok(())
    }

    fn add_given_jar(&mut self, path: &Path, diagnostics: &mut Vec<Diagnostic>) {
        let jar = Jar::new(path);
        let names = match jar.open() {
            Ok(archive) => archive.class_names(),
            Err(message) => {
                diagnostics.push(Diagnostic::unusable(path, message));
                return;
            }
        };
        let root = self.roots.len();
        let mut left_out = |name: &str, why| {
            let class = name.replace('/', ".");
            diagnostics.push(Diagnostic::unusable_class(path, class, why));
        };
        for name in names {
            if is_reserved(&name) {
                left_out(&name, reserved(&name));
                continue;
            }
            match self.given.get(&name) {
                None => {
                    self.given.insert(name, Location::Root(root));
                }
                // Of two versions of a class the first wins, as on a class path.
                Some(_) if !self.has_same(&name, &jar) => left_out(&name, duplicate(&name)),
                Some(_) => {}
            }
        }
        self.roots.push(Root::Jar(jar));
    }

    /// Whether a class is in the jar as it is given already.
    fn has_same(&self, internal_name: &str, jar: &Jar) -> bool {
        let here = self.read(internal_name).map(|(bytes, _)| bytes);
        let there = jar.open().and_then(|archive| archive.read(&format!("{internal_name}.class")));
        here.is_some() && here == there.ok()
    }

    fn add_root(&mut self, path: &Path) -> Result<(), String> {
        if path.is_dir() {
            self.roots.push(Root::Directory(path.to_path_buf()));
            return Ok(());
        }
        let jar = Jar::new(path);
        jar.open()?;
        self.roots.push(Root::Jar(jar));
        Ok(())
    }
}

impl Root {
    fn read(&self, internal_name: &str) -> Option<Vec<u8>> {
        let name = format!("{internal_name}.class");
        match self {
            Root::Directory(directory) => files::read(&directory.join(name)).ok(),
            Root::Jar(jar) => jar.open().ok()?.read(&name).ok(),
        }
    }
}

/// A jar, opened at the first need.
#[derive(Debug)]
struct Jar {
    path: PathBuf,
    archive: OnceLock<Result<Archive, String>>,
}

impl Jar {
    fn new(path: &Path) -> Jar {
        Jar { path: path.to_path_buf(), archive: OnceLock::new() }
    }

    fn open(&self) -> Result<&Archive, String> {
        let opened = self.archive.get_or_init(|| Archive::open(&self.path));
        opened.as_ref().map_err(Clone::clone)
    }
}

#[derive(Debug)]
struct Archive {
    names: BTreeSet<String>,
    content: Mutex<ZipArchive<BufReader<File>>>,
}

impl Archive {
    fn open(path: &Path) -> Result<Archive, String> {
        let file = files::open(path).map_err(|error| format!("cannot be read: {error}"))?;
        let content = ZipArchive::new(BufReader::new(file))
            .map_err(|error| format!("not a jar, or damaged: {error}"))?;
        Ok(Archive {
            names: content.file_names().filter_map(|name| Some(name.ok()?.into_owned())).collect(),
            content: Mutex::new(content),
        })
    }

    fn class_names(&self) -> Vec<String> {
        let classes = self.names.iter().filter_map(|n| n.strip_suffix(".class"));
        let own = classes.filter(|name| !name.starts_with("META-INF/") && !is_descriptor(name));
        own.map(str::to_string).collect()
    }

    /// The class in an entry, or what is wrong with that. No more is unpacked than it takes to see
    /// that it is none.
    fn read(&self, name: &str) -> Result<Vec<u8>, String> {
        if !self.names.contains(name) {
            return Err("the jar has no such entry".into());
        }
        let foreign = |why: &str| format!("the entry cannot be unpacked: {why}");
        let damaged = |error: &dyn std::fmt::Display| format!("the entry is damaged: {error}");
        let mut content = self.content.lock().map_err(|error| damaged(&error))?;
        let mut entry = match content.by_name(name) {
            Ok(entry) => entry,
            Err(ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED)) => {
                return Err("the entry is encrypted".into());
            }
            Err(ZipError::UnsupportedArchive(why)) => return Err(foreign(why)),
            Err(error) => return Err(damaged(&error)),
        };
        let method = entry.compression();
        if ![CompressionMethod::Stored, CompressionMethod::Deflated].contains(&method) {
            return Err(foreign(&method.to_string()));
        }
        if entry.size() > LARGEST_CLASS {
            return Err("the entry is larger than 16 MB, which no class file is".into());
        }
        let mut bytes = Vec::new();
        let mut first = [0; MAGIC.len()];
        let read = entry.read_exact(&mut first);
        if read.is_err() || first != MAGIC {
            return Err("the entry is not a class file".into());
        }
        bytes.extend(first);
        entry.take(LARGEST_CLASS).read_to_end(&mut bytes).map_err(|error| damaged(&error))?;
        if bytes.len() as u64 > LARGEST_CLASS {
            return Err("the entry is larger than 16 MB, which no class file is".into());
        }
        Ok(bytes)
    }
}

/// Whether classes can be looked for in this directory or jar.
pub(crate) fn is_readable(entry: &Path) -> bool {
    entry.is_dir() || Archive::open(entry).is_ok()
}

fn package_free(java_name: &str) -> &str {
    java_name.rsplit('.').next().unwrap_or(java_name)
}

fn package_of(internal_name: &str) -> &str {
    internal_name.rsplit_once('/').map_or("", |(package, _)| package)
}

/// `module-info` and `package-info` describe; there is nothing to check in them.
fn is_descriptor(internal_name: &str) -> bool {
    internal_name == "module-info" || internal_name.ends_with("package-info")
}

/// Whether only the JDK may have a class of this name, as the JVM sees it too.
fn is_reserved(internal_name: &str) -> bool {
    internal_name.starts_with("java/")
}

fn reserved(internal_name: &str) -> String {
    let name = internal_name.replace('/', ".");
    let (package, _) = name.rsplit_once('.').unwrap_or_default();
    format!(
        "left out, because the class calls itself {name}, and the package {package} belongs to the JDK"
    )
}

fn duplicate(internal_name: &str) -> String {
    let name = internal_name.replace('/', ".");
    format!("left out, because the class {name} is already given by another file")
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}

/// All class files of a directory that javac filled.
fn class_files_below(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut work = vec![directory.to_path_buf()];
    while let Some(directory) = work.pop() {
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                work.push(path);
            } else if path.extension().is_some_and(|e| e == "class") {
                files.push(path);
            }
        }
    }
    files
}

#[cfg(test)]
#[path = "class_path_tests.rs"]
mod tests;
