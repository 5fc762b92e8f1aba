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

/// The fixtures about calls that make objects, write arrays, are in a `try` or beside calls by contract would
/// say nothing if such calls were inlined.
#[test]
fn calls_that_make_and_write_and_are_caught_are_abstracted() {
    for (fixture, method, callee) in [
        ("list_made_by_callee_ok", "pair(int,int)", "Lists.prepend"),
        ("loop_makes_objects_ok", "fill(int)", "Bag.add"),
        ("array_of_field_written_by_callee_ok", "push(int)", "Ring.put"),
        ("nothing_to_catch_ok", "read(int)", "Reader.skip"),
        ("caught_inside_callee_bug", "read(int)", "Reader.attempt"),
        ("exception_caught_and_dropped_ok", "run(int)", "Counter.step"),
        ("exception_past_handler_bug", "read(int,int)", "Reader.skip"),
        ("exception_of_jvm_caught_ok", "read(int,int)", "Reader.at"),
        ("contract_without_body_ok", "sum(Source,int)", "Use.take"),
        ("contract_of_native_frame_ok", "read()", "Device.note"),
    ] {
        let path = format!("{}/../../fixtures/infer/{fixture}.java", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).expect("the fixture is there");
        let workspace = Workspace::with("Fixture.java", &text);
        let (_, document) = workspace.json(&["Fixture.java", "--calls", "infer"]);
        let specs = document.method(method)["inferred_specs"].to_string();
        assert!(specs.contains(callee), "{fixture}: {specs}");
    }
}

/// In both branches something else matters about the callee, and each branch is a part.
const TARIFF: &str = "class Tariff {
    int base;
    //@ requires 0 <= base && base <= 1000 && 0 <= days && days <= 1000;
    //@ ensures member ==> \\result <= base * days;
    //@ ensures !member ==> \\result >= base;
    int price(boolean member, int days) {
        count(days);
        if (member) {
            return less(base * days);
        }
        return more(base);
    }
    int counted;
    void count(int days) {
        for (int i = 0; i < days; i++) { counted = counted * 31 + i; }
    }
    int less(int x) {
        int off = low(x >> 3);
        return off > x ? x : x - off;
    }
    int more(int x) {
        return x + low(x >> 1);
    }
    int low(int x) { return x & 7; }
}";

#[test]
fn paths_are_divided_with_abstracted_calls() {
    let workspace = Workspace::with("Tariff.java", TARIFF);
    let chosen = ["Tariff.java", "--method", "price", "--calls", "infer", "--split"];
    let (said, document) = workspace.json(&[&chosen[..], &["2"]].concat());
    said.exits(0);
    let price = document.method("price(boolean,int)");
    assert_eq!(price["stats"]["subproblems"], json!(2));
    let specs = price["inferred_specs"].as_array().expect("there are some");
    let mattered = |name: &str| {
        let spec = specs.iter().find(|s| s["method"].as_str().is_some_and(|m| m.contains(name)));
        spec.map(|s| !s["specification"].as_array().expect("a list").is_empty())
    };
    assert_eq!(mattered("less"), Some(true), "{specs:?}");
    assert_eq!(mattered("more"), Some(true), "{specs:?}");
    assert_eq!(mattered("count"), Some(false), "{specs:?}");
    let said = workspace.check(&[&chosen[..], &["1"]].concat()).exits(0);
    said.shows(&["loops: followed to their end, but in 1 method only as far as they matter"]);
}
