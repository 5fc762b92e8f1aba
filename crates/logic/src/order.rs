//! Integers that are only ever compared: the theory of a total preorder over symbols.
//!
//! An unknown symbol is some integer of the type, a constant symbol a known one. Each pair of
//! symbols that is compared has the two literals `s <= t` and `t <= s`, of which one holds. That
//! the literals come from an order is said by clauses over triples: the graph of compared pairs is
//! made chordal, and its triangles are transitive. Two orders on the cliques of such a graph that
//! agree on what they share have a common extension, so that is enough.
//!
//! Integers are not dense: between two constants there are only so many. Where there are fewer
//! than unknown symbols, the integers between them become constants as well, every symbol is
//! compared with each of them, and lies on one or outside.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::circuit::Circuit;
use crate::evaluation::Evaluation;
use crate::lit::Lit;

/// A number of an order, by its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(pub u32);

/// Integers between two constants that become constants.
const MOST_FILLED: i128 = 32;

/// Triples whose transitivity is spelt out.
const MOST_TRIPLES: usize = 60_000;

/// The symbols of one type and what is known of their order.
#[derive(Clone)]
pub struct Order {
    least: i64,
    greatest: i64,
    /// The value of a constant; `None` for an unknown.
    values: Vec<Option<i64>>,
    constants: BTreeMap<i64, Symbol>,
    /// By two symbols, the smaller first: whether the first is at most the second, and at least.
    pairs: FxHashMap<(Symbol, Symbol), (Lit, Lit)>,
    /// What each symbol is compared with.
    compared: Vec<BTreeSet<Symbol>>,
    /// Constraints that nobody has collected yet, each with a symbol that it restricts.
    pending: Vec<(Lit, Symbol)>,
    triples: FxHashSet<[Symbol; 3]>,
    /// Pairs when the constraints were last complete.
    settled: usize,
    /// Unknowns for which constraints would be too many: nothing more is said about them.
    given_up: BTreeSet<Symbol>,
}

impl Order {
    /// The order of the signed integers of `width` bits.
    pub fn new(width: u32) -> Order {
        let greatest = (u64::MAX >> (65 - width)) as i64;
        Order {
            least: -greatest - 1,
            greatest,
            values: Vec::new(),
            constants: BTreeMap::new(),
            pairs: FxHashMap::default(),
            compared: Vec::new(),
            pending: Vec::new(),
            triples: FxHashSet::default(),
            settled: 0,
            given_up: BTreeSet::new(),
        }
    }

    fn add(&mut self, value: Option<i64>) -> Symbol {
        let symbol = Symbol(self.values.len() as u32);
        self.values.push(value);
        self.compared.push(BTreeSet::new());
        symbol
    }

    /// A new unknown.
    pub fn symbol(&mut self) -> Symbol {
        self.add(None)
    }

    /// The symbol of a constant, which may lie outside the type.
    pub fn constant(&mut self, value: i64) -> Symbol {
        if let Some(known) = self.constants.get(&value) {
            return *known;
        }
        let symbol = self.add(Some(value));
        self.constants.insert(value, symbol);
        symbol
    }

    /// The value of a constant.
    pub fn value(&self, symbol: Symbol) -> Option<i64> {
        self.values[symbol.0 as usize]
    }

    /// Whether a constant is a value of the type.
    pub fn admits(&self, value: i64) -> bool {
        self.least <= value && value <= self.greatest
    }

    /// Variables so far.
    pub fn variables(&self) -> usize {
        let lits = self.pairs.values().flat_map(|p| [p.0, p.1]);
        lits.filter(|l| !l.is_constant()).count()
    }

    /// All pairs that are compared, in order, with the literals of `<=` and `>=`.
    pub fn pairs(&self) -> Vec<([Symbol; 2], [Lit; 2])> {
        let mut pairs: Vec<_> =
            self.pairs.iter().map(|((a, b), (le, ge))| ([*a, *b], [*le, *ge])).collect();
        pairs.sort_unstable();
        pairs
    }

    /// Whether `s <= t`.
    pub fn le(&mut self, circuit: &mut Circuit, s: Symbol, t: Symbol) -> Lit {
        self.pair(circuit, s, t).0
    }

    /// Whether `s < t`.
    pub fn lt(&mut self, circuit: &mut Circuit, s: Symbol, t: Symbol) -> Lit {
        !self.pair(circuit, s, t).1
    }

    /// Whether `s == t`.
    pub fn eq(&mut self, circuit: &mut Circuit, s: Symbol, t: Symbol) -> Lit {
        let (le, ge) = self.pair(circuit, s, t);
        circuit.and(le, ge)
    }

    /// Whether `s <= t`, and whether `s >= t`.
    fn pair(&mut self, circuit: &mut Circuit, s: Symbol, t: Symbol) -> (Lit, Lit) {
        if s == t {
            return (Lit::TRUE, Lit::TRUE);
        }
        match (self.value(s), self.value(t)) {
            (Some(x), Some(y)) => return (Lit::from(x <= y), Lit::from(x >= y)),
            (None, Some(y)) if !self.admits(y) => {
                return (Lit::from(y > 0), Lit::from(y < 0));
            }
            (Some(x), None) if !self.admits(x) => {
                return (Lit::from(x < 0), Lit::from(x > 0));
            }
            _ => {}
        }
        let (a, b) = if s < t { (s, t) } else { (t, s) };
        let (le, ge) = match self.pairs.get(&(a, b)) {
            Some(known) => *known,
            None => self.new_pair(circuit, a, b),
        };
        if s < t { (le, ge) } else { (ge, le) }
    }

    fn new_pair(&mut self, circuit: &mut Circuit, a: Symbol, b: Symbol) -> (Lit, Lit) {
        let is = |s: Symbol, extreme: i64| self.value(s) == Some(extreme);
        let always_le = is(a, self.least) || is(b, self.greatest);
        let always_ge = is(a, self.greatest) || is(b, self.least);
        let le = if always_le { Lit::TRUE } else { circuit.input() };
        let ge = if always_ge { Lit::TRUE } else { circuit.input() };
        self.pairs.insert((a, b), (le, ge));
        self.compared[a.0 as usize].insert(b);
        self.compared[b.0 as usize].insert(a);
        let total = circuit.or(le, ge);
        let unknown = if self.value(a).is_none() { a } else { b };
        self.require(total, unknown);
        (le, ge)
    }

    fn require(&mut self, lit: Lit, symbol: Symbol) {
        if lit != Lit::TRUE {
            self.pending.push((lit, symbol));
        }
    }

    /// What has to hold so that the literals made so far are those of an order of integers: the
    /// constraints that have not been given out before, each with an unknown that it restricts.
    pub fn settle(&mut self, circuit: &mut Circuit) -> Vec<(Lit, Symbol)> {
        if self.pairs.len() != self.settled {
            for component in self.components() {
                self.settle_component(circuit, &component);
            }
            self.settled = self.pairs.len();
        }
        std::mem::take(&mut self.pending)
    }

    /// Unknowns about which not everything could be said.
    pub fn given_up(&self) -> impl Iterator<Item = Symbol> + '_ {
        self.given_up.iter().copied()
    }

    fn is_unknown(&self, symbol: Symbol) -> bool {
        self.value(symbol).is_none()
    }

    /// The unknowns that are compared with each other, directly or through others. Only constants
    /// connect different components, and those do not move.
    fn components(&self) -> Vec<Vec<Symbol>> {
        let mut seen = vec![false; self.values.len()];
        let mut found = Vec::new();
        for index in 0..self.values.len() {
            let first = Symbol(index as u32);
            if seen[index] || !self.is_unknown(first) || self.compared[index].is_empty() {
                continue;
            }
            seen[index] = true;
            let mut component = vec![first];
            let mut next = 0;
            while next < component.len() {
                for other in &self.compared[component[next].0 as usize] {
                    if self.is_unknown(*other) && !seen[other.0 as usize] {
                        seen[other.0 as usize] = true;
                        component.push(*other);
                    }
                }
                next += 1;
            }
            found.push(component);
        }
        found
    }

    fn settle_component(&mut self, circuit: &mut Circuit, component: &[Symbol]) {
        if component.iter().any(|s| self.given_up.contains(s)) {
            self.given_up.extend(component);
            return;
        }
        let Some(close) = self.close_constants(component) else {
            self.given_up.extend(component);
            return;
        };
        for value in close {
            let constant = self.constant(value);
            for symbol in component {
                self.pair(circuit, *symbol, constant);
            }
        }
        let mut left: BTreeSet<Symbol> = component.iter().copied().collect();
        while !left.is_empty() {
            if self.triples.len() > MOST_TRIPLES {
                self.given_up.extend(component);
                return;
            }
            let degree = |s: &&Symbol| self.compared[s.0 as usize].intersection(&left).count();
            let symbol = *left.iter().min_by_key(degree).expect("some are left");
            left.remove(&symbol);
            self.eliminate(circuit, symbol, &left);
        }
    }

    /// The constants of a component next to which there is no room for all its unknowns, with the
    /// integers between them. `None` if these are too many.
    fn close_constants(&self, component: &[Symbol]) -> Option<BTreeSet<i64>> {
        let used: BTreeSet<i64> = component
            .iter()
            .flat_map(|s| &self.compared[s.0 as usize])
            .filter_map(|s| self.value(*s))
            .collect();
        let unknowns = component.len() as i128;
        let before = i128::from(self.least) - 1;
        let after = i128::from(self.greatest) + 1;
        let points = used.iter().map(|v| i128::from(*v));
        let points: Vec<i128> = [before].into_iter().chain(points).chain([after]).collect();
        let mut close = BTreeSet::new();
        for pair in points.windows(2) {
            let room = pair[1] - pair[0] - 1;
            if room >= unknowns {
                continue;
            }
            if room > MOST_FILLED {
                return None;
            }
            let inside = (pair[0]..=pair[1]).filter(|v| *v != before && *v != after);
            close.extend(inside.map(|v| v as i64));
        }
        Some(close)
    }

    /// Compares with each other all that a symbol is compared with, and makes that transitive.
    fn eliminate(&mut self, circuit: &mut Circuit, symbol: Symbol, left: &BTreeSet<Symbol>) {
        let compared = &self.compared[symbol.0 as usize];
        let others: Vec<Symbol> = compared.intersection(left).copied().collect();
        let constants = compared.iter().filter_map(|s| Some((self.value(*s)?, *s)));
        let constants: BTreeMap<i64, Symbol> = constants.collect();
        let constants: Vec<(i64, Symbol)> = constants.into_iter().collect();
        for pair in constants.windows(2) {
            self.between(circuit, symbol, pair[0], pair[1]);
        }
        for (i, other) in others.iter().enumerate() {
            for third in others[i + 1..].iter().chain(constants.iter().map(|c| &c.1)) {
                self.transitive(circuit, [symbol, *other, *third]);
            }
        }
    }

    /// A symbol lies on one side of two constants or between them.
    fn between(
        &mut self,
        circuit: &mut Circuit,
        symbol: Symbol,
        (low, below): (i64, Symbol),
        (high, above): (i64, Symbol),
    ) {
        if !self.triples.insert([symbol, below, above]) {
            return;
        }
        let (le_low, ge_high) =
            (self.pair(circuit, symbol, below).0, self.pair(circuit, symbol, above).1);
        let both = circuit.and(le_low, ge_high);
        self.require(!both, symbol);
        if low + 1 == high {
            let either = circuit.or(le_low, ge_high);
            self.require(either, symbol);
        }
    }

    fn transitive(&mut self, circuit: &mut Circuit, triple: [Symbol; 3]) {
        let mut sorted = triple;
        sorted.sort_unstable();
        if !self.triples.insert(sorted) {
            return;
        }
        let [s, t, u] = triple;
        let orders = [[s, t, u], [s, u, t], [t, s, u], [t, u, s], [u, s, t], [u, t, s]];
        for [a, b, c] in orders {
            let (ab, bc) = (self.le(circuit, a, b), self.le(circuit, b, c));
            let ac = self.le(circuit, a, c);
            let follows = circuit.or_all([!ab, !bc, ac]);
            self.require(follows, s);
        }
    }

    /// Values of all symbols as a model orders them, near zero where that is possible.
    pub fn decode(&self, model: &Evaluation) -> Vec<i64> {
        let mut class: Vec<usize> = (0..self.values.len()).collect();
        let mut less: Vec<(usize, usize)> = Vec::new();
        let mut pairs: Vec<_> = self.pairs.iter().collect();
        pairs.sort_unstable();
        for ((a, b), (le, ge)) in pairs {
            let (a, b) = (a.0 as usize, b.0 as usize);
            match (model.value(*le), model.value(*ge)) {
                (true, true) => {
                    let (x, y) = (root(&class, a), root(&class, b));
                    class[x] = y;
                }
                (true, false) => less.push((a, b)),
                (false, true) => less.push((b, a)),
                (false, false) => {}
            }
        }
        let count = self.values.len();
        let mut fixed: Vec<Option<i64>> = vec![None; count];
        for (index, value) in self.values.iter().enumerate() {
            if value.is_some() {
                fixed[root(&class, index)] = *value;
            }
        }
        let mut above: Vec<Vec<usize>> = vec![Vec::new(); count];
        let mut waits_for = vec![0; count];
        for (a, b) in less {
            let (x, y) = (root(&class, a), root(&class, b));
            above[x].push(y);
            waits_for[y] += 1;
        }
        let mut sorted: Vec<usize> = (0..count).filter(|i| waits_for[*i] == 0).collect();
        let mut next = 0;
        while next < sorted.len() {
            for higher in &above[sorted[next]] {
                waits_for[*higher] -= 1;
                if waits_for[*higher] == 0 {
                    sorted.push(*higher);
                }
            }
            next += 1;
        }
        let mut most = vec![self.greatest; count];
        for &index in sorted.iter().rev() {
            let limit = above[index].iter().map(|h| most[*h].saturating_sub(1));
            let limit = limit.min().unwrap_or(self.greatest).min(self.greatest);
            most[index] = fixed[index].unwrap_or(limit);
        }
        let mut values = vec![0; count];
        let mut least = vec![self.least; count];
        for &index in &sorted {
            let free = 0.max(least[index]).min(most[index]);
            values[index] = fixed[index].unwrap_or(free);
            for higher in &above[index] {
                least[*higher] = least[*higher].max(values[index].saturating_add(1));
            }
        }
        (0..count).map(|index| values[root(&class, index)]).collect()
    }
}

fn root(class: &[usize], mut index: usize) -> usize {
    while class[index] != index {
        index = class[index];
    }
    index
}
