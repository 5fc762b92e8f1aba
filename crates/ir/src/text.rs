//! Bodies as text: what debug dumps and snapshot tests show.
//!
//! ```text
//! (r0: ref, r1: int)
//! b0:
//!   r2 = get_field r0, p.Counter.count      ; 4
//!   r2 = add_int r2, r1                     ; 4
//!   return r2                               ; 4
//! ```
//! Numbers after `;` are source lines. Under a block's name stand its handlers in order.

use std::fmt;

use crate::body::{
    BinaryOp, Block, Body, Compare, Cond, Constant, InvokeKind, Op, Piece, Terminator, UnaryOp,
};
use crate::id::Reg;
use crate::program::Program;
use crate::types::Kind;

/// A body with the program that its names belong to; displays as text.
pub struct Text<'a> {
    pub program: &'a Program,
    pub body: &'a Body,
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let params = self.body.params.iter();
        let params = params.map(|r| format!("{r}: {}", kind_name(self.body.registers[r.index()])));
        writeln!(f, "({})", params.collect::<Vec<_>>().join(", "))?;
        for (index, block) in self.body.blocks.iter().enumerate() {
            writeln!(f, "b{index}:")?;
            self.block(f, block)?;
        }
        Ok(())
    }
}

impl Text<'_> {
    fn block(&self, f: &mut fmt::Formatter<'_>, block: &Block) -> fmt::Result {
        for handler in &block.handlers {
            let class = handler.class.map_or("any", |c| self.program.class_name(c));
            writeln!(f, "  catch {class} {} -> {}", handler.exception, handler.target)?;
        }
        for instr in &block.instrs {
            writeln!(f, "  {:<44}; {}", self.op(&instr.op), instr.line)?;
        }
        writeln!(f, "  {:<44}; {}", terminator(&block.end), block.end_line)
    }

    /// One operation.
    pub fn op(&self, op: &Op) -> String {
        let program = self.program;
        match op {
            Op::Const { dst, value } => format!("{dst} = {}", self.constant(value)),
            Op::Move { dst, src } => format!("{dst} = {src}"),
            Op::Unary { dst, op, src } => format!("{dst} = {} {src}", unary_name(*op)),
            Op::Binary { dst, op, left, right } => {
                format!("{dst} = {} {left}, {right}", binary_name(*op))
            }
            Op::GetField { dst, object, field } => {
                format!("{dst} = get_field {object}, {}", program.field_ref_name(*field))
            }
            Op::PutField { object, field, src } => {
                format!("put_field {object}, {}, {src}", program.field_ref_name(*field))
            }
            Op::GetStatic { dst, field } => {
                format!("{dst} = get_static {}", program.field_ref_name(*field))
            }
            Op::PutStatic { field, src } => {
                format!("put_static {}, {src}", program.field_ref_name(*field))
            }
            Op::ArrayLength { dst, array } => format!("{dst} = array_length {array}"),
            Op::ArrayLoad { dst, array, index, element } => {
                format!("{dst} = array_load {} {array}[{index}]", element_name(*element))
            }
            Op::ArrayStore { array, index, src, element } => {
                format!("array_store {} {array}[{index}], {src}", element_name(*element))
            }
            Op::New { dst, class, assertion } => {
                let what = if *assertion { "new_assertion" } else { "new" };
                format!("{dst} = {what} {}", program.class_name(*class))
            }
            Op::NewArray { dst, class, length } => {
                format!("{dst} = new_array {}, {length}", program.class_name(*class))
            }
            Op::NewMultiArray { dst, class, lengths } => {
                format!("{dst} = new_array {}, {}", program.class_name(*class), list(lengths))
            }
            Op::InstanceOf { dst, src, class } => {
                format!("{dst} = instance_of {src}, {}", program.class_name(*class))
            }
            Op::CheckCast { dst, src, class } => {
                format!("{dst} = check_cast {src}, {}", program.class_name(*class))
            }
            Op::Invoke { dst, kind, method, args } => {
                let result = dst.map_or(String::new(), |dst| format!("{dst} = "));
                let name = program.method_ref_name(*method);
                format!("{result}invoke_{} {name}({})", invoke_name(*kind), list(args))
            }
            Op::Concat { dst, pieces } => {
                let pieces: Vec<String> = pieces.iter().map(|p| self.piece(p)).collect();
                format!("{dst} = concat {}", pieces.join(", "))
            }
            Op::NullCheck { object } => format!("null_check {object}"),
            Op::Mark { number, locals } => {
                let locals: Vec<String> =
                    locals.iter().map(|l| format!("{} = {}", l.name, l.reg)).collect();
                format!("mark {number} ({})", locals.join(", "))
            }
            Op::Unsupported { what } => format!("unsupported {what:?}"),
        }
    }

    fn constant(&self, value: &Constant) -> String {
        match value {
            Constant::Int(v) => v.to_string(),
            Constant::Long(v) => format!("{v}L"),
            Constant::Float(bits) => format!("float {bits:#010x}"),
            Constant::Double(bits) => format!("double {bits:#018x}"),
            Constant::Null => "null".to_owned(),
            Constant::String(units) => quoted(units),
            Constant::Class(class) => format!("{}.class", self.program.class_name(*class)),
        }
    }

    fn piece(&self, piece: &Piece) -> String {
        match piece {
            Piece::Text(units) => quoted(units),
            Piece::Value(reg, ty) => format!("{reg}: {}", self.program.type_name(*ty)),
        }
    }
}

/// The end of a block.
pub fn terminator(end: &Terminator) -> String {
    match end {
        Terminator::Goto(block) => format!("goto {block}"),
        Terminator::Branch { cond, then, other } => {
            format!("if {} then {then} else {other}", condition(*cond))
        }
        Terminator::Switch { value, cases, default } => {
            let cases: Vec<String> = cases.iter().map(|(k, b)| format!("{k} -> {b}")).collect();
            format!("switch {value} {{{}}} else {default}", cases.join(", "))
        }
        Terminator::Return(None) => "return".to_owned(),
        Terminator::Return(Some(reg)) => format!("return {reg}"),
        Terminator::Throw(reg) => format!("throw {reg}"),
        Terminator::Unsupported { what } => format!("unsupported {what:?}"),
    }
}

fn condition(cond: Cond) -> String {
    match cond {
        Cond::Int(compare, a, b) => format!("{a} {} {b}", compare_sign(compare)),
        Cond::Zero(compare, a) => format!("{a} {} 0", compare_sign(compare)),
        Cond::SameRef(a, b) => format!("{a} same {b}"),
        Cond::DifferentRef(a, b) => format!("{a} not same {b}"),
        Cond::Null(a) => format!("{a} null"),
        Cond::NonNull(a) => format!("{a} not null"),
    }
}

fn list(regs: &[Reg]) -> String {
    let regs: Vec<String> = regs.iter().map(Reg::to_string).collect();
    regs.join(", ")
}

fn quoted(units: &[u16]) -> String {
    format!("{:?}", String::from_utf16_lossy(units))
}

fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Int => "int",
        Kind::Long => "long",
        Kind::Float => "float",
        Kind::Double => "double",
        Kind::Ref => "ref",
    }
}

fn element_name(element: Option<crate::types::Type>) -> &'static str {
    element.and_then(crate::types::Type::keyword).unwrap_or("ref")
}

fn invoke_name(kind: InvokeKind) -> &'static str {
    match kind {
        InvokeKind::Static => "static",
        InvokeKind::Special => "special",
        InvokeKind::Virtual => "virtual",
        InvokeKind::Interface => "interface",
    }
}

fn compare_sign(compare: Compare) -> &'static str {
    match compare {
        Compare::Eq => "==",
        Compare::Ne => "!=",
        Compare::Lt => "<",
        Compare::Ge => ">=",
        Compare::Gt => ">",
        Compare::Le => "<=",
    }
}

fn unary_name(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::NegInt => "neg_int",
        UnaryOp::NegLong => "neg_long",
        UnaryOp::IntToLong => "int_to_long",
        UnaryOp::LongToInt => "long_to_int",
        UnaryOp::IntToByte => "int_to_byte",
        UnaryOp::IntToChar => "int_to_char",
        UnaryOp::IntToShort => "int_to_short",
        UnaryOp::Floating(op) => op.name(),
    }
}

fn binary_name(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::AddInt => "add_int",
        BinaryOp::SubInt => "sub_int",
        BinaryOp::MulInt => "mul_int",
        BinaryOp::DivInt => "div_int",
        BinaryOp::RemInt => "rem_int",
        BinaryOp::AndInt => "and_int",
        BinaryOp::OrInt => "or_int",
        BinaryOp::XorInt => "xor_int",
        BinaryOp::ShlInt => "shl_int",
        BinaryOp::ShrInt => "shr_int",
        BinaryOp::UshrInt => "ushr_int",
        BinaryOp::AddLong => "add_long",
        BinaryOp::SubLong => "sub_long",
        BinaryOp::MulLong => "mul_long",
        BinaryOp::DivLong => "div_long",
        BinaryOp::RemLong => "rem_long",
        BinaryOp::AndLong => "and_long",
        BinaryOp::OrLong => "or_long",
        BinaryOp::XorLong => "xor_long",
        BinaryOp::ShlLong => "shl_long",
        BinaryOp::ShrLong => "shr_long",
        BinaryOp::UshrLong => "ushr_long",
        BinaryOp::CompareLong => "compare_long",
        BinaryOp::Floating(op) => op.name(),
    }
}
