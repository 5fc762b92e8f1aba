//! What `auto` divides: a formula that is mostly code, however little patience it has, and not one
//! that is mostly the input and its specification. Neither changes a verdict.

use std::path::Path;

use jarosite::inputs::Inputs;
use jarosite::jdk::Jdk;
use jarosite::project::Project;
use verify::select::{self, Filter};
use verify::{MethodResult, Options, Unroll, Verdict, check_all};

/// Checks a method of the benchmarks with no patience at all.
fn without_patience(class: &str, method: &str, objects: u32) -> MethodResult {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benchmarks/split");
    let file = directory.join(format!("{class}.java"));
    let jdk = Jdk::find().expect("a JDK is installed");
    let project = Project::open(&jdk, &Inputs::collect(&[file], &[], &[])).expect("it compiles");
    let filter = Filter { methods: vec![method.into()], ..Filter::default() };
    let method = select::methods(&project.program, &project.given, &filter)[0];
    let scope = encode::Scope { objects, ..encode::Scope::default() };
    let unroll = Unroll::Fixed(objects + 1);
    let options = Options { scope, unroll, patience: 1, cases_after: None, ..Options::default() };
    let mut results = Vec::new();
    check_all(project.subject(), &[method], &options, 1, None, |result| results.push(result));
    results.remove(0)
}

#[test]
fn what_is_mostly_code_is_divided() {
    let result = without_patience("Digraph", "topologicalSort", 5);
    assert!(matches!(result.verdict, Verdict::Verified { .. }), "{:?}", result.verdict);
    assert!(result.stats.subproblems > 1, "{:?}", result.stats);
}

#[test]
fn what_is_mostly_specification_is_not() {
    let result = without_patience("SearchTree", "contains", 8);
    assert!(matches!(result.verdict, Verdict::Verified { .. }), "{:?}", result.verdict);
    assert_eq!(result.stats.subproblems, 1, "{:?}", result.stats);
}
