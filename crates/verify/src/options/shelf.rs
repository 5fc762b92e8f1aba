//! Where tight bounds are kept, and who is at work on which. Without I/O: the binary brings a store that
//! lasts.

use std::collections::{HashMap, HashSet};
use std::sync::{Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use encode::portable::{PortableBounds, PortableRow, PortableValues};

use super::progress::Watch;

/// How long somebody who waits does not look whether an end is wanted.
const GLANCE: Duration = Duration::from_millis(100);

/// Bounds as they are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredBounds {
    /// The class for whose methods they were computed first.
    pub class: String,
    /// What the input is reached from: `this`, `this, parameter 0 as put(Node) requires`.
    pub roots: String,
    /// As `--scope` takes it.
    pub scope: String,
    pub bounds: PortableBounds,
    /// Whether every entry is decided; if not, others may prove impossible still.
    pub complete: bool,
    /// Values of references before anything was excluded, and those that are left.
    pub before: u64,
    pub after: u64,
    /// What the computation took.
    pub milliseconds: u64,
}

/// Keeps bounds. Whatever goes wrong inside stays inside.
pub trait BoundsStore: Send + Sync {
    fn get(&self, key: &str) -> Option<StoredBounds>;
    fn put(&self, key: &str, stored: &StoredBounds);
}

/// A store for one run.
#[derive(Default)]
pub struct MemoryStore(Mutex<HashMap<String, StoredBounds>>);

impl BoundsStore for MemoryStore {
    fn get(&self, key: &str) -> Option<StoredBounds> {
        locked(&self.0).get(key).cloned()
    }

    fn put(&self, key: &str, stored: &StoredBounds) {
        locked(&self.0).insert(key.to_string(), stored.clone());
    }
}

/// A text that is only worked out if it is needed.
type Stamp = LazyLock<String, Box<dyn FnOnce() -> String + Send>>;

/// A store with what goes into every key, and who is at work on what.
pub struct Shelf {
    store: Box<dyn BoundsStore>,
    /// The JDK's version.
    jdk: String,
    /// What tells the libraries on the class path from others, once it matters.
    libraries: Stamp,
    busy: Mutex<HashSet<String>>,
    done: Condvar,
}

impl Default for Shelf {
    fn default() -> Shelf {
        Shelf::new(Box::new(MemoryStore::default()), String::new(), Box::new(String::new))
    }
}

impl std::fmt::Debug for Shelf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shelf").field("jdk", &self.jdk).finish_non_exhaustive()
    }
}

impl Shelf {
    /// A shelf for programs that run on this version of the JDK, with libraries that this text tells
    /// from others.
    pub fn new(
        store: Box<dyn BoundsStore>,
        jdk: String,
        libraries: Box<dyn FnOnce() -> String + Send>,
    ) -> Shelf {
        let libraries = LazyLock::new(libraries);
        Shelf { store, jdk, libraries, busy: Mutex::default(), done: Condvar::new() }
    }

    pub(crate) fn get(&self, key: &str) -> Option<StoredBounds> {
        self.store.get(key)
    }

    pub(crate) fn put(&self, key: &str, stored: &StoredBounds) {
        self.store.put(key, stored);
    }

    pub(crate) fn jdk(&self) -> &str {
        &self.jdk
    }

    pub(crate) fn libraries(&self) -> &str {
        &self.libraries
    }

    /// Waits until nobody else is at work on a key; `None` if the deadline or an interruption comes
    /// first.
    pub(crate) fn reserve(
        &self,
        key: &str,
        deadline: Option<Instant>,
        watch: &Watch,
    ) -> Option<Reserved<'_>> {
        let mut busy = locked(&self.busy);
        while busy.contains(key) {
            if watch.is_interrupted() {
                return None;
            }
            let wait = match deadline {
                None => GLANCE,
                Some(deadline) => deadline.checked_duration_since(Instant::now())?.min(GLANCE),
            };
            let waited = self.done.wait_timeout(busy, wait);
            busy = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        busy.insert(key.to_string());
        Some(Reserved { shelf: self, key: key.to_string() })
    }
}

/// Work on one key, until it is dropped.
pub(crate) struct Reserved<'a> {
    shelf: &'a Shelf,
    key: String,
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        locked(&self.shelf.busy).remove(&self.key);
        self.shelf.done.notify_all();
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether two of these rows are about one leaf, or hold what no row can hold.
pub fn is_well_formed(rows: &[PortableRow]) -> bool {
    let mut leaves = HashSet::new();
    rows.iter().all(|row| {
        let distinct = match &row.values {
            PortableValues::References(values) => {
                values.iter().collect::<HashSet<_>>().len() == values.len()
            }
            PortableValues::Numbers(values) => values.windows(2).all(|w| w[0] < w[1]),
        };
        distinct && !row.owner.is_empty() && leaves.insert((&row.owner, &row.field))
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn only_one_is_at_work_on_a_key() {
        let shelf = Arc::new(Shelf::default());
        let (inside, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let _reserved =
                            shelf.reserve("key", None, &Watch::default()).expect("no deadline");
                        let now = inside.fetch_add(1, Ordering::SeqCst) + 1;
                        most.fetch_max(now, Ordering::SeqCst);
                        std::thread::yield_now();
                        inside.fetch_sub(1, Ordering::SeqCst);
                    }
                });
            }
        });
        assert_eq!(most.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn who_waits_has_a_deadline() {
        let shelf = Shelf::default();
        let reserved = shelf.reserve("key", None, &Watch::default());
        let soon = Instant::now() + Duration::from_millis(20);
        assert!(shelf.reserve("key", Some(soon), &Watch::default()).is_none());
        assert!(shelf.reserve("other", Some(soon), &Watch::default()).is_some());
        drop(reserved);
        assert!(shelf.reserve("key", Some(Instant::now() + GLANCE), &Watch::default()).is_some());
    }

    #[test]
    fn rows_are_about_different_leaves() {
        let row = |owner: &str, values: &[&str]| PortableRow {
            owner: owner.into(),
            field: "p.N.next".into(),
            values: PortableValues::References(values.iter().map(ToString::to_string).collect()),
        };
        assert!(is_well_formed(&[row("p.N#0", &["null", "p.N#1"]), row("p.N#1", &[])]));
        assert!(!is_well_formed(&[row("p.N#0", &[]), row("p.N#0", &["null"])]));
        assert!(!is_well_formed(&[row("p.N#0", &["null", "null"])]));
        assert!(!is_well_formed(&[row("", &[])]));
    }
}
