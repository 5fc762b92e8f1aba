//! What files hold, in short: hashes. That of a large file is remembered as long as the file looks the
//! same, because to read it again would cost more than everything else.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::time::{Duration, SystemTime};

use rusqlite::{Connection, OptionalExtension, params};
use sha2::{Digest, Sha256};

use crate::database::{self, Kind};
use crate::files;

const KIND: Kind = Kind {
    name: "store of hashes",
    file: "hashes.db",
    application: 0x4a61_7268,
    schema: 1,
    tables: "CREATE TABLE hashes (
                 path TEXT PRIMARY KEY,
                 looks TEXT NOT NULL,
                 hash TEXT NOT NULL
             ) WITHOUT ROWID;",
};

/// A file that was written just now may be written again within the same tick of its clock.
const SETTLED: Duration = Duration::from_secs(2);

/// Bytes as digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Hashes of files, with what is remembered of them.
pub struct Contents {
    memory: Option<Connection>,
}

impl Contents {
    /// Uses the memory of this user; without one everything is read.
    pub fn open() -> Contents {
        Contents { memory: database::open_own(&KIND).ok() }
    }

    /// The hash of what a file holds; `None` if it cannot be read.
    pub fn hash(&self, file: &Path) -> Option<String> {
        let about = fs::metadata(file).ok()?;
        let modified = about.modified().ok()?;
        let path = std::path::absolute(file).ok()?.display().to_string();
        let looks = format!("{} {modified:?}", about.len());
        if let Some(known) = self.recall(&path, &looks) {
            return Some(known);
        }
        let hash = hex(digest(file).ok()?.as_ref());
        if SystemTime::now().duration_since(modified).is_ok_and(|age| age > SETTLED) {
            self.remember(&path, &looks, &hash);
        }
        Some(hash)
    }

    fn recall(&self, path: &str, looks: &str) -> Option<String> {
        let mut query = self
            .memory
            .as_ref()?
            .prepare_cached("SELECT hash FROM hashes WHERE path = ?1 AND looks = ?2")
            .ok()?;
        query.query_row([path, looks], |row| row.get(0)).optional().ok()?
    }

    /// If that fails it is worked out again.
    fn remember(&self, path: &str, looks: &str, hash: &str) {
        let insert = "INSERT OR REPLACE INTO hashes (path, looks, hash) VALUES (?1, ?2, ?3)";
        if let Some(memory) = &self.memory {
            let _ = memory.execute(insert, params![path, looks, hash]);
        }
    }
}

/// Piece by piece, because jars may be large.
fn digest(file: &Path) -> std::io::Result<impl AsRef<[u8]> + use<>> {
    let mut file = files::open(file)?;
    let (mut hash, mut piece) = (Sha256::new(), vec![0; 1 << 16]);
    loop {
        match file.read(&mut piece)? {
            0 => return Ok(hash.finalize()),
            read => hash.update(&piece[..read]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_remembered_until_the_file_looks_different() {
        let directory = tempfile::tempdir().expect("a directory");
        let memory = database::open(&directory.path().join("hashes.db"), &KIND).ok();
        let contents = Contents { memory };
        let file = directory.path().join("a.jar");
        let long_ago = SystemTime::now() - Duration::from_secs(100);
        let write = |text: &str, age: SystemTime| {
            fs::write(&file, text).expect("a file");
            let opened = fs::File::options().write(true).open(&file).expect("the file");
            opened.set_modified(age).expect("a time");
        };
        write("one", long_ago);
        let one = contents.hash(&file).expect("a hash");
        assert_eq!(one, hex(&Sha256::digest("one")));
        // Only the looks are compared.
        write("two", long_ago);
        assert_eq!(contents.hash(&file), Some(one.clone()));
        write("two", long_ago - Duration::from_secs(1));
        assert_eq!(contents.hash(&file), Some(hex(&Sha256::digest("two"))));
        // What has just been written is not remembered.
        write("six", SystemTime::now());
        assert_eq!(contents.hash(&file), Some(hex(&Sha256::digest("six"))));
        assert_eq!(contents.recall(&file.display().to_string(), "3"), None);
        assert_eq!(contents.hash(&directory.path().join("none.jar")), None);
    }
}
