//! Files on disk for unit tests.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

/// A directory with these files.
pub fn tree(files: &[(&str, &str)]) -> TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    write(directory.path(), files);
    directory
}

/// Adds these files to a directory.
pub fn write(directory: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let path = directory.join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
        fs::write(path, text).expect("a file");
    }
}
