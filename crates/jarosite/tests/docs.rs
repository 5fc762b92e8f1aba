//! The commands of `docs/GETTING_STARTED.md` do what the page says: each line `./x check …` is run
//! with the built binary, and its exit code compared with the comment behind it.

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
    for (arguments, code) in commands {
        let mut command = Command::new(env!("CARGO_BIN_EXE_jarosite"));
        command.arg("check").args(&arguments).current_dir(&root);
        let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
        assert_eq!(status.code(), Some(code), "./x check {}", arguments.join(" "));
    }
}
