//! Verdicts of earlier runs, by everything that they depend on.
//!
//! A verdict is kept only if another run could not do better: not what time, memory or an interruption
//! left open, and nothing that the JVM has not confirmed. Whatever is wrong with the store counts as not
//! found.

mod dependencies;

use std::collections::HashMap;

use ir::MethodId;
use rusqlite::{Connection, OptionalExtension, params};
use sha2::{Digest, Sha256};
use verify::{Cause, MethodResult, Options, Replay, Review, Verdict, Watch};

use crate::cli::CheckArgs;
use crate::contents::{Contents, hex};
use crate::database::{self, Kind, Trouble, now};
use crate::jdk::Jdk;
use crate::project::Project;
use crate::screen::complain;
use dependencies::Dependencies;

const KIND: Kind = Kind {
    name: "store of verdicts",
    file: "verdicts.db",
    application: 0x4a61_7276,
    schema: 1,
    tables: "CREATE TABLE verdicts (
                 key TEXT PRIMARY KEY,
                 size INTEGER NOT NULL,
                 used INTEGER NOT NULL,
                 record TEXT NOT NULL
             ) WITHOUT ROWID;
             CREATE INDEX verdicts_used ON verdicts (used);",
};

/// What was not used for long makes room beyond so many bytes.
const MOST_BYTES: f64 = 256e6;

/// Seconds between two notes that a verdict was used.
const USED_INTERVAL: i64 = 24 * 3600;

/// The store, with the keys of a run.
pub struct Cache {
    connection: Connection,
    dependencies: Dependencies,
    keys: HashMap<MethodId, String>,
    replays: bool,
}

impl Cache {
    /// Opens the store for a run; `None` if there is none, which is said once.
    pub fn open(
        args: &CheckArgs,
        jdk: &Jdk,
        project: &Project,
        options: &Options,
    ) -> Option<Cache> {
        if args.no_cache {
            return None;
        }
        let connection = match database::open_own(&KIND) {
            Ok(connection) => connection,
            Err(why) => {
                complain(&format!("warning: {why}; nothing is known from earlier runs"));
                return None;
            }
        };
        let common = common(args, jdk, project, options)?;
        let dependencies = Dependencies::of(project, &common);
        let replays = args.replay == crate::cli::Switch::On;
        Some(Cache { connection, dependencies, keys: HashMap::new(), replays })
    }

    /// Says which methods are checked, once all that is assumed of objects is known.
    pub fn expect(&mut self, project: &Project, methods: &[MethodId]) {
        let program = &project.program;
        for (class, contract) in &project.contracts.classes {
            let texts = contract.inferred.iter().map(|clause| &*clause.site.text);
            self.dependencies.note_assumed(program.class_name(*class), texts);
        }
        for id in methods {
            let method = program.method(*id);
            let class = program.class_name(method.class);
            let types: Vec<&str> = method.params.iter().map(|t| program.type_name(*t)).collect();
            let name = format!("{}({})", method.name, types.join(","));
            self.keys.insert(*id, self.dependencies.key(class, &name));
        }
    }

    /// What was inferred of these very classes in an earlier run: class and clause.
    pub fn inferred(&self) -> Option<Vec<(String, String)>> {
        checked(&self.record(&self.dependencies.of_all()).ok()??)
    }

    /// Keeps what was inferred.
    pub fn put_inferred(&self, inferred: &[(String, String)]) {
        let text = serde_json::to_string(inferred).expect("texts can be written");
        self.write(&self.dependencies.of_all(), &text);
    }

    /// The verdict of an earlier run. It cost no time in this one.
    pub fn get(&self, method: MethodId) -> Option<MethodResult> {
        let key = self.keys.get(&method)?;
        let record = self.record(key).ok()??;
        let mut result: MethodResult = checked(&record)?;
        result.stats.time_ms = 0;
        result.stats.encode_ms = 0;
        result.stats.solve_ms = 0;
        result.stats.cached = true;
        Some(result)
    }

    fn record(&self, key: &str) -> Result<Option<String>, Trouble> {
        let mut query =
            self.connection.prepare_cached("SELECT record, used FROM verdicts WHERE key = ?1")?;
        let read = |row: &rusqlite::Row<'_>| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?));
        let Some((record, used)) = query.query_row([key], read).optional()? else {
            return Ok(None);
        };
        if now() - used > USED_INTERVAL {
            // Only matters once the store is full.
            let update = "UPDATE verdicts SET used = ?2 WHERE key = ?1";
            let _ = self.connection.execute(update, params![key, now()]);
        }
        Ok(Some(record))
    }

    /// Keeps a verdict, if it is worth keeping. A store that cannot be written is as good as none.
    pub fn put(&self, method: MethodId, result: &MethodResult) {
        let Some(key) = self.keys.get(&method).filter(|_| is_final(result, self.replays)) else {
            return;
        };
        let mut result = result.clone();
        if let Verdict::Violated(violations) = &mut result.verdict {
            violations.iter_mut().for_each(|v| v.review = Review::default());
        }
        let text = serde_json::to_string(&result).expect("a result has string keys");
        self.write(key, &text);
    }

    fn write(&self, key: &str, text: &str) {
        let record = format!("{} {text}", checksum(text));
        let _ = self.connection.execute(
            "INSERT OR REPLACE INTO verdicts (key, size, used, record) VALUES (?1, ?2, ?3, ?4)",
            params![key, record.len() as i64, now(), record],
        );
    }

    /// Makes room.
    pub fn tidy(&self) {
        let total = || {
            let query = "SELECT total(size) FROM verdicts";
            self.connection.query_row(query, [], |row| row.get::<_, f64>(0)).unwrap_or(0.0)
        };
        while total() > MOST_BYTES {
            let gone = self.connection.execute(
                "DELETE FROM verdicts WHERE key IN
                     (SELECT key FROM verdicts ORDER BY used, key LIMIT 100)",
                [],
            );
            if gone.unwrap_or(0) == 0 {
                return;
            }
        }
    }
}

/// Whether the same check would come to the same verdict again, however long it takes.
fn is_final(result: &MethodResult, replays: bool) -> bool {
    let lasts = |cause: &Cause| match cause {
        Cause::Unsupported { .. }
        | Cause::Unbounded { .. }
        | Cause::Specification { .. }
        | Cause::Vacuous(_)
        | Cause::Narrow(_)
        | Cause::Possible { is_searched: true, .. } => true,
        Cause::Timeout
        | Cause::Interrupted
        | Cause::Memory
        | Cause::Refuted(_)
        | Cause::Possible { is_searched: false, .. }
        | Cause::Internal(_)
        | Cause::Unusable { .. } => false,
    };
    match &result.verdict {
        Verdict::Verified { .. } => true,
        Verdict::Undecided(cause) => lasts(cause),
        Verdict::Violated(violations) => {
            let confirmed = violations.iter().all(|v| v.replay == Replay::Confirmed);
            (confirmed || !replays) && result.incomplete.as_ref().is_none_or(lasts)
        }
    }
}

/// What every verdict of a run depends on. `None` if the tool does not know itself.
fn common(args: &CheckArgs, jdk: &Jdk, project: &Project, options: &Options) -> Option<String> {
    let options = Options {
        // What is kept does not depend on these.
        timeout: None,
        threads: 1,
        store: None,
        watch: Watch::default(),
        memory: None,
        ..options.clone()
    };
    // What tells this build of the tool from others.
    let tool = Contents::open().hash(&std::env::current_exe().ok()?)?;
    Some(format!(
        "tool {} {tool}\njdk {}\n{options:?}\nreading {:?} replay {:?}\nlibraries {}",
        env!("CARGO_PKG_VERSION"),
        jdk.identity(),
        args.subject.reading(),
        args.replay,
        project.class_path.stamp()
    ))
}

fn checksum(text: &str) -> String {
    hex(&Sha256::digest(text)[..8])
}

/// What a record holds, if it is what was written.
fn checked<T: serde::de::DeserializeOwned>(record: &str) -> Option<T> {
    let (sum, text) = record.split_once(' ')?;
    (checksum(text) == sum).then(|| serde_json::from_str(text).ok())?
}
