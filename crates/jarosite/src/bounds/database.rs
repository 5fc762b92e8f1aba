//! The file that keeps bounds: an SQLite database that several processes use at once and that
//! survives the end of any of them at any moment.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, ErrorCode, OptionalExtension, TransactionBehavior, params};
use verify::store::StoredBounds;

use crate::bounds::record;

/// Says whose database it is: `Jaro`.
const APPLICATION: i64 = 0x4a61_726f;
const SCHEMA: i64 = 1;

/// How long a process waits for another that writes.
const PATIENCE: Duration = Duration::from_secs(10);

/// Bounds that were not used for long make room beyond so many bytes.
const MOST_BYTES: i64 = 64 << 20;

/// Seconds between two notes that a bound was used.
const USED_INTERVAL: i64 = 60;

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

/// What `list` shows of a bound.
pub struct Listed {
    pub stored: StoredBounds,
    /// Bytes in the store.
    pub size: u64,
    /// Since it was written.
    pub age: Duration,
}

/// An open database.
pub struct Database {
    connection: Connection,
    most_bytes: i64,
}

impl Database {
    /// Opens the file, and makes it if there is none.
    pub fn open(path: &Path) -> Result<Database, Trouble> {
        let connection = Connection::open(path)?;
        connection.busy_timeout(PATIENCE)?;
        let mut database = Database { connection, most_bytes: MOST_BYTES };
        if database.is_new()? {
            database.create()?;
        }
        // Without it everything works, but readers and writers wait for each other.
        let mode = |row: &rusqlite::Row<'_>| row.get::<_, String>(0);
        let _ = database.connection.query_row("PRAGMA journal_mode = WAL", [], mode);
        database.connection.execute_batch("PRAGMA synchronous = NORMAL")?;
        Ok(database)
    }

    /// As [`Database::open`], but a file that is of no use is moved aside. The sentence says so.
    pub fn open_or_replace(path: &Path) -> Result<(Database, Option<String>), Trouble> {
        match Database::open(path) {
            Err(Trouble::Broken(_)) => {}
            other => return Ok((other?, None)),
        }
        let lock = File::create(beside(path, ".lock")).map_err(unavailable)?;
        lock.lock().map_err(unavailable)?;
        // Another process may have been faster.
        let why = match Database::open(path) {
            Err(Trouble::Broken(why)) => why,
            other => return Ok((other?, None)),
        };
        let broken = beside(path, ".broken");
        fs::rename(path, &broken).map_err(unavailable)?;
        for end in ["-wal", "-shm", "-journal"] {
            let _ = fs::remove_file(beside(path, end));
        }
        let said = format!(
            "the store of bounds {} cannot be used ({why}): it is now {}, and a new one is made",
            path.display(),
            broken.display()
        );
        Ok((Database::open(path)?, Some(said)))
    }

    fn pragma(&self, name: &str) -> Result<i64, Trouble> {
        Ok(self.connection.query_row(&format!("PRAGMA {name}"), [], |row| row.get(0))?)
    }

    /// Whether nothing has been written to the file yet. Somebody else's is an error.
    fn is_new(&self) -> Result<bool, Trouble> {
        let application = self.pragma("application_id")?;
        let schema = self.pragma("user_version")?;
        let tables: i64 =
            self.connection.query_row("SELECT count(*) FROM sqlite_master", [], |r| r.get(0))?;
        match (application, schema, tables) {
            (APPLICATION, SCHEMA, _) => Ok(false),
            (0, 0, 0) => Ok(true),
            (APPLICATION, other, _) => {
                Err(Trouble::Broken(format!("its schema is {other}, not {SCHEMA}")))
            }
            _ => Err(Trouble::Broken("it is a database of another program".into())),
        }
    }

    fn create(&mut self) -> Result<(), Trouble> {
        // From here on nobody else writes; somebody may have before.
        self.connection.execute_batch("BEGIN IMMEDIATE")?;
        let made = match self.is_new() {
            Ok(true) => self
                .connection
                .execute_batch(&format!(
                    "CREATE TABLE bounds (
                         key TEXT PRIMARY KEY,
                         complete INTEGER NOT NULL,
                         remaining INTEGER NOT NULL,
                         size INTEGER NOT NULL,
                         written INTEGER NOT NULL,
                         used INTEGER NOT NULL,
                         record TEXT NOT NULL
                     ) WITHOUT ROWID;
                     CREATE INDEX bounds_used ON bounds (used);
                     PRAGMA application_id = {APPLICATION};
                     PRAGMA user_version = {SCHEMA};"
                ))
                .map_err(Trouble::from),
            other => other.map(|_| ()),
        };
        self.connection.execute_batch(if made.is_ok() { "COMMIT" } else { "ROLLBACK" })?;
        made
    }

    /// The bounds under a key. A row that is not what was written counts as none.
    pub fn get(&self, key: &str) -> Result<Option<StoredBounds>, Trouble> {
        let mut query =
            self.connection.prepare_cached("SELECT record, used FROM bounds WHERE key = ?1")?;
        let read = |row: &rusqlite::Row<'_>| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?));
        let Some((line, used)) = query.query_row([key], read).optional()? else {
            return Ok(None);
        };
        let found = record::parse(&line).ok().filter(|(own, _)| own == key);
        if found.is_some() && now() - used > USED_INTERVAL {
            // Only matters once the store is full.
            let update = "UPDATE bounds SET used = ?2 WHERE key = ?1";
            let _ = self.connection.execute(update, params![key, now()]);
        }
        Ok(found.map(|(_, stored)| stored))
    }

    /// Keeps bounds, unless better ones are there.
    pub fn put(&mut self, key: &str, stored: &StoredBounds) -> Result<(), Trouble> {
        let line = record::line(key, stored);
        let size = line.len() as i64;
        if size > self.most_bytes {
            return Ok(());
        }
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        transaction.execute(
            "INSERT INTO bounds (key, complete, remaining, size, written, used, record)
             VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6)
             ON CONFLICT (key) DO UPDATE SET complete = excluded.complete,
                 remaining = excluded.remaining, size = excluded.size,
                 written = excluded.written, used = excluded.used, record = excluded.record
             WHERE excluded.complete > complete
                 OR excluded.complete = complete AND excluded.remaining <= remaining",
            params![key, stored.complete, stored.after as i64, size, now(), line],
        )?;
        let total = || transaction.query_row("SELECT total(size) FROM bounds", [], |r| r.get(0));
        let mut kept: f64 = total()?;
        while kept > self.most_bytes as f64 {
            let gone = transaction.execute(
                "DELETE FROM bounds WHERE key IN
                     (SELECT key FROM bounds WHERE key <> ?1 ORDER BY used, key LIMIT 8)",
                [key],
            )?;
            if gone == 0 {
                break;
            }
            kept = total()?;
        }
        transaction.commit()?;
        Ok(())
    }

    /// Everything, as lines of JSON with their size and age, by key.
    pub fn lines(&self) -> Result<Vec<(String, u64, Duration)>, Trouble> {
        let mut query =
            self.connection.prepare("SELECT record, size, written FROM bounds ORDER BY key")?;
        let read = |row: &rusqlite::Row<'_>| {
            let written: i64 = row.get(2)?;
            let age = Duration::from_secs((now() - written).max(0).unsigned_abs());
            Ok((row.get(0)?, row.get::<_, i64>(1)?.unsigned_abs(), age))
        };
        let rows = query.query_map([], read)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Everything, sorted for a reader.
    pub fn list(&self) -> Result<Vec<Listed>, Trouble> {
        let mut all = Vec::new();
        for (line, size, age) in self.lines()? {
            if let Ok((_, stored)) = record::parse(&line) {
                all.push(Listed { stored, size, age });
            }
        }
        let order = |l: &Listed| {
            let s = &l.stored;
            (s.class.clone(), s.scope.clone(), s.roots.clone())
        };
        all.sort_by_key(order);
        Ok(all)
    }

    /// Removes everything; the number of bounds that were there.
    pub fn clear(&self) -> Result<usize, Trouble> {
        let gone = self.connection.execute("DELETE FROM bounds", [])?;
        // Gives the space back, unless somebody is reading.
        let _ = self.connection.execute_batch("VACUUM");
        Ok(gone)
    }
}

/// Seconds since 1970.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs() as i64)
}

fn unavailable(error: std::io::Error) -> Trouble {
    Trouble::Unavailable(error.to_string())
}

/// The file with more behind its name.
fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}

#[cfg(test)]
#[path = "database_tests.rs"]
mod tests;
