//! Reads single declarations off their nodes: names, parameters, types as written.

use tree_sitter::Node;

use crate::java::outline::Next;
use crate::jml::ast::Import;
use crate::span::Positions;
use crate::specs::{Annotation, Assignment, MethodKind, MethodSpecs, Parameter};

fn text<'t>(node: Node<'_>, source: &'t str) -> &'t str {
    source.get(node.byte_range()).unwrap_or("")
}

fn field_text(node: Node<'_>, field: &str, source: &str) -> String {
    node.child_by_field_name(field).map_or(String::new(), |child| compact(text(child, source)))
}

/// A piece of Java without the white space that does not separate words.
fn compact(text: &str) -> String {
    let mut compact = String::new();
    for word in text.split_whitespace() {
        let separates = compact.ends_with(|c| is_word(c) || c == '?') && word.starts_with(is_word);
        if separates {
            compact.push(' ');
        }
        compact.push_str(word);
    }
    compact
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

pub(crate) fn name(node: Node<'_>, source: &str) -> String {
    field_text(node, "name", source)
}

pub(crate) fn package(node: Node<'_>, source: &str) -> String {
    let named = named_children(node);
    let name = named.iter().rev().find(|child| child.kind().ends_with("identifier"));
    name.map_or(String::new(), |&name| compact(text(name, source)))
}

pub(crate) fn import(node: Node<'_>, source: &str) -> Import {
    let named = named_children(node);
    let path = named.iter().find(|child| child.kind().ends_with("identifier"));
    Import {
        path: path.map_or(String::new(), |&path| compact(text(path, source))),
        is_static: text(node, source).split_whitespace().nth(1) == Some("static"),
        on_demand: named.iter().any(|child| child.kind() == "asterisk"),
    }
}

fn named_children(node: Node<'_>) -> Vec<Node<'_>> {
    node.named_children(&mut node.walk()).collect()
}

/// The variables of a field or local declaration.
pub(crate) fn declared_names(node: Node<'_>, source: &str) -> Vec<String> {
    node.children_by_field_name("declarator", &mut node.walk())
        .map(|declarator| name(declarator, source))
        .collect()
}

/// What a node assigns, if that is a variable with a simple name.
pub(crate) fn assignment(
    node: Node<'_>,
    source: &str,
    positions: &Positions<'_>,
) -> Option<Assignment> {
    let (name, end) = match node.kind() {
        "variable_declarator" => {
            node.child_by_field_name("value")?;
            (node.child_by_field_name("name")?, node.end_byte())
        }
        "enhanced_for_statement" => {
            (node.child_by_field_name("name")?, node.child_by_field_name("body")?.start_byte())
        }
        "assignment_expression" => {
            let left = node.child_by_field_name("left")?;
            // The compiled code of `s = s` assigns nothing.
            let is_same = node.child_by_field_name("right").map(|right| text(right, source))
                == Some(text(left, source));
            (!is_same).then_some((left, node.end_byte()))?
        }
        _ => return None,
    };
    (name.kind() == "identifier").then(|| Assignment {
        name: text(name, source).to_string(),
        first_line: positions.line(node.start_byte()),
        last_line: positions.line(end),
    })
}

/// A method without its parameters, which are read as the walk comes to them.
pub(crate) fn method(node: Node<'_>, source: &str, positions: &Positions<'_>) -> MethodSpecs {
    let body = match node.kind() {
        "block" => Some(node),
        "static_initializer" => node.named_child(0),
        _ => node.child_by_field_name("body"),
    };
    let result = node.child_by_field_name("type").map(|_| with_dimensions(node, source));
    MethodSpecs {
        kind: kind(node),
        name: name(node, source),
        result,
        span: positions.span(node.start_byte(), node.end_byte()),
        last_line: positions.line(node.end_byte()),
        body: body.map(|body| positions.span(body.start_byte(), body.end_byte())),
        ..MethodSpecs::default()
    }
}

fn kind(node: Node<'_>) -> MethodKind {
    match node.kind() {
        "constructor_declaration" => MethodKind::Constructor,
        "compact_constructor_declaration" => MethodKind::CompactConstructor,
        "block" => MethodKind::Initializer,
        "static_initializer" => MethodKind::StaticInitializer,
        _ => MethodKind::Method,
    }
}

/// The type of a declaration with the brackets that stand behind its name.
fn with_dimensions(node: Node<'_>, source: &str) -> String {
    field_text(node, "type", source) + &field_text(node, "dimensions", source)
}

pub(crate) fn parameter(node: Node<'_>, source: &str, positions: &Positions<'_>) -> Parameter {
    let span = positions.span(node.start_byte(), node.end_byte());
    let (name, ty) = if node.kind() == "spread_parameter" {
        spread(node, source)
    } else {
        (name(node, source), with_dimensions(node, source))
    };
    let annotations = annotations(node, source);
    Parameter { name, ty, span, annotations, ..Parameter::default() }
}

/// The annotations of a declaration. Those of JML are not there any more.
fn annotations(node: Node<'_>, source: &str) -> Vec<Annotation> {
    let modifiers = named_children(node).into_iter().find(|child| child.kind() == "modifiers");
    let written = modifiers.map(named_children).unwrap_or_default();
    let written = written.into_iter().filter(|child| child.kind().ends_with("annotation"));
    let read = |child: Node<'_>| {
        let full = name(child, source);
        Annotation {
            name: full.rsplit('.').next().unwrap_or(&full).to_string(),
            arguments: child
                .child_by_field_name("arguments")
                .map_or(String::new(), |arguments| text(arguments, source).to_string()),
        }
    };
    written.map(read).collect()
}

/// `T... name`
fn spread(node: Node<'_>, source: &str) -> (String, String) {
    let children = named_children(node);
    let declarator = children.iter().find(|child| child.kind() == "variable_declarator");
    let is_decoration =
        |kind: &str| matches!(kind, "modifiers" | "annotation" | "marker_annotation");
    let ty = children.iter().find(|child| !is_decoration(child.kind()));
    let ty = ty.map_or("", |&ty| text(ty, source));
    (declarator.map_or(String::new(), |&d| name(d, source)), format!("{}...", compact(ty)))
}

/// What a label stands before.
pub(crate) fn unlabelled(node: Node<'_>, positions: &Positions<'_>) -> Next {
    let mut inner = node;
    while inner.kind() == "labeled_statement" {
        let last = inner.named_child_count().checked_sub(1);
        match last.and_then(|last| named_children(inner).get(last).copied()) {
            Some(statement) => inner = statement,
            None => break,
        }
    }
    match inner.kind() {
        "while_statement" | "for_statement" | "enhanced_for_statement" | "do_statement" => {
            Next::Loop(positions.span(inner.start_byte(), inner.end_byte()))
        }
        _ => Next::Statement(positions.span(node.start_byte(), node.end_byte())),
    }
}
