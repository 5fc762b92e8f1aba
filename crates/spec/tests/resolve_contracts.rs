//! Contracts of methods: matching, inheritance, purity, frames, gaps and mistakes.

mod world;

use ir::Nullness;
use spec::resolve::Math;
use world::{World, file};

const NODE: &str = "
class p.Node
  field p.Node next
  field int value
";

fn with_node(classes: &str) -> String {
    format!("{NODE}{classes}")
}

#[test]
fn cases_keep_all_their_clauses() {
    let world = World::new(
        "class T
  field int x
  field int[] a
  method int m(int)",
        "class T {
  /*@ requires i > 0; requires i < 9;
    @ assignable x, a[*], a[0], a[1..i], this.*;
    @ ensures \\result == i;
    @ signals (RuntimeException e) e != null;
    @ signals (IllegalArgumentException) ;
    @ signals_only RuntimeException, IllegalArgumentException;
    @ also
    @ public normal_behavior
    @   requires i == 0;
    @   assignable \\nothing;
    @ also exceptional_behavior
    @   requires i < 0; assignable \\everything; signals_only \\nothing;
    @ also behavior ensures true; assignable \\not_specified; requires \\not_specified;
    @*/
  int m(int i) { return 0; }
}",
    );
    assert_eq!(world.mistakes(), [""; 0]);
    assert_eq!(
        world.cases("T", "m"),
        [
            "Anyhow; requires (i > 0); requires (i < 9); ensures (\\result == i); signals \
             RuntimeException !(\\exception === null); signals IllegalArgumentException true; \
             signals_only RuntimeException,IllegalArgumentException; assignable this.x, \
             this.a[*], this.a[0], this.a[1..i], this.*",
            "Normally; requires (i == 0); assignable \\nothing",
            "Exceptionally; requires (i < 0); signals_only ; assignable \\everything",
            "Anyhow; ensures true",
        ]
    );
    let contract = world.contract("T", "m");
    assert_eq!(contract.parameters, ["i"]);
    let case = &contract.cases[0];
    assert_eq!(&*case.requires[1].site.text, "requires i < 9;");
    assert_eq!(case.requires[1].site.span.line, 2);
    assert_eq!(&*case.requires[1].site.file, "T.java");
    let left = case.requires[1].term.span;
    assert_eq!(case.requires[1].site.part(left), "i < 9");
}

#[test]
fn the_text_of_a_clause_is_one_line() {
    let world = World::new(
        "class T
  method void m(int)",
        "class T {
  /*@ requires i > 0
    @    &&   i < 9;
    @*/
  //@ ensures i
  //@   > 0;
  void m(int i) { }
}",
    );
    let case = &world.contract("T", "m").cases[0];
    assert_eq!(&*case.requires[0].site.text, "requires i > 0 && i < 9;");
    assert_eq!(&*case.ensures[0].site.text, "ensures i > 0;");
}

#[test]
fn gaps_and_mistakes_leave_the_other_clauses_alone() {
    let world = World::new(
        "class T
  method int m(int)",
        "class T {
  //@ requires i > ;
  //@ duration i;
  //@ ensures j > 0;
  //@ ensures \\result > 0;
  //@ ensures \\max_lock(i);
  int m(int i) { return 0; }
}",
    );
    assert_eq!(world.cases("T", "m"), ["Anyhow; ensures (\\result > 0)"]);
    assert_eq!(
        world.gaps("T", "m"),
        [
            "2:20: expected an expression, found `;`",
            "`duration` is not supported: time and memory are not measured",
            "4:15: `j` is not known here",
            "`\\max_lock` is not supported",
        ]
    );
    assert_eq!(world.mistakes(), ["4:15: `j` is not known here"]);
    assert_eq!(&*world.contracts.diagnostics[0].file, "T.java");
    assert_eq!(&*world.contract("T", "m").gaps[2].site.text, "ensures j > 0;");
}

#[test]
fn methods_are_found_by_lines_and_types() {
    let world = World::new(
        &with_node(
            "
class p.T
  method void m(int) @4
  method void m(long) @6
  method void n(java.util.List)
  method void n(java.lang.String[])
  method void n(p.Node[][])
  method void n(java.lang.Object[])
  abstract method void n(int[])",
        ),
        "package p; abstract class T<E> {
  //@ requires i == 1;
  void m(int i)
  { }
  //@ requires i == 2;
  void m(long i) { }
  //@ requires 1 == 1;
  void n(java.util.List<? extends E> l);
  //@ requires 2 == 2;
  void n(String... l);
  //@ requires 3 == 3;
  void n(Node l[][]);
  //@ requires 4 == 4;
  void n(Object[] l);
  //@ requires 5 == 5;
  abstract void n(int[] l);
}",
    );
    assert_eq!(world.mistakes(), [""; 0]);
    let class = world.program.class(world.class("p.T")).unwrap();
    let said: Vec<String> = class
        .methods
        .iter()
        .map(|m| {
            let contract = &world.contracts.methods[m];
            world.show(&contract.cases[0].requires[0], contract)
        })
        .collect();
    assert_eq!(
        said,
        ["(i == 1)", "(i == 2L)", "(1 == 1)", "(2 == 2)", "(3 == 3)", "(4 == 4)", "(5 == 5)"]
    );
}

#[test]
fn type_variables_match_what_they_are_erased_to() {
    let world = World::new(
        "class T
  method void m(java.lang.Object,java.lang.Object[])
  method void n(java.lang.Number)",
        "class T<E> {
  //@ requires e != null;
  void m(E e, E[] a) { }
  //@ requires true;
  <KEY extends Number> void n(KEY e) { }
}",
    );
    assert_eq!(world.mistakes(), [""; 0]);
    assert_eq!(world.cases("T", "m"), ["Anyhow; requires !(e === null)"]);
    assert_eq!(world.cases("T", "n"), ["Anyhow; requires true"]);
}

#[test]
fn a_method_that_the_class_has_not_got_is_a_mistake() {
    let world = World::new(
        "class T
  method void m(int)
  method void n(java.lang.Object) @90
  method void n(java.lang.Object) @91",
        "class T {
  //@ requires true;
  void m(String s) { }
  //@ requires true;
  void n(Object s) { }
  void o() { }
}
//@ invariant nonsense;
class Missing { }",
    );
    let message = "the compiled `T` has no method that is certainly";
    assert_eq!(
        world.mistakes(),
        [format!("3:3: {message} `m(String)`"), format!("5:3: {message} `n(Object)`")]
    );
    assert_eq!(world.class_gaps("T").len(), 2);
}

#[test]
fn constructors_have_hidden_parameters() {
    let world = World::new(
        "class T
class T$In
  method void <init>(T,int)
enum T$E
  method void <init>(java.lang.String,int,int)
class T$1Local
  method void <init>(T,int,java.lang.String)",
        "class T {
  class In { //@ requires i > 0;
    In(int i) { } }
  enum E { ; //@ requires i > 1;
    E(int i) { } }
  void m(String s) {
    class Local { //@ requires i > 2;
      Local(int i) { } }
  }
}",
    );
    assert_eq!(world.mistakes(), [""; 0]);
    assert_eq!(world.contract("T$In", "<init>").parameters, ["$0", "i"]);
    assert_eq!(world.cases("T$In", "<init>"), ["Anyhow; requires (i > 0)"]);
    assert_eq!(world.contract("T$E", "<init>").parameters, ["$0", "$1", "i"]);
    assert_eq!(world.cases("T$E", "<init>"), ["Anyhow; requires (i > 1)"]);
    assert_eq!(world.contract("T$1Local", "<init>").parameters, ["$0", "i", "$2"]);
    assert_eq!(world.cases("T$1Local", "<init>"), ["Anyhow; requires (i > 2)"]);
}

#[test]
fn before_a_constructor_there_is_no_object() {
    let world = World::new(
        "class T
  field int x
  static field int y
  method void <init>(int)",
        "class T {
  //@ requires x > 0;
  //@ requires y > i;
  //@ assignable x;
  //@ ensures x == i && \\old(y) == y;
  //@ ensures \\old(this.x) == 0;
  //@ ensures \\result == 0;
  T(int i) { }
}",
    );
    assert_eq!(
        world.mistakes(),
        [
            "2:16: there is no `this` before the constructor has run",
            "6:20: there is no `this` before the constructor has run",
            "7:15: `\\result` has no meaning here",
        ]
    );
    assert_eq!(
        world.cases("T", "<init>"),
        ["Anyhow; requires (T.y > i); ensures ((this.x == i) && (\\old(T.y) == T.y)); assignable \
          this.x"]
    );
}

#[test]
fn static_methods_and_methods_without_result() {
    let world = World::new(
        "class T
  field int x
  static method int s()
  method void v()",
        "class T {
  //@ ensures x > 0;
  //@ ensures this != null;
  static int s() { return 0; }
  //@ ensures \\result > 0;
  //@ signals (Exception e) \\result > 0;
  //@ signals (T e) true;
  //@ signals_only T;
  void v() { }
}",
    );
    assert_eq!(
        world.mistakes(),
        [
            "2:15: there is no `this` here",
            "3:15: there is no `this` here",
            "5:15: the method returns nothing, so there is no `\\result`",
            "6:29: `\\result` has no meaning here",
            "7:16: `T` is no exception",
            "8:20: `T` is no exception",
        ]
    );
    assert_eq!(world.gaps("T", "v").len(), 4);
}

#[test]
fn overriding_methods_inherit_all_cases() {
    let world = World::new(
        "interface I
  abstract method int m(int)
class A implements I
  method int m(int)
class B extends A
  method int m(int)
class C extends B
  method int m(int)
class D extends C
  private method int m(int)",
        "interface I { //@ requires i > 0; ensures \\result > 0;
  /*@ pure @*/ int m(int i); }
class A implements I { //@ also requires n > 1;
  public int m(int n) { return 0; } }
class B extends A { //@ also ensures \\result > 2; assignable \\everything;
  public /*@ helper */ int m(int k) { return 0; } }
class C extends B { public int m(int z) { return 0; } }
class D extends C { private int m(int z) { return 0; } }
",
    );
    assert_eq!(world.mistakes(), [""; 0]);
    let of_i = "Anyhow; requires (k > 0); ensures (\\result > 0); assignable \\nothing";
    let of_a = "Anyhow; requires (k > 1); assignable \\nothing";
    let of_b = "Anyhow; ensures (\\result > 2); assignable \\everything; assignable \\nothing";
    assert_eq!(world.cases("I", "m"), [of_i.replace('k', "i")]);
    assert_eq!(world.cases("B", "m"), [of_b, of_a, of_i]);
    let renamed = [of_b, of_a, of_i].map(|c| c.replace("(k", "(z"));
    assert_eq!(world.cases("C", "m"), renamed);
    assert!(world.contract("C", "m").is_pure);
    assert!(world.contract("B", "m").is_helper);
    assert!(!world.contract("C", "m").is_helper);
    assert_eq!(world.cases("D", "m"), [""; 0]);
}

#[test]
fn bridges_lead_to_the_generic_method() {
    let world = World::new(
        "interface I
  abstract method boolean m(java.lang.Object)
class A implements I
  method boolean m(java.lang.String)
  bridge method boolean m(java.lang.Object)",
        "interface I<E> { //@ requires e != null;
  boolean m(E e); }
class A implements I<String> { public boolean m(String s) { return true; } }",
    );
    assert_eq!(world.cases("A", "m"), ["Anyhow; requires !(s === null)"]);
}

#[test]
fn gaps_are_inherited() {
    let world = World::new(
        "class A
  method void m()
class B extends A
  method void m()",
        "class A { //@ requires nonsense > 0;
  void m() { } }
class B extends A { void m() { } }",
    );
    assert_eq!(world.gaps("B", "m"), ["1:24: `nonsense` is not known here"]);
    assert_eq!(world.mistakes().len(), 1);
}

#[test]
fn pure_methods_assign_nothing() {
    let world = World::new(
        "class T
  method int a()
  method int b()
  method void <init>()
class P
  method int c()",
        "class T {
  /*@ pure @*/ int a() { return 0; }
  //@ requires true; also requires false; assignable \\everything;
  /*@ pure @*/ int b() { return 0; }
  /*@ pure @*/ T() { }
}
/*@ pure @*/ class P { int c() { return 0; } }",
    );
    assert_eq!(world.cases("T", "a"), ["Anyhow; assignable \\nothing"]);
    assert_eq!(
        world.cases("T", "b"),
        [
            "Anyhow; requires true; assignable \\nothing",
            "Anyhow; requires false; assignable \\everything; assignable \\nothing"
        ]
    );
    assert_eq!(world.cases("T", "<init>"), ["Anyhow; assignable this.*"]);
    assert_eq!(world.cases("P", "c"), ["Anyhow; assignable \\nothing"]);
    assert!(world.contract("P", "c").is_pure);
}

#[test]
fn purity_is_inherited_and_the_compiler_writes_pure_methods() {
    let world = World::new(
        "interface I
  abstract method int m()
class A implements I
  method int m()
  method int x()
record R
  field int n
  method int n()
  method int hashCode()
enum E
  static method E[] values()",
        "interface I { /*@ pure @*/ int m(); }
class A implements I { public int m() { return 0; }
  //@ ensures m() > 0 && new_r().n() > 0;
  //@ ensures E.values().length > 0;
  int x() { return 0; } }
record R(int n) {
  //@ invariant n() > 0 && hashCode() > 0;
}
enum E { ; }",
    );
    assert_eq!(world.mistakes(), ["3:26: there is no method `new_r`"]);
    assert_eq!(world.cases("A", "x"), ["Anyhow; ensures (E.values().length > 0)"]);
    assert_eq!(world.invariants("R"), ["((this.n() > 0) && (this.hashCode() > 0))"]);
}

#[test]
fn what_may_not_be_assigned() {
    let world = World::new(
        "class T
  field int[] a
  method void m(int,T)",
        "class T {
  //@ assignable i;
  //@ assignable a.length;
  //@ assignable t.a[i..i+1], t.*, a[*];
  //@ assignable i.*;
  //@ assignable nonsense;
  //@ assignable \\locset(a);
  void m(int i, T t) { }
}",
    );
    assert_eq!(
        world.mistakes(),
        [
            "2:18: `i` is a variable of the method; only fields and elements of arrays are \
             assigned for others to see",
            "3:18: the length of an array never changes",
            "5:18: an int has no fields",
            "6:18: `nonsense` is not known here",
        ]
    );
    let assignable = "Anyhow; assignable t.a[i..(i + 1)], t.*, this.a[*], \\locset(this.a)";
    assert_eq!(world.cases("T", "m"), [assignable]);
    assert_eq!(world.gaps("T", "m").len(), 4);
}

#[test]
fn arithmetic_is_as_the_modifiers_say() {
    let source = "class T {
  //@ ensures \\result == i + 1;
  int a(int i) { return 0; }
  //@ ensures \\result == i + 1;
  /*@ spec_bigint_math */ int b(int i) { return 0; }
  //@ ensures \\result == i + 1;
  /*@ spec_java_math */ int c(int i) { return 0; }
  /*@ spec_safe_math */ class In {
    //@ ensures \\result == i + 1;
    int d(int i) { return 0; }
  }
}";
    let classes = "class T
  method int a(int)
  method int b(int)
  method int c(int)
class T$In
  method int d(int)";
    let java = "Anyhow; ensures (\\result == (i + 1))";
    let big = "Anyhow; ensures ((\\bigint) \\result == ((\\bigint) i + 1))";
    let safe = "Anyhow; ensures (\\result == fitted int(((\\bigint) i + 1)))";
    for (math, by_default) in [(Math::Java, java), (Math::Bigint, big), (Math::Safe, safe)] {
        let world = World::of(classes, &[file("T.java", source, None)], math);
        assert_eq!(world.cases("T", "a"), [by_default]);
        assert_eq!(world.cases("T", "b"), [big]);
        assert_eq!(world.cases("T", "c"), [java]);
        assert_eq!(world.cases("T$In", "d"), [safe]);
    }
}

#[test]
fn a_jml_file_adds_to_the_source() {
    let classes = with_node("class p.T\n  method p.Node m(p.Node) @1\n  method void <init>(int)");
    let java =
        file("p/T.java", "package p; class T { Node m(Node a) { return a; } T(int i) { } }", None);
    let jml = file(
        "p/T.jml",
        "package p; class T {
  //@ requires a.value > 0;
  //@ ensures \\result == a;
  /*@ nullable */ Node m(Node a);
  //@ requires i > 0;
  T(int i);
}",
        None,
    );
    let world = World::of(&classes, &[java, jml], Math::Java);
    assert_eq!(world.mistakes(), [""; 0]);
    assert_eq!(
        world.cases("p.T", "m"),
        ["Anyhow; requires (a.value > 0); ensures (\\result === a)"]
    );
    assert_eq!(world.cases("p.T", "<init>"), ["Anyhow; requires (i > 0)"]);
    let contract = world.contract("p.T", "m");
    assert_eq!(contract.parameter_nullness, [Nullness::NonNull]);
    assert_eq!(contract.result_nullness.unwrap().nullness, Nullness::Nullable);
}

#[test]
fn classes_are_found_through_imports_and_packages() {
    let world = World::new(
        "class p.q.Far
  static field int x
class p.q.Far$Near
  static field int y
class p.Same
  static field int z
class p.T
  method boolean m()",
        "package p; import p.q.Far; import p.q.Far.*; import static p.q.Far.x;
class T {
  //@ ensures Far.x == 0 && Far.Near.y == 0 && Near.y == 0 && Same.z == 0 && x == 0;
  //@ ensures p.q.Far.x == 0 && p.q.Far.Near.y == 0 && java.lang.Integer.MAX_VALUE > 0;
  //@ ensures p.q.Fat.x == 0;
  boolean m() { return true; }
}",
    );
    assert_eq!(world.mistakes(), ["5:15: `p` is not known here"]);
    assert_eq!(
        world.cases("p.T", "m"),
        ["Anyhow; ensures (((((Far.x == 0) && (Near.y == 0)) && (Near.y == 0)) && (Same.z == 0)) \
          && (Far.x == 0)); ensures (((Far.x == 0) && (Near.y == 0)) && (Integer.MAX_VALUE > 0))"]
    );
}
