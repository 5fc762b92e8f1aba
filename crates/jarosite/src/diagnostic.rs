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
        Diagnostic { path: path.to_path_buf(), message: message.into() }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.path.display(), self.message)
    }
}
