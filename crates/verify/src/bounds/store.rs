//! Tight bounds are kept: methods with the same invariants, scope and roots share one computation, and
//! so do runs, if the store outlives them. What a store hands out is checked against the layout; what
//! does not fit counts as not found.

use std::fmt::Write;
use std::time::{Duration, Instant};

use encode::bounds::Bounds;
use encode::portable::PortableRow;
use encode::{Scope, Subject};
use ir::MethodId;
use sha2::{Digest, Sha256};

use super::tighten::{LaidOut, tighten};
use crate::options::Options;
pub use crate::options::shelf::{BoundsStore, MemoryStore, Shelf, StoredBounds, is_well_formed};
use crate::result::BoundsUse;

/// Between two writes of what is known so far.
const INTERIM: Duration = Duration::from_millis(500);

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
    let kept = shelf.and_then(|shelf| shelf.get(&key));
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
            shelf.put(&key, &stored);
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

fn key(laid_out: &LaidOut<'_>, options: &Options, shelf: &Shelf) -> String {
    let fingerprint = laid_out.engine().fingerprint(&laid_out.survey);
    let mut hash = Sha256::new();
    hash.update(fingerprint.text.as_bytes());
    hash.update(format!("order {}\njdk {}\n", options.order, shelf.jdk()).as_bytes());
    if fingerprint.reads_code {
        hash.update(format!("libraries {}\n", shelf.libraries()).as_bytes());
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
