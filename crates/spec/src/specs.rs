//! What a file says about its program: for every type, field, method and parameter the
//! specifications that annotate it. Declarations without any are listed too, so that the resolver
//! can find the class-file member that each one is.

use crate::alloy::ast::AlloyClause;
use crate::diagnostic::Diagnostic;
use crate::jml::ast::{
    Clause, GapAt, Import, LoopClause, MethodSpec, ModelMethod, Modifier, Nullness, SpecVariable,
    Statement, TypeClause,
};
use crate::span::Span;

/// All specifications of one source file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FileSpecs {
    /// The package, empty for the unnamed one.
    pub package: String,
    /// Imports, for resolving the names in specifications.
    pub imports: Vec<Import>,
    /// All types of the file, nested ones too, in the order of the file.
    pub types: Vec<TypeSpecs>,
    /// Mistakes in specifications, in the order of the file.
    pub diagnostics: Vec<Diagnostic>,
    /// What annotates nothing in particular and can not be understood or is not supported.
    pub gaps: Vec<GapAt>,
    /// Places where the Java itself could not be read: what stands near may be attached wrongly.
    pub unread: Vec<Span>,
    /// Whether the file has any JML, which makes references non-null unless it says otherwise.
    pub has_jml: bool,
}

/// A class, interface, enum, record or annotation type.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TypeSpecs {
    /// The binary name without the package: `Outer$Inner`, `Outer$1`, `Outer$1Local`. The numbers
    /// count in the order of the text, as compilers mostly do.
    pub name: String,
    /// The declaration, without the comments before it.
    pub span: Span,
    /// The last line of the declaration.
    pub last_line: u32,
    pub modifiers: Vec<Modifier>,
    pub clauses: Vec<Clause<TypeClause>>,
    /// Ghost and model fields.
    pub variables: Vec<Clause<SpecVariable>>,
    pub model_methods: Vec<Clause<ModelMethod>>,
    /// Alloy-style invariants.
    pub formulas: Vec<AlloyClause>,
    /// The components, for a record.
    pub components: Vec<Parameter>,
    pub fields: Vec<FieldSpecs>,
    pub methods: Vec<MethodSpecs>,
    pub gaps: Vec<GapAt>,
}

/// A field declaration, which may declare several fields.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FieldSpecs {
    pub names: Vec<String>,
    pub span: Span,
    pub modifiers: Vec<Modifier>,
    pub gaps: Vec<GapAt>,
}

/// What kind of code a method is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MethodKind {
    #[default]
    Method,
    Constructor,
    /// The constructor of a record without a parameter list.
    CompactConstructor,
    /// `{ … }` in a type.
    Initializer,
    /// `static { … }` in a type.
    StaticInitializer,
}

/// A method, constructor or initializer and all that is said about it and inside it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MethodSpecs {
    pub kind: MethodKind,
    /// The name as written, empty for initializers.
    pub name: String,
    pub parameters: Vec<Parameter>,
    /// The result type as written, where there is one.
    pub result: Option<String>,
    /// The declaration, without the comments before it.
    pub span: Span,
    /// The last line of the declaration.
    pub last_line: u32,
    pub body: Option<Span>,
    pub modifiers: Vec<Modifier>,
    pub spec: MethodSpec,
    /// Alloy-style `requires` and `ensures`.
    pub formulas: Vec<AlloyClause>,
    /// Loops that have specifications.
    pub loops: Vec<LoopSpecs>,
    /// Specification statements in the body.
    pub points: Vec<Point>,
    /// Modifiers on local variables.
    pub locals: Vec<LocalSpecs>,
    /// Exceptions that its documentation names.
    pub documented: Vec<Documented>,
    /// Where the body assigns local variables and parameters.
    pub assignments: Vec<Assignment>,
    pub gaps: Vec<GapAt>,
}

/// A formal parameter or record component.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parameter {
    pub name: String,
    /// The type as written, white space removed, brackets behind the name included, `...` for a
    /// variable number of arguments.
    pub ty: String,
    pub span: Span,
    pub modifiers: Vec<Modifier>,
    /// What the documentation says of null.
    pub documented: Option<Nullness>,
    /// Those of Java.
    pub annotations: Vec<Annotation>,
}

/// An exception that the documentation of a method names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Documented {
    /// As written.
    pub name: String,
    pub span: Span,
}

/// An annotation of Java.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotation {
    /// Without its package.
    pub name: String,
    /// As written, with parentheses; empty where there are none.
    pub arguments: String,
}

/// What is said about a loop.
#[derive(Clone, Debug, PartialEq)]
pub struct LoopSpecs {
    /// The loop statement.
    pub span: Span,
    pub clauses: Vec<Clause<LoopClause>>,
}

/// A specification statement in a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    pub statement: Clause<Statement>,
    /// The statement before which it stands, if it is not the last of its block. Statements of one
    /// comment are in order.
    pub before: Option<Span>,
    /// The comment in which it begins, delimiters included: a marker can stand in its place.
    pub comment: Span,
}

/// A place that assigns a variable with a simple name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    pub name: String,
    pub first_line: u32,
    pub last_line: u32,
}

/// What is said about a declaration of local variables.
#[derive(Clone, Debug, PartialEq)]
pub struct LocalSpecs {
    pub names: Vec<String>,
    /// The declaration, or the loop whose variable it is.
    pub span: Span,
    /// Where the scope of the variables ends.
    pub last_line: u32,
    pub modifiers: Vec<Modifier>,
}
