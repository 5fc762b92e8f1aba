//! Whatever a file says, resolving it ends, and says where it went wrong.

mod common;
mod world;

use common::Random;
use spec::resolve::Math;
use world::{World, file};

const CLASSES: &str = "
class p.Node
  field p.Node next
  field int value
record p.R
  field p.Node a
  method void <init>(p.Node)
  method p.Node a()
interface p.I
  abstract method int m(int,p.Node)
class p.T implements p.I
  field int count
  field int[] numbers
  field p.Node head
  static field int total
  method int m(int,p.Node) @14 #5(p.T this,int i,p.Node n) #6(p.T this,int i,p.Node n)
  method int size()
  method void <init>(int)
class p.T$In
  synthetic field p.T this$0
  method int g(java.lang.Object)
";

const SOURCE: &str = "package p; import java.util.List; import static java.lang.Math.abs;
interface I { //@ requires i > 0; ensures \\result >= (long) i;
  /*@ pure */ int m(int i, /*@ nullable */ Node n); }
class T implements I {
  //@ invariant 0 <= count && (\\forall int k; 0 <= k && k < count; numbers[k] > 0);
  //@ static invariant total != -1; constraint \\old(count) <= count; initially count == 0;
  //@ ghost int g = count + 1; model int s; represents s = (\\sum int k; 0 < k && k < 3; k);
  //$ invariant all x: this.head.*next | x.value > 0
  /*@ also public normal_behavior requires n != null && \\typeof(n) <: \\type(Node);
    @ assignable count, numbers[*], numbers[0 .. i], n.*, T.*, g;
    @ ensures \\result == \\old(n.value) + 1 ==> \\reach(head, Node, next).has(n);
    @ signals (RuntimeException e) e instanceof Exception; signals_only RuntimeException;
    @*/
  public int m(int i, Node n) {
    /*@ assert i > 0 && \\old(i) == i; set g = i; ghost int q = abs(i); */
    i++;
    //@ loop_invariant q > 0; decreases i; loop_modifies count, i;
    while (i > 0) { i--; }
    return i;
  }
  //$ ensures this.count' = this.count + 1
  /*@ pure */ int size() { return 0; }
  //@ requires (i & 1) == 0 ? i > 0 : !(i < 0); ensures \\fresh(head, this.head);
  T(int i) { }
  class In<E> { //@ ensures count == size() && e.equals(null) && \\result == (byte) 3 << 2;
    int g(E e) { return 0; } }
}
record R(/*@ non_null */ Node a) { }
";

fn resolve(source: &str, math: Math) -> World {
    World::of(CLASSES, &[file("T.java", source, Some(5))], math)
}

#[test]
fn the_source_itself_is_right() {
    let world = resolve(SOURCE, Math::Java);
    assert_eq!(world.mistakes(), [""; 0]);
    assert_eq!(world.gaps("p.T", "m"), [""; 0]);
}

#[test]
fn changed_sources_are_resolved_too() {
    let mut random = Random::new(7);
    let words: Vec<&str> = SOURCE.split_inclusive([' ', '.', '(', ';', '\n']).collect();
    for round in 0..800 {
        let mut changed = words.clone();
        for _ in 0..=random.below(4) {
            let (at, other) = (random.below(changed.len()), random.below(words.len()));
            match random.below(3) {
                0 => drop(changed.remove(at)),
                1 => changed[at] = words[other],
                _ => changed.insert(at, words[other]),
            }
        }
        let math = if round % 2 == 0 { Math::Java } else { Math::Bigint };
        let source = changed.concat();
        let world = resolve(&source, math);
        for mistake in &world.contracts.diagnostics {
            let span = mistake.diagnostic.span;
            assert!(span.end as usize <= source.len() && span.line > 0, "{mistake:?}");
        }
        for contract in world.contracts.methods.values() {
            for case in &contract.cases {
                let clauses = case.requires.iter().chain(&case.ensures);
                clauses.for_each(|clause| assert!(!world.show(clause, contract).is_empty()));
            }
        }
    }
}
