//! What the pages for users show is what happens.
//!
//! `docs/GETTING_STARTED.md`: each line `./x check …` is run with the built binary, and its exit code
//! compared with the comment behind it.
//!
//! `docs/GUIDE.md`, `docs/SPECIFICATIONS.md`, `docs/BOUNDS.md`, `docs/INFER.md` and `docs/EXPLAIN.md`: each block
//! `java file=Name.java` (or `c file=name.c`) is written to a file, each command of a
//! `console` block run beside it, and what it prints compared with what follows. A line `…` stands for
//! any lines; times are not compared.

use std::path::Path;
use std::process::{Command, Stdio};

/// Words of a command line, single quotes removed.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '\'' => quoted = !quoted,
            c if c.is_whitespace() && !quoted => words.push(String::new()),
            c => words.last_mut().expect("there is always a word").push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The commands of a page: arguments of `jarosite check` and the exit code.
fn commands(page: &str) -> Vec<(Vec<String>, i32)> {
    let lines = page.lines().filter_map(|line| line.strip_prefix("./x check "));
    let commands = lines.map(|line| {
        let (arguments, code) = line.split_once("# exit ").expect("each command has a comment");
        (words(arguments), code.trim().parse().expect("the comment ends with a number"))
    });
    commands.collect()
}

#[test]
fn the_commands_of_getting_started_exit_as_it_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("docs/GETTING_STARTED.md")).unwrap();
    let commands = commands(&page);
    assert!(commands.len() >= 10, "the page has commands");
    let cache = tempfile::tempdir().unwrap();
    for (arguments, code) in commands {
        let mut command = Command::new(env!("CARGO_BIN_EXE_jarosite"));
        command.env("JAROSITE_CACHE_DIR", cache.path());
        command.arg("check").args(&arguments).current_dir(&root);
        let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
        assert_eq!(status.code(), Some(code), "./x check {}", arguments.join(" "));
    }
}

/// A fenced block of a page: what stands behind the fence, and the lines inside.
struct Block<'p> {
    kind: &'p str,
    lines: Vec<&'p str>,
}

fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let mut inside = false;
    for line in page.lines() {
        match (line.strip_prefix("```"), inside) {
            (Some(kind), false) => blocks.push(Block { kind, lines: Vec::new() }),
            (None, true) => blocks.last_mut().expect("a block is open").lines.push(line),
            (Some(_), true) | (None, false) => {}
        }
        inside ^= line.starts_with("```");
    }
    blocks
}

/// The commands of a console block, each with the lines it is to print.
fn dialogue<'p>(lines: &[&'p str]) -> Vec<(&'p str, Vec<&'p str>)> {
    let mut commands: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in lines {
        match line.strip_prefix("$ ") {
            Some(command) => commands.push((command, Vec::new())),
            None => commands.last_mut().expect("a command comes first").1.push(line),
        }
    }
    commands
}

/// The lines of an output without the time in the summary.
fn timeless<'t>(lines: impl IntoIterator<Item = &'t str>) -> Vec<&'t str> {
    let is_summary = |line: &str| line.contains(" undecided") && line.contains(" verified, ");
    let cut = |line: &'t str| match line.rsplit_once(" in ").filter(|_| is_summary(line)) {
        Some((summary, _)) => summary,
        None => line,
    };
    lines.into_iter().map(cut).collect()
}

/// Whether lines are as shown, where a line `…` stands for any number of them.
fn is_as_shown(shown: &[&str], found: &[&str]) -> bool {
    match shown.split_first() {
        None => found.is_empty(),
        Some((&"…", rest)) => (0..=found.len()).any(|n| is_as_shown(rest, &found[n..])),
        Some((first, rest)) => {
            found.split_first().is_some_and(|(f, found)| f == first && is_as_shown(rest, found))
        }
    }
}

/// What a command of `jarosite` prints, warnings last, and its exit code.
fn run(command: &str, directory: &Path) -> (String, i32) {
    let arguments = command.strip_prefix("jarosite ").expect("only jarosite is run");
    let mut program = Command::new(env!("CARGO_BIN_EXE_jarosite"));
    program.args(words(arguments)).current_dir(directory);
    let output = program.env("JAROSITE_CACHE_DIR", directory.join(".cache")).output().unwrap();
    let text = [output.stdout, output.stderr].map(|part| String::from_utf8(part).unwrap()).concat();
    // What takes long depends on the machine.
    let lines = text.split_inclusive('\n').filter(|line| !line.ends_with(" s so far)\n"));
    (lines.collect(), output.status.code().expect("it ends by itself"))
}

/// Runs what a page shows; the number of sources and commands on it.
fn follow(page: &str) -> (usize, usize) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(page);
    let page = std::fs::read_to_string(path).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let mut wrong = Vec::new();
    let (mut sources, mut commands, mut code) = (0, 0, 0);
    for block in blocks(&page) {
        if let Some((_, name)) = block.kind.split_once(" file=") {
            sources += 1;
            let path = directory.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, block.lines.join("\n") + "\n").unwrap();
            continue;
        }
        assert_eq!(block.kind, "console", "every block is a source or a console");
        for (command, shown) in dialogue(&block.lines) {
            commands += 1;
            let printed = match command {
                "echo $?" => code.to_string(),
                _ => {
                    let (text, exit) = run(command, directory.path());
                    code = exit;
                    text
                }
            };
            if !is_as_shown(&timeless(shown), &timeless(printed.lines())) {
                wrong.push(format!("$ {command}\n{printed}"));
            }
        }
    }
    assert!(wrong.is_empty(), "these print something else:\n\n{}", wrong.join("\n"));
    (sources, commands)
}

#[test]
fn the_guide_to_specifications_shows_what_happens() {
    let (sources, commands) = follow("SPECIFICATIONS.md");
    assert!(sources >= 14 && commands >= 18, "{sources} sources and {commands} commands");
}

#[test]
fn the_guide_to_bounds_shows_what_happens() {
    let (sources, commands) = follow("BOUNDS.md");
    assert!(sources >= 1 && commands >= 7, "{sources} sources and {commands} commands");
}

#[test]
fn the_users_guide_shows_what_happens() {
    let (sources, commands) = follow("GUIDE.md");
    assert!(sources >= 6 && commands >= 12, "{sources} sources and {commands} commands");
}

#[test]
fn the_guide_to_inference_shows_what_happens() {
    let (sources, commands) = follow("INFER.md");
    assert!(sources >= 1 && commands >= 1, "{sources} sources and {commands} commands");
}

#[test]
fn the_guide_to_explanations_shows_what_happens() {
    let (sources, commands) = follow("EXPLAIN.md");
    assert!(sources >= 4 && commands >= 5, "{sources} sources and {commands} commands");
}
