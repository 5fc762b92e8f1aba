//! What the tests share: the JDK, compiling snippets, a program over them.
#![allow(dead_code)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, OnceLock};

use ir::{Code, Program};
use jvm::{ClassBytes, ClassFiles, JdkImage, Loader};

/// The JDK that `javac` belongs to.
fn java_home() -> PathBuf {
    if let Some(home) = std::env::var_os("JAVA_HOME") {
        return home.into();
    }
    let path = std::env::var_os("PATH").expect("there is a PATH");
    let javac = std::env::split_paths(&path).map(|dir| dir.join("javac")).find(|p| p.exists());
    let javac = javac.expect("javac is on the PATH").canonicalize().expect("javac exists");
    javac.ancestors().nth(2).expect("javac is in a JDK's bin").to_owned()
}

/// The JDK's class image, opened once.
pub fn jdk() -> Arc<JdkImage> {
    static IMAGE: OnceLock<Arc<JdkImage>> = OnceLock::new();
    let open = || JdkImage::open(&java_home().join("lib/modules")).expect("the JDK has an image");
    IMAGE.get_or_init(|| Arc::new(open())).clone()
}

/// Class files in memory, by internal name; all of them are given.
#[derive(Clone, Default)]
pub struct Classes(pub BTreeMap<String, Vec<u8>>);

impl ClassFiles for Classes {
    fn read(&self, internal_name: &str) -> Option<ClassBytes> {
        let bytes = self.0.get(internal_name)?.as_slice().into();
        Some(ClassBytes { bytes, given: true })
    }
}

/// Compiles sources (file name, text) with one call of javac.
pub fn compile(name: &str, sources: &[(&str, &str)]) -> Classes {
    let dir = std::env::temp_dir().join(format!("jarosite-{name}-{}", std::process::id()));
    let mut command = Command::new("javac");
    command.args(["-g", "-d"]).arg(dir.join("out"));
    for (file, text) in sources {
        let path = dir.join("src").join(file);
        std::fs::create_dir_all(path.parent().expect("it has a parent")).expect("a directory");
        std::fs::write(&path, text).expect("a source file");
        command.arg(path);
    }
    let output = command.output().expect("javac runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut classes = Classes::default();
    collect(&dir.join("out"), &dir.join("out"), &mut classes.0);
    std::fs::remove_dir_all(&dir).expect("the directory goes away");
    classes
}

fn collect(root: &Path, dir: &Path, into: &mut BTreeMap<String, Vec<u8>>) {
    for entry in std::fs::read_dir(dir).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(root, &path, into);
        } else if path.extension().is_some_and(|e| e == "class") {
            let name = path.strip_prefix(root).expect("it is below").with_extension("");
            let name = name.to_str().expect("a Unicode name").to_owned();
            into.insert(name, std::fs::read(&path).expect("a file"));
        }
    }
}

/// A program over these classes and the JDK.
pub fn program(classes: Classes) -> Program {
    let files: Vec<Box<dyn ClassFiles>> = vec![Box::new(classes), Box::new(jdk())];
    Program::new(Box::new(Loader::new(Box::new(files))))
}

/// What lowering every method of a class gave.
#[derive(Default, Debug)]
pub struct Tally {
    pub bodies: usize,
    pub intrinsics: usize,
    pub abstracts: usize,
    pub unsupported: Vec<String>,
    pub traps: BTreeMap<String, usize>,
    pub instrs: usize,
    pub moves: usize,
}

/// Lowers and validates every method of a class.
pub fn lower_all(program: &Program, class: &str, tally: &mut Tally) {
    let class = match program.class(program.class_id(class)) {
        Ok(class) => class,
        Err(why) => panic!("{class}: {why:?}"),
    };
    for method in &class.methods {
        match program.code(*method) {
            Code::Body(body) => {
                tally.bodies += 1;
                if let Err(why) = ir::validate::validate(body) {
                    panic!("{}: {why}", program.method_name(*method));
                }
                count(body, tally);
            }
            Code::Intrinsic(_) => tally.intrinsics += 1,
            Code::Abstract => tally.abstracts += 1,
            Code::Unsupported(why) => tally.unsupported.push(why.to_string()),
        }
    }
}

fn count(body: &ir::Body, tally: &mut Tally) {
    for block in &body.blocks {
        tally.instrs += block.instrs.len();
        let moves = block.instrs.iter().filter(|i| matches!(i.op, ir::Op::Move { .. }));
        tally.moves += moves.count();
        if let ir::Terminator::Unsupported { what } = &block.end {
            *tally.traps.entry(what.to_string()).or_default() += 1;
        }
    }
}
