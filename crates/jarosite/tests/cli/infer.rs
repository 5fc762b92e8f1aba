//! `--calls infer`: what mattered about called methods.

use serde_json::json;

use crate::workspace::Workspace;

const AGES: &str = "class Ages {
    int limit;
    int asked;
    //@ requires limit >= 18;
    //@ ensures age < 18 ==> !\\result;
    boolean admit(int age) {
        boolean old = isOld(age);
        return old && age < 100;
    }
    boolean isOld(int age) {
        if (age < limit) { return false; }
        int born = asked * 31 - age;
        return (born & 1) == 0 || (born * 7 > age && asked > 3);
    }
}";

const CLAUSE: &str = "ensures \\old(age < this.limit) ==> \\result == false;";

#[test]
fn what_mattered_is_shown_and_written() {
    let workspace = Workspace::with("Ages.java", AGES);
    let chosen = ["Ages.java", "--method", "admit", "--calls", "infer"];
    let more = ["--show-specs", "--emit-specs", "specs.jml"];
    let said = workspace.check(&[&chosen[..], &more[..]].concat()).exits(0);
    said.shows(&["Ages.isOld(int): age < this.limit ==> \\result == false"]);
    let written = workspace.read("specs.jml");
    assert_eq!(written, format!("// Ages.isOld(int)\n//@ {CLAUSE}  // for Ages.admit(int)\n\n"));
    let (_, document) = workspace.json(&chosen);
    let spec = &document.method("admit(int)")["inferred_specs"][0];
    assert_eq!(spec["method"], "Ages.isOld(int)");
    assert_eq!((&spec["calls"], &spec["followed"]), (&json!(1), &json!(1)));
    assert_eq!(spec["jml"], json!([CLAUSE]));
}

#[test]
fn a_file_that_cannot_be_written_is_noticed_first() {
    let workspace = Workspace::with("Ages.java", AGES);
    let arguments = ["Ages.java", "--calls", "infer", "--emit-specs", "no/such/place.jml"];
    workspace.check(&arguments).refuses(&["cannot write"]);
}

/// The fixtures about calls that make objects, write arrays or are in a `try` would say nothing if
/// such calls were inlined.
#[test]
fn calls_that_make_and_write_and_are_caught_are_abstracted() {
    for (fixture, method, callee) in [
        ("list_made_by_callee_ok", "pair(int,int)", "Lists.prepend"),
        ("loop_makes_objects_ok", "fill(int)", "Bag.add"),
        ("array_of_field_written_by_callee_ok", "push(int)", "Ring.put"),
        ("nothing_to_catch_ok", "read(int)", "Reader.skip"),
        ("caught_inside_callee_bug", "read(int)", "Reader.attempt"),
    ] {
        let path = format!("{}/../../fixtures/infer/{fixture}.java", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).expect("the fixture is there");
        let workspace = Workspace::with("Fixture.java", &text);
        let (_, document) = workspace.json(&["Fixture.java", "--calls", "infer"]);
        let specs = document.method(method)["inferred_specs"].to_string();
        assert!(specs.contains(callee), "{fixture}: {specs}");
    }
}
