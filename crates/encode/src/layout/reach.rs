//! What is reached from a reference. Often that is all that a layout has: then the literals that say
//! which objects of the layout are reached at all answer the question, and there is nothing to
//! compute. A tree that is reached from `root` along `left` and `right` is the usual case.

use logic::{Edges, Lit, Relation};

use crate::engine::Engine;
use crate::engine::layout::Layout;
use crate::state::atom::{Atom, Name};
use crate::state::leaves::Origin;

impl Engine<'_> {
    /// What is reached from a set of atoms.
    pub(crate) fn reach(&mut self, start: &Relation, edges: &Edges) -> Relation {
        if self.layout.survey.is_on {
            self.note_graph(edges);
        }
        if let Some(whole) = self.layout.get().and_then(|l| self.whole_layout(l, start, edges)) {
            return Relation::set(&mut self.circuit, whole);
        }
        self.compute_reach(start, edges)
    }

    /// What is reached from a set of atoms, step by step.
    pub(super) fn compute_reach(&mut self, start: &Relation, edges: &Edges) -> Relation {
        let reached = self.layout.survey.reaching.from(&mut self.circuit, start, edges);
        for constraint in std::mem::take(&mut self.layout.survey.reaching.constraints) {
            self.layout.survey.loose_constraints += 1;
            self.inputs.require(constraint, Origin::Bound);
        }
        reached
    }

    /// The atoms of a graph with what the layout says of reaching them, if that is the same.
    ///
    /// What starts and leads on here must be references of the layout, so nothing is reached that the
    /// layout does not reach. And whatever the layout discovers an atom by must be among them, so by
    /// induction along the walk nothing is missing.
    pub(super) fn whole_layout(
        &self,
        layout: &Layout,
        start: &Relation,
        edges: &Edges,
    ) -> Option<Vec<(u32, Lit)>> {
        let begins = |to: u32, lit: Lit| start.atoms().any(|s| s == (to, lit));
        let leads = |from: Option<Atom>, to: u32, lit: Lit| {
            from.and_then(|from| edges.get(&from.0)).is_some_and(|e| e.contains(&(to, lit)))
        };
        let holders = |to: u32| layout.holders.get(&Atom(to)).into_iter().flatten();
        let is_held = |from: u32, to: u32, lit: Lit| {
            holders(to).any(|holder| *holder == (Some(Atom(from)), lit))
        };
        let of_layout = start.atoms().all(|(to, lit)| holders(to).any(|holder| holder.1 == lit))
            && edges
                .iter()
                .all(|(from, targets)| targets.iter().all(|(to, lit)| is_held(*from, *to, *lit)));
        if !of_layout {
            return None;
        }
        let mut whole = Vec::new();
        for atom in edges.keys().copied() {
            let mut discovering =
                holders(atom).filter(|h| self.may_discover(layout, h.0, Atom(atom)));
            if !discovering.all(|(from, lit)| begins(atom, *lit) || leads(*from, atom, *lit)) {
                return None;
            }
            whole.push((atom, *layout.reached.get(&Atom(atom))?));
        }
        Some(whole)
    }

    /// Whether the walk can discover an object in another. Within a class that is walked alone, none
    /// is discovered in one that comes after it.
    fn may_discover(&self, layout: &Layout, from: Option<Atom>, to: Atom) -> bool {
        let number = |atom: Atom| match &self.atoms.info(atom).name {
            Name::Input(class, number) if layout.alone.contains(class) => Some((*class, *number)),
            _ => None,
        };
        match (from.and_then(number), number(to)) {
            (Some((a, from)), Some((b, to))) => a != b || from < to,
            _ => true,
        }
    }
}
