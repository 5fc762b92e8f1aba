//! The part of the input that is laid out, and what is known about it; see `layout/`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ir::{ClassId, FieldId};
use logic::{Bits, Edges, Lit, Reach};
use rustc_hash::FxHashMap;

use crate::engine::symmetry::Symmetry;
use crate::state::atom::{Atom, Name};
use crate::state::leaves::LeafKey;
use crate::state::value::Ref;

/// The part of the input that is laid out.
#[derive(Default)]
pub(crate) struct Layout {
    /// Every object, with the literal that says whether it is reached.
    pub reached: BTreeMap<Atom, Lit>,
    /// Every reference of an object or root, in canonical order.
    pub positions: Vec<Position>,
    /// For each object, the owners of references that may hold it, each with the literal that says so.
    pub holders: FxHashMap<Atom, Vec<(Option<Atom>, Lit)>>,
    /// Classes that are walked alone: their objects are numbered in the order of the walk.
    pub alone: BTreeSet<ClassId>,
}

/// A reference of the input.
#[derive(Clone)]
pub(crate) struct Position {
    pub key: LeafKey,
    /// The object that holds it; a root has none.
    pub owner: Option<Atom>,
    /// Beyond reaching the owner: an element is there if the array is long enough.
    pub inside: Lit,
    pub value: Ref,
}

/// For each leaf that is bounded, what it can be.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bounds {
    rows: FxHashMap<LeafKey, Row>,
    /// Sets of fields such that no two fields of a set, in whatever objects, hold the same object.
    pub unshared: Vec<BTreeSet<FieldId>>,
}

/// What one leaf can be.
#[derive(Clone, Debug, PartialEq)]
pub enum Row {
    /// Objects and null; ascending by number.
    References(Vec<Name>),
    /// Numbers as bits; ascending.
    Numbers(Vec<u64>),
}

impl Bounds {
    /// Says what a leaf can be.
    pub fn set(&mut self, key: LeafKey, row: Row) {
        self.rows.insert(key, row);
    }

    pub fn get(&self, key: &LeafKey) -> Option<&Row> {
        self.rows.get(key)
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// How many entries are left.
    pub fn entries(&self) -> usize {
        let sizes = self.rows.values().map(|row| match row {
            Row::References(names) => names.len(),
            Row::Numbers(values) => values.len(),
        });
        sizes.sum()
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = (&LeafKey, &Row)> {
        self.rows.iter()
    }

    /// How many entries of references are left.
    pub fn references(&self) -> usize {
        let sizes = self.rows.values().map(|row| match row {
            Row::References(names) => names.len(),
            Row::Numbers(_) => 0,
        });
        sizes.sum()
    }
}

impl Survey {
    /// The fields, in canonical order.
    pub fn fields(&self) -> Vec<FieldId> {
        let mut fields = Vec::new();
        for (key, _) in &self.references {
            if let LeafKey::Field(_, field) = key
                && !fields.contains(field)
            {
                fields.push(*field);
            }
        }
        fields
    }
}

/// How exact invariants are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Coarseness {
    /// Comparisons of computed numbers may have any outcome.
    pub allowed: bool,
    /// Whether the clause at hand has such a comparison.
    pub used: bool,
    /// Clauses so far, and those among them that have one.
    pub clauses: usize,
    pub coarse: usize,
}

/// What a laid-out input is made of.
pub struct Survey {
    /// References, each with what it may be, in canonical order.
    pub references: Vec<(LeafKey, Vec<(Name, Lit)>)>,
    /// Numbers of objects that are laid out, each with the literal that says whether its object is
    /// reached.
    pub numbers: Vec<(LeafKey, Bits, Lit)>,
    /// The objects.
    pub objects: Vec<Name>,
}

/// The layout of the input, if it has one, and what runs on it may assume.
#[derive(Default)]
pub(crate) struct LaidOut {
    layout: Option<Layout>,
    /// Whether something has asked for objects that are not laid out.
    is_left: bool,
    bounds: Option<Arc<Bounds>>,
    pub symmetry: Symmetry,
    pub survey: Surveying,
}

impl LaidOut {
    pub fn get(&self) -> Option<&Layout> {
        self.layout.as_ref()
    }

    pub fn is_some(&self) -> bool {
        self.layout.is_some()
    }

    pub fn set(&mut self, layout: Layout) {
        self.layout = Some(layout);
    }

    /// Takes the layout out for a moment; [`LaidOut::set`] puts it back.
    pub fn take(&mut self) -> Option<Layout> {
        self.layout.take()
    }

    /// Something needs objects that are not laid out, or may need them: where there is a layout,
    /// the run counts for nothing.
    pub fn leave(&mut self) {
        self.is_left |= self.layout.is_some();
    }

    pub fn is_left(&self) -> bool {
        self.is_left
    }

    pub fn set_bounds(&mut self, bounds: Arc<Bounds>) {
        self.bounds = Some(bounds);
    }

    pub fn bounds(&self) -> Option<&Bounds> {
        self.bounds.as_deref()
    }
}

/// Working out bounds: there only the layout is of interest, and what follows from invariants may
/// be weaker than they are.
#[derive(Default)]
pub(crate) struct Surveying {
    pub is_on: bool,
    pub reaching: Reach,
    /// Graphs that invariants speak of.
    pub spoken_of: Vec<Edges>,
    /// Constraints of what may hold more than is reached.
    pub loose_constraints: u32,
    pub coarseness: Coarseness,
}
