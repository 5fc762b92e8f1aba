//! Own snippets of every language construct lower to valid bodies; a few are shown as text.

mod common;

use std::sync::OnceLock;

use common::{Classes, Tally, lower_all, program};
use ir::text::Text;
use ir::{Code, Op, Program};

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
    let text = Text { program: &program, body }.to_string();
    text.lines().map(|l| l.split(';').next().unwrap_or("").trim_end().to_owned() + "\n").collect()
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
    assert_eq!(text("snip.Snippets", "add"), "\
(r0: ref, r1: int, r2: int)
b0:
  r4 = add_int r1, r2
  return r4
");
}
