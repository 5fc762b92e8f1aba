//! The program as Jarosite sees it: classes, fields, methods and register-based control-flow
//! graphs with explicit exception edges.
//!
//! This crate knows nothing of class files (the `jvm` crate produces what is here), of literals,
//! or of solvers. Everything is reached through [`Program`], which loads classes and lowers
//! method bodies when they are first asked for.

pub mod body;
pub mod declare;
pub mod floating;
pub mod graph;
pub mod id;
pub mod intrinsic;
pub mod liveness;
pub mod order;
pub mod program;
mod resolve;
pub mod split;
pub mod steering;
pub mod text;
pub mod types;
pub mod validate;

pub use body::{
    BinaryOp, Block, Body, Cond, Constant, Handler, Instr, InvokeKind, Local, Op, Terminator,
    UnaryOp, Variable,
};
pub use declare::{
    Class, ClassData, Code, Field, FieldData, LoadError, Method, MethodData, Nullness, Provenance,
    SpecField,
};
pub use id::{BlockId, ClassId, FieldId, FieldRefId, MethodId, MethodRefId, Reg};
pub use intrinsic::Intrinsic;
pub use program::{ClassLoader, Program, Unresolved};
pub use types::{Kind, Type};
