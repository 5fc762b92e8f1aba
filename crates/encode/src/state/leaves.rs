//! The arbitrary input: parameters, static fields, and the heap, made up when first read.
//!
//! Each elementary unknown is a leaf with a key that says what it is. In a symbolic run a leaf
//! is new variables; in a fixed run it is what an earlier model said, which turns the encoder
//! into an interpreter (so a counterexample is decoded by running the very code that encoded
//! it, and the two cannot drift).

use ir::{ClassId, FieldId};
use logic::{Bits, Circuit, Lit, Unknown};
use rustc_hash::{FxHashMap, FxHashSet};
use spec::core::Site;

use crate::state::atom::{Atom, Name};
use crate::state::ordering::Ordering;
use crate::state::value::{Ref, Value};

/// What a leaf is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum LeafKey {
    Receiver,
    Parameter(u32),
    Static(FieldId),
    Field(Name, FieldId),
    Length(Name),
    Element(Name, u32),
    /// Whether a box or string is the shared object of its value.
    Shared(Name),
    /// Characters of an input string, and whether they are stored as UTF-16.
    TextLength(u32),
    TextWide(u32),
    /// Identity hash code.
    Hash(Name),
    /// The n-th reading of a clock.
    Clock(u32),
    /// Whether a class has been initialised before the method starts.
    Initialised(ClassId),
    /// Whether an object of the input exists.
    Live(Name),
    /// What a call that is not followed leaves behind: the n-th unknown of the engine.
    Havoc(u32),
    /// A choice or an argument on the way to an object that the code makes.
    Route(RouteLeaf),
}

/// One unknown of the calls that make an object; see `input/made.rs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RouteLeaf {
    /// Which object.
    pub object: u64,
    /// Which call: the constructor is the zeroth.
    pub call: u32,
    /// Which of the methods that may be called there.
    pub option: u32,
    /// Which argument; `None` for the choice of the method.
    pub argument: Option<u32>,
}

impl LeafKey {
    /// The field of an object that it is, if it is one.
    pub fn field(&self) -> Option<FieldId> {
        match self {
            LeafKey::Field(_, field) => Some(*field),
            _ => None,
        }
    }
}

/// Leaves that are represented alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LeafClass {
    Parameter(u32),
    Static(FieldId),
    Field(FieldId),
    /// Elements of arrays of numbers of so many bits.
    Element(u32),
}

/// The value of a leaf in a model.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum LeafValue {
    Bits(u64),
    Object(Name),
}

/// The input that a model describes.
pub type Assignment = FxHashMap<LeafKey, LeafValue>;

/// Where leaves get their values.
pub enum Source {
    Symbolic,
    Fixed(Assignment),
}

/// A constraint that every input satisfies, and why.
#[derive(Clone, Debug)]
pub struct Constraint {
    pub lit: Lit,
    pub origin: Origin,
    /// Whether it is likely not to matter: a solver need not be told before it finds a model that
    /// violates it.
    pub is_remote: bool,
}

/// Why a constraint is there.
#[derive(Clone, Debug, PartialEq)]
pub enum Origin {
    /// What kind of value a leaf is.
    Leaf(LeafKey),
    /// A clause of a specification that is assumed.
    Clause(Site),
    /// What follows from the others.
    Bound,
    /// What sets one case apart.
    Case,
    /// What a called method does, by the number of the call.
    Callee(usize),
}

impl From<LeafKey> for Origin {
    fn from(key: LeafKey) -> Origin {
        Origin::Leaf(key)
    }
}

/// The leaves so far.
pub struct Inputs {
    pub source: Source,
    leaves: FxHashMap<LeafKey, Value>,
    /// In order of first reading.
    keys: Vec<LeafKey>,
    pub constraints: Vec<Constraint>,
    required: FxHashSet<Lit>,
    /// Keys that the current run has read.
    touched: FxHashMap<LeafKey, ()>,
    touched_order: Vec<LeafKey>,
    /// Which numbers are symbols of an order.
    pub(crate) ordering: Ordering,
    /// Unknowns that calls have left behind.
    havocs: u32,
}

impl Inputs {
    pub fn new(source: Source) -> Inputs {
        Inputs {
            source,
            leaves: FxHashMap::default(),
            keys: Vec::new(),
            constraints: Vec::new(),
            required: FxHashSet::default(),
            touched: FxHashMap::default(),
            touched_order: Vec::new(),
            ordering: Ordering::default(),
            havocs: 0,
        }
    }

    /// The key of an unknown that a call leaves behind.
    pub(crate) fn next_havoc(&mut self) -> LeafKey {
        self.havocs += 1;
        LeafKey::Havoc(self.havocs)
    }

    /// How many unknowns calls have left behind.
    pub(crate) fn havocs(&self) -> u32 {
        self.havocs
    }

    /// Forgets which leaves were read, but not the leaves.
    pub fn start_run(&mut self) {
        self.touched.clear();
        self.touched_order.clear();
    }

    /// Leaves that the current run has read, in order of first reading.
    pub fn touched(&self) -> impl Iterator<Item = (&LeafKey, &Value)> {
        self.touched_order.iter().map(|k| (k, &self.leaves[k]))
    }

    /// The value of a leaf that has been read.
    pub fn leaf(&self, key: &LeafKey) -> Option<&Value> {
        self.leaves.get(key)
    }

    /// Whether the current run has read a leaf.
    pub fn is_touched(&self, key: &LeafKey) -> bool {
        self.touched.contains_key(key)
    }

    /// All leaves, in order of first reading.
    pub fn leaves(&self) -> impl Iterator<Item = (&LeafKey, &Value)> {
        self.keys.iter().map(|k| (k, &self.leaves[k]))
    }

    /// How many leaves there are.
    pub fn count(&self) -> usize {
        self.keys.len()
    }

    /// The leaves after the first `known`, in order of first reading.
    pub fn leaves_after(&self, known: usize) -> impl Iterator<Item = (&LeafKey, &Value)> {
        self.keys[known..].iter().map(|k| (k, &self.leaves[k]))
    }

    /// The leaf, if it has been read before.
    pub fn known(&mut self, key: &LeafKey) -> Option<Value> {
        let value = self.leaves.get(key)?.clone();
        self.touch(key);
        Some(value)
    }

    fn touch(&mut self, key: &LeafKey) {
        if self.touched.insert(key.clone(), ()).is_none() {
            self.touched_order.push(key.clone());
        }
    }

    fn record(&mut self, key: LeafKey, value: Value) -> Value {
        self.touch(&key);
        self.keys.push(key.clone());
        self.leaves.insert(key, value.clone());
        value
    }

    /// A constraint on the inputs.
    pub fn require(&mut self, lit: Lit, origin: impl Into<Origin>) {
        self.constrain(lit, origin.into(), false);
    }

    /// A constraint on the inputs that is likely not to matter.
    pub fn require_remotely(&mut self, lit: Lit, origin: impl Into<Origin>) {
        self.constrain(lit, origin.into(), true);
    }

    fn constrain(&mut self, lit: Lit, origin: Origin, is_remote: bool) {
        if lit != Lit::TRUE && self.required.insert(lit) {
            self.constraints.push(Constraint { lit, origin, is_remote });
        }
    }

    /// Whether a literal is a constraint.
    pub fn is_required(&self, lit: Lit) -> bool {
        lit == Lit::TRUE || self.required.contains(&lit)
    }

    /// A number of `width` bits whose low `free` bits are arbitrary; the rest repeat the sign if
    /// `signed`, and are zero otherwise.
    pub fn number(
        &mut self,
        circuit: &mut Circuit,
        key: LeafKey,
        width: u32,
        free: u32,
        signed: bool,
    ) -> Bits {
        if let Some(known) = self.known(&key) {
            return known.bits().clone();
        }
        let bits = match &self.source {
            Source::Fixed(values) => {
                let value = match values.get(&key) {
                    Some(LeafValue::Bits(value)) => *value,
                    Some(LeafValue::Object(_)) | None => 0,
                };
                Bits::constant(width, value)
            }
            Source::Symbolic => {
                let mut lits: Vec<Lit> = (0..free.min(width)).map(|_| circuit.input()).collect();
                let fill = match lits.last() {
                    Some(sign) if signed => *sign,
                    _ => Lit::FALSE,
                };
                lits.resize(width as usize, fill);
                Bits::from_lits(lits)
            }
        };
        self.record(key, Value::Bits(bits.clone()));
        bits
    }

    /// A number that is one of `values`, which are many bits but few.
    pub fn one_of(
        &mut self,
        circuit: &mut Circuit,
        key: LeafKey,
        width: u32,
        values: &[u64],
    ) -> Bits {
        if let Some(known) = self.known(&key) {
            return known.bits().clone();
        }
        let entries: Vec<(Atom, Lit)> = match values {
            [_] => vec![(Atom::NULL, Lit::TRUE)],
            _ => values.iter().map(|_| (Atom::NULL, circuit.input())).collect(),
        };
        if entries.len() > 1 {
            self.exactly_one(circuit, &entries, &key);
        }
        let bits = (0..width).map(|bit| {
            let chosen = entries.iter().zip(values).filter(|(_, v)| *v >> bit & 1 == 1);
            let chosen: Vec<Lit> = chosen.map(|(e, _)| e.1).collect();
            match chosen.len() == values.len() {
                true => Lit::TRUE,
                false => circuit.or_all(chosen),
            }
        });
        let bits = Bits::from_lits(bits.collect());
        self.record(key, Value::Bits(bits.clone()));
        bits
    }

    /// A leaf that is decided once and for all.
    pub fn settled(&mut self, key: LeafKey, value: Value) -> Value {
        match self.known(&key) {
            Some(known) => known,
            None => self.record(key, value),
        }
    }

    /// A number that is only compared.
    pub fn ordered(&mut self, circuit: &mut Circuit, key: LeafKey, width: u32) -> (Bits, Unknown) {
        let (bits, unknown) = circuit.ordered(width);
        self.record(key, Value::Bits(bits.clone()));
        (bits, unknown)
    }

    /// A truth value.
    pub fn flag(&mut self, circuit: &mut Circuit, key: LeafKey) -> Lit {
        self.number(circuit, key, 1, 1, false).bit(0)
    }

    /// A reference to one of `candidates`. In a fixed run `find` gives the atom of a name.
    pub fn reference(
        &mut self,
        circuit: &mut Circuit,
        key: LeafKey,
        candidates: &[Atom],
        find: impl Fn(&Name) -> Option<Atom>,
    ) -> Ref {
        if let Some(known) = self.known(&key) {
            return known.reference().clone();
        }
        let value = match &self.source {
            Source::Fixed(values) => {
                let named = match values.get(&key) {
                    Some(LeafValue::Object(name)) => find(name),
                    Some(LeafValue::Bits(_)) | None => None,
                };
                Ref::constant(named.or(candidates.first().copied()).unwrap_or(Atom::NULL))
            }
            Source::Symbolic => {
                if let [only] = candidates {
                    Ref::constant(*only)
                } else {
                    let entries: Vec<(Atom, Lit)> =
                        candidates.iter().map(|a| (*a, circuit.input())).collect();
                    self.exactly_one(circuit, &entries, &key);
                    Ref::from_entries(entries)
                }
            }
        };
        self.record(key, Value::Ref(value.clone()));
        value
    }

    /// Pairwise for few candidates; a chain of prefixes (linear in size) for many.
    fn exactly_one(&mut self, circuit: &mut Circuit, entries: &[(Atom, Lit)], key: &LeafKey) {
        let some = circuit.or_all(entries.iter().map(|e| e.1));
        self.require(some, key.clone());
        if entries.len() <= 6 {
            for (i, a) in entries.iter().enumerate() {
                for b in &entries[i + 1..] {
                    let both = circuit.and(a.1, b.1);
                    self.require(!both, key.clone());
                }
            }
            return;
        }
        let mut before = Lit::FALSE;
        for (_, lit) in entries {
            let twice = circuit.and(before, *lit);
            self.require(!twice, key.clone());
            before = circuit.or(before, *lit);
        }
    }
}
