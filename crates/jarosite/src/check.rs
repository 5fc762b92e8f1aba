//! `jarosite check`: from paths on the command line to reports and an exit code.

use std::sync::Mutex;
use std::time::Instant;

use verify::{Judge, MethodResult, Verdict, check_all, select};

use crate::cli::{CheckArgs, Switch};
use crate::inputs::Inputs;
use crate::jdk::Jdk;
use crate::judge::JvmJudge;
use crate::project::Project;
use crate::replay::Replayer;

/// Runs the command; the result is the process's exit code.
pub fn run(args: &CheckArgs) -> u8 {
    match check(args) {
        Ok(code) => code,
        Err(message) => {
            eprintln!("error: {message}");
            2
        }
    }
}

fn check(args: &CheckArgs) -> Result<u8, String> {
    let start = Instant::now();
    let options = args.options()?;
    let _reports = args.reports()?;
    let jdk = Jdk::find()?;
    let warming = (args.replay == Switch::On).then(|| Replayer::warm(&jdk));
    let inputs = Inputs::collect(&args.paths, &args.classpath, &args.sourcepath);
    let project = Project::open(&jdk, &inputs)?;
    for diagnostic in &project.diagnostics {
        eprintln!("warning: {diagnostic}");
    }
    let methods = select::methods(&project.program, &project.given, &args.filter());
    if methods.is_empty() {
        return Err("nothing to check".into());
    }
    let judge = warming.map(|warming| {
        let replayer = Replayer::new(&jdk, project.class_path.clone()).with_warm(warming);
        Mutex::new(Box::new(JvmJudge(replayer)) as Box<dyn Judge>)
    });
    let mut results: Vec<MethodResult> = Vec::new();
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let jobs = args.jobs.unwrap_or(cores);
    let (program, given) = (&project.program, &project.given);
    check_all(program, given, &methods, &options, jobs, judge.as_ref(), |result| {
        println!("{:?}", result);
        results.push(result);
    });
    eprintln!("{} ms", start.elapsed().as_millis());
    Ok(exit_code(&results))
}

/// 1 if something is violated, 3 if something is undecided, else 0.
fn exit_code(results: &[MethodResult]) -> u8 {
    let violated = |r: &MethodResult| matches!(r.verdict, Verdict::Violated(_));
    let undecided = |r: &MethodResult| matches!(r.verdict, Verdict::Undecided(_));
    if results.iter().any(violated) {
        1
    } else if results.iter().any(undecided) {
        3
    } else {
        0
    }
}
