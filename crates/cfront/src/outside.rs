//! What whoever runs the program has to know of it: what it leaves to others, and where in its text
//! the target is.

use crate::front::{Front, Target};
use crate::types::Type;
use explain::term::{TermId, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// Failing assertions.
pub(crate) const FAILS: [&str; 6] = [
    "__assert_fail",
    "__assert_perror_fail",
    "__assert",
    "__assert_rtn",
    "reach_error",
    "__VERIFIER_error",
];

/// A scalar as a machine hands it over; a width of 0 is no value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Word {
    pub width: u32,
    pub signed: bool,
}

/// A variable or function at the top of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Global {
    /// The source that knows it by its name.
    pub unit: usize,
    pub name: String,
    /// Whether some source says what it is at the start.
    pub defined: bool,
}

/// Where the target stands in a preprocessed text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Mark {
    pub unit: usize,
    /// Immediately before this byte.
    pub at: u32,
    /// Whether another statement fits there; otherwise one that has the next as its body.
    pub in_block: bool,
}

/// What a program leaves to others.
#[derive(Clone, Default, Debug)]
pub struct Outside {
    /// The places that hold addresses.
    pub pointers: BTreeSet<TermId>,
    pub globals: BTreeMap<VarId, Global>,
    /// The functions without a body that are called, and what they give.
    pub functions: BTreeMap<String, Word>,
    /// The parameters of the first function.
    pub parameters: Vec<(VarId, Word)>,
    pub marks: BTreeSet<Mark>,
    /// Functions with a meaning of their own that a source calls without declaring them.
    pub undeclared: BTreeSet<(usize, String)>,
    /// What would run although no statement says so.
    pub unseen: Option<String>,
}

/// The word of a type.
pub(crate) fn word(ty: &Type) -> Word {
    if !ty.is_scalar() {
        return Word { width: 0, signed: false };
    }
    let (width, signed) = ty.word();
    Word { width, signed }
}

impl Front {
    /// Fills in what is known when everything is lowered.
    pub(crate) fn look_outside(&mut self, start: usize) {
        let types = self.types.clone();
        for (number, variable) in self.program.space.variables.iter().enumerate() {
            let (id, width) = (VarId(number as u32), variable.width);
            if types.get(&id).is_some_and(Type::is_pointer) {
                let place = self.program.terms.variable(id, width);
                self.outside.pointers.insert(place);
            }
        }
        for unit in 0..self.units.len() {
            let names = self.units[unit].scope.names.clone();
            for (name, symbol) in names {
                let (id, defined) = match symbol {
                    crate::front::Symbol::Variable { id, .. } => (id, self.defined.contains(&id)),
                    crate::front::Symbol::Function(index) => (self.functions[index].object, true),
                    _ => continue,
                };
                self.outside.globals.entry(id).or_insert(Global { unit, name, defined });
            }
        }
        if self.options.target == Target::Assert {
            // A program may define what fails: calling it is what counts.
            for known in self.functions.iter().filter(|known| FAILS.contains(&&*known.name)) {
                if let Some(body) = &known.body {
                    let at = body.body.span.from.start + 1;
                    let mark = Mark { unit: known.unit, at, in_block: true };
                    self.outside.marks.insert(mark);
                }
            }
        }
        let formals = self.functions[start].formals.clone();
        self.outside.parameters = formals.into_iter().map(|id| (id, word(&types[&id]))).collect();
    }
}
