//! Saying that something is non-null makes a promise: it never turns a violated method into a verified
//! one. `NULLNESS_SEED` chooses other programs.

use testkit::generate::random::Random;
use testkit::programs::{Program, verdicts};
use verify::Options;

const CASES: usize = 60;

/// A place where nullness can be said.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    Result,
    Field,
    Local,
    Loop,
}

const SPELT: [&str; 2] = ["/*@ non_null @*/", "@org.jmlspecs.annotation.NonNull"];

/// A class with values that may be null here and there.
fn class(
    random: &mut Random,
    nullable_by_default: bool,
) -> impl Fn(Option<(Place, &str)>) -> String + use<> {
    let default = if nullable_by_default { "/*@ nullable_by_default @*/ " } else { "" };
    let values = ["null", "\"\"", "p", "f", "s"];
    let first = *random.pick(&values[..3]);
    let second = *random.pick(&values);
    let result = *random.pick(&values);
    let written = *random.pick(&values[..4]);
    let initial = *random.pick(&["", " = \"\"", " = null"]);
    move |marked| {
        let mark = |place: Place| match marked {
            Some((at, text)) if at == place => text,
            _ => "",
        };
        format!(
            "{default}class C {{\n {} String f{initial};\n //@ ensures true;\n \
             {} String r(boolean b, /*@ nullable @*/ String p) {{\n {} String s = {first};\n \
             if (b) {{ s = {second}; }}\n return {result}; }}\n \
             void w(/*@ nullable @*/ String p) {{ f = {written}; }}\n \
             int u() {{ return f.length(); }}\n \
             int l(String[] a) {{ int n = 0; for ({} String s : a) {{ n++; if (s == f) n++; }} return n; }}\n}}",
            mark(Place::Field),
            mark(Place::Result),
            mark(Place::Local),
            mark(Place::Loop),
        )
    }
}

#[test]
fn non_null_never_weakens() {
    let seed = std::env::var("NULLNESS_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(1);
    let mut random = Random::new(seed);
    let mut cases = Vec::new();
    let mut programs = Vec::new();
    for number in 0..CASES {
        let nullable_by_default = number % 2 == 1;
        let class = class(&mut random, nullable_by_default);
        // A field without a mark is nullable where the code shows it, and a non-null one is another input: fewer
        // executions are violations.
        let place = *random.pick(&[Place::Result, Place::Local, Place::Loop]);
        let spelt = *random.pick(&SPELT);
        let options = Options::default();
        programs.push(Program { text: class(None), options: options.clone() });
        programs.push(Program { text: class(Some((place, spelt))), options });
        cases.push(place);
    }
    let found = verdicts(&programs).expect("the programs compile");
    let mut stricter = 0;
    let mut failures = Vec::new();
    for ((pair, place), texts) in found.chunks(2).zip(&cases).zip(programs.chunks(2)) {
        for (method, before) in &pair[0] {
            let after = pair[1].get(method).copied().unwrap_or("missing");
            if *before == "violated" && after == "verified" {
                failures.push(format!("{method} is {after} ({place:?}):\n{}", texts[1].text));
            }
            stricter += usize::from(*before == "verified" && after == "violated");
        }
    }
    println!("NULLNESS_SEED={seed}: {stricter} methods are violated by the annotation alone");
    assert!(failures.is_empty(), "{}:\n{}", failures.len(), failures.join("\n---\n"));
    assert!(stricter >= 5, "the annotations hardly matter");
}
