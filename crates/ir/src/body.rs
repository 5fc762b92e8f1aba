//! Method bodies: a control-flow graph over registers.
//!
//! The JVM's stack is gone: each stack slot and local variable is a register of one [`Kind`].
//! Implicit control flow is explicit: every block names the handlers that are in force in it
//! (blocks are cut where that changes), so an instruction that throws goes to the first handler
//! whose class fits, with the exception in the handler's register, or leaves the method.
//!
//! Instructions keep the JVM's meaning and order of checks; what may throw is said per operation.

use std::sync::{Arc, OnceLock};

use crate::floating::{FloatBinary, FloatUnary};
use crate::id::{BlockId, ClassId, FieldRefId, MethodRefId, Reg};
use crate::liveness::Liveness;
use crate::order::Order;
use crate::types::{Kind, Type};

/// The code of one method.
///
/// Invariant: see [`crate::validate`].
#[derive(Debug)]
pub struct Body {
    /// Kind of each register.
    pub registers: Vec<Kind>,
    /// Registers that hold the receiver (if any) and the arguments at entry.
    pub params: Vec<Reg>,
    /// Blocks; the entry is `b0` and has no predecessors.
    pub blocks: Vec<Block>,
    /// Source variables, for traces.
    pub variables: Vec<Variable>,
    pub(crate) order: OnceLock<Order>,
    pub(crate) liveness: OnceLock<Liveness>,
}

impl Body {
    /// A body of these parts. The caller keeps the invariant of [`crate::validate`].
    pub fn new(
        registers: Vec<Kind>,
        params: Vec<Reg>,
        blocks: Vec<Block>,
        variables: Vec<Variable>,
    ) -> Body {
        Body {
            registers,
            params,
            blocks,
            variables,
            order: OnceLock::new(),
            liveness: OnceLock::new(),
        }
    }

    /// The block with this id.
    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id.index()]
    }

    /// The loops and the order in which to visit blocks, computed once.
    pub fn order(&self) -> &Order {
        self.order.get_or_init(|| Order::of(self))
    }

    /// The registers live at the start of each block, computed once.
    pub fn liveness(&self) -> &Liveness {
        self.liveness.get_or_init(|| Liveness::of(self))
    }

    /// The source variable that `reg` holds just after the instruction at `pc`, if it has a name.
    pub fn variable_at(&self, reg: Reg, pc: u32) -> Option<&Variable> {
        self.variables.iter().find(|v| v.reg == reg && v.start <= pc && pc < v.end)
    }
}

/// A straight run of instructions under one set of handlers.
#[derive(Clone, Debug)]
pub struct Block {
    pub instrs: Vec<Instr>,
    pub end: Terminator,
    /// Source line of the terminator.
    pub end_line: u32,
    /// Bytecode offset of the terminator.
    pub end_pc: u32,
    /// Handlers in force, innermost first.
    pub handlers: Vec<Handler>,
}

impl Block {
    /// Blocks that may run after this one, through handlers too.
    pub fn successors(&self) -> impl Iterator<Item = BlockId> + '_ {
        self.end.targets().into_iter().chain(self.handlers.iter().map(|h| h.target))
    }
}

/// One entry of an exception table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handler {
    /// What it catches; `None` catches everything (`finally`).
    pub class: Option<ClassId>,
    pub target: BlockId,
    /// Receives the exception.
    pub exception: Reg,
}

/// An operation and where it came from.
#[derive(Clone, Debug)]
pub struct Instr {
    pub op: Op,
    /// Source line, 0 if unknown.
    pub line: u32,
    /// Bytecode offset.
    pub pc: u32,
}

/// A constant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Constant {
    Int(i32),
    Long(i64),
    /// The bits of a float: carried, moved and compared for identity only.
    Float(u32),
    /// The bits of a double.
    Double(u64),
    Null,
    /// An interned string, as UTF-16 code units.
    String(Arc<[u16]>),
    /// A class literal; primitive mirrors are written as their keyword (`int.class`).
    Class(ClassId),
}

/// What an instruction does. `dst` is written last, after every check has passed.
#[derive(Clone, Debug)]
pub enum Op {
    Const {
        dst: Reg,
        value: Constant,
    },
    Move {
        dst: Reg,
        src: Reg,
    },
    Unary {
        dst: Reg,
        op: UnaryOp,
        src: Reg,
    },
    /// Division and remainder throw `ArithmeticException` on zero.
    Binary {
        dst: Reg,
        op: BinaryOp,
        left: Reg,
        right: Reg,
    },
    /// Throws `NullPointerException` when `object` is null.
    GetField {
        dst: Reg,
        object: Reg,
        field: FieldRefId,
    },
    PutField {
        object: Reg,
        field: FieldRefId,
        src: Reg,
    },
    /// Initialises the declaring class first.
    GetStatic {
        dst: Reg,
        field: FieldRefId,
    },
    PutStatic {
        field: FieldRefId,
        src: Reg,
    },
    ArrayLength {
        dst: Reg,
        array: Reg,
    },
    /// Null check, then bounds check. `element` is the element type as the opcode says
    /// (`baload` serves `byte[]` and `boolean[]`: it says `Byte`; `aaload` says `None`).
    ArrayLoad {
        dst: Reg,
        array: Reg,
        index: Reg,
        element: Option<Type>,
    },
    /// Null check, bounds check, then for references the store check.
    ArrayStore {
        array: Reg,
        index: Reg,
        src: Reg,
        element: Option<Type>,
    },
    /// A fresh object with default fields; initialises the class first. `assertion` marks the
    /// `AssertionError` of a Java `assert` statement.
    New {
        dst: Reg,
        class: ClassId,
        assertion: bool,
    },
    /// `class` is the array's own class. Throws `NegativeArraySizeException`.
    NewArray {
        dst: Reg,
        class: ClassId,
        length: Reg,
    },
    /// `lengths` for the outer dimensions, checked all before anything is allocated.
    NewMultiArray {
        dst: Reg,
        class: ClassId,
        lengths: Vec<Reg>,
    },
    /// 1 if `src` is a non-null instance of `class`, else 0.
    InstanceOf {
        dst: Reg,
        src: Reg,
        class: ClassId,
    },
    /// Throws `ClassCastException` unless `src` is null or an instance.
    CheckCast {
        dst: Reg,
        src: Reg,
        class: ClassId,
    },
    /// Receiver first in `args` unless static.
    Invoke {
        dst: Option<Reg>,
        kind: InvokeKind,
        method: MethodRefId,
        args: Vec<Reg>,
    },
    /// String concatenation after every reference argument has become a string. The pieces are
    /// joined in order; `Reg` pieces of `Kind::Ref` hold strings or null (which reads "null").
    Concat {
        dst: Reg,
        pieces: Vec<Piece>,
    },
    /// Monitor enter and exit: only the null check matters to a single thread.
    NullCheck {
        object: Reg,
    },
    /// A point of the source at which something is specified. `locals` are the source variables
    /// that hold a value there.
    Mark {
        number: u32,
        locals: Vec<Local>,
    },
    /// Something that is not modelled: reaching it makes the method undecided by this name.
    Unsupported {
        what: Arc<str>,
    },
}

/// A source variable at one point.
#[derive(Clone, Debug, PartialEq)]
pub struct Local {
    pub name: Arc<str>,
    pub ty: Type,
    /// Generic signature of its type, if that has one.
    pub signature: Option<Arc<str>>,
    pub reg: Reg,
}

/// A piece of a string concatenation.
#[derive(Clone, Debug)]
pub enum Piece {
    Text(Arc<[u16]>),
    /// A register, and the static type that decides how it is written (`char` as a character …).
    Value(Reg, Type),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    NegInt,
    NegLong,
    IntToLong,
    LongToInt,
    IntToByte,
    IntToChar,
    IntToShort,
    Floating(FloatUnary),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    AddInt,
    SubInt,
    MulInt,
    DivInt,
    RemInt,
    AndInt,
    OrInt,
    XorInt,
    /// Shift distances are ints, masked to 5 bits.
    ShlInt,
    ShrInt,
    UshrInt,
    AddLong,
    SubLong,
    MulLong,
    DivLong,
    RemLong,
    AndLong,
    OrLong,
    XorLong,
    /// Shift distances are ints, masked to 6 bits.
    ShlLong,
    ShrLong,
    UshrLong,
    /// -1, 0 or 1.
    CompareLong,
    Floating(FloatBinary),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InvokeKind {
    Static,
    /// Constructors, private methods, `super` calls: no dispatch.
    Special,
    Virtual,
    Interface,
}

/// How a block ends.
#[derive(Clone, Debug)]
pub enum Terminator {
    Goto(BlockId),
    Branch {
        cond: Cond,
        then: BlockId,
        other: BlockId,
    },
    /// Jumps to the block of the matching key, else to `default`. Keys ascend.
    Switch {
        value: Reg,
        cases: Vec<(i32, BlockId)>,
        default: BlockId,
    },
    Return(Option<Reg>),
    /// Throws; null throws `NullPointerException` instead.
    Throw(Reg),
    Unsupported {
        what: Arc<str>,
    },
}

impl Terminator {
    /// Blocks it may jump to, without handlers.
    pub fn targets(&self) -> Vec<BlockId> {
        match self {
            Terminator::Goto(b) => vec![*b],
            Terminator::Branch { then, other, .. } => vec![*then, *other],
            Terminator::Switch { cases, default, .. } => {
                cases.iter().map(|c| c.1).chain([*default]).collect()
            }
            Terminator::Return(_) | Terminator::Throw(_) | Terminator::Unsupported { .. } => {
                Vec::new()
            }
        }
    }
}

/// A branch condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cond {
    /// Compares two int registers.
    Int(Compare, Reg, Reg),
    /// Compares an int register with zero.
    Zero(Compare, Reg),
    /// Equal references (`Eq`) or different ones (`Ne`).
    SameRef(Reg, Reg),
    DifferentRef(Reg, Reg),
    Null(Reg),
    NonNull(Reg),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compare {
    Eq,
    Ne,
    Lt,
    Ge,
    Gt,
    Le,
}

/// A source variable: `reg` holds it while `start <= pc < end`.
#[derive(Clone, Debug)]
pub struct Variable {
    pub name: Arc<str>,
    pub ty: Type,
    /// Generic signature of its type, if that has one.
    pub signature: Option<Arc<str>>,
    pub reg: Reg,
    pub start: u32,
    pub end: u32,
}

impl UnaryOp {
    /// The kinds of the operand and of the result.
    pub fn kinds(self) -> (Kind, Kind) {
        match self {
            UnaryOp::NegInt | UnaryOp::IntToByte | UnaryOp::IntToChar | UnaryOp::IntToShort => {
                (Kind::Int, Kind::Int)
            }
            UnaryOp::NegLong => (Kind::Long, Kind::Long),
            UnaryOp::IntToLong => (Kind::Int, Kind::Long),
            UnaryOp::LongToInt => (Kind::Long, Kind::Int),
            UnaryOp::Floating(op) => op.kinds(),
        }
    }
}

impl BinaryOp {
    /// The kinds of the two operands and of the result.
    pub fn kinds(self) -> (Kind, Kind, Kind) {
        match self {
            BinaryOp::AddInt
            | BinaryOp::SubInt
            | BinaryOp::MulInt
            | BinaryOp::DivInt
            | BinaryOp::RemInt
            | BinaryOp::AndInt
            | BinaryOp::OrInt
            | BinaryOp::XorInt
            | BinaryOp::ShlInt
            | BinaryOp::ShrInt
            | BinaryOp::UshrInt => (Kind::Int, Kind::Int, Kind::Int),
            BinaryOp::AddLong
            | BinaryOp::SubLong
            | BinaryOp::MulLong
            | BinaryOp::DivLong
            | BinaryOp::RemLong
            | BinaryOp::AndLong
            | BinaryOp::OrLong
            | BinaryOp::XorLong => (Kind::Long, Kind::Long, Kind::Long),
            BinaryOp::ShlLong | BinaryOp::ShrLong | BinaryOp::UshrLong => {
                (Kind::Long, Kind::Int, Kind::Long)
            }
            BinaryOp::CompareLong => (Kind::Long, Kind::Long, Kind::Int),
            BinaryOp::Floating(op) => (op.kinds().0, op.kinds().0, op.kinds().1),
        }
    }
}

/// The place of the register that an operation writes, to read or to change it.
macro_rules! written {
    ($op:expr) => {
        match $op {
            Op::Const { dst, .. }
            | Op::Move { dst, .. }
            | Op::Unary { dst, .. }
            | Op::Binary { dst, .. }
            | Op::GetField { dst, .. }
            | Op::GetStatic { dst, .. }
            | Op::ArrayLength { dst, .. }
            | Op::ArrayLoad { dst, .. }
            | Op::New { dst, .. }
            | Op::NewArray { dst, .. }
            | Op::NewMultiArray { dst, .. }
            | Op::InstanceOf { dst, .. }
            | Op::CheckCast { dst, .. }
            | Op::Concat { dst, .. } => Some(dst),
            Op::Invoke { dst, .. } => dst.into_iter().next(),
            Op::PutField { .. }
            | Op::PutStatic { .. }
            | Op::ArrayStore { .. }
            | Op::NullCheck { .. }
            | Op::Mark { .. }
            | Op::Unsupported { .. } => None,
        }
    };
}

impl Op {
    /// The register that the operation writes.
    pub fn dst(&self) -> Option<Reg> {
        written!(self).copied()
    }

    /// Makes the operation write another register. Does nothing if it writes none.
    pub fn set_dst(&mut self, to: Reg) {
        if let Some(dst) = written!(self) {
            *dst = to;
        }
    }

    /// Whether the operation can throw, or run code that can.
    pub fn can_throw(&self) -> bool {
        use BinaryOp::{DivInt, DivLong, RemInt, RemLong};
        match self {
            Op::Const { .. } | Op::Move { .. } | Op::Unary { .. } | Op::InstanceOf { .. } => false,
            Op::Concat { .. } | Op::Mark { .. } | Op::Unsupported { .. } => false,
            Op::Binary { op, .. } => matches!(op, DivInt | DivLong | RemInt | RemLong),
            Op::GetField { .. }
            | Op::PutField { .. }
            | Op::GetStatic { .. }
            | Op::PutStatic { .. }
            | Op::ArrayLength { .. }
            | Op::ArrayLoad { .. }
            | Op::ArrayStore { .. }
            | Op::New { .. }
            | Op::NewArray { .. }
            | Op::NewMultiArray { .. }
            | Op::CheckCast { .. }
            | Op::Invoke { .. }
            | Op::NullCheck { .. } => true,
        }
    }
}
