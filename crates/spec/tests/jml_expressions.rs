//! JML expressions: every operator once, precedence, literals, backslash words.

mod common;

use common::shape;
use spec::jml::ast::{ExprKind, Literal};
use spec::{Diagnostic, parse_expression};

/// The expression printed back.
fn printed(text: &str) -> String {
    match parse_expression(text) {
        Ok(e) => e.to_string(),
        Err(diagnostic) => panic!("{text}: {diagnostic}"),
    }
}

fn failure(text: &str) -> Diagnostic {
    match parse_expression(text) {
        Ok(e) => panic!("{text} was read as {e}"),
        Err(diagnostic) => diagnostic,
    }
}

/// Both texts must mean the same tree.
fn same(short: &str, long: &str) {
    let trees = (parse_expression(short), parse_expression(long));
    match trees {
        (Ok(left), Ok(right)) => assert_eq!(shape(&left), shape(&right), "{short}  and  {long}"),
        (left, right) => panic!("{short}: {left:?}\n{long}: {right:?}"),
    }
}

fn literal(text: &str) -> Literal {
    match parse_expression(text) {
        Ok(e) => match e.kind {
            ExprKind::Literal(literal) => literal,
            kind => panic!("{text} is {kind:?}"),
        },
        Err(diagnostic) => panic!("{text}: {diagnostic}"),
    }
}

#[test]
fn every_form_prints_as_it_is_written() {
    for text in [
        "x",
        "this",
        "super.f",
        "\\result",
        "null",
        "true",
        "false",
        "this.a.b",
        "a[i]",
        "a[i][j + 1].f",
        "f()",
        "f(a, b)",
        "this.f(a)",
        "a.b.g(1).h",
        "(int) x",
        "(Node) n.next",
        "(java.util.List<String>[]) o",
        "x instanceof Node",
        "x instanceof int[]",
        "!a",
        "~a",
        "-a",
        "+a",
        "-(-a)",
        "!!a",
        "a * b",
        "a / b",
        "a % b",
        "a + b",
        "a - b",
        "a << b",
        "a >> b",
        "a >>> b",
        "a < b",
        "a <= b",
        "a > b",
        "a >= b",
        "a == b",
        "a != b",
        "a & b",
        "a ^ b",
        "a | b",
        "a && b",
        "a || b",
        "a ==> b",
        "a <== b",
        "a <==> b",
        "a <=!=> b",
        "a ? b : c",
        "\\typeof(a) <: \\type(Node)",
        "\\old(x + 1)",
        "\\fresh(a, b)",
        "\\nonnullelements(a)",
        "\\typeof(e)",
        "\\type(int[])",
        "\\elemtype(\\typeof(a))",
        "\\reach(l, Node, [next, prev])",
        "\\reach(l, Node, [next]).has(x)",
        "\\reach(l)",
        "\\reach(l, Node, [Node.next]).int_size() == 3",
        "(\\forall int i; i >= 0)",
        "(\\exists int i, j; 0 <= i && i < j; a[i] == a[j])",
        "(\\forall nullable Node n; n == null ==> true)",
        "(\\exists non_null Node n; true)",
        "(\\num_of int i; 0 <= i; a[i] > 0)",
        "(\\sum int i; 0 <= i; a[i])",
        "(\\product int i; 0 <= i; a[i])",
        "(\\min int i; 0 <= i; a[i])",
        "(\\max int i; 0 <= i; a[i])",
        "(\\forall \\bigint i; i == i)",
    ] {
        assert_eq!(printed(text), text);
    }
}

#[test]
fn other_ways_of_writing_mean_the_same() {
    same("\\pre(x)", "\\old(x)");
    same("Node.class", "\\type(Node)");
    same("java.lang.Object.class", "\\type(java.lang.Object)");
    same("int[][].class", "\\type(int[][])");
    same("Node[].class", "\\type(Node[])");
    same("\\reach(e, T, f, g)", "\\reach(e, T, [f, g])");
    same("\\reach(e, T, f + g)", "\\reach(e, T, [f, g])");
    same("(\\forall int i; ; p(i))", "(\\forall int i; p(i))");
    same("(\\lblneg here a == b)", "a == b");
    same("(\\lblpos here a)", "a");
    same("this.<String>f(x)", "this.f(x)");
    same("((a))", "a");
    same("a /* remark */ + b // rest", "a + b");
}

#[test]
fn precedence_is_that_of_java_with_implications_below() {
    same("a + b * c", "a + (b * c)");
    same("a - b - c", "(a - b) - c");
    same("a / b / c", "(a / b) / c");
    same("-a * b", "(-a) * b");
    same("!a == b", "(!a) == b");
    same("(int) a + b", "((int) a) + b");
    same("-a.b[i].c()", "-(((a.b)[i]).c())");
    same("a << b + c", "a << (b + c)");
    same("a >> b >>> c", "(a >> b) >>> c");
    same("a < b << c", "a < (b << c)");
    same("a == b < c", "a == (b < c)");
    same("a instanceof T == b", "(a instanceof T) == b");
    same("a < b instanceof T", "(a < b) instanceof T");
    same("a & b == c", "a & (b == c)");
    same("a ^ b & c", "a ^ (b & c)");
    same("a | b ^ c", "a | (b ^ c)");
    same("a && b | c", "a && (b | c)");
    same("a || b && c", "a || (b && c)");
    same("a ==> b || c", "a ==> (b || c)");
    same("a ==> b ==> c", "a ==> (b ==> c)");
    same("a <== b <== c", "(a <== b) <== c");
    same("a <==> b ==> c", "a <==> (b ==> c)");
    same("a <==> b <==> c", "(a <==> b) <==> c");
    same("a <=!=> b <==> c", "(a <=!=> b) <==> c");
    same("a <==> b ? c : d", "(a <==> b) ? c : d");
    same("a ? b : c ? d : e", "a ? b : (c ? d : e)");
    same("a ? b ? c : d : e", "a ? (b ? c : d) : e");
    same("a ==> b ? c : d", "(a ==> b) ? c : d");
    same("a<-b", "a < (-b)");
}

#[test]
fn casts_are_told_from_parentheses() {
    same("(a) + b", "a + b");
    same("(a) - b", "a - b");
    same("(int) - b", "(int) (-b)");
    assert!(matches!(parse_expression("(a) (b)").map(|e| e.kind), Ok(ExprKind::Cast(..))));
    assert!(matches!(parse_expression("(a.b) !c").map(|e| e.kind), Ok(ExprKind::Cast(..))));
    assert!(matches!(parse_expression("(A) \\result").map(|e| e.kind), Ok(ExprKind::Cast(..))));
    same("(a < b) == c", "a < b == c");
    same("(a) instanceof T", "a instanceof T");
}

#[test]
fn literals_have_their_values() {
    assert_eq!(literal("0"), Literal::Int(0));
    assert_eq!(literal("2147483647"), Literal::Int(i32::MAX));
    assert_eq!(literal("-2147483648"), Literal::Int(i32::MIN));
    assert_eq!(literal("-9223372036854775808L"), Literal::Long(i64::MIN));
    assert_eq!(literal("0xFFFF_FFFF"), Literal::Int(-1));
    assert_eq!(literal("0x7fffffffffffffffL"), Literal::Long(i64::MAX));
    assert_eq!(literal("0b1010"), Literal::Int(10));
    assert_eq!(literal("017"), Literal::Int(15));
    assert_eq!(literal("0L"), Literal::Long(0));
    assert_eq!(literal("1_000l"), Literal::Long(1000));
    assert_eq!(literal("1.5"), Literal::Double(1.5));
    assert_eq!(literal(".5"), Literal::Double(0.5));
    assert_eq!(literal("1e-3"), Literal::Double(0.001));
    assert_eq!(literal("2d"), Literal::Double(2.0));
    assert_eq!(literal("1.5f"), Literal::Float(1.5));
    assert_eq!(literal("'a'"), Literal::Char(97));
    assert_eq!(literal("'\\''"), Literal::Char(39));
    assert_eq!(literal("'\\u0041'"), Literal::Char(65));
    assert_eq!(literal("'\\377'"), Literal::Char(255));
    assert_eq!(literal("'ä'"), Literal::Char(228));
    assert_eq!(literal("\"a\\tb\\\"\""), Literal::Text("a\tb\"".into()));
    assert_eq!(literal("\"€\""), Literal::Text("€".into()));
}

#[test]
fn bad_literals_are_named() {
    assert_eq!(failure("2147483648").message, "this number is too large");
    assert_eq!(failure("0x1ffffffff").message, "this number is too large");
    assert_eq!(failure("1e999").message, "this number is too large");
    assert_eq!(failure("08").message, "`8` is not a number");
    assert_eq!(failure("12abc").message, "`12abc` is not a number");
    assert_eq!(failure("'ab'").message, "a character literal holds exactly one character");
    assert_eq!(failure("\"a\\q\"").message, "this escape does not exist in Java");
    assert_eq!(failure("\"abc").message, "this quote has no end on its line");
    assert_eq!(failure("(* abc").message, "this informal description has no `*)`");
}

#[test]
fn what_is_not_supported_is_named() {
    for (text, what) in [
        ("new int[3]", "new"),
        ("new Node(1) { int x; }", "new"),
        ("\\old(x, L)", "\\old with a label"),
        ("(* any text; at all *)", "informal description"),
        ("\\duration(f(x))", "\\duration"),
        ("\\lockset", "\\lockset"),
        ("\\dl_some(x)", "\\dl_some"),
        ("x -> x + 1", "lambda"),
        ("A::f", "method reference"),
        ("x instanceof Node n", "instanceof with a pattern"),
        ("Outer.this", "this or super of an enclosing class"),
        ("switch (x) { case 1 -> 2; }", "switch"),
    ] {
        match parse_expression(text).map(|e| e.kind) {
            Ok(ExprKind::Unsupported(found)) => assert_eq!(found, what),
            other => panic!("{text} is {other:?}"),
        }
    }
    assert_eq!(
        printed("a && (* b *) || \\max_lock(x)"),
        "a && (* informal description *) || (* \\max_lock *)"
    );
}

#[test]
fn mistakes_come_with_suggestions() {
    for (text, message, suggestion) in [
        ("x = 1", "a specification must not change the state", Some("==")),
        ("x++", "a specification must not change the state", None),
        ("--x", "a specification must not change the state", None),
        ("\\results == 1", "`\\results` is not known here", Some("\\result")),
        ("(\\forAll int i; true)", "`\\forAll` is not known here", Some("\\forall")),
        ("\\oldd(x)", "`\\oldd` is not known here", Some("\\old")),
        ("\\nothing", "`\\nothing` is not a value", None),
        ("\\forall int i; true", "a quantifier needs parentheses: `(\\forall …)`", None),
        ("a ==> b <== c", "`==>` and `<==` in one chain need parentheses", None),
        ("a +", "expected an expression, but the specification ends here", None),
        ("a + * b", "expected an expression, found `*`", None),
        ("(a", "expected `)` to close the parenthesis", None),
        ("a[1", "expected `]` after the index", None),
        ("f(a", "expected `)` after the arguments", None),
        ("a.", "expected a field or method after `.`, but the specification ends here", None),
        ("int", "`int` is a type, not a value", None),
        ("a b", "expected the end, found `b`", None),
        ("f().class", "only a type has a `.class`", None),
    ] {
        let found = failure(text);
        assert_eq!(found.message, message, "{text}");
        assert_eq!(found.suggestion.as_deref(), suggestion, "{text}");
    }
}

#[test]
fn nesting_and_length_have_limits() {
    let deep = "(".repeat(100_000);
    assert_eq!(failure(&deep).message, "this is nested too deeply");
    let minus = "- ".repeat(100_000) + "a";
    assert_eq!(failure(&minus).message, "this is nested too deeply");
    let long = "a + ".repeat(100_000) + "a";
    assert_eq!(failure(&long).message, "this clause has more than 3000 symbols; split it");
    let arrows = "a ==> ".repeat(100_000) + "a";
    assert_eq!(failure(&arrows).message, "this clause has more than 3000 symbols; split it");
    let types = "(A<".repeat(100_000);
    assert_eq!(failure(&types).message, "this is nested too deeply");
    let longest = "a.b + ".repeat(700) + "a";
    assert_eq!(printed(&longest), longest);
}
