//! What must hold whoever wrote the input: files without an end, disks without room, runs that were killed,
//! and a document for whoever asked for one.

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::workspace::{VERDICTS, Workspace};

/// One document on standard output, with the reason, in whatever way nothing could be checked.
#[test]
fn json_says_why_nothing_was_checked() {
    let workspace = Workspace::with("Verdicts.java", VERDICTS);
    workspace.write("Bad.java", "class Bad { int f( }");
    workspace.write("broken/jarosite.toml", "scope = [");
    workspace.write("broken/Verdicts.java", VERDICTS);
    let cases: &[(&[&str], &str)] = &[
        (&["gone.java"], "nothing could be checked"),
        (&["Bad.java"], "nothing could be checked"),
        (&["Verdicts.java", "--method", "nosuch"], "no method fits"),
        (&["Verdicts.java", "--no-such-option"], "unexpected argument '--no-such-option'"),
        (&["Verdicts.java", "--timeout", "never"], "or `none`, not `never`"),
        (&["Verdicts.java", "--scope", "Node=many"], "scope"),
        (&["broken/Verdicts.java"], "jarosite.toml"),
        (&["Verdicts.java", "--baseline", "gone.json"], "gone.json"),
        (&["Verdicts.java", "--format", "html=/nowhere/x.html"], "/nowhere/x.html"),
        (&["Verdicts.java", "--emit-tests", "Verdicts.java"], "Verdicts.java"),
        (&["Verdicts.java", "--output", "/dev/full"], "cannot write /dev/full"),
        (&["Verdicts.java", "--output", "no/such/place"], "cannot write no/such/place"),
        (&["gone.java", "--output", "x.json"], "nothing could be checked"),
        (&["Verdicts.java", "--scope", "Verdict=2"], "(did you mean `Verdicts`?)"),
        (&["Verdicts.java", "--config", "gone.toml"], "gone.toml"),
        (&["Verdicts.java", "--baseline", "/dev/zero"], "not a regular file"),
        (&["Verdicts.java", "--unroll", "x"], "--unroll"),
        (&["Verdicts.java", "--jobs", "x"], "invalid value 'x'"),
        (&["Verdicts.java", "--format", "xml=x"], "not `xml`"),
    ];
    for (arguments, why) in cases {
        let said = workspace.check(&[arguments, &["--format", "json"][..]].concat());
        let said = said.exits(2);
        let document: Value = serde_json::from_str(&said.stdout)
            .unwrap_or_else(|error| panic!("{arguments:?}: {error}: {}", said.stdout));
        assert_eq!(document["schema"], "jarosite/1");
        let error = document["error"].as_str().expect("a reason");
        assert!(error.contains(why), "{arguments:?}: {error}");
        assert_eq!(document["results"], Value::Array(Vec::new()));
    }
    let said = workspace.check(&["--format=json", "--nonsense"]).exits(2);
    assert!(serde_json::from_str::<Value>(&said.stdout).is_ok(), "{}", said.stdout);
    let said = workspace.check_with(&["Verdicts.java", "--format", "json"], |command| {
        command.env("PATH", "").env("JAVA_HOME", "/nowhere");
    });
    let document: Value = serde_json::from_str(&said.exits(2).stdout).expect("a document");
    assert!(document["error"].as_str().is_some_and(|e| e.contains("no JDK found")), "{document}");
    let said = workspace.check(&["--format", "json", "--help"]).exits(0);
    assert!(said.stdout.contains("Usage"), "{}", said.stdout);
}

#[test]
fn stars_do_not_hold_up_a_run() {
    let workspace = Workspace::compiled("Verdicts.java", VERDICTS).uncached();
    let glob = format!("{}z", "*s".repeat(30));
    let name = format!("class {}s {{ int f() {{ return 1; }} }}", "s".repeat(100));
    workspace.write("Long.java", name);
    let start = Instant::now();
    workspace.check(&["Long.java", "--exclude", &glob, "--replay", "off"]).exits(0);
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_not_read() {
    let workspace = Workspace::with("Verdicts.java", VERDICTS);
    workspace.write("jarosite.toml", "baseline = \"/dev/zero\"\n");
    workspace.check(&["Verdicts.java"]).exits(2).warns(&["/dev/zero", "not a regular file"]);
    fs::remove_file(workspace.path("jarosite.toml")).expect("a file");
    for (name, kind) in [("Pipe.java", "java"), ("Pipe.class", "class"), ("pipe.jar", "jar")] {
        let made = Command::new("mkfifo").arg(workspace.path(name)).status().expect("mkfifo");
        assert!(made.success());
        let said = workspace.check(&["Verdicts.java", name, "--method", "same"]);
        said.shows(&["ok         Verdicts.same(int)"]).warns(&[name, "not a regular file"]);
        fs::remove_file(workspace.path(name)).expect("a pipe");
        std::os::unix::fs::symlink("/dev/zero", workspace.path(name)).expect("a link");
        let said = workspace.check(&["Verdicts.java", name, "--method", "same"]);
        said.shows(&["ok         Verdicts.same(int)"]).warns(&[name, "not a regular file"]);
        fs::remove_file(workspace.path(name)).unwrap_or_else(|error| panic!("{kind}: {error}"));
    }
    let made = Command::new("mkfifo").arg(workspace.path("jarosite.toml")).status();
    assert!(made.expect("mkfifo").success());
    // One that nobody named does not count as a configuration.
    workspace.check(&["Verdicts.java", "--method", "same"]).exits(0);
    let said = workspace.check(&["Verdicts.java", "--config", "jarosite.toml"]).exits(2);
    said.warns(&["jarosite.toml", "not a regular file"]);
}

/// A limit on the size of files stands for a full disk: nothing can be written either.
#[cfg(unix)]
#[test]
fn a_report_that_does_not_fit_leaves_what_was_there() {
    let workspace = Workspace::compiled("Verdicts.java", VERDICTS).uncached();
    let full = |output: &str| {
        let run = format!(
            "trap '' XFSZ; ulimit -f 0; exec '{}' check classes --no-cache --bounds off \
             --replay off --format json --output {output}",
            env!("CARGO_BIN_EXE_jarosite")
        );
        let mut command = Command::new("sh");
        command.args(["-c", &run]).current_dir(workspace.path("."));
        let said = command.output().expect("a shell");
        assert_eq!(said.status.code(), Some(2), "{said:?}");
        let said = String::from_utf8_lossy(&said.stderr).into_owned();
        assert!(said.contains("cannot write"), "{said}");
    };
    let names = || {
        let entries = fs::read_dir(workspace.path(".")).expect("a directory").flatten();
        let mut names: Vec<_> = entries.map(|e| e.file_name()).collect();
        names.sort();
        names
    };
    let before = names();
    full("report.json");
    assert_eq!(names(), before);
    workspace.write("report.json", "earlier");
    full("report.json");
    assert_eq!(workspace.read("report.json"), "earlier");
    fs::remove_file(workspace.path("report.json")).expect("a file");
    assert_eq!(names(), before);
}

/// Killed while it compiled the harness, a run leaves a directory; the next one takes it away, but
/// not that of a run that goes on.
#[test]
fn what_killed_runs_leave_goes() {
    let workspace = Workspace::with("Verdicts.java", VERDICTS);
    workspace.write(".cache/replay-new-dead/.lock", "");
    workspace.write(".cache/replay-new-dead/half.class", "half");
    workspace.write(".cache/replay-new-alive/.lock", "");
    workspace.write(".cache/replay-other/.lock", "");
    let alive = fs::File::open(workspace.path(".cache/replay-new-alive/.lock")).expect("a file");
    alive.try_lock().expect("a lock");
    for _ in 0..2 {
        workspace.check(&["Verdicts.java", "--method", "divide", "--no-cache"]).exits(1);
        assert!(!workspace.path(".cache/replay-new-dead").exists());
        assert!(workspace.path(".cache/replay-new-alive").exists());
        assert!(workspace.path(".cache/replay-other").exists());
        workspace.write(".cache/replay-new-dead/.lock", "");
    }
}

/// What javac would start by itself from a jar on its class path: annotation processors, and plugins
/// that ask for it.
#[test]
fn the_compiler_starts_nothing_from_the_class_path() {
    let workspace = Workspace::with("Verdicts.java", VERDICTS);
    let mark = workspace.path("mark");
    let deed = format!(
        "static {{ try {{ new java.io.FileOutputStream(\"{}\").close(); }} catch (Exception e) {{}} }}",
        mark.display()
    );
    let processor = format!(
        "public class Processor extends javax.annotation.processing.AbstractProcessor {{ {deed} \
         public boolean process(java.util.Set<? extends javax.lang.model.element.TypeElement> s, \
         javax.annotation.processing.RoundEnvironment e) {{ return false; }} }}"
    );
    let plugin = format!(
        "public class Starter implements com.sun.source.util.Plugin {{ {deed} \
         public String getName() {{ return \"starter\"; }} \
         public boolean autoStart() {{ return true; }} \
         public void init(com.sun.source.util.JavacTask t, String... a) {{}} }}"
    );
    workspace.write("src/Processor.java", processor);
    workspace.write("src/Starter.java", plugin);
    workspace.jdk("javac", &["-proc:none", "-d", "lib", "src/Processor.java", "src/Starter.java"]);
    let services = "lib/META-INF/services";
    workspace.write(&format!("{services}/javax.annotation.processing.Processor"), "Processor\n");
    workspace.write(&format!("{services}/com.sun.source.util.Plugin"), "Starter\n");
    workspace.jdk("jar", &["cf", "lib.jar", "-C", "lib", "."]);
    for library in ["lib", "lib.jar"] {
        // The compiler alone does start them, so that this shows something.
        workspace.jdk("javac", &["-cp", library, "-d", "out", "Verdicts.java"]);
        fs::remove_file(&mark).expect("the mark of what was started");
        let arguments = ["Verdicts.java", "--classpath", library, "--method", "same", "--no-cache"];
        workspace.check(&arguments).exits(0);
        assert!(!mark.exists(), "{library}");
    }
}
