//! `examples/` gets the verdicts that `examples/expected.txt` lists, and every bug in it is
//! confirmed by the JVM.

use std::collections::BTreeMap;
use std::path::Path;

use jarosite::inputs::Inputs;
use jarosite::jdk::Jdk;
use jarosite::judge::JvmJudge;
use jarosite::project::Project;
use jarosite::replay::Replayer;
use verify::{MethodResult, Options, Replay, Verdict, check_all, select};

#[test]
fn examples_are_as_expected() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let results = check(&directory);
    let text = std::fs::read_to_string(directory.join("expected.txt")).expect("it is there");
    let mut wrong = Vec::new();
    let mut expected = 0;
    for line in text.lines().filter(|l| !l.starts_with('#') && !l.trim().is_empty()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        expected += 1;
        let found = results.get(words[0]).map(summary);
        if found.as_deref() != Some(&words[1..].join(" ")) {
            wrong.push(format!("{line}: {found:?}"));
        }
    }
    assert!(expected >= 60, "only {expected} methods are expected");
    // What is not listed is what the compiler adds: default constructors and record accessors.
    let unlisted = results.iter().filter(|(name, _)| !text.contains(name.as_str()));
    wrong.extend(unlisted.filter(|(_, r)| summary(r) != "verified").map(|(n, _)| n.clone()));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// `violated null-dereference 12`, as the list writes it; unconfirmed replays do not count.
fn summary(result: &MethodResult) -> String {
    match &result.verdict {
        Verdict::Verified { .. } => "verified".into(),
        Verdict::Undecided(_) => "undecided".into(),
        Verdict::Violated(violations) => {
            let shown = violations.iter().map(|v| match v.replay {
                Replay::Confirmed => format!(" {} {}", v.property, v.at.line),
                Replay::Refuted(_) | Replay::Skipped(_) => " unconfirmed".into(),
            });
            format!("violated{}", shown.collect::<String>())
        }
    }
}

fn check(directory: &Path) -> BTreeMap<String, MethodResult> {
    let jdk = Jdk::find().expect("a JDK is installed");
    let inputs = Inputs::collect(&[directory.to_path_buf()], &[], &[]);
    let project = Project::open(&jdk, &inputs).expect("the examples compile");
    let methods = select::methods(&project.program, &project.given, &select::Filter::default());
    let replayer = Replayer::new(&jdk, project.class_path.clone());
    let judge = JvmJudge::new(replayer);
    let mut results = BTreeMap::new();
    check_all(project.subject(), &methods, &Options::default(), 2, Some(&judge), |result| {
        results.insert(format!("{}.{}", result.class, result.method), result);
    });
    results
}
