//! Marks: numbers for the points of bodies at which something is specified. A copy of the source
//! with calls of `jarosite.Mark` in place of those comments tells the class file where they are.

use std::ops::Range;

use tree_sitter::Node;

use crate::comment;
use crate::java::outline;
use crate::span::{Positions, Span};
use crate::specs::{FileSpecs, MethodSpecs};

/// One marked point of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkSite {
    /// Index into [`FileSpecs::types`] and the type's methods.
    pub type_index: usize,
    pub method_index: usize,
    pub kind: MarkKind,
    /// The piece of the source that the call replaces (a comment), or before whose first byte it
    /// stands (a loop).
    pub place: Span,
}

/// What is at a marked point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MarkKind {
    /// The statements of one comment: indices into [`MethodSpecs::points`].
    Points(Vec<usize>),
    /// The clauses of a loop: index into [`MethodSpecs::loops`].
    Loop(usize),
}

/// All points of a file, in a fixed order: the n-th has the n-th number.
pub fn sites(specs: &FileSpecs) -> Vec<MarkSite> {
    let mut found = Vec::new();
    for (type_index, ty) in specs.types.iter().enumerate() {
        for (method_index, method) in ty.methods.iter().enumerate() {
            let kinds = points(method).into_iter().chain(loops(method));
            found.extend(kinds.map(|(kind, place)| MarkSite {
                type_index,
                method_index,
                kind,
                place,
            }));
        }
    }
    found
}

fn points(method: &MethodSpecs) -> Vec<(MarkKind, Span)> {
    let mut found: Vec<(Vec<usize>, Span)> = Vec::new();
    for (index, point) in method.points.iter().enumerate() {
        match found.iter_mut().find(|f| f.1 == point.comment) {
            Some(same) => same.0.push(index),
            None => found.push((vec![index], point.comment)),
        }
    }
    found.into_iter().map(|(indices, place)| (MarkKind::Points(indices), place)).collect()
}

fn loops(method: &MethodSpecs) -> Vec<(MarkKind, Span)> {
    let found = method.loops.iter().enumerate();
    found.map(|(index, looping)| (MarkKind::Loop(index), looping.span)).collect()
}

/// The class whose calls tell the class file where the points are, by its internal name.
pub const CLASS: &str = "jarosite/Mark";

/// The source of that class: calls of it do nothing. `at` is a point, `loop` stands before a loop
/// and `body` at the start of the loop's body, by which the loop is found again in bytecode.
pub const CLASS_SOURCE: &str = "package jarosite;

public final class Mark {
    private Mark() {}

    public static void at(int number) {}

    public static void loop(int number) {}

    public static void body(int number) {}
}
";

/// A copy of a source with calls at its points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marked {
    pub text: String,
    /// The line on which the call of each point stands.
    pub lines: Vec<u32>,
}

/// A copy of the source in which a call stands at each point. Lines stay lines, and removing the
/// calls gives back the source with the comments of the points blanked.
pub fn insert(source: &str, sites: &[MarkSite], first: u32) -> String {
    marked(source, sites, first).text
}

/// As [`insert`], together with the lines of the calls.
pub fn marked(source: &str, sites: &[MarkSite], first: u32) -> Marked {
    let (_, code) = comment::comments(source);
    let tree = outline::parse(&code);
    let positions = Positions::new(source);
    let mut edits = Edits::default();
    let mut blanked = Vec::new();
    let mut lines = Vec::with_capacity(sites.len());
    for (index, site) in sites.iter().enumerate() {
        let place = site.place.start as usize..site.place.end as usize;
        let number = first.wrapping_add(index as u32);
        let found = tree.as_ref().and_then(|tree| match site.kind {
            MarkKind::Points(_) => labelled_around(tree.root_node(), &place),
            MarkKind::Loop(_) => loop_at(tree.root_node(), &place),
        });
        let statement = found.map(with_labels);
        let at = statement.map_or(place.start, |s| s.start_byte());
        lines.push(positions.line(at));
        if source.get(place.clone()).is_none() {
            continue;
        }
        match site.kind {
            MarkKind::Points(_) => {
                blanked.push(place);
                edits.before(at, statement, Rank::Point, &format!("jarosite.Mark.at({number});"));
            }
            MarkKind::Loop(_) => {
                edits.before(at, statement, Rank::Loop, &format!("jarosite.Mark.loop({number});"));
                if let Some(body) = found.and_then(|f| f.child_by_field_name("body")) {
                    edits.inside(body, &format!("jarosite.Mark.body({number});"));
                }
            }
        }
    }
    let text = edits.apply(&comment::blanked(source, &in_order(blanked)));
    Marked { text, lines }
}

/// Disjoint pieces in the order of the text.
fn in_order(mut pieces: Vec<Range<usize>>) -> Vec<Range<usize>> {
    pieces.sort_by_key(|piece| piece.start);
    pieces.dedup();
    pieces
}

/// What is written first where several pieces go to the same place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Close,
    Body,
    Point,
    Loop,
}

/// Pieces of text to put into a source.
#[derive(Default)]
struct Edits(Vec<(usize, Rank, String)>);

impl Edits {
    /// A call before a statement. Where only one statement may stand, braces make one of two.
    fn before(&mut self, at: usize, statement: Option<Node<'_>>, rank: Rank, call: &str) {
        match statement.filter(|s| !stands_among_statements(*s)) {
            Some(alone) => self.braced(alone, rank, call),
            None => self.0.push((at, rank, format!("{call} "))),
        }
    }

    /// A call as the first statement of a loop's body.
    fn inside(&mut self, body: Node<'_>, call: &str) {
        match body.kind() {
            "block" => self.0.push((body.start_byte() + 1, Rank::Body, format!(" {call}"))),
            _ => self.braced(body, Rank::Body, call),
        }
    }

    fn braced(&mut self, statement: Node<'_>, rank: Rank, call: &str) {
        self.0.push((statement.start_byte(), rank, format!("{{ {call} ")));
        self.0.push((statement.end_byte(), Rank::Close, " }".into()));
    }

    fn apply(mut self, text: &str) -> String {
        self.0.sort_by_key(|(at, rank, _)| (*at, *rank));
        let mut out = String::with_capacity(text.len() + 32 * self.0.len());
        let mut end = 0;
        for (at, _, piece) in &self.0 {
            out.push_str(text.get(end..*at).unwrap_or(""));
            out.push_str(piece);
            end = *at;
        }
        out.push_str(text.get(end..).unwrap_or(""));
        out
    }
}

/// The loop statement at a place.
fn loop_at<'t>(root: Node<'t>, place: &Range<usize>) -> Option<Node<'t>> {
    let mut node = root.descendant_for_byte_range(place.start, place.start + 1)?;
    while node.byte_range() != *place || !is_loop(node) {
        node = node.parent()?;
        if node.start_byte() < place.start {
            return None;
        }
    }
    Some(node)
}

fn is_loop(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "while_statement" | "for_statement" | "enhanced_for_statement" | "do_statement"
    )
}

/// The statement between whose label and rest a comment stands, if it does.
fn labelled_around<'t>(root: Node<'t>, place: &Range<usize>) -> Option<Node<'t>> {
    let around = root.named_descendant_for_byte_range(place.start, place.end)?;
    (around.kind() == "labeled_statement").then_some(around)
}

/// The statement together with its labels.
fn with_labels(statement: Node<'_>) -> Node<'_> {
    let mut outermost = statement;
    while let Some(parent) = outermost.parent().filter(|p| p.kind() == "labeled_statement") {
        outermost = parent;
    }
    outermost
}

fn stands_among_statements(statement: Node<'_>) -> bool {
    let parent = statement.parent().map_or("", |p| p.kind());
    matches!(parent, "block" | "constructor_body" | "switch_block_statement_group")
}
