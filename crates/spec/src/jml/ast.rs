//! The tree of JML: expressions and clauses as written, with their places. Names are texts here;
//! what they mean is for the resolver to find out.

use crate::span::Span;

/// A name with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Ident {
    pub name: String,
    pub span: Span,
}

/// A type as written in a specification.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeName {
    /// The name without type arguments and brackets: `int`, `java.util.List`, `\bigint`, `?`.
    pub name: String,
    /// Type arguments, which erasure makes meaningless to the program.
    pub arguments: Vec<TypeName>,
    /// How many `[]` follow.
    pub dimensions: usize,
    pub span: Span,
}

/// An expression. Its span includes the parentheses around it.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    Literal(Literal),
    /// A simple name: variable, field, or the beginning of a qualified type name.
    Name(String),
    This,
    Super,
    /// `\result`
    Result,
    /// `e.f`; a qualified name is a chain of these.
    Field(Box<Expr>, Ident),
    /// `a[i]`
    Index(Box<Expr>, Box<Expr>),
    Call {
        receiver: Option<Box<Expr>>,
        method: Ident,
        arguments: Vec<Expr>,
    },
    Cast(TypeName, Box<Expr>),
    InstanceOf(Box<Expr>, TypeName),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `\old(e)` and `\pre(e)`
    Old(Box<Expr>),
    Quantified(Box<Quantified>),
    /// `\fresh(a, b)`
    Fresh(Vec<Expr>),
    /// `\nonnullelements(a)`
    NonNullElements(Box<Expr>),
    /// `\typeof(e)`
    TypeOf(Box<Expr>),
    /// `\type(T)` and `T.class`
    Type(TypeName),
    /// `\elemtype(e)`
    ElemType(Box<Expr>),
    /// `\reach(from, T, [f, g])`: everything that is reached in any number of steps through these
    /// fields and belongs to the class. Without fields: through all.
    Reach {
        from: Box<Expr>,
        class: Option<TypeName>,
        fields: Vec<Expr>,
    },
    /// `(\bsum int i; from; to; body)`: the sum over all `i` from the one up to before the other.
    BoundedSum(Box<BoundedSum>),
    /// `\invariant_for(o)`, and `\inv`, which is that of `this`.
    InvariantFor(Box<Expr>),
    /// `\static_invariant_for(T)`
    StaticInvariantFor(TypeName),
    /// `\count` and `\index`: how many iterations of the loop around have ended.
    Count,
    /// `\not_modified(o.f, a[*])` and its like.
    Touched(Touching, Box<Frame>),
    /// `\locset(o.f, a[*])`, `\singleton(o.f)`, `o.*`, and `\empty` without any.
    LocationSet(Vec<StoreRef>),
    /// `\set_union(a, b)` and its like, of two sets of locations.
    OfLocations(LocationsOp, Box<Expr>, Box<Expr>),
    /// `\only_called(m, n(int))`
    OnlyCalled(Callees),
    /// What JML or Java has and this verifier has not, by name.
    Unsupported(String),
}

/// What is made of two sets of locations: a set, or a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocationsOp {
    Union,
    Intersection,
    Difference,
    Subset,
    Disjoint,
}

/// What an expression says about locations since the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touching {
    NotModified,
    NotAssigned,
    OnlyAssigned,
    OnlyAccessed,
}

/// `(\bsum T x; from; to; body)`
#[derive(Clone, Debug, PartialEq)]
pub struct BoundedSum {
    pub ty: TypeName,
    pub variable: Ident,
    pub from: Expr,
    /// Excluded.
    pub to: Expr,
    pub body: Expr,
}

/// Methods, written as in `callable`.
#[derive(Clone, Debug, PartialEq)]
pub enum Callees {
    Everything,
    NotSpecified,
    /// Empty for `\nothing`.
    Methods(Vec<MethodRef>),
}

/// `m`, `C.m(int)`, `o.m`, `C.*`
#[derive(Clone, Debug, PartialEq)]
pub struct MethodRef {
    /// The names with dots between them; the last is the method, or `*` for all.
    pub path: Vec<Ident>,
    /// Without them all methods of the name are meant.
    pub parameters: Option<Vec<TypeName>>,
    pub span: Span,
}

/// `(\forall T x, y; range; body)` and its like.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantified {
    pub quantifier: Quantifier,
    /// `nullable` or `non_null` in front of the type, where written.
    pub nullness: Option<Nullness>,
    pub ty: TypeName,
    /// At least one.
    pub variables: Vec<Ident>,
    pub range: Option<Expr>,
    pub body: Expr,
}

/// What is made of the values of the body: all true, one true, how many true, their sum and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    Forall,
    Exists,
    NumOf,
    Sum,
    Product,
    Min,
    Max,
}

/// Whether `null` belongs to the values of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nullness {
    Nullable,
    NonNull,
}

/// A literal with its value.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// Negative only where written so in binary, octal or hexadecimal, and for the least number.
    Int(i32),
    Long(i64),
    Float(f32),
    Double(f64),
    /// One UTF-16 unit.
    Char(u16),
    Text(String),
    Boolean(bool),
    Null,
}

/// A prefix operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    Not,
    Complement,
    Minus,
    Plus,
}

/// An operator between two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    Multiply,
    Divide,
    Remainder,
    Add,
    Subtract,
    ShiftLeft,
    ShiftRight,
    ShiftRightUnsigned,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    /// `<:` between types.
    Subtype,
    Equal,
    NotEqual,
    BitAnd,
    BitXor,
    BitOr,
    And,
    Or,
    Implies,
    ImpliedBy,
    Iff,
    NotIff,
}

/// A clause: what it says, or why that is not known.
#[derive(Clone, Debug, PartialEq)]
pub struct Clause<T> {
    pub content: Result<T, Gap>,
    /// From the keyword to the semicolon.
    pub span: Span,
}

/// Why a clause has no meaning here. Whatever it annotates can not be decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gap {
    /// JML defines it, this verifier has not got it: its name.
    Unsupported(String),
    /// It is not understood; a diagnostic says why.
    Broken,
}

/// `import a.b.C;`, `import a.b.*;`, `import static a.b.C.m;`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// The name without the star.
    pub path: String,
    pub is_static: bool,
    /// Ends with `.*`.
    pub on_demand: bool,
}

/// A part of a specification without meaning, and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GapAt {
    pub gap: Gap,
    pub span: Span,
}

/// Who may rely on a specification case or clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visibility {
    Public,
    Protected,
    Private,
}

/// The specification of a method: its cases, each of which must be kept.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MethodSpec {
    /// Begins with `also`: adds to what the method inherits.
    pub extends_inherited: bool,
    pub cases: Vec<SpecCase>,
}

/// One case: its clauses describe the calls that satisfy its preconditions.
#[derive(Clone, Debug, PartialEq)]
pub struct SpecCase {
    pub visibility: Option<Visibility>,
    /// `code` in front: it speaks of this very method, not of those that override it.
    pub is_code: bool,
    pub behavior: Behavior,
    pub clauses: Vec<Clause<MethodClause>>,
    pub span: Span,
}

/// Which ways of ending a case speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behavior {
    /// Clauses without a behaviour keyword.
    Lightweight,
    Normal,
    Exceptional,
    General,
}

/// What a clause of a method specification says.
#[derive(Clone, Debug, PartialEq)]
pub enum MethodClause {
    Requires(Expr),
    Ensures(Expr),
    /// Without a condition: the exception may always be thrown.
    Signals {
        exception: TypeName,
        variable: Option<Ident>,
        condition: Option<Expr>,
    },
    /// Empty for `\nothing`.
    SignalsOnly(Vec<TypeName>),
    Assignable(Frame),
    /// What may be read.
    Accessible(Frame),
    Callable(Callees),
    /// One integer, or several of which the first that changes counts.
    MeasuredBy(Vec<Expr>),
    /// `old T x = e;`: names for values before the call, for the clauses that follow in the case.
    Old(Vec<OldVariable>),
    /// `requires \not_specified;` and the like say nothing.
    NotSpecified,
}

/// A name for a value before the call.
#[derive(Clone, Debug, PartialEq)]
pub struct OldVariable {
    pub ty: TypeName,
    pub name: Ident,
    pub value: Expr,
}

/// What may be assigned.
#[derive(Clone, Debug, PartialEq)]
pub enum Frame {
    Nothing,
    /// Nothing, and no new objects either.
    StrictlyNothing,
    Everything,
    NotSpecified,
    Locations(Vec<StoreRef>),
}

/// Locations, written as in `assignable`.
#[derive(Clone, Debug, PartialEq)]
pub struct StoreRef {
    pub kind: StoreRefKind,
    pub span: Span,
}

/// Which locations are meant.
#[derive(Clone, Debug, PartialEq)]
pub enum StoreRefKind {
    /// `x`, `o.f`, `a[i]`
    Location(Expr),
    /// `a[*]`
    Elements(Expr),
    /// `a[i..j]`, both included.
    Range {
        array: Expr,
        first: Box<Expr>,
        last: Box<Expr>,
    },
    /// `o.*`
    Fields(Expr),
    Unsupported(String),
}

/// What a clause of a type says, and to whom.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeClause {
    pub visibility: Option<Visibility>,
    pub is_static: bool,
    /// Said to speak of objects, which in an interface is not understood.
    pub is_instance: bool,
    pub kind: TypeClauseKind,
}

/// What a clause of a type says.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeClauseKind {
    Invariant(Expr),
    Initially(Expr),
    /// `constraint e for m, n;` is to be kept by those methods only.
    Constraint(Expr, Option<Callees>),
    /// `in g, h;` behind a field: the field belongs to these data groups.
    In(Vec<Expr>),
    /// `maps f.g \into h;`: so do these locations.
    Maps {
        location: StoreRef,
        groups: Vec<Expr>,
    },
    /// `readable f if e;`, `writable f if e;`
    Access {
        writes: bool,
        field: Expr,
        condition: Expr,
    },
    /// The model field is the value of the expression.
    Represents {
        field: Expr,
        value: Expr,
    },
    /// The model field satisfies the predicate.
    RepresentsSuchThat {
        field: Expr,
        predicate: Expr,
    },
}

/// A field or local variable that exists for specifications only.
#[derive(Clone, Debug, PartialEq)]
pub struct SpecVariable {
    /// A model variable stands for other state; a ghost variable is state of its own.
    pub is_model: bool,
    pub modifiers: Vec<Modifier>,
    pub ty: TypeName,
    pub name: Ident,
    pub initializer: Option<Expr>,
}

/// A method that exists for specifications only.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelMethod {
    pub modifiers: Vec<Modifier>,
    pub ty: TypeName,
    pub name: Ident,
    pub parameters: Vec<(TypeName, Ident)>,
    /// What it returns, or why that is not known: there is no body, or it is more than one
    /// `return`.
    pub body: Result<Expr, Gap>,
    /// What was said before it.
    pub spec: MethodSpec,
}

/// A specification between statements.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// Also `unreachable`, which is `assert false`.
    Assert(Expr),
    Assume(Expr),
    Set {
        target: Expr,
        value: Expr,
    },
    Ghost(SpecVariable),
}

/// What a clause of a loop specification says.
#[derive(Clone, Debug, PartialEq)]
pub enum LoopClause {
    Invariant(Expr),
    Decreases(Expr),
    Assignable(Frame),
}

/// A modifier inside a specification comment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Modifier {
    pub kind: ModifierKind,
    pub span: Span,
}

/// The modifiers that are understood; synonyms are one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModifierKind {
    Public,
    Protected,
    Private,
    Static,
    Final,
    Abstract,
    Pure,
    Helper,
    Nullable,
    NonNull,
    NullableByDefault,
    NonNullByDefault,
    SpecPublic,
    SpecProtected,
    SpecBigintMath,
    SpecJavaMath,
    SpecSafeMath,
    CodeJavaMath,
    CodeBigintMath,
    CodeSafeMath,
    Instance,
    Ghost,
    Model,
    /// Of a type: its objects never change once they are made.
    Immutable,
    /// Before a specification case.
    Code,
}
