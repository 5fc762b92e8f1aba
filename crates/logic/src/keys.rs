//! Words that stand for symbols of an order rather than for bits.
//!
//! A key says for each symbol that a number may be under which literal it is that one; where the
//! number means something exactly one of them holds. Its word is variables of its own, so that a
//! key goes wherever a word goes, and what compares words or chooses between them finds the key
//! and leaves the bits alone.
//!
//! Nothing ties those bits to the order. A formula that mentions one of them allows more than it
//! should: it is still right that it has no model, but a model of it means nothing. Whoever asks
//! for models has to look at [`Circuit::exposed`] first, and where something is exposed, to start
//! again with ordinary words in those places.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::bits::Bits;
use crate::circuit::{Circuit, Node};
use crate::evaluation::Evaluation;
use crate::lit::Lit;
use crate::order::{Order, Symbol};

/// For each symbol that a number may be, the literal that says so; ascending by symbol.
type Key = Rc<[(Symbol, Lit)]>;

/// Pairs of symbols that one comparison looks at.
const MOST_PAIRS: usize = 4096;

/// A symbol together with the width of its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Unknown {
    pub width: u32,
    pub symbol: Symbol,
}

/// The orders of a circuit and the words over them.
#[derive(Clone, Default)]
pub(crate) struct Keys {
    orders: BTreeMap<u32, Order>,
    words: Vec<(u32, Key, Bits)>,
    by_key: FxHashMap<(u32, Key), usize>,
    /// Words by the node of each of their bits.
    by_node: FxHashMap<u32, usize>,
    /// Nodes whose operands have been looked at.
    visited: Vec<bool>,
    exposed: BTreeSet<Unknown>,
}

/// What can be compared within an order.
enum Operand {
    Constant(i64),
    Key(u32, Key),
    /// One of two constants.
    Either(Lit, i64, i64),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    Less,
    Equal,
}

impl Keys {
    /// The key of a word, which may repeat its sign beyond the width of the order.
    fn find(&self, lits: &[Lit]) -> Option<(u32, Key)> {
        let (width, key, word) = &self.words[*self.by_node.get(&lits.first()?.node())?];
        let used = *width as usize;
        let is = lits.len() >= used
            && word.iter().zip(lits).all(|(x, y)| x == *y)
            && lits[used..].iter().all(|l| *l == word.sign());
        is.then(|| (*width, key.clone()))
    }

    fn operand(&self, lits: &[Lit]) -> Option<Operand> {
        if let Some((width, key)) = self.find(lits) {
            return Some(Operand::Key(width, key));
        }
        if lits.len() > 64 {
            return None;
        }
        let mut cond = None;
        let (mut yes, mut no) = (0u64, 0u64);
        for position in 0..64 {
            let lit = lits[position.min(lits.len() - 1)];
            let (a, b) = match (lit.constant(), cond) {
                (Some(bit), _) => (bit, bit),
                (None, None) => {
                    cond = Some(lit);
                    (true, false)
                }
                (None, Some(cond)) if lit == cond => (true, false),
                (None, Some(cond)) if lit == !cond => (false, true),
                (None, Some(_)) => return None,
            };
            yes |= u64::from(a) << position;
            no |= u64::from(b) << position;
        }
        Some(match cond {
            None => Operand::Constant(yes as i64),
            Some(cond) => Operand::Either(cond, yes as i64, no as i64),
        })
    }

    /// The entries of an operand in the order of `width`; `None` if it belongs to another, or is a
    /// constant outside its type and `inside` is asked for.
    fn entries(&mut self, operand: &Operand, width: u32, inside: bool) -> Option<Key> {
        let order = self.orders.get_mut(&width)?;
        let values: &[(i64, Lit)] = match operand {
            Operand::Key(own, key) => return (*own == width).then(|| key.clone()),
            Operand::Constant(value) => &[(*value, Lit::TRUE)],
            Operand::Either(cond, yes, no) => &[(*yes, *cond), (*no, !*cond)],
        };
        if inside && values.iter().any(|v| !order.admits(v.0)) {
            return None;
        }
        let entries = values.iter().map(|(value, lit)| (order.constant(*value), *lit));
        Some(entries.collect())
    }

    /// The word of a key.
    fn word(&mut self, circuit: &mut Circuit, width: u32, entries: Vec<(Symbol, Lit)>) -> Bits {
        let mut entries = entries;
        entries.retain(|e| e.1 != Lit::FALSE);
        if let Some(sure) = entries.iter().copied().find(|e| e.1 == Lit::TRUE) {
            entries = vec![sure];
        }
        match entries[..] {
            // Only a dead path has a number that is nothing.
            [] => return Bits::constant(width, 0),
            [only] => entries = vec![(only.0, Lit::TRUE)],
            _ => entries.sort_unstable(),
        }
        if let [(symbol, _)] = entries[..]
            && let Some(value) = self.orders[&width].value(symbol)
        {
            return Bits::constant(width, value as u64);
        }
        let key: Key = entries.into();
        if let Some(known) = self.by_key.get(&(width, key.clone())) {
            return self.words[*known].2.clone();
        }
        let bits: Vec<Lit> = (0..width).map(|_| circuit.input()).collect();
        let index = self.words.len();
        self.by_node.extend(bits.iter().map(|l| (l.node(), index)));
        let bits = Bits::from_lits(bits);
        self.words.push((width, key.clone(), bits.clone()));
        self.by_key.insert((width, key), index);
        bits
    }

    /// The word of an operand that is one of `cases`.
    fn select(&mut self, circuit: &mut Circuit, cases: &[(Lit, &[Lit])]) -> Option<Bits> {
        let width = cases.iter().find_map(|c| self.find(c.1))?.0;
        let mut ways: BTreeMap<Symbol, Vec<Lit>> = BTreeMap::new();
        for (cond, lits) in cases {
            let operand = self.operand(lits)?;
            for (symbol, lit) in self.entries(&operand, width, true)?.iter() {
                let here = circuit.and(*cond, *lit);
                ways.entry(*symbol).or_default().push(here);
            }
        }
        let entries = ways.into_iter().map(|(symbol, lits)| (symbol, circuit.or_all(lits)));
        let entries = entries.collect();
        Some(self.word(circuit, width, entries))
    }

    fn choose(
        &mut self,
        circuit: &mut Circuit,
        cond: Lit,
        then: &[Lit],
        other: &[Lit],
    ) -> Option<Bits> {
        let width = self.find(then).or_else(|| self.find(other))?.0;
        let (then, other) = (self.operand(then)?, self.operand(other)?);
        let then = self.entries(&then, width, true)?;
        let other = self.entries(&other, width, true)?;
        let mut both: BTreeMap<Symbol, (Lit, Lit)> = BTreeMap::new();
        for (symbol, lit) in then.iter() {
            both.insert(*symbol, (*lit, Lit::FALSE));
        }
        for (symbol, lit) in other.iter() {
            both.entry(*symbol).or_insert((Lit::FALSE, Lit::FALSE)).1 = *lit;
        }
        let entries = both.into_iter().map(|(s, (yes, no))| (s, circuit.ite(cond, yes, no)));
        let entries = entries.collect();
        Some(self.word(circuit, width, entries))
    }

    fn compare(
        &mut self,
        circuit: &mut Circuit,
        comparison: Comparison,
        a: &[Lit],
        b: &[Lit],
    ) -> Option<Lit> {
        let width = self.find(a).or_else(|| self.find(b))?.0;
        let (a, b) = (self.operand(a)?, self.operand(b)?);
        let (a, b) = (self.entries(&a, width, false)?, self.entries(&b, width, false)?);
        if a == b {
            return Some(Lit::from(comparison == Comparison::Equal));
        }
        if a.len() * b.len() > MOST_PAIRS {
            return None;
        }
        let order = self.orders.get_mut(&width)?;
        let mut ways = Vec::new();
        for (s, in_a) in a.iter() {
            for (t, in_b) in b.iter() {
                let both = circuit.and(*in_a, *in_b);
                if both == Lit::FALSE {
                    continue;
                }
                let holds = match comparison {
                    Comparison::Less => order.lt(circuit, *s, *t),
                    Comparison::Equal => order.eq(circuit, *s, *t),
                };
                ways.push(circuit.and(both, holds));
            }
        }
        Some(circuit.or_all(ways))
    }

    /// Takes note of the keys whose bits the roots depend on.
    fn look(&mut self, circuit: &Circuit, roots: impl Iterator<Item = Lit>) {
        self.visited.resize(circuit.len(), false);
        let mut work: Vec<u32> = roots.map(|l| l.node()).collect();
        while let Some(index) = work.pop() {
            if std::mem::replace(&mut self.visited[index as usize], true) {
                continue;
            }
            match circuit.node(index) {
                Node::True => {}
                Node::Input => self.expose(index),
                Node::And(a, b) | Node::Xor(a, b) => work.extend([a.node(), b.node()]),
                Node::Ite(c, t, e) => work.extend([c.node(), t.node(), e.node()]),
            }
        }
    }

    fn expose(&mut self, node: u32) {
        if let Some(word) = self.by_node.get(&node) {
            let (width, key, _) = &self.words[*word];
            let order = &self.orders[width];
            let symbols = key.iter().map(|e| e.0).filter(|s| order.value(*s).is_none());
            self.exposed.extend(symbols.map(|symbol| Unknown { width: *width, symbol }));
        }
    }
}

impl Circuit {
    /// A word of `width` bits for an unknown number that is only compared.
    pub fn ordered(&mut self, width: u32) -> (Bits, Unknown) {
        let mut keys = self.keys.take().unwrap_or_default();
        let order = keys.orders.entry(width).or_insert_with(|| Order::new(width));
        let symbol = order.symbol();
        let bits = keys.word(self, width, vec![(symbol, Lit::TRUE)]);
        self.keys = Some(keys);
        (bits, Unknown { width, symbol })
    }

    fn with_keys<T>(&mut self, action: impl FnOnce(&mut Keys, &mut Circuit) -> T) -> Option<T> {
        let mut keys = self.keys.take()?;
        let result = action(&mut keys, self);
        self.keys = Some(keys);
        Some(result)
    }

    /// Whether a word may have a key, so that asking for it is worth its cost.
    fn may_be_ordered(&self, first: Lit) -> bool {
        self.keys.as_ref().is_some_and(|k| k.by_node.contains_key(&first.node()))
    }

    /// One of two words where at least one has a key and the other has one or is constant.
    pub(crate) fn ordered_ite(&mut self, cond: Lit, then: &[Lit], other: &[Lit]) -> Option<Bits> {
        if !self.may_be_ordered(then[0]) && !self.may_be_ordered(other[0]) {
            return None;
        }
        self.with_keys(|keys, circuit| keys.choose(circuit, cond, then, other))?
    }

    pub(crate) fn ordered_ite_bits(
        &mut self,
        cond: Lit,
        then: &Bits,
        other: &Bits,
    ) -> Option<Bits> {
        if !self.may_be_ordered(then.bit(0)) && !self.may_be_ordered(other.bit(0)) {
            return None;
        }
        let word = self.ordered_ite(cond, &then.to_vec(), &other.to_vec())?;
        Some(self.sign_extend(&word, then.width()))
    }

    /// The same for the word of exactly one of `cases`, each with the literal that selects it.
    pub fn ordered_select(&mut self, cases: &[(Lit, &Bits)]) -> Option<Bits> {
        if !cases.iter().any(|c| self.may_be_ordered(c.1.bit(0))) {
            return None;
        }
        let words: Vec<(Lit, Vec<Lit>)> = cases.iter().map(|(l, b)| (*l, b.to_vec())).collect();
        let words: Vec<(Lit, &[Lit])> = words.iter().map(|(l, w)| (*l, &w[..])).collect();
        let word = self.with_keys(|keys, circuit| keys.select(circuit, &words))??;
        Some(self.sign_extend(&word, cases[0].1.width()))
    }

    /// A comparison of signed words of which one has a key, and the other has one of the same
    /// order or is constant.
    pub(crate) fn ordered_compare(
        &mut self,
        comparison: Comparison,
        a: &[Lit],
        b: &[Lit],
    ) -> Option<Lit> {
        if !self.may_be_ordered(a[0]) && !self.may_be_ordered(b[0]) {
            return None;
        }
        self.with_keys(|keys, circuit| keys.compare(circuit, comparison, a, b))?
    }

    pub(crate) fn ordered_compare_bits(
        &mut self,
        comparison: Comparison,
        a: &Bits,
        b: &Bits,
    ) -> Option<Lit> {
        if !self.may_be_ordered(a.bit(0)) && !self.may_be_ordered(b.bit(0)) {
            return None;
        }
        self.ordered_compare(comparison, &a.to_vec(), &b.to_vec())
    }

    /// Constraints that make the comparisons so far those of numbers; see [`Order::settle`].
    pub fn settle_orders(&mut self) -> Vec<(Lit, Unknown)> {
        let settled = self.with_keys(|keys, circuit| {
            let mut found = Vec::new();
            for (&width, order) in &mut keys.orders {
                let settled = order.settle(circuit);
                let unknown = |symbol| Unknown { width, symbol };
                found.extend(settled.into_iter().map(|(lit, s)| (lit, unknown(s))));
                keys.exposed.extend(order.given_up().map(unknown));
            }
            found
        });
        settled.unwrap_or_default()
    }

    /// The unknowns whose bits matter to one of the roots, or to those of an earlier call, and
    /// those whose order is too large to be described: models say nothing about them.
    pub fn exposed(&mut self, roots: impl Iterator<Item = Lit>) -> &BTreeSet<Unknown> {
        static NONE: BTreeSet<Unknown> = BTreeSet::new();
        self.with_keys(|keys, circuit| keys.look(circuit, roots));
        self.keys.as_ref().map_or(&NONE, |k| &k.exposed)
    }

    /// The values of all symbols in a model, by the width of their order and their number.
    pub fn decode_orders(&self, model: &Evaluation) -> BTreeMap<u32, Vec<i64>> {
        let orders = self.keys.iter().flat_map(|k| &k.orders);
        orders.map(|(width, order)| (*width, order.decode(model))).collect()
    }

    /// The comparisons of unknowns so far: the two, and the literals that say whether the first is
    /// at most the second, and at least. Constants are left out.
    pub fn compared(&self) -> Vec<([Option<Unknown>; 2], [Lit; 2])> {
        let mut found = Vec::new();
        for (&width, order) in self.keys.iter().flat_map(|k| &k.orders) {
            for ([a, b], lits) in order.pairs() {
                let unknown =
                    |symbol| order.value(symbol).is_none().then_some(Unknown { width, symbol });
                found.push(([unknown(a), unknown(b)], lits));
            }
        }
        found
    }

    /// Variables of the orders.
    pub fn order_variables(&self) -> usize {
        self.keys.iter().flat_map(|k| k.orders.values()).map(Order::variables).sum()
    }
}
