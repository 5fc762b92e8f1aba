//! Which comment belongs to what.

mod common;

use common::messages;
use spec::jml::ast::{Gap, Modifier, ModifierKind, TypeClauseKind};
use spec::{FileSpecs, MethodKind, MethodSpecs, TypeSpecs, read, read_jml};

/// A file in which everything must be understood and attached.
fn clean(source: &str) -> FileSpecs {
    let file = read(source);
    assert_eq!(messages(&file), Vec::<String>::new(), "{source}");
    assert!(file.unread.is_empty(), "{source}: {:?}", file.unread);
    file
}

fn ty<'f>(file: &'f FileSpecs, name: &str) -> &'f TypeSpecs {
    let names: Vec<&str> = file.types.iter().map(|t| t.name.as_str()).collect();
    file.types.iter().find(|t| t.name == name).unwrap_or_else(|| panic!("{name} in {names:?}"))
}

fn method<'f>(file: &'f FileSpecs, class: &str, name: &str) -> &'f MethodSpecs {
    let found = ty(file, class).methods.iter().find(|m| m.name == name);
    found.unwrap_or_else(|| panic!("no {name} in {class}"))
}

/// The clauses of a method, printed roughly.
fn clauses(method: &MethodSpecs) -> Vec<String> {
    let clauses = method.spec.cases.iter().flat_map(|case| &case.clauses);
    clauses
        .map(|clause| match &clause.content {
            Ok(spec::jml::ast::MethodClause::Requires(e)) => format!("requires {e}"),
            Ok(spec::jml::ast::MethodClause::Ensures(e)) => format!("ensures {e}"),
            other => format!("{other:?}"),
        })
        .collect()
}

fn kinds(modifiers: &[Modifier]) -> Vec<ModifierKind> {
    modifiers.iter().map(|m| m.kind).collect()
}

fn invariants(ty: &TypeSpecs) -> Vec<String> {
    ty.clauses
        .iter()
        .map(|clause| match clause.content.as_ref().map(|c| &c.kind) {
            Ok(TypeClauseKind::Invariant(e)) => e.to_string(),
            other => format!("{other:?}"),
        })
        .collect()
}

#[test]
fn package_and_imports_are_read() {
    let file = clean(
        "package a . b;\nimport java.util.List;\nimport java.io.*;\nimport static a.B.c;\n\
         import static a.D.*;\nclass C { }\n",
    );
    assert_eq!(file.package, "a.b");
    let imports: Vec<(&str, bool, bool)> =
        file.imports.iter().map(|i| (i.path.as_str(), i.is_static, i.on_demand)).collect();
    assert_eq!(
        imports,
        [
            ("java.util.List", false, false),
            ("java.io", false, true),
            ("a.B.c", true, false),
            ("a.D", true, true),
        ]
    );
}

#[test]
fn nested_local_and_anonymous_types_have_binary_names() {
    let file = clean(
        "class A {
           class B { interface I { } enum E { X { //@ invariant x;
           }, Y; } record R(int a) { } @interface Q { } }
           Object o = new Object() { //@ invariant anonymous;
             Object p = new Object() { };
           };
           void m() { class L { //@ invariant local;
             } new Runnable() { public void run() { class L { } } }; }
           void n() { class L { } class M { } }
         }
         class Z { }",
    );
    let names: Vec<&str> = file.types.iter().map(|t| t.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "A", "A$B", "A$B$I", "A$B$E", "A$B$E$1", "A$B$R", "A$B$Q", "A$1", "A$1$1", "A$1L",
            "A$2", "A$2$1L", "A$2L", "A$1M", "Z"
        ]
    );
    assert_eq!(invariants(ty(&file, "A$B$E$1")), ["x"]);
    assert_eq!(invariants(ty(&file, "A$1")), ["anonymous"]);
    assert_eq!(invariants(ty(&file, "A$1L")), ["local"]);
}

#[test]
fn methods_are_identified_by_name_and_parameters() {
    let file = clean(
        "class C<T> {
           C(int x) { }
           <S extends T> java.util.Map<String, ? extends S> m(final T[] a, int b[], \
             java.util . List < T > c, String... rest) throws E { }
           int f()[] { }
           abstract void g(@Ann(1) Object o, C<T> this$);
           { x = 1; }
           static { y = 2; }
         }
         record R(int a, String... b) { R { } R(int a) { this(a, null); } }",
    );
    let shape: Vec<String> = file
        .types
        .iter()
        .flat_map(|t| &t.methods)
        .map(|m| {
            let parameters: Vec<String> =
                m.parameters.iter().map(|p| format!("{} {}", p.ty, p.name)).collect();
            let result = m.result.as_deref().unwrap_or("-");
            format!("{:?} {result} {}({})", m.kind, m.name, parameters.join(", "))
        })
        .collect();
    assert_eq!(
        shape,
        [
            "Constructor - C(int x)",
            "Method java.util.Map<String,? extends S> m(T[] a, int[] b, java.util.List<T> c, \
             String... rest)",
            "Method int[] f()",
            "Method void g(Object o, C<T> this$)",
            "Initializer - ()",
            "StaticInitializer - ()",
            "CompactConstructor - R()",
            "Constructor - R(int a)",
        ]
    );
    let components: Vec<&str> = ty(&file, "R").components.iter().map(|p| p.ty.as_str()).collect();
    assert_eq!(components, ["int", "String..."]);
    assert!(method(&file, "C", "g").body.is_none());
}

#[test]
fn several_comments_belong_together() {
    let file = clean(
        "class C {
           //@ requires a;
           // a remark
           /** JML in Javadoc: <pre>//@ requires no;</pre> */
           // @ requires not_jml;
           //+ESC@ requires conditional;
           /*@ ensures b; @*/
           @Override @Deprecated
           //@ ensures c;
           public /*@ pure @*/ int m(int x) /*@ ensures d; @*/ { }
         }",
    );
    let m = method(&file, "C", "m");
    assert_eq!(clauses(m), ["requires a", "ensures b", "ensures c", "ensures d"]);
    assert_eq!(m.spec.cases.len(), 1);
    assert_eq!(kinds(&m.modifiers), [ModifierKind::Pure]);
}

#[test]
fn comments_go_to_the_declaration_that_follows() {
    let file = clean(
        "class C {
           int before; //@ requires a;
           C() { }
           //@ requires b;
           interface_like() { }
           //@ requires c;
           static <T> void generic(T t) { }
           //@ invariant d; requires e;
           void f() { }
           //@ invariant last;
         }"
        .replace("interface_like() { }", "void g() { }")
        .as_str(),
    );
    assert_eq!(clauses(method(&file, "C", "C")), ["requires a"]);
    assert_eq!(clauses(method(&file, "C", "g")), ["requires b"]);
    assert_eq!(clauses(method(&file, "C", "generic")), ["requires c"]);
    assert_eq!(clauses(method(&file, "C", "f")), ["requires e"]);
    assert_eq!(invariants(ty(&file, "C")), ["d", "last"]);
}

#[test]
fn interfaces_enums_records_and_annotation_types() {
    let file = clean(
        "interface I { //@ requires a;
           void m(); //@ ensures b;
           default int n() { return 1; }
           /*@ spec_public @*/ int X = 1; }
         enum E { A, B; //@ invariant c;
           //@ requires d;
           E() { } }
         record R(/*@ nullable @*/ Object o, int i) { //@ requires e;
           R { } //@ ensures f;
           public int i() { return i; } }
         @interface Q { //@ pure
           int v() default 1; }",
    );
    assert_eq!(clauses(method(&file, "I", "m")), ["requires a"]);
    assert_eq!(clauses(method(&file, "I", "n")), ["ensures b"]);
    assert_eq!(kinds(&ty(&file, "I").fields[0].modifiers), [ModifierKind::SpecPublic]);
    assert_eq!(invariants(ty(&file, "E")), ["c"]);
    assert_eq!(clauses(method(&file, "E", "E")), ["requires d"]);
    let components = &ty(&file, "R").components;
    assert_eq!(kinds(&components[0].modifiers), [ModifierKind::Nullable]);
    assert_eq!(kinds(&components[1].modifiers), []);
    assert_eq!(clauses(method(&file, "R", "R")), ["requires e"]);
    assert_eq!(clauses(method(&file, "R", "i")), ["ensures f"]);
    assert_eq!(kinds(&method(&file, "Q", "v").modifiers), [ModifierKind::Pure]);
}

#[test]
fn modifiers_of_types_fields_and_parameters() {
    use ModifierKind::*;
    let file = clean(
        "/*@ nullable_by_default @*/ public class C /*@ spec_bigint_math @*/ {
           /*@ spec_public @*/ private int a, b = 1;
           private /*@ spec_public nullable @*/ Node c;
           private int d /*@ non_null @*/;
           //@ helper
           /*@ nullable @*/ Node m(/*@ nullable @*/ Node x, final /*@ non_null @*/ Node y,
               Node z, /*@ nullable @*/ Node... rest) { }
           //@ non_null_by_default
           static class D { }
         }",
    );
    let class = ty(&file, "C");
    assert_eq!(kinds(&class.modifiers), [NullableByDefault, SpecBigintMath]);
    let fields: Vec<_> =
        class.fields.iter().map(|f| (f.names.join(","), kinds(&f.modifiers))).collect();
    assert_eq!(
        fields,
        [
            ("a,b".into(), vec![SpecPublic]),
            ("c".into(), vec![SpecPublic, Nullable]),
            ("d".into(), vec![NonNull]),
        ]
    );
    let m = method(&file, "C", "m");
    assert_eq!(kinds(&m.modifiers), [Helper, Nullable]);
    let parameters: Vec<_> = m.parameters.iter().map(|p| kinds(&p.modifiers)).collect();
    assert_eq!(parameters, [vec![Nullable], vec![NonNull], vec![], vec![Nullable]]);
    assert_eq!(kinds(&ty(&file, "C$D").modifiers), [NonNullByDefault]);
}

#[test]
fn loops_of_all_kinds() {
    let file = clean(
        "class C { void m() {
           //@ loop_invariant a;
           while (x) { }
           //@ loop_invariant b;
           //@ decreases b2;
           for (int i = 0; i < 3; i++) ;
           //@ loop_invariant c;
           for (Node n : nodes) { //@ loop_invariant d;
             do { } while (y); }
           //@ loop_invariant e;
           outer: while (x)
             //@ loop_invariant f;
             while (y) ;
           label: //@ loop_invariant g;
           while (x) { }
           while (x) //@ loop_invariant h;
           { }
           if (x)
             //@ loop_invariant i;
             while (y) { }
           Runnable r = () -> { //@ loop_invariant j;
             while (x) { } };
         } }",
    );
    let found: Vec<(u32, usize)> =
        method(&file, "C", "m").loops.iter().map(|l| (l.span.line, l.clauses.len())).collect();
    assert_eq!(
        found,
        [(3, 1), (6, 2), (8, 1), (9, 1), (11, 1), (13, 1), (15, 1), (16, 1), (20, 1), (22, 1)]
    );
}

#[test]
fn points_know_their_method_and_what_follows() {
    let file = clean(
        "class C {
           { //@ assert a;
           }
           C() { super(); //@ assert b;
             x = 1; }
           void m(int k) {
             //@ ghost int g = 0;
             //@ set g = 1;
             int y = k;
             switch (k) { case 1: //@ assert c;
               y = 2; //@ assert d;
               case 2: break; default: //@ assert e;
             }
             try { //@ assert f;
             } catch (E e) { //@ assert g;
               throw e; } finally { /*@ assert h; @*/ }
             new Object() { void inner() { //@ assert i;
             } };
             //@ assume j;
           }
         }",
    );
    let points = |m: &MethodSpecs| -> Vec<(u32, Option<u32>)> {
        m.points.iter().map(|p| (p.statement.span.line, p.before.map(|b| b.line))).collect()
    };
    let methods = &ty(&file, "C").methods;
    assert_eq!(methods[0].kind, MethodKind::Initializer);
    assert_eq!(points(&methods[0]), [(2, None)]);
    assert_eq!(points(&methods[1]), [(4, Some(5))]);
    assert_eq!(
        points(&methods[2]),
        [
            (7, Some(9)),
            (8, Some(9)),
            (10, Some(11)),
            (11, None),
            (12, None),
            (14, None),
            (15, Some(16)),
            (16, None),
            (19, None),
        ]
    );
    assert_eq!(points(method(&file, "C$1", "inner")), [(17, None)]);
}

#[test]
fn local_variables_take_modifiers() {
    let file = clean(
        "class C { void m() {
           /*@ nullable @*/ Node a = null, b;
           final /*@ non_null @*/ Node c = x;
           for (/*@ nullable @*/ Node d : s) { }
           for (/*@ nullable @*/ Node e = x; ; ) { }
         } }",
    );
    let locals: Vec<String> =
        method(&file, "C", "m").locals.iter().map(|l| l.names.join(",")).collect();
    assert_eq!(locals, ["a,b", "c", "d", "e"]);
}

#[test]
fn what_fits_nowhere_is_reported_and_leaves_a_gap() {
    for (source, message) in [
        ("class C {\n//@ requires a;\nint f; }", "2:5: no method follows this specification"),
        ("class C {\n//@ requires a;\n}", "2:5: no method follows this specification"),
        ("class C {\n//@ pure\n}", "2:5: no declaration follows this modifier"),
        (
            "class C {\n//@ assert a;\nvoid m() { } }",
            "2:5: a statement belongs between the statements of a body",
        ),
        (
            "class C {\n//@ loop_invariant a;\nvoid m() { } }",
            "2:5: no loop follows this loop specification",
        ),
        (
            "class C { void m() {\n//@ loop_invariant a;\nx = 1; } }",
            "2:5: no loop follows this loop specification",
        ),
        (
            "class C { void m() { f(a,\n//@ assert b;\nc); } }",
            "2:5: no specification can stand here",
        ),
        ("class C { void m() {\n//@ invariant b;\n} }", "2:5: this can not stand in a body"),
        (
            "class C { void m(\n//@ requires a;\nint x) { } }",
            "2:5: only modifiers can stand at a parameter",
        ),
        (
            "class C { Runnable r = () -> {\n//@ assert a;\n}; }",
            "2:5: this stands in code that belongs to no method",
        ),
        ("\n//@ ghost int x;\n", "2:5: this belongs inside a type"),
        (
            "class C { void m() {\n//$ requires no a\n} }",
            "2:5: an Alloy-style clause stands before a method or in a type",
        ),
        ("class C {\n//$ requires no a\nint x; }", "2:5: no method follows this clause"),
    ] {
        let file = read(source);
        assert_eq!(messages(&file), [message], "{source}");
        let of_types = file
            .types
            .iter()
            .flat_map(|t| t.gaps.iter().chain(t.methods.iter().flat_map(|m| &m.gaps)));
        let gaps: Vec<&Gap> = of_types.chain(&file.gaps).map(|g| &g.gap).collect();
        assert_eq!(gaps, [&Gap::Broken], "{source}");
    }
}

#[test]
fn modifiers_inside_types_are_unsupported() {
    let file = read("class C { List</*@ non_null @*/ String> f; }");
    let gap = &ty(&file, "C").gaps[0].gap;
    assert_eq!(*gap, Gap::Unsupported("modifier inside a type or expression".into()));
    let file = read("class C { List</*@ nullable @*/ String> f; }");
    assert!(ty(&file, "C").gaps.is_empty());
}

#[test]
fn comments_that_are_no_specifications() {
    let file = clean(
        "class C {
           //@Override
           //@SuppressWarnings(\"x\")
           //@formatter:off
           // @ requires a;
           /* @ requires a; */
           /** @ requires a; */
           //-RAC@ requires a;
           /*+ESC@ requires a; @*/
           String s = \"//@ requires a;\"; char c = '\"'; //@
           String t = \"\"\"\n //@ requires a; \\\"\"\" /*@ requires b; @*/ \"\"\";
           void m() { }
         }",
    );
    assert!(method(&file, "C", "m").spec.cases.is_empty());
}

#[test]
fn marks_decorate_lines_of_comments() {
    let file = clean(
        "class C {\n/*@@ requires a;\n  @@ ensures b\n@ && c; // a remark\n    \
         @ ensures d; @@*/\n//@@ ensures e; /* another; */ //@ ensures f;\nvoid m() { } }",
    );
    assert_eq!(
        clauses(method(&file, "C", "m")),
        ["requires a", "ensures b && c", "ensures d", "ensures e", "ensures f"]
    );
}

#[test]
fn broken_java_is_outlined_as_far_as_possible() {
    let file = read(
        "class C {\n//@ requires a;\nvoid m() { x = ; ) }\n//@ requires b;\nvoid n() { }\n}\n",
    );
    assert!(!file.unread.is_empty());
    assert_eq!(clauses(method(&file, "C", "n")), ["requires b"]);
}

#[test]
fn jml_files_need_no_bodies() {
    let file = read_jml(
        "package p;\npublic class C {\n  //@ requires a;\n  public C(int x);\n  //@ requires b;\n  \
         C() throws E, F; // new C();\n  //@ ensures c;\n  int m(C c);\n  //@ invariant d;\n  \
         static class D { //@ requires e;\n D(@A(1) int x) ; }\n  int f = new C().g();\n}\n",
    );
    assert_eq!(messages(&file), Vec::<String>::new());
    assert!(file.unread.is_empty(), "{:?}", file.unread);
    let constructors: Vec<Vec<String>> = ty(&file, "C").methods.iter().map(clauses).collect();
    assert_eq!(constructors, [["requires a"], ["requires b"], ["ensures c"]]);
    assert_eq!(clauses(method(&file, "C$D", "D")), ["requires e"]);
    assert_eq!(invariants(ty(&file, "C")), ["d"]);
}

#[test]
fn documentation_is_read_without_becoming_a_specification() {
    let specs = spec::read(
        "class C {
           /** @throws IllegalStateException unless closed */
           /** @param a the text, may be null
             * @throws java.io.IOException if so */
           int m(@Min(3) int b, final @p.Positive int[] c, String a) { /** @throws E */ return 1; }
           /** @throws E */ int f;
           int plain(String a) { return 2; }
         }",
    );
    assert!(!specs.has_jml && specs.diagnostics.is_empty() && specs.gaps.is_empty());
    let [documented, plain] = &specs.types[0].methods[..] else {
        panic!("two methods: {specs:?}");
    };
    let thrown: Vec<&str> = documented.documented.iter().map(|d| d.name.as_str()).collect();
    assert_eq!(thrown, ["java.io.IOException"]);
    assert_eq!(documented.documented[0].span.line, 4);
    let annotations: Vec<(&str, &str)> = documented
        .parameters
        .iter()
        .flat_map(|p| &p.annotations)
        .map(|a| (a.name.as_str(), a.arguments.as_str()))
        .collect();
    assert_eq!(annotations, [("Min", "(3)"), ("Positive", "")]);
    let nullness: Vec<bool> =
        documented.parameters.iter().map(|p| p.documented.is_some()).collect();
    assert_eq!(nullness, [false, false, true]);
    assert!(plain.documented.is_empty() && plain.parameters[0].documented.is_none());
}
