//! How far references of the input have been ordered; see `input/symmetry.rs`.

use logic::Lit;
use rustc_hash::FxHashMap;

use crate::state::atom::Atom;

/// How far the positions have been gone through.
#[derive(Default)]
pub(crate) struct Symmetry {
    pub(crate) positions: usize,
    /// Whether an object is reached through positions in order.
    pub(crate) reached: FxHashMap<Atom, Lit>,
    /// Whether any position so far holds an object.
    pub(crate) held: FxHashMap<Atom, Lit>,
}
