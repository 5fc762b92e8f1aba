//! Trees of files on disk and what becomes of them.

use super::*;
use crate::trees::tree;

fn collect(directory: &tempfile::TempDir) -> Inputs {
    Inputs::collect(&[directory.path().to_path_buf()], &[], &[])
}

fn keys(inputs: &Inputs) -> Vec<String> {
    inputs.sources.iter().map(Source::key).collect()
}

#[test]
fn packages_are_read_past_comments_and_annotations() {
    assert_eq!(package_of("/* package x; */ // package y;\npackage a . b;"), "a/b");
    assert_eq!(package_of("@Deprecated(since = \"1\")\npackage p;"), "p");
    assert_eq!(package_of("import a.b; class A { }"), "");
    assert_eq!(package_of("public final class A { }"), "");
    assert_eq!(package_of(""), "");
    assert_eq!(package_of("/* unfinished"), "");
    assert_eq!(package_of("package"), "");
    assert_eq!(package_of("\u{feff}package é.ü ;"), "é/ü");
}

#[test]
fn a_maven_tree_gives_its_main_sources() {
    let directory = tree(&[
        ("pom.xml", ""),
        ("src/main/java/p/A.java", "package p; class A {}"),
        ("src/main/java/p/package-info.java", "package p;"),
        ("src/main/java/module-info.java", "module m {}"),
        ("src/main/java/p/build/B.java", "package p.build; class B {}"),
        ("src/test/java/p/ATest.java", "package p; class ATest {}"),
        ("target/generated/C.java", "class C {}"),
        (".git/D.java", "class D {}"),
        ("lib/x.jar", ""),
    ]);
    let inputs = collect(&directory);
    assert_eq!(keys(&inputs), ["p/A.java", "p/build/B.java", "p/package-info.java"]);
    assert!(inputs.jars.is_empty() && inputs.diagnostics.is_empty());
    let roots = inputs.source_roots();
    assert_eq!(roots, [directory.path().join("src/main/java")]);
}

#[test]
fn build_output_can_be_given_itself() {
    let directory = tree(&[("target/classes/p/A.class", ""), ("target/a.jar", "")]);
    let inputs = Inputs::collect(&[directory.path().join("target")], &[], &[]);
    assert_eq!((inputs.class_files.len(), inputs.jars.len()), (1, 1));
}

#[test]
fn each_useless_path_gets_its_sentence_and_the_others_go_on() {
    let directory = tree(&[("A.java", "class A {}"), ("notes.txt", ""), ("empty/x.txt", "")]);
    let at = |name: &str| directory.path().join(name);
    let paths = [at("A.java"), at("nowhere"), at("notes.txt"), at("empty"), at("A.java")];
    let inputs = Inputs::collect(&paths, &["/no/such.jar".into()], &["/no/dir".into()]);
    assert_eq!(keys(&inputs), ["A.java"]);
    let said: Vec<_> = inputs.diagnostics.iter().map(|d| d.message.as_str()).collect();
    assert_eq!(
        said,
        [
            "no such file or directory",
            "neither a .java, .class or .jar file nor a directory of them",
            "holds no .java, .class or .jar file",
            "no such file or directory (from --classpath)",
            "no such directory (from --sourcepath)",
        ]
    );
}

#[test]
fn a_star_stands_for_all_jars_of_a_directory() {
    let directory = tree(&[("lib/b.jar", ""), ("lib/a.jar", ""), ("lib/c.txt", "")]);
    let star = format!("{0}/lib/*:{0}", directory.path().display());
    let inputs = Inputs::collect(&[], &[star], &[]);
    let at = |name: &str| directory.path().join(name);
    assert_eq!(inputs.class_path, [at("lib/a.jar"), at("lib/b.jar"), at("")]);
}

#[cfg(unix)]
#[test]
fn links_that_lead_in_circles_end() {
    let directory = tree(&[("src/A.java", "class A {}")]);
    std::os::unix::fs::symlink(directory.path(), directory.path().join("src/again"))
        .expect("a link");
    assert_eq!(keys(&collect(&directory)), ["A.java"]);
}
