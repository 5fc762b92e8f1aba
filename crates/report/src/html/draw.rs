//! A moment as SVG: boxes, references, variables as tags above the objects they refer to.
//!
//! A picture is a list of fragments, kept once for all moments: what does not change between two
//! moments is the same fragment.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;

use verify::execution::{Datum, Execution};

use super::diagram::{Diagram, Form, Point, ROW, Shape, TITLE, tag_width};
use super::markup::escape;
use super::moments::Moment;
use crate::values::Values;

/// How far a point may be from a line to count as on it.
const NEARLY_STRAIGHT: f64 = 12.0;

/// The pieces of all pictures of one execution.
#[derive(Default)]
pub(super) struct Fragments {
    pub texts: Vec<String>,
    known: HashMap<String, usize>,
}

impl Fragments {
    fn add(&mut self, text: String) -> usize {
        *self.known.entry(text).or_insert_with_key(|text| {
            self.texts.push(text.clone());
            self.texts.len() - 1
        })
    }
}

/// A variable above an object.
pub(super) struct Tag<'a> {
    pub text: &'a str,
    kind: &'static str,
}

/// The names that refer to an object: variables of the method that runs, static fields, and what
/// is known at the end.
pub(super) fn tags<'a>(moment: &Moment<'a>, index: usize) -> Vec<Tag<'a>> {
    let refers = |value: Datum| value == Datum::Object(index);
    let mut tags = Vec::new();
    for (depth, frame) in moment.frames.iter().enumerate() {
        for (name, _) in frame.locals.iter().filter(|l| refers(l.1)) {
            // What callers call it matters only where nobody else does.
            if depth == 0 || tags.is_empty() {
                tags.push(Tag { text: name, kind: if depth == 0 { "local" } else { "outer" } });
            }
        }
    }
    for field in moment.statics.iter().filter(|f| refers(f.value)) {
        tags.push(Tag { text: &field.name, kind: "static" });
    }
    for mark in moment.marks.iter().filter(|m| refers(m.value)) {
        tags.push(Tag {
            text: mark.name,
            kind: if mark.is_witness { "witness" } else { "result" },
        });
    }
    tags
}

/// Draws the moments of one execution.
pub(super) struct Painter<'a> {
    pub diagram: &'a Diagram,
    pub values: &'a Values<'a>,
    pub execution: &'a Execution,
}

impl Painter<'_> {
    /// The fragments of a moment; `before` is the one that it is compared with.
    pub fn draw(
        &self,
        moment: &Moment<'_>,
        before: Option<&Moment<'_>>,
        fragments: &mut Fragments,
    ) -> Vec<usize> {
        let reachable = moment.reachable();
        let mut picture = Vec::new();
        let there = || self.diagram.shapes.iter().filter(|(i, _)| moment.heap.contains_key(i));
        for (index, shape) in there().filter(|(i, _)| reachable.contains(i)) {
            for edge in self.edges(*index, shape, moment, before) {
                picture.push(fragments.add(edge));
            }
        }
        for (index, shape) in there() {
            let node = match reachable.contains(index) {
                true => self.object(*index, shape, moment, before),
                false => folded(shape),
            };
            picture.push(fragments.add(node));
        }
        picture
    }

    fn edges(
        &self,
        index: usize,
        shape: &Shape,
        moment: &Moment<'_>,
        before: Option<&Moment<'_>>,
    ) -> Vec<String> {
        let mut edges = Vec::new();
        let known = before.and_then(|b| b.heap.get(&index).copied());
        let earlier = shape.values(known);
        for (slot, value) in shape.values(moment.heap.get(&index).copied()) {
            let was = earlier[slot].1;
            let changed = before.is_some() && was != value;
            if let (true, Some(Datum::Object(to))) = (changed, was)
                && moment.heap.contains_key(&to)
            {
                edges.extend(self.edge(index, slot, to, "edge was"));
            }
            if let Some(Datum::Object(to)) = value {
                let class = if changed { "edge changed" } else { "edge" };
                edges.extend(self.edge(index, slot, to, class));
            }
        }
        edges
    }

    fn edge(&self, from: usize, slot: usize, to: usize, class: &str) -> Option<String> {
        let route = self.diagram.routes.get(&(from, slot, to))?;
        let (source, target) = (self.diagram.shapes.get(&from)?, self.diagram.shapes.get(&to)?);
        let path =
            if from == to { loop_path(source, slot) } else { path(source, slot, target, route) };
        let head = if class.contains("changed") { "head-changed" } else { "head" };
        let head = if class.contains("was") { "head-was" } else { head };
        let start = if from == to {
            source.slot_at(slot, false)
        } else {
            leave(source, slot, target, route)
        };
        let dot = match class.contains("was") {
            true => String::new(),
            false => format!("<circle cx=\"{:.0}\" cy=\"{:.0}\" r=\"3.5\"/>", start.x, start.y),
        };
        Some(format!(
            "<g class=\"{class}\"><path d=\"{path}\" marker-end=\"url(#{head})\"/>{dot}</g>"
        ))
    }

    fn object(
        &self,
        index: usize,
        shape: &Shape,
        moment: &Moment<'_>,
        before: Option<&Moment<'_>>,
    ) -> String {
        let known = before.and_then(|b| b.heap.get(&index).copied());
        let is_new = index >= self.execution.pre.len();
        let is_born = is_new && before.is_some() && known.is_none();
        let tags = tags(moment, index);
        let is_witness = tags.iter().any(|t| t.kind == "witness");
        let mut class = format!("object hue{}", shape.hue);
        for (holds, word) in [(is_new, " fresh"), (is_born, " born"), (is_witness, " witness")] {
            class.push_str(if holds { word } else { "" });
        }
        let mut out = format!("<g class=\"{class}\">");
        frame(&mut out, shape, is_new);
        let now = shape.values(moment.heap.get(&index).copied());
        let earlier = shape.values(known);
        let changed: BTreeSet<usize> = now
            .iter()
            .zip(&earlier)
            .filter(|(now, was)| before.is_some() && known.is_some() && now.1 != was.1)
            .map(|(now, _)| now.0)
            .collect();
        for (slot, value) in now {
            let changed = changed.contains(&slot);
            match shape.form {
                Form::Rows => self.row(&mut out, shape, slot, value, changed),
                Form::Cells(width) => self.cell(&mut out, shape, slot, width, value, changed),
            }
        }
        tag_row(&mut out, shape, &tags);
        out.push_str("</g>");
        out
    }

    fn row(
        &self,
        out: &mut String,
        shape: &Shape,
        slot: usize,
        value: Option<Datum>,
        changed: bool,
    ) {
        let Point { x, y } = shape.at;
        let top = y + TITLE + 2.0 + ROW * slot as f64;
        if changed {
            let width = shape.width - 4.0;
            let _ = write!(
                out,
                "<rect class=\"mark\" x=\"{:.0}\" y=\"{:.0}\" width=\"{width:.0}\" height=\"{:.0}\" rx=\"4\"/>",
                x + 2.0,
                top + 1.0,
                ROW - 2.0
            );
        }
        let baseline = top + ROW / 2.0 + 4.5;
        let name = escape(&shape.slots[slot].name);
        let _ = write!(
            out,
            "<text class=\"name\" x=\"{:.0}\" y=\"{baseline:.0}\">{name}</text>",
            x + 10.0
        );
        let (class, text) = self.slot_text(value);
        let _ = write!(
            out,
            "<text class=\"{class}\" x=\"{:.0}\" y=\"{baseline:.0}\" text-anchor=\"end\">{text}</text>",
            x + shape.width - 10.0
        );
    }

    fn cell(
        &self,
        out: &mut String,
        shape: &Shape,
        slot: usize,
        width: f64,
        value: Option<Datum>,
        changed: bool,
    ) {
        let x = shape.at.x + width * slot as f64;
        let top = shape.at.y + TITLE;
        let middle = x + width / 2.0;
        let class = if changed { "cell mark" } else { "cell" };
        let _ = write!(
            out,
            "<rect class=\"{class}\" x=\"{x:.0}\" y=\"{top:.0}\" width=\"{width:.0}\" height=\"{ROW:.0}\"/>"
        );
        let (class, text) = self.slot_text(value);
        let _ = write!(
            out,
            "<text class=\"{class}\" x=\"{middle:.0}\" y=\"{:.0}\" text-anchor=\"middle\">{text}</text>\
             <text class=\"index\" x=\"{middle:.0}\" y=\"{:.0}\" text-anchor=\"middle\">{}</text>",
            top + ROW / 2.0 + 4.5,
            top + ROW + 12.0,
            shape.slots[slot].name
        );
    }

    /// A reference to a box needs no text: there is an arrow.
    fn slot_text(&self, value: Option<Datum>) -> (&'static str, String) {
        match value {
            None => ("any", "any".into()),
            Some(Datum::Null) => ("null", "null".into()),
            Some(Datum::Object(to)) if self.diagram.shapes.contains_key(&to) => {
                ("value", String::new())
            }
            Some(value) => ("value", escape(&self.values.datum(value))),
        }
    }
}

fn frame(out: &mut String, shape: &Shape, is_new: bool) {
    let (Point { x, y }, width, height) = (shape.at, shape.width, shape.height);
    let body = match shape.form {
        Form::Rows => height,
        Form::Cells(_) => TITLE + ROW,
    };
    let title = escape(&shape.title);
    let class = escape(&shape.class);
    let new = if is_new { ", made by the execution" } else { "" };
    let _ = write!(
        out,
        "<title>{title}: {class}{new}</title>\
         <rect class=\"box\" x=\"{x:.0}\" y=\"{y:.0}\" width=\"{width:.0}\" height=\"{body:.0}\" rx=\"7\"/>\
         <path class=\"bar\" d=\"M{x:.0} {:.0}v-{:.0}q0 -7 7 -7h{:.0}q7 0 7 7v{:.0}z\"/>\
         <text class=\"title\" x=\"{:.0}\" y=\"{:.0}\">{title}</text>",
        y + TITLE,
        TITLE - 7.0,
        width - 14.0,
        TITLE - 7.0,
        x + 10.0,
        y + TITLE / 2.0 + 4.5
    );
    if let Some(note) = &shape.note {
        let _ = write!(
            out,
            "<text class=\"note\" x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"end\">{note}</text>",
            x + width - 10.0,
            y + TITLE / 2.0 + 4.5
        );
    }
}

/// An object that nothing refers to any more keeps its place and loses its contents.
fn folded(shape: &Shape) -> String {
    let Point { x, y } = shape.at;
    let title = escape(&shape.title);
    format!(
        "<g class=\"object gone\"><title>{title}: unreachable</title>\
         <rect class=\"box\" x=\"{x:.0}\" y=\"{y:.0}\" width=\"{:.0}\" height=\"{TITLE:.0}\" rx=\"7\"/>\
         <text class=\"title\" x=\"{:.0}\" y=\"{:.0}\">{title}</text></g>",
        shape.width,
        x + 10.0,
        y + TITLE / 2.0 + 4.5
    )
}

fn tag_row(out: &mut String, shape: &Shape, tags: &[Tag<'_>]) {
    let mut x = shape.at.x;
    let y = shape.at.y - 20.0;
    for tag in tags {
        let width = tag_width(tag.text) - 4.0;
        let tip = x + 12.0;
        let _ = write!(
            out,
            "<g class=\"tag {}\"><path d=\"M{x:.0} {y:.0}h{width:.0}v16h-{:.0}l-4 4l-4 -4h-{:.0}z\"/>\
             <text x=\"{:.1}\" y=\"{:.0}\" text-anchor=\"middle\">{}</text></g>",
            tag.kind,
            width - (tip - x) - 4.0,
            tip - x - 4.0,
            x + width / 2.0,
            y + 12.0,
            escape(tag.text)
        );
        x += width + 4.0;
    }
}

/// Whether the way to the target starts to the left.
fn goes_left(source: &Shape, target: &Shape, route: &[Point]) -> bool {
    let next = route.first().map_or(target.at.x + target.width / 2.0, |p| p.x);
    next < source.at.x + source.width / 2.0
}

fn leave(source: &Shape, slot: usize, target: &Shape, route: &[Point]) -> Point {
    source.slot_at(slot, goes_left(source, target, route))
}

/// A smooth way through the points, level where it starts and ends (Catmull and Rom's curve).
fn path(source: &Shape, slot: usize, target: &Shape, route: &[Point]) -> String {
    let start = leave(source, slot, target, route);
    let last = route.last().copied().unwrap_or(start);
    let end = target.entry(last.x > target.at.x + target.width / 2.0);
    // Between neighbours there is nothing to go around.
    let between = if route.len() > 1 { route } else { &[] };
    let points: Vec<Point> = [start].iter().chain(between).chain([&end]).copied().collect();
    let points = straightened(&points);
    let tangent = |i: usize| {
        let outward = |from: Point, to: Point| Point { x: 1.5 * (to.x - from.x), y: 0.0 };
        match (points.get(i.wrapping_sub(1)), points.get(i + 1)) {
            (Some(before), Some(after)) => {
                Point { x: (after.x - before.x) / 2.0, y: (after.y - before.y) / 2.0 }
            }
            (None, Some(after)) => outward(points[i], *after),
            (Some(before), None) => outward(*before, points[i]),
            (None, None) => Point { x: 0.0, y: 0.0 },
        }
    };
    let mut path = format!("M{:.1} {:.1}", start.x, start.y);
    for (i, pair) in points.windows(2).enumerate() {
        let (from, to, out, into) = (pair[0], pair[1], tangent(i), tangent(i + 1));
        let _ = write!(
            path,
            "C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}",
            from.x + out.x / 3.0,
            from.y + out.y / 3.0,
            to.x - into.x / 3.0,
            to.y - into.y / 3.0,
            to.x,
            to.y
        );
    }
    path
}

/// The points without those that lie almost on the line between others (Ramer, Douglas and
/// Peucker): each bend is a reason to ask why.
fn straightened(points: &[Point]) -> Vec<Point> {
    let [first, inner @ .., last] = points else {
        return points.to_vec();
    };
    let (dx, dy) = (last.x - first.x, last.y - first.y);
    let length = dx.hypot(dy).max(1.0);
    let off = |p: &Point| ((p.x - first.x) * dy - (p.y - first.y) * dx).abs() / length;
    let farthest = inner.iter().enumerate().max_by(|a, b| off(a.1).total_cmp(&off(b.1)));
    match farthest.filter(|(_, point)| off(point) > NEARLY_STRAIGHT) {
        None => vec![*first, *last],
        Some((at, _)) => {
            let mut kept = straightened(&points[..=at + 1]);
            kept.pop();
            kept.extend(straightened(&points[at + 1..]));
            kept
        }
    }
}

fn loop_path(shape: &Shape, slot: usize) -> String {
    let (start, end) = (shape.slot_at(slot, false), shape.entry(true));
    let out = start.x + 34.0;
    format!(
        "M{:.1} {:.1}C{out:.1} {:.1} {out:.1} {:.1} {:.1} {:.1}",
        start.x, start.y, start.y, end.y, end.x, end.y
    )
}
