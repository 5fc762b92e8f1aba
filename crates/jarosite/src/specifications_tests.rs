//! Specifications of real projects: read, marked, compiled and found again in bodies.

use std::collections::BTreeSet;

use ir::{Code, Op};
use tempfile::TempDir;

use std::fs;

use super::*;
use crate::jdk::Jdk;
use crate::project::Project;

fn open(files: &[(&str, &str)], given: &[&str]) -> (Project, TempDir) {
    let directory = tempfile::tempdir().expect("a directory");
    for (name, text) in files {
        let path = directory.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
        fs::write(path, text).expect("a file");
    }
    let paths: Vec<_> = given.iter().map(|name| directory.path().join(name)).collect();
    let inputs = Inputs::collect(&paths, &[], &[]);
    let project = Project::open(&Jdk::find().expect("a JDK"), &inputs).expect("it opens");
    (project, directory)
}

/// The numbers of the marks in all bodies of a class.
fn marks_of(project: &Project, class: &str) -> BTreeSet<u32> {
    let program = &project.program;
    let class = program.class(program.class_id(class)).expect("the class loads");
    let mut found = BTreeSet::new();
    for method in &class.methods {
        if let Code::Body(body) = program.code(*method) {
            for instr in body.blocks.iter().flat_map(|b| &b.instrs) {
                if let Op::Mark { number, .. } = instr.op {
                    found.insert(number);
                }
            }
        }
    }
    found
}

fn said(project: &Project, directory: &TempDir) -> Vec<String> {
    let prefix = format!("{}/", directory.path().display());
    project.diagnostics.iter().map(|d| d.to_string().replace(&prefix, "")).collect()
}

#[test]
fn bodies_are_marked_and_sources_keep_their_names() {
    let (project, directory) = open(
        &[
            (
                "p/A.java",
                "package p; class A { int f(int x) {\n//@ assert x > 0;\nB b = null;\n\
                 //@ loop_invariant x > 0;\nwhile (x > 1) x--;\nreturn x; } }",
            ),
            ("p/B.java", "package p; class B { void g() { /*@ assert true; @*/ } }"),
            ("p/C.java", "package p; class C { }"),
        ],
        &["p"],
    );
    assert_eq!(said(&project, &directory), Vec::<String>::new());
    assert_eq!(marks_of(&project, "p.A"), BTreeSet::from([0, 1]));
    assert_eq!(marks_of(&project, "p.B"), BTreeSet::from([2]));
    let firsts: Vec<_> = project.files.iter().map(|f| f.first_mark).collect();
    assert_eq!(firsts, [Some(0), Some(2)]);
    assert_eq!(project.class_path.given_classes(), ["p/A", "p/B", "p/C"]);
    assert_eq!(project.class_path.source_of("p/A"), Some(directory.path().join("p/A.java")));
    assert!(project.class_path.read("jarosite/Mark").is_some_and(|(_, given)| !given));
}

#[test]
fn errors_name_the_file_of_the_user() {
    let text = "class A {\n  void f() {\n    //@ assert true;\n    int x = \"\";\n  }\n}\n";
    let (project, directory) = open(&[("A.java", text)], &["A.java"]);
    let said = said(&project, &directory);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].starts_with("A.java: does not compile:\nA.java:4: error: incompatible"));
    assert!(project.files.is_empty());
}

#[test]
fn a_point_that_no_statement_can_take_gives_way() {
    let text = "class A extends Thread {\n int f(int x) {\n  //@ assert x > 0;\n  return x;\n\
                  //@ assert false;\n }\n A() {\n  //@ assert 1 > 0;\n  super();\n }\n\
                int g() { /*@ assert true; @*/ return 1; }\n}\n";
    let (project, directory) = open(&[("A.java", text)], &["A.java"]);
    assert_eq!(said(&project, &directory), Vec::<String>::new());
    assert_eq!(marks_of(&project, "A"), BTreeSet::from([0, 1]));
    let methods = &project.files[0].specs.types[0].methods;
    let left: Vec<_> = methods.iter().map(|m| (m.points.len(), m.gaps.len())).collect();
    assert_eq!(left, [(1, 0), (0, 1), (1, 0)]);
}

#[test]
fn a_copy_that_does_not_compile_is_not_used() {
    let text = "class A { int jarosite; int f() { /*@ assert true; @*/\n return 1; }\n\
                 int g() {\n //@ loop_invariant true;\n while (true) { } } }";
    let (project, directory) = open(&[("A.java", text)], &["A.java"]);
    assert_eq!(said(&project, &directory), Vec::<String>::new());
    assert!(marks_of(&project, "A").is_empty());
    let methods = &project.files[0].specs.types[0].methods;
    assert!(methods.iter().all(|m| m.gaps.len() == 1 && m.points.is_empty()));
}

#[test]
fn neighbours_are_read_and_marked() {
    let (project, directory) = open(
        &[
            ("p/A.java", "package p; class A { B b; }"),
            ("p/B.java", "package p; class B { void g() { /*@ assert true; @*/ } }"),
        ],
        &["p/A.java"],
    );
    assert_eq!(said(&project, &directory), Vec::<String>::new());
    assert_eq!(project.checked, [project.program.class_id("p.A")]);
    assert_eq!(marks_of(&project, "p.B"), BTreeSet::from([0]));
    assert_eq!(project.files.len(), 1);
}

#[test]
fn files_beside_sources_are_read_and_mistakes_told() {
    let (project, directory) = open(
        &[
            ("A.java", "class A { int f(int x) { return x; } }"),
            ("A.jml", "class A {\n  //@ ensrues \\result == x;\n  int f(int x);\n}\n"),
            ("B.java", "//@ requires true;\n class B { //@ invariant 1 +;\n }"),
        ],
        &["."],
    );
    let said = said(&project, &directory);
    assert_eq!(
        said,
        [
            "./B.java:1:5: no method follows this specification",
            "./B.java:2:29: expected an expression, found `;`",
            "./A.jml:2:7: `ensrues` begins no clause of JML (did you mean `ensures`?)",
        ]
    );
    let kinds: Vec<_> = project.files.iter().map(|f| f.is_jml).collect();
    assert_eq!(kinds, [false, true]);
}
