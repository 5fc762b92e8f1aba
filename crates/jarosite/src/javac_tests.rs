//! Real calls of javac on small sources.

use tempfile::TempDir;

use super::*;

struct Fixture {
    directory: TempDir,
    jdk: Jdk,
}

impl Fixture {
    fn new(files: &[(&str, &str)]) -> Fixture {
        let directory = tempfile::tempdir().expect("a directory");
        for (name, text) in files {
            let path = directory.path().join(name);
            fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
            fs::write(path, text).expect("a file");
        }
        let jdk = Jdk::find().expect("a JDK");
        Fixture { directory, jdk }
    }

    fn compile(&self, given: &[&str]) -> Compiled {
        let paths: Vec<_> = given.iter().map(|name| self.directory.path().join(name)).collect();
        compile(&self.jdk, &Inputs::collect(&paths, &[], &[])).expect("javac runs")
    }
}

fn has_class(compiled: &Compiled, name: &str) -> bool {
    compiled.classes().join(name).is_file()
}

#[test]
fn the_good_files_survive_the_bad_ones() {
    let fixture = Fixture::new(&[
        ("p/Good.java", "package p; class Good { int f() { return 1; } }"),
        ("p/Syntax.java", "package p;\nclass Syntax {"),
        ("p/Type.java", "package p; class Type { int f() { return \"\"; } }"),
        ("p/Needs.java", "package p; class Needs { Syntax s; }"),
    ]);
    let compiled = fixture.compile(&["p"]);
    assert_eq!(compiled.sources.len(), 1);
    assert!(has_class(&compiled, "p/Good.class") && !has_class(&compiled, "p/Type.class"));
    let said: Vec<_> = compiled.dropped.iter().map(ToString::to_string).collect();
    assert_eq!(said.len(), 3, "{said:?}");
    let about = |file: &str| said.iter().find(|s| s.contains(file)).expect("a message");
    assert!(about("Syntax.java").contains("Syntax.java:2: error: reached end of file"));
    assert!(about("Type.java").contains("incompatible types"));
    assert!(about("Needs.java").contains("cannot find symbol"));
}

#[test]
fn a_class_in_two_files_is_named() {
    let fixture = Fixture::new(&[("a/A.java", "class A {}"), ("b/A.java", "class A {}")]);
    let compiled = fixture.compile(&["a", "b"]);
    assert!(has_class(&compiled, "A.class"));
    assert_eq!(compiled.dropped.len(), 1);
    let said = &compiled.dropped[0].message;
    assert!(said.contains("declares the class A too"), "{said}");
}

#[test]
fn one_file_of_a_tree_finds_its_neighbours() {
    let fixture = Fixture::new(&[
        ("src dir/p/A.java", "package p; class A { B b; q.C c; }"),
        ("src dir/p/B.java", "package p; class B {}"),
        ("src dir/q/C.java", "package q; public class C {}"),
    ]);
    let compiled = fixture.compile(&["src dir/p/A.java"]);
    assert!(compiled.dropped.is_empty(), "{:?}", compiled.dropped);
    assert!(has_class(&compiled, "p/A.class") && has_class(&compiled, "q/C.class"));
}

#[test]
fn nothing_left_is_no_error() {
    let fixture = Fixture::new(&[("A.java", "class A { int x = y; }")]);
    let compiled = fixture.compile(&["A.java"]);
    assert!(compiled.sources.is_empty() && compiled.dropped.len() == 1);
    assert!(fixture.compile(&[]).sources.is_empty());
}

#[test]
fn messages_are_split_by_file() {
    let messages = "a b/A.java:1: error: x\n  code\n  ^\nB.java:2: warning: y\n  code\n\
                    C.java:3: error: z\n2 errors\n";
    let errors = errors_by_file(messages);
    let files: Vec<_> = errors.keys().map(|p| p.display().to_string()).collect();
    assert_eq!(files, ["C.java", "a b/A.java"]);
    assert_eq!(errors[Path::new("C.java")], "C.java:3: error: z\n");
}
