//! Places are exact: byte offsets, lines and columns in the original file.

use spec::jml::ast::{Expr, ExprKind, MethodClause};
use spec::{Span, read};

const SOURCE: &str = "class C {\n  /*@ requires näme == \"ü\" && (b\n    @   || c[i] > -1);\n    \
                      @ assignable d.e, f[*];\n    @*/\n  void m() {\n\t//@ assert ok();\n\twhile \
                      (x) { }\n  }\n}\n";

fn text(span: Span) -> &'static str {
    span.text(SOURCE)
}

fn requires() -> Expr {
    let file = read(SOURCE);
    assert!(file.diagnostics.is_empty(), "{:?}", file.diagnostics);
    match &file.types[0].methods[0].spec.cases[0].clauses[0].content {
        Ok(MethodClause::Requires(e)) => e.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn clauses_reach_from_keyword_to_semicolon() {
    let file = read(SOURCE);
    let method = &file.types[0].methods[0];
    let clauses = &method.spec.cases[0].clauses;
    assert_eq!(text(clauses[0].span), "requires näme == \"ü\" && (b\n    @   || c[i] > -1);");
    assert_eq!((clauses[0].span.line, clauses[0].span.column), (2, 7));
    assert_eq!(text(clauses[1].span), "assignable d.e, f[*];");
    assert_eq!((clauses[1].span.line, clauses[1].span.column), (4, 7));
    let point = &method.points[0];
    assert_eq!(text(point.statement.span), "assert ok();");
    assert_eq!((point.statement.span.line, point.statement.span.column), (7, 6));
    assert_eq!(point.before.map(text), Some("while (x) { }"));
    assert_eq!(text(point.comment), "//@ assert ok();");
}

#[test]
fn declarations_have_lines() {
    let file = read(SOURCE);
    let (ty, method) = (&file.types[0], &file.types[0].methods[0]);
    assert_eq!((ty.span.line, ty.last_line), (1, 10));
    assert_eq!((method.span.line, method.span.column, method.last_line), (6, 3, 9));
    assert!(text(method.span).starts_with("void m()"));
    assert!(method.body.map(text).is_some_and(|body| body.starts_with("{\n\t//@ assert")));
}

/// Every node with its text, from the outside in.
fn texts(e: &Expr, found: &mut Vec<(&'static str, u32, u32)>) {
    found.push((text(e.span), e.span.line, e.span.column));
    match &e.kind {
        ExprKind::Binary(_, left, right) => {
            texts(left, found);
            texts(right, found);
        }
        ExprKind::Index(array, index) => {
            texts(array, found);
            texts(index, found);
        }
        ExprKind::Unary(_, operand) => texts(operand, found),
        _ => {}
    }
}

#[test]
fn every_node_has_its_place() {
    let mut found = Vec::new();
    texts(&requires(), &mut found);
    let whole = "näme == \"ü\" && (b\n    @   || c[i] > -1)";
    let parenthesis = "(b\n    @   || c[i] > -1)";
    assert_eq!(
        found,
        [
            (whole, 2, 16),
            ("näme == \"ü\"", 2, 16),
            ("näme", 2, 16),
            ("\"ü\"", 2, 24),
            (parenthesis, 2, 31),
            ("b", 2, 32),
            ("c[i] > -1", 3, 12),
            ("c[i]", 3, 12),
            ("c", 3, 12),
            ("i", 3, 14),
            ("-1", 3, 19),
            ("1", 3, 20),
        ]
    );
}

#[test]
fn byte_offsets_count_bytes() {
    let e = requires();
    assert_eq!(e.span.start as usize, SOURCE.find("näme").expect("there"));
}

#[test]
fn all_line_ends_count() {
    for end in ["\n", "\r\n", "\r"] {
        let source =
            ["class C {", "//@ requires a +;", "//@ ensures b;", "void m() { }", "}"].join(end);
        let file = read(&source);
        assert_eq!(file.diagnostics.len(), 1);
        assert_eq!((file.diagnostics[0].span.line, file.diagnostics[0].span.column), (2, 17));
        let method = &file.types[0].methods[0];
        assert_eq!(method.span.line, 4);
        assert_eq!(method.spec.cases[0].clauses.len(), 2);
    }
}

#[test]
fn columns_of_a_long_line_are_right() {
    let filler = "ö".repeat(1000);
    let source = format!("class C {{ String s = \"{filler}\"; /*@ invariant x; @*/ }}");
    let file = read(&source);
    let span = file.types[0].clauses[0].span;
    assert_eq!((span.line, span.column), (1, 1030));
    assert_eq!(span.text(&source), "invariant x;");
}
