//! Which registers steer a loop: those that decide, now or in a later round, where control goes, what is
//! written to the heap, or whether something is thrown. A register that only ever counts, or adds up what
//! is returned in the end, does not.
//!
//! This is liveness in which an instruction without effects uses its operands only if its result is
//! used ("faint variables": Giegerich, Möncke and Wilhelm, 1981), and after the loop nothing is.

use crate::body::{Body, Instr, Op};
use crate::id::{BlockId, Reg};

/// The registers that steer the loop at `head`, from the start of one of its rounds; ascending.
pub fn steering(body: &Body, head: BlockId) -> Vec<Reg> {
    let inside = body.order().inside(head);
    let count = body.registers.len();
    let mut steers = vec![vec![false; count]; body.blocks.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for block in inside.iter().rev() {
            let at_entry = transfer(body, *block, &steers);
            if at_entry != steers[block.index()] {
                steers[block.index()] = at_entry;
                changed = true;
            }
        }
    }
    (0..count as u32).map(Reg).filter(|reg| steers[head.index()][reg.index()]).collect()
}

/// What steers from the start of a block, given what does from the starts of the others. Blocks outside the
/// loop are never visited, so nothing does there.
fn transfer(body: &Body, id: BlockId, steers: &[Vec<bool>]) -> Vec<bool> {
    let block = body.block(id);
    let mut now = vec![false; body.registers.len()];
    for target in block.end.targets() {
        union(&mut now, &steers[target.index()], None);
    }
    let mut in_handlers = vec![false; body.registers.len()];
    for handler in &block.handlers {
        union(&mut in_handlers, &steers[handler.target.index()], Some(handler.exception));
    }
    block.end.uses(&mut |reg| now[reg.index()] = true);
    union(&mut now, &in_handlers, None);
    for instr in block.instrs.iter().rev() {
        let is_wanted = instr.dst().is_none_or(|dst| now[dst.index()]);
        if let Some(dst) = instr.dst() {
            now[dst.index()] = in_handlers[dst.index()];
        }
        if is_wanted || !has_result_only(instr) {
            instr.uses(&mut |reg| now[reg.index()] = true);
        }
        if let Op::Mark { locals, .. } = &instr.op {
            locals.iter().for_each(|local| now[local.reg.index()] = true);
        }
    }
    now
}

fn union(into: &mut [bool], from: &[bool], except: Option<Reg>) {
    for (i, (into, from)) in into.iter_mut().zip(from).enumerate() {
        *into |= *from && except.is_none_or(|e| e.index() != i);
    }
}

/// Whether an instruction does nothing but write its register: it cannot throw either.
fn has_result_only(instr: &Instr) -> bool {
    let does_more =
        matches!(instr.op, Op::Concat { .. } | Op::Mark { .. } | Op::Unsupported { .. });
    !does_more && !instr.op.can_throw()
}
