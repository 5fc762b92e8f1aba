//! Calls that mark points of the source become marks at the right places, with what is in scope.

mod common;

use std::sync::OnceLock;

use common::{Classes, Tally, lower_all, program};
use ir::{BlockId, Body, Code, Op, Program};

fn classes() -> Classes {
    static COMPILED: OnceLock<Classes> = OnceLock::new();
    let sources = [
        ("jarosite/Mark.java", include_str!("java/Mark.java")),
        ("points/Points.java", include_str!("java/Points.java")),
    ];
    COMPILED.get_or_init(|| common::compile("marks", &sources)).clone()
}

fn body<'a>(program: &'a Program, method: &str) -> &'a Body {
    let class = program.class(program.class_id("points.Points")).expect("the class loads");
    let found = class.methods.iter().find(|m| program.method(**m).name.starts_with(method));
    match program.code(*found.expect("the method exists")) {
        Code::Body(body) => body,
        other => panic!("{method}: {other:?}"),
    }
}

/// Where a mark is: the loops around it, and whether it is the start of the innermost one.
fn marks(method: &str) -> Vec<String> {
    let program = program(classes());
    let body = body(&program, method);
    let mut found = Vec::new();
    for (index, block) in body.blocks.iter().enumerate() {
        for (position, instr) in block.instrs.iter().enumerate() {
            let Op::Mark { number, locals } = &instr.op else {
                continue;
            };
            let around = body.order().loops_around(BlockId(index as u32));
            let is_head = around.last() == Some(&BlockId(index as u32)) && position == 0;
            let locals: Vec<&str> = locals.iter().map(|l| &*l.name).collect();
            let at = if is_head { "head" } else { "at" };
            let line = instr.line;
            found.push(format!("{number} {at}:{line} in {} ({})", around.len(), locals.join(" ")));
        }
    }
    found
}

#[test]
fn points_see_the_variables_in_scope() {
    assert_eq!(
        marks("simple"),
        [
            "1 at:9 in 0 (a b x)",
            "2 at:13 in 0 (a b x y)",
            "3 at:15 in 0 (a b x)",
            "70000 at:17 in 0 (a b x y)"
        ]
    );
}

#[test]
fn loops_are_marked_at_their_heads() {
    assert_eq!(marks("counted"), ["1 head:24 in 1 (a sum i)"]);
    assert_eq!(marks("nested"), ["1 head:47 in 1 (n sum)", "2 head:52 in 2 (n sum k j)"]);
}

#[test]
fn a_head_is_not_shared_with_an_inner_loop() {
    assert_eq!(marks("sharedHeads"), ["1 head:34 in 1 (b n)"]);
}

#[test]
fn a_loop_that_is_none_keeps_its_mark_in_its_body() {
    assert_eq!(marks("never"), ["1 at:67 in 0 (n x)", "2 head:70 in 1 (n x)"]);
}

#[test]
fn copies_of_finally_are_marked_each() {
    assert_eq!(
        marks("copied"),
        [
            "1 head:83 in 1 (n x)",
            "2 at:88 in 0 (n x)",
            "1 head:83 in 1 (n x)",
            "2 at:88 in 0 (n x)"
        ]
    );
}

#[test]
fn marks_in_all_kinds_of_code() {
    assert_eq!(
        marks("each"),
        [
            "1 at:96 in 0 (list count)",
            "2 head:97 in 1 (list count)",
            "4 at:105 in 0 (list count e)",
            "5 at:108 in 0 (list count t)",
            "6 at:109 in 0 (list count)"
        ]
    );
    assert_eq!(marks("lambda$each"), ["3 at:100 in 0 (s z)"]);
}

#[test]
fn nothing_is_left_of_the_class() {
    let program = program(classes());
    let mut tally = Tally::default();
    lower_all(&program, "points.Points", &mut tally);
    assert_eq!(tally.unsupported, Vec::<String>::new());
    for method in ["simple", "counted", "nested", "never", "copied", "each"] {
        for instr in body(&program, method).blocks.iter().flat_map(|b| &b.instrs) {
            let names_mark = match &instr.op {
                Op::Invoke { method, .. } => {
                    let class = program.method_ref_class(*method);
                    program.class_name(class) == "jarosite.Mark"
                }
                _ => false,
            };
            assert!(!names_mark, "{method}: {instr:?}");
        }
    }
}

#[test]
fn a_number_that_is_not_constant_is_a_call() {
    assert_eq!(marks("other"), Vec::<String>::new());
}
