//! Compiles all sources of a run in one call of javac.
//!
//! Sources with errors are left out and the rest is compiled again, so that one bad file does not
//! take the others' results away. A file that needs one that was left out fails in the next round.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use crate::annotations;
use crate::beside;
use crate::class_path::is_readable;
use crate::compiled::Shelf;
use crate::diagnostic::Diagnostic;
use crate::inputs::{Inputs, Source};
use crate::interrupt;
use crate::jdk::Jdk;
use crate::marking::Copies;
use crate::scratch::Scratch;

/// More rounds than any sensible chain of dependencies between bad files needs.
const ROUNDS: usize = 12;

/// Lines of javac's messages that are shown for one file.
const MOST_LINES: usize = 40;

/// Characters of one of them.
const LONGEST_LINE: usize = 300;

/// Between two looks whether javac has ended, or an end is wanted.
const GLANCE: Duration = Duration::from_millis(10);

/// Waits for a process of ours to end; `None` if it is no longer wanted and had to be ended.
pub(crate) fn wait_unless(
    child: &mut Child,
    is_unwanted: &dyn Fn() -> bool,
) -> std::io::Result<Option<ExitStatus>> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if is_unwanted() {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(GLANCE);
    }
}

/// The compiled classes of a run.
#[derive(Debug)]
pub struct Compiled {
    place: Place,
    /// The sources that compiled.
    pub sources: Vec<Source>,
    /// The sources that did not, with javac's own messages.
    pub dropped: Vec<Diagnostic>,
}

impl Compiled {
    /// Where the class files are.
    pub fn classes(&self) -> PathBuf {
        match &self.place {
            Place::Scratch(directory) => directory.path().join("classes"),
            Place::Kept(classes) => classes.clone(),
        }
    }

    /// Classes that an earlier run compiled from the same.
    fn kept(classes: PathBuf, inputs: &Inputs) -> Compiled {
        let place = Place::Kept(classes);
        Compiled { place, sources: inputs.sources.clone(), dropped: Vec::new() }
    }
}

/// Where classes are.
#[derive(Debug)]
enum Place {
    /// Deleted with the run.
    Scratch(Scratch),
    /// They stay.
    Kept(PathBuf),
}

/// Compiles the sources of a run. An error is about javac itself, never about the sources.
pub fn compile(jdk: &Jdk, inputs: &Inputs) -> Result<Compiled, String> {
    compile_marked(jdk, inputs, &mut Copies::default())
}

/// As [`compile`], with copies in place of some sources.
pub fn compile_marked(jdk: &Jdk, inputs: &Inputs, copies: &mut Copies) -> Result<Compiled, String> {
    compile_in(&std::env::temp_dir(), jdk, inputs, copies)
}

/// As [`compile_marked`], but what an earlier run compiled is not compiled again.
pub fn compile_once(jdk: &Jdk, inputs: &Inputs, copies: &mut Copies) -> Result<Compiled, String> {
    let Some(shelf) = Shelf::of(jdk, inputs, copies) else {
        return compile_marked(jdk, inputs, copies);
    };
    if let Some(classes) = shelf.find() {
        return Ok(Compiled::kept(classes, inputs));
    }
    let compiled = compile_marked(jdk, inputs, copies)?;
    // Where something had to give way, the next run must hear of it too.
    let is_clean = compiled.dropped.is_empty() && copies.are_whole();
    // A source that was saved meanwhile is not what the place is for.
    if is_clean && Shelf::of(jdk, inputs, copies).as_ref() == Some(&shelf) {
        shelf.keep(&compiled.classes());
    }
    Ok(compiled)
}

/// As [`compile`], with the temporary directory below this one.
pub fn compile_below(parent: &Path, jdk: &Jdk, inputs: &Inputs) -> Result<Compiled, String> {
    compile_in(parent, jdk, inputs, &mut Copies::default())
}

fn compile_in(
    parent: &Path,
    jdk: &Jdk,
    inputs: &Inputs,
    copies: &mut Copies,
) -> Result<Compiled, String> {
    let directory = Scratch::new(parent, "jarosite-classes-")
        .map_err(|error| format!("no temporary directory can be made: {error}"))?;
    let place = Place::Scratch(directory);
    let mut compiled = Compiled { place, sources: inputs.sources.clone(), dropped: Vec::new() };
    let mut neighbours = inputs.source_roots();
    if !inputs.beside.is_empty() {
        let directory = compiled.scratch().join("beside");
        beside::lay_out(&inputs.beside, &directory).map_err(|error| {
            format!("the files beside the given ones cannot be copied: {error}")
        })?;
        neighbours.push(directory);
    }
    for _ in 0..ROUNDS {
        let messages = match compiled.attempt(jdk, inputs, copies, &neighbours)? {
            Ok(()) => return Ok(compiled),
            Err(messages) => messages,
        };
        let errors = errors_by_file(&messages);
        if copies.give_way(&errors, &compiled.marked()) || errors.is_empty() && copies.abandon() {
            continue;
        }
        let failed = compiled.drop_failed(&errors);
        if failed < errors.len() && !neighbours.is_empty() {
            // A bad file beside the given ones, or one that was left out and found again.
            neighbours.clear();
        } else if failed == 0 {
            compiled.drop_all(&messages);
        }
    }
    compiled.drop_all("too many files depend on files with errors");
    compiled.reset()?;
    Ok(compiled)
}

impl Compiled {
    /// One call of javac; the inner error is what javac said.
    fn attempt(
        &self,
        jdk: &Jdk,
        inputs: &Inputs,
        copies: &Copies,
        neighbours: &[PathBuf],
    ) -> Result<Result<(), String>, String> {
        self.reset()?;
        if self.sources.is_empty() {
            return Ok(Ok(()));
        }
        let fail = |error: std::io::Error| format!("javac cannot be run: {error}");
        let arguments = self.scratch().join("sources");
        fs::write(&arguments, argument_file(&self.files(copies)?)).map_err(fail)?;
        let mut at_arguments = OsString::from("@");
        at_arguments.push(&arguments);
        let mut source_path = [&inputs.source_path[..], &inputs.modules, neighbours].concat();
        if copies.name_annotations() {
            let annotations = self.scratch().join("annotations");
            annotations::write(&annotations).map_err(fail)?;
            source_path.push(annotations);
        }
        // What was built before says nothing of what the user sees now; but it may be all there is.
        let prefer = if neighbours.is_empty() { "-Xprefer:newer" } else { "-Xprefer:source" };
        // javac refuses everything because of one damaged jar.
        let entries = inputs.class_path.iter().chain(&inputs.jars);
        let class_path: Vec<PathBuf> = entries.filter(|e| is_readable(e)).cloned().collect();
        let messages = self.scratch().join("messages");
        let heard = fs::File::create(&messages).map_err(fail)?;
        let nothing = self.scratch().join("no-processors");
        fs::create_dir_all(&nothing).map_err(fail)?;
        let mut javac = Command::new(&jdk.javac)
            .args(["-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"])
            // Long expressions are deep trees.
            .arg("-J-Xss64m")
            .args(["-J-Duser.language=en", "-J-Duser.country=US"])
            .args(["-g", "-proc:none", "-Xlint:none", "-nowarn"])
            // Without a path of their own, plugins of the class path start by themselves.
            .arg("-processorpath")
            .arg(&nothing)
            .args(["-Xmaxerrs", "100000", "-encoding", "UTF-8", prefer])
            .arg("-d")
            .arg(self.classes())
            .arg("-classpath")
            .arg(self.joined(&class_path)?)
            .arg("-sourcepath")
            .arg(self.joined(&source_path)?)
            .arg(at_arguments)
            .stdin(Stdio::null())
            .stdout(heard.try_clone().map_err(fail)?)
            .stderr(heard)
            .spawn()
            .map_err(fail)?;
        // A request to end may have ended javac as well.
        let ended = wait_unless(&mut javac, &interrupt::is_requested).map_err(fail)?;
        let Some(status) = ended.filter(|_| !interrupt::is_requested()) else {
            return Err("interrupted before anything was checked".into());
        };
        if status.success() {
            return Ok(Ok(()));
        }
        let said = fs::read(&messages).map_err(fail)?;
        Ok(Err(String::from_utf8_lossy(&said).into_owned()))
    }

    /// The files to compile: sources, or the copies that stand for them.
    fn files(&self, copies: &Copies) -> Result<Vec<PathBuf>, String> {
        let directory = self.marked();
        let class = copies
            .write(&directory)
            .map_err(|error| format!("the temporary directory cannot be written: {error}"))?;
        let files = self.sources.iter().map(|source| {
            copies.path_of(&source.path, &directory).unwrap_or_else(|| source.path.clone())
        });
        Ok(files.chain(copies.neighbours(&directory)).chain(class).collect())
    }

    /// Where copies of sources are.
    fn marked(&self) -> PathBuf {
        self.scratch().join("marked")
    }

    /// Where files of a compilation are; beside the classes.
    fn scratch(&self) -> PathBuf {
        self.classes().parent().map(Path::to_path_buf).unwrap_or_default()
    }

    /// Empties the directory of classes: a failed call may have written some.
    fn reset(&self) -> Result<(), String> {
        let fail = |error| format!("the temporary directory cannot be written: {error}");
        if self.classes().exists() {
            fs::remove_dir_all(self.classes()).map_err(fail)?;
        }
        fs::create_dir_all(self.classes()).map_err(fail)?;
        fs::create_dir_all(self.nothing()).map_err(fail)
    }

    /// An empty directory. javac takes an absent class path to be the current directory and an
    /// absent source path to be the class path.
    fn nothing(&self) -> PathBuf {
        self.scratch().join("nothing")
    }

    fn joined(&self, paths: &[PathBuf]) -> Result<OsString, String> {
        if paths.is_empty() {
            return Ok(self.nothing().into_os_string());
        }
        std::env::join_paths(paths).map_err(|error| format!("bad class or source path: {error}"))
    }

    /// Leaves out the sources with errors, and counts them.
    fn drop_failed(&mut self, errors: &BTreeMap<PathBuf, String>) -> usize {
        let (failed, fine): (Vec<_>, Vec<_>) = std::mem::take(&mut self.sources)
            .into_iter()
            .partition(|source| errors.contains_key(&source.path));
        self.sources = fine;
        for source in &failed {
            let message = explain(&errors[&source.path]);
            self.dropped.push(Diagnostic::unusable(&source.path, message));
        }
        failed.len()
    }

    fn drop_all(&mut self, messages: &str) {
        for source in std::mem::take(&mut self.sources) {
            let message = format!("does not compile:\n{}", shortened(messages));
            self.dropped.push(Diagnostic::unusable(&source.path, message));
        }
    }
}

fn explain(messages: &str) -> String {
    if let Some((_, class)) = messages.split_once("error: duplicate class: ") {
        let class = class.lines().next().unwrap_or_default();
        return format!(
            "left out, because another of the given files declares the class {class} too; \
             check them in separate runs"
        );
    }
    format!("does not compile:\n{}", shortened(messages))
}

/// The first lines of javac's messages: one mistake may cause hundreds. It quotes lines of the source, however
/// long they are.
fn shortened(messages: &str) -> String {
    let lines: Vec<&str> = messages.trim().lines().collect();
    let line = |line: &&str| match line.char_indices().nth(LONGEST_LINE) {
        Some((end, _)) => format!("{} ...", &line[..end]),
        None => line.to_string(),
    };
    let shown: Vec<String> = lines.iter().take(MOST_LINES).map(line).collect();
    match lines.len() - shown.len() {
        0 => shown.join("\n"),
        rest => format!("{}\n({rest} more lines)", shown.join("\n")),
    }
}

/// One quoted path a line.
fn argument_file(files: &[PathBuf]) -> Vec<u8> {
    let mut text = Vec::new();
    for file in files {
        let path = file.to_string_lossy();
        let escaped = path.replace('\\', "\\\\").replace('"', "\\\"");
        // Writing to a vector cannot fail.
        let _ = writeln!(text, "\"{escaped}\"");
    }
    text
}

/// javac's messages, sorted by the file that they are about.
fn errors_by_file(messages: &str) -> BTreeMap<PathBuf, String> {
    let mut errors: BTreeMap<PathBuf, String> = BTreeMap::new();
    let mut current: Option<PathBuf> = None;
    for line in messages.lines() {
        if let Some((file, is_error)) = head(line) {
            current = is_error.then(|| file.to_path_buf());
        } else if is_count(line) {
            current = None;
        }
        if let Some(file) = &current {
            let text = errors.entry(file.clone()).or_default();
            text.push_str(line);
            text.push('\n');
        }
    }
    errors
}

/// The lines with errors and the first line of what javac says about each.
pub(crate) fn error_lines(messages: &str) -> Vec<(u32, &str)> {
    let errors = messages.lines().filter(|line| head(line).is_some_and(|(_, is_error)| is_error));
    let lines = errors.filter_map(|line| {
        let (place, message) = line.split_once(": error: ")?;
        Some((place.rsplit_once(':')?.1.parse().ok()?, message))
    });
    lines.collect()
}

/// `src/A.java:12: error: …` → the file, and whether it is an error rather than a warning.
fn head(line: &str) -> Option<(&Path, bool)> {
    let (at, is_error) = match (line.find(": error: "), line.find(": warning: ")) {
        (Some(at), _) => (at, true),
        (None, Some(at)) => (at, false),
        (None, None) => return None,
    };
    let (file, number) = line[..at].rsplit_once(':')?;
    let is_number = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    (is_number && file.ends_with(".java")).then(|| (Path::new(file), is_error))
}

/// `3 errors`.
fn is_count(line: &str) -> bool {
    let mut words = line.split(' ');
    let is_number = words.next().is_some_and(|w| w.parse::<u32>().is_ok());
    is_number && matches!(words.next(), Some("error" | "errors")) && words.next().is_none()
}

#[cfg(test)]
#[path = "javac_tests.rs"]
mod tests;
