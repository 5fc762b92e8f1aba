//! The declarations of a Java file and where each specification comment stands among them. Reads
//! a tree of tree-sitter from front to back once, with the comments in step; knows nothing of what
//! the comments say.
//!
//! The comments are blanked out before parsing, so that they can not disturb the tree. What
//! matters about a comment is the innermost construct around it and the next one in that, which a
//! stack of open constructs tells.

use tree_sitter::{Node, Parser, Tree};

use crate::comment::Comment;
use crate::java::declare;
use crate::java::names::LocalNames;
use crate::jml::ast::Import;
use crate::span::{Positions, Span};
use crate::specs::{FieldSpecs, MethodSpecs, TypeSpecs};

/// A declaration by its indices in [`Outline::types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Declared {
    Type(usize),
    Method(usize, usize),
    Field(usize, usize),
    /// Something that carries no specifications, such as an enum constant.
    Other,
}

/// What follows a comment in its block.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Next {
    Loop(Span),
    Locals(Locals),
    Type(usize),
    Statement(Span),
    End,
}

/// A declaration of local variables.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Locals {
    pub names: Vec<String>,
    pub span: Span,
    /// Where their scope ends.
    pub last_line: u32,
}

/// Where a comment stands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Location {
    /// In a type (or outside all), before a declaration or inside its head.
    Declaration { around: Option<usize>, declared: Option<Declared> },
    /// At a parameter of a method or component of a record.
    Parameter(Declared, usize),
    /// Between the statements of a block.
    Block { method: Option<(usize, usize)>, next: Next },
    /// Inside a statement or expression, where no statement can stand.
    Inside { around: Option<usize>, method: Option<(usize, usize)>, next: Next },
}

/// Comments that stand at the same place, by index.
#[derive(Debug)]
pub(crate) struct Group {
    pub location: Location,
    pub comments: Vec<usize>,
}

#[derive(Debug, Default)]
pub(crate) struct Outline {
    pub package: String,
    pub imports: Vec<Import>,
    pub types: Vec<TypeSpecs>,
    pub groups: Vec<Group>,
    pub unread: Vec<Span>,
}

/// Outlines a file whose comments are blanked out in `text`.
pub(crate) fn outline(text: &str, comments: &[Comment], positions: &Positions<'_>) -> Outline {
    let tree = parse(text);
    let mut walk = Walk {
        text,
        comments,
        positions,
        next_comment: 0,
        frames: vec![Frame::new(FrameKind::File, usize::MAX, None, None)],
        ancestors: Vec::new(),
        locals: LocalNames::default(),
        outline: Outline::default(),
    };
    match &tree {
        Some(tree) => walk.run(tree.root_node()),
        None => walk.outline.unread.push(positions.span(0, text.len())),
    }
    walk.finish();
    walk.outline
}

/// The tree of a Java file.
pub(crate) fn parse(text: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_java::LANGUAGE.into()).ok()?;
    parser.parse(text, None)
}

/// A construct that is open at the current place.
struct Frame {
    kind: FrameKind,
    end: usize,
    ty: Option<usize>,
    method: Option<(usize, usize)>,
    pending: Vec<usize>,
}

#[derive(Clone, PartialEq)]
enum FrameKind {
    File,
    Body,
    Head(Declared),
    Parameters(Declared),
    Parameter(Declared, usize),
    /// Statements stand here; `true` for those behind a `case`, which end with the next one.
    Block(bool),
    Loop(Span),
    Locals(Locals),
    Inside,
}

impl Frame {
    fn new(kind: FrameKind, end: usize, ty: Option<usize>, method: Option<(usize, usize)>) -> Self {
        Frame { kind, end, ty, method, pending: Vec::new() }
    }
}

/// What the next construct is to the comments before it.
enum Anchor {
    Declared(Declared),
    Parameter(usize),
    Statement(Next),
    End,
}

/// A method has at most so many parameters, by the class-file format.
const MOST_PARAMETERS: usize = 255;

struct Walk<'w> {
    text: &'w str,
    comments: &'w [Comment],
    positions: &'w Positions<'w>,
    next_comment: usize,
    /// Never empty: the file is open to the end.
    frames: Vec<Frame>,
    ancestors: Vec<(&'w str, usize)>,
    locals: LocalNames,
    outline: Outline,
}

impl<'w> Walk<'w> {
    /// Every node before its children; a loop, because trees may be deep.
    fn run(&mut self, root: Node<'w>) {
        let mut cursor = root.walk();
        loop {
            let node = cursor.node();
            self.advance_to(node.start_byte());
            self.enter(node);
            if cursor.goto_first_child() {
                self.ancestors.push((node.kind(), node.end_byte()));
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
                self.ancestors.pop();
            }
        }
    }

    fn finish(&mut self) {
        self.advance_to(self.text.len());
        while !self.frames.is_empty() {
            self.close();
        }
    }

    /// Hands the comments up to a place to what is open there, and closes what ends before it.
    fn advance_to(&mut self, place: usize) {
        while let Some(comment) = self.comments.get(self.next_comment) {
            if comment.range.start >= place {
                break;
            }
            self.close_before(comment.range.start);
            if comment.specification.is_some() || comment.is_doc {
                self.take(self.next_comment);
            }
            self.next_comment += 1;
        }
        self.close_before(place);
    }

    fn close_before(&mut self, place: usize) {
        while self.frames.last().is_some_and(|frame| frame.end <= place) {
            self.close();
        }
    }

    fn close(&mut self) {
        self.settle(&Anchor::End);
        self.frames.pop();
    }

    fn take(&mut self, comment: usize) {
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        let around = frame.ty;
        let location = match &frame.kind {
            FrameKind::Head(declared) => {
                // The head of a type is not inside the type.
                let around = around.filter(|_| !matches!(declared, Declared::Type(_)));
                Location::Declaration { around, declared: Some(*declared) }
            }
            FrameKind::Parameter(of, index) => Location::Parameter(*of, *index),
            FrameKind::Locals(locals) => {
                let next = Next::Locals(locals.clone());
                Location::Inside { around, method: frame.method, next }
            }
            _ => return frame.pending.push(comment),
        };
        self.place(location, vec![comment]);
    }

    fn place(&mut self, location: Location, comments: Vec<usize>) {
        let names_target = matches!(location, Location::Declaration { declared: Some(_), .. });
        // Comments at the parameters may stand between those at the head of a method.
        let known = self.outline.groups.iter_mut().rev().take(MOST_PARAMETERS).find(|group| {
            !matches!(group.location, Location::Parameter(..) | Location::Inside { .. })
        });
        match known {
            Some(known) if names_target && known.location == location => {
                known.comments.extend(comments);
            }
            _ => self.outline.groups.push(Group { location, comments }),
        }
    }

    /// Finds the comments that wait in the innermost frame their place, now that it is known what
    /// follows them.
    fn settle(&mut self, anchor: &Anchor) {
        let Some(frame) = self.frames.last_mut().filter(|frame| !frame.pending.is_empty()) else {
            return;
        };
        let comments = std::mem::take(&mut frame.pending);
        let (around, method) = (frame.ty, frame.method);
        let next = match anchor {
            Anchor::Statement(next) => next.clone(),
            Anchor::Declared(Declared::Type(ty)) => Next::Type(*ty),
            Anchor::Declared(_) | Anchor::Parameter(_) | Anchor::End => Next::End,
        };
        let location = match (&frame.kind, anchor) {
            (FrameKind::File | FrameKind::Body, Anchor::Declared(declared)) => {
                Location::Declaration { around, declared: Some(*declared) }
            }
            (FrameKind::File | FrameKind::Body, _) => {
                Location::Declaration { around, declared: None }
            }
            (FrameKind::Parameters(of), Anchor::Parameter(index)) => {
                Location::Parameter(*of, *index)
            }
            (FrameKind::Block(_), _) => Location::Block { method, next },
            (FrameKind::Loop(span), Anchor::End) => {
                Location::Inside { around, method, next: Next::Loop(*span) }
            }
            _ => Location::Inside { around, method, next },
        };
        self.place(location, comments);
    }

    fn open(&mut self, kind: FrameKind, end: usize) {
        let (ty, method) = self.frames.last().map_or((None, None), |f| (f.ty, f.method));
        self.frames.push(Frame::new(kind, end, ty, method));
    }

    fn open_in(&mut self, kind: FrameKind, end: usize, ty: usize, method: Option<usize>) {
        self.frames.push(Frame::new(kind, end, Some(ty), method.map(|m| (ty, m))));
    }

    fn innermost(&self) -> FrameKind {
        self.frames.last().map_or(FrameKind::File, |frame| frame.kind.clone())
    }

    fn current_type(&self) -> Option<usize> {
        self.frames.last().and_then(|frame| frame.ty)
    }

    fn parent_kind(&self) -> &'w str {
        self.ancestors.last().map_or("", |&(kind, _)| kind)
    }

    fn span(&self, node: Node<'_>) -> Span {
        self.positions.span(node.start_byte(), node.end_byte())
    }

    fn enter(&mut self, node: Node<'w>) {
        if node.is_error() || node.is_missing() {
            self.outline.unread.push(self.span(node));
            return;
        }
        match node.kind() {
            "package_declaration" => {
                self.outline.package = declare::package(node, self.text);
            }
            "import_declaration" => {
                self.outline.imports.push(declare::import(node, self.text));
            }
            "class_declaration"
            | "interface_declaration"
            | "enum_declaration"
            | "record_declaration"
            | "annotation_type_declaration" => self.enter_type(node),
            "class_body" | "interface_body" | "enum_body" | "annotation_type_body" => {
                self.enter_body(node);
            }
            "method_declaration"
            | "constructor_declaration"
            | "compact_constructor_declaration"
            | "annotation_type_element_declaration"
            | "static_initializer" => self.enter_method(node),
            "field_declaration" | "constant_declaration" => self.enter_field(node),
            "enum_constant" => {
                self.settle(&Anchor::Declared(Declared::Other));
                self.open(FrameKind::Head(Declared::Other), node.end_byte());
            }
            "formal_parameters" => self.enter_parameters(node),
            "formal_parameter" | "spread_parameter" => self.enter_parameter(node),
            "type_arguments" | "dimensions" | "argument_list" => {
                self.open(FrameKind::Inside, node.end_byte());
            }
            _ => self.enter_code(node),
        }
    }

    fn enter_type(&mut self, node: Node<'w>) {
        let simple = declare::name(node, self.text);
        let outer = self.current_type().and_then(|ty| self.outline.types.get(ty));
        let name = match (outer, self.innermost()) {
            (None, _) => simple,
            (Some(outer), FrameKind::Body) => format!("{}${simple}", outer.name),
            (Some(outer), _) => self.locals.name(&outer.name, &simple),
        };
        let ty = self.declare_type(name, node);
        self.settle(&Anchor::Declared(Declared::Type(ty)));
        self.open_in(FrameKind::Head(Declared::Type(ty)), node.end_byte(), ty, None);
    }

    fn declare_type(&mut self, name: String, node: Node<'_>) -> usize {
        let span = self.span(node);
        let last_line = self.positions.line(node.end_byte());
        self.outline.types.push(TypeSpecs { name, span, last_line, ..TypeSpecs::default() });
        self.outline.types.len() - 1
    }

    fn enter_body(&mut self, node: Node<'w>) {
        let is_anonymous =
            matches!(self.parent_kind(), "object_creation_expression" | "enum_constant");
        let ty = if is_anonymous {
            let outer = self.current_type().and_then(|ty| self.outline.types.get(ty));
            let outer = outer.map_or("", |outer| outer.name.as_str());
            let name = self.locals.name(outer, "");
            self.declare_type(name, node)
        } else {
            match self.innermost() {
                FrameKind::Head(Declared::Type(ty)) => ty,
                _ => return,
            }
        };
        self.open_in(FrameKind::Body, node.end_byte(), ty, None);
    }

    fn enter_method(&mut self, node: Node<'w>) {
        let Some(ty) = self.current_type() else {
            return;
        };
        let method = declare::method(node, self.text, self.positions);
        let Some(index) = self.declare_method(ty, method) else {
            return;
        };
        self.settle(&Anchor::Declared(Declared::Method(ty, index)));
        let head = FrameKind::Head(Declared::Method(ty, index));
        self.open_in(head, node.end_byte(), ty, Some(index));
    }

    fn declare_method(&mut self, ty: usize, method: MethodSpecs) -> Option<usize> {
        let methods = &mut self.outline.types.get_mut(ty)?.methods;
        methods.push(method);
        Some(methods.len() - 1)
    }

    fn enter_field(&mut self, node: Node<'w>) {
        let names = declare::declared_names(node, self.text);
        let span = self.span(node);
        let Some(ty) = self.current_type() else {
            return;
        };
        let Some(outer) = self.outline.types.get_mut(ty) else {
            return;
        };
        outer.fields.push(FieldSpecs { names, span, ..FieldSpecs::default() });
        let declared = Declared::Field(ty, outer.fields.len() - 1);
        self.settle(&Anchor::Declared(declared));
        self.open_in(FrameKind::Head(declared), node.end_byte(), ty, None);
    }

    fn enter_parameters(&mut self, node: Node<'w>) {
        let FrameKind::Head(of @ (Declared::Method(..) | Declared::Type(_))) = self.innermost()
        else {
            return;
        };
        self.open(FrameKind::Parameters(of), node.end_byte());
    }

    fn enter_parameter(&mut self, node: Node<'w>) {
        let FrameKind::Parameters(of) = self.innermost() else {
            return;
        };
        let parameter = declare::parameter(node, self.text, self.positions);
        let list = match of {
            Declared::Method(ty, method) => self
                .outline
                .types
                .get_mut(ty)
                .and_then(|ty| ty.methods.get_mut(method))
                .map(|method| &mut method.parameters),
            Declared::Type(ty) => self.outline.types.get_mut(ty).map(|ty| &mut ty.components),
            Declared::Field(..) | Declared::Other => None,
        };
        let Some(list) = list else {
            return;
        };
        list.push(parameter);
        let index = list.len() - 1;
        self.settle(&Anchor::Parameter(index));
        self.open(FrameKind::Parameter(of, index), node.end_byte());
    }

    fn note_assignment(&mut self, node: Node<'w>) {
        let Some((ty, method)) = self.frames.last().and_then(|frame| frame.method) else {
            return;
        };
        if let Some(assignment) = declare::assignment(node, self.text, self.positions)
            && let Some(ty) = self.outline.types.get_mut(ty)
            && let Some(method) = ty.methods.get_mut(method)
        {
            method.assignments.push(assignment);
        }
    }

    /// Statements and blocks.
    fn enter_code(&mut self, node: Node<'w>) {
        self.note_assignment(node);
        let innermost = self.innermost();
        match node.kind() {
            "block" if innermost == FrameKind::Body => {
                self.enter_method(node);
                self.open(FrameKind::Block(false), node.end_byte());
            }
            "block" | "constructor_body" => {
                if matches!(innermost, FrameKind::Block(_)) {
                    self.settle(&Anchor::Statement(Next::Statement(self.span(node))));
                } else {
                    self.settle(&Anchor::End);
                }
                self.open(FrameKind::Block(false), node.end_byte());
            }
            "switch_block_statement_group" => {
                if innermost == FrameKind::Block(true) {
                    self.close();
                }
                let end = self.ancestors.last().map_or(node.end_byte(), |&(_, end)| end);
                self.open(FrameKind::Block(true), end);
            }
            "labeled_statement" => {
                let next = declare::unlabelled(node, self.positions);
                self.settle(&Anchor::Statement(next));
                self.open(FrameKind::Block(false), node.end_byte());
            }
            "while_statement" | "for_statement" | "enhanced_for_statement" | "do_statement" => {
                let span = self.span(node);
                self.settle(&Anchor::Statement(Next::Loop(span)));
                self.open(FrameKind::Loop(span), node.end_byte());
            }
            "local_variable_declaration" => {
                let names = declare::declared_names(node, self.text);
                let scope = self.frames.last().map_or(node.end_byte(), |frame| frame.end);
                let last_line = self.positions.line(scope.min(self.text.len()));
                let locals = Locals { names, span: self.span(node), last_line };
                self.settle(&Anchor::Statement(Next::Locals(locals.clone())));
                self.open(FrameKind::Locals(locals), node.end_byte());
            }
            "switch_label" => {}
            _ if matches!(innermost, FrameKind::Block(_)) && node.is_named() => {
                self.settle(&Anchor::Statement(Next::Statement(self.span(node))));
                self.open(FrameKind::Inside, node.end_byte());
            }
            _ => {}
        }
    }
}
