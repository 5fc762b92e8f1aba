//! The order in which to execute the blocks of a body: Bourdoncle's weak topological order
//! (Efficient chaotic iteration strategies with widenings, 1993).
//!
//! A flat list of elements, each a single block or a component (a loop: a head and the elements
//! inside). Every edge goes forward in the list, or back to the head of a component that
//! contains it, or (only in irreducible graphs, which javac never makes) into the middle of a
//! component, which is why executors must not assume that a component is entered at its head.

use crate::body::Body;
use crate::id::BlockId;

/// A weak topological order of the blocks reachable from the entry.
#[derive(Debug, Clone)]
pub struct Order {
    pub elements: Vec<Element>,
    /// For each block, the heads of the components that contain it, outermost first (a head is
    /// inside its own component).
    heads: Vec<Vec<BlockId>>,
}

/// One step of the order.
#[derive(Debug, Clone)]
pub enum Element {
    Block(BlockId),
    /// A loop: its head comes first, then the rest of its blocks.
    Loop {
        head: BlockId,
        body: Vec<Element>,
    },
}

impl Order {
    /// The order of `body`'s blocks.
    pub fn of(body: &Body) -> Order {
        let successors: Vec<Vec<BlockId>> =
            body.blocks.iter().map(|b| b.successors().collect()).collect();
        let mut builder = Builder {
            successors: &successors,
            number: vec![0; successors.len()],
            next: 0,
            stack: Vec::new(),
        };
        let mut elements = Vec::new();
        builder.visit(BlockId(0), &mut elements);
        elements.reverse();
        let mut heads = vec![Vec::new(); successors.len()];
        record_heads(&elements, &mut Vec::new(), &mut heads);
        Order { elements, heads }
    }

    /// Heads of the loops around `block`, outermost first.
    pub fn loops_around(&self, block: BlockId) -> &[BlockId] {
        &self.heads[block.index()]
    }

    /// Whether control going from a block inside the loop at `head` to `to` stays in the loop.
    pub fn stays_in(&self, head: BlockId, to: BlockId) -> bool {
        self.heads[to.index()].contains(&head)
    }

    /// The blocks of the loop at `head`, ascending.
    pub fn inside(&self, head: BlockId) -> Vec<BlockId> {
        (0..self.heads.len() as u32).map(BlockId).filter(|b| self.stays_in(head, *b)).collect()
    }

    /// What the loop at `head` runs after its head.
    pub fn rounds(&self, head: BlockId) -> Option<&[Element]> {
        find_loop(&self.elements, head)
    }
}

fn find_loop(elements: &[Element], wanted: BlockId) -> Option<&[Element]> {
    elements.iter().find_map(|element| match element {
        Element::Block(_) => None,
        Element::Loop { head, body } if *head == wanted => Some(&body[..]),
        Element::Loop { body, .. } => find_loop(body, wanted),
    })
}

fn record_heads(elements: &[Element], around: &mut Vec<BlockId>, heads: &mut [Vec<BlockId>]) {
    for element in elements {
        match element {
            Element::Block(b) => heads[b.index()] = around.clone(),
            Element::Loop { head, body } => {
                around.push(*head);
                heads[head.index()] = around.clone();
                record_heads(body, around, heads);
                around.pop();
            }
        }
    }
}

struct Builder<'a> {
    successors: &'a [Vec<BlockId>],
    number: Vec<u32>,
    next: u32,
    stack: Vec<BlockId>,
}

const DONE: u32 = u32::MAX;

impl Builder<'_> {
    /// Bourdoncle's `visit`; elements are pushed in reverse.
    fn visit(&mut self, block: BlockId, partition: &mut Vec<Element>) -> u32 {
        self.stack.push(block);
        self.next += 1;
        self.number[block.index()] = self.next;
        let mut lowest = self.next;
        let mut is_loop = false;
        for &successor in &self.successors[block.index()] {
            let reached = match self.number[successor.index()] {
                0 => self.visit(successor, partition),
                n => n,
            };
            if reached <= lowest {
                lowest = reached;
                is_loop = true;
            }
        }
        if lowest == self.number[block.index()] {
            self.number[block.index()] = DONE;
            let mut top = self.stack.pop().expect("the block itself is on the stack");
            if is_loop {
                while top != block {
                    self.number[top.index()] = 0;
                    top = self.stack.pop().expect("the block itself is below");
                }
                partition.push(self.component(block));
            } else {
                partition.push(Element::Block(block));
            }
        }
        lowest
    }

    fn component(&mut self, head: BlockId) -> Element {
        let mut body = Vec::new();
        for &successor in &self.successors[head.index()] {
            if self.number[successor.index()] == 0 {
                self.visit(successor, &mut body);
            }
        }
        body.reverse();
        Element::Loop { head, body }
    }
}
