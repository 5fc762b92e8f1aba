//! The class loader behind an [`ir::Program`]: finds files, reads classes, lowers bodies.
//!
//! A class file's structure is kept once read, because bodies are lowered much later; each body
//! is decoded when it is lowered, once.

use std::sync::{Arc, RwLock};

use ir::{ClassData, ClassId, ClassLoader, Code, LoadError, Method, Program};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::classfile::reader::Malformed;
use crate::classfile::{ClassFile, flags};
use crate::files::ClassFiles;
use crate::lower;
use crate::models::{self, Model};
use crate::unit::Unit;
use crate::{descriptor, members, nullness};

/// More supertypes than any program has; a chain that long could exhaust the stack.
const MOST_SUPERTYPES: usize = 2000;
/// Deepest nesting of classes that is followed for `@NullMarked`.
const DEEPEST_NESTING: usize = 32;

/// Loads classes from a class path.
pub struct Loader {
    files: Box<dyn ClassFiles>,
    /// By internal name.
    read: RwLock<FxHashMap<String, Entry>>,
    /// Whether a package is null-marked, by internal name.
    packages: RwLock<FxHashMap<String, Option<bool>>>,
}

/// A class file that has been looked for.
type Entry = Result<Arc<Loaded>, LoadError>;

struct Loaded {
    file: ClassFile,
    given: bool,
}

impl Loader {
    /// A loader over this class path.
    pub fn new(files: Box<dyn ClassFiles>) -> Loader {
        Loader { files, read: RwLock::default(), packages: RwLock::default() }
    }

    fn loaded(&self, internal_name: &str) -> Entry {
        if let Some(entry) = self.read.read().expect("poisoned").get(internal_name) {
            return entry.clone();
        }
        let entry = self.read_file(internal_name);
        let mut read = self.read.write().expect("poisoned");
        read.entry(internal_name.to_owned()).or_insert(entry).clone()
    }

    fn read_file(&self, internal_name: &str) -> Entry {
        let Some(found) = self.files.read(internal_name) else {
            return Err(LoadError::Missing);
        };
        let file = ClassFile::parse(found.bytes).map_err(|why| LoadError::Malformed(why.0))?;
        if file.name != internal_name {
            return Err(LoadError::Malformed(format!("the file holds {} instead", file.name)));
        }
        Ok(Arc::new(Loaded { file, given: found.given }))
    }

    /// Refuses classes that are among their own supertypes, which loading would never end on.
    fn check_hierarchy(&self, loaded: &Loaded) -> Result<(), LoadError> {
        let file = &loaded.file;
        let mut seen: FxHashSet<String> = FxHashSet::default();
        let mut work = parents(file);
        while let Some(name) = work.pop() {
            if name == file.name {
                return Err(LoadError::Malformed(format!("{name} is its own supertype")));
            }
            if !seen.insert(name.clone()) {
                continue;
            }
            if seen.len() > MOST_SUPERTYPES {
                return Err(LoadError::Malformed("it has too many supertypes".into()));
            }
            // A parent that cannot be read is reported when the program loads it.
            if let Ok(parent) = self.loaded(&name) {
                work.extend(parents(&parent.file));
            }
        }
        Ok(())
    }

    /// Whether unannotated references of a class are non-null: the nearest annotation on it, on
    /// a class around it or on its package decides.
    fn is_null_marked(&self, file: &ClassFile) -> bool {
        if let Some(marked) = nullness::marking(&file.annotations(&file.attributes)) {
            return marked;
        }
        let mut outer = file.enclosing();
        for _ in 0..DEEPEST_NESTING {
            let Some(loaded) = outer.as_deref().and_then(|name| self.loaded(name).ok()) else {
                break;
            };
            let names = loaded.file.annotations(&loaded.file.attributes);
            if let Some(marked) = nullness::marking(&names) {
                return marked;
            }
            outer = loaded.file.enclosing();
        }
        let package = file.name.rsplit_once('/').map_or("", |(package, _)| package);
        self.is_package_marked(package).unwrap_or(false)
    }

    fn is_package_marked(&self, package: &str) -> Option<bool> {
        if let Some(known) = self.packages.read().expect("poisoned").get(package) {
            return *known;
        }
        let name = match package {
            "" => "package-info".to_owned(),
            package => format!("{package}/package-info"),
        };
        let info = self.files.read(&name).and_then(|f| ClassFile::parse(f.bytes).ok());
        let marked = info.and_then(|i| nullness::marking(&i.annotations(&i.attributes)));
        self.packages.write().expect("poisoned").insert(package.to_owned(), marked);
        marked
    }

    fn class_data(&self, program: &Program, loaded: &Loaded) -> Result<ClassData, Malformed> {
        let file = &loaded.file;
        let class = |name: &String| match descriptor::binary_name(name) {
            Some(name) => Ok(program.class_id(&name)),
            None => Err(Malformed(format!("`{name}` is not a class name"))),
        };
        // Code of the JDK carries no such annotations, and is most of what is loaded.
        let marked = loaded.given && self.is_null_marked(file);
        let fields = file.fields.iter().map(|f| members::field(program, file, f, marked));
        let methods = file.methods.iter().map(|m| members::method(program, file, m, marked));
        let nested = file.as_inner();
        let is_member = nested.as_ref().is_some_and(|n| n.outer.is_some());
        let nested_as = |flag: u16| nested.as_ref().is_some_and(|n| n.flags & flag != 0);
        Ok(ClassData {
            superclass: file.superclass.as_ref().map(class).transpose()?,
            interfaces: file.interfaces.iter().map(class).collect::<Result<_, _>>()?,
            is_interface: file.flags & flags::INTERFACE != 0,
            is_abstract: file.flags & flags::ABSTRACT != 0,
            is_final: file.flags & flags::FINAL != 0,
            is_enum: file.flags & flags::ENUM != 0,
            is_record: file.superclass.as_deref() == Some("java/lang/Record"),
            is_synthetic: file.flags & flags::SYNTHETIC != 0,
            is_public: nested.as_ref().map_or(file.flags, |n| n.flags) & flags::PUBLIC != 0,
            is_private: nested.is_some() && (!is_member || nested_as(flags::PRIVATE)),
            is_inner: is_member && !nested_as(flags::STATIC),
            given: loaded.given,
            source_file: file.source_file(),
            signature: members::signature(file, &file.attributes),
            fields: fields.collect::<Result<_, _>>()?,
            methods: methods.collect::<Result<_, _>>()?,
        })
    }

    fn body(&self, program: &Program, method: &Method) -> Result<Code, Malformed> {
        let internal_name = program.class_name(method.class).replace('.', "/");
        let Ok(loaded) = self.loaded(&internal_name) else {
            return Err(Malformed("its class cannot be read".into()));
        };
        let file = &loaded.file;
        let named = |m: &&crate::classfile::Member| m.name == *method.name;
        let found = file.methods.iter().filter(named).enumerate();
        let found = found.into_iter().find(|(_, m)| m.descriptor == *method.descriptor);
        let Some((overload, member)) = found else {
            return Err(Malformed("its class does not declare it".into()));
        };
        let Some(code) = file.code(member)? else {
            return Err(Malformed("it has no code".into()));
        };
        let unit = Unit { program, file, method, given: loaded.given, overload };
        lower::lower(unit, &code).map(Code::Body)
    }
}

fn parents(file: &ClassFile) -> Vec<String> {
    file.superclass.iter().chain(&file.interfaces).cloned().collect()
}

impl ClassLoader for Loader {
    fn load(&self, program: &Program, _id: ClassId, name: &str) -> Result<ClassData, LoadError> {
        let loaded = self.loaded(&name.replace('.', "/"))?;
        if loaded.file.superclass.is_none() && name != "java.lang.Object" {
            return Err(LoadError::Malformed("it has no superclass".into()));
        }
        self.check_hierarchy(&loaded)?;
        self.class_data(program, &loaded).map_err(|why| LoadError::Malformed(why.0))
    }

    fn lower(&self, program: &Program, method: &Method) -> Code {
        let class = program.class_name(method.class);
        match models::model(class, &method.name, &method.descriptor) {
            Some(Model::Intrinsic(intrinsic)) => return Code::Intrinsic(intrinsic),
            Some(Model::Replacement(replacement)) => return replacement.code(program, method),
            Some(Model::Unsupported) => {
                return Code::Unsupported(format!("{class}.{}", method.name).into());
            }
            None => {}
        }
        if method.is_native {
            return Code::Unsupported(format!("native {class}.{}", method.name).into());
        }
        self.body(program, method).unwrap_or_else(|why| {
            Code::Unsupported(format!("{class}.{}: malformed code: {why}", method.name).into())
        })
    }
}
