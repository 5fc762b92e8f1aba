//! The JVM process that runs the harness: one request a line in, one answer a line out.
//!
//! It is started and ended here and nowhere else; should this program die, the JVM reads the end
//! of its input and ends too.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::Value;

use super::harness;
use crate::interrupt;
use crate::jdk::Jdk;
use crate::sandbox::{self, Inside};
use crate::scratch::Scratch;

/// How long nobody looks whether an end is wanted.
const GLANCE: Duration = Duration::from_millis(100);

const COMPLAINTS: &str = "stderr";

/// A running JVM.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    requests: ChildStdin,
    answers: Receiver<String>,
    /// Holds what the JVM says about itself, and the harness where no cache can be written.
    scratch: Scratch,
}

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum Silence {
    /// The JVM ended.
    Died,
    /// Nothing came in time.
    Late,
    /// The user wanted an end.
    Interrupted,
}

impl Process {
    pub(super) fn start(jdk: &Jdk, is_unwanted: &dyn Fn() -> bool) -> Result<Process, String> {
        let fail = |error: std::io::Error| format!("the JVM cannot be started: {error}");
        let scratch = Scratch::new(&std::env::temp_dir(), "jarosite-replay-").map_err(fail)?;
        let classes = harness::classes(jdk, scratch.path(), is_unwanted)?;
        let complaints = File::create(scratch.path().join(COMPLAINTS)).map_err(fail)?;
        let mut command = sandbox::command(&java(jdk, &classes, scratch.path()))?;
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(complaints);
        let mut child = command.spawn().map_err(fail)?;
        let (Some(requests), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("the JVM cannot be started: it has no pipes".into());
        };
        Ok(Process { child, requests, answers: listen(output), scratch })
    }

    /// Sends a request and waits for its answer.
    pub(super) fn ask(
        &mut self,
        request: &impl Serialize,
        patience: Duration,
    ) -> Result<Value, Silence> {
        let mut line = serde_json::to_string(request).map_err(|_| Silence::Died)?;
        line.push('\n');
        let sent = self.requests.write_all(line.as_bytes());
        sent.and_then(|()| self.requests.flush()).map_err(|_| Silence::Died)?;
        let deadline = Instant::now() + patience;
        let answer = loop {
            match self.answers.recv_timeout(GLANCE.min(patience)) {
                Ok(answer) => break answer,
                Err(RecvTimeoutError::Timeout) if interrupt::is_requested() => {
                    return Err(Silence::Interrupted);
                }
                Err(RecvTimeoutError::Timeout) if Instant::now() < deadline => {}
                Err(RecvTimeoutError::Timeout) => return Err(Silence::Late),
                Err(RecvTimeoutError::Disconnected) => return Err(Silence::Died),
            }
        };
        serde_json::from_str(&answer).map_err(|_| Silence::Died)
    }
}

impl Process {
    /// The first line that the JVM wrote to its standard error, to explain a failed start.
    pub(super) fn complaint(&self) -> String {
        let said = std::fs::read(self.scratch.path().join(COMPLAINTS)).unwrap_or_default();
        let said = String::from_utf8_lossy(&said);
        said.lines().next().unwrap_or("it said nothing").to_string()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Its own child, which may be in an endless loop; failure means that it has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn java(jdk: &Jdk, classes: &Path, scratch: &Path) -> Inside {
    Inside::new(&jdk.java, scratch)
        .args(["-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"])
        .args(["-Xmx512m", "-Xss16m"])
        // Nothing outside is told of it or can attach itself.
        .args(["-XX:-UsePerfData", "-XX:+DisableAttachMechanism"])
        // Traces must be there even for exceptions that the JIT would throw without one.
        .args(["-XX:-OmitStackTraceInFastThrow", "-XX:-CreateCoredumpOnCrash"])
        .args([format!("-XX:ErrorFile={}", scratch.join("crash").display())])
        .args(harness::EXPORTS)
        .args([OsStr::new("-cp"), classes.as_os_str(), OsStr::new(harness::MAIN)])
}

/// Answers start with `@`; everything else is noise from the JVM or the program.
fn listen(output: ChildStdout) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut reader = BufReader::new(output);
        let mut line = Vec::new();
        while matches!(reader.read_until(b'\n', &mut line), Ok(count) if count > 0) {
            if let Some(answer) = line.strip_prefix(b"@") {
                let answer = String::from_utf8_lossy(answer).into_owned();
                if sender.send(answer).is_err() {
                    return;
                }
            }
            line.clear();
        }
    });
    receiver
}
