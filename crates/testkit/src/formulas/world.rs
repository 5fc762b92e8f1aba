//! Explicit heaps before and after a method, and what the few method bodies do to them.

use std::collections::{BTreeMap, BTreeSet};

use encode::atom::Name;
use encode::decode::Assignment;
use encode::inputs::{LeafKey, LeafValue};
use ir::Program;

/// The classes around the methods.
pub const CLASSES: &str = "
/*@ nullable_by_default @*/ class Node { Node next; Node other; int val; boolean mark; }
/*@ nullable_by_default @*/ class Leaf extends Node { long big; byte small; }
/*@ nullable_by_default @*/ class Root {
    Node first; Node second; int size; int[] data; Node[] nodes;
}
";

/// The bodies of the methods, `static Node run(Root r, Node n, int k)`.
pub const BODIES: [&str; 8] = [
    "return n;",
    "if (r == null) return null;
     Node t = r.first; r.first = r.second; r.second = t; r.size = r.size + 1; return r.first;",
    "Node f = new Node(); f.next = n; f.val = k; if (r != null) r.first = f; return f;",
    "if (k <= 0) return null;
     Node f = new Node(); f.other = f; if (n != null) n.next = f; return n;",
    "if (r == null) return n;
     if (r.data != null && r.data.length > 1) { r.data[0] = r.data[1]; r.data[1] = k; }
     if (r.nodes != null && r.nodes.length > 0) r.nodes[0] = n; return n;",
    "if (r == null) return null;
     int[] a = new int[2]; a[0] = k; a[1] = 1; r.data = a;
     Leaf l = new Leaf(); l.big = k; l.next = r.first; l.mark = true; r.second = l; return l;",
    "k = 5; n = null; return n;",
    "if (n != null && n.next != null) { n.mark = !n.mark; n.next.val = k; n.next = n.next.next; }
     return n;",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    Node,
    Leaf,
    Root,
    Ints,
    Nodes,
}

impl Class {
    /// Whether objects of this class are instances of the other.
    pub fn is(self, other: Class) -> bool {
        self == other || (self == Class::Leaf && other == Class::Node)
    }

    pub fn name(self) -> &'static str {
        match self {
            Class::Node => "Node",
            Class::Leaf => "Leaf",
            Class::Root => "Root",
            Class::Ints => "int[]",
            Class::Nodes => "Node[]",
        }
    }

    fn named(name: &str) -> Option<Class> {
        let simple = name.rsplit('.').next().unwrap_or(name);
        let all = [Class::Node, Class::Leaf, Class::Root, Class::Ints, Class::Nodes];
        all.into_iter().find(|c| c.name() == simple)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Datum {
    Truth(bool),
    Int(i32),
    Long(i64),
    Ref(Option<usize>),
}

#[derive(Clone, Debug)]
pub struct Object {
    pub class: Class,
    pub fields: BTreeMap<String, Datum>,
    pub elements: Vec<Datum>,
}

impl Object {
    pub fn new(class: Class) -> Object {
        Object { class, fields: BTreeMap::new(), elements: Vec::new() }
    }
}

/// The objects that exist, by their numbers.
#[derive(Clone, Debug, Default)]
pub struct Heap(pub BTreeMap<usize, Object>);

impl Heap {
    /// The value of a field; that of an object which does not exist is the default.
    pub fn field(&self, object: usize, field: &str) -> Datum {
        let stored = self.0.get(&object).and_then(|o| o.fields.get(field));
        stored.copied().unwrap_or(match field {
            "val" | "size" | "small" => Datum::Int(0),
            "big" => Datum::Long(0),
            "mark" => Datum::Truth(false),
            _ => Datum::Ref(None),
        })
    }

    pub fn reference(&self, object: usize, field: &str) -> Option<usize> {
        match self.field(object, field) {
            Datum::Ref(to) => to,
            _ => None,
        }
    }

    pub fn of(&self, class: Class) -> impl Iterator<Item = usize> {
        self.0.iter().filter(move |(_, o)| o.class.is(class)).map(|(i, _)| *i)
    }

    fn set(&mut self, object: usize, field: &str, value: Datum) {
        if let Some(object) = self.0.get_mut(&object) {
            object.fields.insert(field.into(), value);
        }
    }

    fn add(&mut self, object: Object) -> usize {
        let number = self.0.keys().last().map_or(1000, |last| 1000.max(last + 1));
        self.0.insert(number, object);
        number
    }

    pub fn successors(&self, object: usize) -> Vec<usize> {
        let Some(object) = self.0.get(&object) else {
            return Vec::new();
        };
        let data = object.fields.values().chain(&object.elements);
        data.filter_map(|d| if let Datum::Ref(to) = d { *to } else { None }).collect()
    }
}

/// An execution: both heaps, the arguments and the result.
#[derive(Clone, Debug)]
pub struct World {
    pub before: Heap,
    pub after: Heap,
    pub r: Option<usize>,
    pub n: Option<usize>,
    pub k: i32,
    pub result: Option<usize>,
}

impl World {
    /// The execution of a body on the input that an assignment describes. Objects exist if the
    /// input says so or something that exists refers to them.
    pub fn new(program: &Program, input: &Assignment, body: usize) -> World {
        let mut objects: BTreeMap<usize, Object> = BTreeMap::new();
        let mut roots: BTreeSet<usize> = BTreeSet::new();
        let mut numbers = Numbers { program, found: Vec::new() };
        let (mut r, mut n, mut k) = (None, None, 0);
        let mut lengths: BTreeMap<usize, usize> = BTreeMap::new();
        for (key, value) in sorted(input) {
            match key {
                LeafKey::Parameter(0) => r = numbers.reference(value),
                LeafKey::Parameter(1) => n = numbers.reference(value),
                LeafKey::Parameter(_) => k = bits(value) as i32,
                LeafKey::Field(name, field) => {
                    let Some((object, class)) = numbers.number(name) else {
                        continue;
                    };
                    let name = program.field(*field).name.to_string();
                    let datum = match &*name {
                        "val" | "size" | "small" => Datum::Int(bits(value) as i32),
                        "big" => Datum::Long(bits(value) as i64),
                        "mark" => Datum::Truth(bits(value) & 1 == 1),
                        _ => Datum::Ref(numbers.reference(value)),
                    };
                    let object = objects.entry(object).or_insert_with(|| Object::new(class));
                    object.fields.insert(name, datum);
                }
                LeafKey::Length(name) => {
                    if let Some((object, class)) = numbers.number(name) {
                        objects.entry(object).or_insert_with(|| Object::new(class));
                        lengths.insert(object, bits(value) as usize);
                    }
                }
                LeafKey::Element(name, index) => {
                    if let Some((object, class)) = numbers.number(name) {
                        let datum = match class {
                            Class::Ints => Datum::Int(bits(value) as i32),
                            _ => Datum::Ref(numbers.reference(value)),
                        };
                        let object = objects.entry(object).or_insert_with(|| Object::new(class));
                        let default = match class {
                            Class::Ints => Datum::Int(0),
                            _ => Datum::Ref(None),
                        };
                        let index = *index as usize;
                        if object.elements.len() <= index {
                            object.elements.resize(index + 1, default);
                        }
                        object.elements[index] = datum;
                    }
                }
                LeafKey::Live(name) if bits(value) & 1 == 1 => {
                    roots.extend(numbers.number(name).map(|n| n.0));
                }
                _ => {}
            }
        }
        for (number, (_, class)) in numbers.found.iter().enumerate() {
            let object = objects.entry(number).or_insert_with(|| Object::new(*class));
            let default = if *class == Class::Ints { Datum::Int(0) } else { Datum::Ref(None) };
            object.elements.resize(lengths.get(&number).copied().unwrap_or(0), default);
        }
        roots.extend(r.into_iter().chain(n));
        let all = Heap(objects);
        let mut work: Vec<usize> = roots.iter().copied().collect();
        while let Some(object) = work.pop() {
            for next in all.successors(object) {
                if roots.insert(next) {
                    work.push(next);
                }
            }
        }
        let before = Heap(all.0.into_iter().filter(|o| roots.contains(&o.0)).collect());
        let mut world = World { after: before.clone(), before, r, n, k, result: None };
        world.result = world.run(body);
        world
    }

    fn run(&mut self, body: usize) -> Option<usize> {
        let World { after: heap, r, n, k, .. } = self;
        let (r, n, k) = (*r, *n, *k);
        match body {
            0 => n,
            1 => {
                let r = r?;
                let (first, second) = (heap.field(r, "first"), heap.field(r, "second"));
                heap.set(r, "first", second);
                heap.set(r, "second", first);
                if let Datum::Int(size) = heap.field(r, "size") {
                    heap.set(r, "size", Datum::Int(size.wrapping_add(1)));
                }
                heap.reference(r, "first")
            }
            2 => {
                let fresh = heap.add(Object::new(Class::Node));
                heap.set(fresh, "next", Datum::Ref(n));
                heap.set(fresh, "val", Datum::Int(k));
                if let Some(r) = r {
                    heap.set(r, "first", Datum::Ref(Some(fresh)));
                }
                Some(fresh)
            }
            3 => {
                if k <= 0 {
                    return None;
                }
                let fresh = heap.add(Object::new(Class::Node));
                heap.set(fresh, "other", Datum::Ref(Some(fresh)));
                heap.set(n?, "next", Datum::Ref(Some(fresh)));
                n
            }
            4 => {
                let Some(r) = r else {
                    return n;
                };
                let data = heap.reference(r, "data").and_then(|d| heap.0.get_mut(&d));
                if let Some(data) = data.filter(|d| d.elements.len() > 1) {
                    data.elements[0] = data.elements[1];
                    data.elements[1] = Datum::Int(k);
                }
                let nodes = heap.reference(r, "nodes").and_then(|d| heap.0.get_mut(&d));
                if let Some(first) = nodes.and_then(|d| d.elements.first_mut()) {
                    *first = Datum::Ref(n);
                }
                n
            }
            5 => {
                let r = r?;
                let mut array = Object::new(Class::Ints);
                array.elements = vec![Datum::Int(k), Datum::Int(1)];
                let array = heap.add(array);
                heap.set(r, "data", Datum::Ref(Some(array)));
                let leaf = heap.add(Object::new(Class::Leaf));
                heap.set(leaf, "big", Datum::Long(k.into()));
                heap.set(leaf, "next", heap.field(r, "first"));
                heap.set(leaf, "mark", Datum::Truth(true));
                heap.set(r, "second", Datum::Ref(Some(leaf)));
                Some(leaf)
            }
            6 => None,
            _ => {
                if let Some(n) = n
                    && let Some(next) = heap.reference(n, "next")
                {
                    let marked = heap.field(n, "mark") == Datum::Truth(true);
                    heap.set(n, "mark", Datum::Truth(!marked));
                    heap.set(next, "val", Datum::Int(k));
                    heap.set(n, "next", heap.field(next, "next"));
                }
                n
            }
        }
    }

    /// The execution in words.
    pub fn words(&self) -> String {
        let mut text = format!("  r={:?} n={:?} k={}\n", self.r, self.n, self.k);
        for (when, heap) in [("before", &self.before), ("after", &self.after)] {
            for (number, o) in &heap.0 {
                let fields: Vec<String> =
                    o.fields.iter().map(|(f, d)| format!("{f}={d:?}")).collect();
                let (class, fields) = (o.class, fields.join(" "));
                text.push_str(&format!("  {when} {class:?} {number}: {fields} {:?}\n", o.elements));
            }
        }
        text.push_str(&format!("  result {:?}\n", self.result));
        text
    }
}

/// The numbers of the objects of the input.
struct Numbers<'p> {
    program: &'p Program,
    found: Vec<(Name, Class)>,
}

impl Numbers<'_> {
    fn number(&mut self, name: &Name) -> Option<(usize, Class)> {
        let Name::Input(class, _) = name else {
            return None;
        };
        let class = Class::named(self.program.class_name(*class))?;
        let known = self.found.iter().position(|f| f.0 == *name);
        let number = known.unwrap_or_else(|| {
            self.found.push((name.clone(), class));
            self.found.len() - 1
        });
        Some((number, class))
    }

    fn reference(&mut self, value: &LeafValue) -> Option<usize> {
        match value {
            LeafValue::Object(name) => self.number(name).map(|n| n.0),
            LeafValue::Bits(_) => None,
        }
    }
}

fn bits(value: &LeafValue) -> u64 {
    match value {
        LeafValue::Bits(bits) => *bits,
        LeafValue::Object(_) => 0,
    }
}

fn sorted(input: &Assignment) -> Vec<(&LeafKey, &LeafValue)> {
    let mut all: Vec<(&LeafKey, &LeafValue)> = input.iter().collect();
    all.sort_by_cached_key(|e| format!("{:?}", e.0));
    all
}
