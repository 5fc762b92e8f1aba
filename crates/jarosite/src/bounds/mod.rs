//! The store of tight bounds on disk, and `jarosite bounds`, which is about it.
//!
//! A store only saves time: whatever is wrong with it gives one warning, and the run goes on with what
//! it computes itself.

mod command;
mod database;
mod draw;
mod record;

use std::sync::{Arc, Mutex, PoisonError};

use verify::store::{BoundsStore, MemoryStore, Shelf, StoredBounds};

use crate::database::Trouble;
use crate::jdk::Jdk;
use crate::project::Project;
use crate::screen::complain;

pub use command::run;
use database::Database;

/// The shelf for a run on a project.
pub fn shelf(jdk: &Jdk, project: &Project) -> Arc<Shelf> {
    let class_path = project.class_path.clone();
    let libraries = Box::new(move || class_path.stamp());
    Arc::new(Shelf::new(Box::new(LastingStore::open()), jdk.version.clone(), libraries))
}

/// Opens the store; says so if it had to be made anew. An error is a sentence.
fn open() -> Result<Database, String> {
    crate::database::open_own(&database::KIND).map(Database::on)
}

/// A store on disk, with one in memory that takes its place if need be.
struct LastingStore {
    database: Mutex<Option<Database>>,
    memory: MemoryStore,
}

impl LastingStore {
    fn open() -> LastingStore {
        let database = open();
        if let Err(why) = &database {
            complain(&format!("warning: {why}; bounds are kept for this run only"));
        }
        LastingStore { database: Mutex::new(database.ok()), memory: MemoryStore::default() }
    }

    /// Does something with the database, if there is one. One that breaks is replaced, one that
    /// cannot be used is done without.
    fn with<T>(&self, act: impl Fn(&mut Database) -> Result<T, Trouble>) -> Option<T> {
        let mut database = self.database.lock().unwrap_or_else(PoisonError::into_inner);
        let why = match act(database.as_mut()?) {
            Ok(value) => return Some(value),
            Err(Trouble::Unavailable(why)) => why,
            Err(Trouble::Broken(why)) => {
                *database = None;
                match open() {
                    Ok(new) => {
                        *database = Some(new);
                        return None;
                    }
                    Err(_) => why,
                }
            }
        };
        *database = None;
        complain(&format!(
            "warning: the store of bounds cannot be used any more: {why}; bounds are kept for this \
             run only"
        ));
        None
    }
}

impl BoundsStore for LastingStore {
    fn get(&self, key: &str) -> Option<StoredBounds> {
        let kept = self.with(|database| database.get(key)).flatten();
        kept.or_else(|| self.memory.get(key))
    }

    fn put(&self, key: &str, stored: &StoredBounds) {
        self.memory.put(key, stored);
        self.with(|database| database.put(key, stored));
    }
}
