//! Reports for build servers.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::workspace::{Document, Said, VERDICTS, Workspace};

#[test]
fn sarif_and_junit_beside_json() {
    let workspace = Workspace::compiled("Verdicts.java", VERDICTS);
    let formats = ["--format", "sarif=out.sarif", "--format", "junit=out.xml", "--format", "json"];
    let said = workspace.check(&[&["classes"], &formats[..]].concat()).exits(1).quietly();
    let json = Document::parse(&said.stdout);
    let violation = &json.method("divide(int,int)")["violations"][0];
    let sarif = Document::parse(&workspace.read("out.sarif")).0;
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "division-by-zero");
    assert_eq!(result["partialFingerprints"]["jarosite/v1"], violation["fingerprint"]);
    let xml = workspace.read("out.xml");
    assert!(xml.contains("tests=\"4\" failures=\"1\" errors=\"0\" skipped=\"1\""), "{xml}");
}

#[test]
fn annotations_where_somebody_reads_them() {
    let workspace = Workspace::compiled("Verdicts.java", VERDICTS);
    let arguments = ["classes", "--sourcepath", "."];
    let said = workspace.check_with(&arguments, |command| {
        command.env("GITHUB_ACTIONS", "true");
    });
    said.exits(1).warns(&[
        "::error file=Verdicts.java,line=4,title=jarosite%3A division-by-zero::",
        "::warning file=Verdicts.java,line=7,title=jarosite%3A undecided::",
    ]);
}

#[test]
fn what_is_left_open_is_in_every_report() {
    let workspace = Workspace::compiled("Verdicts.java", VERDICTS);
    workspace.write(
        "jarosite.toml",
        "nullness = \"nullable\"\n[properties]\ndivision-by-zero = false\n",
    );
    let formats =
        ["json=out.json", "sarif=out.sarif", "junit=out.xml", "html=out.html", "human=out.txt"];
    let formats: Vec<&str> = formats.iter().flat_map(|format| ["--format", format]).collect();
    let said = workspace.check_with(&[&["classes"], &formats[..]].concat(), |command| {
        command.env("GITHUB_ACTIONS", "true");
    });
    let mut said = said.exits(3);
    for told in [
        "not checked, as the configuration says: division-by-zero",
        "parameters without annotation may be null, as `nullness` says",
    ] {
        said = said
            .warns(&[&format!("warning: {told}"), &format!("::warning title=jarosite::{told}")]);
        for report in ["out.json", "out.sarif", "out.xml", "out.html", "out.txt"] {
            assert!(workspace.read(report).contains(told), "{report}: {told}");
        }
    }
}

fn docs_ci() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/ci")
}

/// A repository of git, and the tool on its `PATH`.
fn repository() -> (Workspace, impl Fn(&[&str]) -> Said) {
    let workspace = Workspace::new();
    let binary = Path::new(env!("CARGO_BIN_EXE_jarosite"));
    let tools = binary.parent().expect("a directory").to_path_buf();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let paths = [tools].into_iter().chain(std::env::split_paths(&path));
    let path = std::env::join_paths(paths).expect("a path");
    let (directory, cache) = (workspace.path("."), workspace.path(".cache"));
    let run = move |words: &[&str]| {
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).current_dir(&directory).env("PATH", &path);
        command.env("JAROSITE_CACHE_DIR", &cache).env("GIT_CONFIG_GLOBAL", "/dev/null");
        for who in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{who}_NAME"), "a test");
            command.env(format!("GIT_{who}_EMAIL"), "test@localhost");
        }
        Said::of(command.output().expect("the program runs"))
    };
    run(&["git", "init", "--quiet"]).exits(0);
    (workspace, run)
}

const BAD: &str = "class A { static int f(int x) { return 1 / (x - 7); } }\n";
const GOOD: &str = "class A { static int f(int x) { return x; } }\n";
const OPEN: &str = "class A { static double f(double x) { return x / Thread.activeCount(); } }\n";

#[test]
fn the_hook_stops_a_commit_with_a_violation() {
    let (workspace, run) = repository();
    let hook = workspace.path(".git/hooks/pre-commit");
    std::fs::create_dir_all(hook.parent().expect("a parent")).expect("a directory");
    std::fs::copy(docs_ci().join("pre-commit.sh"), &hook).expect("the hook");
    run(&["chmod", "+x", ".git/hooks/pre-commit"]).exits(0);
    let commit = || {
        run(&["git", "add", "--all", "--", "."]).exits(0);
        run(&["git", "commit", "--quiet", "--message", "change"])
    };
    workspace.write(".gitignore", ".cache\n");
    commit().exits(0);
    workspace.write("my src/A.java", BAD);
    // git shows what a hook prints on standard error.
    commit().exits(1).warns(&["error[division-by-zero]", "A.java:1"]);
    workspace.write("my src/A.java", GOOD);
    commit().exits(0);
    // What is undecided does not stop anybody, nor does what is not Java.
    workspace.write("my src/A.java", OPEN);
    commit().exits(0).warns(&["undecided  A.f(double)"]);
    workspace.write("notes.txt", "no Java");
    commit().exits(0).quietly();
}

#[test]
fn pre_commit_does_the_same() {
    let (workspace, run) = repository();
    let run =
        |words: &[&str]| run(&[&["env", "PRE_COMMIT_HOME=.cache/pre-commit"], words].concat());
    // The repository with the hook, as its comment says, and the project.
    run(&["git", "init", "--quiet", "hooks"]).exits(0);
    let hooks = std::fs::read_to_string(docs_ci().join("pre-commit-hooks.yaml")).expect("the file");
    workspace.write("hooks/.pre-commit-hooks.yaml", hooks);
    run(&["git", "-C", "hooks", "add", "."]).exits(0);
    run(&["git", "-C", "hooks", "commit", "--quiet", "--message", "hook"]).exits(0);
    let revision = run(&["git", "-C", "hooks", "rev-parse", "HEAD"]).exits(0).stdout;
    let configuration = format!(
        "repos:\n- repo: ./hooks\n  rev: {}\n  hooks:\n  - id: jarosite\n",
        revision.trim()
    );
    workspace.write(".pre-commit-config.yaml", configuration);
    workspace.write(".gitignore", ".cache\nhooks\n");
    run(&["pre-commit", "install"]).exits(0);
    for (source, code, said) in
        [(BAD, 1, "error[division-by-zero]"), (GOOD, 0, "jarosite....."), (OPEN, 0, "Passed")]
    {
        workspace.write("my src/A.java", source);
        run(&["git", "add", "--all"]).exits(0);
        let commit = run(&["git", "commit", "--message", "change"]).exits(code);
        commit.warns(&[said]);
    }
}

/// The scripts of the action, in their order.
fn scripts() -> Vec<String> {
    let text = std::fs::read_to_string(docs_ci().join("action.yml")).expect("the action");
    let steps = text.split("    - name: ").filter_map(|step| step.split_once("run: |\n"));
    steps.map(|(_, script)| script.to_string()).collect()
}

#[test]
fn the_action_builds_checks_and_reports() {
    let (workspace, run) = repository();
    let scripts = scripts();
    assert_eq!(scripts.len(), 2, "one to build and one to check");
    let action = docs_ci().display().to_string();
    let action = |undecided: &str| {
        let mut said = None;
        for script in &scripts {
            workspace.write("step.sh", script);
            // As a runner calls it.
            let step = run(&[
                "env",
                &format!("GITHUB_ACTION_PATH={action}"),
                "GITHUB_ACTIONS=true",
                "TARGET=src",
                "ARGUMENTS=--timeout 60 --array-length 2",
                "SARIF=out.sarif",
                &format!("FAIL_ON_UNDECIDED={undecided}"),
                "bash",
                "--noprofile",
                "--norc",
                "-eo",
                "pipefail",
                "step.sh",
            ]);
            if let Some(before) = said.replace(step) {
                let _: Said = before.exits(0);
            }
        }
        said.expect("a step")
    };
    workspace.write("src/A.java", BAD);
    action("false").exits(1).warns(&["::error file=src/A.java,line=1"]);
    assert!(workspace.read("out.sarif").contains("division-by-zero"));
    workspace.write("src/A.java", OPEN);
    let undecided = "::warning file=src/A.java,line=1,title=jarosite%3A undecided";
    action("false").exits(0).warns(&[undecided]);
    action("true").exits(3);
    workspace.write("src/Broken.java", "class Broken {");
    action("false").exits(3).warns(&["::warning file=src/Broken.java,line=1"]);
}
