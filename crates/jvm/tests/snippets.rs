//! Own snippets of every language construct lower to valid bodies; a few are shown as text.

mod common;

use std::sync::OnceLock;

use common::{Classes, Tally, lower_all, program};
use ir::text::Text;
use ir::{Code, Nullness, Op, Program};

fn classes() -> Classes {
    static COMPILED: OnceLock<Classes> = OnceLock::new();
    let sources = [
        ("snip/Snippets.java", include_str!("java/Snippets.java")),
        ("nulls/Nulls.java", include_str!("java/Nulls.java")),
        ("nulls/Maybe.java", include_str!("java/Maybe.java")),
        ("marked/Marked.java", include_str!("java/Marked.java")),
        ("marked/package-info.java", include_str!("java/package-info.java")),
    ];
    COMPILED.get_or_init(|| common::compile("snippets", &sources)).clone()
}

fn body<'a>(program: &'a Program, class: &str, method: &str) -> &'a ir::Body {
    let class = program.class(program.class_id(class)).expect("the class loads");
    let found = class.methods.iter().find(|m| &*program.method(**m).name == method);
    match program.code(*found.expect("the method exists")) {
        Code::Body(body) => body,
        other => panic!("{method}: {other:?}"),
    }
}

fn text(class: &str, method: &str) -> String {
    let program = program(classes());
    let body = body(&program, class, method);
    without_lines(&Text { program: &program, body }.to_string())
}

fn without_lines(text: &str) -> String {
    let cut = |line: &str| line.split(';').next().unwrap_or("").trim_end().to_owned() + "\n";
    text.lines().map(cut).collect()
}

#[test]
fn every_snippet_lowers() {
    let program = program(classes());
    let mut tally = Tally::default();
    for class in classes().0.keys().filter(|name| !name.ends_with("package-info")) {
        lower_all(&program, &class.replace('/', "."), &mut tally);
    }
    assert_eq!(tally.unsupported, Vec::<String>::new());
    println!("{} of {} instructions are moves", tally.moves, tally.instrs);
    println!("{:?}", tally.traps);
    assert!(tally.traps.keys().all(|what| what.starts_with("floating point")), "{:?}", tally.traps);
}

#[test]
fn synthetic_classes_are_valid() {
    let program = program(classes());
    let mut seen = 0;
    for (class, method) in [("snip.Snippets", "lambdas"), ("snip.Snippets$Point", "equals")] {
        for block in &body(&program, class, method).blocks {
            for instr in &block.instrs {
                let made = match &instr.op {
                    Op::New { class, .. } => *class,
                    Op::Invoke { method, .. } => program.method_ref_class(*method),
                    _ => continue,
                };
                if !program.class_name(made).contains("$$") {
                    continue;
                }
                seen += 1;
                let loaded = program.class(made).expect("it is defined");
                assert!(loaded.is_synthetic && loaded.is_given(), "{}", loaded.name);
                lower_all(&program, &loaded.name.clone(), &mut Tally::default());
            }
        }
    }
    assert_eq!(seen, 13);
}

#[test]
fn straight_code_needs_no_copies() {
    assert_eq!(
        text("snip.Snippets", "add"),
        "\
(r0: ref, r1: int, r2: int)
b0:
  r4 = add_int r1, r2
  return r4
"
    );
}

#[test]
fn an_old_value_on_the_stack_survives_its_local() {
    assert_eq!(
        text("snip.Snippets", "postIncrement"),
        "\
(r0: ref, r1: int)
b0:
  r2 = r1
  r3 = 1
  r1 = add_int r1, r3
  r4 = r2
  r5 = mul_int r4, r1
  r3 = r1
  r6 = -1
  r1 = add_int r1, r6
  r5 = add_int r5, r3
  r2 = -1
  r1 = add_int r1, r2
  r5 = sub_int r5, r1
  return r5
"
    );
}

#[test]
fn handlers_stand_in_the_order_of_the_table() {
    let shown = text("snip.Snippets", "tryFinally");
    let start = shown.find("b1:").expect("a second block");
    let end = shown.find("b2:").expect("a third block");
    assert_eq!(
        &shown[start..end],
        "\
b1:
  catch java.lang.ArithmeticException r5 -> b3
  catch java.lang.NullPointerException r5 -> b3
  catch java.lang.RuntimeException r5 -> b5
  catch any r5 -> b10
  r4 = 1
  r4 = array_load int r1[r2]
  r3 = 10
  r4 = div_int r3, r4
  goto b2
"
    );
}

#[test]
fn a_lambda_adapts_its_arguments() {
    let program = program(classes());
    let body = body(&program, "snip.Snippets", "lambdas");
    let made = body.blocks[0].instrs.iter().filter_map(|i| match &i.op {
        Op::New { class, .. } => Some(*class),
        _ => None,
    });
    let shown: Vec<String> = made.map(|class| show_class(&program, class)).collect();
    assert_eq!(
        shown[0],
        "\
implements java.util.function.IntUnaryOperator
applyAsInt(int)
(r0: ref, r1: int)
b0:
  r2 = get_field r0, snip.Snippets$$Lambda$lambdas1.captured0
  r3 = invoke_static snip.Snippets.lambda$lambdas$0(r2, r1)
  return r3
"
    );
    assert!(shown[4].starts_with("implements java.util.Comparator java.io.Serializable\n"));
    assert_eq!(
        shown[5],
        "\
implements java.util.function.BiFunction
apply(Object,Object)
(r0: ref, r1: ref, r2: ref)
b0:
  r3 = check_cast r1, java.lang.Integer
  r4 = invoke_virtual java.lang.Integer.intValue(r3)
  r5 = check_cast r2, java.lang.Integer
  r6 = invoke_virtual java.lang.Integer.intValue(r5)
  r7 = invoke_static java.lang.Integer.sum(r4, r6)
  r8 = invoke_static java.lang.Integer.valueOf(r7)
  return r8
"
    );
}

fn show_class(program: &Program, class: ir::ClassId) -> String {
    let class = program.class(class).expect("it is defined");
    let interfaces: Vec<&str> = class.interfaces.iter().map(|i| program.class_name(*i)).collect();
    let mut shown = format!("implements {}\n", interfaces.join(" "));
    for method in &class.methods {
        shown += &format!("{}\n", program.signature(program.method(*method)));
        if let Code::Body(body) = program.code(*method) {
            shown += &without_lines(&Text { program, body }.to_string());
        }
    }
    shown
}

#[test]
fn assertion_errors_of_assert_statements_are_marked() {
    let shown = text("snip.Snippets", "asserts");
    assert_eq!(shown.matches("new_assertion").count(), 2);
    assert_eq!(shown.matches("= new java.lang.AssertionError").count(), 1);
}

#[test]
fn strings_keep_their_code_units() {
    let program = program(classes());
    let class = program.class(program.class_id("snip.Snippets")).expect("it loads");
    let field = class.fields.iter().map(|f| program.field(*f)).find(|f| &*f.name == "GREETING");
    let units: &[u16] = &[0x61, 0, 0x62, 0xd83d, 0xde00, 0xd800];
    let constant = field.and_then(|f| f.constant.clone());
    assert_eq!(constant, Some(ir::Constant::String(units.into())));
}

#[test]
fn variables_start_where_they_are_written() {
    let program = program(classes());
    let body = body(&program, "snip.Snippets", "add");
    let instr = &body.blocks[0].instrs[0];
    let variable = body.variable_at(instr.dst().expect("it adds"), instr.pc);
    assert_eq!(variable.map(|v| &*v.name), Some("c"));
}

fn field_nullness(program: &Program, class: &str) -> Vec<(String, Nullness)> {
    let class = program.class(program.class_id(class)).expect("it loads");
    let fields = class.fields.iter().map(|f| program.field(*f));
    fields.map(|f| (f.name.to_string(), f.nullness)).collect()
}

fn method_nullness(program: &Program, class: &str, method: &str) -> (Vec<Nullness>, Nullness) {
    let class = program.class(program.class_id(class)).expect("it loads");
    let methods = class.methods.iter().map(|m| program.method(*m));
    let found = methods.into_iter().find(|m| &*m.name == method).expect("it exists");
    (found.param_nullness.clone(), found.result_nullness)
}

use Nullness::{NonNull as Non, Nullable as Null, Unspecified as Open};

#[track_caller]
fn check_fields(class: &str, expected: &[(&str, Nullness)]) {
    let found = field_nullness(&program(classes()), class);
    let found: Vec<(&str, Nullness)> = found.iter().map(|(n, v)| (n.as_str(), *v)).collect();
    assert_eq!(found, expected);
}

#[test]
fn annotations_of_any_package_say_what_may_be_null() {
    check_fields(
        "nulls.Nulls",
        &[
            ("a", Null),
            ("b", Non),
            ("c", Open),
            ("d", Non),
            ("elements", Open),
            ("array", Null),
            ("primitive", Open),
        ],
    );
    check_fields("nulls.Nulls$Inner", &[("self", Null), ("this$0", Non)]);
    let program = program(classes());
    let of = |class, method| method_nullness(&program, class, method);
    assert_eq!(of("nulls.Nulls", "f"), (vec![Non, Open, Null, Open, Open], Null));
    assert_eq!(of("nulls.Nulls$Inner", "<init>").0, [Open, Open, Null, Non]);
    assert_eq!(of("nulls.Nulls$E", "<init>").0, [Open, Open, Null, Non]);
}

#[test]
fn null_marked_code_is_non_null_unless_it_says_otherwise() {
    check_fields(
        "marked.Marked",
        &[("a", Non), ("b", Null), ("generic", Open), ("i", Open), ("list", Non)],
    );
    check_fields("marked.Marked$Nested", &[("a", Non)]);
    check_fields("marked.Marked$Off", &[("a", Open), ("r", Open)]);
    let program = program(classes());
    let of = |method| method_nullness(&program, "marked.Marked", method);
    assert_eq!(of("f"), (vec![Non, Open, Open, Null], Open));
    assert_eq!(of("g"), (vec![Open], Open));
}
