//! Every method of the JDK's most used packages lowers to a valid body.

mod common;

use common::{Classes, Tally, jdk, lower_all, program};

const PACKAGES: [&str; 6] =
    ["java/lang", "java/util", "java/util/function", "java/util/stream", "java/io", "java/math"];

#[test]
fn every_method_of_the_core_packages_lowers() {
    let program = program(Classes::default());
    let mut tally = Tally::default();
    let started = std::time::Instant::now();
    for package in PACKAGES {
        for class in jdk().classes_in(package) {
            if !class.ends_with("/package-info") {
                lower_all(&program, &class.replace('/', "."), &mut tally);
            }
        }
    }
    println!(
        "{} bodies, {} intrinsics, {} abstract, {} instructions, {} moves, {:?}",
        tally.bodies,
        tally.intrinsics,
        tally.abstracts,
        tally.instrs,
        tally.moves,
        started.elapsed()
    );
    println!("unsupported: {:#?}\ntraps: {:#?}", tally.unsupported, tally.traps);
    let malformed: Vec<&String> =
        tally.unsupported.iter().filter(|why| why.contains("malformed")).collect();
    assert!(malformed.is_empty(), "{malformed:?}");
    let named =
        |what: &&String| what.starts_with("floating point") || what.starts_with("java.lang");
    assert!(tally.traps.keys().all(|what| named(&what)), "{:?}", tally.traps);
    assert!(tally.bodies > 12_000, "only {} bodies", tally.bodies);
}
