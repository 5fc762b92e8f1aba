//! The gate table: nodes in creation order, and the index that finds equal ones.
//!
//! A gate is three words; AND and XOR mark the third with a tag that no literal
//! reaches. The index is open addressing with linear probing; a slot holds the
//! node number and half of the hash, so that a probe for a new gate, and growth,
//! touch no nodes. The rival, a hash map keyed by the gate, stores every gate
//! twice.

use crate::circuit::Node;
use crate::lit::Lit;

const AND: u32 = u32::MAX;
const XOR: u32 = u32::MAX - 1;
const LEAF: u32 = u32::MAX - 2;

/// A gate as stored: operands, or two operands and a tag.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Packed(u32, u32, u32);

impl Packed {
    #[inline]
    fn pack(node: Node) -> Packed {
        match node {
            Node::True => Packed(0, 0, LEAF),
            Node::Input => Packed(1, 0, LEAF),
            Node::And(a, b) => Packed(a.code(), b.code(), AND),
            Node::Xor(a, b) => Packed(a.code(), b.code(), XOR),
            Node::Ite(c, t, e) => Packed(c.code(), t.code(), e.code()),
        }
    }

    #[inline]
    fn unpack(self) -> Node {
        let (a, b) = (Lit::from_code(self.0), Lit::from_code(self.1));
        match self.2 {
            AND => Node::And(a, b),
            XOR => Node::Xor(a, b),
            LEAF if self.0 == 0 => Node::True,
            LEAF => Node::Input,
            e => Node::Ite(a, b, Lit::from_code(e)),
        }
    }

    #[inline]
    fn hash(self) -> u32 {
        const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
        let low = u64::from(self.0) | u64::from(self.1) << 32;
        let mixed = (low.wrapping_mul(MULTIPLIER) ^ u64::from(self.2)).wrapping_mul(MULTIPLIER);
        (mixed >> 32) as u32
    }
}

/// Nodes by index; equal gates exist once.
///
/// Invariant: `slots` has a power-of-two length, is at most half full, and
/// holds every gate exactly once, as its hash above its index (0 marks an empty
/// slot: node 0 is the constant and never looked up).
#[derive(Clone)]
pub(crate) struct Table {
    nodes: Vec<Packed>,
    fanout: Vec<u8>,
    slots: Vec<u64>,
    gates: usize,
}

impl Table {
    pub(crate) fn new() -> Table {
        let mut table =
            Table { nodes: Vec::new(), fanout: Vec::new(), slots: vec![0; 64], gates: 0 };
        table.push(Packed::pack(Node::True));
        table
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    #[inline]
    pub(crate) fn node(&self, index: u32) -> Node {
        self.nodes[index as usize].unpack()
    }

    /// The operands of a positive or negative literal of an AND gate.
    #[inline]
    pub(crate) fn and_operands(&self, lit: Lit) -> Option<(Lit, Lit)> {
        let packed = self.nodes[lit.node() as usize];
        (packed.2 == AND).then(|| (Lit::from_code(packed.0), Lit::from_code(packed.1)))
    }

    /// The operands of a positive or negative literal of an XOR gate.
    #[inline]
    pub(crate) fn xor_operands(&self, lit: Lit) -> Option<(Lit, Lit)> {
        let packed = self.nodes[lit.node() as usize];
        (packed.2 == XOR).then(|| (Lit::from_code(packed.0), Lit::from_code(packed.1)))
    }

    /// How many gates have the node as an operand, counted up to 2.
    #[inline]
    pub(crate) fn fanout(&self, index: u32) -> u8 {
        self.fanout[index as usize]
    }

    pub(crate) fn input(&mut self) -> Lit {
        self.push(Packed::pack(Node::Input))
    }

    /// The positive literal of the gate, created unless it exists.
    #[inline]
    pub(crate) fn gate(&mut self, node: Node) -> Lit {
        let packed = Packed::pack(node);
        let (slot, found) = self.probe(packed);
        found.unwrap_or_else(|| self.insert(slot, packed))
    }

    /// The positive literal of the gate if it exists.
    #[inline]
    pub(crate) fn find(&self, node: Node) -> Option<Lit> {
        self.probe(Packed::pack(node)).1
    }

    /// The slot of the gate and its literal, or the slot where it belongs.
    #[inline]
    fn probe(&self, packed: Packed) -> (usize, Option<Lit>) {
        let (hash, mask) = (packed.hash(), self.slots.len() - 1);
        let mut slot = hash as usize & mask;
        loop {
            let entry = self.slots[slot];
            if entry == 0 {
                return (slot, None);
            }
            let index = entry as u32;
            if (entry >> 32) as u32 == hash && self.nodes[index as usize] == packed {
                return (slot, Some(Lit::new(index, false)));
            }
            slot = (slot + 1) & mask;
        }
    }

    fn insert(&mut self, slot: usize, packed: Packed) -> Lit {
        self.count_operand(packed.0);
        self.count_operand(packed.1);
        if packed.2 < LEAF {
            self.count_operand(packed.2);
        }
        let lit = self.push(packed);
        self.slots[slot] = u64::from(packed.hash()) << 32 | u64::from(lit.node());
        self.gates += 1;
        if self.gates * 2 > self.slots.len() {
            self.grow();
        }
        lit
    }

    #[inline]
    fn count_operand(&mut self, code: u32) {
        let fanout = &mut self.fanout[(code >> 1) as usize];
        *fanout = (*fanout + 1).min(2);
    }

    fn push(&mut self, packed: Packed) -> Lit {
        let index = self.nodes.len();
        assert!(index < 1 << 30, "the circuit has outgrown 2^30 nodes");
        self.nodes.push(packed);
        self.fanout.push(0);
        Lit::new(index as u32, false)
    }

    fn grow(&mut self) {
        let mask = self.slots.len() * 2 - 1;
        let old = std::mem::replace(&mut self.slots, vec![0; mask + 1]);
        for entry in old.into_iter().filter(|&entry| entry != 0) {
            let mut slot = (entry >> 32) as usize & mask;
            while self.slots[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            self.slots[slot] = entry;
        }
    }
}
