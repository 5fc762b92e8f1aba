//! All heaps of a world: generated with all names that objects can have, then told apart by what a
//! walk in depth meets.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::World;

/// A concrete class.
#[derive(Clone, Debug)]
pub struct Kind {
    /// As Java names it, without package.
    pub name: &'static str,
    /// The most objects that there may be.
    pub most: u32,
    /// Its fields, those of its superclass first; for an array the length and then its elements.
    pub slots: Vec<Slot>,
    pub is_array: bool,
}

/// Something that holds a value.
#[derive(Clone, Debug)]
pub struct Slot {
    pub name: &'static str,
    pub holds: Holds,
}

#[derive(Clone, Debug)]
pub enum Holds {
    /// An object of one of these classes.
    Object { of: Vec<usize>, nullable: bool },
    /// One of these numbers; beyond them the invariant is false.
    Number(Vec<i64>),
}

/// A class and a number.
pub type Id = (usize, u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value {
    Object(Option<Id>),
    Number(i64),
}

/// The roots, and the objects that they lead to.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Heap {
    pub roots: Vec<Option<Id>>,
    pub objects: BTreeMap<Id, Vec<Value>>,
}

impl Heap {
    /// What a reference of an object is.
    pub fn at(&self, id: Id, slot: usize) -> Option<Id> {
        match self.objects[&id][slot] {
            Value::Object(to) => to,
            Value::Number(_) => None,
        }
    }

    pub fn number(&self, id: Id, slot: usize) -> i64 {
        match self.objects[&id][slot] {
            Value::Number(n) => n,
            Value::Object(_) => 0,
        }
    }

    /// All objects of a class.
    pub fn of(&self, kind: usize) -> impl Iterator<Item = Id> {
        self.objects.keys().copied().filter(move |id| id.0 == kind)
    }

    /// What some references lead to from an object, itself included; nothing from null.
    pub fn reach(&self, from: Option<Id>, slots: &[usize]) -> BTreeSet<Id> {
        let mut seen = BTreeSet::new();
        let mut work: Vec<Id> = from.into_iter().collect();
        while let Some(id) = work.pop() {
            if seen.insert(id) {
                work.extend(slots.iter().filter_map(|s| self.at(id, *s)));
            }
        }
        seen
    }

    /// Objects under other names.
    fn renamed(&self, names: &BTreeMap<Id, Id>) -> Heap {
        let name = |id: &Id| names[id];
        let value = |v: &Value| match v {
            Value::Object(to) => Value::Object(to.as_ref().map(name)),
            number => *number,
        };
        let objects = self.objects.iter();
        let objects = objects.map(|(id, vs)| (name(id), vs.iter().map(value).collect()));
        Heap {
            roots: self.roots.iter().map(|r| r.as_ref().map(name)).collect(),
            objects: objects.collect(),
        }
    }

    /// The same heap for all that differ only in names: objects are numbered as a walk in depth
    /// meets them.
    pub fn form(&self) -> Heap {
        let mut names = BTreeMap::new();
        let mut next: BTreeMap<usize, u32> = BTreeMap::new();
        for root in self.roots.iter().flatten() {
            self.visit(*root, &mut names, &mut next);
        }
        self.renamed(&names)
    }

    fn visit(&self, id: Id, names: &mut BTreeMap<Id, Id>, next: &mut BTreeMap<usize, u32>) {
        if names.contains_key(&id) {
            return;
        }
        let number = next.entry(id.0).or_insert(0);
        names.insert(id, (id.0, *number));
        *number += 1;
        for value in &self.objects[&id] {
            if let Value::Object(Some(to)) = value {
                self.visit(*to, names, next);
            }
        }
    }

    /// The heap under the names that are searched: group by group, each by a walk in breadth from
    /// the roots and the groups before. A class that is walked alone leaves arguments for when there is nothing else.
    pub fn canonical(&self, world: &World) -> Heap {
        self.renamed(&self.canonical_names(&world.groups, &world.arguments()))
    }

    /// The names that are searched.
    pub fn canonical_names(&self, groups: &[Vec<usize>], arguments: &[usize]) -> BTreeMap<Id, Id> {
        let mut names: BTreeMap<Id, Id> = BTreeMap::new();
        let mut order: Vec<Id> = Vec::new();
        let mut next: BTreeMap<usize, u32> = BTreeMap::new();
        for group in groups {
            let is_late = |root: usize| group.len() == 1 && arguments.contains(&root);
            let (late, early): (Vec<_>, Vec<_>) =
                self.roots.iter().enumerate().partition(|(root, _)| is_late(*root));
            let mut late = late.into_iter().filter_map(|(_, object)| *object);
            let mut queue: VecDeque<Id> = early.into_iter().filter_map(|(_, o)| *o).collect();
            for id in &order {
                queue.extend(self.successors(*id));
            }
            let mut met: Vec<Id> = Vec::new();
            while let Some(id) = queue.pop_front().or_else(|| late.next()) {
                if !group.contains(&id.0) || names.contains_key(&id) {
                    continue;
                }
                let number = next.entry(id.0).or_insert(0);
                names.insert(id, (id.0, *number));
                *number += 1;
                met.push(id);
                queue.extend(self.successors(id));
            }
            met.sort_by_key(|id| {
                let (kind, number) = names[id];
                (group.iter().position(|k| *k == kind), number)
            });
            order.extend(met);
        }
        names
    }

    fn successors(&self, id: Id) -> Vec<Id> {
        let values = self.objects[&id].iter();
        let objects = values.filter_map(|v| if let Value::Object(to) = v { *to } else { None });
        objects.collect()
    }

    /// Without numbers, except for the lengths of arrays.
    pub fn bare(&self, kinds: &[Kind]) -> Heap {
        let mut heap = self.clone();
        for (id, values) in &mut heap.objects {
            if !kinds[id.0].is_array {
                values.retain(|v| matches!(v, Value::Object(_)));
            }
        }
        heap
    }
}

/// One heap of each kind that a world has and whose references satisfy its invariant. Numbers
/// are still 0.
pub fn shapes(world: &World) -> BTreeSet<Heap> {
    let mut found = BTreeSet::new();
    let mut generator = Generator { world, found: &mut found };
    generator.root(&mut Heap::default());
    found.retain(|heap| (world.shape)(heap));
    found
}

/// The same with all numbers.
pub fn all(world: &World) -> Vec<Heap> {
    let mut found = Vec::new();
    for shape in shapes(world) {
        let mut open: Vec<(Id, usize, &[i64])> = Vec::new();
        for id in shape.objects.keys() {
            let kind = &world.kinds[id.0];
            for (index, slot) in kind.slots.iter().enumerate() {
                if let (Holds::Number(domain), false) = (&slot.holds, kind.is_array) {
                    open.push((*id, index, domain));
                }
            }
        }
        number(world, &mut shape.clone(), &open, &mut found);
    }
    found
}

fn number(world: &World, heap: &mut Heap, open: &[(Id, usize, &[i64])], found: &mut Vec<Heap>) {
    let Some(((id, slot, domain), rest)) = open.split_first() else {
        if (world.numbers)(heap) {
            found.push(heap.clone());
        }
        return;
    };
    for n in *domain {
        if let Some(values) = heap.objects.get_mut(id) {
            values[*slot] = Value::Number(*n);
        }
        number(world, heap, rest, found);
    }
}

struct Generator<'w> {
    world: &'w World,
    found: &'w mut BTreeSet<Heap>,
}

impl Generator<'_> {
    /// Everything that a slot can hold.
    fn choices(&self, slot: &Slot) -> Vec<Value> {
        match &slot.holds {
            Holds::Number(_) => vec![Value::Number(0)],
            Holds::Object { of, nullable } => {
                let null = nullable.then_some(Value::Object(None));
                let objects = of.iter().flat_map(|kind| {
                    (0..self.world.kinds[*kind].most).map(|n| Value::Object(Some((*kind, n))))
                });
                null.into_iter().chain(objects).collect()
            }
        }
    }

    fn root(&mut self, heap: &mut Heap) {
        let Some(slot) = self.world.roots.get(heap.roots.len()) else {
            self.object(heap);
            return;
        };
        for choice in self.choices(slot) {
            if let Value::Object(to) = choice {
                heap.roots.push(to);
                self.root(heap);
                heap.roots.pop();
            }
        }
    }

    /// Fills the first object that is referred to and has no values yet.
    fn object(&mut self, heap: &mut Heap) {
        let referred = heap.objects.values().flatten();
        let referred = referred.filter_map(|v| if let Value::Object(to) = v { *to } else { None });
        let referred = heap.roots.iter().flatten().copied().chain(referred);
        let new = referred.filter(|id| !heap.objects.contains_key(id)).min();
        match new {
            None => {
                self.found.insert(heap.form());
            }
            Some(id) => {
                for values in self.contents(&self.world.kinds[id.0]) {
                    heap.objects.insert(id, values);
                    self.object(heap);
                    heap.objects.remove(&id);
                }
            }
        }
    }

    /// Everything that an object can hold.
    fn contents(&self, kind: &Kind) -> Vec<Vec<Value>> {
        if kind.is_array {
            return self.arrays(kind);
        }
        let mut all = vec![Vec::new()];
        for slot in &kind.slots {
            all = with(&all, &self.choices(slot));
        }
        all
    }

    fn arrays(&self, kind: &Kind) -> Vec<Vec<Value>> {
        let elements = &kind.slots[1..];
        let mut all = Vec::new();
        for length in 0..=elements.len() {
            let mut arrays = vec![vec![Value::Number(length as i64)]];
            for (index, slot) in elements.iter().enumerate() {
                let choices = match index < length {
                    true => self.choices(slot),
                    false => vec![Value::Object(None)],
                };
                arrays = with(&arrays, &choices);
            }
            all.extend(arrays);
        }
        all
    }
}

fn with(all: &[Vec<Value>], choices: &[Value]) -> Vec<Vec<Value>> {
    let extended = |values: &Vec<Value>| {
        let one = |choice: &Value| values.iter().copied().chain([*choice]).collect();
        choices.iter().map(one).collect::<Vec<Vec<Value>>>()
    };
    all.iter().flat_map(extended).collect()
}
