//! Where a body stores null in a field, or compares with null what it has read from one.
//!
//! Forward over the blocks: each register has the fields that its value may have been read from, and whether it
//! may be the constant null. So `n = head; while (n != null) n = n.next;` compares `head` and `next`.
//! The condition of a Java `assert` compares too, but says that the field is *not* null: it does
//! not count.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use ir::{BlockId, Body, Cond, Constant, FieldId, Instr, Op, Program, Reg, Terminator};

use super::Why;

/// Where a value may come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Held {
    is_null: bool,
    fields: BTreeSet<FieldId>,
}

/// Registers of which something is known.
type State = BTreeMap<Reg, Held>;

/// Tells each of the wanted fields that the body shows to be nullable.
pub(super) fn shown(
    program: &Program,
    body: &Body,
    wanted: &BTreeSet<FieldId>,
    see: &mut impl FnMut(FieldId, Why),
) {
    let field_of = |op: &Op| {
        let (Op::GetField { field, .. }
        | Op::PutField { field, .. }
        | Op::GetStatic { field, .. }
        | Op::PutStatic { field, .. }) = op
        else {
            return None;
        };
        let field = program.resolve_field(*field).ok()?;
        wanted.contains(&field).then_some(field)
    };
    let instrs = || body.blocks.iter().flat_map(|block| &block.instrs);
    if !instrs().any(|instr| field_of(&instr.op).is_some()) {
        return;
    }
    let states = states(body, &field_of);
    for (block, state) in body.blocks.iter().zip(states) {
        let Some(mut state) = state else {
            continue;
        };
        for instr in &block.instrs {
            if let Op::PutField { src, .. } | Op::PutStatic { src, .. } = &instr.op
                && let Some(field) = field_of(&instr.op)
                && state.get(src).is_some_and(|held| held.is_null)
            {
                see(field, Why::Set);
            }
            pass(instr, &field_of, &mut state);
        }
        if let Some(reg) = compared(body, &block.end) {
            let held = state.get(&reg).into_iter().flat_map(|held| &held.fields);
            held.for_each(|field| see(*field, Why::Compared));
        }
    }
}

/// What is known at the start of each block; `None` where control does not come to.
fn states(body: &Body, field_of: &impl Fn(&Op) -> Option<FieldId>) -> Vec<Option<State>> {
    let mut states: Vec<Option<State>> = vec![None; body.blocks.len()];
    let mut work: VecDeque<usize> = VecDeque::new();
    if let Some(first) = states.first_mut() {
        *first = Some(State::new());
        work.push_back(0);
    }
    while let Some(index) = work.pop_front() {
        let Some(mut state) = states[index].clone() else {
            continue;
        };
        let block = &body.blocks[index];
        block.instrs.iter().for_each(|instr| pass(instr, field_of, &mut state));
        for target in block.successors() {
            if join(&mut states[target.index()], &state) {
                work.push_back(target.index());
            }
        }
    }
    states
}

/// Adds what comes along another edge; whether that is anything new.
fn join(known: &mut Option<State>, other: &State) -> bool {
    let Some(known) = known else {
        *known = Some(other.clone());
        return true;
    };
    let mut is_new = false;
    for (reg, held) in other {
        let mine = known.entry(*reg).or_default();
        is_new |= held.is_null && !mine.is_null || !held.fields.is_subset(&mine.fields);
        mine.is_null |= held.is_null;
        mine.fields.extend(&held.fields);
    }
    is_new
}

fn pass(instr: &Instr, field_of: &impl Fn(&Op) -> Option<FieldId>, state: &mut State) {
    let Some(dst) = instr.dst() else {
        return;
    };
    let held = if let Op::Const { value: Constant::Null, .. } = &instr.op {
        Some(Held { is_null: true, ..Held::default() })
    } else if let Op::Move { src, .. } | Op::CheckCast { src, .. } = &instr.op {
        state.get(src).cloned()
    } else {
        // Only what reads a field both writes a register and names a field.
        field_of(&instr.op).map(|field| Held { is_null: false, fields: BTreeSet::from([field]) })
    };
    match held {
        Some(held) => state.insert(dst, held),
        None => state.remove(&dst),
    };
}

/// The register that is compared with null, unless an assertion fails where it is null.
fn compared(body: &Body, end: &Terminator) -> Option<Reg> {
    let Terminator::Branch { cond, then, other } = end else {
        return None;
    };
    let (reg, null) = match cond {
        Cond::Null(reg) => (*reg, *then),
        Cond::NonNull(reg) => (*reg, *other),
        Cond::Int(..) | Cond::Zero(..) | Cond::SameRef(..) | Cond::DifferentRef(..) => return None,
    };
    (!fails_assertion(body, null)).then_some(reg)
}

fn fails_assertion(body: &Body, at: BlockId) -> bool {
    let instrs = &body.block(at).instrs;
    instrs.iter().any(|instr| matches!(instr.op, Op::New { assertion: true, .. }))
}
