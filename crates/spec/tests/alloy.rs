//! Alloy-style formulas: every operator once, precedence, clauses, mistakes.

mod common;

use common::{messages, shape};
use spec::alloy::ast::{AlloyKeyword, FormulaKind, RelationKind};
use spec::{parse_formula, read};

fn printed(text: &str) -> String {
    match parse_formula(text) {
        Ok(f) => f.to_string(),
        Err(diagnostic) => panic!("{text}: {diagnostic}"),
    }
}

fn same(short: &str, long: &str) {
    match (parse_formula(short), parse_formula(long)) {
        (Ok(left), Ok(right)) => assert_eq!(shape(&left), shape(&right), "{short}  and  {long}"),
        (left, right) => panic!("{short}: {left:?}\n{long}: {right:?}"),
    }
}

#[test]
fn every_form_prints_as_it_is_written() {
    for text in [
        "a + b = c",
        "a - b = c",
        "a & b = c",
        "a.b = c",
        "a -> b = c",
        "~a = b",
        "^a = b",
        "*a = b",
        "a <: b = c",
        "a :> b = c",
        "a ++ b = c",
        "a[b] = c",
        "a[b, c] = d",
        "a in b",
        "a != b",
        "a !in b",
        "a < b",
        "a <= b",
        "a > b",
        "a >= b",
        "no a",
        "some a",
        "one a",
        "lone a",
        "all x: T | x in s",
        "all x, y: T | x = y",
        "some x: T, y: U | x = y",
        "no x: T | x in s",
        "one x: T | x in s",
        "lone x: T | x in s",
        "all disj x, y: T | x != y",
        "all c | c.val = c.val'",
        "a in {x: T | x.f = x}",
        "#a = 3",
        "let x = a | x in b",
        "a in b && b in c",
        "a in b || b in c",
        "!a in b",
        "no a => no b",
        "no a <=> no b",
        "no a => no b else no c",
        "l.*next' in l.*next",
        "$return = this.f",
        "x = null",
        "this.next' = none",
        "x = -1",
        "plus[a, b] = 3",
        "a = univ",
        "a.iden = b",
        "true",
        "this.closed",
        "a = (no b => c else d)",
        "a = (let x = b | x + x)",
        "#{x: T | some x.f} > 2",
    ] {
        assert_eq!(printed(text), text);
    }
}

#[test]
fn other_ways_of_writing_mean_the_same() {
    same("a not in b", "a !in b");
    same("! a in b", "not a in b");
    same("a in b and b in c or no d", "a in b && b in c || no d");
    same("no a implies no b else no c", "no a => no b else no c");
    same("no a iff no b", "no a <=> no b");
    same("sole x: T | x in a", "lone x: T | x in a");
    same("sole a", "lone a");
    same("a =< b", "a <= b");
    same("a == b", "a = b");
    same("result = a", "$return = a");
    same("c in c.+next", "c in c.^next");
    same("a = {}", "a = none");
    same("all x: T { x in a  x in b }", "all x: T | x in a && x in b");
    same("{ no a\n no b }", "no a && no b");
    same("let x = a, y = b | x = y", "let x = a | let y = b | x = y");
    same("result = (x in s)", "result <=> x in s");
    same("result != (x in s)", "!(result <=> x in s)");
    same(
        "all x | sole cell: l.*next | cell.val = x",
        "all x | (lone cell: l.*next | cell.val = x)",
    );
    same("all x: one T | no x", "all x: T | no x");
    same("no a -- and a remark", "no a");
    same("no a // and a remark", "no a");
    same("l.*next' = l.*next - {c | c.val = v}", "l.*next' = l.*next - {c | (c.val) = v}");
}

#[test]
fn precedence_is_that_of_alloy() {
    same("a + b & c = d", "a + (b & c) = d");
    same("a - b - c = d", "(a - b) - c = d");
    same("a & b ++ c = d", "(a & b) ++ c = d");
    same("a & b -> c = d", "a & (b -> c) = d");
    same("a -> b -> c = d", "a -> (b -> c) = d");
    same("a -> b <: c = d", "a -> (b <: c) = d");
    same("a <: b :> c = d", "a <: (b :> c) = d");
    same("a :> b.c = d", "a :> (b.c) = d");
    same("a.b[c] = d", "(a.b)[c] = d");
    same("a[b].c = d", "(a[b]).c = d");
    same("~a.b = c", "(~a).b = c");
    same("a.*b.c = d", "(a.(*b)).c = d");
    same("^~a = b", "^(~a) = b");
    same("#a & b = 1", "#(a & b) = 1");
    same("#a + #b = 2", "(#a) + (#b) = 2");
    same("no a + b", "no (a + b)");
    same("! a = b && no c", "(!(a = b)) && no c");
    same("no a || no b && no c", "no a || (no b && no c)");
    same("no a => no b || no c", "(no a => no b) || no c");
    same("no a && no b => no c", "(no a && no b) => no c");
    same("no a => no b => no c", "no a => (no b => no c)");
    same("no a => no b => no c else no d", "no a => (no b => no c else no d)");
    same("no a <=> no b => no c", "no a <=> (no b => no c)");
    same("no a || no b <=> no c", "no a || (no b <=> no c)");
    same("no a && all x: T | no x || no b", "no a && (all x: T | (no x || no b))");
    same("some x: T | no x => no a", "some x: T | (no x => no a)");
    same("!some x: T | no x", "!(some x: T | no x)");
}

#[test]
fn what_is_not_supported_is_named() {
    let relation = |text: &str| match parse_formula(text).map(|f| f.kind) {
        Ok(FormulaKind::Compare { right, .. }) => match right.kind {
            RelationKind::Unsupported(what) => what,
            kind => panic!("{kind:?}"),
        },
        other => panic!("{other:?}"),
    };
    assert_eq!(relation("f in A -> lone B"), "multiplicity beside `->`");
    assert_eq!(relation("f in A one -> one B"), "multiplicity beside `->`");
    assert!(matches!(
        parse_formula("all s: set T | no s").map(|f| f.kind),
        Ok(FormulaKind::Unsupported(what)) if what == "quantification over `set`"
    ));
}

#[test]
fn mistakes_are_explained() {
    for (text, message) in [
        (
            "no c: a | c in b -> no c: b | c in a",
            "1:18: `->` is the product of two relations, not an implication (did you mean `=>`?)",
        ),
        ("(no a) + b = c", "1:1: expected a set or relation, found a formula"),
        ("a in (no b)", "1:6: expected a set or relation, found a formula"),
        ("all x", "1:5: expected variables and `:` or `|` after `all`, found `x`"),
        ("all x: T no x", "1:10: expected `|` after the declared variables"),
        ("a in", "1:5: expected a set, a relation or a formula, but the specification ends here"),
        ("(a in b", "1:8: expected `)` to close the parenthesis"),
        ("{x: T | no x = a", "1:14: expected `}` to close the comprehension"),
        ("a[b = c", "1:5: expected `]` after the arguments of the join"),
        ("a'' = b", "1:1: `a''` has no value at the end"),
        ("x = 99999999999", "1:5: `99999999999` is not an `int`"),
        ("a = b = c", "1:7: expected the end, found `=`"),
        ("let x | no x", "1:7: expected `=` after the variable of `let`"),
        ("all this: T | no a", "1:5: `this` can not be the name of a variable"),
    ] {
        match parse_formula(text) {
            Ok(f) => panic!("{text} was read as {f}"),
            Err(diagnostic) => assert_eq!(diagnostic.to_string(), message, "{text}"),
        }
    }
}

#[test]
fn clauses_attach_and_lines_conjoin() {
    let file = read(
        "class List {\n  //$ invariant no this & this.^next\n  List next;\n  \
         /*$ requires l != null\n      some l.val;\n      ensures l.*next' in l.*next\n        \
         && no l.val'\n      all c | c.val' = c.val $*/\n  \
         static void delete(List l) { }\n  //$ static invariant no List.next\n  \
         //$ pre no a\n  //$ post no b\n  void other() { }\n}\n",
    );
    assert_eq!(messages(&file), Vec::<String>::new());
    let ty = &file.types[0];
    let text = |clauses: &[spec::alloy::ast::AlloyClause]| -> Vec<String> {
        clauses
            .iter()
            .map(|c| {
                let formula = c.content.as_ref().expect("understood");
                format!("{}:{} {:?} {formula}", c.span.line, c.is_static, c.keyword)
            })
            .collect()
    };
    assert_eq!(
        text(&ty.formulas),
        ["2:false Invariant no this & this.^next", "10:true Invariant no List.next"]
    );
    assert_eq!(
        text(&ty.methods[0].formulas),
        [
            "4:false Requires l != null && some l.val",
            "6:false Ensures l.*next' in l.*next && no l.val' && (all c | c.val' = c.val)",
        ]
    );
    assert_eq!(text(&ty.methods[1].formulas), ["11:false Requires no a", "12:false Ensures no b"]);
    assert!(!file.has_jml);
}

#[test]
fn a_broken_clause_stays_with_its_method() {
    let file = read(
        "class C {\n  //$ require no a\n  //$ ensures a in\n  //$ ensures no b\n  void m() { }\n}\n",
    );
    assert_eq!(
        messages(&file),
        [
            "2:7: `require` begins no clause; there are requires, ensures and invariant (did you \
             mean `requires`?)",
            "4:7: expected a set, a relation or a formula, found `ensures`",
        ]
    );
    let formulas = &file.types[0].methods[0].formulas;
    let understood: Vec<bool> = formulas.iter().map(|clause| clause.content.is_ok()).collect();
    assert_eq!(understood, [false, false, true]);
    assert_eq!(formulas[2].keyword, AlloyKeyword::Ensures);
}

#[test]
fn a_broken_invariant_stays_with_its_type() {
    let file = read("class C {\n  //$ invarient no a\n  //$ invariant a in\n  void m() { }\n}\n");
    assert_eq!(file.diagnostics.len(), 2);
    assert_eq!(file.types[0].formulas.len(), 2);
    assert!(file.types[0].methods[0].formulas.is_empty());
}

#[test]
fn return_may_begin_a_line() {
    let file = read("class C {\n /*$ ensures\n $return = x\n $ no y\n $*/\n int m() { }\n}\n");
    assert_eq!(messages(&file), Vec::<String>::new());
    let formula = file.types[0].methods[0].formulas[0].content.as_ref().expect("understood");
    assert_eq!(formula.to_string(), "$return = x && no y");
}
