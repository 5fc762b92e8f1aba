//! The sandbox of the JVM that judges: what a hostile program could do there if everything else
//! had failed is to use some memory and two processors for a while.
//!
//! Between `fork` and `exec` the child limits its resources, enters a Landlock domain without
//! write access (files, TCP, signals, abstract sockets) and installs a system-call filter
//! (`filter.rs`). The filter admits one way to start a program: through one descriptor that
//! closes itself when it is used, and whose number lies beyond the descriptors that can ever be
//! opened again. So `java` starts, and nothing after it. Neither needs privileges; each
//! alone forbids writing to files, so that a kernel without Landlock still has a wall.
//!
//! Elsewhere than on Linux there is no sandbox, and [`offered`] says so.

#[cfg(target_os = "linux")]
mod filter;
#[cfg(target_os = "linux")]
mod linux;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// How much of a sandbox this system has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protection {
    /// Landlock and a system-call filter.
    Complete,
    /// A system-call filter: it forbids what Landlock would.
    Filter,
    /// Landlock: programs can be started, but write no files.
    Landlock,
    /// Nothing.
    None,
}

impl Protection {
    /// For programs that read a report.
    pub fn name(self) -> &'static str {
        match self {
            Protection::Complete => "complete",
            Protection::Filter => "filter",
            Protection::Landlock => "landlock",
            Protection::None => "none",
        }
    }

    /// What whoever checks code that nobody trusts has to know; nothing if nothing is missing that matters.
    pub fn reservation(self) -> Option<&'static str> {
        match self {
            Protection::Complete | Protection::Filter => None,
            Protection::Landlock => Some(
                "the JVM that runs counterexamples has half a sandbox: this kernel offers Landlock, \
                 but no filter of system calls (seccomp)",
            ),
            Protection::None => Some(
                "the JVM that runs counterexamples has no sandbox: this system offers neither seccomp \
                 nor Landlock (use `--replay off` for code that nobody trusts)",
            ),
        }
    }
}

/// A program to be started inside.
#[derive(Clone, Debug)]
pub struct Inside {
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
    pub directory: PathBuf,
    /// Whether it reserves much more memory than it uses, and limits its use itself.
    pub reserves: bool,
}

impl Inside {
    pub fn new(program: &Path, directory: &Path) -> Inside {
        let (program, directory) = (program.to_path_buf(), directory.to_path_buf());
        Inside { program, arguments: Vec::new(), directory, reserves: false }
    }

    pub fn args<A: Into<OsString>>(mut self, arguments: impl IntoIterator<Item = A>) -> Inside {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }
}

/// What this system offers.
pub fn offered() -> Protection {
    #[cfg(target_os = "linux")]
    return linux::offered();
    #[cfg(not(target_os = "linux"))]
    Protection::None
}

/// The command that starts a program in as much of a sandbox as there is. Its streams are the
/// caller's to connect. An error means that the sandbox cannot be built although the system has it.
pub fn command(inside: &Inside) -> Result<std::process::Command, String> {
    let mut command = std::process::Command::new(&inside.program);
    command.args(&inside.arguments).current_dir(&inside.directory);
    command.env_clear().envs(std::env::vars_os().filter(|(name, _)| is_passed_on(name)));
    #[cfg(target_os = "linux")]
    linux::confine(&mut command, inside, offered())?;
    // Ctrl-C is for us: we end it. (On Linux it has a session of its own.)
    #[cfg(all(unix, not(target_os = "linux")))]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    Ok(command)
}

/// The environment may hold secrets and options of the JVM; the language and zone matter.
fn is_passed_on(name: &std::ffi::OsStr) -> bool {
    let name = name.to_string_lossy();
    let windows = ["SYSTEMROOT", "TEMP", "TMP"].contains(&name.to_uppercase().as_str());
    name == "LANG" || name == "TZ" || name.starts_with("LC_") || cfg!(windows) && windows
}
