//! What a register of a body holds wherever it is read, as far as the code shows at a glance.

use ir::{BlockId, Body, ClassId, Op, Program, Reg};

/// What a register holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Held {
    /// What was passed as the n-th argument, the receiver being the first.
    Parameter(u32),
    /// An object that the body has made.
    Made,
    /// An array of this class.
    ArrayOf(ClassId),
    Other,
}

/// For each register what it holds while these blocks run, which start with `params`. All values
/// that a register ever gets count, in no order.
pub(super) fn holdings(
    program: &Program,
    body: &Body,
    params: &[Reg],
    blocks: &[BlockId],
) -> Vec<Held> {
    let mut held: Vec<Option<Held>> = vec![None; body.registers.len()];
    for (number, reg) in params.iter().enumerate() {
        held[reg.index()] = Some(Held::Parameter(number as u32));
    }
    for handler in blocks.iter().flat_map(|b| &body.block(*b).handlers) {
        held[handler.exception.index()] = Some(Held::Other);
    }
    let instrs = || blocks.iter().flat_map(|b| &body.block(*b).instrs);
    let mut changed = true;
    while changed {
        changed = false;
        for instr in instrs() {
            let Some(dst) = instr.dst() else {
                continue;
            };
            let Some(value) = result(program, &instr.op, &held) else {
                continue;
            };
            let known = &mut held[dst.index()];
            let joined = match known {
                Some(known) if *known != value => Held::Other,
                _ => value,
            };
            changed |= known.replace(joined) != Some(joined);
        }
    }
    held.into_iter().map(|h| h.unwrap_or(Held::Other)).collect()
}

/// What an instruction leaves in its register; `None` while that is not known yet.
fn result(program: &Program, op: &Op, held: &[Option<Held>]) -> Option<Held> {
    let array = |class: ClassId| match program.class(class) {
        Ok(loaded) if loaded.element.is_some() => Held::ArrayOf(class),
        _ => Held::Other,
    };
    match op {
        Op::Move { src, .. } => held[src.index()],
        Op::New { .. } | Op::NewArray { .. } | Op::NewMultiArray { .. } => Some(Held::Made),
        Op::GetField { field, .. } | Op::GetStatic { field, .. } => {
            let ty = program.resolve_field(*field).ok().map(|f| program.field(f).ty);
            Some(ty.and_then(|ty| ty.class()).map_or(Held::Other, array))
        }
        Op::Invoke { method, .. } => {
            let ty = program.resolve_method(*method).ok().and_then(|m| program.method(m).result);
            Some(ty.and_then(|ty| ty.class()).map_or(Held::Other, array))
        }
        _ => Some(Held::Other),
    }
}
