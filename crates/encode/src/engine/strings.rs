//! Strings that nobody has looked at yet; see `exec/strings.rs`.

use std::rc::Rc;
use std::sync::Arc;

use ir::Type;
use logic::Lit;
use rustc_hash::FxHashMap;

use crate::state::State;
use crate::state::atom::Atom;
use crate::state::value::Value;

/// A concatenation that nobody has looked at: its pieces, and the state in which they were
/// joined.
pub(crate) struct Pending {
    pub pieces: Vec<Part>,
    pub state: State,
}

/// A piece of a concatenation.
#[derive(Clone)]
pub(crate) enum Part {
    Text(Arc<[u16]>),
    Value(Value, Type),
}

/// Strings whose characters are not known yet, or not in every execution.
#[derive(Default)]
pub(crate) struct Strings {
    pending: FxHashMap<Atom, Rc<Pending>>,
    /// Those that were worked out only for some executions, with the literal of those.
    partial: FxHashMap<Atom, Lit>,
}

impl Strings {
    /// A concatenation waits until somebody looks at it.
    pub fn put_off(&mut self, atom: Atom, pending: Pending) {
        self.pending.insert(atom, Rc::new(pending));
    }

    /// What a string has to be joined from, the first time that somebody looks at it.
    pub fn take(&mut self, atom: Atom) -> Option<Rc<Pending>> {
        self.pending.remove(&atom)
    }

    /// A string has been worked out for these executions only.
    pub fn note_partial(&mut self, atom: Atom, when: Lit) {
        self.partial.insert(atom, when);
    }

    /// The executions for which a string has been worked out, if not for all.
    pub fn partial(&self, atom: Atom) -> Option<Lit> {
        self.partial.get(&atom).copied()
    }
}
