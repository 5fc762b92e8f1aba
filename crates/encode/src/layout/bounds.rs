//! Tight bounds: what the leaves of a laid-out input can be, given its invariants (Galeotti et al.,
//! section 4). An entry that no canonical heap has is left out from the start, and everything that
//! is computed from it gets smaller.

use std::collections::{BTreeMap, BTreeSet};

use ir::{ClassId, FieldId};
use logic::Lit;
use spec::core::{Term, TermKind};

use crate::engine::Engine;
use crate::engine::layout::{Row, Survey};
use crate::state::atom::{Atom, Name};
use crate::state::leaves::{LeafKey, Origin, Source};

/// Whether a number is just read.
fn is_plain(number: &Term) -> bool {
    match &number.kind {
        TermKind::Number(_) | TermKind::Variable(_) | TermKind::Field(..) | TermKind::Static(_) => {
            true
        }
        TermKind::Old(inner) | TermKind::Widen(inner) => is_plain(inner),
        _ => false,
    }
}

impl Engine<'_> {
    pub(crate) fn surveyed(&self) -> Option<Survey> {
        let layout = self.layout.get()?;
        let references = layout.positions.iter().map(|position| {
            let entries = position.value.entries().iter();
            let named = entries.map(|(atom, lit)| (self.atoms.info(*atom).name.clone(), *lit));
            (position.key.clone(), named.collect())
        });
        let numbers = self.inputs.leaves().filter_map(|(key, value)| {
            let LeafKey::Field(owner, _) = key else {
                return None;
            };
            if self.is_ordered(key) {
                return None;
            }
            let reached = *layout.reached.get(&self.atoms.named(owner)?)?;
            Some((key.clone(), value.number()?, reached))
        });
        let objects = layout.reached.keys().map(|atom| self.atoms.info(*atom).name.clone());
        Some(Survey {
            references: references.collect(),
            numbers: numbers.collect(),
            objects: objects.collect(),
        })
    }

    /// From now on `\reach` may hold more than is reached, where objects lead to each other: good
    /// enough to exclude what cannot be.
    pub fn loosen(&mut self) {
        self.layout.survey.reaching.loose = true;
    }

    /// Whether some `\reach` may hold more than is reached.
    pub fn is_loose(&self) -> bool {
        self.layout.survey.loose_constraints > 0
    }

    /// From now on comparisons of numbers that are computed may have any outcome: what follows from
    /// the rest of an invariant is found sooner without them.
    pub fn coarsen(&mut self) {
        self.layout.survey.coarseness.allowed = true;
    }

    /// Whether the outcome of some comparison was left open.
    pub fn is_coarse(&self) -> bool {
        self.layout.survey.coarseness.coarse > 0
    }

    /// Whether so much was left open that little can follow from the rest.
    pub fn is_too_coarse(&self) -> bool {
        self.layout.survey.coarseness.coarse * 2 > self.layout.survey.coarseness.clauses
    }

    /// Whether a number is computed, and comparisons of such are left open.
    pub(crate) fn is_beyond(&mut self, number: &Term) -> bool {
        let beyond = self.layout.survey.coarseness.allowed && !is_plain(number);
        self.layout.survey.coarseness.used |= beyond;
        beyond
    }

    /// An invariant has been assumed.
    pub(crate) fn count_clause(&mut self) {
        let counts = &mut self.layout.survey.coarseness;
        counts.clauses += 1;
        counts.coarse += usize::from(std::mem::take(&mut counts.used));
    }

    /// An entry that is known to be impossible.
    pub fn exclude(&mut self, entry: Lit) {
        self.inputs.require(!entry, Origin::Bound);
    }

    /// Where two of these fields hold one object.
    pub fn held_twice(&mut self, survey: &Survey, fields: &BTreeSet<FieldId>) -> Vec<Lit> {
        let mut seen: BTreeMap<(ClassId, u32), Lit> = BTreeMap::new();
        let mut found = Vec::new();
        for (key, entries) in &survey.references {
            if !matches!(key, LeafKey::Field(_, field) if fields.contains(field)) {
                continue;
            }
            for (name, lit) in entries {
                if let Name::Input(class, number) = name {
                    let before = seen.entry((*class, *number)).or_insert(Lit::FALSE);
                    found.push(self.circuit.and(*before, *lit));
                    *before = self.circuit.or(*before, *lit);
                }
            }
        }
        found.retain(|lit| *lit != Lit::FALSE);
        found
    }

    /// Leaves out the objects that bounds exclude.
    pub(crate) fn restrict(&self, key: &LeafKey, atoms: &mut Vec<Atom>) {
        if matches!(self.inputs.source, Source::Fixed(_)) {
            return;
        }
        let Some(Row::References(names)) = self.layout.bounds().and_then(|b| b.get(key)) else {
            return;
        };
        let admitted = |a: &Atom| names.contains(&self.atoms.info(*a).name);
        if !atoms.iter().any(admitted) {
            // Never reached: any value will do.
            atoms.truncate(1);
            return;
        }
        atoms.retain(admitted);
    }

    /// The numbers that a leaf can be, if that is known.
    pub(crate) fn bounded_numbers(&self, key: &LeafKey) -> Option<Vec<u64>> {
        if matches!(self.inputs.source, Source::Fixed(_)) {
            return None;
        }
        match self.layout.bounds()?.get(key)? {
            Row::Numbers(values) if !values.is_empty() => Some(values.clone()),
            _ => None,
        }
    }
}
