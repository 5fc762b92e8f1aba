//! What is to accept violations and accepts none: it was right once, or never, and whoever reads it believes
//! that something is known to be wrong there.
//!
//! A run need not have met what is accepted: a filter leaves methods out, a method may be undecided. So only
//! what could have been met counts.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use verify::{MethodResult, Property};

use crate::check::is_open;
use crate::cli::CheckArgs;
use crate::inputs::Inputs;
use crate::project::Project;
use crate::review::{Reviewer, said};
use crate::sources::SourceText;

/// A run that is over.
pub struct Reviewed<'a> {
    pub args: &'a CheckArgs,
    pub inputs: &'a Inputs,
    pub project: &'a Project,
    pub sources: &'a SourceText,
    pub results: &'a [MethodResult],
    pub reviewer: &'a Reviewer,
}

impl Reviewed<'_> {
    /// A sentence for each comment and each suppression that does nothing.
    pub fn idle(&self) -> Vec<String> {
        let mut said = self.idle_comments();
        said.extend(self.idle_suppressions());
        said
    }

    /// Comments of the sources that are checked, and of the specifications beside them.
    fn idle_comments(&self) -> Vec<String> {
        let filter = self.args.subject.filter();
        let open: BTreeSet<&str> =
            self.results.iter().filter(|r| is_open(r)).map(|r| r.class.as_str()).collect();
        let mut files: BTreeMap<PathBuf, bool> = BTreeMap::new();
        for class in &self.project.checked {
            let name = self.project.program.class_name(*class);
            let Some(file) = self.project.class_path.source_of(&name.replace('.', "/")) else {
                continue;
            };
            let is_settled =
                filter.methods.is_empty() && filter.admits_class(name) && !open.contains(name);
            for file in [file.with_extension("jml"), file] {
                *files.entry(file).or_insert(true) &= is_settled;
            }
        }
        let found = files.iter().flat_map(|(file, is_settled)| self.idle_in(file, *is_settled));
        found.collect()
    }

    /// Comments of a file that mean nothing; if it is settled, also those that accept nothing.
    fn idle_in(&self, file: &Path, is_settled: bool) -> Vec<String> {
        let path = file.display().to_string();
        let mut found = Vec::new();
        for (line, text) in (1..).zip(self.sources.lines(file.to_path_buf()).iter()) {
            match said(text) {
                Some(Err(why)) => found.push(format!("{path}:{line}: {why}")),
                Some(Ok((property, _)))
                    if is_settled
                        && self.is_checked(property)
                        && !self.reviewer.has_met_comment(&path, line) =>
                {
                    found.push(format!(
                        "{path}:{line}: this comment accepts nothing, because {property} is not violated here"
                    ));
                }
                _ => {}
            }
        }
        found
    }

    fn is_checked(&self, property: Property) -> bool {
        !self.args.settings.unchecked.contains(&property)
    }

    fn idle_suppressions(&self) -> Vec<String> {
        let settings = &self.args.settings;
        let unmet: Vec<_> =
            settings.suppressed.iter().filter(|s| !self.reviewer.has_met(&s.fingerprint)).collect();
        if unmet.is_empty() || !settings.unchecked.is_empty() || !self.is_all_of_the_project() {
            return Vec::new();
        }
        let sentence = |place: &str, print: &str| {
            format!(
                "{place}: this suppression accepts nothing, because no violation has the fingerprint `{print}`"
            )
        };
        unmet.iter().map(|s| sentence(&s.place, &s.fingerprint)).collect()
    }

    /// Whether everything that the configuration is for was checked to the end.
    fn is_all_of_the_project(&self) -> bool {
        let settings = &self.args.settings;
        let Some(directory) = &settings.directory else {
            return false;
        };
        if !self.args.subject.is_whole()
            || settings.leaves_out_more
            || self.results.iter().any(is_open)
        {
            return false;
        }
        let here = files_of(self.inputs);
        files_of(&Inputs::collect(std::slice::from_ref(directory), &[], &[])).is_subset(&here)
    }
}

fn files_of(inputs: &Inputs) -> BTreeSet<PathBuf> {
    let sources = inputs.sources.iter().map(|source| &source.path);
    let files = sources.chain(&inputs.class_files).chain(&inputs.jars);
    files.map(|file| file.canonicalize().unwrap_or_else(|_| file.clone())).collect()
}
