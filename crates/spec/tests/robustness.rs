//! No input makes the reader panic, and time grows with the length of the file only.

mod common;

use std::fmt::Write;
use std::time::{Duration, Instant};

use common::Random;
use spec::{parse_expression, parse_formula, read, read_jml};

const SAMPLE: &str = r#"package p;
import java.util.*;
/*@ nullable_by_default @*/
public class L<T> extends M {
  /*@ spec_public nullable @*/ private Node head; //@ invariant head != null ==> head.v >= 0;
  //@ public ghost int size = 0; model instance int x; represents x = size + 1;
  //@ constraint \old(size) <= size; initially size == 0;
  /*@ public normal_behavior
    @   requires x > 0 && (\forall int i, j; 0 <= i && i < 3; a[i] == -2147483648);
    @   assignable this.*, a[*], a[0..n-1], \nothing;
    @   ensures \result == (\sum int i; 0 <= i; i) && \reach(head, Node, next + prev).has(k);
    @ also private exceptional_behavior
    @   signals (RuntimeException e) x <= 0 ? 'a' == "b\n".charAt(0) : (long) 1.5e3 > 0x1fL;
    @   signals_only IllegalStateException, E; measured_by x; {| requires a; |}
    @*/
  @Override public /*@ pure @*/ int m(int x, /*@ nullable @*/ Node... y) throws E {
    //@ loop_invariant x > 0; decreases x; assignable y[*];
    outer: while (x > 0) { x--; /*@ assert x >= 0 : "why"; */ }
    //@ ghost List<Map<A, B>> g = (* informal *); set g = new ArrayList<>();
    switch (x) { case 1: //@ unreachable;
      break; default: new Object() { int q() { return 1; } }; }
    return 1;
  }
  //$ requires no l.*next & {n: Node | n.v = 3} => lone l.^(~next) else #l < 3
  /*$ ensures all disj n, m: Node, k: T | n.next' = n.next ++ (n -> m)
      some $return <=> not (this in l.next[k])
      let z = l + univ - iden | z <: next :> z = none $*/
  void k(Node l) { }
  enum E { A { }, B } record R(/*@ non_null @*/ int a) { R { } }
}
"#;

fn read_everything(source: &str) {
    let file = read(source);
    for diagnostic in &file.diagnostics {
        let _ = (diagnostic.to_string(), diagnostic.span.text(source));
    }
    let _ = format!("{file:?}");
    read_jml(source);
    let _ = parse_expression(source);
    let _ = parse_formula(source);
}

#[test]
fn the_sample_is_read_well() {
    let file = read(SAMPLE);
    assert_eq!(common::messages(&file), ["10:45: `\\nothing` is not a value"]);
}

#[test]
fn every_truncation_is_survived() {
    for end in (0..SAMPLE.len()).step_by(3) {
        if let Some(start) = SAMPLE.get(..end) {
            read_everything(start);
        }
        if let Some(rest) = SAMPLE.get(end..) {
            read(rest);
        }
    }
}

const LIMBS: [&str; 8] = ["/*@", "*/", "\"", "'", "\\", "{", ")", "//@ "];

#[test]
fn random_changes_are_survived() {
    let pieces: Vec<&str> = SAMPLE.split_inclusive([' ', ';', '(', '\n']).collect();
    for seed in 0..600 {
        let mut random = Random::new(seed);
        let mut changed: Vec<&str> = pieces.clone();
        for _ in 0..1 + random.below(10) {
            let at = random.below(changed.len());
            match random.below(4) {
                0 => changed[at] = "",
                1 => changed[at] = *random.pick(&pieces),
                2 => changed.insert(at, *random.pick(&LIMBS)),
                _ => {
                    let other = random.below(changed.len());
                    changed.swap(at, other);
                }
            }
        }
        read_everything(&changed.concat());
    }
}

#[test]
fn random_bytes_are_survived() {
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let bytes: Vec<u8> = (0..random.below(400)).map(|_| random.next() as u8).collect();
        read_everything(&String::from_utf8_lossy(&bytes));
        let text: String = bytes.iter().map(|b| (b & 0x7f) as char).collect();
        read_everything(&format!("class A {{ /*@ {text} @*/ void m() {{ //@ {text}\n }} }}"));
        read_everything(&format!("class A {{ /*$ {text} */ void m() {{ }} }}"));
    }
}

#[test]
fn random_tokens_are_survived() {
    let tokens = [
        "requires",
        "ensures",
        "also",
        "invariant",
        "ghost",
        "model",
        "set",
        "assert",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "{|",
        "|}",
        ";",
        ",",
        ".",
        "*",
        "+",
        "-",
        "==>",
        "<==",
        "\\forall",
        "\\old",
        "\\reach",
        "\\nothing",
        "x",
        "int",
        "T",
        "<",
        ">",
        "1",
        "'a'",
        "\"s\"",
        "=",
        "?",
        ":",
        "new",
        "instanceof",
        "->",
        "all",
        "no",
        "some",
        "let",
        "in",
        "|",
        "&",
        "#",
        "~",
        "^",
        "!",
        "else",
        "=>",
        "\n",
    ];
    for seed in 0..3000 {
        let mut random = Random::new(seed);
        let text: Vec<&str> = (0..random.below(60)).map(|_| *random.pick(&tokens)).collect();
        let text = text.join(" ");
        read_everything(&format!("class A {{ /*@ {text} @*/ /*$ {text} $*/ void m() {{ }} }}"));
    }
}

#[test]
fn deep_nesting_is_survived() {
    let deep = 20_000;
    read(&("class A { ".repeat(deep) + "//@ invariant x;\n"));
    read(&format!("class A {{ void m() {{ {} //@ assert a;\n", "{".repeat(deep)));
    read(&format!("class A {{ int x = {} 1; }}", "(".repeat(deep)));
    read(&format!("class A {{ //@ requires {} a;\n void m() {{ }} }}", "!(".repeat(deep)));
    read(&format!("class A {{ //$ requires {} a\n void m() {{ }} }}", "no (".repeat(deep)));
    read(&format!("class A {{ //$ requires {} a\n void m() {{ }} }}", "a -> ".repeat(deep)));
    read(&format!("class A {{ //$ requires {} a\n void m() {{ }} }}", "no a => ".repeat(deep)));
    read(&format!("class A {{ //@ requires a{};\n void m() {{ }} }}", ".b".repeat(deep)));
    read(&format!("class A {{ //@ ghost {}\n }}", "A<".repeat(deep)));
    read(&format!("class A {{ //@ requires {}\n }}", "a ? b : ".repeat(deep)));
}

/// A file of about so many lines with specifications everywhere.
fn large(lines: usize) -> String {
    let mut source = String::from("package p;\npublic class Large {\n");
    for index in 0..lines / 10 {
        let _ = write!(
            source,
            "  /*@ nullable @*/ Node f{index};\n  //@ invariant f{index} != null ==> \
             f{index}.v >= {index};\n  /*@ public normal_behavior\n    @   requires x > 0 && \
             (\\forall int i; 0 <= i && i < x; a[i] == i);\n    @   ensures \\result == x;\n    \
             @*/\n  int m{index}(int x, /*@ non_null @*/ int[] a) {{\n    //@ assert x > 0;\n    \
             return x;\n  }}\n"
        );
    }
    source.push_str("}\n");
    source
}

fn time(source: &str) -> Duration {
    let start = Instant::now();
    let file = read(source);
    assert!(file.diagnostics.is_empty());
    start.elapsed()
}

#[test]
fn time_grows_with_the_length_only() {
    let (small, large) = (large(5_000), large(50_000));
    let quick = time(&small).min(time(&small)).max(Duration::from_millis(10));
    let slow = time(&large);
    assert!(slow < quick * 40, "5,000 lines: {quick:?}, 50,000 lines: {slow:?}");
    assert!(slow < Duration::from_secs(20), "{slow:?}");
}

#[test]
fn one_long_line_is_no_slower() {
    let line =
        large(20_000).replace("    @", " ").replace("//@ ", "/*@ ").replace(";\n", "; /**/ ");
    let line = line.replace('\n', " ");
    let start = Instant::now();
    read(&line);
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}
