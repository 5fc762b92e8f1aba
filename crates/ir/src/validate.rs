//! The invariant of a [`Body`], checked.
//!
//! - Every block, register and handler target that is named exists.
//! - Each operation finds registers of the kinds that it needs; exceptions and receivers are
//!   references; switch keys ascend.
//! - The entry has no predecessors.
//! - A register is read only where it was written on every path from the entry, exceptional
//!   paths included: at a handler, what was written before the instruction that threw.

use crate::body::{Block, Body, Cond, Op, Piece, Terminator};
use crate::id::{BlockId, Reg};
use crate::types::{Kind, Type};

/// Checks the invariant; `Err` says what is broken, and where.
pub fn validate(body: &Body) -> Result<(), String> {
    if body.blocks.is_empty() {
        return Err("a body without blocks".to_owned());
    }
    let checker = Checker { body };
    for param in &body.params {
        checker.exists(*param)?;
    }
    for (index, block) in body.blocks.iter().enumerate() {
        checker.block(block).map_err(|why| format!("b{index}: {why}"))?;
    }
    definitely_written(body)
}

struct Checker<'a> {
    body: &'a Body,
}

type Check = Result<(), String>;

impl Checker<'_> {
    fn exists(&self, reg: Reg) -> Check {
        match self.body.registers.get(reg.index()) {
            Some(_) => Ok(()),
            None => Err(format!("{reg} does not exist")),
        }
    }

    fn kind(&self, reg: Reg, kind: Kind) -> Check {
        match self.body.registers.get(reg.index()) {
            Some(found) if *found == kind => Ok(()),
            Some(found) => Err(format!("{reg} is {found:?}, not {kind:?}")),
            None => Err(format!("{reg} does not exist")),
        }
    }

    fn kinds(&self, regs: &[(Reg, Kind)]) -> Check {
        regs.iter().try_for_each(|(reg, kind)| self.kind(*reg, *kind))
    }

    fn same_kind(&self, a: Reg, b: Reg) -> Check {
        self.exists(a)?;
        self.kind(b, self.body.registers[a.index()])
    }

    fn target(&self, block: BlockId) -> Check {
        match block.index() {
            0 => Err("a jump to the entry".to_owned()),
            index if index < self.body.blocks.len() => Ok(()),
            _ => Err(format!("{block} does not exist")),
        }
    }

    fn block(&self, block: &Block) -> Check {
        for instr in &block.instrs {
            self.op(&instr.op).map_err(|why| format!("{:?}: {why}", instr.op))?;
        }
        for handler in &block.handlers {
            self.kind(handler.exception, Kind::Ref)?;
            self.target(handler.target)?;
        }
        block.end.targets().into_iter().try_for_each(|b| self.target(b))?;
        self.terminator(&block.end)
    }

    fn terminator(&self, end: &Terminator) -> Check {
        match end {
            Terminator::Goto(_) | Terminator::Unsupported { .. } => Ok(()),
            Terminator::Branch { cond, .. } => match *cond {
                Cond::Int(_, a, b) => self.kinds(&[(a, Kind::Int), (b, Kind::Int)]),
                Cond::Zero(_, a) => self.kind(a, Kind::Int),
                Cond::SameRef(a, b) | Cond::DifferentRef(a, b) => {
                    self.kinds(&[(a, Kind::Ref), (b, Kind::Ref)])
                }
                Cond::Null(a) | Cond::NonNull(a) => self.kind(a, Kind::Ref),
            },
            Terminator::Switch { value, cases, .. } => {
                if cases.windows(2).any(|pair| pair[0].0 >= pair[1].0) {
                    return Err("switch keys do not ascend".to_owned());
                }
                self.kind(*value, Kind::Int)
            }
            Terminator::Return(None) => Ok(()),
            Terminator::Return(Some(reg)) => self.exists(*reg),
            Terminator::Throw(reg) => self.kind(*reg, Kind::Ref),
        }
    }

    fn op(&self, op: &Op) -> Check {
        use crate::body::Constant;
        match op {
            Op::Const { dst, value } => self.kind(
                *dst,
                match value {
                    Constant::Int(_) => Kind::Int,
                    Constant::Long(_) => Kind::Long,
                    Constant::Float(_) => Kind::Float,
                    Constant::Double(_) => Kind::Double,
                    Constant::Null | Constant::String(_) | Constant::Class(_) => Kind::Ref,
                },
            ),
            Op::Move { dst, src } => self.same_kind(*dst, *src),
            Op::Unary { dst, op, src } => {
                let (from, to) = op.kinds();
                self.kinds(&[(*src, from), (*dst, to)])
            }
            Op::Binary { dst, op, left, right } => {
                let (a, b, to) = op.kinds();
                self.kinds(&[(*left, a), (*right, b), (*dst, to)])
            }
            Op::GetField { dst, object, .. } => {
                self.exists(*dst)?;
                self.kind(*object, Kind::Ref)
            }
            Op::PutField { object, src, .. } => {
                self.exists(*src)?;
                self.kind(*object, Kind::Ref)
            }
            Op::GetStatic { dst, .. } => self.exists(*dst),
            Op::PutStatic { src, .. } => self.exists(*src),
            Op::ArrayLength { dst, array } => self.kinds(&[(*dst, Kind::Int), (*array, Kind::Ref)]),
            Op::ArrayLoad { dst, array, index, element } => {
                self.element(*array, *index, *dst, *element)
            }
            Op::ArrayStore { array, index, src, element } => {
                self.element(*array, *index, *src, *element)
            }
            Op::New { dst, .. } => self.kind(*dst, Kind::Ref),
            Op::NewArray { dst, length, .. } => {
                self.kinds(&[(*dst, Kind::Ref), (*length, Kind::Int)])
            }
            Op::NewMultiArray { dst, lengths, .. } => {
                lengths.iter().try_for_each(|l| self.kind(*l, Kind::Int))?;
                self.kind(*dst, Kind::Ref)
            }
            Op::InstanceOf { dst, src, .. } => self.kinds(&[(*dst, Kind::Int), (*src, Kind::Ref)]),
            Op::CheckCast { dst, src, .. } => self.kinds(&[(*dst, Kind::Ref), (*src, Kind::Ref)]),
            Op::Invoke { dst, args, .. } => {
                dst.iter().chain(args).try_for_each(|r| self.exists(*r))
            }
            Op::Concat { dst, pieces } => {
                for piece in pieces {
                    match piece {
                        Piece::Value(reg, ty) => self.kind(*reg, ty.kind())?,
                        Piece::Text(_) => {}
                    }
                }
                self.kind(*dst, Kind::Ref)
            }
            Op::NullCheck { object } => self.kind(*object, Kind::Ref),
            Op::Mark { locals, .. } => {
                locals.iter().try_for_each(|l| self.kind(l.reg, l.ty.kind()))
            }
            Op::Unsupported { .. } => Ok(()),
        }
    }

    fn element(&self, array: Reg, index: Reg, value: Reg, element: Option<Type>) -> Check {
        let kind = element.map_or(Kind::Ref, Type::kind);
        self.kinds(&[(array, Kind::Ref), (index, Kind::Int), (value, kind)])
    }
}

/// A set of registers, one bit each.
#[derive(Clone, PartialEq, Eq)]
struct Written(Vec<u64>);

impl Written {
    fn insert(&mut self, reg: Reg) {
        self.0[reg.index() / 64] |= 1 << (reg.index() % 64);
    }

    fn contains(&self, reg: Reg) -> bool {
        self.0[reg.index() / 64] & (1 << (reg.index() % 64)) != 0
    }

    /// Keeps only what is in both; whether anything went.
    fn intersect(&mut self, other: &Written) -> bool {
        let mut changed = false;
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            changed |= *mine & !*theirs != 0;
            *mine &= theirs;
        }
        changed
    }
}

/// Forward must-analysis; the state of a block not reached yet is absent.
fn definitely_written(body: &Body) -> Check {
    let mut entry = Written(vec![0; body.registers.len().div_ceil(64)]);
    for param in &body.params {
        entry.insert(*param);
    }
    let mut states: Vec<Option<Written>> = vec![None; body.blocks.len()];
    states[0] = Some(entry);
    let mut work = std::collections::BTreeSet::from([0]);
    while let Some(index) = work.pop_first() {
        let Some(mut written) = states[index].clone() else {
            continue;
        };
        let block = &body.blocks[index];
        // Registers only become written, so what holds before the first instruction that can
        // throw is what every handler may rely on.
        for handler in &block.handlers {
            let mut at_handler = written.clone();
            at_handler.insert(handler.exception);
            meet(&mut states, handler.target.index(), at_handler, &mut work);
        }
        for instr in &block.instrs {
            if let Some(dst) = instr.dst() {
                written.insert(dst);
            }
        }
        for target in block.end.targets() {
            meet(&mut states, target.index(), written.clone(), &mut work);
        }
    }
    for (index, (block, state)) in body.blocks.iter().zip(states).enumerate() {
        if let Some(state) = state {
            reads_are_written(block, state).map_err(|why| format!("b{index}: {why}"))?;
        }
    }
    Ok(())
}

fn meet(
    states: &mut [Option<Written>],
    target: usize,
    incoming: Written,
    work: &mut std::collections::BTreeSet<usize>,
) {
    let changed = match &mut states[target] {
        Some(known) => known.intersect(&incoming),
        unknown => {
            *unknown = Some(incoming);
            true
        }
    };
    if changed {
        work.insert(target);
    }
}

fn reads_are_written(block: &Block, mut written: Written) -> Check {
    let mut missing = None;
    for instr in &block.instrs {
        instr.uses(&mut |r| {
            if !written.contains(r) {
                missing.get_or_insert((r, instr.pc));
            }
        });
        if let Some(dst) = instr.dst() {
            written.insert(dst);
        }
    }
    block.end.uses(&mut |r| {
        if !written.contains(r) {
            missing.get_or_insert((r, block.end_pc));
        }
    });
    match missing {
        Some((reg, pc)) => Err(format!("{reg} is read at {pc} but not written on every path")),
        None => Ok(()),
    }
}
