//! The specifications of a run: read from comments of sources and from `.jml` files beside them,
//! and resolved against the program.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use spec::FileSpecs;
use spec::core::Contracts;
use spec::jml::ast::Gap;

use crate::diagnostic::Diagnostic;
use crate::files;
use crate::inputs::Inputs;
use crate::marking::Copies;

pub use spec::resolve::{SourceFile, resolve};

/// How a specification begins. A file without any of these has none.
const STARTS: [&str; 5] = ["//@", "/*@", "//$", "/*$", spec::annotation::PACKAGE];

fn is_specified(text: &str) -> bool {
    STARTS.iter().any(|start| text.contains(start))
}

/// The files of a run that may have specifications.
#[derive(Debug, Default)]
pub struct Specifications {
    /// Sources, in the order of the input.
    sources: Vec<Text>,
    jml: Vec<Text>,
    /// Files beside the sources that are there and cannot be read.
    unread: Vec<Diagnostic>,
    pub copies: Copies,
}

#[derive(Debug)]
struct Text {
    path: PathBuf,
    text: String,
}

impl Specifications {
    /// Reads what is specified in and beside the inputs.
    pub fn read(inputs: &Inputs) -> Specifications {
        let mut found = Specifications::default();
        for source in &inputs.sources {
            found.add_source(&source.path, Copies::add);
        }
        // The marks are calls of a class of ours, and the program has its own.
        if inputs.sources.iter().any(|s| s.key() == format!("{}.java", spec::marks::CLASS)) {
            found.copies.abandon();
        }
        let sources = inputs.sources.iter().map(|s| &s.path);
        for file in sources.chain(&inputs.class_files) {
            found.add_jml(&file.with_extension("jml"));
        }
        found
    }

    /// Reads what is specified in sources that were compiled along; whether some has to be
    /// compiled once more, with marks.
    pub fn add_neighbours(&mut self, paths: &BTreeSet<PathBuf>) -> bool {
        let mut any = false;
        for path in paths {
            self.add_source(path, Copies::add_neighbour);
            self.add_jml(&path.with_extension("jml"));
            any |= self.copies.path_of(path, Path::new("")).is_some();
        }
        any
    }

    /// Reads the `.jml` files that stand beside a jar, each in the directory of its package.
    pub fn add_beside_jars(&mut self, inputs: &Inputs, given: &[String]) {
        let directories: BTreeSet<&Path> = inputs.jars.iter().filter_map(|j| j.parent()).collect();
        for directory in directories {
            for class in given.iter().filter(|name| !name.contains('$')) {
                self.add_jml(&directory.join(format!("{class}.jml")));
            }
        }
    }

    fn add_source(&mut self, path: &Path, add: impl FnOnce(&mut Copies, &Path, &str, FileSpecs)) {
        let Ok(bytes) = files::read(path) else {
            return;
        };
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if is_specified(&text) || spec::docs::speaks(&text) {
            add(&mut self.copies, path, &text, spec::read(&text));
            self.sources.push(Text { path: path.to_path_buf(), text });
        }
    }

    fn add_jml(&mut self, path: &Path) {
        let is_unread = self.unread.iter().any(|known| known.path == path);
        if is_unread || self.jml.iter().any(|known| known.path == path) {
            return;
        }
        match files::read(path) {
            Ok(bytes) => {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                self.jml.push(Text { path: path.to_path_buf(), text });
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            // A class whose specification nobody has read is not checked.
            Err(error) => {
                self.unread.push(Diagnostic::unusable(path, format!("cannot be read: {error}")));
            }
        }
    }

    /// The files to resolve, without those that were left out of the run, and what is wrong with
    /// them.
    pub fn files(mut self, left_out: &[Diagnostic]) -> (Vec<SourceFile>, Vec<Diagnostic>) {
        let is_left_out = |path: &Path| {
            let source = path.with_extension("java");
            left_out.iter().any(|d| d.path == path || d.path == source)
        };
        let mut files = Vec::new();
        let mut diagnostics = std::mem::take(&mut self.unread);
        for Text { path, text } in self.sources.into_iter().filter(|s| !is_left_out(&s.path)) {
            if let Some((specs, first_mark)) = self.copies.take(&path) {
                // Nobody promised that documentation can be read.
                if is_specified(&text) {
                    diagnostics.extend(complaints(&path, &specs));
                }
                files.push(SourceFile {
                    path: path.display().to_string().into(),
                    text: text.into(),
                    specs,
                    first_mark,
                    is_jml: false,
                });
            }
        }
        for Text { path, text } in self.jml.into_iter().filter(|s| !is_left_out(&s.path)) {
            let specs = spec::read_jml(&text);
            diagnostics.extend(complaints(&path, &specs));
            files.push(SourceFile {
                path: path.display().to_string().into(),
                text: text.into(),
                specs,
                first_mark: None,
                is_jml: true,
            });
        }
        (files, diagnostics)
    }
}

/// What a file says that has no meaning. What annotates something is told again by the verdict of
/// the method in question.
fn complaints(path: &Path, specs: &FileSpecs) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> =
        specs.diagnostics.iter().map(|d| Diagnostic::in_file(path, d)).collect();
    for gap in &specs.gaps {
        if let Gap::Unsupported(what) = &gap.gap {
            let message = format!("{what} is not supported and ignored");
            found.push(Diagnostic::at(path, gap.span, message));
        }
    }
    for span in specs.unread.iter().take(1) {
        let message = "the Java here cannot be read, so specifications near it may be \
                       taken for those of something else";
        found.push(Diagnostic::at(path, *span, message));
    }
    found
}

/// The mistakes that the resolver found, without those that are known already.
pub fn mistakes(contracts: &Contracts, known: &[Diagnostic]) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    for mistake in &contracts.diagnostics {
        let diagnostic = Diagnostic::in_file(Path::new(&*mistake.file), &mistake.diagnostic);
        if !known.contains(&diagnostic) && !found.contains(&diagnostic) {
            found.push(diagnostic);
        }
    }
    found
}

#[cfg(test)]
#[path = "specifications_tests.rs"]
mod tests;
