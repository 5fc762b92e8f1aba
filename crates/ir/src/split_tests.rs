//! The theorems of the paper's section 4, on random graphs, against all paths one by one.

use super::*;
use crate::graph::Node;

/// Numbers that look random, from a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

/// A graph of some vertices in a row, each with one to three ways on.
fn random_graph(random: &mut Random) -> ComputationGraph {
    let mut graph = ComputationGraph::default();
    let inner = 1 + random.below(9);
    let names = (0..inner as u32).map(|n| Node::Return { site: NodeId(n) });
    let mut row = vec![ComputationGraph::ENTRY];
    row.extend(names.map(|name| graph.add_node(name)));
    row.push(ComputationGraph::EXIT);
    for at in 0..row.len() - 1 {
        graph.add_edge(row[at], row[at + 1]);
        for _ in 0..random.below(3) {
            let to = at + 1 + random.below(row.len() - at - 1);
            graph.add_edge(row[at], row[to]);
        }
    }
    assert_eq!(graph.validate(), Ok(()));
    graph
}

/// All paths along the edges of a part, each as its edges.
fn all_paths(graph: &ComputationGraph, part: &Part) -> Vec<Vec<usize>> {
    let mut done = Vec::new();
    let mut open = vec![(ComputationGraph::ENTRY, Vec::new())];
    while let Some((node, path)) = open.pop() {
        if node == ComputationGraph::EXIT {
            done.push(path);
            continue;
        }
        let edges = graph.edges().iter().enumerate();
        for (number, edge) in edges.filter(|(n, e)| e.from == node && part.open[*n]) {
            let longer = path.iter().copied().chain([number]).collect();
            open.push((edge.to, longer));
        }
    }
    done.sort();
    done
}

/// The paths of a graph in as many parts, by the paper's rule.
fn divide(division: &Division<'_>, wanted: usize, measure: impl Fn(&Part) -> f64) -> Vec<Part> {
    let split = |part: &Part| division.split(part, usize::MAX, &measure, evenly);
    parts(&division.divide(division.whole(), wanted, &measure, split))
}

fn parts(tree: &Tree) -> Vec<Part> {
    tree.parts().into_iter().map(|(_, part)| part).collect()
}

/// Whether each path of the whole is in exactly one part, and nothing else is in any.
fn is_partition(graph: &ComputationGraph, whole: &Part, parts: &[Part]) -> bool {
    let mut together: Vec<_> = parts.iter().flat_map(|part| all_paths(graph, part)).collect();
    together.sort();
    together == all_paths(graph, whole)
}

fn on_random_graphs(mut property: impl FnMut(&ComputationGraph, &Division<'_>, &mut Random)) {
    let mut random = Random(1);
    for _ in 0..300 {
        let graph = random_graph(&mut random);
        property(&graph, &Division::new(&graph), &mut random);
    }
}

#[test]
fn a_vertex_divides_the_paths_into_those_through_it_and_those_around_it() {
    on_random_graphs(|graph, division, _| {
        let whole = division.whole();
        for vertex in (2..graph.nodes().len() as u32).map(NodeId) {
            let visits = |path: &Vec<usize>| path.iter().any(|e| graph.edges()[*e].to == vertex);
            let (through, around): (Vec<_>, Vec<_>) =
                all_paths(graph, &whole).into_iter().partition(visits);
            assert_eq!(all_paths(graph, &division.through(&whole, vertex)), through);
            assert_eq!(all_paths(graph, &division.around(&whole, vertex)), around);
        }
    });
}

#[test]
fn parts_of_parts_are_a_partition_by_every_measure() {
    on_random_graphs(|graph, division, random| {
        let whole = division.whole();
        let wanted = 1 + random.below(12);
        let weights: Vec<u64> = graph.edges().iter().map(|_| random.below(50) as u64).collect();
        let weight = |part: &Part| {
            let open = weights.iter().zip(&part.open).filter(|(_, open)| **open);
            open.map(|(weight, _)| weight).sum::<u64>() as f64
        };
        let measures: [&dyn Fn(&Part) -> f64; 3] =
            [&|part| division.branches(part) as f64, &|part| division.paths(part), &weight];
        let paths = all_paths(graph, &whole).len();
        for measure in measures {
            let by_the_paper = divide(division, wanted, measure);
            assert!(is_partition(graph, &whole, &by_the_paper));
            assert_eq!(by_the_paper.len(), wanted.min(paths));
            let split = |part: &Part| division.split(part, 50, measure, by_loss);
            let tree = division.divide(whole.clone(), wanted, measure, split);
            assert!(is_partition(graph, &whole, &parts(&tree)));
            assert!(parts(&tree).len() <= wanted.min(paths));
            let cheapest = tree.cheapest(|hardness| hardness * hardness);
            let cost = |parts: &[(f64, Part)]| parts.iter().map(|(h, _)| h * h).sum::<f64>();
            let slack = 1e-9 * cost(&tree.parts()).max(1.0);
            assert!(cost(&cheapest) <= cost(&tree.parts()) + slack);
            assert!(cost(&cheapest) <= measure(&whole) * measure(&whole) + slack);
            let cheapest: Vec<Part> = cheapest.into_iter().map(|(_, part)| part).collect();
            assert!(is_partition(graph, &whole, &cheapest));
        }
    });
}

#[test]
fn a_side_is_smaller_than_the_whole() {
    on_random_graphs(|_, division, _| {
        let whole = division.whole();
        let size = |part: &Part| part.open.iter().filter(|open| **open).count();
        let branches = |part: &Part| division.branches(part) as f64;
        if let Some(sides) = division.split(&whole, usize::MAX, branches, evenly) {
            for side in sides {
                assert!(size(&side) < size(&whole));
                assert!(division.branches(&side) <= division.branches(&whole));
            }
        }
    });
}

#[test]
fn what_all_paths_have_in_common_is_found() {
    on_random_graphs(|graph, division, random| {
        let vertex = NodeId(2 + random.below(graph.nodes().len() - 2) as u32);
        for part in [division.whole(), division.through(&division.whole(), vertex)] {
            let paths = all_paths(graph, &part);
            let is_common = |edge: &usize| paths.iter().all(|path| path.contains(edge));
            let expected: Vec<usize> =
                (0..graph.edges().len()).filter(|e| part.open[*e]).filter(is_common).collect();
            let mut found = division.common(&part);
            found.sort_unstable();
            assert_eq!(found, expected);
        }
    });
}

#[test]
fn what_loses_on_one_side_only_is_not_worth_it() {
    assert_eq!(by_loss(10.0, [10.0, 3.0]), None);
    assert_eq!(by_loss(10.0, [0.0, 9.0]), None);
    assert!(by_loss(10.0, [5.0, 5.0]) > by_loss(10.0, [2.0, 9.0]));
}

#[test]
fn paths_are_counted() {
    on_random_graphs(|graph, division, _| {
        let whole = division.whole();
        let counted = division.paths(&whole).exp2();
        assert!((counted - all_paths(graph, &whole).len() as f64).abs() < 1e-6 * counted);
    });
}

/// More paths than a number has room for.
#[test]
fn many_paths_are_counted_and_divided() {
    let mut graph = ComputationGraph::default();
    let mut at = ComputationGraph::ENTRY;
    for number in 0..2_000 {
        let [a, b, joined] = [0, 1, 2].map(|n| Node::Return { site: NodeId(3 * number + n) });
        let [a, b, joined] = [a, b, joined].map(|name| graph.add_node(name));
        for side in [a, b] {
            graph.add_edge(at, side);
            graph.add_edge(side, joined);
        }
        at = joined;
    }
    graph.add_edge(at, ComputationGraph::EXIT);
    let division = Division::new(&graph);
    let whole = division.whole();
    assert!((division.paths(&whole) - 2_000.0).abs() < 1e-6);
    let split = |part: &Part| division.split(part, 100, |part| division.paths(part), evenly);
    let tree = division.divide(whole, 3, |part| division.paths(part), split);
    let parts = parts(&tree);
    let counts: Vec<f64> = parts.iter().map(|part| division.paths(part)).collect();
    assert_eq!(parts.len(), 3);
    assert!((counts.iter().map(|c| (c - 2_000.0).exp2()).sum::<f64>() - 1.0).abs() < 1e-6);
}

/// The test of the tests: a path that gets lost is noticed.
#[test]
fn a_lost_path_is_noticed() {
    let mut noticed = 0;
    on_random_graphs(|graph, division, random| {
        let whole = division.whole();
        let mut parts = divide(division, 4, |part| division.paths(part));
        let lost = random.below(parts.len());
        let open: Vec<usize> = (0..whole.open.len()).filter(|e| parts[lost].open[*e]).collect();
        parts[lost].open[open[random.below(open.len())]] = false;
        assert!(!is_partition(graph, &whole, &parts));
        noticed += 1;
    });
    assert_eq!(noticed, 300);
}
