//! Boolean circuits: hash-consed AND, XOR and ITE gates with complement edges.
//!
//! Every constructor simplifies against the operands and their operands (two
//! levels, after Brummayer & Biere, "Local two-level and-inverter graph
//! minimization without blowup", 2006): a rule fires only when its result needs
//! no more nodes than the plain gate. One rule carries the symbolic execution:
//! `g&c | g&!c = g` gives a join its path condition back, so that guards do not
//! grow with the number of branches passed. XOR and ITE are gates of their own,
//! rather than three ANDs, because their clauses are smaller and their shape
//! stays visible.

use crate::interruption::Cancel;
use crate::keys::Keys;
use crate::lit::Lit;
use crate::table::Table;
use rustc_hash::FxHashMap;

/// What a node of the circuit computes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Node {
    /// The constant; only node 0.
    True,
    /// A free variable.
    Input,
    /// The conjunction of two literals, the smaller first.
    And(Lit, Lit),
    /// The exclusive or of two uncomplemented literals, the smaller first.
    Xor(Lit, Lit),
    /// If the first then the second else the third; the first two uncomplemented.
    Ite(Lit, Lit, Lit),
}

impl Node {
    /// What it is computed from.
    pub fn operands(self) -> impl Iterator<Item = Lit> {
        let operands = match self {
            Node::True | Node::Input => [None; 3],
            Node::And(a, b) | Node::Xor(a, b) => [Some(a), Some(b), None],
            Node::Ite(c, t, e) => [Some(c), Some(t), Some(e)],
        };
        operands.into_iter().flatten()
    }
}

/// The operands of a comparison whose three-way result has been built, by the
/// literals of `less` and `equal`.
pub(crate) type Comparisons = FxHashMap<(Lit, Lit), (Box<[Lit]>, Box<[Lit]>)>;

/// Whether `!(c & t) & !(!c & e)` becomes a multiplexer. As a disjunction it is
/// one; as a conjunction it may be a guard and a condition, which a later join
/// must find as they are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Multiplexers {
    Find,
    Ignore,
}

/// A growing circuit. Nodes are never removed, operands precede their gates,
/// and the same sequence of calls yields the same literals.
#[derive(Clone)]
pub struct Circuit {
    table: Table,
    pub(crate) comparisons: Comparisons,
    /// Words that stand for symbols of an order, if there are any.
    pub(crate) keys: Option<Box<Keys>>,
    interruption: Cancel,
}

impl Default for Circuit {
    fn default() -> Circuit {
        Circuit::new()
    }
}

impl Circuit {
    /// The circuit with the constant as its only node.
    pub fn new() -> Circuit {
        Circuit {
            table: Table::new(),
            comparisons: Comparisons::default(),
            keys: None,
            interruption: Cancel::default(),
        }
    }

    /// From now on gates and clauses are made only until an end is wanted; see [`crate::unless_interrupted`].
    pub fn interrupt_by(&mut self, cancel: Cancel) {
        self.interruption = cancel;
    }

    /// Goes on unless an end is wanted.
    #[inline]
    pub(crate) fn heed_interruption(&self) {
        self.interruption.heed();
    }

    #[inline]
    fn gate(&mut self, node: Node) -> Lit {
        self.interruption.heed();
        self.table.gate(node)
    }

    /// The number of nodes, the constant included.
    #[allow(clippy::len_without_is_empty)] // Never empty: the constant is a node.
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// What the node at `index` computes.
    #[inline]
    pub fn node(&self, index: u32) -> Node {
        self.table.node(index)
    }

    /// How many gates use the node as an operand: 0, 1, or 2 for more than one.
    #[inline]
    pub(crate) fn fanout(&self, index: u32) -> u8 {
        self.table.fanout(index)
    }

    /// All free variables.
    pub fn inputs(&self) -> impl Iterator<Item = Lit> + '_ {
        let nodes = (1..self.len() as u32).map(|node| Lit::new(node, false));
        nodes.filter(|lit| self.node(lit.node()) == Node::Input)
    }

    /// A fresh free variable.
    pub fn input(&mut self) -> Lit {
        self.interruption.heed();
        self.table.input()
    }

    /// The conjunction of `a` and `b`.
    #[inline]
    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        self.conjunction(a, b, Multiplexers::Ignore)
    }

    fn conjunction(&mut self, a: Lit, b: Lit, multiplexers: Multiplexers) -> Lit {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if a == Lit::TRUE || a == b {
            return b;
        }
        if a == Lit::FALSE || a == !b {
            return Lit::FALSE;
        }
        let (inside_a, inside_b) = (self.table.and_operands(a), self.table.and_operands(b));
        if let Some(operands) = inside_a
            && let Some(result) = self.and_with_inner(a, operands, b)
        {
            return result;
        }
        if let Some(operands) = inside_b
            && let Some(result) = self.and_with_inner(b, operands, a)
        {
            return result;
        }
        if let Some(result) = self.and_with_other_gate(a, b) {
            return result;
        }
        if let (Some(p), Some(q)) = (inside_a, inside_b)
            && let Some(result) = self.and_of_two_inner((a, p), (b, q), multiplexers)
        {
            return result;
        }
        self.gate(Node::And(a, b))
    }

    /// Rules for `gate & other` where `gate` is the literal of `And(x, y)` and
    /// `other` is one of those operands or its complement.
    #[inline]
    fn and_with_inner(&mut self, gate: Lit, (x, y): (Lit, Lit), other: Lit) -> Option<Lit> {
        if !gate.is_negated() {
            if other == x || other == y {
                return Some(gate);
            }
            return (other == !x || other == !y).then_some(Lit::FALSE);
        }
        if other == !x || other == !y {
            return Some(other);
        }
        if other == x {
            return Some(self.and(x, !y));
        }
        (other == y).then(|| self.and(y, !x))
    }

    /// Rules for a conjunction with an XOR or ITE that the other operand, or a
    /// part of it, decides: `(x ^ y) & y = !x & y`.
    #[inline]
    fn and_with_other_gate(&mut self, a: Lit, b: Lit) -> Option<Lit> {
        for (gate, fact) in [(a, b), (b, a)] {
            if matches!(self.node(gate.node()), Node::Xor(..) | Node::Ite(..)) {
                let rest = self.assuming(gate, fact);
                if rest != gate {
                    return Some(self.and(rest, fact));
                }
            }
        }
        None
    }

    /// Rules for the conjunction of two literals of AND gates.
    fn and_of_two_inner(
        &mut self,
        (a, p): (Lit, (Lit, Lit)),
        (b, q): (Lit, (Lit, Lit)),
        multiplexers: Multiplexers,
    ) -> Option<Lit> {
        match (a.is_negated(), b.is_negated()) {
            (false, false) => clash(p, q).then_some(Lit::FALSE),
            (false, true) => self.and_not_inner((a, p), q),
            (true, false) => self.and_not_inner((b, q), p),
            (true, true) => self.neither(p, q, multiplexers),
        }
    }

    /// `gate & !(z & w)` where `gate` is `And(x, y)`.
    fn and_not_inner(&mut self, (gate, p): (Lit, (Lit, Lit)), (z, w): (Lit, Lit)) -> Option<Lit> {
        if clash(p, (z, w)) {
            return Some(gate);
        }
        if z == p.0 || z == p.1 {
            return Some(self.and(gate, !w));
        }
        (w == p.0 || w == p.1).then(|| self.and(gate, !z))
    }

    /// `!(x & y) & !(z & w)`: the complement of a disjunction of conjunctions.
    fn neither(
        &mut self,
        (x, y): (Lit, Lit),
        (z, w): (Lit, Lit),
        multiplexers: Multiplexers,
    ) -> Option<Lit> {
        for (x, y, z, w) in [(x, y, z, w), (x, y, w, z), (y, x, z, w), (y, x, w, z)] {
            if x == z && self.opposite_under(x, y, w) {
                return Some(!x);
            }
            if x == !z && y == !w {
                return Some(self.xor(x, y));
            }
            if x == !z && multiplexers == Multiplexers::Find {
                return Some(!self.ite(x, y, w));
            }
        }
        None
    }

    /// Whether `y` and `w` are complements once `guard` holds. Beyond `y == !w`
    /// this sees `w = p & q` with `p` part of the guard, because `and` drops `p`
    /// from `guard & !w` but keeps it in `guard & w`.
    fn opposite_under(&self, guard: Lit, y: Lit, w: Lit) -> bool {
        if y == !w {
            return true;
        }
        let Some((g, h)) = self.positive_and(guard) else {
            return false;
        };
        let weaker = |gate: Lit, other: Lit| {
            self.positive_and(gate).is_some_and(|(p, q)| {
                (q == !other && (p == g || p == h)) || (p == !other && (q == g || q == h))
            })
        };
        weaker(y, w) || weaker(w, y)
    }

    #[inline]
    fn positive_and(&self, lit: Lit) -> Option<(Lit, Lit)> {
        if lit.is_negated() { None } else { self.table.and_operands(lit) }
    }

    /// The disjunction of `a` and `b`.
    #[inline]
    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.conjunction(!a, !b, Multiplexers::Find)
    }

    /// Whether `a` implies `b`.
    #[inline]
    pub fn implies(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(a, !b)
    }

    /// Whether `a` and `b` are equal.
    #[inline]
    pub fn iff(&mut self, a: Lit, b: Lit) -> Lit {
        !self.xor(a, b)
    }

    /// Whether `a` and `b` differ.
    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let flip = a.is_negated() ^ b.is_negated();
        let (a, b) = (a.positive(), b.positive());
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if a == b {
            return Lit::FALSE.flipped(flip);
        }
        if a == Lit::TRUE {
            return (!b).flipped(flip);
        }
        match self.xor_with_inner(a, b) {
            Some(result) => result.flipped(flip),
            None => self.gate(Node::Xor(a, b)).flipped(flip),
        }
    }

    /// Rules for the XOR of two uncomplemented literals that share an operand.
    fn xor_with_inner(&mut self, a: Lit, b: Lit) -> Option<Lit> {
        for (gate, other) in [(a, b), (b, a)] {
            if let Some((x, y)) = self.table.xor_operands(gate) {
                if other == x {
                    return Some(y);
                }
                if other == y {
                    return Some(x);
                }
                if let Some((z, w)) = self.table.xor_operands(other) {
                    return self.xor_of_two_xors((x, y), (z, w));
                }
            } else if let Some((x, y)) = self.table.and_operands(gate) {
                // other ^ (other & y) = other & !y; !x ^ (x & y) = !(x & !y).
                if x.positive() == other {
                    return Some(self.and(x, !y).flipped(x.is_negated()));
                }
                if y.positive() == other {
                    return Some(self.and(y, !x).flipped(y.is_negated()));
                }
            }
        }
        None
    }

    fn xor_of_two_xors(&mut self, (x, y): (Lit, Lit), (z, w): (Lit, Lit)) -> Option<Lit> {
        if x == z {
            Some(self.xor(y, w))
        } else if y == w {
            Some(self.xor(x, z))
        } else if x == w {
            Some(self.xor(y, z))
        } else {
            (y == z).then(|| self.xor(x, w))
        }
    }

    /// `t` where `c` holds and `e` elsewhere.
    pub fn ite(&mut self, c: Lit, t: Lit, e: Lit) -> Lit {
        if c.is_negated() {
            return self.ite_positive(!c, e, t);
        }
        self.ite_positive(c, t, e)
    }

    fn ite_positive(&mut self, c: Lit, t: Lit, e: Lit) -> Lit {
        if c == Lit::TRUE || t == e {
            return t;
        }
        let (t, e) = (self.assuming(t, c), self.assuming(e, !c));
        if t == e || self.assuming(t, !c) == e {
            return t;
        }
        if self.assuming(e, c) == t {
            return e;
        }
        match (t.constant(), e.constant()) {
            (Some(true), _) => self.or(c, e),
            (Some(false), _) => self.and(!c, e),
            (None, Some(true)) => self.implies(c, t),
            (None, Some(false)) => self.and(c, t),
            (None, None) if t == !e => self.xor(c, e),
            (None, None) => {
                let flip = t.is_negated();
                self.gate(Node::Ite(c, t.flipped(flip), e.flipped(flip))).flipped(flip)
            }
        }
    }

    /// A literal equal to `lit` wherever `fact` holds, found by looking one
    /// gate deep; each step descends, so the loop ends.
    fn assuming(&self, mut lit: Lit, fact: Lit) -> Lit {
        let parts = self.positive_and(fact);
        let holds = |lit: Lit| lit == fact || parts.is_some_and(|(p, q)| lit == p || lit == q);
        loop {
            if holds(lit) {
                return Lit::TRUE;
            }
            if holds(!lit) {
                return Lit::FALSE;
            }
            let rest = match self.node(lit.node()) {
                Node::And(x, y) if holds(x) => y,
                Node::And(x, y) if holds(y) => x,
                Node::And(x, y) if holds(!x) || holds(!y) => Lit::FALSE,
                Node::Xor(x, y) if holds(x) => !y,
                Node::Xor(x, y) if holds(!x) => y,
                Node::Xor(x, y) if holds(y) => !x,
                Node::Xor(x, y) if holds(!y) => x,
                Node::Ite(c, t, _) if holds(c) => t,
                Node::Ite(c, _, e) if holds(!c) => e,
                Node::True | Node::Input | Node::And(..) | Node::Xor(..) | Node::Ite(..) => {
                    return lit;
                }
            };
            lit = rest.flipped(lit.is_negated());
        }
    }

    /// The conjunction of all literals: equal sets give equal results, whatever
    /// their order. A balanced tree, so its depth is logarithmic.
    pub fn and_all(&mut self, lits: impl IntoIterator<Item = Lit>) -> Lit {
        self.conjunction_of(lits.into_iter().collect(), Multiplexers::Ignore)
    }

    /// The disjunction of all literals, with the promises of [`Circuit::and_all`].
    pub fn or_all(&mut self, lits: impl IntoIterator<Item = Lit>) -> Lit {
        let negated = lits.into_iter().map(|lit| !lit).collect();
        !self.conjunction_of(negated, Multiplexers::Find)
    }

    fn conjunction_of(&mut self, mut level: Vec<Lit>, multiplexers: Multiplexers) -> Lit {
        level.sort_unstable();
        level.dedup();
        if level.windows(2).any(|pair| pair[0] == !pair[1]) || level.contains(&Lit::FALSE) {
            return Lit::FALSE;
        }
        if level.len() > 2 {
            self.rejoin(&mut level);
        }
        while level.len() > 1 {
            level = level
                .chunks(2)
                .map(|pair| {
                    if let &[a, b] = pair { self.conjunction(a, b, multiplexers) } else { pair[0] }
                })
                .collect();
            if level.contains(&Lit::FALSE) {
                return Lit::FALSE;
            }
        }
        level.first().copied().unwrap_or(Lit::TRUE)
    }

    /// Replaces `!(x & y)` and `!(x & !y)` in a sorted set by `!x` until no pair
    /// is left, because the balanced tree need not bring the two together.
    fn rejoin(&mut self, set: &mut Vec<Lit>) {
        let is_choice = |lit: &Lit| lit.is_negated() && self.table.and_operands(*lit).is_some();
        let mut work: Vec<Lit> = set.iter().copied().filter(is_choice).collect();
        while let Some(lit) = work.pop() {
            if set.binary_search(&lit).is_err() {
                continue;
            }
            let Some((partner, joined)) = self.partner(lit, set) else {
                continue;
            };
            set.retain(|&other| other != lit && other != partner);
            if let Err(place) = set.binary_search(&joined) {
                set.insert(place, joined);
                work.push(joined);
            }
        }
    }

    /// For `lit = !(x & y)`: a member `!(x & !y)` and what both amount to.
    fn partner(&self, lit: Lit, set: &[Lit]) -> Option<(Lit, Lit)> {
        if !lit.is_negated() {
            return None;
        }
        let (x, y) = self.table.and_operands(lit)?;
        [(x, !y, x), (!x, y, y)].into_iter().find_map(|(a, b, common)| {
            let (a, b) = if a <= b { (a, b) } else { (b, a) };
            let partner = !self.table.find(Node::And(a, b))?;
            set.binary_search(&partner).ok().map(|_| (partner, !common))
        })
    }
}

/// Whether one pair holds the complement of a member of the other.
#[inline]
fn clash((x, y): (Lit, Lit), (z, w): (Lit, Lit)) -> bool {
    x == !z || x == !w || y == !z || y == !w
}
