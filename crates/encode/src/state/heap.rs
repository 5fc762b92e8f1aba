//! The mutable part of a state: fields and elements of every atom, and the static fields.
//!
//! A heap records only what was written (or allocated) since the run began. What is absent has
//! its initial value: a leaf of the input, or the default of its type for fresh objects.

use std::rc::Rc;

use ir::FieldId;
use logic::{Bits, Lit};

use crate::state::atom::Atom;
use crate::state::radix::Radix;
use crate::state::value::Value;

/// The contents of one atom, as far as they differ from the initial ones.
#[derive(Clone, Debug, Default)]
pub struct Contents {
    /// Ascending by field.
    fields: Vec<(FieldId, Value)>,
    /// Arrays: the length and the elements. Input arrays get theirs when first touched.
    pub array: Option<Array>,
}

/// An array. Elements at and after `elements.len()` have their default value and are never
/// written (such a write is cut off).
#[derive(Clone, Debug)]
pub struct Array {
    pub length: Bits,
    pub elements: Rc<Vec<Value>>,
}

impl Contents {
    pub fn field(&self, field: FieldId) -> Option<&Value> {
        let at = self.fields.binary_search_by_key(&field, |f| f.0).ok()?;
        Some(&self.fields[at].1)
    }

    pub fn set_field(&mut self, field: FieldId, value: Value) {
        match self.fields.binary_search_by_key(&field, |f| f.0) {
            Ok(at) => self.fields[at].1 = value,
            Err(at) => self.fields.insert(at, (field, value)),
        }
    }

    pub fn fields(&self) -> &[(FieldId, Value)] {
        &self.fields
    }
}

/// Everything that code can change. A clone is O(1).
#[derive(Clone, Default)]
pub struct Heap {
    pub objects: Radix<Rc<Contents>>,
    pub statics: Radix<Value>,
    /// Whether classes whose initialisers are late have been initialised, where that has changed.
    pub initialised: Radix<Lit>,
}

impl Heap {
    pub fn contents(&self, atom: Atom) -> Option<&Contents> {
        self.objects.get(atom.index()).map(|c| &**c)
    }

    pub fn contents_mut(&mut self, atom: Atom) -> &mut Contents {
        Rc::make_mut(self.objects.slot(atom.index()).get_or_insert_default())
    }

    /// Whether both say the very same of an object.
    pub fn shares(&self, other: &Heap, atom: Atom) -> bool {
        match (self.objects.get(atom.index()), other.objects.get(atom.index())) {
            (Some(mine), Some(theirs)) => Rc::ptr_eq(mine, theirs),
            (mine, theirs) => mine.is_none() && theirs.is_none(),
        }
    }

    /// Takes over everything that `newer` says.
    pub fn absorb(&mut self, newer: &Heap) {
        for (index, contents) in newer.objects.entries() {
            self.objects.set(index, contents.clone());
        }
        debug_assert!(newer.initialised.entries().is_empty(), "initialisers know no late ones");
        for (index, value) in newer.statics.entries() {
            self.statics.set(index, value.clone());
        }
    }
}
