//! Memory: which cells an address may be, what a read of one gives, and when it is there.

use super::{Cause, Cell, EntryId, FIRST_MADE, Store};
use crate::program::FrameId;
use crate::term::{ADDRESS, Binary, OFFSET_BITS, Term, TermId, Terms};
use std::collections::BTreeSet;

/// How two cells lie to each other.
pub(super) enum Relation {
    Same,
    Apart,
    Overlap,
    Perhaps,
}

impl Store<'_> {
    /// How two cells lie to each other, as far as it shows.
    pub(super) fn relation(&self, terms: &Terms, a: (TermId, u32), b: (TermId, u32)) -> Relation {
        let (base, from) = terms.resolved(a.0);
        let (other, start) = terms.resolved(b.0);
        if base == other {
            let (end, stop) = (from + i64::from(a.1 / 8), start + i64::from(b.1 / 8));
            return match () {
                () if from == start && a.1 == b.1 => Relation::Same,
                () if end <= start || stop <= from => Relation::Apart,
                () => Relation::Overlap,
            };
        }
        let roots = (self.root(terms, base), self.root(terms, other));
        if let (Some(a), Some(b)) = roots
            && a != b
        {
            return Relation::Apart;
        }
        for (named, object) in [(base, other), (other, base)] {
            if self.was_there(terms, named) && self.root(terms, object) >= Some(FIRST_MADE) {
                return Relation::Apart;
            }
        }
        if a.1 != b.1 && self.space.bytes {
            Relation::Overlap
        } else if a.1 != b.1 {
            Relation::Apart
        } else {
            Relation::Perhaps
        }
    }

    /// The object into which an address surely points.
    pub(super) fn root(&self, terms: &Terms, address: TermId) -> Option<u32> {
        match terms.get(address) {
            Term::Object { number } => Some(number),
            Term::Field { base, .. } | Term::Index { base, .. } => self.root(terms, base),
            Term::Binary { operation: Binary::Add, left, .. } => self.root(terms, left),
            _ => None,
        }
    }

    /// Whether an address was there before the program started, so that it is none of what the
    /// program has made since.
    pub(super) fn was_there(&self, terms: &Terms, address: TermId) -> bool {
        match terms.get(address) {
            Term::Theta { theta, .. } => {
                let named = &self.thetas[&theta];
                self.from_start && named.initial && named.definition.is_none()
            }
            Term::Field { base, .. } | Term::Index { base, .. } => self.was_there(terms, base),
            _ => false,
        }
    }

    pub(super) fn read_cell(
        &mut self,
        terms: &mut Terms,
        frame: FrameId,
        address: TermId,
        width: u32,
        place: TermId,
        from: &mut BTreeSet<EntryId>,
    ) -> TermId {
        let cells: Vec<Cell> = self.written.iter().rev().chain(&self.initial).cloned().collect();
        let mut cases: Vec<(TermId, TermId)> = Vec::new();
        let mut last = None;
        let mut beside = BTreeSet::new();
        for cell in cells {
            match self.relation(terms, (address, width), (cell.address, cell.width)) {
                Relation::Apart => beside.extend(cell.found_by.iter().copied()),
                Relation::Same => {
                    let (value, entry) = self.renamed_cell(terms, frame, place, &cell);
                    self.beside.entry(entry).or_default().append(&mut beside);
                    from.insert(entry);
                    last = Some(value);
                    break;
                }
                Relation::Overlap if width > 8 => {
                    return self.read_bytes(terms, frame, address, width, place, from);
                }
                Relation::Overlap | Relation::Perhaps => {
                    from.insert(cell.entry);
                    for byte in 0..(cell.width / width) {
                        let offset = terms.number(ADDRESS, u64::from(byte));
                        let there = terms.binary(Binary::Add, cell.address, offset);
                        let same = terms.equal(address, there);
                        let part = part(terms, cell.value, byte * width, width);
                        cases.push((same, part));
                    }
                }
            }
        }
        let mut value = match last {
            Some(value) => value,
            None => {
                let owner = if self.scoped { self.owner_of(terms, place, frame) } else { None };
                let value = self.name_initial(terms, place, owner);
                // What an initial cell holds where it has another name is what that name says.
                let entry = self.expose(place, frame, value, Cause::Exposed, BTreeSet::new());
                let found_by = BTreeSet::new();
                self.initial.push(Cell { address, width, value, entry, found_by });
                self.beside.entry(entry).or_default().append(&mut beside);
                from.insert(entry);
                value
            }
        };
        if cases.is_empty() {
            return value;
        }
        for (same, other) in cases.into_iter().rev() {
            value = terms.choose(same, other, value);
        }
        // What the place holds now, with both cases of every alias, is a fact of its own.
        let read = std::mem::take(from);
        from.insert(self.expose(place, frame, value, Cause::Merged, read));
        value
    }

    fn renamed_cell(
        &mut self,
        terms: &mut Terms,
        frame: FrameId,
        place: TermId,
        cell: &Cell,
    ) -> (TermId, EntryId) {
        let mut entry = self.renamed(terms, frame, place, cell.entry);
        let value = self.entries[entry.0 as usize].value;
        if self.scoped && self.entries[entry.0 as usize].frame != frame {
            // Another activation wrote it under a name of its own: here it has this one.
            let from = BTreeSet::from([entry]);
            entry = self.expose(place, frame, value, Cause::Renamed, from);
        }
        if entry != cell.entry {
            for cells in [&mut self.written, &mut self.initial] {
                for known in cells.iter_mut().filter(|known| known.entry == cell.entry) {
                    (known.entry, known.value) = (entry, value);
                }
            }
        }
        (value, entry)
    }

    fn read_bytes(
        &mut self,
        terms: &mut Terms,
        frame: FrameId,
        address: TermId,
        width: u32,
        place: TermId,
        from: &mut BTreeSet<EntryId>,
    ) -> TermId {
        let mut value = terms.number(width, 0);
        for byte in 0..width / 8 {
            let offset = terms.number(ADDRESS, u64::from(byte));
            let at = terms.binary(Binary::Add, address, offset);
            let there = match terms.get(place) {
                Term::Load { address, .. } => {
                    let at = terms.binary(Binary::Add, address, offset);
                    terms.load(at, 8)
                }
                _ => place,
            };
            let low = self.read_cell(terms, frame, at, 8, there, from);
            let wide = terms.extend(false, width, low);
            let distance = terms.number(width, u64::from(byte * 8));
            let moved = terms.binary(Binary::Shl, wide, distance);
            value = terms.binary(Binary::Or, value, moved);
        }
        value
    }

    /// When so many bits at an address can be read and written.
    pub fn valid(&mut self, terms: &mut Terms, address: TermId, width: u32) -> TermId {
        let (base, offset) = terms.resolved(address);
        let bytes = i64::from(width / 8);
        match terms.get(base) {
            Term::Object { number } => {
                let Some(&size) = self.sizes.get(&number) else {
                    return terms.truth(false);
                };
                if let Some(size) = terms.constant(size) {
                    let inside = offset >= 0 && offset + bytes <= size as i64;
                    return terms.truth(inside);
                }
                let end = terms.number(ADDRESS, (offset + bytes) as u64);
                let beyond = terms.binary(Binary::LessUnsigned, size, end);
                terms.not(beyond)
            }
            Term::Choose { condition, yes, no } => {
                let shift = terms.number(ADDRESS, offset as u64);
                let yes = terms.binary(Binary::Add, yes, shift);
                let no = terms.binary(Binary::Add, no, shift);
                let (yes, no) = (self.valid(terms, yes, width), self.valid(terms, no, width));
                terms.choose(condition, yes, no)
            }
            _ => match self.root(terms, base) {
                Some(number) => {
                    let Some(&size) = self.sizes.get(&number) else {
                        return terms.truth(false);
                    };
                    let start = terms.object(number);
                    let start = terms.binary(Binary::Sub, address, start);
                    let bytes = terms.number(ADDRESS, bytes as u64);
                    let end = terms.binary(Binary::Add, start, bytes);
                    let beyond = terms.binary(Binary::LessUnsigned, size, end);
                    let wraps = terms.binary(Binary::LessUnsigned, end, start);
                    let bad = terms.either(beyond, wraps);
                    terms.not(bad)
                }
                None => {
                    let somewhere = self.points_somewhere(terms, address, width);
                    if offset == 0 {
                        return somewhere;
                    }
                    // What it is a distance from points into the same object.
                    let distance = terms.number(ADDRESS, u64::from(OFFSET_BITS));
                    let here = terms.binary(Binary::ShrUnsigned, address, distance);
                    let there = terms.binary(Binary::ShrUnsigned, base, distance);
                    let same = terms.equal(here, there);
                    terms.both(somewhere, same)
                }
            },
        }
    }

    /// An address that nothing is known about points to some object, and is aligned.
    fn points_somewhere(&self, terms: &mut Terms, address: TermId, width: u32) -> TermId {
        let distance = terms.number(ADDRESS, u64::from(OFFSET_BITS));
        let object = terms.binary(Binary::ShrUnsigned, address, distance);
        let zero = terms.number(ADDRESS, 0);
        let null = terms.equal(object, zero);
        let low = terms.number(ADDRESS, u64::from(width / 8).max(1) - 1);
        let odd = terms.binary(Binary::And, address, low);
        let even = terms.equal(odd, zero);
        let somewhere = terms.not(null);
        terms.both(somewhere, even)
    }

    /// A cell as the activation that owns its object says it, or anybody if it is global.
    pub fn cell_by_name(
        &self,
        terms: &mut Terms,
        address: TermId,
        width: u32,
    ) -> Option<(Option<FrameId>, TermId)> {
        let number = self.root(terms, address)?;
        let mut known = self.objects.iter().filter(|(_, object)| **object == number);
        let (&(owner, variable), _) = known.next()?;
        let (object, named) = (terms.object(number), terms.address(variable));
        let with = rustc_hash::FxHashMap::from_iter([(object, named)]);
        let address = terms.replaced(address, &with);
        let parts = terms.below(&[address]);
        let closed = |id: &TermId| matches!(terms.get(*id), Term::Theta { .. });
        if parts.iter().any(closed) {
            return None;
        }
        Some((owner, terms.load(address, width)))
    }
}

/// Some bits of a word.
fn part(terms: &mut Terms, word: TermId, from: u32, width: u32) -> TermId {
    let whole = terms.width(word);
    if whole == width {
        return word;
    }
    let distance = terms.number(whole, u64::from(from));
    let moved = terms.binary(Binary::ShrUnsigned, word, distance);
    terms.truncate(width, moved)
}
