//! The computation graph of every fixture's methods keeps its promises: one entry, everything
//! reachable, no cycles, a condition for each edge.

use std::path::Path;

use encode::inputs::Source;
use encode::{Engine, Limits, NoOracle, Scope};
use testkit::fixtures;
use verify::select;

#[test]
fn graphs_are_acyclic_and_connected() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/control");
    let found = fixtures::find(&directory, "").expect("fixtures can be read");
    let (project, _directory) = fixtures::compile(&found).expect("a JDK is installed");
    let scope = Scope { objects: 2, ..Scope::default() };
    let limits = Limits { iterations: 3, recursion: 3, ..Limits::default() };
    let (program, given) = (&project.program, &project.given);
    let work = || {
        let mut edges = 0;
        for method in select::methods(program, given, &select::Filter::default()) {
            let oracle = Box::new(NoOracle);
            let mut engine = Engine::new(
                encode::Subject::unspecified(program, given),
                &scope,
                Source::Symbolic,
                oracle,
            );
            engine.run(method, &limits);
            let graph = engine.graph();
            let name = program.method_name(method);
            assert_eq!(graph.shape().validate(), Ok(()), "{name}");
            assert_eq!(graph.shape().edges().len(), graph.guards().len(), "{name}");
            edges += graph.guards().len();
        }
        assert!(edges > 1000, "only {edges} edges");
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(1 << 28).spawn_scoped(scope, work);
        thread.expect("a thread can be started").join().expect("graphs are as promised");
    });
}
