//! What hostile code goes for: a file, a directory, a listening socket, a program that leaves a mark.

use std::fs;
use std::io;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;

use jarosite::jdk::Jdk;
use tempfile::TempDir;

/// A directory with a victim, a place for sources, and a socket.
pub struct Trap {
    directory: TempDir,
    listener: TcpListener,
}

impl Trap {
    pub fn new() -> Trap {
        let directory = tempfile::Builder::new().prefix("hostile").tempdir().expect("a directory");
        fs::write(directory.path().join("victim"), "alive").expect("a file");
        fs::create_dir(directory.path().join("program")).expect("a directory");
        let listener = TcpListener::bind("127.0.0.1:0").expect("a socket");
        listener.set_nonblocking(true).expect("a socket that can be asked");
        Trap { directory, listener }
    }

    /// Where the program is.
    pub fn program(&self) -> PathBuf {
        self.directory.path().join("program")
    }

    pub fn write(&self, name: &str, text: &str) {
        let file = self.program().join(name);
        fs::create_dir_all(file.parent().expect("a directory")).expect("a directory");
        fs::write(file, text).expect("a file");
    }

    /// Writes the class that does the harm, each kind by itself.
    pub fn arm(&self) {
        let path = |name: &str| format!("\"{}\"", self.directory.path().join(name).display());
        let port = self.listener.local_addr().expect("an address").port();
        let deeds = [
            format!("new java.io.File({}).delete();", path("victim")),
            format!("new java.io.FileOutputStream({}).close();", path("mark")),
            format!(
                "java.nio.file.Files.createDirectory(java.nio.file.Path.of({}));",
                path("made")
            ),
            format!("new java.net.Socket(\"127.0.0.1\", {port}).close();"),
            format!(
                "Runtime.getRuntime().exec(new String[] {{\"touch\", {}}}).waitFor();",
                path("touched")
            ),
        ];
        let deeds: String =
            deeds.iter().map(|d| format!("try {{ {d} }} catch (Throwable t) {{}}\n")).collect();
        let class =
            format!("public class Harm {{ public static int done() {{\n{deeds}return 1; }} }}");
        self.write("harm/Harm.java", &format!("package harm; {class}"));
    }

    /// What has been harmed.
    pub fn harm(&self) -> Vec<&'static str> {
        let exists = |name: &str| self.directory.path().join(name).exists();
        let connected = match self.listener.accept() {
            Ok(_) => true,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => false,
            Err(error) => panic!("the socket cannot be asked: {error}"),
        };
        let all = [
            ("deleted", !exists("victim")),
            ("written", exists("mark")),
            ("made", exists("made")),
            ("connected", connected),
            ("started", exists("touched")),
        ];
        all.into_iter().filter_map(|(what, is)| is.then_some(what)).collect()
    }

    /// Compiles all sources into `classes`.
    pub fn compile(&self) -> PathBuf {
        let jdk = Jdk::find().expect("a JDK");
        let classes = self.program().join("classes");
        let (mut sources, mut directories) = (Vec::new(), vec![self.program()]);
        while let Some(directory) = directories.pop() {
            for entry in fs::read_dir(directory).expect("a directory").flatten() {
                match entry.path() {
                    path if path.is_dir() => directories.push(path),
                    path if path.extension().is_some_and(|e| e == "java") => sources.push(path),
                    _ => {}
                }
            }
        }
        run(Command::new(jdk.javac)
            .args(["-nowarn", "-Xlint:none", "-d"])
            .arg(&classes)
            .args(sources));
        classes
    }
}

fn run(command: &mut Command) {
    let said = command.output().expect("it starts");
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
}

/// Without this, nothing that the other tests see would mean anything.
#[test]
fn the_trap_works() {
    let trap = Trap::new();
    trap.arm();
    trap.write(
        "Main.java",
        "class Main { public static void main(String[] a) { harm.Harm.done(); } }",
    );
    let classes = trap.compile();
    assert_eq!(trap.harm(), Vec::<&str>::new());
    let jdk = Jdk::find().expect("a JDK");
    run(Command::new(jdk.java).arg("-cp").arg::<&Path>(&classes).arg("Main"));
    assert_eq!(trap.harm(), ["deleted", "written", "made", "connected", "started"]);
}
