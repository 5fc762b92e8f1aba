//! Contracts of classes: null by default, invariants, fields of specifications, formulas.

mod world;

use ir::{Nullness, SpecField};
use world::World;

const NODE: &str = "
class p.Node
  field p.Node next
  field int value
";

fn with_node(classes: &str) -> String {
    format!("{NODE}{classes}")
}

#[test]
fn gaps_of_types_and_files_belong_to_classes() {
    let world = World::new(
        "class T
class T$In",
        "//@ requires true;
class T { //@ axiom true;
  //@ invariant x > 0;
  class In { //@ axiom false;
  }
}",
    );
    let file_gap = "1:5: no method follows this specification";
    assert!(world.class_gaps("T$In").iter().any(|g| g == "`axiom` is not supported"));
    let outer = world.class_gaps("T");
    assert!(outer.iter().any(|g| g == "`axiom` is not supported"), "{outer:?}");
    assert!(outer.iter().any(|g| g == "3:17: `x` is not known here"), "{outer:?}");
    assert!(outer.iter().any(|g| g == file_gap), "{outer:?}");
}

#[test]
fn references_are_non_null_where_there_is_jml() {
    use Nullness::{NonNull, Nullable, Unspecified};
    let classes = "
class p.T
  field p.Node f
  field p.Node g
  field p.Node h
  field int i
  static field p.Node s
  static final field p.Node C
  @Nullable field p.Node annotated
  method p.Node m(p.Node,p.Node,int)
  method p.Node q(p.Node)
  @Nullable method p.Node a(p.Node) @Nullables
class p.T$In
  method p.Node m(p.Node,p.Node)";
    let source = "package p; class T {
  Node f, g; /*@ nullable @*/ Node h; int i; static Node s; static final Node C = null;
  Node annotated;
  Node m(Node a, /*@ nullable @*/ Node b, int c) { return a; }
  /*@ nullable @*/ Node q(Node a) { return a; }
  Node a(Node x) { return x; }
  /*@ nullable_by_default */ class In { Node m(Node a, /*@ non_null */ Node b) { return a; } }
}";
    let world = World::new(&with_node(classes), source);
    assert_eq!(world.mistakes(), [""; 0]);
    let m = world.contract("p.T", "m");
    assert_eq!(m.parameter_nullness, [NonNull, Nullable, Unspecified]);
    let result = m.result_nullness.unwrap();
    assert_eq!(
        (result.nullness, &*result.site.text),
        (NonNull, "the result is non-null by default")
    );
    assert_eq!(result.site.span.line, 4);
    assert_eq!(world.contract("p.T", "q").result_nullness.unwrap().nullness, Nullable);
    let annotated = world.contract("p.T", "a");
    assert_eq!((annotated.parameter_nullness, annotated.result_nullness), (vec![], None));
    let inner = world.contract("p.T$In", "m");
    assert_eq!(inner.parameter_nullness, [Nullable, NonNull]);
    assert_eq!(inner.result_nullness.unwrap().nullness, Nullable);
    assert_eq!(world.invariants("p.T"), ["!(this.f === null)", "!(this.g === null)"]);
    assert_eq!(world.static_invariants("p.T"), ["!(T.s === null)"]);
    let mut fields: Vec<(&str, Nullness)> = world
        .contracts
        .fields
        .iter()
        .map(|(field, nullness)| (world.program.field(*field).name.as_str(), *nullness))
        .collect();
    fields.sort();
    assert_eq!(
        fields,
        [("C", NonNull), ("f", NonNull), ("g", NonNull), ("h", Nullable), ("s", NonNull)]
    );
    let class = &world.contracts.classes[&world.class("p.T")];
    assert_eq!(&*class.invariants[0].site.text, "f is non-null by default");
    assert_eq!(class.invariants[0].site.span.line, 2);
}

#[test]
fn without_jml_nothing_is_said() {
    let world = World::new(
        &with_node("class p.T\n  field p.Node f\n  method p.Node m(p.Node)"),
        "package p; class T { Node f; Node m(Node a) { return a; } }",
    );
    assert!(world.contracts.methods.is_empty());
    assert!(world.contracts.classes.is_empty());
    assert!(world.contracts.fields.is_empty());
}

#[test]
fn records_say_null_once() {
    use Nullness::{NonNull, Nullable};
    let world = World::new(
        &with_node(
            "record p.R
  field p.Node a
  field p.Node b
  method void <init>(p.Node,p.Node)
  method p.Node a()
  method p.Node b()",
        ),
        "package p; record R(Node a, /*@ nullable */ Node b) { }",
    );
    assert_eq!(world.contract("p.R", "<init>").parameter_nullness, [NonNull, Nullable]);
    assert_eq!(world.contract("p.R", "a").result_nullness.unwrap().nullness, NonNull);
    assert_eq!(world.contract("p.R", "b").result_nullness.unwrap().nullness, Nullable);
    assert_eq!(world.invariants("p.R"), ["!(this.a === null)"]);
    let compact = World::new(
        "record R
  field int n
  method void <init>(int)",
        "record R(int n) { //@ requires n > 0;
  R { } }",
    );
    assert_eq!(compact.cases("R", "<init>"), ["Anyhow; requires (n > 0)"]);
}

#[test]
fn class_clauses() {
    let world = World::new(
        "class T
  field int x
  static field int y
interface I
  static final field int z",
        "class T {
  //@ invariant x > 0;
  //@ static invariant y > 0;
  //@ static invariant x > 0;
  //@ invariant \\old(x) > 0;
  //@ initially x == 0;
  //@ constraint x >= \\old(x);
  //@ static constraint y >= \\old(y);
}
interface I {
  //@ invariant z > 0;
  //@ instance invariant z > 1;
  //@ invariant this != null;
}",
    );
    assert_eq!(
        world.mistakes(),
        ["4:24: there is no `this` here", "5:17: `\\old` has no meaning here"]
    );
    assert_eq!(world.invariants("T"), ["(this.x > 0)"]);
    assert_eq!(world.static_invariants("T"), ["(T.y > 0)"]);
    assert_eq!(world.static_invariants("I"), ["(I.z > 0)"]);
    assert_eq!(world.invariants("I"), ["(I.z > 1)", "!(this === null)"]);
    let contract = &world.contracts.classes[&world.class("T")];
    let none = spec::core::Contract::default();
    assert_eq!(world.show(&contract.initially[0], &none), "(this.x == 0)");
    assert_eq!(world.show(&contract.constraints[0], &none), "(this.x >= \\old(this.x))");
    assert_eq!(world.show(&contract.static_constraints[0], &none), "(T.y >= \\old(T.y))");
    assert_eq!(world.class_gaps("T").len(), 2);
}

#[test]
fn fields_of_specifications() {
    let world = World::new(
        "class A
  field int x
  method int m(B)
class B extends A
interface I",
        "class A {
  //@ ghost int g = x + 1;
  //@ static ghost long total;
  //@ model int size;
  //@ represents size = x;
  //@ represents size = x;
  //@ represents x = 1;
  //@ represents sizee = 1;
  //@ ghost int x;
  //@ ghost \\bigint huge;
  //@ represents size \\such_that size > 0;
  //@ ghost int wrong = true;
  //@ requires b.g == size && A.total > b.inB && I.shared == 0;
  //@ assignable size, b.g, b.inB, A.*;
  int m(B b) { return 0; }
}
class B extends A {
  //@ ghost int inB;
  //@ represents size = x + 1;
}
interface I {
  //@ ghost int shared;
  //@ instance ghost int each;
}",
    );
    assert_eq!(
        world.mistakes(),
        [
            "6:18: `size` is represented twice",
            "7:18: `x` is no model field",
            "8:18: there is no model field `sizee` (did you mean `size`?)",
            "9:17: the class has a field `x` already",
            "12:25: an int is needed here, but this is a boolean",
        ]
    );
    assert_eq!(
        world.cases("A", "m"),
        [
            "Anyhow; requires (((b.g == this.size) && (A.total > (long) b.inB)) && (I.shared == 0)); \
          assignable this.*, b.g, b.inB, A.*"
        ]
    );
    let gaps = world.class_gaps("A");
    assert!(gaps.contains(&"`\\such_that` is not supported".to_string()), "{gaps:?}");
    let none = spec::core::Contract::default();
    let a = &world.contracts.classes[&world.class("A")];
    let ghosts: Vec<(String, Option<String>)> = a
        .ghosts
        .iter()
        .map(|(field, first)| {
            let name = world.program.field(*field).name.clone();
            (name, first.as_ref().map(|first| world.show(first, &none)))
        })
        .collect();
    assert_eq!(
        ghosts,
        [("g".into(), Some("(this.x + 1)".into())), ("total".into(), None), ("wrong".into(), None),]
    );
    let b = &world.contracts.classes[&world.class("B")];
    let (field, clause) = b.represents.iter().next().unwrap();
    assert_eq!(world.program.field(*field).specified, Some(SpecField::Model));
    assert_eq!(world.program.field(*field).class, world.class("A"));
    assert_eq!(world.show(clause, &none), "(this.x + 1)");
    let i = &world.contracts.classes[&world.class("I")];
    let is_static: Vec<bool> =
        i.ghosts.iter().map(|(f, _)| world.program.field(*f).is_static).collect();
    assert_eq!(is_static, [true, false]);
}

#[test]
fn formulas_join_light_cases_and_stand_beside_others() {
    let world = World::new(
        "class T
  field int x
  static field int y
  method int light(int)
  method int heavy(int)
  method int alone(int)",
        "class T {
  //$ invariant this.x > 0
  //$ static invariant y > 0
  //@ requires i > 0; also requires i < 0;
  //$ requires this.x > 1
  //$ ensures this.x' > 2
  int light(int i) { return 0; }
  //@ normal_behavior requires i > 0;
  //$ ensures this.x > 2
  int heavy(int i) { return 0; }
  //$ requires this.x > 1
  //$ ensures nonsense = this.x
  int alone(int i) { return 0; }
}",
    );
    let count = |method: &str| -> Vec<(usize, usize)> {
        let contract = world.contract("T", method);
        contract.cases.iter().map(|c| (c.requires.len(), c.ensures.len())).collect()
    };
    assert_eq!(count("light"), [(2, 1), (2, 1)]);
    assert_eq!(count("heavy"), [(1, 0), (0, 1)]);
    assert_eq!(count("alone"), [(1, 0)]);
    assert_eq!(world.gaps("T", "alone").len(), 1);
    assert_eq!(world.mistakes(), ["12:15: there is no variable, field or class `nonsense` here"]);
    assert_eq!((world.invariants("T").len(), world.static_invariants("T").len()), (1, 1));
}

#[test]
fn what_a_local_class_captures_is_a_field() {
    let world = World::new(
        "class T
class T$1Local
  synthetic final field int val$n
  method int m()",
        "class T {
  void f(int n) {
    class Local { //@ ensures n > 0;
      int m() { return n; } }
  }
}",
    );
    assert_eq!(world.cases("T$1Local", "m"), ["Anyhow; ensures (this.val$n > 0)"]);
}
