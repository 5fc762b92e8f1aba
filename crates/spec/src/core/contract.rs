//! Contracts: what is promised about methods, classes and points of bodies.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use ir::{ClassId, FieldId, MethodId, Nullness, Reg};

use crate::core::term::Term;
use crate::span::Span;

/// All specifications of a program, resolved.
#[derive(Clone, Debug, Default)]
pub struct Contracts {
    pub methods: HashMap<MethodId, Contract>,
    pub classes: HashMap<ClassId, ClassContract>,
    /// What stands in bodies, by the number in [`ir::Op::Mark`].
    pub marks: HashMap<u32, Mark>,
    /// Where bodies assign variables that are never null.
    pub assigned: HashMap<MethodId, Vec<Assigned>>,
    /// Fields about which a specification says whether they may be null.
    pub fields: HashMap<FieldId, Nullness>,
    /// Mistakes, each with the file it is in.
    pub diagnostics: Vec<Mistake>,
    /// What is taken for granted although nobody wrote it, once for each class.
    pub taken: Vec<Taken>,
    /// What was taken from the documentation of methods.
    pub heard: Vec<Taken>,
}

/// A sentence about what the code or its documentation was taken to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    pub file: Arc<str>,
    /// Of the first declaration that it is about.
    pub line: u32,
    pub text: String,
}

/// A mistake in a specification. Whatever it belongs to has a gap.
#[derive(Clone, Debug, PartialEq)]
pub struct Mistake {
    pub file: Arc<str>,
    pub diagnostic: crate::Diagnostic,
}

/// An instruction that assigns a local variable or parameter which is said to be non-null.
#[derive(Clone, Debug, PartialEq)]
pub struct Assigned {
    pub pc: u32,
    pub register: Reg,
    /// Where it is said.
    pub site: Site,
}

/// How a clause ends that nobody wrote: in files with JML, what is not marked `nullable` is so.
pub const NON_NULL_BY_DEFAULT: &str = "non-null by default";

/// Where a clause stands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Site {
    /// The path of the file as it was given.
    pub file: Arc<str>,
    pub span: Span,
    /// The clause as written, white space made single spaces.
    pub text: Arc<str>,
    /// The source between `span.start` and `span.end`, as written.
    pub source: Arc<str>,
}

impl Site {
    /// The text of a part of the clause.
    pub fn part(&self, span: Span) -> &str {
        let from = span.start.wrapping_sub(self.span.start) as usize;
        let to = span.end.wrapping_sub(self.span.start) as usize;
        self.source.get(from..to).unwrap_or(&self.text)
    }
}

/// A condition and where it is written.
#[derive(Clone, Debug, PartialEq)]
pub struct Clause {
    pub term: Term,
    pub site: Site,
}

/// Why something specified cannot be decided: `measured_by is not supported`, or the message of a
/// diagnostic.
#[derive(Clone, Debug, PartialEq)]
pub struct Gap {
    pub reason: String,
    pub site: Site,
}

/// The clauses that only demand something: without one of them there is one thing less to show, and nothing
/// else changes.
const DEMANDS: [&str; 22] = [
    "assert",
    "assert_redundantly",
    "assignable",
    "assigns",
    "decreases",
    "decreasing",
    "ensures",
    "ensures_redundantly",
    "loop_assignable",
    "loop_assigns",
    "loop_decreases",
    "loop_invariant",
    "loop_modifies",
    "loop_variant",
    "loop_writes",
    "maintaining",
    "modifiable",
    "modifies",
    "post",
    "post_redundantly",
    "postcondition",
    "writes",
];

const VISIBILITY: [&str; 4] = ["instance", "private", "protected", "public"];

/// The clauses of a class that its objects satisfy.
const OF_OBJECTS: [&str; 4] =
    ["constraint", "constraint_redundantly", "invariant", "invariant_redundantly"];

impl Gap {
    /// Whether nothing else rests on what is missing. What `assume`, `requires` or `set` would have said, or
    /// something that is not understood at all, may decide about everything that comes after it.
    pub fn is_demand(&self) -> bool {
        self.words().next().is_some_and(|word| DEMANDS.contains(&word))
    }

    /// Whether what is missing would have spoken of the objects of a class, and of nothing else.
    pub fn is_about_objects(&self) -> bool {
        let mut words = self.words().skip_while(|word| VISIBILITY.contains(word));
        words.next().is_some_and(|word| OF_OBJECTS.contains(&word))
    }

    fn words(&self) -> impl Iterator<Item = &str> {
        self.site.text.split(|c: char| !c.is_alphanumeric() && c != '_')
    }
}

/// What is promised about a method, its own and inherited.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contract {
    /// A call must satisfy the preconditions of one case at least, and every case whose
    /// preconditions hold must be kept. Empty: nothing is said.
    pub cases: Vec<Case>,
    /// The names of the parameters in the source, for messages.
    pub parameters: Vec<String>,
    pub is_pure: bool,
    pub is_helper: bool,
    /// One for each parameter; `Unspecified` where the program's own annotations decide.
    pub parameter_nullness: Vec<Nullness>,
    /// Where each non-null parameter is said to be so.
    pub parameter_sites: Vec<Option<Site>>,
    pub result_nullness: Option<ResultNullness>,
    /// Exceptions that may leave it, as its documentation says.
    pub documented: Vec<ClassId>,
    pub gaps: Vec<Gap>,
}

impl Contract {
    /// The parameters that a call must not pass null for, each with the place where that is said.
    pub fn non_null_parameters(&self) -> impl Iterator<Item = (usize, &Site)> {
        let sites = self.parameter_sites.iter().enumerate();
        sites.filter_map(|(index, site)| {
            let nullness = self.parameter_nullness.get(index);
            site.as_ref().filter(|_| nullness == Some(&Nullness::NonNull)).map(|site| (index, site))
        })
    }

    /// Whether a call can be known by it.
    pub fn stands_for_calls(&self) -> bool {
        !self.cases.is_empty() && self.gaps.is_empty()
    }
}

/// Whether the result may be null, and where that is said.
#[derive(Clone, Debug, PartialEq)]
pub struct ResultNullness {
    pub nullness: Nullness,
    pub site: Site,
}

/// One specification case.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    pub requires: Vec<Clause>,
    pub ensures: Vec<Clause>,
    pub signals: Vec<Signals>,
    pub signals_only: Option<SignalsOnly>,
    /// Each must be kept.
    pub assignable: Vec<Assignable>,
    /// What may be read; each must be kept.
    pub accessible: Vec<Assignable>,
    /// What may be called; each must be kept.
    pub callable: Vec<Callable>,
    /// Integers of which the first that changes becomes less from call to call of a recursion.
    pub measured_by: Vec<Clause>,
    /// It speaks of the method itself, not of those that override it.
    pub is_code: bool,
    pub ends: Ends,
    /// The whole case.
    pub site: Site,
}

/// Which ends a case allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// `normal_behavior`: no exception.
    Normally,
    /// `exceptional_behavior`: an exception.
    Exceptionally,
    Anyhow,
}

/// `signals (E e) condition`
#[derive(Clone, Debug, PartialEq)]
pub struct Signals {
    pub exception: ClassId,
    /// True where nothing is written.
    pub condition: Clause,
}

/// `signals_only E, F`
#[derive(Clone, Debug, PartialEq)]
pub struct SignalsOnly {
    pub exceptions: Vec<ClassId>,
    pub site: Site,
}

/// `assignable` or a loop's frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Assignable {
    /// `None` for `\everything`; empty for `\nothing`.
    pub locations: Option<Vec<Location>>,
    /// `\strictly_nothing`: no new objects either.
    pub is_strict: bool,
    pub site: Site,
}

/// `callable m, n`
#[derive(Clone, Debug, PartialEq)]
pub struct Callable {
    /// `None` for `\everything`. What overrides one of them is meant too.
    pub methods: Option<Vec<MethodId>>,
    pub site: Site,
}

/// `readable f if e`, `writable f if e`
#[derive(Clone, Debug, PartialEq)]
pub struct Access {
    pub field: FieldId,
    pub writes: bool,
    /// Of the object whose field it is.
    pub condition: Clause,
}

/// What a method is that exists for specifications only.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelBody {
    /// The bound variables that are its parameters.
    pub parameters: Vec<u32>,
    pub value: Clause,
}

/// Locations that may be assigned; the terms are evaluated in the state before the call.
#[derive(Clone, Debug, PartialEq)]
pub enum Location {
    Field(Term, FieldId),
    Static(FieldId),
    Element(Term, Term),
    /// All elements, or those between two indices, both included.
    Elements(Term, Option<(Term, Term)>),
    /// All fields of an object.
    Fields(Term),
    /// All static fields of a class.
    Statics(ClassId),
    /// The members of a set.
    Members(Term),
}

/// What is promised about the objects of a class. What a super-type promises is in its own
/// contract.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClassContract {
    /// Of each object; the term's `this` is the object.
    pub invariants: Vec<Clause>,
    /// What the code keeps of itself, proved elsewhere: assumed, and not checked again.
    pub inferred: Vec<Clause>,
    pub static_invariants: Vec<Clause>,
    /// What holds after each constructor.
    pub initially: Vec<Clause>,
    /// What holds between the states before and after each method; `\old` is before.
    pub constraints: Vec<Clause>,
    pub static_constraints: Vec<Clause>,
    /// Constraints that only these methods have to keep, with whether they are static.
    pub constraints_for: Vec<(Vec<MethodId>, bool, Clause)>,
    pub access: Vec<Access>,
    /// The meaning of model methods for objects of this class, by their numbers.
    pub model_methods: BTreeMap<u32, ModelBody>,
    /// The meaning of model fields for objects of this class.
    pub represents: HashMap<FieldId, Clause>,
    /// Ghost fields with their first values, where given.
    pub ghosts: Vec<(FieldId, Option<Clause>)>,
    pub gaps: Vec<Gap>,
}

/// What stands at one point of a body, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    pub method: MethodId,
    pub statements: Vec<Statement>,
}

/// A specification statement, or a clause of a loop.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// A loop begins or goes on: its iterations are counted in this ghost variable.
    Count(u32),
    Assert(Clause),
    Assume(Clause),
    /// Sets a ghost field, or all statics of that name: the target is a `Field`, `Static` or a
    /// ghost variable.
    Set(Clause, Term),
    /// Declares a ghost variable with its first value.
    Ghost(u32, Option<Clause>),
    LoopInvariant(Clause),
    /// An integer term.
    Decreases(Clause),
    LoopAssignable(Assignable),
    /// Cannot be decided.
    Gap(Gap),
}
