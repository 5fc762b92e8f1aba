//! Emitted tests with a real JUnit: each fails on the code it was found in, and passes on the
//! corrected code. The fixtures have both.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where Debian's junit5 puts its jars.
const JARS: &str = "/usr/share/java";
const NAMES: [&str; 7] = [
    "junit-jupiter-api",
    "junit-jupiter-engine",
    "junit-platform-commons",
    "junit-platform-engine",
    "junit-platform-launcher",
    "opentest4j",
    "apiguardian-api",
];

/// Pairs of fixtures in which the corrected code has the same methods.
const PAIRS: [&str; 15] = [
    "arithmetic/midpoint_overflow",
    "arithmetic/division_by_zero",
    "array/insertion_sort",
    "array/two_dimensions",
    "boxing/integer_cache",
    "boxing/parameters_identity",
    "cast/downcast",
    "exceptions/nested_try",
    "heap/reverse",
    "heap/unlink",
    "jml/tested_contracts",
    "null/field_read",
    "objects/private_stack",
    "statics/counter",
    "strings/char_at",
];

/// Fixtures without a corrected counterpart, whose clauses Java says badly or not at all.
const ALONE: [&str; 5] = [
    "jml-expr/array_index_out_of_bounds_in_ensures",
    "jml-expr/bigint_math_of_class",
    "jml-expr/generic_box_of_number",
    "jml-expr/pure_call_of_parameter",
    "jml-expr/record_invariant_uses_components",
];

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

/// The options that a fixture asks for.
fn options(source: &str) -> Vec<String> {
    let directives = source.lines().filter_map(|line| line.strip_prefix("//- "));
    let words = directives.filter_map(|d| d.split_once(' '));
    let known = ["scope", "unroll", "array-length", "string-length", "nullness"];
    let mut options = Vec::new();
    for (word, value) in words {
        if known.contains(&word) {
            options.extend([format!("--{word}"), value.trim().to_string()]);
        } else if word == "check" {
            let (class, method) = value.trim().rsplit_once('.').expect("Class.method");
            options.extend(["--class".into(), class.into(), "--method".into(), method.into()]);
        }
    }
    options
}

/// Emits the tests for a fixture into a directory; returns their names.
fn emit(fixture: &Path, into: &Path) -> Vec<String> {
    let source = fs::read_to_string(fixture).expect("a fixture");
    let output = Command::new(env!("CARGO_BIN_EXE_jarosite"))
        .args(["check", "--invariants", "declared"])
        .arg(fixture)
        .args(options(&source))
        .arg("--emit-tests")
        .arg(into)
        .output()
        .expect("the binary runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{}: {said}", fixture.display());
    let mut names: Vec<String> = fs::read_dir(into)
        .unwrap_or_else(|e| panic!("{}: no tests: {e}: {said}", fixture.display()))
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a directory");
    for entry in fs::read_dir(from).expect("a directory") {
        let entry = entry.expect("an entry");
        fs::copy(entry.path(), to.join(entry.file_name())).expect("a copy");
    }
}

fn class_path(runner: &Path) -> String {
    let jars = NAMES.map(|name| format!("{JARS}/{name}.jar"));
    for jar in &jars {
        assert!(
            Path::new(jar).exists(),
            "{jar} is missing: `./x test` installs it (Debian: apt-get install junit5)"
        );
    }
    format!("{}:{}", jars.join(":"), runner.display())
}

fn java(program: &str, arguments: &[&str]) -> String {
    let program = match std::env::var_os("JAVA_HOME") {
        Some(home) => Path::new(&home).join("bin").join(program),
        None => PathBuf::from(program),
    };
    let output = Command::new(program).args(arguments).output().expect("a JDK");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn tests_fail_on_the_bug_and_pass_on_the_correction() {
    let scratch = tempfile::tempdir().expect("a directory");
    let mut directories = Vec::new();
    for pair in PAIRS {
        let place = scratch.path().join(pair);
        let tests = place.join("tests");
        let bug = fixtures().join(format!("{pair}_bug.java"));
        emit(&bug, &tests);
        for kind in ["bug", "ok"] {
            let directory = place.join(kind);
            copy(&tests, &directory.join("tests"));
            let code = fixtures().join(format!("{pair}_{kind}.java"));
            fs::copy(code, directory.join("Code.java")).expect("a copy");
            directories.push(directory);
        }
    }
    for name in ALONE {
        let directory = scratch.path().join(name).join("bug");
        let fixture = fixtures().join(format!("{name}.java"));
        emit(&fixture, &directory.join("tests"));
        fs::copy(fixture, directory.join("Code.java")).expect("a copy");
        directories.push(directory);
    }
    let runner = scratch.path().join("runner");
    let class_path = class_path(&runner);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/emitted/Runner.java");
    let (source, place) = (source.to_string_lossy(), runner.to_string_lossy());
    java("javac", &["-proc:none", "-cp", &class_path, "-d", &place, &source]);
    let mut arguments = vec!["-ea", "-cp", &class_path, "Runner"];
    let directories: Vec<String> =
        directories.iter().map(|d| d.to_string_lossy().into_owned()).collect();
    arguments.extend(directories.iter().map(String::as_str));
    let said = java("java", &arguments);
    let mut results: BTreeMap<&str, usize> = BTreeMap::new();
    for line in said.lines() {
        let parts: Vec<&str> = line.split('\t').collect();
        let [directory, test, result] = parts[..] else {
            panic!("a line of the runner: {line}");
        };
        *results.entry(directory).or_default() += 1;
        match directory.ends_with("/bug") {
            true => {
                assert!(result.contains("AssertionFailedError"), "{directory} {test}: {result}")
            }
            false => assert_eq!(result, "pass", "{directory} {test}"),
        }
    }
    assert_eq!(results.len(), directories.len(), "each directory has a result:\n{said}");
}

#[test]
fn what_methods_lead_to_is_built_by_methods() {
    let scratch = tempfile::tempdir().expect("a directory");
    let fixture = fixtures().join("objects/private_stack_bug.java");
    let names = emit(&fixture, scratch.path());
    assert_eq!(emit(&fixture, scratch.path()), names, "another run adds nothing");
    let [name] = &names[..] else {
        panic!("one test and no helper: {names:?}");
    };
    let text = fs::read_to_string(scratch.path().join(name)).expect("a test");
    assert_eq!(text.matches("privateStack.push(").count(), 2, "{text}");
    assert!(!text.contains("JarositeHeap"), "{text}");
}
