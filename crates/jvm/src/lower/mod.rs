//! Bytecode → register control-flow graph.
//!
//! Decode, cut into blocks, then translate each block that can be reached, starting from the
//! entry with an empty stack: the shape of the stack at a block's start is known from whichever
//! predecessor came first, and must be the same for the others. Stack map tables are not needed.
//! The code is trusted as little as the file: whatever the JVM's verifier would refuse and would
//! disturb us ends in [`Malformed`].

mod blocks;
mod calls;
mod emit;
mod marks;
mod opcode;
mod registers;

use std::sync::Arc;

use ir::{Block, BlockId, Body, Handler, Instr, Kind, Reg, Terminator, Variable};
use rustc_hash::FxHashMap;

use crate::classfile::ClassFile;
use crate::classfile::code::{CodeAttribute, LocalVariable};
use crate::classfile::reader::{Malformed, malformed};
use crate::descriptor;
use crate::unit::Unit;
use blocks::Cut;
use opcode::Insn;
use registers::{Registers, Stack};

/// Lowers a method body.
pub fn lower(unit: Unit<'_>, code: &CodeAttribute<'_>) -> Result<Body, Malformed> {
    let insns = opcode::decode(code.bytes)?;
    let cut = Cut::new(&insns, code.bytes.len(), &code.exceptions)?;
    let mut lowering = Lowering::new(unit, code, &insns, cut);
    let params = lowering.params()?;
    lowering.shapes[0] = Some(Vec::new());
    lowering.work.push(0);
    while let Some(block) = lowering.work.pop() {
        lowering.block(block)?;
    }
    let variables = lowering.variables();
    let starts = lowering.block_starts();
    let blocks = number_blocks(std::mem::take(&mut lowering.blocks));
    // An entry that was put in front begins where the code does.
    let starts = [vec![0; blocks.len() - starts.len()], starts].concat();
    let mut body =
        Body::new(std::mem::take(&mut lowering.registers.kinds), params, blocks, variables);
    lowering.place_marks(&mut body, &starts);
    match ir::validate::validate(&body) {
        Ok(()) => Ok(body),
        Err(why) => malformed(why),
    }
}

/// The state of lowering one body.
struct Lowering<'a> {
    unit: Unit<'a>,
    code: &'a CodeAttribute<'a>,
    insns: &'a [(u32, Insn)],
    cut: Cut,
    registers: Registers,
    /// Stack at the start of each block, once a predecessor has been translated.
    shapes: Vec<Option<Vec<Kind>>>,
    /// Blocks with a shape that have not been translated yet.
    work: Vec<usize>,
    blocks: Vec<Option<Block>>,
    /// Ranges of offsets that only run when an `assert` fails.
    asserts: Vec<(u32, u32)>,
    /// For a store that ended before an offset: where the register really is written.
    written_at: FxHashMap<(u32, Reg), u32>,
    roles: marks::Roles,
    // The block being translated.
    stack: Stack,
    instrs: Vec<Instr>,
    pc: u32,
    line: u32,
}

impl<'a> Lowering<'a> {
    fn new(
        unit: Unit<'a>,
        code: &'a CodeAttribute<'a>,
        insns: &'a [(u32, Insn)],
        cut: Cut,
    ) -> Lowering<'a> {
        let count = cut.len();
        Lowering {
            unit,
            code,
            insns,
            cut,
            registers: Registers::default(),
            shapes: vec![None; count],
            work: Vec::new(),
            blocks: (0..count).map(|_| None).collect(),
            asserts: assert_ranges(unit.file, insns),
            written_at: FxHashMap::default(),
            roles: marks::Roles::default(),
            stack: Stack::default(),
            instrs: Vec::new(),
            pc: 0,
            line: 0,
        }
    }

    fn params(&mut self) -> Result<Vec<Reg>, Malformed> {
        let method = self.unit.method;
        let receiver = (!method.is_static).then_some(Kind::Ref);
        let kinds = receiver.into_iter().chain(method.params.iter().map(|t| t.kind()));
        let mut slot = 0u16;
        let mut params = Vec::new();
        for kind in kinds {
            params.push(self.registers.local(slot, kind));
            slot += if matches!(kind, Kind::Long | Kind::Double) { 2 } else { 1 };
        }
        Ok(params)
    }

    /// Translates one block.
    fn block(&mut self, block: usize) -> Result<(), Malformed> {
        let shape = self.shapes[block].clone().unwrap_or_default();
        self.stack = Stack::at_home(&shape, &mut self.registers);
        self.instrs = Vec::new();
        let mut end = None;
        for index in self.cut.range(block) {
            let (pc, ref insn) = self.insns[index];
            self.pc = pc;
            self.line = self.code.line_at(pc);
            end = self.step(insn, block)?;
            if end.is_some() {
                break;
            }
        }
        let end = match end {
            Some(end) => end,
            None => self.fall_through(block)?,
        };
        let handlers = self.handlers(block, &end)?;
        self.blocks[block] = Some(Block {
            instrs: std::mem::take(&mut self.instrs),
            end,
            end_line: self.line,
            end_pc: self.pc,
            handlers,
        });
        Ok(())
    }

    fn fall_through(&mut self, block: usize) -> Result<Terminator, Malformed> {
        if block + 1 >= self.cut.len() {
            return malformed("execution can fall off the end of the body");
        }
        self.settle(&mut []);
        self.reach(block + 1)?;
        Ok(Terminator::Goto(BlockId(block as u32 + 1)))
    }

    /// Brings the stack home before a jump; `keep` are values that the jump still reads.
    fn settle(&mut self, keep: &mut [registers::Value]) {
        for op in self.stack.settle(keep, &mut self.registers) {
            self.emit(op);
        }
    }

    /// Notes that control goes from here to a block with the stack as it is now.
    fn reach(&mut self, block: usize) -> Result<BlockId, Malformed> {
        self.reach_with(block, self.stack.kinds())
    }

    fn reach_with(&mut self, block: usize, shape: Vec<Kind>) -> Result<BlockId, Malformed> {
        match &self.shapes[block] {
            None => {
                self.shapes[block] = Some(shape);
                self.work.push(block);
            }
            Some(known) if *known == shape => {}
            Some(_) => return malformed("the operand stack differs where two paths meet"),
        }
        Ok(BlockId(block as u32))
    }

    /// The handlers that an exception of this block can reach, in the order of the table.
    fn handlers(&mut self, block: usize, end: &Terminator) -> Result<Vec<Handler>, Malformed> {
        let mut handlers: Vec<Handler> = Vec::new();
        let throws = matches!(end, Terminator::Throw(_));
        if !throws && !self.instrs.iter().any(|i| i.op.can_throw()) {
            return Ok(handlers);
        }
        let start = self.insns[self.cut.range(block).start].0;
        let code = self.code;
        let in_force = code.exceptions.iter();
        for entry in in_force.filter(|e| u32::from(e.start) <= start && start < u32::from(e.end)) {
            let class = match entry.class {
                0 => None,
                index => Some(self.class_at(index)?),
            };
            if handlers.iter().any(|h| h.class == class) {
                continue;
            }
            let target = self.cut.block_at(u32::from(entry.handler))?;
            let target = self.reach_with(target, vec![Kind::Ref])?;
            let exception = self.registers.position(0, Kind::Ref);
            handlers.push(Handler { class, target, exception });
            if class.is_none() {
                break;
            }
        }
        Ok(handlers)
    }

    /// The offsets at which the blocks that can be reached begin.
    fn block_starts(&self) -> Vec<u32> {
        let reached = self.blocks.iter().enumerate().filter(|(_, b)| b.is_some());
        reached.map(|(index, _)| self.insns[self.cut.range(index).start].0).collect()
    }

    /// The generic signature of a variable's type.
    fn generic_signature(&self, of: &LocalVariable) -> Option<Arc<str>> {
        let mut generic = self.code.generic_variables.iter();
        let generic = generic.find(|g| (g.slot, g.start) == (of.slot, of.start));
        generic.map(|g| g.descriptor.as_str().into())
    }

    fn variables(&self) -> Vec<Variable> {
        let named = self.code.variables.iter().filter_map(|v| {
            let ty = descriptor::field_type(self.unit.program, &v.descriptor)?;
            let reg = self.registers.known_local(v.slot, ty.kind())?;
            let scope = u32::from(v.start);
            let start = self.written_at.get(&(scope, reg)).copied().unwrap_or(scope);
            let end = scope + u32::from(v.length);
            let signature = self.generic_signature(v);
            Some(Variable { name: v.name.as_str().into(), ty, signature, reg, start, end })
        });
        named.collect()
    }
}

/// `getstatic $assertionsDisabled; ifne L` … `L:` as ranges between the branch and `L`.
fn assert_ranges(file: &ClassFile, insns: &[(u32, Insn)]) -> Vec<(u32, u32)> {
    let (pool, bytes) = file.pool();
    let pairs = insns.windows(2).filter_map(|pair| match pair {
        [(_, Insn::GetStatic(field)), (pc, Insn::IfZero(ir::body::Compare::Ne, to))] => {
            let field = pool.member(bytes, *field).ok()?;
            (field.name == "$assertionsDisabled").then_some((*pc, *to))
        }
        _ => None,
    });
    pairs.collect()
}

/// Drops blocks that are never reached, puts an empty entry in front where something jumps to
/// the first block, and numbers what is left in the order of the code.
fn number_blocks(blocks: Vec<Option<Block>>) -> Vec<Block> {
    let reenters = |b: &Block| b.successors().any(|s| s == BlockId(0));
    let needs_entry = blocks.iter().flatten().any(reenters);
    let mut next = u32::from(needs_entry);
    let mut number = vec![BlockId(0); blocks.len()];
    for (index, _) in blocks.iter().enumerate().filter(|(_, b)| b.is_some()) {
        number[index] = BlockId(next);
        next += 1;
    }
    let mut numbered = Vec::with_capacity(next as usize);
    if let (true, Some(Some(first))) = (needs_entry, blocks.first()) {
        let line = first.instrs.first().map_or(first.end_line, |i| i.line);
        numbered.push(Block {
            instrs: Vec::new(),
            end: Terminator::Goto(BlockId(0)),
            end_line: line,
            end_pc: 0,
            handlers: Vec::new(),
        });
    }
    numbered.extend(blocks.into_iter().flatten());
    for block in &mut numbered {
        retarget(&mut block.end, &number);
        for handler in &mut block.handlers {
            handler.target = number[handler.target.index()];
        }
    }
    numbered
}

fn retarget(end: &mut Terminator, number: &[BlockId]) {
    let to = |b: &mut BlockId| *b = number[b.index()];
    match end {
        Terminator::Goto(b) => to(b),
        Terminator::Branch { then, other, .. } => {
            to(then);
            to(other);
        }
        Terminator::Switch { cases, default, .. } => {
            cases.iter_mut().for_each(|c| to(&mut c.1));
            to(default);
        }
        Terminator::Return(_) | Terminator::Throw(_) | Terminator::Unsupported { .. } => {}
    }
}
