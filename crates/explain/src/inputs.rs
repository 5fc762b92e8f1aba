//! What an execution takes from outside, exactly: for whoever wants to run it.
//!
//! An address of the model is the number of an object and a distance. What it is outside depends
//! on the object: a variable of the program, something that the program has allocated, or memory
//! that was there before it, which whoever runs the program has to make.

use crate::program::{FrameId, Op, Path, ProcId, Program, Space, Unknown};
use crate::reach::Search;
use crate::simulate::Context;
use crate::store::Cause;
use crate::term::{ADDRESS, OFFSET_BITS, Term, TermId, Terms, VarId, signed};
use crate::words::Words;
use logic::Evaluation;
use std::collections::{BTreeMap, BTreeSet};

/// Something that has an address.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Object {
    /// A global variable, or a function.
    Global(VarId),
    /// A local variable, by its name.
    Local(String),
    /// What this allocation has made.
    Allocated(usize),
    /// Memory that was there before the program.
    Before(u32),
}

/// A value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Given {
    /// A number, or an address that is no object's.
    Number(u64),
    /// An address.
    Address(Object, u64),
}

/// A value that no statement explains.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outside {
    /// The step that asks for it.
    pub step: usize,
    /// Whose it is.
    pub why: Unknown,
    /// The value.
    pub value: Given,
    /// The value as a number of its type.
    pub text: String,
}

/// What memory holds at the start, or what an allocation finds there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Held {
    /// In this object.
    pub object: Object,
    /// So many bytes after its start.
    pub offset: u64,
    /// So many bits.
    pub width: u32,
    /// The value.
    pub value: Given,
}

/// Everything that an execution takes from outside.
#[derive(Clone, Default, Debug)]
pub struct Inputs {
    /// In the order in which they are asked for.
    pub outside: Vec<Outside>,
    /// The arguments of the first function; one that does not matter is missing.
    pub arguments: BTreeMap<VarId, Given>,
    /// To be written in this order.
    pub memory: Vec<Held>,
    /// Whether each allocation succeeds.
    pub allocations: Vec<bool>,
    /// Of memory that was there before the program: the first byte that matters, and the one
    /// behind the last.
    pub extents: BTreeMap<u32, (u64, u64)>,
}

struct Reader<'a> {
    terms: &'a Terms,
    space: &'a Space,
    context: Context<'a>,
    values: Evaluation,
    words: Words,
    made: BTreeMap<u32, usize>,
    pointers: &'a BTreeSet<TermId>,
}

/// What the execution along a path takes from outside; `None` if the solver gives up the second
/// time. `pointers` are the places that hold addresses.
pub fn inputs(
    search: &mut Search<'_>,
    program: &Program,
    path: &Path,
    space: &Space,
    pointers: &BTreeSet<TermId>,
) -> Option<Inputs> {
    let (context, values, words) = search.values(space, path, pointers)?;
    let mut found = Inputs::default();
    let mut made = BTreeMap::new();
    for (index, step) in path.steps.iter().enumerate() {
        let node = &program.procedure(path.procedure(step.frame)).nodes[step.at.0 as usize];
        // An allocation that fails is the edge beside it.
        if node.edges.iter().any(|edge| matches!(edge.op, Op::Allocate { .. })) {
            if let Some(number) = context.store.made_at(index) {
                made.insert(number, found.allocations.len());
            }
            found.allocations.push(matches!(step.op, Op::Allocate { .. }));
        }
    }
    let terms = &search.terms;
    let mut reader = Reader { terms, space, context, values, words, made, pointers };
    reader.places(path, &mut found);
    reader.cells(&mut found);
    Some(found)
}

impl Reader<'_> {
    fn given(&mut self, value: TermId, is_address: bool) -> Given {
        let number = self.words.value(self.terms, &mut self.values, value);
        let object = (number >> OFFSET_BITS) as u32;
        if !is_address || object == 0 {
            return Given::Number(number);
        }
        Given::Address(self.object(object), number & ((1 << OFFSET_BITS) - 1))
    }

    fn number(&mut self, place: TermId, value: TermId) -> String {
        let number = self.words.value(self.terms, &mut self.values, value);
        match self.terms.get(place) {
            Term::Variable { variable, .. } if self.space.variable(variable).unsigned => {
                number.to_string()
            }
            _ => signed(self.terms.width(place), number).to_string(),
        }
    }

    fn object(&self, number: u32) -> Object {
        if let Some(&allocation) = self.made.get(&number) {
            return Object::Allocated(allocation);
        }
        match self.context.store.whose(number) {
            Some((None, variable)) => Object::Global(variable),
            Some((Some(_), variable)) => Object::Local(self.space.variable(variable).name.clone()),
            None => Object::Before(number),
        }
    }

    /// Variables that had a value before, and values that statements got from outside.
    fn places(&mut self, path: &Path, found: &mut Inputs) {
        let entries = self.context.store.entries.clone();
        let entry = entry_procedure(path);
        for made in entries {
            let is_address = self.pointers.contains(&made.place);
            let unknown = path.steps.get(made.step).map(|step| &step.op);
            match (made.cause, unknown, self.terms.get(made.place)) {
                (Cause::Assigned, Some(Op::Unknown { why, .. }), _) => {
                    let value = self.given(made.value, is_address);
                    let text = self.number(made.place, made.value);
                    let (step, why) = (made.step, why.clone());
                    found.outside.push(Outside { step, why, value, text });
                }
                (Cause::Exposed, _, Term::Variable { variable, width }) => {
                    let value = self.given(made.value, is_address);
                    match self.space.variable(variable).owner {
                        None => found.memory.push(Held {
                            object: Object::Global(variable),
                            offset: 0,
                            width,
                            value,
                        }),
                        Some(owner) if Some(owner) == entry && made.frame == FrameId(1) => {
                            found.arguments.insert(variable, value);
                        }
                        Some(_) => {}
                    }
                }
                _ => {}
            }
        }
    }

    fn cells(&mut self, found: &mut Inputs) {
        let initial: Vec<_> = self.context.store.initial_cells().collect();
        // The first one counts: it is written last.
        for (address, width, value, place) in initial.into_iter().rev() {
            let is_address = width == ADDRESS && self.pointers.contains(&place);
            let value = self.given(value, is_address);
            if let Given::Address(object, offset) = self.given(address, true) {
                found.memory.push(Held { object, offset, width, value });
            }
        }
        for (address, width) in self.context.store.cells() {
            if let Given::Address(Object::Before(number), start) = self.given(address, true) {
                let end = start + u64::from(width / 8);
                let extent = found.extents.entry(number).or_insert((start, end));
                *extent = (extent.0.min(start), extent.1.max(end));
            }
        }
    }
}

/// The procedure that the program begins with, after what sets the globals.
fn entry_procedure(path: &Path) -> Option<ProcId> {
    path.frames.get(1).map(|frame| frame.procedure)
}
