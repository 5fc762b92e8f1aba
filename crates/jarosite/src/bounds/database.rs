//! The table that keeps bounds.

use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};
use verify::store::StoredBounds;

use crate::bounds::record;
use crate::database::{Kind, Trouble, now};

/// The file of bounds.
pub const KIND: Kind = Kind {
    name: "store of bounds",
    file: "bounds.db",
    application: 0x4a61_726f,
    schema: 1,
    tables: "CREATE TABLE bounds (
                 key TEXT PRIMARY KEY,
                 complete INTEGER NOT NULL,
                 remaining INTEGER NOT NULL,
                 size INTEGER NOT NULL,
                 written INTEGER NOT NULL,
                 used INTEGER NOT NULL,
                 record TEXT NOT NULL
             ) WITHOUT ROWID;
             CREATE INDEX bounds_used ON bounds (used);",
};

/// Bounds that were not used for long make room beyond so many bytes.
const MOST_BYTES: i64 = 64 << 20;

/// Seconds between two notes that a bound was used.
const USED_INTERVAL: i64 = 60;

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
    /// The table in an open file.
    pub fn on(connection: Connection) -> Database {
        Database { connection, most_bytes: MOST_BYTES }
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

#[cfg(test)]
#[path = "database_tests.rs"]
mod tests;
