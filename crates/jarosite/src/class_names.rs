//! Names of classes in options and settings: one that means nothing is a mistake, because whoever wrote it
//! believes that it does something.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::cli::{SubjectArgs, part_of_scope};
use crate::config::did_you_mean;
use crate::diagnostic::Lost;
use crate::files;
use crate::inputs::Inputs;
use crate::project::Project;

/// The packages whose classes go by their simple names.
const FAMILIAR: [&str; 3] = ["", "java.lang.", "java.util."];

/// Where a setting stands, for messages, and the directory that the settings are for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// `jarosite.toml:3:1`.
    pub place: String,
    pub directory: PathBuf,
}

/// Whether each class that `--scope` and `scope` name exists; an error is a sentence.
pub fn check_scope(args: &SubjectArgs, project: &Project) -> Result<(), String> {
    for part in &args.scope {
        let Ok((Some(class), _)) = part_of_scope(part) else {
            continue;
        };
        let origin = args.scope_origins.get(class);
        let is_elsewhere = || origin.is_some_and(|o| is_declared_below(&o.directory, class));
        if is_known(class, project) || is_left_out(class, project) || is_elsewhere() {
            continue;
        }
        let of_run: BTreeSet<String> = project
            .given
            .iter()
            .flat_map(|id| spellings(project.program.class_name(*id)))
            .collect();
        let guess = did_you_mean(class, of_run.iter().map(String::as_str));
        let message = format!("there is no class `{class}`{guess}");
        return Err(match origin {
            Some(origin) => format!("{}: {message}", origin.place),
            None => format!("--scope {}: {message}", part.trim()),
        });
    }
    Ok(())
}

/// The names by which a scope may call a class: without its package, and that of a nested one alone.
fn spellings(name: &str) -> [String; 3] {
    let after_package = name.rsplit('.').next().unwrap_or(name);
    [ir::program::simple(name), after_package, name].map(str::to_string)
}

fn is_known(class: &str, project: &Project) -> bool {
    let is_given = |id: &ir::ClassId| {
        spellings(project.program.class_name(*id)).iter().any(|name| name == class)
    };
    project.given.iter().any(is_given)
        || is_library(class, project)
        || project.class_path.has_class_called(class)
}

/// Whether the class is one of the JDK, or of the class path by its whole name.
fn is_library(class: &str, project: &Project) -> bool {
    let is_name = class.split('.').all(|part| {
        !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$')
    });
    let exists = |package: &&str| {
        let id = project.program.class_id(&format!("{package}{class}"));
        project.program.class(id).is_ok()
    };
    is_name && FAMILIAR.iter().any(exists)
}

/// Whether a source that could not be compiled declares such a class.
fn is_left_out(class: &str, project: &Project) -> bool {
    let lost = project.diagnostics.iter().filter(|d| d.lost == Lost::All);
    lost.map(|d| &d.path).any(|path| {
        let bytes = files::read(path).unwrap_or_default();
        declares(&String::from_utf8_lossy(&bytes), ir::program::simple(class))
    })
}

/// Whether some source of the project declares such a class: a run on a part of it need not load that.
fn is_declared_below(directory: &Path, class: &str) -> bool {
    let simple = ir::program::simple(class);
    let sources = Inputs::collect(&[directory.to_path_buf()], &[], &[]).sources;
    sources.iter().any(|source| {
        let bytes = files::read(&source.path).unwrap_or_default();
        declares(&String::from_utf8_lossy(&bytes), simple)
    })
}

/// Whether a text has `class Name` or the like, be it in a comment.
fn declares(text: &str, name: &str) -> bool {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$');
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let kinds = ["class", "interface", "enum", "record"];
    words.windows(2).any(|pair| kinds.contains(&pair[0]) && pair[1] == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_are_found_by_their_words() {
        let text =
            "package p; public final class Queue<T> { static class Node {} }\nenum Color { RED }";
        for name in ["Queue", "Node", "Color"] {
            assert!(declares(text, name), "{name}");
        }
        for name in ["T", "RED", "p", "Nod", "static"] {
            assert!(!declares(text, name), "{name}");
        }
    }

    #[test]
    fn a_nested_class_has_three_names() {
        assert_eq!(spellings("p.q.Outer$Node"), ["Node", "Outer$Node", "p.q.Outer$Node"]);
    }
}
