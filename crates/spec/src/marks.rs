//! Marks: numbers for the points of bodies at which something is specified. A copy of the source
//! with calls of `jarosite.Mark` in place of those comments tells the class file where they are.

use crate::span::Span;
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
