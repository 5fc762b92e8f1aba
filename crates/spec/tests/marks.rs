//! Copies of sources with calls at the points at which something is specified.

mod common;

use common::Random;
use spec::marks::{self, MarkKind, MarkSite};
use spec::read;

/// The copy of a method body, the class around it cut away.
fn marked(body: &str) -> String {
    let source = format!("class A {{ void f() {{{body}}} }}");
    let sites = marks::sites(&read(&source));
    assert!(!sites.is_empty(), "{source}: nothing to mark");
    let copy = marks::insert(&source, &sites, 7);
    copy["class A { void f() {".len()..copy.len() - 3].to_string()
}

#[test]
fn a_call_replaces_a_comment() {
    assert_eq!(marked("/*@ assert x; @*/ g();"), "jarosite.Mark.at(7);                   g();");
    let lines = marked(" g();\n  //@ assert x; assert y;\n  /*@ assume\n z; @*/\n");
    let shown: Vec<&str> = lines.lines().map(str::trim_end).collect();
    assert_eq!(shown, [" g();", "  jarosite.Mark.at(7);", "  jarosite.Mark.at(8);", "", ""][..4]);
}

#[test]
fn loops_are_marked_before_and_inside() {
    assert_eq!(
        marked("//@ loop_invariant x;\nwhile (a) { g(); }"),
        "//@ loop_invariant x;\njarosite.Mark.loop(7); while (a) { jarosite.Mark.body(7); g(); }"
    );
    assert_eq!(
        marked("//@ loop_invariant x;\nl: m: for (;;) g();"),
        "//@ loop_invariant x;\n\
         jarosite.Mark.loop(7); l: m: for (;;) { jarosite.Mark.body(7); g(); }"
    );
    assert_eq!(
        marked("if (c) /*@ loop_invariant x; @*/ do g(); while (a); else h();"),
        "if (c) /*@ loop_invariant x; @*/ { jarosite.Mark.loop(7); \
         do { jarosite.Mark.body(7); g(); } while (a); } else h();"
    );
}

#[test]
fn nested_loops_without_braces() {
    let copy = marked(
        "//@ loop_invariant a;\nfor (int i : is)\n//@ loop_invariant b;\nfor (int j : js) g();",
    );
    assert_eq!(
        copy,
        "//@ loop_invariant a;\njarosite.Mark.loop(7); for (int i : is)\n//@ loop_invariant b;\n\
         { jarosite.Mark.body(7); { jarosite.Mark.loop(8); \
         for (int j : js) { jarosite.Mark.body(8); g(); } } }"
    );
}

#[test]
fn a_label_stays_with_its_statement() {
    let copy = marked("l: /*@ assert x; @*/ while (a) { continue l; }");
    assert_eq!(copy.split_whitespace().collect::<Vec<_>>()[..2], ["jarosite.Mark.at(7);", "l:"]);
    let copy = marked("if (c) l: /*@ assert x; @*/ g();");
    let copy: Vec<&str> = copy.split_whitespace().collect();
    assert_eq!(copy.join(" "), "if (c) { jarosite.Mark.at(7); l: g(); }");
}

#[test]
fn points_in_switches_and_lambdas() {
    let copy = marked("switch (x) { case 1: /*@ assert a; @*/ g(); default: /*@ assert b; @*/ }");
    let copy: Vec<&str> = copy.split_whitespace().collect();
    assert_eq!(
        copy.join(" "),
        "switch (x) { case 1: jarosite.Mark.at(7); g(); default: jarosite.Mark.at(8); }"
    );
    let copy = marked("Runnable r = () -> { /*@ assert a; @*/ };");
    assert!(copy.starts_with("Runnable r = () -> { jarosite.Mark.at(7); "), "{copy}");
}

#[test]
fn lines_of_calls_are_known() {
    let source = "class A { void f() { g();\n /*@ assert a;\n @*/\n //@ loop_invariant b;\n\
                  l:\nwhile (c) { } } }";
    let copy = marks::marked(source, &marks::sites(&read(source)), 0);
    assert_eq!(copy.lines, [2, 5]);
}

/// Statements from which bodies are put together.
const STATEMENTS: [&str; 16] = [
    "g();",
    "//@ assert x > 0;\n",
    "/*@ assume y;\r\n  @ assert z; */",
    "//@ loop_invariant é;\nwhile (a) ",
    "/*@ loop_invariant a;\n decreases b; @*/ do ",
    "for (int i = 0; i < 3; i++) ",
    "{ ",
    "} ",
    "lab: ",
    "if (a) ",
    "else ",
    "while (c);",
    "switch (x) { case 1: ",
    "int y = 3;",
    "/* ordinary */",
    "Runnable r = () -> { ",
];

/// Removes what can only have been inserted.
fn without_calls(copy: &str) -> String {
    let mut out = String::new();
    let mut rest = copy;
    while let Some(at) = rest.find("jarosite.Mark.") {
        out.push_str(&rest[..at]);
        let call = &rest[at..];
        rest = call.find(';').map_or("", |end| &call[end + 1..]);
    }
    out + rest
}

fn is_filler(c: char) -> bool {
    matches!(c, '{' | '}' | ' ')
}

#[test]
fn nothing_but_calls_is_added() {
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let body: String = (0..12).map(|_| *random.pick(&STATEMENTS)).collect();
        let source = format!("class A {{ void f() {{ {body} }} }}\n");
        let sites = marks::sites(&read(&source));
        let copy = marks::insert(&source, &sites, 1);
        assert_eq!(copy.lines().count(), source.lines().count(), "{source}");
        let comments: Vec<&MarkSite> =
            sites.iter().filter(|s| matches!(s.kind, MarkKind::Points(_))).collect();
        let mut blanked = source.clone().into_bytes();
        for site in &comments {
            let piece = &mut blanked[site.place.start as usize..site.place.end as usize];
            piece.iter_mut().filter(|b| !matches!(b, b'\n' | b'\r')).for_each(|b| *b = b' ');
        }
        let blanked = String::from_utf8(blanked).expect("whole comments are blanked");
        let bare = without_calls(&copy);
        assert_eq!(bare.replace(is_filler, ""), blanked.replace(is_filler, ""), "{source}");
        let braces =
            |text: &str| text.matches('{').count() as i32 - text.matches('}').count() as i32;
        assert_eq!(braces(&bare), braces(&blanked), "{source}\n{copy}");
        for (index, site) in sites.iter().enumerate() {
            let at = format!("({});", index + 1);
            let expected = if matches!(site.kind, MarkKind::Points(_)) { 1 } else { 2 };
            assert!(copy.matches(&at).count() <= expected, "{source}\n{copy}");
        }
    }
}

#[test]
fn sites_of_another_source_do_no_harm() {
    let source = "class A { void f() { //@ assert x;\n while (a) { /*@ assert y; @*/ } } }";
    let sites = marks::sites(&read(source));
    for end in 0..source.len() {
        marks::insert(&source[..end], &sites, 0);
    }
}
