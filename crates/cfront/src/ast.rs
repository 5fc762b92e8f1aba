//! What the parser makes of C: declarations, statements and expressions, types still as written.

use crate::lexer::Place;

/// The text of an expression or statement: from its first token to its last.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Span {
    /// The first token.
    pub from: Place,
    /// Where the last token ends in the preprocessed text.
    pub end: u32,
}

/// A type as written.
#[derive(Clone, PartialEq, Debug)]
pub enum TypeName {
    Void,
    Bool,
    /// An integer type of so many bits.
    Integer {
        bits: u32,
        signed: bool,
    },
    /// A floating type, complex or 128-bit integer: known by name only.
    Opaque {
        name: String,
        bytes: u64,
    },
    /// A typedef name.
    Named(String),
    Struct(Aggregate),
    Enum {
        tag: Option<String>,
        members: Option<Vec<(String, Option<Expr>)>>,
    },
    Pointer(Box<TypeName>),
    Array(Box<TypeName>, Option<Box<Expr>>),
    Function {
        result: Box<TypeName>,
        parameters: Vec<Declared>,
        variadic: bool,
    },
    /// `typeof` of an expression.
    Of(Box<Expr>),
    /// `volatile`, which the rest of the type does not show.
    Volatile(Box<TypeName>),
}

/// A structure or union.
#[derive(Clone, PartialEq, Debug)]
pub struct Aggregate {
    pub union: bool,
    pub tag: Option<String>,
    /// `None` if it is only mentioned; otherwise fields, with the width of a bit-field.
    pub fields: Option<Vec<(Declared, Option<Expr>)>>,
    /// Whether an attribute asks for no padding.
    pub packed: bool,
    /// The place that makes one without a tag different from every other.
    pub place: Place,
}

/// A name with its type.
#[derive(Clone, PartialEq, Debug)]
pub struct Declared {
    pub name: Option<String>,
    pub ty: TypeName,
    pub span: Span,
}

/// Where a declared thing is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Storage {
    Plain,
    Static,
    Extern,
    Typedef,
}

/// One declarator of a declaration.
#[derive(Clone, PartialEq, Debug)]
pub struct Declaration {
    pub storage: Storage,
    pub declared: Declared,
    pub initial: Option<Initial>,
    pub thread_local: bool,
}

/// An initialiser.
#[derive(Clone, PartialEq, Debug)]
pub enum Initial {
    Value(Expr),
    List(Vec<(Vec<Designator>, Initial)>),
}

/// Which part of an aggregate an initialiser is for.
#[derive(Clone, PartialEq, Debug)]
pub enum Designator {
    Field(String),
    Element(Expr),
}

/// A function with its body.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    pub name: String,
    pub result: TypeName,
    pub parameters: Vec<Declared>,
    pub variadic: bool,
    pub is_static: bool,
    pub body: Statement,
    pub span: Span,
}

/// A thing at the top of a file.
#[derive(Clone, PartialEq, Debug)]
pub enum Item {
    Declarations(Vec<Declaration>, TypeName),
    Function(Box<Function>),
}

/// A statement.
#[derive(Clone, PartialEq, Debug)]
pub struct Statement {
    pub kind: StatementKind,
    pub span: Span,
}

/// What a statement is.
#[derive(Clone, PartialEq, Debug)]
pub enum StatementKind {
    Empty,
    Block(Vec<Statement>),
    Declarations(Vec<Declaration>, TypeName),
    Expression(Expr),
    If(Expr, Box<Statement>, Option<Box<Statement>>),
    While(Expr, Box<Statement>),
    Do(Box<Statement>, Expr),
    For(Box<Statement>, Option<Expr>, Option<Expr>, Box<Statement>),
    Switch(Expr, Box<Statement>),
    /// A single value or a range of them.
    Case(Expr, Option<Expr>, Box<Statement>),
    Default(Box<Statement>),
    Label(String, Box<Statement>),
    Goto(String),
    Break,
    Continue,
    Return(Option<Expr>),
    /// Known, and without a model.
    Unsupported(String),
}

/// An expression.
#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    pub kind: Box<ExprKind>,
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, PartialEq, Debug)]
pub enum ExprKind {
    Name(String),
    Integer {
        value: u64,
        decimal: bool,
        suffix: String,
    },
    Character(i64),
    Float(String),
    Text(Vec<u8>),
    /// `- ~ ! + & *`
    Prefix(&'static str, Expr),
    /// `++` or `--`; whether it stands before.
    Step {
        up: bool,
        before: bool,
        of: Expr,
    },
    Binary(&'static str, Expr, Expr),
    /// The operator without its `=`, or nothing.
    Assign(&'static str, Expr, Expr),
    /// Without a middle operand it is the first.
    Conditional(Expr, Option<Expr>, Expr),
    Comma(Expr, Expr),
    Call(Expr, Vec<Expr>),
    Index(Expr, Expr),
    Field {
        of: Expr,
        name: String,
        arrow: bool,
    },
    Cast(TypeName, Expr),
    Compound(TypeName, Initial),
    SizeOf(Expr),
    SizeOfType(TypeName),
    AlignOf(TypeName),
    OffsetOf(TypeName, Vec<Designator>),
    /// `({ … })`
    Block(Statement),
    /// `__builtin_types_compatible_p` and the like.
    Unsupported(String),
}

/// The names that an initialiser speaks of.
pub fn names(initial: &Initial) -> Vec<String> {
    fn of(expression: &Expr, found: &mut Vec<String>) {
        match &*expression.kind {
            ExprKind::Name(name) => found.push(name.clone()),
            ExprKind::Prefix(_, of_) | ExprKind::Cast(_, of_) | ExprKind::Field { of: of_, .. } => {
                of(of_, found);
            }
            ExprKind::Binary(_, a, b) | ExprKind::Index(a, b) => {
                of(a, found);
                of(b, found);
            }
            ExprKind::Compound(_, inner) => found.extend(names(inner)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    match initial {
        Initial::Value(value) => of(value, &mut found),
        Initial::List(list) => {
            list.iter().for_each(|(_, inner)| found.extend(names(inner)));
        }
    }
    found
}
