//! Registers of a body under construction, and the symbolic operand stack of a block.
//!
//! A local variable of a kind and a stack position of a kind have one register each. Inside a
//! block a stack entry is only a name for the register that holds its value: loading a local
//! pushes the local's register, and nothing is copied. Two rules keep this true: before a local
//! is overwritten, entries that name it move elsewhere; and a result goes to a register that no
//! entry names. Between blocks every entry is at home in the register of its position.

use ir::{Kind, Op, Reg};
use rustc_hash::FxHashMap;

use crate::classfile::reader::{Malformed, malformed};

/// Deeper operand stacks than any compiler makes; keeps work on a hostile body linear.
const DEEPEST: usize = 1024;

/// A value on the symbolic stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    pub reg: Reg,
    pub kind: Kind,
}

impl Value {
    /// Size in the 32-bit words in which the JVM counts.
    fn words(self) -> usize {
        match self.kind {
            Kind::Long | Kind::Double => 2,
            Kind::Int | Kind::Float | Kind::Ref => 1,
        }
    }
}

/// All registers handed out so far.
#[derive(Default)]
pub struct Registers {
    pub kinds: Vec<Kind>,
    is_local: Vec<bool>,
    locals: FxHashMap<(u16, Kind), Reg>,
    positions: FxHashMap<(usize, Kind), Reg>,
}

impl Registers {
    fn add(&mut self, kind: Kind, is_local: bool) -> Reg {
        self.kinds.push(kind);
        self.is_local.push(is_local);
        Reg(self.kinds.len() as u32 - 1)
    }

    /// The register of a local variable.
    pub fn local(&mut self, slot: u16, kind: Kind) -> Reg {
        if let Some(&reg) = self.locals.get(&(slot, kind)) {
            return reg;
        }
        let reg = self.add(kind, true);
        self.locals.insert((slot, kind), reg);
        reg
    }

    /// The register of a local variable, if the body ever uses it.
    pub fn known_local(&self, slot: u16, kind: Kind) -> Option<Reg> {
        self.locals.get(&(slot, kind)).copied()
    }

    /// The home of a stack position.
    pub fn position(&mut self, depth: usize, kind: Kind) -> Reg {
        if let Some(&reg) = self.positions.get(&(depth, kind)) {
            return reg;
        }
        let reg = self.add(kind, false);
        self.positions.insert((depth, kind), reg);
        reg
    }

    /// Whether a register is a local variable's.
    pub fn is_local(&self, reg: Reg) -> bool {
        self.is_local[reg.index()]
    }
}

/// The operand stack.
#[derive(Default)]
pub struct Stack {
    entries: Vec<Value>,
}

impl Stack {
    /// The stack at the start of a block: every entry at home.
    pub fn at_home(kinds: &[Kind], registers: &mut Registers) -> Stack {
        let entries = kinds.iter().enumerate();
        let entries = entries
            .map(|(depth, &kind)| Value { reg: registers.position(depth, kind), kind })
            .collect();
        Stack { entries }
    }

    /// Kinds of the entries, bottom first.
    pub fn kinds(&self) -> Vec<Kind> {
        self.entries.iter().map(|v| v.kind).collect()
    }

    pub fn push(&mut self, value: Value) -> Result<(), Malformed> {
        if self.entries.len() >= DEEPEST {
            return malformed(format!("an operand stack deeper than {DEEPEST}"));
        }
        self.entries.push(value);
        Ok(())
    }

    pub fn pop_any(&mut self) -> Result<Value, Malformed> {
        match self.entries.pop() {
            Some(value) => Ok(value),
            None => malformed("an empty operand stack is popped"),
        }
    }

    pub fn pop(&mut self, kind: Kind) -> Result<Reg, Malformed> {
        let value = self.pop_any()?;
        if value.kind != kind {
            return malformed(format!("{:?} on the operand stack instead of {kind:?}", value.kind));
        }
        Ok(value.reg)
    }

    /// The register on top.
    pub fn top(&self) -> Option<Reg> {
        self.entries.last().map(|v| v.reg)
    }

    /// Pops the entries that make up this many words, top first.
    pub fn pop_words(&mut self, words: usize) -> Result<Vec<Value>, Malformed> {
        let mut taken = Vec::new();
        let mut count = 0;
        while count < words {
            let value = self.pop_any()?;
            count += value.words();
            taken.push(value);
        }
        match count == words {
            true => Ok(taken),
            false => malformed("a stack instruction splits a long or double"),
        }
    }

    /// Pushes entries back that were taken with `pop_words`.
    pub fn push_back(&mut self, taken: &[Value]) -> Result<(), Malformed> {
        taken.iter().rev().try_for_each(|value| self.push(*value))
    }

    /// Whether an entry names this register.
    pub fn names(&self, reg: Reg) -> bool {
        self.entries.iter().any(|v| v.reg == reg)
    }

    /// Makes every entry that names `from` name `to`.
    pub fn rename(&mut self, from: Reg, to: Reg) {
        for value in self.entries.iter_mut().filter(|v| v.reg == from) {
            value.reg = to;
        }
    }

    /// A register for a new value on top, named by no entry.
    pub fn free(&self, kind: Kind, registers: &mut Registers) -> Reg {
        self.free_above(self.entries.len(), kind, registers, &[])
    }

    fn free_above(
        &self,
        depth: usize,
        kind: Kind,
        registers: &mut Registers,
        taken: &[Reg],
    ) -> Reg {
        let mut depth = depth;
        loop {
            let reg = registers.position(depth, kind);
            if !self.names(reg) && !taken.contains(&reg) {
                return reg;
            }
            depth += 1;
        }
    }

    /// Moves that bring every entry home, as if done all at once. The registers in `keep` are
    /// read after the moves; where a move would overwrite one, its value is set aside first.
    pub fn settle(&mut self, keep: &mut [Value], registers: &mut Registers) -> Vec<Op> {
        let mut ops = Vec::new();
        let mut pending: Vec<(Reg, Value)> = Vec::new();
        for (depth, value) in self.entries.iter().enumerate() {
            let home = registers.position(depth, value.kind);
            if home != value.reg {
                pending.push((home, *value));
            }
        }
        if pending.is_empty() {
            return ops;
        }
        let mut taken: Vec<Reg> = pending.iter().map(|p| p.0).collect();
        taken.extend(keep.iter().map(|k| k.reg));
        for kept in keep.iter_mut().filter(|k| pending.iter().any(|p| p.0 == k.reg)) {
            let aside = self.free_above(self.entries.len(), kept.kind, registers, &taken);
            taken.push(aside);
            ops.push(Op::Move { dst: aside, src: kept.reg });
            kept.reg = aside;
        }
        while !pending.is_empty() {
            let free = pending.iter().position(|p| !pending.iter().any(|q| q.1.reg == p.0));
            let next = free.unwrap_or_else(|| {
                // Only cycles are left: set aside what the first move overwrites.
                let (home, value) = pending[0];
                let aside = self.free_above(self.entries.len(), value.kind, registers, &taken);
                taken.push(aside);
                ops.push(Op::Move { dst: aside, src: home });
                for q in pending.iter_mut().filter(|q| q.1.reg == home) {
                    q.1.reg = aside;
                }
                0
            });
            let (home, value) = pending.swap_remove(next);
            ops.push(Op::Move { dst: home, src: value.reg });
        }
        for (depth, value) in self.entries.iter_mut().enumerate() {
            value.reg = registers.position(depth, value.kind);
        }
        ops
    }
}
