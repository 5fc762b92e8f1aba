//! The object diagram of an execution: every object and reference that any moment shows has one
//! place for all of them, so that what does not change does not move.
//!
//! The places come from a layered layout (Sugiyama's method, by the crate `dagre`), from left to
//! right: what a reference leads to is to the right of it, unless there is a cycle.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use dagre::graph::{Graph, GraphOptions};
use dagre::{EdgeLabel, LayoutOptions, NodeLabel, RankDir};
use unicode_width::UnicodeWidthStr;
use verify::execution::{Content, Datum, Execution, FieldDatum, Object};

use super::moments::{self, Moment};
use crate::values::Values;
use crate::{every_object, java};

/// Objects that are drawn; a picture of more says nothing.
const MOST_OBJECTS: usize = 60;
/// Elements of an array that are drawn.
const MOST_ELEMENTS: usize = 24;

/// Hues for classes; the style sheet has as many.
const HUES: usize = 6;

pub(super) const TITLE: f64 = 26.0;
pub(super) const ROW: f64 = 22.0;
/// Room above an object for the variables that refer to it.
pub(super) const TAGS: f64 = 24.0;
const MARGIN: f64 = 18.0;
const CHARACTER: f64 = 7.4;
const PAD: f64 = 10.0;

/// The places of all objects and references.
pub(super) struct Diagram {
    pub shapes: BTreeMap<usize, Shape>,
    /// By object, slot and target: the points between the two.
    pub routes: BTreeMap<(usize, usize, usize), Vec<Point>>,
    pub width: f64,
    pub height: f64,
    /// Objects that are not drawn because there are too many.
    pub left_out: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Point {
    pub x: f64,
    pub y: f64,
}

/// An object as a box: a title, and a slot for each field or element.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    pub title: String,
    /// The length of an array.
    pub note: Option<String>,
    pub class: String,
    /// Which colour objects of its class have.
    pub hue: usize,
    pub slots: Vec<Slot>,
    pub form: Form,
    /// The upper left corner of the box; the tags are above it.
    pub at: Point,
    pub width: f64,
    pub height: f64,
}

#[derive(Clone, Debug)]
pub(super) struct Slot {
    /// Shown name of a field, index of an element.
    pub name: String,
    key: Key,
}

/// What tells the slots of an object apart.
#[derive(Clone, Debug)]
enum Key {
    /// Declaring class and name.
    Field(String, String),
    Element(usize),
}

/// How the slots stand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Form {
    /// One below the other, names to the left of values.
    Rows,
    /// Side by side, of this width: elements without references.
    Cells(f64),
}

/// Columns of text on the screen.
pub(super) fn text_width(text: &str) -> f64 {
    text.width() as f64 * CHARACTER
}

impl Diagram {
    pub fn of(execution: &Execution, moments: &[Moment<'_>], values: &Values<'_>) -> Diagram {
        let objects = every_object(execution);
        let shown = shown(objects, moments, values);
        let drawn = nearest(&shown, execution, moments);
        let left_out = shown.len() - drawn.len();
        let mut shapes = BTreeMap::new();
        let mut classes: Vec<&str> = Vec::new();
        for index in drawn {
            let class = objects[index].class.as_str();
            let hue = classes.iter().position(|c| *c == class).unwrap_or_else(|| {
                classes.push(class);
                classes.len() - 1
            });
            let mut shape = Shape::of(index, &objects[index], moments, values);
            shape.hue = hue % HUES;
            shapes.insert(index, shape);
        }
        let mut diagram =
            Diagram { shapes, routes: BTreeMap::new(), width: 0.0, height: 0.0, left_out };
        diagram.arrange(moments);
        diagram
    }

    /// Asks for a place for each shape, and a way for each reference that there ever is.
    fn arrange(&mut self, moments: &[Moment<'_>]) {
        let weights = self.references(moments);
        let mut graph: Graph<NodeLabel, EdgeLabel> =
            Graph::with_options(GraphOptions { directed: true, multigraph: true, compound: false });
        for (index, shape) in &self.shapes {
            let (width, height) = (shape.width, shape.height + TAGS);
            let label = NodeLabel { width, height, ..NodeLabel::default() };
            graph.set_node(index.to_string(), Some(label));
        }
        for ((from, slot, to), weight) in &weights {
            let label = EdgeLabel { weight: *weight, ..EdgeLabel::default() };
            let name = slot.to_string();
            graph.set_edge(from.to_string(), to.to_string(), Some(label), Some(&name));
        }
        let options = LayoutOptions {
            rankdir: RankDir::LR,
            nodesep: 26.0,
            edgesep: 16.0,
            ranksep: 56.0,
            marginx: MARGIN,
            marginy: MARGIN,
            ..LayoutOptions::default()
        };
        // Should the layout ever fail, a row of boxes is better than no report.
        let layout = std::panic::AssertUnwindSafe(|| dagre::layout(&mut graph, Some(options)));
        if std::panic::catch_unwind(layout).is_err() {
            return self.line_up();
        }
        for (index, shape) in &mut self.shapes {
            let Some(node) = graph.node(&index.to_string()) else {
                continue;
            };
            let (x, y) = (node.x.unwrap_or(0.0), node.y.unwrap_or(0.0));
            shape.at = Point {
                x: (x - shape.width / 2.0).round(),
                y: (y - (shape.height + TAGS) / 2.0 + TAGS).round(),
            };
            self.width = self.width.max(shape.at.x + shape.width + MARGIN);
            self.height = self.height.max(shape.at.y + shape.height + MARGIN);
        }
        for (from, slot, to) in weights.into_keys() {
            let name = slot.to_string();
            let Some(edge) = graph.edge(&from.to_string(), &to.to_string(), Some(&name)) else {
                continue;
            };
            let inner = edge.points.len().saturating_sub(2);
            let points = edge.points.iter().skip(1).take(inner);
            let points: Vec<Point> = points.map(|p| Point { x: p.x, y: p.y }).collect();
            for point in &points {
                self.width = self.width.max(point.x + MARGIN);
                self.height = self.height.max(point.y + MARGIN);
            }
            self.routes.insert((from, slot, to), points);
        }
    }

    /// Puts the shapes side by side.
    fn line_up(&mut self) {
        self.width = MARGIN;
        for shape in self.shapes.values_mut() {
            shape.at = Point { x: self.width, y: MARGIN + TAGS };
            self.width += shape.width + MARGIN;
            self.height = self.height.max(shape.at.y + shape.height + MARGIN);
        }
    }

    /// References between shapes; those that last longer count more.
    fn references(&self, moments: &[Moment<'_>]) -> BTreeMap<(usize, usize, usize), i32> {
        let mut found = BTreeMap::new();
        for moment in moments {
            for (index, shape) in &self.shapes {
                for (slot, value) in shape.values(moment.heap.get(index).copied()) {
                    if let Some(Datum::Object(to)) = value
                        && self.shapes.contains_key(&to)
                    {
                        let weight: &mut i32 = found.entry((*index, slot, to)).or_default();
                        *weight = (*weight + 1).min(8);
                    }
                }
            }
        }
        found
    }
}

/// The objects that would have a box of their own.
fn shown(objects: &[Object], moments: &[Moment<'_>], values: &Values<'_>) -> BTreeSet<usize> {
    let mut seen: BTreeSet<usize> = BTreeSet::new();
    for moment in moments {
        let reachable = moment.reachable();
        seen.extend(moment.heap.keys().filter(|i| reachable.contains(i)));
    }
    let is_drawn = |i: &usize| *i < objects.len() && !values.is_inline(*i);
    seen.into_iter().filter(is_drawn).collect()
}

/// As many of the objects as can be drawn: first those that the execution changes, makes or has names
/// for, then what these lead to, step by step.
fn nearest(
    shown: &BTreeSet<usize>,
    execution: &Execution,
    moments: &[Moment<'_>],
) -> BTreeSet<usize> {
    if shown.len() <= MOST_OBJECTS {
        return shown.clone();
    }
    let is_named = |i: usize| moments.iter().any(|moment| !super::draw::tags(moment, i).is_empty());
    let (mut touched, others): (Vec<usize>, Vec<usize>) = shown.iter().partition(|i| {
        **i >= execution.pre.len() || different(contents(**i, moments)) || is_named(**i)
    });
    // What is still there at the end says more about it.
    let at_end = moments.last().map(Moment::reachable).unwrap_or_default();
    touched.sort_by_key(|index| !at_end.contains(index));
    let mut drawn = BTreeSet::new();
    let (mut waiting, mut others) = (VecDeque::from(touched), others.into_iter());
    while drawn.len() < MOST_OBJECTS
        && let Some(index) = waiting.pop_front().or_else(|| others.next())
    {
        if shown.contains(&index) && drawn.insert(index) {
            let targets = contents(index, moments).flat_map(moments::values);
            waiting.extend(targets.filter_map(|datum| match datum {
                Datum::Object(to) => Some(to),
                _ => None,
            }));
        }
    }
    drawn
}

/// What an object holds, from moment to moment.
fn contents<'a>(index: usize, moments: &[Moment<'a>]) -> impl Iterator<Item = &'a Content> {
    moments.iter().filter_map(move |moment| moment.heap.get(&index).copied())
}

fn different<'a>(mut contents: impl Iterator<Item = &'a Content>) -> bool {
    let first = contents.next();
    contents.any(|content| Some(content) != first)
}

impl Shape {
    fn of(index: usize, object: &Object, moments: &[Moment<'_>], values: &Values<'_>) -> Shape {
        let contents: Vec<&Content> = contents(index, moments).collect();
        let slots = slots(&contents);
        let mut shape = Shape {
            title: object.label.clone(),
            note: contents.iter().find_map(|c| match c {
                Content::Array(elements) if slots.len() < elements.len() => {
                    Some(format!("{} of length {}", slots.len(), elements.len()))
                }
                Content::Array(elements) => Some(format!("length {}", elements.len())),
                _ => None,
            }),
            class: object.class.clone(),
            hue: 0,
            slots,
            form: Form::Rows,
            at: Point { x: 0.0, y: 0.0 },
            width: 0.0,
            height: 0.0,
        };
        shape.measure(&contents, values);
        let tags = moments.iter().map(|m| super::draw::tags(m, index));
        let tags = tags.map(|tags| tags.iter().map(|t| tag_width(t.text)).sum());
        shape.width = tags.fold(shape.width, f64::max);
        shape
    }

    fn measure(&mut self, contents: &[&Content], values: &Values<'_>) {
        let mut widest = 0f64;
        let mut refers = false;
        for content in contents {
            for (_, value) in self.values(Some(content)) {
                match value {
                    Some(Datum::Object(to)) if !values.is_inline(to) => refers = true,
                    Some(value) => widest = widest.max(text_width(&values.datum(value))),
                    None => {}
                }
            }
        }
        let note = self.note.as_ref().map_or(0.0, |note| text_width(note) + PAD);
        let title = text_width(&self.title) * 1.08 + note + 2.0 * PAD;
        let is_array = contents.iter().any(|c| matches!(c, Content::Array(_)));
        if is_array && !refers && !self.slots.is_empty() {
            let cell = (widest + PAD).max(30.0);
            self.form = Form::Cells(cell);
            self.width = title.max(cell * self.slots.len() as f64);
            self.height = TITLE + 2.0 * ROW - 6.0;
            return;
        }
        let names = self.slots.iter().map(|s| text_width(&s.name)).fold(0.0, f64::max);
        let value = if refers { widest.max(text_width("null")) } else { widest };
        self.width = title.max(names + value + 3.0 * PAD);
        let foot = if self.slots.is_empty() { 0.0 } else { 4.0 };
        self.height = TITLE + ROW * self.slots.len() as f64 + foot;
    }

    /// What the slots hold. A field that the execution does not depend on has no value, nor has
    /// an element beyond the end.
    pub fn values(&self, content: Option<&Content>) -> Vec<(usize, Option<Datum>)> {
        let value = |slot: &Slot| match (content, &slot.key) {
            (Some(Content::Fields(fields)), Key::Field(class, name)) => {
                let same = |f: &&FieldDatum| f.class == *class && f.name == *name;
                fields.iter().find(same).map(|f| f.value)
            }
            (Some(Content::Array(elements)), Key::Element(index)) => elements.get(*index).copied(),
            _ => None,
        };
        self.slots.iter().map(value).enumerate().collect()
    }

    /// Where the reference in a slot starts, on the side that it leaves to.
    pub fn slot_at(&self, slot: usize, to_the_left: bool) -> Point {
        let x = if to_the_left { self.at.x } else { self.at.x + self.width };
        Point { x, y: self.at.y + TITLE + ROW * (slot as f64 + 0.5) + 2.0 }
    }

    /// Where references arrive.
    pub fn entry(&self, from_the_right: bool) -> Point {
        let x = if from_the_right { self.at.x + self.width } else { self.at.x };
        Point { x, y: self.at.y + TITLE / 2.0 }
    }
}

/// Width of the tag for a variable.
pub(super) fn tag_width(name: &str) -> f64 {
    text_width(name) + 16.0
}

/// Every field that is ever known of, or the elements that are drawn.
fn slots(contents: &[&Content]) -> Vec<Slot> {
    let mut fields: Vec<FieldDatum> = Vec::new();
    let mut arrays: Vec<&[Datum]> = Vec::new();
    for content in contents {
        match content {
            Content::Fields(known) => {
                let mut place = 0;
                for field in known {
                    let same = |f: &FieldDatum| f.class == field.class && f.name == field.name;
                    match fields.iter().position(same) {
                        Some(at) => place = at + 1,
                        None => {
                            fields.insert(place, field.clone());
                            place += 1;
                        }
                    }
                }
            }
            Content::Array(elements) => arrays.push(elements),
            Content::Text { .. }
            | Content::Box { .. }
            | Content::Constant { .. }
            | Content::Mirror(_)
            | Content::Opaque => {}
        }
    }
    let names = java::field_names(&fields);
    let named = names.into_iter().zip(fields);
    let fields = named.map(|(name, f)| Slot { name, key: Key::Field(f.class, f.name) });
    let elements = elements(&arrays).into_iter();
    fields.chain(elements.map(|i| Slot { name: i.to_string(), key: Key::Element(i) })).collect()
}

/// The first elements; of a long array rather those that change.
fn elements(arrays: &[&[Datum]]) -> BTreeSet<usize> {
    let length = arrays.iter().map(|a| a.len()).max().unwrap_or(0);
    let changes = |i: &usize| arrays.windows(2).any(|pair| pair[0].get(*i) != pair[1].get(*i));
    let (changing, steady): (Vec<usize>, Vec<usize>) = (0..length).partition(changes);
    changing.into_iter().chain(steady).take(MOST_ELEMENTS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_array_what_changes_is_drawn() {
        let before: Vec<Datum> = (0..40).map(Datum::Int).collect();
        let mut after = before.clone();
        after[33] = Datum::Int(0);
        let drawn = elements(&[&before, &after]);
        assert_eq!(drawn, (0..23).chain([33]).collect());
        assert_eq!(elements(&[&before[..3]]), (0..3).collect());
    }
}
