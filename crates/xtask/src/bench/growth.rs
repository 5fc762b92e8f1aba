//! How cost grows: encoding against the number of executed statements at a fixed scope, and
//! against the scope for a fixed method.
//!
//! The first is measured on the encoder alone, without a solver behind it; linear means that the
//! ratio to the row above is about 2, because sizes double. Times are the
//! fastest of several runs; `bench once SHAPE SIZE` encodes one method once, for an instruction counter to watch. Clauses are counted for all goals and
//! input constraints together, whether or not a check would ask about each.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use encode::inputs::Source;
use encode::{Engine, Limits, NoOracle, Scope};
use ir::{ClassId, MethodId, Program};
use jarosite::inputs::Inputs;
use jarosite::jdk::Jdk;
use jarosite::project::Project;
use logic::Cnf;
use verify::select::{Filter, methods};
use verify::{MethodResult, Options, check_all};

use super::generator::{STRUCTURES, Shape, straight};
use super::measure::{fastest, ms};
use super::table::{Table, ratio};

const SIZES: [usize; 6] = [100, 200, 400, 800, 1600, 3200];
const SMALL: [usize; 3] = [10, 30, 100];
const RUNS: usize = 7;
/// For one check against the scope.
const LONGEST: Duration = Duration::from_secs(20);

/// Prints all curves.
pub fn run() -> Result<(), String> {
    let directory = tempfile::tempdir().map_err(|e| e.to_string())?;
    let project = compile(directory.path())?;
    let (program, given) = (&project.program, &project.given[..]);
    for shape in Shape::ALL {
        against_statements(program, given, shape)?;
    }
    straight_lines(program, given)?;
    for name in ["reverse", "insert"] {
        against_scope(program, given, name)?;
    }
    Ok(())
}

/// Encodes one method once and says how large it became.
pub fn once(shape: &str, size: &str) -> Result<(), String> {
    let directory = tempfile::tempdir().map_err(|e| e.to_string())?;
    let project = compile(directory.path())?;
    let method = find(&project.program, &project.given, shape, &format!("of{size}"))?;
    let encoded = encode_once(&project.program, &project.given, method);
    println!("{shape} {size}: {} gates, {} clauses", encoded.gates, encoded.clauses);
    Ok(())
}

/// The curve of [`run`] in instructions of the processor, which other programs do not disturb:
/// encoding and clauses together, each method once, reading and lowering included.
pub fn instructions() -> Result<(), String> {
    println!("processor instructions for encoding, in millions (callgrind)");
    let mut table = Table::new(&["statements", "100", "200", "400", "800", "1600", "3200"]);
    for shape in Shape::ALL {
        let mut row = vec![shape.class()];
        for size in SIZES {
            row.push(format!("{:.1}", counted(shape, size)? / 1e6));
        }
        table.row(row);
    }
    table.print();
    Ok(())
}

fn counted(shape: Shape, size: usize) -> Result<f64, String> {
    let own = std::env::current_exe().map_err(|e| e.to_string())?;
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    command.arg("--toggle-collect=*encode_once*").arg(own);
    command.args(["bench", "once", &shape.class(), &size.to_string()]);
    let output = command.output().map_err(|e| format!("valgrind is needed: {e}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    let count = said.lines().find_map(|line| line.split("Collected :").nth(1));
    let count = count.and_then(|text| text.split_whitespace().next()?.parse().ok());
    count.ok_or_else(|| format!("valgrind counted nothing: {said}"))
}

fn compile(directory: &Path) -> Result<Project, String> {
    let write = |name: &str, text: String| {
        std::fs::write(directory.join(format!("{name}.java")), text).map_err(|e| e.to_string())
    };
    let sizes: Vec<usize> = SMALL[..2].iter().chain(&SIZES).copied().collect();
    for shape in Shape::ALL {
        write(&shape.class(), straight(shape, &sizes))?;
    }
    write("Structures", STRUCTURES.to_string())?;
    let inputs = Inputs::collect(&[directory.to_path_buf()], &[], &[]);
    Project::open(&Jdk::find()?, &inputs)
}

fn find(program: &Program, given: &[ClassId], class: &str, name: &str) -> Result<MethodId, String> {
    let filter =
        Filter { classes: vec![class.into()], methods: vec![name.into()], ..Filter::default() };
    let found = methods(program, given, &filter);
    found.first().copied().ok_or_else(|| format!("{class}.{name} was not compiled"))
}

/// What encoding a method once costs.
struct Encoded {
    instructions: u64,
    gates: usize,
    variables: u32,
    clauses: u64,
    encode: f64,
    clausify: f64,
}

#[inline(never)]
fn encode_once(program: &Program, given: &[ClassId], method: MethodId) -> Encoded {
    let scope = Scope::default();
    let limits = Limits { instructions: 10_000_000, ..Limits::default() };
    let watch = Instant::now();
    let mut engine = Engine::new(
        encode::Subject::unspecified(program, given),
        &scope,
        Source::Symbolic,
        Box::new(NoOracle),
    );
    let report = engine.run(method, &limits);
    let encode = ms(watch.elapsed());
    let watch = Instant::now();
    let mut cnf = Cnf::new();
    for constraint in engine.constraints() {
        cnf.assert(&engine.circuit, constraint.lit, &mut |_| {});
    }
    for (_, lit) in report.goals.iter().filter(|(_, lit)| !lit.is_constant()) {
        cnf.require(&engine.circuit, *lit, &mut |_| {});
    }
    Encoded {
        instructions: report.instructions,
        gates: engine.circuit.len(),
        variables: cnf.variable_count(),
        clauses: cnf.clause_count(),
        encode,
        clausify: ms(watch.elapsed()),
    }
}

fn against_statements(program: &Program, given: &[ClassId], shape: Shape) -> Result<(), String> {
    println!("encoding against statements: {shape:?} (fastest of {RUNS}; ratio to the row above)");
    let mut table = Table::new(&[
        "statements",
        "instructions",
        "gates",
        "ratio",
        "variables",
        "clauses",
        "ratio",
        "encode ms",
        "ratio",
        "clauses ms",
    ]);
    let (mut gates, mut clauses, mut times) = (None, None, None);
    for size in SIZES {
        let method = find(program, given, &shape.class(), &format!("of{size}"))?;
        // The first run also reads and lowers the method.
        let runs: Vec<Encoded> =
            (0..=RUNS).map(|_| encode_once(program, given, method)).skip(1).collect();
        let time = fastest(runs.iter().map(|r| r.encode).collect());
        let clausify = fastest(runs.iter().map(|r| r.clausify).collect());
        let one = &runs[0];
        table.row(vec![
            size.to_string(),
            one.instructions.to_string(),
            one.gates.to_string(),
            ratio(gates, one.gates as f64),
            one.variables.to_string(),
            one.clauses.to_string(),
            ratio(clauses, one.clauses as f64),
            format!("{time:.2}"),
            ratio(times, time),
            format!("{clausify:.2}"),
        ]);
        (gates, clauses, times) = (Some(one.gates as f64), Some(one.clauses as f64), Some(time));
    }
    table.print();
    Ok(())
}

/// The whole check of a method, without a JVM behind it.
fn check(
    program: &Program,
    given: &[ClassId],
    method: MethodId,
    options: &Options,
) -> MethodResult {
    let mut results = Vec::new();
    check_all(
        verify::Subject::unspecified(program, given),
        &[method],
        options,
        1,
        None,
        |result| results.push(result),
    );
    results.remove(0)
}

fn straight_lines(program: &Program, given: &[ClassId]) -> Result<(), String> {
    println!(
        "a whole check of a straight-line method, beyond javac and JVM (ms, fastest of {RUNS})"
    );
    let header = ["method", "statements", "nothing can fail", "division by zero", "of it solving"];
    let mut table = Table::new(&header);
    for shape in [Shape::Arithmetic, Shape::Fields, Shape::Arrays, Shape::Calls] {
        for size in SMALL {
            let class = shape.class();
            let plain = find(program, given, &class, &format!("plain{size}"))?;
            let failing = find(program, given, &class, &format!("of{size}"))?;
            let (verified, _) = check_time(program, given, plain);
            let (violated, solving) = check_time(program, given, failing);
            let shown = |time: f64| format!("{time:.2}");
            let row = vec![class, size.to_string(), shown(verified), shown(violated)];
            table.row(row.into_iter().chain([solving.to_string()]).collect());
        }
    }
    table.print();
    Ok(())
}

/// The fastest of several checks, and how much of the last one was solving.
fn check_time(program: &Program, given: &[ClassId], method: MethodId) -> (f64, u64) {
    let mut times = Vec::new();
    let mut solving = 0;
    for _ in 0..RUNS {
        let start = Instant::now();
        let result = check(program, given, method, &Options::default());
        times.push(ms(start.elapsed()));
        solving = result.stats.solve_ms;
    }
    (fastest(times), solving)
}

fn word(result: &MethodResult) -> &'static str {
    match result.verdict {
        verify::Verdict::Verified { .. } => "verified",
        verify::Verdict::Violated(_) => "violated",
        verify::Verdict::Undecided(_) => "undecided",
    }
}

fn against_scope(program: &Program, given: &[ClassId], name: &str) -> Result<(), String> {
    let longest = LONGEST.as_secs();
    println!("a whole check against the scope: Structures.{name} (time-out {longest} s)");
    let header =
        ["scope", "instructions", "variables", "clauses", "encode ms", "solve ms", "verdict"];
    let mut table = Table::new(&header);
    for objects in 2..=8 {
        let scope = Scope { objects, ..Scope::default() };
        let options = Options { scope, timeout: Some(LONGEST), ..Options::default() };
        let method = find(program, given, "Structures", name)?;
        let result = check(program, given, method, &options);
        table.row(vec![
            objects.to_string(),
            result.stats.instructions.to_string(),
            result.stats.variables.to_string(),
            result.stats.clauses.to_string(),
            result.stats.encode_ms.to_string(),
            result.stats.solve_ms.to_string(),
            word(&result).to_string(),
        ]);
    }
    table.print();
    Ok(())
}
