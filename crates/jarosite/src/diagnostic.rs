//! What went wrong with one input, in a sentence; the others go on.

use std::fmt;
use std::path::{Path, PathBuf};

/// A mistake in what the user gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The file or directory that it is about, as the user wrote it where possible.
    pub path: PathBuf,
    /// A sentence without the path; may run over several lines (javac's own words).
    pub message: String,
}

impl Diagnostic {
    pub fn new(path: &Path, message: impl Into<String>) -> Diagnostic {
        let message: String = message.into();
        Diagnostic { path: path.to_path_buf(), message: message.replace(is_control, "?") }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display().to_string().replace(char::is_control, "?");
        write!(out, "{path}: {}", self.message)
    }
}

/// javac quotes the source, and a source may hold what commands a terminal.
fn is_control(c: char) -> bool {
    c.is_control() && c != '\n' && c != '\t'
}
