//! Worlds that are enumerated: shapes of classes with an invariant that says nothing, and
//! structures with real invariants, which are evaluated here once more.

use super::World;
use super::brute::{Heap, Holds, Id, Kind, Slot};

pub(super) fn maybe(name: &'static str, of: &[usize]) -> Slot {
    Slot { name, holds: Holds::Object { of: of.to_vec(), nullable: true } }
}

pub(super) fn sure(name: &'static str, of: &[usize]) -> Slot {
    Slot { name, holds: Holds::Object { of: of.to_vec(), nullable: false } }
}

fn number(name: &'static str, from: i64, to: i64) -> Slot {
    Slot { name, holds: Holds::Number((from..=to).collect()) }
}

pub(super) fn kind(name: &'static str, most: u32, slots: Vec<Slot>) -> Kind {
    Kind { name, most, slots, is_array: false }
}

/// An array with two elements at most.
fn array(name: &'static str, most: u32, of: &[usize]) -> Kind {
    let slots = vec![number("length", 0, 2), maybe("0", of), maybe("1", of)];
    Kind { name, most, slots, is_array: true }
}

fn anything(_: &Heap) -> bool {
    true
}

pub(super) fn world(
    name: &'static str,
    java: &'static str,
    method: &'static str,
    kinds: Vec<Kind>,
    groups: &[&[usize]],
    roots: Vec<Slot>,
) -> World {
    let groups = groups.iter().map(|g| g.to_vec()).collect();
    let (shape, numbers) = (anything as fn(&Heap) -> bool, anything as fn(&Heap) -> bool);
    World { name, java, method, kinds, groups, roots, array_length: 2, shape, numbers }
}

const ONE: &str = "
/*@ nullable_by_default @*/ class Node {
    Node next;
    //@ invariant true;
    void of() { }
    static void two(Node a, Node b) { }
    void sure(/*@ non_null @*/ Node a) { }
    void both(Node a, Node b) { }
}";

const TWO: &str = "
/*@ nullable_by_default @*/ class Tree {
    Tree left, right;
    //@ invariant true;
    void of() { }
    void one(Tree a) { }
}";

/// One class with references to itself.
fn single() -> Vec<World> {
    let one = |most| vec![kind("Node", most, vec![maybe("next", &[0])])];
    let two = |most| vec![kind("Tree", most, vec![maybe("left", &[0]), maybe("right", &[0])])];
    let receiver = || sure("receiver", &[0]);
    let parameters = || vec![maybe("parameter 0", &[0]), maybe("parameter 1", &[0])];
    let mut all = Vec::new();
    for most in 1..=4 {
        all.push(world("one reference", ONE, "Node.of", one(most), &[&[0]], vec![receiver()]));
    }
    for most in 1..=3 {
        all.push(world("two references", TWO, "Tree.of", two(most), &[&[0]], vec![receiver()]));
        all.push(world("two parameters", ONE, "Node.two", one(most), &[&[0]], parameters()));
        let roots = vec![receiver(), sure("parameter 0", &[0])];
        all.push(world("a sure parameter", ONE, "Node.sure", one(most), &[&[0]], roots));
        let mut roots = parameters();
        roots.insert(0, receiver());
        all.push(world("three roots", ONE, "Node.both", one(most), &[&[0]], roots));
        let roots = vec![receiver(), maybe("parameter 0", &[0])];
        all.push(world("two references, two roots", TWO, "Tree.one", two(most), &[&[0]], roots));
    }
    let java = "
/*@ nullable_by_default @*/ class Node {
    Node a, b, c;
    //@ invariant true;
    void of() { }
}";
    for most in 1..=3 {
        let slots = vec![maybe("a", &[0]), maybe("b", &[0]), maybe("c", &[0])];
        let kinds = vec![kind("Node", most, slots)];
        all.push(world("three references", java, "Node.of", kinds, &[&[0]], vec![receiver()]));
    }
    let java = "
class Node {
    /*@ non_null @*/ Node next;
    /*@ nullable @*/ Node other;
    //@ invariant true;
    void of() { }
}";
    let kinds = vec![kind("Node", 3, vec![sure("next", &[0]), maybe("other", &[0])])];
    all.push(world(
        "a reference that is not null",
        java,
        "Node.of",
        kinds,
        &[&[0]],
        vec![receiver()],
    ));
    let java = "
/*@ nullable_by_default @*/ class Node {
    final Node next;
    Node other;
    //@ invariant true;
    Node(Node next) { this.next = next; }
    void of() { }
}";
    let kinds = vec![kind("Node", 3, vec![maybe("next", &[0]), maybe("other", &[0])])];
    all.push(world("a final field", java, "Node.of", kinds, &[&[0]], vec![receiver()]));
    let java = "
/*@ nullable_by_default @*/ class Node {
    Node next;
    static Node first, last;
    //@ invariant true;
    void of() { }
    static void nothing() { }
}";
    let statics = || vec![maybe("first", &[0]), maybe("last", &[0])];
    for most in 1..=3 {
        let mut roots = statics();
        roots.insert(0, receiver());
        all.push(world("static roots", java, "Node.of", one(most), &[&[0]], roots));
        all.push(world("only static roots", java, "Node.nothing", one(most), &[&[0]], statics()));
    }
    all
}

/// Classes that lead to each other or to others.
fn several() -> Vec<World> {
    let receiver = || vec![sure("receiver", &[0])];
    let mut all = Vec::new();
    let java = "
/*@ nullable_by_default @*/ class List {
    Node head, tail;
    //@ invariant true;
    void of() { }
}
/*@ nullable_by_default @*/ class Node { Node next; List owner; }";
    for (lists, nodes) in [(1, 1), (1, 3), (2, 2), (2, 3), (3, 2)] {
        let kinds = vec![
            kind("List", lists, vec![maybe("head", &[1]), maybe("tail", &[1])]),
            kind("Node", nodes, vec![maybe("next", &[1]), maybe("owner", &[0])]),
        ];
        all.push(world("a back pointer", java, "List.of", kinds, &[&[0, 1]], receiver()));
    }
    let java = "
/*@ nullable_by_default @*/ class List {
    Node head, tail;
    List more;
    //@ invariant true;
    void of(Node given) { }
}
/*@ nullable_by_default @*/ class Node { Node next; }";
    for (lists, nodes) in [(1, 3), (2, 2), (3, 2), (2, 3)] {
        let kinds = vec![
            kind(
                "List",
                lists,
                vec![maybe("head", &[1]), maybe("tail", &[1]), maybe("more", &[0])],
            ),
            kind("Node", nodes, vec![maybe("next", &[1])]),
        ];
        let roots = vec![sure("receiver", &[0]), maybe("parameter 0", &[1])];
        all.push(world("owners first", java, "List.of", kinds, &[&[0], &[1]], roots));
    }
    let java = "
/*@ nullable_by_default @*/ class A {
    B ab;
    A aa;
    //@ invariant true;
    void of(B other) { }
}
/*@ nullable_by_default @*/ class B { A ba; B bb; }";
    for (a, b) in [(1, 1), (2, 2), (1, 3), (3, 1), (3, 2)] {
        let kinds = vec![
            kind("A", a, vec![maybe("ab", &[1]), maybe("aa", &[0])]),
            kind("B", b, vec![maybe("ba", &[0]), maybe("bb", &[1])]),
        ];
        let roots = vec![sure("receiver", &[0]), maybe("parameter 0", &[1])];
        all.push(world("two classes in a circle", java, "A.of", kinds, &[&[0, 1]], roots));
    }
    let java = "
/*@ nullable_by_default @*/ class A {
    B ab;
    C ac;
    //@ invariant true;
    void of() { }
}
/*@ nullable_by_default @*/ class B { C bc; }
/*@ nullable_by_default @*/ class C { A ca; C cc; }";
    for (a, b, c) in [(1, 1, 1), (2, 2, 2), (1, 2, 3), (2, 1, 3), (3, 2, 1)] {
        let kinds = vec![
            kind("A", a, vec![maybe("ab", &[1]), maybe("ac", &[2])]),
            kind("B", b, vec![maybe("bc", &[2])]),
            kind("C", c, vec![maybe("ca", &[0]), maybe("cc", &[2])]),
        ];
        all.push(world("three classes", java, "A.of", kinds, &[&[0, 1, 2]], receiver()));
    }
    let java = "
/*@ nullable_by_default @*/ class Outer {
    Inner first;
    int value;
    //@ invariant true;
    void of() { }
    /*@ nullable_by_default @*/ class Inner {
        Inner next;
        int get() { return value; }
        void in() { }
    }
}";
    for (outer, inner) in [(1, 1), (2, 2), (1, 3), (2, 3)] {
        let kinds = || {
            let slots = vec![maybe("next", &[1]), sure("this$0", &[0])];
            vec![
                kind("Outer", outer, vec![maybe("first", &[1])]),
                kind("Outer$Inner", inner, slots),
            ]
        };
        all.push(world("an inner class", java, "Outer.of", kinds(), &[&[0, 1]], receiver()));
        let roots = vec![sure("receiver", &[1])];
        all.push(world("from an inner class", java, "Outer$Inner.in", kinds(), &[&[0, 1]], roots));
    }
    all
}

/// Fields that hold objects of several classes, and arrays.
fn mixed() -> Vec<World> {
    let mut all = Vec::new();
    let java = "
/*@ nullable_by_default @*/ class Node {
    Node next;
    //@ invariant true;
    void of() { }
}
/*@ nullable_by_default @*/ class Leaf extends Node { Node extra; }";
    for (nodes, leaves) in [(1, 1), (2, 1), (1, 2), (2, 2), (3, 1)] {
        let kinds = vec![
            kind("Node", nodes, vec![maybe("next", &[0, 1])]),
            kind("Leaf", leaves, vec![maybe("next", &[0, 1]), maybe("extra", &[0, 1])]),
        ];
        let roots = vec![sure("receiver", &[0, 1])];
        all.push(world("a subclass", java, "Node.of", kinds, &[&[0, 1]], roots));
    }
    let java = "
interface Item { }
/*@ nullable_by_default @*/ class Box implements Item {
    Item item;
    Box next;
    //@ invariant true;
    void of() { }
    void with(Item other) { }
}
/*@ nullable_by_default @*/ class Dot implements Item { Box from; }
/*@ nullable_by_default @*/ class Tag implements Item { }";
    for (boxes, dots, tags) in [(1, 1, 1), (2, 1, 1), (1, 2, 2), (2, 2, 2)] {
        let kinds = || {
            vec![
                kind("Box", boxes, vec![maybe("item", &[0, 1, 2]), maybe("next", &[0])]),
                kind("Dot", dots, vec![maybe("from", &[0])]),
                kind("Tag", tags, vec![]),
            ]
        };
        let roots = || vec![sure("receiver", &[0])];
        all.push(world("an interface", java, "Box.of", kinds(), &[&[0, 1], &[2]], roots()));
        let mut roots = roots();
        roots.push(maybe("parameter 0", &[0, 1, 2]));
        all.push(world("an interface as root", java, "Box.with", kinds(), &[&[0, 1], &[2]], roots));
    }
    let java = "
/*@ nullable_by_default @*/ class Node {
    Node[] children;
    //@ invariant true;
    void of() { }
    static void given(Node[] some, Node[] more) { }
}";
    for (nodes, arrays) in [(1, 1), (2, 1), (1, 2), (2, 2), (3, 2)] {
        let kinds = || {
            vec![kind("Node", nodes, vec![maybe("children", &[1])]), array("Node[]", arrays, &[0])]
        };
        let roots = vec![sure("receiver", &[0])];
        all.push(world("an array", java, "Node.of", kinds(), &[&[0, 1]], roots));
        let roots = vec![maybe("parameter 0", &[1]), maybe("parameter 1", &[1])];
        all.push(world("arrays as roots", java, "Node.given", kinds(), &[&[1, 0]], roots));
    }
    all
}

/// All shapes without a real invariant; those with many heaps only if that is wanted.
pub fn shapes(many: bool) -> Vec<World> {
    let mut all = single();
    all.extend(several());
    all.extend(mixed());
    let size = |world: &World| {
        let slots = |k: &super::brute::Kind| k.most as usize * k.slots.len();
        world.roots.len() + world.kinds.iter().map(slots).sum::<usize>()
    };
    all.retain(|world| many || size(world) < 10);
    all
}

/// A list that ends with an object which its class keeps.
pub fn with_constant() -> World {
    let java = "
/*@ nullable_by_default @*/ class Node {
    static final Node END = new Node();
    Node next;
    //@ invariant next != null && (next == END || \\reach(next, Node, next).has(END));
    void of() { }
}";
    let kinds = vec![kind("Node", 2, vec![maybe("next", &[0])])];
    world("a constant", java, "Node.of", kinds, &[&[0]], vec![sure("receiver", &[0])])
}

const NODE: usize = 1;

/// The node after the one, of a list whose links are in slot 0.
fn next(heap: &Heap, id: Id) -> Option<Id> {
    heap.at(id, 0)
}

fn acyclic(heap: &Heap) -> bool {
    heap.of(NODE).all(|n| !heap.reach(next(heap, n), &[0]).contains(&n))
}

fn circular(heap: &Heap) -> bool {
    heap.of(NODE).all(|n| {
        let around = heap.reach(next(heap, n), &[0]);
        let before = heap.at(n, 1);
        around.contains(&n) && before.is_some_and(|b| next(heap, b) == Some(n))
    })
}

fn is_tree(heap: &Heap) -> bool {
    let root = heap.objects.keys().find(|id| id.0 == 0).and_then(|t| heap.at(*t, 0));
    let nodes = heap.reach(root, &[0, 1]);
    let apart = |n: &Id| {
        let (left, right) =
            (heap.reach(heap.at(*n, 0), &[0, 1]), heap.reach(heap.at(*n, 1), &[0, 1]));
        left.is_disjoint(&right) && !left.contains(n) && !right.contains(n)
    };
    nodes.iter().all(apart)
}

fn is_sorted(heap: &Heap) -> bool {
    heap.of(NODE).all(|n| {
        let value = |m: &Id| heap.number(*m, 2);
        let (left, right) =
            (heap.reach(heap.at(n, 0), &[0, 1]), heap.reach(heap.at(n, 1), &[0, 1]));
        left.iter().all(|m| value(m) < value(&n)) && right.iter().all(|m| value(m) > value(&n))
    })
}

fn has_heights(heap: &Heap) -> bool {
    heap.of(NODE).all(|n| {
        let height = |child: Option<Id>| child.map_or(0, |c| heap.number(c, 2));
        heap.number(n, 2) == 1 + height(heap.at(n, 0)).max(height(heap.at(n, 1)))
    })
}

fn is_sized(heap: &Heap) -> bool {
    heap.of(0).all(|l| heap.number(l, 1) == heap.reach(heap.at(l, 0), &[0]).len() as i64)
}

fn is_coloured(heap: &Heap) -> bool {
    let red = |n: Id| heap.number(n, 1) == 1;
    let fits = |n: Id| next(heap, n).is_none_or(|m| !(red(n) && red(m)));
    let colour = |n: Id| (-1..=1).contains(&heap.number(n, 2));
    let first = |l: Id| heap.at(l, 0).is_none_or(|n| !red(n));
    heap.of(NODE).all(|n| fits(n) && colour(n)) && heap.of(0).all(first)
}

fn is_short(heap: &Heap) -> bool {
    heap.of(0).all(|l| heap.reach(heap.at(l, 0), &[0]).len() == 2)
}

/// Structures with invariants.
pub fn structures() -> Vec<World> {
    let mut all = Vec::new();
    let list = |most, slots: Vec<Slot>, of_list: Vec<Slot>| {
        vec![kind("List", 1, of_list), kind("Node", most, slots)]
    };
    let head = || maybe("head", &[NODE]);
    let link = || maybe("next", &[NODE]);
    let receiver = || vec![sure("receiver", &[0])];
    let groups: &[&[usize]] = &[&[0], &[1]];
    let java = "
/*@ nullable_by_default @*/ class List {
    Node head;
    //@ invariant (\\forall Node n; \\reach(head, Node, next).has(n); !\\reach(n.next, Node, next).has(n));
    void of() { }
    void with(Node given) { }
}
/*@ nullable_by_default @*/ class Node { Node next; }";
    for most in 1..=4 {
        let kinds = list(most, vec![link()], vec![head()]);
        let acyclic_list = world("an acyclic list", java, "List.of", kinds, groups, receiver());
        all.push(World { shape: acyclic, ..acyclic_list });
    }
    let from_head = |heap: &Heap| {
        let nodes = heap.reach(heap.at((0, 0), 0), &[0]);
        nodes.iter().all(|n| !heap.reach(next(heap, *n), &[0]).contains(n))
    };
    for most in 1..=3 {
        let kinds = list(most, vec![link()], vec![head()]);
        let mut roots = receiver();
        roots.push(maybe("parameter 0", &[NODE]));
        let given = world("a list and a node", java, "List.with", kinds, groups, roots);
        all.push(World { shape: from_head, ..given });
    }
    let java = "
/*@ nullable_by_default @*/ class List {
    Node head;
    int size;
    //@ invariant (\\forall Node n; \\reach(head, Node, next).has(n); !\\reach(n.next, Node, next).has(n));
    //@ invariant size == \\reach(head, Node, next).int_size();
    void of() { }
}
/*@ nullable_by_default @*/ class Node { Node next; }";
    let kinds = list(3, vec![link()], vec![head(), number("size", -1, 4)]);
    let sized = world("a size", java, "List.of", kinds, groups, receiver());
    all.push(World { shape: acyclic, numbers: is_sized, ..sized });
    let java = "
/*@ nullable_by_default @*/ class List {
    Node head;
    //@ invariant head != null && head.next != null && head.next.next == null;
    void of() { }
}
/*@ nullable_by_default @*/ class Node { Node next; }";
    let kinds = list(3, vec![link()], vec![head()]);
    let short = |heap: &Heap| acyclic(heap) && is_short(heap);
    let two = world("exactly two nodes", java, "List.of", kinds, groups, receiver());
    all.push(World { shape: short, ..two });
    let java = "
/*@ nullable_by_default @*/ class List {
    Node head;
    //@ invariant head != null ==> (\\forall Node n; \\reach(head, Node, next, prev).has(n); n.next != null && n.prev != null && \\reach(n.next, Node, next).has(n) && n.prev.next == n);
    void of() { }
}
/*@ nullable_by_default @*/ class Node { Node next, prev; }";
    for most in 1..=3 {
        let kinds = list(most, vec![link(), maybe("prev", &[NODE])], vec![head()]);
        let ring = world("a circular list", java, "List.of", kinds, groups, receiver());
        all.push(World { shape: circular, ..ring });
    }
    let java = "
/*@ nullable_by_default @*/ class List {
    Node head;
    //@ invariant head != null ==> !head.red;
    //@ invariant (\\forall Node n; \\reach(head, Node, next).has(n); !\\reach(n.next, Node, next).has(n));
    void of() { }
}
/*@ nullable_by_default @*/ class Node {
    Node next;
    boolean red;
    byte shade;
    //@ invariant next != null && red ==> !next.red;
    //@ invariant -1 <= shade && shade <= 1;
}";
    let slots = vec![link(), number("red", 0, 1), number("shade", -2, 2)];
    let kinds = list(3, slots, vec![head()]);
    let coloured = world("colours", java, "List.of", kinds, groups, receiver());
    all.push(World { shape: acyclic, numbers: is_coloured, ..coloured });
    all.extend(trees());
    all
}

fn trees() -> Vec<World> {
    let mut all = Vec::new();
    let children = || vec![maybe("left", &[NODE]), maybe("right", &[NODE])];
    let tree = |most, slots| {
        vec![kind("Tree", 1, vec![maybe("root", &[NODE])]), kind("Node", most, slots)]
    };
    let receiver = || vec![sure("receiver", &[0])];
    let groups: &[&[usize]] = &[&[0], &[1]];
    let java = "
/*@ nullable_by_default @*/ class Tree {
    Node root;
    /*@ invariant (\\forall Node n; \\reach(root, Node, left, right).has(n);
      @     !\\reach(n.left, Node, left, right).has(n) && !\\reach(n.right, Node, left, right).has(n)
      @     && (\\forall Node m; \\reach(n.left, Node, left, right).has(m);
      @             !\\reach(n.right, Node, left, right).has(m)));
      @*/
    void of() { }
}
/*@ nullable_by_default @*/ class Node { Node left, right; }";
    for most in 1..=4 {
        let plain = world("a tree", java, "Tree.of", tree(most, children()), groups, receiver());
        all.push(World { shape: is_tree, ..plain });
    }
    let java = "
/*@ nullable_by_default @*/ class Tree {
    Node root;
    /*@ invariant (\\forall Node n; \\reach(root, Node, left, right).has(n);
      @     !\\reach(n.left, Node, left, right).has(n) && !\\reach(n.right, Node, left, right).has(n)
      @     && (\\forall Node m; \\reach(n.left, Node, left, right).has(m); m.value < n.value)
      @     && (\\forall Node m; \\reach(n.right, Node, left, right).has(m); m.value > n.value));
      @*/
    void of() { }
}
/*@ nullable_by_default @*/ class Node { Node left, right; int value; }";
    for most in 1..=3 {
        let mut slots = children();
        slots.push(number("value", 0, i64::from(most) - 1));
        let sorted = world("a sorted tree", java, "Tree.of", tree(most, slots), groups, receiver());
        // That it is a tree follows from the order.
        all.push(World { shape: is_tree, numbers: is_sorted, ..sorted });
    }
    let java = "
/*@ nullable_by_default @*/ class Tree {
    Node root;
    //@ invariant true;
    void of() { }
}
/*@ nullable_by_default @*/ class Node {
    Node left, right;
    int height;
    //@ invariant left == null && right == null ==> height == 1;
    //@ invariant left != null && right == null ==> height == left.height + 1;
    //@ invariant left == null && right != null ==> height == right.height + 1;
    //@ invariant left != null && right != null ==> height == 1 + (left.height > right.height ? left.height : right.height);
    //@ invariant 0 <= height && height <= 10;
}";
    for most in 1..=3 {
        let mut slots = children();
        slots.push(number("height", 0, 4));
        let tall = world("heights", java, "Tree.of", tree(most, slots), groups, receiver());
        all.push(World { numbers: has_heights, ..tall });
    }
    all
}
