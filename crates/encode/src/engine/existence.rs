//! Which objects of the input exist, where that matters; see `spec/existence.rs`.

use logic::Lit;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::state::atom::Atom;

/// Which objects of the input exist.
#[derive(Default)]
pub(crate) struct Existence {
    matters: bool,
    live: FxHashMap<Atom, Lit>,
    /// Those whose existence a specification has asked about.
    looked_at: FxHashSet<Atom>,
    /// Leaves that have been linked: what holds an object makes it exist.
    linked: usize,
}

impl Existence {
    /// From now on it matters which objects exist.
    pub fn begin(&mut self) {
        self.matters = true;
    }

    pub fn matters(&self) -> bool {
        self.matters
    }

    /// Whether an object exists, if that has been asked before.
    pub fn of(&self, atom: Atom) -> Option<Lit> {
        self.live.get(&atom).copied()
    }

    pub fn set(&mut self, atom: Atom, live: Lit) {
        self.live.insert(atom, live);
    }

    /// All objects that have been asked about.
    pub fn all(&self) -> impl Iterator<Item = (Atom, Lit)> {
        self.live.iter().map(|(atom, lit)| (*atom, *lit))
    }

    /// How many have been asked about.
    pub fn len(&self) -> usize {
        self.live.len()
    }

    /// A specification asks whether an object exists.
    pub fn look_at(&mut self, atom: Atom) {
        self.matters = true;
        self.looked_at.insert(atom);
    }

    pub fn is_looked_at(&self, atom: Atom) -> bool {
        self.looked_at.contains(&atom)
    }

    /// How many leaves have been linked.
    pub fn linked(&self) -> usize {
        self.linked
    }

    pub fn set_linked(&mut self, leaves: usize) {
        self.linked = leaves;
    }
}
