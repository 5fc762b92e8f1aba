//! The page for a browser, as far as it shows without one.

mod common;

use common::*;
use report::{NoSources, Run, Sources, html};
use verify::execution::{Content, Datum, Execution, Place, Step};
use verify::{Accepted, AcceptedBy, Cause, MethodResult, Verdict};

fn page(results: &[MethodResult], sources: &dyn Sources) -> String {
    html(&Run {
        results,
        time_ms: 812,
        sources,
        diagnostics: &["A.java: not used".to_string()],
        array_length: 3,
        string_length: 5,
        int_bits: 32,
        sandbox: None,
    })
}

#[test]
fn the_overview_has_every_method_and_what_was_left_open() {
    let mut warned = verified();
    warned.warnings.push("a precondition has no value".into());
    let cut = result(Verdict::Verified { cut: vec!["unbounded: a loop".into()] });
    let vacuous = undecided(Cause::Vacuous("x < x".into()));
    let mut incomplete = violated(empty_pop());
    incomplete.incomplete = Some(Cause::Timeout);
    let text = page(&[warned, cut, vacuous, incomplete], &NoSources);
    for said in [
        "1 violated",
        "2 verified",
        "1 undecided",
        "a precondition has no value",
        "not exhaustive: cut: unbounded: a loop",
        "no input in the scope satisfies x &lt; x",
        "there may be more: time ran out",
        "A.java: not used",
        "1 Stack, 3 Node",
        "<a href=\"#m3v0\">null is dereferenced in p.Stack.pop()</a>",
    ] {
        assert!(text.contains(said), "{said}");
    }
}

#[test]
fn a_violation_has_its_source_its_steps_and_its_heap() {
    let text = page(&[violated(empty_pop())], &OneFile(STACK));
    assert!(text.contains("data-row=\"src/p/Stack.java:9\""));
    assert!(text.contains("<li class=\"line executed wrong\" data-row=\"src/p/Stack.java:10\">"));
    assert!(text.contains("src/p/Stack.java"));
    // Start and end for paper, and the pieces for the script.
    assert!(text.contains("At the start") && text.contains("At the end"));
    assert!(text.contains(">Stack#0</text>"));
    assert!(text.contains("throws NullPointerException"));
    assert!(text.contains("All 2 steps"));
}

#[test]
fn the_page_needs_nothing_from_elsewhere() {
    let text = page(&[violated(empty_pop())], &OneFile(STACK));
    for outside in ["http:", "https:", "src=", "@import", "url(/", "href=\"/"] {
        let found = text.match_indices(outside).map(|(at, _)| &text[at..(at + 60).min(text.len())]);
        assert_eq!(found.collect::<Vec<_>>(), Vec::<&str>::new());
    }
}

#[test]
fn names_and_texts_are_no_markup() {
    let evil = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'";
    let mut execution = empty_pop();
    execution.arguments.push((evil.into(), Datum::Object(2)));
    execution.pre[0].label = evil.into();
    execution.post[0].label = evil.into();
    execution.post.push(object("s", "java.lang.String", text(evil.encode_utf16())));
    execution.trace[0].locals.push((evil.into(), Datum::Object(2)));
    execution.trace[0].updates.push((evil.into(), Datum::Object(2)));
    let mut result = violated(execution);
    result.class = evil.into();
    result.method = evil.into();
    result.warnings.push(evil.into());
    let text = page(&[result], &OneFile(STACK));
    assert!(!text.contains("<img"), "no tag");
    assert_eq!(text.matches("<script").count(), 2, "the data and the script");
    assert_eq!(text.matches("</script").count(), 2);
}

/// Numbers that look like chance and are the same every time.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % limit
    }
}

/// Nodes with two references each, which every step changes at random.
fn tangle(random: &mut Random, nodes: usize, steps: usize) -> Execution {
    let mut node = || {
        let mut to = |name: &str| match random.below(nodes + 1) {
            index if index < nodes => field("p.Node", name, Datum::Object(index)),
            _ => field("p.Node", name, Datum::Null),
        };
        Content::Fields(vec![to("left"), to("right")])
    };
    let objects = |content: Vec<Content>| {
        let named = content.into_iter().enumerate();
        named.map(|(i, c)| object(&format!("Node#{i}"), "p.Node", c)).collect::<Vec<_>>()
    };
    let pre = objects((0..nodes).map(|_| node()).collect());
    let post = objects((0..nodes).map(|_| node()).collect());
    let changes: Vec<Content> = (0..steps).map(|_| node()).collect();
    let changed = |(number, content): (usize, Content)| Step {
        locals: vec![("this".into(), Datum::Object(number % nodes))],
        objects: vec![(number % nodes, content)],
        ..step(9, 0, &[])
    };
    Execution {
        pre,
        post,
        trace: changes.into_iter().enumerate().map(changed).collect(),
        ..empty_pop()
    }
}

#[test]
fn any_heap_has_a_layout() {
    let mut random = Random(7);
    for nodes in [1, 2, 3, 5, 9, 20] {
        for _ in 0..6 {
            let text = page(&[violated(tangle(&mut random, nodes, 6))], &NoSources);
            assert!(!text.contains("NaN") && !text.contains("inf"), "{nodes} nodes");
        }
    }
}

#[test]
fn of_a_large_heap_what_the_execution_touches_is_drawn() {
    // A chain in which only the last node but one changes.
    let reference = |to: usize| vec![field("p.Node", "next", Datum::Object(to))];
    let node = |to: usize| Content::Fields(reference(to));
    let objects = |changed: usize| {
        let content = |i: usize| node(if i == 188 { changed } else { (i + 1).min(199) });
        let named = (0..200).map(|i| object(&format!("Node#{i}"), "p.Node", content(i)));
        named.collect::<Vec<_>>()
    };
    let changing = Step {
        locals: vec![("this".into(), Datum::Object(0))],
        objects: vec![(188, node(0))],
        ..step(9, 0, &[])
    };
    let execution =
        Execution { pre: objects(189), post: objects(0), trace: vec![changing], ..empty_pop() };
    let text = page(&[violated(execution)], &NoSources);
    assert!(text.contains("Not drawn, as farthest from what the execution touches: 140 objects."));
    for drawn in [0, 1, 188, 189] {
        assert!(text.contains(&format!(">Node#{drawn}</text>")), "{drawn}");
    }
    assert!(!text.contains(">Node#150</text>"));
    assert!(text.contains("edge changed"));
}

#[test]
fn what_is_accepted_says_by_whom_and_why() {
    let mut result = violated(empty_pop());
    if let Verdict::Violated(violations) = &mut result.verdict {
        let reason = "callers <test> it".into();
        violations[0].review.accepted = Some(Accepted { by: AcceptedBy::Comment, reason });
    }
    result.stats.cached = true;
    let text = page(&[result], &NoSources);
    let said = "<p class=\"accepted\">accepted by a comment: callers &lt;test&gt; it</p>";
    assert_eq!(text.matches(said).count(), 2, "in the overview and with the violation");
    assert!(text.contains("<span class=\"chip doubt\">accepted</span>"));
    assert!(text.contains("(1 of the violated accepted)"));
    assert!(text.contains("known before"));
}

#[test]
fn files_of_one_name_in_two_packages_are_two() {
    let mut execution = empty_pop();
    let other = Place { class: "q.Stack".into(), ..place("push()", 3) };
    execution.trace.insert(0, Step { place: other, ..step(3, 0, &[]) });
    let text = page(&[violated(execution)], &Packages);
    assert!(text.contains("data-row=\"q/Stack.java:3\""));
    assert!(!text.contains("<li class=\"line executed\" data-row=\"p/Stack.java:3\">"));
}

/// A file of the same name in every package.
struct Packages;

impl Sources for Packages {
    fn path(&self, class: &str, file: &str) -> Option<String> {
        Some(format!("{}/{file}", class.rsplit_once('.')?.0))
    }

    fn line(&self, class: &str, file: &str, line: u32) -> Option<String> {
        OneFile(STACK).line(class, file, line)
    }

    fn line_of(&self, path: &str, line: u32) -> Option<String> {
        OneFile(STACK).line_of(path, line)
    }
}

#[test]
fn the_same_run_is_the_same_page() {
    let once = page(&[violated(tangle(&mut Random(5), 12, 8))], &NoSources);
    let again = page(&[violated(tangle(&mut Random(5), 12, 8))], &NoSources);
    assert_eq!(once, again);
}
