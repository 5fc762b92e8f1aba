//! Specifications inside bodies: marks, local and ghost variables, loops.

mod world;

use spec::core::{Contract, Statement};
use spec::resolve::Math;
use world::{World, file};

fn marked(classes: &str, source: &str) -> World {
    World::of(classes, &[file("T.java", source, Some(10))], Math::Java)
}

fn shown(world: &World, statement: &Statement) -> String {
    let none = Contract::default();
    let contract = Contract { parameters: vec!["i'".into(), "t'".into()], ..none };
    let show = |clause| world.show(clause, &contract);
    match statement {
        Statement::Assert(clause) => format!("assert {}", show(clause)),
        Statement::Assume(clause) => format!("assume {}", show(clause)),
        Statement::Set(clause, target) => {
            let target = target.show(&world.program, &contract.parameters);
            format!("set {target} = {}", show(clause))
        }
        Statement::Ghost(number, first) => {
            format!("ghost ghost{number} = {}", first.as_ref().map_or("none".into(), show))
        }
        Statement::LoopInvariant(clause) => format!("invariant {}", show(clause)),
        Statement::Decreases(clause) => format!("decreases {}", show(clause)),
        Statement::LoopAssignable(assignable) => match &assignable.locations {
            None => "assignable everything".into(),
            Some(locations) => {
                let shown = locations.iter().map(|l| l.show(&world.program, &contract.parameters));
                format!("assignable {}", shown.map(|l| l.to_string()).collect::<Vec<_>>().join(","))
            }
        },
        Statement::Count(number) => format!("count ghost{number}"),
        Statement::Gap(gap) => format!("gap {}", gap.reason),
    }
}

/// What stands at a mark.
fn mark(world: &World, number: u32) -> Vec<String> {
    let mark = world.contracts.marks.get(&number).expect("the mark is resolved");
    mark.statements.iter().map(|s| shown(world, s)).collect()
}

#[test]
fn statements_see_local_variables() {
    let world = marked(
        "class T
  field int x
  method int m(int,T) @4 #10(T this,int i,T t,int y) #11(T this,int i,T t)",
        "class T {
  //@ ghost int count;
  int m(int i, T t) {
    int y = i;
    /*@ assert y == i && \\old(i) == i && \\old(t.x) == x;
      @ assume y > 0;
      @ set count = y + 1;
      @ ghost int g = y;
      @ set g = g + 1;
      @ assert g > 0;
      @ set y = 1;
      @ set x = 1;
      @ assert \\old(y) > 0;
      @ unreachable;
      @*/
    i++;
    //@ assert g == i && nonsense;
    return i;
  }
}",
    );
    assert_eq!(
        mark(&world, 10),
        [
            "assert (((local3 == local1) && (\\old(i') == local1)) && (\\old(t'.x) == this.x))",
            "assume (local3 > 0)",
            "set this.count = (local3 + 1)",
            "ghost ghost0 = local3",
            "set ghost0 = (ghost0 + 1)",
            "assert (ghost0 > 0)",
            "gap 11:13: only ghost variables and ghost fields can be set",
            "gap 12:13: only ghost variables and ghost fields can be set",
            "gap 13:21: `y` is a local variable and has no value before the call",
            "assert false",
        ]
    );
    assert_eq!(mark(&world, 11), ["gap 17:26: `nonsense` is not known here"]);
    assert_eq!(world.contracts.marks[&10].method, world.method("T", "m"));
    assert_eq!(world.mistakes().len(), 4);
    assert_eq!(world.gaps("T", "m"), [""; 0]);
}

#[test]
fn loops() {
    let world = marked(
        "class T
  field int[] a
  method int m(int) @3 #10(T this,int i,int s,?int k) #11(T this,int i,int s)",
        "class T {
  int m(int i) { int s = 0;
    //@ loop_invariant s >= 0;
    //@ loop_invariant k < i;
    //@ loop_invariant \\old(i) == i;
    //@ decreases i - s;
    //@ decreases a;
    //@ assignable s, a[*];
    for (int k = 0; k < i; k++) { s += k; }
    //@ loop_modifies \\everything;
    while (s > 0) { s--; }
    return s;
  }
}",
    );
    assert_eq!(
        mark(&world, 10),
        [
            "invariant (local2 >= 0)",
            "gap `k` has no value where this stands, which is not supported",
            "invariant (\\old(i') == local1)",
            "decreases (local1 - local2)",
            "gap 7:19: an integer is needed here, but this is an int[]",
            "assignable this.a[*]",
        ]
    );
    assert_eq!(mark(&world, 11), ["assignable everything"]);
}

#[test]
fn lambdas_are_methods_of_their_own() {
    let world = marked(
        "class T
  field int x
  method void m(int) @3 #10(T this,int i)
  static synthetic method void lambda$m$0(int) @4 #11(int k)",
        "class T {
  void m(int i) {
    //@ assert i > 0;
    f(k -> {
      /*@ assert k > 0; assert \\old(i) > 0; assert x > 0; */
      g();
    });
  }
}",
    );
    assert_eq!(mark(&world, 10), ["assert (local1 > 0)"]);
    assert_eq!(
        mark(&world, 11),
        [
            "assert (local0 > 0)",
            "gap `\\old` in a lambda is not supported",
            "gap `this` in a lambda whose code does not use it is not supported",
        ]
    );
    assert_eq!(world.contracts.marks[&11].method, world.method("T", "lambda$m$0"));
    assert_eq!(world.mistakes(), [""; 0]);
}

#[test]
fn marks_that_are_not_compiled_leave_gaps() {
    let source = "class T {
  void m(int i) {
    //@ assert i > 0;
    /*@ assert i > 1; assert i > 2; */
    f();
  }
}";
    let world = marked("class T\n  method void m(int) @2 #10(T this,int i)", source);
    assert_eq!(mark(&world, 10), ["assert (local1 > 0)"]);
    assert_eq!(world.gaps("T", "m"), ["unreachable by the compiler"]);
    let unmarked = World::new("class T\n  method void m(int) @2", source);
    assert_eq!(
        unmarked.gaps("T", "m"),
        ["specifications inside bodies need the source to be compiled with marks"]
    );
}

#[test]
fn code_that_is_compiled_twice() {
    let source = "class T {
  void m(int i) {
    try { f(); } finally {
      //@ assert i > 0;
      f();
    }
  }
}";
    let same = "class T\n  method void m(int) @2 #10(T this,int i) #10(T this,int i)";
    assert_eq!(mark(&marked(same, source), 10), ["assert (local1 > 0)"]);
    let different = "class T\n  method void m(int) @2 #10(T this,int i) #10(int i)";
    assert_eq!(
        mark(&marked(different, source), 10),
        ["gap this stands in code that is compiled more than once"]
    );
}

#[test]
fn initializers_and_nested_classes() {
    let world = marked(
        "class T
  static field int s
  static method void <clinit>() @2 #10()
class T$1
  method void run() @5 #11(T$1 this)",
        "class T { static int s;
  static { //@ assert s == 0;
  }
  Object o = new Runnable() {
    public void run() { //@ assert s == 1;
    }
  };
}",
    );
    assert_eq!(mark(&world, 10), ["assert (T.s == 0)"]);
    assert_eq!(mark(&world, 11), ["assert (T.s == 1)"]);
    assert_eq!(world.mistakes(), [""; 0]);
}
