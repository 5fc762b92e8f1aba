//! The store Ω, the history Π and what they were made from: simulation of statements.
//!
//! Variables that nothing points to are looked up by name. Memory is the list of what was written
//! to it, newest last, above cells that get a name (θ) when they are first read. A read goes
//! through the list backwards; where two addresses may but need not be equal it becomes a choice
//! between both cases (section 6.2), and where an initial cell may be one that has a name already,
//! too. So no formula about arrays is needed, and the solver sees what the paper's prover saw.

mod memory;

use crate::program::{FrameId, Home, Space};
use crate::term::{ADDRESS, Term, TermId, Terms, Theta, VarId};
use crate::words::Words;
use std::collections::{BTreeMap, BTreeSet};

/// An entry of the store or the history.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct EntryId(pub u32);

/// How an entry came about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// A statement assigned it.
    Assigned,
    /// It was read before anything had assigned it, so its value got a name.
    Exposed,
    /// Its value belongs to another procedure, so that it got a name of its own here.
    Renamed,
    /// It was read where another place may or may not be the same.
    Merged,
    /// Its value was given a name although it had one, so that less is said (section 5).
    Abstracted,
}

/// A value that a place had from one step on.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The place as the statement names it.
    pub place: TermId,
    /// The activation in whose terms it is named.
    pub frame: FrameId,
    /// Of a cell: where it is, a closed term.
    pub address: Option<TermId>,
    /// The value, a closed term.
    pub value: TermId,
    /// What the value was made from.
    pub from: BTreeSet<EntryId>,
    /// The step at which this happened.
    pub step: usize,
    /// Why.
    pub cause: Cause,
    /// The step that ended it: it belongs to the history from then on.
    pub until: Option<usize>,
}

/// What is known about a named value.
#[derive(Clone, Debug)]
pub struct Named {
    /// What it names the value of.
    pub place: TermId,
    /// The activation that may speak of it; `None` for a global one.
    pub owner: Option<FrameId>,
    /// The step before which it is given.
    pub step: usize,
    /// What it stands for, if that is known elsewhere.
    pub definition: Option<TermId>,
    /// Whether the value was there before the program started.
    pub initial: bool,
}

#[derive(Clone)]
struct Cell {
    address: TermId,
    width: u32,
    value: TermId,
    entry: EntryId,
    /// What the address was made from.
    found_by: BTreeSet<EntryId>,
}

/// Where an object number stands for a global variable, and where for one made on the way.
const FIRST_MADE: u32 = 0x4000;
const LAST_MADE: u32 = 0xBFFF;

/// The step of a store of which nothing is known; no path is that long.
const BEFORE: usize = 1 << 40;

/// What evaluating a term of the program gave.
pub struct Evaluated {
    /// The closed term.
    pub value: TermId,
    /// When all memory that was read is there; a closed condition.
    pub valid: TermId,
    /// The entries read.
    pub from: BTreeSet<EntryId>,
}

/// Values of places at one point of a path. All its fields change together, statement by statement, and a store is
/// cloned where paths part.
#[derive(Clone)]
pub struct Store<'p> {
    space: &'p Space,
    /// Every entry ever made.
    pub entries: Vec<Entry>,
    /// Every value that was named.
    pub thetas: BTreeMap<Theta, Named>,
    variables: BTreeMap<(Option<FrameId>, VarId), EntryId>,
    written: Vec<Cell>,
    initial: Vec<Cell>,
    objects: BTreeMap<(Option<FrameId>, VarId), u32>,
    sizes: BTreeMap<u32, TermId>,
    allocated: BTreeMap<usize, u32>,
    owners: BTreeMap<u32, Option<FrameId>>,
    exposing: bool,
    /// What had to be known to see that a write did not touch what an entry says.
    pub beside: BTreeMap<EntryId, BTreeSet<EntryId>>,
    /// Whether this is what a program starts with, so that what is unknown was there before it.
    from_start: bool,
    /// Whether names are given after the step, not before it.
    pub after: bool,
    /// The step that is being simulated.
    pub now: usize,
    /// Whether values of other activations get a name where they are read.
    pub scoped: bool,
}

impl<'p> Store<'p> {
    /// The store before the first statement.
    pub fn new(space: &'p Space, scoped: bool) -> Store<'p> {
        Store {
            space,
            entries: Vec::new(),
            thetas: BTreeMap::new(),
            variables: BTreeMap::new(),
            written: Vec::new(),
            initial: Vec::new(),
            objects: BTreeMap::new(),
            sizes: BTreeMap::new(),
            allocated: BTreeMap::new(),
            owners: BTreeMap::new(),
            exposing: false,
            beside: BTreeMap::new(),
            from_start: true,
            after: false,
            now: 0,
            scoped,
        }
    }

    fn key(&self, frame: FrameId, variable: VarId) -> (Option<FrameId>, VarId) {
        let owner = self.space.variable(variable).owner;
        (owner.map(|_| frame), variable)
    }

    /// Gives a place a new name for its value.
    pub fn name(
        &mut self,
        terms: &mut Terms,
        place: TermId,
        owner: Option<FrameId>,
        definition: Option<TermId>,
    ) -> TermId {
        let step = self.now + usize::from(self.after);
        let theta = terms.named(step, place, owner.map_or(u32::MAX, |frame| frame.0), definition);
        let width = terms.width(place);
        let initial = self.exposing;
        self.thetas.insert(theta, Named { place, owner, step, definition, initial });
        terms.theta(theta, width)
    }

    fn name_initial(&mut self, terms: &mut Terms, place: TermId, owner: Option<FrameId>) -> TermId {
        self.exposing = true;
        let value = self.name(terms, place, owner, None);
        self.exposing = false;
        value
    }

    fn enter(&mut self, entry: Entry) -> EntryId {
        self.entries.push(entry);
        EntryId(self.entries.len() as u32 - 1)
    }

    /// The number of the object that a variable in memory is.
    pub fn object(&mut self, terms: &mut Terms, frame: FrameId, variable: VarId) -> u32 {
        let key = self.key(frame, variable);
        if let Some(&number) = self.objects.get(&key) {
            return number;
        }
        let number = match key.0 {
            None => variable.0 + 1,
            Some(_) => self.next_number(),
        };
        self.objects.insert(key, number);
        self.owners.insert(number, key.0);
        if let Home::Memory { size } = self.space.variable(variable).home {
            let size = terms.number(ADDRESS, size);
            self.sizes.insert(number, size);
        }
        number
    }

    fn next_number(&self) -> u32 {
        let last = self.owners.keys().next_back().copied().unwrap_or(0);
        last.max(FIRST_MADE) + 1
    }

    /// The variable in memory that a numbered object is, if an activation may speak of it.
    pub fn variable_of(&self, number: u32, frame: FrameId) -> Option<VarId> {
        let mut found = self.objects.iter().filter(|(_, known)| **known == number);
        let (&(owner, variable), _) = found.next()?;
        (owner.is_none() || owner == Some(frame)).then_some(variable)
    }

    /// The name of a variable.
    pub fn name_of(&self, variable: VarId) -> &str {
        &self.space.variable(variable).name
    }

    /// The variables that have a value, and those values.
    pub fn values(&self) -> impl Iterator<Item = ((Option<FrameId>, VarId), TermId)> {
        let value = |entry: &EntryId| self.entries[entry.0 as usize].value;
        self.variables.iter().map(move |(&key, entry)| (key, value(entry)))
    }

    /// The cells that were written or read, as address and width.
    pub fn cells(&self) -> BTreeSet<(TermId, u32)> {
        let cells = self.written.iter().chain(&self.initial);
        cells.map(|cell| (cell.address, cell.width)).collect()
    }

    /// What a cell holds.
    pub fn cell(&mut self, terms: &mut Terms, address: TermId, width: u32) -> TermId {
        let place = terms.load(address, width);
        self.read_cell(terms, FrameId(0), address, width, place, &mut BTreeSet::new())
    }

    /// The number of an object that was made on the way, if the value is its address.
    pub fn made_object(&self, terms: &Terms, value: TermId) -> Option<u32> {
        match terms.get(value) {
            Term::Object { number } => {
                self.allocated.values().find(|made| **made == number).copied()
            }
            _ => None,
        }
    }

    /// The variable that a numbered object is, and the activation that has it.
    pub fn whose(&self, number: u32) -> Option<(Option<FrameId>, VarId)> {
        self.objects.iter().find(|(_, known)| **known == number).map(|(&key, _)| key)
    }

    /// The number of the object that a step has made.
    pub fn made_at(&self, step: usize) -> Option<u32> {
        self.allocated.get(&step).copied()
    }

    /// Cells that were read before anything wrote them: address, width, value, and the place as it
    /// was read. Where two are the same the first one counts.
    pub fn initial_cells(&self) -> impl Iterator<Item = (TermId, u32, TermId, TermId)> {
        let place = |cell: &Cell| self.entries[cell.entry.0 as usize].place;
        self.initial.iter().map(move |cell| (cell.address, cell.width, cell.value, place(cell)))
    }

    /// Whether there are more objects than addresses can tell apart.
    pub fn is_full(&self) -> bool {
        self.owners.keys().next_back().is_some_and(|&number| number >= LAST_MADE)
    }

    /// A store in which nothing is known but which objects there are.
    pub fn forgotten<'s>(&self, space: &'s Space) -> Store<'s> {
        let mut store = Store::new(space, false);
        store.objects = self.objects.clone();
        store.sizes = self.sizes.clone();
        store.allocated = self.allocated.clone();
        store.owners = self.owners.clone();
        // Names given here are nobody else's.
        store.from_start = false;
        store.now = BEFORE;
        store
    }

    /// The same store for a shorter while.
    pub fn forgotten_with<'s>(&self, space: &'s Space) -> Store<'s>
    where
        'p: 's,
    {
        Store { space, ..self.clone() }
    }

    /// Goes on with what another one has become.
    pub fn take_over(&mut self, other: Store<'_>) {
        *self = Store { space: self.space, ..other.rebased(self.space) };
    }

    fn rebased<'s>(self, space: &'s Space) -> Store<'s> {
        Store {
            space,
            entries: self.entries,
            thetas: self.thetas,
            variables: self.variables,
            written: self.written,
            initial: self.initial,
            objects: self.objects,
            sizes: self.sizes,
            allocated: self.allocated,
            owners: self.owners,
            exposing: self.exposing,
            beside: self.beside,
            from_start: self.from_start,
            after: self.after,
            now: self.now,
            scoped: self.scoped,
        }
    }

    /// A new object of so many bytes.
    pub fn allocate(&mut self, terms: &mut Terms, size: TermId) -> TermId {
        let number = match self.allocated.get(&self.now) {
            Some(&number) => number,
            None => self.next_number(),
        };
        self.allocated.insert(self.now, number);
        self.owners.insert(number, None);
        self.sizes.insert(number, size);
        terms.object(number)
    }

    /// Whose value a place is: an activation's, or everybody's.
    pub fn owner_of(&self, terms: &Terms, place: TermId, frame: FrameId) -> Option<FrameId> {
        let parts = terms.below(&[place]);
        let local = parts.iter().any(|&id| match terms.get(id) {
            Term::Variable { variable, .. } | Term::Address { variable } => {
                self.space.variable(variable).owner.is_some()
            }
            _ => false,
        });
        local.then_some(frame)
    }

    /// The closed value of a term of the program.
    pub fn evaluate(&mut self, terms: &mut Terms, frame: FrameId, root: TermId) -> Evaluated {
        let mut made: BTreeMap<TermId, (TermId, TermId)> = BTreeMap::new();
        let mut from = BTreeSet::new();
        let yes = terms.truth(true);
        for id in terms.below(&[root]) {
            let value = match terms.get(id) {
                Term::Variable { variable, .. } => {
                    (self.read_variable(terms, frame, variable, id, &mut from), yes)
                }
                Term::Address { variable } => {
                    let number = self.object(terms, frame, variable);
                    (terms.object(number), yes)
                }
                Term::Load { address, width } => {
                    let (address, before) = made[&address];
                    let mut read = BTreeSet::new();
                    let at = self.expanded(terms, address);
                    let value = self.read_cell(terms, frame, at, width, id, &mut read);
                    let value = self.spoken(terms, frame, id, value, &mut read);
                    from.extend(read);
                    let here = self.valid(terms, at, width);
                    (value, terms.both(before, here))
                }
                Term::Choose { condition, yes, no } => {
                    let (c, first) = made[&condition];
                    let (y, y_valid) = made[&yes];
                    let (n, n_valid) = made[&no];
                    let rest = terms.choose(c, y_valid, n_valid);
                    (terms.choose(c, y, n), terms.both(first, rest))
                }
                _ => {
                    let value = terms.with_children(id, &|child| made[&child].0);
                    let children: Vec<TermId> = terms.children(id).collect();
                    let all = children.iter().fold(yes, |all, child| {
                        let valid = made[child].1;
                        terms.both(all, valid)
                    });
                    (value, all)
                }
            };
            made.insert(id, value);
        }
        let (value, valid) = made[&root];
        Evaluated { value, valid, from }
    }

    /// The same value with every name replaced by what it stands for, if that is known.
    pub fn expanded(&self, terms: &mut Terms, value: TermId) -> TermId {
        let mut value = value;
        loop {
            let mut with = rustc_hash::FxHashMap::default();
            for id in terms.below(&[value]) {
                if let Term::Theta { theta, .. } = terms.get(id)
                    && let Some(definition) = self.thetas[&theta].definition
                {
                    with.insert(id, definition);
                }
            }
            if with.is_empty() {
                return value;
            }
            value = terms.replaced(value, &with);
        }
    }

    /// A value that was read, in names that may be used here.
    fn spoken(
        &mut self,
        terms: &mut Terms,
        frame: FrameId,
        place: TermId,
        value: TermId,
        from: &mut BTreeSet<EntryId>,
    ) -> TermId {
        if !self.scoped {
            return value;
        }
        match self.in_terms_of(terms, frame, value) {
            Some(same) => same,
            None => {
                let named = self.name(terms, place, Some(frame), Some(value));
                let read = std::mem::take(from);
                let entry = self.expose(place, frame, named, Cause::Renamed, read);
                from.insert(entry);
                named
            }
        }
    }

    fn read_variable(
        &mut self,
        terms: &mut Terms,
        frame: FrameId,
        variable: VarId,
        place: TermId,
        from: &mut BTreeSet<EntryId>,
    ) -> TermId {
        let key = self.key(frame, variable);
        let entry = match self.variables.get(&key) {
            Some(&entry) => entry,
            None => {
                let value = self.name_initial(terms, place, key.0);
                let entry = self.expose(place, frame, value, Cause::Exposed, BTreeSet::new());
                self.variables.insert(key, entry);
                entry
            }
        };
        let entry = self.renamed(terms, frame, place, entry);
        self.variables.insert(key, entry);
        from.insert(entry);
        self.entries[entry.0 as usize].value
    }

    fn expose(
        &mut self,
        place: TermId,
        frame: FrameId,
        value: TermId,
        cause: Cause,
        from: BTreeSet<EntryId>,
    ) -> EntryId {
        let step = self.now;
        self.enter(Entry { place, frame, address: None, value, from, step, cause, until: None })
    }

    /// The entry itself if its value may be spoken of here, otherwise one with a name for it.
    fn renamed(
        &mut self,
        terms: &mut Terms,
        frame: FrameId,
        place: TermId,
        entry: EntryId,
    ) -> EntryId {
        if !self.scoped {
            return entry;
        }
        let value = self.entries[entry.0 as usize].value;
        let local = self.in_terms_of(terms, frame, value);
        let (value, cause) = match local {
            Some(same) if same == value => return entry,
            Some(expanded) => (expanded, Cause::Renamed),
            None => (self.name(terms, place, Some(frame), Some(value)), Cause::Renamed),
        };
        self.expose(place, frame, value, cause, BTreeSet::from([entry]))
    }

    /// The value in terms of names that an activation may use, if it has such terms.
    pub fn in_terms_of(&self, terms: &mut Terms, frame: FrameId, value: TermId) -> Option<TermId> {
        let mut value = value;
        loop {
            let parts = terms.below(&[value]);
            let elsewhere = |number: &u32| {
                let owner = self.owners.get(number).copied().flatten();
                owner.is_some_and(|owner| owner != frame)
            };
            if parts
                .iter()
                .any(|&id| matches!(terms.get(id), Term::Object { number } if elsewhere(&number)))
            {
                return None;
            }
            let foreign: Vec<(TermId, Theta)> = parts
                .into_iter()
                .filter_map(|id| match terms.get(id) {
                    Term::Theta { theta, .. } => Some((id, theta)),
                    _ => None,
                })
                .filter(|(_, theta)| self.thetas[theta].owner.is_some_and(|owner| owner != frame))
                .collect();
            if foreign.is_empty() {
                return Some(value);
            }
            let mut with = rustc_hash::FxHashMap::default();
            for (id, theta) in foreign {
                with.insert(id, self.thetas[&theta].definition?);
            }
            value = terms.replaced(value, &with);
        }
    }

    /// Gives a place a value; returns the entry, and when the place is there.
    pub fn assign(
        &mut self,
        terms: &mut Terms,
        frame: FrameId,
        place: TermId,
        value: TermId,
        mut from: BTreeSet<EntryId>,
        cause: Cause,
    ) -> (EntryId, TermId) {
        match terms.get(place) {
            Term::Variable { variable, .. } => {
                let key = self.key(frame, variable);
                let entry = self.expose(place, frame, value, cause, from);
                if let Some(old) = self.variables.insert(key, entry) {
                    self.entries[old.0 as usize].until = Some(self.now);
                }
                (entry, terms.truth(true))
            }
            Term::Load { address, width } => {
                let at = self.evaluate(terms, frame, address);
                from.extend(at.from.iter().copied());
                let address = self.expanded(terms, at.value);
                let here = self.valid(terms, address, width);
                let valid = terms.both(at.valid, here);
                let entry = self.expose(place, frame, value, cause, from);
                self.entries[entry.0 as usize].address = Some(address);
                let cell = Cell { address, width, value, entry, found_by: at.from };
                let (now, written) = (self.now, self.written.clone());
                for old in written.iter().chain(&self.initial) {
                    let relation = self.relation(terms, (address, width), (old.address, old.width));
                    if matches!(relation, memory::Relation::Same) {
                        self.entries[old.entry.0 as usize].until.get_or_insert(now);
                    }
                }
                self.written.push(cell);
                (entry, valid)
            }
            _ => unreachable!("a place is a variable or a cell"),
        }
    }

    /// The entries that make up the store now: the newest of each place.
    pub fn present(&self) -> BTreeSet<EntryId> {
        let open = |id: &u32| self.entries[*id as usize].until.is_none();
        (0..self.entries.len() as u32).filter(open).map(EntryId).collect()
    }

    /// Makes the circuit know what names stand for.
    pub fn define(&self, terms: &Terms, words: &mut Words) {
        for (&theta, named) in &self.thetas {
            if let Some(definition) = named.definition {
                words.define(terms, theta, definition);
            }
        }
    }

    /// Gives a place of another activation a value: what a call hands over, or a result. The value
    /// gets a name of its own there if it cannot be said otherwise.
    pub fn hand_over(
        &mut self,
        terms: &mut Terms,
        to: FrameId,
        place: TermId,
        value: Evaluated,
        calls: bool,
    ) -> TermId {
        // What a call hands over always gets one (section 6.2), so that what is found out about
        // one call is true of every call.
        let same = if calls { None } else { self.in_terms_of(terms, to, value.value) };
        let (closed, cause) = match same {
            Some(same) => (same, Cause::Assigned),
            None if !self.scoped => (value.value, Cause::Assigned),
            None => {
                self.after = true;
                let named = self.name(terms, place, Some(to), Some(value.value));
                self.after = false;
                (named, Cause::Renamed)
            }
        };
        self.assign(terms, to, place, closed, value.from, cause).1
    }
}
