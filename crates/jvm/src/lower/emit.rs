//! What each instruction becomes, calls excepted.

use ir::{
    BinaryOp, BlockId, ClassId, Cond, Constant, Instr, Kind, Op, Reg, Terminator, Type, UnaryOp,
};

use crate::classfile::pool::Loadable;
use crate::classfile::reader::{Malformed, malformed};
use crate::descriptor;

use super::Lowering;
use super::opcode::{Element, Insn, StackOp};
use super::registers::Value;

/// How a block goes on after an instruction.
pub(super) type Flow = Result<Option<Terminator>, Malformed>;

impl Lowering<'_> {
    pub(super) fn emit(&mut self, op: Op) {
        self.instrs.push(Instr { op, line: self.line, pc: self.pc });
    }

    /// Emits an operation whose result goes on the stack.
    pub(super) fn emit_push(
        &mut self,
        kind: Kind,
        op: impl FnOnce(Reg) -> Op,
    ) -> Result<(), Malformed> {
        let dst = self.stack.free(kind, &mut self.registers);
        self.emit(op(dst));
        self.stack.push(Value { reg: dst, kind })
    }

    /// Ends the block: reaching this point makes the method undecided.
    pub(super) fn trap(&self, what: impl AsRef<str>) -> Terminator {
        Terminator::Unsupported { what: what.as_ref().into() }
    }

    pub(super) fn class_at(&self, index: u16) -> Result<ClassId, Malformed> {
        let name = self.unit.file.class_at(index)?;
        match descriptor::class_named(self.unit.program, &name) {
            Some(class) => Ok(class),
            None => malformed(format!("`{name}` is not a class name")),
        }
    }

    /// Translates one instruction of `block`.
    pub(super) fn step(&mut self, insn: &Insn, block: usize) -> Flow {
        match insn {
            Insn::Nop => {}
            Insn::Null => self.constant(Kind::Ref, Constant::Null)?,
            Insn::Int(v) => self.constant(Kind::Int, Constant::Int(*v))?,
            Insn::Long(v) => self.constant(Kind::Long, Constant::Long(*v))?,
            Insn::Float(v) => self.constant(Kind::Float, Constant::Float(*v))?,
            Insn::Double(v) => self.constant(Kind::Double, Constant::Double(*v))?,
            Insn::Constant(index) => return self.load_constant(*index),
            Insn::Load(kind, slot) => {
                let reg = self.registers.local(*slot, *kind);
                self.stack.push(Value { reg, kind: *kind })?;
            }
            Insn::Store(kind, slot) => self.store(*kind, *slot)?,
            Insn::Increment(slot, by) => self.increment(*slot, *by)?,
            Insn::ArrayLoad(element) => self.array_load(*element)?,
            Insn::ArrayStore(element) => self.array_store(*element)?,
            Insn::Stack(op) => self.stack_op(*op)?,
            Insn::Unary(op) => self.unary(*op)?,
            Insn::Binary(op) => self.binary(*op)?,
            Insn::Obsolete(name) => return Ok(Some(self.trap(format!("instruction {name}")))),
            Insn::IfZero(..)
            | Insn::IfInt(..)
            | Insn::IfSame(_)
            | Insn::IfDifferent(_)
            | Insn::IfNull(_)
            | Insn::IfNonNull(_) => return self.branch(insn, block).map(Some),
            Insn::Goto(to) => {
                self.settle(&mut []);
                let to = self.cut.block_at(*to)?;
                return Ok(Some(Terminator::Goto(self.reach(to)?)));
            }
            Insn::Switch { cases, default } => return self.switch(cases, *default).map(Some),
            Insn::Return(kind) => return self.return_(*kind).map(Some),
            Insn::Throw => return Ok(Some(Terminator::Throw(self.stack.pop(Kind::Ref)?))),
            Insn::GetStatic(index) => self.get_static(*index)?,
            Insn::PutStatic(index) => self.put_static(*index)?,
            Insn::GetField(index) => self.get_field(*index)?,
            Insn::PutField(index) => self.put_field(*index)?,
            Insn::Invoke(kind, index) => return self.invoke(*kind, *index),
            Insn::InvokeDynamic(index) => return self.invoke_dynamic(*index),
            Insn::New(index) => self.new_object(*index)?,
            Insn::NewPrimitiveArray(ty) => self.new_array(*ty)?,
            Insn::NewRefArray(index) => {
                let element = Type::Ref(self.class_at(*index)?);
                self.new_array(element)?;
            }
            Insn::NewMultiArray(index, dimensions) => self.new_multi_array(*index, *dimensions)?,
            Insn::ArrayLength => {
                let array = self.stack.pop(Kind::Ref)?;
                self.emit_push(Kind::Int, |dst| Op::ArrayLength { dst, array })?;
            }
            Insn::CheckCast(index) => {
                let class = self.class_at(*index)?;
                let src = self.stack.pop(Kind::Ref)?;
                self.emit_push(Kind::Ref, |dst| Op::CheckCast { dst, src, class })?;
            }
            Insn::InstanceOf(index) => {
                let class = self.class_at(*index)?;
                let src = self.stack.pop(Kind::Ref)?;
                self.emit_push(Kind::Int, |dst| Op::InstanceOf { dst, src, class })?;
            }
            Insn::Monitor => {
                let object = self.stack.pop(Kind::Ref)?;
                self.emit(Op::NullCheck { object });
            }
        }
        Ok(None)
    }

    fn constant(&mut self, kind: Kind, value: Constant) -> Result<(), Malformed> {
        self.emit_push(kind, |dst| Op::Const { dst, value })
    }

    fn load_constant(&mut self, index: u16) -> Flow {
        let (kind, value) = match self.unit.file.loadable(index)? {
            Loadable::Int(v) => (Kind::Int, Constant::Int(v)),
            Loadable::Float(v) => (Kind::Float, Constant::Float(v)),
            Loadable::Long(v) => (Kind::Long, Constant::Long(v)),
            Loadable::Double(v) => (Kind::Double, Constant::Double(v)),
            Loadable::String(units) => (Kind::Ref, Constant::String(units.into())),
            Loadable::Class(_) => (Kind::Ref, Constant::Class(self.class_at(index)?)),
            Loadable::MethodHandle(_) => return Ok(Some(self.trap("method handle constant"))),
            Loadable::MethodType(_) => return Ok(Some(self.trap("method type constant"))),
            Loadable::Dynamic => return Ok(Some(self.trap("dynamic constant"))),
        };
        self.constant(kind, value)?;
        Ok(None)
    }

    /// Pops a value into a local. Where the value was computed by the last instruction, that
    /// instruction writes the local itself: its result is written after every check, so a
    /// handler still sees the old value.
    fn store(&mut self, kind: Kind, slot: u16) -> Result<(), Malformed> {
        let value = self.stack.pop(kind)?;
        let local = self.registers.local(slot, kind);
        let after = self.next_pc();
        self.written_at.insert((after, local), self.pc);
        if value == local {
            return Ok(());
        }
        let overwrites_named = self.stack.names(local);
        // The value stays on the stack meanwhile, so that its register counts as taken.
        self.stack.push(Value { reg: value, kind })?;
        self.set_aside(local, kind);
        self.stack.pop(kind)?;
        let computed_last = !overwrites_named && !self.registers.is_local(value);
        let last = self.instrs.last_mut().filter(|i| computed_last && i.dst() == Some(value));
        if let Some(instr) = last {
            instr.op.set_dst(local);
            let pc = instr.pc;
            self.written_at.insert((after, local), pc);
            self.stack.rename(value, local);
            return Ok(());
        }
        self.emit(Op::Move { dst: local, src: value });
        Ok(())
    }

    /// The offset after the current instruction.
    fn next_pc(&self) -> u32 {
        let after = self.insns.partition_point(|(pc, _)| *pc <= self.pc);
        self.insns.get(after).map_or(self.code.bytes.len() as u32, |(pc, _)| *pc)
    }

    /// Copies the value of a local that is about to change, if the stack still names it.
    fn set_aside(&mut self, local: Reg, kind: Kind) {
        if self.stack.names(local) {
            let dst = self.stack.free(kind, &mut self.registers);
            self.emit(Op::Move { dst, src: local });
            self.stack.rename(local, dst);
        }
    }

    fn increment(&mut self, slot: u16, by: i32) -> Result<(), Malformed> {
        let local = self.registers.local(slot, Kind::Int);
        self.set_aside(local, Kind::Int);
        let right = self.stack.free(Kind::Int, &mut self.registers);
        self.emit(Op::Const { dst: right, value: Constant::Int(by) });
        self.emit(Op::Binary { dst: local, op: BinaryOp::AddInt, left: local, right });
        Ok(())
    }

    fn array_load(&mut self, element: Element) -> Result<(), Malformed> {
        let index = self.stack.pop(Kind::Int)?;
        let array = self.stack.pop(Kind::Ref)?;
        self.emit_push(element.kind(), |dst| Op::ArrayLoad {
            dst,
            array,
            index,
            element: element.0,
        })
    }

    fn array_store(&mut self, element: Element) -> Result<(), Malformed> {
        let src = self.stack.pop(element.kind())?;
        let index = self.stack.pop(Kind::Int)?;
        let array = self.stack.pop(Kind::Ref)?;
        self.emit(Op::ArrayStore { array, index, src, element: element.0 });
        Ok(())
    }

    fn stack_op(&mut self, op: StackOp) -> Result<(), Malformed> {
        let (top, below) = match op {
            StackOp::Pop => return self.discard(1),
            StackOp::Pop2 => return self.discard(2),
            StackOp::Dup => (1, 0),
            StackOp::DupX1 | StackOp::Swap => (1, 1),
            StackOp::DupX2 => (1, 2),
            StackOp::Dup2 => (2, 0),
            StackOp::Dup2X1 => (2, 1),
            StackOp::Dup2X2 => (2, 2),
        };
        let top = self.stack.pop_words(top)?;
        let below = self.stack.pop_words(below)?;
        self.stack.push_back(&top)?;
        self.stack.push_back(&below)?;
        match op {
            StackOp::Swap => Ok(()),
            _ => self.stack.push_back(&top),
        }
    }

    fn discard(&mut self, words: usize) -> Result<(), Malformed> {
        for value in self.stack.pop_words(words)? {
            if self.registers.is_local(value.reg) || self.stack.names(value.reg) {
                continue;
            }
            // The result of a call that nobody wants needs no register.
            if let Some(Op::Invoke { dst, .. }) = self.instrs.last_mut().map(|i| &mut i.op)
                && *dst == Some(value.reg)
            {
                *dst = None;
            }
        }
        Ok(())
    }

    fn unary(&mut self, op: UnaryOp) -> Result<(), Malformed> {
        let (from, to) = op.kinds();
        let src = self.stack.pop(from)?;
        self.emit_push(to, |dst| Op::Unary { dst, op, src })
    }

    fn binary(&mut self, op: BinaryOp) -> Result<(), Malformed> {
        let (left_kind, right_kind, to) = op.kinds();
        let right = self.stack.pop(right_kind)?;
        let left = self.stack.pop(left_kind)?;
        self.emit_push(to, |dst| Op::Binary { dst, op, left, right })
    }

    fn branch(&mut self, insn: &Insn, block: usize) -> Result<Terminator, Malformed> {
        let (kind, count) = match insn {
            Insn::IfZero(..) => (Kind::Int, 1),
            Insn::IfInt(..) => (Kind::Int, 2),
            Insn::IfSame(_) | Insn::IfDifferent(_) => (Kind::Ref, 2),
            _ => (Kind::Ref, 1),
        };
        let mut operands = Vec::new();
        for _ in 0..count {
            operands.insert(0, Value { reg: self.stack.pop(kind)?, kind });
        }
        self.settle(&mut operands);
        let (first, second) = (operands[0].reg, operands[operands.len() - 1].reg);
        let (cond, to) = match insn {
            Insn::IfZero(compare, to) => (Cond::Zero(*compare, first), *to),
            Insn::IfInt(compare, to) => (Cond::Int(*compare, first, second), *to),
            Insn::IfSame(to) => (Cond::SameRef(first, second), *to),
            Insn::IfDifferent(to) => (Cond::DifferentRef(first, second), *to),
            Insn::IfNull(to) => (Cond::Null(first), *to),
            Insn::IfNonNull(to) => (Cond::NonNull(first), *to),
            _ => return malformed("not a branch"),
        };
        if block + 1 >= self.cut.len() {
            return malformed("execution can fall off the end of the body");
        }
        let other = self.reach(block + 1)?;
        let then = self.cut.block_at(to)?;
        let then = self.reach(then)?;
        Ok(Terminator::Branch { cond, then, other })
    }

    fn switch(&mut self, cases: &[(i32, u32)], default: u32) -> Result<Terminator, Malformed> {
        let mut value = [Value { reg: self.stack.pop(Kind::Int)?, kind: Kind::Int }];
        self.settle(&mut value);
        let mut targets: Vec<(i32, BlockId)> = Vec::with_capacity(cases.len());
        for (key, to) in cases {
            let to = self.cut.block_at(*to)?;
            targets.push((*key, self.reach(to)?));
        }
        let default = self.cut.block_at(default)?;
        let default = self.reach(default)?;
        Ok(Terminator::Switch { value: value[0].reg, cases: targets, default })
    }

    fn return_(&mut self, kind: Option<Kind>) -> Result<Terminator, Malformed> {
        if kind != self.unit.method.result.map(Type::kind) {
            return malformed("a return of another kind than the method declares");
        }
        Ok(Terminator::Return(match kind {
            Some(kind) => Some(self.stack.pop(kind)?),
            None => None,
        }))
    }

    fn new_object(&mut self, index: u16) -> Result<(), Malformed> {
        let class = self.class_at(index)?;
        let in_assert = self.asserts.iter().any(|(from, to)| (*from..*to).contains(&self.pc));
        let name = self.unit.program.class_name(class);
        let assertion = in_assert && name == "java.lang.AssertionError";
        self.emit_push(Kind::Ref, |dst| Op::New { dst, class, assertion })
    }

    fn new_array(&mut self, element: Type) -> Result<(), Malformed> {
        let class = self.unit.program.array_of(element);
        let length = self.stack.pop(Kind::Int)?;
        self.emit_push(Kind::Ref, |dst| Op::NewArray { dst, class, length })
    }

    fn new_multi_array(&mut self, index: u16, dimensions: u8) -> Result<(), Malformed> {
        let class = self.class_at(index)?;
        let name = self.unit.program.class_name(class);
        let has = name.len() - name.trim_end_matches("[]").len();
        if dimensions == 0 || has / 2 < usize::from(dimensions) {
            return malformed(format!("{name} has fewer dimensions than lengths are given"));
        }
        let mut lengths = Vec::new();
        for _ in 0..dimensions {
            lengths.insert(0, self.stack.pop(Kind::Int)?);
        }
        self.emit_push(Kind::Ref, |dst| Op::NewMultiArray { dst, class, lengths })
    }
}
