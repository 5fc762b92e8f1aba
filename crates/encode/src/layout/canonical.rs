//! Canonical heaps: of all input heaps that differ only in the names of their objects, exactly one
//! is searched (Galeotti et al., section 3.2).
//!
//! The layout is the part of the input that can be reached from the roots: its objects and all
//! references between them, made up at once. Positions are these references in a fixed order: the
//! roots, then class by class, object by object, field by field. Objects of a class are numbered in
//! the order in which a breadth-first walk over the positions discovers them.
//!
//! Classes come in an order in which owners precede what they own. Where that is impossible because
//! classes lead to each other (a list and its nodes, a node and its subclass), such a group shares one
//! walk, whose order is unknown and a matter of more variables. The paper orders by the class
//! of the least parent first, which admits no numbering at all for some heaps of such groups: an
//! object of one class that only an object of the other leads to, and that has a child of its own
//! class. So groups are walked first in, first out, as one.
//!
//! Arguments come last: the walk only turns to one when it has nothing else left. An argument that
//! is part of what other roots lead to then changes no number there, and what bounds say of the
//! structure by itself they say of it with the argument.
//!
//! References that may hold anything are not laid out (`input/beside.rs`).
//!
//! An object that is not reached does not matter: its references are null. What could tell that
//! there are such objects (a quantifier over all objects of a class) leaves the layout, and then
//! the run counts for nothing: whoever drives the engine starts again without a layout.

use std::collections::{BTreeMap, BTreeSet};

use ir::{ClassId, FieldId, Method, Type};
use logic::{Bits, Lit};
use rustc_hash::FxHashMap;

use crate::config::Calls;
use crate::engine::Engine;
use crate::engine::layout::{Layout, Position};
use crate::state::atom::{Atom, Name};
use crate::state::leaves::{LeafKey, Source};
use crate::state::value::Value;

/// Objects by class, and which class leads to which.
#[derive(Default)]
struct Region {
    atoms: BTreeMap<ClassId, BTreeSet<Atom>>,
    leads: BTreeSet<(ClassId, ClassId)>,
    /// In order of discovery.
    classes: Vec<ClassId>,
}

impl Engine<'_> {
    /// Whether the input is to be laid out. Invariants and preconditions are what makes it worth
    /// while.
    pub(crate) fn wants_layout(&self, method: &Method) -> bool {
        let wanted = self.run.limits.symmetry
            && self.run.limits.canonical
            && self.run.limits.calls != Calls::Contract;
        if !wanted || matches!(self.inputs.source, Source::Fixed(_)) {
            return false;
        }
        let contract = self.contracts.methods.get(&method.id);
        let required = contract.is_some_and(|c| c.cases.iter().any(|c| !c.requires.is_empty()));
        self.any_invariants() || required
    }

    /// Lays the input out, and demands that it is canonical.
    pub(crate) fn lay_out(&mut self, method: &Method) {
        if self.layout.is_some() {
            return;
        }
        let roots = self.root_positions(method);
        let region = self.region(&roots);
        if region.atoms.is_empty() {
            return;
        }
        let mut layout = Layout { positions: roots, ..Layout::default() };
        for group in groups(&region) {
            match group[..] {
                [class] => {
                    self.order_class(class, &region.atoms[&class], &mut layout);
                    layout.alone.insert(class);
                }
                _ => self.order_group(&group, &region, &mut layout),
            }
        }
        for position in &layout.positions {
            for (atom, lit) in position.value.objects() {
                layout.holders.entry(atom).or_default().push((position.owner, lit));
            }
            let Some(reached) = position.owner.and_then(|o| layout.reached.get(&o)) else {
                continue;
            };
            let null = position.value.is_null();
            if null != Lit::FALSE {
                let there = self.circuit.and(*reached, position.inside);
                let idle = self.circuit.or(there, null);
                self.inputs.require(idle, position.key.clone());
            }
        }
        for (atom, reached) in &layout.reached {
            let name = self.atoms.info(*atom).name.clone();
            let is_live = Value::Bits(Bits::from_lits(vec![*reached]));
            self.inputs.settled(LeafKey::Live(name), is_live);
            self.existence.set(*atom, *reached);
        }
        self.existence.begin();
        self.existence.set_linked(self.inputs.leaves().count());
        self.layout.set(layout);
        self.expect_outer(method);
        let unshared = self.layout.bounds().map(|b| b.unshared.clone()).unwrap_or_default();
        for fields in unshared {
            let survey = self.surveyed();
            for twice in survey.map(|s| self.held_twice(&s, &fields)).unwrap_or_default() {
                self.exclude(twice);
            }
        }
    }

    fn root_positions(&mut self, method: &Method) -> Vec<Position> {
        let mut keys: Vec<LeafKey> = vec![LeafKey::Receiver];
        for (number, ty) in method.params.iter().enumerate() {
            if self.is_closed(*ty) {
                keys.push(LeafKey::Parameter(number as u32));
            }
        }
        for (class, field) in self.static_roots() {
            if self.is_closed(self.program.field(field).ty) {
                self.initialise_quietly(class);
                self.initial_static(field);
                keys.push(LeafKey::Static(field));
            }
        }
        let root = |key: LeafKey| match self.inputs.leaf(&key) {
            Some(Value::Ref(value)) => {
                Some(Position { key, owner: None, inside: Lit::TRUE, value: value.clone() })
            }
            _ => None,
        };
        keys.into_iter().filter_map(root).collect()
    }

    /// The static fields with references that are part of the input, each with its class.
    pub(crate) fn static_roots(&self) -> Vec<(ClassId, FieldId)> {
        let mut found = Vec::new();
        for class in self.candidates.relevant.iter() {
            let Some(loaded) = self.program.class(*class).ok().filter(|c| c.is_given()) else {
                continue;
            };
            found.extend(loaded.fields.iter().map(|field| (*class, *field)));
        }
        found.retain(|(_, field)| {
            let field = self.program.field(*field);
            let open = field.is_static && !field.is_final && !field.is_synthetic;
            open && matches!(field.ty, Type::Ref(_))
        });
        found
    }

    /// Everything that the roots may lead to through closed references.
    fn region(&mut self, roots: &[Position]) -> Region {
        let mut region = Region::default();
        let objects = roots.iter().flat_map(|root| root.value.objects());
        let mut work: Vec<Atom> = objects.map(|e| e.0).collect();
        while let Some(atom) = work.pop() {
            if !self.is_symmetric(atom) {
                continue;
            }
            let class = self.atoms.class(atom);
            if !region.atoms.contains_key(&class) {
                region.classes.push(class);
            }
            if !region.atoms.entry(class).or_default().insert(atom) {
                continue;
            }
            for ty in self.held_types(atom) {
                let Type::Ref(held) = ty else {
                    continue;
                };
                let candidates = self.candidates_for(held);
                for to in candidates.iter().copied().filter(|a| self.is_symmetric(*a)) {
                    region.leads.insert((class, self.atoms.class(to)));
                    work.push(to);
                }
            }
        }
        region
    }

    /// Whether an object has others like it, so that names are exchangeable.
    pub(crate) fn is_symmetric(&self, atom: Atom) -> bool {
        let info = self.atoms.info(atom);
        let exchangeable = matches!(info.name, Name::Input(..)) && !info.opaque;
        exchangeable && !self.known.is_shared_by_value(info.class)
    }

    /// Whether the objects that fit a type are of few classes, all of them given.
    pub(crate) fn is_closed(&self, ty: Type) -> bool {
        let Type::Ref(class) = ty else {
            return true;
        };
        let base = self.program.class_name(class).trim_end_matches("[]");
        let base = self.program.class_id(base);
        // Arrays of arrays and of numbers: the former may hide anything, the latter nothing.
        match self.program.class(base) {
            Ok(base) => base.is_given(),
            Err(_) => true,
        }
    }

    /// The types of the references in an object that belong to the layout.
    pub(crate) fn held_types(&self, atom: Atom) -> Vec<Type> {
        if self.atoms.info(atom).opaque {
            return Vec::new();
        }
        let types = match self.element_type(atom) {
            Some(element) => vec![element],
            None => {
                let fields = self.reference_fields_of(atom);
                fields.into_iter().map(|f| self.program.field(f).ty).collect()
            }
        };
        types.into_iter().filter(|ty| self.is_closed(*ty)).collect()
    }

    /// The fields of an object that refer to objects, in canonical order: those of the superclass
    /// first, each class as declared.
    pub(crate) fn reference_fields_of(&self, atom: Atom) -> Vec<FieldId> {
        let mut owners = Vec::new();
        let mut class = Some(self.atoms.class(atom));
        while let Some(loaded) = class.and_then(|c| self.program.class(c).ok()) {
            if loaded.is_given() {
                owners.push(loaded);
            }
            class = loaded.superclass;
        }
        let fields = owners.iter().rev().flat_map(|c| c.fields.iter().copied());
        fields
            .filter(|f| {
                let field = self.program.field(*f);
                !field.is_static && matches!(field.ty, Type::Ref(_))
            })
            .collect()
    }

    /// The references of an object that may lead to others of the layout.
    fn positions_of(&mut self, atom: Atom) -> Vec<Position> {
        if self.atoms.info(atom).opaque {
            return Vec::new();
        }
        let name = self.atoms.info(atom).name.clone();
        let mut found = Vec::new();
        if let Some(element) = self.element_type(atom) {
            if matches!(element, Type::Ref(_)) && self.is_closed(element) {
                let array = self.initial_array(atom);
                for (index, value) in array.elements.iter().enumerate() {
                    let at = Bits::constant(32, index as u64);
                    let inside = self.circuit.lt_unsigned(&at, &array.length);
                    let key = LeafKey::Element(name.clone(), index as u32);
                    let value = value.reference().clone();
                    found.push(Position { key, owner: Some(atom), inside, value });
                }
            }
            return found;
        }
        for field in self.reference_fields_of(atom) {
            let ty = self.program.field(field).ty;
            let Type::Ref(class) = ty else {
                continue;
            };
            if !self.is_closed(ty) {
                continue;
            }
            let candidates = self.candidates_for(class);
            if !candidates.iter().any(|a| self.is_symmetric(*a)) {
                continue;
            }
            if let Ok(Value::Ref(value)) = self.initial_field(atom, field) {
                let key = LeafKey::Field(name.clone(), field);
                found.push(Position { key, owner: Some(atom), inside: Lit::TRUE, value });
            }
        }
        found
    }

    /// Where a reference is there to be followed.
    fn available(&mut self, position: &Position, reached: &BTreeMap<Atom, Lit>) -> Lit {
        match position.owner {
            None => Lit::TRUE,
            Some(owner) => {
                let reached = reached.get(&owner).copied().unwrap_or(Lit::FALSE);
                self.circuit.and(reached, position.inside)
            }
        }
    }

    /// A class whose objects are reached from the classes before it and from each other: the walk
    /// goes through the positions in their order.
    fn order_class(&mut self, class: ClassId, atoms: &BTreeSet<Atom>, layout: &mut Layout) {
        let atoms = self.by_number(atoms);
        let mut walk = Walk { seen: vec![Lit::FALSE; atoms.len()], atoms };
        let is_argument = |p: &Position| matches!(p.key, LeafKey::Parameter(_));
        let (late, early): (Vec<_>, Vec<_>) =
            layout.positions.iter().cloned().partition(is_argument);
        for position in early {
            let available = self.available(&position, &layout.reached);
            self.discover(&mut walk, &position, available, None, &layout.reached);
        }
        let mut late: Vec<Late> = late.into_iter().map(Late::new).collect();
        for number in 0..walk.atoms.len() {
            let atom = walk.atoms[number];
            debug_assert_eq!(self.atoms.class(atom), class);
            self.turn_to_arguments(&mut walk, number, &mut late);
            layout.reached.insert(atom, walk.seen[number]);
            for position in self.positions_of(atom) {
                let available = self.available(&position, &layout.reached);
                self.discover(&mut walk, &position, available, Some(number), &layout.reached);
                layout.positions.push(position);
            }
        }
    }

    /// The walk has gone through all objects before this one. If it does not know this one, it turns to the
    /// arguments, one after the other, until one holds it.
    fn turn_to_arguments(&mut self, walk: &mut Walk, number: usize, late: &mut [Late]) {
        // Whether everything before has had its turn.
        let mut before = Lit::TRUE;
        for Late { position, done } in late {
            let idle = self.circuit.and(before, !walk.seen[number]);
            let turn = self.circuit.and(idle, !*done);
            for (later, atom) in walk.atoms.iter().enumerate().skip(number) {
                let here = self.circuit.and(turn, position.value.is(*atom));
                match later == number {
                    true => walk.seen[number] = self.circuit.or(walk.seen[number], here),
                    false => self.inputs.require(!here, position.key.clone()),
                }
            }
            *done = self.circuit.or(*done, turn);
            before = *done;
        }
    }

    fn by_number(&self, atoms: &BTreeSet<Atom>) -> Vec<Atom> {
        let mut atoms: Vec<Atom> = atoms.iter().copied().collect();
        atoms.sort_unstable_by_key(|a| match self.atoms.info(*a).name {
            Name::Input(_, number) => number,
            _ => u32::MAX,
        });
        atoms
    }

    /// The walk comes to a position: what it holds has been seen, or is the next in order.
    fn discover(
        &mut self,
        walk: &mut Walk,
        position: &Position,
        available: Lit,
        owner: Option<usize>,
        reached: &BTreeMap<Atom, Lit>,
    ) {
        let before = walk.seen.clone();
        for (number, atom) in walk.atoms.iter().enumerate() {
            let here = self.circuit.and(available, position.value.is(*atom));
            if here == Lit::FALSE {
                continue;
            }
            let demanded = match (owner, number) {
                (Some(owner), _) if number <= owner => reached[atom],
                (_, 0) => Lit::TRUE,
                (_, number) => {
                    walk.seen[number] = self.circuit.or(walk.seen[number], here);
                    before[number - 1]
                }
            };
            if number == 0 && owner.is_none() {
                walk.seen[0] = self.circuit.or(walk.seen[0], here);
            }
            let ordered = self.circuit.implies(here, demanded);
            self.inputs.require(ordered, position.key.clone());
        }
    }

    /// Classes that lead to each other: one walk, first in, first out.
    fn order_group(&mut self, group: &[ClassId], region: &Region, layout: &mut Layout) {
        let entries = layout.positions.clone();
        let mut members: Vec<Atom> = Vec::new();
        for class in group {
            members.extend(self.by_number(&region.atoms[class]));
        }
        let mut own: Vec<Vec<Position>> = Vec::new();
        for atom in &members {
            own.push(self.positions_of(*atom));
        }
        let mut walk = GroupWalk::new(self, &members);
        walk.enter(self, &entries, &layout.reached);
        walk.hold(self, &own);
        walk.demand(self, &own);
        for (number, atom) in members.iter().enumerate() {
            layout.reached.insert(*atom, walk.reached[number]);
        }
        layout.positions.extend(own.into_iter().flatten());
    }
}

/// A walk over the objects of one class.
struct Walk {
    atoms: Vec<Atom>,
    /// Whether each has been seen at the positions so far.
    seen: Vec<Lit>,
}

/// An argument that the walk turns to when it has nothing else left.
struct Late {
    position: Position,
    /// Whether it has.
    done: Lit,
}

impl Late {
    fn new(position: Position) -> Late {
        Late { position, done: Lit::FALSE }
    }
}

/// A walk over the objects of several classes.
struct GroupWalk {
    members: Vec<Atom>,
    index: FxHashMap<Atom, usize>,
    /// `before[x][y]`: the walk discovers x before y.
    before: Vec<Vec<Lit>>,
    reached: Vec<Lit>,
    /// Whether a position outside the group holds a member.
    entered: Vec<Lit>,
    /// `sooner[x][y]`: from outside, x is met before y.
    sooner: Vec<Vec<Lit>>,
    /// `leads[x][y]`: some reference in x holds y.
    leads: Vec<Vec<Lit>>,
    /// `ahead[p][x][y]`: among the references in p, x comes before y.
    ahead: Vec<FxHashMap<(usize, usize), Lit>>,
}

impl GroupWalk {
    fn new(engine: &mut Engine<'_>, members: &[Atom]) -> GroupWalk {
        let n = members.len();
        let mut before = vec![vec![Lit::FALSE; n]; n];
        for x in 0..n {
            for y in x + 1..n {
                let same = engine.atoms.class(members[x]) == engine.atoms.class(members[y]);
                before[x][y] = if same { Lit::TRUE } else { engine.circuit.input() };
                before[y][x] = !before[x][y];
            }
        }
        GroupWalk {
            members: members.to_vec(),
            index: members.iter().enumerate().map(|(i, a)| (*a, i)).collect(),
            before,
            reached: (0..n).map(|_| engine.circuit.input()).collect(),
            entered: vec![Lit::FALSE; n],
            sooner: vec![vec![Lit::FALSE; n]; n],
            leads: vec![vec![Lit::FALSE; n]; n],
            ahead: vec![FxHashMap::default(); n],
        }
    }

    fn require(&self, engine: &mut Engine<'_>, lit: Lit, member: usize) {
        let name = engine.atoms.info(self.members[member]).name.clone();
        engine.inputs.require(lit, LeafKey::Live(name));
    }

    /// What the roots and the classes before the group hold.
    fn enter(
        &mut self,
        engine: &mut Engine<'_>,
        entries: &[Position],
        reached: &BTreeMap<Atom, Lit>,
    ) {
        let n = self.members.len();
        for position in entries {
            let available = engine.available(position, reached);
            let before = self.entered.clone();
            for x in 0..n {
                let here = engine.circuit.and(available, position.value.is(self.members[x]));
                if here == Lit::FALSE {
                    continue;
                }
                let first = engine.circuit.and(here, !before[x]);
                for y in (0..n).filter(|y| *y != x) {
                    let sooner = engine.circuit.and(first, !before[y]);
                    self.sooner[x][y] = engine.circuit.or(self.sooner[x][y], sooner);
                }
                self.entered[x] = engine.circuit.or(self.entered[x], here);
            }
        }
    }

    /// What the members hold.
    fn hold(&mut self, engine: &mut Engine<'_>, own: &[Vec<Position>]) {
        for (parent, positions) in own.iter().enumerate() {
            let mut seen: Vec<Lit> = vec![Lit::FALSE; self.members.len()];
            for position in positions {
                let before = seen.clone();
                let held: Vec<(usize, Lit)> = position
                    .value
                    .objects()
                    .filter_map(|(a, l)| Some((*self.index.get(&a)?, l)))
                    .collect();
                for (x, lit) in held {
                    let here = engine.circuit.and(lit, position.inside);
                    let first = engine.circuit.and(here, !before[x]);
                    for (y, seen_y) in before.iter().enumerate().filter(|(y, _)| *y != x) {
                        let ahead = engine.circuit.and(first, !*seen_y);
                        let known = self.ahead[parent].entry((x, y)).or_insert(Lit::FALSE);
                        *known = engine.circuit.or(*known, ahead);
                    }
                    seen[x] = engine.circuit.or(seen[x], here);
                }
            }
            self.leads[parent] = seen;
        }
    }

    #[allow(clippy::needless_range_loop)] // Matrices by their indices.
    fn demand(&mut self, engine: &mut Engine<'_>, own: &[Vec<Position>]) {
        debug_assert_eq!(own.len(), self.members.len());
        let n = self.members.len();
        // Which existing reference leads where.
        let mut edges = vec![vec![Lit::FALSE; n]; n];
        for (p, row) in edges.iter_mut().enumerate() {
            for (x, edge) in row.iter_mut().enumerate() {
                *edge = engine.circuit.and(self.reached[p], self.leads[p][x]);
            }
        }
        self.demand_reached(engine, &edges);
        self.demand_order(engine);
        let first = self.first_parents(engine, &edges);
        // `earlier[x][q]`: the first parent of x comes before q.
        let mut earlier = vec![vec![Lit::FALSE; n]; n];
        for x in 0..n {
            for q in 0..n {
                let ways: Vec<Lit> = (0..n)
                    .filter(|p| *p != q)
                    .map(|p| engine.circuit.and(first[x][p], self.before[p][q]))
                    .collect();
                earlier[x][q] = engine.circuit.or_all(ways);
            }
        }
        for x in 0..n {
            for y in (0..n).filter(|y| *y != x) {
                let mut ways = vec![self.sooner[x][y]];
                let mut inner = Vec::new();
                for q in 0..n {
                    let other = engine.circuit.and(earlier[x][q], first[y][q]);
                    let ahead = self.ahead[q].get(&(x, y)).copied().unwrap_or(Lit::FALSE);
                    let both = engine.circuit.and(first[x][q], first[y][q]);
                    let same = engine.circuit.and(both, ahead);
                    inner.push(engine.circuit.or(other, same));
                }
                ways.push(engine.circuit.or_all(inner));
                let discovered = engine.circuit.or_all(ways);
                let both = engine.circuit.and(self.reached[x], self.reached[y]);
                let ordered = engine.circuit.iff(self.before[x][y], discovered);
                let ordered = engine.circuit.implies(both, ordered);
                self.require(engine, ordered, x);
            }
        }
        self.demand_prefix(engine);
    }

    /// Reached is what is entered, or what a reached member discovered before it holds; and
    /// whatever a reached member holds.
    #[allow(clippy::needless_range_loop)]
    fn demand_reached(&mut self, engine: &mut Engine<'_>, edges: &[Vec<Lit>]) {
        let n = self.members.len();
        for x in 0..n {
            let mut ways = vec![self.entered[x]];
            for p in (0..n).filter(|p| *p != x) {
                let held = engine.circuit.implies(edges[p][x], self.reached[x]);
                self.require(engine, held, x);
                ways.push(engine.circuit.and(edges[p][x], self.before[p][x]));
            }
            let some = engine.circuit.or_all(ways);
            let entered = engine.circuit.implies(self.entered[x], self.reached[x]);
            self.require(engine, entered, x);
            let founded = engine.circuit.implies(self.reached[x], some);
            self.require(engine, founded, x);
        }
    }

    fn demand_order(&self, engine: &mut Engine<'_>) {
        let n = self.members.len();
        for x in 0..n {
            for y in (0..n).filter(|y| *y != x) {
                for z in (0..n).filter(|z| *z != x && *z != y) {
                    let through = engine.circuit.and(self.before[x][y], self.before[y][z]);
                    let transitive = engine.circuit.implies(through, self.before[x][z]);
                    self.require(engine, transitive, x);
                }
            }
        }
    }

    /// `first[x][p]`: x is entered from nowhere outside, and p is the earliest that holds it.
    fn first_parents(&self, engine: &mut Engine<'_>, edges: &[Vec<Lit>]) -> Vec<Vec<Lit>> {
        let n = self.members.len();
        let mut first = vec![vec![Lit::FALSE; n]; n];
        for x in 0..n {
            for p in (0..n).filter(|p| *p != x) {
                let mut all = vec![edges[p][x], !self.entered[x]];
                for q in (0..n).filter(|q| *q != p && *q != x) {
                    all.push(engine.circuit.implies(edges[q][x], self.before[p][q]));
                }
                first[x][p] = engine.circuit.and_all(all);
            }
        }
        first
    }

    /// Of each class a prefix is reached.
    fn demand_prefix(&self, engine: &mut Engine<'_>) {
        for x in 1..self.members.len() {
            let same =
                engine.atoms.class(self.members[x - 1]) == engine.atoms.class(self.members[x]);
            if same {
                let prefix = engine.circuit.implies(self.reached[x], self.reached[x - 1]);
                self.require(engine, prefix, x);
            }
        }
    }
}

/// The classes in an order in which owners come first; classes that lead to each other together.
fn groups(region: &Region) -> Vec<Vec<ClassId>> {
    let classes = &region.classes;
    let mut closure = region.leads.clone();
    for through in classes {
        for from in classes {
            if !closure.contains(&(*from, *through)) {
                continue;
            }
            for to in classes {
                if closure.contains(&(*through, *to)) {
                    closure.insert((*from, *to));
                }
            }
        }
    }
    let mutual = |a: ClassId, b: ClassId| closure.contains(&(a, b)) && closure.contains(&(b, a));
    let mut groups: Vec<Vec<ClassId>> = Vec::new();
    for class in classes {
        match groups.iter_mut().find(|g| mutual(g[0], *class)) {
            Some(group) => group.push(*class),
            None => groups.push(vec![*class]),
        }
    }
    let mut sorted: Vec<Vec<ClassId>> = Vec::new();
    while !groups.is_empty() {
        let free = groups.iter().position(|g| {
            let others = groups.iter().filter(|o| o[0] != g[0]);
            !others.into_iter().any(|o| closure.contains(&(o[0], g[0])))
        });
        sorted.push(groups.remove(free.unwrap_or(0)));
    }
    sorted
}
