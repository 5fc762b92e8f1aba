//! Class files and jars that are damaged or hostile.

use std::fs;
use std::io::Write;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::workspace::{VERDICTS, Workspace};

/// A workspace with a good class, and the bytes of that class.
fn compiled() -> (Workspace, Vec<u8>) {
    let workspace = Workspace::with("Verdicts.java", VERDICTS);
    workspace.jdk("javac", &["-g", "Verdicts.java"]);
    let bytes = fs::read(workspace.path("Verdicts.class")).expect("a class");
    (workspace, bytes)
}

/// Something bad is refused alone, and named beside a good class that is checked all the same.
#[track_caller]
fn named_and_survived(workspace: &Workspace, bad: &str, sentence: &str) {
    let whole = format!("{bad}: {sentence}");
    workspace.check(&[bad]).refuses(&[&whole]);
    let said = workspace.check(&[bad, "Verdicts.class", "--method", "same"]).exits(3);
    said.shows(&["ok         Verdicts.same(int)"]).warns(&[&whole]);
}

#[test]
fn classes_that_are_none() {
    let (workspace, bytes) = compiled();
    let noise: Vec<u8> = (0..4000u32).map(|i| (i.wrapping_mul(2654435761) >> 13) as u8).collect();
    workspace.write("Noise.class", &noise);
    named_and_survived(&workspace, "Noise.class", "not a class file");
    workspace.write("Empty.class", "");
    named_and_survived(&workspace, "Empty.class", "");
    for length in [9, 100, bytes.len() / 2] {
        workspace.write("Cut.class", &bytes[..length]);
        named_and_survived(&workspace, "Cut.class", "the class file is truncated or damaged");
    }
}

#[test]
fn a_class_cut_anywhere_never_crashes() {
    let (workspace, bytes) = compiled();
    for part in 1..=8 {
        workspace.write("Cut.class", &bytes[..part * (bytes.len() - 1) / 8]);
        let said = workspace.check(&["Cut.class", "--replay", "off"]).exits(2);
        said.warns(&["Cut.class: "]);
    }
}

#[test]
fn classes_with_a_changed_byte_never_crash() {
    let (workspace, bytes) = compiled();
    let mut names = Vec::new();
    for (number, at) in (10..bytes.len()).step_by(bytes.len() / 24).enumerate() {
        let mut changed = bytes.clone();
        changed[at] ^= 0x5a;
        let name = format!("Changed{number}.class");
        workspace.write(&name, changed);
        names.push(name);
    }
    for name in &names {
        workspace.check(&[name, "--replay", "off", "--timeout", "5"]);
    }
}

#[test]
fn a_class_of_a_newer_java_is_checked_but_not_replayed() {
    let (workspace, mut bytes) = compiled();
    bytes[6..8].copy_from_slice(&999u16.to_be_bytes());
    workspace.write("Newer.class", bytes);
    let (said, document) = workspace.json(&["Newer.class", "--method", "divide"]);
    said.exits(1);
    let violation = &document.method("divide(int,int)")["violations"][0];
    assert_eq!(violation["replay"], "skipped");
    let why = violation["replay_detail"].as_str().expect("a reason");
    assert!(why.contains("999"), "{why}");
}

#[test]
fn a_jar_that_is_none_spoils_nothing() {
    let (workspace, bytes) = compiled();
    workspace.write("text.jar", "not a zip");
    named_and_survived(&workspace, "text.jar", "not a jar");
    // A jar's beginning without its end.
    let mut whole = Vec::new();
    let mut jar = ZipWriter::new(std::io::Cursor::new(&mut whole));
    jar.start_file("Verdicts.class", SimpleFileOptions::default()).expect("an entry");
    jar.write_all(&bytes).expect("a class");
    jar.finish().expect("a jar");
    workspace.write("half.jar", &whole[..whole.len() / 2]);
    named_and_survived(&workspace, "half.jar", "not a jar");
    // Neither for sources, which javac compiles with the jars on its class path.
    for (arguments, code) in [
        (&["Verdicts.java", "text.jar"][..], 3),
        (&["Verdicts.java", "half.jar"], 3),
        (&["Verdicts.java", "--classpath", "text.jar"], 0),
        (&["Verdicts.java", "--classpath", "half.jar"], 0),
    ] {
        let said = workspace.check(&[arguments, &["--method", "same"]].concat()).exits(code);
        said.shows(&["ok         Verdicts.same(int)"]).warns(&[".jar: not a jar"]);
    }
}

/// A jar of one entry with 300 MB of zeros.
fn bomb() -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut jar = ZipWriter::new(std::io::Cursor::new(&mut bytes));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    jar.start_file("Bomb.class", options).expect("an entry");
    let zeros = vec![0; 1 << 20];
    for _ in 0..300 {
        jar.write_all(&zeros).expect("zeros");
    }
    jar.finish().expect("a jar");
    bytes
}

#[test]
fn jars_with_entries_that_are_far_too_large_or_claim_to_be() {
    let (workspace, class) = compiled();
    let bomb = bomb();
    assert!(bomb.len() < 1 << 20);
    workspace.write("bomb.jar", &bomb);
    let said = workspace.check(&["bomb.jar"]).exits(2);
    said.warns(&["Bomb", "nothing could be checked"]);
    // The same size, only claimed: 4 GB in the directory of the archive.
    let mut liar = Vec::new();
    let mut jar = ZipWriter::new(std::io::Cursor::new(&mut liar));
    jar.start_file("Verdicts.class", SimpleFileOptions::default()).expect("an entry");
    jar.write_all(&class).expect("a class");
    jar.finish().expect("a jar");
    let entry = find(&liar, b"PK\x01\x02");
    liar[entry + 24..entry + 28].copy_from_slice(&0xffff_fffeu32.to_le_bytes());
    workspace.write("liar.jar", &liar);
    workspace.check(&["liar.jar", "--method", "same"]);
}

#[test]
fn a_jar_whose_entries_lead_out_of_it() {
    let (workspace, class) = compiled();
    let mut bytes = Vec::new();
    let mut jar = ZipWriter::new(std::io::Cursor::new(&mut bytes));
    for name in ["../../Verdicts.class", "/Verdicts.class", "p/Other.class", "Verdicts.class"] {
        jar.start_file(name, SimpleFileOptions::default()).expect("an entry");
        jar.write_all(&class).expect("a class");
    }
    jar.finish().expect("a jar");
    workspace.write("odd.jar", &bytes);
    let said = workspace.check(&["odd.jar", "--method", "same"]).exits(3);
    said.shows(&["1 verified"]).warns(&["p.Other"]);
}

fn find(bytes: &[u8], part: &[u8]) -> usize {
    bytes.windows(part.len()).position(|w| w == part).expect("a part of the archive")
}

/// A class file that holds another class than its bytes once did: names of equal length are swapped.
fn renamed(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    let mut entry = (from.len() as u16).to_be_bytes().to_vec();
    entry.extend(from.bytes());
    let at = find(bytes, &entry);
    let mut named = (to.len() as u16).to_be_bytes().to_vec();
    named.extend(to.bytes());
    [&bytes[..at], &named, &bytes[at + entry.len()..]].concat()
}

#[test]
fn a_class_that_calls_itself_one_of_the_jdk_is_refused_by_itself() {
    let (workspace, bytes) = compiled();
    for name in ["java/lang/Object", "java/lang/String", "java/evil/Own"] {
        workspace.write("Hostile.class", renamed(&bytes, "Verdicts", name));
        let java = name.replace('/', ".");
        let sentence = format!("left out, because the class calls itself {java}");
        named_and_survived(&workspace, "Hostile.class", &sentence);
        // Beside its neighbours in a directory, in a jar, and on the class path.
        workspace.write("d/Hostile.class", renamed(&bytes, "Verdicts", name));
        workspace.write("d/Verdicts.class", &bytes);
        let said = workspace.check(&["d", "--method", "same"]);
        said.shows(&["ok         Verdicts.same(int)"]).warns(&[&sentence]);
        let hostile = renamed(&bytes, "Verdicts", name);
        let jar = jar(&[(&format!("{name}.class"), &hostile), ("Verdicts.class", &bytes)]);
        workspace.write("hostile.jar", &jar);
        let said = workspace.check(&["hostile.jar", "--method", "same"]);
        said.shows(&["ok         Verdicts.same(int)"]).warns(&[&sentence]);
        let library = ["Verdicts.class", "--method", "divide", "--classpath", "hostile.jar"];
        workspace.check(&library).exits(1).shows(&["division by zero"]);
    }
}

/// A jar of these entries, stored as they are.
fn jar(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut jar = ZipWriter::new(std::io::Cursor::new(&mut bytes));
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for (name, content) in entries {
        jar.start_file(*name, stored).expect("an entry");
        jar.write_all(content).expect("a class");
    }
    jar.finish().expect("a jar");
    bytes
}

#[test]
fn entries_of_jars_are_called_what_they_are() {
    let (workspace, class) = compiled();
    let other = renamed(&class, "Verdicts", "Othervers");
    let good = jar(&[("Othervers.class", &other), ("Verdicts.class", &class)]);
    let (local, central) = (find(&good, b"PK\x03\x04"), find(&good, b"PK\x01\x02"));
    let said = |name: &str, bytes: Vec<u8>, sentence: &str| {
        workspace.write(name, bytes);
        let said = workspace.check(&[name, "--method", "same"]);
        let said = said.shows(&["ok         Verdicts.same(int)"]);
        said.warns(&[&format!("Othervers: {sentence}")]);
    };
    let mut encrypted = good.clone();
    encrypted[local + 6] |= 1;
    encrypted[central + 8] |= 1;
    said("encrypted.jar", encrypted, "the entry is encrypted");
    let mut unknown = good.clone();
    unknown[local + 8] = 97;
    unknown[central + 10] = 97;
    said("unknown.jar", unknown, "the entry cannot be unpacked");
    let mut damaged = good.clone();
    damaged[find(&good, b"\xca\xfe\xba\xbe") + 40] ^= 0xff;
    said("damaged.jar", damaged, "the entry is damaged");
    let mut nameless = good.clone();
    for (at, flags, name) in [(local, 6, 30), (central, 8, 46)] {
        // It says that the name is UTF-8, and it is not.
        nameless[at + flags + 1] |= 8;
        nameless[at + name] = 0xff;
    }
    workspace.write("nameless.jar", nameless);
    let bad = workspace.check(&["nameless.jar", "--method", "same"]).exits(3);
    bad.warns(&["thervers: the file holds Othervers instead"]);
    let text = jar(&[("Othervers.class", b"no class"), ("Verdicts.class", &class)]);
    said("text.jar", text, "the entry is not a class file");
}

#[test]
fn many_large_entries_that_are_no_classes_cost_nothing() {
    let (workspace, class) = compiled();
    let mut bytes = Vec::new();
    let mut jar = ZipWriter::new(std::io::Cursor::new(&mut bytes));
    let deflated = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    let zeros = vec![0; 20 << 20];
    for number in 0..12 {
        jar.start_file(format!("Large{number}.class"), deflated).expect("an entry");
        jar.write_all(&zeros).expect("zeros");
        jar.start_file(format!("more/large{number}.bin"), deflated).expect("an entry");
        jar.write_all(&zeros).expect("zeros");
    }
    jar.start_file("Verdicts.class", deflated).expect("an entry");
    jar.write_all(&class).expect("a class");
    jar.finish().expect("a jar");
    workspace.write("large.jar", &bytes);
    let said = workspace.check(&["large.jar", "--method", "same"]);
    said.warns(&["Large11: the entry is larger than 16 MB, which no class file is"]);
}
