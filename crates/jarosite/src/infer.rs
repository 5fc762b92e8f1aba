//! `jarosite infer`: what the code keeps of its objects without saying so, as JML.

use std::collections::BTreeMap;
use std::time::Instant;

use ir::ClassId;
use report::Kept;
use verify::Watch;

use crate::build_tools;
use crate::cli::{Given, InferArgs, InferFormat, SubjectArgs};
use crate::config;
use crate::inputs::Inputs;
use crate::interrupt;
use crate::invariants;
use crate::jdk::Jdk;
use crate::memory;
use crate::progress::{Progress, Volume};
use crate::project::Project;
use crate::screen::{complain, show};

/// Runs the command; the result is the process's exit code.
pub fn run(mut args: InferArgs, given: &Given) -> u8 {
    let done = config::complete_subject(&mut args.subject, given).and_then(|()| infer(&args));
    done.unwrap_or_else(|message| {
        complain(&format!("error: {message}"));
        if args.format == InferFormat::Json {
            show(&report::json_error(&message));
        }
        2
    })
}

fn infer(args: &InferArgs) -> Result<u8, String> {
    let start = Instant::now();
    let subject = &args.subject;
    let mut options = subject.options()?;
    options.memory = Some(memory::is_scarce);
    let interrupted = interrupt::listen();
    let progress = Progress::start(subject.volume());
    options.watch = Watch::new(progress.listener(), interrupted);
    let jdk = Jdk::find()?;
    let mut inputs = Inputs::collect(&subject.paths, &subject.classpath, &subject.sourcepath);
    build_tools::complete(&mut inputs, &subject.paths);
    let project = Project::open_with(&jdk, &inputs, subject.reading())?;
    for diagnostic in &project.diagnostics {
        complain(&format!("warning: {diagnostic}"));
    }
    if subject.volume() != Volume::Quiet {
        project.notes().iter().for_each(|note| complain(&format!("note: {note}")));
    }
    let found = invariants::remembered_or_found(&project, &options, subject.threads(), None);
    drop(progress);
    let mut classes: BTreeMap<&str, Kept> = BTreeMap::new();
    for found in found.iter().filter(|found| is_asked_about(subject, &project, found.class)) {
        // A field that only the compiler knows has no name in the source.
        if found.clause.site.text.contains('$') {
            continue;
        }
        let class = project.program.class_name(found.class);
        let kept = classes.entry(class).or_insert_with(|| kept(&project, found.class));
        kept.clauses.push(found.clause.site.text.to_string());
    }
    let classes: Vec<Kept> = classes.into_values().collect();
    match args.format {
        InferFormat::Human if classes.is_empty() => {
            show("nothing was found that every constructor establishes and no method breaks\n");
        }
        InferFormat::Human => show(report::kept(&classes).trim_end_matches('\n')),
        InferFormat::Json => {
            show(&report::kept_as_json(&classes, start.elapsed().as_millis() as u64));
        }
    }
    if args.format == InferFormat::Human && !classes.is_empty() {
        show("\n");
    }
    Ok(if project.unusable(&subject.filter()).is_empty() { 0 } else { 3 })
}

fn is_asked_about(subject: &SubjectArgs, project: &Project, class: ClassId) -> bool {
    let name = project.program.class_name(class);
    project.checked.contains(&class) && subject.filter().admits_class(name)
}

fn kept(project: &Project, class: ClassId) -> Kept {
    let name = project.program.class_name(class);
    let file = project.class_path.file_of(&name.replace('.', "/"));
    let file = file.map(|file| file.display().to_string()).unwrap_or_default();
    Kept { class: name.to_string(), file, clauses: Vec::new() }
}
