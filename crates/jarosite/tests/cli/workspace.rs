//! A directory with a user's files, and what the tool says about them.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// Methods with every verdict, cheap to check.
pub const VERDICTS: &str = "\
class Verdicts {
    static int same(int x) { return x; }
    static int divide(int a, int b) {
        return a / b;
    }
    static double half(double x) {
        return x / Thread.activeCount();
    }
}
";

/// Most tests are about something else than which states a program reaches: every state counts for them that
/// satisfies what is stated, so that the smallest method shows a violation.
const DECLARED: &[&str] = &["--invariants", "declared"];

/// Files of one test; the tool runs in their directory.
pub struct Workspace {
    directory: TempDir,
    /// Arguments of every check.
    always: &'static [&'static str],
    /// Whether every state counts that satisfies what is stated, unless a check says something else.
    declared: bool,
}

impl Workspace {
    pub fn new() -> Workspace {
        let directory = tempfile::Builder::new().prefix("cli").tempdir();
        Workspace {
            directory: directory.expect("a temporary directory"),
            always: &[],
            declared: true,
        }
    }

    /// A workspace with one file.
    pub fn with(name: &str, text: &str) -> Workspace {
        let workspace = Workspace::new();
        workspace.write(name, text);
        workspace
    }

    /// A workspace with one source and its compiled `classes`: for runs that need no javac.
    pub fn compiled(name: &str, text: &str) -> Workspace {
        let workspace = Workspace::with(name, text);
        workspace.jdk("javac", &["-g", "-d", "classes", name]);
        workspace
    }

    /// Whose checks know nothing of earlier ones: for what is about the work itself.
    pub fn uncached(self) -> Workspace {
        Workspace { always: &["--no-cache"], ..self }
    }

    /// Whose checks are those of a user who gives no options.
    pub fn for_users(self) -> Workspace {
        Workspace { declared: false, ..self }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        let parent = path.parent().expect("a parent");
        fs::create_dir_all(parent).expect("a directory");
        fs::write(path, content).expect("a file");
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("a file that the tool wrote")
    }

    /// `jarosite check ARGUMENTS`.
    pub fn check(&self, arguments: &[&str]) -> Said {
        self.check_with(arguments, |_| {})
    }

    /// As [`Workspace::check`] in a changed environment.
    pub fn check_with(&self, arguments: &[&str], change: impl FnOnce(&mut Command)) -> Said {
        let mut command = self.command();
        command.arg("check").args(self.always).args(arguments);
        if self.declared && !arguments.contains(&"--invariants") {
            command.args(DECLARED);
        }
        change(&mut command);
        Said::of(command.output().expect("the binary runs"))
    }

    /// As [`Workspace::json`], with what is known from earlier runs; and the time that it took.
    pub fn again(&self, arguments: &[&str]) -> (Said, Document, std::time::Duration) {
        let begin = std::time::Instant::now();
        let mut command = self.command();
        command.args(["check", "--format", "json"]).args(DECLARED).args(arguments);
        let output = command.output();
        let took = begin.elapsed();
        let said = Said::of(output.expect("the binary runs"));
        let document = Document::parse(&said.stdout);
        (said, document, took)
    }

    /// `jarosite bounds ARGUMENTS`.
    pub fn bounds(&self, arguments: &[&str]) -> Said {
        let output = self.command().arg("bounds").args(arguments).output();
        Said::of(output.expect("the binary runs"))
    }

    /// As [`Workspace::check`], for a report as JSON.
    pub fn json(&self, arguments: &[&str]) -> (Said, Document) {
        let said = self.check(&[arguments, &["--format", "json"]].concat());
        let document = Document::parse(&said.stdout);
        (said, document)
    }

    /// The tool without arguments.
    pub fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_jarosite"));
        command.current_dir(self.directory.path());
        // Each test has a store of its own.
        command.env("JAROSITE_CACHE_DIR", self.path(".cache"));
        command
    }

    /// `javac` or `jar`, which must succeed.
    pub fn jdk<S: AsRef<OsStr>>(&self, tool: &str, arguments: &[S]) {
        let home = std::env::var_os("JAVA_HOME").map(|home| Path::new(&home).join("bin"));
        let own = home.map(|bin| bin.join(tool)).filter(|path| path.is_file());
        let mut command = Command::new(own.unwrap_or_else(|| PathBuf::from(tool)));
        command.args(arguments).current_dir(self.directory.path());
        let output = command.output().expect("a tool of the JDK");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

/// What a run of the tool said.
#[derive(Debug)]
pub struct Said {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Said {
    /// Whatever happens, the tool ends by itself with a code of the contract and without a panic.
    pub fn of(output: Output) -> Said {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
        let said = Said {
            code: output.status.code().expect("an exit code rather than a signal"),
            stdout: text(&output.stdout),
            stderr: without_notes(&text(&output.stderr)),
        };
        for stream in [&said.stdout, &said.stderr] {
            assert!(!stream.contains("panicked"), "{said:#?}");
            assert!(!stream.contains("internal error"), "{said:#?}");
            assert!(!stream.contains('\u{1b}'), "escape codes outside a terminal: {said:#?}");
        }
        assert!((0..=3).contains(&said.code), "{said:#?}");
        said
    }

    #[track_caller]
    pub fn exits(self, code: i32) -> Said {
        assert_eq!(self.code, code, "{self:#?}");
        self
    }

    /// Standard output has each of these texts, in this order.
    #[track_caller]
    pub fn shows(self, texts: &[&str]) -> Said {
        let mut rest = self.stdout.as_str();
        for text in texts {
            let Some(at) = rest.find(text) else {
                panic!("`{text}` is missing (or in another place):\n{}", self.stdout);
            };
            rest = &rest[at + text.len()..];
        }
        self
    }

    /// Standard error has each of these texts.
    #[track_caller]
    pub fn warns(self, texts: &[&str]) -> Said {
        for text in texts {
            assert!(self.stderr.contains(text), "`{text}` is missing:\n{}", self.stderr);
        }
        self
    }

    /// Nothing on standard error.
    #[track_caller]
    pub fn quietly(self) -> Said {
        assert_eq!(self.stderr, "");
        self
    }

    /// Nothing was checked: one error, no report.
    #[track_caller]
    pub fn refuses(self, texts: &[&str]) -> Said {
        let said = self.exits(2).warns(texts);
        assert_eq!(said.stdout, "");
        assert_eq!(said.stderr.matches("error: ").count(), 1, "{}", said.stderr);
        said
    }
}

/// Without lines about what takes long: that depends on the machine.
fn without_notes(text: &str) -> String {
    let lines = text.split_inclusive('\n').filter(|line| !line.ends_with(" s so far)\n"));
    lines.collect()
}

/// A report as JSON.
#[derive(Clone, Debug, PartialEq)]
pub struct Document(pub Value);

impl Document {
    #[track_caller]
    pub fn parse(text: &str) -> Document {
        let parsed = serde_json::from_str(text);
        Document(parsed.unwrap_or_else(|error| panic!("{error} in {text}")))
    }

    pub fn results(&self) -> &[Value] {
        self.0["results"].as_array().expect("results")
    }

    /// `Stack.pop()` of every result, in order.
    pub fn names(&self) -> Vec<String> {
        let name = |r: &Value| {
            let text = |key: &str| r[key].as_str().expect("a string").to_string();
            format!("{}.{}", text("class"), text("method"))
        };
        self.results().iter().map(name).collect()
    }

    /// The result of one method, by its signature.
    #[track_caller]
    pub fn method(&self, signature: &str) -> &Value {
        let found = self.results().iter().find(|r| r["method"] == signature);
        found.unwrap_or_else(|| panic!("no {signature} in {:?}", self.names()))
    }

    #[track_caller]
    pub fn verdict(&self, signature: &str) -> &str {
        self.method(signature)["verdict"].as_str().expect("a verdict")
    }
}
