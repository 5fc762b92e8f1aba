//! Input that nobody would write: no panic, no escape sequence, no torn layout.

mod common;

use std::path::Path;

use common::*;
use report::{NoSources, Run, Sources, Style, html, human, human_result, json};
use verify::execution::{Content, Datum, Execution, Outcome, Place, Step};
use verify::result::ViolatedClause;
use verify::{Cause, MethodResult, Replay, Verdict};

/// A class with terminal codes, tabs, wide and invisible characters in the offending line.
const ODD: &str = "class A {\n\tvoid f() {\n\t\t日本.g(\"\u{1b}[31m\u{202e}\"); // x\n\t}\n}\n";

const STYLES: [Style; 4] = [
    style(false, false, false),
    style(false, true, true),
    style(true, false, true),
    style(true, true, false),
];

const fn style(color: bool, unicode: bool, verbose: bool) -> Style {
    Style { color, unicode, verbose, specs: true }
}

#[test]
fn odd_source_lines_stay_aligned() {
    let mut found = violation(empty_pop());
    found.at.line = 3;
    let odd = result(Verdict::Violated(vec![found]));
    let text = human_result(&odd, &OneFile(ODD), &STYLES[1]);
    assert!(
        text.contains(
            " 3 |         日本.g(\"\u{fffd}[31m\u{fffd}\"); // x\n   |         ^^^^^^^^^^^^^^^^^ a "
        ),
        "{text}"
    );
    let ascii = human_result(&odd, &OneFile(ODD), &STYLES[0]);
    assert!(
        ascii.contains(" 3 |         ??.g(\"?[31m?\"); // x\n   |         ^^^^^^^^^^^^^^^ a "),
        "{ascii}"
    );
    assert!(ascii.is_ascii());
}

#[test]
fn nothing_gets_to_the_terminal() {
    let evil = "\u{1b}]0;owned\u{7}\r\n\u{202e}".to_string();
    let mut all = extreme(&evil);
    all.push(undecided(Cause::Internal(evil.clone())));
    all.push(MethodResult::unusable(Some(evil.clone()), Path::new(&evil), &evil));
    let diagnostics = [evil];
    let run = Run {
        results: &all,
        time_ms: u64::MAX,
        sources: &OneFile(ODD),
        diagnostics: &diagnostics,
        array_length: 3,
        string_length: 5,
        int_bits: 32,
        sandbox: None,
    };
    for style in STYLES {
        let text = human(&run, &style);
        let allowed = |c: char| !c.is_control() || c == '\n' || (style.color && c == '\u{1b}');
        assert!(text.chars().all(allowed));
        assert!(!text.contains("\u{1b}]") && !text.contains('\u{202e}'));
    }
}

#[test]
fn extremes_do_not_panic() {
    let long = "x".repeat(70_000);
    for name in ["", "\u{0}", "a", "日本語", "[]", "$", ".", long.as_str()] {
        let mut results = extreme(name);
        for class in [None, Some(name.to_string())] {
            results.push(MethodResult::unusable(class, Path::new(name), name));
        }
        for style in STYLES {
            for result in &results {
                human_result(result, &NoSources, &style);
                human_result(result, &OneFile(ODD), &style);
            }
        }
        let run = Run {
            results: &results,
            time_ms: 0,
            sources: &OneFile(ODD),
            diagnostics: &[],
            array_length: 3,
            string_length: 5,
            int_bits: 32,
            sandbox: None,
        };
        for text in [json(&run), report::sarif(&run)] {
            assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok());
        }
        report::junit(&run);
        report::annotations(&run);
        html(&run);
        html(&Run { sources: &NoSources, ..run });
    }
}

/// Results in which every name is `name` and every index and number is at its limit.
fn extreme(name: &str) -> Vec<MethodResult> {
    let lines = [0, 1, 3, u32::MAX];
    let results = lines.iter().map(|line| {
        let at = Place { class: name.into(), method: name.into(), file: name.into(), line: *line };
        let mut found = violation(execution(name, &at));
        found.at = at;
        found.message = name.into();
        found.replay = Replay::Refuted(name.into());
        found.clause = (*line != 1).then(|| clause(name, *line));
        let mut result = result(Verdict::Violated(vec![found]));
        result.class = name.into();
        result.method = name.into();
        result.file = name.into();
        result.line = *line;
        result.unroll = u32::MAX;
        result.scope = [(name.to_string(), u32::MAX)].into();
        result.incomplete = Some(Cause::Refuted(name.into()));
        result
    });
    let mut results: Vec<MethodResult> = results.collect();
    results.push(result(Verdict::Violated(Vec::new())));
    let cut = vec![name.to_string(), String::new()];
    results.push(result(Verdict::Verified { cut }));
    results
}

/// A clause that is somewhere, or nowhere, in the file.
fn clause(name: &str, line: u32) -> ViolatedClause {
    let quoted = OneFile(ODD).line_of(name, line).unwrap_or_else(|| name.into());
    ViolatedClause {
        file: name.into(),
        line,
        column: line % 3,
        part: quoted.chars().nth(1).map(String::from),
        text: quoted,
        witness: vec![(name.into(), Datum::Object(usize::MAX))],
        sides: Vec::new(),
        note: (line == 3).then(|| name.into()),
    }
}

fn execution(name: &str, at: &Place) -> Execution {
    let data = [
        Datum::Object(usize::MAX),
        Datum::Object(0),
        Datum::Char(0xffff),
        Datum::Long(i64::MIN),
        Datum::Float(u32::MAX),
        Datum::Double(1),
        Datum::Null,
    ];
    let fields = data.map(|value| field(name, name, value)).to_vec();
    let constant = Content::Constant { class: name.into(), field: name.into() };
    let boxed = Content::Box { value: Datum::Object(0), cached: false };
    let contents = [
        Content::Fields(fields.clone()),
        Content::Array(data.to_vec()),
        text([0xd800, 0xdfff, 0xdc00, 0, 0xffff]),
        constant,
        boxed,
        Content::Mirror(name.into()),
        Content::Opaque,
    ];
    let pre = contents.map(|content| object(name, name, content)).to_vec();
    let step = |depth: u32| Step {
        place: at.clone(),
        depth,
        updates: data.map(|d| (name.to_string(), d)).to_vec(),
        locals: data.map(|d| (name.to_string(), d)).to_vec(),
        objects: vec![(usize::MAX, Content::Opaque), (0, Content::Array(data.to_vec()))],
        statics: fields.clone(),
    };
    Execution {
        receiver: Some(Datum::Object(usize::MAX)),
        arguments: data.map(|d| (name.to_string(), d)).to_vec(),
        initialised: Vec::new(),
        uninitialised: Vec::new(),
        statics: fields.clone(),
        pre,
        trace: [0, u32::MAX, 7, 0, 0].map(step).to_vec(),
        outcome: Outcome::Threw { object: usize::MAX, class: name.into(), at: at.clone() },
        // Shorter than the input, which no decoder makes.
        post: Vec::new(),
        post_statics: fields,
        ..empty_pop()
    }
}
