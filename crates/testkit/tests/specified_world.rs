//! A class, an enum or a constant that only a specification mentions is a candidate like any other: what
//! is claimed of an object has the same verdict whether code mentions the class too or not.

use testkit::programs::{Program, verdicts};
use verify::{Calls, Options};

/// Something that an object may be.
struct Kind {
    declared: &'static str,
    /// What is false of `o` if it may be this.
    claim: &'static str,
    /// How code mentions it.
    code: &'static str,
}

const KINDS: [Kind; 10] = [
    Kind { declared: "class K {}", claim: "!(o instanceof K)", code: "x = o instanceof K;" },
    Kind {
        declared: "class K { static final K C = new K(); }",
        claim: "o != K.C",
        code: "x = o == K.C;",
    },
    Kind {
        declared: "class K {} class H { static final K C = new K(); }",
        claim: "H.C != o",
        code: "x = o == H.C;",
    },
    Kind { declared: "enum K { A, B }", claim: "o != K.B", code: "x = o == K.B;" },
    Kind { declared: "enum K { A, B }", claim: "!(o instanceof K)", code: "x = o instanceof K;" },
    Kind {
        declared: "enum K { A { int f() { return 1; } }; int f() { return 0; } }",
        claim: "o != K.A",
        code: "x = o == K.A;",
    },
    Kind {
        declared: "record K(int i) {}",
        claim: "!(o instanceof K)",
        code: "x = o instanceof K;",
    },
    Kind {
        declared: "interface P {} class K implements P {}",
        claim: "!(o instanceof P)",
        code: "x = o instanceof P;",
    },
    Kind {
        declared: "final class K {}",
        claim: "\\typeof(o) != \\type(K)",
        code: "x = o.getClass() == K.class;",
    },
    Kind { declared: "class K {}", claim: "!(o instanceof K[])", code: "x = o instanceof K[];" },
];

/// Where a claim about `o` can stand; `CLAIM` is it. The method that is to be violated is `m`.
const PLACES: [&str; 9] = [
    "//@ ensures CLAIM;\n static void m(Object o) {}",
    "//@ requires !(CLAIM); ensures false;\n static void m(Object o) {}",
    "static void m(Object o) {\n //@ assert CLAIM;\n }",
    "static void m(Object o) {\n //@ ghost boolean g = CLAIM;\n //@ assert g;\n }",
    "static void m(Object o) {\n //@ assume !(CLAIM);\n //@ assert false;\n }",
    "static void m(Object o) { int i = 0;\n //@ loop_invariant CLAIM;\n while (i < 1) i++; }",
    "static void m(Object o) { callee(o); }\n static void callee(Object o) {\n //@ assert CLAIM;\n }",
    "//@ ensures true;\n //@ assignable \\nothing;\n static Object any() { return new Object(); }\n \
     static void m() { Object o = any();\n //@ assert CLAIM;\n }",
    "//@ model static pure boolean holds(Object o) { return CLAIM; }\n //@ ensures holds(o);\n \
     static void m(Object o) {}",
];

fn program(kind: &Kind, place: &str, in_code: bool) -> Program {
    let code = if in_code { kind.code } else { "" };
    let text = format!(
        "class M {{\n {}\n static boolean x;\n static void other(Object o) {{ {code} }}\n }}\n{}",
        place.replace("CLAIM", kind.claim),
        kind.declared,
    );
    let mut options = Options::default();
    if place.contains("any()") {
        options.calls = Calls::Contract;
    }
    Program { text, options }
}

#[test]
fn what_a_specification_mentions_may_be_there() {
    let cases: Vec<(&Kind, &str)> =
        KINDS.iter().flat_map(|kind| PLACES.iter().map(move |place| (kind, *place))).collect();
    let both =
        |(kind, place): &(&Kind, &str)| [program(kind, place, false), program(kind, place, true)];
    let programs: Vec<Program> = cases.iter().flat_map(both).collect();
    let found = verdicts(&programs).expect("the programs compile");
    let mut failures = Vec::new();
    for (pair, texts) in found.chunks(2).zip(programs.chunks(2)) {
        let of_m = |verdicts: &testkit::programs::Verdicts| {
            let m = verdicts.iter().find(|(name, _)| name.starts_with("M.m("));
            m.map_or("missing", |(_, verdict)| *verdict)
        };
        let (specified, in_code) = (of_m(&pair[0]), of_m(&pair[1]));
        if specified != in_code || specified != "violated" {
            let text = &texts[0].text;
            failures.push(format!("specified: {specified}, in code: {in_code}:\n{text}"));
        }
    }
    assert!(failures.is_empty(), "{}:\n{}", failures.len(), failures.join("\n---\n"));
}
