//! Clauses of JML: every keyword once, cases and how they join, what is unsupported, mistakes.

mod common;

use common::messages;
use spec::jml::ast::*;
use spec::{FileSpecs, MethodSpecs, TypeSpecs, read};

/// The only type of a file, with the comment before its only method.
fn before_method(comment: &str) -> (FileSpecs, MethodSpecs) {
    let file = read(&format!("class C {{\n{comment}\nvoid m() {{ }}\n}}\n"));
    let method = file.types[0].methods[0].clone();
    (file, method)
}

/// A method's clauses, which must all be understood.
fn clauses(comment: &str) -> Vec<MethodClause> {
    let (file, method) = before_method(comment);
    assert_eq!(messages(&file), Vec::<String>::new(), "{comment}");
    assert!(method.gaps.is_empty());
    let clauses = method.spec.cases.into_iter().flat_map(|case| case.clauses);
    clauses.map(|clause| clause.content.expect("understood")).collect()
}

fn in_type(comment: &str) -> TypeSpecs {
    let file = read(&format!("class C {{\n{comment}\n}}\n"));
    assert_eq!(messages(&file), Vec::<String>::new(), "{comment}");
    file.types[0].clone()
}

fn in_body(comment: &str) -> MethodSpecs {
    let source = format!("class C {{ void m() {{\n{comment}\nwhile (true) {{ }}\n}} }}\n");
    let file = read(&source);
    assert_eq!(messages(&file), Vec::<String>::new(), "{comment}");
    file.types[0].methods[0].clone()
}

/// A clause with its expressions printed.
fn text(clause: &MethodClause) -> String {
    match clause {
        MethodClause::Requires(e) => format!("requires {e}"),
        MethodClause::Ensures(e) => format!("ensures {e}"),
        MethodClause::Signals { exception, variable, condition } => {
            let variable = variable.as_ref().map_or(String::new(), |v| format!(" {}", v.name));
            let condition = condition.as_ref().map_or(String::new(), |c| format!(" {c}"));
            format!("signals ({exception}{variable}){condition}")
        }
        MethodClause::SignalsOnly(types) => {
            let types: Vec<String> = types.iter().map(ToString::to_string).collect();
            format!("signals_only {}", types.join(", "))
        }
        MethodClause::Assignable(frame) => format!("assignable {frame}"),
        MethodClause::Accessible(frame) => format!("accessible {frame}"),
        MethodClause::Callable(callees) => format!("callable {callees}"),
        MethodClause::MeasuredBy(measures) => {
            let measures: Vec<String> = measures.iter().map(ToString::to_string).collect();
            format!("measured_by {}", measures.join(", "))
        }
        MethodClause::Old(variables) => {
            let variables: Vec<String> = variables
                .iter()
                .map(|v| format!("{} {} = {}", v.ty, v.name.name, v.value))
                .collect();
            format!("old {}", variables.join("; "))
        }
        MethodClause::NotSpecified => "not specified".into(),
    }
}

#[test]
fn every_method_clause_and_its_synonyms() {
    for (written, meant) in [
        ("requires x > 0", "requires x > 0"),
        ("accessible a, o.f, b[*]", "accessible a, o.f, b[*]"),
        ("reads \\nothing", "accessible \\nothing"),
        ("callable m, C.n(int, T[]), o.*", "callable m, C.n(int, T[]), o.*"),
        ("callable \\everything", "callable \\everything"),
        ("measured_by a, b", "measured_by a, b"),
        ("old int k = n + 1, j = 2", "old int k = n + 1; int j = 2"),
        ("assignable \\strictly_nothing", "assignable \\strictly_nothing"),
        ("pre x > 0", "requires x > 0"),
        ("ensures \\result == 1", "ensures \\result == 1"),
        ("post true", "ensures true"),
        ("signals (Exception e) e != null", "signals (Exception e) e != null"),
        ("signals (java.io.IOException) x", "signals (java.io.IOException) x"),
        ("signals (Exception)", "signals (Exception)"),
        ("exsures (E e) true", "signals (E e) true"),
        ("signals_only A, b.B", "signals_only A, b.B"),
        ("signals_only \\nothing", "signals_only "),
        ("assignable \\nothing", "assignable \\nothing"),
        ("modifies \\everything", "assignable \\everything"),
        ("modifiable \\not_specified", "assignable \\not_specified"),
        ("assigns x, this.f, a[i]", "assignable x, this.f, a[i]"),
        ("assignable a[*], a[i..j], a[0 .. n - 1]", "assignable a[*], a[i..j], a[0..n - 1]"),
        ("assignable this.*, o.f.g, o.f.*", "assignable this.*, o.f.g, o.f.*"),
        ("assignable a[1..3]", "assignable a[1..3]"),
        ("assignable a[i].f[*], C.s", "assignable a[i].f[*], C.s"),
        ("assignable \\set_union(x, y)", "assignable \\set_union(x, y)"),
        ("requires \\not_specified", "not specified"),
        ("ensures \\not_specified", "not specified"),
        ("signals_only \\not_specified", "not specified"),
    ] {
        let found: Vec<String> = clauses(&format!("//@ {written};")).iter().map(text).collect();
        assert_eq!(found, [meant], "{written}");
    }
}

#[test]
fn cases_join_with_also() {
    let (file, method) = before_method(
        "/*@ also public normal_behavior\n  @   requires a;\n  @   ensures b;\n  @ also\n  \
         @ private exceptional_behavior requires c; signals (E e) d;\n  @ also behavior ensures e;\n  \
         @ also requires f;\n  @*/",
    );
    assert_eq!(messages(&file), Vec::<String>::new());
    assert!(method.spec.extends_inherited);
    let cases: Vec<_> = method
        .spec
        .cases
        .iter()
        .map(|case| (case.visibility, case.behavior, case.clauses.len()))
        .collect();
    assert_eq!(
        cases,
        [
            (Some(Visibility::Public), Behavior::Normal, 2),
            (Some(Visibility::Private), Behavior::Exceptional, 2),
            (None, Behavior::General, 1),
            (None, Behavior::Lightweight, 1),
        ]
    );
}

#[test]
fn british_spelling_is_read() {
    let (_, method) = before_method("//@ normal_behaviour requires a;");
    assert_eq!(method.spec.cases[0].behavior, Behavior::Normal);
}

#[test]
fn type_clauses() {
    let ty = in_type(
        "//@ public invariant a;\n//@ private static invariant b;\n//@ initially c;\n\
         //@ constraint \\old(d) <= d;\n//@ represents x = e;\n//@ represents x <- f;\n\
         //@ static represents this.x \\such_that x > g;",
    );
    let found: Vec<String> = ty
        .clauses
        .iter()
        .map(|clause| {
            let clause = clause.content.as_ref().expect("understood");
            let kind = match &clause.kind {
                TypeClauseKind::Invariant(e) => format!("invariant {e}"),
                TypeClauseKind::Initially(e) => format!("initially {e}"),
                TypeClauseKind::Constraint(e, None) => format!("constraint {e}"),
                TypeClauseKind::Constraint(e, Some(callees)) => {
                    format!("constraint {e} for {callees}")
                }
                TypeClauseKind::In(_)
                | TypeClauseKind::Maps { .. }
                | TypeClauseKind::Access { .. } => panic!("none is written"),
                TypeClauseKind::Represents { field, value } => format!("{field} = {value}"),
                TypeClauseKind::RepresentsSuchThat { field, predicate } => {
                    format!("{field} such that {predicate}")
                }
            };
            format!("{:?} {} {kind}", clause.visibility, clause.is_static)
        })
        .collect();
    assert_eq!(
        found,
        [
            "Some(Public) false invariant a",
            "Some(Private) true invariant b",
            "None false initially c",
            "None false constraint \\old(d) <= d",
            "None false x = e",
            "None false x = f",
            "None true this.x such that x > g",
        ]
    );
}

#[test]
fn ghost_and_model_fields() {
    let ty = in_type(
        "//@ public ghost int size = 0, depth;\n//@ model instance nullable Node[] nodes;\n\
         /*@ ghost static final java.util.Map<K, V> m; model \\locset footprint; @*/",
    );
    let found: Vec<String> = ty
        .variables
        .iter()
        .map(|variable| {
            let v = variable.content.as_ref().expect("understood");
            let init = v.initializer.as_ref().map_or(String::new(), |e| format!(" = {e}"));
            let modifiers: Vec<ModifierKind> = v.modifiers.iter().map(|m| m.kind).collect();
            format!("{} {} {}{init} {modifiers:?}", v.is_model, v.ty, v.name.name)
        })
        .collect();
    assert_eq!(
        found,
        [
            "false int size = 0 [Public, Ghost]",
            "false int depth [Public, Ghost]",
            "true Node[] nodes [Model, Instance, Nullable]",
            "false java.util.Map<K, V> m [Ghost, Static, Final]",
            "true \\locset footprint [Model]",
        ]
    );
}

fn unsupported_in_type(comment: &str) -> String {
    match &in_type(comment).clauses[0].content {
        Err(Gap::Unsupported(what)) => what.clone(),
        other => panic!("{comment}: {other:?}"),
    }
}

#[test]
fn unsupported_type_clauses_are_named() {
    assert_eq!(unsupported_in_type("//@ axiom true;"), "axiom");
    assert_eq!(unsupported_in_type("/*@ model class X { int y; } @*/"), "model type");
    assert_eq!(unsupported_in_type("//@ accessible \\inv: this.*;"), "accessible of a model field");
    assert_eq!(unsupported_in_type("//@ monitors_for x = y;"), "monitors_for");
}

#[test]
fn unsupported_method_clauses_are_named_and_the_rest_goes_on() {
    for word in [
        "captures",
        "diverges",
        "duration",
        "working_space",
        "when",
        "requires_redundantly",
        "forall",
        "breaks",
        "returns",
    ] {
        let comment = format!("//@ {word} x, y;\n//@ ensures b;");
        let (file, method) = before_method(&comment);
        assert_eq!(messages(&file), Vec::<String>::new(), "{word}");
        let clauses = &method.spec.cases[0].clauses;
        assert_eq!(clauses[0].content, Err(Gap::Unsupported(word.into())));
        assert!(matches!(clauses[1].content, Ok(MethodClause::Ensures(_))), "{word}");
    }
}

#[test]
fn nested_groups_and_foreign_modifiers_are_gaps() {
    let (_, method) = before_method("/*@ requires a; {| ensures b; also ensures c; |} @*/");
    assert_eq!(method.gaps[0].gap, Gap::Unsupported("nested specification {| … |}".into()));
    let (_, method) = before_method("//@ two_state pure");
    assert_eq!(method.gaps[0].gap, Gap::Unsupported("two_state".into()));
    assert_eq!(method.modifiers[0].kind, ModifierKind::Pure);
    let (_, method) = before_method("//@ public code normal_behavior requires a;");
    assert!(method.spec.cases[0].is_code);
    let (_, method) = before_method("//@ requires a;\n//@ implies_that\n//@ ensures b;");
    assert_eq!(method.spec.cases[0].clauses.len(), 3);
}

#[test]
fn every_modifier() {
    use ModifierKind::*;
    for (text, kind) in [
        ("pure", Pure),
        ("strictly_pure", Pure),
        ("helper", Helper),
        ("nullable", Nullable),
        ("non_null", NonNull),
        ("nullable_by_default", NullableByDefault),
        ("non_null_by_default", NonNullByDefault),
        ("spec_public", SpecPublic),
        ("spec_protected", SpecProtected),
        ("spec_bigint_math", SpecBigintMath),
        ("spec_java_math", SpecJavaMath),
        ("spec_safe_math", SpecSafeMath),
        ("code_java_math", CodeJavaMath),
        ("code_bigint_math", CodeBigintMath),
        ("code_safe_math", CodeSafeMath),
        ("instance", Instance),
    ] {
        let (file, method) = before_method(&format!("/*@ {text} @*/"));
        assert_eq!(messages(&file), Vec::<String>::new());
        assert_eq!(method.modifiers[0].kind, kind);
    }
}

#[test]
fn statements() {
    let method = in_body(
        "//@ assert a : \"why\";\n//@ assume b;\n//@ set this.g = c + 1;\n\
         //@ ghost int k = 0;\n//@ unreachable;\n//@ nowarn Post;\n//@ hence_by d;\n//@ set g += 1;",
    );
    let found: Vec<String> = method
        .points
        .iter()
        .map(|point| match &point.statement.content {
            Ok(Statement::Assert(e)) => format!("assert {e}"),
            Ok(Statement::Assume(e)) => format!("assume {e}"),
            Ok(Statement::Set { target, value }) => format!("set {target} = {value}"),
            Ok(Statement::Ghost(v)) => format!("ghost {} {}", v.ty, v.name.name),
            Err(gap) => format!("{gap:?}"),
        })
        .collect();
    assert_eq!(
        found,
        [
            "assert a",
            "assume b",
            "set this.g = c + 1",
            "ghost int k",
            "assert false",
            "Unsupported(\"hence_by\")",
            "Unsupported(\"set without `=`\")",
        ]
    );
}

#[test]
fn loop_clauses() {
    let method = in_body(
        "/*@ loop_invariant a; maintaining b;\n  @ decreases c; decreasing d;\n  \
         @ loop_modifies x; assignable y; modifies \\nothing; loop_assigns z[*];\n  @*/",
    );
    let found: Vec<String> = method.loops[0]
        .clauses
        .iter()
        .map(|clause| match clause.content.as_ref().expect("understood") {
            LoopClause::Invariant(e) => format!("invariant {e}"),
            LoopClause::Decreases(e) => format!("decreases {e}"),
            LoopClause::Assignable(frame) => format!("assignable {frame}"),
        })
        .collect();
    assert_eq!(
        found,
        [
            "invariant a",
            "invariant b",
            "decreases c",
            "decreases d",
            "assignable x",
            "assignable y",
            "assignable \\nothing",
            "assignable z[*]",
        ]
    );
}

#[test]
fn contracts_of_statements_are_unsupported() {
    let method = in_body("//@ requires a;\n//@ ensures b;");
    assert_eq!(method.gaps[0].gap, Gap::Unsupported("contract of a statement".into()));
}

/// The messages about a method's comment, and which of its clauses are understood.
fn broken(comment: &str) -> (Vec<String>, Vec<bool>) {
    let (file, method) = before_method(comment);
    let clauses = method.spec.cases.iter().flat_map(|case| &case.clauses);
    let understood = clauses.map(|clause| clause.content.is_ok()).collect();
    assert!(method.gaps.iter().all(|gap| gap.gap == Gap::Broken));
    (messages(&file), understood)
}

#[test]
fn a_mistake_costs_its_own_clause_only() {
    assert_eq!(
        broken("//@ requires x >;\n//@ ensures y;"),
        (vec!["2:17: expected an expression, found `;`".into()], vec![false, true])
    );
    assert_eq!(
        broken("//@ requires x > 0\n//@ ensures y;"),
        (vec!["2:19: expected `;` after the expression".into()], vec![false, true])
    );
    assert_eq!(
        broken("//@ requires x\n"),
        (vec!["2:15: expected `;` after the expression".into()], vec![false])
    );
    assert_eq!(
        broken("//@ requires (\\forall int i; 0 < ; a[i]); ensures b;"),
        (vec!["2:34: expected an expression, found `;`".into()], vec![false, true])
    );
    assert_eq!(
        broken("//@ requires (a; ensures b;"),
        (vec!["2:16: expected `)` to close the parenthesis".into()], vec![false, true])
    );
    assert_eq!(
        broken("//@ requires a &&\n//@ ensures (b);"),
        (vec!["3:5: expected an expression, found `ensures`".into()], vec![false, true])
    );
    assert_eq!(
        broken("//@ assignable f();\n//@ ensures b;"),
        (vec!["2:16: this is not a variable, field or array element".into()], vec![false, true])
    );
    assert_eq!(
        broken("//@ signals Exception;\n//@ ensures b;"),
        (vec!["2:13: expected `(` after `signals`".into()], vec![false, true])
    );
}

#[test]
fn misspelt_keywords_are_recognised() {
    for (written, meant) in [
        ("require", "requires"),
        ("ensure", "ensures"),
        ("ensurse", "ensures"),
        ("invarient", "invariant"),
        ("asignable", "assignable"),
        ("signal", "signals"),
        ("normal_behavoir", "normal_behavior"),
        ("Requires", "requires"),
    ] {
        let (file, method) = before_method(&format!("//@ {written} x > 0;\n//@ ensures y;"));
        let message = format!("2:5: `{written}` begins no clause of JML (did you mean `{meant}`?)");
        assert_eq!(messages(&file), [message]);
        assert_eq!(method.spec.cases[0].clauses.len(), 1);
        let of_type = file.types[0].clauses.iter().filter(|c| c.content == Err(Gap::Broken));
        let of_method = method.gaps.iter().filter(|g| g.gap == Gap::Broken);
        let expected = if meant == "invariant" { (1, 0) } else { (0, 1) };
        assert_eq!((of_type.count(), of_method.count()), expected);
    }
}

#[test]
fn cases_without_also_are_reported() {
    let (file, method) =
        before_method("//@ normal_behavior requires a; normal_behavior ensures b;");
    assert_eq!(messages(&file), ["2:33: expected `also` before `normal_behavior`"]);
    assert_eq!((method.spec.cases.len(), method.gaps.len()), (2, 1));
}

#[test]
fn clauses_of_types_about_fields_and_methods() {
    let ty = in_type(
        "int n; //@ in state, this.all;\n//@ maps n.f[*] \\into state;\n//@ readable n if a;\n\
         //@ writable n if b;\n//@ constraint c for m(int), n;",
    );
    let found: Vec<String> = ty
        .clauses
        .iter()
        .map(|clause| match &clause.content.as_ref().expect("understood").kind {
            TypeClauseKind::In(groups) => format!("in {} {}", groups[0], groups[1]),
            TypeClauseKind::Maps { location, groups } => format!("maps {location} {}", groups[0]),
            TypeClauseKind::Access { writes, field, condition } => {
                format!("{writes} {field} {condition}")
            }
            TypeClauseKind::Constraint(e, Some(callees)) => format!("constraint {e} {callees}"),
            other => panic!("{other:?}"),
        })
        .collect();
    let wanted = [
        "in state this.all",
        "maps n.f[*] state",
        "false n a",
        "true n b",
        "constraint c m(int), n",
    ];
    assert_eq!(found, wanted);
}

#[test]
fn a_model_method_has_the_specification_before_it() {
    let file = read(
        "class C {\n//@ requires a;\n//@ public static model pure int f(int x, T[] y) { return x; }\n\
         void m() { }\n}\n",
    );
    assert_eq!(messages(&file), Vec::<String>::new());
    let ty = &file.types[0];
    assert!(ty.methods[0].spec.cases.is_empty());
    let model = ty.model_methods[0].content.as_ref().expect("understood");
    assert_eq!((model.spec.cases.len(), model.parameters.len()), (1, 2));
    assert_eq!(model.body.as_ref().map(ToString::to_string), Ok("x".into()));
}

#[test]
fn model_imports_are_imports() {
    let file =
        read("import a.B;\n//@ model import c.D;\n//@ model import static e.F.*;\nclass C { }\n");
    let paths: Vec<&str> = file.imports.iter().map(|import| import.path.as_str()).collect();
    assert_eq!((paths, messages(&file)), (vec!["a.B", "c.D", "e.F"], Vec::new()));
}

#[test]
fn a_semicolon_behind_modifiers_changes_nothing() {
    let file =
        read("//@ nullable_by_default;\nclass C {\n/*@ pure; @*/ int m() { return 1; }\n}\n");
    assert_eq!(messages(&file), Vec::<String>::new());
    assert_eq!(file.types[0].modifiers.len(), 1);
    assert_eq!(file.types[0].methods[0].modifiers.len(), 1);
}
