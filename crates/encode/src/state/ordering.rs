//! Which numbers of the input are symbols of an order; see `input/order.rs`.

use std::collections::BTreeSet;

use logic::Unknown;
use rustc_hash::FxHashMap;

use crate::state::leaves::{LeafClass, LeafKey};

/// Which leaves are ordered. By default none: who drives the engine has to be ready to start
/// again.
#[derive(Default)]
pub(crate) struct Ordering {
    pub(crate) in_use: bool,
    pub(crate) arithmetic: BTreeSet<LeafClass>,
    pub(crate) leaves: FxHashMap<Unknown, (LeafKey, LeafClass)>,
    pub(crate) keys: FxHashMap<LeafKey, Unknown>,
    /// Classes that turned out to need bits.
    pub(crate) exposed: BTreeSet<LeafClass>,
    /// Constraints whose dependence on bits has been looked at.
    pub(crate) looked_at: usize,
}

impl Ordering {
    /// Whether the current run is in vain.
    pub fn is_abandoned(&self) -> bool {
        !self.exposed.is_empty()
    }
}
