//! Which registers cannot be null where a block starts, as far as the code shows at a glance: what
//! was tested, dereferenced or just made on every way there.

use ir::{Block, Body, Cond, Constant, Op, Reg, Terminator};

/// For each block the registers that hold no null when it starts; `None` if nothing leads there.
pub(super) struct NonNull(Vec<Option<Vec<bool>>>);

impl NonNull {
    /// `receiver` tells whether the first parameter is a receiver.
    pub fn of(body: &Body, receiver: bool) -> NonNull {
        let mut entry = vec![false; body.registers.len()];
        if let (true, Some(this)) = (receiver, body.params.first()) {
            entry[this.index()] = true;
        }
        let mut known = NonNull(vec![None; body.blocks.len()]);
        known.0[0] = Some(entry);
        let mut work = vec![0];
        while let Some(index) = work.pop() {
            let Some(mut now) = known.0[index].clone() else {
                continue;
            };
            let block = &body.blocks[index];
            let mut thrown = now.clone();
            for instr in &block.instrs {
                pass(&instr.op, instr.dst(), &mut now);
                if let Some(dst) = instr.dst() {
                    thrown[dst.index()] &= now[dst.index()];
                }
            }
            for (target, at_target) in after(block, &now) {
                if known.meet(target.index(), &at_target) {
                    work.push(target.index());
                }
            }
            for handler in &block.handlers {
                let mut caught = thrown.clone();
                caught[handler.exception.index()] = true;
                if known.meet(handler.target.index(), &caught) {
                    work.push(handler.target.index());
                }
            }
        }
        known
    }

    /// The registers without null where a block starts.
    pub fn at(&self, block: usize) -> Option<&Vec<bool>> {
        self.0[block].as_ref()
    }

    fn meet(&mut self, block: usize, with: &[bool]) -> bool {
        match &mut self.0[block] {
            None => {
                self.0[block] = Some(with.to_vec());
                true
            }
            Some(known) => {
                let before = known.iter().filter(|k| **k).count();
                known.iter_mut().zip(with).for_each(|(k, w)| *k &= *w);
                known.iter().filter(|k| **k).count() != before
            }
        }
    }
}

/// What an instruction that control gets past says about nulls.
pub(super) fn pass(op: &Op, dst: Option<Reg>, now: &mut [bool]) {
    let moved = match op {
        Op::Move { src, .. } | Op::CheckCast { src, .. } => now[src.index()],
        Op::New { .. } | Op::NewArray { .. } | Op::NewMultiArray { .. } | Op::Concat { .. } => true,
        Op::Const { value: Constant::String(_) | Constant::Class(_), .. } => true,
        _ => false,
    };
    if let Some(object) = dereferenced(op) {
        now[object.index()] = true;
    }
    if let Some(dst) = dst {
        now[dst.index()] = moved;
    }
}

/// The register that an instruction demands not to be null.
pub(super) fn dereferenced(op: &Op) -> Option<Reg> {
    match op {
        Op::GetField { object, .. } | Op::PutField { object, .. } | Op::NullCheck { object } => {
            Some(*object)
        }
        Op::ArrayLength { array, .. }
        | Op::ArrayLoad { array, .. }
        | Op::ArrayStore { array, .. } => Some(*array),
        Op::Invoke { kind, args, .. } if *kind != ir::InvokeKind::Static => args.first().copied(),
        _ => None,
    }
}

/// Where control goes from a block, with what is known there.
fn after(block: &Block, now: &[bool]) -> Vec<(ir::BlockId, Vec<bool>)> {
    let Terminator::Branch { cond, then, other } = &block.end else {
        return block.end.targets().into_iter().map(|t| (t, now.to_vec())).collect();
    };
    let with = |reg: Reg| {
        let mut known = now.to_vec();
        known[reg.index()] = true;
        known
    };
    let (if_then, if_other) = match cond {
        Cond::Null(reg) => (now.to_vec(), with(*reg)),
        Cond::NonNull(reg) => (with(*reg), now.to_vec()),
        _ => (now.to_vec(), now.to_vec()),
    };
    vec![(*then, if_then), (*other, if_other)]
}
