//! Forests: that no object of a structure is held twice, from conditions on single objects.
//!
//! Tight bounds live on this: most entries are impossible because an object that is discovered in one
//! place hangs nowhere else. It follows from order and acyclicity, but a solver that is asked outright
//! goes through pairs of paths. A graph has the property if
//!
//! 1. what its roots lead to is all that there is,
//! 2. no object leads back to itself, and
//! 3. what two references of one object lead to is apart, and so is what two roots lead to.
//!
//! For if two references held one object, there would be two different ways from roots to it. Neither
//! continues the other, or there would be a cycle. So they part, at two references of one object or at
//! two roots, and both lead to the same. The conditions are nearly what invariants say, object by object, and
//! cheap to ask about.
//!
//! The graphs are those that invariants speak of with `\reach` or `^`, so that the literals are theirs.

use std::collections::BTreeSet;

use ir::FieldId;
use logic::{Edges, Lit, Relation};

use crate::engine::Engine;
use crate::engine::layout::{Layout, Position};
use crate::state::atom::Atom;
use crate::state::leaves::LeafKey;

/// References of the layout that may form a forest.
pub struct Forest {
    /// If they do, no two of these fields hold one object.
    pub fields: BTreeSet<FieldId>,
    /// They do if none of these holds.
    pub broken: Vec<Lit>,
}

/// A graph in the layout: the references that are its edges, and those that lead into it.
struct Branches<'a> {
    atoms: BTreeSet<u32>,
    inner: Vec<&'a Position>,
    roots: Vec<&'a Position>,
    fields: BTreeSet<FieldId>,
}

impl Engine<'_> {
    /// Keeps a graph that is spoken of, unless it is part of one that is known.
    pub(super) fn note_graph(&mut self, edges: &Edges) {
        let is_part = |of: &Edges| edges.iter().all(|(from, to)| of.get(from) == Some(to));
        if !self.layout.survey.spoken_of.iter().any(is_part) {
            self.layout
                .survey
                .spoken_of
                .retain(|other| !other.iter().all(|(from, to)| edges.get(from) == Some(to)));
            self.layout.survey.spoken_of.push(edges.clone());
        }
    }

    /// The graphs spoken of that may be forests, of fields that are `wanted`.
    pub fn forests(&mut self, wanted: impl Fn(&BTreeSet<FieldId>) -> bool) -> Vec<Forest> {
        let Some(layout) = self.layout.take() else {
            return Vec::new();
        };
        let mut forests = Vec::new();
        for edges in self.layout.survey.spoken_of.clone() {
            let branches = branches(&layout.positions, &edges).filter(|b| wanted(&b.fields));
            if let Some(branches) = branches {
                let mut broken = self.not_below_roots(&layout, &branches, &edges);
                broken.extend(self.joined(&branches.roots, &edges));
                for atom in &branches.atoms {
                    broken.extend(self.joined_below(Atom(*atom), &branches, &edges));
                }
                broken.retain(|lit| *lit != Lit::FALSE);
                forests.push(Forest { fields: branches.fields, broken });
            }
        }
        self.layout.set(layout);
        forests
    }

    /// Where the roots do not lead to something that is there.
    fn not_below_roots(
        &mut self,
        layout: &Layout,
        branches: &Branches<'_>,
        edges: &Edges,
    ) -> Vec<Lit> {
        let starts = branches.roots.iter().flat_map(|p| p.value.objects());
        let start = Relation::set(&mut self.circuit, starts.map(|(atom, lit)| (atom.0, lit)));
        let whole = match self.whole_layout(layout, &start, edges) {
            Some(whole) => Relation::set(&mut self.circuit, whole),
            None => self.compute_reach(&start, edges),
        };
        let missed = branches.atoms.iter().map(|atom| {
            let is_there = layout.reached.get(&Atom(*atom)).copied().unwrap_or(Lit::TRUE);
            self.circuit.and(is_there, !has(&whole, *atom))
        });
        missed.collect()
    }

    /// Where an object leads back to itself, or two of its references to the same.
    fn joined_below(&mut self, atom: Atom, branches: &Branches<'_>, edges: &Edges) -> Vec<Lit> {
        let own = branches.inner.iter().filter(|p| p.owner == Some(atom));
        let own: Vec<&Position> = own.copied().collect();
        let mut found = self.joined(&own, edges);
        found.extend(own.iter().map(|position| has(&self.led_to(position, edges), atom.0)));
        found
    }

    /// Where what two of these references lead to is not apart.
    fn joined(&mut self, positions: &[&Position], edges: &Edges) -> Vec<Lit> {
        let mut found = Vec::new();
        let mut before: Vec<Relation> = Vec::new();
        for position in positions {
            let below = self.led_to(position, edges);
            for other in &before {
                let both = below.atoms().map(|(atom, lit)| self.circuit.and(lit, has(other, atom)));
                found.extend(both);
            }
            before.push(below);
        }
        found
    }

    /// What a reference leads to.
    fn led_to(&mut self, position: &Position, edges: &Edges) -> Relation {
        let start = position.value.objects().map(|(atom, lit)| (atom.0, lit));
        let start = Relation::set(&mut self.circuit, start);
        self.compute_reach(&start, edges)
    }
}

/// Whether an atom is in a set.
fn has(set: &Relation, atom: u32) -> Lit {
    set.atoms().find(|e| e.0 == atom).map_or(Lit::FALSE, |e| e.1)
}

/// The graph in the layout that has these edges, if each reference is in it altogether or not at all.
/// Arguments mostly lead to objects inside, so they are roots only where nothing else is.
fn branches<'a>(positions: &'a [Position], edges: &Edges) -> Option<Branches<'a>> {
    let targets = edges.values().flatten().map(|edge| edge.0);
    let atoms: BTreeSet<u32> = edges.keys().copied().chain(targets).collect();
    let is_edge = |from: Atom, (to, lit): (Atom, Lit)| {
        edges.get(&from.0).is_some_and(|e| e.contains(&(to.0, lit)))
    };
    let is_inner = |p: &&Position| {
        let owner = p.owner.filter(|owner| atoms.contains(&owner.0));
        let in_field = matches!(p.key, LeafKey::Field(..)) && p.inside == Lit::TRUE;
        owner.is_some_and(|owner| in_field && p.value.objects().all(|e| is_edge(owner, e)))
    };
    let inner: Vec<&Position> = positions.iter().filter(is_inner).collect();
    let held = inner.iter().map(|p| p.value.objects().count()).sum::<usize>();
    if held != edges.values().map(Vec::len).sum::<usize>() || held == 0 {
        return None;
    }
    let leads_in = |p: &&Position| {
        let is_outside = p.owner.is_none_or(|owner| !atoms.contains(&owner.0));
        is_outside && p.value.objects().any(|e| atoms.contains(&e.0.0))
    };
    let (arguments, mut roots): (Vec<&Position>, Vec<&Position>) =
        positions.iter().filter(leads_in).partition(|p| matches!(p.key, LeafKey::Parameter(_)));
    if roots.is_empty() {
        roots = arguments;
    }
    let counts = |p: &Position| inner.iter().chain(&roots).any(|q| q.key == p.key);
    let mut fields = BTreeSet::new();
    let mut others = BTreeSet::new();
    for position in positions {
        if let LeafKey::Field(_, field) = &position.key {
            if counts(position) {
                fields.insert(*field)
            } else {
                others.insert(*field)
            };
        }
    }
    fields.retain(|field| !others.contains(field));
    Some(Branches { atoms, inner, roots, fields })
}
