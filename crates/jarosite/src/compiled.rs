//! Compiled classes of earlier runs, so that unchanged sources are not compiled again.
//!
//! They are found by the bytes of everything that javac may read, which includes the sources that it
//! finds beside the given ones by itself.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::class_path::ClassPath;
use crate::contents::hex;
use crate::database;
use crate::files;
use crate::inputs::Inputs;
use crate::jdk::Jdk;
use crate::marking::Copies;
use crate::scratch::Scratch;

/// Directories of classes that are kept.
const MOST_KEPT: usize = 32;

/// Files below the roots of sources that are looked at before it is given up.
const MOST_FILES: usize = 50_000;

/// The place for the classes of some sources.
#[derive(Debug, PartialEq, Eq)]
pub struct Shelf {
    all: PathBuf,
    own: PathBuf,
}

impl Shelf {
    /// `None` if nothing can be kept.
    pub fn of(jdk: &Jdk, inputs: &Inputs, copies: &Copies) -> Option<Shelf> {
        let beside = sources_beside(inputs)?;
        let mut hash = Sha256::new();
        let mut put = |part: &[u8]| {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        };
        put(env!("CARGO_PKG_VERSION").as_bytes());
        put(jdk.identity().as_bytes());
        put(&inputs.sources.len().to_le_bytes());
        for path in inputs.sources.iter().map(|source| &source.path).chain(&beside) {
            put(path.as_os_str().as_encoded_bytes());
            put(&files::read(path).ok()?);
            put(&[u8::from(copies.path_of(path, Path::new("")).is_some())]);
        }
        put(ClassPath::new(inputs, None).0.stamp().as_bytes());
        let key = hex(&hash.finalize());
        let all = database::directory().ok()?.join("classes");
        Some(Shelf { own: all.join(key), all })
    }

    /// The classes, if they are there.
    pub fn find(&self) -> Option<PathBuf> {
        self.own.is_dir().then(|| {
            // Says that it is still of use; if that fails it is compiled again some day.
            let _ = fs::File::open(&self.own)
                .and_then(|d| d.set_modified(std::time::SystemTime::now()));
            self.own.clone()
        })
    }

    /// Keeps classes. What cannot be kept is compiled again.
    pub fn keep(&self, classes: &Path) {
        let _ = fs::create_dir_all(&self.all).and_then(|()| {
            let new = Scratch::new(&self.all, ".new-")?;
            let whole = new.path().join("classes");
            fs::create_dir(&whole)?;
            copy(classes, &whole)?;
            // From here on it is there as a whole; if another process was faster, its is the same.
            fs::rename(whole, &self.own)
        });
        self.make_room();
    }

    fn make_room(&self) {
        let kept = fs::read_dir(&self.all).into_iter().flatten().flatten();
        let is_kept =
            |entry: &fs::DirEntry| !entry.file_name().as_encoded_bytes().starts_with(b".");
        let age =
            |entry: fs::DirEntry| Some((entry.metadata().ok()?.modified().ok()?, entry.path()));
        let mut kept: Vec<_> = kept.filter(is_kept).filter_map(age).collect();
        kept.sort();
        kept.reverse();
        for (_, old) in kept.into_iter().skip(MOST_KEPT) {
            let _ = fs::remove_dir_all(old);
        }
    }
}

/// The sources below the roots of the given ones that are not given themselves; `None` if there is too
/// much to look at.
fn sources_beside(inputs: &Inputs) -> Option<BTreeSet<PathBuf>> {
    let identity = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let given: BTreeSet<PathBuf> = inputs.sources.iter().map(|s| identity(&s.path)).collect();
    let mut work = inputs.all_source_roots();
    let mut beside: BTreeSet<PathBuf> = inputs.beside.iter().map(|s| s.path.clone()).collect();
    let mut seen = beside.len();
    while let Some(directory) = work.pop() {
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            let path = entry.path();
            seen += 1;
            if seen > MOST_FILES {
                return None;
            }
            let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
            if path.extension().is_some_and(|e| e == "java") && !given.contains(&identity(&path)) {
                beside.insert(path);
            } else if path.is_dir() && !is_hidden {
                work.push(path);
            }
        }
    }
    Some(beside)
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            fs::create_dir(&target)?;
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
