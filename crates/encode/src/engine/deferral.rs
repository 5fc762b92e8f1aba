//! What is deferred, and what earlier runs taught about it; see `deferred/`.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use ir::{BlockId, ClassId, FieldId, MethodId, Reg, Type};
use logic::Lit;
use rustc_hash::FxHashMap;

use crate::code::effects::{Analysis, Failures};
use crate::engine::activation::{Activation, Call, Turn};
use crate::engine::experience::Experience;
use crate::state::atom::{Atom, Birth, Point};
use crate::state::value::Value;
use crate::state::{Registers, State};

/// Elements of arrays that become unknown at one call; where there are more, it is inlined.
pub(crate) const MOST_ELEMENTS: usize = 64;

/// What a call may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Whether it returns.
    Returns,
    Result,
    /// A field of what is passed as the n-th argument, the receiver first.
    Argument(u32, FieldId),
    Object(Atom, FieldId),
    Element(Atom, u32),
    /// The length of an array that is reserved for it.
    Length(Atom),
    Static(FieldId),
    /// Whether it makes an object that is reserved for it.
    Made(Atom),
    /// Whether a loop is left towards a block.
    Exit(BlockId),
    /// Whether it throws such an exception, which somebody catches.
    Throws(Thrown),
    /// A register that a loop writes.
    Register(Reg),
}

/// A place that a call may change, and the unknown that is there afterwards.
pub struct Output {
    pub place: Place,
    pub(crate) unknown: Value,
    /// Executions in which the place is the call's to change.
    pub(crate) concerns: Lit,
    /// Whether it is there after an exception.
    pub(crate) thrown: bool,
}

impl Output {
    /// Of all executions.
    pub(crate) fn new(place: Place, unknown: Value) -> Output {
        Output::concerning(Lit::TRUE, place, unknown)
    }

    /// Of some executions.
    pub(crate) fn concerning(concerns: Lit, place: Place, unknown: Value) -> Output {
        Output { place, unknown, concerns, thrown: false }
    }
}

/// What the code of a callee says of an output.
#[derive(Clone)]
pub struct Equation {
    /// Which output.
    pub output: usize,
    /// Where control leaves by this exit.
    pub condition: Lit,
    /// There the unknown is this.
    pub value: Option<Value>,
    /// Both together.
    pub lit: Lit,
    /// And in words.
    pub sentence: Sentence,
    pub adopted: bool,
}

/// A call, or the rest of a loop, of which only the frame condition is known at first.
pub struct Deferred {
    /// What is called, or has the loop in its body.
    pub method: MethodId,
    /// The line of a loop.
    pub line: Option<u32>,
    /// Where it is called.
    pub at: Option<Point>,
    /// The executions that call.
    pub guard: Lit,
    /// How else it may end than by returning, which only its code tells.
    pub failures: Failures,
    /// Whether it may make objects. How many, only its code tells.
    pub makes: bool,
    pub outputs: Vec<Output>,
    /// What its code says, once it has been followed.
    pub equations: Option<Vec<Equation>>,
    /// The deferred call in whose code this one is.
    pub caller: Option<usize>,
    pub(crate) call: Call,
    pub(crate) words: Words,
    pub(crate) rest: Option<Rest>,
    pub(crate) before: State,
    pub(crate) reserve: Reserve,
    pub(crate) stack: Vec<Activation>,
}

impl Deferred {
    /// Whether only its code tells if somebody catches an exception of it.
    pub fn may_be_caught(&self) -> bool {
        self.call.covered && self.failures.throws
    }
}

/// Where control leaves what was deferred.
pub(crate) struct Exit {
    /// The block that follows a loop.
    pub to: Option<BlockId>,
    pub state: State,
    pub result: Option<Value>,
    pub registers: Registers,
}

/// The deferred calls of a run.
#[derive(Default)]
pub(crate) struct Deferral {
    pub(crate) calls: Vec<Deferred>,
    /// The call and output that an input of the circuit belongs to.
    pub(crate) owners: FxHashMap<u32, (usize, usize)>,
    /// The call whose code is being followed, with the depth of its activation.
    pub(crate) expanding: Option<(usize, usize)>,
    pub(crate) exits: Vec<Exit>,
    pub(crate) broken: bool,
    /// How often executions have been cut off.
    pub(crate) ends: u32,
    /// What is left of the objects that are reserved for the call whose code is being followed.
    pub(crate) reserve: Option<Reserve>,
    /// While code is followed: what things are called there.
    pub(crate) naming: Option<Box<Naming>>,
}

impl Deferral {
    /// Takes an object from what is reserved for the call whose code is being followed.
    pub fn draw(&mut self, class: ClassId) -> Option<Atom> {
        self.reserve.as_mut()?.draw(class)
    }

    /// What is made next is not taken from what is reserved.
    pub fn set_reserve_aside(&mut self) -> Option<Reserve> {
        self.reserve.take()
    }

    pub fn use_reserve(&mut self, reserve: Option<Reserve>) {
        self.reserve = reserve;
    }

    /// Executions are not followed further.
    pub fn note_end(&mut self, reached: Lit) {
        self.ends += u32::from(reached != Lit::FALSE);
    }

    /// Whether the code of something that was deferred is being followed.
    pub fn is_expanding(&self) -> bool {
        self.expanding.is_some()
    }

    /// An object of the static state has come up that no unknown considers.
    pub fn note_constant(&mut self) {
        self.broken |= !self.calls.is_empty();
    }
}

impl Exit {
    pub fn of_call(state: State, result: Option<Value>) -> Exit {
        Exit { to: None, state, result, registers: Registers::new() }
    }
}

/// How far a loop has been followed.
#[derive(Clone, Copy, Default)]
pub(crate) struct Rounds {
    pub number: u32,
    /// Those that count against the limit.
    pub counted: u32,
    /// Those that do not because a constant guard kept control inside, though some executions left.
    pub left: u32,
}

/// The rest of a loop.
#[derive(Clone)]
pub(crate) struct Rest {
    pub line: u32,
    pub(crate) head: BlockId,
    pub(crate) registers: Registers,
    /// The loops around it.
    pub(crate) loops: Vec<Turn>,
    pub(crate) rounds: Rounds,
}

/// What to reserve for a call.
pub(crate) struct Needs {
    /// How many objects of each class.
    pub objects: BTreeMap<ClassId, usize>,
    /// How many elements in each array.
    pub slots: usize,
}

/// Objects that are reserved for what a call makes, by class.
#[derive(Clone, Default)]
pub(crate) struct Reserve {
    pub(crate) objects: BTreeMap<ClassId, Vec<Atom>>,
    /// Elements that each array among them has.
    pub(crate) slots: usize,
    /// How many more were asked for.
    pub(crate) missing: BTreeMap<ClassId, usize>,
}

impl Reserve {
    /// An object that is left; `None` if none is reserved or left.
    pub fn draw(&mut self, class: ClassId) -> Option<Atom> {
        let atom = self.objects.get_mut(&class)?.pop();
        if atom.is_none() {
            *self.missing.entry(class).or_default() += 1;
        }
        atom
    }

    /// How many objects of each class would have been enough, if there were too few.
    pub fn overdrawn(&self, full: &Reserve) -> Option<BTreeMap<ClassId, usize>> {
        let enough = |(class, atoms): (&ClassId, &Vec<Atom>)| {
            (*class, atoms.len() + self.missing.get(class).copied().unwrap_or(0))
        };
        (!self.missing.is_empty()).then(|| full.objects.iter().map(enough).collect())
    }

    pub fn atoms(&self) -> impl Iterator<Item = Atom> {
        self.objects.values().flatten().copied()
    }

    /// Elements that each array has.
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// How many elements the longest array has at exits.
    pub fn longest(&self, exits: &[Exit]) -> usize {
        let heaps = exits.iter().map(|exit| &exit.state.heap);
        let made = heaps.flat_map(|heap| self.atoms().filter_map(|atom| heap.contents(atom)));
        made.filter_map(|c| c.array.as_ref()).map(|a| a.elements.len()).max().unwrap_or(0)
    }

    pub fn has(&self, atom: Atom) -> bool {
        self.atoms().any(|a| a == atom)
    }

    /// Whether a place, or what it holds, is an object that is reserved.
    pub fn concerns(&self, place: Place, value: &Value) -> bool {
        let owner = match place {
            Place::Object(atom, _)
            | Place::Made(atom)
            | Place::Length(atom)
            | Place::Element(atom, _) => Some(atom),
            _ => None,
        };
        owner.into_iter().chain(value.atoms()).any(|atom| self.has(atom))
    }
}

/// An exception, as far as it concerns those who do not look at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Thrown {
    pub class: ClassId,
    /// Where it comes from, if somebody throws it on.
    pub origin: Option<Origin>,
}

/// Why and where an exception was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Origin {
    pub(crate) birth: Birth,
    pub at: Option<Point>,
}

/// Names in one activation.
#[derive(Default)]
pub(crate) struct Naming {
    pub(crate) values: FxHashMap<Vec<u64>, String>,
    /// By node: what it says if true, and if false.
    pub(crate) conditions: FxHashMap<u32, (String, String)>,
    pub(crate) written: BTreeSet<FieldId>,
    pub(crate) elements_written: bool,
    /// What has been said of conditions, which share much of each other.
    pub(crate) said: RefCell<FxHashMap<Lit, String>>,
}

/// A specification of one output, for people.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sentence {
    /// Over parameters, fields, primed fields and the result.
    pub text: String,
    /// The same as a clause of JML, if every part of it has a name.
    pub jml: Option<String>,
}

/// The words in which something that was deferred is spoken of.
#[derive(Clone, Debug, Default)]
pub(crate) struct Words {
    /// Of what is passed, the receiver first.
    pub(crate) arguments: Vec<String>,
    pub(crate) result: Option<Type>,
    /// By block and register, of a loop.
    pub(crate) exits: BTreeMap<BlockId, u32>,
    pub(crate) registers: BTreeMap<Reg, String>,
    pub(crate) is_loop: bool,
}

/// What is known about methods, whatever runs are about.
#[derive(Default)]
pub(crate) struct Analyses {
    pub effects: Analysis,
    pub learned: Experience,
    /// The registers that steer a loop, by its head.
    pub steering: FxHashMap<(MethodId, BlockId), Rc<[Reg]>>,
    /// Why methods mean to wrap, for those that do.
    pub wraps: FxHashMap<MethodId, Option<&'static str>>,
}
