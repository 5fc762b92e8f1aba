//! Who catches what a call throws, and what becomes of it there.
//!
//! An exception passes the bodies around the call, innermost first. A handler may put it aside, throw it
//! on (`finally` does, after what it has to do), or look at it. Whoever does not look at it does not
//! need the object: `thrown.rs` has something that stands for it. What is asked here is about code, not
//! about states, so it errs towards looking.

use std::collections::BTreeSet;

use ir::{Block, BlockId, Body, ClassId, Code, Handler, Op, Program, Reg, Terminator};

use crate::engine::{Call, Engine};

/// A body that an exception passes, with the handlers around the call that throws there.
pub(crate) struct Level<'a> {
    body: &'a Body,
    handlers: &'a [Handler],
}

/// What becomes of an exception that is caught.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fate {
    PutAside,
    /// Some handler throws it again.
    ThrownOn,
    LookedAt,
}

impl<'a> Engine<'a> {
    /// What an exception of a call passes on its way out, as far as somebody may catch it; `None` if that
    /// is not code alone.
    pub(super) fn levels_around(&self, call: &Call) -> Option<Vec<Level<'a>>> {
        let mut levels = Vec::new();
        let mut covered = call.covered;
        for activation in self.run.stack.iter().rev() {
            if !covered {
                break;
            }
            let Code::Body(body) = self.program.code(activation.method) else {
                return None;
            };
            let handlers = &body.block(activation.block?).handlers;
            levels.push(Level { body, handlers });
            covered = activation.covered;
        }
        Some(levels)
    }

    /// What becomes of exceptions of exactly this class; `None` if nobody catches them.
    pub(super) fn fate(&self, levels: &[Level<'a>], class: ClassId) -> Option<Fate> {
        let mut fate = None;
        for Level { body, handlers } in levels {
            let catches = |h: &&Handler| h.class.is_none_or(|c| self.program.is_subtype(class, c));
            let Some(handler) = handlers.iter().find(catches) else {
                continue;
            };
            let here = fate_in(self.program, body, handler);
            fate = fate.max(Some(here));
            if here != Fate::ThrownOn {
                break;
            }
        }
        fate
    }
}

/// The registers that hold an exception at the blocks that control has come to.
struct Holding {
    at: Vec<Option<BTreeSet<Reg>>>,
    work: Vec<BlockId>,
}

impl Holding {
    fn add(&mut self, block: BlockId, registers: &BTreeSet<Reg>) {
        let known = &mut self.at[block.index()];
        let is_new = known.as_ref().is_none_or(|known| !registers.is_subset(known));
        if is_new && !registers.is_empty() {
            known.get_or_insert_default().extend(registers);
            self.work.push(block);
        }
    }
}

/// What a body does with an exception from a handler on, until it leaves the body.
fn fate_in(program: &Program, body: &Body, handler: &Handler) -> Fate {
    let mut fate = Fate::PutAside;
    let mut holding = Holding { at: vec![None; body.blocks.len()], work: Vec::new() };
    holding.add(handler.target, &BTreeSet::from([handler.exception]));
    while let Some(id) = holding.work.pop() {
        let block = body.block(id);
        let mut now = holding.at[id.index()].clone().unwrap_or_default();
        let Some(ever) = pass(program, block, &mut now) else {
            return Fate::LookedAt;
        };
        let mut is_read = false;
        block.end.uses(&mut |reg| is_read |= now.contains(&reg));
        let is_thrown = is_read && matches!(block.end, Terminator::Throw(_));
        if is_read && !is_thrown {
            return Fate::LookedAt;
        }
        if is_thrown {
            fate = Fate::ThrownOn;
        }
        block.end.targets().into_iter().for_each(|to| holding.add(to, &now));
        for handler in &block.handlers {
            let mut there = ever.clone();
            there.remove(&handler.exception);
            there.extend(is_thrown.then_some(handler.exception));
            holding.add(handler.target, &there);
        }
    }
    fate
}

/// Follows the registers that hold an exception through a block. The result is all that ever do, or `None`
/// if something looks at it.
fn pass(program: &Program, block: &Block, now: &mut BTreeSet<Reg>) -> Option<BTreeSet<Reg>> {
    let mut ever = now.clone();
    for instr in &block.instrs {
        let mut is_read = false;
        instr.uses(&mut |reg| is_read |= now.contains(&reg));
        let is_copied = is_read && matches!(instr.op, Op::Move { .. });
        if is_read && !is_copied && !is_blind(program, &instr.op) {
            return None;
        }
        match instr.dst() {
            Some(dst) if is_copied => {
                now.insert(dst);
                ever.insert(dst);
            }
            Some(dst) => {
                now.remove(&dst);
            }
            None => {}
        }
    }
    Some(ever)
}

/// Calls that leave no trace but in exceptions themselves: what `try` with resources does if closing
/// fails as well, and printing.
fn is_blind(program: &Program, op: &Op) -> bool {
    let Op::Invoke { method, .. } = op else {
        return false;
    };
    program.resolve_method(*method).is_ok_and(|resolved| {
        let declared = program.method(resolved);
        let name = (&*declared.name, &*declared.descriptor);
        declared.class == program.class_id("java.lang.Throwable")
            && [("addSuppressed", "(Ljava/lang/Throwable;)V"), ("printStackTrace", "()V")]
                .contains(&name)
    })
}
