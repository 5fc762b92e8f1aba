//! Files on disk for unit tests.

use std::fs;

use tempfile::TempDir;

/// A directory with these files.
pub fn tree(files: &[(&str, &str)]) -> TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    for (name, text) in files {
        let path = directory.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
        fs::write(path, text).expect("a file");
    }
    directory
}
