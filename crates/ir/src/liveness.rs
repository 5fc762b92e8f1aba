//! Which registers may still be read at the start of each block: the only ones that are worth
//! merging where paths join.

use crate::body::{Body, Cond, Instr, Op, Piece, Terminator};
use crate::id::{BlockId, Reg};

/// Live registers per block.
#[derive(Debug, Clone)]
pub struct Liveness {
    live: Vec<Vec<Reg>>,
}

impl Liveness {
    /// Backward data-flow to a fixpoint. Inside a block, registers live at a handler count as
    /// live throughout the block, since any instruction may throw.
    pub fn of(body: &Body) -> Liveness {
        let count = body.registers.len();
        let mut live_in = vec![vec![false; count]; body.blocks.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for index in (0..body.blocks.len()).rev() {
                let at_entry = transfer(body, index, &live_in);
                if at_entry != live_in[index] {
                    live_in[index] = at_entry;
                    changed = true;
                }
            }
        }
        let live = live_in
            .into_iter()
            .map(|set| (0..count as u32).map(Reg).filter(|r| set[r.index()]).collect())
            .collect();
        Liveness { live }
    }

    /// Registers live when `block` starts, ascending.
    pub fn at(&self, block: BlockId) -> &[Reg] {
        &self.live[block.index()]
    }
}

fn transfer(body: &Body, index: usize, live_in: &[Vec<bool>]) -> Vec<bool> {
    let block = &body.blocks[index];
    let mut live = vec![false; body.registers.len()];
    for target in block.end.targets() {
        union(&mut live, &live_in[target.index()], None);
    }
    let mut at_handlers = vec![false; body.registers.len()];
    for handler in &block.handlers {
        union(&mut at_handlers, &live_in[handler.target.index()], Some(handler.exception));
    }
    block.end.uses(&mut |r| live[r.index()] = true);
    union(&mut live, &at_handlers, None);
    for instr in block.instrs.iter().rev() {
        if let Some(dst) = instr.dst() {
            live[dst.index()] = at_handlers[dst.index()];
        }
        instr.uses(&mut |r| live[r.index()] = true);
    }
    live
}

fn union(into: &mut [bool], from: &[bool], except: Option<Reg>) {
    for (i, (into, from)) in into.iter_mut().zip(from).enumerate() {
        *into |= *from && except.is_none_or(|e| e.index() != i);
    }
}

impl Terminator {
    /// Calls `see` for each register that the terminator reads.
    pub fn uses(&self, see: &mut impl FnMut(Reg)) {
        match self {
            Terminator::Branch { cond, .. } => match *cond {
                Cond::Int(_, a, b) | Cond::SameRef(a, b) | Cond::DifferentRef(a, b) => {
                    see(a);
                    see(b);
                }
                Cond::Zero(_, a) | Cond::Null(a) | Cond::NonNull(a) => see(a),
            },
            Terminator::Switch { value, .. } => see(*value),
            Terminator::Return(Some(r)) | Terminator::Throw(r) => see(*r),
            Terminator::Goto(_) | Terminator::Return(None) | Terminator::Unsupported { .. } => {}
        }
    }
}

impl Instr {
    /// The register that the instruction writes.
    pub fn dst(&self) -> Option<Reg> {
        self.op.dst()
    }

    /// Calls `see` for each register that the instruction reads.
    pub fn uses(&self, see: &mut impl FnMut(Reg)) {
        match &self.op {
            Op::Const { .. } | Op::GetStatic { .. } | Op::New { .. } | Op::Unsupported { .. } => {}
            Op::Move { src, .. }
            | Op::Unary { src, .. }
            | Op::PutStatic { src, .. }
            | Op::InstanceOf { src, .. }
            | Op::CheckCast { src, .. } => see(*src),
            Op::Binary { left, right, .. } => {
                see(*left);
                see(*right);
            }
            Op::GetField { object, .. } | Op::NullCheck { object } => see(*object),
            Op::PutField { object, src, .. } => {
                see(*object);
                see(*src);
            }
            Op::ArrayLength { array, .. } => see(*array),
            Op::ArrayLoad { array, index, .. } => {
                see(*array);
                see(*index);
            }
            Op::ArrayStore { array, index, src, .. } => {
                see(*array);
                see(*index);
                see(*src);
            }
            Op::NewArray { length, .. } => see(*length),
            Op::NewMultiArray { lengths, .. } => lengths.iter().copied().for_each(see),
            Op::Invoke { args, .. } => args.iter().copied().for_each(see),
            Op::Mark { locals, .. } => locals.iter().for_each(|l| see(l.reg)),
            Op::Concat { pieces, .. } => {
                for piece in pieces {
                    match piece {
                        Piece::Value(r, _) => see(*r),
                        Piece::Text(_) => {}
                    }
                }
            }
        }
    }
}
