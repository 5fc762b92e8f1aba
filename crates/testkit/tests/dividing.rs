//! What `auto` divides: where conditions choose what is calculated with, parts are far smaller than the whole, and they are
//! tried; where the formula is mostly about the input and its specification they are not.

use std::path::Path;
use std::time::Duration;

use jarosite::inputs::Inputs;
use jarosite::jdk::Jdk;
use jarosite::project::Project;
use verify::select::{self, Filter};
use verify::{MethodResult, Options, Tuning, Unroll, Verdict, check_all};

/// Checks a method of the benchmarks.
fn check(class: &str, method: &str, objects: u32, options: Options) -> MethodResult {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benchmarks/split");
    let file = directory.join(format!("{class}.java"));
    let jdk = Jdk::find().expect("a JDK is installed");
    let project = Project::open(&jdk, &Inputs::collect(&[file], &[], &[])).expect("it compiles");
    let filter = Filter { methods: vec![method.into()], ..Filter::default() };
    let method = select::methods(&project.program, &project.given, &filter)[0];
    let scope = encode::Scope { objects, ..encode::Scope::default() };
    let options = Options { scope, unroll: Unroll::Fixed(objects + 1), ..options };
    let mut results = Vec::new();
    check_all(project.subject(), &[method], &options, 1, None, |result| results.push(result));
    results.remove(0)
}

/// As a whole this takes longer than anybody waits for.
#[test]
fn what_is_calculated_by_cases_is_divided() {
    for method in ["bill", "bills"] {
        let timeout = Some(Duration::from_secs(60));
        let result = check("Tariff", method, 1, Options { timeout, ..Options::default() });
        assert!(matches!(result.verdict, Verdict::Verified { .. }), "{:?}", result.verdict);
        assert!(result.stats.subproblems > 1, "{:?}", result.stats);
    }
}

/// However little patience there is.
#[test]
fn what_is_mostly_specification_is_not() {
    let tuning = Tuning { patience: 1, cases_after: None, ..Tuning::default() };
    let options = Options { tuning, ..Options::default() };
    let result = check("SearchTree", "contains", 8, options);
    assert!(matches!(result.verdict, Verdict::Verified { .. }), "{:?}", result.verdict);
    assert_eq!(result.stats.subproblems, 1, "{:?}", result.stats);
}
