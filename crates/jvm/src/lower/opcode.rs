//! Bytecode as instructions: families of opcodes folded into one variant each, jumps made
//! absolute, `wide` gone. Knows nothing of classes or programs.

use ir::body::Compare;
use ir::floating::{FloatBinary, FloatUnary};
use ir::{BinaryOp, InvokeKind, Kind, Type, UnaryOp};

use crate::classfile::reader::{Malformed, Reader, malformed};

/// One instruction. Indices lead into the constant pool; targets are bytecode offsets.
#[derive(Clone, Debug)]
pub enum Insn {
    Nop,
    Null,
    Int(i32),
    Long(i64),
    Float(u32),
    Double(u64),
    Constant(u16),
    Load(Kind, u16),
    Store(Kind, u16),
    Increment(u16, i32),
    ArrayLoad(Element),
    ArrayStore(Element),
    Stack(StackOp),
    Unary(UnaryOp),
    Binary(BinaryOp),
    IfZero(Compare, u32),
    IfInt(Compare, u32),
    IfSame(u32),
    IfDifferent(u32),
    IfNull(u32),
    IfNonNull(u32),
    Goto(u32),
    /// Keys ascend.
    Switch {
        cases: Vec<(i32, u32)>,
        default: u32,
    },
    Return(Option<Kind>),
    GetStatic(u16),
    PutStatic(u16),
    GetField(u16),
    PutField(u16),
    Invoke(InvokeKind, u16),
    InvokeDynamic(u16),
    New(u16),
    NewPrimitiveArray(Type),
    NewRefArray(u16),
    NewMultiArray(u16, u8),
    ArrayLength,
    Throw,
    CheckCast(u16),
    InstanceOf(u16),
    /// `monitorenter` or `monitorexit`.
    Monitor,
    /// `jsr`, `ret`: no compiler has made them for two decades.
    Obsolete(&'static str),
}

/// The element type that an array instruction names; references carry none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Element(pub Option<Type>);

impl Element {
    /// The kind of register that holds an element.
    pub fn kind(self) -> Kind {
        self.0.map_or(Kind::Ref, Type::kind)
    }
}

/// Instructions that only move stack entries, counted in 32-bit words as the JVM does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StackOp {
    Pop,
    Pop2,
    Dup,
    DupX1,
    DupX2,
    Dup2,
    Dup2X1,
    Dup2X2,
    Swap,
}

/// All instructions of a body with their offsets.
pub fn decode(code: &[u8]) -> Result<Vec<(u32, Insn)>, Malformed> {
    let mut reader = Reader::new(code);
    let mut insns = Vec::with_capacity(code.len() / 2);
    while !reader.is_empty() {
        let pc = reader.position() as u32;
        let opcode = reader.u1()?;
        insns.push((pc, instruction(opcode, pc, &mut reader)?));
    }
    Ok(insns)
}

fn instruction(opcode: u8, pc: u32, reader: &mut Reader<'_>) -> Result<Insn, Malformed> {
    Ok(match opcode {
        0x00 => Insn::Nop,
        0x01..=0x14 => constant(opcode, reader)?,
        0x15..=0x2d | 0x36..=0x4e => local(opcode, reader)?,
        0x2e..=0x35 => Insn::ArrayLoad(element(opcode - 0x2e)),
        0x4f..=0x56 => Insn::ArrayStore(element(opcode - 0x4f)),
        0x57..=0x5f => Insn::Stack(stack_op(opcode)),
        0x60..=0x83 | 0x85..=0x98 => arithmetic(opcode),
        0x84 => {
            let slot = u16::from(reader.u1()?);
            Insn::Increment(slot, i32::from(reader.u1()? as i8))
        }
        0x99..=0xa7 | 0xc6..=0xc8 => jump(opcode, pc, reader)?,
        0xa8 | 0xc9 => {
            reader.take(if opcode == 0xa8 { 2 } else { 4 })?;
            Insn::Obsolete("jsr")
        }
        0xa9 => {
            reader.u1()?;
            Insn::Obsolete("ret")
        }
        0xaa => table_switch(pc, reader)?,
        0xab => lookup_switch(pc, reader)?,
        0xac => Insn::Return(Some(Kind::Int)),
        0xad => Insn::Return(Some(Kind::Long)),
        0xae => Insn::Return(Some(Kind::Float)),
        0xaf => Insn::Return(Some(Kind::Double)),
        0xb0 => Insn::Return(Some(Kind::Ref)),
        0xb1 => Insn::Return(None),
        0xb2..=0xc5 => object(opcode, reader)?,
        other => return malformed(format!("unknown opcode {other:#04x} at {pc}")),
    })
}

fn constant(opcode: u8, reader: &mut Reader<'_>) -> Result<Insn, Malformed> {
    Ok(match opcode {
        0x01 => Insn::Null,
        0x02..=0x08 => Insn::Int(i32::from(opcode) - 3),
        0x09 | 0x0a => Insn::Long(i64::from(opcode) - 9),
        0x0b..=0x0d => Insn::Float((f32::from(opcode) - 11.0).to_bits()),
        0x0e | 0x0f => Insn::Double((f64::from(opcode) - 14.0).to_bits()),
        0x10 => Insn::Int(i32::from(reader.u1()? as i8)),
        0x11 => Insn::Int(i32::from(reader.u2()? as i16)),
        0x12 => Insn::Constant(u16::from(reader.u1()?)),
        _ => Insn::Constant(reader.u2()?),
    })
}

const KINDS: [Kind; 5] = [Kind::Int, Kind::Long, Kind::Float, Kind::Double, Kind::Ref];

/// `xload`, `xload_n`, `xstore`, `xstore_n`.
fn local(opcode: u8, reader: &mut Reader<'_>) -> Result<Insn, Malformed> {
    Ok(match opcode {
        0x15..=0x19 => Insn::Load(KINDS[usize::from(opcode - 0x15)], u16::from(reader.u1()?)),
        0x36..=0x3a => Insn::Store(KINDS[usize::from(opcode - 0x36)], u16::from(reader.u1()?)),
        0x1a..=0x2d => {
            let short = opcode - 0x1a;
            Insn::Load(KINDS[usize::from(short / 4)], u16::from(short % 4))
        }
        _ => {
            let short = opcode - 0x3b;
            Insn::Store(KINDS[usize::from(short / 4)], u16::from(short % 4))
        }
    })
}

/// The element type at this place in the order in which the array opcodes come.
fn element(order: u8) -> Element {
    Element(match order {
        0 => Some(Type::Int),
        1 => Some(Type::Long),
        2 => Some(Type::Float),
        3 => Some(Type::Double),
        4 => None,
        5 => Some(Type::Byte),
        6 => Some(Type::Char),
        _ => Some(Type::Short),
    })
}

fn stack_op(opcode: u8) -> StackOp {
    match opcode {
        0x57 => StackOp::Pop,
        0x58 => StackOp::Pop2,
        0x59 => StackOp::Dup,
        0x5a => StackOp::DupX1,
        0x5b => StackOp::DupX2,
        0x5c => StackOp::Dup2,
        0x5d => StackOp::Dup2X1,
        0x5e => StackOp::Dup2X2,
        _ => StackOp::Swap,
    }
}

fn arithmetic(opcode: u8) -> Insn {
    match opcode {
        0x60 => Insn::Binary(BinaryOp::AddInt),
        0x61 => Insn::Binary(BinaryOp::AddLong),
        0x64 => Insn::Binary(BinaryOp::SubInt),
        0x65 => Insn::Binary(BinaryOp::SubLong),
        0x68 => Insn::Binary(BinaryOp::MulInt),
        0x69 => Insn::Binary(BinaryOp::MulLong),
        0x6c => Insn::Binary(BinaryOp::DivInt),
        0x6d => Insn::Binary(BinaryOp::DivLong),
        0x70 => Insn::Binary(BinaryOp::RemInt),
        0x71 => Insn::Binary(BinaryOp::RemLong),
        0x74 => Insn::Unary(UnaryOp::NegInt),
        0x75 => Insn::Unary(UnaryOp::NegLong),
        0x78 => Insn::Binary(BinaryOp::ShlInt),
        0x79 => Insn::Binary(BinaryOp::ShlLong),
        0x7a => Insn::Binary(BinaryOp::ShrInt),
        0x7b => Insn::Binary(BinaryOp::ShrLong),
        0x7c => Insn::Binary(BinaryOp::UshrInt),
        0x7d => Insn::Binary(BinaryOp::UshrLong),
        0x7e => Insn::Binary(BinaryOp::AndInt),
        0x7f => Insn::Binary(BinaryOp::AndLong),
        0x80 => Insn::Binary(BinaryOp::OrInt),
        0x81 => Insn::Binary(BinaryOp::OrLong),
        0x82 => Insn::Binary(BinaryOp::XorInt),
        0x83 => Insn::Binary(BinaryOp::XorLong),
        0x85 => Insn::Unary(UnaryOp::IntToLong),
        0x88 => Insn::Unary(UnaryOp::LongToInt),
        0x91 => Insn::Unary(UnaryOp::IntToByte),
        0x92 => Insn::Unary(UnaryOp::IntToChar),
        0x93 => Insn::Unary(UnaryOp::IntToShort),
        0x94 => Insn::Binary(BinaryOp::CompareLong),
        other => floating_point(other),
    }
}

fn floating_point(opcode: u8) -> Insn {
    let unary = |op| Insn::Unary(UnaryOp::Floating(op));
    let binary = |op| Insn::Binary(BinaryOp::Floating(op));
    match opcode {
        0x62 => binary(FloatBinary::AddFloat),
        0x63 => binary(FloatBinary::AddDouble),
        0x66 => binary(FloatBinary::SubFloat),
        0x67 => binary(FloatBinary::SubDouble),
        0x6a => binary(FloatBinary::MulFloat),
        0x6b => binary(FloatBinary::MulDouble),
        0x6e => binary(FloatBinary::DivFloat),
        0x6f => binary(FloatBinary::DivDouble),
        0x72 => binary(FloatBinary::RemFloat),
        0x73 => binary(FloatBinary::RemDouble),
        0x76 => unary(FloatUnary::NegFloat),
        0x77 => unary(FloatUnary::NegDouble),
        0x86 => unary(FloatUnary::IntToFloat),
        0x87 => unary(FloatUnary::IntToDouble),
        0x89 => unary(FloatUnary::LongToFloat),
        0x8a => unary(FloatUnary::LongToDouble),
        0x8b => unary(FloatUnary::FloatToInt),
        0x8c => unary(FloatUnary::FloatToLong),
        0x8d => unary(FloatUnary::FloatToDouble),
        0x8e => unary(FloatUnary::DoubleToInt),
        0x8f => unary(FloatUnary::DoubleToLong),
        0x90 => unary(FloatUnary::DoubleToFloat),
        0x95 => binary(FloatBinary::CompareFloatLess),
        0x96 => binary(FloatBinary::CompareFloatGreater),
        0x97 => binary(FloatBinary::CompareDoubleLess),
        _ => binary(FloatBinary::CompareDoubleGreater),
    }
}

fn jump(opcode: u8, pc: u32, reader: &mut Reader<'_>) -> Result<Insn, Malformed> {
    let offset = match opcode {
        0xc8 => reader.i4()?,
        _ => i32::from(reader.u2()? as i16),
    };
    let target = target(pc, offset)?;
    Ok(match opcode {
        0x99..=0x9e => Insn::IfZero(compare(opcode - 0x99), target),
        0x9f..=0xa4 => Insn::IfInt(compare(opcode - 0x9f), target),
        0xa5 => Insn::IfSame(target),
        0xa6 => Insn::IfDifferent(target),
        0xc6 => Insn::IfNull(target),
        0xc7 => Insn::IfNonNull(target),
        _ => Insn::Goto(target),
    })
}

fn compare(order: u8) -> Compare {
    match order {
        0 => Compare::Eq,
        1 => Compare::Ne,
        2 => Compare::Lt,
        3 => Compare::Ge,
        4 => Compare::Gt,
        _ => Compare::Le,
    }
}

fn target(pc: u32, offset: i32) -> Result<u32, Malformed> {
    match pc.checked_add_signed(offset) {
        Some(target) => Ok(target),
        None => malformed(format!("a jump out of the body at {pc}")),
    }
}

fn skip_padding(pc: u32, reader: &mut Reader<'_>) -> Result<(), Malformed> {
    reader.take((3 - pc as usize % 4) % 4).map(|_| ())
}

fn table_switch(pc: u32, reader: &mut Reader<'_>) -> Result<Insn, Malformed> {
    skip_padding(pc, reader)?;
    let default = target(pc, reader.i4()?)?;
    let (low, high) = (reader.i4()?, reader.i4()?);
    if low > high {
        return malformed(format!("an empty table switch at {pc}"));
    }
    let mut cases = Vec::new();
    for key in low..=high {
        let to = target(pc, reader.i4()?)?;
        // Holes in the table need no edge of their own.
        if to != default {
            cases.push((key, to));
        }
    }
    Ok(Insn::Switch { cases, default })
}

fn lookup_switch(pc: u32, reader: &mut Reader<'_>) -> Result<Insn, Malformed> {
    skip_padding(pc, reader)?;
    let default = target(pc, reader.i4()?)?;
    let count = reader.i4()?;
    let mut cases: Vec<(i32, u32)> = Vec::new();
    for _ in 0..count {
        let key = reader.i4()?;
        if cases.last().is_some_and(|last| last.0 >= key) {
            return malformed(format!("an unsorted lookup switch at {pc}"));
        }
        cases.push((key, target(pc, reader.i4()?)?));
    }
    cases.retain(|case| case.1 != default);
    Ok(Insn::Switch { cases, default })
}

/// Fields, calls, allocation, type tests, `wide`.
fn object(opcode: u8, reader: &mut Reader<'_>) -> Result<Insn, Malformed> {
    Ok(match opcode {
        0xb2 => Insn::GetStatic(reader.u2()?),
        0xb3 => Insn::PutStatic(reader.u2()?),
        0xb4 => Insn::GetField(reader.u2()?),
        0xb5 => Insn::PutField(reader.u2()?),
        0xb6 => Insn::Invoke(InvokeKind::Virtual, reader.u2()?),
        0xb7 => Insn::Invoke(InvokeKind::Special, reader.u2()?),
        0xb8 => Insn::Invoke(InvokeKind::Static, reader.u2()?),
        0xb9 => {
            let index = reader.u2()?;
            reader.take(2)?;
            Insn::Invoke(InvokeKind::Interface, index)
        }
        0xba => {
            let index = reader.u2()?;
            reader.take(2)?;
            Insn::InvokeDynamic(index)
        }
        0xbb => Insn::New(reader.u2()?),
        0xbc => Insn::NewPrimitiveArray(array_type(reader.u1()?)?),
        0xbd => Insn::NewRefArray(reader.u2()?),
        0xbe => Insn::ArrayLength,
        0xbf => Insn::Throw,
        0xc0 => Insn::CheckCast(reader.u2()?),
        0xc1 => Insn::InstanceOf(reader.u2()?),
        0xc2 | 0xc3 => Insn::Monitor,
        0xc4 => wide(reader)?,
        _ => {
            let class = reader.u2()?;
            Insn::NewMultiArray(class, reader.u1()?)
        }
    })
}

fn array_type(code: u8) -> Result<Type, Malformed> {
    Ok(match code {
        4 => Type::Boolean,
        5 => Type::Char,
        6 => Type::Float,
        7 => Type::Double,
        8 => Type::Byte,
        9 => Type::Short,
        10 => Type::Int,
        11 => Type::Long,
        other => return malformed(format!("unknown array type {other}")),
    })
}

fn wide(reader: &mut Reader<'_>) -> Result<Insn, Malformed> {
    let opcode = reader.u1()?;
    let slot = reader.u2()?;
    Ok(match opcode {
        0x15..=0x19 => Insn::Load(KINDS[usize::from(opcode - 0x15)], slot),
        0x36..=0x3a => Insn::Store(KINDS[usize::from(opcode - 0x36)], slot),
        0x84 => Insn::Increment(slot, i32::from(reader.u2()? as i16)),
        0xa9 => Insn::Obsolete("ret"),
        other => return malformed(format!("opcode {other:#04x} cannot be wide")),
    })
}
