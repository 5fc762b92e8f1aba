//! Structures that lack one of the conditions for being a forest (`encode::forest`) and so have objects
//! that are held twice, and the one that lacks none.

use super::World;
use super::brute::{Heap, Id};
use super::cases::{kind, maybe, sure, world};

const NODE: usize = 1;
const BRANCHES: [usize; 2] = [0, 1];

fn below(heap: &Heap, node: Id, slot: usize) -> std::collections::BTreeSet<Id> {
    heap.reach(heap.at(node, slot), &BRANCHES)
}

fn is_acyclic(heap: &Heap, node: Id) -> bool {
    BRANCHES.iter().all(|slot| !below(heap, node, *slot).contains(&node))
}

fn is_apart(heap: &Heap, node: Id) -> bool {
    below(heap, node, 0).is_disjoint(&below(heap, node, 1))
}

fn is_tree(heap: &Heap, node: Id) -> bool {
    is_acyclic(heap, node) && is_apart(heap, node)
}

/// Whether something holds for all nodes that the first references of the owner lead to.
fn all(heap: &Heap, roots: usize, holds: impl Fn(&Heap, Id) -> bool) -> bool {
    let nodes = (0..roots).flat_map(|slot| heap.reach(heap.at((0, 0), slot), &BRANCHES));
    nodes.into_iter().all(|node| holds(heap, node))
}

const ACYCLIC: &str = "
/*@ nullable_by_default @*/ class Tree {
    Node root;
    /*@ invariant (\\forall Node n; \\reach(root, Node, left, right).has(n);
      @     !\\reach(n.left, Node, left, right).has(n) && !\\reach(n.right, Node, left, right).has(n));
      @*/
    void of() { }
}
/*@ nullable_by_default @*/ class Node { Node left, right; }";

const APART: &str = "
/*@ nullable_by_default @*/ class Tree {
    Node root;
    /*@ invariant (\\forall Node n; \\reach(root, Node, left, right).has(n);
      @     (\\forall Node m; \\reach(n.left, Node, left, right).has(m);
      @             !\\reach(n.right, Node, left, right).has(m)));
      @*/
    void of() { }
}
/*@ nullable_by_default @*/ class Node { Node left, right; }";

const TWO_ROOTS: &str = "
/*@ nullable_by_default @*/ class Tree {
    Node root, other;
    /*@ invariant (\\forall Node n; \\reach(root, Node, left, right).has(n);
      @     !\\reach(n.left, Node, left, right).has(n) && !\\reach(n.right, Node, left, right).has(n)
      @     && (\\forall Node m; \\reach(n.left, Node, left, right).has(m);
      @             !\\reach(n.right, Node, left, right).has(m)));
      @*/
    /*@ invariant (\\forall Node n; \\reach(other, Node, left, right).has(n);
      @     !\\reach(n.left, Node, left, right).has(n) && !\\reach(n.right, Node, left, right).has(n)
      @     && (\\forall Node m; \\reach(n.left, Node, left, right).has(m);
      @             !\\reach(n.right, Node, left, right).has(m)));
      @*/
    void of() { }
}
/*@ nullable_by_default @*/ class Node { Node left, right; }";

const INSIDE: &str = "
/*@ nullable_by_default @*/ class Tree {
    Node root;
    /*@ invariant (\\forall Node n; \\reach(root, Node, left, right).has(n);
      @     !\\reach(n.left, Node, left, right).has(n) && !\\reach(n.right, Node, left, right).has(n)
      @     && (\\forall Node m; \\reach(n.left, Node, left, right).has(m);
      @             !\\reach(n.right, Node, left, right).has(m)));
      @*/
    //@ requires \\reach(root, Node, left, right).has(given);
    void inside(/*@ non_null @*/ Node given) { }
}
/*@ nullable_by_default @*/ class Node { Node left, right; }";

const WITH_ARGUMENT: &str = "
/*@ nullable_by_default @*/ class Tree {
    Node root;
    void with(Node given) { }
}
/*@ nullable_by_default @*/ class Node {
    Node left, right;
    /*@ invariant !\\reach(left, Node, left, right).has(this)
      @     && !\\reach(right, Node, left, right).has(this)
      @     && (\\forall Node m; \\reach(left, Node, left, right).has(m);
      @             !\\reach(right, Node, left, right).has(m));
      @*/
}";

const BESIDE: &str = "
/*@ nullable_by_default @*/ class Tree {
    Node root;
    /*@ invariant (\\forall Node n; \\reach(root, Node, left, right).has(n);
      @     !\\reach(n.left, Node, left, right).has(n) && !\\reach(n.right, Node, left, right).has(n)
      @     && (\\forall Node m; \\reach(n.left, Node, left, right).has(m);
      @             !\\reach(n.right, Node, left, right).has(m)));
      @*/
    void of() { }
}
/*@ nullable_by_default @*/ class Node { Node left, right, beside; }";

/// All of them, and a tree with a node of it as an argument.
pub fn worlds() -> Vec<World> {
    let branches = || vec![maybe("left", &[NODE]), maybe("right", &[NODE])];
    let tree = |java, method, roots: &[&'static str], slots, arguments| {
        let of_tree = roots.iter().map(|root| maybe(root, &[NODE])).collect();
        let kinds = vec![kind("Tree", 1, of_tree), kind("Node", 3, slots)];
        let mut roots = vec![sure("receiver", &[0])];
        roots.extend(arguments);
        world("joined branches", java, method, kinds, &[&[0], &[1]], roots)
    };
    let plain = tree(ACYCLIC, "Tree.of", &["root"], branches(), None);
    let acyclic = World { shape: |heap| all(heap, 1, is_acyclic), ..plain };
    let plain = tree(APART, "Tree.of", &["root"], branches(), None);
    let apart = World { shape: |heap| all(heap, 1, is_apart), ..plain };
    let plain = tree(TWO_ROOTS, "Tree.of", &["root", "other"], branches(), None);
    let two_roots = World { shape: |heap| all(heap, 2, is_tree), ..plain };
    let given = Some(maybe("parameter 0", &[NODE]));
    let plain = tree(WITH_ARGUMENT, "Tree.with", &["root"], branches(), given);
    let everywhere = |heap: &Heap| heap.of(NODE).all(|node| is_tree(heap, node));
    let with_argument = World { shape: everywhere, ..plain };
    let given = Some(sure("parameter 0", &[NODE]));
    let plain = tree(INSIDE, "Tree.inside", &["root"], branches(), given);
    let is_inside = |heap: &Heap| {
        let nodes = heap.reach(heap.at((0, 0), 0), &BRANCHES);
        all(heap, 1, is_tree) && heap.roots[1].is_some_and(|given| nodes.contains(&given))
    };
    let inside = World { shape: is_inside, ..plain };
    let mut slots = branches();
    slots.push(maybe("beside", &[NODE]));
    let plain = tree(BESIDE, "Tree.of", &["root"], slots, None);
    let beside = World { shape: |heap| all(heap, 1, is_tree), ..plain };
    vec![acyclic, apart, two_roots, with_argument, inside, beside]
}
