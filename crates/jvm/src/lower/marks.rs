//! Marks: calls of `jarosite.Mark` tell at which points of the source something is specified.
//!
//! `at(n)` is such a point. A loop has `loop(n)` before it and `body(n)` at the start of its body;
//! its point is the loop's head, which every iteration passes. The calls themselves disappear, and
//! with them every trace of that class: it is neither loaded nor initialised.

use std::collections::BTreeSet;

use ir::{BlockId, Body, Constant, Instr, InvokeKind, Kind, Local, Op};
use rustc_hash::FxHashMap;

use crate::classfile::pool::MemberRef;
use crate::classfile::reader::Malformed;
use crate::descriptor;

use super::Lowering;

const CLASS: &str = "jarosite/Mark";

/// What a call says about the place where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Point,
    BeforeLoop,
    InLoop,
}

/// The calls of a body by their offsets.
pub(super) type Roles = FxHashMap<u32, Role>;

fn role(kind: InvokeKind, member: &MemberRef) -> Option<Role> {
    if member.class != CLASS || kind != InvokeKind::Static || member.descriptor != "(I)V" {
        return None;
    }
    match member.name.as_str() {
        "at" => Some(Role::Point),
        "loop" => Some(Role::BeforeLoop),
        "body" => Some(Role::InLoop),
        _ => None,
    }
}

impl Lowering<'_> {
    /// Notes a mark if the call is one: its argument is the constant that was pushed last.
    pub(super) fn mark(&mut self, kind: InvokeKind, member: &MemberRef) -> Result<bool, Malformed> {
        let Some(role) = role(kind, member) else {
            return Ok(false);
        };
        let Some(Op::Const { dst, value: Constant::Int(number) }) =
            self.instrs.last().map(|i| &i.op)
        else {
            return Ok(false);
        };
        let (dst, number) = (*dst, number.cast_unsigned());
        if self.stack.top() != Some(dst) {
            return Ok(false);
        }
        self.stack.pop(Kind::Int)?;
        if !self.stack.names(dst) {
            self.instrs.pop();
        }
        self.roles.insert(self.pc, role);
        self.emit(Op::Mark { number, locals: Vec::new() });
        Ok(true)
    }

    /// Puts the marks of loops at their heads and says which variables each mark sees. `starts`
    /// has the offset at which each block begins.
    pub(super) fn place_marks(&self, body: &mut Body, starts: &[u32]) {
        if self.roles.is_empty() {
            return;
        }
        let heads = self.loop_heads(body);
        for (index, block) in body.blocks.iter_mut().enumerate() {
            block.instrs.retain(|i| !self.is_moved(i, index, &heads));
            for instr in &mut block.instrs {
                let pc = instr.pc;
                if let Op::Mark { locals, .. } = &mut instr.op {
                    *locals = self.locals_at(pc);
                }
            }
            let here = heads.iter().filter(|h| h.head.index() == index);
            for found in here.collect::<Vec<_>>().into_iter().rev() {
                let pc = starts.get(index).copied().unwrap_or(block.end_pc);
                let op = Op::Mark { number: found.number, locals: self.locals_at(pc) };
                block.instrs.insert(0, Instr { op, line: found.line, pc });
            }
        }
    }

    fn marks<'b>(
        &'b self,
        body: &'b Body,
        role: Role,
    ) -> impl Iterator<Item = (usize, u32, &'b Instr)> {
        body.blocks.iter().enumerate().flat_map(move |(index, block)| {
            block.instrs.iter().filter_map(move |instr| match instr.op {
                Op::Mark { number, .. } if self.roles.get(&instr.pc) == Some(&role) => {
                    Some((index, number, instr))
                }
                _ => None,
            })
        })
    }

    /// The heads of the marked loops. A loop's head is that of the outermost loop that contains
    /// its body but not the place before it; `finally` may have copied it several times.
    fn loop_heads(&self, body: &Body) -> Vec<LoopHead> {
        let order = body.order();
        let mut heads: Vec<LoopHead> = Vec::new();
        let before: Vec<_> = self.marks(body, Role::BeforeLoop).collect();
        for (inside, number, _) in self.marks(body, Role::InLoop) {
            let outside = before.iter().filter(|(_, n, _)| *n == number);
            let enclosing: BTreeSet<BlockId> = outside
                .clone()
                .flat_map(|(block, ..)| order.loops_around(BlockId(*block as u32)))
                .copied()
                .collect();
            let around = order.loops_around(BlockId(inside as u32));
            let Some(&head) = around.iter().find(|head| !enclosing.contains(head)) else {
                continue;
            };
            let line = outside.map(|(_, _, instr)| instr.line).min().unwrap_or(0);
            heads.push(LoopHead { number, head, inside, line });
        }
        heads
    }

    /// Whether an instruction only helped to find a loop. The mark in the body stays where the
    /// compiler has made straight code of the loop.
    fn is_moved(&self, instr: &Instr, block: usize, heads: &[LoopHead]) -> bool {
        let Op::Mark { number, .. } = instr.op else {
            return false;
        };
        match self.roles.get(&instr.pc) {
            Some(Role::BeforeLoop) => true,
            Some(Role::InLoop) => heads.iter().any(|h| h.number == number && h.inside == block),
            Some(Role::Point) | None => false,
        }
    }

    /// The source variables that hold a value before the instruction at an offset.
    fn locals_at(&self, pc: u32) -> Vec<Local> {
        let in_scope = self.code.variables.iter().filter(|v| {
            let start = u32::from(v.start);
            start <= pc && pc < start + u32::from(v.length) && v.name != "this"
        });
        let mut in_scope: Vec<_> = in_scope.collect();
        in_scope.sort_by_key(|v| v.slot);
        let locals = in_scope.into_iter().filter_map(|v| {
            let ty = descriptor::field_type(self.unit.program, &v.descriptor)?;
            let reg = self.registers.known_local(v.slot, ty.kind())?;
            let signature = self.generic_signature(v);
            Some(Local { name: v.name.as_str().into(), ty, signature, reg })
        });
        locals.collect()
    }
}

/// A marked loop.
struct LoopHead {
    number: u32,
    head: BlockId,
    /// The block in which the mark of its body stands.
    inside: usize,
    line: u32,
}
