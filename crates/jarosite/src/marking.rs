//! Copies of sources for the compiler, with calls where something is specified in a body.
//!
//! A specification may stand where no statement can. Then javac has errors in the copy, and the
//! copy gives way: first the points on the lines with errors, and if that does not help, the whole
//! copy, so that javac's messages are always about the user's own file.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use spec::jml::ast::Gap;
use spec::marks::{self, MarkKind, MarkSite};
use spec::{FileSpecs, GapAt};

use crate::javac::error_lines;

/// Why a specification in a body has no meaning.
const NO_PLACE: &str = "specification where no statement can stand";

/// javac finds errors in stages: the next are found once those of a stage are gone.
const STAGES: u32 = 4;

/// The copies of a run by the sources that they stand for.
#[derive(Debug, Default)]
pub struct Copies {
    files: BTreeMap<PathBuf, Copy>,
    next: u32,
}

/// One source and what is marked in it.
#[derive(Debug)]
struct Copy {
    text: String,
    specs: FileSpecs,
    first: u32,
    state: State,
    /// Whether javac is told of it; it finds other neighbours by itself.
    is_listed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// How often points have given way.
    Used(u32),
    /// The source itself is compiled.
    Abandoned,
}

impl Copies {
    /// Takes the specifications of a source. One without points in bodies is not copied.
    pub fn add(&mut self, path: &Path, text: &str, specs: FileSpecs) {
        let count = u32::try_from(marks::sites(&specs).len()).unwrap_or(u32::MAX);
        let copy = Copy {
            text: text.into(),
            specs,
            first: self.next,
            state: if count == 0 { State::Abandoned } else { State::Used(0) },
            is_listed: true,
        };
        self.next = self.next.saturating_add(count);
        self.files.insert(path.to_path_buf(), copy);
    }

    /// As [`Copies::add`], for a source that is no input itself but compiled along.
    pub fn add_neighbour(&mut self, path: &Path, text: &str, specs: FileSpecs) {
        self.add(path, text, specs);
        if let Some(copy) = self.files.get_mut(path) {
            copy.is_listed = false;
        }
    }

    /// Whether a source has specifications here.
    pub fn contains(&self, path: &Path) -> bool {
        self.files.contains_key(path)
    }

    /// Whether nothing had to give way.
    pub fn are_whole(&self) -> bool {
        self.files.values().all(|copy| match copy.state {
            State::Used(times) => times == 0,
            State::Abandoned => marks::sites(&copy.specs).is_empty(),
        })
    }

    /// Whether some source names annotations of JML.
    pub(crate) fn name_annotations(&self) -> bool {
        self.files.values().any(|copy| copy.text.contains(spec::annotation::PACKAGE))
    }

    /// Whether some copy is to be compiled.
    pub fn is_active(&self) -> bool {
        self.files.values().any(|copy| copy.state != State::Abandoned)
    }

    /// What is left to resolve of a source, and the number of its first mark, if it has any.
    pub fn take(&mut self, path: &Path) -> Option<(FileSpecs, Option<u32>)> {
        let copy = self.files.remove(path)?;
        let has_marks = copy.state != State::Abandoned || marks::sites(&copy.specs).is_empty();
        Some((copy.specs, has_marks.then_some(copy.first)))
    }

    /// The file that stands for a source below a directory, if one does.
    pub(crate) fn path_of(&self, source: &Path, directory: &Path) -> Option<PathBuf> {
        let index = self.files.keys().position(|path| path == source)?;
        let copy = self.files.get(source)?;
        let name = source.file_name()?;
        (copy.state != State::Abandoned).then(|| directory.join(index.to_string()).join(name))
    }

    /// Copies of sources that are no inputs.
    pub(crate) fn neighbours(&self, directory: &Path) -> Vec<PathBuf> {
        let unlisted = self.files.iter().filter(|(_, copy)| !copy.is_listed);
        unlisted.filter_map(|(path, _)| self.path_of(path, directory)).collect()
    }

    /// Writes the copies and the class that they call, whose path it returns.
    pub(crate) fn write(&self, directory: &Path) -> std::io::Result<Option<PathBuf>> {
        if !self.is_active() {
            return Ok(None);
        }
        for (source, copy) in &self.files {
            let Some(path) = self.path_of(source, directory) else {
                continue;
            };
            let sites = marks::sites(&copy.specs);
            write_below(&path, &marks::insert(&copy.text, &sites, copy.first))?;
        }
        let class = directory.join(format!("{}.java", marks::CLASS));
        write_below(&class, marks::CLASS_SOURCE)?;
        Ok(Some(class))
    }

    /// Reacts to errors in copies; whether there were any.
    pub(crate) fn give_way(
        &mut self,
        errors: &BTreeMap<PathBuf, String>,
        directory: &Path,
    ) -> bool {
        let paths: Vec<PathBuf> = self.files.keys().cloned().collect();
        let mut any = false;
        for source in paths {
            let messages = self.path_of(&source, directory).and_then(|path| errors.get(&path));
            if let (Some(messages), Some(copy)) = (messages, self.files.get_mut(&source)) {
                copy.give_way(messages);
                any = true;
            }
        }
        any
    }

    /// Compiles the sources themselves from now on; whether that changes anything.
    pub(crate) fn abandon(&mut self) -> bool {
        let was_active = self.is_active();
        self.files.values_mut().for_each(|copy| copy.state = State::Abandoned);
        was_active
    }
}

impl Copy {
    fn give_way(&mut self, messages: &str) {
        let sites = marks::sites(&self.specs);
        let lines = marks::marked(&self.text, &sites, self.first).lines;
        let errors: Vec<(u32, &str)> = error_lines(messages)
            .into_iter()
            .map(|(line, message)| (culprit(line, message, &lines), message))
            .collect();
        let mut doubtful: Vec<(&MarkSite, bool)> = Vec::new();
        for (site, line) in sites.iter().zip(&lines) {
            let here: Vec<_> = errors.iter().filter(|(at, _)| at == line).collect();
            if here.is_empty() {
                continue;
            }
            // Where nothing can come to, nothing can be violated.
            let is_alone = lines.iter().filter(|other| *other == line).count() == 1;
            let is_dead = here.iter().all(|(_, said)| said.starts_with("unreachable statement"));
            doubtful.push((site, is_alone && is_dead));
        }
        self.state = match self.state {
            State::Used(stage) if stage < STAGES && !doubtful.is_empty() => State::Used(stage + 1),
            State::Used(_) | State::Abandoned => State::Abandoned,
        };
        if self.state == State::Abandoned {
            return;
        }
        // From behind, so that the indices of those before stay.
        for (site, is_dead) in doubtful.into_iter().rev() {
            remove(&mut self.specs, site, !is_dead);
        }
        if marks::sites(&self.specs).is_empty() {
            self.state = State::Abandoned;
        }
    }
}

/// The line of the point that an error is about. Before a call of another constructor nothing may
/// stand, and javac complains about that call.
fn culprit(line: u32, message: &str, points: &[u32]) -> u32 {
    let must_be_first = message.starts_with("call to ") && message.contains("must be first");
    let above = points.iter().copied().filter(|point| *point <= line).max();
    above.filter(|_| must_be_first).unwrap_or(line)
}

/// Takes a point out of the specifications and leaves a gap in its place.
fn remove(specs: &mut FileSpecs, site: &MarkSite, leaves_gap: bool) {
    let ty = specs.types.get_mut(site.type_index);
    let Some(method) = ty.and_then(|ty| ty.methods.get_mut(site.method_index)) else {
        return;
    };
    match &site.kind {
        MarkKind::Points(indices) => {
            let mut index = 0;
            method.points.retain(|_| {
                index += 1;
                !indices.contains(&(index - 1))
            });
        }
        MarkKind::Loop(index) if *index < method.loops.len() => {
            method.loops.remove(*index);
        }
        MarkKind::Loop(_) => {}
    }
    if leaves_gap {
        method.gaps.push(GapAt { gap: Gap::Unsupported(NO_PLACE.into()), span: site.place });
    }
}

fn write_below(path: &Path, text: &str) -> std::io::Result<()> {
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory)?;
    }
    fs::write(path, text)
}
