//! Paths and sources of no use: a sentence, the right exit code, and results for the rest.

use std::fmt::Write;
use std::fs;

use crate::workspace::{VERDICTS, Workspace};

/// Checks one good method beside something bad: it is reported, the warning names the bad one, and the exit
/// code says that this is not all.
#[track_caller]
fn good_goes_on(workspace: &Workspace, bad: &[&str], warnings: &[&str]) {
    good_exits(workspace, bad, 3, warnings);
}

#[track_caller]
fn good_exits(workspace: &Workspace, bad: &[&str], code: i32, warnings: &[&str]) {
    workspace.write("Good.java", "class Good { static int good(int x) { return x; } }");
    let said = workspace.check(&[&["Good.java"], bad, &["--method", "good"]].concat());
    said.exits(code).shows(&["ok         Good.good(int)"]).warns(warnings);
}

#[test]
fn a_path_that_does_not_exist() {
    let workspace = Workspace::new();
    let sentence = "gone.java: no such file or directory";
    workspace.check(&["gone.java"]).refuses(&[sentence]);
    good_goes_on(&workspace, &["gone.java"], &[sentence]);
}

#[test]
fn a_file_of_another_kind() {
    let workspace = Workspace::with("notes.txt", "hello");
    workspace.check(&["notes.txt"]).refuses(&["notes.txt: neither a .java, .class or .jar file"]);
    good_goes_on(&workspace, &["notes.txt"], &["notes.txt"]);
}

#[test]
fn a_directory_without_java() {
    let workspace = Workspace::with("docs/notes.txt", "hello");
    let sentence = "docs: holds no .java, .class or .jar file";
    workspace.check(&["docs"]).refuses(&[sentence]);
    good_exits(&workspace, &["docs"], 0, &[sentence]);
}

#[test]
fn no_jdk() {
    let workspace = Workspace::with("Verdicts.java", VERDICTS);
    let said = workspace.check_with(&["Verdicts.java"], |command| {
        command.env("PATH", "").env("JAVA_HOME", "/nowhere");
    });
    let said = said.refuses(&["no JDK found", "JAVA_HOME", "apt-get install openjdk-17"]);
    assert_eq!(said.stderr.lines().count(), 1, "{}", said.stderr);
}

#[test]
fn a_source_that_does_not_compile() {
    let workspace = Workspace::with("Bad.java", "class Bad {\n    int f() { return x; }\n}\n");
    let words = ["Bad.java: does not compile", "Bad.java:2: error: cannot find symbol", "^"];
    workspace.check(&["Bad.java"]).exits(2).warns(&words);
    workspace.check(&["Bad.java", "--method", "f"]).exits(2).warns(&["nothing could be checked"]);
    good_goes_on(&workspace, &["Bad.java"], &words);
    workspace.write("Uses.java", "class Uses { Bad bad; int g() { return bad.f(); } }");
    good_goes_on(&workspace, &["Bad.java", "Uses.java"], &["Bad.java:2", "Uses.java:1"]);
}

#[test]
fn sources_without_a_class() {
    let workspace = Workspace::with("Empty.java", "");
    workspace.write("Comment.java", "// to be written\n");
    workspace.check(&["Empty.java"]).refuses(&["no Java method", "Empty.java"]);
    workspace.check(&["Comment.java"]).refuses(&["no Java method", "Comment.java"]);
    good_exits(&workspace, &["Empty.java", "Comment.java"], 0, &[]);
}

#[test]
fn a_source_that_is_not_text() {
    let workspace = Workspace::new();
    let noise: Vec<u8> = (0..4000u32).map(|i| (i.wrapping_mul(2654435761) >> 13) as u8).collect();
    workspace.write("Noise.java", noise);
    workspace.check(&["Noise.java"]).exits(2).warns(&["Noise.java: does not compile"]);
    good_goes_on(&workspace, &["Noise.java"], &["Noise.java"]);
}

#[test]
fn two_files_with_the_same_class() {
    let workspace = Workspace::with("a/Twin.java", "class Twin { int a() { return 1; } }");
    workspace.write("b/Twin.java", "class Twin { int b() { return 2; } }");
    let said = workspace.check(&["a/Twin.java", "b/Twin.java"]).exits(3);
    said.shows(&["ok         Twin.a()"]).warns(&["b/Twin.java: left out", "the class Twin"]);
}

#[test]
fn a_class_path_that_does_not_exist() {
    let workspace = Workspace::new();
    let bad = ["--classpath", "gone.jar", "--sourcepath", "nowhere"];
    let (jar, sources) = ("gone.jar: no such file", "nowhere: no such directory");
    good_exits(&workspace, &bad, 0, &[jar, sources]);
}

#[test]
fn a_very_long_source() {
    let mut text = String::from("class Long {\n");
    for i in 0..10_000 {
        let _ = write!(
            text,
            "    static int m{i}(int a, int b) {{\n        int c = a + {i};\n        int d = c * b;\n        \
             return d / (b - {i});\n    }}\n"
        );
    }
    text.push_str("}\n");
    assert!(text.lines().count() > 50_000);
    let workspace = Workspace::with("Long.java", &text);
    let (said, document) = workspace.json(&["Long.java", "--method", "m9999"]);
    said.exits(1).quietly();
    assert_eq!(document.results().len(), 1);
    let violation = &document.results()[0]["violations"][0];
    assert_eq!(violation["location"]["line"], 50_000);
    assert_eq!(violation["pre_state"]["arguments"]["b"], 9999);
    assert_eq!(violation["replay"], "confirmed");
}

#[test]
fn a_method_too_large_for_a_class_file() {
    let sum = vec!["1000"; 17_000].join("+");
    let text = format!("class Deep {{ static int f(int x) {{ return x+{sum}; }} }}");
    let workspace = Workspace::with("Deep.java", &text);
    good_goes_on(&workspace, &["Deep.java"], &["Deep.java:1: error: code too large"]);
}

#[cfg(unix)]
#[test]
fn a_directory_that_may_only_be_read() {
    use std::os::unix::fs::PermissionsExt;
    let workspace = Workspace::with("fixed/Verdicts.java", VERDICTS);
    let directory = workspace.path("fixed");
    let allow = |mode| fs::set_permissions(&directory, fs::Permissions::from_mode(mode));
    allow(0o555).expect("permissions");
    let said = workspace.check_with(&["Verdicts.java", "--method", "same"], |command| {
        command.current_dir(&directory);
    });
    allow(0o755).expect("permissions");
    said.exits(0).quietly();
    let files = fs::read_dir(&directory).expect("a directory").count();
    assert_eq!(files, 1, "nothing is left beside the sources");
}

#[cfg(unix)]
#[test]
fn links_that_lead_in_a_circle() {
    let workspace = Workspace::with("tree/Verdicts.java", VERDICTS);
    std::os::unix::fs::symlink("..", workspace.path("tree/up")).expect("a link");
    std::os::unix::fs::symlink("nowhere", workspace.path("tree/Dangling.java")).expect("a link");
    let said = workspace.check(&["tree", "--method", "same"]).exits(3);
    said.shows(&["1 verified"]).warns(&["Dangling.java"]);
}
