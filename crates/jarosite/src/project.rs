//! A program to check: inputs collected, compiled, and ready to be loaded class by class.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ir::{ClassId, MethodId, Program};
use jvm::{ClassBytes, ClassFiles, JdkImage, Loader};
use spec::core::Contracts;
use spec::resolve::{Math, Reading};
use verify::select::Filter;
use verify::{MethodResult, Subject};

use crate::beside;
use crate::class_path::ClassPath;
use crate::diagnostic::{Diagnostic, Lost};
use crate::inputs::Inputs;
use crate::javac::{self, Compiled};
use crate::jdk::Jdk;
use crate::marking::Copies;
use crate::specifications::{self, SourceFile, Specifications};

/// Everything that a run reads.
pub struct Project {
    pub program: Program,
    /// The classes of the user, by name: what is not a library.
    pub given: Vec<ClassId>,
    /// Those of them that are checked.
    pub checked: Vec<ClassId>,
    pub class_path: Arc<ClassPath>,
    /// The files with specifications.
    pub files: Vec<SourceFile>,
    /// What these files promise.
    pub contracts: Contracts,
    /// What could not be used, each in a sentence.
    pub diagnostics: Vec<Diagnostic>,
    /// How the files are read where they leave it open.
    reading: Reading,
    /// Keeps the compiled classes until the run ends.
    _compiled: Option<Compiled>,
}

impl Project {
    /// Compiles and opens what the user points at. An error is a sentence; nothing was checked.
    pub fn open(jdk: &Jdk, inputs: &Inputs) -> Result<Project, String> {
        Project::open_with(jdk, inputs, Reading::default())
    }

    /// As [`Project::open`], with specifications that are read in another way.
    pub fn open_with(jdk: &Jdk, inputs: &Inputs, reading: Reading) -> Result<Project, String> {
        Project::compiled_by(javac::compile_marked, jdk, inputs, reading)
    }

    /// As [`Project::open_with`], but unchanged sources are not compiled again.
    pub fn reopen(jdk: &Jdk, inputs: &Inputs, reading: Reading) -> Result<Project, String> {
        Project::compiled_by(javac::compile_once, jdk, inputs, reading)
    }

    fn compiled_by(
        compile: fn(&Jdk, &Inputs, &mut Copies) -> Result<Compiled, String>,
        jdk: &Jdk,
        inputs: &Inputs,
        reading: Reading,
    ) -> Result<Project, String> {
        let mut diagnostics = inputs.diagnostics.clone();
        let mut specifications = Specifications::read(inputs);
        let mut compiled = match inputs.sources.is_empty() {
            true => None,
            false => Some(compile(jdk, inputs, &mut specifications.copies)?),
        };
        let (mut class_path, mut unusable) = ClassPath::new(inputs, compiled.as_ref());
        if specifications.add_neighbours(&class_path.sources_along()) {
            compiled = Some(javac::compile_marked(jdk, inputs, &mut specifications.copies)?);
            (class_path, unusable) = ClassPath::new(inputs, compiled.as_ref());
        }
        specifications.add_beside_jars(inputs, &class_path.given_classes());
        let left_out = compiled.as_ref().map_or(&[][..], |c| &c.dropped);
        let (files, complaints) = specifications.files(left_out);
        diagnostics.extend(left_out.iter().cloned());
        diagnostics.extend(unusable);
        diagnostics.extend(complaints);
        let class_path = Arc::new(class_path);
        let image = JdkImage::open(&jdk.modules)?;
        let classes: Vec<Box<dyn ClassFiles>> =
            vec![Box::new(GivenFirst(class_path.clone())), Box::new(image)];
        let program = Program::new(Box::new(Loader::new(Box::new(classes))));
        let names = class_path.given_classes();
        let id = |name: &String| program.class_id(&name.replace('/', "."));
        let given: Vec<ClassId> = names.iter().map(id).collect();
        let checked: Vec<ClassId> =
            names.iter().filter(|name| class_path.is_named(name)).map(id).collect();
        for id in &given {
            if let Err(why) = program.class(*id) {
                let name = program.class_name(*id).to_string();
                let internal = name.replace('.', "/");
                let why = match why {
                    ir::LoadError::Missing => class_path.trouble(&internal),
                    ir::LoadError::Malformed(why) => why.clone(),
                };
                diagnostics.push(match class_path.is_named(&internal) {
                    true => {
                        let file = class_path.file_of(&internal);
                        let file = file.unwrap_or_else(|| PathBuf::from(&name));
                        Diagnostic::unusable_class(&file, name, why)
                    }
                    false => Diagnostic::new(Path::new(&name), why),
                });
            }
        }
        let contracts = specifications::resolve(&program, &files, reading);
        diagnostics.extend(specifications::mistakes(&contracts, &diagnostics));
        let _compiled = compiled;
        Ok(Project {
            program,
            given,
            checked,
            class_path,
            files,
            contracts,
            diagnostics,
            reading,
            _compiled,
        })
    }

    /// What was given and could not be used: files, and the classes that are wanted.
    pub fn unusable(&self, filter: &Filter) -> Vec<MethodResult> {
        let mut found = Vec::new();
        for diagnostic in &self.diagnostics {
            let class = match &diagnostic.lost {
                Lost::Nothing => continue,
                Lost::Class(class) if !filter.admits_class(class) => continue,
                Lost::Class(class) => Some(class.clone()),
                Lost::All => None,
            };
            found.push(MethodResult::unusable(class, &diagnostic.path, &diagnostic.brief()));
        }
        found
    }

    /// What was read although nobody named it, in a sentence.
    fn read_along(&self) -> Option<String> {
        beside::sentence(&self.class_path.sources_along())
    }

    /// What was heard in the documentation, each in a sentence.
    pub fn heard(&self) -> Vec<String> {
        let heard = self.contracts.heard.iter();
        heard.map(|heard| format!("{}:{}: {}", heard.file, heard.line, heard.text)).collect()
    }

    /// What is taken for granted although nobody said it, each in a sentence.
    pub fn notes(&self) -> Vec<String> {
        let taken = self.contracts.taken.iter();
        let taken = taken.map(|taken| format!("{}:{}: {}", taken.file, taken.line, taken.text));
        self.read_along().into_iter().chain(taken).collect()
    }

    /// What is checked.
    pub fn subject(&self) -> Subject<'_> {
        Subject { program: &self.program, given: &self.given, contracts: &self.contracts }
    }

    /// What the files promise if they are read in another way.
    pub fn contracts_read(&self, reading: Reading) -> Contracts {
        specifications::resolve(&self.program, &self.files, reading)
    }

    /// What the files promise with another arithmetic in specifications.
    pub fn contracts_with(&self, math: Math) -> Contracts {
        self.contracts_read(Reading { math, ..self.reading })
    }
}

/// The class path as the loader sees it.
struct GivenFirst(Arc<ClassPath>);

impl ClassFiles for GivenFirst {
    fn read(&self, internal_name: &str) -> Option<ClassBytes> {
        let (bytes, given) = self.0.read(internal_name)?;
        Some(ClassBytes { bytes: bytes.into(), given })
    }
}

/// The names of methods for whoever watches.
pub(crate) fn names(program: &Program, methods: &[MethodId]) -> HashMap<MethodId, String> {
    let name = |id: &MethodId| {
        let method = program.method(*id);
        (*id, format!("{}.{}", program.class_name(method.class), program.signature(method)))
    };
    methods.iter().map(name).collect()
}
