//! What type variables stand for in the input, and what has been demanded so; see
//! `input/instances.rs`.

use std::rc::Rc;

use ir::{ClassId, MethodId};
use logic::Lit;
use rustc_hash::FxHashMap;
use spec::resolve::TypeVariables;

use crate::state::atom::Atom;
use crate::state::leaves::LeafKey;
use crate::state::value::Ref;

/// The type variables around the method, and the arrays that they speak of.
#[derive(Default)]
pub(crate) struct Instances {
    pub variables: Rc<TypeVariables>,
    /// The method that they are around.
    pub method: Option<MethodId>,
    /// What the elements of an array must be, where a literal holds.
    pub arrays: FxHashMap<Atom, Vec<(Typing, Lit)>>,
    /// The elements that have been made up.
    pub elements: FxHashMap<Atom, Vec<(LeafKey, Ref)>>,
}

/// The types that a reference may be of, one of which it is in each input.
#[derive(Clone)]
pub(crate) struct Typing {
    /// The free variable that says which one.
    pub variable: Option<usize>,
    pub classes: Rc<[ClassId]>,
}
