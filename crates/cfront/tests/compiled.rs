//! C as the system's compiler has it: random expressions, layouts and programs are compiled, run,
//! and compared with what the front end makes of them. Without a compiler there is nothing to
//! compare with, and the tests say so.

use cfront::{Lowered, Options, Source, Target, lower};
use explain::program::{Op, Path, Point};
use explain::reach::{Answer, Bounds, Search};
use explain::simulate::{Ending, simulate};
use explain::tell;
use explain::words::Words;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::process::Command;
use std::time::{Duration, Instant};

struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % sides
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.roll(of.len() as u64) as usize]
    }
}

const TYPES: [&str; 9] = [
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "_Bool",
];
const INPUTS: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

fn options(wrap: bool) -> Options {
    Options {
        target: Target::Label { function: None, label: "ERROR".to_owned() },
        function: "main".to_owned(),
        wrap,
        unknown_globals: false,
    }
}

fn lowered(text: &str, wrap: bool) -> Lowered {
    let sources = [Source { name: "test.c".to_owned(), text: text.to_owned() }];
    lower(&sources, &options(wrap)).unwrap_or_else(|problem| panic!("{problem}\n{text}"))
}

/// Compiles and runs a program; what it prints and its exit code.
fn compiled(text: &str, runs: &[Vec<String>]) -> Option<Vec<(String, i32)>> {
    let directory = tempfile::tempdir().expect("there is room for a file");
    let (source, program) = (directory.path().join("t.c"), directory.path().join("t"));
    std::fs::write(&source, text).expect("there is room for a file");
    let mut compiler = Command::new("cc");
    compiler.args(["-std=gnu17", "-w", "-O0", "-fwrapv"]).arg("-o").args([&program, &source]);
    let output = match compiler.output() {
        Ok(output) => output,
        Err(error) => {
            eprintln!("not compared: there is no compiler here ({error})");
            return None;
        }
    };
    assert!(output.status.success(), "{}\n{text}", String::from_utf8_lossy(&output.stderr));
    let run = |arguments: &Vec<String>| {
        let output = Command::new(&program).args(arguments).output().expect("it runs");
        let code = output.status.code().unwrap_or(-1);
        (String::from_utf8_lossy(&output.stdout).into_owned(), code)
    };
    Some(runs.iter().map(run).collect())
}

fn expression(dice: &mut Dice, depth: u32) -> String {
    if depth == 0 {
        return match dice.roll(4) {
            0 => format!("{}", dice.roll(300)),
            1 => format!("{}{}", dice.roll(70000), dice.one(&["u", "l", "ul", ""])),
            _ => dice.one(&INPUTS).to_owned(),
        };
    }
    let a = expression(dice, depth - 1);
    let b = expression(dice, depth - 1);
    match dice.roll(14) {
        0 => format!("({a} / (({b} & 7) + 1))"),
        1 => format!("({a} % (({b} & 7) + 3))"),
        2 => format!("({a} << ({b} & 7))"),
        3 => format!("({a} >> ({b} & 15))"),
        4 => format!("({a} {} {b})", dice.one(&["<", ">", "<=", ">=", "==", "!="])),
        5 => format!("({a} {} {b})", dice.one(&["&&", "||"])),
        6 => format!("({a} ? {b} : {})", expression(dice, depth - 1)),
        7 => format!("(({}){a})", dice.one(&TYPES)),
        8 => format!("({}{a})", dice.one(&["- ", "~", "!", "+ "])),
        _ => format!("({a} {} {b})", dice.one(&["+", "-", "*", "&", "|", "^"])),
    }
}

/// The only path through a program without branches, and the values of its variables at the end.
fn values(text: &str) -> BTreeMap<String, u64> {
    let lowered = lowered(text, true);
    let program = &lowered.program;
    let mut path = Path::new(program.entry);
    let (mut procedure, mut point) = (program.entry, Point(0));
    while let Some(edge) = program.procedure(procedure).nodes[point.0 as usize].edges.first() {
        if let Op::Return { .. } = edge.op {
            break;
        }
        path.push(edge.op.clone(), edge.origin.clone(), point);
        match edge.op {
            Op::Call { procedure: callee, .. } => (procedure, point) = (callee, Point(0)),
            _ => point = edge.to,
        }
    }
    let (mut terms, mut words) = (program.terms.clone(), Words::new());
    let (context, ending) = simulate(&mut terms, &mut words, &program.space, &path);
    let Ending::Feasible(mut found) = ending else { panic!("this can be executed:\n{text}") };
    let mut values = BTreeMap::new();
    for ((_, variable), term) in context.store.values() {
        let name = program.space.variable(variable).name.clone();
        values.insert(name, words.value(&terms, &mut found, term));
    }
    values
}

#[test]
fn expressions_have_the_values_of_the_compiled_program() {
    let mut dice = Dice(17);
    let mut compared = 0;
    // With rounds of 400: 10,000 comparisons.
    for round in 0..25 {
        let (mut inputs, mut lines, mut prints) = (String::new(), String::new(), String::new());
        let mut ours = String::new();
        for name in INPUTS {
            let ty = dice.one(&TYPES[..8]);
            let special = [
                "0",
                "1",
                "-1",
                "127",
                "-128",
                "255",
                "32767",
                "2147483647",
                "-2147483647-1",
                "4294967295u",
                "9223372036854775807",
            ];
            let value = match dice.roll(2) {
                0 => dice.one(&special).to_owned(),
                _ => dice.roll(1 << 31).to_string(),
            };
            // Half of the rounds in circuits rather than on constants.
            if round % 2 == 0 {
                let _ = writeln!(ours, "{ty} {name} = {value};");
            } else {
                let _ =
                    writeln!(ours, "{ty} {name}; __VERIFIER_assume({name} == ({ty})({value}));");
            }
            let _ = writeln!(inputs, "{ty} {name} = {value};");
        }
        for number in 0..400 {
            let ty = dice.one(&TYPES[..8]);
            let made = expression(&mut dice, 1 + (number % 3) as u32);
            let _ = writeln!(lines, "{ty} r{number} = {made};");
            let _ = writeln!(prints, "printf(\"%llu\\n\", (unsigned long long)r{number});");
        }
        let theirs = format!(
            "int printf(const char *, ...);\nint main(void) {{ {inputs} {lines} {prints} return 0; }}"
        );
        let Some(ran) = compiled(&theirs, &[Vec::new()]) else { return };
        // An assumption is a branch: the side that goes on comes first.
        let found = values(&format!("int main(void) {{ {ours} {lines} return 0; }}"));
        for (number, printed) in ran[0].0.lines().enumerate() {
            let name = format!("r{number}");
            let line = lines.lines().nth(number).expect("a line for each number");
            let bits = match line.split(' ').collect::<Vec<_>>()[..] {
                [.., "r"] => 64,
                _ if line.starts_with("signed char") || line.starts_with("unsigned char") => 8,
                _ if line.starts_with("short") || line.starts_with("unsigned short") => 16,
                _ if line.starts_with("long") || line.starts_with("unsigned long") => 64,
                _ => 32,
            };
            let theirs: u64 = printed.parse().expect("a number");
            assert_eq!(found[&name], theirs & (u64::MAX >> (64 - bits)), "{line}\nwith {inputs}");
            compared += 1;
        }
    }
    assert_eq!(compared, 10_000);
}

#[test]
fn structures_lie_as_the_compiler_lays_them() {
    let mut dice = Dice(23);
    for _ in 0..20 {
        let (mut types, mut ours, mut prints) = (String::new(), String::new(), String::new());
        for number in 0..30 {
            let kind = if dice.roll(5) == 0 { "union" } else { "struct" };
            let mut fields = String::new();
            let mut plain = Vec::new();
            for field in 0..1 + dice.roll(6) {
                let ty = dice.one(&TYPES);
                match dice.roll(5) {
                    0 => {
                        let _ = write!(fields, "{ty} f{field}[{}]; ", 1 + dice.roll(4));
                        plain.push(field);
                    }
                    1 | 2 => {
                        let ty = dice.one(&["unsigned", "int", "unsigned char", "long"]);
                        let most = if ty == "unsigned char" { 8 } else { 31 };
                        let _ = write!(fields, "{ty} f{field} : {}; ", 1 + dice.roll(most));
                    }
                    3 if number > 0 => {
                        let _ = write!(fields, "t{} f{field}; ", dice.roll(number));
                        plain.push(field);
                    }
                    _ => {
                        let _ = write!(fields, "{ty} f{field}; ");
                        plain.push(field);
                    }
                }
            }
            let _ = writeln!(types, "typedef {kind} {{ {fields} }} t{number};");
            let _ = writeln!(ours, "unsigned long s{number} = sizeof(t{number});");
            let _ = writeln!(prints, "printf(\"s{number} %lu\\n\", sizeof(t{number}));");
            for field in plain {
                let what = format!("__builtin_offsetof(t{number}, f{field})");
                let _ = writeln!(ours, "unsigned long o{number}_{field} = {what};");
                let _ = writeln!(prints, "printf(\"o{number}_{field} %lu\\n\", {what});");
            }
        }
        let theirs = format!("{types}int printf(const char *, ...); int main(void) {{ {prints} }}");
        let Some(ran) = compiled(&theirs, &[Vec::new()]) else { return };
        let found = values(&format!("{types} int main(void) {{ {ours} return 0; }}"));
        for line in ran[0].0.lines() {
            let (name, value) = line.split_once(' ').expect("a name and a number");
            assert_eq!(found[name].to_string(), value, "{name} of\n{types}");
        }
    }
}

/// Statements on `x`, `y`, an array and a pointer, with a loop and a call now and then.
fn statements(dice: &mut Dice, depth: u32) -> String {
    let mut text = String::new();
    for _ in 0..1 + dice.roll(3) {
        let v = dice.one(&["x", "y", "z", "*p", "a[z & 3]"]);
        let w = dice.one(&["x", "y", "z", "*p", "a[1]", "a[x & 3]"]);
        let n = dice.roll(6);
        match dice.roll(if depth == 0 { 5 } else { 9 }) {
            0 => text += &format!("{v} = {w} + {n}; "),
            1 => text += &format!("{v} = {w}; "),
            2 => text += &format!("p = {} ? &x : &y; ", dice.one(&["x > y", "z == 1", "1", "0"])),
            3 => text += &format!("{v} = twice({w} & 15); "),
            4 => text += &format!("step(&{}); ", dice.one(&["x", "y", "a[2]"])),
            5 | 6 => {
                let yes = statements(dice, depth - 1);
                text += &format!("if ({v} {} {w}) {{ {yes} }} ", dice.one(&["<", "==", ">="]));
            }
            7 => {
                let yes = statements(dice, depth - 1);
                let no = statements(dice, depth - 1);
                text += &format!("if ({v} > {n}) {{ {yes} }} else {{ {no} }} ");
            }
            _ => {
                let body = statements(dice, depth - 1);
                text += &format!("for (int i = 0; i < {}; i++) {{ {body} }} ", 1 + n % 3);
            }
        }
    }
    text
}

#[test]
fn verdicts_agree_with_runs_of_the_compiled_program() {
    // COMPILED_ROUNDS for a longer run.
    let rounds = std::env::var("COMPILED_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(40);
    let mut dice = Dice(31);
    let mut counts = [0, 0, 0];
    for round in 0..rounds {
        let body = statements(&mut dice, 2);
        let (v, w) = (dice.one(&["x", "y", "z", "a[1]"]), dice.one(&["y", "z", "*p", "3", "7"]));
        let check = format!("if ({v} {} {w}) {{ ERROR: hit(); }}", dice.one(&["==", "<", ">"]));
        let common = format!(
            "int twice(int n) {{ return n + n; }} void step(int *q) {{ *q = *q + 1; }}
             int main(int argc, char **argv) {{ int x = in(1), y = in(2), z = 0; int a[4] = {{1, 2, 3, 4}};
             int *p = &x; {body} {check} return 0; }}"
        );
        // No input is so large that anything overflows.
        let theirs = format!(
            "#include <stdlib.h>\nstatic char **given; int in(int n) {{ return atoi(given[n]); }}
             void hit(void) {{ exit(77); }}
             {}",
            common.replace("char **argv) {", "char **argv) { given = argv;")
        );
        let ours = format!(
            "void hit(void); int __VERIFIER_nondet_int(void);
             int in(int n) {{ int v = __VERIFIER_nondet_int(); __VERIFIER_assume(v >= -9 && v < 10); return v; }} {common}"
        );
        let lowered = lowered(&ours, false);
        let bounds = Bounds {
            deadline: Some(Instant::now() + Duration::from_secs(5)),
            states: 5_000,
            depth: 20,
            refinements: 60,
        };
        let mut search = Search::new(&lowered.program, bounds);
        let mut runs = Vec::new();
        let answer = search.run();
        let reached = match &answer {
            Answer::Reached(path, space, _) => {
                let execution = tell::execution(
                    &mut search,
                    &lowered.program,
                    path,
                    space,
                    &lowered.outside.pointers,
                );
                let execution = execution.expect("it was found once");
                let inputs = execution.inputs.iter().filter(|(name, _)| name.contains("nondet"));
                runs.push(inputs.map(|(_, value)| value.clone()).collect::<Vec<_>>());
                true
            }
            Answer::Unreachable(_) => {
                for x in -9..10 {
                    runs.extend((-9..10).map(|y| vec![x.to_string(), y.to_string()]));
                }
                false
            }
            Answer::Open(why) => {
                let known = ["timeout", "unbounded", "the path cannot be taken"];
                assert!(known.iter().any(|start| why.starts_with(start)), "{why}\n{ours}");
                counts[2] += 1;
                continue;
            }
        };
        let Some(ran) = compiled(&theirs, &runs) else { return };
        for ((_, code), inputs) in ran.iter().zip(&runs) {
            assert_eq!(*code == 77, reached, "round {round}, with {inputs:?}:\n{ours}");
        }
        counts[usize::from(reached)] += 1;
    }
    eprintln!("unreachable, reached, open: {counts:?}");
    assert!(counts[2] * 4 <= rounds, "unreachable, reached, open: {counts:?}");
}

/// Whatever the text is, reading it ends with a program or a sentence.
#[test]
fn no_text_makes_the_front_end_panic() {
    let seed = include_str!("small.txt");
    let programs: Vec<&str> = seed
        .split("//- ")
        .skip(1)
        .filter_map(|s| s.split_once('\n'))
        .map(|(_, text)| text)
        .collect();
    let mut dice = Dice(47);
    for round in 0..1500 {
        let mut text: Vec<char> = programs[round % programs.len()].chars().collect();
        for _ in 0..1 + dice.roll(6) {
            let at = dice.roll(text.len() as u64) as usize;
            match dice.roll(4) {
                0 => {
                    text.remove(at);
                }
                1 => {
                    let marks: Vec<char> = "(){}[];,*&=+-<>!?:.\"'#0 x\\".chars().collect();
                    text.insert(at, marks[dice.roll(marks.len() as u64) as usize]);
                }
                2 => {
                    let other = dice.roll(text.len() as u64) as usize;
                    text.swap(at, other);
                }
                _ => {
                    let end = (at + dice.roll(12) as usize).min(text.len());
                    let part: Vec<char> = text[at..end].to_vec();
                    let to = dice.roll(text.len() as u64) as usize;
                    text.splice(to..to, part);
                }
            }
            if text.is_empty() {
                break;
            }
        }
        let text: String = text.into_iter().collect();
        let sources = [Source { name: "fuzz.c".to_owned(), text }];
        let _ = lower(&sources, &options(round % 2 == 0));
    }
    for deep in ["(", "{", "-", "!", "*", "f(", "if(1)", "a[", "int(", "1?"] {
        let text = format!("int main() {{ {} }}", deep.repeat(20_000));
        let sources = [Source { name: "deep.c".to_owned(), text }];
        assert!(lower(&sources, &options(false)).is_err(), "{deep} has no end");
    }
}
