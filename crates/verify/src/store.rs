//! Tight bounds are kept: methods with the same invariants, scope and roots share one computation, and
//! so do runs, if the store outlives them. What a store hands out is checked against the layout; what
//! does not fit counts as not found. Without I/O: the binary brings a store that lasts.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use std::sync::{Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use encode::bounds::Bounds;
use encode::portable::{PortableBounds, PortableRow, PortableValues};
use encode::{Scope, Subject};
use ir::MethodId;
use sha2::{Digest, Sha256};

use crate::options::Options;
use crate::progress::{Activity, Watch};
use crate::schedule::on_threads;
use crate::tighten::{BoundsUse, LaidOut, tighten};

/// Between two writes of what is known so far.
const INTERIM: Duration = Duration::from_millis(500);

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

    /// Waits until nobody else is at work on a key; `None` if the deadline or an interruption comes
    /// first.
    fn reserve(&self, key: &str, deadline: Option<Instant>, watch: &Watch) -> Option<Reserved<'_>> {
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
struct Reserved<'a> {
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

/// Bounds for a method.
pub struct Found {
    pub bounds: Bounds,
    pub entry: Entry,
}

/// How bounds came about, and what is kept of them.
pub struct Entry {
    pub how: BoundsUse,
    /// Empty without a store.
    pub key: String,
    pub stored: StoredBounds,
    /// What each reference may be before anything is excluded.
    pub candidates: Vec<PortableRow>,
}

/// The bounds for a method, from the store or computed; `None` if its input is not laid out.
pub fn find<'a>(
    subject: Subject<'a>,
    method: MethodId,
    options: &'a Options,
    deadline: Option<Instant>,
) -> Option<Found> {
    let start = Instant::now();
    let laid_out = LaidOut::new(subject, method, options, deadline)?;
    let program = subject.program;
    let candidates = laid_out.survey.to_portable(program);
    let mut stored = StoredBounds {
        class: program.class_name(program.method(method).class).to_string(),
        roots: roots(&candidates) + &required(&laid_out, program, method),
        scope: scope_text(&options.scope),
        before: laid_out.entries() as u64,
        ..StoredBounds::default()
    };
    // Where nothing can be excluded nothing needs to be kept.
    let shelf = options.store.as_deref().filter(|_| laid_out.entries() > 0);
    let key = shelf.map_or(String::new(), |shelf| key(&laid_out, options, shelf));
    let _reserved = match shelf {
        Some(shelf) => Some(shelf.reserve(&key, deadline, &options.watch)?),
        None => None,
    };
    let kept = shelf.and_then(|shelf| shelf.store.get(&key));
    let known = kept.and_then(|kept| {
        let bounds = laid_out.engine().from_portable(&laid_out.survey, &kept.bounds)?;
        Some((kept, bounds))
    });
    let mut spent = 0;
    let known = match known {
        Some((kept, bounds)) if kept.complete => {
            let entry = Entry { how: BoundsUse::Hit, key, stored: kept, candidates };
            return Some(Found { bounds, entry });
        }
        Some((kept, bounds)) => {
            spent = kept.milliseconds;
            Some(bounds)
        }
        None => None,
    };
    let mut put = |bounds: &Bounds, complete: bool| {
        stored.bounds = bounds.to_portable(program);
        stored.after = stored.bounds.entries() as u64;
        stored.complete = complete;
        stored.milliseconds = spent + start.elapsed().as_millis() as u64;
        if let Some(shelf) = shelf {
            shelf.store.put(&key, &stored);
        }
    };
    let mut last = Instant::now();
    let mut interim = |bounds: &Bounds| {
        if last.elapsed() >= INTERIM {
            put(bounds, false);
            last = Instant::now();
        }
    };
    let from = (laid_out, known);
    let tight = tighten(subject, method, options, deadline, from, &mut interim)?;
    put(&tight.bounds, tight.complete);
    let entry = Entry { how: BoundsUse::Computed, key, stored, candidates };
    Some(Found { bounds: tight.bounds, entry })
}

/// Finds or computes the bounds of many methods, each for at most the time of `options`.
pub fn find_all(
    subject: Subject<'_>,
    methods: &[MethodId],
    options: &Options,
    jobs: usize,
    mut done: impl FnMut(MethodId, Option<Entry>),
) {
    let work = |method| {
        options.watch.tell(method, Activity::Started);
        let deadline = options.timeout.map(|t| Instant::now() + t);
        let find = std::panic::AssertUnwindSafe(|| find(subject, method, options, deadline));
        // A failure of ours on one method must not take the others along.
        let found = std::panic::catch_unwind(find).unwrap_or(None);
        options.watch.tell(method, Activity::Done);
        (method, found.map(|found| found.entry))
    };
    on_threads(methods, jobs, work, |(method, found)| done(method, found));
}

fn key(laid_out: &LaidOut<'_>, options: &Options, shelf: &Shelf) -> String {
    let fingerprint = laid_out.engine().fingerprint(&laid_out.survey);
    let mut hash = Sha256::new();
    hash.update(fingerprint.text.as_bytes());
    hash.update(format!("order {}\njdk {}\n", options.order, shelf.jdk).as_bytes());
    if fingerprint.reads_code {
        hash.update(format!("libraries {}\n", *shelf.libraries).as_bytes());
    }
    let mut key = String::new();
    for byte in hash.finalize() {
        let _ = write!(key, "{byte:02x}");
    }
    key
}

fn roots(candidates: &[PortableRow]) -> String {
    let root = |row: &PortableRow| match (&*row.owner, &*row.field) {
        (owner, "") => Some(owner.to_string()),
        ("static", field) => Some(field.to_string()),
        _ => None,
    };
    candidates.iter().filter_map(root).collect::<Vec<_>>().join(", ")
}

/// Whose preconditions the bounds depend on, if they do.
fn required(laid_out: &LaidOut<'_>, program: &ir::Program, method: MethodId) -> String {
    match laid_out.engine().binding_contract() {
        Some(_) => format!(" as {} requires", program.signature(program.method(method))),
        None => String::new(),
    }
}

/// A scope as `--scope` takes it.
fn scope_text(scope: &Scope) -> String {
    let mut text = scope.objects.to_string();
    for (class, number) in &scope.per_class {
        let _ = write!(text, ",{class}={number}");
    }
    text
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
        assert!(shelf.reserve("key", Some(Instant::now() + INTERIM), &Watch::default()).is_some());
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
