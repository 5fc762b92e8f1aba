//! A program to check: inputs collected, compiled, and ready to be loaded class by class.

use std::path::PathBuf;
use std::sync::Arc;

use ir::{ClassId, Program};
use jvm::{ClassBytes, ClassFiles, JdkImage, Loader};

use crate::class_path::ClassPath;
use crate::diagnostic::Diagnostic;
use crate::inputs::Inputs;
use crate::javac::{self, Compiled};
use crate::jdk::Jdk;

/// Everything that a run reads.
pub struct Project {
    pub program: Program,
    /// The classes under verification, by name.
    pub given: Vec<ClassId>,
    pub class_path: Arc<ClassPath>,
    /// What could not be used, each in a sentence.
    pub diagnostics: Vec<Diagnostic>,
    /// Keeps the compiled classes until the run ends.
    _compiled: Option<Compiled>,
}

impl Project {
    /// Compiles and opens what the user points at. An error is a sentence; nothing was checked.
    pub fn open(jdk: &Jdk, inputs: &Inputs) -> Result<Project, String> {
        let mut diagnostics = inputs.diagnostics.clone();
        let compiled = match inputs.sources.is_empty() {
            true => None,
            false => Some(javac::compile(jdk, inputs)?),
        };
        if let Some(compiled) = &compiled {
            diagnostics.extend(compiled.dropped.iter().cloned());
        }
        let (class_path, unusable) = ClassPath::new(inputs, compiled.as_ref());
        diagnostics.extend(unusable);
        let class_path = Arc::new(class_path);
        let image = JdkImage::open(&jdk.modules)?;
        let files: Vec<Box<dyn ClassFiles>> =
            vec![Box::new(GivenFirst(class_path.clone())), Box::new(image)];
        let program = Program::new(Box::new(Loader::new(Box::new(files))));
        let names = class_path.given_classes();
        let given: Vec<ClassId> =
            names.iter().map(|n| program.class_id(&n.replace('/', "."))).collect();
        for id in &given {
            if let Err(why) = program.class(*id) {
                let path = PathBuf::from(program.class_name(*id));
                let why = match why {
                    ir::LoadError::Missing => "its class file has disappeared".to_string(),
                    ir::LoadError::Malformed(why) => why.clone(),
                };
                diagnostics.push(Diagnostic::new(&path, why));
            }
        }
        Ok(Project { program, given, class_path, diagnostics, _compiled: compiled })
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
