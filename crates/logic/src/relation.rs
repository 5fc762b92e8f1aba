//! Relations: sets of tuples of atoms and numbers, each with the literal that says whether it is a
//! member.
//!
//! Atoms are constants, so two tuples of atoms are the same or not, and a relation over atoms is
//! the sparse matrix of Jackson & Vaziri (section 3.1). Numbers are words that may depend on the
//! input: tuples with numbers are equal under a literal, and one number may stand in several
//! entries. Closure by squaring; the image under a closure, which is what most formulas need, by
//! the rows of [`Reach`].

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use crate::bits::Bits;
use crate::circuit::Circuit;
use crate::keys::Comparison;
use crate::lit::Lit;
use crate::reach::{Edges, Reach};

/// One place of a tuple.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cell {
    Atom(u32),
    /// A number by its bits, least significant first.
    Number(Vec<Lit>),
}

impl Cell {
    /// A number.
    pub fn number(bits: &Bits) -> Cell {
        Cell::Number(bits.to_vec())
    }
}

/// A set of tuples of one length.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Relation {
    tuples: BTreeMap<Vec<Cell>, Lit>,
}

impl Relation {
    /// The relation without tuples.
    pub fn empty() -> Relation {
        Relation::default()
    }

    /// The set of these atoms, each where its literal holds.
    pub fn set(circuit: &mut Circuit, atoms: impl IntoIterator<Item = (u32, Lit)>) -> Relation {
        let mut set = Relation::empty();
        for (atom, lit) in atoms {
            set.add(circuit, vec![Cell::Atom(atom)], lit);
        }
        set
    }

    /// The set of one tuple.
    pub fn tuple(cells: Vec<Cell>) -> Relation {
        Relation { tuples: BTreeMap::from([(cells, Lit::TRUE)]) }
    }

    /// Makes a tuple a member where `lit` holds too.
    pub fn add(&mut self, circuit: &mut Circuit, tuple: Vec<Cell>, lit: Lit) {
        if lit != Lit::FALSE {
            let entry = self.tuples.entry(tuple).or_insert(Lit::FALSE);
            *entry = circuit.or(*entry, lit);
        }
    }

    /// The tuples that may be members.
    pub fn tuples(&self) -> impl ExactSizeIterator<Item = (&[Cell], Lit)> {
        self.tuples.iter().map(|(t, l)| (&t[..], *l))
    }

    /// The members of a relation of one column that are atoms.
    pub fn atoms(&self) -> impl Iterator<Item = (u32, Lit)> + '_ {
        self.tuples.iter().filter_map(|(tuple, lit)| match tuple[..] {
            [Cell::Atom(atom)] => Some((atom, *lit)),
            _ => None,
        })
    }

    /// Whether it has no entry at all.
    pub fn is_empty(&self) -> bool {
        self.tuples.is_empty()
    }

    fn has_numbers(&self) -> bool {
        self.tuples.keys().any(|t| t.iter().any(|c| matches!(c, Cell::Number(_))))
    }
}

impl Circuit {
    fn same_cell(&mut self, a: &Cell, b: &Cell) -> Lit {
        if let (Cell::Number(a), Cell::Number(b)) = (a, b)
            && let Some(equal) = self.ordered_compare(Comparison::Equal, a, b)
        {
            return equal;
        }
        match (a, b) {
            (Cell::Atom(a), Cell::Atom(b)) => Lit::from(a == b),
            (Cell::Number(a), Cell::Number(b)) if a.len() == b.len() => {
                let pairs: Vec<Lit> = a.iter().zip(b).map(|(x, y)| self.iff(*x, *y)).collect();
                self.and_all(pairs)
            }
            (Cell::Number(a), Cell::Number(b)) => {
                // The shorter one repeats its sign.
                let width = a.len().max(b.len());
                let bit = |w: &[Lit], i: usize| w[i.min(w.len() - 1)];
                let pairs: Vec<Lit> = (0..width).map(|i| self.iff(bit(a, i), bit(b, i))).collect();
                self.and_all(pairs)
            }
            (Cell::Atom(_), Cell::Number(_)) | (Cell::Number(_), Cell::Atom(_)) => Lit::FALSE,
        }
    }

    fn same_tuple(&mut self, a: &[Cell], b: &[Cell]) -> Lit {
        let mut same = Lit::TRUE;
        for (x, y) in a.iter().zip(b) {
            if same == Lit::FALSE {
                return same;
            }
            let cells = self.same_cell(x, y);
            same = self.and(same, cells);
        }
        same
    }

    /// Whether a tuple is a member.
    pub fn member(&mut self, relation: &Relation, tuple: &[Cell]) -> Lit {
        let plain = tuple.iter().all(|c| matches!(c, Cell::Atom(_)));
        if plain {
            return relation.tuples.get(tuple).copied().unwrap_or(Lit::FALSE);
        }
        let mut ways = Vec::new();
        for (other, lit) in &relation.tuples {
            let same = self.same_tuple(tuple, other);
            ways.push(self.and(*lit, same));
        }
        self.or_all(ways)
    }

    /// The tuples of either.
    pub fn union(&mut self, a: &Relation, b: &Relation) -> Relation {
        let mut union = a.clone();
        for (tuple, lit) in &b.tuples {
            union.add(self, tuple.clone(), *lit);
        }
        union
    }

    /// The tuples of both.
    pub fn intersection(&mut self, a: &Relation, b: &Relation) -> Relation {
        self.filter(a, |circuit, tuple| circuit.member(b, tuple))
    }

    /// The tuples of the first only.
    pub fn difference(&mut self, a: &Relation, b: &Relation) -> Relation {
        self.filter(a, |circuit, tuple| !circuit.member(b, tuple))
    }

    /// The tuples whose first cell is in a set.
    pub fn restrict_domain(&mut self, set: &Relation, relation: &Relation) -> Relation {
        self.filter(relation, |circuit, tuple| circuit.member(set, &tuple[..1]))
    }

    /// The tuples whose last cell is in a set.
    pub fn restrict_range(&mut self, relation: &Relation, set: &Relation) -> Relation {
        self.filter(relation, |circuit, tuple| circuit.member(set, &tuple[tuple.len() - 1..]))
    }

    /// The second relation, and of the first what begins with a cell that no tuple of the second
    /// begins with.
    pub fn override_by(&mut self, a: &Relation, b: &Relation) -> Relation {
        let mut domain = Relation::empty();
        for (tuple, lit) in &b.tuples {
            domain.add(self, tuple[..1].to_vec(), *lit);
        }
        let rest = self.filter(a, |circuit, tuple| !circuit.member(&domain, &tuple[..1]));
        self.union(&rest, b)
    }

    fn filter(
        &mut self,
        relation: &Relation,
        mut keep: impl FnMut(&mut Circuit, &[Cell]) -> Lit,
    ) -> Relation {
        let mut kept = Relation::empty();
        for (tuple, lit) in &relation.tuples {
            let stays = keep(self, tuple);
            let lit = self.and(*lit, stays);
            kept.add(self, tuple.clone(), lit);
        }
        kept
    }

    /// Every tuple of the first followed by every tuple of the second.
    pub fn cross(&mut self, a: &Relation, b: &Relation) -> Relation {
        let mut product = Relation::empty();
        for (x, in_a) in &a.tuples {
            for (y, in_b) in &b.tuples {
                let lit = self.and(*in_a, *in_b);
                product.add(self, [&x[..], &y[..]].concat(), lit);
            }
        }
        product
    }

    /// The join over the last column of the first and the first column of the second.
    pub fn join(&mut self, a: &Relation, b: &Relation) -> Relation {
        let mut joined: BTreeMap<Vec<Cell>, Vec<Lit>> = BTreeMap::new();
        for (x, in_a) in &a.tuples {
            let Some((last, front)) = x.split_last() else {
                continue;
            };
            let candidates: Vec<(&Vec<Cell>, &Lit)> = match last {
                Cell::Atom(_) => {
                    let from = vec![last.clone()];
                    b.tuples.range(from..).take_while(|(t, _)| t[0] == *last).collect()
                }
                Cell::Number(_) => b.tuples.iter().collect(),
            };
            for (y, in_b) in candidates {
                let same = self.same_cell(last, &y[0]);
                let both = self.and(*in_a, *in_b);
                let lit = self.and(both, same);
                if lit != Lit::FALSE {
                    joined.entry([front, &y[1..]].concat()).or_default().push(lit);
                }
            }
        }
        let tuples = joined.into_iter().map(|(tuple, ways)| (tuple, self.or_all(ways)));
        Relation { tuples: tuples.collect() }
    }

    /// The columns in the opposite order.
    pub fn transpose(&mut self, relation: &Relation) -> Relation {
        let mut turned = Relation::empty();
        for (tuple, lit) in &relation.tuples {
            turned.add(self, tuple.iter().rev().cloned().collect(), *lit);
        }
        turned
    }

    /// The transitive closure of a relation of two columns of atoms.
    pub fn closure(&mut self, relation: &Relation) -> Relation {
        let mut closure = relation.clone();
        let atoms = relation.tuples.keys().flatten().collect::<std::collections::BTreeSet<_>>();
        let mut steps = 1;
        while steps < atoms.len() {
            let longer = self.join(&closure, &closure);
            let next = self.union(&closure, &longer);
            if next == closure {
                break;
            }
            closure = next;
            steps *= 2;
        }
        closure
    }

    /// All atoms that are reached from `start` in any number of steps. `edges` gives the atoms
    /// that one atom leads to; it is asked once for each atom that may be reached.
    pub fn reach(
        &mut self,
        start: &Relation,
        mut edges: impl FnMut(&mut Circuit, u32) -> Vec<(u32, Lit)>,
    ) -> Relation {
        let mut found = Edges::new();
        let mut work: Vec<u32> = start.atoms().map(|e| e.0).collect();
        while let Some(from) = work.pop() {
            if let Entry::Vacant(vacant) = found.entry(from) {
                let targets = edges(self, from);
                work.extend(targets.iter().map(|e| e.0));
                vacant.insert(targets);
            }
        }
        Reach::default().from(self, start, &found)
    }

    /// Whether the first is a subset of the second.
    pub fn subset(&mut self, a: &Relation, b: &Relation) -> Lit {
        let mut all = Vec::new();
        for (tuple, lit) in &a.tuples {
            let member = self.member(b, tuple);
            all.push(self.implies(*lit, member));
        }
        self.and_all(all)
    }

    /// Whether both have the same members.
    pub fn same_members(&mut self, a: &Relation, b: &Relation) -> Lit {
        if a == b {
            return Lit::TRUE;
        }
        let (there, back) = (self.subset(a, b), self.subset(b, a));
        self.and(there, back)
    }

    /// Whether there is a member.
    pub fn is_some(&mut self, relation: &Relation) -> Lit {
        self.or_all(relation.tuples.values().copied())
    }

    /// Whether there is at most one member.
    pub fn is_lone(&mut self, relation: &Relation) -> Lit {
        let mut before = Lit::FALSE;
        let mut twice = Vec::new();
        for lit in self.distinct(relation) {
            twice.push(self.and(before, lit));
            before = self.or(before, lit);
        }
        !self.or_all(twice)
    }

    /// The number of members, as a word of 32 bits.
    pub fn cardinality(&mut self, relation: &Relation) -> Bits {
        let members = self.distinct(relation);
        let mut total = Bits::constant(32, 0);
        for part in members.chunks(64) {
            let bits = Bits::from_lits(part.to_vec());
            let count = self.pop_count(&bits, 32);
            total = self.add(&total, &count);
        }
        total
    }

    /// The tuples that may be members, each with a literal that no two equal tuples have both.
    pub fn distinct_members(&mut self, relation: &Relation) -> Vec<(Vec<Cell>, Lit)> {
        let lits = self.distinct(relation);
        relation.tuples.keys().cloned().zip(lits).collect()
    }

    /// One literal for each entry, true if it is a member that no earlier entry equals.
    fn distinct(&mut self, relation: &Relation) -> Vec<Lit> {
        if !relation.has_numbers() {
            return relation.tuples.values().copied().collect();
        }
        let entries: Vec<(Vec<Cell>, Lit)> =
            relation.tuples.iter().map(|(t, l)| (t.clone(), *l)).collect();
        let mut found = Vec::new();
        for (i, (tuple, lit)) in entries.iter().enumerate() {
            let mut earlier = Vec::new();
            for (other, present) in &entries[..i] {
                let same = self.same_tuple(tuple, other);
                earlier.push(self.and(*present, same));
            }
            let repeated = self.or_all(earlier);
            found.push(self.and(*lit, !repeated));
        }
        found
    }
}
