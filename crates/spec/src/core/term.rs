//! Terms: what a clause says, resolved and typed.

use std::sync::Arc;

use ir::{ClassId, FieldId, MethodId, Type};

use crate::core::Location;
use crate::span::Span;

/// What a term denotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sort {
    Boolean,
    Number(Number),
    /// An object of this static type, or null.
    Reference(ClassId),
    /// The literal `null`, which fits every reference type.
    Null,
    /// A type, as `\typeof` gives it.
    Type,
    /// A set of locations.
    Locations,
    /// A set of tuples, one entry for each column. Null is no member of any set: a reference that
    /// is null is the empty set.
    Relation(Vec<Column>),
}

/// Java's numbers, and the mathematical integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Number {
    Byte,
    Short,
    Char,
    Int,
    Long,
    Float,
    Double,
    /// `\bigint`: an integer without bounds.
    Big,
}

/// What stands in one column of a relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    Objects,
    Numbers(Number),
    Booleans,
    /// Nothing can stand there: the column of an empty set.
    Nothing,
}

/// A resolved term with its place in the source of its clause.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    pub kind: TermKind,
    pub sort: Sort,
    pub span: Span,
}

/// What a clause names beside its variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mention {
    Class(ClassId),
    /// A class that an object is asked about: `instanceof`, `\type(T)`.
    Asked(ClassId),
    /// A class that an object is cast to.
    Cast(ClassId),
    Field(FieldId),
    Method(MethodId),
}

/// A name that a clause can use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Variable {
    This,
    /// The value of a parameter when the method was called.
    Parameter(u32),
    /// What the method returns.
    Result,
    /// The exception that leaves the method (`signals (E e)`).
    Exception,
    /// A local variable or parameter as it is at a mark in the body, by its index in
    /// [`ir::Op::Mark`]'s list.
    Local(u32),
    /// A ghost variable of the body.
    Ghost(u32),
    /// A variable of a quantifier, comprehension or `let`; its number is unique in the clause.
    Bound(u32),
}

/// What a term is. Operands have been promoted: both sides of an operator have one sort, except
/// that the right side of a shift is an int or a long.
#[derive(Clone, Debug, PartialEq)]
pub enum TermKind {
    Boolean(bool),
    /// An integer, or the bits of a float or a double.
    Number(i64),
    /// A string literal: the interned object.
    Text(Arc<[u16]>),
    Null,
    /// `\type(T)`
    TypeLiteral(Type),
    Variable(Variable),
    /// A field of an object; may be a ghost or a model field.
    Field(Box<Term>, FieldId),
    /// A static field; may be a ghost or a model field.
    Static(FieldId),
    Length(Box<Term>),
    Element(Box<Term>, Box<Term>),
    /// A call without side effects; the receiver comes first.
    Call {
        method: MethodId,
        /// Whether the receiver's class decides which code runs.
        is_virtual: bool,
        arguments: Vec<Term>,
    },
    /// A new array of this class: the arguments that a method takes a variable number of.
    Array(ClassId, Vec<Term>),
    /// To a number, or to a reference type (undefined where it fails).
    Cast(Type, Box<Term>),
    /// A reference, or the last column of a relation, of which a type argument says that it is of
    /// this class: the cast that javac makes. Trusted of objects of the input, as in code.
    Typed(ClassId, Box<Term>),
    /// From a number to a mathematical integer.
    Widen(Box<Term>),
    /// From a mathematical integer to a number of Java; undefined where it does not fit.
    Fitted(Type, Box<Term>),
    InstanceOf(Box<Term>, ClassId),
    Not(Box<Term>),
    Negate(Box<Term>),
    Complement(Box<Term>),
    Arithmetic(Arithmetic, Box<Term>, Box<Term>),
    /// Of numbers, by value.
    Compare(Comparison, Box<Term>, Box<Term>),
    /// Of truth values.
    Connective(Connective, Box<Term>, Box<Term>),
    /// Whether two references are one object.
    Same(Box<Term>, Box<Term>),
    SameType(Box<Term>, Box<Term>),
    Subtype(Box<Term>, Box<Term>),
    Conditional(Box<Term>, Box<Term>, Box<Term>),
    /// The value in the state before the call.
    Old(Box<Term>),
    Quantified(Box<Quantification>),
    /// The object did not exist before the call.
    Fresh(Box<Term>),
    NonNullElements(Box<Term>),
    /// The dynamic type of an object.
    TypeOf(Box<Term>),
    /// The element type of an array type.
    ElementType(Box<Term>),

    /// What a model method stands for; the receiver comes first. Its class decides.
    Model {
        method: u32,
        is_static: bool,
        arguments: Vec<Term>,
    },
    /// All invariants of the object hold.
    InvariantsOf(Box<Term>),
    /// All static invariants of the class hold.
    StaticInvariantsOf(ClassId),
    /// These locations hold what they held before the call.
    Unchanged(Vec<Location>),
    /// Whatever else existed before the call holds what it held then.
    OnlyChanged(Vec<Location>),
    /// These locations as a set.
    LocationSet(Vec<Location>),
    /// A set, or a condition, made of two sets of locations.
    OfLocations(Locations, Box<Term>, Box<Term>),
    /// Nothing else that existed before the call has been read since.
    OnlyRead(Vec<Location>),
    /// No other method has been called since the call.
    OnlyCalled(Vec<MethodId>),

    /// A scalar as a relation of one column: empty for null.
    Set(Box<Term>),
    /// The number or truth value in a relation of one column; undefined unless there is exactly
    /// one.
    Scalar(Box<Term>),
    /// All objects of the class that exist in the state.
    Objects(ClassId),
    /// All objects that exist in the state.
    Universe,
    /// Every existing object with itself.
    Identity,
    Empty,
    /// A field as a relation of two columns. For an array class see `Elements`.
    Relation(FieldId),
    /// The elements of all arrays of a class as a relation: array, index, element.
    Elements(ClassId),
    /// The objects of the class that are reached from an object, itself included, through these
    /// fields; empty for null. Fields may be of array type: then through the elements too.
    Reach {
        from: Box<Term>,
        class: Option<ClassId>,
        /// Empty: through all fields.
        fields: Vec<FieldId>,
    },
    Transpose(Box<Term>),
    Closure(Box<Term>),
    ReflexiveClosure(Box<Term>),
    Combine(Combination, Box<Term>, Box<Term>),
    /// `{x: A, y: B | F}`
    Comprehension {
        variables: Vec<Bound>,
        body: Box<Term>,
    },
    Let {
        variable: u32,
        name: String,
        value: Box<Term>,
        body: Box<Term>,
    },
    /// The left relation is a subset of the right one.
    In(Box<Term>, Box<Term>),
    /// Two relations are equal.
    Equal(Box<Term>, Box<Term>),
    Multiplicity(Multiplicity, Box<Term>),
    /// The number of tuples, an int.
    Cardinality(Box<Term>),
}

/// What is made of two sets of locations; the last three are conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Locations {
    Union,
    Intersection,
    Difference,
    Subset,
    Disjoint,
    Equal,
}

/// How many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Multiplicity {
    No,
    Some,
    One,
    Lone,
}

/// An operator on integers or floating-point numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    /// Undefined by zero, for integers.
    Divide,
    Remainder,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRight,
    ShiftRightUnsigned,
}

/// How numbers compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

/// How truth values combine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connective {
    /// The right side matters only where the left one is true.
    And,
    /// The right side matters only where the left one is false.
    Or,
    /// The right side matters only where the left one is true.
    Implies,
    Iff,
    /// Java's `&` and `|` on truth values: both sides matter.
    BothAnd,
    BothOr,
    /// `^`, `!=`, `<=!=>`
    Differ,
}

/// How relations combine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combination {
    Union,
    Difference,
    Intersection,
    Product,
    Join,
    DomainRestriction,
    RangeRestriction,
    Override,
}

/// What a quantifier makes of its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    All,
    Exists,
    /// For none, exactly one, at most one.
    No,
    One,
    Lone,
    /// How many satisfy the body, a long.
    Count,
    Sum,
    Product,
    /// Undefined over nothing.
    Min,
    Max,
}

/// A quantified term. Variables range over their domains where `range` holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantification {
    pub quantifier: Quantifier,
    pub variables: Vec<Bound>,
    pub range: Option<Term>,
    pub body: Term,
}

/// A bound variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Bound {
    /// As in [`Variable::Bound`].
    pub number: u32,
    pub name: String,
    pub domain: Domain,
    /// Variables before it that it differs from.
    pub apart: Vec<u32>,
}

/// What a variable ranges over.
#[derive(Clone, Debug, PartialEq)]
pub enum Domain {
    /// Numbers of this sort: the range of the quantifier has to bound them.
    Numbers(Number),
    Booleans,
    /// All objects of the class that exist in the state; null too if `nullable`.
    Objects {
        class: ClassId,
        nullable: bool,
    },
    /// The members of a relation of one column. The variable is a relation of one column too.
    Members(Term),
    /// All objects, as relations of one column.
    Everything,
}
