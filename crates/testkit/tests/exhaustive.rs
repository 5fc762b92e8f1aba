//! In a tiny scope every input is run on the JVM: a verified method never fails there, and a
//! violated one fails in exactly the places that are reported.

use std::path::Path;

use testkit::fixtures;
use testkit::generate::Unit;
use testkit::oracle::tiny;

#[test]
fn every_input_of_a_tiny_scope() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let filter = std::env::var("FIXTURE").unwrap_or_default();
    let mut found = fixtures::find(&directory, &filter).expect("fixtures can be read");
    if filter.is_empty() {
        // Those about specifications have little code that is not elsewhere.
        let parts = ["jml", "jml-expr", "alloy", "papers"];
        found.retain(|f| !parts.iter().any(|p| f.name.starts_with(&format!("{p}/"))));
    }
    let units: Vec<Unit> = (0..4).map(|n| Unit::random(7_000 + n, format!("tiny{n}"), 6)).collect();
    let tally = tiny::run(&found, &units).expect("a JDK is installed");
    println!(
        "{} verified, {} violated methods, {} runs on the JVM\nskipped: {:#?}",
        tally.verified, tally.violated, tally.runs, tally.skipped
    );
    let differences = tally.differences.join("\n");
    assert!(tally.differences.is_empty(), "{}:\n{differences}", tally.differences.len());
    let methods = tally.verified + tally.violated;
    assert!(methods >= 60 && tally.runs >= 3_000 || !filter.is_empty(), "too little is compared");
}
