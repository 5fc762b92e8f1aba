//! `jarosite bounds`: looks at the store, fills it, carries it elsewhere.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use verify::schedule::find_all;
use verify::store::Entry;
use verify::tighten::BoundsUse;
use verify::{Options, Watch, select};

use crate::bounds::database::{Database, Listed};
use crate::bounds::{self, draw, record};
use crate::build_tools;
use crate::class_names;
use crate::cli::{BoundsCommand, Given, SubjectArgs};
use crate::config;
use crate::database::Trouble;
use crate::files;
use crate::inputs::Inputs;
use crate::interrupt;
use crate::jdk::Jdk;
use crate::memory;
use crate::progress::Progress;
use crate::project::{Project, names};
use crate::screen::{complain, show};

/// Runs the command; the result is the process's exit code.
pub fn run(command: BoundsCommand, given: &Given) -> u8 {
    let done = match command {
        BoundsCommand::List => list(),
        BoundsCommand::Show(args) => drawn(*args, given),
        BoundsCommand::Compute(args) => compute(*args, given),
        BoundsCommand::Export { file } => export(&file),
        BoundsCommand::Import { file } => import(&file),
        BoundsCommand::Clear => clear(),
    };
    done.unwrap_or_else(|message| {
        complain(&format!("error: {message}"));
        2
    })
}

fn sentence(trouble: Trouble) -> String {
    let (Trouble::Broken(why) | Trouble::Unavailable(why)) = trouble;
    format!("the store of bounds cannot be used: {why}")
}

fn list() -> Result<u8, String> {
    let all = bounds::open()?.list().map_err(sentence)?;
    if all.is_empty() {
        show("the store is empty\n");
        return Ok(0);
    }
    let mut table =
        vec![["CLASS", "ROOTS", "SCOPE", "ENTRIES", "STATE", "SIZE", "AGE"].map(String::from)];
    for Listed { stored, size, age } in all {
        table.push([
            stored.class,
            stored.roots,
            stored.scope,
            format!("{} -> {}", stored.before, stored.after),
            if stored.complete { "complete" } else { "partial" }.into(),
            bytes(size),
            since(age),
        ]);
    }
    let width = |column: usize| table.iter().map(|r| r[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..7).map(width).collect();
    let mut text = String::new();
    for row in &table {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    show(&text);
    Ok(0)
}

/// What a computation starts from.
struct Work {
    project: Project,
    options: Options,
    jobs: usize,
    progress: Progress,
}

impl Work {
    fn new(args: &SubjectArgs) -> Result<Work, String> {
        let mut options = args.options()?;
        options.memory = Some(memory::is_scarce);
        let interrupted = interrupt::listen();
        let progress = Progress::start(args.volume());
        options.watch = Watch::new(progress.listener(), interrupted);
        let jdk = Jdk::find()?;
        let mut inputs = Inputs::collect(&args.paths, &args.classpath, &args.sourcepath);
        build_tools::complete(&mut inputs, &args.paths);
        let project = Project::open_with(&jdk, &inputs, args.reading())?;
        for diagnostic in &project.diagnostics {
            complain(&format!("warning: {diagnostic}"));
        }
        class_names::check_scope(args, &project)?;
        options.store = Some(bounds::shelf(&jdk, &project));
        Ok(Work { project, options, jobs: args.threads(), progress })
    }

    /// 3 if some bounds are not complete, or something that was given could not be used.
    fn code(&self, args: &SubjectArgs, partial: usize) -> u8 {
        let is_whole = partial == 0 && self.project.unusable(&args.filter()).is_empty();
        if is_whole { 0 } else { 3 }
    }

    /// The bounds of the methods that were chosen, each kind of input once.
    fn each(&self, args: &SubjectArgs, mut found: impl FnMut(&Entry)) -> Result<usize, String> {
        let Project { program, given, .. } = &self.project;
        let methods = select::methods(program, given, &args.filter());
        if methods.is_empty() {
            return Err("no method with a body fits".into());
        }
        self.progress.checking(names(program, &methods));
        let mut seen = BTreeSet::new();
        // A method whose bounds another one has just computed can be done before that other one is:
        // what was computed is told first.
        let mut known = Vec::new();
        find_all(
            self.project.subject(),
            &methods,
            &self.options,
            self.jobs,
            |_, entry| match entry.filter(|entry| entry.stored.before > 0) {
                Some(entry) if entry.how == BoundsUse::Hit => known.push(entry),
                Some(entry) if seen.insert(entry.key.clone()) => found(&entry),
                _ => {}
            },
        );
        for entry in known {
            if seen.insert(entry.key.clone()) {
                found(&entry);
            }
        }
        Ok(seen.len())
    }
}

fn compute(mut args: SubjectArgs, given: &Given) -> Result<u8, String> {
    config::complete_subject(&mut args, given)?;
    let args = &args;
    let work = Work::new(args)?;
    let mut partial = 0;
    let kinds = work.each(args, |entry| {
        let stored = &entry.stored;
        partial += usize::from(!stored.complete);
        let how = match (entry.how, stored.complete) {
            (BoundsUse::Hit, _) => "known".into(),
            (_, true) => format!("computed in {}", seconds(stored.milliseconds)),
            (_, false) => format!("not complete after {}", seconds(stored.milliseconds)),
        };
        show(&format!(
            "{} from {}, scope {}: {} -> {} entries, {how}\n",
            stored.class, stored.roots, stored.scope, stored.before, stored.after
        ));
    })?;
    if kinds == 0 {
        show("no class here has invariants that tight bounds follow from\n");
    }
    Ok(work.code(args, partial))
}

fn drawn(mut args: SubjectArgs, given: &Given) -> Result<u8, String> {
    config::complete_subject(&mut args, given)?;
    let args = &args;
    let work = Work::new(args)?;
    let mut partial = 0;
    let mut texts = Vec::new();
    work.each(args, |entry| {
        partial += usize::from(!entry.stored.complete);
        texts.push(draw::draw(entry));
    })?;
    match texts.is_empty() {
        true => show("no class here has invariants that tight bounds follow from\n"),
        false => show(&texts.join("\n")),
    }
    Ok(work.code(args, partial))
}

fn export(file: &Path) -> Result<u8, String> {
    let lines = bounds::open()?.lines().map_err(sentence)?;
    let mut text = String::new();
    let mut number = 0;
    for (line, ..) in lines {
        if record::parse(&line).is_ok() {
            text.push_str(&line);
            text.push('\n');
            number += 1;
        }
    }
    files::write(file, text.as_bytes())
        .map_err(|e| format!("cannot write {}: {e}", file.display()))?;
    show(&format!("{} written to {}\n", counted(number), file.display()));
    Ok(0)
}

fn import(file: &Path) -> Result<u8, String> {
    let bytes = files::read(file).map_err(|e| format!("cannot read {}: {e}", file.display()))?;
    let mut database: Database = bounds::open()?;
    let (mut number, mut refused) = (0, 0);
    for (at, line) in (1..).zip(bytes.split(|b| *b == b'\n')) {
        let line = String::from_utf8_lossy(line);
        if line.trim().is_empty() {
            continue;
        }
        match record::parse(line.trim()) {
            Ok((key, stored)) => {
                database.put(&key, &stored).map_err(sentence)?;
                number += 1;
            }
            Err(why) => {
                refused += 1;
                complain(&format!("warning: {}:{at}: left out: {why}", file.display()));
            }
        }
    }
    if number == 0 && refused > 0 {
        return Err(format!("{} holds no bounds", file.display()));
    }
    show(&format!("{} read from {}\n", counted(number), file.display()));
    Ok(0)
}

fn clear() -> Result<u8, String> {
    let number = bounds::open()?.clear().map_err(sentence)?;
    show(&format!("{} removed\n", counted(number)));
    Ok(0)
}

fn counted(number: usize) -> String {
    format!("{number} bound{}", if number == 1 { "" } else { "s" })
}

fn seconds(milliseconds: u64) -> String {
    format!("{}.{} s", milliseconds / 1000, milliseconds % 1000 / 100)
}

fn bytes(size: u64) -> String {
    match size {
        0..1024 => format!("{size} B"),
        1024..1_048_576 => format!("{} KB", size / 1024),
        _ => format!("{} MB", size / 1_048_576),
    }
}

fn since(age: Duration) -> String {
    match age.as_secs() {
        s @ 0..120 => format!("{s} s"),
        s @ 120..7200 => format!("{} min", s / 60),
        s @ 7200..172_800 => format!("{} h", s / 3600),
        s => format!("{} days", s / 86_400),
    }
}
