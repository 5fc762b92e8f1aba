//! A persistent sparse array: the representation of heaps and facts.
//!
//! A clone is O(1); a write copies one path of 16-way nodes unless it is not shared; two
//! versions are compared by pointer, so that merging two states costs only what differs between
//! them. (A hash trie does the same for any key; dense ids make this smaller and ordered.)

use std::rc::Rc;

const BITS: u32 = 4;
const FAN: usize = 1 << BITS;

#[derive(Clone)]
enum Node<T> {
    Inner([Option<Rc<Node<T>>>; FAN]),
    Leaf([Option<T>; FAN]),
}

/// A sparse array from `usize` to `T`.
#[derive(Clone)]
pub struct Radix<T> {
    root: Option<Rc<Node<T>>>,
    /// Inner levels above the leaves.
    height: u32,
}

impl<T: Clone> Default for Radix<T> {
    fn default() -> Radix<T> {
        Radix { root: None, height: 0 }
    }
}

impl<T: Clone> Radix<T> {
    /// The element at `index`, if it was set.
    pub fn get(&self, index: usize) -> Option<&T> {
        if index >> (BITS * (self.height + 1)) != 0 {
            return None;
        }
        let mut node = self.root.as_deref()?;
        let mut level = self.height;
        loop {
            match node {
                Node::Inner(children) => {
                    node = children[(index >> (BITS * level)) & (FAN - 1)].as_deref()?;
                    level -= 1;
                }
                Node::Leaf(items) => return items[index & (FAN - 1)].as_ref(),
            }
        }
    }

    /// The place of `index`, to be read or written; unshares the path to it.
    pub fn slot(&mut self, index: usize) -> &mut Option<T> {
        while index >> (BITS * (self.height + 1)) != 0 {
            if let Some(old) = self.root.take() {
                let mut children = [const { None }; FAN];
                children[0] = Some(old);
                self.root = Some(Rc::new(Node::Inner(children)));
            }
            self.height += 1;
        }
        let mut level = self.height;
        let mut node = Rc::make_mut(self.root.get_or_insert_with(|| empty(level)));
        loop {
            match node {
                Node::Inner(children) => {
                    let child = &mut children[(index >> (BITS * level)) & (FAN - 1)];
                    level -= 1;
                    node = Rc::make_mut(child.get_or_insert_with(|| empty(level)));
                }
                Node::Leaf(items) => return &mut items[index & (FAN - 1)],
            }
        }
    }

    /// Sets the element at `index`.
    pub fn set(&mut self, index: usize, value: T) {
        *self.slot(index) = Some(value);
    }

    /// Whether two versions are the same one.
    pub fn same(&self, other: &Radix<T>) -> bool {
        match (&self.root, &other.root) {
            (None, None) => true,
            (Some(a), Some(b)) => Rc::ptr_eq(a, b),
            (Some(_), None) | (None, Some(_)) => false,
        }
    }

    /// Indices at which the two versions may differ, ascending.
    pub fn differences(&self, other: &Radix<T>) -> Vec<usize> {
        let mut found = Vec::new();
        let height = self.height.max(other.height);
        let (a, b) = (self.lifted(height), other.lifted(height));
        differ(a.as_ref(), b.as_ref(), height, 0, &mut found);
        found
    }

    fn lifted(&self, height: u32) -> Option<Rc<Node<T>>> {
        let mut node = self.root.clone()?;
        for _ in self.height..height {
            let mut children = [const { None }; FAN];
            children[0] = Some(node);
            node = Rc::new(Node::Inner(children));
        }
        Some(node)
    }

    /// All elements, ascending.
    pub fn entries(&self) -> Vec<(usize, &T)> {
        let mut found = Vec::new();
        if let Some(root) = &self.root {
            collect(root, self.height, 0, &mut found);
        }
        found
    }
}

fn empty<T: Clone>(level: u32) -> Rc<Node<T>> {
    Rc::new(match level {
        0 => Node::Leaf([const { None }; FAN]),
        _ => Node::Inner([const { None }; FAN]),
    })
}

fn differ<T>(
    a: Option<&Rc<Node<T>>>,
    b: Option<&Rc<Node<T>>>,
    level: u32,
    base: usize,
    found: &mut Vec<usize>,
) {
    match (a, b) {
        (None, None) => return,
        (Some(a), Some(b)) if Rc::ptr_eq(a, b) => return,
        _ => {}
    }
    for i in 0..FAN {
        let at = base | i << (BITS * level);
        if level == 0 {
            let present = |n: Option<&Rc<Node<T>>>| match n.map(|n| &**n) {
                Some(Node::Leaf(items)) => items[i].is_some(),
                _ => false,
            };
            if present(a) || present(b) {
                found.push(at);
            }
        } else {
            let child = |n: Option<&Rc<Node<T>>>| match n.map(|n| &**n) {
                Some(Node::Inner(children)) => children[i].clone(),
                _ => None,
            };
            differ(child(a).as_ref(), child(b).as_ref(), level - 1, at, found);
        }
    }
}

fn collect<'a, T>(node: &'a Rc<Node<T>>, level: u32, base: usize, found: &mut Vec<(usize, &'a T)>) {
    match &**node {
        Node::Inner(children) => {
            for (i, child) in children.iter().enumerate() {
                if let Some(child) = child {
                    collect(child, level - 1, base | i << (BITS * level), found);
                }
            }
        }
        Node::Leaf(items) => {
            for (i, item) in items.iter().enumerate() {
                if let Some(item) = item {
                    found.push((base | i, item));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn behaves_like_a_map_and_shares_versions() {
        let mut seed = 7u64;
        let mut next = || {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            seed
        };
        let mut radix = Radix::default();
        let mut map = BTreeMap::new();
        for round in 0..50 {
            let (old, old_map) = (radix.clone(), map.clone());
            for _ in 0..next() % 20 {
                let at = (next() % 5000) as usize;
                radix.set(at, round);
                map.insert(at, round);
            }
            let changed: Vec<usize> = (0..5000).filter(|i| map.get(i) != old_map.get(i)).collect();
            let reported = radix.differences(&old);
            assert!(changed.iter().all(|c| reported.contains(c)));
            assert!(old_map.iter().all(|(k, v)| old.get(*k) == Some(v)));
            let all: Vec<(usize, i32)> = radix.entries().iter().map(|(i, v)| (*i, **v)).collect();
            assert_eq!(all, map.iter().map(|(k, v)| (*k, *v)).collect::<Vec<_>>());
        }
    }
}
