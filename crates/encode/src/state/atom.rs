//! Atoms: the objects of the bounded world. Each has one dynamic class for ever.

use std::fmt;
use std::sync::Arc;

use ir::{ClassId, FieldId, MethodId};
use logic::Lit;
use rustc_hash::FxHashMap;

/// An object, or null.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Atom(pub u32);

impl Atom {
    /// The null reference, which is an entry of reference values like any object.
    pub const NULL: Atom = Atom(0);

    /// Index into dense tables.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "@{}", self.0)
    }
}

/// What an atom is called, independently of the order in which atoms were made; two runs over
/// the same method agree on the names of everything but fresh objects.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Name {
    Null,
    /// The n-th object of a class in the input heap.
    Input(ClassId, u32),
    /// The byte array inside the n-th input string.
    InputChars(u32),
    /// The n-th object that the initialiser of a class allocates.
    Initialiser(ClassId, u32),
    /// A string literal.
    Literal(Arc<[u16]>),
    /// The array inside a string literal.
    LiteralChars(Arc<[u16]>),
    /// The object `C.class`.
    Mirror(ClassId),
    /// The object that a checked constructor works on.
    Constructed,
    /// The n-th object that the run allocates.
    Fresh(u32),
}

/// Where control is: a method and a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Point {
    pub method: MethodId,
    pub line: u32,
}

/// Why an object was allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Birth {
    /// Part of the input or of the static state.
    Given,
    /// By code; `given_code` tells whose.
    Allocated { given_code: bool },
    /// An exception that the JVM raised for an instruction of given code.
    Raised(crate::state::goal::Property),
    /// An exception that an instruction or an intrinsic of library code raised.
    RaisedInLibrary,
}

/// What is known of an atom.
#[derive(Clone, Debug)]
pub struct AtomInfo {
    pub class: ClassId,
    pub name: Name,
    pub birth: Birth,
    /// Innermost point in given code when it was allocated.
    pub at: Option<Point>,
    /// For immutable objects whose identity is shared by value (boxes, strings): whether this is
    /// the shared one (`None`: not yet asked of the input). Two different atoms are one object iff both are shared and equal.
    pub shared: Option<Lit>,
    /// The input has an object of this type, but its class or state is unknown: anything that
    /// depends on more than its identity and declared type is unsupported. (For a string that the
    /// run made: its text is unknown.)
    pub opaque: bool,
    /// The static final field that holds it, if any.
    pub constant: Option<FieldId>,
}

/// All atoms of a run.
pub struct Atoms {
    infos: Vec<AtomInfo>,
    by_name: FxHashMap<Name, Atom>,
    /// Objects that runs have allocated.
    allocated: u32,
}

impl Atoms {
    /// Null alone; `object` is the class that it is filed under.
    pub fn new(object: ClassId) -> Atoms {
        let null = AtomInfo {
            class: object,
            name: Name::Null,
            birth: Birth::Given,
            at: None,
            shared: Some(Lit::FALSE),
            opaque: false,
            constant: None,
        };
        Atoms { infos: vec![null], by_name: FxHashMap::default(), allocated: 0 }
    }

    /// The name of the next object that a run allocates.
    pub(crate) fn next_fresh(&mut self) -> Name {
        self.allocated += 1;
        Name::Fresh(self.allocated)
    }

    /// How many objects runs have allocated.
    pub(crate) fn allocated(&self) -> u32 {
        self.allocated
    }

    /// Adds an atom. Names are unique.
    pub fn add(&mut self, info: AtomInfo) -> Atom {
        let atom = Atom(self.infos.len() as u32);
        let clash = self.by_name.insert(info.name.clone(), atom);
        debug_assert!(clash.is_none(), "two atoms named {:?}", info.name);
        self.infos.push(info);
        atom
    }

    /// The atom with this name, if it exists.
    pub fn named(&self, name: &Name) -> Option<Atom> {
        self.by_name.get(name).copied()
    }

    pub fn info(&self, atom: Atom) -> &AtomInfo {
        &self.infos[atom.index()]
    }

    pub fn info_mut(&mut self, atom: Atom) -> &mut AtomInfo {
        &mut self.infos[atom.index()]
    }

    pub fn class(&self, atom: Atom) -> ClassId {
        self.infos[atom.index()].class
    }

    pub fn len(&self) -> usize {
        self.infos.len()
    }

    pub fn is_empty(&self) -> bool {
        false
    }
}
