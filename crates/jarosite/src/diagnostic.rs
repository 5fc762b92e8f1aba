//! What went wrong with one input, in a sentence; the others go on.

use std::fmt;
use std::path::{Path, PathBuf};

/// A mistake in what the user gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The file or directory that it is about, as the user wrote it where possible.
    pub path: PathBuf,
    /// Line and column, where it is about a place in the file.
    pub place: Option<(u32, u32)>,
    /// A sentence without the path; may run over several lines (javac's own words).
    pub message: String,
    pub lost: Lost,
}

/// What is not checked because of a mistake.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Lost {
    /// Nothing as a whole; whatever it means for a method stands in the verdict of that method.
    #[default]
    Nothing,
    /// The file or directory of the path, which the user gave.
    All,
    /// The class with this Java name, which the user gave and which is in the file of the path.
    Class(String),
}

impl Diagnostic {
    pub fn new(path: &Path, message: impl Into<String>) -> Diagnostic {
        let message: String = message.into();
        let message = message.replace(is_control, "?");
        Diagnostic { path: path.to_path_buf(), place: None, message, lost: Lost::Nothing }
    }

    /// What keeps a file that the user gave from being checked.
    pub fn unusable(path: &Path, message: impl Into<String>) -> Diagnostic {
        Diagnostic { lost: Lost::All, ..Diagnostic::new(path, message) }
    }

    /// What keeps a class in a file that the user gave from being checked.
    pub fn unusable_class(path: &Path, class: String, message: impl Into<String>) -> Diagnostic {
        Diagnostic { lost: Lost::Class(class), ..Diagnostic::new(path, message) }
    }

    /// The same in one line: of several lines the first, and what it announces.
    pub fn brief(&self) -> String {
        let mut lines = self.message.lines();
        let first = lines.next().unwrap_or_default();
        match (first.ends_with(':'), lines.next()) {
            (true, Some(second)) => format!("{first} {second}"),
            _ => first.to_string(),
        }
    }

    /// A mistake at a place of a file.
    pub fn at(path: &Path, span: spec::Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { place: Some((span.line, span.column)), ..Diagnostic::new(path, message) }
    }

    /// A mistake in a specification.
    pub fn in_file(path: &Path, mistake: &spec::Diagnostic) -> Diagnostic {
        let message = match &mistake.suggestion {
            Some(suggestion) => format!("{} (did you mean `{suggestion}`?)", mistake.message),
            None => mistake.message.clone(),
        };
        Diagnostic::at(path, mistake.span, message)
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display().to_string().replace(char::is_control, "?");
        match self.place {
            Some((line, column)) => write!(out, "{path}:{line}:{column}: {}", self.message),
            None => match &self.lost {
                Lost::Class(class) => {
                    let class = class.replace(char::is_control, "?");
                    write!(out, "{path}: {class}: {}", self.message)
                }
                Lost::Nothing | Lost::All => write!(out, "{path}: {}", self.message),
            },
        }
    }
}

/// javac quotes the source, and a source may hold what commands a terminal.
fn is_control(c: char) -> bool {
    c.is_control() && c != '\n' && c != '\t'
}
