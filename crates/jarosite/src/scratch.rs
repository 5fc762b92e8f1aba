//! Directories for a while, and those that killed runs have left.
//!
//! Whoever uses one holds the lock of a file in it; the system gives the lock back when the process
//! ends, however it ends. So a directory whose lock is free belongs to nobody.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

const LOCK: &str = ".lock";

/// How old a directory without a lock has to be: one that is just being made has none either.
const OLD: Duration = Duration::from_secs(3600);

/// A directory that goes when this does.
#[derive(Debug)]
pub struct Scratch {
    directory: TempDir,
    _lock: File,
}

impl Scratch {
    /// A new directory whose name begins with `prefix`. Those that nobody uses any more go.
    pub fn new(parent: &Path, prefix: &str) -> io::Result<Scratch> {
        sweep(parent, prefix);
        let directory = tempfile::Builder::new().prefix(prefix).tempdir_in(parent)?;
        let lock = File::create(directory.path().join(LOCK))?;
        lock.try_lock()?;
        Ok(Scratch { directory, _lock: lock })
    }

    pub fn path(&self) -> &Path {
        self.directory.path()
    }
}

/// Removes the directories of this kind that nobody uses any more.
pub fn sweep(parent: &Path, prefix: &str) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let is_ours = entry.file_name().to_str().is_some_and(|name| name.starts_with(prefix));
        // A link is not followed: somebody else may have put it there.
        if is_ours && entry.file_type().is_ok_and(|t| t.is_dir()) && is_left(&entry.path()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn is_left(directory: &Path) -> bool {
    match File::open(directory.join(LOCK)) {
        Ok(lock) => lock.try_lock().is_ok(),
        Err(_) => {
            let modified = fs::metadata(directory).and_then(|about| about.modified());
            let age = modified.map(|at| SystemTime::now().duration_since(at).unwrap_or_default());
            age.is_ok_and(|age| age > OLD)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_nobody_uses_goes() {
        let parent = tempfile::tempdir().expect("a directory");
        let used = Scratch::new(parent.path(), "replay-new-").expect("a directory");
        let left = parent.path().join("replay-new-left");
        let fresh = parent.path().join("replay-new-fresh");
        let other = parent.path().join("other");
        for directory in [&left, &fresh, &other] {
            fs::create_dir(directory).expect("a directory");
        }
        fs::write(left.join(LOCK), "").expect("a file");
        fs::write(left.join("half"), "").expect("a file");
        sweep(parent.path(), "replay-new-");
        assert_eq!([&left, &fresh, &other].map(|d| d.exists()), [false, true, true]);
        assert!(used.path().exists());
        let hour = SystemTime::now() - OLD - Duration::from_secs(1);
        File::open(&fresh).and_then(|d| d.set_modified(hour)).expect("an old directory");
        sweep(parent.path(), "replay-new-");
        assert!(!fresh.exists());
    }
}
