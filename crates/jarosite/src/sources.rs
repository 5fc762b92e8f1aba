//! Source lines for reports, read once per file.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use report::Sources;

use crate::class_path::ClassPath;
use crate::files;

/// The source files behind the classes of a run.
pub struct SourceText {
    class_path: Arc<ClassPath>,
    files: Mutex<HashMap<PathBuf, Arc<Vec<String>>>>,
}

impl SourceText {
    pub fn new(class_path: Arc<ClassPath>) -> SourceText {
        SourceText { class_path, files: Mutex::default() }
    }

    fn find(&self, class: &str, file: &str) -> Option<PathBuf> {
        self.class_path.source_named(&class.replace('.', "/"), file)
    }

    /// The lines of a file; none if it cannot be read.
    pub fn lines(&self, path: PathBuf) -> Arc<Vec<String>> {
        let mut files = match self.files.lock() {
            Ok(files) => files,
            Err(poisoned) => poisoned.into_inner(),
        };
        let read = |path: &PathBuf| {
            let bytes = files::read(path).unwrap_or_default();
            let text = String::from_utf8_lossy(&bytes);
            Arc::new(text.lines().map(str::to_string).collect::<Vec<_>>())
        };
        files.entry(path).or_insert_with_key(read).clone()
    }
}

impl Sources for SourceText {
    fn path(&self, class: &str, file: &str) -> Option<String> {
        Some(self.find(class, file)?.display().to_string())
    }

    fn line(&self, class: &str, file: &str, line: u32) -> Option<String> {
        let lines = self.lines(self.find(class, file)?);
        lines.get((line as usize).checked_sub(1)?).cloned()
    }

    fn line_of(&self, path: &str, line: u32) -> Option<String> {
        let lines = self.lines(PathBuf::from(path));
        lines.get((line as usize).checked_sub(1)?).cloned()
    }
}
