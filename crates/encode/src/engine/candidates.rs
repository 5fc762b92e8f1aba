//! The classes around the checked one, and which objects their references may hold; see
//! `input/candidates.rs` and `input/world.rs`.

use std::rc::Rc;

use ir::ClassId;
use rustc_hash::FxHashMap;

use crate::engine::Instances;
use crate::state::atom::Atom;

/// The classes that matter, and what references of each may hold.
pub(crate) struct Candidates<'a> {
    /// The classes under verification.
    pub given: &'a [ClassId],
    /// What the checked class leads to by name; see `input/world.rs`.
    pub relevant: Rc<[ClassId]>,
    /// Array classes and library classes that the code around the method asks objects about.
    pub asked_about: Rc<[ClassId]>,
    /// What type variables stand for; see `input/instances.rs`.
    pub instances: Instances,
    of: FxHashMap<ClassId, Rc<[Atom]>>,
}

impl<'a> Candidates<'a> {
    pub fn new(given: &'a [ClassId]) -> Candidates<'a> {
        Candidates {
            given,
            relevant: Rc::new([]),
            asked_about: Rc::new([]),
            instances: Instances::default(),
            of: FxHashMap::default(),
        }
    }

    /// What references of a class may hold, if that has been worked out.
    pub fn of(&self, class: ClassId) -> Option<Rc<[Atom]>> {
        self.of.get(&class).cloned()
    }

    pub fn set(&mut self, class: ClassId, atoms: Rc<[Atom]>) {
        self.of.insert(class, atoms);
    }
}
