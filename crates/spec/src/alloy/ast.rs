//! The tree of Alloy-style specifications: formulas, which hold or not, and relations, which are
//! sets of tuples. Names are texts here; what they mean is for the resolver to find out.

use crate::jml::ast::{Gap, Ident};
use crate::span::Span;

/// `requires F`, `ensures F`, `invariant F`
#[derive(Clone, Debug, PartialEq)]
pub struct AlloyClause {
    pub keyword: AlloyKeyword,
    /// `static invariant`
    pub is_static: bool,
    pub content: Result<Formula, Gap>,
    /// From the keyword to the end of the formula.
    pub span: Span,
}

/// When the formula has to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlloyKeyword {
    Requires,
    Ensures,
    Invariant,
}

/// What holds or does not. Its span includes the parentheses around it.
#[derive(Clone, Debug, PartialEq)]
pub struct Formula {
    pub kind: FormulaKind,
    pub span: Span,
}

/// What a formula is.
#[derive(Clone, Debug, PartialEq)]
pub enum FormulaKind {
    /// A value of type `boolean`, taken as a formula.
    Holds(Relation),
    /// `no e`, `some e`, `one e`, `lone e`
    Multiplicity(Multiplicity, Relation),
    /// `a in b`, `a != b`, `a < b`; negated for `!in` and `!=`.
    Compare {
        op: CompareOp,
        negated: bool,
        left: Relation,
        right: Relation,
    },
    Not(Box<Formula>),
    Binary(Connective, Box<Formula>, Box<Formula>),
    /// `c => f else g`
    IfElse(Box<Formula>, Box<Formula>, Box<Formula>),
    Quantified {
        quantifier: AlloyQuantifier,
        declarations: Vec<Declaration>,
        body: Box<Formula>,
    },
    Let {
        name: Ident,
        value: Box<Relation>,
        body: Box<Formula>,
    },
    /// What Alloy has and this verifier has not, by name.
    Unsupported(String),
}

/// How many: none, at least one, exactly one, at most one (`lone`, `sole`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Multiplicity {
    No,
    Some,
    One,
    Lone,
}

/// For how many the body holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlloyQuantifier {
    All,
    Some,
    No,
    One,
    Lone,
}

/// How two relations or numbers are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompareOp {
    In,
    Equal,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

/// What joins two formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connective {
    And,
    Or,
    Implies,
    Iff,
}

/// `x, y: e`, or `x, y` alone where the variables range over everything.
#[derive(Clone, Debug, PartialEq)]
pub struct Declaration {
    /// `disj`: the variables have different values.
    pub is_disjoint: bool,
    /// At least one.
    pub names: Vec<Ident>,
    pub bound: Option<Relation>,
}

/// A set, a relation, or a number. Its span includes the parentheses around it.
#[derive(Clone, Debug, PartialEq)]
pub struct Relation {
    pub kind: RelationKind,
    pub span: Span,
}

/// What a relation is.
#[derive(Clone, Debug, PartialEq)]
pub enum RelationKind {
    /// A variable, parameter, class or field; primed for its value at the end.
    Name {
        name: String,
        primed: bool,
    },
    This,
    Null,
    /// `$return` or `result`
    Result,
    Int(i32),
    Boolean(bool),
    /// `none` or `{}`
    Empty,
    /// `univ`
    Universe,
    /// `iden`
    Identity,
    Unary(RelationUnaryOp, Box<Relation>),
    /// `+` and `-` are the arithmetic ones between numbers; the parser can not know.
    Binary(RelationOp, Box<Relation>, Box<Relation>),
    /// `f[x, y]`: the box join, or a call of `plus[a, b]` and its like.
    Box(Box<Relation>, Vec<Relation>),
    /// `#e`
    Cardinality(Box<Relation>),
    /// `{x: e | F}`
    Comprehension {
        declarations: Vec<Declaration>,
        body: Box<Formula>,
    },
    /// `c => a else b`
    IfElse(Box<Formula>, Box<Relation>, Box<Relation>),
    Let {
        name: Ident,
        value: Box<Relation>,
        body: Box<Relation>,
    },
    /// What Alloy has and this verifier has not, by name.
    Unsupported(String),
}

/// A prefix operator on relations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelationUnaryOp {
    /// `~r`
    Transpose,
    /// `^r`, also written `+r`
    Closure,
    /// `*r`
    ReflexiveClosure,
}

/// An operator between two relations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelationOp {
    Union,
    Difference,
    Override,
    Intersection,
    Product,
    DomainRestriction,
    RangeRestriction,
    Join,
}
