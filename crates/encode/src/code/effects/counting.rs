//! Loops that come to an end whatever they meet, because they count towards a number that stays the
//! same; and elements of arrays that exist, because such a loop counts through them.
//!
//! In every round of such a loop a test may leave it, and one instruction adds a constant to the
//! counter, without ever going beyond the greatest `int` (or the smallest) while the test holds. So
//! its rounds are finitely many, which is more than unrolling could tell.

use ir::body::Compare;
use ir::order::Element;
use ir::{BinaryOp, Block, BlockId, Body, Cond, Constant, Instr, Op, Reg, Terminator};

/// What a counter is compared with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Limit {
    Constant(i64),
    LengthOf(Reg),
    /// Something that no round changes.
    Same,
}

/// A loop that counts.
struct Counting {
    head: BlockId,
    counter: Reg,
    limit: Limit,
    /// How the counter compares with the limit where the loop goes on.
    compare: Compare,
    step: i64,
    test: BlockId,
    /// The block and the number of the instruction that counts.
    counts: (BlockId, usize),
}

/// Whether all loops of a body end.
pub(super) fn all_end(body: &Body) -> bool {
    heads(&body.order().elements).into_iter().all(|head| loop_ends(body, head))
}

/// Whether a loop ends, with those inside it.
pub(super) fn loop_ends(body: &Body, head: BlockId) -> bool {
    heads(&body.order().elements)
        .into_iter()
        .filter(|inner| body.order().stays_in(head, *inner))
        .all(|inner| Loop { body, head: inner }.counting().is_some())
}

/// For each block the instructions that load an element which exists if the array does.
pub(super) fn loads_in_bounds(body: &Body) -> Vec<Vec<usize>> {
    let mut found = vec![Vec::new(); body.blocks.len()];
    for head in heads(&body.order().elements) {
        let this = Loop { body, head };
        let Some(counting) = this.counting().filter(|c| this.counts_through_array(c)) else {
            continue;
        };
        for block in this.blocks() {
            let instrs = body.block(block).instrs.iter().enumerate();
            let loads = instrs.filter(|(number, instr)| {
                this.loads_current(&counting, &instr.op)
                    && this.is_between(&counting, block, *number)
            });
            found[block.index()].extend(loads.map(|l| l.0));
        }
    }
    found
}

fn heads(elements: &[Element]) -> Vec<BlockId> {
    let mut found = Vec::new();
    for element in elements {
        if let Element::Loop { head, body } = element {
            found.push(*head);
            found.extend(heads(body));
        }
    }
    found
}

struct Loop<'b> {
    body: &'b Body,
    head: BlockId,
}

impl<'b> Loop<'b> {
    fn has(&self, block: BlockId) -> bool {
        self.body.order().stays_in(self.head, block)
    }

    fn blocks(&self) -> impl Iterator<Item = BlockId> + use<'_, 'b> {
        (0..self.body.blocks.len() as u32).map(BlockId).filter(|b| self.has(*b))
    }

    fn instrs(&self) -> impl Iterator<Item = &'b Instr> + use<'_, 'b> {
        self.blocks().flat_map(|b| &self.body.block(b).instrs)
    }

    fn counting(&self) -> Option<Counting> {
        self.blocks().find_map(|test| self.counted_by(test))
    }

    /// The loop counts if this block is the test.
    fn counted_by(&self, test: BlockId) -> Option<Counting> {
        let block = self.body.block(test);
        let Terminator::Branch { cond, then, other } = &block.end else {
            return None;
        };
        let goes_on_if = match (self.has(*then), self.has(*other)) {
            (true, false) => true,
            (false, true) => false,
            _ => return None,
        };
        if !self.every_round_passes(test) {
            return None;
        }
        let (compare, left, right) = match *cond {
            Cond::Int(compare, left, right) => (compare, left, Some(right)),
            Cond::Zero(compare, left) => (compare, left, None),
            _ => return None,
        };
        let compare = if goes_on_if { compare } else { negated(compare) };
        let limit = match right {
            Some(right) => self.limit(block, right),
            None => Some(Limit::Constant(0)),
        };
        let forwards = limit.and_then(|limit| self.counted(test, left, compare, limit));
        forwards.or_else(|| {
            let limit = self.limit(block, left)?;
            self.counted(test, right?, mirrored(compare), limit)
        })
    }

    fn counted(
        &self,
        test: BlockId,
        counter: Reg,
        compare: Compare,
        limit: Limit,
    ) -> Option<Counting> {
        let (counts, step) = self.step(counter)?;
        let is_exact = |next: i64| i32::try_from(next).is_ok();
        let ends = match (compare, limit) {
            (Compare::Ne, _) => step.abs() == 1,
            (Compare::Lt, Limit::Constant(n)) => step > 0 && is_exact(n - 1 + step),
            (Compare::Le, Limit::Constant(n)) => step > 0 && is_exact(n + step),
            (Compare::Gt, Limit::Constant(n)) => step < 0 && is_exact(n + 1 + step),
            (Compare::Ge, Limit::Constant(n)) => step < 0 && is_exact(n + step),
            (Compare::Lt, _) => step == 1,
            (Compare::Gt, _) => step == -1,
            (Compare::Le | Compare::Ge | Compare::Eq, _) => false,
        };
        let head = self.head;
        ends.then_some(Counting { head, counter, limit, compare, step, test, counts })
    }

    /// The one instruction that changes a register, once in every round, and by how much.
    fn step(&self, counter: Reg) -> Option<((BlockId, usize), i64)> {
        let mut written = Vec::new();
        for block in self.blocks() {
            let instrs = self.body.block(block).instrs.iter().enumerate();
            written.extend(instrs.filter(|i| i.1.dst() == Some(counter)).map(|i| (block, i.0)));
        }
        let [(block, number)] = written[..] else {
            return None;
        };
        let own = self.body.order().loops_around(block).last() == Some(&self.head);
        if !own || !self.every_round_passes(block) || self.is_caught(counter) {
            return None;
        }
        let instrs = &self.body.block(block).instrs;
        let added = match &instrs[number].op {
            Op::Move { src, .. } => last_write(&instrs[..number], *src)?.0,
            _ => number,
        };
        let Op::Binary { op, left, right, .. } = &instrs[added].op else {
            return None;
        };
        let by = |reg: Reg| match last_write(&instrs[..added], reg)?.1.op {
            Op::Const { value: Constant::Int(by), .. } => Some(i64::from(by)),
            _ => None,
        };
        let step = match op {
            BinaryOp::AddInt if *left == counter => by(*right)?,
            BinaryOp::AddInt if *right == counter => by(*left)?,
            BinaryOp::SubInt if *left == counter => -by(*right)?,
            _ => return None,
        };
        Some(((block, number), step))
    }

    /// What a register holds that a counter is compared with at the end of a block.
    fn limit(&self, test: &Block, reg: Reg) -> Option<Limit> {
        match last_write(&test.instrs, reg) {
            Some((_, instr)) => match &instr.op {
                Op::Const { value: Constant::Int(n), .. } => Some(Limit::Constant(i64::from(*n))),
                Op::ArrayLength { array, .. } if self.keeps(*array) => {
                    Some(Limit::LengthOf(*array))
                }
                Op::GetField { object, .. } if self.keeps(*object) && self.writes_nothing() => {
                    Some(Limit::Same)
                }
                _ => None,
            },
            None if self.keeps(reg) => match self.only_write(reg) {
                Some(Op::ArrayLength { array, .. }) if self.has_one_value(*array) => {
                    Some(Limit::LengthOf(*array))
                }
                _ => Some(Limit::Same),
            },
            None => None,
        }
    }

    /// Whether no round writes a register.
    fn keeps(&self, reg: Reg) -> bool {
        !self.instrs().any(|i| i.dst() == Some(reg)) && !self.is_caught(reg)
    }

    fn is_caught(&self, reg: Reg) -> bool {
        self.body.blocks.iter().flat_map(|b| &b.handlers).any(|h| h.exception == reg)
    }

    fn writes_nothing(&self) -> bool {
        !self.instrs().any(|i| matches!(i.op, Op::PutField { .. } | Op::Invoke { .. }))
    }

    /// The only instruction of the body that writes a register which is no parameter.
    fn only_write(&self, reg: Reg) -> Option<&'b Op> {
        let instrs = self.body.blocks.iter().flat_map(|b| &b.instrs);
        let mut writes = instrs.filter(|i| i.dst() == Some(reg));
        let (first, second) = (writes.next(), writes.next());
        let other = self.body.params.contains(&reg) || self.is_caught(reg);
        first.filter(|_| second.is_none() && !other).map(|i| &i.op)
    }

    fn has_one_value(&self, reg: Reg) -> bool {
        let instrs = self.body.blocks.iter().flat_map(|b| &b.instrs);
        let writes = instrs.filter(|i| i.dst() == Some(reg)).count();
        writes + usize::from(self.body.params.contains(&reg)) == 1 && !self.is_caught(reg)
    }

    /// Whether control cannot come from the head back to it but through all of a block.
    fn every_round_passes(&self, block: BlockId) -> bool {
        let stays = |b: &BlockId| self.has(*b);
        if self.body.block(block).handlers.iter().any(|h| stays(&h.target)) {
            return false;
        }
        block == self.head || !self.reaches_head(self.head, block)
    }

    /// Whether control can come from a block to the head without another.
    fn reaches_head(&self, from: BlockId, without: BlockId) -> bool {
        let mut seen = vec![from];
        let mut work = vec![from];
        while let Some(next) = work.pop() {
            for to in self.body.block(next).successors() {
                if to == self.head {
                    return true;
                }
                if self.has(to) && to != without && !seen.contains(&to) {
                    seen.push(to);
                    work.push(to);
                }
            }
        }
        false
    }

    /// Whether the counter goes through the numbers of an array's elements.
    fn counts_through_array(&self, counting: &Counting) -> bool {
        let Counting { head, counter, limit, compare, step, test, .. } = *counting;
        let elsewhere = (0..self.body.blocks.len() as u32).map(BlockId).filter(|b| !self.has(*b));
        let starts = elsewhere.flat_map(|b| &self.body.block(b).instrs);
        let mut starts = starts.filter(|i| i.dst() == Some(counter));
        let is_natural =
            |op: &Op| matches!(op, Op::Const { value: Constant::Int(n), .. } if *n >= 0);
        matches!(limit, Limit::LengthOf(_))
            && self.is_entered_at_head()
            && (compare, step, test) == (Compare::Lt, 1, head)
            && !self.body.params.contains(&counter)
            && starts.all(|i| is_natural(&i.op))
    }

    fn is_entered_at_head(&self) -> bool {
        let elsewhere = (0..self.body.blocks.len() as u32).map(BlockId).filter(|b| !self.has(*b));
        let mut entered = elsewhere.flat_map(|b| self.body.block(b).successors());
        entered.all(|to| to == self.head || !self.has(to))
    }

    fn loads_current(&self, counting: &Counting, op: &Op) -> bool {
        let Op::ArrayLoad { array, index, .. } = op else {
            return false;
        };
        counting.limit == Limit::LengthOf(*array) && *index == counting.counter
    }

    /// Whether an instruction is executed after the test and before the counting of its round.
    fn is_between(&self, counting: &Counting, block: BlockId, number: usize) -> bool {
        let (counts, at) = counting.counts;
        let after_counting = match block == counts {
            true => number > at,
            false => self.is_after(counts, block),
        };
        block != counting.test && !after_counting
    }

    /// Whether control can come from one block to another in the same round.
    fn is_after(&self, from: BlockId, to: BlockId) -> bool {
        let mut seen = vec![from];
        let mut work = vec![from];
        while let Some(next) = work.pop() {
            for after in self.body.block(next).successors() {
                if after == to {
                    return true;
                }
                if self.has(after) && after != self.head && !seen.contains(&after) {
                    seen.push(after);
                    work.push(after);
                }
            }
        }
        false
    }
}

/// The last of these instructions that writes a register.
fn last_write(instrs: &[Instr], reg: Reg) -> Option<(usize, &Instr)> {
    instrs.iter().enumerate().rev().find(|i| i.1.dst() == Some(reg))
}

fn negated(compare: Compare) -> Compare {
    match compare {
        Compare::Eq => Compare::Ne,
        Compare::Ne => Compare::Eq,
        Compare::Lt => Compare::Ge,
        Compare::Ge => Compare::Lt,
        Compare::Gt => Compare::Le,
        Compare::Le => Compare::Gt,
    }
}

/// The same with the sides exchanged.
fn mirrored(compare: Compare) -> Compare {
    match compare {
        Compare::Lt => Compare::Gt,
        Compare::Gt => Compare::Lt,
        Compare::Le => Compare::Ge,
        Compare::Ge => Compare::Le,
        Compare::Eq | Compare::Ne => compare,
    }
}
