//! Reaching: which atoms lead to which in any number of steps.
//!
//! What an atom reaches is itself and what its successors reach, so one pass over the atoms, those
//! first that lead nowhere else, gives a row of literals for each atom. Rows are shared by all
//! atoms that lead to theirs, and so is what a solver learns about them. Atoms that lead to each
//! other form a component; inside it, steps are composed by squaring.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::circuit::Circuit;
use crate::lit::Lit;
use crate::relation::Relation;

/// For each atom, the atoms that it leads to.
pub type Edges = BTreeMap<u32, Vec<(u32, Lit)>>;

/// What one atom reaches.
type Row = Rc<BTreeMap<u32, Lit>>;

/// The atoms of a component, each with its edges and the rows that these lead to outside.
type Key = Vec<(u32, Vec<(u32, Lit, Option<usize>)>)>;

/// What is known of reaching so far.
#[derive(Default)]
pub struct Reach {
    /// Inside a component reaching may be any solution of its own equations, not the least: new
    /// inputs, with `constraints` that make them one. Every graph has a solution, so what follows
    /// from the constraints is right; but a solution may hold more than is reached. It has a
    /// fraction of the size.
    pub loose: bool,
    /// What makes loose rows solutions.
    pub constraints: Vec<Lit>,
    rows: Vec<Row>,
    known: FxHashMap<Key, Vec<usize>>,
}

impl Reach {
    /// All atoms that are reached from `start` in any number of steps along `edges`.
    pub fn from(&mut self, circuit: &mut Circuit, start: &Relation, edges: &Edges) -> Relation {
        let mut ids: BTreeMap<u32, usize> = BTreeMap::new();
        for component in components(start, edges) {
            for (atom, id) in self.component(circuit, &component, edges, &ids) {
                ids.insert(atom, id);
            }
        }
        let mut ways: BTreeMap<u32, Vec<Lit>> = BTreeMap::new();
        for (from, lit) in start.atoms() {
            for (to, there) in self.rows[ids[&from]].iter() {
                ways.entry(*to).or_default().push(circuit.and(lit, *there));
            }
        }
        let atoms: Vec<(u32, Lit)> =
            ways.into_iter().map(|(to, ways)| (to, circuit.or_all(ways))).collect();
        Relation::set(circuit, atoms)
    }

    /// The rows of a component, given those of all that it leads to.
    fn component(
        &mut self,
        circuit: &mut Circuit,
        component: &[u32],
        edges: &Edges,
        ids: &BTreeMap<u32, usize>,
    ) -> Vec<(u32, usize)> {
        let key: Key = component
            .iter()
            .map(|atom| {
                let edges = edges.get(atom).into_iter().flatten();
                let edges = edges.filter(|e| e.0 != *atom && e.1 != Lit::FALSE);
                (*atom, edges.map(|(to, lit)| (*to, *lit, ids.get(to).copied())).collect())
            })
            .collect();
        if let Some(known) = self.known.get(&key) {
            return component.iter().copied().zip(known.iter().copied()).collect();
        }
        let outside = self.outside(circuit, &key);
        let rows = match component {
            [_] => outside,
            _ => {
                let inside = match self.loose {
                    true => self.solution(circuit, &key),
                    false => squared(circuit, &key),
                };
                combine(circuit, &inside, &outside)
            }
        };
        let mut found = Vec::new();
        for (atom, row) in component.iter().zip(rows) {
            found.push((*atom, self.rows.len()));
            self.rows.push(Rc::new(row));
        }
        self.known.insert(key, found.iter().map(|f| f.1).collect());
        found
    }

    /// For each atom: itself, and what is reached by a first step out of the component.
    fn outside(&self, circuit: &mut Circuit, key: &Key) -> Vec<BTreeMap<u32, Lit>> {
        let mut rows = Vec::new();
        for (atom, edges) in key {
            let mut ways: BTreeMap<u32, Vec<Lit>> = BTreeMap::new();
            for (_, lit, row) in edges {
                for (to, there) in row.iter().flat_map(|row| self.rows[*row].iter()) {
                    ways.entry(*to).or_default().push(circuit.and(*lit, *there));
                }
            }
            let mut row: BTreeMap<u32, Lit> =
                ways.into_iter().map(|(to, ways)| (to, circuit.or_all(ways))).collect();
            row.insert(*atom, Lit::TRUE);
            rows.push(row);
        }
        rows
    }

    /// Reaching inside a component, as any solution of its equations.
    fn solution(&mut self, circuit: &mut Circuit, key: &Key) -> Vec<Vec<Lit>> {
        let steps = steps(circuit, key);
        let n = key.len();
        let mut reach = vec![vec![Lit::TRUE; n]; n];
        for (from, row) in reach.iter_mut().enumerate() {
            for (_, lit) in row.iter_mut().enumerate().filter(|e| e.0 != from) {
                *lit = circuit.input();
            }
        }
        for from in 0..n {
            for to in (0..n).filter(|to| *to != from) {
                let ways: Vec<Lit> = (0..n)
                    .filter(|through| *through != from)
                    .map(|through| circuit.and(steps[from][through], reach[through][to]))
                    .collect();
                let any = circuit.or_all(ways);
                self.constraints.push(circuit.iff(reach[from][to], any));
            }
        }
        reach
    }
}

/// Single steps inside a component.
fn steps(circuit: &mut Circuit, key: &Key) -> Vec<Vec<Lit>> {
    let index: BTreeMap<u32, usize> = key.iter().enumerate().map(|(i, k)| (k.0, i)).collect();
    let mut steps = vec![vec![Lit::FALSE; key.len()]; key.len()];
    for (from, (_, edges)) in key.iter().enumerate() {
        for (to, lit, _) in edges {
            if let Some(to) = index.get(to) {
                steps[from][*to] = circuit.or(steps[from][*to], *lit);
            }
        }
    }
    steps
}

/// Reaching inside a component: ways of up to 1, 2, 4, … steps.
fn squared(circuit: &mut Circuit, key: &Key) -> Vec<Vec<Lit>> {
    let n = key.len();
    let mut reach = steps(circuit, key);
    for (atom, row) in reach.iter_mut().enumerate() {
        row[atom] = Lit::TRUE;
    }
    let mut longest = 1;
    while longest < n - 1 {
        let mut next = reach.clone();
        for from in 0..n {
            for to in (0..n).filter(|to| *to != from) {
                let ways: Vec<Lit> =
                    (0..n).map(|m| circuit.and(reach[from][m], reach[m][to])).collect();
                next[from][to] = circuit.or_all(ways);
            }
        }
        reach = next;
        longest *= 2;
    }
    reach
}

/// First inside a component, then out of it.
fn combine(
    circuit: &mut Circuit,
    inside: &[Vec<Lit>],
    outside: &[BTreeMap<u32, Lit>],
) -> Vec<BTreeMap<u32, Lit>> {
    let mut rows = Vec::new();
    for steps in inside {
        let mut ways: BTreeMap<u32, Vec<Lit>> = BTreeMap::new();
        for (through, row) in outside.iter().enumerate() {
            for (to, lit) in row {
                let way = circuit.and(steps[through], *lit);
                ways.entry(*to).or_default().push(way);
            }
        }
        let row = ways.into_iter().map(|(to, ways)| (to, circuit.or_all(ways)));
        rows.push(row.filter(|e| e.1 != Lit::FALSE).collect());
    }
    rows
}

/// The strongly connected components of what is reached from `start`, each sorted, those last that
/// lead to others (Tarjan's algorithm).
fn components(start: &Relation, edges: &Edges) -> Vec<Vec<u32>> {
    let mut search = Search {
        edges,
        index: BTreeMap::new(),
        low: BTreeMap::new(),
        stack: Vec::new(),
        open: BTreeSet::new(),
        found: Vec::new(),
    };
    for (atom, _) in start.atoms() {
        if !search.index.contains_key(&atom) {
            search.visit(atom);
        }
    }
    search.found
}

struct Search<'a> {
    edges: &'a Edges,
    index: BTreeMap<u32, usize>,
    low: BTreeMap<u32, usize>,
    stack: Vec<u32>,
    open: BTreeSet<u32>,
    found: Vec<Vec<u32>>,
}

impl Search<'_> {
    fn visit(&mut self, atom: u32) {
        let index = self.index.len();
        self.index.insert(atom, index);
        self.low.insert(atom, index);
        self.stack.push(atom);
        self.open.insert(atom);
        for (to, lit) in self.edges.get(&atom).into_iter().flatten() {
            if *lit == Lit::FALSE {
                continue;
            }
            let low = if !self.index.contains_key(to) {
                self.visit(*to);
                self.low[to]
            } else if self.open.contains(to) {
                self.index[to]
            } else {
                continue;
            };
            self.low.insert(atom, low.min(self.low[&atom]));
        }
        if self.low[&atom] == index {
            let at = self.stack.iter().rposition(|a| *a == atom).unwrap_or(0);
            let mut component = self.stack.split_off(at);
            for member in &component {
                self.open.remove(member);
            }
            component.sort_unstable();
            self.found.push(component);
        }
    }
}
