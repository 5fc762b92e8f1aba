//! Where a body is cut into blocks: at jump targets, after jumps, and where the set of handlers
//! in force changes.

use crate::classfile::code::ExceptionEntry;
use crate::classfile::reader::{Malformed, malformed};

use super::opcode::Insn;

/// A handler row for each block is the only table here that can outgrow the file.
const MOST_HANDLER_ROWS: usize = 4_000_000;

/// Blocks as ranges of instructions.
pub struct Cut {
    /// Index of the first instruction of each block, ascending; ends with the instruction count.
    starts: Vec<usize>,
    /// For each instruction that starts a block, the block.
    block_of: Vec<u32>,
    /// For each byte of code, the index of the instruction that starts there.
    index_of: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Cut {
    /// Cuts a decoded body of `length` bytes.
    pub fn new(
        insns: &[(u32, Insn)],
        length: usize,
        exceptions: &[ExceptionEntry],
    ) -> Result<Cut, Malformed> {
        let mut index_of = vec![NONE; length];
        for (index, (pc, _)) in insns.iter().enumerate() {
            index_of[*pc as usize] = index as u32;
        }
        let mut cut = Cut { starts: Vec::new(), block_of: vec![NONE; insns.len()], index_of };
        let mut leads = vec![false; insns.len() + 1];
        leads[0] = true;
        for (index, (_, insn)) in insns.iter().enumerate() {
            for target in insn.targets() {
                leads[cut.index_at(target)?] = true;
            }
            leads[index + 1] |= insn.ends_block();
        }
        for entry in exceptions {
            leads[cut.index_at(u32::from(entry.start))?] = true;
            leads[cut.index_at(u32::from(entry.handler))?] = true;
            if usize::from(entry.end) != length {
                leads[cut.index_at(u32::from(entry.end))?] = true;
            }
        }
        for (index, _) in leads.iter().enumerate().filter(|(i, leads)| **leads && *i < insns.len())
        {
            cut.block_of[index] = cut.starts.len() as u32;
            cut.starts.push(index);
        }
        cut.starts.push(insns.len());
        if cut.len().saturating_mul(exceptions.len()) > MOST_HANDLER_ROWS {
            return malformed("an exception table too large to read");
        }
        Ok(cut)
    }

    /// Number of blocks.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Instruction indices of a block.
    pub fn range(&self, block: usize) -> std::ops::Range<usize> {
        self.starts[block]..self.starts[block + 1]
    }

    /// The block that starts at an offset.
    pub fn block_at(&self, pc: u32) -> Result<usize, Malformed> {
        match self.block_of[self.index_at(pc)?] {
            NONE => malformed(format!("no block starts at {pc}")),
            block => Ok(block as usize),
        }
    }

    fn index_at(&self, pc: u32) -> Result<usize, Malformed> {
        match self.index_of.get(pc as usize) {
            Some(&index) if index != NONE => Ok(index as usize),
            _ => malformed(format!("a jump to {pc}, which is not an instruction")),
        }
    }
}

impl Insn {
    fn targets(&self) -> Vec<u32> {
        match self {
            Insn::IfZero(_, to)
            | Insn::IfInt(_, to)
            | Insn::IfSame(to)
            | Insn::IfDifferent(to)
            | Insn::IfNull(to)
            | Insn::IfNonNull(to)
            | Insn::Goto(to) => vec![*to],
            Insn::Switch { cases, default } => {
                cases.iter().map(|c| c.1).chain([*default]).collect()
            }
            _ => Vec::new(),
        }
    }

    fn ends_block(&self) -> bool {
        let leaves = matches!(self, Insn::Return(_) | Insn::Throw | Insn::Obsolete(_));
        leaves || !self.targets().is_empty()
    }
}
