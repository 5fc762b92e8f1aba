//! Many small programs at once: compiled together, each in a package of its own, and checked one by one
//! without a JVM. For tests that compare the verdicts of programs that say the same in two ways.

use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

use ir::ClassId;
use jarosite::inputs::Inputs;
use jarosite::jdk::Jdk;
use jarosite::project::Project;
use verify::{Options, Verdict, check_method, select};

/// A source file without a package.
pub struct Program {
    pub text: String,
    pub options: Options,
}

/// What came of the methods of a program, by their classes and names.
pub type Verdicts = BTreeMap<String, &'static str>;

/// The verdicts of all methods of each program, in the order of the programs.
pub fn verdicts(programs: &[Program]) -> Result<Vec<Verdicts>, String> {
    let jdk = Jdk::find()?;
    let directory = tempfile::tempdir().map_err(|e| e.to_string())?;
    for (number, program) in programs.iter().enumerate() {
        let package = directory.path().join(format!("p{number}"));
        fs::create_dir_all(&package).map_err(|e| e.to_string())?;
        let text = format!("package p{number}; {}", program.text);
        fs::write(package.join("Program.java"), text).map_err(|e| e.to_string())?;
    }
    let inputs = Inputs::collect(&[directory.path().to_path_buf()], &[], &[]);
    let project = Project::open(&jdk, &inputs)?;
    if let Some(diagnostic) = project.diagnostics.iter().find(|d| d.message.contains("compile")) {
        return Err(diagnostic.to_string());
    }
    let verdicts = programs.iter().enumerate().map(|(n, p)| verdicts_of(&project, n, &p.options));
    Ok(verdicts.collect())
}

fn verdicts_of(project: &Project, number: usize, options: &Options) -> Verdicts {
    let program = &project.program;
    let prefix = format!("p{number}.");
    let is_own = |class: &ClassId| program.class_name(*class).starts_with(&prefix);
    let given: Vec<ClassId> = project.given.iter().copied().filter(is_own).collect();
    let subject = verify::Subject { program, given: &given, contracts: &project.contracts };
    let options = Options { timeout: Some(Duration::from_secs(60)), ..options.clone() };
    let mut found = Verdicts::new();
    for method in select::methods(program, &given, &select::Filter::default()) {
        let result = check_method(subject, method, &options, None);
        let class = result.class.strip_prefix(&prefix).unwrap_or(&result.class);
        let verdict = match result.verdict {
            Verdict::Verified { .. } => "verified",
            Verdict::Violated(_) => "violated",
            Verdict::Undecided(_) => "undecided",
        };
        found.insert(format!("{class}.{}", result.method), verdict);
    }
    found
}
