//! Classes compiled here, found again in directories, jars and single files.

use std::io::Write;

use super::*;
use crate::javac;
use crate::jdk::Jdk;
use crate::trees::write;

/// Two given classes in one file and a neighbour that is compiled along.
fn compiled(directory: &Path) -> (Inputs, Compiled) {
    write(
        directory,
        &[
            ("src/p/A.java", "package p; class A { B b; class Inner {} }"),
            ("src/p/B.java", "package p; class B {}"),
        ],
    );
    let inputs = Inputs::collect(&[directory.join("src/p/A.java")], &[], &[]);
    let compiled = javac::compile(&Jdk::find().expect("a JDK"), &inputs).expect("javac");
    (inputs, compiled)
}

fn jar(path: &Path, classes: &Path, names: &[&str]) {
    let mut jar = zip::ZipWriter::new(File::create(path).expect("a file"));
    let options = zip::write::SimpleFileOptions::default()
        .compression_method(zip::CompressionMethod::Deflated);
    for name in names {
        jar.start_file(*name, options).expect("an entry");
        let bytes = fs::read(classes.join(name)).unwrap_or_default();
        jar.write_all(&bytes).expect("content");
    }
    jar.finish().expect("a jar");
}

#[test]
fn classes_of_given_sources_are_named_and_their_neighbours_given() {
    let directory = tempfile::tempdir().expect("a directory");
    let (inputs, compiled) = compiled(directory.path());
    let (path, diagnostics) = ClassPath::new(&inputs, Some(&compiled));
    assert!(diagnostics.is_empty());
    assert_eq!(path.given_classes(), ["p/A", "p/A$Inner", "p/B"]);
    assert_eq!(["p/A", "p/A$Inner", "p/B"].map(|c| path.is_named(c)), [true, true, false]);
    assert_eq!(path.read("p/B").map(|(_, given)| given), Some(true));
    assert_eq!(path.read("p/A").map(|(_, given)| given), Some(true));
    assert_eq!(path.read("p/C"), None);
    let source = directory.path().join("src/p/A.java");
    assert_eq!(path.source_of("p/A$Inner"), Some(source));
    let source = directory.path().join("src/p/B.java");
    assert_eq!(path.source_of("p/B"), Some(source));
}

#[test]
fn a_single_class_file_says_its_own_name() {
    let directory = tempfile::tempdir().expect("a directory");
    let (_, compiled) = compiled(directory.path());
    let renamed = directory.path().join("Renamed.class");
    fs::copy(compiled.classes().join("p/A$Inner.class"), &renamed).expect("a copy");
    let truncated = directory.path().join("Truncated.class");
    fs::write(&truncated, b"\xCA\xFE\xBA\xBE\0\0\0\x3d\0\x09").expect("a file");
    let in_place = compiled.classes().join("p/A.class");
    let inputs = Inputs::collect(&[renamed, truncated, in_place], &[], &[]);
    let (path, diagnostics) = ClassPath::new(&inputs, None);
    assert_eq!(path.given_classes(), ["p/A", "p/A$Inner"]);
    assert_eq!(path.read("p/B").map(|(_, given)| given), Some(false));
    assert_eq!(diagnostics.len(), 1);
    assert!(diagnostics[0].message.contains("truncated or damaged"));
}

#[test]
fn jars_are_given_or_found() {
    let directory = tempfile::tempdir().expect("a directory");
    let (_, compiled) = compiled(directory.path());
    let at = |name: &str| directory.path().join(name);
    let given = ["p/A.class", "META-INF/versions/9/p/A.class", "x.txt"];
    jar(&at("a.jar"), &compiled.classes(), &given);
    jar(&at("b.jar"), &compiled.classes(), &["p/B.class"]);
    fs::write(at("bad.jar"), "no jar").expect("a file");
    fs::write(at("cut.jar"), "PK\x03\x04").expect("a file");
    let class_path = format!("{}:{}", at("b.jar").display(), at("bad.jar").display());
    let inputs = Inputs::collect(&[at("a.jar"), at("cut.jar")], &[class_path], &[]);
    let (path, diagnostics) = ClassPath::new(&inputs, None);
    assert_eq!(path.given_classes(), ["p/A"]);
    let bytes = fs::read(compiled.classes().join("p/B.class")).expect("bytes");
    assert_eq!(path.read("p/B"), Some((bytes, false)));
    let said: Vec<_> = diagnostics.iter().map(|d| d.message.as_str()).collect();
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said.iter().all(|message| message.starts_with("not a jar, or damaged")), "{said:?}");
}

#[test]
fn a_class_given_twice_is_said_once() {
    let directory = tempfile::tempdir().expect("a directory");
    let (_, compiled) = compiled(directory.path());
    let copy = directory.path().join("Copy.class");
    fs::copy(compiled.classes().join("p/A.class"), &copy).expect("a copy");
    let inputs = Inputs::collect(&[compiled.classes().join("p/A.class"), copy], &[], &[]);
    let (path, diagnostics) = ClassPath::new(&inputs, None);
    assert_eq!(path.given_classes(), ["p/A"]);
    assert!(diagnostics[0].message.contains("p.A is already given"));
}

#[test]
fn names_do_not_lead_out_of_the_roots() {
    let directory = tempfile::tempdir().expect("a directory");
    let (_, compiled) = compiled(directory.path());
    let root = compiled.classes().join("p");
    let inputs = Inputs::collect(&[], &[root.display().to_string()], &[]);
    let (path, _) = ClassPath::new(&inputs, None);
    assert!(path.read("A").is_some());
    assert_eq!(path.read("../p/A"), None);
    assert_eq!(path.read(&format!("{}/A", root.display())), None);
}

#[test]
fn damaged_class_files_are_errors() {
    let directory = tempfile::tempdir().expect("a directory");
    let (_, compiled) = compiled(directory.path());
    let bytes = fs::read(compiled.classes().join("p/A.class")).expect("bytes");
    assert!(class_header::read(&bytes).is_ok());
    for end in 0..bytes.len() {
        assert!(class_header::read(&bytes[..end]).is_err(), "{end} bytes");
    }
    for at in 4..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 0xFF;
        // Any answer will do, as long as there is one.
        let _ = class_header::read(&changed);
    }
}
