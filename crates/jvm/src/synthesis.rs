//! Writing method bodies that no file contains.

use ir::{
    Block, BlockId, Body, ClassId, Code, Instr, InvokeKind, Kind, Op, Program, Reg, Terminator,
};

/// A body under construction: blocks are written one after the other, in the order of their ids.
pub struct Synthesis<'a> {
    pub program: &'a Program,
    line: u32,
    pc: u32,
    registers: Vec<Kind>,
    params: Vec<Reg>,
    blocks: Vec<Block>,
    instrs: Vec<Instr>,
}

impl<'a> Synthesis<'a> {
    /// A body whose instructions all stand at this line and offset.
    pub fn new(program: &'a Program, line: u32, pc: u32) -> Synthesis<'a> {
        Synthesis {
            program,
            line,
            pc,
            registers: Vec::new(),
            params: Vec::new(),
            blocks: Vec::new(),
            instrs: Vec::new(),
        }
    }

    /// The next parameter.
    pub fn param(&mut self, kind: Kind) -> Reg {
        let reg = self.fresh(kind);
        self.params.push(reg);
        reg
    }

    pub fn fresh(&mut self, kind: Kind) -> Reg {
        self.registers.push(kind);
        Reg(self.registers.len() as u32 - 1)
    }

    pub fn emit(&mut self, op: Op) {
        self.instrs.push(Instr { op, line: self.line, pc: self.pc });
    }

    /// Emits an operation with a result in a new register.
    pub fn compute(&mut self, kind: Kind, op: impl FnOnce(Reg) -> Op) -> Reg {
        let dst = self.fresh(kind);
        self.emit(op(dst));
        dst
    }

    /// Calls a method that returns something.
    pub fn call(
        &mut self,
        kind: InvokeKind,
        class: ClassId,
        name: &str,
        descriptor: &str,
        args: Vec<Reg>,
        result: Kind,
    ) -> Reg {
        let method = self.program.method_ref(class, name, descriptor);
        self.compute(result, |dst| Op::Invoke { dst: Some(dst), kind, method, args })
    }

    /// Ends the current block.
    pub fn end(&mut self, end: Terminator) {
        self.blocks.push(Block {
            instrs: std::mem::take(&mut self.instrs),
            end,
            end_line: self.line,
            end_pc: self.pc,
            handlers: Vec::new(),
        });
    }

    /// The id of the block being written.
    pub fn here(&self) -> BlockId {
        BlockId(self.blocks.len() as u32)
    }

    /// Turns the whole body into a trap.
    pub fn trap(&mut self, what: &str) {
        self.blocks.clear();
        self.instrs.clear();
        self.end(Terminator::Unsupported { what: what.into() });
    }

    pub fn finish(self) -> Code {
        Code::Body(Body::new(self.registers, self.params, self.blocks, Vec::new()))
    }
}
