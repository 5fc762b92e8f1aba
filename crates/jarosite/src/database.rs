//! Files that keep what was found out: SQLite databases that several processes use at once and that
//! survive the end of any of them at any moment. They only save time, so one that is of no use is
//! moved aside.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, ErrorCode};

use crate::screen::complain;

/// How long a process waits for another that writes.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a file is.
pub struct Kind {
    /// `store of bounds`.
    pub name: &'static str,
    /// `bounds.db`.
    pub file: &'static str,
    /// Says whose database it is.
    pub application: i64,
    pub schema: i64,
    /// The statements that make its tables.
    pub tables: &'static str,
}

/// Why a database cannot be used.
#[derive(Debug)]
pub enum Trouble {
    /// It is damaged or not ours.
    Broken(String),
    /// It cannot be opened, read or written.
    Unavailable(String),
}

impl From<rusqlite::Error> for Trouble {
    fn from(error: rusqlite::Error) -> Trouble {
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => Trouble::Broken("it is not a database".into()),
            Some(ErrorCode::DatabaseCorrupt) => Trouble::Broken("it is damaged".into()),
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                Trouble::Unavailable("another process keeps it locked".into())
            }
            _ => Trouble::Unavailable(error.to_string()),
        }
    }
}

/// Where files are kept: `JAROSITE_CACHE_DIR`, `$XDG_CACHE_HOME/jarosite` or `~/.cache/jarosite`.
pub fn directory() -> Result<PathBuf, Trouble> {
    let named = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let own = named("JAROSITE_CACHE_DIR").map(PathBuf::from);
    let shared = || named("XDG_CACHE_HOME").map(|cache| Path::new(&cache).join("jarosite"));
    let home = || std::env::home_dir().map(|home| home.join(".cache").join("jarosite"));
    let directory = own.or_else(shared).or_else(home);
    let directory = directory.ok_or_else(|| {
        Trouble::Unavailable("there is no home directory: set JAROSITE_CACHE_DIR".into())
    })?;
    fs::create_dir_all(&directory).map_err(|error| {
        Trouble::Unavailable(format!("{} cannot be made: {error}", directory.display()))
    })?;
    Ok(directory)
}

/// Opens the file of this user; says so if it had to be made anew. An error is a sentence.
pub fn open_own(kind: &Kind) -> Result<Connection, String> {
    let opened = directory().and_then(|directory| {
        let path = directory.join(kind.file);
        open_or_replace(&path, kind).map_err(|trouble| match trouble {
            Trouble::Unavailable(why) => Trouble::Unavailable(format!("{}: {why}", path.display())),
            broken @ Trouble::Broken(_) => broken,
        })
    });
    match opened {
        Ok((connection, said)) => {
            if let Some(said) = said {
                complain(&format!("warning: {said}"));
            }
            Ok(connection)
        }
        Err(Trouble::Broken(why) | Trouble::Unavailable(why)) => {
            Err(format!("the {} cannot be opened: {why}", kind.name))
        }
    }
}

/// Opens a file, and makes it if there is none.
pub fn open(path: &Path, kind: &Kind) -> Result<Connection, Trouble> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(PATIENCE)?;
    if is_new(&connection, kind)? {
        create(&connection, kind)?;
    }
    // Without it everything works, but readers and writers wait for each other.
    let mode = |row: &rusqlite::Row<'_>| row.get::<_, String>(0);
    let _ = connection.query_row("PRAGMA journal_mode = WAL", [], mode);
    connection.execute_batch("PRAGMA synchronous = NORMAL")?;
    Ok(connection)
}

/// As [`open`], but a file that is of no use is moved aside. The sentence says so.
pub fn open_or_replace(path: &Path, kind: &Kind) -> Result<(Connection, Option<String>), Trouble> {
    match open(path, kind) {
        Err(Trouble::Broken(_)) => {}
        other => return Ok((other?, None)),
    }
    let lock = File::create(beside(path, ".lock")).map_err(unavailable)?;
    lock.lock().map_err(unavailable)?;
    // Another process may have been faster.
    let why = match open(path, kind) {
        Err(Trouble::Broken(why)) => why,
        other => return Ok((other?, None)),
    };
    let broken = beside(path, ".broken");
    fs::rename(path, &broken).map_err(unavailable)?;
    for end in ["-wal", "-shm", "-journal"] {
        let _ = fs::remove_file(beside(path, end));
    }
    let said = format!(
        "the {} {} cannot be used ({why}): it is now {}, and a new one is made",
        kind.name,
        path.display(),
        broken.display()
    );
    Ok((open(path, kind)?, Some(said)))
}

fn pragma(connection: &Connection, name: &str) -> Result<i64, Trouble> {
    Ok(connection.query_row(&format!("PRAGMA {name}"), [], |row| row.get(0))?)
}

/// Whether nothing has been written to the file yet. Somebody else's is an error.
fn is_new(connection: &Connection, kind: &Kind) -> Result<bool, Trouble> {
    let application = pragma(connection, "application_id")?;
    let schema = pragma(connection, "user_version")?;
    let tables: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_master", [], |r| r.get(0))?;
    match (application, schema, tables) {
        (0, 0, 0) => Ok(true),
        (own, version, _) if (own, version) == (kind.application, kind.schema) => Ok(false),
        (own, other, _) if own == kind.application => {
            Err(Trouble::Broken(format!("its schema is {other}, not {}", kind.schema)))
        }
        _ => Err(Trouble::Broken("it is a database of another program".into())),
    }
}

fn create(connection: &Connection, kind: &Kind) -> Result<(), Trouble> {
    // From here on nobody else writes; somebody may have before.
    connection.execute_batch("BEGIN IMMEDIATE")?;
    let made = match is_new(connection, kind) {
        Ok(true) => connection
            .execute_batch(&format!(
                "{} PRAGMA application_id = {}; PRAGMA user_version = {};",
                kind.tables, kind.application, kind.schema
            ))
            .map_err(Trouble::from),
        other => other.map(|_| ()),
    };
    connection.execute_batch(if made.is_ok() { "COMMIT" } else { "ROLLBACK" })?;
    made
}

/// Seconds since 1970.
pub fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs() as i64)
}

fn unavailable(error: std::io::Error) -> Trouble {
    Trouble::Unavailable(error.to_string())
}

/// The file with more behind its name.
pub(crate) fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}
